//! Results of a solved step for each pair: its record, and the warm start from which the next step starts.

use super::equations::{end_poses, pair_state};
use super::facet_block::FacetBlock;
use super::facet_start::FacetWarmStart;
use super::norms::scaled_friction;
use super::prediction::PairWarmStart;
use super::problem::{Pair, ReferenceProblem};
use super::surfaces::EndPose;
use super::system::gather;
use super::unknowns::{A1, A2, D, P_N, P_T, PAIR_UNKNOWNS};
use crate::step::{ContactRecord, ContactState, Span, StepPhase};
use nalgebra::{DVector, Vector3};
use signorini_geometry::Touch;

/// Largest normal impulse over p_ref that counts as none.
const OPEN: f64 = 1e-12;
/// Largest relative distance of the friction from its bound at which the contact slips.
const SLIPS: f64 = 1e-8;

/// Makes the record of a pair, and its warm start.
pub(super) fn record_pair(
    problem: &ReferenceProblem,
    i_pair: usize,
    z: &DVector<f64>,
) -> (ContactRecord, PairWarmStart) {
    let pair = &problem.pairs[i_pair];
    let own = z.rows(pair.offset, pair.n_unknowns());
    let local = gather(problem, i_pair, z);
    let state = pair_state(problem, pair, &local);
    let p = Vector3::new(own[P_T], own[P_T + 1], own[P_T + 2]);
    let (u, w) = scaled_friction(pair, &p, &state.slip);
    let normal_impulse = own[P_N].max(0.0);
    let limit = pair.friction.coefficient * normal_impulse;
    let contact_state = if normal_impulse <= OPEN * problem.reference_impulse {
        ContactState::Open
    } else if u.norm() < limit * (1.0 - SLIPS) {
        ContactState::Stick
    } else {
        ContactState::Slip
    };
    let a1: Vector3<f64> = own.fixed_rows::<3>(A1).into();
    let a2: Vector3<f64> = own.fixed_rows::<3>(A2).into();
    let touch = if pair.has_facets() && contact_state != ContactState::Open {
        FacetBlock::new(problem, pair, &end_poses(problem, pair, &local), &local).touch()
    } else {
        Touch::default()
    };
    let record = ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        image: [0; 3],
        part_a: 0,
        part_b: 0,
        ecp: (a1 + a2) * 0.5,
        normal: state.normal,
        tangent: state.tangents[0],
        gap: own[D],
        normal_impulse,
        friction_impulse: state.tangents[0] * p.x + state.tangents[1] * p.y,
        torsional_impulse: p.z,
        torsional_radius: pair.friction.torsional.of_point(),
        rolling_impulse: Vector3::zeros(),
        cohesion_impulse: 0.0,
        slip_speed: w.norm(),
        state: contact_state,
        span: Span::WHOLE,
        phase: StepPhase::Whole,
        acting: None,
        touch,
    };
    let facets = (pair.has_facets() && normal_impulse > 0.0)
        .then(|| facet_warm_start(problem, pair, z, [a1, a2], state.normal_length));
    let warm_start = PairWarmStart {
        normal: record.normal,
        normal_impulse,
        friction_impulse: record.friction_impulse,
        torsional_impulse: p.z,
        facets,
    };
    (record, warm_start)
}

/// Returns points and multipliers of several facets, in the frames of their bodies at the end of the step and
/// in the units of the block that is not the printed one.
fn facet_warm_start(
    problem: &ReferenceProblem,
    pair: &Pair,
    z: &DVector<f64>,
    points: [Vector3<f64>; 2],
    length: f64,
) -> FacetWarmStart {
    let bodies = [pair.body_a, pair.body_b];
    let local = |side: usize| {
        let (linear, angular) = problem.velocity(z, bodies[side]);
        let pose = EndPose::new(problem, bodies[side], &linear, &angular);
        pose.rotation.tr_mul(&(points[side] - pose.centre))
    };
    let own = z.rows(pair.offset + PAIR_UNKNOWNS, pair.n_multipliers());
    let multiplier = |(i, l): (usize, &f64)| if pair.printed == Some(i) { 1.0 } else { *l } / length;
    let multipliers = own.iter().enumerate().map(multiplier).collect();
    FacetWarmStart { points: [local(0), local(1)], multipliers }
}
