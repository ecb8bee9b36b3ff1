//! `cargo +nightly fuzz run fcp`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::fcp(bytes);
});
