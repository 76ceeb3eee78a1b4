//! An address as a QR code, to be drawn as one path.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};

/// A code with its quiet zone, in units of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Qr {
    /// Its width and height.
    pub(super) side: usize,
    /// The dark modules, as the `d` of an SVG path.
    pub(super) path: String,
}

/// Draws a text; none where it is too long to be read from a screen.
pub(super) fn draw(text: &str) -> Option<Qr> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let width = code.width();
    let modules = code.into_colors();
    let mut path = String::new();
    for (row, line) in modules.chunks(width).enumerate() {
        let mut column = 0;
        for run in line.chunk_by(|one, other| one == other) {
            if run.first() == Some(&Color::Dark) {
                let (x, y, length) = (column + QUIET, row + QUIET, run.len());
                // Writing to a string cannot fail.
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            column += run.len();
        }
    }
    Some(Qr { side: width + 2 * QUIET, path })
}

/// Modules of empty space on each side (ISO/IEC 18004 6.3.8).
const QUIET: usize = 4;
/// With more the modules of a code of usual size are smaller than a telephone tells apart.
const MOST_BYTES: usize = 900;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_modules_are_runs_inside_of_the_quiet_zone() {
        let qr = draw("https://gw.example/mmsp/feed?url=https%3A%2F%2Fa.example%2F").unwrap();
        // The first line of a finder pattern: seven dark modules.
        assert!(qr.path.starts_with("M4 4h7v1h-7z"), "{}", qr.path);
        assert!(qr.side > 29 && qr.side % 4 == 1);
        assert!(qr.path.bytes().all(|byte| b"Mhvz- 0123456789".contains(&byte)));
    }

    #[test]
    fn what_no_telephone_reads_is_not_drawn() {
        assert!(draw(&"x".repeat(900)).is_some());
        assert_eq!(draw(&"x".repeat(901)), None);
    }
}
