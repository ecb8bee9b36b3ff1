//! The true residual: all contacts anew at the poses that the velocities give, f64, in local units.
//!
//! ```text
//! |min(x_n, r_n gap/h)|,   |x_t − P(μ x_n, x_t − r_t u_t)|,   overlap,   |A (v − v_free) − Σ Jᵀ x|
//! ```

use crate::batch::{Batch, Frame, Seen, half_of, half_rows, moving_or_given};
use crate::bodies::{End, PlacedBody, Six, columns, records, vectors};
use crate::change::larger;
use crate::flight::FourEllipsoids;
use crate::geometry::{Contacts, Sides};
use crate::numbers::{Four, Number, Vector, add, dot, product, sub};
use crate::parameters::{CHECK_MISMATCH, SUSPECT};
use crate::rolling::Rolling;
use crate::simd::{HALF, Simd, WIDTH, Work, dispatch};
use crate::surfaces::{Surfaces, find, poses_of};
use crate::turn::{Turned, pulled, remember_velocities, write_rows};

/// Data of a check that all batches share.
#[derive(Clone, Copy)]
pub struct CheckBy<'a> {
    /// Bodies whose motion is given.
    pub given: &'a [PlacedBody],
    /// Their ellipsoids at the end of the step.
    pub given_ends: &'a [End],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Velocities of the given bodies.
    pub given_base: &'a [Six],
    /// Closest points that the caller finds.
    pub surfaces: Option<&'a dyn Surfaces>,
    /// Whether the rows are written, for changes from the base velocities.
    pub writes_rows: bool,
    /// Tolerance of the solve.
    pub tolerance: f64,
}

/// Bodies of a section at a check.
pub struct Ended<'a> {
    /// Bodies with the velocities that are checked.
    pub placed: &'a [PlacedBody],
    /// Velocities from which sweeps count changes.
    pub base: &'a [Six],
    /// Ellipsoids at the end.
    pub ends: &'a [End],
    /// Sums of impulses and moments.
    pub sums: &'a mut [Six],
}

/// Checks batches: adds their impulses at the new geometry to the sums, and returns the largest residual of
/// a row.
pub fn check(
    bodies: Ended<'_>,
    (batches, rolling): (&mut [Batch], &mut [Rolling]),
    (frames, seen): (&mut [Frame], &mut [Seen]),
    by: CheckBy<'_>,
) -> f64 {
    dispatch(Check { bodies, batches, rolling, frames, seen, by })
}

struct Check<'a> {
    bodies: Ended<'a>,
    batches: &'a mut [Batch],
    rolling: &'a mut [Rolling],
    frames: &'a mut [Frame],
    seen: &'a mut [Seen],
    by: CheckBy<'a>,
}

impl Work for Check<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> f64 {
        let Self { mut bodies, batches, rolling, frames, seen, by } = self;
        let (mut largest, mut rolling) = (0.0, rolling.iter_mut());
        for ((batch, frame), seen) in batches.iter_mut().zip(frames).zip(seen) {
            let mut rolling = rolling.next().filter(|rolling| rolling.is_used);
            for half in 0..2 {
                let rows = (&mut *batch, &mut *frame, rolling.as_deref_mut());
                let residual = check_half(s, &mut bodies, rows, (&mut *seen, half), by);
                largest = residual.out().into_iter().fold(largest, larger);
            }
        }
        largest
    }
}

#[inline(always)]
fn check_half<S: Simd>(
    s: S,
    bodies: &mut Ended<'_>,
    (batch, frame, rolling): Turned<'_>,
    (seen, half): (&mut Seen, usize),
    by: CheckBy<'_>,
) -> Four<S> {
    let sides = Sides::gather(s, [bodies.placed, by.given], (batch, frame), half);
    let all = [bodies.ends, by.given_ends];
    let ends = [moving_or_given(all, (batch, frame), 0, half), moving_or_given(all, (batch, frame), 1, half)];
    let surfaces = by.surfaces.filter(|_| frame.by_caller);
    let found = surfaces.map(|surfaces| find(surfaces, frame, half, &[poses_of(ends[0]), poses_of(ends[1])]));
    let now = match &found {
        Some(found) => sides.contacts_at(s, found, batch, half),
        None => {
            let [a, b] = [ellipsoids(s, ends[0]), ellipsoids(s, ends[1])];
            sides.contacts([&a, &b], (batch, frame), half, CHECK_MISMATCH)
        }
    };
    let x = half_rows(s, &batch.impulse, half);
    let y = sides.slip(&now);
    let mut residual = rows_residual(s, (batch, frame), half, &now, (x, y, 1.0 / by.time_step));
    let places = [half_of(&batch.bodies[0], half), half_of(&batch.bodies[1], half)];
    let (push, mut moments) = now.push(pulled(s, frame, half, x));
    if let Some(rolling) = rolling {
        let at = rolling.at(s, &sides, &now, half);
        let spin = add(sub(sides.b.spin, sides.a.spin), now.surface[1]);
        let stiffening = Four::half(s, &batch.stiffening, half);
        let of_rolling = rolling.residual((s, half), &at, spin, (x[0], stiffening));
        residual = residual.max(of_rolling * Four::half(s, &batch.per_unit, half));
        let couple = rolling.couple(s, &at, half);
        moments = moments.map(|moment| add(moment, couple));
        if by.writes_rows {
            rolling.write((s, half), &at, (batch, frame), (&now, [bodies.base, by.given_base]));
        }
    }
    add_impulse(bodies.sums, places, (push, moments));
    remember(seen, frame, half, &now, y);
    if let Some(found) = &found {
        for (l, found) in found.iter().enumerate() {
            (seen.gap[HALF * half + l], seen.is_open[HALF * half + l]) = (found.gap, found.is_open);
        }
    }
    if by.writes_rows {
        let gap = now.gap * Four::all(s, 1.0 / by.time_step);
        write_rows(s, (batch, frame), half, &now, ([bodies.base, by.given_base], gap - y[0]));
        remember_velocities(&sides, frame, half);
    }
    for (l, residual) in residual.out().into_iter().enumerate() {
        if residual > SUSPECT * by.tolerance {
            frame.found_at[0][HALF * half + l] = f32::INFINITY;
        }
    }
    residual
}

/// Ellipsoids of four bodies at the end.
#[inline(always)]
fn ellipsoids<S: Simd>(s: S, ends: [&End; HALF]) -> FourEllipsoids<S> {
    let ends = [&ends[0].0, &ends[1].0, &ends[2].0, &ends[3].0];
    let (q, rest) = (columns(s, ends, End::Q), columns(s, ends, End::Q + 4));
    FourEllipsoids { centre: vectors(s, ends, 0), q: [q[0], q[1], q[2], q[3], rest[0], rest[1]] }
}

/// Natural map and overlap of four contacts in their units.
#[inline(always)]
fn rows_residual<S: Simd>(
    s: S,
    (batch, frame): (&Batch, &Frame),
    half: usize,
    now: &Contacts<S>,
    (x, y, per_step): ([Four<S>; 4], [Four<S>; 4], f64),
) -> Four<S> {
    let per_unit = Four::half(s, &batch.per_unit, half);
    let stiffening = Four::half(s, &batch.stiffening, half);
    let normal = x[0].min(stiffening * now.step_sizes[0] * now.gap * Four::all(s, per_step)).abs();
    let step = stiffening * now.step_sizes[1];
    let (z_t, z_o, z_r) = (x[1] - step * y[1], x[2] - step * y[2], x[3] - step * y[3]);
    let square = z_t.mul_add(z_t, z_o.mul_add(z_o, z_r * z_r));
    let length = square.max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
    let radius = Four::half(s, &batch.friction, half) * x[0];
    let shrink = (radius / length).min(Four::all(s, 1.0));
    let (e_t, e_o, e_r) = (x[1] - z_t * shrink, x[2] - z_o * shrink, x[3] - z_r * shrink);
    let friction = e_t.mul_add(e_t, e_o.mul_add(e_o, e_r * e_r)).sqrt();
    let zero = Four::all(s, 0.0);
    let overlap = (zero - now.gap) * Four::of(s, half_of(&frame.overlap, half));
    (normal.max(friction) * per_unit).max(overlap)
}

/// Adds an impulse on B and its reaction on A, with their moments, to the sums.
#[inline(always)]
fn add_impulse<S: Simd>(
    sums: &mut [Six],
    places: [[u32; HALF]; 2],
    (push, moments): (Vector<Four<S>>, [Vector<Four<S>>; 2]),
) {
    for side in 0..2 {
        let (linear, angular) = (records(push), records(moments[side]));
        let sign = if side == 0 { -1.0 } else { 1.0 };
        for lane in 0..HALF {
            let sum = &mut sums[places[side][lane] as usize];
            for d in 0..3 {
                sum[d] += sign * linear[lane][d];
                sum[4 + d] += sign * angular[lane][d];
            }
        }
    }
}

#[inline(always)]
fn remember<S: Simd>(seen: &mut Seen, frame: &mut Frame, half: usize, now: &Contacts<S>, y: [Four<S>; 4]) {
    let [n, t, _] = now.frame;
    for d in 0..3 {
        put(half, &mut seen.normal[d], n[d]);
        put(half, &mut frame.normal[d], n[d]);
        put(half, &mut seen.tangent[d], t[d]);
        for side in 0..2 {
            put(half, &mut seen.arms[side][d], now.arms[side][d]);
        }
    }
    put(half, &mut seen.gap, now.gap);
    put(half, &mut seen.slip[0], y[1]);
    put(half, &mut seen.slip[1], y[2]);
    put(half, &mut seen.slip[2], y[3]);
}

#[inline(always)]
fn put<S: Simd>(half: usize, to: &mut [f64; WIDTH], x: Four<S>) {
    to[HALF * half..HALF * (half + 1)].copy_from_slice(&x.out());
}

/// Adds the impulses of batches at their rows as they are to the sums.
pub fn add_impulses(sums: &mut [Six], (batches, frames): (&[Batch], &[Frame]), rolling: &[Rolling]) {
    dispatch(AddImpulses { sums, batches, frames, rolling });
}

struct AddImpulses<'a> {
    sums: &'a mut [Six],
    batches: &'a [Batch],
    frames: &'a [Frame],
    rolling: &'a [Rolling],
}

impl Work for AddImpulses<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let mut rolling = self.rolling.iter();
        for (batch, frame) in self.batches.iter().zip(self.frames) {
            let rolling = rolling.next().filter(|rolling| rolling.is_used);
            for half in 0..2 {
                let x = pulled(s, frame, half, half_rows(s, &batch.impulse, half));
                let places = [half_of(&batch.bodies[0], half), half_of(&batch.bodies[1], half)];
                let (push, mut moments) = Contacts::of_rows(s, batch, half).push(x);
                if let Some(rolling) = rolling {
                    let couple = rolling.couple_of_rows(s, batch, half);
                    moments = moments.map(|moment| add(moment, couple));
                }
                add_impulse(self.sums, places, (push, moments));
            }
        }
    }
}

/// Momentum of a body that its impulses do not explain, in its unit: the larger of m |Δv| and √(m Δω·I Δω).
pub fn momentum_residual(body: &PlacedBody, gathered: &Six, mass: f64, inertia: &[f64; 6], unit: f64) -> f64 {
    let of = |at: usize| [body.0[at], body.0[at + 1], body.0[at + 2]];
    let velocity = sub(of(crate::bodies::at::VELOCITY), [gathered[0], gathered[1], gathered[2]]);
    let spin = sub(of(crate::bodies::at::SPIN), [gathered[4], gathered[5], gathered[6]]);
    let turned = product(inertia, spin);
    let linear = mass * dot(velocity, velocity).sqrt();
    let angular = (mass * dot(spin, turned)).max(0.0).sqrt();
    larger(linear, angular) / unit
}
