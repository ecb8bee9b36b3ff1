//! Damping: a term that sweeps add to masses where the geometric stiffness, which they hold still, is so
//! large that bringing it up to date from time to time would not converge: (1 + s) A instead of A, with s A
//! (v − v_k) held still, too. Where the sweeps end nothing moves, and so nothing is added.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::parameters::sweeps::UNDAMPED_STIFFNESS;

/// s of each body (1): by how much the stiffness on it exceeds [`UNDAMPED_STIFFNESS`] of its mass, in the
/// norm of Frobenius of D⁻¹ K D⁻¹, where D² are the diagonals of the masses.
pub(super) fn find(problem: &ContactProblem, s: &mut Vec<f64>) {
    s.clear();
    s.resize(problem.n_bodies(), 0.0);
    for (bodies, block) in (0..problem.cones.len()).filter_map(|c| problem.stiffness_of(c)) {
        let mass = |k: usize| problem.mass[bodies[k / BLOCK]][(k % BLOCK, k % BLOCK)];
        let of_row = |(r, row): (usize, &[f64])| {
            row.iter().enumerate().map(|(c, k)| k * k / mass(c)).sum::<f64>() / mass(r)
        };
        let rows = block.chunks_exact(BLOCK * bodies.len());
        let norm = rows.enumerate().map(of_row).sum::<f64>().sqrt();
        bodies.iter().for_each(|body| s[*body] += norm);
    }
    for ((s, own), mass) in s.iter_mut().zip(&problem.at.stiffness.body).zip(&problem.mass) {
        let of = |r: usize, c: usize| own[(r, c)].powi(2) / (mass[(r, r)] * mass[(c, c)]);
        *s += (0..BLOCK).flat_map(|r| (0..BLOCK).map(move |c| of(r, c))).sum::<f64>().sqrt();
    }
    s.iter_mut().for_each(|s| *s = if *s > UNDAMPED_STIFFNESS { *s - UNDAMPED_STIFFNESS } else { 0.0 });
}

/// Whether the stiffness on some body is so large that sweeps may go to and fro.
pub fn is_stiff(problem: &ContactProblem) -> bool {
    let mut s = Vec::new();
    find(problem, &mut s);
    s.iter().any(|s| *s > 0.0)
}

#[cfg(test)]
mod tests {
    use crate::linalg::BLOCK;
    use crate::problem::ContactProblem;
    use crate::solver::sweeps::{Start, SweepLimits, Sweeps};
    use crate::solver::{Iterate, SolveOptions};
    use nalgebra::Matrix6;

    /// A unit mass that is pushed down and aside on a smooth floor, where K = −3 A holds it back: sweeps that
    /// hold that still go to and fro, and do not where the mass is made heavier.
    #[test]
    fn stiffness_of_three_masses_is_swept_over() {
        let mut problem = ContactProblem::empty();
        problem.mass.push(Matrix6::identity());
        problem.mass_inverse.push(Matrix6::identity());
        problem.at.velocity.resize(BLOCK, 0.0);
        problem.at.free_momentum.extend([0.8, 0.0, -1.0, 0.0, 0.0, 0.0]);
        problem.add_contact([0].into_iter(), (1, 2), 0.0);
        for row in 0..3 {
            problem.at.jacobian[BLOCK * row + (row + 2) % 3] = 1.0;
        }
        problem.at.stiffness.start.push(0);
        problem.at.stiffness.blocks.extend((Matrix6::identity() * -3.0).iter());
        problem.update_weights();
        problem.set_uniform_units(1.0, 1.0);
        assert!(super::is_stiff(&problem));
        let mut ends = [false, true].map(|damps| {
            let limits = SweepLimits { residual: 1e-9, most: 800, stiff: true, damps };
            let mut next = Iterate { velocity: Vec::new(), impulse: Vec::new() };
            let (x, options) = (vec![0.0; problem.n_rows()], SolveOptions::new(1e-9));
            let start = Start { x: &x, overlap: &[] };
            (Sweeps::default().run(&problem, start, limits, &options, &mut next).residual, next)
        });
        assert!(ends[0].0 > 1e-3 || ends[0].0.is_nan(), "it converges without: {}", ends[0].0);
        let (residual, next) = &mut ends[1];
        assert!(*residual <= 1e-9, "{residual}");
        // (A − K) v = b + Jᵀ x.
        assert!((next.velocity[0] - 0.2).abs() < 1e-8 && next.velocity[2].abs() < 1e-8, "{next:?}");
        assert!((next.impulse[0] - 1.0).abs() < 1e-8, "{next:?}");
        problem.at.stiffness.blocks.iter_mut().for_each(|k| *k *= 0.01);
        assert!(!super::is_stiff(&problem), "three hundredths of the mass");
    }
}
