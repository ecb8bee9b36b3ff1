//! The three cores of `--core` on the same files, judged by the same exact law: heaps of spheres and a block
//! written here, and public problems where their folder lies beside the project.

use super::public_set::files;
use super::{number, outcomes};
use std::path::{Path, PathBuf};
use support::fclib_files::{Gp, save};

/// Rows of a contact point at `arm` from a centre of mass: normal n, then two tangents.
fn rows(n: [f64; 3], arm: [f64; 3]) -> [f64; 18] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = cross(n, other);
    let length = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    let t = t.map(|x| x / length);
    let mut found = [0.0; 18];
    for (k, d) in [n, t, cross(n, t)].into_iter().enumerate() {
        found[6 * k..6 * k + 3].copy_from_slice(&d);
        found[6 * k + 3..6 * k + 6].copy_from_slice(&cross(arm, d));
    }
    found
}

/// Unit spheres, and the plane z = 0, where they touch.
fn heap(centres: &[[f64; 3]], free: impl Fn(usize) -> [f64; 6], mu: f64) -> Gp {
    let mut contacts = Vec::new();
    for (i, c) in centres.iter().enumerate() {
        if (c[2] - 1.0).abs() < 1e-9 {
            contacts.push((i as f64, -1.0, rows([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]), [0.0; 18]));
        }
        for (j, d) in centres.iter().enumerate().skip(i + 1) {
            let apart: [f64; 3] = std::array::from_fn(|k| c[k] - d[k]);
            let length = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 2.0).abs() < 1e-9 {
                // From j to i; the second body has the opposite.
                let n = apart.map(|x| x / length);
                let of_j = rows(n, n).map(|x| -x);
                contacts.push((i as f64, j as f64, rows(n, n.map(|x| -x)), of_j));
            }
        }
    }
    let n = contacts.len();
    Gp {
        mass: (0..centres.len()).map(|i| 1.0 + 0.5 * (i % 3) as f64).collect(),
        free: (0..centres.len()).map(free).collect(),
        contacts,
        mu: vec![mu; n],
        w: vec![0.0; 3 * n],
        r: vec![0.0; 3 * n],
    }
}

/// Layers of 9, 4 and 1 spheres.
fn pyramid() -> Vec<[f64; 3]> {
    let mut centres = Vec::new();
    for (layer, n) in [3, 2, 1].into_iter().enumerate() {
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let at = |k: usize| 2.0 * k as f64 + layer as f64;
            centres.push([at(i), at(j), 1.0 + layer as f64 * 2.0_f64.sqrt()]);
        }
    }
    centres
}

/// A box with four corners on the plane that slides and turns.
fn block(mu: f64) -> Gp {
    let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let contact = |c: [f64; 2]| (0.0, -1.0, rows([0.0, 0.0, 1.0], [0.8 * c[0], 0.6 * c[1], -0.4]), [0.0; 18]);
    Gp {
        mass: vec![2.0],
        free: vec![[1.0, 0.3, -0.5, 0.0, 0.0, 0.7]],
        contacts: corners.map(contact).to_vec(),
        mu: vec![mu; 4],
        w: vec![0.0; 12],
        r: vec![0.0; 12],
    }
}

/// A row that is pushed together, a pyramid with a blow to its side, the same at rest, and the block.
fn problems(folder: &Path, mu: f64) -> Vec<PathBuf> {
    let row: Vec<[f64; 3]> = (0..6).map(|k| [2.0 * k as f64, 0.0, 1.0]).collect();
    let shoved = |k: usize| [1.0 - 0.4 * k as f64, 0.2, -0.05, 0.0, 0.1, 0.0];
    let struck =
        |k: usize| if k == 0 { [3.0, 1.0, -0.1, 0.0, 0.0, 2.0] } else { [0.0, 0.0, -0.1, 0.0, 0.0, 0.0] };
    let resting = |_: usize| [0.0, 0.0, -0.1, 0.0, 0.0, 0.0];
    let written = [
        ("row", heap(&row, shoved, mu)),
        ("struck", heap(&pyramid(), struck, mu)),
        ("resting", heap(&pyramid(), resting, mu)),
        ("block", block(mu)),
    ];
    written.iter().map(|(name, gp)| save(folder, &format!("{name}-{mu}.gp"), &gp.bytes())).collect()
}

fn judged(core: &[&str], paths: &[PathBuf]) -> Vec<serde_json::Value> {
    let files: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    // Iterations decide, not this machine's speed in a debug build.
    let (found, _) = outcomes(&[&["--time-limit", "100"], core].concat(), &files);
    assert_eq!(found.len(), paths.len());
    for (outcome, path) in found.iter().zip(paths) {
        assert_eq!(outcome["name"].as_str(), path.file_stem().and_then(|n| n.to_str()), "{outcome}");
    }
    found
}

fn worst(outcome: &serde_json::Value) -> f64 {
    f64::max(number(outcome, "scaled"), number(outcome, "nat_rel"))
}

fn assert_solved(core: &str, found: &[serde_json::Value]) {
    for outcome in found {
        assert!(outcome["status"] == "solved" && worst(outcome) <= 1e-8, "{core}: {outcome}");
    }
}

#[test]
fn all_cores_are_judged_alike_on_heaps() {
    let folder = tempfile::tempdir().expect("folder");
    for mu in [0.1, 0.3, 0.8] {
        let paths = problems(folder.path(), mu);
        let proximal = judged(&["--core", "proximal"], &paths);
        assert_solved("proximal", &proximal);
        let contacts: Vec<f64> = proximal.iter().map(|o| number(o, "contacts")).collect();
        assert_eq!(contacts, [11.0, 45.0, 45.0, 4.0]);
        let apgd = judged(&["--core", "apgd"], &paths);
        for outcome in &apgd {
            // The fixed point goes in circles on the pyramid at rest with μ = 0.3, and says so.
            let solved = outcome["status"] == "solved";
            assert_eq!(solved, worst(outcome) <= 1e-8, "{outcome}");
            assert!(solved || outcome["name"] == "resting-0.3", "{outcome}");
        }
        // Polygons: sliding contacts miss the exact law by a part of the angle between corners, which more of
        // them make smaller.
        let off: Vec<Vec<f64>> = ["8", "16", "32"]
            .iter()
            .map(|m| judged(&["--core", "lemke", "--directions", m], &paths).iter().map(worst).collect())
            .collect();
        for (coarse, fine) in off[0].iter().zip(&off[2]) {
            assert!(*fine <= 0.4 * coarse + 1e-8 && *fine < 0.05, "{mu}: {off:?}");
        }
    }
}

#[test]
fn without_friction_all_cores_solve_the_same_heaps() {
    let folder = tempfile::tempdir().expect("folder");
    let paths = problems(folder.path(), 0.0);
    for core in ["proximal", "apgd", "lemke"] {
        assert_solved(core, &judged(&["--core", core], &paths));
    }
}

#[test]
fn all_cores_are_judged_alike_on_public_problems() {
    // Small, and one of each origin. Those that Lemke's polygons solve exactly: nothing slides between two
    // corners.
    let exact = ["BoxesStack-", "BoxesStack1", "KaplasTower-i000100-46", "LMGC", "SpheresPyramid-i000026"];
    let sliding = ["Capsules-i000118", "Confeti", "FrictionContact3D", "NESpheres", "OneObject", "Rover"];
    let [exact, sliding] = [&exact[..], &sliding[..]].map(|names| files("fclib", ".fcp", names));
    if exact.is_empty() {
        return;
    }
    let all = [exact.clone(), sliding.clone()].concat();
    assert_eq!((exact.len(), sliding.len()), (6, 10));
    for core in ["proximal", "apgd"] {
        assert_solved(core, &judged(&["--core", core], &all));
    }
    assert_solved("lemke", &judged(&["--core", "lemke"], &exact));
    let off = ["8", "16", "32"].map(|m| {
        let found = judged(&["--core", "lemke", "--directions", m], &sliding);
        assert!(found.iter().all(|o| o["status"] != "not_applicable"), "{found:?}");
        found.iter().map(worst).collect::<Vec<f64>>()
    });
    assert!(off[0].iter().zip(&off[2]).all(|(coarse, fine)| *fine <= coarse * (1.0 + 1e-9)), "{off:?}");
    let [coarse, fine] = [&off[0], &off[2]].map(|o| o.iter().sum::<f64>());
    assert!(fine < 0.3 * coarse && off[2].iter().all(|o| *o < 0.05), "{off:?}");
}
