//! Pairs of boxes, and boxes on half-spaces, whose features a backend finds for all pairs of an island at
//! once.

use crate::contact::axis::box_batch::{box_pair, half_space_pair, separation_of};
use crate::contact::axis::precomputed::PrecomputedSeparation;
use crate::contact::{Pair, Placed};
use crate::stepper::device::pair_batch::Posed;
use crate::stepper::step_context::StepContext;
use signorini_backend::{BoxFeatures, Precision};
use signorini_kernels::types::BoxPair;

/// Pairs that a backend is given, and the features it returned.
#[derive(Debug, Default)]
pub struct BoxBatch {
    boxes: Vec<BoxPair<f64>>,
    on_planes: Vec<BoxPair<f64>>,
    found: BoxFeatures,
    place: Vec<Option<Place>>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Boxes(usize),
    OnPlane(usize),
}

impl BoxBatch {
    /// Has the features of all boxes found by the step's backend, if it is exact.
    pub fn evaluate(&mut self, context: &StepContext<'_>, posed: &Posed<'_>, pairs: &[Box<Pair>]) {
        self.place.clear();
        let Some(backend) = context.backend.filter(|b| b.precision() == Precision::F64) else { return };
        self.boxes.clear();
        self.on_planes.clear();
        for (c, pair) in pairs.iter().enumerate() {
            let mut place = None;
            if pair.manifold.is_some() {
                let [a, b] = posed.placed.sides(context, posed.local[c], pair);
                if let Some(boxes) = box_pair(&a, &b) {
                    place = Some(Place::Boxes(self.boxes.len()));
                    self.boxes.push(boxes);
                } else if let Some(on_plane) = half_space_pair(&a, &b) {
                    place = Some(Place::OnPlane(self.on_planes.len()));
                    self.on_planes.push(on_plane);
                }
            }
            self.place.push(place);
        }
        let nothing = self.boxes.is_empty() && self.on_planes.is_empty();
        if nothing || !backend.boxes(&self.boxes, &self.on_planes, &mut self.found) {
            self.place.clear();
        }
    }

    /// Features that the backend found for pair c; None where it evaluated none.
    pub fn precomputed(&self, c: usize, a: &Placed<'_>, b: &Placed<'_>) -> Option<PrecomputedSeparation> {
        match self.place.get(c).copied().flatten()? {
            Place::Boxes(k) => {
                separation_of(&self.found.axes[k], a, b).map(PrecomputedSeparation::Separation)
            }
            Place::OnPlane(k) => Some(PrecomputedSeparation::Heights(self.found.heights[k])),
        }
    }
}
