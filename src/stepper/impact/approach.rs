//! Velocities with which contact points close, contact points that strike, and their least impulses in an
//! expansion.

use super::arrival::arriving;
use crate::contact::Pair;
use crate::stepper::island::assemble::pair_rows::PairRows;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::{AT_THRESHOLD, CLOSED_GAP, EQUAL_NORMALS_COSINE, RESTING_STEPS};
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::Iterate;
use signorini_scene::scene::friction::ImpactLaw;

/// Approach of the contact points of an island with its bodies at the end of a step, per row of the problem.
#[derive(Debug)]
pub(super) struct Approach {
    /// Velocity of bodies with prescribed motion along the normal, as it enters u⁻ (m/s); 0 for rows that are
    /// no contact points.
    pub prescribed: Vec<f64>,
    /// Rebound velocity −e u⁻ ≥ 0 (m/s), u⁻ as [`arriving`].
    pub rebound: Vec<f64>,
    /// Whether the row may carry load.
    pub active: Vec<bool>,
}

impl Approach {
    /// Finds the approach in an island whose problem is linearised at the end of its step, with the
    /// velocities `before` the step and the velocities `free` at its end that no contact changed.
    pub fn of(
        (island, at): (&IslandProblem, &Iterate),
        context: &StepContext<'_>,
        before: &[f64],
        free: &[f64],
    ) -> Self {
        let n = island.problem.n_rows();
        let mut approach = Self { prescribed: vec![0.0; n], rebound: vec![0.0; n], active: vec![true; n] };
        (0..island.pairs.len()).for_each(|c| approach.take((island, at), context, c, [before, free]));
        approach
    }

    /// Fills the rows of pair c.
    fn take(
        &mut self,
        (island, at): (&IslandProblem, &Iterate),
        context: &StepContext<'_>,
        c: usize,
        [before, free]: [&[f64]; 2],
    ) {
        let (cone, pair) = (island.problem.cones[c], &island.pairs[c]);
        let prescribed = prescribed(island, context, c);
        let law = &pair.friction.restitution;
        let rebounds =
            fastest((island, at), c, before, &prescribed) > slowest(pair, context).max(law.threshold);
        for (k, row) in cone.reserved().enumerate() {
            self.active[row] = is_closed((island, at), context, c, row);
            if !self.active[row] {
                continue;
            }
            self.prescribed[row] = prescribed.get(k).copied().unwrap_or(0.0);
            if rebounds && law.law == ImpactLaw::Newton {
                let own = self.prescribed[row];
                let [start, end, led] =
                    [before, free, &at.velocity].map(|v| normal_speed(island, c, k, v) + own);
                let speed = arriving(start, end - start, pair.manifold.is_none().then_some(led));
                self.rebound[row] = law.coefficient * (-speed).max(0.0);
            }
        }
    }
}

/// Whether anything strikes at the end of the step of an island.
pub(super) fn strikes(
    (island, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    before: &[f64],
) -> bool {
    (0..island.pairs.len()).any(|c| {
        let least = slowest(&island.pairs[c], context);
        fastest((island, at), c, before, &prescribed(island, context, c)) > least
    })
}

/// Pairs for which an arbitrarily small change decides whether they strike, or whether they rebound.
pub fn at_threshold((island, at): (&IslandProblem, &Iterate), context: &StepContext<'_>) -> Vec<[usize; 2]> {
    let before = before(island, context);
    let at_threshold = |c: usize| {
        let pair = &island.pairs[c];
        let speed = fastest((island, at), c, &before, &prescribed(island, context, c));
        let least = slowest(pair, context);
        let limits = [least, pair.friction.restitution.threshold.max(least)];
        let is_near = |limit: &f64| *limit > 0.0 && (speed - limit).abs() <= AT_THRESHOLD * limit;
        limits.iter().any(is_near).then_some([pair.body_a, pair.body_b])
    };
    (0..island.pairs.len()).filter_map(at_threshold).collect()
}

/// Velocities before the step, after the impulses that act once at its start.
pub fn before(island: &IslandProblem, context: &StepContext<'_>) -> Vec<f64> {
    let mut before = Vec::with_capacity(BLOCK * island.bodies.len());
    for (local, &id) in island.bodies.iter().enumerate() {
        let (v, loads) = (&context.velocities[id], context.loads);
        let linear = v.linear + loads.linear_impulse[id] / context.models.bodies[id].mass;
        let inverse = island.problem.mass_inverse[local].fixed_view::<3, 3>(3, 3).into_owned();
        let angular = v.angular + inverse * loads.angular_impulse[id];
        before.extend(linear.iter().chain(angular.iter()));
    }
    before
}

/// Least impulses e Λ_c per row (N s) of contacts by Poisson's law in the expansion. e counts where bodies
/// approach as fast as [`Approach`] asks, or where the compression changes their relative velocity by more
/// than that.
pub(super) fn least_impulses(
    (island, compressed): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    before: &[f64],
) -> Vec<f64> {
    let mut least = vec![0.0; island.problem.n_rows()];
    for (c, pair) in island.pairs.iter().enumerate() {
        let (law, cone) = (&pair.friction.restitution, &island.problem.cones[c]);
        if law.law != ImpactLaw::Poisson || law.coefficient == 0.0 {
            continue;
        }
        let sum: f64 = compressed.impulse[cone.normal()].iter().sum();
        let moving = [pair.body_a, pair.body_b].into_iter().filter(|id| !context.models.bodies[*id].fixed);
        let change = moving.map(|id| sum / context.models.bodies[id].mass).sum::<f64>();
        let speed = fastest((island, compressed), c, before, &prescribed(island, context, c)).max(change);
        if speed > slowest(pair, context).max(law.threshold) {
            for row in cone.normal() {
                least[row] = law.coefficient * compressed.impulse[row];
            }
        }
    }
    least
}

/// Normal velocities of pair c due to bodies that forces do not move; empty where those rest.
fn prescribed(island: &IslandProblem, context: &StepContext<'_>, c: usize) -> Vec<f64> {
    let pair = &island.pairs[c];
    let cone = island.problem.cones[c];
    let mut speeds = Vec::new();
    for (side, id) in [pair.body_a, pair.body_b].into_iter().enumerate() {
        let v = &context.velocities[id];
        if island.local[c][side].is_some() || v.linear.norm() + v.angular.norm() == 0.0 {
            continue;
        }
        let mut rows = vec![0.0; BLOCK * cone.n_rows()];
        PairRows::new(pair, cone).write_jacobian(side, &mut rows);
        speeds.resize(cone.n_used, 0.0);
        for (speed, values) in speeds.iter_mut().zip(rows.chunks_exact(BLOCK)) {
            let six = v.linear.iter().chain(v.angular.iter());
            *speed += values.iter().zip(six).map(|(a, b)| a * b).sum::<f64>();
        }
    }
    speeds
}

/// Largest −u⁻ of the loaded contact points of pair c (m/s).
fn fastest((island, at): (&IslandProblem, &Iterate), c: usize, before: &[f64], prescribed: &[f64]) -> f64 {
    let loaded = island.problem.cones[c].normal().enumerate();
    let loaded = loaded.filter(|(_, row)| at.impulse[*row] > 0.0);
    let speeds = loaded.map(|(k, _)| {
        let own = prescribed.get(k).copied().unwrap_or(0.0);
        -(normal_speed(island, c, k, before) + own)
    });
    speeds.fold(0.0, f64::max)
}

/// Normal velocity J_n v of normal row k of cone c.
fn normal_speed(island: &IslandProblem, c: usize, k: usize, v: &[f64]) -> f64 {
    let problem = &island.problem;
    let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
    blocks
        .map(|block| {
            let v = &v[BLOCK * problem.block_body[block]..][..BLOCK];
            let row = &problem.jacobian_block(c, block)[BLOCK * k..][..BLOCK];
            row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>()
        })
        .sum()
}

/// The first contact point with the largest of these loads.
pub(super) fn most_loaded(loads: &[f64]) -> usize {
    (0..loads.len()).fold(0, |most, k| if loads[k] > loads[most] { k } else { most })
}

fn is_closed(
    (island, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    c: usize,
    row: usize,
) -> bool {
    let problem = &island.problem;
    if !problem.cones[c].normal().contains(&row) || problem.at.weight[row] == 0.0 {
        return false;
    }
    let pair = &island.pairs[c];
    let [a, b] = island.placed_at_end(context, pair);
    let gap = problem.at.slip[row] * context.time_step;
    let is_loaded_or_touches = at.impulse[row] > 0.0 || gap <= CLOSED_GAP * a.model.smaller_size(b.model);
    if !is_loaded_or_touches {
        return false;
    }
    // A record has one normal and one wrench: points along other normals stay inactive, and so do points that
    // are beside one of the bodies.
    pair.manifold.as_ref().is_none_or(|manifold| {
        let loads = &at.impulse[problem.cones[c].normal()];
        let first = most_loaded(loads);
        let is_unloaded = loads[first] == 0.0;
        let most = if is_unloaded { pair.geometry.normal } else { manifold.points[first].geometry.normal };
        let k = row - problem.cones[c].row;
        manifold.points[k].geometry.normal.dot(&most) >= EQUAL_NORMALS_COSINE
            && manifold.could_carry_load(k, &a, &b, &pair.geometry.normal, loads)
    })
}

/// Velocity along the normal of a pair, as its geometry is, with which its bodies approached each other
/// before the step, after the impulses that act once at its start (m/s).
pub fn closing_speed(pair: &Pair, context: &StepContext<'_>) -> f64 {
    let geometry = &pair.geometry;
    let sides = [(pair.body_a, geometry.arm_a), (pair.body_b, geometry.arm_b)];
    let [of_a, of_b] = sides.map(|(id, arm)| {
        let (v, loads, model) = (&context.velocities[id], context.loads, &context.models.bodies[id]);
        if model.fixed {
            return v.linear + v.angular.cross(&arm);
        }
        let rotation = &context.body_at_start(id).rotation;
        let turned = rotation * (model.inverse_inertia * rotation.tr_mul(&loads.angular_impulse[id]));
        v.linear + loads.linear_impulse[id] / model.mass + (v.angular + turned).cross(&arm)
    });
    geometry.normal.dot(&(of_a - of_b))
}

/// Approach (m/s) up to which a pair counts as resting, with forces F and, where both bodies are straight
/// somewhere, spins ω:
/// ```text
/// 2 h Σ (|F|/m + |ω|² size)
/// ```
pub fn slowest(pair: &Pair, context: &StepContext<'_>) -> f64 {
    let moving = [pair.body_a, pair.body_b].into_iter().filter(|id| !context.models.bodies[*id].fixed);
    let acceleration: f64 = moving
        .map(|id| {
            let model = &context.models.bodies[id];
            let spins = pair.manifold.is_some();
            let spin = if spins { context.velocities[id].angular.norm_squared() } else { 0.0 };
            context.loads.force[id].norm() / model.mass + spin * model.size
        })
        .sum();
    RESTING_STEPS * context.time_step * acceleration
}
