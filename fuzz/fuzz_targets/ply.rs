//! `cargo +nightly fuzz run ply`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::ply(bytes);
});
