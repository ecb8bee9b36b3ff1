//! Picture of a body in a pose, in flat faces: it stays sharp in an SVG of any size.

use crate::output::plots::chart::{Colour, Drawing, Mark};
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::{Polytope, Shape};
use signorini_scene::scene::{Body, Part};
use std::f64::consts::{PI, TAU};

/// Direction in which the eye is; z is up in the picture.
const EYE: [f64; 3] = [0.35, -1.0, 0.42];
/// Direction of the light's source.
const LIGHT: [f64; 3] = [-0.5, -0.55, 0.9];
/// Brightness of a face that the light misses.
const AMBIENT: f64 = 0.5;
/// Colour of the body, red, green and blue up to 255.
const BODY: [f64; 3] = [96.0, 178.0, 228.0];
const SHADE: Colour = Colour(225, 225, 225);
const EDGE: Colour = Colour(40, 60, 75);
/// Number of sides of a round part (a multiple of four).
const SIDES: usize = 28;
/// Number of turns about the vertical that are tried: the body lies along the picture.
const TURNS: usize = 16;
/// Cosine of the angle from which faces bend enough to have an edge between them (30°).
const EDGE_COSINE: f64 = 0.866;
/// Width of lines (pixels).
const LINE: f64 = 0.8;
/// Share of the picture's width that the ball about the body takes, and of its height above the ground.
const FILL: f64 = 0.86;
const GROUND: f64 = 0.87;

/// A flat face, corners in order.
struct FlatFace {
    corners: Vec<Vector3<f64>>,
    normal: Vector3<f64>,
}

/// A convex part as flat faces, with the edges at which two of them bend.
#[derive(Default)]
struct FlatPart {
    faces: Vec<FlatFace>,
    edges: Vec<([Vector3<f64>; 2], [usize; 2])>,
}

/// A view of a body on the ground.
struct View {
    turn: UnitQuaternion<f64>,
    right: Vector3<f64>,
    up: Vector3<f64>,
    eye: Vector3<f64>,
    /// Height of the ground (m).
    ground: f64,
    /// Pixels per metre.
    scale: f64,
    size: f64,
}

/// Draws a body at rest on level ground, `down` of its axes below, in a square of so many pixels.
pub fn portrait(body: &Body, down: &Vector3<f64>, size: u32) -> Drawing {
    let parts: Vec<FlatPart> = body.parts.iter().map(flat).collect();
    let corners: Vec<&Vector3<f64>> =
        parts.iter().flat_map(|part| &part.faces).flat_map(|face| &face.corners).collect();
    let view = View::of(&corners, down, body.bounding_radius(), f64::from(size));
    let mut drawing = Drawing::new(size, size);
    let light = Vector3::from(LIGHT).normalize();
    for face in parts.iter().flat_map(|part| &part.faces) {
        let cast = |corner: &Vector3<f64>| {
            let at = view.turn * corner;
            view.on_paper(&(at - light * ((at.z - view.ground) / light.z)))
        };
        let points = face.corners.iter().map(cast).collect();
        drawing.marks.push(Mark::Polygon { points, colour: SHADE });
    }
    let mut order: Vec<(f64, &FlatPart)> = parts.iter().map(|part| (view.nearness(part), part)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order.iter().for_each(|(_, part)| view.draw(part, &light, &mut drawing));
    drawing
}

impl View {
    /// Turns the body until it is widest in the picture.
    fn of(corners: &[&Vector3<f64>], down: &Vector3<f64>, radius: f64, size: f64) -> Self {
        let level = UnitQuaternion::rotation_between(down, &-Vector3::z())
            .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
        let eye = Vector3::from(EYE).normalize();
        let right = Vector3::z().cross(&eye).normalize();
        let along = |turn: &UnitQuaternion<f64>, axis: &Vector3<f64>| {
            let ends = corners.iter().map(|corner| (turn * *corner).dot(axis));
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let width = |turn: &UnitQuaternion<f64>| {
            let (low, high) = along(turn, &right);
            high - low
        };
        let angle = |k: usize| PI * k as f64 / TURNS as f64;
        let turns = (0..TURNS).map(|k| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle(k)) * level);
        let turn = turns.max_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(level);
        let ground = along(&turn, &Vector3::z()).0;
        Self { turn, right, up: eye.cross(&right), eye, ground, scale: FILL * size / (2.0 * radius), size }
    }

    /// Place in the picture; all poses of a body stand on the same line.
    fn on_paper(&self, at: &Vector3<f64>) -> (f64, f64) {
        let raised = at.dot(&self.up) - self.ground * self.up.z;
        (self.size / 2.0 + self.scale * at.dot(&self.right), GROUND * self.size - self.scale * raised)
    }

    /// Distance of the middle of a part towards the eye (m).
    fn nearness(&self, part: &FlatPart) -> f64 {
        let corners = || part.faces.iter().flat_map(|face| &face.corners);
        corners().map(|corner| (self.turn * corner).dot(&self.eye)).sum::<f64>() / corners().count() as f64
    }

    /// Draws what is seen of a convex part: no face of it hides another.
    fn draw(&self, part: &FlatPart, light: &Vector3<f64>, drawing: &mut Drawing) {
        let is_seen = |face: &FlatFace| (self.turn * face.normal).dot(&self.eye) > 0.0;
        for face in part.faces.iter().filter(|face| is_seen(face)) {
            let mut points: Vec<_> = face.corners.iter().map(|c| self.on_paper(&(self.turn * c))).collect();
            let lit = AMBIENT + (1.0 - AMBIENT) * (self.turn * face.normal).dot(light).max(0.0);
            let [red, green, blue] = BODY.map(|c| (c * lit).round() as u8);
            let colour = Colour(red, green, blue);
            drawing.marks.push(Mark::Polygon { points: points.clone(), colour });
            // A line of its own colour closes the seam to the next face.
            points.push(points[0]);
            drawing.line(points, LINE, colour);
        }
        for (ends, faces) in &part.edges {
            if faces.iter().any(|k| is_seen(&part.faces[*k])) {
                let points = ends.iter().map(|end| self.on_paper(&(self.turn * end))).collect();
                drawing.line(points, LINE, EDGE);
            }
        }
    }
}

/// Flat faces of a part in the frame of its body.
fn flat(part: &Part) -> FlatPart {
    let mut flat = match &part.shape {
        Shape::Polytope(polytope) => flat_polytope(polytope),
        Shape::Cylinder { radius, half_length } => flat_cylinder(*radius, *half_length),
        Shape::Ellipsoid { semi_axes } => flat_round(semi_axes, 0.0),
        Shape::Capsule { radius, half_length } => flat_round(&Vector3::repeat(*radius), *half_length),
        // A body that falls has none.
        Shape::HalfSpace { .. } | Shape::Bore { .. } => FlatPart::default(),
    };
    let place = |point: &mut Vector3<f64>| *point = part.pose.position + part.pose.orientation * *point;
    for face in &mut flat.faces {
        face.corners.iter_mut().for_each(place);
        face.normal = part.pose.orientation * face.normal;
    }
    flat.edges.iter_mut().flat_map(|(ends, _)| ends).for_each(place);
    flat
}

fn flat_polytope(polytope: &Polytope) -> FlatPart {
    let corner = |v: usize| polytope.vertices[v];
    let faces = polytope.faces.iter().map(|face| FlatFace {
        corners: face.vertices.iter().map(|v| corner(*v)).collect(),
        normal: face.normal,
    });
    let bends = |[a, b]: [usize; 2]| {
        let cosine = polytope.faces[a].normal.dot(&polytope.faces[b].normal);
        cosine < EDGE_COSINE
    };
    let edges = polytope.edges.iter().filter(|edge| bends(edge.faces));
    FlatPart {
        faces: faces.collect(),
        edges: edges.map(|edge| (edge.vertices.map(corner), edge.faces)).collect(),
    }
}

fn flat_cylinder(radius: f64, half_length: f64) -> FlatPart {
    let out = |k: f64| {
        let (sine, cosine) = (TAU * k / SIDES as f64).sin_cos();
        Vector3::new(cosine, sine, 0.0)
    };
    let at = |k: usize, end: f64| radius * out(k as f64) + end * half_length * Vector3::z();
    let mut flat = FlatPart::default();
    for k in 0..SIDES {
        let corners = vec![at(k, -1.0), at(k + 1, -1.0), at(k + 1, 1.0), at(k, 1.0)];
        flat.faces.push(FlatFace { corners, normal: out(k as f64 + 0.5) });
        flat.edges.push(([at(k, -1.0), at(k + 1, -1.0)], [k, SIDES]));
        flat.edges.push(([at(k, 1.0), at(k + 1, 1.0)], [k, SIDES + 1]));
    }
    for end in [-1.0, 1.0] {
        let corners = (0..SIDES).map(|k| at(k, end)).collect();
        flat.faces.push(FlatFace { corners, normal: end * Vector3::z() });
    }
    flat
}

/// An ellipsoid with its halves moved apart by a half length (m), and a band between them.
fn flat_round(semi_axes: &Vector3<f64>, half_length: f64) -> FlatPart {
    let unit = |turn: f64, rise: f64| {
        let ((sine, cosine), (height, level)) =
            ((TAU * turn / SIDES as f64).sin_cos(), (TAU * rise / SIDES as f64).sin_cos());
        Vector3::new(level * cosine, level * sine, height)
    };
    let mut flat = FlatPart::default();
    for (k, j) in (0..SIDES).flat_map(|k| (0..SIDES / 2).map(move |j| (k, j))) {
        let off = Vector3::z() * if j < SIDES / 4 { -half_length } else { half_length };
        let at =
            |k: usize, j: usize| unit(k as f64, j as f64 - SIDES as f64 / 4.0).component_mul(semi_axes) + off;
        let corners = vec![at(k, j), at(k + 1, j), at(k + 1, j + 1), at(k, j + 1)];
        let middle = unit(k as f64 + 0.5, j as f64 + 0.5 - SIDES as f64 / 4.0);
        flat.faces.push(FlatFace { corners, normal: middle.component_div(semi_axes).normalize() });
        if half_length > 0.0 && j == SIDES / 4 {
            let (from, to) = (at(k, j), at(k + 1, j));
            let corners = vec![from - off * 2.0, to - off * 2.0, to, from];
            flat.faces.push(FlatFace { corners, normal: unit(k as f64 + 0.5, 0.0) });
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::scene::Scene;

    const SIZE: u32 = 100;

    /// The upper and lower ends of what is drawn of a bar of 2 by 4 by 12, and how many colours its faces
    /// have.
    fn drawn(down: Vector3<f64>) -> (f64, f64, usize) {
        let mut scene = Scene::builder();
        scene.time_step(0.01).duration(1.0);
        scene.body(Body::box_([1.0, 2.0, 6.0]).density(1.0));
        let scene = scene.build().unwrap();
        let drawing = portrait(&scene.bodies[0], &down, SIZE);
        let (mut top, mut bottom, mut colours) = (f64::INFINITY, 0.0_f64, Vec::new());
        for mark in &drawing.marks {
            if let Mark::Polygon { points, colour } = mark
                && *colour != SHADE
            {
                top = points.iter().fold(top, |t, p| t.min(p.1));
                bottom = points.iter().fold(bottom, |b, p| b.max(p.1));
                colours.push(*colour);
            }
        }
        colours.dedup();
        (top, bottom, colours.len())
    }

    #[test]
    fn a_bar_stands_as_high_as_its_side_is_long() {
        let [flat, edge, upright] = [Vector3::x(), Vector3::y(), Vector3::z()].map(drawn);
        for (top, bottom, faces) in [flat, edge, upright, drawn(-Vector3::z())] {
            assert!(0.0 < top && top < bottom && bottom < f64::from(SIZE), "{top} to {bottom}");
            assert_eq!(faces, 3, "three faces of a box are seen, each in its own light");
        }
        let height = |(top, bottom, _): (f64, f64, usize)| bottom - top;
        assert!(height(flat) < height(edge) && height(edge) < 0.6 * height(upright));
        // A side of 12 in a picture in which the ball about the bar is 2 √41 across.
        let eye = Vector3::from(EYE).normalize();
        let long = 12.0 * (1.0 - eye.z * eye.z).sqrt() * FILL * f64::from(SIZE) / (2.0 * 41.0_f64.sqrt());
        assert!(height(upright) > long && height(upright) < 1.5 * long, "{long}: {upright:?}");
    }
}
