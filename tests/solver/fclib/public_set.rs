//! The public FCLIB subset and the packings, where their folders lie beside the project.

use super::{number, outcomes};
use std::path::{Path, PathBuf};

/// Files of a folder beside the project whose names begin so, sorted; none (with a word about it) without it.
#[allow(clippy::print_stderr)] // a skipped test says so
pub fn files(folder: &str, ending: &str, names: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIP: no folder {}", folder.display());
        return Vec::new();
    };
    let named = |path: &PathBuf| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.ends_with(ending) && names.iter().any(|n| name.starts_with(n))
    };
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(named).collect();
    found.sort();
    found
}

fn assert_solved(files: &[PathBuf]) {
    if files.is_empty() {
        return;
    }
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    // Iterations decide, not this machine's speed in a debug build.
    let (outcomes, code) = outcomes(&["--time-limit", "100"], &paths);
    for outcome in &outcomes {
        assert!(number(outcome, "scaled") <= 1e-8 && number(outcome, "nat_rel") <= 1e-8, "{outcome}");
    }
    assert_eq!((outcomes.len(), code), (files.len(), Some(0)));
}

#[test]
fn small_public_problems_are_solved_cold() {
    let names = ["Box", "Capsules-i000118", "Confeti", "Friction", "GFC3D", "KaplasTower-i000100-46"];
    assert_solved(&files("fclib", ".fcp", &names));
    let names = ["LMGC", "NESpheres", "OneObject", "Rover", "SpheresPyramid"];
    assert_solved(&files("fclib", ".fcp", &names));
}

#[test]
#[ignore = "seconds in a release build, minutes otherwise"]
fn the_whole_public_set_is_solved_cold() {
    assert_solved(&files("fclib", ".fcp", &[""]));
}

#[test]
fn small_packings_are_solved_warm() {
    assert_solved(&files("packings", ".gp", &["n64_s0_mu0.5_mr1_t00"]));
}

#[test]
fn the_time_limit_is_kept() {
    let found = files("packings", ".gp", &["n4000"]);
    let Some(path) = found.first() else { return };
    let (outcomes, code) = outcomes(&["--time-limit", "0.001", "--tolerance", "1e-14"], &[path]);
    assert_eq!((code, outcomes[0]["status"].as_str()), (Some(3), Some("time_limit")));
    // A debug build looks at the clock between sweeps and Newton iterations of several 100 ms.
    assert!(number(&outcomes[0], "seconds") < 3.0, "{}", outcomes[0]);
}
