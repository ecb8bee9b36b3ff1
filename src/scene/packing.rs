//! Places many bodies in a box at random, apart from each other and from what is there.
//!
//! The bodies go, large ones first, to shuffled sites of a face-centred lattice stretched over the box,
//! each with a random shift and orientation, redrawn while it is not proved apart from its neighbours;
//! those left over try places all over the box. When one finds none, all start again small and grow.
//! With a hash grid the work is proportional to the count.

mod grow;

use super::nearby::Nearby;
use super::overlap::{Placed, apart};
use crate::geometry::{Pose, Shape};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rand::Rng;
use rand_pcg::Pcg64;

/// Tries at a lattice site, with growing shifts.
const TRIES_AT_SITE: usize = 12;
/// Tries anywhere in the box for a body that found no site.
const TRIES_ANYWHERE: usize = 3000;

/// A seeded stream of random numbers; the same on every platform (no library distributions).
#[derive(Debug)]
pub struct Draw(Pcg64);

impl Draw {
    /// The stream of one generator of a scene.
    pub fn new(seed: u64, generator: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), u128::from(generator)))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform in [-1, 1).
    fn sign(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Standard normal (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.sign(), self.sign());
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Uniform on the rotations: a uniform direction in four dimensions, by rejection from the cube.
    fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = Quaternion::new(self.sign(), self.sign(), self.sign(), self.sign());
            let s = q.norm_squared();
            if s > 1e-4 && s <= 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

/// Where bodies may go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Lowest corner (m).
    pub low: Vector3<f64>,
    /// Highest corner (m).
    pub high: Vector3<f64>,
    /// Smallest gap between bodies and to others (m).
    pub clearance: f64,
    /// Whether orientations are random.
    pub random_orientations: bool,
}

impl Room {
    /// The shape at a scale at the nearest position at which it is inside; None when it is too large.
    fn inside(
        &self,
        shape: &Shape,
        scale: f64,
        position: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> Option<(Grain, Placed)> {
        let reach = Placed::at_scale(shape, scale, &Pose { position, orientation }).reach()?;
        // The box may be bounded by walls, to which the clearance holds too (and a little for rounding).
        let [below, above] = reach.map(|reach| reach.add_scalar(1.001 * self.clearance));
        let (low, high) = (self.low + below, self.high - above);
        if (high - low).min() < 0.0 {
            return None;
        }
        let position = position.sup(&low).inf(&high);
        Some((
            Grain { position, orientation },
            Placed::at_scale(shape, scale, &Pose { position, orientation }),
        ))
    }
}

/// Where a body was placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// Centre (m).
    pub position: Vector3<f64>,
    /// Orientation.
    pub orientation: UnitQuaternion<f64>,
}

/// Places bounded shapes, in their order. The error is how many found a place.
pub fn pack(shapes: &[Shape], room: &Room, others: &[Placed], draw: &mut Draw) -> Result<Vec<Grain>, usize> {
    let mut packing = Packing::new(shapes, room, others);
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by(|a, b| size(&shapes[*b]).total_cmp(&size(&shapes[*a])));
    let (mut sites, spacing) = lattice(room, shapes);
    shuffle(&mut sites, draw);
    let mut left = Vec::new();
    let mut unused = sites.into_iter();
    for &i in &order {
        let Some(site) = unused.next() else {
            left.push(i);
            continue;
        };
        // The first shift keeps even bodies at all neighbouring sites apart whatever their orientation,
        // where the spacing allows it.
        let slack =
            (spacing - 2.0 * shapes[i].bounding_radius() - room.clearance).max(0.0) / (2.0 * 3f64.sqrt());
        let done = (0..TRIES_AT_SITE).any(|k| {
            let shift = slack + 0.5 * spacing * k as f64 / TRIES_AT_SITE as f64;
            let shift = Vector3::new(draw.sign(), draw.sign(), draw.sign()) * shift;
            packing.try_place(i, site + shift, draw)
        });
        if !done {
            left.push(i);
        }
    }
    for i in left {
        let span = room.high - room.low;
        let done = (0..TRIES_ANYWHERE).any(|_| {
            let share = Vector3::new(draw.unit(), draw.unit(), draw.unit());
            packing.try_place(i, room.low + span.component_mul(&share), draw)
        });
        if !done {
            break;
        }
    }
    let fitted = packing.grains.iter().flatten().count();
    let all: Option<Vec<Grain>> = packing.grains.into_iter().collect();
    all.or_else(|| grow::grow(shapes, room, others, draw)).ok_or(fitted)
}

/// A length that says how big a bounded shape is (m).
fn size(shape: &Shape) -> f64 {
    shape.size().unwrap_or(0.0)
}

fn mean_size(shapes: &[Shape]) -> f64 {
    shapes.iter().map(size).sum::<f64>() / shapes.len().max(1) as f64
}

fn shuffle(sites: &mut [Vector3<f64>], draw: &mut Draw) {
    for i in (1..sites.len()).rev() {
        sites.swap(i, draw.below(i + 1));
    }
}

/// The bodies placed so far.
struct Packing<'a> {
    shapes: &'a [Shape],
    room: &'a Room,
    placed: Vec<Placed>,
    nearby: Nearby,
    grains: Vec<Option<Grain>>,
    found: Vec<usize>,
}

impl<'a> Packing<'a> {
    fn new(shapes: &'a [Shape], room: &'a Room, others: &[Placed]) -> Self {
        let mut nearby = Nearby::new(2.0 * mean_size(shapes));
        for (id, shape) in others.iter().enumerate() {
            nearby.insert(id, shape);
        }
        Self {
            shapes,
            room,
            placed: others.to_vec(),
            nearby,
            grains: vec![None; shapes.len()],
            found: Vec::new(),
        }
    }

    /// Places body `i` near `position` with a new orientation, pushed into the box; false if it would be
    /// too close to something.
    fn try_place(&mut self, i: usize, position: Vector3<f64>, draw: &mut Draw) -> bool {
        let orientation =
            if self.room.random_orientations { draw.rotation() } else { UnitQuaternion::identity() };
        let inside = self.room.inside(&self.shapes[i], 1.0, position, orientation);
        let Some((grain, candidate)) = inside else { return false };
        let clearance = self.room.clearance;
        self.nearby.query(&candidate, clearance, &mut self.found);
        if !self.found.iter().all(|&other| apart(&self.placed[other], &candidate, clearance)) {
            return false;
        }
        self.nearby.insert(self.placed.len(), &candidate);
        self.placed.push(candidate);
        self.grains[i] = Some(grain);
        true
    }
}

/// At least as many sites as shapes, of a face-centred lattice stretched over the box, inset by the bodies' mean size,
/// and their spacing (m), the largest possible.
fn lattice(room: &Room, shapes: &[Shape]) -> (Vec<Vector3<f64>>, f64) {
    let (count, inset) = (shapes.len(), mean_size(shapes) + room.clearance);
    let span = (room.high - room.low).add_scalar(-2.0 * inset).sup(&Vector3::zeros());
    let centre = (room.low + room.high) / 2.0;
    let low = centre - span / 2.0;
    let numbers = |d: f64| -> [usize; 3] {
        let along = |length: f64, d: f64| (length / d).min(1e7) as usize + 1;
        [along(span.x, d), along(span.y, d), along(span.z, d / 2f64.sqrt())]
    };
    let sites = |[nx, ny, nz]: [usize; 3]| -> f64 {
        let even = (nx * ny) as f64;
        let odd = ((nx - 1).max(1) * (ny - 1).max(1)) as f64;
        even * nz.div_ceil(2) as f64 + odd * (nz / 2) as f64
    };
    // The number of sites falls with the spacing.
    let (mut small, mut large) = (1e-3 * inset, 2.0 * span.max() + inset);
    for _ in 0..60 {
        let middle = (small + large) / 2.0;
        if sites(numbers(middle)) >= count as f64 { small = middle } else { large = middle }
    }
    let [nx, ny, nz] = numbers(small);
    let step = |length: f64, n: usize| if n > 1 { length / (n - 1) as f64 } else { 0.0 };
    let steps = Vector3::new(step(span.x, nx), step(span.y, ny), step(span.z, nz));
    let start = |length: f64, n: usize| if n > 1 { 0.0 } else { length / 2.0 };
    let mut found = Vec::new();
    for k in 0..nz {
        let odd = k % 2 == 1;
        let short = |n: usize| if odd { (n - 1).max(1) } else { n };
        let half = |n: usize| if odd && n > 1 { 0.5 } else { 0.0 };
        for (i, j) in (0..short(nx)).flat_map(|i| (0..short(ny)).map(move |j| (i, j))) {
            let at = Vector3::new(i as f64 + half(nx), j as f64 + half(ny), k as f64);
            let origin = Vector3::new(start(span.x, nx), start(span.y, ny), start(span.z, nz));
            found.push(low + origin + at.component_mul(&steps));
        }
    }
    (found, small)
}
