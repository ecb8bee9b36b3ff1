//! Rows with an interval law in the core problem: every method that takes them finds the solution by hand.

use nalgebra::Matrix6;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactLaw, ContactProblem};
use signorini_ncp::solver::admm::Admm;
use signorini_ncp::solver::sweeps::{Start, SweepLimits, Sweeps};
use signorini_ncp::solver::{
    Apgd, Info, Iterate, LinearProblem, PrimalNewton, SolveOptions, SolveStatus, law, solve,
};

const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// One body of unit mass with momentum (1, 2, 3, 0.1, 0, 0). Twice v_x = 0, which is redundant; v_y = 0 with
/// at most half an N s; v_z ≤ 1; ω_x = 0 with at most half an N m s.
fn problem() -> ContactProblem {
    let mut problem = ContactProblem::empty();
    problem.mass.push(Matrix6::identity());
    problem.mass_inverse.push(Matrix6::identity());
    problem.at.free_momentum.extend([1.0, 2.0, 3.0, 0.1, 0.0, 0.0]);
    problem.at.velocity.resize(BLOCK, 0.0);
    let rows = [
        (vec![FREE, FREE], vec![(0, 1.0), (0, 1.0)], 0.0),
        (vec![[-0.5, 0.5]], vec![(1, 1.0)], 0.0),
        (vec![[0.0, f64::INFINITY]], vec![(2, -1.0)], 1.0),
        (vec![[-0.5, 0.5]], vec![(3, 1.0)], 0.0),
    ];
    for (bounds, entries, slip) in rows {
        let c = problem.add_bounded([0].into_iter(), &bounds);
        let (cone, first) = (problem.cones[c], problem.value_offsets[problem.block_offsets[c]]);
        for (i, (column, value)) in entries.into_iter().enumerate() {
            problem.at.jacobian[first + BLOCK * i + column] = value;
            problem.at.slip[cone.row + i] = slip;
        }
    }
    problem.at.stiffness.start.resize(problem.cones.len(), signorini_ncp::problem::Stiffness::NONE);
    problem.update_weights();
    problem.set_uniform_units(1.0, 1.0);
    assert!(problem.is_consistent());
    problem
}

fn start(problem: &ContactProblem) -> Iterate {
    Iterate { velocity: problem.at.free_momentum.clone(), impulse: vec![0.0; problem.n_rows()] }
}

fn assert_solution(method: &str, iterate: &Iterate, allowed: f64) {
    let expected = [0.0, 1.5, 1.0, 0.0, 0.0, 0.0];
    for (v, e) in iterate.velocity.iter().zip(expected) {
        assert!((v - e).abs() < allowed, "{method}: {iterate:?}");
    }
    let x = &iterate.impulse;
    let found = [x[0] + x[1], x[2], x[3], x[4]];
    for (x, e) in found.iter().zip([-1.0, -0.5, 2.0, -0.1]) {
        assert!((x - e).abs() < allowed, "{method}: {iterate:?}");
    }
}

#[test]
fn the_production_method_solves_them_under_every_law() {
    for law in [ContactLaw::Coulomb, ContactLaw::Cone, ContactLaw::Polygon { directions: 8 }] {
        let problem = ContactProblem { law, ..problem() };
        let linear = LinearProblem::new(problem, None);
        let (iterate, status, info) = solve(linear, &[], &SolveOptions::new(1e-10));
        assert_eq!(status, SolveStatus::Solved, "{law:?}: {info:?}");
        assert_solution("proximal Newton", &iterate, 1e-9);
    }
}

#[test]
fn the_cheap_phases_solve_them() {
    let problem = problem();
    let mut iterate = start(&problem);
    let x = iterate.impulse.clone();
    let limits = SweepLimits { residual: 1e-12, most: 200, stiff: true, damps: false };
    Sweeps::default().run(
        &problem,
        Start { x: &x, overlap: &[] },
        limits,
        &SolveOptions::new(1e-12),
        &mut iterate,
    );
    assert_solution("sweeps", &iterate, 1e-9);
    let mut iterate = start(&problem);
    Admm::default()
        .run(&problem, &mut iterate, 400, &SolveOptions::new(1e-9), &mut Info::default())
        .expect("factors");
    assert_solution("alternating directions", &iterate, 1e-6);
}

#[test]
fn the_convex_methods_solve_them() {
    let problem = ContactProblem { law: ContactLaw::Cone, ..problem() };
    let mut iterate = start(&problem);
    let run = SolveOptions { iterations: 10_000, ..SolveOptions::new(1e-10) };
    Apgd::default().run(&problem, &mut iterate, &run, &mut Info::default());
    assert_solution("accelerated gradient", &iterate, 1e-8);
    // Nearly rigid.
    let mut soft = problem.clone();
    soft.compliance = vec![1e-8; soft.n_rows()];
    let mut iterate = start(&soft);
    PrimalNewton::default().run(&mut soft, &mut iterate, &SolveOptions::new(1e-9), &mut Info::default());
    assert_solution("primal Newton", &iterate, 1e-6);
}

#[test]
fn the_natural_map_measures_the_distance_from_the_law() {
    let problem = problem();
    let y = |x: f64, v: f64| {
        let (mut impulse, mut slip) = (vec![0.0; 5], vec![0.0; 5]);
        (impulse[2], slip[2]) = (x, v);
        slip[3] = 1.0;
        law::natural_map(&problem, &problem.at.weight, &impulse, &slip).0
    };
    assert_eq!(y(-0.5, 1.5), 0.0, "at its bound it may slip on");
    assert_eq!(y(0.5, 1.5), 1.0, "it pushes the wrong way");
    assert_eq!(y(0.2, 0.0), 0.0, "inside it holds");
    assert!((y(0.7, 0.0) - 0.2).abs() < 1e-15, "beyond its bound");
    assert!(y(f64::NAN, 0.0).is_nan() && y(0.0, f64::NAN).is_nan());
}

/// The dense pivoting method knows no such rows and says so.
#[test]
fn the_complementarity_form_declines() {
    assert!(signorini_ncp::problem::lcp::contact_as_lcp(&problem(), 8).is_none());
}
