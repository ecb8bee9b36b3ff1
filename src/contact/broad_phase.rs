//! Candidate pairs: parts of different bodies whose boxes, grown by how far they may move within the step,
//! overlap.
//!
//! Bodies are swept first, by the boxes around their parts. Of two bodies whose boxes overlap only those
//! parts are compared that reach into the box of the other body.

use crate::contact::body_model::Models;
use crate::contact::part_model::{MovedPart, PartModel};
use crate::geometry::Shape;
use nalgebra::Vector3;

/// A box along the world axes (m).
#[derive(Debug, Clone, Copy)]
struct Bounds {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Bounds {
    const EMPTY: Self = Self {
        low: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    fn union(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Written so that a NaN keeps the pair.
    fn meets(&self, other: &Self) -> bool {
        !(0..3).any(|d| other.low[d] > self.high[d] || self.low[d] > other.high[d])
    }
}

/// Sweep along the axis of largest spread, in a fixed order.
#[derive(Debug, Default)]
pub struct BroadPhase {
    /// Of each part; empty for a half-space.
    parts: Vec<Bounds>,
    /// Of each body; empty where it has but half-spaces.
    bodies: Vec<Bounds>,
    order: Vec<usize>,
    near: [Vec<usize>; 2],
    /// Candidates (A, B) of the last call, places of parts, sorted. A half-space is A; otherwise A < B.
    pub candidates: Vec<(usize, usize)>,
}

impl BroadPhase {
    /// Finds all pairs of parts of different bodies, at least one of which moves, whose grown boxes overlap.
    /// `margin` is per part (m).
    pub fn find(&mut self, models: &Models, moved: &[MovedPart], margin: &[f64]) {
        self.boxes(models, moved, margin);
        self.candidates.clear();
        self.planes(models, moved, margin);
        let axis = self.widest_axis();
        self.order.clear();
        let bounds = &self.bodies;
        self.order.extend((0..bounds.len()).filter(|i| bounds[*i].low[axis] != f64::INFINITY));
        self.order
            .sort_unstable_by(|i, j| bounds[*i].low[axis].total_cmp(&bounds[*j].low[axis]).then(i.cmp(j)));
        let Self { parts, bodies, order, near, candidates } = self;
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[k + 1..] {
                if bodies[j].low[axis] > bodies[i].high[axis] {
                    break;
                }
                let (a, b) = (&models.bodies[i.min(j)], &models.bodies[i.max(j)]);
                if (a.fixed && b.fixed) || !bodies[i].meets(&bodies[j]) {
                    continue;
                }
                if a.parts.len() == 1 && b.parts.len() == 1 {
                    candidates.push((a.parts.start, b.parts.start));
                    continue;
                }
                for (list, (own, other)) in near.iter_mut().zip([(a, i.max(j)), (b, i.min(j))]) {
                    list.clear();
                    list.extend(own.parts.clone().filter(|part| parts[*part].meets(&bodies[other])));
                }
                for &p in &near[0] {
                    candidates
                        .extend(near[1].iter().filter(|q| parts[p].meets(&parts[**q])).map(|q| (p, *q)));
                }
            }
        }
        let are_joined = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|part| models.parts[part].body);
            models.bodies[a].joined.binary_search(&b).is_ok()
        };
        candidates.retain(|(a, b)| !are_joined(*a, *b));
        candidates.sort_unstable();
    }

    fn boxes(&mut self, models: &Models, moved: &[MovedPart], margin: &[f64]) {
        self.parts.clear();
        let each = models.parts.iter().zip(moved).zip(margin);
        self.parts.extend(each.map(|((part, at), margin)| {
            let is_alone = models.bodies[part.body].parts.len() == 1;
            bounds(part, at, *margin, is_alone)
        }));
        self.bodies.clear();
        let of_body = |parts: &[Bounds]| parts.iter().fold(Bounds::EMPTY, |all, part| all.union(part));
        self.bodies.extend(models.bodies.iter().map(|body| of_body(&self.parts[body.parts.clone()])));
    }

    fn planes(&mut self, models: &Models, moved: &[MovedPart], margin: &[f64]) {
        for (p, (n, offset)) in moved.iter().enumerate().filter_map(|(p, m)| m.plane.map(|plane| (p, plane)))
        {
            for body in models.bodies.iter().filter(|body| !body.fixed) {
                let center = &moved[body.parts.start].position;
                let widest = margin[body.parts.clone()].iter().fold(0.0, |m: f64, x| m.max(*x));
                if body.parts.len() > 1 && n.dot(center) - body.radius - offset > widest + margin[p] {
                    continue;
                }
                for i in body.parts.clone() {
                    if models.parts[i].lowest(&moved[i], &n) - offset <= margin[i] + margin[p] {
                        self.candidates.push((p, i));
                    }
                }
            }
        }
    }

    fn widest_axis(&self) -> usize {
        let finite = self.bodies.iter().filter(|body| body.low.x.is_finite());
        let all = finite.fold(Bounds::EMPTY, |all, body| all.union(body));
        (all.high - all.low).imax()
    }
}

/// The box that holds a part. A body of one shape is boxed by its ball: nothing is to be gained by a tighter
/// box, which would cost more than the pairs that it spares.
fn bounds(part: &PartModel, at: &MovedPart, margin: f64, is_alone: bool) -> Bounds {
    if matches!(part.shape, Shape::HalfSpace { .. }) {
        return Bounds::EMPTY;
    }
    if !is_alone && !matches!(part.shape, Shape::Ellipsoid { .. }) {
        let along = |d: usize, sign: f64| part.support_width(at, &(Vector3::ith(d, sign))) + margin;
        let low = Vector3::from_fn(|d, _| at.position[d] - along(d, -1.0));
        return Bounds { low, high: Vector3::from_fn(|d, _| at.position[d] + along(d, 1.0)) };
    }
    let center = at.position + at.ellipsoid.center;
    let half = Vector3::from_fn(|i, _| at.ellipsoid.q[(i, i)].sqrt() + margin);
    Bounds { low: center - half, high: center + half }
}

#[cfg(test)]
mod tests;
