//! Boxes of the parts of a body, sorted along the axis on which they are spread most.

use super::part_in_step::PartInStep;
use super::placed::PlacedShape;
use nalgebra::Vector3;
use signorini_geometry::Pose;

/// A box along the world axes: its lowest and its highest corner (m).
pub type Corners = (Vector3<f64>, Vector3<f64>);

/// Box that meets no other: that of a half-space or a bore, which are judged apart.
const EMPTY: Corners = (
    Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
);

/// Factor for the rounding of extents.
const ROUNDED: f64 = 1.001;

/// Whether two boxes overlap, written so that a NaN keeps the pair.
pub fn meet(a: &Corners, b: &Corners) -> bool {
    !(0..3).any(|d| b.0[d] > a.1[d] || a.0[d] > b.1[d])
}

/// Boxes of the parts of one body. They are those of the last pose until the body has another one.
#[derive(Debug, Clone)]
pub struct PartBoxes {
    at: Option<Pose>,
    parts: Vec<Corners>,
    /// Box around all parts; infinite if some coordinate is NaN.
    pub around: Corners,
    axis: usize,
    /// Parts sorted by their lowest coordinate on the axis.
    order: Vec<u32>,
    /// The largest extent of a part along the axis (m).
    widest: f64,
}

impl Default for PartBoxes {
    fn default() -> Self {
        Self { at: None, parts: Vec::new(), around: EMPTY, axis: 0, order: Vec::new(), widest: 0.0 }
    }
}

impl PartBoxes {
    /// Updates the boxes of the placed parts, each side moved out by `grown` (m).
    pub fn follow(&mut self, (parts, pose): (&[PartInStep], Option<&Pose>), grown: f64) {
        if pose.is_some() && self.at.as_ref() == pose && self.parts.len() == parts.len() {
            return;
        }
        self.at = pose.copied();
        let grown = Vector3::repeat(grown);
        let boxed = parts.iter().map(|part| match part.placed {
            PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => EMPTY,
            _ => {
                let (low, high) = part.placed.bounds();
                (low - grown, high + grown)
            }
        });
        self.parts.clear();
        self.parts.extend(boxed);
        let bounded = || self.parts.iter().filter(|part| **part != EMPTY);
        self.around = bounded().fold(EMPTY, |all, part| (all.0.inf(&part.0), all.1.sup(&part.1)));
        if bounded().any(|(low, high)| (low + high).iter().any(|x| x.is_nan())) {
            self.around = (EMPTY.1, EMPTY.0);
        }
        let (low, high) = self.around;
        self.axis = if low.x.is_finite() { (high - low).imax() } else { 0 };
        let axis = self.axis;
        self.widest = bounded().fold(0.0, |most, (low, high)| f64::max(most, high[axis] - low[axis]));
        self.order.clear();
        self.order.extend(0..self.parts.len() as u32);
        let parts = &self.parts;
        let lowest = |k: u32| parts[k as usize].0[axis];
        self.order.sort_unstable_by(|i, j| lowest(*i).total_cmp(&lowest(*j)).then(i.cmp(j)));
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Box of a part.
    pub fn part(&self, k: usize) -> &Corners {
        &self.parts[k]
    }

    /// Parts whose boxes meet another box.
    pub fn near<'a>(&'a self, other: &'a Corners) -> impl Iterator<Item = usize> + 'a {
        let lowest = |k: &u32| self.parts[*k as usize].0[self.axis];
        let is_sorted = self.around.0.x.is_finite();
        let (from, to) = (other.0[self.axis] - ROUNDED * self.widest, other.1[self.axis]);
        // A part with a NaN is found, and all parts of a body with such a part.
        let first = if is_sorted { self.order.partition_point(|k| lowest(k) < from) } else { 0 };
        let candidates = self.order[first..].iter().take_while(move |k| !(is_sorted && lowest(k) > to));
        candidates.map(|k| *k as usize).filter(|k| meet(&self.parts[*k], other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::bodies;
    use signorini_scene::scene::{self, LoadOptions, Scene};
    use std::path::Path;

    /// A body of 80 ellipsoids at places of a spiral, and a half-space.
    fn spiral() -> Scene {
        let part = |k: usize| {
            let (s, c) = (k as f64).sin_cos();
            format!(
                "{{ shape = {{ type = \"ellipsoid\", semi_axes = [0.1, {}, 0.2] }}, position = [{}, {}, {}] }}, ",
                0.05 + 0.01 * (k % 7) as f64,
                0.02 * k as f64 * c,
                0.03 * k as f64 * s,
                0.02 * k as f64
            )
        };
        let parts: String = (0..80).map(part).collect();
        let half_space = "{ shape = { type = \"half_space\", normal = [0, 0, 1], offset = -9 } }";
        let text = format!(
            "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"spiral\"\nfixed = true\n\
             parts = [{parts}{half_space}]\n[[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 40]\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\n"
        );
        scene::parse(&text, Path::new("spiral"), &LoadOptions::default()).expect("a scene").scene
    }

    #[test]
    fn boxes_that_meet_one_are_found() {
        let scene = spiral();
        let mut bodies = bodies::prepare(&scene);
        let mut state = scene.initial_state();
        let mut boxes = PartBoxes::default();
        let mut n_found = 0;
        for k in 0..40 {
            state.poses[0].position.x = 0.1 * f64::from(k / 10);
            bodies::place(&mut bodies, &scene, &state, &state);
            boxes.follow((&bodies[0].parts, bodies[0].pose()), 0.01);
            let low = Vector3::new(-2.0 + 0.1 * f64::from(k), -1.0, 0.04 * f64::from(k));
            let other = (low, low + Vector3::new(0.3, 2.0, 0.2));
            let mut found: Vec<usize> = boxes.near(&other).collect();
            found.sort_unstable();
            let grown = Vector3::repeat(0.01);
            let meets = |i: &usize| {
                let PlacedShape::Ellipsoid(_) = &bodies[0].parts[*i].placed else { return false };
                let (low, high) = bodies[0].parts[*i].placed.bounds();
                meet(&(low - grown, high + grown), &other)
            };
            let expected: Vec<usize> = (0..81).filter(meets).collect();
            assert_eq!(found, expected, "{k}");
            n_found += found.len();
        }
        assert!(n_found > 60, "{n_found}");
        state.poses[0].position = Vector3::repeat(f64::NAN);
        bodies::place(&mut bodies, &scene, &state, &state);
        boxes.follow((&bodies[0].parts, bodies[0].pose()), 0.01);
        assert_eq!(boxes.near(&(Vector3::zeros(), Vector3::zeros())).count(), 80);
    }
}
