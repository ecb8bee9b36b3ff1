//! Boxes along the axes that hold a shape.

use super::{Pose, Shape};
use nalgebra::Vector3;

/// Lowest and highest corner (m) of the box along the outer axes that holds a shape at a pose; infinite for a
/// half-space.
pub fn bounds(shape: &Shape, pose: &Pose) -> (Vector3<f64>, Vector3<f64>) {
    let (r, center) = (pose.rotation(), pose.position);
    let half = match shape {
        Shape::Ellipsoid { semi_axes } => {
            let a2 = semi_axes.component_mul(semi_axes);
            (r.component_mul(&r) * a2).map(f64::sqrt)
        }
        Shape::HalfSpace { .. } | Shape::Bore { .. } => Vector3::repeat(f64::INFINITY),
        Shape::Cylinder { radius, half_length } => {
            let axis = r.column(2);
            axis.map(|c| half_length * c.abs() + radius * (1.0 - c * c).max(0.0).sqrt())
        }
        Shape::Capsule { radius, half_length } => r.column(2).map(|c| half_length * c.abs() + radius),
        Shape::Polytope(polytope) => {
            let mut low = Vector3::repeat(f64::INFINITY);
            let mut high = -low;
            for vertex in &polytope.vertices {
                let at = r * vertex;
                (low, high) = (low.inf(&at), high.sup(&at));
            }
            return (center + low, center + high);
        }
    };
    (center - half, center + half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Polytope;
    use nalgebra::UnitQuaternion;
    use std::sync::Arc;

    /// Every box touches the shape on all six sides, as its support widths show.
    #[test]
    fn a_turned_shape_touches_all_sides_of_its_box() {
        let orientation = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
        let pose = Pose { position: Vector3::new(1.0, -2.0, 3.0), orientation };
        let box_ = Polytope::box_(Vector3::new(0.5, 0.3, 0.2));
        let shapes = [
            Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.3, 0.2) },
            Shape::Cylinder { radius: 0.3, half_length: 0.7 },
            Shape::Capsule { radius: 0.3, half_length: 0.5 },
            Shape::Polytope(Arc::new(box_)),
        ];
        for shape in shapes {
            let (low, high) = bounds(&shape, &pose);
            for k in 0..3 {
                let local = orientation.inverse() * Vector3::ith(k, 1.0);
                let reach = match &shape {
                    Shape::Ellipsoid { semi_axes } => semi_axes.component_mul(&local).norm(),
                    Shape::Cylinder { radius, half_length } => {
                        radius * local.xy().norm() + half_length * local.z.abs()
                    }
                    Shape::Capsule { radius, half_length } => radius + half_length * local.z.abs(),
                    Shape::Polytope(p) => local.dot(&p.vertices[p.support(&local)]),
                    Shape::HalfSpace { .. } | Shape::Bore { .. } => f64::INFINITY,
                };
                let (below, above) = (pose.position[k] - low[k], high[k] - pose.position[k]);
                assert!((reach - above).abs() < 1e-15 && (reach - below).abs() < 1e-15, "{shape:?}");
            }
        }
    }
}
