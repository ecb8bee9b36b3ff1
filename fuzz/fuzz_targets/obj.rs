//! `cargo +nightly fuzz run obj`

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    support::parsers::obj(bytes);
});
