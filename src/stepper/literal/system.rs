//! The whole system of a step in dimensionless rows, and its Jacobian.

use super::equations::{Laws, body_values, pair_values};
use super::joints;
use super::layout::{BODY_UNKNOWNS, D, LOCAL, P_T, PAIR_UNKNOWNS, SIGMA, StepProblem};
use nalgebra::{DMatrix, DVector, SVector};
use num_dual::DualSVec64;

/// Φ(z): momentum rows / p_ref (angular / (p_ref L)), then the rows of each pair.
pub(super) fn residual(problem: &StepProblem, laws: &[Laws], z: &DVector<f64>) -> DVector<f64> {
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
        phi.fixed_rows_mut::<PAIR_UNKNOWNS>(problem.pair_offset(i_pair)).copy_from(&values.rows);
    }
    joints::add_residual(problem, z, |i| momentum_scale(problem, i), &mut phi);
    phi
}

/// ∂Φ/∂z by forward-mode dual numbers: exact to rounding.
pub(super) fn jacobian(problem: &StepProblem, laws: &[Laws], z: &DVector<f64>) -> DMatrix<f64> {
    let n = problem.n_unknowns();
    let mut matrix = DMatrix::zeros(n, n);
    for body in &problem.bodies {
        if let Some(k) = body.unknown {
            let velocity = SVector::<DualSVec64<BODY_UNKNOWNS>, BODY_UNKNOWNS>::from_fn(|i, _| {
                DualSVec64::from_re(z[k + i]).derivative(i)
            });
            let values = body_values(problem, body, &velocity);
            for i in 0..BODY_UNKNOWNS {
                add_row(&mut matrix, k + i, momentum_scale(problem, i), &values[i], |j| Some(k + j));
            }
        }
    }
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let places = problem.local_places(i_pair);
        let point = gather(problem, i_pair, z);
        let local =
            SVector::<DualSVec64<LOCAL>, LOCAL>::from_fn(|i, _| DualSVec64::from_re(point[i]).derivative(i));
        let values = pair_values(problem, pair, laws[i_pair], &local);
        for (body, wrench) in [(pair.body_a, &values.wrench_a), (pair.body_b, &values.wrench_b)] {
            if let Some(k) = problem.bodies[body].unknown {
                for i in 0..BODY_UNKNOWNS {
                    let scale = -momentum_scale(problem, i);
                    add_row(&mut matrix, k + i, scale, &wrench[i], |j| places[j]);
                }
            }
        }
        let offset = problem.pair_offset(i_pair);
        for i in 0..PAIR_UNKNOWNS {
            add_row(&mut matrix, offset + i, 1.0, &values.rows[i], |j| places[j]);
        }
    }
    joints::add_jacobian(problem, z, |i| momentum_scale(problem, i), &mut matrix);
    matrix
}

/// Adds scale × the gradient of a dual number to a row; columns without a place belong to fixed bodies.
fn add_row<const N: usize>(
    matrix: &mut DMatrix<f64>,
    row: usize,
    scale: f64,
    value: &DualSVec64<N>,
    place: impl Fn(usize) -> Option<usize>,
) {
    if let Some(gradient) = &value.eps.0 {
        for j in 0..N {
            if let Some(column) = place(j) {
                matrix[(row, column)] += scale * gradient[j];
            }
        }
    }
}

/// The unknowns that a pair sees; a body that is fixed has the velocity of its prescribed motion.
pub(super) fn gather(problem: &StepProblem, pair: usize, z: &DVector<f64>) -> SVector<f64, LOCAL> {
    let places = problem.local_places(pair);
    let bodies = [problem.pairs[pair].body_a, problem.pairs[pair].body_b].map(|id| &problem.bodies[id]);
    let held = |i: usize| {
        let (body, i) = (bodies[i / BODY_UNKNOWNS], i % BODY_UNKNOWNS);
        if i < 3 { body.linear[i] } else { body.angular[i - 3] }
    };
    SVector::from_fn(|i, _| places[i].map_or_else(|| held(i), |k| z[k]))
}

fn momentum_scale(problem: &StepProblem, row: usize) -> f64 {
    if row < 3 { 1.0 / problem.reference_impulse } else { 1.0 / (problem.reference_impulse * problem.size) }
}

/// The unit of each unknown: a damped step is measured in these.
pub(super) fn units(problem: &StepProblem) -> DVector<f64> {
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
        for i in 0..PAIR_UNKNOWNS {
            units[offset + i] = match i {
                0..=D => scale.travel,
                SIGMA => scale.speed,
                i if i == P_T + 2 && pair.friction.torsional > 0.0 => scale.impulse * pair.friction.torsional,
                _ => scale.impulse,
            };
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::super::equations::{FrictionLaw, NormalLaw};
    use super::super::tests::anisotropic_problem;
    use super::*;

    #[test]
    fn jacobian_is_the_derivative_of_the_residual() {
        let (problem, z) = anisotropic_problem();
        for (normal, friction) in [
            (NormalLaw::Complementary, FrictionLaw::Complementary),
            (NormalLaw::Touching, FrictionLaw::Sticking),
            (NormalLaw::Touching, FrictionLaw::Slipping),
            (NormalLaw::Apart, FrictionLaw::Absent),
        ] {
            let laws = vec![Laws { normal, friction }; problem.pairs.len()];
            let exact = jacobian(&problem, &laws, &z);
            let size = exact.amax();
            for j in 0..problem.n_unknowns() {
                let step = 1e-6;
                let (mut plus, mut minus) = (z.clone(), z.clone());
                plus[j] += step;
                minus[j] -= step;
                let difference =
                    (residual(&problem, &laws, &plus) - residual(&problem, &laws, &minus)) / (2.0 * step);
                let error = (difference - exact.column(j)).amax();
                assert!(error < 1e-8 * size, "column {j}: {error} against size {size}");
            }
        }
    }
}
