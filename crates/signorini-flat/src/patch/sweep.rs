//! One sweep over pairs of polytopes: local passes over the points of each pair with the bodies held, in f32,
//! on changes of the velocities since the last turn.
//!
//! ```text
//! x_k ← max(0, x_k − r_k (n_k·v_k + g_k/h)),      friction at the centre of the load Σ x_k r_k / Σ x_k:
//! f ← P(μ Σ x_k, f − r (v_t, v_o, e_r ω_n)),      r = 1.4/‖D‖_F
//! ```

use crate::batch::{Lane, Vectors};
use crate::bodies::{SweptBody, gather, pushed, scatter};
use crate::change::{Change, larger};
use crate::geometry::in_frame;
use crate::numbers::{Eight, Number, Vector, add, cross, dot, scale, sub};
use crate::parameters::{
    FRICTION_STEP, LEAST_FRICTION_SQUARE, LEAST_LOAD_F32, LEAST_RESPONSE_SQUARE, LOCAL_PASSES,
};
use crate::patch::batch::{PatchBatch, PatchPoint, Wrenches};
use crate::simd::{Simd, Work, dispatch};

/// Wrench or twist of eight pairs.
type Six<S> = [Eight<S>; 6];
/// Vectors of eight pairs.
type Vectors8<S, const N: usize> = [Vector<Eight<S>>; N];

/// Sweeps over batches; `extrapolation` is β, or None where bodies and impulses went on already.
pub fn sweep_patches(
    bodies: &mut [SweptBody],
    batches: &mut [PatchBatch],
    extrapolation: Option<f32>,
) -> Change {
    dispatch(Sweep { bodies, batches, extrapolation })
}

struct Sweep<'a> {
    bodies: &'a mut [SweptBody],
    batches: &'a mut [PatchBatch],
    extrapolation: Option<f32>,
}

impl Work for Sweep<'_> {
    type Output = Change;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Change {
        let (mut square, mut largest) = (Eight::all(s, 0.0), Eight::all(s, 0.0));
        for batch in self.batches {
            if batch.n_points > 0 {
                visit(s, self.bodies, batch, self.extrapolation, (&mut square, &mut largest));
            }
        }
        let square = square.out().iter().map(|x| f64::from(*x)).sum();
        let largest = largest.out().iter().fold(0.0, |a, b| larger(a, f64::from(*b)));
        Change { square, largest, moved: 0.0 }
    }
}

#[inline(always)]
fn three<S: Simd>(s: S, of: &Vectors) -> Vector<Eight<S>> {
    [Eight::of(s, &of[0]), Eight::of(s, &of[1]), Eight::of(s, &of[2])]
}

#[inline(always)]
fn six<S: Simd>(s: S, of: &Wrenches) -> Six<S> {
    [
        Eight::of(s, &of[0]),
        Eight::of(s, &of[1]),
        Eight::of(s, &of[2]),
        Eight::of(s, &of[3]),
        Eight::of(s, &of[4]),
        Eight::of(s, &of[5]),
    ]
}

#[inline(always)]
fn less<S: Simd>(a: &Six<S>, b: &Six<S>) -> Six<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]]
}

/// A pass over eight pairs with what they hold in registers.
struct Local<S: Simd> {
    /// Twist of B against A.
    twist: Six<S>,
    response: [Six<S>; 6],
    push: Vector<Eight<S>>,
    centre: [Eight<S>; 2],
    radius: Eight<S>,
}

/// Solves eight pairs.
#[inline(always)]
fn visit<S: Simd>(
    s: S,
    bodies: &mut [SweptBody],
    batch: &mut PatchBatch,
    extrapolation: Option<f32>,
    (square, largest): (&mut Eight<S>, &mut Eight<S>),
) {
    let [a, b] = batch.bodies;
    let (before_a, before_b) = (gather::<S, 0>(s, bodies, &a), gather::<S, 0>(s, bodies, &b));
    let (n, t) = (three(s, &batch.normal), three(s, &batch.tangent));
    let frame = [n, t, cross(n, t)];
    let arms = [three(s, &batch.arms[0]), three(s, &batch.arms[1])];
    let given = go_on(s, batch, extrapolation);
    let push_before = three(s, &batch.push);
    let mut local = Local {
        twist: twist([&before_a, &before_b], &frame, &arms),
        response: [
            six(s, &batch.response[0]),
            six(s, &batch.response[1]),
            six(s, &batch.response[2]),
            six(s, &batch.response[3]),
            six(s, &batch.response[4]),
            six(s, &batch.response[5]),
        ],
        push: push_before,
        centre: [Eight::all(s, 0.0); 2],
        radius: Eight::of(s, &batch.torsion),
    };
    local.centre = centre(s, batch).0;
    let now = wrench(s, batch, &local);
    let given = match given {
        Some(given) => given,
        None => now,
    };
    local.respond(&less(&now, &given));
    for _ in 0..LOCAL_PASSES {
        for q in 0..batch.n_points {
            local.point(s, &mut batch.points[q], batch.is_bent);
        }
        local.friction(s, batch);
    }
    let per_unit = Eight::of(s, &batch.per_unit);
    for point in &mut batch.points[..batch.n_points] {
        let change = Eight::of(s, &point.impulse) - Eight::of(s, &point.change);
        point.change = change.out();
        *square = change.mul_add(change, *square);
        *largest = largest.max(change.abs() * per_unit);
    }
    let pushes = batch.push.iter_mut().zip(&mut batch.push_change);
    for ((push, push_change), (now, before)) in pushes.zip(local.push.iter().zip(push_before)) {
        let change = *now - before;
        (*push, *push_change) = (now.out(), change.out());
        *square = change.mul_add(change, *square);
        *largest = largest.max(change.abs() * per_unit);
    }
    let now = wrench(s, batch, &local);
    let change = less(&now, &given);
    for k in 0..6 {
        (batch.wrench[k], batch.wrench_change[k]) = (now[k].out(), change[k].out());
    }
    give(s, bodies, batch, [before_a, before_b], (&frame, &arms, &change));
}

/// Takes impulses on along their directions; returns the wrench that the bodies have then.
#[inline(always)]
fn go_on<S: Simd>(s: S, batch: &mut PatchBatch, extrapolation: Option<f32>) -> Option<Six<S>> {
    let Some(by) = extrapolation else {
        for point in &mut batch.points[..batch.n_points] {
            point.change = point.impulse;
        }
        return None;
    };
    let beta = Eight::all(s, by);
    for point in &mut batch.points[..batch.n_points] {
        let step = beta * Eight::of(s, &point.direction);
        point.direction = (step + Eight::of(s, &point.change)).out();
        point.impulse = (Eight::of(s, &point.impulse) + step).out();
        point.change = point.impulse;
    }
    for k in 0..3 {
        let step = beta * Eight::of(s, &batch.push_direction[k]);
        batch.push_direction[k] = (step + Eight::of(s, &batch.push_change[k])).out();
        batch.push[k] = (Eight::of(s, &batch.push[k]) + step).out();
    }
    let mut given = six(s, &batch.wrench);
    let rows = batch.wrench_direction.iter_mut().zip(&batch.wrench_change);
    for (given, (direction, change)) in given.iter_mut().zip(rows) {
        let step = beta * Eight::of(s, direction);
        *direction = (step + Eight::of(s, change)).out();
        *given = *given + step;
    }
    Some(given)
}

#[inline(always)]
fn twist<S: Simd>(
    [a, b]: [&[Eight<S>; 8]; 2],
    [n, t, o]: &[Vector<Eight<S>>; 3],
    arms: &[Vector<Eight<S>>; 2],
) -> Six<S> {
    let at_a = add([a[0], a[1], a[2]], cross([a[4], a[5], a[6]], arms[0]));
    let at_b = add([b[0], b[1], b[2]], cross([b[4], b[5], b[6]], arms[1]));
    let (v, w) = (sub(at_b, at_a), sub([b[4], b[5], b[6]], [a[4], a[5], a[6]]));
    [dot(*n, v), dot(*t, w), dot(*o, w), dot(*t, v), dot(*o, v), dot(*n, w)]
}

/// Centre of the load, and the load.
#[inline(always)]
fn centre<S: Simd>(s: S, batch: &PatchBatch) -> ([Eight<S>; 2], Eight<S>) {
    let zero = Eight::all(s, 0.0);
    let (mut load, mut sum) = (zero, [zero; 2]);
    for point in &batch.points[..batch.n_points] {
        let x = Eight::of(s, &point.impulse).max(zero);
        load = load + x;
        sum = [
            x.mul_add(Eight::of(s, &point.place[0]), sum[0]),
            x.mul_add(Eight::of(s, &point.place[1]), sum[1]),
        ];
    }
    let inverse = Eight::all(s, 1.0) / load.max(Eight::all(s, LEAST_LOAD_F32));
    ([sum[0] * inverse, sum[1] * inverse], load)
}

/// Normal impulse along n of the frame, less than the load where points lean.
#[inline(always)]
fn pressing<S: Simd>(s: S, batch: &PatchBatch, load: Eight<S>) -> Eight<S> {
    if !batch.is_bent {
        return load;
    }
    let zero = Eight::all(s, 0.0);
    batch.points[..batch.n_points].iter().fold(zero, |sum, point| {
        let x = Eight::of(s, &point.impulse).max(zero);
        x.mul_add(lean(s, point)[0], sum)
    })
}

/// Normal of a point in the frame.
#[inline(always)]
fn lean<S: Simd>(s: S, point: &PatchPoint) -> Vector<Eight<S>> {
    let (be, ga) = (Eight::of(s, &point.lean[0]), Eight::of(s, &point.lean[1]));
    let square = be.neg_mul_add(be, ga.neg_mul_add(ga, Eight::all(s, 1.0)));
    [square.max(Eight::all(s, 0.0)).sqrt(), be, ga]
}

/// Wrench of all impulses about the place of the frame.
#[inline(always)]
fn wrench<S: Simd>(s: S, batch: &PatchBatch, local: &Local<S>) -> Six<S> {
    let zero = Eight::all(s, 0.0);
    let mut sum = [zero; 6];
    for point in &batch.points[..batch.n_points] {
        let x = Eight::of(s, &point.impulse);
        let (pa, pb) = (Eight::of(s, &point.place[0]), Eight::of(s, &point.place[1]));
        if batch.is_bent {
            let [f_n, f_t, f_o] = scale(lean(s, point), x);
            sum[0] = sum[0] + f_n;
            sum[1] = pb.mul_add(f_n, sum[1]);
            sum[2] = pa.neg_mul_add(f_n, sum[2]);
            (sum[3], sum[4]) = (sum[3] + f_t, sum[4] + f_o);
            sum[5] = pa.mul_add(f_o, pb.neg_mul_add(f_t, sum[5]));
        } else {
            sum[0] = sum[0] + x;
            sum[1] = pb.mul_add(x, sum[1]);
            sum[2] = pa.neg_mul_add(x, sum[2]);
        }
    }
    let [x, y, turning] = local.push;
    let [ca, cb] = local.centre;
    (sum[3], sum[4]) = (sum[3] + x, sum[4] + y);
    sum[5] = local.radius.mul_add(turning, ca.mul_add(y, cb.neg_mul_add(x, sum[5])));
    sum
}

/// Parts of one component of the twist that friction along t and o at a place, and torsion, add.
#[inline(always)]
fn friction_columns<S: Simd>(g: &Six<S>, [ca, cb]: [Eight<S>; 2], radius: Eight<S>) -> Vector<Eight<S>> {
    [cb.neg_mul_add(g[5], g[3]), ca.mul_add(g[5], g[4]), radius * g[5]]
}

impl<S: Simd> Local<S> {
    /// Adds what a wrench does.
    #[inline(always)]
    fn respond(&mut self, w: &Six<S>) {
        for (twist, g) in self.twist.iter_mut().zip(&self.response) {
            let mut sum = *twist;
            for (g, w) in g.iter().zip(w) {
                sum = g.mul_add(*w, sum);
            }
            *twist = sum;
        }
    }

    /// Solves the row of a point.
    #[inline(always)]
    fn point(&mut self, s: S, point: &mut PatchPoint, is_bent: bool) {
        let (pa, pb) = (Eight::of(s, &point.place[0]), Eight::of(s, &point.place[1]));
        let (x, r) = (Eight::of(s, &point.impulse), Eight::of(s, &point.step_size));
        let (w, zero) = (&self.twist, Eight::all(s, 0.0));
        let offset = Eight::of(s, &point.offset);
        if !is_bent {
            let v = pb.mul_add(w[1], pa.neg_mul_add(w[2], w[0] + offset));
            let next = r.neg_mul_add(v, x).max(zero);
            point.impulse = next.out();
            let d = next - x;
            let (m_t, m_o) = (pb * d, zero - pa * d);
            for (twist, g) in self.twist.iter_mut().zip(&self.response) {
                *twist = g[0].mul_add(d, g[1].mul_add(m_t, g[2].mul_add(m_o, *twist)));
            }
            return;
        }
        let m = lean(s, point);
        let v_n = pb.mul_add(w[1], pa.neg_mul_add(w[2], w[0]));
        let v = [v_n, pb.neg_mul_add(w[5], w[3]), pa.mul_add(w[5], w[4])];
        let next = r.neg_mul_add(dot(m, v) + offset, x).max(zero);
        point.impulse = next.out();
        let [f_n, f_t, f_o] = scale(m, next - x);
        let turning = pa.mul_add(f_o, zero - pb * f_t);
        self.respond(&[f_n, pb * f_n, zero - pa * f_n, f_t, f_o, turning]);
    }

    /// Solves friction at the centre of the load, which it follows.
    #[inline(always)]
    fn friction(&mut self, s: S, batch: &PatchBatch) {
        let ([ca, cb], load) = centre(s, batch);
        let moved = (ca - self.centre[0])
            .mul_add(self.push[1], Eight::all(s, 0.0) - (cb - self.centre[1]) * self.push[0]);
        self.centre = [ca, cb];
        for (twist, g) in self.twist.iter_mut().zip(&self.response) {
            *twist = g[5].mul_add(moved, *twist);
        }
        let radius = self.radius;
        // Twist of a unit of each friction impulse, and slip of that.
        let g = &self.response;
        let of_t = friction_columns(&g[3], [ca, cb], radius);
        let of_o = friction_columns(&g[4], [ca, cb], radius);
        let of_n = friction_columns(&g[5], [ca, cb], radius);
        let mut square = Eight::all(s, LEAST_RESPONSE_SQUARE);
        for k in 0..3 {
            let d = [cb.neg_mul_add(of_n[k], of_t[k]), ca.mul_add(of_n[k], of_o[k]), radius * of_n[k]];
            square = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2].mul_add(d[2], square)));
        }
        let r = Eight::all(s, FRICTION_STEP as f32) / square.sqrt();
        let (w, base) = (&self.twist, three(s, &batch.slip));
        let spin = w[5] + base[2];
        let slip = [cb.neg_mul_add(spin, w[3] + base[0]), ca.mul_add(spin, w[4] + base[1]), radius * spin];
        let push = self.push;
        let z = [
            r.neg_mul_add(slip[0], push[0]),
            r.neg_mul_add(slip[1], push[1]),
            r.neg_mul_add(slip[2], push[2]),
        ];
        let length = dot(z, z).max(Eight::all(s, LEAST_FRICTION_SQUARE)).sqrt();
        let bound = Eight::of(s, &batch.friction) * pressing(s, batch, load);
        let shrink = (bound / length).min(Eight::all(s, 1.0));
        let d = sub(scale(z, shrink), push);
        self.push = add(push, d);
        for (twist, g) in self.twist.iter_mut().zip(&self.response) {
            let g = friction_columns(g, [ca, cb], radius);
            *twist = g[0].mul_add(d[0], g[1].mul_add(d[1], g[2].mul_add(d[2], *twist)));
        }
    }
}

/// Gives the bodies a change of the wrench.
#[inline(always)]
fn give<S: Simd>(
    s: S,
    bodies: &mut [SweptBody],
    batch: &PatchBatch,
    [before_a, before_b]: [[Eight<S>; 8]; 2],
    (frame, arms, w): (&Vectors8<S, 3>, &Vectors8<S, 2>, &Six<S>),
) {
    let [n, t, o] = *frame;
    let push = in_frame([n, t, o], [w[0], w[3], w[4]]);
    let turn = in_frame([n, t, o], [w[5], w[1], w[2]]);
    let (on_a, on_b) = (add(cross(arms[0], push), turn), add(cross(arms[1], push), turn));
    let minus = Eight::all(s, -1.0);
    let [a, b] = &batch.bodies;
    let inertia = gather::<S, 1>(s, bodies, a);
    scatter(
        bodies,
        a,
        pushed(before_a, &inertia, (scale(push, minus), scale(on_a, minus)), batch.has_guides),
    );
    let inertia = gather::<S, 1>(s, bodies, b);
    scatter(bodies, b, pushed(before_b, &inertia, (push, on_b), batch.has_guides));
}

/// Takes the impulses of a batch on along their directions, before a turn; the wrench follows in it.
pub fn extrapolate_patch(batch: &mut PatchBatch, by: f32) {
    let go_on = |x: Option<&mut Lane>, direction: &mut Lane, change: &mut Lane| {
        let mut step = [0.0; crate::simd::WIDTH];
        for ((step, direction), change) in step.iter_mut().zip(direction).zip(change) {
            *step = by * *direction;
            *direction = *step + *change;
            *change = 0.0;
        }
        if let Some(x) = x {
            x.iter_mut().zip(step).for_each(|(x, step)| *x += step);
        }
    };
    for point in &mut batch.points[..batch.n_points] {
        go_on(Some(&mut point.impulse), &mut point.direction, &mut point.change);
    }
    for k in 0..3 {
        go_on(Some(&mut batch.push[k]), &mut batch.push_direction[k], &mut batch.push_change[k]);
    }
    for k in 0..6 {
        go_on(None, &mut batch.wrench_direction[k], &mut batch.wrench_change[k]);
    }
}
