//! Places many bodies in a box at random, apart from each other and from bodies already placed.
//!
//! The bodies go, large ones first, to shuffled sites of a face-centred lattice stretched over the box,
//! each with a random shift and orientation, redrawn while it is not proved apart from its neighbours;
//! those left over try places all over the box. When one finds none, all start again small and grow.
//! With a hash grid the work is proportional to the count.

mod draw;
mod grow;
mod room;

pub use draw::RandomStream;
pub use room::{Grain, Room};

use super::nearby::Nearby;
use super::overlap::{Placed, apart};
use draw::shuffle;
use nalgebra::{UnitQuaternion, Vector3};
use room::{lattice, mean_size, size};
use signorini_geometry::Shape;

/// Tries at a lattice site, with growing shifts.
const TRIES_AT_SITE: usize = 12;
/// Tries anywhere in the box for a body that found no site.
const TRIES_ANYWHERE: usize = 3000;

/// Places bounded shapes, in their order. The error is how many found a place.
pub fn pack(
    shapes: &[Shape],
    room: &Room,
    others: &[Placed],
    draw: &mut RandomStream,
) -> Result<Vec<Grain>, usize> {
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
            let fraction = Vector3::new(draw.unit(), draw.unit(), draw.unit());
            packing.try_place(i, room.low + span.component_mul(&fraction), draw)
        });
        if !done {
            break;
        }
    }
    let fitted = packing.grains.iter().flatten().count();
    let all: Option<Vec<Grain>> = packing.grains.into_iter().collect();
    all.or_else(|| grow::grow(shapes, room, others, draw)).ok_or(fitted)
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
    fn try_place(&mut self, i: usize, position: Vector3<f64>, draw: &mut RandomStream) -> bool {
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
