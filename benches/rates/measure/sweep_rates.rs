//! Rates of sweeps over a lattice of contacts, on the CPU and on a device.

use nalgebra::{Matrix6, Vector3};
use serde_json::{Value, json};
use signorini_kernels::device_sweeps::SweepsOnDevice;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness};
use signorini_ncp::solver::sweeps::{Start, SweepLimits, Sweeps};
use signorini_ncp::solver::{Iterate, SolveOptions};
use signorini_ncp::threads;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of rows of each contact.
const ROWS: usize = 3;
/// Number of sweeps of a run.
const SWEEPS: usize = 66;
/// Number of sweeps of the run that only sets up.
const FEW: usize = 2;
/// Tolerance of the natural map: rounding of f32 allows it, and few sweeps do not attain it.
const TARGET: f64 = 1e-5;

/// Makes a problem of bodies of 1 kg in a cube on a floor, each in contact with the next along three axes,
/// that fall and push each other about; with about so many contacts.
pub fn lattice(contacts: usize) -> ContactProblem {
    let side = (contacts as f64 / 3.0).cbrt().round().max(2.0) as usize;
    let id = |at: [usize; 3]| (at[2] * side + at[1]) * side + at[0];
    let mut problem = ContactProblem::empty();
    let n = side.pow(3);
    problem.mass.resize(n, Matrix6::identity());
    problem.mass_inverse.resize(n, Matrix6::identity());
    problem.at.velocity.resize(BLOCK * n, 0.0);
    problem.at.free_momentum.extend((0..BLOCK * n).map(|k| {
        let falls = if k % BLOCK == 2 { -0.05 } else { 0.0 };
        falls + 0.1 * (k as f64 * 0.7).sin()
    }));
    for k in 0..n {
        let at = [k % side, k / side % side, k / side / side];
        for axis in 0..3 {
            let mut before = at;
            let other = at[axis].checked_sub(1).map(|less| {
                before[axis] = less;
                id(before)
            });
            if other.is_some() || axis == 2 {
                add(&mut problem, [Some(k), other], axis);
            }
        }
    }
    problem.at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
    problem.update_weights();
    problem.set_uniform_units(1.0, 1.0);
    problem
}

/// Adds a contact of a body with the one before it along an axis, half a metre from both.
fn add(problem: &mut ContactProblem, bodies: [Option<usize>; 2], axis: usize) {
    let c = problem.add_contact(bodies.into_iter().flatten(), (1, ROWS - 1), 0.5);
    for (side, k) in (problem.block_offsets[c]..problem.block_offsets[c + 1]).enumerate() {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        for row in 0..ROWS {
            let force = Vector3::ith((axis + row) % 3, sign);
            let arm = Vector3::ith(axis, -0.5 * sign);
            let first = problem.value_offsets[k] + BLOCK * row;
            problem.at.jacobian[first..first + 3].copy_from_slice(force.as_slice());
            problem.at.jacobian[first + 3..first + BLOCK].copy_from_slice(arm.cross(&force).as_slice());
        }
    }
}

/// Sweeps per second over a problem, by a device or by the CPU, and the bytes that they move. `bytes` are
/// those of a number, `copied` bytes per second of a copy; after so many seconds the run ends with fewer
/// sweeps.
pub fn rates(
    problem: &ContactProblem,
    device: Option<&Arc<dyn SweepsOnDevice>>,
    bytes: usize,
    copied: f64,
    seconds: f64,
) -> Value {
    let told = SolveOptions {
        deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)),
        ..SolveOptions::new(TARGET)
    };
    let mut sweeps = Sweeps::default();
    sweeps.use_device(device.map(Arc::clone));
    let mut run = |most| {
        let mut next = Iterate { velocity: Vec::new(), impulse: Vec::new() };
        let x = vec![0.0; problem.n_rows()];
        let limits = SweepLimits { residual: TARGET, most, stiff: false, damps: false };
        let start = Instant::now();
        let start_at = Start { x: &x, overlap: &[] };
        // The run is on a thread of the pool, where the work inside an island is split among threads.
        let swept =
            threads::inside(problem.n_bodies(), || sweeps.run(problem, start_at, limits, &told, &mut next));
        (start.elapsed().as_secs_f64(), swept)
    };
    // The first run allocates memory.
    run(FEW);
    let ((set_up, few), (all, many)) = (run(FEW), run(SWEEPS));
    let per_second = (many.sweeps - few.sweeps) as f64 / (all - set_up).max(1e-9);
    let moved = per_second * bytes_per_sweep(problem, bytes);
    json!({
        "contacts_count": problem.cones.len(),
        "bodies_count": problem.n_bodies(),
        "rows_count": problem.n_rows(),
        "sweeps_count": many.sweeps,
        "colours_count": device.map(|_| sweeps.n_colours()),
        "set_up_seconds": set_up,
        "sweeps_per_second": per_second,
        "rows_per_second": per_second * problem.n_rows() as f64,
        "gigabytes_per_second": moved / 1e9,
        "share_of_copy_ratio": moved / copied,
        "natural_map_left_scaled": many.residual,
    })
}

/// Bytes that a sweep reads and writes: of each row twelve entries, y₀ and x twice, r of normal rows; of each
/// contact two laws and two motions twice; of each number of x and w nine more for extrapolation and change.
fn bytes_per_sweep(problem: &ContactProblem, bytes: usize) -> f64 {
    let (contacts, rows) = (problem.cones.len(), problem.n_rows());
    let held = 15 * rows + contacts + (2 + 4 * BLOCK) * contacts;
    (bytes * (held + 9 * (rows + 8 * problem.n_bodies()))) as f64
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_lattice_falls_on_its_floor() {
        use super::*;
        let problem = lattice(1000);
        assert!(problem.is_consistent() && problem.cones.len().abs_diff(1000) < 200);
        let found = rates(&problem, None, 8, 1e9, 30.0);
        assert!(found["rows_per_second"].as_f64() > Some(0.0), "{found}");
        assert_eq!(found["sweeps_count"], SWEEPS, "it is not solved by then");
    }
}
