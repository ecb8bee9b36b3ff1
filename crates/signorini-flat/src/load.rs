//! A problem as arrays: bodies at their places, contacts in batches.

use crate::batch::{Batch, Frame, Seen};
use crate::bodies::{Direction, End, OfHeight, PlacedBody, Six, SweptBody, at};
use crate::ends::find_ends;
use crate::guide::{Drive, Guide, mobility};
use crate::holding::Holding;
use crate::layout::{Kind, Layout, NOBODY, OfBatch, Side, morton_order};
use crate::parameters::{LEAF, LEAF_OF_PATCHES, LOADED_TOGETHER, OVERLAP, STAY_SLACK};
use crate::passes::set_velocity;
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen, Torsion, put_vector};
use crate::problem::{Body, Contact, Patch, Problem};
use crate::rolling::Rolling;
use crate::sections::{Bodies, Contacts};
use crate::shares::Shares;
use crate::simd::WIDTH;
use rayon::prelude::*;

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
        let leaf = if problem.patches.is_empty() { LEAF } else { LEAF_OF_PATCHES };
        self.layout.place_bodies(&morton_order(&centres), leaf);
        self.load_bodies(problem);
        self.load_given(problem);
        self.load_contacts(problem);
        self.load_patches(problem);
        let shares = problem.ranks.map(|ranks| Shares::of(&self.layout.nodes, &self.contacts, ranks));
        self.layout.shares = shares.flatten();
    }

    fn load_bodies(&mut self, problem: &Problem<'_>) {
        let (n, body_at) = (self.layout.n_places(), &self.layout.body_at);
        let Bodies {
            swept,
            placed,
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
        fill(previous, n, [0.0; 8]);
        fill(sums, n, [0.0; 8]);
        fill(directions, n, Direction::default());
        fill(units, n, f64::MAX);
        fill(carried, n, 0.0);
        fill(ends, n, End::NONE);
        // The pass that uses them fills them.
        heights.resize(n, OfHeight::default());
        let hold = |guide: Guide| match guide.drive {
            Drive::Hold(hold) => Some((guide.direction, hold)),
            _ => None,
        };
        let any_is_held = problem.bodies.iter().any(|body| body.guide.and_then(hold).is_some());
        fill(holds, if any_is_held { n } else { 0 }, Holding::default());
        for (held, body) in holds.iter_mut().zip(body_at).filter(|(_, body)| **body != NOBODY) {
            let body = &problem.bodies[*body as usize];
            if let Some((direction, hold)) = body.guide.and_then(hold) {
                *held = Holding::new(direction, body.mass, hold);
            }
        }
        swept.resize(n, SweptBody::default());
        placed.resize(n, PlacedBody::default());
        base.resize(n, [0.0; 8]);
        free.resize(n, [0.0; 8]);
        acting.resize(n, f64::MAX);
        masses.resize(n, (0.0, [0.0; 6]));
        let moving = (swept.par_iter_mut(), placed.par_iter_mut(), base.par_iter_mut(), free.par_iter_mut());
        let all = (moving.into_par_iter(), acting.par_iter_mut(), masses.par_iter_mut(), body_at);
        let all = all.into_par_iter().with_min_len(LOADED_TOGETHER);
        all.for_each(|((swept, placed, base, free), acting, mass, body)| {
            let body = (*body != NOBODY).then(|| &problem.bodies[*body as usize]);
            (*swept, *placed) = body.map(moving_body).unwrap_or_default();
            *base = body.map_or([0.0; 8], |body| six(body.velocity));
            *free = body.map_or([0.0; 8], |body| six(body.free));
            *acting = body.map_or(f64::MAX, |body| body.acting);
            *mass = body.map_or((0.0, [0.0; 6]), |body| (body.mass, turned(&body.rotation, body.moments)));
        });
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
        let all = problem.contacts.par_iter().with_min_len(LOADED_TOGETHER);
        let sides: Vec<([Side; 2], u8)> = all.map(|contact| (contact.sides, class(contact))).collect();
        let of_batches = layout.place_contacts(Kind::Points, &sides);
        let n = of_batches.len();
        let Contacts { batches, frames, seen, rolling, .. } = contacts;
        fill(seen, n, Seen::default());
        batches.resize(n, Batch::empty(0));
        frames.resize(n, Frame::EMPTY);
        let all = (batches.par_iter_mut(), frames.par_iter_mut(), of_batches.par_iter());
        let all = all.into_par_iter().with_min_len(LOADED_TOGETHER / WIDTH);
        all.for_each(|(rows, frame, of)| load_batch(problem, layout, of, (rows, frame)));
        let any_resists = problem.contacts.par_iter().with_min_len(LOADED_TOGETHER).any(resists);
        fill(rolling, if any_resists { n } else { 0 }, Rolling::NONE);
        for (rolling, of) in rolling.iter_mut().zip(&of_batches) {
            for (lane, c) in of.contacts().filter(|(_, c)| resists(&problem.contacts[*c])) {
                rolling.load(lane, &problem.contacts[c].rolling);
            }
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
        let of_batches = layout.place_contacts(Kind::Patches, &sides);
        let n = of_batches.len();
        let Contacts { patches, lanes, seen_patches, .. } = contacts;
        patches.resize(n, PatchBatch::empty(0));
        lanes.resize(n, [PatchLane::EMPTY; WIDTH]);
        seen_patches.resize(n, [PatchSeen::default(); WIDTH]);
        let all = (patches.par_iter_mut(), lanes.par_iter_mut(), seen_patches.par_iter_mut(), &of_batches);
        all.into_par_iter().for_each(|(rows, lanes, seen, of)| {
            (*rows, *seen) = (PatchBatch::empty(of.nobody), [PatchSeen::default(); WIDTH]);
            *lanes = [PatchLane::EMPTY; WIDTH];
            for (lane, c) in of.contacts() {
                load_lane(problem, (layout, of.nobody), c, (rows, &mut lanes[lane], lane));
            }
        });
    }
}

/// A body as sweeps and as turns see it.
fn moving_body(body: &Body) -> (SweptBody, PlacedBody) {
    let inverse = turned(&body.rotation, body.moments.map(|i| 1.0 / i));
    let mut moving = placed(body.centre, &body.rotation, (body.semi_axes, body.solid), body.velocity);
    moving.0[at::INVERSE_INERTIA..at::INVERSE_INERTIA + 6].copy_from_slice(&inverse);
    moving.0[at::INVERSE_MASS] = 1.0 / body.mass;
    moving.0[at::MOMENTS..at::MOMENTS + 3].copy_from_slice(&body.moments);
    let mut swept = SweptBody::default();
    swept.0[0][3] = (1.0 / body.mass) as f32;
    for (to, from) in swept.0[1].iter_mut().zip(inverse) {
        *to = from as f32;
    }
    if let Some(guide) = body.guide {
        let mobility = mobility(body.mass, &guide);
        moving.guide(&mobility);
        swept.guide(&mobility);
    }
    (swept, moving)
}

/// Fills a batch of contact points.
fn load_batch(problem: &Problem<'_>, layout: &Layout, of: &OfBatch, (rows, frame): (&mut Batch, &mut Frame)) {
    (*rows, *frame) = (Batch::empty(of.nobody), Frame::EMPTY);
    for (lane, c) in of.contacts() {
        let contact = &problem.contacts[c];
        let sides = layout.in_section(contact.sides, of.nobody);
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
        frame.pull[lane] = contact.pull;
        frame.offset[lane] = contact.plane.unwrap_or(0.0);
        frame.is_plane[lane] = f64::from(u8::from(contact.plane.is_some()));
        frame.overlap[lane] = OVERLAP / contact.size;
        frame.contact[lane] = Some(c as u32);
        frame.by_caller = contact.feature.is_some();
        frame.feature[lane] = contact.feature.unwrap_or(0);
    }
}

/// Fills the lane of a pair of polytopes, by its index, in a section with a place of nobody.
fn load_lane(
    problem: &Problem<'_>,
    (layout, nobody): (&Layout, u32),
    c: usize,
    (rows, pair, lane): (&mut PatchBatch, &mut PatchLane, usize),
) {
    let patch = &problem.patches[c];
    let sides = layout.in_section(patch.sides, nobody);
    for (side, (place, given)) in sides.into_iter().enumerate() {
        (rows.bodies[side][lane], pair.given[side]) = (place, given);
        rows.has_guides |= problem.is_on_guide(patch.sides[side]);
    }
    load_patch(patch, (&mut *rows, &mut *pair, lane));
    (pair.callers, pair.parts) = (patch.is_callers.then_some(c as u32), patch.parts);
    let pace = |side: Side| match side {
        Side::Moving(i) => problem.bodies[i as usize].acting / problem.bodies[i as usize].mass,
        Side::Given(_) => f64::INFINITY,
    };
    let pace = pace(patch.sides[0]).min(pace(patch.sides[1]));
    pair.slack = STAY_SLACK * problem.tolerance * problem.time_step * pace;
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
