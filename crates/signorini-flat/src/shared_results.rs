//! Results that ranks hand each other at the end of a solve: every rank then knows how all bodies move, and
//! how all contacts ended.

use crate::batch::{Batch, Frame, Seen};
use crate::bodies::at;
use crate::load::Arrays;
use crate::parameters::MOST_POINTS;
use crate::patch::axis::Axis;
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen};
use crate::patch::manifold::Name;
use crate::problem::Problem;
use crate::simd::WIDTH;
use signorini_ranks::{Incoming, Outgoing, gather};

impl Arrays {
    /// Takes the results of the other ranks over.
    pub fn share_results(&mut self, problem: &Problem<'_>) {
        let (Some(ranks), Some(shares)) = (problem.ranks, &self.layout.shares) else { return };
        let mut out = Outgoing::default();
        for place in shares.own[ranks.rank()].clone() {
            let body = &self.bodies.placed[place].0;
            out.f64s(&body[at::VELOCITY..at::VELOCITY + 3]);
            out.f64s(&body[at::SPIN..at::SPIN + 3]);
        }
        let contacts = &mut self.contacts;
        for (node, group) in self.layout.nodes.iter().zip(&shares.groups) {
            if group.start != ranks.rank() {
                continue;
            }
            for i in node.points.own..node.points.all.end {
                put_batch((&contacts.batches[i], &contacts.frames[i], &contacts.seen[i]), &mut out);
                let rolling = contacts.rolling.get(i).filter(|rolling| rolling.is_used);
                rolling.iter().flat_map(|rolling| &rolling.impulse).for_each(|row| out.f32s(row));
            }
            for i in node.patches.own..node.patches.all.end {
                put_patches((&contacts.patches[i], &contacts.lanes[i], &contacts.seen_patches[i]), &mut out);
            }
        }
        for (rank, bytes) in gather(&**ranks, out.bytes()).iter().enumerate() {
            if rank == ranks.rank() {
                continue;
            }
            let mut from = Incoming::new(bytes);
            for place in shares.own[rank].clone() {
                let body = &mut self.bodies.placed[place].0;
                body[at::VELOCITY..at::VELOCITY + 3].copy_from_slice(&from.f64s::<3>());
                body[at::SPIN..at::SPIN + 3].copy_from_slice(&from.f64s::<3>());
            }
            let nodes = self.layout.nodes.iter().zip(&shares.groups);
            for (node, _) in nodes.filter(|(_, group)| group.start == rank) {
                for i in node.points.own..node.points.all.end {
                    let rows = (&mut contacts.batches[i], &mut contacts.frames[i], &mut contacts.seen[i]);
                    take_batch(rows, &mut from);
                    let rolling = contacts.rolling.get_mut(i).filter(|rolling| rolling.is_used);
                    let rows = rolling.into_iter().flat_map(|rolling| &mut rolling.impulse);
                    rows.for_each(|row| *row = from.f32s());
                }
                for i in node.patches.own..node.patches.all.end {
                    let rows =
                        (&mut contacts.patches[i], &mut contacts.lanes[i], &mut contacts.seen_patches[i]);
                    take_patches(rows, &mut from);
                }
            }
        }
    }
}

fn put_batch((batch, frame, seen): (&Batch, &Frame, &Seen), out: &mut Outgoing) {
    batch.impulse.iter().for_each(|row| out.f32s(row));
    out.u64s(&frame.feature);
    let [a, b] = &seen.arms;
    let vectors = [&seen.normal, &seen.tangent, a, b, &seen.slip];
    vectors.into_iter().flatten().for_each(|row| out.f64s(row));
    out.f64s(&seen.gap);
    out.u64s(&seen.is_open.map(u64::from));
}

fn take_batch((batch, frame, seen): (&mut Batch, &mut Frame, &mut Seen), from: &mut Incoming<'_>) {
    batch.impulse.iter_mut().for_each(|row| *row = from.f32s());
    frame.feature = from.u64s();
    let [a, b] = &mut seen.arms;
    let vectors = [&mut seen.normal, &mut seen.tangent, a, b, &mut seen.slip];
    vectors.into_iter().flatten().for_each(|row| *row = from.f64s());
    seen.gap = from.f64s();
    seen.is_open = from.u64s::<WIDTH>().map(|open| open != 0);
}

fn put_patches(
    (batch, lanes, seen): (&PatchBatch, &[PatchLane; WIDTH], &[PatchSeen; WIDTH]),
    out: &mut Outgoing,
) {
    for lane in (0..WIDTH).filter(|lane| lanes[*lane].is_used) {
        let pair = &lanes[lane];
        out.u64s(&[pair.n as u64, code_of_axis(pair.axis)]);
        out.u64s(&pair.names.map(code_of_name));
        pair.places.iter().for_each(|place| out.f32s(place));
        batch.points.iter().for_each(|point| out.f32s(&[point.impulse[lane]]));
        batch.tangent.iter().chain(&batch.push).for_each(|row| out.f32s(&[row[lane]]));
        put_seen(&seen[lane], out);
    }
}

fn take_patches(
    (batch, lanes, seen): (&mut PatchBatch, &mut [PatchLane; WIDTH], &mut [PatchSeen; WIDTH]),
    from: &mut Incoming<'_>,
) {
    for lane in (0..WIDTH).filter(|lane| lanes[*lane].is_used).collect::<Vec<_>>() {
        let pair = &mut lanes[lane];
        let [n, axis] = from.u64s();
        (pair.n, pair.axis) = (n as usize, axis_of_code(axis));
        pair.names = from.u64s::<MOST_POINTS>().map(name_of_code);
        pair.places.iter_mut().for_each(|place| *place = from.f32s());
        let rows = batch.points.iter_mut().map(|point| &mut point.impulse);
        for row in rows.chain(&mut batch.tangent).chain(&mut batch.push) {
            [row[lane]] = from.f32s();
        }
        take_seen(&mut seen[lane], from);
    }
}

fn put_seen(seen: &PatchSeen, out: &mut Outgoing) {
    seen.frame.iter().chain(&seen.arms).for_each(|vector| out.f64s(vector));
    out.f64s(&[seen.gap, seen.alignment, seen.radius, seen.region]);
    out.f64s(&seen.slip);
    out.f64s(&seen.impulse);
    out.u64s(&[seen.n as u64]);
    seen.places.iter().chain([&seen.centre]).for_each(|place| out.f64s(place));
    out.f64s(&seen.gaps);
    out.f64s(&seen.impulses);
}

fn take_seen(seen: &mut PatchSeen, from: &mut Incoming<'_>) {
    seen.frame.iter_mut().chain(&mut seen.arms).for_each(|vector| *vector = from.f64s());
    [seen.gap, seen.alignment, seen.radius, seen.region] = from.f64s();
    seen.slip = from.f64s();
    seen.impulse = from.f64s();
    let [n] = from.u64s();
    seen.n = n as usize;
    seen.places.iter_mut().chain([&mut seen.centre]).for_each(|place| *place = from.f64s());
    seen.gaps = from.f64s();
    seen.impulses = from.f64s();
}

/// Bit of a name in the caller's code, which has 63 bits.
const CALLERS: u64 = 1 << 63;

/// A kind and up to two indices in one number.
fn code(kind: u64, a: u16, b: u16) -> u64 {
    kind << 32 | u64::from(a) << 16 | u64::from(b)
}

fn parts_of_code(code: u64) -> (u64, u16, u16) {
    (code >> 32, (code >> 16) as u16, code as u16)
}

fn code_of_axis(axis: Axis) -> u64 {
    match axis {
        Axis::Unknown => code(0, 0, 0),
        Axis::Plane => code(1, 0, 0),
        Axis::FaceA(i) => code(2, i, 0),
        Axis::FaceB(i) => code(3, i, 0),
        Axis::Edges(i, j) => code(4, i, j),
        Axis::Callers => code(5, 0, 0),
    }
}

fn axis_of_code(code: u64) -> Axis {
    match parts_of_code(code) {
        (1, ..) => Axis::Plane,
        (2, i, _) => Axis::FaceA(i),
        (3, i, _) => Axis::FaceB(i),
        (4, i, j) => Axis::Edges(i, j),
        (5, ..) => Axis::Callers,
        _ => Axis::Unknown,
    }
}

fn code_of_name(name: Name) -> u64 {
    match name {
        Name::Nothing => code(0, 0, 0),
        Name::OfA(i) => code(1, i, 0),
        Name::OfB(i) => code(2, i, 0),
        Name::Edges(i, j) => code(3, i, j),
        Name::Callers(features) => CALLERS | features,
    }
}

fn name_of_code(code: u64) -> Name {
    if code & CALLERS != 0 {
        return Name::Callers(code & !CALLERS);
    }
    match parts_of_code(code) {
        (1, i, _) => Name::OfA(i),
        (2, i, _) => Name::OfB(i),
        (3, i, j) => Name::Edges(i, j),
        _ => Name::Nothing,
    }
}
