//! Test of the normal of a loaded contact against the body that its part belongs to: a union.
//!
//! At a point x of a union the force of a contact is a sum of pushes along the normals of faces that begin
//! there: of all parts that hold x, the faces of which some of the points nearby are in no other part. A side
//! that another part covers is none of them, and a normal that leans over a seam between two parts in one
//! plane is no sum of them.

use super::gap::signed_gap;
use super::normal_cone::{check_point, distance, foot, gradients_at, nearest_in_cone};
use super::part_boxes::PartBoxes;
use super::part_in_step::PartInStep;
use super::placed::PlacedShape;
use nalgebra::Vector3;
use std::f64::consts::TAU;
use std::sync::OnceLock;

/// How far from the point another one has the same normal at most, over the size of the part.
const NEARBY: f64 = 4e-3;
/// A face belongs to a point that is no farther from it, over the size of the part.
const WITHIN: f64 = 1e-2;
/// Width of a slit between two parts that counts as closed, over the size of the smaller one (theory §3.12).
const CLOSED_SLIT: f64 = 1e-6;
/// Height over a face at which a point is out of the part, in widths to which places are known.
const ABOVE: f64 = 4.0;
/// Bounds of the angle (rad) up to which a constraint has no part in a normal.
const LEAST_TILT: f64 = 1e-6;
const MOST_TILT: f64 = 0.1;
/// Directions in which one is looked for, besides those of edges.
const DIRECTIONS: usize = 16;
/// Part of its size by which boxes of parts grow, so that all parts that touch another are found.
const GROWN: f64 = 1e-3;

/// Parts of a body that touch each of them. A surface has very many, of which few carry a load: each is asked
/// when a contact comes to it.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Boxes of the parts where the first was asked.
    boxes: PartBoxes,
    /// Neighbours of each part.
    of: Vec<OnceLock<Vec<u32>>>,
}

impl Neighbours {
    /// None is known yet among the parts of a body.
    pub fn new(parts: &[PartInStep]) -> Self {
        let largest = parts.iter().map(|part| part.size).filter(|size| size.is_finite());
        let mut boxes = PartBoxes::default();
        boxes.follow((parts, None), GROWN * largest.fold(0.0, f64::max));
        Self { boxes, of: vec![OnceLock::new(); parts.len()] }
    }

    fn of_part<'a>(&'a self, parts: &'a [PartInStep], k: usize) -> impl Iterator<Item = &'a PartInStep> {
        let find = || {
            let touch = |l: &usize| *l != k && touch(&parts[k], &parts[*l]);
            self.boxes.near(self.boxes.part(k)).filter(touch).map(|l| l as u32).collect()
        };
        self.of[k].get_or_init(find).iter().map(|l| &parts[*l as usize])
    }
}

/// Whether two parts of a body touch: a slit between them that is wider is one of the body.
fn touch(a: &PartInStep, b: &PartInStep) -> bool {
    signed_gap(&a.placed, &b.placed, None).0 <= CLOSED_SLIT * a.size.min(b.size)
}

/// Angle (rad) between the outer unit normal of part `k` at a point (m) and the normals of the union of all
/// parts of its body there, beyond what places known to `loose` (m) explain.
pub fn seam_fault(
    (parts, neighbours): (&[PartInStep], &Neighbours),
    k: usize,
    at: (&Vector3<f64>, &Vector3<f64>),
    loose: f64,
) -> f64 {
    let part = &parts[k];
    if !part.size.is_finite() {
        return 0.0;
    }
    let (step, explained) = (NEARBY * part.size, 2.0 * loose / part.size);
    let tilt = explained.clamp(LEAST_TILT, MOST_TILT);
    let foot = foot(&part.placed, at, loose.min(WITHIN * part.size), tilt);
    let is_near = |other: &&PartInStep| {
        let far = other.placed.center().map_or(0.0, |center| (foot - center).norm());
        far <= other.placed.radius() + 2.0 * step
    };
    let others: Vec<&PartInStep> = neighbours.of_part(parts, k).filter(is_near).collect();
    // Where the normal is one of all parts that hold the point, it is one of their union.
    let slack = CLOSED_SLIT * part.size;
    let holding: Vec<&PartInStep> =
        others.iter().copied().filter(|other| distance(&other.placed, &foot) <= 2.0 * slack).collect();
    let tilt = |other: &&PartInStep| check_point(&other.placed, &foot, at.1, slack, other.size).tilt;
    if holding.iter().map(tilt).fold(0.0, f64::max) <= explained {
        return 0.0;
    }
    let all: Vec<&PartInStep> = others.iter().copied().chain([part]).collect();
    let mut normals = Vec::new();
    for of in holding.into_iter().chain([part]) {
        let face = Faces { of, all: &all, at: &foot, step, slack };
        normals.extend(face.exposed());
    }
    let (_, tilt) = nearest_in_cone(at.1, normals.len(), |i| normals.get(i).copied());
    (tilt - explained).max(0.0)
}

/// The faces of one part of a union that begin at a point.
struct Faces<'a> {
    of: &'a PartInStep,
    /// The part, and those that touch it.
    all: &'a [&'a PartInStep],
    at: &'a Vector3<f64>,
    step: f64,
    slack: f64,
}

impl Faces<'_> {
    /// Outer normals of those that are faces of the union.
    fn exposed(&self) -> Vec<Vector3<f64>> {
        let normals = gradients_at(&self.of.placed, self.at, self.slack);
        let edge = |a: &Vector3<f64>, b: &Vector3<f64>| a.cross(b).try_normalize(f64::EPSILON.sqrt());
        let is_exposed = |n: &Vector3<f64>| {
            // Along the edges of a narrow face there are points of it where there are none in between.
            let edges: Vec<_> = normals.iter().filter_map(|m| edge(n, m)).collect();
            around(n, edges).any(|way| self.is_exposed_at(n, &(self.at + way * self.step)))
        };
        normals.iter().filter(|n| is_exposed(n)).copied().collect()
    }

    /// Whether a point beside one with the normal n is on the surface of the part, and out of all others.
    fn is_exposed_at(&self, n: &Vector3<f64>, point: &Vector3<f64>) -> bool {
        // A round part curves away from its tangents.
        let slack = self.slack + curvature(&self.of.placed) * self.step.powi(2);
        let outside = point + n * (ABOVE * slack);
        distance(&self.of.placed, point).abs() <= 2.0 * slack
            && self.all.iter().all(|other| distance(&other.placed, &outside) >= slack)
    }
}

/// Directions across a normal, all around, and both ways along edges.
fn around(n: &Vector3<f64>, edges: Vec<Vector3<f64>>) -> impl Iterator<Item = Vector3<f64>> {
    let across = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize();
    let along = n.cross(&across);
    let turned = (0..DIRECTIONS).map(move |i| {
        let (s, c) = (TAU * i as f64 / DIRECTIONS as f64).sin_cos();
        across * c + along * s
    });
    turned.chain(edges.into_iter().flat_map(|edge| [edge, -edge]))
}

/// Largest normal curvature (1/m): max a / (min a)² of an ellipsoid.
fn curvature(placed: &PlacedShape) -> f64 {
    match placed {
        PlacedShape::Ellipsoid(e) => e.semi_axes.max() / e.semi_axes.min().powi(2),
        PlacedShape::Cylinder(c) | PlacedShape::Capsule(c) => 1.0 / c.radius,
        PlacedShape::Polytope(_) | PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::bodies;
    use signorini_scene::scene::{self, LoadOptions};
    use std::path::Path;

    /// The normals (angle to those of the union) of parts of a body, at places of it.
    fn faults(parts: &str) -> impl Fn(usize, [f64; 3], [f64; 3]) -> f64 + use<> {
        let text = format!(
            "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"union\"\nfixed = true\n\
             position = [3, 2, 1]\norientation = [0.8, 0, 0.6, 0]\nparts = [{parts}]\n[[body]]\nname = \"ball\"\nmass \
             = 1\nposition = [0, 0, 40]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n"
        );
        let scene = scene::parse(&text, Path::new("union"), &LoadOptions::default()).expect("a scene").scene;
        let mut bodies = bodies::prepare(&scene);
        let state = scene.initial_state();
        bodies::place(&mut bodies, &scene, &state, &state);
        move |k, at, out| {
            let pose = &state.poses[0];
            let n = pose.orientation * Vector3::from(out).normalize();
            let of_union = (&bodies[0].parts[..], bodies[0].neighbours());
            seam_fault(of_union, k, (&pose.point(&at.into()), &n), 1e-9)
        }
    }

    fn box_(half: [f64; 3], at: [f64; 3]) -> String {
        format!("{{ shape = {{ type = \"box\", half_extents = {half:?} }}, position = {at:?} }},")
    }

    /// Two tiles in one plane, and a post on the second.
    #[test]
    fn seams_have_the_normals_of_the_union() {
        let fault = faults(
            &[
                box_([0.5, 0.5, 0.1], [-0.5, 0.0, -0.1]),
                box_([0.5, 0.5, 0.1], [0.5, 0.0, -0.1]),
                box_([0.1, 0.5, 0.2], [0.6, 0.0, 0.2]),
            ]
            .concat(),
        );
        let up = [0.0, 0.0, 1.0];
        let right = [
            // In one plane, at the seam and beside it; at the end of the seam over the edge.
            (0, [0.0, 0.2, 0.0], up),
            (1, [0.0, 0.2, 0.0], up),
            (0, [-0.4, 0.2, 0.0], up),
            (0, [0.0, 0.5, 0.0], [0.0, 0.6, 0.8]),
            (1, [1.0, 0.1, 0.0], [0.5, 0.0, 0.2]),
            // In the groove along the post: either side, and a push on both.
            (2, [0.5, 0.1, 0.0], [-1.0, 0.0, 0.0]),
            (1, [0.5, 0.1, 0.0], up),
            (1, [0.5, 0.1, 0.0], [-0.6, 0.0, 0.8]),
            // The edge of the post, down to its foot.
            (2, [0.5, 0.5, 0.0], [-0.6, 0.8, 0.0]),
            (2, [0.5, 0.5, 0.3], [-0.6, 0.8, 0.0]),
        ];
        for (k, at, out) in right {
            assert!(fault(k, at, out) < 1e-6, "part {k} at {at:?}, {out:?}: {}", fault(k, at, out));
        }
        let wrong = [
            // Over the seam, and on the sides that the tiles share.
            (0, [0.0, 0.2, 0.0], [0.1, 0.0, 1.0], 0.0995),
            (1, [0.0, 0.2, 0.0], [-0.1, 0.0, 1.0], 0.0995),
            (0, [0.0, 0.2, -0.1], [1.0, 0.0, 0.0], 1.0),
            (1, [0.0, 0.5, 0.0], [-0.3, 0.6, 0.8], 0.287),
            // Under the post, and into the floor at its foot.
            (1, [0.6, 0.1, 0.0], up, 1.0),
            (2, [0.6, 0.1, 0.0], [0.0, 0.0, -1.0], 1.0),
            (2, [0.5, 0.1, 0.0], [-0.8, 0.0, -0.6], 0.6),
        ];
        for (k, at, out, angle) in wrong {
            assert!((fault(k, at, out) - angle).abs() < 1e-3, "part {k} at {at:?}: {}", fault(k, at, out));
        }
    }

    /// A rod with round ends, and one of two balls.
    #[test]
    fn round_parts_meet_smoothly_and_in_a_neck() {
        let rod = faults(
            "{ shape = { type = \"cylinder\", radius = 0.1, length = 0.4 } },\
             { shape = { type = \"sphere\", radius = 0.1 }, position = [0, 0, 0.2] }",
        );
        assert!(
            rod(0, [0.1, 0.0, 0.2], [1.0, 0.0, 0.0]) < 1e-6
                && rod(1, [0.1, 0.0, 0.2], [1.0, 0.0, 0.0]) < 1e-6
        );
        assert!(rod(1, [0.06, 0.0, 0.28], [0.6, 0.0, 0.8]) < 1e-6);
        assert!(
            rod(0, [0.1, 0.0, 0.2], [0.8, 0.0, 0.6]) > 0.5
                && rod(0, [0.1, 0.0, -0.2], [0.8, 0.0, -0.6]) < 1e-6
        );
        let balls = faults(
            "{ shape = { type = \"sphere\", radius = 0.1 }, position = [0, 0, -0.06] },\
             { shape = { type = \"sphere\", radius = 0.1 }, position = [0, 0, 0.06] }",
        );
        for (k, z) in [(0, 0.06), (1, -0.06)] {
            assert!(balls(k, [0.08, 0.0, 0.0], [0.08, 0.0, z]) < 1e-6, "{k}");
            assert!(balls(k, [0.0, 0.0, if k == 0 { 0.04 } else { -0.04 }], [0.0, 0.0, z]) > 0.9, "{k}");
        }
    }
}
