//! Fills and inlets in cylinders and rings, of parts, meshes and capsules: nothing overlaps, nobody is
//! outside, one seed gives one scene.

use nalgebra::Vector3;
use signorini_geometry::Shape;
use signorini_scene::scene::form::Form;
use signorini_scene::scene::overlap::{Placed, gap};
use signorini_scene::scene::{self, Body, Inlet, LoadOptions, Loaded, Scene, start};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n";
const FLOOR: &str =
    "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = -9 }\n";
const CAPSULE: &str = "shape = { type = \"capsule\", radius = 0.04, length = 0.12 }";
const HAMMER: &str = "shapes = [{ parts = [{ shape = { type = \"cylinder\", radius = 0.02, length = 0.2 } }, \
                      { shape = { type = \"box\", half_extents = [0.06, 0.03, 0.03] }, position = [0, 0, 0.13] }] }]";
const MIXTURE: &str = "shapes = [{ shape = { type = \"capsule\", radius = 0.04, length = 0.12 } }, \
                       { shape = { type = \"box\", half_extents = [0.06, 0.03, 0.03] }, weight = 2 }]\n\
                       scale = { type = \"uniform\", min = 0.6, max = 1.1 }";
/// An L of two boxes.
const BRACKET: &str = "o a\nv 0 0 0\nv 0.2 0 0\nv 0.2 0.05 0\nv 0 0.05 0\nv 0 0 0.05\nv 0.2 0 0.05\nv 0.2 0.05 0.05\nv 0 0.05 0.05\n\
                       f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n\
                       o b\nv 0 0.05 0\nv 0.05 0.05 0\nv 0.05 0.2 0\nv 0 0.2 0\nv 0 0.05 0.05\nv 0.05 0.05 0.05\nv 0.05 0.2 0.05\nv 0 0.2 0.05\n\
                       f 12 11 10 9\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";

fn load_seeded(seed: u64, text: &str) -> signorini::Result<Loaded> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("l.obj"), BRACKET).expect("a mesh");
    let text = format!("{HEAD}seed = {seed}\n{FLOOR}{text}");
    scene::parse(&text, &folder.path().join("scene.toml"), &LoadOptions::default())
}

fn load(text: &str) -> signorini::Result<Loaded> {
    load_seeded(0, text)
}

/// Reads a scene; the resolved one reads back bit for bit.
fn read(text: &str) -> Scene {
    let scene = load(text).unwrap_or_else(|e| panic!("{e}")).scene;
    let again = scene::parse(&scene::to_toml(&scene), Path::new("again"), &LoadOptions::default());
    assert_eq!(again.expect("a scene").scene, scene);
    scene
}

fn fill(count: usize, region: &str, shape: &str) -> String {
    format!("[[fill]]\nname = \"grain\"\ncount = {count}\ndensity = 1000\nregion = {{ {region} }}\n{shape}\n")
}

/// Corners and points of the boundary of a part, world.
fn points(body: &Body) -> Vec<Vector3<f64>> {
    let mut found = Vec::new();
    for part in &body.parts {
        let pose = body.pose.compose(&part.pose);
        match &part.shape {
            Shape::Polytope(p) => found.extend(p.vertices.iter().map(|v| pose.point(v))),
            shape => {
                let placed = Placed::new(shape, &pose);
                for k in 0..400 {
                    let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / 400.0;
                    let (s, c) = (f64::from(k) * 2.399963229728653).sin_cos();
                    let u = Vector3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z);
                    found.push(pose.position + placed.arm(&u).expect("bounded"));
                }
            }
        }
    }
    found
}

/// Asserts that all that moves is in a tube about an axis through a middle, and that no two overlap.
fn assert_inside(scene: &Scene, middle: [f64; 3], axis: [f64; 3], [inner, outer, length]: [f64; 3]) {
    let axis = Vector3::from(axis).normalize();
    let moving: Vec<&Body> = scene.bodies.iter().filter(|body| !body.fixed).collect();
    for body in &moving {
        for x in points(body) {
            let at = x - Vector3::from(middle);
            assert!(
                axis.dot(&at).abs() < 0.5 * length && at.cross(&axis).norm() < outer,
                "{}: {at:?}",
                body.name
            );
            assert!(at.cross(&axis).norm() > inner, "{}: {at:?}", body.name);
        }
    }
    let placed: Vec<Vec<Placed>> = moving.iter().map(|body| start::placed(body).collect()).collect();
    for (i, a) in placed.iter().enumerate() {
        for b in placed[..i].iter().flatten() {
            assert!(
                a.iter().all(|part| gap(part, b).is_none_or(|gap| gap.distance > 0.0)),
                "body {i} overlaps"
            );
        }
    }
}

#[test]
fn cylinders_and_rings_are_filled() {
    let upright = "center = [0, 0, 1], radius = 0.5, length = 0.8";
    let ring = "center = [1, 2, 3], axis = [1, 2, -2], radius = 0.5, inner_radius = 0.25, length = 0.6";
    let egg = "shape = { type = \"ellipsoid\", semi_axes = [0.06, 0.04, 0.03] }";
    let can = "shape = { type = \"cylinder\", radius = 0.04, length = 0.1 }";
    for (n, shape) in [(600, egg), (300, can), (150, CAPSULE), (60, HAMMER), (250, MIXTURE)] {
        let scene = read(&fill(n, upright, shape));
        assert_eq!(scene.bodies.len(), n + 1);
        assert_inside(&scene, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.8]);
        let scene = read(&fill(n / 4, ring, shape));
        assert_inside(&scene, [1.0, 2.0, 3.0], [1.0, 2.0, -2.0], [0.25, 0.5, 0.6]);
    }
}

/// Dense enough that all must grow from small ones.
#[test]
fn parts_grow_into_a_dense_fill() {
    let text = fill(58, "center = [0, 0, 1], radius = 0.3, length = 0.5", CAPSULE);
    let scene = read(&text);
    let solid = scene.bodies.iter().filter(|b| !b.fixed).map(|b| b.mass / 1000.0).sum::<f64>();
    assert!(solid / (PI * 0.09 * 0.5) > 0.35, "{}", solid / (PI * 0.045));
    assert_inside(&scene, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.3, 0.5]);
}

#[test]
fn one_seed_gives_one_scene() {
    let text = fill(80, "center = [0, 0, 1], radius = 0.5, length = 0.8", MIXTURE);
    let bodies = |seed| load_seeded(seed, &text).expect("a scene").scene.bodies;
    assert_eq!(bodies(7), bodies(7));
    assert_ne!(bodies(7), bodies(8));
}

#[test]
fn boxes_are_filled_with_parts_and_meshes() {
    let mesh = "shape = { type = \"mesh\", file = \"l.obj\", convex = \"pieces\" }";
    for (n, shape) in [(60, mesh), (60, HAMMER), (150, CAPSULE)] {
        let scene = read(&fill(n, "min = [-0.5, -0.5, 0], max = [0.5, 0.5, 1]", shape));
        let moving: Vec<&Body> = scene.bodies.iter().filter(|body| !body.fixed).collect();
        assert_eq!(moving.len(), n);
        for x in moving.iter().flat_map(|body| points(body)) {
            assert!(x.x.abs() < 0.5 && x.y.abs() < 0.5 && x.z > 0.0 && x.z < 1.0, "{x:?}");
        }
    }
}

/// A capsule weighs what the solid does, as a body, in a fill and as it comes in.
#[test]
fn capsules_have_the_moments_of_the_solid() {
    let (r, l) = (0.04_f64, 0.12_f64);
    let volume = PI * r * r * l + 4.0 / 3.0 * PI * r.powi(3);
    // By slices across the axis: ∫ π ρ⁴/2 dz, and ∫ (π ρ⁴/4 + π ρ² z²) dz.
    let (n, mut along, mut across, mut whole) = (400_000, 0.0, 0.0, 0.0);
    let dz = (l + 2.0 * r) / f64::from(n);
    for k in 0..n {
        let z = -0.5 * l - r + (f64::from(k) + 0.5) * dz;
        let beyond = (z.abs() - 0.5 * l).max(0.0);
        let square = r * r - beyond * beyond;
        along += PI * square * square / 2.0 * dz;
        across += (PI * square * square / 4.0 + PI * square * z * z) * dz;
        whole += PI * square * dz;
    }
    assert!((whole / volume - 1.0).abs() < 1e-6);
    let scene = read(&format!(
        "[[body]]\nname = \"own\"\ndensity = 1000\n{CAPSULE}\nposition = [5, 5, 5]\n{}[[inlet]]\nname = \"in\"\nrate = 1\n\
         density = 1000\n{CAPSULE}\nregion = {{ type = \"cylinder\", center = [0, 0, 3], radius = 0.3, length = 0.4 }}\n",
        fill(2, "min = [-1, -1, 0], max = [1, 1, 1]", CAPSULE)
    ));
    let inlet = &scene.inlets[0];
    let came =
        inlet.grains.body("x".to_owned(), &inlet.grains.form(0, 1.0), signorini_geometry::Pose::identity());
    for body in scene.bodies.iter().filter(|b| !b.fixed).chain([&came]) {
        assert!((body.mass / (1000.0 * volume) - 1.0).abs() < 1e-12, "{}", body.name);
        let moments = [body.inertia.m11, body.inertia.m22, body.inertia.m33].map(|i| i / 1000.0);
        for (found, exact) in moments.into_iter().zip([across, across, along]) {
            assert!((found / exact - 1.0).abs() < 1e-6, "{}: {found}, not {exact}", body.name);
        }
        assert_eq!(body.parts.len(), 1);
    }
}

/// Bodies that come into a ring are inside, wherever it is, and spread over all of it.
#[test]
fn inlets_place_bodies_in_a_ring() {
    let text = format!(
        "[[inlet]]\nname = \"in\"\nrate = 1\ndensity = 1000\n{HAMMER}\n\
         region = {{ type = \"cylinder\", center = [0, 0, 3], axis = [0, 3, 4], radius = 0.6, inner_radius = 0.2, length = 0.6 }}\n"
    );
    let scene = read(&text);
    let inlet: &Inlet = &scene.inlets[0];
    let (form, axis): (Form, _) = (inlet.grains.form(0, 1.0), Vector3::new(0.0, 0.6, 0.8));
    let (mut found, mut sides) = (0, [0; 2]);
    for k in 0..300 {
        let mut draw = Inlet::places(0, 0, k, 1);
        let orientation = inlet.orientation(&mut draw);
        let Some(pose) = inlet.region.place(&form, orientation, &mut draw) else { continue };
        found += 1;
        let body = inlet.grains.body("x".to_owned(), &form, pose);
        for x in points(&body) {
            let at = x - Vector3::new(0.0, 0.0, 3.0);
            let (along, across) = (axis.dot(&at), axis.cross(&at).norm());
            assert!(
                along.abs() <= 0.3 + 1e-9 && (0.2 - 1e-9..=0.6 + 1e-9).contains(&across),
                "{along} {across}"
            );
        }
        sides[usize::from(pose.position.x > 0.0)] += 1;
    }
    assert!(found > 250 && sides[0] > 90 && sides[1] > 90, "{found} {sides:?}");
}

#[test]
fn bad_regions_and_capsules_are_told() {
    let inlet = |region: &str| {
        format!(
            "[[inlet]]\nname = \"in\"\nrate = 1\ndensity = 1000\n{CAPSULE}\nregion = {{ type = \"cylinder\", {region} }}\n"
        )
    };
    let cases = [
        (
            fill(2, "min = [0, 0, 0]", CAPSULE),
            "fill[0] \"grain\": region = unclear: give min and max of a box, or center",
        ),
        (fill(2, "min = [0, 0, 0], max = [1, 1, 1], radius = 1", CAPSULE), "region = unclear"),
        (fill(2, "center = [0, 0, 0], radius = 1", CAPSULE), "region = unclear"),
        (
            fill(2, "center = [0, 0, 0], radius = 0, length = 1", CAPSULE),
            "region.radius = 0.0: must be a finite number > 0",
        ),
        (fill(2, "center = [0, 0, 0], radius = 1, length = -1", CAPSULE), "region.length = -1.0"),
        (
            fill(2, "center = [0, 0, 0], radius = 1, length = 1, inner_radius = 1", CAPSULE),
            "region.inner_radius = 1.0: must be below radius = 1.0",
        ),
        (fill(2, "center = [0, 0, 0], radius = 1, length = 1, axis = [0, 0, 0]", CAPSULE), "region.axis"),
        (fill(900, "center = [0, 0, 0], radius = 0.2, length = 0.4", CAPSULE), "count = 900: only"),
        (fill(1, "center = [0, 0, 0], radius = 0.03, length = 4", CAPSULE), "count = 1: only 0"),
        (
            fill(
                2,
                "min = [0, 0, 0], max = [1, 1, 1]",
                "shape = { type = \"capsule\", radius = 0, length = 1 }",
            ),
            "shape.radius = 0.0",
        ),
        (
            fill(2, "min = [0, 0, 0], max = [1, 1, 1]", "shape = { type = \"capsule\", radius = 1 }"),
            "shape.length",
        ),
        (
            fill(
                2,
                "min = [0, 0, 0], max = [1, 1, 1]",
                "shapes = [{ parts = [{ shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 } }] }]",
            ),
            "shapes[0].parts[0].shape = half_space: parts of bodies that move are bounded",
        ),
        (
            fill(
                2,
                "min = [0, 0, 0], max = [1, 1, 1]",
                "shapes = [{ volume = 1, parts = [{ shape = { type = \"sphere\", radius = 0.1 } }] }]",
            ),
            "shapes[0].volume = unclear: volume and inertia stand together",
        ),
        (inlet("center = [0, 0, 3], radius = 0.3, length = 0"), "inlet[0] \"in\": region.length = 0.0"),
        (
            inlet("center = [0, 0, 3], radius = 0.05, length = 0.1"),
            "region = too small: has no room for the largest body, ever",
        ),
    ];
    for (text, expected) in cases {
        let told = load(&text).expect_err(expected).to_string();
        assert!(told.contains(expected), "expected {expected}\n     got {told}");
    }
}
