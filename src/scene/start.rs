//! The start of a run: no two bodies may overlap by more than one step takes up quietly.

use super::body::{Body, Part};
use super::nearby::Nearby;
use super::overlap::{Gap, Placed, apart, gap};

/// Depth accepted at the start, relative to the size of the smaller part: it is taken up in one step.
const ACCEPTED_DEPTH: f64 = 1e-4;
/// It is taken up at depth / h. That may be no more than the speed of a fall from this part of the size of
/// the smaller body, however short the step.
const ACCEPTED_FALL: f64 = 2e-4;
/// Gravity of scenes without any (m/s²), to tell what is slow.
pub const STANDARD_GRAVITY: f64 = 9.81;
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
    /// Largest depth (m) accepted of two bodies with parts of this smaller size (m).
    fn depth(&self, [a, b]: [&Body; 2], size: f64) -> f64 {
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
/// `joined` pairs (sorted) may. Of bodies of several parts the two that are deepest in each other count.
pub fn overlaps(bodies: &[Body], joined: &[(usize, usize)], limits: &StartLimits) -> Vec<Overlap> {
    let placed: Vec<Placed> = bodies.iter().flat_map(placed).collect();
    let owners: Vec<usize> =
        bodies.iter().enumerate().flat_map(|(id, body)| body.parts.iter().map(move |_| id)).collect();
    let parts: Vec<&Part> = bodies.iter().flat_map(|body| &body.parts).collect();
    let mut nearby = Nearby::fit_for(placed.iter());
    for (part, shape) in placed.iter().enumerate() {
        nearby.insert(part, shape);
    }
    let (mut found, mut near): (Vec<Overlap>, Vec<usize>) = (Vec::new(), Vec::new());
    for (part, shape) in placed.iter().enumerate().filter(|(part, _)| !bodies[owners[*part]].fixed) {
        let id = owners[part];
        nearby.query(shape, 0.0, &mut near);
        for &other in near.iter().filter(|&&o| owners[o] != id && (bodies[owners[o]].fixed || o > part)) {
            let (p, q) = (part.min(other), part.max(other));
            let (a, b) = (owners[p], owners[q]);
            if joined.binary_search(&(a, b)).is_ok() {
                continue;
            }
            let allowed = limits.depth([&bodies[a], &bodies[b]], smaller_size(parts[p], parts[q]));
            if apart(&placed[p], &placed[q], -allowed) {
                continue;
            }
            if let Some(gap) = gap(&placed[p], &placed[q]).filter(|g| g.distance < -allowed) {
                found.push(Overlap { a, b, gap, allowed, speed: -gap.distance / limits.time_step });
            }
        }
    }
    found.sort_by(|o, p| (o.a, o.b).cmp(&(p.a, p.b)).then(o.gap.distance.total_cmp(&p.gap.distance)));
    found.dedup_by_key(|o| (o.a, o.b));
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

/// Moves one pair along the normal of the parts that are deepest in each other until these are apart, each
/// moving body its share.
fn push_apart(bodies: &mut [Body], a: usize, b: usize) {
    let mut deepest: Option<(Gap, f64)> = None;
    let of_b: Vec<_> = placed(&bodies[b]).zip(&bodies[b].parts).collect();
    for (p, of_a) in placed(&bodies[a]).zip(&bodies[a].parts) {
        for (q, of_b) in &of_b {
            let least = deepest.map_or(0.0, |(gap, _)| gap.distance);
            if apart(&p, q, least) {
                continue;
            }
            if let Some(gap) = gap(&p, q).filter(|g| g.distance < least) {
                deepest = Some((gap, smaller_size(of_a, of_b)));
            }
        }
    }
    let Some((gap, size)) = deepest else { return };
    let way = gap.normal * (LEFT_APART * size - gap.distance);
    let share = if bodies[a].fixed || bodies[b].fixed { 1.0 } else { 0.5 };
    if !bodies[a].fixed {
        bodies[a].pose.position -= way * share;
    }
    if !bodies[b].fixed {
        bodies[b].pose.position += way * share;
    }
}

/// The body's parts in the world at time 0.
pub fn placed(body: &Body) -> impl Iterator<Item = Placed> + '_ {
    body.parts.iter().map(|part| Placed::new(&part.shape, &body.pose.compose(&part.pose)))
}

fn smaller_size(a: &Part, b: &Part) -> f64 {
    let size = |part: &Part| part.shape.size().unwrap_or(f64::INFINITY);
    size(a).min(size(b))
}
