//! The frame of friction: carried along where friction is the same in all tangents, else along the grain.

use crate::contact::pair::Pair;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::part_model::MovedPart;
use crate::contact::tolerances::GRAIN_IN_PLANE;
use nalgebra::Vector3;
use signorini_kernels::grain::{faded, is_fading};
use signorini_kernels::pair_geometry::carried;
use signorini_kernels::smooth_pair::tangents;

impl Pair {
    /// Tangents at the normal n. For isotropic friction, and for friction whose grain is near the normal,
    /// they are those of the start of the step turned by the smallest rotation (never rebuilt from a fixed
    /// axis inside a step). For other anisotropic friction t is the projection of the direction fixed in its
    /// body.
    pub(super) fn frame_at(
        &self,
        n: &Vector3<f64>,
        a: &MovedPart,
        b: &MovedPart,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let t = match self.grain(a, b).filter(|grain| !is_fading(grain, n)) {
            Some(grain) => grain - n * n.dot(&grain),
            None => carried(&self.frame.1, &self.frame.0, n),
        };
        let length = t.norm();
        if length < GRAIN_IN_PLANE {
            return tangents(n);
        }
        let t = t / length;
        (t, n.cross(&t))
    }

    /// Direction of the grain in the world where e_t ≠ e_o, carried by one of the bodies; its projection is
    /// t.
    pub fn grain(&self, a: &MovedPart, b: &MovedPart) -> Option<Vector3<f64>> {
        let direction = self.friction.direction.filter(|_| self.n_friction() > 0)?;
        Some(if self.direction_on_a { a.rotation } else { b.rotation } * direction)
    }

    /// Scales the current tangents by e_t and e_o, or by the values that they fade to.
    pub(crate) fn scale_tangents(&mut self, a: &MovedPart, b: &MovedPart) {
        let g = &self.geometry;
        let fading = self.grain(a, b).filter(|grain| is_fading(grain, &g.normal));
        self.is_fading = fading.is_some();
        self.scaled_tangents = self.scaled(g, fading.as_ref());
    }

    /// Tangents (e_t t, e_o o), or E t and E o of a grain that fades.
    fn scaled(&self, g: &PairGeometry, fading: Option<&Vector3<f64>>) -> [Vector3<f64>; 2] {
        let given = self.friction.tangential;
        match fading {
            Some(grain) => [g.tangent_t, g.tangent_o].map(|t| faded(given, grain, &g.normal, &t)),
            None => [g.tangent_t * given[0], g.tangent_o * given[1]],
        }
    }
}
