//! Sweeps over a manifold, whose friction rows follow the load.

use nalgebra::{DMatrix, DVector, Matrix6};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness};
use signorini_ncp::solver::sweeps::{Start, SweepLimits, Sweeps};
use signorini_ncp::solver::{Iterate, SolveOptions};

/// Normal rows at the corners of a square of side 2, and one slot to spare.
const CORNERS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
const N_NORMAL: usize = 5;

/// A box 1 m above the plane that it slides on, pushed aside and turned about the vertical; friction acts at
/// the middle of the corners until the load says otherwise.
fn sliding_box() -> ContactProblem {
    let mut problem = ContactProblem::empty();
    let mut mass = Matrix6::identity();
    (3..BLOCK).for_each(|i| mass[(i, i)] = 0.7);
    problem.mass.push(mass);
    problem.mass_inverse.push(mass.try_inverse().expect("a mass"));
    problem.at.free_momentum.extend([5.0, 0.4, -10.0, 0.2, 0.3, 0.5]);
    problem.at.velocity.extend([0.1, 0.0, -0.2, 0.0, 0.1, 0.3]);
    let c = problem.add_contact([0].into_iter(), (N_NORMAL, 2), 0.3);
    problem.cones[c].n_used = CORNERS.len();
    problem.at.load_fraction[..CORNERS.len()].fill(0.25);
    let first = problem.value_offsets[problem.block_offsets[c]];
    let mut set = |row: usize, values: [f64; BLOCK]| {
        problem.at.jacobian[first + BLOCK * row..][..BLOCK].copy_from_slice(&values);
        let slip: f64 = values.iter().zip(&problem.at.velocity).map(|(j, v)| j * v).sum();
        problem.at.slip[row] = slip;
    };
    // A force f at (x, y, −1) turns the box by (x, y, −1) × f.
    for (j, [x, y]) in CORNERS.into_iter().enumerate() {
        set(j, [0.0, 0.0, 1.0, y, -x, 0.0]);
        set(N_NORMAL + 2 + 2 * j, [0.0, 0.0, 0.0, 0.0, 0.0, -y]);
        set(N_NORMAL + 3 + 2 * j, [0.0, 0.0, 0.0, 0.0, 0.0, x]);
    }
    set(N_NORMAL, [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
    set(N_NORMAL + 1, [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    problem.at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
    problem.update_weights();
    problem.set_uniform_units(1.0, 1.0);
    assert!(problem.is_consistent());
    problem
}

/// Normal rows, and friction rows at the equivalent contact point of the impulses.
fn rows_at(problem: &ContactProblem, x: &[f64]) -> DMatrix<f64> {
    let row = |i: usize| DVector::from_column_slice(&problem.at.jacobian[BLOCK * i..BLOCK * (i + 1)]);
    let sum: f64 = x[..CORNERS.len()].iter().sum();
    let mut rows: Vec<DVector<f64>> = (0..CORNERS.len()).map(row).collect();
    for i in 0..2 {
        let moved = (0..CORNERS.len()).map(|j| row(N_NORMAL + 2 + 2 * j + i) * (x[j] / sum - 0.25));
        rows.push(moved.fold(row(N_NORMAL + i), |row, moved| row + moved));
    }
    DMatrix::from_rows(&rows.iter().map(|row| row.transpose()).collect::<Vec<_>>())
}

fn swept(problem: &ContactProblem, sweeps: usize) -> (DVector<f64>, DVector<f64>) {
    let mut iterate = Iterate { velocity: vec![0.0; BLOCK], impulse: vec![0.0; problem.n_rows()] };
    let x = iterate.impulse.clone();
    let limits = SweepLimits { residual: 1e-13, most: sweeps, stiff: true, damps: false };
    Sweeps::default().run(
        problem,
        Start { x: &x, overlap: &[] },
        limits,
        &SolveOptions::new(1e-13),
        &mut iterate,
    );
    let used = (0..CORNERS.len()).chain(N_NORMAL..N_NORMAL + 2).map(|i| iterate.impulse[i]);
    (DVector::from_vec(iterate.velocity.clone()), DVector::from_iterator(CORNERS.len() + 2, used))
}

/// However many sweeps were made, momentum is balanced with the rows where the load has them.
#[test]
fn momentum_stays_balanced_while_rows_move() {
    let problem = sliding_box();
    for sweeps in [2, 5, 8, 20, 60] {
        let (v, x) = swept(&problem, sweeps);
        let free = DVector::from_column_slice(&problem.at.free_momentum);
        let mass = DMatrix::from_iterator(BLOCK, BLOCK, problem.mass[0].iter().copied());
        let left = mass * v - free - rows_at(&problem, x.as_slice()).transpose() * &x;
        assert!(left.norm() < 1e-12, "{sweeps} sweeps: {left}");
        assert!(x.rows(0, CORNERS.len()).max() > 3.0, "{x}");
    }
}

/// Friction that brakes presses the front down: it acts ahead of the middle, and the law holds there.
#[test]
fn sweeps_find_where_friction_acts() {
    let problem = sliding_box();
    let (v, x) = swept(&problem, 400);
    let slip = rows_at(&problem, x.as_slice()) * &v;
    let load = x.rows(0, CORNERS.len());
    for (x, y) in load.iter().zip(slip.iter()) {
        assert!(*x >= 0.0 && *y > -1e-10 && x * y < 1e-9, "{x} at {y}");
    }
    let friction = x.rows(CORNERS.len(), 2);
    let (slip, radius) = (slip.rows(CORNERS.len(), 2), 0.3 * load.sum());
    assert!(slip.norm() > 0.1 && (friction.norm() - radius).abs() < 1e-9, "{friction} of {radius}");
    assert!((friction.dot(&slip) + friction.norm() * slip.norm()).abs() < 1e-9, "{friction} against {slip}");
    let ahead: f64 = CORNERS.iter().zip(load.iter()).map(|([x, _], load)| x * load).sum();
    assert!(ahead / load.sum() > 0.1, "{load}");
}
