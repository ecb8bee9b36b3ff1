//! How the geometry of a contact changes with the sizes of its bodies: semi-axes of an ellipsoid, half
//! extents of a box (theory §17.7).
//!
//! At a fixed normal a feature of a part that grows is carried along without turning: the support point of an
//! ellipsoid, a face, an edge and a corner of a box. So normal and places change as if the body moved with
//! the feature, except that its centre of mass stays.

use crate::contact::placed::Placed;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Shape;
use signorini_kernels::pair_tangent::PairTangent;

/// Whether a part has sizes.
pub fn has_sizes(body: &Placed<'_>) -> bool {
    body.model.shape.is_ellipsoid() || body.model.half_extents.is_some()
}

/// ∂x/∂a of the point at an arm from the centre of mass, where the outer normal is `out`, world axes: with
/// m = Rᵀ out and h = √Σ a² m² of an ellipsoid,
/// ```text
/// ∂s/∂a_i = 2 a_i m_i e_i / h − s a_i m_i² / h²,     ∂x/∂a_i = x_i e_i / a_i of a box
/// ```
/// 0 for other shapes.
pub fn growth(body: &Placed<'_>, out: &Vector3<f64>, arm: &Vector3<f64>) -> Matrix3<f64> {
    let rotation = &body.moved.shape_rotation;
    if let Shape::Ellipsoid { semi_axes } = &body.model.shape {
        let m = rotation.tr_mul(out);
        let height = semi_axes.component_mul(&m).norm();
        let support = semi_axes.component_mul(&semi_axes.component_mul(&m)) / height;
        let by_axis = semi_axes.component_mul(&m) / height;
        let local = Matrix3::from_diagonal(&(by_axis * 2.0))
            - support * by_axis.component_mul(&(m / height)).transpose();
        return rotation * local;
    }
    let Some(half) = &body.model.half_extents else { return Matrix3::zeros() };
    let local = rotation.tr_mul(&(arm - body.moved.shape_origin));
    rotation * Matrix3::from_diagonal(&local.component_div(half))
}

/// Growths of both bodies of a contact point.
pub fn growths(
    [a, b]: [&Placed<'_>; 2],
    n: &Vector3<f64>,
    [arm_a, arm_b]: [&Vector3<f64>; 2],
) -> [Matrix3<f64>; 2] {
    [growth(a, n, arm_a), growth(b, &-n, arm_b)]
}

/// The derivatives with the sizes of both bodies, in the places of those with their positions, from those
/// with the poses.
pub fn grown(tangent: &PairTangent<f64>, [of_a, of_b]: [Matrix3<f64>; 2]) -> PairTangent<f64> {
    let by_size =
        |blocks: &[Matrix3<f64>; 4]| [blocks[0] * of_a, Matrix3::zeros(), blocks[2] * of_b, Matrix3::zeros()];
    let mut out = PairTangent {
        normal: by_size(&tangent.normal),
        arm_a: by_size(&tangent.arm_a),
        arm_b: by_size(&tangent.arm_b),
    };
    out.arm_a[0] += of_a;
    out.arm_b[2] += of_b;
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Polytope, Pose};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    fn placed(shape: Shape) -> (PartModel, MovedPart) {
        let orientation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.5, 0.8));
        let model = PartModel::new(0, 0, &Part::new(shape));
        let moved = MovedPart::new(&model, &Pose { position: Vector3::new(0.1, 0.2, 0.3), orientation });
        (model, moved)
    }

    #[test]
    fn supports_move_as_bodies_grow() {
        let sizes = Vector3::new(0.1, 0.07, 0.04);
        let ellipsoid = |semi_axes| placed(Shape::Ellipsoid { semi_axes });
        let box_ = |half| placed(Shape::Polytope(Arc::new(Polytope::box_(half))));
        let out = Vector3::new(0.4, -0.7, 0.5).normalize();
        let support = |(model, moved): &(PartModel, MovedPart)| {
            let Shape::Ellipsoid { .. } = model.shape else {
                let local = moved.shape_rotation.tr_mul(&out);
                let half = model.half_extents.unwrap_or_default();
                return moved.shape_rotation * half.component_mul(&local.map(f64::signum));
            };
            moved.ellipsoid.support(&out).1
        };
        let made: [&dyn Fn(Vector3<f64>) -> (PartModel, MovedPart); 2] = [&ellipsoid, &box_];
        for make in made {
            let (model, moved) = make(sizes);
            let body = Placed::new(&model, &moved);
            assert!(has_sizes(&body));
            let found = growth(&body, &out, &support(&(model.clone(), moved)));
            for i in 0..3 {
                let step = Vector3::ith(i, 1e-6);
                let difference = (support(&make(sizes + step)) - support(&make(sizes - step))) / 2e-6;
                assert!((found.column(i) - difference).norm() < 1e-8, "{i}: {found} and {difference}");
            }
        }
    }
}
