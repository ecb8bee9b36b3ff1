//! The project's norms of a step (scaled momentum rows and natural maps), evaluated on a literal solution.

use super::equations::{PairState, body_values, end_poses, pair_state};
use super::facet_block::FacetBlock;
use super::joints;
use super::problem::{Pair, ReferenceProblem};
use super::system::gather;
use super::unknowns::{A1, A2, BODY_UNKNOWNS, D, P_N, P_T, PAIR_UNKNOWNS, stack};
use nalgebra::{DVector, SVector, Vector3};
use signorini_ncp::solver::Residual;

/// Columns of W of a pair in the order n, e_t t, e_o o, e_r n, for A and for B.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// Columns acting on A.
    pub a: [SVector<f64, BODY_UNKNOWNS>; 4],
    /// Columns acting on B.
    pub b: [SVector<f64, BODY_UNKNOWNS>; 4],
}

impl Columns {
    /// Evaluates the columns at a pair's end pose.
    pub fn new(pair: &Pair, state: &PairState<f64>) -> Self {
        let n = state.normal;
        let [t, o] = state.tangents;
        let e = &pair.friction;
        let force = [n, t * e.tangential[0], o * e.tangential[1]];
        let columns = |arm: &Vector3<f64>, sign: f64| {
            let mut list = [SVector::zeros(); 4];
            for i in 0..3 {
                list[i] = stack(&force[i], &arm.cross(&force[i])) * sign;
            }
            list[3] = stack(&Vector3::zeros(), &(n * e.torsional.of_point())) * sign;
            list
        };
        Self { a: columns(&state.arms[0], -1.0), b: columns(&state.arms[1], 1.0) }
    }

    /// Diagonal of Wᵀ M⁻¹ W (1/kg).
    pub fn diagonal(&self, problem: &ReferenceProblem, pair: &Pair) -> [f64; 4] {
        std::array::from_fn(|i| {
            self.a[i].dot(&problem.mobility(pair.body_a, &self.a[i]))
                + self.b[i].dot(&problem.mobility(pair.body_b, &self.b[i]))
        })
    }
}

/// Projects u on the ball |·| ≤ radius.
pub(super) fn project(u: Vector3<f64>, radius: f64) -> Vector3<f64> {
    let size = u.norm();
    if size <= radius { u } else { u * (radius.max(0.0) / size) }
}

/// Step scales r_n = 1/D_n and r_t = 3/(D_t + D_o + D_r) of the natural maps (kg).
pub(super) fn map_scales(diagonal: &[f64; 4]) -> (f64, f64) {
    (1.0 / diagonal[0], 3.0 / (diagonal[1] + diagonal[2] + diagonal[3]))
}

/// Scaled friction u = (p_t/e_t, p_o/e_o, p_r/e_r) and slip w = (e_t v_t, e_o v_o, e_r ω_n).
pub(super) fn scaled_friction(
    pair: &Pair,
    p: &Vector3<f64>,
    slip: &[f64; 3],
) -> (Vector3<f64>, Vector3<f64>) {
    let e = [pair.friction.tangential[0], pair.friction.tangential[1], pair.friction.torsional.of_point()];
    let u = Vector3::from_fn(|i, _| if e[i] > 0.0 { p[i] / e[i] } else { 0.0 });
    let w = Vector3::from_fn(|i, _| e[i] * slip[i]);
    (u, w)
}

/// Norms of an iterate.
#[derive(Debug, Clone, Copy)]
pub(super) struct IterateNorms {
    /// Residual relative to max(p_ref, max p).
    pub residual: Residual,
    /// Whether the closest-point equations hold, normals are opposite and no gap is below −1e-8 of the size.
    pub admissible: bool,
}

impl IterateNorms {
    /// Number by which iterates are compared: the largest residual, infinite when inadmissible.
    pub fn worst(&self) -> f64 {
        let worst = self.residual.max();
        if self.admissible && worst.is_finite() { worst } else { f64::INFINITY }
    }
}

/// Evaluates the norms at z.
pub(super) fn judge(problem: &ReferenceProblem, z: &DVector<f64>) -> IterateNorms {
    let p_ref = problem.reference_impulse;
    let mut momentum = DVector::<f64>::zeros(BODY_UNKNOWNS * problem.n_moving);
    for body in &problem.bodies {
        if let Some(k) = body.unknown {
            let velocity = z.fixed_rows::<BODY_UNKNOWNS>(k).into_owned();
            momentum.fixed_rows_mut::<BODY_UNKNOWNS>(k).copy_from(&body_values(problem, body, &velocity));
        }
    }
    let mut residual = Residual::default();
    let mut largest_impulse: f64 = 0.0;
    let mut admissible = z.iter().all(|x| x.is_finite());
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let local = gather(problem, i_pair, z);
        let own = z.fixed_rows::<PAIR_UNKNOWNS>(problem.pair_offset(i_pair));
        let state = pair_state(problem, pair, &local);
        let (gap, p_n) = (own[D], own[P_N]);
        let p = Vector3::new(own[P_T], own[P_T + 1], own[P_T + 2]);
        let force = state.normal * p_n + state.tangents[0] * p.x + state.tangents[1] * p.y;
        for (side, sign, body) in [(0, -1.0, pair.body_a), (1, 1.0, pair.body_b)] {
            if let Some(k) = problem.bodies[body].unknown {
                let moment = state.arms[side].cross(&force) + state.normal * p.z;
                let mut rows = momentum.fixed_rows_mut::<BODY_UNKNOWNS>(k);
                rows -= stack(&force, &moment) * sign;
            }
        }
        let (r_n, r_t) = map_scales(&Columns::new(pair, &state).diagonal(problem, pair));
        let (u, w) = scaled_friction(pair, &p, &state.slip);
        let open = p_n.min(r_n * gap / problem.time_step);
        let mapped = project(u - w * r_t, pair.friction.coefficient * p_n.max(0.0));
        residual.complementarity = residual.complementarity.max(open.abs() / p_ref);
        residual.friction = residual.friction.max((u - mapped).norm() / p_ref);
        largest_impulse = largest_impulse.max(p_n.abs()).max(u.norm());
        let offset: Vector3<f64> = own.fixed_rows::<3>(A2) - own.fixed_rows::<3>(A1) - state.normal * gap;
        admissible &= if pair.has_facets() {
            facets_hold(problem, i_pair, z, gap)
        } else {
            offset.norm() < 1e-10 * pair.scale.size && is_admissible(pair, &state, gap)
        };
    }
    let [law, largest] = joints::judge(problem, z, &mut momentum);
    residual.complementarity = residual.complementarity.max(law);
    largest_impulse = largest_impulse.max(largest);
    for (i, row) in momentum.iter().enumerate() {
        let length = if i % BODY_UNKNOWNS < 3 { 1.0 } else { problem.size };
        residual.momentum = residual.momentum.max(row.abs() / (p_ref * length));
    }
    let relative = p_ref / p_ref.max(largest_impulse);
    residual.momentum *= relative;
    residual.complementarity *= relative;
    residual.friction *= relative;
    IterateNorms { residual, admissible }
}

/// Rejects the other roots of the closest-point equations: equal instead of opposite normals, and points
/// on the far side, where d < 0.
fn is_admissible(pair: &Pair, state: &PairState<f64>, gap: f64) -> bool {
    let size = pair.scale.size;
    let on_surface = state.values[0].abs().max(state.values[1].abs()) < 1e-10 * size;
    let opposite = (state.normal + state.normal_b).norm() < 1e-9;
    on_surface && opposite && gap > -1e-8 * size
}

/// Whether closest points, multipliers and facets obey the block that the pair has, and the gap is not
/// negative.
fn facets_hold(problem: &ReferenceProblem, i_pair: usize, z: &DVector<f64>, gap: f64) -> bool {
    let pair = &problem.pairs[i_pair];
    let local = gather(problem, i_pair, z);
    let poses = end_poses(problem, pair, &local);
    let block = FacetBlock::new(problem, pair, &poses, &local);
    let reach = poses.iter().map(|p| p.centre.amax()).fold(0.0, f64::max);
    let near = FACETS * pair.scale.size + 16.0 * f64::EPSILON * reach;
    let [n, opposite] = block.normals;
    let apart = block.points[1] - block.points[0];
    let is_closest = match pair.printed {
        None => (apart - n * gap).norm() < near && (n.norm_squared() - 1.0).abs() < FACETS,
        Some(k) => {
            let outside = block.solids[0].outside(&block.points[1]);
            (apart - n * block.multipliers[0][k]).norm() < near && (outside - gap).abs() < near
        }
    };
    // Lengths over the size are compared with multipliers, which are dimensionless.
    let fits = |(i, (l, f)): (usize, (f64, f64))| {
        let l = if pair.printed == Some(i) { l / pair.scale.size } else { l };
        l.min(-f / pair.scale.size).abs() < near / pair.scale.size
    };
    is_closest
        && (n + opposite).norm() < FACETS * n.norm().max(1.0)
        && block.facets().enumerate().all(fits)
        && gap > -1e-8 * pair.scale.size
}

/// Tolerance of the equations of facets, lengths over the size.
const FACETS: f64 = 1e-11;

#[cfg(test)]
mod tests {
    use super::super::prediction::PairWarmStart;
    use super::super::solve::solve;
    use super::super::tests::anisotropic_problem;
    use super::super::unknowns::SIGMA;
    use super::*;

    #[test]
    fn norms_see_every_perturbation_of_a_solution() {
        let (problem, _) = anisotropic_problem();
        let warm_starts = vec![PairWarmStart::open(Vector3::z()); problem.pairs.len()];
        let solution = solve(&problem, &warm_starts, 2000);
        assert!(judge(&problem, &solution.z).worst() < 1e-11);
        assert!(solution.z[problem.pair_offset(0) + P_N] > 0.0, "the lower body hits the plane");
        for i in 0..problem.n_unknowns() {
            let place = i.checked_sub(BODY_UNKNOWNS * problem.n_moving).map(|k| k % PAIR_UNKNOWNS);
            if place == Some(SIGMA) {
                continue; // The norms recompute σ as |w|.
            }
            let mut z = solution.z.clone();
            z[i] += 1e-3;
            assert!(judge(&problem, &z).worst() > 1e-6, "unknown {i} is not seen");
        }
    }
}
