//! Units of the residual: the largest impulse on each body, the mass that it carries, and what a contact has
//! from both.

use crate::batch::MOVES;
use crate::bodies::{PlacedBody, at};
use crate::parameters::{LEAST_UNIT, SAME_MASS};
use crate::patch::batch::PatchBatch;
use crate::sections::Section;
use crate::sent::Changed;
use crate::simd::WIDTH;
use crate::visit::Visit;

/// Raises the unit of each body to the largest normal impulse that acts on it.
pub struct Units;

impl Visit for Units {
    type Found = ();
    const CHANGED: Changed = Changed::Units;

    fn bodies(&self, section: &mut Section<'_>) {
        for (unit, acting) in section.units.iter_mut().zip(section.acting.iter()) {
            *unit = acting.max(LEAST_UNIT);
        }
        section.raise_units_by_holds();
    }

    fn contacts(&self, section: &mut Section<'_>) {
        for batch in section.batches.iter() {
            for side in batch.bodies {
                for (place, x) in side.into_iter().zip(batch.impulse[0]) {
                    let unit = &mut section.units[place as usize];
                    *unit = unit.max(f64::from(x));
                }
            }
        }
        for batch in section.patches.iter().filter(|batch| batch.n_points > 0) {
            for side in batch.bodies {
                for (lane, place) in side.into_iter().enumerate() {
                    let unit = &mut section.units[place as usize];
                    *unit = unit.max(load(batch, lane));
                }
            }
        }
    }

    fn join(&self, (): (), (): ()) {}
}

/// Hands masses on to the bodies that carry them: each carries its own, or the part of a neighbour's that the
/// impulse between them is of the neighbour's unit. Tells whether any grew.
pub struct Carry {
    /// Whether this is the first pass, before which each body carries its own mass.
    pub is_first: bool,
}

impl Visit for Carry {
    type Found = bool;
    const CHANGED: Changed = Changed::Carried;

    fn bodies(&self, section: &mut Section<'_>) -> bool {
        if self.is_first {
            for (carried, placed) in section.carried.iter_mut().zip(section.placed.iter()) {
                let inverse = placed.0[at::INVERSE_MASS];
                *carried = if inverse > 0.0 { 1.0 / inverse } else { 0.0 };
            }
        }
        false
    }

    fn contacts(&self, section: &mut Section<'_>) -> bool {
        let Section { units, carried, batches, patches, .. } = section;
        let mut grows = false;
        for batch in batches.iter() {
            for (lane, impulse) in batch.impulse[0].into_iter().enumerate() {
                grows |= hand_on(carried, units, [0, 1].map(|side: usize| batch.bodies[side][lane]), impulse);
            }
        }
        for batch in patches.iter().filter(|batch| batch.n_points > 0) {
            for lane in 0..WIDTH {
                let bodies = [0, 1].map(|side: usize| batch.bodies[side][lane]);
                grows |= hand_on(carried, units, bodies, load(batch, lane) as f32);
            }
        }
        grows
    }

    fn join(&self, a: bool, b: bool) -> bool {
        a || b
    }
}

/// Hands the masses of two bodies on to each other; tells whether one of them carries more.
fn hand_on(carried: &mut [f64], units: &[f64], bodies: [u32; 2], impulse: f32) -> bool {
    let [a, b] = bodies.map(|place| place as usize);
    let mut grows = false;
    for (to, from) in [(a, b), (b, a)] {
        let mass = carried[from] * f64::from(impulse) / units[from];
        // Nobody has no mass, and carries none.
        if carried[to] > 0.0 && mass > SAME_MASS * carried[to] {
            (carried[to], grows) = (mass, true);
        }
    }
    grows
}

/// Sum of the impulses of the points of a pair (N s).
fn load(batch: &PatchBatch, lane: usize) -> f64 {
    let points = batch.points[..batch.n_points].iter();
    points.fold(0.0, |sum, point| sum + f64::from(point.impulse[lane].max(0.0)))
}

/// Gives each contact the smaller unit of its bodies, and the factor by which a body's part of a slip counts
/// more than with the mass of both: the mass it carries over its unit, over the same of the contact.
pub struct ContactUnits;

impl Visit for ContactUnits {
    type Found = ();
    const CHANGED: Changed = Changed::Nothing;

    fn contacts(&self, section: &mut Section<'_>) {
        let Section { units, carried, placed, batches, frames, patches, lanes, .. } = section;
        let of = Of { units, carried, placed };
        for (batch, frame) in batches.iter_mut().zip(frames.iter()) {
            for lane in 0..WIDTH {
                let given = [frame.given[0][lane], frame.given[1][lane]];
                [batch.per_unit[lane], batch.stiffening[lane]] = of.contact(&batch.bodies, given, lane);
            }
        }
        for (batch, lanes) in patches.iter_mut().zip(lanes.iter()) {
            for (lane, pair) in lanes.iter().enumerate() {
                [batch.per_unit[lane], batch.stiffening[lane]] = of.contact(&batch.bodies, pair.given, lane);
            }
        }
    }

    fn join(&self, (): (), (): ()) {}
}

/// Units and masses of the bodies.
struct Of<'a> {
    units: &'a [f64],
    carried: &'a [f64],
    placed: &'a [PlacedBody],
}

impl Of<'_> {
    /// One over the unit of a contact (1/(N s)), and its factor.
    fn contact(&self, bodies: &[[u32; WIDTH]; 2], given: [u32; 2], lane: usize) -> [f32; 2] {
        let (mut unit, mut heaviest, mut lightness, mut n) = (f64::INFINITY, 0.0_f64, 0.0, 0.0);
        for side in (0..2).filter(|side| given[*side] == MOVES) {
            let place = bodies[side][lane] as usize;
            unit = unit.min(self.units[place]);
            heaviest = heaviest.max(self.carried[place] / self.units[place]);
            lightness += self.placed[place].0[at::INVERSE_MASS];
            n += 1.0;
        }
        match unit.is_finite() {
            true => [(1.0 / unit) as f32, (unit * heaviest * lightness / n).max(1.0) as f32],
            false => [0.0, 1.0],
        }
    }
}
