#![no_main]

#[path = "../../tests/it/claims/mod.rs"]
mod claims;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| claims::named("target")(bytes));
