//! `cargo +nightly fuzz run model`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::model(bytes);
});
