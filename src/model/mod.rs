//! The words of the MMSP draft as types: what a manifest is made of.
//!
//! Floor 0: knows nothing of XML, HTTP or storage. A value of one of these types is valid by
//! construction, so nobody above checks it again. Member order here is member order in the JSON.

mod access;
mod feed;
mod feed_key;
mod feed_name;
mod item;
mod language;
mod media;
mod mime_type;
mod origin;
mod original;
mod quiet_times;
mod series;
mod source_url;
mod timestamp;
mod uri;
mod validators;

pub use access::{ContentRating, GeoRestriction, GeoRestrictionType, Paywall, Rating};
pub use feed::{Author, Deprecation, Feed};
pub use feed_key::FeedKey;
pub use feed_name::{FeedName, FeedNameError};
pub use item::{ITEM_TYPES, Item, ItemType, LiveStatus};
pub use language::LanguageTag;
pub use media::{Caption, Chapter, Media, MediaRole, Thumbnail, Transcript};
pub use mime_type::MimeType;
pub use origin::{Source, SourceType};
pub use original::{Kept, MemberName, Original};
pub use quiet_times::QuietTimes;
pub use series::Series;
pub use source_url::{SourceUrl, SourceUrlError};
pub use timestamp::Timestamp;
pub use uri::{HttpsUrl, Uri, escape_uri};
pub(crate) use uri::{is_escape, percent_encode};
pub use validators::Validators;
