//! Candidate pairs: bodies whose boxes, grown by how far they may move within the step, overlap.

use crate::contact::body_model::{BodyModel, MovedBody};
use crate::geometry::Shape;
use nalgebra::Vector3;

/// Sweep along the axis of largest spread, in a fixed order.
#[derive(Debug, Default)]
pub struct BroadPhase {
    low: Vec<Vector3<f64>>,
    high: Vec<Vector3<f64>>,
    order: Vec<usize>,
    /// Candidates (A, B) of the last call, sorted. A half-space is A; otherwise A < B.
    pub candidates: Vec<(usize, usize)>,
}

impl BroadPhase {
    /// Finds all pairs with at least one moving body whose grown boxes overlap. `margin` is per body (m).
    pub fn find(&mut self, models: &[BodyModel], moved: &[MovedBody], margin: &[f64]) {
        self.boxes(models, moved, margin);
        self.candidates.clear();
        self.planes(models, moved, margin);
        let axis = self.widest_axis(models);
        self.order.clear();
        self.order.extend((0..models.len()).filter(|i| moved[*i].plane.is_none()));
        let low = &self.low;
        self.order.sort_unstable_by(|i, j| low[*i][axis].total_cmp(&low[*j][axis]).then(i.cmp(j)));
        for (k, &i) in self.order.iter().enumerate() {
            for &j in &self.order[k + 1..] {
                if self.low[j][axis] > self.high[i][axis] {
                    break;
                }
                let apart =
                    (0..3).any(|d| self.low[j][d] > self.high[i][d] || self.low[i][d] > self.high[j][d]);
                let both_fixed = models[i].fixed && models[j].fixed;
                if !apart && !both_fixed {
                    self.candidates.push((i.min(j), i.max(j)));
                }
            }
        }
        self.candidates.retain(|(a, b)| models[*a].joined.binary_search(b).is_err());
        self.candidates.sort_unstable();
    }

    fn boxes(&mut self, models: &[BodyModel], moved: &[MovedBody], margin: &[f64]) {
        self.low.clear();
        self.high.clear();
        for ((model, body), margin) in models.iter().zip(moved).zip(margin) {
            let (center, half) = match model.shape {
                Shape::Ellipsoid { .. } | Shape::Polytope(_) | Shape::Cylinder { .. } => (
                    body.position + body.ellipsoid.center,
                    Vector3::from_fn(|i, _| body.ellipsoid.q[(i, i)].sqrt() + margin),
                ),
                Shape::HalfSpace { .. } => (Vector3::zeros(), Vector3::repeat(f64::INFINITY)),
            };
            self.low.push(center - half);
            self.high.push(center + half);
        }
    }

    fn planes(&mut self, models: &[BodyModel], moved: &[MovedBody], margin: &[f64]) {
        for (p, (n, offset)) in moved.iter().enumerate().filter_map(|(p, m)| m.plane.map(|plane| (p, plane)))
        {
            for (i, body) in moved.iter().enumerate().filter(|(i, _)| !models[*i].fixed) {
                if models[i].lowest(body, &n) - offset <= margin[i] + margin[p] {
                    self.candidates.push((p, i));
                }
            }
        }
    }

    fn widest_axis(&self, models: &[BodyModel]) -> usize {
        let mut spread = Vector3::zeros();
        for d in 0..3 {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for (i, _) in models.iter().enumerate().filter(|(i, _)| self.low[*i][d].is_finite()) {
                low = low.min(self.low[i][d]);
                high = high.max(self.high[i][d]);
            }
            spread[d] = high - low;
        }
        spread.imax()
    }
}
