//! The frame of friction: carried along where friction is the same in all tangents, else along the grain.

use crate::contact::body_model::MovedBody;
use crate::contact::pair::Pair;
use crate::contact::tolerances::GRAIN_IN_PLANE;
use crate::kernels::grain::faded;
use crate::kernels::pair_geometry::carried;
use crate::kernels::smooth_pair::tangents;
use nalgebra::Vector3;

impl Pair {
    /// Isotropic friction: the frame of the start of the step turned by the smallest rotation (never rebuilt
    /// from a fixed axis inside a step). Anisotropic: t is the projection of the direction fixed in its body.
    pub(super) fn frame_at(
        &self,
        n: &Vector3<f64>,
        a: &MovedBody,
        b: &MovedBody,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let t = match self.grain(a, b) {
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

    /// Where e_t ≠ e_o: the direction in the world, carried by one of the bodies, whose projection is t.
    pub fn grain(&self, a: &MovedBody, b: &MovedBody) -> Option<Vector3<f64>> {
        let direction = self.friction.direction.filter(|_| self.n_friction() > 0)?;
        Some(if self.direction_on_a { a.rotation } else { b.rotation } * direction)
    }

    /// Takes e_t and e_o as they are at the normal at hand.
    pub(crate) fn fade_grain(&mut self, a: &MovedBody, b: &MovedBody) {
        let given = self.friction.tangential;
        self.semi_axes = self.grain(a, b).map_or(given, |grain| faded(given, &grain, &self.geometry.normal));
    }
}
