//! Test whether a normal of a part is a normal of the union that the part belongs to.
//!
//! At a point of a part the faces of the union are those faces of the part, and of its neighbours, that no
//! other part covers at that point. The union has the normals between them, and no others: across a seam
//! between two parts in one plane that is the normal of the plane, though each part has an edge at the seam.

use crate::contact::feature::polytope;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{SEAM_TILT, SEAM_WIDTH};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Shape;
use signorini_geometry::exposure::{Exposed, Exposure, NeighbourFace, within_cap};

/// A corner is above a plane through a point if it is by this many times the distance at which the point
/// counts as one of a face.
pub const RISE: f64 = 4.0;
/// Depth along a face of a groove over the depth beyond it, for the deeper of the two in all grooves of 28°
/// and more: the cotangent of half their angle.
pub const GROOVE: f64 = 4.0;
/// Distance over the size of a part up to which a corner may be why a point beside it has a normal beyond
/// those of its own faces.
const CORNER_WITHIN: f64 = 2e-3;
/// Factor between the distances in which such a corner is looked for.
const WIDER: f64 = 10.0;
/// A normal leads on along a way where the cosine between them is above this.
const LEADS_ON: f64 = 1e-9;

/// How far off a face of a part a point counts as one of it (m).
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// Above or below the plane of the face.
    pub above: f64,
    /// Beyond the rim of what is exposed of a face of the part.
    pub beyond: f64,
}

impl Reach {
    /// A point this near (m) in every direction.
    pub fn of(near: f64) -> Self {
        Self { above: near, beyond: near }
    }

    /// Reach of a point of a part.
    pub fn of_point(part: &Placed<'_>) -> Self {
        Self::of(SEAM_WIDTH * part.model.size)
    }

    /// Reach of a point that is `gap` (m) above a face of a part. A corner that is too deep in two faces of a
    /// groove is past the rims of both, and would be free of both: while it is deep in one it may be past the
    /// rim by [`GROOVE`] times that.
    pub fn of_gap(part: &Placed<'_>, gap: f64) -> Self {
        let point = Self::of_point(part);
        Self { beyond: point.beyond.max(-GROOVE * gap), ..point }
    }
}

/// Whether the union has the outer normal `out` of a part (world axes), to within an angle, at a point given
/// as its arm.
pub fn has_normal(part: &Placed<'_>, out: &Vector3<f64>, arm: &Vector3<f64>, tilt: f64) -> bool {
    has_normal_near(part, (out, arm), tilt, Reach::of_point(part))
}

/// Whether the union has a normal at a point, as [`has_normal`] says, that counts as one of faces within a
/// reach.
pub fn has_normal_near(
    part: &Placed<'_>,
    (out, arm): (&Vector3<f64>, &Vector3<f64>),
    tilt: f64,
    reach: Reach,
) -> bool {
    let Exposed { faces: exposures, beside } = &part.model.exposed;
    if exposures.is_empty() {
        return true;
    }
    let to_shape = part.moved.shape_rotation.transpose();
    let (n, point) = (to_shape * out, to_shape * (arm - part.moved.shape_origin));
    let (mut faces, reach) = FacesAt::with(part, (&n, &point), tilt, reach);
    let near = reach.above;
    // Where no other part covers any of its faces, the part is as if it were alone: a normal beyond those of
    // its faces is not due to a neighbour.
    if faces.covered.is_empty() {
        return true;
    }
    // Where its neighbours go on, the union has the normals between their faces and those of the part.
    let touching = |face: &&NeighbourFace| {
        let height = face.normal.dot(&point) - face.offset;
        height.abs() <= near && face.exposure.has(&face.normal, &point, near)
    };
    let touching: Vec<&NeighbourFace> = beside.iter().filter(touching).collect();
    touching.iter().for_each(|face| faces.add_exposed(face.normal));
    if is_between(&n, &faces.exposed, SEAM_TILT) {
        return true;
    }
    if tilt <= SEAM_TILT || !is_between(&n, &faces.exposed, tilt) {
        return false;
    }
    // Where a face of the union rises above the plane of another, as in a groove, no face of the other body
    // lies across.
    let is_below = |corner: &Vector3<f64>, plane: &Vector3<f64>| plane.dot(&(corner - point)) <= RISE * near;
    let own = polytope(part).map_or(&[][..], |p| &p.vertices);
    faces.exposed.retain(|plane| {
        own.iter().all(|corner| is_below(corner, plane))
            && touching.iter().all(|face| face.corners_at(&point, near).all(|c| is_below(c, plane)))
    });
    is_between(&n, &faces.exposed, tilt)
}

/// Outer normals of the faces that a point lies on.
#[derive(Debug, Default)]
struct FacesAt {
    /// Normals of the faces that are exposed at the point.
    exposed: Vec<Vector3<f64>>,
    /// Normals of the faces of the part that another part covers at the point.
    covered: Vec<Vector3<f64>>,
}

impl FacesAt {
    /// The faces of a part at a point, and how far off they are counted. A normal that they do not have is
    /// due to a corner nearby: a point that an edge has where it crosses the rim of a face comes so near to
    /// one, and those of the corner are its faces.
    fn with(
        part: &Placed<'_>,
        (n, point): (&Vector3<f64>, &Vector3<f64>),
        tilt: f64,
        mut reach: Reach,
    ) -> (Self, Reach) {
        let at = |reach: Reach| {
            let mut faces = Self::default();
            faces.add_own(part, &part.model.exposed.faces, point, reach);
            faces
        };
        let alone = at(reach);
        if !alone.covered.is_empty() || polytope(part).is_none() || is_between(n, &alone.exposed, tilt) {
            return (alone, reach);
        }
        let near = reach;
        while reach.above < CORNER_WITHIN * part.model.size {
            reach = Reach { above: WIDER * reach.above, beyond: reach.beyond.max(WIDER * reach.above) };
            let faces = at(reach);
            if faces.have(n, tilt) {
                return (faces, reach);
            }
        }
        (alone, near)
    }

    /// Whether a unit vector is between the normals of all of the faces, to within an angle.
    fn have(&self, n: &Vector3<f64>, tilt: f64) -> bool {
        is_between(n, &[&self.exposed[..], &self.covered].concat(), tilt)
    }

    /// Adds the part's own faces.
    fn add_own(&mut self, part: &Placed<'_>, exposures: &[Exposure], point: &Vector3<f64>, reach: Reach) {
        let mut see = |normal: Vector3<f64>, height: f64, exposure: Option<(&Exposure, &Vector3<f64>)>| {
            if height.abs() > reach.above {
                return;
            }
            if exposure.is_none_or(|(exposure, at)| exposure.has(&normal, at, reach.beyond)) {
                self.add_exposed(normal);
            } else {
                self.covered.push(normal);
            }
        };
        match &part.model.shape {
            Shape::Polytope(p) => {
                for (face, exposure) in p.faces.iter().zip(exposures) {
                    see(face.normal, face.normal.dot(point) - face.offset, Some((exposure, point)));
                }
            }
            Shape::Cylinder { radius, half_length } => {
                let at = within_cap(point, *radius);
                for (sign, exposure) in [1.0, -1.0].into_iter().zip(exposures) {
                    see(Vector3::z() * sign, sign * point.z - half_length, Some((exposure, &at)));
                }
                let across = Vector3::new(point.x, point.y, 0.0);
                if let Some(normal) = across.try_normalize(reach.above) {
                    see(normal, across.norm() - radius, None);
                }
            }
            Shape::Ellipsoid { .. }
            | Shape::Capsule { .. }
            | Shape::HalfSpace { .. }
            | Shape::Bore { .. } => {}
        }
    }

    fn add_exposed(&mut self, normal: Vector3<f64>) {
        if !self.exposed.iter().any(|known| (known - normal).norm() < SEAM_TILT) {
            self.exposed.push(normal);
        }
    }
}

/// Whether a unit vector is, to within an angle, a sum of some normals with weights that are not negative.
/// The way from the nearest such sum is followed to the next normal that leads on along it, so that a corner
/// where many faces meet costs no more than a few looks at each.
fn is_between(n: &Vector3<f64>, normals: &[Vector3<f64>], tilt: f64) -> bool {
    let mut nearest = Nearest { sum: Vector3::zeros(), of: [None; 2] };
    loop {
        let way = n - nearest.sum;
        if way.norm() <= tilt {
            return true;
        }
        let on = normals.iter().map(|a| (a.dot(&way), a)).max_by(|p, q| p.0.total_cmp(&q.0));
        let Some((_, next)) = on.filter(|(along, _)| *along > LEADS_ON * way.norm()) else { return false };
        if let [Some(a), Some(b)] = nearest.of
            && is_between_three(n, [&a, &b, next])
        {
            return true;
        }
        let [a, b] = nearest.of;
        let sums = [Nearest::of_one(n, next)]
            .into_iter()
            .chain([a, b].into_iter().flatten().map(|known| Nearest::of_two(n, known, *next)));
        let distance = |one: &Nearest| (n - one.sum).norm();
        let better = sums.min_by(|p, q| distance(p).total_cmp(&distance(q)));
        match better.filter(|better| distance(better) < way.norm()) {
            Some(better) => nearest = better,
            None => return false,
        }
    }
}

/// Whether a vector is a sum of three normals with weights that are not negative.
fn is_between_three(n: &Vector3<f64>, [a, b, c]: [&Vector3<f64>; 3]) -> bool {
    let weights = Matrix3::from_columns(&[*a, *b, *c]).try_inverse().map(|inverse| inverse * n);
    weights.is_some_and(|w| w.min() >= -SEAM_TILT)
}

/// A sum of at most two normals with weights that are not negative.
struct Nearest {
    sum: Vector3<f64>,
    of: [Option<Vector3<f64>>; 2],
}

impl Nearest {
    /// The multiple of a normal that is nearest to a unit vector.
    fn of_one(n: &Vector3<f64>, a: &Vector3<f64>) -> Self {
        Self { sum: a * n.dot(a).max(0.0), of: [Some(*a), None] }
    }

    /// The sum of two normals that is nearest to a unit vector.
    fn of_two(n: &Vector3<f64>, a: Vector3<f64>, b: Vector3<f64>) -> Self {
        let (c, along_a, along_b) = (a.dot(&b), n.dot(&a), n.dot(&b));
        let area = 1.0 - c * c;
        let (u, v) = ((along_a - c * along_b) / area, (along_b - c * along_a) / area);
        if u > 0.0 && v > 0.0 {
            Self { sum: a * u + b * v, of: [Some(a), Some(b)] }
        } else if along_a > along_b {
            Self::of_one(n, &a)
        } else {
            Self::of_one(n, &b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;
    use signorini_geometry::exposure::exposures;
    use signorini_geometry::{Polytope, Pose};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    /// Two tiles in one plane, and a post on the second.
    fn parts() -> [Part; 3] {
        let box_ = |half: [f64; 3], at: [f64; 3]| {
            let pose = Pose { position: at.into(), orientation: UnitQuaternion::identity() };
            Part { pose, ..Part::new(Shape::Polytope(Arc::new(Polytope::box_(half.into())))) }
        };
        [
            box_([0.5, 0.5, 0.1], [-0.5, 0.0, -0.1]),
            box_([0.5, 0.5, 0.1], [0.5, 0.0, -0.1]),
            box_([0.1, 0.5, 0.2], [0.6, 0.0, 0.2]),
        ]
    }

    #[test]
    fn a_seam_has_the_normal_of_the_plane_and_a_free_edge_all_of_its_normals() {
        let parts = parts();
        let found = exposures(&parts.each_ref().map(|part| (&part.shape, &part.pose)));
        let turn = Pose {
            position: Vector3::new(1.0, 2.0, 3.0),
            orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -0.3, 0.8)),
        };
        let has = |k: usize, out: [f64; 3], at: [f64; 3]| {
            let model = PartModel { exposed: found[k].clone(), ..PartModel::new(0, k, &parts[k]) };
            let moved = MovedPart::new(&model, &turn);
            let (out, arm) = (turn.orientation * Vector3::from(out), turn.orientation * Vector3::from(at));
            has_normal(&Placed::new(&model, &moved), &out.normalize(), &arm, SEAM_TILT)
        };
        let (up, seam) = ([0.0, 0.0, 1.0], [0.0, 0.2, 0.0]);
        assert!(has(0, up, seam) && has(1, up, seam));
        // Neither the shared face nor the edge is one of the union.
        assert!(!has(0, [1.0, 0.0, 0.0], [0.0, 0.2, -0.1]) && !has(1, [-1.0, 0.0, 0.0], seam));
        assert!(!has(1, [-0.1, 0.0, 1.0], seam) && !has(0, [1e-4, 0.0, 1.0], seam));
        assert!(has(0, [1e-9, 0.0, 1.0], seam));
        // The rim of the floor has an edge, and an edge across the seam where the seam meets it.
        assert!(has(0, [-0.3, 0.0, 1.0], [-1.0, 0.2, 0.0]) && has(0, [-1.0, 0.5, 0.3], [-1.0, 0.5, 0.0]));
        assert!(has(1, [0.0, 0.3, 1.0], [0.0, 0.5, 0.0]) && !has(1, [-0.1, 0.3, 1.0], [0.0, 0.5, 0.0]));
        // The post is active at its foot along its side, the floor beside it and not under it.
        assert!(has(2, [-1.0, 0.0, 0.0], [0.5, 0.1, 0.0]) && !has(2, [0.0, 0.0, -1.0], [0.5, 0.1, 0.0]));
        assert!(!has(2, [-1.0, 0.0, -0.1], [0.5, 0.1, 0.0]));
        assert!(has(1, up, [0.3, 0.1, 0.0]) && has(1, up, [0.5, 0.1, 0.0]) && !has(1, up, [0.6, 0.1, 0.0]));
        // Just over the foot of an edge a normal beyond those of the edge is due to the foot, and just beside
        // a free corner to that corner.
        let (over_foot, at_rim) = ([0.5, 0.5, 1e-5], [1.0 - 1e-5, -0.5, 0.0]);
        assert!(has(2, [-1.0, 1.0, 0.0], over_foot) && !has(2, [-1.0, 1.0, -1.0], over_foot));
        assert!(has(1, [0.0, -1.0, 1.0], at_rim) && has(1, [1.0, -1.0, 1.0], at_rim));
    }

    /// The test of a few looks finds what the test of all sums of one, two and three normals finds: beside
    /// corners where up to a hundred faces meet, and within and beyond a tilt.
    #[test]
    fn a_normal_between_many_is_found_as_among_all_threes() {
        let of_all = |n: &Vector3<f64>, normals: &[Vector3<f64>], tilt: f64| {
            let near = |one: &Nearest| (n - one.sum).norm() <= tilt;
            let k = normals.len();
            (0..k).any(|i| {
                near(&Nearest::of_one(n, &normals[i]))
                    || (0..i).any(|j| {
                        near(&Nearest::of_two(n, normals[i], normals[j]))
                            || (0..j).any(|l| is_between_three(n, [&normals[i], &normals[j], &normals[l]]))
                    })
            })
        };
        let (mut random, mut found) = (Pcg64Mcg::seed_from_u64(5), [0; 2]);
        for round in 0..400 {
            let (count, spread) = ([1, 2, 3, 8, 30, 100][round % 6], [0.02, 0.3, 2.0, 6.0][round / 6 % 4]);
            let mut number = || spread * random.random_range(-0.5..0.5);
            let mut around = || Vector3::new(number(), number(), 1.0).normalize();
            let normals: Vec<_> = (0..count).map(|_| around()).collect();
            for k in 0..20 {
                let n = if k % 5 == 0 { normals[k % count] } else { around() };
                for tilt in [SEAM_TILT, 0.01, 0.2] {
                    let is = is_between(&n, &normals, tilt);
                    assert_eq!(is, of_all(&n, &normals, tilt), "{n:?} {tilt} of {normals:?}");
                    found[usize::from(is)] += 1;
                }
            }
        }
        assert!(found.iter().all(|count| *count > 3000), "{found:?}");
    }

    /// A bolt: the rim of its head has the normals between side and cap all around, though the shank covers
    /// the middle of the cap; where the shank is as thick as the head there is no rim.
    #[test]
    fn a_rim_has_its_normals_all_around_the_head_of_a_bolt() {
        let cylinder = |radius: f64, half_length: f64, z: f64| {
            let pose = Pose { position: Vector3::z() * z, orientation: UnitQuaternion::identity() };
            Part { pose, ..Part::new(Shape::Cylinder { radius, half_length }) }
        };
        for (shank, is_rim) in [(0.01, true), (0.02, false)] {
            let parts = [cylinder(0.02, 0.006, 0.0), cylinder(shank, 0.025, 0.031)];
            let found = exposures(&parts.each_ref().map(|part| (&part.shape, &part.pose)));
            let model = PartModel { exposed: found[0].clone(), ..PartModel::new(0, 0, &parts[0]) };
            let moved = MovedPart::new(&model, &Pose::identity());
            let head = Placed::new(&model, &moved);
            for k in 0..1000 {
                let (s, c) = (0.002 * std::f64::consts::PI * f64::from(k)).sin_cos();
                let (out, arm) =
                    (Vector3::new(c, s, 1.0).normalize(), Vector3::new(0.02 * c, 0.02 * s, 0.006));
                assert_eq!(has_normal(&head, &out, &arm, SEAM_TILT), is_rim, "shank {shank}, place {k}");
            }
        }
    }

    /// A wedge with these corners (x, z) and its mirror image, mitred along a vertical plane. The closure
    /// tells whether the union has a normal of part k at a place along the edge, to within an angle.
    fn mitred(half: [[f64; 2]; 3]) -> impl Fn(usize, [f64; 3], f64, f64) -> bool {
        let wedge = |sign: f64| {
            let ends = half.map(|[x, z]| [-1.0, 1.0].map(|y| Vector3::new(sign * x, y, z)));
            let hull = Polytope::hull(&ends.concat()).expect("a wedge");
            let pose = Pose { position: hull.center_of_mass, orientation: UnitQuaternion::identity() };
            Part { pose, ..Part::new(Shape::Polytope(Arc::new(hull.polytope))) }
        };
        let parts = [wedge(-1.0), wedge(1.0)];
        let found = exposures(&parts.each_ref().map(|part| (&part.shape, &part.pose)));
        move |k, out, y, tilt| {
            let model = PartModel { exposed: found[k].clone(), ..PartModel::new(0, k, &parts[k]) };
            let moved = MovedPart::new(&model, &Pose::identity());
            let out = Vector3::from(out).normalize();
            has_normal(&Placed::new(&model, &moved), &out, &Vector3::new(0.0, y, 0.0), tilt)
        }
    }

    /// A ridge has the normals between its sides, and a face may lean over it.
    #[test]
    fn a_mitred_ridge_has_the_normals_between_its_sides() {
        let has = mitred([[0.0, -1.0], [0.0, 0.0], [1.0, -1.0]]);
        for k in [0, 1] {
            for out in [[0.0, 0.0, 1.0], [0.5, 0.0, 1.0], [-0.9, 0.0, 1.0]] {
                assert!(has(k, out, 0.3, SEAM_TILT));
            }
            for out in [[1.1, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 0.1, 1.0]] {
                assert!(!has(k, out, 0.3, SEAM_TILT));
            }
            assert!(has(k, [1.1, 0.0, 1.0], 0.3, 0.2));
        }
    }

    /// A groove has the normals of its sides, and nothing leans over it, except over its end.
    #[test]
    fn a_mitred_groove_has_the_normals_of_its_sides() {
        let has = mitred([[0.0, -1.0], [0.0, 0.0], [1.0, 1.0]]);
        for k in [0, 1] {
            let at_middle = |out, tilt| has(k, out, 0.3, tilt);
            assert!(at_middle([1.0, 0.0, 1.0], SEAM_TILT) && at_middle([-1.0, 0.0, 1.0], SEAM_TILT));
            assert!(!at_middle([1.1, 0.0, 1.0], 0.2) && !at_middle([-1.1, 0.0, 1.0], 0.2));
            assert!(has(k, [0.0, 1.0, 0.0], 1.0, SEAM_TILT) && !has(k, [0.1, 1.0, 0.0], 1.0, SEAM_TILT));
            assert!(has(k, [0.1, 1.0, 0.0], 1.0, 0.2) && has(k, [-0.1, 1.0, 0.0], 1.0, 0.2));
        }
    }

    /// A corner that is too deep in both sides of a groove is stopped by one of them, be it past both rims.
    #[test]
    fn a_corner_deep_in_two_sides_of_a_groove_is_stopped_by_one() {
        for opening in [30.0_f64, 60.0, 90.0, 144.0, 175.0] {
            let (sin, cos) = (0.5 * opening.to_radians()).sin_cos();
            let normals = [1.0, -1.0].map(|sign| Vector3::new(sign * cos, 0.0, sin));
            let slab = |n: Vector3<f64>| {
                let turn = UnitQuaternion::rotation_between(&Vector3::z(), &n).expect("not down");
                let pose = Pose { position: -0.1 * n, orientation: turn };
                let shape = Polytope::box_(Vector3::new(1.0, 1.0, 0.1));
                Part { pose, ..Part::new(Shape::Polytope(Arc::new(shape))) }
            };
            let parts = normals.map(slab);
            let found = exposures(&parts.each_ref().map(|part| (&part.shape, &part.pose)));
            for depths in [[1e-5, 1e-3], [1e-4, 9e-5], [1e-3, 1e-3], [1e-2, 1e-7]] {
                let [d, e] = depths;
                let corner = Vector3::new((e - d) / (2.0 * cos), 0.0, -(d + e) / (2.0 * sin));
                let stops = [0, 1].map(|k| {
                    let model = PartModel { exposed: found[k].clone(), ..PartModel::new(0, k, &parts[k]) };
                    let moved = MovedPart::new(&model, &Pose::identity());
                    let part = Placed::new(&model, &moved);
                    let at = (&normals[k], &(corner + depths[k] * normals[k]));
                    has_normal_near(&part, at, SEAM_TILT, Reach::of_gap(&part, -depths[k]))
                });
                assert!(stops[0] || stops[1], "{opening}° at {depths:?}");
            }
        }
    }
}
