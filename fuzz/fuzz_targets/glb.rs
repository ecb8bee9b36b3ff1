//! `cargo +nightly fuzz run glb`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::glb(bytes);
});
