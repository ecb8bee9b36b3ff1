//! The cheap phases alone, on problems with closed forms.

use signorini_fclib::read;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::admm::Admm;
use signorini_ncp::solver::parameters::strategy::ADMM_REFACTORIZATIONS;
use signorini_ncp::solver::sweeps::{self, Start, SweepLimits, Sweeps};
use signorini_ncp::solver::{Info, Iterate, LinearProblem, SolveOptions, SolveStatus, solve};
use std::time::{Duration, Instant};
use support::fclib_files::{Fcp, Gp, save};

/// The problem of a written file, linearized at the free velocity.
fn problem(name: &str, bytes: &[u8]) -> ContactProblem {
    let folder = tempfile::tempdir().expect("folder");
    let file = read(&save(folder.path(), name, bytes)).expect("good file");
    file.as_block_form(None).expect("no deadline").problem
}

fn cold(problem: &ContactProblem) -> Iterate {
    Iterate { velocity: problem.at.velocity.clone(), impulse: vec![0.0; problem.n_rows()] }
}

fn assert_near(actual: &[f64], expected: &[f64], accuracy: f64) {
    for (a, e) in actual.iter().zip(expected) {
        assert!((a - e).abs() < accuracy, "{actual:?} is not {expected:?}");
    }
}

/// Free velocity, μ, impulse of a unit sphere of mass 3 on a plane: open, stick, slide, no friction.
const CASES: [([f64; 6], f64, [f64; 3]); 4] = [
    ([1.0, 0.0, 0.5, 0.0, 0.0, 0.0], 0.5, [0.0, 0.0, 0.0]),
    ([1.0, 0.5, -2.0, 0.0, 0.0, 0.0], 0.5, [6.0, -6.0 / 7.0, -3.0 / 7.0]),
    ([4.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.5, [3.0, -1.5, 0.0]),
    ([4.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0, [3.0, 0.0, 0.0]),
];

/// Sweeps from nothing: their number, and their last iterate.
fn sweep(problem: &ContactProblem, residual: f64, most: usize) -> (usize, Iterate) {
    let mut iterate = cold(problem);
    let x = iterate.impulse.clone();
    let limits = SweepLimits { residual, most, stiff: true, damps: false };
    (
        Sweeps::default()
            .run(problem, Start { x: &x, overlap: &[] }, limits, &SolveOptions::new(residual), &mut iterate)
            .sweeps,
        iterate,
    )
}

#[test]
fn sweeps_solve_one_contact_at_once() {
    for (free, mu, expected) in CASES {
        let problem = problem("sphere.gp", &Gp::sphere_on_plane(3.0, free, mu).bytes());
        let (sweeps, iterate) = sweep(&problem, 1e-12, 200);
        assert!(sweeps < 60, "{sweeps}");
        assert_near(&iterate.impulse, &expected, 1e-11);
        // Momentum-consistent: m (v − v*) = r.
        assert_near(&[3.0 * (iterate.velocity[2] - free[2])], &expected[..1], 1e-12);
    }
}

/// Unit spheres on top of each other on the plane, without friction.
fn heap(n: usize) -> ContactProblem {
    let mut gp = Gp::sphere_on_plane(1.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0);
    let normal = gp.contacts[0].2;
    for i in 1..n {
        gp.mass.push(1.0);
        gp.free.push(gp.free[0]);
        gp.contacts.push((i as f64, i as f64 - 1.0, normal, normal.map(|x: f64| -x)));
    }
    (gp.mu, gp.w, gp.r) = (vec![0.0; n], vec![0.0; 3 * n], vec![0.0; 3 * n]);
    problem("pile.gp", &gp.bytes())
}

#[test]
fn extrapolation_pays() {
    // Plain sweeps spread an impulse by one contact each and creep: thousands.
    let (sweeps, iterate) = sweep(&heap(20), 1e-9, 2000);
    assert!(sweeps < 500, "{sweeps}");
    let normals: Vec<f64> = iterate.impulse.iter().step_by(3).copied().collect();
    let expected: Vec<f64> = (1..=20).rev().map(f64::from).collect();
    assert_near(&normals, &expected, 1e-5);
}

#[test]
fn sweeps_end_where_they_lead_no_further() {
    let problem = heap(20);
    assert_eq!(sweep(&problem, 1e-9, 7).0, 7);
    // Rounding ends the fall long before.
    let (sweeps, _) = sweep(&problem, 1e-30, 1_000_000);
    assert!(sweeps < 10_000, "{sweeps}");
}

#[test]
fn alternating_directions_reach_the_closed_forms() {
    for (free, mu, expected) in CASES {
        let problem = problem("sphere.gp", &Gp::sphere_on_plane(3.0, free, mu).bytes());
        let (mut iterate, mut info) = (cold(&problem), Info::default());
        let taken = Admm::default()
            .run(&problem, &mut iterate, 2000, &SolveOptions::new(1e-10), &mut info)
            .expect("positive definite");
        assert!(taken < 2000, "{free:?}");
        assert!(info.factorizations <= 1 + ADMM_REFACTORIZATIONS);
        assert_near(&iterate.impulse, &expected, 1e-7);
    }
}

#[test]
fn phases_stop_at_the_deadline_and_leave_coupled_problems_alone() {
    let gp = Gp::sphere_on_plane(3.0, CASES[1].0, 0.5);
    let mut problem = problem("sphere.gp", &gp.bytes());
    let past = Some(Instant::now() - Duration::from_secs(1));
    let late = SolveOptions { deadline: past, ..SolveOptions::new(1e-300) };
    let (x, limits) =
        (vec![0.0; problem.n_rows()], SweepLimits { residual: 1e-300, most: 100, stiff: true, damps: false });
    let start = Start { x: &x, overlap: &[] };
    assert_eq!(Sweeps::default().run(&problem, start, limits, &late, &mut cold(&problem)).sweeps, 2);
    let (mut iterate, mut info) = (cold(&problem), Info::default());
    assert_eq!(Admm::default().run(&problem, &mut iterate, 100, &late, &mut info).ok(), Some(1));
    assert!(sweeps::applies(&problem));
    problem.mass.push(problem.mass[0]);
    problem.coupling.push((0, 1, 0.1 * problem.mass[0]));
    assert!(!sweeps::applies(&problem));
}

#[test]
fn inconsistent_input_is_a_status() {
    let run = SolveOptions::new(1e-10);
    let good = problem("one.fcp", &Fcp::one_contact([2.0, 1.0, 1.0], [-1.0, 0.5, 0.0], 0.5).bytes());
    let status =
        |problem: ContactProblem, start: &[f64]| solve(LinearProblem::new(problem, None), start, &run).1;
    assert_eq!(status(good.clone(), &[]), SolveStatus::Solved);
    assert_eq!(status(good.clone(), &[0.0; 2]), SolveStatus::NonFinite);
    let mut bad = good.clone();
    bad.at.slip[0] = f64::NAN;
    assert_eq!(status(bad, &[]), SolveStatus::NonFinite);
    let mut bad = good.clone();
    bad.at.jacobian[BLOCK] = f64::INFINITY;
    assert_eq!(status(bad, &[]), SolveStatus::NonFinite);
    assert_eq!(status(good, &[f64::NAN, 0.0, 0.0]), SolveStatus::NonFinite);
    assert_eq!(status(ContactProblem::empty(), &[]), SolveStatus::Solved);
}
