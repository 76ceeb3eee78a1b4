//! XML as feeds really write it: read to the end whatever is broken in it.
//!
//! [`tokens`](self) parts the document into tags and text and goes on behind every fault;
//! [`Document`] holds names, namespaces and nesting, and hands out the children of the feed one by
//! one, each as a small tree. Nothing is fetched and no external entity is resolved (MMSP 12.4).

mod attributes;
mod doctype;
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
