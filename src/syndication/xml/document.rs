//! Walks a feed document: hands out the children of its containers, one small tree at a time.
//!
//! Containers (`rss`, `rdf:RDF`, `channel`, `feed`, `items`) are entered; everything inside them is
//! a unit: an item, an entry, or a field of the feed. Memory is that of the largest unit.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;
use url::Url;

use super::entities::Entities;
use super::name::Name;
use super::tokens::{Token, Tokens};
use super::tree::{Attribute, Element, Kind, Tree};
use super::{Namespace, attributes};
use crate::syndication::{Limits, ReadError};

/// A feed document, read from front to back.
pub(in crate::syndication) struct Document<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    entities: Entities<'t>,
    scopes: Vec<Scope<'t>>,
    containers: Vec<Container<'t>>,
    tree: Tree<'t>,
    limits: Limits,
    /// The attributes of the tag that is being read; here so that its room is used again.
    written: Vec<(&'t str, &'t str)>,
    /// A start tag that ended the unit before it: an item inside an item.
    pushed_back: Option<Open<'t>>,
    root_closed: bool,
    /// How often something was broken in the markup.
    pub(in crate::syndication) faults: usize,
}

/// What the walk comes upon.
pub(in crate::syndication) enum Step<'a, 't> {
    /// A container opens; its attributes are the element's.
    Container(Element<'a, 't>),
    /// A child of a container, whole.
    Unit(Element<'a, 't>),
    /// A child that the document ends in the middle of.
    Cut,
    /// The end; `complete` if the root element was closed.
    End { complete: bool },
}

struct Scope<'t> {
    prefix: &'t str,
    namespace: Namespace,
    depth: usize,
}

struct Container<'t> {
    name: Name<'t>,
    base: Option<Arc<Url>>,
}

#[derive(Clone, Copy)]
struct Open<'t> {
    name: Name<'t>,
    attributes: &'t str,
    empty: bool,
    at: usize,
}

impl<'t> Document<'t> {
    pub(in crate::syndication) fn new(text: &'t str, limits: &Limits) -> Self {
        Self {
            text,
            tokens: Tokens::new(text),
            entities: Entities::default(),
            scopes: Vec::new(),
            containers: Vec::new(),
            tree: Tree { most_nodes: limits.max_nodes, ..Tree::default() },
            limits: *limits,
            written: Vec::new(),
            pushed_back: None,
            root_closed: false,
            faults: 0,
        }
    }

    /// Goes on to the next container or unit.
    pub(in crate::syndication) fn next(&mut self) -> Result<Step<'_, 't>, ReadError> {
        loop {
            let at = self.tokens.position();
            let token = match self.pushed_back.take() {
                Some(open) => return self.enter(open),
                None => self.tokens.next(),
            };
            match token {
                Token::Open { name, attributes, empty } => {
                    let open = Open { name, attributes, empty, at };
                    if !self.is_outside(open) {
                        return self.enter(open);
                    }
                }
                Token::Close { name } => self.leave(name),
                Token::Doctype(text) => {
                    let room = self.text.len().saturating_add(MIN_ROOM);
                    self.entities = Entities::of_doctype(text, room);
                }
                Token::End => {
                    self.faults += self.tokens.faults;
                    return Ok(Step::End { complete: self.root_closed });
                }
                Token::Text(_) | Token::Cdata(_) => {}
            }
        }
    }

    /// Whether a start tag is to be passed over: outside any feed, only items and roots count.
    fn is_outside(&self, open: Open<'_>) -> bool {
        let name = open.name.local();
        self.containers.is_empty() && !is_entry(name) && !is_root_name(name)
    }

    fn enter(&mut self, open: Open<'t>) -> Result<Step<'_, 't>, ReadError> {
        self.tree.clear();
        self.tree.outer_base = self.containers.last().and_then(|c| c.base.clone());
        let depth = self.containers.len();
        self.open_element(None, open, depth);
        let is_container = is_container(self.tree.root(), self.containers.len());
        if is_container && self.containers.len() < MAX_CONTAINERS {
            let end = self.tokens.position();
            self.tree.source = self.text.get(open.at..end).unwrap_or_default();
            if open.empty {
                self.close_scopes(depth);
                self.root_closed |= self.containers.is_empty();
            } else {
                let root = self.tree.root();
                let base = root.base();
                self.containers.push(Container { name: open.name, base });
            }
            return Ok(Step::Container(self.tree.root()));
        }
        let whole = open.empty || self.build(open)?;
        self.close_scopes(depth);
        let end = self.pushed_back.map_or_else(|| self.tokens.position(), |next| next.at);
        self.tree.source = self.text.get(open.at..end).unwrap_or_default();
        Ok(if whole { Step::Unit(self.tree.root()) } else { Step::Cut })
    }

    /// Reads the inside of a unit into the tree; false if the document ends before the unit does.
    fn build(&mut self, unit: Open<'t>) -> Result<bool, ReadError> {
        let outer = self.containers.len();
        let unit_is_entry = is_entry(unit.name.local());
        let mut stack: Vec<(u32, Name<'t>)> = Vec::with_capacity(USUAL_DEPTH);
        stack.push((0, unit.name));
        while let Some(&(parent, _)) = stack.last() {
            let at = self.tokens.position();
            match self.tokens.next() {
                Token::Open { name, attributes, empty } => {
                    let open = Open { name, attributes, empty, at };
                    // An item directly in an item was not closed.
                    let ends_unit = if unit_is_entry {
                        stack.len() == 1 && same_name(name.written, unit.name.written)
                    } else {
                        self.ends_field(unit.name, name)
                    };
                    if ends_unit {
                        self.faults += 1;
                        self.pushed_back = Some(open);
                        return Ok(true);
                    }
                    if stack.len() == 2 && unit_is_entry && ends_leaf(name, &stack) {
                        self.faults += 1;
                        stack.pop();
                        self.close_scopes(outer + stack.len());
                    }
                    let parent = stack.last().map_or(parent, |(parent, _)| *parent);
                    if stack.len() + outer > self.limits.max_depth {
                        return Err(ReadError::TooDeep);
                    }
                    let index = self.open_element(Some(parent), open, outer + stack.len());
                    match index {
                        Some(index) if !empty => stack.push((index, name)),
                        // Left out of a full tree; its end tag is still its own.
                        None if !empty => stack.push((parent, name)),
                        _ => self.close_scopes(outer + stack.len()),
                    }
                }
                Token::Close { name } => {
                    self.close_in_unit(name, &mut stack);
                    if stack.is_empty() && !same_name(name, unit.name.written) {
                        return Ok(true);
                    }
                }
                // Between the fields of an entry there is nothing to read.
                Token::Text(text) if unit_is_entry && stack.len() == 1 && is_space(text) => {}
                Token::Text(text) => {
                    let piece = self.text(text);
                    self.tree.push_text(parent, piece);
                }
                Token::Cdata(text) => self.tree.push_text(parent, line_ends(text)),
                Token::Doctype(_) => {}
                Token::End => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Text as it is meant: references decoded, each one that is none counted as a fault.
    fn text(&mut self, text: &'t str) -> Cow<'t, str> {
        let (text, faults) = match line_ends(text) {
            Cow::Borrowed(text) => self.entities.decode_counting(text),
            Cow::Owned(text) => {
                let (text, faults) = self.entities.decode_counting(&text);
                (Cow::Owned(text.into_owned()), faults)
            }
        };
        self.faults += faults;
        text
    }

    /// Whether a start tag shows that a field of the channel was not closed: an item, anywhere in
    /// it.
    fn ends_field(&self, field: Name<'_>, name: Name<'_>) -> bool {
        let is_feeds_own = || matches!(self.namespace_of(name), Namespace::Core | Namespace::Atom);
        is_entry(name.local()) && field.local() != "liveItem" && is_feeds_own()
    }

    /// Closes the nearest open element of that name; a container's end closes the unit as well.
    fn close_in_unit(&mut self, name: &'t str, stack: &mut Vec<(u32, Name<'t>)>) {
        let outer = self.containers.len();
        match stack.iter().rposition(|(_, open)| same_name(open.written, name)) {
            Some(at) => {
                self.faults += stack.len() - 1 - at;
                stack.truncate(at);
                self.close_scopes(outer + at);
            }
            None => {
                self.faults += 1;
                let closes_container =
                    self.containers.iter().any(|c| same_name(c.name.written, name));
                // `</channel>` inside an open description of an item is no stray tag.
                if closes_container {
                    stack.clear();
                    self.leave(name);
                }
            }
        }
    }

    fn leave(&mut self, name: &str) {
        let Some(at) = self.containers.iter().rposition(|c| same_name(c.name.written, name)) else {
            return;
        };
        // Behind the end of the channel nothing is missing but the last tag.
        let closes_channel = Name::at_front(name).local().eq_ignore_ascii_case("channel");
        self.root_closed |= at == 0 || closes_channel;
        self.containers.truncate(at);
        self.close_scopes(at);
    }

    /// Puts an element with its attributes into the tree; its namespaces hold at `depth` and below.
    fn open_element(&mut self, parent: Option<u32>, open: Open<'t>, depth: usize) -> Option<u32> {
        let range = self.read_attributes(open.attributes, depth);
        let namespace = self.namespace_of(open.name);
        self.tree.push(
            parent,
            Kind::Element {
                namespace,
                name: open.name,
                first_attribute: u32::try_from(range.start).ok()?,
                attributes: u32::try_from(range.len()).ok()?,
            },
        )
    }

    fn read_attributes(&mut self, text: &'t str, depth: usize) -> Range<usize> {
        let start = self.tree.attributes.len();
        if text.is_empty() {
            return start..start;
        }
        let mut written = std::mem::take(&mut self.written);
        written.extend(attributes::split(text).take(self.limits.max_attributes));
        // Declarations first: an attribute may use a prefix that stands behind it.
        written.retain(|(name, value)| !self.declare(name, value, depth));
        for (name, value) in written.drain(..) {
            self.read_attribute(name, value, start);
        }
        self.written = written;
        start..self.tree.attributes.len()
    }

    /// Takes an attribute for a declaration of a namespace, if it is one.
    fn declare(&mut self, name: &'t str, value: &str, depth: usize) -> bool {
        let Some(behind) = name.strip_prefix("xmlns") else { return false };
        let prefix = behind.strip_prefix(':').unwrap_or(behind);
        if self.scopes.len() < self.limits.max_namespaces {
            let namespace = namespace_of_declaration(prefix, value);
            self.scopes.push(Scope { prefix, namespace, depth });
        }
        behind.is_empty() || behind.contains(':')
    }

    /// Puts an attribute into the tree, behind those of its element, which begin at `start`.
    fn read_attribute(&mut self, name: &'t str, value: &'t str, start: usize) {
        let (namespace, name) = match name.split_once(':') {
            Some((prefix, local)) => (Some(self.namespace_of_prefix(prefix)), local),
            None => (None, name),
        };
        let seen = self.tree.attributes.get(start..).unwrap_or_default();
        if seen.iter().any(|a| a.name == name && a.namespace == namespace) {
            self.faults += 1;
        } else if self.tree.attributes.len() < self.limits.max_nodes {
            let value = self.entities.decode(value);
            self.tree.has_base |=
                namespace == Some(Namespace::Xml) && name.eq_ignore_ascii_case("base");
            self.tree.attributes.push(Attribute { namespace, name, value });
        }
    }

    fn namespace_of(&self, name: Name<'_>) -> Namespace {
        match name.prefix() {
            Some(prefix) => self.namespace_of_prefix(prefix),
            None => self.find_scope("").unwrap_or(Namespace::Core),
        }
    }

    fn namespace_of_prefix(&self, prefix: &str) -> Namespace {
        self.find_scope(prefix).or_else(|| Namespace::of_prefix(prefix)).unwrap_or(Namespace::Other)
    }

    fn find_scope(&self, prefix: &str) -> Option<Namespace> {
        self.scopes.iter().rev().find(|scope| scope.prefix == prefix).map(|s| s.namespace)
    }

    fn close_scopes(&mut self, depth: usize) {
        while self.scopes.last().is_some_and(|scope| scope.depth >= depth) {
            self.scopes.pop();
        }
    }
}

/// Bytes that references to entities of its own may become, beside as many as the document has.
const MIN_ROOM: usize = 1 << 20;

/// Elements in one another that need no more room.
const USUAL_DEPTH: usize = 8;

/// More containers in one another than any feed has.
const MAX_CONTAINERS: usize = 8;

/// An unknown default namespace leaves plain names what they look like; an unknown one behind a
/// prefix makes them somebody else's.
fn namespace_of_declaration(prefix: &str, uri: &str) -> Namespace {
    match Namespace::of_uri(uri) {
        Some(namespace) => namespace,
        None if prefix.is_empty() => Namespace::Core,
        None => Namespace::Other,
    }
}

fn is_container(element: Element<'_, '_>, depth: usize) -> bool {
    let name = element.lower_name();
    match element.namespace() {
        Namespace::Core | Namespace::Rdf | Namespace::Atom => match &*name {
            "rss" | "rdf" => depth == 0,
            "feed" => depth == 0,
            "channel" => depth <= 1,
            // RSS 1.1 puts its items into one `items`; RSS 1.0 only lists them there.
            "items" => depth >= 1,
            _ => false,
        },
        _ => depth == 0 && matches!(&*name, "rss" | "rdf" | "feed"),
    }
}

fn is_root_name(name: &str) -> bool {
    ROOTS.iter().any(|root| name.eq_ignore_ascii_case(root))
}

/// Names that a feed's outermost element can have.
const ROOTS: [&str; 4] = ["rss", "rdf", "feed", "channel"];

fn is_entry(local_name: &str) -> bool {
    ["item", "entry"].iter().any(|entry| local_name.eq_ignore_ascii_case(entry))
}

/// Whether a field of an item begins inside one that only ever holds text: that one was not closed.
fn ends_leaf(name: Name<'_>, stack: &[(u32, Name<'_>)]) -> bool {
    let among = |names: &[&str], name: Name<'_>| names.iter().any(|n| same_name(n, name.written));
    stack.last().is_some_and(|(_, open)| among(&LEAVES, *open))
        && (among(&LEAVES, name) || among(&FIELDS, name))
}

/// Fields of an item without elements in them.
const LEAVES: [&str; 7] = ["title", "link", "guid", "pubDate", "author", "category", "comments"];
const FIELDS: [&str; 4] = ["description", "enclosure", "source", "content:encoded"];

fn same_name(one: &str, other: &str) -> bool {
    one == other || one.eq_ignore_ascii_case(other)
}

fn is_space(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_whitespace())
}

/// Line ends as XML 1.0, 2.11 wants them.
fn line_ends(text: &str) -> Cow<'_, str> {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}
