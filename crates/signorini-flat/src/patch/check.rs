//! The true residual of pairs of polytopes: all points anew at the end poses, in f64, in local units.
//!
//! ```text
//! |min(x_k, s r_k g_k/h)|,   |f − P(μ Σ x_k, f − s r (v_t, v_o, e_r ω_n))|,   overlap,
//! the moment that points which push along different normals leave,   what a wider axis separates by
//! ```

use crate::batch::MOVES;
use crate::bodies::{End, PlacedBody, Six, parts_of};
use crate::change::{larger, smaller};
use crate::numbers::{Vector, add, cross, dot, product, scale, sub};
use crate::parameters::{LEAST_LOAD, OVERLAP, STAY_PART};
use crate::patch::apart::Apart;
use crate::patch::axis::{Axis, Separations, normal};
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen, Torsion, of_side};
use crate::patch::found::{Found, How, Search, callers_poses};
use crate::patch::response::{
    Frame, Moving, Wrench, in_world, mean_step, response, slip, step_size, twist, twist_of, wrench_at,
};
use crate::patch::solid::{PlacedSolid, Solid};
use crate::patch::turn::{Rows, Written, frame_of, placed_pair, wrench_of};
use crate::simd::WIDTH;
use crate::surfaces::Surfaces;

/// Data of a check that all batches share.
#[derive(Clone, Copy)]
pub struct PatchCheckBy<'a> {
    /// Shapes.
    pub solids: &'a [Solid],
    /// Contact points of the pairs that are the caller's.
    pub surfaces: Option<&'a dyn Surfaces>,
    /// Bodies whose motion is given.
    pub given: &'a [PlacedBody],
    /// Their poses at the end of the step.
    pub given_ends: &'a [End],
    /// Their velocities.
    pub given_base: &'a [Six],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Tolerance of the solve.
    pub tolerance: f64,
    /// Whether the rows are written, for changes from the base velocities.
    pub writes_rows: bool,
}

/// Bodies of a section at a check.
pub struct PatchEnded<'a> {
    /// Bodies with the velocities that are checked.
    pub placed: &'a [PlacedBody],
    /// Velocities from which sweeps count changes.
    pub base: &'a [Six],
    /// Poses at the end.
    pub ends: &'a [End],
    /// Sums of impulses and moments.
    pub sums: &'a mut [Six],
}

/// Checks a batch: adds its wrenches at the new points to the sums, and returns the largest residual of a
/// row.
pub fn check_patches(
    bodies: &mut PatchEnded<'_>,
    (batch, lanes, seen): (&mut PatchBatch, &mut [PatchLane; WIDTH], &mut [PatchSeen; WIDTH]),
    separations: &mut Separations,
    by: PatchCheckBy<'_>,
) -> f64 {
    let (mut residual, mut most, mut is_bent) = (0.0, 0, false);
    for lane in 0..WIDTH {
        if !lanes[lane].is_used {
            continue;
        }
        let rows = (&*batch, &lanes[lane], lane);
        let end = |side: usize| of_side([bodies.ends, by.given_ends], rows, side).pose();
        let placed = placed_pair(end, rows, (by.solids, bodies.placed, by.given));
        let pair = [0, 1].map(|side| Moving::of(of_side([bodies.placed, by.given], rows, side)));
        let how = how(rows, by);
        // A radius that is given stays exact.
        let radius = match lanes[lane].torsion {
            Torsion::Radius(radius) => radius,
            Torsion::Region(_) => f64::from(batch.torsion[lane]),
        };
        // Polytopes that nothing presses together are seen once, at the end of a solution (`open`).
        let see_apart = |apart: &Apart| match apart.axis {
            Axis::Plane | Axis::Callers => apart.seen(&placed, [&pair[0], &pair[1]], radius),
            _ => PatchSeen { radius, ..PatchSeen::default() },
        };
        let search = &mut Search { separations, surfaces: by.surfaces };
        let found = match Found::find([&placed[0], &placed[1]], rows, search, how) {
            Ok(found) => found,
            Err(apart) => {
                seen[lane] = see_apart(&apart);
                residual = larger(residual, unmet(&apart, [&pair[0], &pair[1]], rows, by.time_step));
                continue;
            }
        };
        most = most.max(found.manifold.n);
        is_bent |= found.is_bent;
        let judged = Judged::new(&found, [&pair[0], &pair[1]], rows);
        seen[lane] =
            if found.manifold.n > 0 { judged.seen() } else { see_apart(&Apart::of(&found.manifold)) };
        residual = larger(residual, judged.residual(&placed, by.time_step));
        let lean = judged.lean(&placed, by.surfaces, how.leeway);
        residual = larger(residual, lean);
        let is_upright = lanes[lane].is_upright || lean > by.tolerance;
        let wrench = found.wrench();
        add_wrench(bodies.sums, rows, (&found.frame, found.arms, &wrench));
        if !by.writes_rows {
            lanes[lane].is_upright = is_upright;
            batch.torsion[lane] = found.radius as f32;
            batch.push[2][lane] = found.push[2] as f32;
            continue;
        }
        let base = [0, 1].map(|side| parts_of(of_side([bodies.base, by.given_base], rows, side)));
        let base = twist_of(base[0], base[1], found.arms, &found.frame);
        let written = Written {
            found: &found,
            g: &judged.g,
            rows: &Rows::new(&found, &judged.g, (&judged.twist, by.time_step)),
            base: &base,
            wrench: &wrench,
            changes: (found.impulses, found.push, [0.0; 6]),
        };
        written.write((&mut *batch, &mut lanes[lane], lane), &placed[1]);
    }
    if by.writes_rows {
        (batch.n_points, batch.is_bent) = (most, is_bent);
    }
    residual
}

/// Residual of an overlap that no point meets: that of a contact at the centres of mass.
fn unmet(apart: &Apart, pair: [&Moving; 2], (batch, lanes, lane): Lane<'_>, time_step: f64) -> f64 {
    let mass = 1.0 / (pair[0].inverse_mass + pair[1].inverse_mass);
    let step = f64::from(batch.stiffening[lane]) * mass;
    let unmet = step * (-apart.gap).max(0.0) / time_step * f64::from(batch.per_unit[lane]);
    larger(unmet, overlap(apart.gap, lanes.size))
}

/// Residual of an overlap beside the size of the pair.
fn overlap(widest: f64, size: f64) -> f64 {
    -widest * OVERLAP / size
}

/// A lane of a batch.
type Lane<'a> = (&'a PatchBatch, &'a PatchLane, usize);

fn how((batch, pair, lane): Lane<'_>, by: PatchCheckBy<'_>) -> How {
    if by.writes_rows {
        return How::of_turn(pair, by.tolerance, STAY_PART);
    }
    let unit = f64::from(batch.per_unit[lane]);
    let step = f64::from(batch.points[0].step_size[lane] * batch.stiffening[lane]);
    How::of_check(pair, by.tolerance, by.tolerance * by.time_step / (unit * step).max(f64::MIN_POSITIVE))
}

/// Adds a wrench on B and its reaction on A to the sums.
pub fn add_wrench(
    sums: &mut [Six],
    (batch, pair, lane): Lane<'_>,
    (frame, arms, w): (&Frame, [Vector<f64>; 2], &Wrench),
) {
    let [force, moment] = in_world(frame, w);
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        if pair.given[side] != MOVES {
            continue;
        }
        let sum = &mut sums[batch.bodies[side][lane] as usize];
        let turning = add(cross(arms[side], force), moment);
        for k in 0..3 {
            sum[k] += sign * force[k];
            sum[4 + k] += sign * turning[k];
        }
    }
}

/// Adds the wrenches of batches at their rows as they are to the sums.
pub fn add_wrenches(sums: &mut [Six], batches: &[PatchBatch], lanes: &[[PatchLane; WIDTH]]) {
    for (batch, lanes) in batches.iter().zip(lanes) {
        for (lane, pair) in lanes.iter().enumerate().filter(|(_, pair)| pair.is_used && pair.n > 0) {
            let (frame, arms) = frame_of(batch, lane);
            add_wrench(sums, (batch, pair, lane), (&frame, arms, &wrench_of(batch, pair.n, lane)));
        }
    }
}

/// A pair with its residual.
struct Judged<'a> {
    found: &'a Found,
    bodies: [&'a Moving; 2],
    rows: Lane<'a>,
    g: [Wrench; 6],
    twist: Wrench,
    load: f64,
    centre: [f64; 2],
    /// Factor on the step sizes.
    stiffening: f64,
}

impl<'a> Judged<'a> {
    fn new(found: &'a Found, bodies: [&'a Moving; 2], rows: Lane<'a>) -> Self {
        let g = response(bodies, found.arms, &found.frame);
        let twist = twist(bodies, found.arms, &found.frame);
        let (centre, load) = found.centre();
        let stiffening = f64::from(rows.0.stiffening[rows.2]);
        Self { found, bodies, rows, g, twist, load, centre, stiffening }
    }

    /// Largest residual in the unit of the pair.
    fn residual(&self, placed: &[PlacedSolid<'_>; 2], time_step: f64) -> f64 {
        let (batch, pair, lane) = self.rows;
        let Found { manifold, .. } = self.found;
        let mut most = 0.0;
        if manifold.n == 0 {
            let lost: f64 = batch.points[..pair.n].iter().map(|p| f64::from(p.impulse[lane])).sum();
            most = if self.found.is_lost { lost } else { 0.0 };
        }
        // At the centre of the load the pair is heavier than at its points.
        let step = |wrench: &Wrench| self.stiffening * step_size(&self.g, wrench);
        let mut heaviest = step(&wrench_at(self.centre, [1.0, 0.0, 0.0]));
        let is_open = self.load == 0.0 && manifold.widest > 0.0;
        for (q, point) in manifold.points().iter().enumerate() {
            let step = step(&wrench_at(self.found.places[q], self.found.leans[q]));
            heaviest = heaviest.max(step);
            if !is_open {
                most = larger(most, smaller(self.found.impulses[q], step * point.gap / time_step).abs());
            }
        }
        most = larger(most, self.friction());
        most = larger(most, self.left_moment());
        let open = |gap: f64| smaller(self.load, heaviest * gap / time_step);
        // An overlap that no point is as deep as is one, with load and without.
        if self.load > 0.0 || manifold.widest < 0.0 {
            most = larger(most, open(manifold.widest).abs());
        }
        if let (Some(axis), true) = (self.found.wanted, self.load > 0.0)
            && let Some(n) = normal([&placed[0], &placed[1]], axis)
        {
            let off = sub(n, manifold.normal);
            let turned = 2.0 * self.load * dot(off, off).sqrt();
            most = larger(most, open(manifold.widest - manifold.separation).min(turned));
        }
        larger(most * f64::from(batch.per_unit[lane]), overlap(manifold.widest, pair.size))
    }

    /// Sine by which the normal at the centre of the load leans along a rim, times the load, in the unit of
    /// the pair: where a point stayed beside the lowest one, the load may be on it.
    fn lean(&self, [a, b]: &[PlacedSolid<'_>; 2], surfaces: Option<&dyn Surfaces>, leeway: f64) -> f64 {
        let (batch, pair, lane) = self.rows;
        let (Some(patch), Some(surfaces)) = (pair.callers, surfaces) else { return 0.0 };
        if self.load <= 0.0 {
            return 0.0;
        }
        let [n, t, o] = self.found.frame;
        let to_centre = add(scale(t, self.centre[0]), scale(o, self.centre[1]));
        let at = add(a.mass_centre, add(self.found.arms[0], to_centre));
        let poses = callers_poses([a, b], pair);
        let lean = surfaces.lean(patch as usize, [&poses[0], &poses[1]], (&at, &n), leeway);
        lean * self.load * f64::from(batch.per_unit[lane])
    }

    /// Natural map of friction (N s).
    fn friction(&self) -> f64 {
        let Found { push, radius, .. } = *self.found;
        let r = self.stiffening * mean_step(&self.g, self.centre, radius);
        let v = slip(&self.twist, self.centre, radius);
        let z: Vector<f64> = std::array::from_fn(|k| push[k] - r * v[k]);
        let bound = f64::from(self.rows.0.friction[self.rows.2]) * self.found.pressing();
        let length = dot(z, z).sqrt();
        let shrink = if length > bound { bound / length } else { 1.0 };
        let e = sub(push, scale(z, shrink));
        dot(e, e).sqrt()
    }

    /// Moment that the normal impulses leave about the centre of the load, in units of an impulse: √(m
    /// M·I⁻¹M) (N s).
    fn left_moment(&self) -> f64 {
        if !self.found.is_bent {
            return 0.0;
        }
        let moment = self.found.left_moment();
        let of = |body: &Moving| {
            let spun = dot(product(&body.inverse_inertia, moment), moment);
            if body.inverse_mass > 0.0 { (spun / body.inverse_mass).sqrt() } else { 0.0 }
        };
        of(self.bodies[0]).max(of(self.bodies[1]))
    }

    /// The pair as it is seen.
    fn seen(&self) -> PatchSeen {
        let Found { frame, arms, push, radius, manifold, .. } = self.found;
        let ([a, b], (_, pair, _)) = (self.centre, self.rows);
        let to_centre = add(scale(frame[1], a), scale(frame[2], b));
        let along = self.found.pressing();
        let alignment = if self.load > LEAST_LOAD { along / self.load } else { 1.0 };
        PatchSeen {
            frame: [frame[0], frame[1]],
            arms: arms.map(|arm| add(arm, to_centre)),
            gap: manifold.widest,
            slip: slip(&self.twist, self.centre, *radius),
            impulse: [along, push[0], push[1], push[2]],
            alignment,
            radius: *radius,
            region: pair.callers.map_or(0.0, |_| self.found.region_now(pair.size)),
            n: manifold.n,
            places: self.found.places,
            centre: self.centre,
            gaps: std::array::from_fn(|q| manifold.points[q].gap),
            impulses: self.found.impulses,
        }
    }
}
