//! XML as feeds really write it: read to the end whatever is broken in it.
//!
//! [`Document`] hands out the children of the feed one by one, each as a small tree; below it
//! [`tokens`](self) is quick-xml, started again after each syntax error, with names, namespaces
//! and nesting held by ourselves. Nothing is fetched and no external entity is resolved (MMSP 12.4).

mod attributes;
mod document;
#[cfg(test)]
mod document_tests;
mod entities;
mod html;
mod name;
mod namespace;
mod tokens;
mod tree;

pub(crate) use attributes::split as split_attributes;
pub(super) use document::{Document, Step};
pub(crate) use entities::{Entities, decode_html_entities};
pub(crate) use namespace::Namespace;
pub(super) use tree::Element;
