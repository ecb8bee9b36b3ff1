//! Hollow cylinders: what they weigh, where they may stand, and the messages with which they are refused.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::{self, Body, LoadOptions, Loaded, Scene};
use std::f64::consts::{PI, TAU};
use std::path::Path;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n\
                    [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = -9 }\n";
const RING: &str = "{ type = \"hollow_cylinder\", radius = 0.05, inner_radius = 0.03, length = 0.08 }";

fn load(text: &str) -> signorini::Result<Loaded> {
    scene::parse(&format!("{HEAD}{text}"), Path::new("scene.toml"), &LoadOptions::default())
}

/// Reads a scene; the resolved one reads back bit for bit.
fn read(text: &str) -> Scene {
    let scene = load(text).unwrap_or_else(|e| panic!("{e}")).scene;
    let again = scene::parse(&scene::to_toml(&scene), Path::new("again"), &LoadOptions::default());
    assert_eq!(again.expect("a scene").scene, scene);
    scene
}

fn body(extra: &str) -> String {
    format!("[[body]]\nname = \"ring\"\ndensity = 1000\n{extra}\n")
}

fn hollow([radius, inner_radius, length]: [f64; 3], facets: u32) -> String {
    body(&format!(
        "shape = {{ type = \"hollow_cylinder\", radius = {radius:?}, inner_radius = {inner_radius:?}, \
         length = {length:?}, facets = {facets} }}"
    ))
}

/// Volume and inertia at a density of 1 kg/m³ of the staves as they are, one by one.
fn of_staves(body: &Body) -> (f64, Matrix3<f64>) {
    let (mut volume, mut second) = (0.0, Matrix3::zeros());
    for part in &body.parts {
        let Shape::Polytope(stave) = &part.shape else { panic!("no polytope") };
        let (at, turn) = (part.pose.position, part.pose.orientation.to_rotation_matrix());
        let own = turn.matrix() * stave.second_moment * turn.matrix().transpose();
        volume += stave.volume;
        second += own + at * at.transpose() * stave.volume;
    }
    (volume, Matrix3::from_diagonal_element(second.trace()) - second)
}

/// The volume is that of the round solid, whatever the number of staves; the inertia is that of the staves,
/// which comes to that of the round solid with their number.
#[test]
fn they_weigh_what_the_round_ones_do() {
    let [r, q, l] = [0.05_f64, 0.03_f64, 0.08_f64];
    let volume = PI * (r * r - q * q) * l;
    let along = 0.5 * volume * (r * r + q * q);
    let across = 0.5 * along + volume * l * l / 12.0;
    for facets in [3, 4, 5, 12, 48, 360] {
        let scene = read(&hollow([r, q, l], facets));
        let ring = &scene.bodies[1];
        assert_eq!(ring.parts.len(), facets as usize);
        assert!((ring.mass / (1000.0 * volume) - 1.0).abs() < 1e-12, "{facets}: {}", ring.mass);
        let (summed, inertia) = of_staves(ring);
        assert!((summed / volume - 1.0).abs() < 1e-12, "{facets}: {summed}");
        let off = (ring.inertia / 1000.0 - inertia).norm() / inertia.norm();
        assert!(off < 1e-12, "{facets}: {off}");
        for (found, round) in [(inertia.m33, along), (inertia.m11, across), (inertia.m22, across)] {
            let theta = TAU / f64::from(facets);
            let excess = found / round - 1.0;
            assert!(excess > 0.0 && excess < theta.powi(4) / 90.0, "{facets}: {excess}");
        }
    }
}

/// Twelve staves, unless more are asked for; corners lie where the cross-sections are those of the circles.
#[test]
fn corners_are_a_little_outside_of_the_circles() {
    let scene = read(&body(&format!("shape = {RING}")));
    let ring = &scene.bodies[1];
    assert_eq!(ring.parts.len(), 12);
    for part in &ring.parts {
        let Shape::Polytope(stave) = &part.shape else { panic!("no polytope") };
        assert_eq!(stave.vertices.len(), 8);
        for corner in &stave.vertices {
            let at = part.pose.point(corner);
            let off = [0.05, 0.03].map(|r| (at.xy().norm() / (1.023_326_708 * r) - 1.0).abs());
            assert!(off[0].min(off[1]) < 1e-9, "{at:?}");
            assert!((at.z.abs() - 0.04).abs() < 1e-15, "{at:?}");
        }
    }
}

/// Bodies, parts, fills and inlets take them, and the bore is empty.
#[test]
fn they_stand_where_other_shapes_do() {
    let grain = |table: &str, region: &str| {
        format!("[[{table}]]\nname = \"{table}\"\ndensity = 1000\n{region}\nshape = {RING}\n")
    };
    let tube = "{ center = [0, 0, 0.3], radius = 0.2, length = 0.5 }";
    let text = [
        // A pin in the bore: 9 mm of room to each face of it.
        body(&format!("position = [3, 0, 0]\nshape = {RING}")),
        "[[body]]\nname = \"pin\"\ndensity = 1000\nposition = [3, 0, 0]\n\
         shape = { type = \"cylinder\", radius = 0.02, length = 0.3 }\n"
            .to_owned(),
        format!(
            "[[body]]\nname = \"flail\"\ndensity = 1000\nposition = [6, 0, 0]\nparts = [{{ shape = {RING} }}, \
             {{ shape = {{ type = \"box\", half_extents = [0.2, 0.01, 0.01] }}, position = [0.28, 0, 0] }}]\n"
        ),
        grain(
            "fill",
            &format!("count = 60\nscale = {{ type = \"uniform\", min = 0.5, max = 1 }}\nregion = {tube}"),
        ),
        grain(
            "inlet",
            "rate = 1\nregion = { type = \"cylinder\", center = [0, 0, 2], radius = 0.3, length = 0.4 }",
        ),
    ];
    let scene = read(&text.concat());
    assert_eq!(scene.bodies.len(), 1 + 3 + 60);
    let parts = |body: &Body| body.parts.len();
    assert_eq!([1, 2, 3, 4].map(|id| parts(&scene.bodies[id])), [12, 1, 13, 12]);
    let inlet = &scene.inlets[0];
    let came = inlet.grains.body("x".to_owned(), &inlet.grains.form(0, 1.0), Pose::identity());
    let exact = 1000.0 * PI * (0.05 * 0.05 - 0.03 * 0.03) * 0.08;
    assert!((came.mass / exact - 1.0).abs() < 1e-12 && came.parts.len() == 12);
    for body in scene.bodies.iter().filter(|body| body.name.starts_with("fill")) {
        let (volume, inertia) = of_staves(body);
        assert!((1000.0 * volume / body.mass - 1.0).abs() < 1e-12);
        assert!((1000.0 * inertia - body.inertia).norm() < 1e-12 * body.inertia.norm());
        let centre = Vector3::new(body.pose.position.x, body.pose.position.y, 0.0);
        assert!(centre.norm() < 0.2);
    }
}

#[test]
fn bad_hollow_cylinders_are_told() {
    let ring = |fields: &str| body(&format!("shape = {{ type = \"hollow_cylinder\", {fields} }}"));
    let cases = [
        (
            ring("radius = 0.0, inner_radius = 0.1, length = 1"),
            "shape.radius = 0.0: must be a finite number > 0",
        ),
        (
            ring("radius = 0.1, inner_radius = -0.05, length = 1"),
            "shape.inner_radius = -0.05: must be a finite",
        ),
        (ring("radius = 0.1, inner_radius = 0.05, length = nan"), "shape.length = NaN"),
        (
            ring("radius = 0.1, inner_radius = 0.1, length = 1"),
            "shape.inner_radius = 0.1: must be less than the radius, 0.1 m",
        ),
        (
            ring("radius = 0.1, inner_radius = 0.05, length = 1, facets = 2"),
            "shape.facets = 2: must be 3 to 360",
        ),
        (ring("radius = 0.1, inner_radius = 0.05, length = 1, facets = 361"), "shape.facets = 361"),
        (
            ring("radius = 0.1, inner_radius = 0.05, length = 1, facets = -4"),
            "shape.facets = -4: must be a whole number",
        ),
        (ring("radius = 0.1, inner_radius = 0.09999999999, length = 1"), "body[1] \"ring\": shape = "),
        (ring("radius = 1e-8, inner_radius = 5e-9, length = 1"), "body[1] \"ring\": shape = "),
        (ring("radius = 1e10, inner_radius = 1, length = 1"), "body[1] \"ring\": shape = "),
        (ring("radius = 0.1, length = 1"), "shape.inner_radius = absent: required"),
        (
            ring("radius = 0.1, inner_radius = 0.05, length = 1, staves = 12"),
            "shape.staves = 12: no such field",
        ),
        (body("shape = { type = \"hollow_cilinder\" }"), "hollow_cylinder"),
        (
            "[[fill]]\nname = \"f\"\ncount = 2\ndensity = 1\nregion = { min = [0, 0, 0], max = [1, 1, 1] }\n\
                     shape = { type = \"hollow_cylinder\", radius = 0.1, inner_radius = 0.2, length = 0.1 }\n"
                .to_owned(),
            "fill[0] \"f\": shape.inner_radius = 0.2: must be less than the radius",
        ),
        (
            body(
                "parts = [{ shape = { type = \"hollow_cylinder\", radius = 0.1, inner_radius = 0, length = 1 } }]",
            ),
            "parts[0].shape.inner_radius = 0.0",
        ),
        // Two in the same place weigh twice.
        (
            body(&format!("parts = [{{ shape = {RING} }}, {{ shape = {RING} }}]")),
            "parts[1] = overlaps parts[0]",
        ),
        // A pin that is thicker than the bore.
        (
            [
                body(&format!("shape = {RING}")),
                "[[body]]\nname = \"pin\"\ndensity = 1000\n\
                 shape = { type = \"cylinder\", radius = 0.035, length = 0.3 }\n"
                    .to_owned(),
            ]
            .concat(),
            "overlap",
        ),
    ];
    for (text, expected) in cases {
        let told = load(&text).expect_err(expected).to_string();
        assert!(told.contains(expected), "expected {expected}\n     got {told}");
    }
}
