//! Which content coding a body really has: labels are believed unless the first bytes contradict.

use super::error::DecodeError;

/// A content coding (RFC 9110, 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// Believes the label, unless the first bytes show that it cannot be true.
    pub(super) fn find(label: Option<&str>, body: &[u8]) -> Result<Self, DecodeError> {
        let is_gzip = body.starts_with(GZIP_MAGIC);
        let labelled = Self::of_label(label.unwrap_or_default())?;
        Ok(match labelled {
            // A stored `feed.xml.gz` handed out as it lies on the disk.
            Self::Identity if is_gzip => Self::Gzip,
            // A proxy that inflated the body and kept the label.
            Self::Gzip | Self::Zstd if looks_plain(body) => Self::Identity,
            _ => labelled,
        })
    }

    fn of_label(label: &str) -> Result<Self, DecodeError> {
        let mut found = Self::Identity;
        for name in label.split(',').map(str::trim) {
            let (_, coding) = CODINGS
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .ok_or(DecodeError::Unsupported)?;
            match (found, *coding) {
                (_, Self::Identity) => {}
                (Self::Identity, coding) => found = coding,
                _ => return Err(DecodeError::Unsupported),
            }
        }
        Ok(found)
    }
}

/// Text begins so, after blanks and a byte order mark; no coded body does.
fn looks_plain(body: &[u8]) -> bool {
    let text = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    matches!(text.first(), Some(b'<' | b'{'))
}

/// The first bytes of every gzip member.
pub(super) const GZIP_MAGIC: &[u8] = b"\x1f\x8b\x08";

/// Labels, the ones that say nothing among them: `utf-8` is a media type's charset gone astray.
const CODINGS: &[(&str, Coding)] = &[
    ("gzip", Coding::Gzip),
    ("x-gzip", Coding::Gzip),
    ("deflate", Coding::Deflate),
    ("br", Coding::Brotli),
    ("zstd", Coding::Zstd),
    ("identity", Coding::Identity),
    ("none", Coding::Identity),
    ("utf-8", Coding::Identity),
    ("", Coding::Identity),
];
