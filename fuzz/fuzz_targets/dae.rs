//! `cargo +nightly fuzz run dae`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::dae(bytes);
});
