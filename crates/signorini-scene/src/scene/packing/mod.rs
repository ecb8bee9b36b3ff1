//! Places many bodies in a region at random, apart from each other and from bodies already placed.
//!
//! The bodies go, large ones first, to shuffled sites of a face-centred lattice stretched over the region,
//! each with a random shift and orientation, redrawn while it is not proved apart from its neighbours;
//! those left over try places all over the region. When one finds none, all start again small and grow.
//! With a hash grid the work is proportional to the count.

mod draw;
mod grow;
mod region;
mod room;

pub use draw::RandomStream;
pub use region::Region;
pub use room::{Grain, Room};

use super::form::Form;
use super::nearby::Nearby;
use super::overlap::{Placed, apart};
use draw::shuffle;
use nalgebra::{UnitQuaternion, Vector3};
use room::{lattice, mean_size, size};

/// Tries at a lattice site, with growing shifts.
const TRIES_AT_SITE: usize = 12;
/// Tries anywhere in the box for a body that found no site.
const TRIES_ANYWHERE: usize = 3000;

/// Places bounded forms, in their order. The error is how many found a place.
pub fn pack(
    forms: &[Form],
    room: &Room,
    others: &[Placed],
    draw: &mut RandomStream,
) -> Result<Vec<Grain>, usize> {
    let mut packing = Packing::new(forms, room, others);
    let mut order: Vec<usize> = (0..forms.len()).collect();
    order.sort_by(|a, b| size(&forms[*b]).total_cmp(&size(&forms[*a])));
    let (mut sites, spacing) = lattice(room, forms);
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
            (spacing - 2.0 * forms[i].bounding_radius() - room.clearance).max(0.0) / (2.0 * 3f64.sqrt());
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
        let done = (0..TRIES_ANYWHERE).any(|_| {
            let place = room.region.anywhere(draw);
            packing.try_place(i, place, draw)
        });
        if !done {
            break;
        }
    }
    let fitted = packing.grains.iter().flatten().count();
    let all: Option<Vec<Grain>> = packing.grains.into_iter().collect();
    all.or_else(|| grow::grow(forms, room, others, draw)).ok_or(fitted)
}

/// The bodies placed so far.
struct Packing<'a> {
    forms: &'a [Form],
    room: &'a Room,
    placed: Vec<Placed>,
    nearby: Nearby,
    grains: Vec<Option<Grain>>,
    found: Vec<usize>,
}

impl<'a> Packing<'a> {
    fn new(forms: &'a [Form], room: &'a Room, others: &[Placed]) -> Self {
        let mut nearby = Nearby::new(2.0 * mean_size(forms));
        for (id, shape) in others.iter().enumerate() {
            nearby.insert(id, shape);
        }
        Self {
            forms,
            room,
            placed: others.to_vec(),
            nearby,
            grains: vec![None; forms.len()],
            found: Vec::new(),
        }
    }

    /// Places body `i` near `position` with a new orientation, pushed into the region; false if it would be
    /// too close to something.
    fn try_place(&mut self, i: usize, position: Vector3<f64>, draw: &mut RandomStream) -> bool {
        let orientation =
            if self.room.random_orientations { draw.rotation() } else { UnitQuaternion::identity() };
        let inside = self.room.inside(&self.forms[i], 1.0, position, orientation);
        let Some((grain, candidate)) = inside else { return false };
        let clearance = self.room.clearance;
        for part in &candidate {
            self.nearby.query(part, clearance, &mut self.found);
            if !self.found.iter().all(|&other| apart(&self.placed[other], part, clearance)) {
                return false;
            }
        }
        for part in candidate {
            self.nearby.insert(self.placed.len(), &part);
            self.placed.push(part);
        }
        self.grains[i] = Some(grain);
        true
    }
}
