//! Boxes among the polytopes: the input of the kernels of box features, and their answers in terms of faces
//! and edges.

use crate::contact::axis::separating_axis::{AxisKind, Separation};
use crate::contact::placed::Placed;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Shape};
use signorini_kernels::types::{BoxAxis, BoxPair, nine};

/// Input of two boxes, in A's shape frame; None if a shape is no box.
pub fn box_pair(a: &Placed<'_>, b: &Placed<'_>) -> Option<BoxPair<f64>> {
    let (half_a, half_b) = (a.model.half_extents?, b.model.half_extents?);
    let to_a = a.moved.shape_rotation.transpose();
    let apart = a.way_to(b) + b.moved.shape_origin - a.moved.shape_origin;
    Some(BoxPair {
        offset: (to_a * apart).into(),
        half_a: half_a.into(),
        half_b: half_b.into(),
        rotation_a: nine(&Matrix3::identity()),
        rotation_b: nine(&(to_a * b.moved.shape_rotation)),
    })
}

/// Input of a half-space and a box, in world axes; None for other shapes.
pub fn half_space_pair(a: &Placed<'_>, b: &Placed<'_>) -> Option<BoxPair<f64>> {
    let ((n, offset), half_b) = (a.moved.plane?, b.model.half_extents?);
    let height = n.dot(&(b.moved.position + b.moved.shape_origin)) - offset;
    let o = Vector3::zeros();
    Some(BoxPair {
        offset: (n * height).into(),
        half_a: [0.0; 3],
        half_b: half_b.into(),
        rotation_a: nine(&Matrix3::from_columns(&[o, o, n])),
        rotation_b: nine(&b.moved.shape_rotation),
    })
}

/// The axis that a kernel found between two boxes, as [`crate::contact::axis::separating_axis::separation`]
/// names it.
pub fn separation_of(found: &BoxAxis<f64>, a: &Placed<'_>, b: &Placed<'_>) -> Option<Separation> {
    let (Shape::Polytope(of_a), Shape::Polytope(of_b)) = (&a.model.shape, &b.model.shape) else {
        return None;
    };
    let normal = Vector3::from(found.normal);
    // B's outer normal is −n, in B's shape frame.
    let to_b = b.moved.shape_rotation.transpose() * a.moved.shape_rotation;
    let towards_a = to_b * -normal;
    let axis = match found.axis[0] as i64 {
        0..=2 => AxisKind::FaceA(face_along(of_a, &normal)),
        3..=5 => AxisKind::FaceB(face_along(of_b, &towards_a)),
        k @ 6..=14 => {
            let (i, j) = ((k - 6) as usize / 3, (k - 6) as usize % 3);
            AxisKind::Edges(edge_along(of_a, i, &normal), edge_along(of_b, j, &towards_a))
        }
        _ => return None,
    };
    Some(Separation { gap: found.gap[0], normal, axis })
}

/// Index of the face whose outer normal is nearest to a direction.
fn face_along(polytope: &Polytope, direction: &Vector3<f64>) -> usize {
    let cosine = |i: &usize| polytope.faces[*i].normal.dot(direction);
    (0..polytope.faces.len()).max_by(|i, j| cosine(i).total_cmp(&cosine(j))).unwrap_or(0)
}

/// Index of the edge parallel to axis `axis` that is farthest along a direction.
fn edge_along(polytope: &Polytope, axis: usize, direction: &Vector3<f64>) -> usize {
    let ends = |i: usize| polytope.edges[i].vertices.map(|v| polytope.vertices[v]);
    let is_parallel = |i: &usize| {
        let [start, end] = ends(*i);
        (end - start)[axis] != 0.0
    };
    let reach = |i: &usize| ends(*i)[0].dot(direction) + ends(*i)[1].dot(direction);
    let edges = (0..polytope.edges.len()).filter(is_parallel);
    edges.max_by(|i, j| reach(i).total_cmp(&reach(j))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::axis::separating_axis::{RelativePolytope, separation};
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use signorini_geometry::Pose;
    use signorini_kernels::box_axis::box_axis;
    use signorini_kernels::box_half_space::box_half_space;
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    fn box_(half: [f64; 3]) -> PartModel {
        let half = Vector3::from(half);
        PartModel::new(0, 0, &Part::new(Shape::Polytope(Arc::new(Polytope::box_(half)))))
    }

    /// The kernel tries axes by their supports, the search by the Gauss map: both name the same faces and
    /// edges.
    #[test]
    fn the_kernel_and_the_search_find_the_same_axis() {
        let models = [box_([0.5, 0.3, 0.2]), box_([0.4, 0.4, 0.1])];
        let (Shape::Polytope(a), Shape::Polytope(b)) = (&models[0].shape, &models[1].shape) else {
            unreachable!()
        };
        let (mut relative, mut kinds) = (RelativePolytope::default(), [0; 3]);
        for k in 0..600 {
            let k = f64::from(k);
            let turn = |s: f64| {
                let axis = Vector3::new((s * k).sin(), (2.3 * s * k).cos(), (0.9 * s * k).sin()) * 2.0;
                UnitQuaternion::from_scaled_axis(axis)
            };
            let way = Vector3::new((3.1 * k).cos(), (1.3 * k).sin(), (0.7 * k).cos()).normalize();
            let poses = [
                Pose { position: Vector3::new(1.0, 2.0, 3.0), orientation: turn(1.7) },
                Pose {
                    position: Vector3::new(1.0, 2.0, 3.0) + way * (0.55 + 0.1 * (5.3 * k).sin()),
                    orientation: turn(2.9),
                },
            ];
            let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
            let [pa, pb] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
            let pair = box_pair(&pa, &pb).expect("two boxes");
            let found = separation_of(&box_axis(&pair), &pa, &pb).expect("an axis");
            let to_a = moved[0].shape_rotation.transpose();
            relative.place(b, to_a * moved[1].shape_rotation, Vector3::from(pair.offset), None);
            let expected = separation(a, b, &mut relative, 0.3, None);
            assert!((found.gap - expected.gap).abs() < 1e-8, "{k}: {found:?} instead of {expected:?}");
            assert_eq!(found.axis, expected.axis, "{k}: {found:?} instead of {expected:?}");
            assert!((found.normal - expected.normal).norm() < 1e-9, "{k}: {found:?} instead of {expected:?}");
            kinds[match found.axis {
                AxisKind::FaceA(_) => 0,
                AxisKind::FaceB(_) => 1,
                AxisKind::Edges(..) => 2,
            }] += 1;
        }
        assert!(kinds.iter().all(|n| *n > 20), "{kinds:?}");
    }

    #[test]
    fn corners_stand_above_a_plane_where_the_kernel_says() {
        let model = box_([0.5, 0.3, 0.2]);
        let normal = Vector3::new(0.6, 0.0, 0.8);
        let shape = Shape::HalfSpace { normal, offset: 0.25 };
        let plane = PartModel { shape, half_extents: None, ..box_([1.0; 3]) };
        let pose = Pose {
            position: Vector3::new(0.3, -1.0, 2.0),
            orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -0.9, 1.3)),
        };
        let (on, above) = (MovedPart::new(&plane, &Pose::identity()), MovedPart::new(&model, &pose));
        let (a, b) = (Placed::new(&plane, &on), Placed::new(&model, &above));
        let heights = box_half_space(&half_space_pair(&a, &b).expect("a half-space and a box"));
        let Shape::Polytope(polytope) = &model.shape else { unreachable!() };
        for (height, v) in heights.iter().zip(&polytope.vertices) {
            let expected = normal.dot(&(pose.position + pose.orientation * v)) - 0.25;
            assert!((height - expected).abs() < 1e-14, "{height} instead of {expected}");
        }
    }
}
