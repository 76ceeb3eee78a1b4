//! fetch

mod address;
mod decoder;
mod freshness;
mod host_rule;
mod list;
mod settings;
mod target;
mod verdict;

pub use decoder::{DecodeError, DecodeLimits, decode};
pub use freshness::{Freshness, RetryAfter};
pub use host_rule::{HostAndPort, HostRule};
pub use settings::Settings;
pub use target::Guard;
pub use verdict::{RefusalKind, Verdict};
