//! Height factors: the impulses of whole layers of a pile at once. Sweeps carry the weight of a bed from
//! contact to contact, and while every row is within the tolerance a bed of many layers may still sink.
//!
//! The impulses of a contact at height z are multiplied by 1 + s(z), which keeps them within their cones.
//! s = Σ s_k φ_k is a sum of hat functions of the height along the load, and makes the energy of the step the
//! least:
//!
//! ```text
//! H s = −g,   H_kl = Σ_i f_ikᵀ A_i⁻¹ f_il,   g_k = Σ_c φ_k(z_c) (x_n (u_n + gap/h) + x_t·u_t),
//! f_ik = Σ_c φ_k(z_c) J_icᵀ x_c
//! ```
//! with u at the velocities that the impulses explain; the friction of a contact that slides does no work
//! here, whatever the factor.

use crate::batch::{Batch, Frame, MOVES, Rows};
use crate::bodies::{OfHeight, at, parts_of};
use crate::numbers::{Vector, add, add_scaled, cross, dot, scale, sub};
use crate::parameters::{
    HAT_SIZES, HATS, HEIGHT_SHIFT, LEAST_PIVOT, MOST_HEIGHT_FACTOR, NEAR_HATS, SLIDING_FROM,
};
use crate::passes::gathered;
use crate::patch::batch::{PatchBatch, PatchLane, vector_of};
use crate::patch::response::{centre, friction_wrench, in_world, power, slip, twist_of};
use crate::patch::turn::{frame_of, wrench_of};
use crate::problem::{Body, Problem};
use crate::sections::Section;
use crate::sent::Changed;
use crate::simd::WIDTH;
use crate::visit::Visit;
use nalgebra::{SMatrix, SVector};

/// Number of each hat.
type OfHats = SVector<f64, HATS>;
/// Number of each two hats.
type Energies = SMatrix<f64, HATS, HATS>;

/// Hat functions of the height of a pile.
#[derive(Debug, Clone, Copy)]
pub struct Heights {
    /// Direction of the load, upward, over the distance of two hats (1/m).
    up: Vector<f64>,
    /// Height of the lowest centre, in distances of hats.
    lowest: f64,
}

impl Heights {
    /// Hats for the bodies of a step; None where the pile is no higher than some bodies, or has no load.
    pub fn of(problem: &Problem<'_>) -> Option<Self> {
        let load = problem
            .bodies
            .iter()
            .fold([0.0; 3], |sum, body| add_scaled(sub(body.free[0], body.velocity[0]), body.mass, sum));
        let length = dot(load, load).sqrt();
        let up = scale(load, if length > 0.0 { -1.0 / length } else { return None });
        let heights = problem.bodies.iter().map(|body| dot(up, body.centre));
        let (lowest, highest) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)));
        let extent = |body: &Body| (2.5 / 3.0 * body.moments.iter().sum::<f64>() / body.mass).sqrt();
        let size = 2.0 * problem.bodies.iter().map(extent).fold(0.0, f64::max);
        let distance = (highest - lowest) / (HATS - 1) as f64;
        (distance >= HAT_SIZES * size)
            .then(|| Self { up: scale(up, 1.0 / distance), lowest: lowest / distance })
    }

    fn height(&self, place: Vector<f64>) -> f64 {
        dot(self.up, place) - self.lowest
    }

    /// Height of a contact that lies at arms from the centres of its sides, by the first that moves.
    fn of_contact(&self, bodies: &[OfHeight], places: [Option<usize>; 2], arms: [Vector<f64>; 2]) -> f64 {
        let side = usize::from(places[0].is_none());
        places[side].map_or(0.0, |place| bodies[place].height + dot(self.up, arms[side]))
    }
}

/// The lower hat that a height lies in, and the parts of it and of the next one.
fn hats_at(height: f64) -> (usize, [f64; 2]) {
    let height = height.clamp(0.0, (HATS - 1) as f64);
    let lower = (height as usize).min(HATS - 2);
    let part = height - lower as f64;
    (lower, [1.0 - part, part])
}

/// Factors of all hats.
#[derive(Debug, Clone, Copy)]
pub struct HeightFactors(OfHats);

impl HeightFactors {
    /// Solves for the factors, from the energy and the work of the impulses in each hat.
    pub fn new(mut energy: Energies, work: &OfHats) -> Self {
        let largest = energy.diagonal().max();
        for k in 0..HATS {
            energy[(k, k)] += HEIGHT_SHIFT * energy[(k, k)] + LEAST_PIVOT * largest;
        }
        let factors = energy.cholesky().map_or(OfHats::zeros(), |factor| -factor.solve(work));
        let most = factors.amax();
        Self(if most > MOST_HEIGHT_FACTOR { factors * (MOST_HEIGHT_FACTOR / most) } else { factors })
    }

    /// The largest factor.
    pub fn largest(&self) -> f64 {
        self.0.amax()
    }

    fn at(&self, height: f64) -> f32 {
        let (k, [lower, upper]) = hats_at(height);
        (1.0 + lower * self.0[k] + upper * self.0[k + 1]) as f32
    }
}

/// Sums impulses and their work up by hat.
pub struct ByHeight(pub Heights);

impl Visit for ByHeight {
    type Found = OfHats;
    const CHANGED: Changed = Changed::Heights;

    fn bodies(&self, section: &mut Section<'_>) -> OfHats {
        for place in 0..section.placed.len() {
            let placed = &section.placed[place];
            let velocity = gathered(placed, &section.free[place], &section.sums[place]);
            let body = &mut section.heights[place];
            *body = OfHeight {
                height: self.0.height([placed.0[0], placed.0[1], placed.0[2]]),
                ..OfHeight::default()
            };
            body.first = (body.height.round().max(1.0) as usize - 1).min(HATS - NEAR_HATS);
            if placed.0[at::INVERSE_MASS] > 0.0 {
                for (change, (now, base)) in
                    body.change.iter_mut().zip(velocity.iter().zip(&section.base[place]))
                {
                    *change = now - base;
                }
            }
        }
        OfHats::zeros()
    }

    fn contacts(&self, section: &mut Section<'_>) -> OfHats {
        let mut work = OfHats::zeros();
        let Section { heights, batches, frames, patches, lanes, .. } = section;
        for (batch, frame) in batches.iter().zip(frames.iter()) {
            for lane in (0..WIDTH).filter(|lane| batch.impulse[0][*lane] > 0.0) {
                let of = Loaded::at_point((batch, frame, lane), heights);
                of.add_to((&self.0, heights), &mut work);
            }
        }
        for (batch, lanes) in patches.iter().zip(lanes.iter()) {
            for (lane, pair) in lanes.iter().enumerate().filter(|(_, pair)| pair.is_used && pair.n > 0) {
                let of = Loaded::of_patch((batch, pair, lane), heights);
                of.add_to((&self.0, heights), &mut work);
            }
        }
        work
    }

    fn join(&self, a: OfHats, b: OfHats) -> OfHats {
        a + b
    }
}

/// Sums the energy of the bodies up by two hats.
pub struct Energy;

impl Visit for Energy {
    type Found = Energies;
    const CHANGED: Changed = Changed::Nothing;

    fn bodies(&self, section: &mut Section<'_>) -> Energies {
        let mut energy = Energies::zeros();
        for (placed, body) in section.placed.iter().zip(section.heights.iter()) {
            for (k, a) in body.sums.iter().enumerate() {
                let [velocity, spin] = placed.moved_by(a);
                for (l, b) in body.sums.iter().enumerate() {
                    let [push, turn] = parts_of(b);
                    energy[(body.first + k, body.first + l)] += dot(velocity, push) + dot(spin, turn);
                }
            }
        }
        energy
    }

    fn join(&self, a: Energies, b: Energies) -> Energies {
        a + b
    }
}

/// A contact with its impulse.
struct Loaded {
    places: [Option<usize>; 2],
    arms: [Vector<f64>; 2],
    /// Impulse on B and the moment that does not follow from it.
    force: [Vector<f64>; 2],
    work: f64,
}

/// Places of the sides that move.
fn moving(bodies: &[[u32; WIDTH]; 2], given: [u32; 2], lane: usize) -> [Option<usize>; 2] {
    [0, 1].map(|side: usize| (given[side] == MOVES).then_some(bodies[side][lane] as usize))
}

/// Velocity of the point at an arm, and spin, of a side.
fn motion(heights: &[OfHeight], place: Option<usize>, arm: Vector<f64>) -> [Vector<f64>; 2] {
    let Some(place) = place else { return [[0.0; 3]; 2] };
    let [x, y, z, _, a, b, c, _] = heights[place].change;
    [add([x, y, z], cross([a, b, c], arm)), [a, b, c]]
}

impl Loaded {
    fn at_point((batch, frame, lane): (&Batch, &Frame, usize), heights: &[OfHeight]) -> Self {
        let places = moving(&batch.bodies, [frame.given[0][lane], frame.given[1][lane]], lane);
        let arms = [vector_of(&batch.arms[0], lane), vector_of(&batch.arms[1], lane)];
        let (n, t) = (vector_of(&batch.normal, lane), vector_of(&batch.tangent, lane));
        let o = cross(n, t);
        let row = |rows: &Rows| [0, 1, 2, 3].map(|k: usize| f64::from(rows[k][lane]));
        let (x, offset, radius) = (row(&batch.impulse), row(&batch.offset), f64::from(batch.torsion[lane]));
        let [[at_a, spin_a], [at_b, spin_b]] =
            [0, 1].map(|side: usize| motion(heights, places[side], arms[side]));
        let (u, spin) = (sub(at_b, at_a), sub(spin_b, spin_a));
        let y = [dot(n, u), dot(t, u), dot(o, u), radius * dot(n, spin)];
        let friction = x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        let sticks = friction < (SLIDING_FROM * f64::from(batch.friction[lane]) * x[0]).powi(2);
        let rows = if sticks { 0..4 } else { 0..1 };
        Self {
            places,
            arms,
            force: [add_scaled(n, x[0], add_scaled(t, x[1], scale(o, x[2]))), scale(n, radius * x[3])],
            work: rows.map(|k| x[k] * (offset[k] + y[k])).sum(),
        }
    }

    fn of_patch((batch, pair, lane): (&PatchBatch, &PatchLane, usize), heights: &[OfHeight]) -> Self {
        let places = moving(&batch.bodies, pair.given, lane);
        let (frame, arms) = frame_of(batch, lane);
        let wrench = wrench_of(batch, pair.n, lane);
        let [a, b] = [0, 1].map(|side: usize| motion(heights, places[side], [0.0; 3]));
        let change = twist_of(a, b, arms, &frame);
        let number = |x: &[f32; WIDTH]| f64::from(x[lane]);
        let x = batch.points.each_ref().map(|point| number(&point.impulse));
        let points = batch.points.each_ref().map(|point| point.place.each_ref().map(number));
        let (centre, load) = centre(&x, &points, pair.n);
        let offsets: f64 = (0..pair.n).map(|k| x[k].max(0.0) * number(&batch.points[k].offset)).sum();
        let (push, radius) = (vector_of(&batch.push, lane), number(&batch.torsion));
        let sticks = dot(push, push) < (SLIDING_FROM * number(&batch.friction) * load).powi(2);
        let base = vector_of(&batch.slip, lane);
        let base = [0.0, 0.0, 0.0, base[0], base[1], base[2]];
        let friction = match sticks {
            true => dot(push, slip(&base, centre, radius)),
            false => -power(&friction_wrench(centre, radius, push), &change),
        };
        Self {
            places,
            arms,
            force: in_world(&frame, &wrench),
            work: power(&wrench, &change) + offsets + friction,
        }
    }

    fn add_to(&self, (hats, heights): (&Heights, &mut [OfHeight]), work: &mut OfHats) {
        let (lower, parts) = hats_at(hats.of_contact(heights, self.places, self.arms));
        for (k, part) in parts.into_iter().enumerate() {
            work[lower + k] += part * self.work;
        }
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(place) = self.places[side] else { continue };
            let turning = add(cross(self.arms[side], self.force[0]), self.force[1]);
            let body = &mut heights[place];
            let from = lower.saturating_sub(body.first).min(NEAR_HATS - 2);
            for (sum, part) in body.sums[from..].iter_mut().zip(parts) {
                for d in 0..3 {
                    sum[d] += sign * part * self.force[0][d];
                    sum[4 + d] += sign * part * turning[d];
                }
            }
        }
    }
}

/// Multiplies all impulses by their factors.
pub struct ScaleByHeight(pub Heights, pub HeightFactors);

impl ScaleByHeight {
    fn factor(&self, heights: &[OfHeight], places: [Option<usize>; 2], arms: [Vector<f64>; 2]) -> f32 {
        self.1.at(self.0.of_contact(heights, places, arms))
    }
}

impl Visit for ScaleByHeight {
    type Found = ();
    const CHANGED: Changed = Changed::Nothing;

    fn contacts(&self, section: &mut Section<'_>) {
        let Section { heights, batches, frames, rolling, patches, lanes, .. } = section;
        let mut rolling = rolling.iter_mut();
        for (batch, frame) in batches.iter_mut().zip(frames.iter()) {
            let mut rolling = rolling.next();
            for lane in (0..WIDTH).filter(|lane| frame.contact[*lane].is_some()) {
                let places = moving(&batch.bodies, [frame.given[0][lane], frame.given[1][lane]], lane);
                let arms = [vector_of(&batch.arms[0], lane), vector_of(&batch.arms[1], lane)];
                let factor = self.factor(heights, places, arms);
                batch.impulse.iter_mut().chain(&mut batch.proximal).for_each(|row| row[lane] *= factor);
                if let Some(rolling) = &mut rolling {
                    let rows = rolling.impulse.iter_mut().chain(&mut rolling.proximal);
                    rows.for_each(|row| row[lane] *= factor);
                }
            }
        }
        for (batch, lanes) in patches.iter_mut().zip(lanes.iter()) {
            for (lane, pair) in lanes.iter().enumerate().filter(|(_, pair)| pair.is_used && pair.n > 0) {
                let arms = [vector_of(&batch.arms[0], lane), vector_of(&batch.arms[1], lane)];
                let factor = self.factor(heights, moving(&batch.bodies, pair.given, lane), arms);
                let points = batch.points[..pair.n].iter_mut().map(|point| &mut point.impulse);
                points.chain(&mut batch.push).chain(&mut batch.wrench).for_each(|row| row[lane] *= factor);
            }
        }
    }

    fn join(&self, (): (), (): ()) {}
}
