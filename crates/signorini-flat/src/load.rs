//! A problem as arrays: bodies at their places, contacts in batches.

use crate::batch::{Batch, Frame, Seen};
use crate::bodies::{Direction, End, OfHeight, PlacedBody, Six, SweptBody, at};
use crate::ends::find_ends;
use crate::guide::{Drive, Guide, mobility};
use crate::holding::Holding;
use crate::layout::{Kind, Layout, Side, morton_order};
use crate::parameters::{OVERLAP, STAY_SLACK};
use crate::passes::set_velocity;
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen, Torsion, put_vector};
use crate::problem::{Contact, Patch, Problem};
use crate::rolling::Rolling;
use crate::sections::{Bodies, Contacts};
use crate::shares::Shares;
use crate::simd::WIDTH;

/// Arrays of a problem.
#[derive(Debug, Default)]
pub struct Arrays {
    /// Places of bodies and contacts.
    pub layout: Layout,
    /// Bodies by place.
    pub bodies: Bodies,
    /// Contacts by batch.
    pub contacts: Contacts,
    /// Bodies whose motion is given.
    pub given: Vec<PlacedBody>,
    /// Their velocities.
    pub given_base: Vec<Six>,
    /// Their ellipsoids or poses at the end of the step.
    pub given_ends: Vec<End>,
}

/// R diag(d) Rᵀ.
pub fn turned(r: &[f64; 9], d: [f64; 3]) -> [f64; 6] {
    let entry = |i: usize, j: usize| (0..3).map(|k| r[3 * i + k] * d[k] * r[3 * j + k]).sum();
    [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]
}

fn six([linear, angular]: [[f64; 3]; 2]) -> Six {
    [linear[0], linear[1], linear[2], 0.0, angular[0], angular[1], angular[2], 0.0]
}

fn placed(
    centre: [f64; 3],
    rotation: &[f64; 9],
    (semi_axes, solid): ([f64; 3], Option<u32>),
    velocity: [[f64; 3]; 2],
) -> PlacedBody {
    let mut body = PlacedBody::default();
    body.0[at::SOLID] = solid.map_or(-1.0, f64::from);
    body.0[at::CENTRE..at::CENTRE + 3].copy_from_slice(&centre);
    body.0[at::ROTATION..at::ROTATION + 9].copy_from_slice(rotation);
    body.0[at::SEMI_AXES..at::SEMI_AXES + 3].copy_from_slice(&semi_axes);
    set_velocity(&mut body, &six(velocity));
    body
}

impl Arrays {
    /// Fills the arrays.
    pub fn load(&mut self, problem: &Problem<'_>) {
        let centres: Vec<[f64; 3]> = problem.bodies.iter().map(|body| body.centre).collect();
        self.layout.place_bodies(&morton_order(&centres));
        let n = self.layout.n_places();
        let Bodies {
            swept,
            placed: all,
            base,
            previous,
            free,
            sums,
            directions,
            acting,
            masses,
            units,
            carried,
            ends,
            heights,
            holds,
        } = &mut self.bodies;
        fill(swept, n, SweptBody::default());
        fill(all, n, PlacedBody::default());
        fill(base, n, [0.0; 8]);
        fill(previous, n, [0.0; 8]);
        fill(free, n, [0.0; 8]);
        fill(sums, n, [0.0; 8]);
        fill(directions, n, Direction::default());
        fill(acting, n, f64::MAX);
        fill(units, n, f64::MAX);
        fill(carried, n, 0.0);
        fill(ends, n, End::NONE);
        // The pass that uses them fills them.
        heights.resize(n, OfHeight::default());
        fill(masses, n, (0.0, [0.0; 6]));
        let is_held = |guide: Guide| matches!(guide.drive, Drive::Hold(_));
        let any_is_held = problem.bodies.iter().any(|body| body.guide.is_some_and(is_held));
        fill(holds, if any_is_held { n } else { 0 }, Holding::default());
        for (body, place) in problem.bodies.iter().zip(&self.layout.place) {
            let place = *place as usize;
            let inverse = turned(&body.rotation, body.moments.map(|i| 1.0 / i));
            let mut record = placed(body.centre, &body.rotation, (body.semi_axes, body.solid), body.velocity);
            record.0[at::INVERSE_INERTIA..at::INVERSE_INERTIA + 6].copy_from_slice(&inverse);
            record.0[at::INVERSE_MASS] = 1.0 / body.mass;
            record.0[at::MOMENTS..at::MOMENTS + 3].copy_from_slice(&body.moments);
            all[place] = record;
            swept[place].0[0][3] = (1.0 / body.mass) as f32;
            for (to, from) in swept[place].0[1].iter_mut().zip(inverse) {
                *to = from as f32;
            }
            if let Some(guide) = body.guide {
                let mobility = mobility(body.mass, &guide);
                all[place].guide(&mobility);
                swept[place].guide(&mobility);
                if let Drive::Hold(hold) = guide.drive {
                    holds[place] = Holding::new(guide.direction, body.mass, hold);
                }
            }
            (base[place], free[place]) = (six(body.velocity), six(body.free));
            acting[place] = body.acting;
            masses[place] = (body.mass, turned(&body.rotation, body.moments));
        }
        self.load_given(problem);
        self.load_contacts(problem);
        self.load_patches(problem);
        let shares = problem.ranks.map(|ranks| Shares::of(&self.layout.nodes, &self.contacts, ranks));
        self.layout.shares = shares.flatten();
    }

    fn load_given(&mut self, problem: &Problem<'_>) {
        self.given.clear();
        self.given.extend(
            problem
                .given
                .iter()
                .map(|body| placed(body.centre, &body.rotation, (body.semi_axes, body.solid), body.velocity)),
        );
        self.given_base.clear();
        self.given_base.extend(problem.given.iter().map(|body| six(body.velocity)));
        fill(&mut self.given_ends, self.given.len(), End::NONE);
        // A given body that turns far is followed to third order, as in turns.
        find_ends(&self.given, problem.time_step, &mut self.given_ends);
    }

    fn load_contacts(&mut self, problem: &Problem<'_>) {
        let Self { layout, contacts, .. } = self;
        let resists = |contact: &Contact| contact.rolling.length > 0.0;
        let class = |contact: &Contact| u8::from(contact.feature.is_some()) + 2 * u8::from(resists(contact));
        let sides: Vec<([Side; 2], u8)> =
            problem.contacts.iter().map(|contact| (contact.sides, class(contact))).collect();
        let nobodies = layout.place_contacts(Kind::Points, &sides);
        contacts.batches.clear();
        contacts.batches.extend(nobodies.iter().map(|nobody| Batch::empty(*nobody)));
        let n = nobodies.len();
        fill(&mut contacts.frames, n, Frame::EMPTY);
        fill(&mut contacts.seen, n, Seen::default());
        let n_rolling = if problem.contacts.iter().any(resists) { n } else { 0 };
        fill(&mut contacts.rolling, n_rolling, Rolling::NONE);
        for ((contact, slot), c) in problem.contacts.iter().zip(&layout.slot).zip(0..) {
            let (batch, lane) = (*slot as usize / WIDTH, *slot as usize % WIDTH);
            let (rows, frame) = (&mut contacts.batches[batch], &mut contacts.frames[batch]);
            let sides = layout.in_section(contact.sides, nobodies[batch]);
            for (side, (place, given)) in sides.into_iter().enumerate() {
                (rows.bodies[side][lane], frame.given[side][lane]) = (place, given);
                rows.has_guides |= problem.is_on_guide(contact.sides[side]);
            }
            for d in 0..3 {
                frame.normal[d][lane] = contact.normal[d];
                frame.shift[d][lane] = contact.shift[d];
                rows.tangent[d][lane] = contact.tangent[d] as f32;
            }
            for (row, x) in rows.impulse.iter_mut().zip(contact.impulse) {
                row[lane] = x as f32;
            }
            rows.friction[lane] = contact.friction as f32;
            rows.torsion[lane] = contact.torsion as f32;
            if let Some(rolling) = contacts.rolling.get_mut(batch).filter(|_| resists(contact)) {
                rolling.load(lane, &contact.rolling);
            }
            frame.pull[lane] = contact.pull;
            frame.offset[lane] = contact.plane.unwrap_or(0.0);
            frame.is_plane[lane] = f64::from(u8::from(contact.plane.is_some()));
            frame.overlap[lane] = OVERLAP / contact.size;
            frame.contact[lane] = Some(c);
            frame.by_caller = contact.feature.is_some();
            frame.feature[lane] = contact.feature.unwrap_or(0);
        }
    }

    fn load_patches(&mut self, problem: &Problem<'_>) {
        let class = |patch: &Patch| match patch.memory.n {
            0 => 2,
            1 | 2 => 1,
            _ => 0,
        };
        let Self { layout, contacts, .. } = self;
        let sides: Vec<([Side; 2], u8)> =
            problem.patches.iter().map(|patch| (patch.sides, class(patch))).collect();
        let nobodies = layout.place_contacts(Kind::Patches, &sides);
        contacts.patches.clear();
        contacts.patches.extend(nobodies.iter().map(|nobody| PatchBatch::empty(*nobody)));
        fill(&mut contacts.lanes, nobodies.len(), [PatchLane::EMPTY; WIDTH]);
        fill(&mut contacts.seen_patches, nobodies.len(), [PatchSeen::default(); WIDTH]);
        for ((patch, slot), number) in problem.patches.iter().zip(&layout.patch_slot).zip(0..) {
            let (batch, lane) = (*slot as usize / WIDTH, *slot as usize % WIDTH);
            let (rows, pair) = (&mut contacts.patches[batch], &mut contacts.lanes[batch][lane]);
            let sides = layout.in_section(patch.sides, nobodies[batch]);
            for (side, (place, given)) in sides.into_iter().enumerate() {
                (rows.bodies[side][lane], pair.given[side]) = (place, given);
                rows.has_guides |= problem.is_on_guide(patch.sides[side]);
            }
            load_patch(patch, (rows, pair, lane));
            (pair.callers, pair.parts) = (patch.is_callers.then_some(number), patch.parts);
            let pace = |side: Side| match side {
                Side::Moving(i) => problem.bodies[i as usize].acting / problem.bodies[i as usize].mass,
                Side::Given(_) => f64::INFINITY,
            };
            let pace = pace(patch.sides[0]).min(pace(patch.sides[1]));
            pair.slack = STAY_SLACK * problem.tolerance * problem.time_step * pace;
        }
    }
}

/// Fills the lane of two polytopes.
fn load_patch(patch: &Patch, (rows, pair, lane): (&mut PatchBatch, &mut PatchLane, usize)) {
    let memory = &patch.memory;
    put_vector(&mut rows.tangent, lane, memory.tangent.map(f64::from));
    put_vector(&mut rows.push, lane, memory.push.map(f64::from));
    rows.friction[lane] = patch.friction as f32;
    for (point, x) in rows.points.iter_mut().zip(memory.impulses) {
        point.impulse[lane] = x;
    }
    rows.n_points = rows.n_points.max(memory.n);
    rows.torsion[lane] = patch.torsion.or(memory.region).unwrap_or(0.0) as f32;
    pair.torsion = patch.torsion.map_or(Torsion::Region(memory.region), Torsion::Radius);
    (pair.is_used, pair.plane, pair.shift, pair.size) = (true, patch.plane, patch.shift, patch.size);
    (pair.axis, pair.n, pair.names, pair.places) = (memory.axis, memory.n, memory.names, memory.places);
}

fn fill<T: Clone>(all: &mut Vec<T>, n: usize, with: T) {
    all.clear();
    all.resize(n, with);
}
