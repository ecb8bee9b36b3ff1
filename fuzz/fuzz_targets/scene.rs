//! `cargo +nightly fuzz run scene`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::scene(bytes);
});
