//! Principal axes of a body, and whether its shape lies along them.

use crate::contact::part_model::PartModel;
use crate::contact::tolerances::ALIGNED_INERTIA;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Shape;

/// Principal axes of a body.
#[derive(Debug, Clone, Copy, Default)]
pub struct Principal {
    /// Moments of inertia (kg m²).
    pub moments: Vector3<f64>,
    /// Axes, columns in axes of the body.
    pub axes: Matrix3<f64>,
    /// Whether the body is one ellipsoid with these axes, or one polytope, about its centre of mass, and its
    /// surface does not move over it.
    pub is_plain: bool,
}

impl Principal {
    /// Principal axes of a body with an inertia (kg m², body frame) and these parts.
    pub fn of(inertia: &Matrix3<f64>, parts: &[PartModel]) -> Self {
        let centred = |part: &PartModel| part.shape_pose.position == Vector3::zeros() && part.is_bare();
        let one = parts.first().filter(|part| parts.len() == 1 && centred(part));
        if let Some(part) = one.filter(|part| part.shape.is_ellipsoid() || part.half_extents.is_some()) {
            let axes = part.shape_rotation;
            let turned = axes.transpose() * inertia * axes;
            let moments = turned.diagonal();
            let off = (turned - Matrix3::from_diagonal(&moments)).amax();
            if off <= ALIGNED_INERTIA * moments.sum() && moments.min() > 0.0 {
                return Self { moments, axes, is_plain: true };
            }
        }
        let found = inertia.symmetric_eigen();
        let [x, y]: [Vector3<f64>; 2] = [0, 1].map(|k| found.eigenvectors.column(k).into());
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        let is_plain = one.is_some_and(|part| matches!(part.shape, Shape::Polytope(_)));
        Self { moments: found.eigenvalues, axes, is_plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Rotation3, UnitQuaternion};
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;

    /// Turned axes give the inertia back; only an ellipsoid along them is plain.
    #[test]
    fn axes_give_the_inertia_back() {
        let turn = Rotation3::from_euler_angles(0.3, -0.7, 1.1);
        let inertia = turn * Matrix3::from_diagonal(&Vector3::new(3.0, 1.0, 2.0)) * turn.transpose();
        let shape = Shape::Ellipsoid { semi_axes: Vector3::new(0.1, 0.2, 0.3) };
        let along =
            Pose { position: Vector3::zeros(), orientation: UnitQuaternion::from_rotation_matrix(&turn) };
        for (pose, is_plain) in [(along, true), (Pose::identity(), false)] {
            let part = Part { pose, ..Part::new(shape.clone()) };
            let Principal { moments, axes, is_plain: found } =
                Principal::of(&inertia, &[PartModel::new(0, 0, &part)]);
            let back = axes * Matrix3::from_diagonal(&moments) * axes.transpose();
            assert!((back - inertia).amax() < 1e-12 && (axes.determinant() - 1.0).abs() < 1e-12, "{axes}");
            assert_eq!(found, is_plain);
        }
    }
}
