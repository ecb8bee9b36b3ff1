//! A solve on a device: smooth contacts between ellipsoids and half-spaces, laid out colour by colour. Rounds
//! of sweeps and a turn run there; what a check reads comes back into the arrays.

use crate::bodies::{PlacedBody, Six, SweptBody, at, parts_of};
use crate::change::Change;
use crate::layout::Side;
use crate::load::Arrays;
use crate::parameters::{FAR_UNIT, MOST_COLOURS, PROXIMAL, PROXIMAL_BELOW};
use crate::passes::set_velocity;
use crate::problem::{Body, Contact, Problem};
use crate::simd::WIDTH;
use signorini_kernels::device_flat::{FlatAnswers, FlatArrays, FlatSolve, Lost};
use signorini_kernels::types::{FlatBody, FlatFrame, FlatRow, FlatState, PairKey};
use std::sync::Arc;

/// A solve on a device, with the way back into the arrays.
#[derive(Debug)]
pub struct OnDevice {
    solve: Box<dyn FlatSolve>,
    answers: FlatAnswers,
    /// Slot of each contact.
    slots: Vec<u32>,
    /// Place of each body that moves.
    places: Vec<u32>,
}

impl OnDevice {
    /// Has the problem's device take its solve over, with the arrays as they are. None where there is no
    /// device, or the solve is none for it.
    pub fn load(problem: &Problem<'_>, arrays: &Arrays) -> Option<Self> {
        let device = problem.device.filter(|device| problem.contacts.len() >= device.fewest())?;
        let is_plain = |contact: &Contact| contact.feature.is_none() && contact.rolling.length == 0.0;
        let is_free = |body: &Body| body.guide.is_none();
        if problem.ranks.is_some()
            || !problem.bodies.iter().all(is_free)
            || !problem.patches.is_empty()
            || !problem.contacts.iter().all(is_plain)
        {
            return None;
        }
        let colours = colours(problem)?;
        let mut order: Vec<u32> = (0..problem.contacts.len() as u32).collect();
        order.sort_by_key(|c| (colours[*c as usize], arrays.layout.slot[*c as usize]));
        let laid = Laid { problem, arrays, order: &order }.arrays(&colours);
        let answers = FlatAnswers::default();
        let slots = order.iter().map(|c| arrays.layout.slot[*c as usize]).collect();
        let places = arrays.layout.place.clone();
        Some(Self { solve: Arc::clone(device).load(&laid).ok()?, answers, slots, places })
    }

    /// Sweeps until they are still, at most so many, and a turn; the number of sweeps and the change in the
    /// turn.
    pub fn round(&mut self, sweeps: usize, still: f64) -> Result<(usize, Change), Lost> {
        let found = self.solve.round(sweeps, still as f32)?;
        let change = Change { square: found.square, largest: found.largest, moved: found.moved };
        Ok((found.sweeps, change))
    }

    /// Takes velocities, impulses and frames into the arrays.
    pub fn fetch(&mut self, arrays: &mut Arrays) -> Result<(), Lost> {
        self.solve.fetch(&mut self.answers)?;
        for (place, velocity) in self.places.iter().zip(&self.answers.velocities) {
            set_velocity(&mut arrays.bodies.placed[*place as usize], velocity);
        }
        for (slot, answer) in self.slots.iter().zip(&self.answers.contacts) {
            let (batch, lane) = (*slot as usize / WIDTH, *slot as usize % WIDTH);
            let (rows, frame) = (&mut arrays.contacts.batches[batch], &mut arrays.contacts.frames[batch]);
            for (row, x) in rows.impulse.iter_mut().zip(answer) {
                row[lane] = *x;
            }
            for d in 0..3 {
                rows.tangent[d][lane] = answer[8 + d];
                if frame.is_plane[lane] == 0.0 {
                    frame.normal[d][lane] = f64::from(answer[4 + d]);
                }
            }
        }
        Ok(())
    }
}

/// The first colour of each contact, in their order, that no earlier contact of its bodies has; None where
/// too many are needed.
fn colours(problem: &Problem<'_>) -> Option<Vec<u32>> {
    let mut taken = vec![0_u64; problem.bodies.len()];
    let colour = |contact: &Contact| {
        let moving = || {
            contact.sides.into_iter().filter_map(|side| match side {
                Side::Moving(body) => Some(body as usize),
                Side::Given(_) => None,
            })
        };
        let colour = moving().fold(0, |all, body| all | taken[body]).trailing_ones();
        if colour < MOST_COLOURS {
            moving().for_each(|body| taken[body] |= 1 << colour);
        }
        (colour < MOST_COLOURS).then_some(colour)
    };
    problem.contacts.iter().map(colour).collect()
}

/// A problem in its arrays, with the order of the contacts on the device.
struct Laid<'a> {
    problem: &'a Problem<'a>,
    arrays: &'a Arrays,
    order: &'a [u32],
}

impl Laid<'_> {
    fn arrays(&self, colours: &[u32]) -> FlatArrays {
        let mut laid = FlatArrays {
            n_moving: self.problem.bodies.len(),
            proximal: if self.problem.tolerance < PROXIMAL_BELOW { PROXIMAL } else { 0.0 },
            incidence: self.incidence(),
            ..FlatArrays::default()
        };
        let mut from = 0;
        for same in self.order.chunk_by(|a, b| colours[*a as usize] == colours[*b as usize]) {
            laid.colours.push(from..from + same.len());
            from += same.len();
        }
        for c in self.order {
            self.put_contact(*c as usize, &mut laid);
        }
        self.put_bodies(&mut laid);
        laid
    }

    /// Index of a side among the bodies on the device: those whose motion is given come last.
    fn body(&self, side: Side) -> u32 {
        match side {
            Side::Moving(body) => body,
            Side::Given(given) => self.problem.bodies.len() as u32 + given,
        }
    }

    fn incidence(&self) -> Vec<u32> {
        let n = self.problem.bodies.len();
        let sides = || {
            let numbered = self.order.iter().zip(0_u32..);
            numbered.flat_map(|(c, k)| {
                let sides = self.problem.contacts[*c as usize].sides;
                [(sides[0], 2 * k), (sides[1], 2 * k + 1)]
            })
        };
        let mut start = vec![0_u32; n + 1];
        let moving = |(side, word): (Side, u32)| match side {
            Side::Moving(body) => Some((body as usize, word)),
            Side::Given(_) => None,
        };
        sides().filter_map(moving).for_each(|(body, _)| start[body + 1] += 1);
        start[0] = n as u32 + 1;
        (0..n).for_each(|body| start[body + 1] += start[body]);
        let mut next = start.clone();
        let mut incidence = start;
        incidence.resize(next[n] as usize, 0);
        for (body, word) in sides().filter_map(moving) {
            incidence[next[body] as usize] = word;
            next[body] += 1;
        }
        incidence
    }

    fn put_contact(&self, c: usize, laid: &mut FlatArrays) {
        let contact = &self.problem.contacts[c];
        let slot = self.arrays.layout.slot[c] as usize;
        let (batch, lane) = (slot / WIDTH, slot % WIDTH);
        let (rows, frame) = (&self.arrays.contacts.batches[batch], &self.arrays.contacts.frames[batch]);
        let three = |of: &[[f32; WIDTH]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        let wide = |of: &[[f64; WIDTH]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        let four = |of: &[[f32; WIDTH]; 4]| [of[0][lane], of[1][lane], of[2][lane], of[3][lane]];
        let [body_a, body_b] = contact.sides.map(|side| self.body(side));
        let flags = if contact.plane.is_some() { PairKey::PLANE } else { 0 };
        laid.keys.push(PairKey { body_a, body_b, flags });
        let row = FlatRow {
            normal: three(&rows.normal),
            friction: [rows.friction[lane]],
            tangent: three(&rows.tangent),
            torsion: [rows.torsion[lane]],
            arm_a: three(&rows.arms[0]),
            normal_step: [rows.step_sizes[0][lane]],
            arm_b: three(&rows.arms[1]),
            friction_step: [rows.step_sizes[1][lane]],
            offset: four(&rows.offset),
            coupling: three(&rows.coupling),
            per_unit: [rows.per_unit[lane]],
        };
        let impulse = four(&rows.impulse);
        let state = FlatState { impulse, centre: impulse, ..FlatState::filled(0.0) };
        let frame = FlatFrame {
            normal: wide(&frame.normal),
            offset: [frame.offset[lane]],
            shift: wide(&frame.shift),
            pull: [frame.pull[lane]],
        };
        append(&mut laid.rows, FlatRow::<f32>::LEN, |out| row.write(out));
        append(&mut laid.states, FlatState::<f32>::LEN, |out| state.write(out));
        append(&mut laid.frames, FlatFrame::<f64>::LEN, |out| frame.write(out));
    }

    fn put_bodies(&self, laid: &mut FlatArrays) {
        let (bodies, h) = (&self.arrays.bodies, self.problem.time_step);
        for place in self.arrays.layout.place.iter().map(|place| *place as usize) {
            put_body((&bodies.placed[place], bodies.acting[place], &bodies.free[place]), laid);
            laid.bases.push(base(&bodies.base[place], bodies.units[place], h));
            let SweptBody([motion, inertia]) = bodies.swept[place];
            laid.swept.push(std::array::from_fn(|k| if k < WIDTH { motion[k] } else { inertia[k - WIDTH] }));
            let [start, along] = bodies.directions[place].0;
            let parts = [&start[..4], &start[4..], &along[..4], &along[4..]].concat();
            laid.directions.push(std::array::from_fn(|k| if k % 4 == 3 { 0.0 } else { parts[k] }));
        }
        for (placed, velocity) in self.arrays.given.iter().zip(&self.arrays.given_base) {
            put_body((placed, 0.0, velocity), laid);
            laid.bases.push(base(velocity, FAR_UNIT, h));
            laid.swept.push(Default::default());
        }
    }
}

fn append<T: Default + Clone>(to: &mut Vec<T>, n: usize, write: impl FnOnce(&mut [T])) {
    let from = to.len();
    to.resize(from + n, T::default());
    write(&mut to[from..]);
}

fn base(velocity: &Six, unit: f64, h: f64) -> [f64; 8] {
    let [v, w] = parts_of(velocity);
    [v[0], v[1], v[2], unit, w[0], w[1], w[2], h]
}

fn put_body((placed, acting, free): (&PlacedBody, f64, &Six), laid: &mut FlatArrays) {
    let b = &placed.0;
    let three = |from: usize| [b[from], b[from + 1], b[from + 2]];
    let [v, w] = parts_of(free);
    let body = FlatBody {
        center: three(at::CENTRE),
        rotation: std::array::from_fn(|k| b[at::ROTATION + k]),
        inverse_inertia: placed.inverse_inertia(),
        inverse_mass: [b[at::INVERSE_MASS]],
        moments: three(at::MOMENTS),
        semi_axes: three(at::SEMI_AXES),
        acting: [acting],
        free: [v[0], v[1], v[2], w[0], w[1], w[2]],
    };
    append(&mut laid.bodies, FlatBody::<f64>::LEN, |out| body.write(out));
}
