//! Residual of a whole step in dimensionless rows, and its Jacobian.

use super::equations::{body_values, pair_values};
use super::joints;
use super::laws::{Laws, NormalLaw};
use super::problem::{Pair, ReferenceProblem};
use super::unknowns::{BODY_UNKNOWNS, D, P_N, P_T, PAIR_UNKNOWNS, SIGMA};
use nalgebra::{DMatrix, DVector, SVector};
use num_dual::DualSVec64;

/// Number of unknowns of a pair that are differentiated in one evaluation.
const CHUNK: usize = 12;
/// Number of rows of [`pair_derivatives`] before those of the pair's equations.
pub(super) const WRENCHES: usize = 2 * BODY_UNKNOWNS;

/// Residual Φ(z): momentum rows / p_ref (angular / (p_ref L)), then the rows of each pair.
pub(super) fn residual(problem: &ReferenceProblem, laws: &[Laws], z: &DVector<f64>) -> DVector<f64> {
    let mut phi = DVector::zeros(problem.n_unknowns());
    for body in &problem.bodies {
        if let Some(k) = body.unknown {
            let velocity = z.fixed_rows::<BODY_UNKNOWNS>(k).into_owned();
            let values = body_values(problem, body, &velocity);
            for i in 0..BODY_UNKNOWNS {
                phi[k + i] += values[i] * momentum_scale(problem, i);
            }
        }
    }
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let local = gather(problem, i_pair, z);
        let values = pair_values(problem, pair, laws[i_pair], &local);
        for (body, wrench) in [(pair.body_a, &values.wrench_a), (pair.body_b, &values.wrench_b)] {
            if let Some(k) = problem.bodies[body].unknown {
                for i in 0..BODY_UNKNOWNS {
                    phi[k + i] -= wrench[i] * momentum_scale(problem, i);
                }
            }
        }
        for (i, row) in values.rows.iter().enumerate() {
            phi[pair.offset + i] = if is_held(pair, laws[i_pair], i) { 0.0 } else { *row };
        }
    }
    joints::add_residual(problem, z, |i| momentum_scale(problem, i), &mut phi);
    phi
}

/// Jacobian ∂Φ/∂z by forward-mode dual numbers: exact to rounding.
pub(super) fn jacobian(problem: &ReferenceProblem, laws: &[Laws], z: &DVector<f64>) -> DMatrix<f64> {
    let n = problem.n_unknowns();
    let mut matrix = DMatrix::zeros(n, n);
    for body in &problem.bodies {
        if let Some(k) = body.unknown {
            let velocity = SVector::<DualSVec64<BODY_UNKNOWNS>, BODY_UNKNOWNS>::from_fn(|i, _| {
                DualSVec64::from_re(z[k + i]).derivative(i)
            });
            let values = body_values(problem, body, &velocity);
            for i in 0..BODY_UNKNOWNS {
                for (j, slope) in values[i].eps.0.iter().flat_map(|gradient| gradient.iter().enumerate()) {
                    matrix[(k + i, k + j)] += slope * momentum_scale(problem, i);
                }
            }
        }
    }
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let places = problem.local_places(i_pair);
        let rows = pair_derivatives(problem, pair, laws[i_pair], &gather(problem, i_pair, z));
        let mut add = |row: usize, scale: f64, from: usize| {
            for (j, column) in places.iter().enumerate() {
                if let Some(column) = *column {
                    matrix[(row, column)] += scale * rows[(from, j)];
                }
            }
        };
        for (body, wrench) in [(pair.body_a, 0), (pair.body_b, BODY_UNKNOWNS)] {
            if let Some(k) = problem.bodies[body].unknown {
                (0..BODY_UNKNOWNS).for_each(|i| add(k + i, -momentum_scale(problem, i), wrench + i));
            }
        }
        for i in 0..pair.n_unknowns() {
            if !is_held(pair, laws[i_pair], i) {
                add(pair.offset + i, 1.0, WRENCHES + i);
            }
        }
        for i in (0..pair.n_unknowns()).filter(|i| is_held(pair, laws[i_pair], *i)) {
            matrix[(pair.offset + i, pair.offset + i)] = 1.0;
        }
    }
    joints::add_jacobian(problem, z, |i| momentum_scale(problem, i), &mut matrix);
    matrix
}

/// Whether an unknown of a pair stays as it is. Points and multipliers of several facets do while the bodies
/// are assumed apart: nothing depends on them then, and they need not be unique. They are found anew at the
/// end (see `solve`).
fn is_held(pair: &Pair, laws: Laws, place: usize) -> bool {
    let is_geometry = !(P_N..PAIR_UNKNOWNS).contains(&place);
    pair.has_facets() && laws.normal == NormalLaw::Apart && laws.facets.is_some() && is_geometry
}

/// Derivatives of the wrenches on A and on B and of the pair's rows (rows) by the unknowns that the pair sees
/// (columns).
pub(super) fn pair_derivatives(
    problem: &ReferenceProblem,
    pair: &Pair,
    laws: Laws,
    point: &[f64],
) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(WRENCHES + pair.n_unknowns(), point.len());
    for first in (0..point.len()).step_by(CHUNK) {
        let seed = |(i, x): (usize, &f64)| {
            let value = DualSVec64::<CHUNK>::from_re(*x);
            if (first..first + CHUNK).contains(&i) { value.derivative(i - first) } else { value }
        };
        let local: Vec<_> = point.iter().enumerate().map(seed).collect();
        let values = pair_values(problem, pair, laws, &local);
        let all = values.wrench_a.iter().chain(values.wrench_b.iter()).chain(&values.rows);
        for (row, value) in all.enumerate() {
            let Some(gradient) = &value.eps.0 else { continue };
            for (j, slope) in gradient.iter().enumerate().take(point.len() - first) {
                matrix[(row, first + j)] = *slope;
            }
        }
    }
    matrix
}

/// Collects the unknowns that a pair sees; a fixed body has the velocity of its prescribed motion.
pub(super) fn gather(problem: &ReferenceProblem, pair: usize, z: &DVector<f64>) -> Vec<f64> {
    let bodies = [problem.pairs[pair].body_a, problem.pairs[pair].body_b].map(|id| &problem.bodies[id]);
    let held = |i: usize| {
        let (body, i) = (bodies[i / BODY_UNKNOWNS], i % BODY_UNKNOWNS);
        if i < 3 { body.linear[i] } else { body.angular[i - 3] }
    };
    let places = problem.local_places(pair).into_iter().enumerate();
    places.map(|(i, place)| place.map_or_else(|| held(i), |k| z[k])).collect()
}

fn momentum_scale(problem: &ReferenceProblem, row: usize) -> f64 {
    if row < 3 { 1.0 / problem.reference_impulse } else { 1.0 / (problem.reference_impulse * problem.size) }
}

/// Unit of each unknown: a damped step is measured in these units.
pub(super) fn units(problem: &ReferenceProblem) -> DVector<f64> {
    let mut units = DVector::from_element(problem.n_unknowns(), problem.reference_impulse);
    for body in &problem.bodies {
        if let Some(k) = body.unknown {
            let speed = (problem.reference_impulse / body.mass).max(1e-3 * body.linear.norm());
            for i in 0..3 {
                units[k + i] = speed;
                units[k + 3 + i] = speed / body.size;
            }
        }
    }
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let offset = problem.pair_offset(i_pair);
        let scale = &pair.scale;
        for i in 0..pair.n_unknowns() {
            units[offset + i] = match i {
                PAIR_UNKNOWNS.. => pair.multiplier_unit(i - PAIR_UNKNOWNS),
                0..=D => scale.travel,
                SIGMA => scale.speed,
                i if i == P_T + 2 && pair.friction.torsional.of_point() > 0.0 => {
                    scale.impulse * pair.friction.torsional.of_point()
                }
                _ => scale.impulse,
            };
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::super::laws::{FrictionLaw, NormalLaw};
    use super::super::tests::{anisotropic_problem, facet_problem};
    use super::*;

    #[test]
    fn jacobian_is_the_derivative_of_the_residual() {
        let (smooth, at_smooth) = anisotropic_problem();
        check_derivatives(&smooth, &at_smooth, None);
        let (mut facets, at_facets) = facet_problem();
        for printed in [None, Some(2)] {
            // The third facet of A is printed, in the pair without a plane.
            facets.pairs[2].printed = printed;
            for set in [None, Some(0b0110_0101_0011)] {
                check_derivatives(&facets, &at_facets, set);
            }
        }
    }

    fn check_derivatives(problem: &ReferenceProblem, z: &DVector<f64>, facets: Option<u64>) {
        for (normal, friction) in [
            (NormalLaw::Complementary, FrictionLaw::Complementary),
            (NormalLaw::Touching, FrictionLaw::Sticking),
            (NormalLaw::Touching, FrictionLaw::Slipping),
            (NormalLaw::Apart, FrictionLaw::Absent),
        ] {
            let laws = vec![Laws { normal, friction, facets }; problem.pairs.len()];
            let exact = jacobian(problem, &laws, z);
            let size = exact.amax();
            for j in 0..problem.n_unknowns() {
                let step = 1e-6;
                let (mut plus, mut minus) = (z.clone(), z.clone());
                plus[j] += step;
                minus[j] -= step;
                if is_held_at(problem, &laws, j) {
                    continue; // A held unknown has a row of its own in the matrix.
                }
                let difference =
                    (residual(problem, &laws, &plus) - residual(problem, &laws, &minus)) / (2.0 * step);
                let error = (difference - exact.column(j)).amax();
                assert!(error < 1e-8 * size, "column {j}: {error} against size {size}");
            }
        }
    }

    fn is_held_at(problem: &ReferenceProblem, laws: &[Laws], j: usize) -> bool {
        let mut pairs = problem.pairs.iter().zip(laws);
        pairs.any(|(pair, laws)| {
            j >= pair.offset && j < pair.offset + pair.n_unknowns() && is_held(pair, *laws, j - pair.offset)
        })
    }
}
