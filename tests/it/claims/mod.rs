//! What holds for any bytes at all: each claim is a function that fails where it does not.
//!
//! The fuzz targets (`fuzz/`) call these functions with what libFuzzer makes up, the tests
//! (`tests/it/fuzzed.rs`) with seeds, with what was found, and with changes of both. Nothing here
//! needs anything but the library.

mod bodies;
mod callers;
mod conversion;
mod manifests;
mod pages;
mod positions;
mod texts;

/// A claim about bytes.
pub type Claim = fn(&[u8]);

/// Every claim by its name: of its fuzz target, its seeds, and what was found.
pub const ALL: [(&str, Claim); 11] = [
    ("read", conversion::reading_stays_within_its_limits),
    ("convert", conversion::converting_gives_a_valid_manifest_or_a_problem),
    ("decode", bodies::decoding_is_bounded),
    ("cursor", positions::cursors_read_back_the_same),
    ("date", texts::dates_read_back_the_same),
    ("html", texts::html_becomes_harmless),
    ("manifest_check", manifests::the_check_and_the_reader_agree),
    ("link_header", pages::link_fields_give_addresses),
    ("discovery", pages::pages_give_addresses),
    ("forwarded", callers::the_proxy_has_the_last_word),
    ("target", callers::nothing_private_is_open),
];

/// The claim of that name.
pub fn named(name: &str) -> Claim {
    ALL.iter().find(|(known, _)| *known == name).unwrap().1
}
