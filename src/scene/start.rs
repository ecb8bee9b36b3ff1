//! The start of a run: no two bodies may overlap by more than one step takes up quietly.

use super::body::Body;
use super::nearby::Nearby;
use super::overlap::{Gap, Placed, apart, gap};

/// Depth accepted at the start, relative to the size of the smaller body: it is taken up in one step.
const ACCEPTED_DEPTH: f64 = 1e-4;
/// It is taken up at depth / h. That may be no more than the speed of a fall from this part of the size of
/// the smaller body, however short the step.
const ACCEPTED_FALL: f64 = 2e-4;
/// Gravity of scenes without any (m/s²), to tell what is slow.
const STANDARD_GRAVITY: f64 = 9.81;
/// Depths that are rounding of the poses: so many ulps of the places and the sizes. They are always accepted.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Gap left between bodies that were moved apart, relative to the size of the smaller one.
const LEFT_APART: f64 = 1e-6;
/// Rounds of moving pairs apart before giving up.
const ROUNDS: usize = 2000;

/// Two bodies that overlap too deeply; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// First body id.
    pub a: usize,
    /// Second body id.
    pub b: usize,
    /// Signed distance (m), < 0, and normal from `a` into `b`.
    pub gap: Gap,
    /// Largest depth accepted (m).
    pub allowed: f64,
    /// Speed at which the first step would throw them apart (m/s).
    pub speed: f64,
}

/// What decides how deep bodies may overlap at the start.
#[derive(Debug, Clone, Copy)]
pub struct StartLimits {
    /// Time step h (s).
    pub time_step: f64,
    /// |g| (m/s²), 0 for none.
    pub gravity: f64,
}

impl StartLimits {
    /// Largest depth (m) accepted of two bodies.
    fn depth(&self, a: &Body, b: &Body) -> f64 {
        let size = smaller_size(a, b);
        let gravity = if self.gravity > 0.0 { self.gravity } else { STANDARD_GRAVITY };
        let speed = (2.0 * gravity * ACCEPTED_FALL * size).sqrt();
        let far = a.pose.position.amax().max(b.pose.position.amax());
        let rounding = ROUNDING * (far + size);
        (ACCEPTED_DEPTH * size).min(speed * self.time_step).max(rounding)
    }
}

/// What [`separate`] did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Separation {
    /// Number of bodies that moved.
    pub moved: usize,
    /// Longest way that one of them moved (m).
    pub longest: f64,
}

/// Every pair with at least one moving body that overlaps by more than the limits allow, in the order of ids;
/// `joined` pairs (sorted) may.
pub fn overlaps(bodies: &[Body], joined: &[(usize, usize)], limits: &StartLimits) -> Vec<Overlap> {
    let placed: Vec<Placed> = bodies.iter().map(placed).collect();
    let mut nearby = Nearby::fit_for(placed.iter());
    for (id, shape) in placed.iter().enumerate() {
        nearby.insert(id, shape);
    }
    let (mut found, mut near) = (Vec::new(), Vec::new());
    for (id, shape) in placed.iter().enumerate().filter(|(id, _)| !bodies[*id].fixed) {
        nearby.query(shape, 0.0, &mut near);
        for &other in near.iter().filter(|&&o| bodies[o].fixed && o != id || o > id) {
            let (a, b) = (id.min(other), id.max(other));
            if joined.binary_search(&(a, b)).is_ok() {
                continue;
            }
            let allowed = limits.depth(&bodies[a], &bodies[b]);
            if apart(&placed[a], &placed[b], -allowed) {
                continue;
            }
            if let Some(gap) = gap(&placed[a], &placed[b]).filter(|g| g.distance < -allowed) {
                found.push(Overlap { a, b, gap, allowed, speed: -gap.distance / limits.time_step });
            }
        }
    }
    found.sort_by_key(|o| (o.a, o.b));
    found
}

/// Moves moving bodies apart, along the normals of the pairs that overlap, until no pair overlaps too
/// deeply; orientations and velocities stay. None when it did not succeed.
pub fn separate(bodies: &mut [Body], joined: &[(usize, usize)], limits: &StartLimits) -> Option<Separation> {
    let before: Vec<_> = bodies.iter().map(|b| b.pose.position).collect();
    for _ in 0..ROUNDS {
        let found = overlaps(bodies, joined, limits);
        if found.is_empty() {
            let ways = bodies.iter().zip(&before).map(|(b, p)| (b.pose.position - p).norm());
            return Some(ways.fold(Separation::default(), |s, way| Separation {
                moved: s.moved + usize::from(way > 0.0),
                longest: s.longest.max(way),
            }));
        }
        for o in &found {
            push_apart(bodies, o.a, o.b);
        }
    }
    None
}

/// Moves one pair along its normal until it is apart, each moving body its share.
fn push_apart(bodies: &mut [Body], a: usize, b: usize) {
    let Some(gap) = gap(&placed(&bodies[a]), &placed(&bodies[b])).filter(|g| g.distance < 0.0) else {
        return;
    };
    let way = gap.normal * (LEFT_APART * smaller_size(&bodies[a], &bodies[b]) - gap.distance);
    let share = if bodies[a].fixed || bodies[b].fixed { 1.0 } else { 0.5 };
    if !bodies[a].fixed {
        bodies[a].pose.position -= way * share;
    }
    if !bodies[b].fixed {
        bodies[b].pose.position += way * share;
    }
}

/// The body's shape in the world at time 0.
pub fn placed(body: &Body) -> Placed {
    Placed::new(&body.shape, &body.pose.compose(&body.shape_pose))
}

fn smaller_size(a: &Body, b: &Body) -> f64 {
    a.shape.size().unwrap_or(f64::INFINITY).min(b.shape.size().unwrap_or(f64::INFINITY))
}
