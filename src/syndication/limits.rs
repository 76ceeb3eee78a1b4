//! How much of a document is read at the most.

/// Limits of reading; each has a test that crosses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document as UTF-8.
    pub max_bytes: usize,
    /// Elements in one another.
    pub max_depth: usize,
    /// Attributes of one element; those behind are left out.
    pub max_attributes: usize,
    /// Elements and texts of one item or field, and attributes of all of them; those behind are
    /// left out.
    pub max_nodes: usize,
    /// Namespace declarations in force at once; those behind are left out.
    pub max_namespaces: usize,
    /// Items or entries; those behind are counted and left out.
    pub max_entries: usize,
    /// Bytes of one text of an entry; what is behind is cut off.
    pub max_text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 25 << 20,
            max_depth: 200,
            max_attributes: 256,
            max_nodes: 100_000,
            max_namespaces: 512,
            max_entries: 10_000,
            max_text_bytes: 2 << 20,
        }
    }
}
