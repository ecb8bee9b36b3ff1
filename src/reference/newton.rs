//! Semismooth Newton on the system, damped by Levenberg and Marquardt where the Jacobian is singular.

use super::laws::Laws;
use super::problem::{Pair, ReferenceProblem};
use super::system::{jacobian, residual, units};
use nalgebra::{DMatrix, DVector};

/// Work of Newton's iteration.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    /// Number of iterations.
    pub iterations: usize,
    /// Number of dense factorisations.
    pub factorizations: usize,
}

/// Number of iterations in which |Φ| must have halved.
const STALL_ITERATIONS: usize = 10;

/// Most full steps that are tried before a line search.
const MAX_FULL_STEPS: usize = 4;
/// Largest factor by which |Φ| may grow on the way.
const MAX_GROWTH: f64 = 1e4;

/// Iterates on z until |Φ| no longer falls, or for `budget` iterations. The caller judges the result.
pub(super) fn newton(
    problem: &ReferenceProblem,
    laws: &[Laws],
    z: &mut DVector<f64>,
    budget: usize,
    cost: &mut Cost,
) {
    let units = units(problem);
    let has_facets = problem.pairs.iter().any(Pair::has_facets);
    let mut phi = residual(problem, laws, z);
    let mut checkpoint = f64::INFINITY;
    for iteration in 0..budget {
        let norm = phi.norm();
        if norm == 0.0 || !norm.is_finite() {
            return;
        }
        if iteration % STALL_ITERATIONS == 0 {
            if norm > 0.5 * checkpoint {
                return; // z is at a local minimum of |Φ|: another start is worth more.
            }
            checkpoint = norm;
        }
        cost.iterations += 1;
        let mut matrix = jacobian(problem, laws, z);
        for (j, mut column) in matrix.column_iter_mut().enumerate() {
            column *= units[j];
        }
        // Near the floor of rounding a step that does not help at once does not help after halving.
        let at_floor = norm < 1e-11;
        let halvings = if at_floor { 0 } else { 12 };
        let direction = newton_direction(&matrix, &phi, cost).map(|d| d.component_mul(&units));
        let straight = direction.as_ref().filter(|_| has_facets && !at_floor);
        let trial = straight.and_then(|d| undamped(problem, laws, &*z + d, norm, &units, cost));
        let trial = trial.or_else(|| search(problem, laws, z, direction.as_ref()?, norm, halvings));
        let trial = trial.or_else(|| {
            (!at_floor).then(|| damped_step(problem, laws, z, (&matrix, &phi, &units), cost)).flatten()
        });
        let Some((next, next_phi)) = trial else { return };
        *z = next;
        phi = next_phi;
    }
}

/// Direction −J⁻¹Φ by dense LU; None when J is singular.
fn newton_direction(matrix: &DMatrix<f64>, phi: &DVector<f64>, cost: &mut Cost) -> Option<DVector<f64>> {
    cost.factorizations += 1;
    let direction = matrix.clone().lu().solve(&-phi)?;
    direction.iter().all(|x| x.is_finite()).then_some(direction)
}

/// Takes up to [`MAX_FULL_STEPS`] full steps, the first of which led to `at`, until |Φ| is at most half of
/// `norm`; None when |Φ| stays above that.
///
/// The moment of a contact point that may run along a facet is r × p: a step that corrects p first overshoots
/// in r by δr·δp. A line search takes that for a wrong direction; the next full step corrects it.
fn undamped(
    problem: &ReferenceProblem,
    laws: &[Laws],
    mut at: DVector<f64>,
    norm: f64,
    units: &DVector<f64>,
    cost: &mut Cost,
) -> Option<(DVector<f64>, DVector<f64>)> {
    for step in 1..=MAX_FULL_STEPS {
        let phi = residual(problem, laws, &at);
        let found = phi.norm();
        if found <= 0.5 * norm {
            return Some((at, phi));
        }
        if step == MAX_FULL_STEPS || found.is_nan() || found > MAX_GROWTH * norm {
            break;
        }
        let mut matrix = jacobian(problem, laws, &at);
        for (j, mut column) in matrix.column_iter_mut().enumerate() {
            column *= units[j];
        }
        at += newton_direction(&matrix, &phi, cost)?.component_mul(units);
    }
    None
}

/// Finds the first of z + d, z + d/2, … that lowers |Φ| enough.
fn search(
    problem: &ReferenceProblem,
    laws: &[Laws],
    z: &DVector<f64>,
    direction: &DVector<f64>,
    norm: f64,
    halvings: usize,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let mut step_length = 1.0;
    for _ in 0..=halvings {
        let next = z + direction * step_length;
        let phi = residual(problem, laws, &next);
        if phi.norm() < (1.0 - 1e-4 * step_length) * norm {
            return Some((next, phi));
        }
        step_length *= 0.5;
    }
    None
}

/// Takes the step argmin |J d + Φ|² + λ |d|² with growing λ, by QR of the stacked matrix (no squared
/// condition number).
fn damped_step(
    problem: &ReferenceProblem,
    laws: &[Laws],
    z: &DVector<f64>,
    (matrix, phi, units): (&DMatrix<f64>, &DVector<f64>, &DVector<f64>),
    cost: &mut Cost,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let n = phi.len();
    let norm = phi.norm();
    for lambda in [1e-9, 1e-6, 1e-4, 1e-2, 1.0] {
        let mut stacked = DMatrix::zeros(2 * n, n);
        stacked.rows_mut(0, n).copy_from(matrix);
        let weight = (lambda * norm.min(1.0)).sqrt();
        for j in 0..n {
            stacked[(n + j, j)] = weight;
        }
        let mut right = DVector::zeros(2 * n);
        right.rows_mut(0, n).copy_from(&-phi);
        cost.factorizations += 1;
        let qr = stacked.qr();
        qr.q_tr_mul(&mut right);
        let top = right.rows(0, n).into_owned();
        let Some(direction) = qr.r().solve_upper_triangular(&top) else { continue };
        if let Some(found) = search(problem, laws, z, &direction.component_mul(units), norm, 3) {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::laws::{FrictionLaw, NormalLaw};
    use super::super::tests::anisotropic_problem;
    use super::super::unknowns::{P_N, P_T, SIGMA};
    use super::*;

    #[test]
    fn damping_gets_away_from_a_singular_point() {
        let (problem, mut z) = anisotropic_problem();
        let laws =
            Laws { normal: NormalLaw::Complementary, friction: FrictionLaw::Complementary, facets: None };
        let laws = vec![laws; problem.pairs.len()];
        for pair in 0..problem.pairs.len() {
            // p = 0 and σ > 0: the row of ζ vanishes.
            let offset = problem.pair_offset(pair);
            z[offset + P_N] = 0.0;
            z.rows_mut(offset + P_T, 3).fill(0.0);
            z[offset + SIGMA] = 1.0;
        }
        let matrix = jacobian(&problem, &laws, &z);
        let phi = residual(&problem, &laws, &z);
        assert!(newton_direction(&matrix, &phi, &mut Cost::default()).is_none(), "singular");
        newton(&problem, &laws, &mut z, 20, &mut Cost::default());
        let after = residual(&problem, &laws, &z).norm();
        assert!(after < 0.1 * phi.norm(), "{} to {after}", phi.norm());
    }
}
