//! Contact and joint records of islands as their problems were linearised last.

mod broken;
mod impact;
mod mortar;
pub mod substeps;

use crate::contact::Pair;
use crate::contact::manifold::ContactManifold;
use crate::contact::touching::touch;
use crate::step::{Acting, ContactKey, ContactRecord, ContactState, JointRecord, Span, StepPhase};
use crate::stepper::blocks::velocity;
use crate::stepper::formulation::Records;
use crate::stepper::island::Island;
use crate::stepper::island::assemble::pair_rows::PairRows;
pub(in crate::stepper) use crate::stepper::island::records::broken::record_broken;
use crate::stepper::island::records::mortar::add_mortar;
use crate::stepper::joints::{CoupledEnd, add_reaction, placement};
use crate::stepper::parameters::JUDGED_PAIRS_PER_CHUNK;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_geometry::Touch;
use signorini_geometry::linkage::Placement;
use signorini_ncp::problem::STICKS_BELOW;
use signorini_ncp::threads;
use signorini_scene::scene::State;
use std::cmp::Ordering;

/// Friction rows of a pair: two tangents and torsion.
const FRICTION_ROWS: usize = 3;

/// Writes the contacts of all islands by bodies, then in time, and the substeps by island, then in time.
pub(in crate::stepper) fn write_records(
    groups: &mut [Box<Island>],
    context: &StepContext<'_>,
    after: &State,
    Records { contacts, substeps, order, .. }: &mut Records,
) {
    contacts.clear();
    substeps.clear();
    order.clear();
    for (i, island) in groups.iter_mut().enumerate() {
        island.record_impact_phases(context, after);
        if island.substep_records.is_empty() {
            let keys = island.problem.pairs.iter().map(|pair| key_of_record(pair)).enumerate();
            order.extend(keys.map(|(c, key)| (key, i, c)));
        } else {
            contacts.append(&mut island.substep_records.contacts);
            substeps.append(&mut island.substep_records.substeps);
        }
    }
    // Keys are sorted before their records are made, which are many times as large.
    order.sort_unstable();
    let (groups, is_mixed) = (&*groups, !contacts.is_empty());
    let portion = threads::portion(order.len(), JUDGED_PAIRS_PER_CHUNK);
    let all = order.par_iter().with_min_len(portion);
    contacts.par_extend(all.map(|(_, i, c)| record_pair(&groups[*i], context, after, (*c, Span::WHOLE))));
    if is_mixed {
        let in_phase = |r: &ContactRecord, s: &ContactRecord| (r.phase as u8).cmp(&(s.phase as u8));
        let in_order = |r: &ContactRecord, s: &ContactRecord| in_time(&r.span, &s.span).then(in_phase(r, s));
        contacts.sort_unstable_by(|r, s| r.key().cmp(&s.key()).then(in_order(r, s)));
    }
}

/// Key of the record of a pair.
fn key_of_record(pair: &Pair) -> ContactKey {
    ([pair.body_a, pair.body_b, pair.part_a, pair.part_b], pair.image)
}

/// Orders spans in time; an impact comes before the substep that begins at its instant.
fn in_time(a: &Span, b: &Span) -> Ordering {
    a.end.total_cmp(&b.end).then(a.start.total_cmp(&b.start))
}

/// Writes the joints of all islands by index, then in time.
pub(in crate::stepper) fn write_joints(
    groups: &mut [Box<Island>],
    context: &StepContext<'_>,
    records: &mut Vec<JointRecord>,
) {
    records.clear();
    for island in groups {
        if island.substep_records.joints.is_empty() {
            record_joints(island, context, Span::WHOLE, records);
        } else {
            records.append(&mut island.substep_records.joints);
        }
    }
    // Two impacts at one instant stay in their order.
    records.sort_by(|r, s| r.joint.cmp(&s.joint).then(in_time(&r.span, &s.span)));
}

/// Appends the joints of an island as its problem is linearised.
pub(in crate::stepper) fn record_joints(
    island: &Island,
    context: &StepContext<'_>,
    span: Span,
    records: &mut Vec<JointRecord>,
) {
    let first = records.len();
    for link in &island.problem.joint_memory {
        let joint = &context.joints[link.joint];
        let end = joint.bodies.map(|id| end_placement(island, context, id));
        let start = joint.bodies.map(|id| placement(context.body_at_start(id)));
        let theta = context.last_step.map(|_| if link.at_end { 1.0 } else { 0.0 });
        let acting = if theta == Some(0.0) { &start } else { &end };
        let record = joint.record(link.joint, &link.impulse, acting, &end, span);
        let turns = turns_at_end(island, context, link.joint, span, records);
        let record = add_mortar(record, link, context, &end);
        records.push(JointRecord { theta, turns, ..record });
    }
    add_couplings(island, context, &mut records[first..]);
}

/// Where a body is at the end of the step or substep.
fn end_placement(island: &Island, context: &StepContext<'_>, id: usize) -> Placement {
    match island.flat.is_solution {
        true => island.flat.placement_at_end(context, &island.problem.bodies, id),
        false => placement(island.problem.end_placement(context, id)),
    }
}

/// Adds the impulses of couplings to the joints that are followed.
fn add_couplings(island: &Island, context: &StepContext<'_>, records: &mut [JointRecord]) {
    for link in &island.problem.joint_memory {
        let couplings = &context.joints[link.joint].couplings;
        let of_joint = link.impulse.len() - couplings.len();
        for (coupling, x) in couplings.iter().zip(&link.impulse[of_joint..]).filter(|(_, x)| **x != 0.0) {
            let v = &island.iterate.velocity;
            let (ends, values) = island.problem.coupled_end(context, coupling, v);
            let (followed, x) = (&coupling.terms[1], coupling.factors(values)[1] * x);
            let is_it = |record: &&mut JointRecord| record.joint == followed.joint;
            let Some(record) = records.iter_mut().find(is_it) else { continue };
            let arm = record.point - ends[1].at[1].position;
            let reaction = [&mut record.force, &mut record.torque];
            add_reaction(&followed.row, &ends[1].at, x, &arm, reaction);
            record.coupling[followed.place()] += x;
        }
    }
}

/// Whole turns of a joint at the end of a span; an impact at that end adds none to those of the records.
fn turns_at_end(
    island: &Island,
    context: &StepContext<'_>,
    joint: usize,
    span: Span,
    records: &[JointRecord],
) -> i64 {
    let (place, model) = (joint, &context.joints[joint]);
    if !model.counts_turns {
        return 0;
    }
    if span.is_impact() {
        return records.iter().rev().find(|of| of.joint == place).map_or(context.turns[place], |of| of.turns);
    }
    let end = CoupledEnd {
        at: model.bodies.map(|id| placement(island.problem.end_placement(context, id))),
        velocity: model.bodies.map(|id| {
            let local = island.problem.local_of(context, id);
            local.map_or(context.velocities[id], |local| velocity(&island.iterate.velocity, local))
        }),
    };
    model.turns_at(&context.joint_start(model), &end, context.turns[place], context.time_step)
}

/// Appends the contacts of an island as its problem is linearised, at the end of `span`, with the bodies in
/// the state `end`.
pub(in crate::stepper) fn record_island(
    island: &Island,
    context: &StepContext<'_>,
    end: &State,
    span: Span,
    records: &mut Vec<ContactRecord>,
) {
    let portion = threads::portion(island.problem.bodies.len(), JUDGED_PAIRS_PER_CHUNK);
    let all = (0..island.problem.pairs.len()).into_par_iter().with_min_len(portion);
    records.par_extend(all.map(|c| record_pair(island, context, end, (c, span))));
}

/// Returns the contact record of pair c.
fn record_pair(
    island: &Island,
    context: &StepContext<'_>,
    end: &State,
    (c, span): (usize, Span),
) -> ContactRecord {
    let pair = &island.problem.pairs[c];
    let place = seen(context, pair, end.poses[pair.body_b].position);
    if island.flat.is_solution {
        return ContactRecord { span, ..island.record_flat(context, c, place) };
    }
    let cone = &island.problem.problem.cones[c];
    let [a, b] = island.problem.placed_at_end(context, pair);
    let recentred = pair.recentred(a.moved, b.moved);
    let pair = recentred.as_ref().unwrap_or(pair);
    let rows = PairRows::new(pair, *cone);
    // Bodies may leave with another spin than that at which the problem was linearised.
    let velocity = island.problem.motion(context, &island.iterate.velocity, c);
    let mut slip = [0.0; FRICTION_ROWS];
    let slip = &mut slip[..cone.n_friction];
    rows.write_friction_slip(&velocity, slip);
    let tangents = rows.force_tangents();
    let acting = pair.stagger.as_ref().filter(|s| s.theta < 1.0).map(|s| Acting {
        theta: s.theta,
        point: seen(context, pair, context.poses[pair.body_b].position) + s.start.arms[1],
        normal: s.start.normal,
        turn: rows.to_world(&s.slip_turn_used),
        last_slip: rows.to_world(&s.last_slip_used),
    });
    let touch = touch(pair, &a, &b, island.problem.closed_up_to(context, c));
    let rolling_impulse = island.problem.rolling_impulse(context, c);
    let record = record(pair, &tangents, slip, place);
    let cohesion_impulse = island.problem.pull(c);
    let normal_impulse = record.normal_impulse - cohesion_impulse;
    let pulled = ContactRecord { rolling_impulse, cohesion_impulse, normal_impulse, ..record };
    ContactRecord { span, acting, touch, ..pulled }
}

/// Centre of mass of body B in the image that touches A (m).
fn seen(context: &StepContext<'_>, pair: &Pair, place: Vector3<f64>) -> Vector3<f64> {
    context.models.shift(pair.image).map_or(place, |shift| place + shift)
}

/// Makes a record; `place` is the centre of mass of body B as A sees it (m).
pub(super) fn record(
    pair: &Pair,
    tangents: &[Vector3<f64>; 2],
    y: &[f64],
    place: Vector3<f64>,
) -> ContactRecord {
    let g = &pair.geometry;
    let [sum, x_t, x_o, x_r] = pair.impulse;
    // Where the normal is not unique (a corner on a corner) contact points may push along several normals:
    // the record holds their sum.
    let along = |manifold: &ContactManifold| {
        manifold.points.iter().map(|point| point.impulse * point.geometry.normal.dot(&g.normal)).sum()
    };
    let p_n = pair.manifold.as_deref().filter(|_| pair.patch.is_none()).map_or(sum, along);
    let friction = x_t * x_t + x_o * x_o + x_r * x_r;
    let radius = pair.friction.coefficient * p_n;
    let kept =
        pair.stagger.as_ref().filter(|s| s.theta < 1.0).map_or_else(Vector3::zeros, |s| s.last_slip_used);
    ContactRecord {
        body_a: pair.body_a,
        body_b: pair.body_b,
        part_a: pair.part_a,
        part_b: pair.part_b,
        image: pair.image,
        ecp: place + g.arm_b,
        normal: g.normal,
        tangent: g.tangent_t,
        gap: g.gap,
        normal_impulse: p_n,
        friction_impulse: tangents[0] * x_t + tangents[1] * x_o,
        torsional_impulse: pair.torsion_radius * x_r,
        torsional_radius: pair.torsion_radius,
        rolling_impulse: Vector3::zeros(),
        cohesion_impulse: 0.0,
        slip_speed: y.iter().zip(&kept).map(|(w, kept)| (w + kept).powi(2)).sum::<f64>().sqrt(),
        state: if p_n <= 0.0 {
            ContactState::Open
        } else if friction.sqrt() < radius * STICKS_BELOW || radius == 0.0 && y.is_empty() {
            ContactState::Stick
        } else {
            ContactState::Slip
        },
        span: Span::WHOLE,
        phase: StepPhase::Whole,
        acting: None,
        touch: Touch::default(),
    }
}
