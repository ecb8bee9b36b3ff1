//! Data of each pair for a step of the staggered integrator, with geometry at its start.

use crate::contact::Pair;
use crate::contact::pair::stagger::Stagger;
use crate::stepper::parameters::{BLEND_RANGE, CORNER_SINE, RESOLVED_CHI, TOUCHING_GAP};
use crate::stepper::staggered::Workspace;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix2, Matrix3, Vector3};
use signorini_geometry::pose::cross_matrix;

/// Sets the data of each pair for a step, with geometry at its start, after a step of `last` seconds; where
/// the step is solved `again`, only the data of added pairs.
pub(in crate::stepper) fn begin_pairs(
    pairs: &mut [Box<Pair>],
    context: &StepContext<'_>,
    last: f64,
    again: bool,
    Workspace { loads, .. }: &mut Workspace,
) {
    let StepContext { velocities, time_step: h, .. } = *context;
    let rests =
        |id: usize| velocities[id].linear == Vector3::zeros() && velocities[id].angular == Vector3::zeros();
    for pair in pairs.iter_mut().filter(|p| !again || p.stagger.is_none()) {
        let before = pair.stagger.as_deref().copied().unwrap_or_default();
        let was_open = pair.impulse[0] <= 0.0;
        let [a, b] = context.sides_at_start(pair);
        let size = a.model.smaller_size(b.model);
        let has_corner = mark_start(pair, size, loads);
        let theta = if was_open || has_corner || last == 0.0 {
            1.0
        } else if before.theta < 1.0 && pair.stagger.is_some() && rests(pair.body_a) && rests(pair.body_b) {
            // Neither body has moved: θ stays.
            before.theta
        } else {
            let chi = h * h * rolling_rate(pair, context, pair.impulse[0] / last, loads);
            // A NaN counts as unresolved, and so damps.
            let theta = (chi - RESOLVED_CHI) / BLEND_RANGE;
            if theta.is_nan() { 1.0 } else { theta.clamp(0.0, 1.0) }
        };
        let start = pair.geometry.acting_point();
        let (slip_turn_used, last_slip_used) = (before.slip_turn, before.last_slip);
        let grain = pair.friction_direction(a.moved, b.moved);
        **pair.stagger.get_or_insert_default() = Stagger {
            theta,
            was_open,
            start,
            friction_direction: grain,
            slip_turn_used,
            last_slip_used,
            ..before
        };
    }
}

/// Sets the start of those contact points of a flat pair that touch at the start; `loads` gets their impulses
/// of the last step. Returns whether they push along several normals, as at a corner, where contact points
/// jump.
fn mark_start(pair: &mut Pair, size: f64, loads: &mut Vec<f64>) -> bool {
    loads.clear();
    let Some(manifold) = &mut pair.manifold else { return false };
    let mut is_corner = false;
    let mut first: Option<Vector3<f64>> = None;
    for point in &mut manifold.points {
        let was_loaded = point.impulse > 0.0;
        let touches = was_loaded || point.geometry.gap <= TOUCHING_GAP * size;
        point.start = touches.then(|| point.acting_point());
        loads.push(point.impulse);
        if was_loaded {
            let normal = *first.get_or_insert(point.geometry.normal);
            is_corner |= normal.cross(&point.geometry.normal).norm() > CORNER_SINE;
        }
    }
    is_corner
}

/// The largest square of an angular frequency (1/s²) at which one of the bodies rolls to and fro under the
/// normal force: the largest eigenvalue of I_c⁻¹ K about the two tangential axes, K = f [n]× ∂r/∂(rolling),
/// I_c the inertia about the contact.
fn rolling_rate(pair: &Pair, context: &StepContext<'_>, force: f64, loads: &[f64]) -> f64 {
    let g = &pair.geometry;
    let ids = [pair.body_a, pair.body_b];
    let [a, b] = context.sides_at_start(pair);
    let tangent = pair.tangent(&a, &b, loads, &mut |_, _| ());
    let sides = [(&tangent.arm_a, &g.arm_a, -g.normal), (&tangent.arm_b, &g.arm_b, g.normal)];
    let mut fastest = 0.0_f64;
    for (side, (slope, arm, normal)) in sides.into_iter().enumerate() {
        let model = &context.models.bodies[ids[side]];
        if model.fixed {
            continue;
        }
        let rolled = slope[2 * side + 1] + slope[2 * side] * cross_matrix(arm);
        let stiffness = cross_matrix(&normal) * rolled * force;
        let rotation = &[a, b][side].moved.rotation;
        let about = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
        let inertia = rotation * model.inertia * rotation.transpose() + about * model.mass;
        let flat = |m: &Matrix3<f64>| {
            let (t, o) = (&g.tangent_t, &g.tangent_o);
            Matrix2::new(t.dot(&(m * t)), t.dot(&(m * o)), o.dot(&(m * t)), o.dot(&(m * o)))
        };
        let Some(inverse) = flat(&inertia).try_inverse() else { continue };
        let m = inverse * flat(&stiffness);
        let (half, determinant) = (0.5 * m.trace(), m.determinant());
        fastest = fastest.max(half + (half * half - determinant).max(0.0).sqrt());
    }
    fastest
}
