//! One sweep: every contact in turn with the others held, in f32, on changes of the velocities since the
//! last turn.
//!
//! ```text
//! x_n ← max(0, (x_n − r_n y_n + e z_n)/(1 + e)),      x_t ← P(μ x_n, (x_t − r_t y_t + e z_t)/(1 + e))
//! ```
//! with y = y₀ + J w, P the projection on the ball of the radius, e and z the proximal term (0 without it).
//! Before its visit an impulse goes on along the conjugate direction (Silcowitz, Niebe
//! and Erleben 2010).

use crate::batch::{Batch, Rows, vectors_of};
use crate::bodies::{SweptBody, gather, pushed, scatter};
use crate::change::{Change, larger};
use crate::numbers::{Eight, Number, Vector, add, add_scaled, cross, dot, dot_add, scale, sub};
use crate::parameters::LEAST_FRICTION_SQUARE;
use crate::rolling::Rolling;
use crate::simd::{Simd, Work, dispatch};
use crate::sweep_by::SweepBy;

/// Sweeps over batches; `rolling` has their rolling rows, or none where nothing resists rolling.
pub fn sweep(
    bodies: &mut [SweptBody],
    (batches, rolling): (&mut [Batch], &mut [Rolling]),
    by: SweepBy,
) -> Change {
    dispatch(Sweep { bodies, batches, rolling, by })
}

struct Sweep<'a> {
    bodies: &'a mut [SweptBody],
    batches: &'a mut [Batch],
    rolling: &'a mut [Rolling],
    by: SweepBy,
}

impl Work for Sweep<'_> {
    type Output = Change;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Change {
        let Self { bodies, batches, rolling, by } = self;
        let (mut couples, mut of_rolling) = (rolling.iter_mut(), Change::default());
        let (mut square, mut largest) = (Eight::all(s, 0.0), Eight::all(s, 0.0));
        for batch in batches {
            if by.recentre {
                batch.proximal = batch.impulse;
            }
            let [a, b] = batch.bodies;
            let (before_a, before_b) = (gather::<S, 0>(s, bodies, &a), gather::<S, 0>(s, bodies, &b));
            let (change, frame) = visit_batch(s, batch, [before_a, before_b], by);
            let [d_n, d_t, d_o, d_r] = change;
            let most = d_n.abs().max(d_t.abs()).max(d_o.abs().max(d_r.abs()));
            largest = largest.max(most * Eight::of(s, &batch.per_unit));
            square = d_n.mul_add(d_n, d_t.mul_add(d_t, d_o.mul_add(d_o, d_r.mul_add(d_r, square))));
            let [n, t, o] = frame;
            let push = add_scaled(n, d_n, add_scaled(t, d_t, scale(o, d_o)));
            let twist = scale(n, Eight::of(s, &batch.torsion) * d_r);
            let [arm_a, arm_b] = [vectors_of(s, &batch.arms[0]), vectors_of(s, &batch.arms[1])];
            let (on_a, on_b) = (add(cross(arm_a, push), twist), add(cross(arm_b, push), twist));
            let minus = Eight::all(s, -1.0);
            let inertia = gather::<S, 1>(s, bodies, &a);
            scatter(
                bodies,
                &a,
                pushed(before_a, &inertia, (scale(push, minus), scale(on_a, minus)), batch.has_guides),
            );
            let inertia = gather::<S, 1>(s, bodies, &b);
            scatter(bodies, &b, pushed(before_b, &inertia, (push, on_b), batch.has_guides));
            if let Some(rolling) = couples.next().filter(|rolling| rolling.is_used) {
                of_rolling = of_rolling.and(rolling.sweep(s, bodies, batch, by));
            }
        }
        let square = square.out().iter().map(|x| f64::from(*x)).sum();
        let largest = largest.out().iter().fold(0.0, |a, b| larger(a, f64::from(*b)));
        Change { square, largest, moved: 0.0 }.and(of_rolling)
    }
}

/// Reads eight contacts' rows.
#[inline(always)]
fn rows<S: Simd>(s: S, of: &Rows) -> [Eight<S>; 4] {
    [Eight::of(s, &of[0]), Eight::of(s, &of[1]), Eight::of(s, &of[2]), Eight::of(s, &of[3])]
}

/// Solves eight contacts: returns how their impulses change, and the frames (n, t, o).
#[inline(always)]
fn visit_batch<S: Simd>(
    s: S,
    batch: &mut Batch,
    [a, b]: [[Eight<S>; 8]; 2],
    by: SweepBy,
) -> ([Eight<S>; 4], [Vector<Eight<S>>; 3]) {
    let beta = Eight::all(s, by.extrapolation);
    let mut x = rows(s, &batch.impulse);
    for ((x, direction), change) in x.iter_mut().zip(&mut batch.direction).zip(&batch.change) {
        let step = beta * Eight::of(s, direction);
        *x = *x + step;
        *direction = (step + Eight::of(s, change)).out();
    }
    let (n, t) = (vectors_of(s, &batch.normal), vectors_of(s, &batch.tangent));
    let o = cross(n, t);
    let [arm_a, arm_b] = [vectors_of(s, &batch.arms[0]), vectors_of(s, &batch.arms[1])];
    let at_a = add([a[0], a[1], a[2]], cross([a[4], a[5], a[6]], arm_a));
    let at_b = add([b[0], b[1], b[2]], cross([b[4], b[5], b[6]], arm_b));
    let u = sub(at_b, at_a);
    let spin = sub([b[4], b[5], b[6]], [a[4], a[5], a[6]]);
    let offset = rows(s, &batch.offset);
    let [r_n, r_t] = [Eight::of(s, &batch.step_sizes[0]), Eight::of(s, &batch.step_sizes[1])];
    let z = rows(s, &batch.proximal);
    let y_n = dot_add(n, u, offset[0]);
    let x_n = by.prox8(r_n.neg_mul_add(y_n, x[0]), z[0]).max(Eight::all(s, 0.0));
    let d_n = x_n - x[0];
    let y_t = Eight::of(s, &batch.coupling[0]).mul_add(d_n, dot_add(t, u, offset[1]));
    let y_o = Eight::of(s, &batch.coupling[1]).mul_add(d_n, dot_add(o, u, offset[2]));
    let turning = Eight::of(s, &batch.torsion) * dot(n, spin);
    let y_r = Eight::of(s, &batch.coupling[2]).mul_add(d_n, turning + offset[3]);
    let z_t = by.prox8(r_t.neg_mul_add(y_t, x[1]), z[1]);
    let z_o = by.prox8(r_t.neg_mul_add(y_o, x[2]), z[2]);
    let z_r = by.prox8(r_t.neg_mul_add(y_r, x[3]), z[3]);
    let square = z_t.mul_add(z_t, z_o.mul_add(z_o, z_r * z_r));
    let length = square.max(Eight::all(s, LEAST_FRICTION_SQUARE)).sqrt();
    let shrink = (Eight::of(s, &batch.friction) * x_n / length).min(Eight::all(s, 1.0));
    let (x_t, x_o, x_r) = (z_t * shrink, z_o * shrink, z_r * shrink);
    let change = [d_n, x_t - x[1], x_o - x[2], x_r - x[3]];
    batch.impulse = [x_n.out(), x_t.out(), x_o.out(), x_r.out()];
    batch.change = [change[0].out(), change[1].out(), change[2].out(), change[3].out()];
    (change, [n, t, o])
}
