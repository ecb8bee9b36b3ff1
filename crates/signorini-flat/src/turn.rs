//! Geometry in turn: each contact, in the order of the sweep, finds its closest points and frame at the
//! current velocities of its bodies, gives them the change of Jᵀx that its new geometry makes, and is then
//! solved. So a contact sees what its predecessors' geometry did, and the change needs no derivative.

use crate::batch::{Batch, Frame, half_of, half_rows, moving_or_given, put_half};
use crate::bodies::{PlacedBody, Six, at, records, vectors};
use crate::change::{Change, larger};
use crate::geometry::{Contacts, Sides, slip};
use crate::numbers::{Four, Number, Symmetric, Vector, add, add_scaled, dot, product, sub, sub_scaled};
use crate::parameters::{PROXIMAL, TURN_MISMATCH};
use crate::simd::{HALF, Simd, Work, dispatch};
use crate::surfaces::{Surfaces, find};
use crate::sweep::SweepBy;

/// Data of a turn that all batches share.
#[derive(Clone, Copy)]
pub struct TurnBy<'a> {
    /// Bodies whose motion is given, at the start, with their velocities.
    pub given: &'a [PlacedBody],
    /// Velocities of these bodies.
    pub given_base: &'a [Six],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Closest points that the caller finds.
    pub surfaces: Option<&'a dyn Surfaces>,
    /// How impulses are solved; bodies and impulses are extrapolated already.
    pub by: SweepBy,
}

/// Renews the geometry of a batch at the velocities of `placed` and solves its contacts. `base` holds the
/// velocities from which sweeps count changes.
pub fn turn(
    placed: &mut [PlacedBody],
    base: &[Six],
    batch: &mut Batch,
    frame: &mut Frame,
    by: TurnBy<'_>,
) -> Change {
    dispatch(Turn { placed, base, batch, frame, by })
}

struct Turn<'a> {
    placed: &'a mut [PlacedBody],
    base: &'a [Six],
    batch: &'a mut Batch,
    frame: &'a mut Frame,
    by: TurnBy<'a>,
}

impl Work for Turn<'_> {
    type Output = Change;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Change {
        let Self { placed, base, batch, frame, by } = self;
        if by.by.recentre {
            batch.proximal = batch.impulse;
        }
        let mut change = Change::default();
        for half in 0..2 {
            change = change.and(turn_half(s, (&mut *placed, base), (&mut *batch, &mut *frame), by, half));
        }
        change
    }
}

/// Velocities of both bodies of four contacts, as impulses change them.
#[derive(Clone, Copy)]
struct Moving<S: Simd> {
    velocity: [Vector<Four<S>>; 2],
    spin: [Vector<Four<S>>; 2],
    inverse_mass: [Four<S>; 2],
    inverse_inertia: [Symmetric<Four<S>>; 2],
}

impl<S: Simd> Moving<S> {
    #[inline(always)]
    fn of(sides: &Sides<S>) -> Self {
        let Sides { a, b } = sides;
        Self {
            velocity: [a.velocity, b.velocity],
            spin: [a.spin, b.spin],
            inverse_mass: [a.inverse_mass, b.inverse_mass],
            inverse_inertia: [a.inverse_inertia, b.inverse_inertia],
        }
    }

    /// Takes an impulse on B, its reaction on A, and their moments.
    #[inline(always)]
    fn push(&mut self, impulse: Vector<Four<S>>, moments: [Vector<Four<S>>; 2]) {
        self.velocity = [
            sub_scaled(impulse, self.inverse_mass[0], self.velocity[0]),
            add_scaled(impulse, self.inverse_mass[1], self.velocity[1]),
        ];
        self.spin = [
            sub(self.spin[0], product(&self.inverse_inertia[0], moments[0])),
            add(self.spin[1], product(&self.inverse_inertia[1], moments[1])),
        ];
    }

    #[inline(always)]
    fn slip(&self, at: &Contacts<S>) -> [Four<S>; 4] {
        slip([self.velocity[0], self.spin[0]], [self.velocity[1], self.spin[1]], at)
    }
}

#[inline(always)]
fn turn_half<S: Simd>(
    s: S,
    (placed, base): (&mut [PlacedBody], &[Six]),
    (batch, frame): (&mut Batch, &mut Frame),
    by: TurnBy<'_>,
    half: usize,
) -> Change {
    let h = by.time_step;
    let sides = Sides::gather(s, [placed, by.given], (batch, frame), half);
    let now = match by.surfaces.filter(|_| frame.by_caller) {
        Some(surfaces) => {
            let found = find(surfaces, frame, half, &[sides.a.poses(h), sides.b.poses(h)]);
            sides.contacts_at(s, &found, batch, half)
        }
        None => {
            let (at_a, at_b) = (sides.a.at_end(h), sides.b.at_end(h));
            sides.contacts([&at_a, &at_b], (batch, frame), half, TURN_MISMATCH)
        }
    };
    let x = half_rows(s, &batch.impulse, half);
    let (before, turned_before) = Contacts::of_rows(s, batch, half).push(x);
    let (after, turned_after) = now.push(x);
    let moved = sub(after, before);
    let turned = [sub(turned_after[0], turned_before[0]), sub(turned_after[1], turned_before[1])];
    let linear = sides.slip(&now)[0];
    let mut moving = Moving::of(&sides);
    moving.push(moved, turned);
    // The gap is that at the velocities found; the change of Jᵀx moves it along.
    let offset = now.gap.mul_add(Four::all(s, 1.0 / h), Four::all(s, 0.0) - linear);
    let (next, change) = solve(batch, half, &now, &mut moving, (offset, x), by.by);
    write_bodies(placed, half_bodies(batch, half), &moving);
    for (to, normal) in frame.normal.iter_mut().zip(now.frame[0]) {
        to[HALF * half..HALF * (half + 1)].copy_from_slice(&normal.out());
    }
    write_rows(s, (batch, frame), half, &now, ([base, by.given_base], offset));
    put_half(next, &mut batch.impulse, half);
    put_half(change, &mut batch.change, half);
    let per_unit = Four::half(s, &batch.per_unit, half);
    let [d_n, d_t, d_o, d_r] = change;
    let most = d_n.abs().max(d_t.abs()).max(d_o.abs().max(d_r.abs())) * per_unit;
    let moved = dot(moved, moved).sqrt() * per_unit;
    Change {
        square: d_r.mul_add(d_r, dot([d_n, d_t, d_o], [d_n, d_t, d_o])).out().iter().sum(),
        largest: most.out().into_iter().fold(0.0, larger),
        moved: moved.out().into_iter().fold(0.0, larger),
    }
}

/// Solves four contacts; returns their impulses and how they changed.
#[inline(always)]
fn solve<S: Simd>(
    batch: &Batch,
    half: usize,
    now: &Contacts<S>,
    moving: &mut Moving<S>,
    (offset, x): (Four<S>, [Four<S>; 4]),
    by: SweepBy,
) -> ([Four<S>; 4], [Four<S>; 4]) {
    let s = offset.0;
    let zero = Four::all(s, 0.0);
    let z = half_rows(s, &batch.proximal, half);
    let y_n = offset + moving.slip(now)[0];
    let x_n = prox(by, now.step_sizes[0].neg_mul_add(y_n, x[0]), z[0]).max(zero);
    let d_n = x_n - x[0];
    let (push, turned) = now.push([d_n, zero, zero, zero]);
    moving.push(push, turned);
    let [_, y_t, y_o, y_r] = moving.slip(now);
    let step = now.step_sizes[1];
    let z_t = prox(by, step.neg_mul_add(y_t, x[1]), z[1]);
    let z_o = prox(by, step.neg_mul_add(y_o, x[2]), z[2]);
    let z_r = prox(by, step.neg_mul_add(y_r, x[3]), z[3]);
    let square = z_t.mul_add(z_t, z_o.mul_add(z_o, z_r * z_r));
    let length = square.max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
    let shrink = (Four::half(s, &batch.friction, half) * x_n / length).min(Four::all(s, 1.0));
    let (x_t, x_o, x_r) = (z_t * shrink, z_o * shrink, z_r * shrink);
    let (d_t, d_o, d_r) = (x_t - x[1], x_o - x[2], x_r - x[3]);
    let (push, turned) = now.push([zero, d_t, d_o, d_r]);
    moving.push(push, turned);
    ([x_n, x_t, x_o, x_r], [d_n, d_t, d_o, d_r])
}

/// Draws an impulse to the centre of its proximal term: (x + e z)/(1 + e).
#[inline(always)]
fn prox<S: Simd>(by: SweepBy, x: Four<S>, z: Four<S>) -> Four<S> {
    if !by.proximal {
        return x;
    }
    let e = f64::from(PROXIMAL);
    Four::all(x.0, e).mul_add(z, x) * Four::all(x.0, 1.0 / (1.0 + e))
}

#[inline(always)]
fn half_bodies(batch: &Batch, half: usize) -> [[u32; HALF]; 2] {
    [half_of(&batch.bodies[0], half), half_of(&batch.bodies[1], half)]
}

/// Writes the velocities back; those of given bodies go to nobody's place, where they do no harm.
#[inline(always)]
fn write_bodies<S: Simd>(placed: &mut [PlacedBody], places: [[u32; HALF]; 2], moving: &Moving<S>) {
    for side in 0..2 {
        let (velocity, spin) = (records(moving.velocity[side]), records(moving.spin[side]));
        for lane in 0..HALF {
            let body = &mut placed[places[side][lane] as usize].0;
            body[at::VELOCITY..at::VELOCITY + 4].copy_from_slice(&velocity[lane]);
            body[at::SPIN..at::SPIN + 4].copy_from_slice(&spin[lane]);
        }
    }
}

/// Writes the rows of four contacts with the offsets that belong to the velocities `bases`, those of moving
/// and of given bodies; `offset` is that of the normal row without velocities.
#[inline(always)]
pub fn write_rows<S: Simd>(
    s: S,
    (batch, frame): (&mut Batch, &Frame),
    half: usize,
    now: &Contacts<S>,
    (bases, offset): ([&[Six]; 2], Four<S>),
) {
    let a = moving_or_given(bases, (batch, frame), 0, half);
    let b = moving_or_given(bases, (batch, frame), 1, half);
    let y = slip([vectors(s, a, 0), vectors(s, a, 4)], [vectors(s, b, 0), vectors(s, b, 4)], now);
    put_half([offset + y[0], y[1], y[2], y[3]], &mut batch.offset, half);
    put_half(now.frame[0], &mut batch.normal, half);
    put_half(now.frame[1], &mut batch.tangent, half);
    put_half(now.arms[0], &mut batch.arms[0], half);
    put_half(now.arms[1], &mut batch.arms[1], half);
    put_half(now.step_sizes, &mut batch.step_sizes, half);
    put_half(now.coupling, &mut batch.coupling, half);
}
