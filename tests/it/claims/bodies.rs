//! Content codings: the output is bounded, whatever comes.

use mmsp_gateway::fetch::{DecodeLimits, decode};

/// Decoding never panics and never gives more than it may.
pub fn decoding_is_bounded(bytes: &[u8]) {
    let Some((&first, body)) = bytes.split_first() else { return };
    let codings = ["gzip", "deflate", "br", "zstd", "identity", "GZIP", "gzip, br", "x-gzip"];
    let coding = codings.get(usize::from(first) % 9).copied();
    let limits =
        DecodeLimits { max_bytes: 64 << 10, max_expansion: 50, expansion_free_bytes: 4 << 10 };
    if let Ok(decoded) = decode(body.to_vec(), coding, &limits) {
        assert!(decoded.len() as u64 <= limits.max_bytes);
        let expanded = limits.expansion_free_bytes + limits.max_expansion * body.len() as u64;
        assert!(decoded.len() as u64 <= expanded);
    }
}
