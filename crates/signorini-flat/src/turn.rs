//! Geometry in turn: each contact, in the order of the sweep, finds its closest points and frame at the
//! current velocities of its bodies, gives them the change of Jᵀx that its new geometry makes, and is then
//! solved. So a contact sees what its predecessors' geometry did, and the change needs no derivative.

use crate::batch::{Batch, Frame, Lane, half_of, half_rows, moving_or_given, put_half};
use crate::bodies::{PlacedBody, Six, at, records, vectors};
use crate::change::{Change, larger};
use crate::geometry::{Contacts, Sides, slip};
use crate::moving::Moving;
use crate::numbers::{Four, Number, Vector, add, dot, sub};
use crate::parameters::{OVERLAP, STILL_POINT, TURN_MISMATCH};
use crate::rolling::Rolling;
use crate::simd::{HALF, Simd, Work, dispatch};
use crate::surfaces::{Surfaces, find};
use crate::sweep_by::SweepBy;

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
    /// Tolerance of the solve.
    pub tolerance: f64,
}

/// Velocities from which sweeps count changes, of the bodies of a section.
#[derive(Clone, Copy)]
pub struct Bases<'a> {
    /// Those of this turn.
    pub now: &'a [Six],
    /// Those to which the rows belong, of the turn before.
    pub before: &'a [Six],
}

/// Renews the geometry of a batch at the velocities of `placed` and solves its contacts. Those whose bodies
/// hardly moved since it was found keep theirs.
pub fn turn(
    (placed, bases): (&mut [PlacedBody], Bases<'_>),
    (batch, frame, rolling): Turned<'_>,
    by: TurnBy<'_>,
) -> Change {
    let rolling = rolling.filter(|rolling| rolling.is_used);
    dispatch(Turn { placed, bases, batch, frame, rolling, by })
}

/// A batch in a turn, with its rolling rows where it has some.
pub type Turned<'a> = (&'a mut Batch, &'a mut Frame, Option<&'a mut Rolling>);

struct Turn<'a> {
    placed: &'a mut [PlacedBody],
    bases: Bases<'a>,
    batch: &'a mut Batch,
    frame: &'a mut Frame,
    rolling: Option<&'a mut Rolling>,
    by: TurnBy<'a>,
}

impl Work for Turn<'_> {
    type Output = Change;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Change {
        let Self { placed, bases, batch, frame, mut rolling, by } = self;
        if by.by.recentre {
            batch.proximal = batch.impulse;
            rolling.iter_mut().for_each(|rolling| rolling.recentre());
        }
        let mut change = Change::default();
        for half in 0..2 {
            change = change.and(turn_half(
                s,
                (&mut *placed, bases),
                (&mut *batch, &mut *frame, rolling.as_deref_mut()),
                by,
                half,
            ));
        }
        change
    }
}

#[inline(always)]
fn turn_half<S: Simd>(
    s: S,
    (placed, bases): (&mut [PlacedBody], Bases<'_>),
    (batch, frame, rolling): Turned<'_>,
    by: TurnBy<'_>,
    half: usize,
) -> Change {
    let h = by.time_step;
    let sides = Sides::gather(s, [placed, by.given], (batch, frame), half);
    if !frame.by_caller && rolling.is_none() && is_still(&sides, frame, half, by) {
        return still_half((placed, bases), (batch, frame), &sides, by, half);
    }
    remember_velocities(&sides, frame, half);
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
    let acting = pulled(s, frame, half, x);
    let (before, turned_before) = Contacts::of_rows(s, batch, half).push(acting);
    let (after, turned_after) = now.push(acting);
    let moved = sub(after, before);
    let mut turned = [sub(turned_after[0], turned_before[0]), sub(turned_after[1], turned_before[1])];
    let mut of_rolling = rolling.map(|rolling| {
        let at = rolling.at(s, &sides, &now, half);
        let couple = sub(rolling.couple(s, &at, half), rolling.couple_of_rows(s, batch, half));
        turned = turned.map(|moment| add(moment, couple));
        (rolling, at)
    });
    let linear = sides.slip(&now)[0];
    let mut moving = Moving::of(&sides);
    moving.push(moved, turned);
    // The gap is that at the velocities found; the change of Jᵀx moves it along.
    let offset = now.gap.mul_add(Four::all(s, 1.0 / h), Four::all(s, 0.0) - linear);
    let (next, change) = solve(batch, half, &now, &mut moving, (offset, x), by.by);
    let mut couples = [Four::all(s, 0.0); 2];
    if let Some((rolling, at)) = &mut of_rolling {
        couples = rolling.turn((s, half), at, (&now, &mut moving), next[0], by.by);
        rolling.write((s, half), at, (batch, frame), (&now, [bases.now, by.given_base]));
    }
    write_bodies(placed, half_bodies(batch, half), &moving);
    for (to, normal) in frame.normal.iter_mut().zip(now.frame[0]) {
        to[HALF * half..HALF * (half + 1)].copy_from_slice(&normal.out());
    }
    write_rows(s, (batch, frame), half, &now, ([bases.now, by.given_base], offset));
    put_solution(batch, half, (next, change));
    changed(batch, half, (change, couples), moved)
}

/// Sizes of the changes of impulses, of rolling impulses, and of Jᵀx.
#[inline(always)]
fn changed<S: Simd>(
    batch: &Batch,
    half: usize,
    (change, couples): ([Four<S>; 4], [Four<S>; 2]),
    moved: Vector<Four<S>>,
) -> Change {
    let per_unit = Four::half(change[0].0, &batch.per_unit, half);
    let [d_n, d_t, d_o, d_r] = change;
    let most = d_n.abs().max(d_t.abs()).max(d_o.abs().max(d_r.abs()));
    let most = most.max(couples[0].abs().max(couples[1].abs())) * per_unit;
    let couples = couples[0].mul_add(couples[0], couples[1] * couples[1]);
    let moved = dot(moved, moved).sqrt() * per_unit;
    Change {
        square: (couples + d_r.mul_add(d_r, dot([d_n, d_t, d_o], [d_n, d_t, d_o]))).out().iter().sum(),
        largest: most.out().into_iter().fold(0.0, larger),
        moved: moved.out().into_iter().fold(0.0, larger),
    }
}

#[inline(always)]
fn put_solution<S: Simd>(batch: &mut Batch, half: usize, (next, change): ([Four<S>; 4], [Four<S>; 4])) {
    put_half(next, &mut batch.impulse, half);
    put_half(change, &mut batch.change, half);
}

/// Keeps the velocities at which the geometry is found.
#[inline(always)]
pub fn remember_velocities<S: Simd>(sides: &Sides<S>, frame: &mut Frame, half: usize) {
    let [v, w_a, w_b] = velocities(sides);
    let [x, y, z] = v;
    let all = [x, y, z, w_a[0], w_a[1], w_a[2], w_b[0], w_b[1], w_b[2]];
    put_half(all, &mut frame.found_at, half);
}

#[inline(always)]
fn velocities<S: Simd>(sides: &Sides<S>) -> [Vector<Four<S>>; 3] {
    [sub(sides.b.velocity, sides.a.velocity), sides.a.spin, sides.b.spin]
}

/// Whether the bodies of four contacts hardly moved since their geometry was found.
#[inline(always)]
fn is_still<S: Simd>(sides: &Sides<S>, frame: &Frame, half: usize, by: TurnBy<'_>) -> bool {
    let s = sides.a.inverse_mass.0;
    let [v, w_a, w_b] = velocities(sides);
    let [x, y, z, w_x, w_y, w_z, u_x, u_y, u_z] = &frame.found_at;
    let then = [[x, y, z], [w_x, w_y, w_z], [u_x, u_y, u_z]];
    let limit = STILL_POINT * by.tolerance / by.time_step;
    // Half the size: the other half is left to the spins.
    let half_size = Four::all(s, 0.5 * OVERLAP * limit) / Four::of(s, half_of(&frame.overlap, half));
    let spins = apart(w_a, then[1], half).max(apart(w_b, then[2], half));
    let moves =
        apart(v, then[0], half).above(half_size * half_size).or(spins.above(Four::all(s, limit * limit)));
    moves.bits() == 0
}

/// Squared distance of four vectors from those kept.
#[inline(always)]
fn apart<S: Simd>(now: Vector<Four<S>>, [x, y, z]: [&Lane; 3], half: usize) -> Four<S> {
    let s = now[0].0;
    let moved = sub(now, [Four::half(s, x, half), Four::half(s, y, half), Four::half(s, z, half)]);
    dot(moved, moved)
}

/// Solves four contacts with their geometry as it is, at the velocities of this turn.
#[inline(always)]
fn still_half<S: Simd>(
    (placed, bases): (&mut [PlacedBody], Bases<'_>),
    (batch, frame): (&mut Batch, &mut Frame),
    sides: &Sides<S>,
    by: TurnBy<'_>,
    half: usize,
) -> Change {
    let s = sides.a.inverse_mass.0;
    let now = Contacts::of_rows(s, batch, half);
    let y = slip_at(s, [bases.before, by.given_base], (batch, frame), half, &now);
    let offset = Four::half(s, &batch.offset[0], half) - y[0];
    let mut moving = Moving::of(sides);
    let x = half_rows(s, &batch.impulse, half);
    let found = solve(batch, half, &now, &mut moving, (offset, x), by.by);
    write_bodies(placed, half_bodies(batch, half), &moving);
    let y = slip_at(s, [bases.now, by.given_base], (batch, frame), half, &now);
    put_half([offset + y[0], y[1], y[2], y[3]], &mut batch.offset, half);
    put_solution(batch, half, found);
    let zero = Four::all(s, 0.0);
    changed(batch, half, (found.1, [zero; 2]), [zero; 3])
}

/// Relative velocity along the rows of four contacts at velocities of moving and of given bodies.
#[inline(always)]
fn slip_at<S: Simd>(
    s: S,
    bases: [&[Six]; 2],
    (batch, frame): (&Batch, &Frame),
    half: usize,
    now: &Contacts<S>,
) -> [Four<S>; 4] {
    let a = moving_or_given(bases, (batch, frame), 0, half);
    let b = moving_or_given(bases, (batch, frame), 1, half);
    slip([vectors(s, a, 0), vectors(s, a, 4)], [vectors(s, b, 0), vectors(s, b, 4)], now)
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
    let x_n = by.prox4(now.step_sizes[0].neg_mul_add(y_n, x[0]), z[0]).max(zero);
    let d_n = x_n - x[0];
    let (push, turned) = now.push([d_n, zero, zero, zero]);
    moving.push(push, turned);
    let [_, y_t, y_o, y_r] = moving.slip(now);
    let step = now.step_sizes[1];
    let z_t = by.prox4(step.neg_mul_add(y_t, x[1]), z[1]);
    let z_o = by.prox4(step.neg_mul_add(y_o, x[2]), z[2]);
    let z_r = by.prox4(step.neg_mul_add(y_r, x[3]), z[3]);
    let square = z_t.mul_add(z_t, z_o.mul_add(z_o, z_r * z_r));
    let length = square.max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
    let shrink = (Four::half(s, &batch.friction, half) * x_n / length).min(Four::all(s, 1.0));
    let (x_t, x_o, x_r) = (z_t * shrink, z_o * shrink, z_r * shrink);
    let (d_t, d_o, d_r) = (x_t - x[1], x_o - x[2], x_r - x[3]);
    let (push, turned) = now.push([zero, d_t, d_o, d_r]);
    moving.push(push, turned);
    ([x_n, x_t, x_o, x_r], [d_n, d_t, d_o, d_r])
}

/// Impulses as bodies feel them: the normal one less the pull of cohesion.
#[inline(always)]
pub fn pulled<S: Simd>(s: S, frame: &Frame, half: usize, x: [Four<S>; 4]) -> [Four<S>; 4] {
    [x[0] - Four::of(s, half_of(&frame.pull, half)), x[1], x[2], x[3]]
}

#[inline(always)]
fn half_bodies(batch: &Batch, half: usize) -> [[u32; HALF]; 2] {
    [half_of(&batch.bodies[0], half), half_of(&batch.bodies[1], half)]
}

/// Writes the velocities of moving bodies back. Nobody's place stays at rest: lanes without a contact have
/// it, and whether it moved must not depend on which given body was there before.
#[inline(always)]
fn write_bodies<S: Simd>(placed: &mut [PlacedBody], places: [[u32; HALF]; 2], moving: &Moving<S>) {
    for side in 0..2 {
        let (velocity, spin) = (records(moving.velocity[side]), records(moving.spin[side]));
        for lane in 0..HALF {
            let body = &mut placed[places[side][lane] as usize].0;
            if body[at::INVERSE_MASS] == 0.0 {
                continue;
            }
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
    let y = slip_at(s, bases, (batch, frame), half, now);
    put_half([offset + y[0], y[1], y[2], y[3]], &mut batch.offset, half);
    put_half(now.frame[0], &mut batch.normal, half);
    put_half(now.frame[1], &mut batch.tangent, half);
    put_half(now.arms[0], &mut batch.arms[0], half);
    put_half(now.arms[1], &mut batch.arms[1], half);
    put_half(now.step_sizes, &mut batch.step_sizes, half);
    put_half(now.coupling, &mut batch.coupling, half);
}
