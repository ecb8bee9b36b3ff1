//! The faces that touch at time 0 and have mortar, as joints (theory §15.4).

use super::body::{Body, Part};
use super::friction::{Friction, FrictionTable};
use super::joint::{Joint, JointKind};
use super::mortar::MortarFace;
use super::nearby::Nearby;
use super::start::placed;
use nalgebra::{UnitQuaternion, Vector2, Vector3};
use signorini_geometry::polytope::Face;
use signorini_geometry::{Polytope, Pose, Shape};
use std::collections::HashMap;

/// Largest distance of two faces that touch, as a fraction of the smaller size, and sine of the largest angle
/// between them.
const TOUCHES: f64 = 1e-6;
/// Least area of a face with mortar, as a fraction of the square of the smaller size.
const LEAST_AREA: f64 = 1e-6;
/// Opening, or slip, at which mortar without fracture energy breaks, as a fraction of the smaller size.
const BRITTLE_OPENING: f64 = 1e-6;

/// Where two faces touch.
struct CommonFace {
    /// Corners in the world (m), counter-clockwise about the normal.
    corners: Vec<Vector3<f64>>,
    /// Unit normal from A into B.
    normal: Vector3<f64>,
}

/// A joint for each pair of faces that touch at time 0 and have mortar; `apart` are pairs of bodies (sorted)
/// without contact.
pub fn mortar_joints(bodies: &[Body], friction: &FrictionTable, apart: &[(usize, usize)]) -> Vec<Joint> {
    if !friction.has_mortar() {
        return Vec::new();
    }
    let shapes: Vec<_> = bodies.iter().flat_map(placed).collect();
    let parts: Vec<(usize, &Part)> =
        bodies.iter().enumerate().flat_map(|(id, body)| body.parts.iter().map(move |p| (id, p))).collect();
    let mut nearby = Nearby::fit_for(shapes.iter());
    shapes.iter().enumerate().for_each(|(i, shape)| nearby.insert(i, shape));
    let (mut joints, mut near, mut count) = (Vec::new(), Vec::new(), HashMap::new());
    for (i, shape) in shapes.iter().enumerate() {
        let (a, part) = parts[i];
        nearby.query(shape, TOUCHES * part.shape.size().unwrap_or(0.0), &mut near);
        for &j in near.iter().filter(|j| **j > i) {
            let (b, other) = parts[j];
            let law = friction.between(part.material, other.material);
            if a == b || bodies[a].fixed && bodies[b].fixed || apart.binary_search(&(a, b)).is_ok() {
                continue;
            }
            if let Some(joint) = joint_of([(&bodies[a], part), (&bodies[b], other)], law) {
                let n = count.entry((a, b)).and_modify(|n| *n += 1).or_insert(1);
                let number = if *n > 1 { format!(" {n}") } else { String::new() };
                let name = format!("mortar {}/{}{number}", bodies[a].name, bodies[b].name);
                joints.push(Joint { name, bodies: [a, b], ..joint });
            }
        }
    }
    joints
}

/// The joint of two parts that have mortar and touch on faces, between bodies 0 and 1.
fn joint_of([(a, part_a), (b, part_b)]: [(&Body, &Part); 2], law: &Friction) -> Option<Joint> {
    let mortar = law.mortar?;
    let size = |part: &Part| part.shape.size().unwrap_or(f64::INFINITY);
    let size = size(part_a).min(size(part_b));
    let poses = [a.pose.compose(&part_a.pose), b.pose.compose(&part_b.pose)];
    let face = common_face([(&part_a.shape, &poses[0]), (&part_b.shape, &poses[1])], TOUCHES * size)?;
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), &face.normal)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    let (area, centre, radius) = moments(&face, &turn)?;
    if area < LEAST_AREA * size * size {
        return None;
    }
    let frame = Pose { position: centre, orientation: turn };
    let energy = mortar
        .fracture_energy
        .max(mortar.tensile_strength.max(mortar.shear_strength) * BRITTLE_OPENING * size);
    Some(Joint {
        name: String::new(),
        kind: JointKind::Mortar,
        bodies: [0, 1],
        frames: [a, b].map(|body| seen_from(&body.pose, &frame)),
        length: 0.0,
        coordinates: Vec::new(),
        mortar: Some(MortarFace {
            area,
            radius,
            coefficient: law.coefficient,
            tension: mortar.tensile_strength * area,
            shear: mortar.shear_strength * area,
            energy: energy * area,
        }),
        collide: true,
    })
}

/// A pose in the frame of another.
fn seen_from(outer: &Pose, pose: &Pose) -> Pose {
    let back = outer.orientation.inverse();
    Pose { position: back * (pose.position - outer.position), orientation: back * pose.orientation }
}

/// Where two shapes touch on faces up to a distance (m), if they do.
fn common_face(shapes: [(&Shape, &Pose); 2], tolerance: f64) -> Option<CommonFace> {
    match shapes {
        [(Shape::Polytope(a), at_a), (Shape::Polytope(b), at_b)] => {
            let of_b = faces(b, at_b);
            faces(a, at_a).iter().find_map(|(normal, corners)| {
                let (_, other) = of_b.iter().find(|(n, other)| {
                    let is_level = |x: &Vector3<f64>| normal.dot(&(x - corners[0])).abs() <= tolerance;
                    n.dot(normal) < 0.0 && n.cross(normal).norm() <= TOUCHES && is_level(&other[0])
                })?;
                let corners = clipped(corners.clone(), other, normal);
                (corners.len() > 2).then_some(CommonFace { corners, normal: *normal })
            })
        }
        [(Shape::HalfSpace { normal, offset }, at), (Shape::Polytope(b), at_b)] => {
            let normal = at.orientation * normal;
            let level = offset + normal.dot(&at.position);
            let (_, corners) = faces(b, at_b).into_iter().find(|(n, corners)| {
                let is_level = |x: &Vector3<f64>| (normal.dot(x) - level).abs() <= tolerance;
                n.dot(&normal) < 0.0 && n.cross(&normal).norm() <= TOUCHES && corners.iter().all(is_level)
            })?;
            Some(CommonFace { corners: corners.into_iter().rev().collect(), normal })
        }
        [a @ (Shape::Polytope(_), _), b @ (Shape::HalfSpace { .. }, _)] => {
            let CommonFace { mut corners, normal } = common_face([b, a], tolerance)?;
            corners.reverse();
            Some(CommonFace { corners, normal: -normal })
        }
        _ => None,
    }
}

/// Outer normals and corners of the faces of a polytope, in the world.
fn faces(polytope: &Polytope, at: &Pose) -> Vec<(Vector3<f64>, Vec<Vector3<f64>>)> {
    let of = |face: &Face| {
        let corners = face.vertices.iter().map(|v| at.point(&polytope.vertices[*v])).collect();
        (at.orientation * face.normal, corners)
    };
    polytope.faces.iter().map(of).collect()
}

/// The part of a convex polygon inside another, which runs clockwise about the normal.
fn clipped(
    mut corners: Vec<Vector3<f64>>,
    other: &[Vector3<f64>],
    normal: &Vector3<f64>,
) -> Vec<Vector3<f64>> {
    for k in 0..other.len() {
        let (from, to) = (other[k], other[(k + 1) % other.len()]);
        // The other face looks the other way: its inside is on the right.
        let inward = (to - from).cross(normal);
        let inside = |x: &Vector3<f64>| inward.dot(&(x - from));
        let mut kept = Vec::with_capacity(corners.len() + 1);
        for i in 0..corners.len() {
            let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
            let (at_p, at_q) = (inside(&p), inside(&q));
            if at_p >= 0.0 {
                kept.push(p);
            }
            if at_p * at_q < 0.0 {
                kept.push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
        corners = kept;
    }
    corners
}

/// Area (m²), centre (m) and mean distance from the centre (m) of a face; theory (2.9), (2.10).
fn moments(face: &CommonFace, turn: &UnitQuaternion<f64>) -> Option<(f64, Vector3<f64>, f64)> {
    let first = *face.corners.first()?;
    let flat: Vec<Vector2<f64>> = face.corners.iter().map(|x| (turn.inverse() * (x - first)).xy()).collect();
    let sides = |about: Vector2<f64>| {
        let n = flat.len();
        (0..n).map(|i| (flat[i] - about, flat[(i + 1) % n] - about)).collect::<Vec<_>>()
    };
    let area: f64 = 0.5 * sides(Vector2::zeros()).iter().map(|(p, q)| p.perp(q)).sum::<f64>();
    if area <= 0.0 {
        return None;
    }
    let moment: Vector2<f64> = sides(Vector2::zeros()).iter().map(|(p, q)| (p + q) * p.perp(q)).sum();
    let middle = moment / (6.0 * area);
    let distance: f64 = sides(middle).iter().map(|(p, q)| distance_over(p, q)).sum();
    let centre = first + turn * Vector3::new(middle.x, middle.y, 0.0);
    Some((area, centre, distance / (3.0 * area)))
}

/// ∫ |x| (x × dx) along the side from p to q: its distance d from the origin times ∫ √(d² + s²) ds.
fn distance_over(p: &Vector2<f64>, q: &Vector2<f64>) -> f64 {
    let side = q - p;
    let length = side.norm();
    if length == 0.0 {
        return 0.0;
    }
    let d = p.perp(q) / length;
    let whole = |x: &Vector2<f64>| {
        let s = x.dot(&side) / length;
        let turned = if d == 0.0 { 0.0 } else { d * d * (s / d.abs()).asinh() };
        0.5 * (s * x.norm() + turned)
    };
    d * (whole(q) - whole(p))
}
