//! A small tree of one child of the feed, reused for the next one.

use std::borrow::Cow;
use std::sync::Arc;

use url::Url;

use super::Namespace;
use super::name::Name;

/// Nodes and attributes in document order; node 0 is the element itself.
#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    pub(super) attributes: Vec<Attribute<'t>>,
    /// What `xml:base` says around the element, resolved.
    pub(super) outer_base: Option<Arc<Url>>,
    /// Whether an `xml:base` stands anywhere inside.
    pub(super) has_base: bool,
    /// The element as it stands in the document.
    pub(super) source: &'t str,
    /// How many nodes there may be.
    pub(super) most_nodes: usize,
}

#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) parent: Option<u32>,
    pub(super) next: Option<u32>,
    pub(super) first_child: Option<u32>,
    pub(super) last_child: Option<u32>,
}

#[derive(Debug)]
pub(super) enum Kind<'t> {
    Element { namespace: Namespace, name: Name<'t>, first_attribute: u32, attributes: u32 },
    Text(Cow<'t, str>),
}

#[derive(Debug)]
pub(super) struct Attribute<'t> {
    /// None for a name without a prefix.
    pub(super) namespace: Option<Namespace>,
    pub(super) name: &'t str,
    pub(super) value: Cow<'t, str>,
}

impl<'t> Tree<'t> {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.attributes.clear();
        self.has_base = false;
    }

    /// Hangs a node under its parent and gives its number; none when the tree is full.
    pub(super) fn push(&mut self, parent: Option<u32>, kind: Kind<'t>) -> Option<u32> {
        if parent.is_some() && self.nodes.len() >= self.most_nodes {
            return None;
        }
        let index = u32::try_from(self.nodes.len()).ok()?;
        self.nodes.push(Node { kind, parent, next: None, first_child: None, last_child: None });
        let parent = parent?;
        let last = self.nodes.get_mut(parent as usize)?.last_child.replace(index);
        match last {
            Some(last) => self.nodes.get_mut(last as usize)?.next = Some(index),
            None => self.nodes.get_mut(parent as usize)?.first_child = Some(index),
        }
        Some(index)
    }

    /// Adds text to an element, joining it to the piece before.
    pub(super) fn push_text(&mut self, parent: u32, piece: Cow<'t, str>) {
        if piece.is_empty() {
            return;
        }
        let last = self.nodes.get(parent as usize).and_then(|node| node.last_child);
        if let Some(Node { kind: Kind::Text(text), .. }) =
            last.and_then(|last| self.nodes.get_mut(last as usize))
        {
            text.to_mut().push_str(&piece);
            return;
        }
        self.push(Some(parent), Kind::Text(piece));
    }

    pub(super) fn root(&self) -> Element<'_, 't> {
        Element { tree: self, index: 0 }
    }
}

/// An element of the tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::syndication) struct Element<'a, 't> {
    tree: &'a Tree<'t>,
    index: u32,
}

impl<'a, 't> Element<'a, 't> {
    /// The vocabulary its name is from.
    pub(in crate::syndication) fn namespace(self) -> Namespace {
        match self.node().map(|node| &node.kind) {
            Some(Kind::Element { namespace, .. }) => *namespace,
            _ => Namespace::Other,
        }
    }

    /// Its name without prefix, as written.
    pub(in crate::syndication) fn name(self) -> &'t str {
        self.full_name().map_or("", Name::local)
    }

    /// Its name without prefix, in lower case: what vocabularies are told apart by.
    pub(in crate::syndication) fn lower_name(self) -> Cow<'t, str> {
        let name = self.name();
        if name.bytes().any(|b| b.is_ascii_uppercase()) {
            return Cow::Owned(name.to_ascii_lowercase());
        }
        Cow::Borrowed(name)
    }

    /// Its name with the prefix as written.
    pub(in crate::syndication) fn written_name(self) -> &'t str {
        self.full_name().map_or("", |name| name.written)
    }

    fn full_name(self) -> Option<Name<'t>> {
        match &self.node()?.kind {
            Kind::Element { name, .. } => Some(*name),
            Kind::Text(_) => None,
        }
    }

    /// Whether it has this name in this vocabulary, in any case.
    pub(in crate::syndication) fn is(self, namespace: Namespace, name: &str) -> bool {
        self.namespace() == namespace && self.name().eq_ignore_ascii_case(name)
    }

    /// The value of an attribute without prefix.
    pub(in crate::syndication) fn attribute(self, name: &str) -> Option<&'a str> {
        self.find_attribute(None, name).map(|attribute| attribute.value.as_ref())
    }

    /// The value of an attribute without prefix, apart from the tree.
    pub(in crate::syndication) fn value(self, name: &str) -> Option<Cow<'t, str>> {
        self.find_attribute(None, name).map(|attribute| attribute.value.clone())
    }

    /// The same, trimmed; none if nothing is left.
    pub(in crate::syndication) fn own_value(self, name: &str) -> Option<Cow<'t, str>> {
        let value = trimmed(&self.find_attribute(None, name)?.value);
        (!value.is_empty()).then_some(value)
    }

    /// The value of an attribute of a vocabulary, such as `rdf:about`, trimmed and apart from the tree;
    /// none if nothing is left.
    pub(in crate::syndication) fn own_value_of(
        self,
        namespace: Namespace,
        name: &str,
    ) -> Option<Cow<'t, str>> {
        let value = trimmed(&self.find_attribute(Some(namespace), name)?.value);
        (!value.is_empty()).then_some(value)
    }

    fn find_attribute(self, namespace: Option<Namespace>, name: &str) -> Option<&'a Attribute<'t>> {
        let mut attributes = self.attributes().iter();
        attributes.find(|a| a.namespace == namespace && a.name.eq_ignore_ascii_case(name))
    }

    /// Its attributes as `(written name, value)`, namespace declarations left out.
    pub(in crate::syndication) fn named_attributes(
        self,
    ) -> impl ExactSizeIterator<Item = (&'t str, &'a str)> {
        self.attributes().iter().map(|a| (a.name, a.value.as_ref()))
    }

    /// Whether there is nothing in it: no attribute, no element, no text.
    pub(in crate::syndication) fn is_hollow(self) -> bool {
        self.attributes().is_empty()
            && self.contents().all(|content| match content {
                Content::Text(text) => text.trim().is_empty(),
                Content::Element(_) => false,
            })
    }

    /// Its child elements.
    pub(in crate::syndication) fn children(self) -> impl Iterator<Item = Element<'a, 't>> {
        self.child_indices()
            .map(move |index| Element { tree: self.tree, index })
            .filter(|child| matches!(child.node().map(|n| &n.kind), Some(Kind::Element { .. })))
    }

    /// The first child with this name in this vocabulary.
    pub(in crate::syndication) fn child(
        self,
        namespace: Namespace,
        name: &str,
    ) -> Option<Element<'a, 't>> {
        self.children().find(|child| child.is(namespace, name))
    }

    /// All text inside, descendants included; borrowed from the document where it is one piece.
    pub(in crate::syndication) fn text(self) -> Cow<'t, str> {
        match self.only_text() {
            Some(text) => text.clone(),
            None => {
                let mut whole = String::new();
                self.collect_text(&mut whole);
                Cow::Owned(whole)
            }
        }
    }

    /// The one text that it consists of, if it does.
    fn only_text(self) -> Option<&'a Cow<'t, str>> {
        let only = self.tree.nodes.get(self.node()?.first_child? as usize)?;
        match &only.kind {
            Kind::Text(text) if only.next.is_none() => Some(text),
            _ => None,
        }
    }

    /// Its text without white space around it; none if nothing is left.
    pub(in crate::syndication) fn trimmed_text(self) -> Option<Cow<'t, str>> {
        let text = match self.only_text() {
            Some(text) => trimmed(text),
            None => trimmed(&self.text()),
        };
        (!text.is_empty()).then_some(text)
    }

    /// What is inside as HTML: the text as it is where there are no elements, else everything
    /// written out, text escaped.
    pub(in crate::syndication) fn inner_html(self) -> Cow<'t, str> {
        if self.children().next().is_none() {
            return self.text();
        }
        self.inner_markup()
    }

    /// What is inside, written out as HTML with the text escaped.
    pub(in crate::syndication) fn inner_markup(self) -> Cow<'t, str> {
        let mut out = String::new();
        super::html::write_children(self, &mut out);
        Cow::Owned(out)
    }

    /// The base address in force: its own and its ancestors' `xml:base`, or none anywhere.
    pub(in crate::syndication) fn base(self) -> Option<Arc<Url>> {
        if !self.tree.has_base {
            return self.tree.outer_base.clone();
        }
        let outer = match self.parent() {
            Some(parent) => parent.base(),
            None => self.tree.outer_base.clone(),
        };
        match self.find_attribute(Some(Namespace::Xml), "base") {
            Some(said) => resolve_base(outer.as_deref(), &said.value).map(Arc::new).or(outer),
            None => outer,
        }
    }

    /// Its own `xml:lang`, or one between it and the feed.
    pub(in crate::syndication) fn own_language(self) -> Option<Cow<'t, str>> {
        self.own_value_of(Namespace::Xml, "lang")
            .or_else(|| self.parent().and_then(Element::own_language))
    }

    /// The whole unit as it stands in the document.
    pub(in crate::syndication) fn source(self) -> &'t str {
        self.tree.source
    }

    /// Text and elements inside, in order.
    pub(super) fn contents(self) -> impl Iterator<Item = Content<'a, 't>> {
        self.child_indices().filter_map(move |index| {
            let element = Element { tree: self.tree, index };
            match &element.node()?.kind {
                Kind::Text(text) => Some(Content::Text(text)),
                Kind::Element { .. } => Some(Content::Element(element)),
            }
        })
    }

    fn collect_text(self, whole: &mut String) {
        for content in self.contents() {
            match content {
                Content::Text(text) => whole.push_str(text),
                Content::Element(element) => element.collect_text(whole),
            }
        }
    }

    fn parent(self) -> Option<Element<'a, 't>> {
        let index = self.node()?.parent?;
        Some(Element { tree: self.tree, index })
    }

    fn attributes(self) -> &'a [Attribute<'t>] {
        match self.node().map(|node| &node.kind) {
            Some(Kind::Element { first_attribute, attributes, .. }) => {
                let first = *first_attribute as usize;
                self.tree.attributes.get(first..first + *attributes as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    fn child_indices(self) -> impl Iterator<Item = u32> {
        let nodes = &self.tree.nodes;
        let mut next = self.node().and_then(|node| node.first_child);
        std::iter::from_fn(move || {
            let index = next?;
            next = nodes.get(index as usize).and_then(|node| node.next);
            Some(index)
        })
    }

    fn node(self) -> Option<&'a Node<'t>> {
        self.tree.nodes.get(self.index as usize)
    }
}

/// A piece of what is inside an element.
pub(super) enum Content<'a, 't> {
    Text(&'a Cow<'t, str>),
    Element(Element<'a, 't>),
}

/// Resolves an `xml:base` against the one around it; only `http` and `https` can be a base.
pub(super) fn resolve_base(outer: Option<&Url>, value: &str) -> Option<Url> {
    let resolved = match outer {
        Some(outer) => outer.join(value.trim()).ok()?,
        None => Url::parse(value.trim()).ok()?,
    };
    matches!(resolved.scheme(), "http" | "https").then_some(resolved)
}

/// Without white space around; borrowed from the document where the text is.
fn trimmed<'t>(text: &Cow<'t, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
