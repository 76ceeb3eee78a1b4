//! Our check of manifests, held against the protocol's own schemas and validator.

mod changes;
mod differential;
