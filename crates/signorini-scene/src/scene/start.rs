//! The start of a run: no two bodies may overlap by more than one step takes up quietly.

use super::body::{Body, Part};
use super::nearby::Nearby;
use super::overlap::{Gap, Placed, apart, gap};
use nalgebra::Vector3;
use signorini_geometry::periodic::{ITSELF, all_of, between};
use signorini_geometry::{Image, PeriodicBox};

/// Depth accepted at the start, relative to the size of the smaller part: it is taken up in one step.
const ACCEPTED_DEPTH: f64 = 1e-4;
/// Fall, as a fraction of the size of the smaller body, whose speed bounds depth / h: an overlap is taken up
/// at depth / h, however short the step.
const ACCEPTED_FALL: f64 = 2e-4;
/// Gravity of scenes without any (m/s²), by which slow speeds are told.
pub const STANDARD_GRAVITY: f64 = 9.81;
/// Depths that are rounding of the poses: so many ulps of the places and the sizes. They are always accepted.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Gap left between bodies that were moved apart, relative to the size of the smaller one.
const LEFT_APART: f64 = 1e-6;
/// Rounds of moving pairs apart before giving up.
const MAX_ROUNDS: usize = 2000;

/// Two bodies that overlap too deeply; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// First body id.
    pub a: usize,
    /// Second body id.
    pub b: usize,
    /// Image of `b` that overlaps `a`, in a periodic box.
    pub image: Image,
    /// Signed distance (m), < 0, and normal from `a` into `b`.
    pub gap: Gap,
    /// Largest depth accepted (m).
    pub allowed: f64,
    /// Speed at which the first step would push the bodies apart (m/s).
    pub speed: f64,
}

/// Quantities that decide how deep bodies may overlap at the start.
#[derive(Debug, Clone, Copy)]
pub struct StartLimits {
    /// Time step h (s).
    pub time_step: f64,
    /// |g| (m/s²), 0 for none.
    pub gravity: f64,
    /// The box that repeats itself.
    pub periodic: Option<PeriodicBox>,
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

/// Result of [`separate`].
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
    let there = images(&placed, limits.periodic.as_ref());
    let mut nearby = Nearby::fit_for(placed.iter());
    for (place, there) in there.iter().enumerate() {
        nearby.insert(place, &there.shape);
    }
    let (mut found, mut near): (Vec<Overlap>, Vec<usize>) = (Vec::new(), Vec::new());
    for one in there.iter().filter(|one| !bodies[owners[one.part]].fixed) {
        let id = owners[one.part];
        nearby.query(&one.shape, 0.0, &mut near);
        let others = near.iter().map(|place| &there[*place]);
        let others = others.filter(|o| owners[o.part] != id);
        for other in others.filter(|o| bodies[owners[o.part]].fixed || o.part > one.part) {
            let (p, q) = if one.part < other.part { (one, other) } else { (other, one) };
            let (a, b) = (owners[p.part], owners[q.part]);
            if joined.binary_search(&(a, b)).is_ok() {
                continue;
            }
            let size = smaller_size(parts[p.part], parts[q.part]);
            let allowed = limits.depth([&bodies[a], &bodies[b]], size);
            if apart(&p.shape, &q.shape, -allowed) {
                continue;
            }
            if let Some(gap) = gap(&p.shape, &q.shape).filter(|g| g.distance < -allowed) {
                let image = between(p.image, q.image);
                found.push(Overlap { a, b, image, gap, allowed, speed: -gap.distance / limits.time_step });
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
    for _ in 0..MAX_ROUNDS {
        let found = overlaps(bodies, joined, limits);
        if found.is_empty() {
            let ways = bodies.iter().zip(&before).map(|(b, p)| (b.pose.position - p).norm());
            return Some(ways.fold(Separation::default(), |s, way| Separation {
                moved: s.moved + usize::from(way > 0.0),
                longest: s.longest.max(way),
            }));
        }
        for o in &found {
            let shift = limits.periodic.map(|periodic| periodic.shift(o.image));
            push_apart(bodies, o.a, o.b, &shift.unwrap_or_default());
        }
    }
    None
}

/// Moves one pair along the normal of the parts that are deepest in each other until these are apart. Each
/// moving body takes its part of the way.
fn push_apart(bodies: &mut [Body], a: usize, b: usize, shift: &Vector3<f64>) {
    let mut deepest: Option<(Gap, f64)> = None;
    let of_b: Vec<_> = placed(&bodies[b]).map(|part| part.moved(shift)).zip(&bodies[b].parts).collect();
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
    let fraction = if bodies[a].fixed || bodies[b].fixed { 1.0 } else { 0.5 };
    if !bodies[a].fixed {
        bodies[a].pose.position -= way * fraction;
    }
    if !bodies[b].fixed {
        bodies[b].pose.position += way * fraction;
    }
}

/// A part, or an image of it that extends into the periodic box.
struct PlacedImage {
    part: usize,
    image: Image,
    shape: Placed,
}

/// All parts, with all their images that extend into the periodic box.
fn images(placed: &[Placed], periodic: Option<&PeriodicBox>) -> Vec<PlacedImage> {
    let mut there = Vec::with_capacity(placed.len());
    for (part, shape) in placed.iter().enumerate() {
        let (Some(periodic), Some([low, high])) = (periodic, corners(shape)) else {
            there.push(PlacedImage { part, image: ITSELF, shape: shape.clone() });
            continue;
        };
        let images = all_of(periodic.images(&low, &high));
        there.extend(images.map(|image| PlacedImage {
            part,
            image,
            shape: shape.moved(&periodic.shift(image)),
        }));
    }
    there
}

/// All images of shapes that extend into a box, from its lowest to its highest corner (m).
pub fn images_in(shapes: &[Placed], periodic: &PeriodicBox, into: [Vector3<f64>; 2]) -> Vec<Placed> {
    let mut found = Vec::new();
    for shape in shapes {
        let Some([low, high]) = corners(shape) else {
            found.push(shape.clone());
            continue;
        };
        let images = all_of(periodic.images_in([&low, &high], &into));
        found.extend(images.map(|image| shape.moved(&periodic.shift(image))));
    }
    found
}

/// Lowest and highest corner of the box around a bounded shape (m).
fn corners(shape: &Placed) -> Option<[Vector3<f64>; 2]> {
    let (center, [below, above]) = (shape.center()?, shape.reach()?);
    Some([center - below, center + above])
}

/// The body's parts in the world at time 0.
pub fn placed(body: &Body) -> impl Iterator<Item = Placed> + '_ {
    body.parts.iter().map(|part| Placed::new(&part.shape, &body.pose.compose(&part.pose)))
}

fn smaller_size(a: &Part, b: &Part) -> f64 {
    let size = |part: &Part| part.shape.size().unwrap_or(f64::INFINITY);
    size(a).min(size(b))
}
