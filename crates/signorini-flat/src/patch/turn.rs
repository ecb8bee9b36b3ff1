//! Geometry in turn, of pairs of polytopes: each finds its points anew at the current velocities of its
//! bodies, gives them the change of its wrench, and is solved.

use crate::batch::MOVES;
use crate::bodies::Pose;
use crate::bodies::{PlacedBody, Six, SweptBody, at, parts_of};
use crate::change::{Change, larger};
use crate::numbers::{Vector, add, cross, dot, sub};
use crate::parameters::{LEAST_LOAD, LOCAL_PASSES, MOST_POINTS, STILL_PATCH};
use crate::patch::axis::Separations;
use crate::patch::batch::{PatchBatch, PatchLane, Torsion, Wrenches, of_side, put_vector, vector_of};
use crate::patch::found::{Found, How, Search};
use crate::patch::pose::ends_of_batch;
use crate::patch::response::{
    Frame, Moving, Wrench, friction_wrench, in_world, power, respond, response, safe_step, slip, step_size,
    twist, twist_of, wrench_at,
};
use crate::patch::solid::{PlacedSolid, Solid, UNKNOWN};
use crate::patch::sweep::sweep_patches;
use crate::simd::WIDTH;
use crate::surfaces::Surfaces;

/// Data of a turn that all batches share.
#[derive(Clone, Copy)]
pub struct PatchTurnBy<'a> {
    /// Shapes.
    pub solids: &'a [Solid],
    /// Contact points of the pairs that are the caller's.
    pub surfaces: Option<&'a dyn Surfaces>,
    /// Bodies whose motion is given.
    pub given: &'a [PlacedBody],
    /// Their velocities.
    pub given_base: &'a [Six],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Tolerance of the solve.
    pub tolerance: f64,
    /// Part of an overlap that a known axis may lack.
    pub part: f64,
    /// Whether batches whose bodies hardly moved are looked at, too.
    pub is_full: bool,
}

/// Bodies of a section in a turn.
pub struct Turning<'a> {
    /// Bodies with their velocities now.
    pub placed: &'a mut [PlacedBody],
    /// Bodies as sweeps see them.
    pub swept: &'a mut [SweptBody],
    /// Velocities from which sweeps count changes.
    pub base: &'a [Six],
    /// Those of the turn before.
    pub previous: &'a [Six],
}

/// Renews the points of a batch and solves its pairs.
pub fn turn_patches(
    bodies: &mut Turning<'_>,
    (batch, lanes): (&mut PatchBatch, &mut [PatchLane; WIDTH]),
    separations: &mut Separations,
    by: PatchTurnBy<'_>,
) -> Change {
    if !by.is_full && batch.n_points > 0 && is_still(bodies, (batch, lanes), by) {
        return sweep_again(bodies, (batch, lanes));
    }
    let ends = ends_of_batch([bodies.placed, by.given], (batch, lanes), by.time_step);
    let (mut change, mut most, mut is_bent) = (Change::default(), 0, false);
    for lane in 0..WIDTH {
        if !lanes[lane].is_used {
            continue;
        }
        let mut pair = Pair::gather(bodies, (batch, &lanes[lane], lane), by);
        lanes[lane].found_at = Some(pair.velocities());
        let rows = (&*batch, &lanes[lane], lane);
        let placed = placed_pair(|side| ends[side][lane], rows, (by.solids, bodies.placed, by.given));
        let how = How::of_turn(&lanes[lane], by.tolerance, by.part);
        let search = &mut Search { separations, surfaces: by.surfaces };
        let Ok(mut found) = Found::find([&placed[0], &placed[1]], rows, search, how) else {
            continue;
        };
        change =
            change.and(pair.solve(&mut found, (batch, &mut lanes[lane], lane), (&placed[1], by.time_step)));
        most = most.max(found.manifold.n);
        is_bent |= found.is_bent;
        pair.put_back(bodies, (batch, lane));
    }
    (batch.n_points, batch.is_bent) = (most, is_bent);
    change
}

/// Solids of a pair at the end of the step; B is the image that A meets.
pub fn placed_pair<'a>(
    end: impl Fn(usize) -> Pose,
    (batch, pair, lane): (&PatchBatch, &PatchLane, usize),
    (solids, placed, given): (&'a [Solid], &[PlacedBody], &[PlacedBody]),
) -> [PlacedSolid<'a>; 2] {
    [0, 1].map(|side: usize| {
        let body = of_side([placed, given], (batch, pair, lane), side);
        let (mut centre, rotation) = end(side);
        if side == 1 {
            centre = add(centre, pair.shift);
        }
        // A half-space has no solid, and none is looked at; nor is that of a pair of the caller's.
        let of_body = || body.0[at::SOLID].max(0.0) as usize;
        let index = pair.parts[side].map_or_else(of_body, |part| part.solid as usize);
        let offset = pair.parts[side].map_or([0.0; 3], |part| part.offset);
        PlacedSolid::new(solids.get(index).unwrap_or(&UNKNOWN), (centre, rotation), offset)
    })
}

/// Whether the bodies of a batch hardly moved since its points were found.
fn is_still(
    bodies: &Turning<'_>,
    (batch, lanes): (&PatchBatch, &[PatchLane; WIDTH]),
    by: PatchTurnBy<'_>,
) -> bool {
    let limit = STILL_PATCH * by.tolerance / by.time_step;
    (0..WIDTH).filter(|lane| lanes[*lane].is_used).all(|lane| {
        let pair = &lanes[lane];
        let Some([v_a, w_a, v_b, w_b]) = pair.found_at else { return false };
        let all = [&*bodies.placed, by.given];
        let now = [0, 1].map(|side| Moving::of(of_side(all, (batch, pair, lane), side)));
        let near = |a: Vector<f64>, limit: f64| dot(a, a) <= limit * limit;
        near(sub(sub(now[1].velocity, now[0].velocity), sub(v_b, v_a)), 0.5 * limit * pair.size)
            && near(sub(now[0].spin, w_a), limit)
            && near(sub(now[1].spin, w_b), limit)
    })
}

/// A sweep over the pairs of a batch with their points as they are.
fn sweep_again(
    bodies: &mut Turning<'_>,
    (batch, lanes): (&mut PatchBatch, &mut [PatchLane; WIDTH]),
) -> Change {
    for (lane, pair) in lanes.iter().enumerate().filter(|(_, pair)| pair.is_used && pair.n > 0) {
        let moved = [0, 1].map(|side: usize| {
            let place = batch.bodies[side][lane] as usize;
            match pair.given[side] {
                MOVES => change_of(&bodies.base[place], &bodies.previous[place]),
                _ => [[0.0; 3]; 2],
            }
        });
        let (frame, arms) = frame_of(batch, lane);
        let s = twist_of(moved[0], moved[1], arms, &frame);
        for point in &mut batch.points[..pair.n] {
            let place = point.place.map(|x| f64::from(x[lane]));
            let w = wrench_at(place, lean_of(point.lean.map(|x| f64::from(x[lane]))));
            point.offset[lane] += power(&w, &s) as f32;
        }
        for (slip, s) in batch.slip.iter_mut().zip([s[3], s[4], s[5]]) {
            slip[lane] += s as f32;
        }
    }
    // Turns of other contacts move bodies without telling the sweeps.
    let places = batch.bodies;
    for place in places.into_iter().flatten().map(|place| place as usize) {
        bodies.swept[place].follow(&bodies.placed[place], &bodies.base[place]);
    }
    let change = sweep_patches(bodies.swept, std::slice::from_mut(batch), None);
    for place in places.into_iter().flatten().map(|place| place as usize) {
        bodies.placed[place].follow(&bodies.swept[place], &bodies.base[place]);
    }
    change
}

fn change_of(now: &Six, before: &Six) -> [Vector<f64>; 2] {
    let ([v, w], [v_before, w_before]) = (parts_of(now), parts_of(before));
    [sub(v, v_before), sub(w, w_before)]
}

/// Normal in the frame from its components along t and o.
pub fn lean_of([t, o]: [f64; 2]) -> Vector<f64> {
    [(1.0 - t * t - o * o).max(0.0).sqrt(), t, o]
}

/// Frame and arms of a lane as its rows hold them.
pub fn frame_of(batch: &PatchBatch, lane: usize) -> (Frame, [Vector<f64>; 2]) {
    let (n, t) = (vector_of(&batch.normal, lane), vector_of(&batch.tangent, lane));
    ([n, t, cross(n, t)], [vector_of(&batch.arms[0], lane), vector_of(&batch.arms[1], lane)])
}

/// Wrench of the impulses of a lane about the place of its frame, in f64.
pub fn wrench_of(batch: &PatchBatch, n: usize, lane: usize) -> Wrench {
    let number = |x: &[f32; WIDTH]| f64::from(x[lane]);
    let (mut sum, mut load, mut middle) = ([0.0; 6], 0.0, [0.0; 2]);
    for point in &batch.points[..n] {
        let (x, place) = (number(&point.impulse), point.place.each_ref().map(number));
        let w = wrench_at(place, lean_of(point.lean.each_ref().map(number)));
        (0..6).for_each(|k| sum[k] += x * w[k]);
        let x = x.max(0.0);
        load += x;
        middle = [middle[0] + x * place[0], middle[1] + x * place[1]];
    }
    let centre = middle.map(|m| m / f64::max(load, LEAST_LOAD));
    let friction = friction_wrench(centre, number(&batch.torsion), vector_of(&batch.push, lane));
    (0..6).for_each(|k| sum[k] += friction[k]);
    sum
}

/// The two bodies of a pair in a turn.
struct Pair {
    bodies: [Moving; 2],
    base: [[Vector<f64>; 2]; 2],
    moves: [bool; 2],
}

impl Pair {
    fn gather(
        bodies: &Turning<'_>,
        (batch, pair, lane): (&PatchBatch, &PatchLane, usize),
        by: PatchTurnBy<'_>,
    ) -> Self {
        let of = |side: usize| {
            let body = of_side([&*bodies.placed, by.given], (batch, pair, lane), side);
            let base = of_side([bodies.base, by.given_base], (batch, pair, lane), side);
            (Moving::of(body), parts_of(base))
        };
        let [(a, base_a), (b, base_b)] = [of(0), of(1)];
        Self { bodies: [a, b], base: [base_a, base_b], moves: pair.given.map(|given| given == MOVES) }
    }

    fn velocities(&self) -> [[f64; 3]; 4] {
        let [a, b] = &self.bodies;
        [a.velocity, a.spin, b.velocity, b.spin]
    }

    fn push(&mut self, frame: &Frame, arms: [Vector<f64>; 2], w: &Wrench, sign: f64) {
        let [force, moment] = in_world(frame, w);
        for (side, direction) in [(0, -sign), (1, sign)] {
            if self.moves[side] {
                let turning = add(cross(arms[side], force), moment);
                self.bodies[side] = self.bodies[side].pushed(force, turning, direction);
            }
        }
    }

    /// Gives the bodies the change of the wrench, solves the pair and writes its rows.
    fn solve(
        &mut self,
        found: &mut Found,
        (batch, pair, lane): (&mut PatchBatch, &mut PatchLane, usize),
        (b, time_step): (&PlacedSolid<'_>, f64),
    ) -> Change {
        let per_unit = f64::from(batch.per_unit[lane]);
        let Found { frame, arms, .. } = *found;
        let [a_then, b_then] = self.bodies;
        let then = twist([&a_then, &b_then], arms, &frame);
        let (frame_before, arms_before) = frame_of(batch, lane);
        let (before, after) = (wrench_of(batch, pair.n, lane), found.wrench());
        let moved = self.exchange((&frame_before, arms_before, &before), (&frame, arms, &after)) * per_unit;
        let g = response([&self.bodies[0], &self.bodies[1]], arms, &frame);
        let rows = Rows::new(found, &g, (&then, time_step));
        let impulses = found.impulses;
        let push = found.push;
        let mut s = twist([&self.bodies[0], &self.bodies[1]], arms, &frame);
        rows.solve(found, &g, f64::from(batch.friction[lane]), &mut s);
        let (mut change, w) = (Change { moved, ..Change::default() }, found.wrench());
        let mut see = |d: f64| {
            change.square += d * d;
            change.largest = larger(change.largest, d.abs() * per_unit);
        };
        (0..found.manifold.n).for_each(|q| see(found.impulses[q] - impulses[q]));
        (0..3).for_each(|k| see(found.push[k] - push[k]));
        let difference: Wrench = std::array::from_fn(|k| w[k] - after[k]);
        self.push(&frame, arms, &difference, 1.0);
        let base = twist_of(self.base[0], self.base[1], arms, &frame);
        let changes = (impulses, push, difference);
        Written { found, g: &g, rows: &rows, base: &base, wrench: &w, changes }.write((batch, pair, lane), b);
        change
    }

    /// Takes the wrench of the old rows back and gives that of the new ones; returns the change of Jᵀx (N s).
    fn exchange(
        &mut self,
        (frame_before, arms_before, before): (&Frame, [Vector<f64>; 2], &Wrench),
        (frame, arms, after): (&Frame, [Vector<f64>; 2], &Wrench),
    ) -> f64 {
        if *before == [0.0; 6] && *after == [0.0; 6] {
            return 0.0;
        }
        let ([f, m], [g, k]) = (in_world(frame_before, before), in_world(frame, after));
        let force = sub(g, f);
        let mut moved = dot(force, force).sqrt();
        for (side, sign) in [(0, -1.0), (1, 1.0)].into_iter().filter(|(side, _)| self.moves[*side]) {
            let moment = sub(add(cross(arms[side], g), k), add(cross(arms_before[side], f), m));
            let body = self.bodies[side].pushed(force, moment, sign);
            // √(m M·I⁻¹M) is the moment in units of an impulse.
            let spun = dot(sub(body.spin, self.bodies[side].spin), moment).abs();
            moved = larger(moved, (spun / body.inverse_mass).sqrt());
            self.bodies[side] = body;
        }
        moved
    }

    /// Writes the velocities back.
    fn put_back(&self, bodies: &mut Turning<'_>, (batch, lane): (&PatchBatch, usize)) {
        for side in (0..2).filter(|side| self.moves[*side]) {
            let place = batch.bodies[side][lane] as usize;
            let (now, body) = (&self.bodies[side], &mut bodies.placed[place]);
            body.0[at::VELOCITY..at::VELOCITY + 3].copy_from_slice(&now.velocity);
            body.0[at::SPIN..at::SPIN + 3].copy_from_slice(&now.spin);
            bodies.swept[place].follow(body, &bodies.base[place]);
        }
    }
}

/// Rows of a pair in f64.
pub struct Rows {
    /// Wrench of a unit of each impulse.
    wrenches: [Wrench; MOST_POINTS],
    /// Gap over h less the approach at which it was found (m/s).
    offsets: [f64; MOST_POINTS],
    /// Step sizes (kg).
    steps: [f64; MOST_POINTS],
}

impl Rows {
    /// Rows of the points of a pair, found at velocities with a twist.
    pub fn new(found: &Found, g: &[Wrench; 6], (then, time_step): (&Wrench, f64)) -> Self {
        let mut rows = Self {
            wrenches: [[0.0; 6]; MOST_POINTS],
            offsets: [0.0; MOST_POINTS],
            steps: [0.0; MOST_POINTS],
        };
        for (q, point) in found.manifold.points().iter().enumerate() {
            let w = wrench_at(found.places[q], found.leans[q]);
            rows.offsets[q] = point.gap / time_step - power(&w, then);
            rows.steps[q] = step_size(g, &w);
            rows.wrenches[q] = w;
        }
        rows
    }

    /// Local passes over the points and friction, at a twist of the bodies.
    fn solve(&self, found: &mut Found, g: &[Wrench; 6], friction: f64, s: &mut Wrench) {
        let mut centre = found.centre().0;
        for _ in 0..LOCAL_PASSES {
            for q in 0..found.manifold.n {
                let w = &self.wrenches[q];
                let v = self.offsets[q] + power(w, s);
                let next = (found.impulses[q] - self.steps[q] * v).max(0.0);
                let d = next - found.impulses[q];
                if d != 0.0 {
                    respond(g, &w.map(|w| w * d), s);
                }
                found.impulses[q] = next;
            }
            let now = found.centre().0;
            let moved = (now[0] - centre[0]) * found.push[1] - (now[1] - centre[1]) * found.push[0];
            for (s, g) in s.iter_mut().zip(g) {
                *s += g[5] * moved;
            }
            centre = now;
            let (r, v) = (safe_step(g, centre, found.radius), slip(s, centre, found.radius));
            let z: Vector<f64> = std::array::from_fn(|k| found.push[k] - r * v[k]);
            let (length, bound) = (dot(z, z).sqrt(), friction * found.pressing());
            let shrink = if length > bound { bound / length } else { 1.0 };
            let d: Vector<f64> = std::array::from_fn(|k| z[k] * shrink - found.push[k]);
            found.push = add(found.push, d);
            respond(g, &friction_wrench(centre, found.radius, d), s);
        }
        if found.manifold.n == 0 {
            found.push = [0.0; 3];
        }
    }
}

/// A pair whose rows are written.
pub struct Written<'a> {
    /// The pair.
    pub found: &'a Found,
    /// Its response.
    pub g: &'a [Wrench; 6],
    /// Its rows.
    pub rows: &'a Rows,
    /// Twist of the velocities from which sweeps count changes.
    pub base: &'a Wrench,
    /// Its wrench.
    pub wrench: &'a Wrench,
    /// Impulses and friction before they were solved, and the change of the wrench since.
    pub changes: ([f64; MOST_POINTS], Vector<f64>, Wrench),
}

impl Written<'_> {
    /// Writes the rows of a lane.
    pub fn write(&self, (batch, pair, lane): (&mut PatchBatch, &mut PatchLane, usize), b: &PlacedSolid<'_>) {
        let Self { found, g, base, wrench, .. } = self;
        let (impulses, push, difference) = &self.changes;
        let n = found.manifold.n;
        put_vector(&mut batch.normal, lane, found.frame[0]);
        put_vector(&mut batch.tangent, lane, found.frame[1]);
        put_vector(&mut batch.arms[0], lane, found.arms[0]);
        put_vector(&mut batch.arms[1], lane, found.arms[1]);
        for (row, g) in batch.response.iter_mut().zip(*g) {
            put_six(row, lane, g);
        }
        put_vector(&mut batch.slip, lane, [base[3], base[4], base[5]]);
        put_vector(&mut batch.push, lane, found.push);
        put_vector(&mut batch.push_change, lane, sub(found.push, *push));
        put_six(&mut batch.wrench, lane, wrench);
        put_six(&mut batch.wrench_change, lane, difference);
        if found.is_changed {
            put_vector(&mut batch.push_direction, lane, [0.0; 3]);
            put_six(&mut batch.wrench_direction, lane, &[0.0; 6]);
        }
        if n > 0 {
            batch.torsion[lane] = found.radius as f32;
        }
        for (q, before) in impulses.iter().enumerate().take(n) {
            self.write_point(q, *before, (batch, lane));
            pair.names[q] = found.manifold.points[q].name;
            let arm = sub(found.manifold.points[q].at, b.mass_centre);
            pair.places[q] = b.turned_back(arm).map(|x| x as f32);
        }
        for point in &mut batch.points[n..] {
            for row in [&mut point.impulse, &mut point.direction, &mut point.change, &mut point.offset] {
                row[lane] = 0.0;
            }
            point.step_size[lane] = 0.0;
            point.lean.iter_mut().for_each(|lean| lean[lane] = 0.0);
        }
        (pair.n, pair.axis) = (n, found.manifold.axis);
        if let Torsion::Region(None) = pair.torsion
            && n > 0
        {
            pair.torsion = Torsion::Region(Some(found.radius));
        }
    }

    fn write_point(&self, q: usize, before: f64, (batch, lane): (&mut PatchBatch, usize)) {
        let Self { found, rows, base, .. } = self;
        let point = &mut batch.points[q];
        for k in 0..2 {
            point.place[k][lane] = found.places[q][k] as f32;
            point.lean[k][lane] = found.leans[q][1 + k] as f32;
        }
        point.offset[lane] = (rows.offsets[q] + power(&rows.wrenches[q], base)) as f32;
        point.step_size[lane] = rows.steps[q] as f32;
        point.impulse[lane] = found.impulses[q] as f32;
        point.direction[lane] = found.directions[q] as f32;
        point.change[lane] = (found.impulses[q] - before) as f32;
    }
}

fn put_six(to: &mut Wrenches, lane: usize, w: &Wrench) {
    for (to, w) in to.iter_mut().zip(w) {
        to[lane] = *w as f32;
    }
}
