//! The cheap phases alone, on problems with closed forms.

use signorini::linalg::BLOCK;
use signorini::problem::ContactProblem;
use signorini::problem::fclib::read;
use signorini::solver::cold::admm::{Admm, REFACTORIZATIONS};
use signorini::solver::cold::gauss_seidel::{GaussSeidel, Sweeps};
use signorini::solver::{Info, Iterate, LinearProblem, Run, SolveStatus, solve};
use std::time::{Duration, Instant};
use support::fclib_files::{Fcp, Gp, save};

/// From a written file, frozen at the free velocity.
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

#[test]
fn gauss_seidel_solves_one_contact_in_a_sweep() {
    let (one, run) = (Sweeps { first: 1, block: 1, most: 1 }, Run::new(1e-12));
    for (free, mu, expected) in CASES {
        let problem = problem("sphere.gp", &Gp::sphere_on_plane(3.0, free, mu).bytes());
        let mut iterate = cold(&problem);
        assert_eq!(GaussSeidel::default().run(&problem, &mut iterate, &one, &run), 1);
        assert_near(&iterate.impulse, &expected, 1e-12);
        // Momentum-consistent: m (v − v*) = r.
        assert_near(&[3.0 * (iterate.velocity[2] - free[2])], &expected[..1], 1e-12);
    }
}

#[test]
fn gauss_seidel_goes_on_while_its_rate_promises_the_tolerance() {
    // Two unit spheres on top of each other on the plane: the rate is 1/2 per sweep.
    let mut gp = Gp::sphere_on_plane(1.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0], 0.0);
    let normal = gp.contacts[0].2;
    gp.mass.push(1.0);
    gp.free.push(gp.free[0]);
    gp.contacts.push((1.0, 0.0, normal, normal.map(|x: f64| -x)));
    (gp.mu, gp.w, gp.r) = (vec![0.0; 2], vec![0.0; 6], vec![0.0; 6]);
    let problem = problem("pile.gp", &gp.bytes());
    let (many, run) = (Sweeps { first: 5, block: 10, most: 200 }, Run::new(1e-12));
    let mut iterate = cold(&problem);
    let taken = GaussSeidel::default().run(&problem, &mut iterate, &many, &run);
    assert!((25..=65).contains(&taken), "{taken}");
    assert_near(&[iterate.impulse[0], iterate.impulse[3]], &[2.0, 1.0], 1e-10);
    let few = Sweeps { most: 10, ..many };
    assert_eq!(GaussSeidel::default().run(&problem, &mut cold(&problem), &few, &run), 5);
}

#[test]
fn alternating_directions_reach_the_closed_forms() {
    for (free, mu, expected) in CASES {
        let problem = problem("sphere.gp", &Gp::sphere_on_plane(3.0, free, mu).bytes());
        let (mut iterate, mut info) = (cold(&problem), Info::default());
        let taken = Admm::default()
            .run(&problem, &mut iterate, 2000, &Run::new(1e-10), &mut info)
            .expect("positive definite");
        assert!(taken < 2000, "{free:?}");
        assert!(info.factorizations <= 1 + REFACTORIZATIONS);
        assert_near(&iterate.impulse, &expected, 1e-7);
    }
}

#[test]
fn phases_stop_at_the_deadline_and_leave_coupled_problems_alone() {
    let gp = Gp::sphere_on_plane(3.0, CASES[1].0, 0.5);
    let mut problem = problem("sphere.gp", &gp.bytes());
    let past = Some(Instant::now() - Duration::from_secs(1));
    let (sweeps, late) = (Sweeps::default(), Run { deadline: past, ..Run::new(1e-300) });
    assert_eq!(GaussSeidel::default().run(&problem, &mut cold(&problem), &sweeps, &late), 1);
    problem.mass.push(problem.mass[0]);
    problem.coupling.push((0, 1, 0.1 * problem.mass[0]));
    assert_eq!(GaussSeidel::default().run(&problem, &mut cold(&problem), &sweeps, &Run::new(1e-12)), 0);
}

#[test]
fn inconsistent_input_is_a_status() {
    let run = Run::new(1e-10);
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
