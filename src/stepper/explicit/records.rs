//! Contact records of the geometrically explicit models.

use crate::contact::tolerances::FEATURE_MARGIN;
use crate::contact::touching::{touch, touch_of_points};
use crate::contact::{BodyModel, FeatureSearch, MovedPart, Pair};
use crate::step::{ContactRecord, ContactState, JointRecord, Span, StepPhase};
use crate::stepper::explicit::PointCone;
use crate::stepper::formulation::StepEnd;
use crate::stepper::island::Island;
use crate::stepper::joints::placement;
use crate::stepper::parameters::CREEP;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::{Pose, Touch};
use signorini_ncp::problem::STICKS_BELOW;
use signorini_scene::scene::State;

/// Writes one record per contact point: the impulses as the model applied them, along the normal of the
/// start, at the contact point of the start carried along with the bodies (the mean of both where both move).
/// The gap is that of the pair at the end of the step. Features that touch are found from the points that
/// carry load, or are lowest by the linearised gap: at the true end pose the points of a face that comes down
/// lie at different heights, of second order in h.
pub(super) fn write_contacts(
    islands: &mut [Box<Island>],
    context: &StepContext<'_>,
    end: &StepEnd,
    records: &mut Vec<ContactRecord>,
) {
    let (after, end) = (&end.state, &end.parts.parts);
    records.clear();
    let (models, before, h) = (context.models, context.poses, context.time_step);
    let mut search = FeatureSearch::default();
    let mut points = Vec::new();
    for island in islands {
        let problem = &island.problem.problem;
        let mut rates = vec![0.0; problem.n_rows()];
        problem.response(&island.iterate.velocity, &mut rates);
        rates.iter_mut().zip(&island.problem.prescribed_slip).for_each(|(rate, held)| *rate += held);
        let mut cones = problem.cones.iter().zip(&problem.at.units.cones);
        for pair in &mut island.problem.pairs {
            let moved = carried(pair, &models.bodies, before, after);
            let first = records.len();
            points.clear();
            for (point, (cone, unit)) in PointCone::of(pair).zip(&mut cones) {
                let rows = cone.row..cone.row + cone.n_rows();
                let weight = problem.at.weight.get(cone.friction().start).copied().unwrap_or(0.0);
                let creep = CREEP * unit / weight;
                let (x, rates) = (&island.iterate.impulse[rows.clone()], &rates[rows]);
                points.push((point.arms, point.gap.max(0.0) + h * rates[0], x[0] > 0.0));
                let mut record = record(pair, &point, x, rates, creep);
                record.ecp += before[pair.body_b].position + moved;
                if let Some(shift) = models.shift(pair.image) {
                    record.ecp += shift;
                }
                records.push(record);
            }
            let [at_start, at_end] =
                [context.placed, end.as_slice()].map(|placed| models.sides(pair, placed));
            let of_points = touch_of_points(&points, &at_start[0], &at_start[1]);
            let frame = pair.frame;
            let [a, b] = at_end;
            pair.begin(&a, &b, FEATURE_MARGIN * a.model.smaller_size(b.model), &mut search);
            pair.frame = frame;
            let touch = if pair.manifold.is_some() { of_points } else { touch(pair, &a, &b, 0.0) };
            for record in &mut records[first..] {
                (record.gap, record.touch) = (pair.geometry.gap, touch);
            }
        }
    }
    // Stable: the points of a pair stay in their order.
    records.sort_by_key(ContactRecord::key);
}

fn carried(pair: &Pair, models: &[BodyModel], before: &[Pose], after: &State) -> Vector3<f64> {
    let moved = |id: usize| after.poses[id].position - before[id].position;
    match [pair.body_a, pair.body_b].map(|id| models[id].fixed) {
        [true, _] => moved(pair.body_b),
        [_, true] => moved(pair.body_a),
        _ => (moved(pair.body_a) + moved(pair.body_b)) * 0.5,
    }
}

/// Makes the record of one contact point, with the ECP still relative to body B.
fn record(pair: &Pair, point: &PointCone, x: &[f64], rates: &[f64], creep: f64) -> ContactRecord {
    let friction = x[1..].iter().map(|x| x * x).sum::<f64>().sqrt();
    let radius = pair.friction.coefficient * x[0];
    let slip_speed = rates[1..].iter().map(|w| w * w).sum::<f64>().sqrt();
    // Friction on a polygon is inside the ball while it slips.
    let sticks = x.len() == 1 && radius == 0.0 || friction < radius * STICKS_BELOW && slip_speed < creep;
    let [t, o] = point.tangents(pair);
    let row = |k: usize| x.get(k).copied().unwrap_or(0.0);
    ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        part_a: pair.part_a,
        part_b: pair.part_b,
        image: pair.image,
        ecp: point.arms[1],
        normal: point.normal,
        tangent: t.normalize(),
        gap: point.gap,
        normal_impulse: x[0],
        friction_impulse: t * row(1) + o * row(2),
        torsional_impulse: pair.friction.torsional.of_point() * row(3),
        torsional_radius: pair.friction.torsional.of_point(),
        rolling_impulse: Vector3::zeros(),
        cohesion_impulse: 0.0,
        slip_speed,
        state: match (x[0] > 0.0, sticks) {
            (false, _) => ContactState::Open,
            (true, true) => ContactState::Stick,
            (true, false) => ContactState::Slip,
        },
        span: Span::WHOLE,
        phase: StepPhase::Whole,
        acting: None,
        touch: Touch::default(), // The touch is that of the whole pair; the caller sets it.
    }
}

/// Writes the records of the joints, with the impulses at the gradients of the start.
pub(super) fn write_joints(
    islands: &[Box<Island>],
    context: &StepContext<'_>,
    end: &[MovedPart],
    records: &mut Vec<JointRecord>,
) {
    records.clear();
    for memory in islands.iter().flat_map(|island| &island.problem.joint_memory) {
        let joint = &context.joints[memory.joint];
        let [start, end] =
            [context.placed, end].map(|p| joint.bodies.map(|id| placement(context.models.body_at(id, p))));
        records.push(joint.record(memory.joint, &memory.impulse, &start, &end, Span::WHOLE));
    }
    records.sort_unstable_by_key(|record| record.joint);
}
