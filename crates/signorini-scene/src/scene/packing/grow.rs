//! Denser packing: all bodies start small and far apart, and grow while they shift and turn at random.
//!
//! A sweep offers bodies one random move, taken when the body stays proved apart from its neighbours;
//! a body that is behind the common scale also tries to grow to it. When all have that scale, it rises.
//! Orientations remain random, but bodies in a tight place turn to where they fit.

use super::draw::{RandomStream, shuffle};
use super::room::{Grain, Room, lattice, mean_size, size};
use crate::scene::form::Form;
use crate::scene::nearby::Nearby;
use crate::scene::overlap::{Placed, apart};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::ops::Range;

/// Most moves offered for one rise of the common scale: some for each body, and some for the few that are
/// behind at last.
const MOVES_PER_RISE: (usize, usize) = (150, 50_000);
/// Factor by which the common scale rises.
const RISE: f64 = 1.05;
/// Fraction of the room's volume above which nothing random fits; growing is then not tried.
const DENSEST: f64 = 0.60;

/// Places all shapes, or gives up.
pub fn grow(forms: &[Form], room: &Room, others: &[Placed], draw: &mut RandomStream) -> Option<Vec<Grain>> {
    let volume: f64 = forms.iter().filter_map(Form::volume).sum();
    if volume > DENSEST * room.region.volume() {
        return None;
    }
    let mut growth = Growth::start(forms, room, others, draw)?;
    let mut shift = 0.2;
    while growth.target_scale < 1.0 {
        growth.target_scale = (growth.target_scale * RISE).min(1.0);
        let mut patience = MOVES_PER_RISE.0 * forms.len() + MOVES_PER_RISE.1;
        loop {
            let active = growth.active();
            if active.is_empty() {
                break;
            }
            let accepted = growth.sweep(&active, shift, draw);
            shift = match accepted {
                a if a > 0.4 => f64::min(1.2 * shift, 0.5),
                a if a < 0.2 => f64::max(0.7 * shift, 1e-3),
                _ => shift,
            };
            patience = patience.saturating_sub(active.len());
            if patience == 0 {
                return None;
            }
        }
    }
    Some(growth.grains)
}

/// Bodies at scales of their own, all apart.
struct Growth<'a> {
    forms: &'a [Form],
    room: &'a Room,
    grains: Vec<Grain>,
    scales: Vec<f64>,
    target_scale: f64,
    /// Where the parts of each body begin in `placed`, behind the shapes placed before; and the end.
    starts: Vec<usize>,
    placed: Vec<Placed>,
    nearby: Nearby,
    found: Vec<usize>,
}

impl<'a> Growth<'a> {
    /// Small bodies at the sites of a lattice.
    fn start(forms: &'a [Form], room: &'a Room, others: &[Placed], draw: &mut RandomStream) -> Option<Self> {
        let largest = forms.iter().map(Form::bounding_radius).fold(0.0, f64::max);
        let (mut sites, spacing) = lattice(room, forms);
        shuffle(&mut sites, draw);
        let target_scale = (0.45 * (spacing - room.clearance) / largest).min(1.0);
        if target_scale <= 0.0 {
            return None;
        }
        let mut nearby = Nearby::new(2.0 * mean_size(forms));
        for (id, shape) in others.iter().enumerate() {
            nearby.insert(id, shape);
        }
        let (grains, scales, found) = (Vec::new(), Vec::new(), Vec::new());
        let placed = others.to_vec();
        let ends = forms.iter().scan(others.len(), |end, form| {
            *end += form.parts().len();
            Some(*end)
        });
        let starts = std::iter::once(others.len()).chain(ends).collect();
        let mut growth = Self { forms, room, grains, scales, target_scale, starts, placed, nearby, found };
        for i in 0..forms.len() {
            // A site may be inside a shape placed before, and a narrow region may lack sites.
            let (grain, placed) = (0..1000).find_map(|k| {
                let place = room.region.anywhere(draw);
                let position = sites.get(i).copied().filter(|_| k == 0).unwrap_or(place);
                let orientation =
                    if room.random_orientations { draw.rotation() } else { UnitQuaternion::identity() };
                growth.fits(i, target_scale, position, orientation)
            })?;
            for part in placed {
                growth.nearby.insert(growth.placed.len(), &part);
                growth.placed.push(part);
            }
            growth.grains.push(grain);
            growth.scales.push(target_scale);
        }
        Some(growth)
    }

    /// Body `i` at a scale, pushed into the room, if it is apart from everything but itself.
    fn fits(
        &mut self,
        i: usize,
        scale: f64,
        position: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> Option<(Grain, Vec<Placed>)> {
        let (grain, candidate) = self.room.inside(&self.forms[i], scale, position, orientation)?;
        let (clearance, itself) = (self.room.clearance, self.ids(i));
        for part in &candidate {
            self.nearby.query(part, clearance, &mut self.found);
            let is_apart = |o: &usize| itself.contains(o) || apart(&self.placed[*o], part, clearance);
            if !self.found.iter().all(is_apart) {
                return None;
            }
        }
        Some((grain, candidate))
    }

    /// Places of the parts of a body in `placed`.
    fn ids(&self, i: usize) -> Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// The bodies behind the common scale and those around them, or all when many are behind; none when no
    /// body is.
    fn active(&mut self) -> Vec<usize> {
        let n = self.scales.len();
        let behind: Vec<usize> = (0..n).filter(|i| self.scales[*i] < self.target_scale).collect();
        if behind.len() > n / 20 {
            return (0..n).collect();
        }
        let mut active = behind.clone();
        for &i in &behind {
            for id in self.ids(i) {
                self.nearby.query(&self.placed[id], size(&self.forms[i]), &mut self.found);
                let starts = &self.starts;
                let owner = |id: &usize| starts.partition_point(|start| start <= id).checked_sub(1);
                active.extend(self.found.iter().filter_map(owner));
            }
        }
        active.sort_unstable();
        active.dedup();
        active
    }

    /// Offers these bodies a move of at most `shift` of its size, with growth to the common scale where that
    /// fits; returns the fraction of moves taken.
    fn sweep(&mut self, active: &[usize], shift: f64, draw: &mut RandomStream) -> f64 {
        let mut taken = 0;
        for &i in active {
            let Grain { position, orientation } = self.grains[i];
            let step = Vector3::new(draw.sign(), draw.sign(), draw.sign()) * (shift * size(&self.forms[i]));
            let turn = Quaternion::new(1.0, shift * draw.sign(), shift * draw.sign(), shift * draw.sign());
            let orientation = if self.room.random_orientations {
                UnitQuaternion::new_normalize(turn * orientation.into_inner())
            } else {
                orientation
            };
            let (target_scale, scale) = (self.target_scale, self.scales[i]);
            let sizes = [target_scale, (target_scale * scale).sqrt(), scale];
            let sizes = if scale < target_scale { &sizes[..] } else { &sizes[2..] };
            for &size in sizes {
                if let Some((grain, placed)) = self.fits(i, size, position + step, orientation) {
                    for (id, part) in self.ids(i).zip(placed) {
                        self.nearby.remove(id, &self.placed[id]);
                        self.nearby.insert(id, &part);
                        self.placed[id] = part;
                    }
                    self.grains[i] = grain;
                    self.scales[i] = size;
                    taken += 1;
                    break;
                }
            }
        }
        f64::from(taken) / active.len().max(1) as f64
    }
}
