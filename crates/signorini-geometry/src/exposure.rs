//! Faces of the parts of a body that are faces of their union.
//!
//! A point y of a face with outer normal n is covered where y + ε n lies in another part. The rest of a face
//! stays as convex polygons, one after the other cut out of the face.

use super::bounds::bounds;
use super::shape::off_line;
use super::{Pose, Shape};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// ε as a fraction of the size of the smaller of two parts: a slit that is narrower is closed.
const CLOSED_SLIT: f64 = 1e-6;
/// Pieces of a face that are narrower than so many times ε are slivers that ε cuts off.
const SLIVER: f64 = 8.0;
/// Sides of the polygons that stand for circles.
const SIDES: usize = 96;

/// Part of a face that is a face of the union.
#[derive(Debug, Clone, PartialEq)]
pub enum Exposure {
    /// All of it.
    Whole,
    /// No part of the face: two parts touch over it.
    Covered,
    /// These convex polygons, in the shape frame of the part.
    Pieces(Vec<Vec<Vector3<f64>>>),
}

impl Exposure {
    /// Whether a point of the face's plane (shape frame) is on an exposed part, or no farther off than `near`
    /// (m).
    pub fn has(&self, normal: &Vector3<f64>, point: &Vector3<f64>, near: f64) -> bool {
        match self {
            Exposure::Whole => true,
            Exposure::Covered => false,
            Exposure::Pieces(pieces) => pieces.iter().any(|piece| holds(piece, normal, point, near)),
        }
    }
}

/// Whether a point is in a convex polygon with this normal, or no farther off than `near` (m).
fn holds(piece: &[Vector3<f64>], normal: &Vector3<f64>, point: &Vector3<f64>, near: f64) -> bool {
    sides(piece).all(|(from, to)| {
        let out = (to - from).cross(normal);
        out.dot(&(point - from)) <= near * out.norm()
    })
}

/// Exposed faces of a part, and faces of other parts that begin beside them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exposed {
    /// Exposure of each face of a polytope, or of the upper and the lower cap of a cylinder. Empty where all
    /// of them are whole.
    pub faces: Vec<Exposure>,
    /// Exposed faces of other parts that touch the part, in its shape frame.
    pub beside: Vec<NeighbourFace>,
}

/// A face of a neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourFace {
    /// Outer normal.
    pub normal: Vector3<f64>,
    /// normal·x on the face (m).
    pub offset: f64,
    /// The exposed polygons of the face.
    pub exposure: Exposure,
}

impl NeighbourFace {
    /// The corners of those exposed polygons that hold a point, or that it is no farther off than `near` (m).
    pub fn corners_at(&self, point: &Vector3<f64>, near: f64) -> impl Iterator<Item = &Vector3<f64>> {
        let pieces = match &self.exposure {
            Exposure::Pieces(pieces) => &pieces[..],
            Exposure::Whole | Exposure::Covered => &[],
        };
        pieces.iter().filter(move |piece| holds(piece, &self.normal, point, near)).flatten()
    }
}

/// Exposed faces of each part.
pub fn exposures(parts: &[(&Shape, &Pose)]) -> Vec<Exposed> {
    let solids: Vec<Option<Solid>> = parts.iter().map(|(shape, pose)| Solid::of(shape, pose)).collect();
    let neighbours = neighbours(parts);
    let faces = |i: usize| {
        let (shape, pose) = parts[i];
        let near =
            neighbours[i].iter().filter_map(|j| Some((solids[*j].as_ref()?, slit(shape, parts[*j].0))));
        let near: Vec<(&Solid, f64)> = near.collect();
        let is_in_round = |face: &FlatFace| {
            neighbours[i].iter().any(|j| face.is_in(pose, parts[*j], slit(shape, parts[*j].0)))
        };
        let exposure = |face: FlatFace| match is_in_round(&face) {
            true => Exposure::Covered,
            false => exposed_of(&face, pose, &near),
        };
        faces_of(shape).map(exposure).collect::<Vec<Exposure>>()
    };
    let faces: Vec<Vec<Exposure>> = (0..parts.len()).map(faces).collect();
    let exposed = |i: usize| {
        let Some(solid) = &solids[i] else { return Exposed::default() };
        if faces[i].iter().all(|face| *face == Exposure::Whole) {
            return Exposed::default();
        }
        let (shape, pose) = parts[i];
        let beside = neighbours[i].iter().flat_map(|j| {
            let slit = slit(shape, parts[*j].0);
            let outlines = faces_of(parts[*j].0).zip(&faces[*j]);
            outlines
                .filter_map(move |(face, exposure)| beside(&face, exposure, parts[*j].1, (solid, pose, slit)))
        });
        Exposed { faces: faces[i].clone(), beside: beside.collect() }
    };
    (0..parts.len()).map(exposed).collect()
}

/// The parts whose boxes touch that of each part, ascending.
fn neighbours(parts: &[(&Shape, &Pose)]) -> Vec<Vec<usize>> {
    let boxes: Vec<_> = parts.iter().map(|(shape, pose)| bounds(shape, pose)).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|i, j| boxes[*i].0.x.total_cmp(&boxes[*j].0.x));
    let mut neighbours = vec![Vec::new(); parts.len()];
    for (k, &i) in order.iter().enumerate() {
        for &j in &order[k + 1..] {
            let slit = slit(parts[i].0, parts[j].0);
            if boxes[j].0.x > boxes[i].1.x + slit {
                break;
            }
            let apart =
                |d: usize| boxes[j].0[d] > boxes[i].1[d] + slit || boxes[i].0[d] > boxes[j].1[d] + slit;
            if !(0..3).any(apart) {
                neighbours[i].push(j);
                neighbours[j].push(i);
            }
        }
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    neighbours
}

/// A face of a neighbour at `pose`, if some of it is exposed and it comes within `slit` of a part.
fn beside(
    face: &FlatFace,
    exposure: &Exposure,
    pose: &Pose,
    (part, part_pose, slit): (&Solid, &Pose, f64),
) -> Option<NeighbourFace> {
    let pieces = match exposure {
        Exposure::Covered => return None,
        Exposure::Whole => std::slice::from_ref(&face.corners),
        Exposure::Pieces(pieces) => pieces.as_slice(),
    };
    let placed = |piece: &Vec<Vector3<f64>>| piece.iter().map(|p| pose.point(p)).collect::<Vec<_>>();
    let touches = |piece: &Vec<Vector3<f64>>| {
        let near =
            part.planes.iter().fold(piece.clone(), |left, (n, offset)| clipped(&left, n, offset + slit));
        !near.is_empty()
    };
    let pieces: Vec<_> = pieces.iter().map(placed).filter(touches).collect();
    let normal = part_pose.orientation.inverse() * (pose.orientation * face.normal);
    let back = |p: &Vector3<f64>| part_pose.orientation.inverse() * (p - part_pose.position);
    let pieces: Vec<Vec<_>> = pieces.iter().map(|piece| piece.iter().map(back).collect()).collect();
    let offset = normal.dot(pieces.first()?.first()?);
    Some(NeighbourFace { normal, offset, exposure: Exposure::Pieces(pieces) })
}

fn slit(a: &Shape, b: &Shape) -> f64 {
    let size = |shape: &Shape| shape.size().unwrap_or(f64::INFINITY);
    CLOSED_SLIT * size(a).min(size(b))
}

/// A flat face: its outer normal and its corners, counter-clockwise from outside, in the shape frame.
struct FlatFace {
    normal: Vector3<f64>,
    corners: Vec<Vector3<f64>>,
}

impl FlatFace {
    /// Whether an ellipsoid or a capsule holds the whole face at `pose`, but for a slit (m): all its corners.
    fn is_in(&self, pose: &Pose, (shape, of_shape): (&Shape, &Pose), slit: f64) -> bool {
        let holds = |point: &Vector3<f64>| {
            let place = of_shape.orientation.inverse() * (pose.point(point) - of_shape.position);
            match shape {
                Shape::Ellipsoid { semi_axes } => {
                    place.component_div(&semi_axes.add_scalar(slit)).norm() <= 1.0
                }
                Shape::Capsule { radius, half_length } => {
                    off_line(&place, *half_length).norm() <= radius + slit
                }
                _ => false,
            }
        };
        self.corners.iter().all(holds)
    }
}

fn faces_of(shape: &Shape) -> Box<dyn Iterator<Item = FlatFace> + '_> {
    match shape {
        Shape::Polytope(p) => Box::new(p.faces.iter().map(|face| FlatFace {
            normal: face.normal,
            corners: face.vertices.iter().map(|v| p.vertices[*v]).collect(),
        })),
        Shape::Cylinder { radius, half_length } => {
            Box::new([1.0, -1.0].into_iter().map(move |sign| FlatFace {
                normal: Vector3::z() * sign,
                corners: circle(*radius).map(|c| Vector3::new(c.x, sign * c.y, sign * half_length)).collect(),
            }))
        }
        Shape::Ellipsoid { .. } | Shape::Capsule { .. } | Shape::HalfSpace { .. } | Shape::Bore { .. } => {
            Box::new(std::iter::empty())
        }
    }
}

/// A point of a cap (shape frame), taken into the polygon that stands for its circle: one at the rim lies
/// outside.
pub fn within_cap(point: &Vector3<f64>, radius: f64) -> Vector3<f64> {
    let (inner, distance) = (radius * (PI / SIDES as f64).cos(), point.xy().norm());
    let part = if distance > inner { inner / distance } else { 1.0 };
    Vector3::new(point.x * part, point.y * part, point.z)
}

fn circle(radius: f64) -> impl Iterator<Item = Vector3<f64>> {
    (0..SIDES).map(move |k| {
        let (s, c) = (TAU * k as f64 / SIDES as f64).sin_cos();
        Vector3::new(radius * c, radius * s, 0.0)
    })
}

/// A convex part as planes { x : n·x ≤ offset } in the frame of the body.
struct Solid {
    planes: Vec<(Vector3<f64>, f64)>,
}

impl Solid {
    /// The planes of a shape; None for an ellipsoid or a capsule, which cover whole faces or none, and a
    /// bore. A cylinder is the prism around it.
    fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        let placed = |(n, offset): (Vector3<f64>, f64)| {
            let n = pose.orientation * n;
            (n, offset + n.dot(&pose.position))
        };
        let planes: Vec<_> = match shape {
            Shape::Ellipsoid { .. } | Shape::Capsule { .. } | Shape::Bore { .. } => return None,
            Shape::HalfSpace { normal, offset } => vec![placed((*normal, *offset))],
            Shape::Polytope(p) => p.faces.iter().map(|f| placed((f.normal, f.offset))).collect(),
            Shape::Cylinder { radius, half_length } => {
                let caps = [1.0, -1.0].map(|sign| (Vector3::z() * sign, *half_length));
                let turn = PI / SIDES as f64;
                let side = |c: Vector3<f64>| {
                    // Between the corners of the polygon that a cap is taken for.
                    let (s, k) = turn.sin_cos();
                    (Vector3::new(c.x * k - c.y * s, c.x * s + c.y * k, 0.0), *radius)
                };
                circle(1.0).map(side).chain(caps).map(placed).collect()
            }
        };
        Some(Self { planes })
    }
}

/// The part of a face that is exposed beside some solids, each with ε (m).
fn exposed_of(face: &FlatFace, pose: &Pose, near: &[(&Solid, f64)]) -> Exposure {
    let out = pose.orientation * face.normal;
    let mut pieces = vec![face.corners.iter().map(|c| pose.point(c)).collect::<Vec<_>>()];
    let mut is_cut = false;
    for (solid, slit) in near {
        // y + ε n in the solid: y in the solid shifted by −ε n.
        let planes = || solid.planes.iter().map(|(n, offset)| (*n, offset - slit * n.dot(&out)));
        let mut left = Vec::new();
        for piece in pieces {
            let mut inside = piece.clone();
            let mut outside = Vec::new();
            for (n, offset) in planes() {
                let beyond = clipped(&inside, &-n, -offset);
                // A sliver stays with what is inside: other planes cut pieces off both.
                if is_sliver(&beyond, *slit) {
                    continue;
                }
                outside.push(beyond);
                inside = clipped(&inside, &n, offset);
                if is_sliver(&inside, *slit) {
                    break;
                }
            }
            if !is_sliver(&inside, *slit) {
                is_cut = true;
                left.extend(outside);
            } else {
                left.push(piece);
            }
        }
        pieces = left;
    }
    match (is_cut, pieces.is_empty()) {
        (false, _) => Exposure::Whole,
        (true, true) => Exposure::Covered,
        (true, false) => {
            let back = |p: &Vector3<f64>| pose.orientation.inverse() * (p - pose.position);
            Exposure::Pieces(pieces.iter().map(|piece| piece.iter().map(back).collect()).collect())
        }
    }
}

/// The part of a convex polygon where n·x ≤ offset.
fn clipped(polygon: &[Vector3<f64>], n: &Vector3<f64>, offset: f64) -> Vec<Vector3<f64>> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (from, to) in sides(polygon) {
        let [low, high] = [from, to].map(|p| n.dot(p) - offset);
        if low <= 0.0 {
            kept.push(*from);
        }
        if low * high < 0.0 {
            kept.push(from + (to - from) * (low / (low - high)));
        }
    }
    kept
}

fn sides(polygon: &[Vector3<f64>]) -> impl Iterator<Item = (&Vector3<f64>, &Vector3<f64>)> {
    polygon.iter().zip(polygon.iter().cycle().skip(1))
}

/// Whether a polygon is a strip narrower than [`SLIVER`] ε, or nothing.
fn is_sliver(polygon: &[Vector3<f64>], slit: f64) -> bool {
    let around: f64 = sides(polygon).map(|(from, to)| (to - from).norm()).sum();
    area(polygon) <= 0.5 * SLIVER * slit * around
}

fn area(polygon: &[Vector3<f64>]) -> f64 {
    let Some(first) = polygon.first() else { return 0.0 };
    let fan = polygon.windows(2).map(|side| (side[0] - first).cross(&(side[1] - first)));
    0.5 * fan.sum::<Vector3<f64>>().norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Polytope;
    use nalgebra::UnitQuaternion;
    use std::sync::Arc;

    fn box_(half: [f64; 3]) -> Shape {
        Shape::Polytope(Arc::new(Polytope::box_(half.into())))
    }

    fn at(position: [f64; 3]) -> Pose {
        Pose { position: position.into(), orientation: UnitQuaternion::identity() }
    }

    /// Place of the face of a polytope that looks along a direction.
    fn face(shape: &Shape, n: Vector3<f64>) -> usize {
        let Shape::Polytope(p) = shape else { panic!("a polytope") };
        p.faces.iter().position(|f| f.normal.dot(&n) > 0.999).expect("a face")
    }

    #[test]
    fn halves_of_a_cube_share_one_face() {
        let half = box_([0.1, 0.2, 0.3]);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.5, 0.2));
        let whole = Pose { position: Vector3::new(1.0, 2.0, 3.0), orientation: turn };
        let poses = [-0.1, 0.1].map(|x| whole.compose(&at([x, 0.0, 0.0])));
        let found = exposures(&[(&half, &poses[0]), (&half, &poses[1])]);
        for (exposed, inner) in found.iter().zip([Vector3::x(), -Vector3::x()]) {
            // Four sides of the other half go on there.
            assert_eq!(exposed.beside.len(), 4);
            for (k, exposure) in exposed.faces.iter().enumerate() {
                let expected = if k == face(&half, inner) { Exposure::Covered } else { Exposure::Whole };
                assert_eq!(*exposure, expected, "{k}");
            }
        }
    }

    #[test]
    fn a_face_is_exposed_beside_what_stands_on_it() {
        let (floor, post) = (box_([1.0, 1.0, 0.1]), Shape::Cylinder { radius: 0.2, half_length: 0.5 });
        let poses = [at([0.0; 3]), at([0.3, 0.0, 0.6])];
        let found = exposures(&[(&floor, &poses[0]), (&post, &poses[1])]);
        let top = &found[0].faces[face(&floor, Vector3::z())];
        let Exposure::Pieces(pieces) = top else { panic!("{top:?}") };
        let left: f64 = pieces.iter().map(|piece| area(piece)).sum();
        assert!((left - (4.0 - PI * 0.04)).abs() < 1e-4, "{left}");
        let has = |x: f64, y: f64| top.has(&Vector3::z(), &Vector3::new(x, y, 0.1), 1e-6);
        assert!(!has(0.3, 0.0) && !has(0.49, 0.0) && !has(0.3, -0.19));
        assert!(has(0.51, 0.0) && has(0.3, 0.21) && has(-0.9, 0.9) && has(0.1 - 1e-3, 0.0));
        // The upper cap is free, the lower one stands on the floor.
        assert_eq!(found[1].faces, [Exposure::Whole, Exposure::Covered]);
    }

    /// The caps of a rod with round ends; a ball beside its axis, or too small, leaves them.
    #[test]
    fn balls_cover_the_faces_that_they_hold() {
        let rod = Shape::Cylinder { radius: 0.1, half_length: 0.2 };
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.5, 0.2));
        let whole = Pose { position: Vector3::new(1.0, 2.0, 3.0), orientation: turn };
        let faces = |radius: f64, place: [f64; 3]| {
            let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(radius) };
            exposures(&[(&rod, &whole), (&ball, &whole.compose(&at(place)))])[0].faces.clone()
        };
        assert_eq!(faces(0.1, [0.0, 0.0, 0.2]), [Exposure::Covered, Exposure::Whole]);
        assert_eq!(faces(0.11, [0.0, 0.009, -0.2]), [Exposure::Whole, Exposure::Covered]);
        for (radius, place) in
            [(0.1, [1e-4, 0.0, 0.2]), (0.0999, [0.0, 0.0, 0.2]), (0.11, [0.0, 0.011, -0.2])]
        {
            assert!(faces(radius, place).is_empty(), "{radius} {place:?}");
        }
        let (cube, egg) = (box_([0.1; 3]), Shape::Ellipsoid { semi_axes: Vector3::new(0.15, 0.15, 0.05) });
        let found = exposures(&[(&cube, &at([0.0; 3])), (&egg, &at([0.0, 0.0, 0.1]))]);
        let covered = found[0].faces.iter().map(|face| *face == Exposure::Covered).collect::<Vec<_>>();
        assert_eq!(covered.iter().filter(|is| **is).count(), 1);
        assert!(covered[face(&cube, Vector3::z())]);
    }

    #[test]
    fn parts_that_touch_along_an_edge_or_overlap_a_little() {
        let cube = box_([0.1; 3]);
        let diagonal = [at([0.0; 3]), at([0.2, 0.2, 0.0])];
        assert!(
            exposures(&[(&cube, &diagonal[0]), (&cube, &diagonal[1])]).iter().all(|e| e.faces.is_empty())
        );
        let stacked = [at([0.0; 3]), at([0.0, 0.0, 0.15])];
        let found = exposures(&[(&cube, &stacked[0]), (&cube, &stacked[1])]);
        assert_eq!(found[0].faces[face(&cube, Vector3::z())], Exposure::Covered);
        let apart = [at([0.0; 3]), at([0.0, 0.0, 0.2 + 1e-5])];
        assert!(exposures(&[(&cube, &apart[0]), (&cube, &apart[1])]).iter().all(|e| e.faces.is_empty()));
    }

    /// A prism of three sides that ends in one of six, whose edges are in one line: its sides go on below up
    /// to their corners.
    #[test]
    fn sides_are_exposed_up_to_edges_in_one_line() {
        let prism = |sides: usize, half: f64| {
            let at = |k: usize| (TAU * (k / 2) as f64 / sides as f64).sin_cos();
            let corners = (0..2 * sides).map(|k| {
                let (s, c) = at(k);
                Vector3::new(0.049 * c, 0.049 * s, if k % 2 == 0 { half } else { -half })
            });
            Polytope::hull(&corners.collect::<Vec<_>>()).expect("a hull").polytope
        };
        let (three, six) = (prism(3, 0.035), prism(6, 0.025));
        let shapes = [Shape::Polytope(Arc::new(three.clone())), Shape::Polytope(Arc::new(six))];
        let poses = [at([0.0; 3]), at([0.0, 0.0, 0.05])];
        let found = exposures(&[(&shapes[0], &poses[0]), (&shapes[1], &poses[1])]);
        for (face, exposure) in three.faces.iter().zip(&found[0].faces) {
            for corner in face.vertices.iter().map(|v| three.vertices[*v]) {
                assert_eq!(exposure.has(&face.normal, &corner, 1e-8), corner.z < 0.0, "{corner:?}");
            }
        }
    }
}
