//! `cargo +nightly fuzz run stl`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::stl(bytes);
});
