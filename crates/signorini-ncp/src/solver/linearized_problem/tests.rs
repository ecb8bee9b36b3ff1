use super::*;
use crate::solver::central_path::release_open;
use crate::solver::info::Info;
use crate::solver::options::SolveOptions;
use crate::solver::solve::Solver;
use crate::solver::status::SolveStatus;
use nalgebra::Matrix6;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A body of 1 kg on a square of four contact points around its centre, pushed sideways by `push` and turned
/// by `turn` about the vertical (N s). At the centre the load fractions are equal.
pub fn cube(push: f64, turn: f64) -> ContactProblem {
    let mut problem = ContactProblem::empty();
    problem.mass.push(Matrix6::identity());
    problem.mass_inverse.push(Matrix6::identity());
    problem.at.free_momentum.extend([push, 0.0, -1.0, 0.0, 0.5 * push, turn]);
    problem.at.velocity.resize(BLOCK, 0.0);
    problem.add_contact([0].into_iter(), (4, 2), 0.3);
    problem.at.load_fraction[..4].fill(0.25);
    let points = [[0.5, 0.4], [-0.5, 0.4], [-0.5, -0.4], [0.5, -0.4]];
    let law_rows = problem.cones[0].n_law_rows();
    for (k, [x, y]) in points.into_iter().enumerate() {
        // A force along z at (x, y, 0) turns by (y, −x, 0); along x and y there by z (−y) and z x.
        problem.at.jacobian[BLOCK * k..][..BLOCK].copy_from_slice(&[0.0, 0.0, 1.0, y, -x, 0.0]);
        let shift = BLOCK * (law_rows + 2 * k);
        problem.at.jacobian[shift..][..BLOCK].copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 0.0, -y]);
        problem.at.jacobian[shift + BLOCK..][..BLOCK].copy_from_slice(&[0.0, 1.0, 0.0, 0.0, 0.0, x]);
    }
    problem.at.jacobian[BLOCK * 4] = 1.0;
    problem.at.jacobian[BLOCK * 5 + 1] = 1.0;
    problem.update_weights();
    problem.set_uniform_units(1.0, 1.0);
    problem
}

/// The forces at the moved point are those of the rows where they were and (λ − λ̂) x_t on the shift rows.
#[test]
fn the_point_moves_with_the_impulses() {
    let base = cube(0.2, 0.1);
    let mut linearized = LinearizedProblem::new(base.clone(), &[true; 14]);
    let mut random = Pcg64::seed_from_u64(3);
    let mut x: Vec<f64> = (0..14).map(|_| random.random_range(0.1..1.0)).collect();
    let v: Vec<f64> = (0..BLOCK).map(|_| random.random_range(-1.0..1.0)).collect();
    linearized.refresh(&v, &mut x);
    assert!(x[6..].iter().all(|x| *x == 0.0));
    let (mut moved, mut expected) = (vec![0.0; BLOCK], vec![0.0; BLOCK]);
    linearized.now.add_forces(&x, 1.0, &mut moved);
    let sum: f64 = x[..4].iter().sum();
    let mut y = vec![0.0; 14];
    base.response(&v, &mut y);
    let mut shifted = x.clone();
    for k in 0..4 {
        let excess = x[k] / sum - 0.25;
        for i in 0..2 {
            shifted[6 + 2 * k + i] = excess * x[4 + i];
            y[4 + i] += excess * y[6 + 2 * k + i];
        }
    }
    base.add_forces(&shifted, 1.0, &mut expected);
    for (a, b) in moved.iter().chain(&linearized.now.at.slip[..6]).zip(expected.iter().chain(&y[..6])) {
        assert!((a - b).abs() < 1e-14, "{moved:?} {expected:?}");
    }
    assert!((moved[4] - linearized.base.at.jacobian[4]).abs() > 1e-3, "the point did move");
}

/// K (v − v̂): the residual is what the Newton matrix A − K says.
#[test]
fn forces_follow_the_geometry() {
    let mut base = cube(0.0, 0.0);
    base.at.stiffness.body.push(Matrix6::from_fn(|i, j| 0.1 * (i + 2 * j) as f64));
    base.at.velocity.copy_from_slice(&[0.1, -0.2, 0.3, 0.0, 0.5, 0.4]);
    let mut linearized = LinearizedProblem::new(base.clone(), &[true; 14]);
    let mut expected = vec![0.0; BLOCK];
    let mut x = [0.0; 14];
    let mut force = |v: &[f64]| {
        linearized.refresh(v, &mut x);
        linearized.force.clone()
    };
    let (at, there) = (force(&base.at.velocity), force(&[0.0; BLOCK]));
    base.tangent_mass(&base.at.velocity, &mut expected);
    for i in 0..BLOCK {
        assert!((at[i] - there[i] - expected[i]).abs() < 1e-14, "{at:?} {there:?}");
    }
}

/// A problem that is solved in place is solved linearized, and inactive rows carry no load.
#[test]
fn the_solver_takes_it_and_idle_rows_stay_empty() {
    let mut active = [true; 14];
    for idle in [false, true] {
        active[0] = !idle;
        let mut linearized = LinearizedProblem::new(cube(0.2, 0.1), &active);
        let mut iterate = crate::solver::Iterate { velocity: vec![0.0; BLOCK], impulse: vec![0.0; 14] };
        let (options, mut info) = (SolveOptions::new(1e-10), Info::default());
        let status = Solver::default().solve(&mut linearized, &mut iterate, &options, &mut info);
        assert_eq!(status, SolveStatus::Solved, "{:?}", info.residual);
        assert_eq!(iterate.impulse[0] == 0.0, idle, "{:?}", iterate.impulse);
    }
}

#[test]
fn open_atoms_are_released() {
    let mut linearized = LinearizedProblem::new(cube(0.0, 0.0), &[true; 14]);
    let mut x = [1e-9; 14];
    let v = [0.0, 0.0, 1e-3, 2e-3, 0.0, 0.0];
    linearized.refresh(&v, &mut x);
    // Gaps grow with 1e-3 ± 0.8e-3, 2.5e-10 at most of which stops with 1e-9.
    release_open(linearized.linearized(), &mut x);
    assert!(x[..4].iter().all(|x| *x == 0.0) && x[4] == 1e-9, "{x:?}");
    let mut x = [1.0; 14];
    release_open(linearized.linearized(), &mut x);
    assert!(x.iter().all(|x| *x == 1.0), "{x:?}");
}

/// A body that leaves four points alike yields less at their middle than at each of them: there it counts
/// more.
#[test]
fn a_contact_is_judged_where_its_atoms_bear_together() {
    let active = [true; 14];
    let speed = 0.01;
    let v = [0.0, 0.0, speed, 0.0, 0.0, 0.0];
    let mut x = vec![0.25, 0.25, 0.25, 0.25];
    x.resize(14, 0.0);
    let mut linearized = LinearizedProblem::new(cube(0.0, 0.0), &active);
    let residual = linearized.refresh(&v, &mut x);
    assert!((residual.complementarity - speed / (1.0 + 0.5 * 0.5 + 0.4 * 0.4)).abs() < 1e-15);
    assert!((linearized.off_at_centers(1, &x) - speed).abs() < 1e-15);
    assert_eq!(linearized.off_at_centers(0, &x), 0.0);
    linearized.now.bounds[1][0] = 0.25;
    assert_eq!(linearized.off_at_centers(1, &x), 0.0);
}
