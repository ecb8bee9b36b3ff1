//! Lower bounds of the gaps of all candidate pairs, which a backend computes at once.

use crate::contact::Pair;
use crate::stepper::device::pair_batch::{body_state, is_smooth};
use crate::stepper::step_context::StepContext;
use nalgebra::Matrix3;
use signorini_backend::{Batch, Precision};
use signorini_geometry::Velocity;
use signorini_kernels::types::{PairKey, PairState};

/// Lower bounds of the gaps of all candidates at the start of the step; None where a pair is not smooth.
/// Empty without an exact backend.
pub fn bounds(context: &StepContext<'_>, pairs: &[Box<Pair>]) -> Vec<Option<f64>> {
    let Some(backend) = context.backend.filter(|b| b.precision() == Precision::F64) else {
        return Vec::new();
    };
    let mut batch = Batch { time_step: context.time_step, ..Batch::default() };
    let mut place = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let smooth = is_smooth(context, pair);
        place.push(smooth.then_some(batch.pairs.len()));
        if !smooth {
            continue;
        }
        let parts = context.models.parts_of(pair);
        let sides = context.sides_at_start(pair);
        let [a, b] = sides.map(|side| side.moved);
        let [body_a, body_b] = parts.map(|part| part as u32);
        let flags = if a.plane.is_some() { PairKey::PLANE } else { 0 };
        batch.keys.push(PairKey { body_a, body_b, flags });
        batch.pairs.push(PairState {
            offset: sides[0].way_to(&sides[1]).into(),
            start: a.plane.map_or(pair.geometry.normal, |p| p.0).into(),
            height: [a.plane.map_or(0.0, |(n, offset)| n.dot(&b.position) - offset)],
            ..PairState::filled(0.0)
        });
    }
    let still = Velocity::default();
    batch.bodies.extend(context.placed.iter().map(|part| body_state(part, &still, &Matrix3::identity())));
    let mut found = Vec::new();
    if batch.pairs.is_empty() || !backend.bounds(&batch, &mut found) {
        return Vec::new();
    }
    place.into_iter().map(|place| place.map(|k| found[k])).collect()
}
