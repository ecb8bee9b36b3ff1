//! Files that say something impossible: exit code 2, the file and the fault named, quickly and in little
//! memory.

use super::fclib;
use std::path::Path;
use support::fclib_files::{Fcp, Gp, save};

fn good() -> Vec<u8> {
    Fcp::one_contact([2.0, 1.0, 1.0], [-1.0, 0.5, 0.0], 0.5).bytes()
}

fn good_gp() -> Gp {
    Gp::sphere_on_plane(1.0, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5)
}

/// Expects exit code 2 with the file's name and all `words` on stderr, nothing on stdout.
fn expect_refusal(path: &Path, words: &[&str]) {
    let output = fclib(&["--json"], &[path]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}: {text}", path.display());
    assert!(output.stdout.is_empty());
    let name = path.file_name().expect("name").to_string_lossy();
    for word in words.iter().chain([&name.as_ref()]) {
        assert!(text.contains(word), "{word} is not in: {text}");
    }
}

fn expect(name: &str, bytes: &[u8], words: &[&str]) {
    let folder = tempfile::tempdir().expect("folder");
    expect_refusal(&save(folder.path(), name, bytes), words);
}

/// `bytes` with some replaced from `place` on.
fn patched(mut bytes: Vec<u8>, place: usize, by: &[u8]) -> Vec<u8> {
    bytes[place..place + by.len()].copy_from_slice(by);
    bytes
}

#[test]
fn every_truncation_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let bytes = good();
    for length in 0..bytes.len() {
        let path = save(folder.path(), "short.fcp", &bytes[..length]);
        let error = signorini_fclib::read(&path).expect_err("truncated").to_string();
        assert!(error.contains("short.fcp"), "{error}");
    }
    let bytes = good_gp().bytes();
    for length in 0..bytes.len() {
        let path = save(folder.path(), "short.gp", &bytes[..length]);
        signorini_fclib::read(&path).expect_err("truncated");
    }
    expect("short.fcp", &good()[..50], &["W", "left"]);
}

#[test]
fn wrong_content_is_refused() {
    expect("text.fcp", b"hello, this is no problem", &["magic", "FCP1"]);
    expect("long.fcp", &[good(), vec![0; 3]].concat(), &["3 of", "left over"]);
    expect("flags.fcp", &patched(good(), 4, &[2]), &["flags"]);
    expect("reserved.fcp", &patched(good(), 12, &[1]), &["reserved"]);
    expect("nan.fcp", &patched(good(), 16, &f64::NAN.to_le_bytes()), &["mu[0]", "NaN", "finite"]);
    expect("inf.fcp", &patched(good(), 32, &f64::INFINITY.to_le_bytes()), &["q[1]", "inf"]);
    expect("negative.fcp", &patched(good(), 16, &(-0.1_f64).to_le_bytes()), &["mu[0]", "at least 0"]);
}

#[test]
fn absurd_counts_are_refused() {
    expect("many.fcp", &patched(good(), 8, &u32::MAX.to_le_bytes()), &["mu", "4294967295"]);
    expect("entries.fcp", &patched(good(), 48, &u64::MAX.to_le_bytes()), &["W"]);
    // Row pointers follow the count of entries; columns follow four pointers.
    expect("pointer.fcp", &patched(good(), 60, &9_u32.to_le_bytes()), &["W", "ascend"]);
    expect("column.fcp", &patched(good(), 72, &7_u32.to_le_bytes()), &["column", "below 3"]);
    let huge = patched(good_gp().bytes(), 0, &4e9_f64.to_le_bytes());
    expect("huge.gp", &huge, &["M", "4000000000"]);
    expect("half.gp", &patched(good_gp().bytes(), 0, &0.5_f64.to_le_bytes()), &["number of bodies", "whole"]);
    expect("less.gp", &patched(good_gp().bytes(), 8, &(-1.0_f64).to_le_bytes()), &["number of contacts"]);
}

#[test]
fn impossible_bodies_are_refused() {
    let mut gp = good_gp();
    gp.mass[0] = -1.0;
    expect("mass.gp", &gp.bytes(), &["M of body 0", "positive definite"]);
    let mut gp = good_gp();
    gp.contacts[0].0 = 1.0;
    expect("body.gp", &gp.bytes(), &["contact 0", "below 1"]);
}

#[test]
fn what_is_no_file_and_options_out_of_range_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    expect_refusal(&folder.path().join("missing.fcp"), &[]);
    let path = save(folder.path(), "good.fcp", &good());
    let is_refused = |arguments: &[&str]| fclib(arguments, &[&path]).status.code() == Some(2);
    assert!(!is_refused(&[]));
    for value in ["0", "-1", "nan", "inf", "2"] {
        assert!(is_refused(&["--tolerance", value]), "{value}");
    }
    for value in ["0", "-1", "nan", "inf"] {
        assert!(is_refused(&["--time-limit", value]), "{value}");
    }
    assert_eq!(fclib(&[], &[folder.path()]).status.code(), Some(2));
    assert_eq!(fclib(&[], &[]).status.code(), Some(2));
}
