//! Problems small enough for an answer by hand.

use super::{number, outcomes};
use signorini_fclib::{BlockForm, Content, Delassus, read};
use signorini_ncp::solver::{Iterate, LinearProblem, SolveOptions, SolveStatus, solve_cold};
use std::path::Path;
use std::time::{Duration, Instant};
use support::fclib_files::{Fcp, Global, Gp, save};

pub fn solved(path: &Path) -> (Iterate, SolveStatus) {
    let file = read(path).expect("good file");
    let BlockForm { problem, remainder, warm_start, .. } = file.as_block_form(None).expect("no deadline");
    let judge = |r: &[f64]| {
        let residual = file.reduced.residual(r);
        (residual.scaled, residual.nat_rel)
    };
    let problem = LinearProblem::new(problem, Some(&judge)).with_remainder(remainder.as_ref());
    let (iterate, status, _) = solve_cold(problem, &warm_start, &SolveOptions::new(1e-12));
    (iterate, status)
}

pub fn assert_near(actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len());
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < 1e-9, "{actual:?} is not {expected:?}");
    }
}

#[test]
fn single_contact_opens_sticks_and_slides() {
    let folder = tempfile::tempdir().expect("folder");
    let cases = [
        ([0.5, 3.0, 0.0], 0.5, [0.0, 0.0, 0.0]),
        ([-2.0, 0.3, -0.1], 0.5, [1.0, -0.3, 0.1]),
        ([-2.0, 3.0, 4.0], 0.5, [1.0, -0.3, -0.4]),
        ([-2.0, 3.0, 4.0], 0.0, [1.0, 0.0, 0.0]),
    ];
    for (i, (q, mu, expected)) in cases.into_iter().enumerate() {
        let fcp = Fcp::one_contact([2.0, 1.0, 1.0], q, mu);
        let path = save(folder.path(), &format!("case{i}.fcp"), &fcp.bytes());
        let (iterate, status) = solved(&path);
        assert_eq!(status, SolveStatus::Solved);
        assert_near(&iterate.impulse, &expected);
    }
}

#[test]
fn sphere_on_a_plane_opens_sticks_and_slides() {
    let folder = tempfile::tempdir().expect("folder");
    let m = 3.0;
    // Stopping the contact point takes 1/(1/m + 1/I) of its speed, with I = 2/5 m: 2/7 m.
    let cases = [
        ([1.0, 0.0, 0.5, 0.0, 0.0, 0.0], 0.5, [0.0, 0.0, 0.0]),
        ([1.0, 0.5, -2.0, 0.0, 0.0, 0.0], 0.5, [2.0 * m, -2.0 / 7.0 * m, -1.0 / 7.0 * m]),
        ([4.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5, [m, -0.5 * m, 0.0]),
        ([4.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0, [m, 0.0, 0.0]),
    ];
    for (i, (free, mu, expected)) in cases.into_iter().enumerate() {
        let gp = Gp::sphere_on_plane(m, free, mu);
        let path = save(folder.path(), &format!("case{i}.gp"), &gp.bytes());
        let (iterate, status) = solved(&path);
        assert_eq!(status, SolveStatus::Solved);
        assert_near(&iterate.impulse, &expected);
    }
}

#[test]
fn duplicated_and_fixed_contacts_are_no_trouble() {
    let folder = tempfile::tempdir().expect("folder");
    let mut gp = Gp::sphere_on_plane(1.0, [4.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5);
    gp.contacts.push(gp.contacts[0]);
    gp.contacts.push((-1.0, -1.0, gp.contacts[0].2, gp.contacts[0].2));
    gp.mu = vec![0.5; 3];
    gp.w = vec![0.0; 9];
    gp.r = vec![0.0; 9];
    let (iterate, status) = solved(&save(folder.path(), "twice.gp", &gp.bytes()));
    assert_eq!(status, SolveStatus::Solved);
    let sum: Vec<f64> = (0..3).map(|i| iterate.impulse[i] + iterate.impulse[3 + i]).collect();
    assert_near(&sum, &[1.0, -0.5, 0.0]);
}

#[test]
fn two_spheres_share_an_impact() {
    let folder = tempfile::tempdir().expect("folder");
    let mut gp = Gp::sphere_on_plane(1.0, [0.0, 0.0, -3.0, 0.0, 0.0, 0.0], 0.0);
    gp.mass.push(2.0);
    gp.free.push([0.0; 6]);
    let up = [0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0.];
    gp.contacts = vec![(0.0, 1.0, up, up.map(|x: f64| -x))];
    let (iterate, status) = solved(&save(folder.path(), "pair.gp", &gp.bytes()));
    assert_eq!(status, SolveStatus::Solved);
    // Inelastic: the reduced mass 2/3 times 3.
    assert_near(&iterate.impulse, &[2.0, 0.0, 0.0]);
    assert_near(&[iterate.velocity[2], iterate.velocity[8]], &[-1.0, -1.0]);
}

#[test]
fn a_global_file_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().expect("folder");
    let path = save(folder.path(), "global.fcp", &global().bytes());
    let file = read(&path).expect("good file");
    let Content::Fcp(content) = &file.content else { panic!("not a .fcp") };
    let part = content.global.as_ref().expect("global part");
    assert_eq!(part.mass.get(1, 0), Some(&1.0));
    assert_eq!(part.force_directions.get(1, 2), None);
    assert_eq!(
        (part.force.as_slice(), part.offset.as_slice()),
        ([-2.0, 6.0, 1.0].as_slice(), [0.0; 3].as_slice())
    );
    assert_eq!(content.friction_coefficient, [0.4]);
    assert!(matches!(&file.reduced.delassus, Delassus::Matrix(w) if w.get(0, 0) == Some(&1.0)));
    // All degrees of freedom fit one block, with A = M and no columns of ones.
    let form = file.as_block_form(None).expect("no deadline");
    assert_eq!(form.problem.n_bodies(), 1);
    assert_eq!(form.problem.mass[0][(0, 1)], 1.0);
    let (iterate, status) = solved(&path);
    assert_eq!(status, SolveStatus::Solved);
    let u = file.reduced.slip(&iterate.impulse);
    assert!(u[0].abs() < 1e-9 && iterate.impulse[0] > 0.0);
}

/// Three coupled degrees of freedom under one contact; W = Hᵀ M⁻¹ H and q by hand (M⁻¹ = [1 −1; −1 2] ⊕ 1/2).
fn global() -> Fcp {
    let m = vec![vec![2.0, 1.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 2.0]];
    let h = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let w = vec![vec![1.0, -1.0, 0.0], vec![-1.0, 2.0, 0.0], vec![0.0, 0.0, 0.5]];
    let global = Global { m, h, f: vec![-2.0, 6.0, 1.0], w: vec![0.0; 3] };
    Fcp { mu: vec![0.4], q: vec![-8.0, 14.0, 0.5], w, global: Some(global) }
}

#[test]
fn both_forms_of_a_problem_have_the_same_answer() {
    let folder = tempfile::tempdir().expect("folder");
    let mut local = global();
    local.global = None;
    let (a, _) = solved(&save(folder.path(), "global.fcp", &global().bytes()));
    let (b, _) = solved(&save(folder.path(), "local.fcp", &local.bytes()));
    assert_near(&a.impulse, &b.impulse);
}

#[test]
fn empty_problems_are_solved() {
    let folder = tempfile::tempdir().expect("folder");
    let fcp = Fcp { mu: vec![], q: vec![], w: vec![], global: None };
    let gp = Gp { mass: vec![], free: vec![], contacts: vec![], mu: vec![], w: vec![], r: vec![] };
    let paths = [save(folder.path(), "empty.fcp", &fcp.bytes()), save(folder.path(), "none.gp", &gp.bytes())];
    let (outcomes, code) = outcomes(&[], &[&paths[0], &paths[1]]);
    assert_eq!(code, Some(0));
    for outcome in outcomes {
        assert_eq!((number(&outcome, "contacts"), number(&outcome, "scaled")), (0.0, 0.0));
        assert_eq!(outcome["status"], "solved");
    }
}

#[test]
fn a_problem_without_solution_ends_unsolved_in_time() {
    let folder = tempfile::tempdir().expect("folder");
    // W = 0 with an approaching contact: no impulse can stop it.
    let path = save(folder.path(), "never.fcp", &Fcp::one_contact([0.0; 3], [-1.0, 0.0, 0.0], 0.5).bytes());
    let start = Instant::now();
    let (outcomes, code) = outcomes(&["--time-limit", "1"], &[&path]);
    assert_eq!(code, Some(3));
    assert_ne!(outcomes[0]["status"], "solved");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn every_core_is_judged_on_the_same_problems() {
    let folder = tempfile::tempdir().expect("folder");
    // Slides along (3, 4)/5, which is no corner of a square: the polygon is not exact there.
    let sliding = Fcp::one_contact([2.0, 1.0, 1.0], [-2.0, 3.0, 4.0], 0.5);
    let sticking = Fcp::one_contact([2.0, 1.0, 1.0], [-2.0, 0.3, -0.1], 0.5);
    let slides = save(folder.path(), "slides.fcp", &sliding.bytes());
    let sticks = save(folder.path(), "sticks.fcp", &sticking.bytes());
    let paths: [&Path; 2] = [&slides, &sticks];
    for core in ["proximal", "apgd"] {
        let (found, code) = outcomes(&["--core", core], &paths);
        assert_eq!((found.len(), code), (2, Some(0)), "{core}: {found:?}");
    }
    let (found, code) = outcomes(&["--core", "lemke", "--directions", "4"], &paths);
    assert_eq!(code, Some(3));
    assert_eq!(found[0]["status"].as_str(), Some("stalled"), "{found:?}");
    assert!(number(&found[0], "scaled") > 1e-2 && number(&found[1], "scaled") < 1e-12, "{found:?}");
    for wrong in ["5", "2", "-4", "x"] {
        let output = super::fclib(&["--core", "lemke", "--directions", wrong], &paths);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("even"), "{wrong}");
    }
}

/// Where no diagonal of W is positive nothing resists the impulse: slip that violates the law is told, by its
/// own size.
#[test]
fn a_matrix_that_resists_nothing_has_a_residual() {
    let folder = tempfile::tempdir().expect("a folder");
    for (x, impulse, scaled) in [(-1.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 5.0, 1.0)] {
        let w = vec![vec![x, 0.0, 0.0], vec![0.0, x, 0.0], vec![0.0, 0.0, x]];
        let problem = Fcp { mu: vec![0.5], q: vec![-1.0, 0.0, 0.0], w, global: None };
        let path = folder.path().join("problem.fcp");
        std::fs::write(&path, problem.bytes()).expect("a writable folder");
        let read = signorini_fclib::read(&path).expect("a problem");
        let found = read.reduced.residual(&[impulse, 0.0, 0.0]);
        assert!((found.scaled - scaled).abs() < 1e-12, "{x}, {impulse}: {found:?}");
    }
}
