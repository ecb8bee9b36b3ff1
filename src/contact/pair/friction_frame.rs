//! The frame of friction: carried along where friction is isotropic, else along the friction direction.

use crate::contact::pair::Pair;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::part_model::MovedPart;
use crate::contact::tolerances::DIRECTION_IN_PLANE;
use nalgebra::Vector3;
use signorini_kernels::grain::{faded, is_fading};
use signorini_kernels::smooth_pair::{carried, tangents};

impl Pair {
    /// Tangents at the normal n. For isotropic friction, and for friction whose direction is near the normal,
    /// they are those of the start of the step turned by the smallest rotation (never rebuilt from a fixed
    /// axis inside a step). For other anisotropic friction t is the projection of the direction fixed in its
    /// body.
    pub(super) fn frame_at(
        &self,
        n: &Vector3<f64>,
        a: &MovedPart,
        b: &MovedPart,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let t = match self
            .friction_direction(a, b)
            .filter(|friction_direction| !is_fading(friction_direction, n))
        {
            Some(friction_direction) => friction_direction - n * n.dot(&friction_direction),
            None => carried(&self.frame.1, &self.frame.0, n),
        };
        let length = t.norm();
        if length < DIRECTION_IN_PLANE {
            return tangents(n);
        }
        let t = t / length;
        (t, n.cross(&t))
    }

    /// Direction of anisotropic friction in the world where e_t ≠ e_o, carried by one of the bodies; its
    /// projection is t.
    pub fn friction_direction(&self, a: &MovedPart, b: &MovedPart) -> Option<Vector3<f64>> {
        let direction = self.friction.direction.filter(|_| self.n_friction() > 0)?;
        Some(if self.direction_on_a { a.rotation } else { b.rotation } * direction)
    }

    /// Scales the current tangents by e_t and e_o, or by the isotropic values to which they blend.
    pub(crate) fn scale_tangents(&mut self, a: &MovedPart, b: &MovedPart) {
        let g = &self.geometry;
        let near_normal = self
            .friction_direction(a, b)
            .filter(|friction_direction| is_fading(friction_direction, &g.normal));
        self.blends_to_isotropic = near_normal.is_some();
        self.scaled_tangents = self.scaled(g, near_normal.as_ref());
    }

    /// Tangents (e_t t, e_o o), or E t and E o where the friction direction is near the normal.
    fn scaled(&self, g: &PairGeometry, near_normal: Option<&Vector3<f64>>) -> [Vector3<f64>; 2] {
        let given = self.friction.tangential;
        match near_normal {
            Some(friction_direction) => {
                [g.tangent_t, g.tangent_o].map(|t| faded(given, friction_direction, &g.normal, &t))
            }
            None => [g.tangent_t * given[0], g.tangent_o * given[1]],
        }
    }
}
