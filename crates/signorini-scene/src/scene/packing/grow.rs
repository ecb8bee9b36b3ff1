//! Denser packing: all bodies start small and far apart, and grow while they shift and turn at random.
//!
//! A sweep offers bodies one random move, taken when the body stays proved apart from its neighbours;
//! a body that is behind the common scale also tries to grow to it. When all have that scale, it rises.
//! Orientations remain random, but bodies in a tight place turn to where they fit.

use super::draw::{RandomStream, shuffle};
use super::room::{Grain, Room, lattice, mean_size, size};
use crate::scene::nearby::Nearby;
use crate::scene::overlap::{Placed, apart};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use signorini_geometry::{Shape, mass_properties};

/// Most moves offered for one rise of the common scale: some for each body, and some for the few that are
/// behind at last.
const MOVES_PER_RISE: (usize, usize) = (150, 50_000);
/// Factor by which the common scale rises.
const RISE: f64 = 1.05;
/// Fraction of the room's volume above which nothing random fits; growing is then not tried.
const DENSEST: f64 = 0.60;

/// Places all shapes, or gives up.
pub fn grow(shapes: &[Shape], room: &Room, others: &[Placed], draw: &mut RandomStream) -> Option<Vec<Grain>> {
    let volume: f64 = shapes.iter().filter_map(mass_properties::volume).sum();
    if volume > DENSEST * (room.high - room.low).product() {
        return None;
    }
    let mut growth = Growth::start(shapes, room, others, draw)?;
    let mut shift = 0.2;
    while growth.target_scale < 1.0 {
        growth.target_scale = (growth.target_scale * RISE).min(1.0);
        let mut patience = MOVES_PER_RISE.0 * shapes.len() + MOVES_PER_RISE.1;
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
    shapes: &'a [Shape],
    room: &'a Room,
    grains: Vec<Grain>,
    scales: Vec<f64>,
    target_scale: f64,
    /// Number of shapes placed before; the bodies follow them in `placed`.
    first: usize,
    placed: Vec<Placed>,
    nearby: Nearby,
    found: Vec<usize>,
}

impl<'a> Growth<'a> {
    /// Small bodies at the sites of a lattice.
    fn start(
        shapes: &'a [Shape],
        room: &'a Room,
        others: &[Placed],
        draw: &mut RandomStream,
    ) -> Option<Self> {
        let largest = shapes.iter().map(Shape::bounding_radius).fold(0.0, f64::max);
        let (mut sites, spacing) = lattice(room, shapes);
        shuffle(&mut sites, draw);
        let target_scale = (0.45 * (spacing - room.clearance) / largest).min(1.0);
        if target_scale <= 0.0 {
            return None;
        }
        let mut nearby = Nearby::new(2.0 * mean_size(shapes));
        for (id, shape) in others.iter().enumerate() {
            nearby.insert(id, shape);
        }
        let (grains, scales, found) = (Vec::new(), Vec::new(), Vec::new());
        let (first, placed) = (others.len(), others.to_vec());
        let mut growth = Self { shapes, room, grains, scales, target_scale, first, placed, nearby, found };
        let span = room.high - room.low;
        for (i, site) in sites.into_iter().take(shapes.len()).enumerate() {
            // A site may be inside a shape placed before.
            let (grain, placed) = (0..1000).find_map(|k| {
                let fraction = Vector3::new(draw.unit(), draw.unit(), draw.unit());
                let position = if k == 0 { site } else { room.low + span.component_mul(&fraction) };
                let orientation =
                    if room.random_orientations { draw.rotation() } else { UnitQuaternion::identity() };
                growth.fits(i, target_scale, position, orientation)
            })?;
            growth.nearby.insert(growth.placed.len(), &placed);
            growth.placed.push(placed);
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
    ) -> Option<(Grain, Placed)> {
        let (grain, candidate) = self.room.inside(&self.shapes[i], scale, position, orientation)?;
        let clearance = self.room.clearance;
        self.nearby.query(&candidate, clearance, &mut self.found);
        let itself = self.first + i;
        let is_apart = |&o: &usize| o == itself || apart(&self.placed[o], &candidate, clearance);
        self.found.iter().all(is_apart).then_some((grain, candidate))
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
            let id = self.first + i;
            self.nearby.query(&self.placed[id], size(&self.shapes[i]), &mut self.found);
            active.extend(self.found.iter().filter_map(|id| id.checked_sub(self.first)));
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
            let step = Vector3::new(draw.sign(), draw.sign(), draw.sign()) * (shift * size(&self.shapes[i]));
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
                    let id = self.first + i;
                    self.nearby.remove(id, &self.placed[id]);
                    self.nearby.insert(id, &placed);
                    self.placed[id] = placed;
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
