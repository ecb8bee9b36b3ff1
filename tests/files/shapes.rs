//! Boxes, polytopes, meshes and cylinders in scene files: their weights and places, and that they stay apart.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Shape};
use signorini_scene::scene::start::StartLimits;
use signorini_scene::scene::{self, Body, LoadOptions, Loaded, Scene};
use std::fs;
use std::path::Path;

type V = Vector3<f64>;

const LIMITS: StartLimits = StartLimits { time_step: 0.01, gravity: 9.81, periodic: None };
const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n";
/// A box of 0.4 × 0.2 × 0.1 with one corner at (1, 2, 3), faces of four corners.
const BRICK_OBJ: &str = "v 1 2 3\nv 1.4 2 3\nv 1.4 2.2 3\nv 1 2.2 3\nv 1 2 3.1\nv 1.4 2 3.1\nv 1.4 2.2 3.1\nv 1 2.2 3.1\n\
                         f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
/// An L: a cube of edge 2 without one quarter, 6 of the 7 units of its hull.
const CORNER_OBJ: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n\
                          v 0 0 2\nv 2 0 2\nv 2 1 2\nv 1 1 2\nv 1 2 2\nv 0 2 2\n\
                          f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\n\
                          f 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

fn body(name: &str, shape: &str, lines: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\n{lines}\n")
}

fn parse(text: &str, folder: &Path) -> Loaded {
    let scene = scene::parse(text, &folder.join("scene.toml"), &LoadOptions::default());
    scene.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn one(shape: &str, lines: &str) -> (Body, Vec<String>) {
    let loaded = parse(&format!("{HEAD}{}", body("part", shape, lines)), Path::new("."));
    (loaded.scene.bodies[0].clone(), loaded.notes)
}

fn diagonal(x: f64, y: f64, z: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal(&V::new(x, y, z))
}

#[test]
fn density_gives_mass_and_inertia_of_every_shape() {
    let (cube, notes) = one("type = \"box\", half_extents = [0.5, 0.3, 0.2]", "density = 100");
    assert!(notes.is_empty(), "{notes:?}");
    assert!((cube.mass - 24.0).abs() < 1e-14);
    assert!((cube.inertia - diagonal(0.13, 0.29, 0.34) * 8.0).norm() < 1e-14);
    let (can, _) = one("type = \"cylinder\", radius = 0.3, length = 1.2", "density = 100");
    assert_eq!(can.parts[0].shape, Shape::Cylinder { radius: 0.3, half_length: 0.6 });
    let m = 100.0 * std::f64::consts::PI * 0.09 * 1.2;
    assert!((can.mass - m).abs() < 1e-13);
    let across = m * (3.0 * 0.09 + 1.44) / 12.0;
    assert!((can.inertia - diagonal(across, across, m * 0.045)).norm() < 1e-14 * m);
    // A regular tetrahedron with edge √8: V = 8/3, I = m a²/20 about every axis.
    let corners = "vertices = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]";
    let (tetrahedron, notes) = one(&format!("type = \"polytope\", {corners}"), "density = 3");
    assert!(notes.is_empty(), "{notes:?}");
    assert!((tetrahedron.mass - 8.0).abs() < 1e-14);
    assert!((tetrahedron.inertia - Matrix3::identity() * 3.2).norm() < 1e-14);
}

#[test]
fn explicit_mass_and_inertia_win_and_the_shape_may_be_turned() {
    let shape = "type = \"box\", half_extents = [0.5, 0.3, 0.2]";
    let (heavy, _) = one(shape, "mass = 6\nshape_orientation = [0.5, 0.5, 0.5, 0.5]");
    // The quarter turns take x to y, y to z, z to x.
    assert!((heavy.inertia - diagonal(0.34, 0.13, 0.29) * 2.0).norm() < 1e-14);
    let (given, _) = one(shape, "mass = 6\ninertia = [3, 4, 5, 0.1, 0, 0]\nshape_position = [0.1, 0, 0]");
    assert_eq!(given.inertia, Matrix3::new(3.0, 0.1, 0.0, 0.1, 4.0, 0.0, 0.0, 0.0, 5.0));
}

#[test]
fn a_polytope_is_moved_to_its_centre_of_mass_with_a_note() {
    let points = "vertices = [[1, 2, 3], [2, 2, 3], [1, 3, 3], [1, 2, 4], [1.2, 2.2, 3.2]]";
    let (part, notes) = one(&format!("type = \"polytope\", {points}"), "density = 1\nposition = [7, 8, 9]");
    assert_eq!(part.pose.position, V::new(7.0, 8.0, 9.0));
    let Shape::Polytope(p) = &part.parts[0].shape else { panic!("{:?}", part.parts[0].shape) };
    let corner = V::new(-0.25, -0.25, -0.25);
    assert!((p.vertices[0] - corner).norm() < 1e-15 && p.vertices.len() == 4, "{:?}", p.vertices);
    let shift = "[1.25, 2.25, 3.25] m in these coordinates";
    assert!(
        notes.iter().any(|n| n.contains("body[0] \"part\": shape.vertices: moved") && n.contains(shift)),
        "{notes:?}"
    );
    assert!(notes.iter().any(|n| n.contains("1 of 5 are not corners")), "{notes:?}");
}

#[test]
fn meshes_are_hulls_beside_the_scene() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("parts")).expect("folder");
    fs::write(folder.path().join("parts/brick.OBJ"), BRICK_OBJ).expect("written");
    fs::write(folder.path().join("corner.obj"), CORNER_OBJ).expect("written");
    let brick = |name: &str, scale: &str, z: f64| {
        let shape = format!("type = \"mesh\", file = \"parts/../parts/brick.OBJ\"{scale}");
        body(name, &shape, &format!("density = 1000\nposition = [0, 0, {z}]"))
    };
    let text = format!(
        "{HEAD}{}{}{}{}",
        brick("a", "", 0.0),
        brick("b", "", 1.0),
        brick("small", ", scale = 1e-3", 2.0),
        body("corner", "type = \"mesh\", file = \"corner.obj\"", "density = 1\nposition = [0, 0, 6]")
    );
    let Loaded { scene, notes, .. } = parse(&text, folder.path());
    let Shape::Polytope(p) = &scene.bodies[0].parts[0].shape else {
        panic!("{:?}", scene.bodies[0].parts[0].shape)
    };
    let exact = Polytope::box_(V::new(0.2, 0.1, 0.05));
    assert_eq!((p.faces.len(), p.edges.len()), (6, 12));
    assert!(p.vertices.iter().all(|v| exact.vertices.iter().any(|w| (v - w).norm() < 1e-15)));
    assert!((scene.bodies[0].mass - 8.0).abs() < 1e-13 && (scene.bodies[2].mass - 8e-9).abs() < 1e-21);
    assert_eq!(scene.bodies[0].parts[0].shape, scene.bodies[1].parts[0].shape);
    assert!((scene.bodies[3].mass - 7.0).abs() < 1e-13);
    let corner: Vec<&String> = notes.iter().filter(|n| n.contains("is not convex")).collect();
    assert!(corner.len() == 1 && corner[0].contains("of which it fills 0.8571"), "{notes:?}");
    // The note of a mesh that several bodies have comes once.
    assert_eq!(notes.iter().filter(|n| n.contains("moved so that")).count(), 3, "{notes:?}");
}

/// A hull needs no closed mesh, no even scale and no few corners: notes tell.
#[test]
fn any_mesh_has_a_hull() {
    let folder = tempfile::tempdir().expect("folder");
    let (open, _) = BRICK_OBJ.trim_end().rsplit_once('\n').expect("several lines");
    let open = format!("{open}\n");
    fs::write(folder.path().join("open.obj"), &open).expect("written");
    fs::write(folder.path().join("corner.obj"), CORNER_OBJ).expect("written");
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let vertex = |k: usize| {
        let (z, (s, c)) = (1.0 - (2.0 * k as f64 + 1.0) / 4000.0, (golden * k as f64).sin_cos());
        let r = (1.0_f64 - z * z).sqrt();
        format!("v {} {} {z}\n", r * c, r * s)
    };
    let fan = |k: usize| format!("f {k} {} {}\n", k + 1, k + 2);
    let ball = (0..4000).map(vertex).chain((1..3999).map(fan)).collect::<String>();
    fs::write(folder.path().join("ball.obj"), ball).expect("written");
    let at = |file: &str, more: &str, x: f64| {
        let shape = format!("type = \"mesh\", file = \"{file}\"{more}");
        body(&format!("at {x}"), &shape, &format!("mass = 1\nposition = [{x}, 0, 0]"))
    };
    let text = format!(
        "{HEAD}{}{}{}{}",
        at("open.obj", "", 0.0),
        at("corner.obj", ", scale = [1, 1, 1]", 5.0),
        at("corner.obj", ", scale = [-1, 2, 1]", 10.0),
        at("ball.obj", "", 15.0)
    );
    let Loaded { scene, notes, .. } = parse(&text, folder.path());
    let polytope = |k: usize| match &scene.bodies[k].parts[0].shape {
        Shape::Polytope(p) => p.clone(),
        other => panic!("{other:?}"),
    };
    let exact = Polytope::box_(V::new(0.2, 0.1, 0.05));
    assert!((polytope(0).volume / exact.volume - 1.0).abs() < 1e-12);
    let (plain, mirrored) = (polytope(1), polytope(2));
    let mirror = |v: &V| V::new(-v.x, 2.0 * v.y, v.z);
    assert!(mirrored.vertices.iter().all(|w| plain.vertices.iter().any(|v| (mirror(v) - w).norm() < 1e-12)));
    assert!((mirrored.volume - 2.0 * plain.volume).abs() < 1e-12);
    // A ball of 4000 corners is taken with 800 at most.
    let ball = polytope(3);
    assert!(ball.vertices.len() <= 800 && (4.1..4.18879).contains(&ball.volume), "{}", ball.volume);
    let told = |what: &str| notes.iter().filter(|note| note.contains(what)).count();
    assert!(told("is not closed") >= 1 && told("more than 2000 corners") == 1, "{notes:?}");
    assert!(told("by at most") == 1, "{notes:?}");
    for scale in ["[1, 1]", "[1, 0, 1]", "[1, nan, 1]", "[]"] {
        let text = format!("{HEAD}{}", at("corner.obj", &format!(", scale = {scale}"), 0.0));
        let error = scene::parse(&text, &folder.path().join("s.toml"), &LoadOptions::default());
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("shape.scale"), "{error}");
    }
}

/// One body of every kind, on a ground, and fills of all kinds.
fn everything(folder: &Path) -> Scene {
    fs::write(folder.join("corner.obj"), CORNER_OBJ).expect("written");
    let polytope = "type = \"polytope\", vertices = [[0, 0, 0], [0.3, 0, 0], [0, 0.4, 0.01], [0.1, 0.1, 0.5], [0.7, 0.1, 0.2]]";
    let shapes = [
        "type = \"box\", half_extents = [0.1, 0.2, 0.3]",
        polytope,
        "type = \"mesh\", file = \"corner.obj\", scale = 0.17",
        "type = \"cylinder\", radius = 0.2, length = 0.5",
        "type = \"sphere\", radius = 0.2",
    ];
    let mut text = format!("{HEAD}[[container]]\nname = \"bin\"\nsize = [3, 3, 3]\n");
    for (i, shape) in shapes.iter().enumerate() {
        let lines = format!("density = 1e3\nposition = [0, 0, 2{i}]\norientation = [0.6, 0, 0.8, 0]");
        text += &body(&format!("part {i}"), shape, &lines);
    }
    let listed: Vec<String> = shapes.iter().map(|s| format!("{{ shape = {{ {s} }} }}")).collect();
    text += &format!(
        "[[fill]]\nname = \"mix\"\ncount = 100\ndensity = 1000\nshapes = [{}]\n\
         scale = {{ type = \"uniform\", min = 0.6, max = 1.2 }}\nregion = {{ min = [-1.5, -1.5, 0], max = [1.5, 1.5, 3] }}\n",
        listed.join(", ")
    );
    parse(&text, folder).scene
}

#[test]
fn resolved_scenes_need_no_files_and_read_back_bit_for_bit() {
    let folder = tempfile::tempdir().expect("folder");
    let scene = everything(folder.path());
    let text = scene::to_toml(&scene);
    assert!(!text.contains("corner.obj") && text.contains("type = \"box\""));
    let again =
        scene::parse(&text, Path::new("elsewhere/scene.toml"), &LoadOptions::default()).expect("a scene");
    assert_eq!(again.scene, scene);
    assert!(again.notes.iter().all(|n| !n.contains("moved") && !n.contains("corners")), "{:?}", again.notes);
}

/// Points of a bounded body's surface, world.
fn surface_points(body: &Body) -> Vec<V> {
    let local: Vec<V> = match &body.parts[0].shape {
        Shape::Ellipsoid { semi_axes } => sphere_points().map(|u| u.component_mul(semi_axes)).collect(),
        Shape::Cylinder { radius, half_length } => sphere_points()
            .map(|u| {
                let side = V::new(u.x, u.y, 0.0).normalize() * *radius;
                side + V::z() * *half_length * (1.3 * u.z).clamp(-1.0, 1.0)
            })
            .collect(),
        Shape::Capsule { radius, half_length } => {
            sphere_points().map(|u| u * *radius + V::z() * half_length.copysign(u.z)).collect()
        }
        Shape::Polytope(p) => {
            let mean = |f: &[usize]| f.iter().map(|v| p.vertices[*v]).sum::<V>() / f.len() as f64;
            let edges = p.edges.iter().map(|e| mean(&e.vertices));
            p.vertices.iter().copied().chain(edges).chain(p.faces.iter().map(|f| mean(&f.vertices))).collect()
        }
        Shape::HalfSpace { .. } | Shape::Bore { .. } => Vec::new(),
    };
    local.iter().map(|p| body.pose.point(p)).collect()
}

fn sphere_points() -> impl Iterator<Item = V> {
    (0..200).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 200.0;
        let (s, c) = (2.4 * f64::from(k)).sin_cos();
        V::new(c, s, 0.0) * (1.0 - z * z).sqrt() + V::z() * z
    })
}

fn is_inside(body: &Body, point: &V) -> bool {
    let x = body.pose.orientation.inverse() * (point - body.pose.position);
    match &body.parts[0].shape {
        Shape::Ellipsoid { semi_axes } => x.component_div(semi_axes).norm() < 1.0,
        Shape::Cylinder { radius, half_length } => x.xy().norm() < *radius && x.z.abs() < *half_length,
        Shape::Capsule { radius, half_length } => {
            (x - V::z() * x.z.clamp(-half_length, *half_length)).norm() < *radius
        }
        Shape::Polytope(p) => p.faces.iter().all(|f| f.normal.dot(&x) < f.offset),
        Shape::HalfSpace { normal, offset } => normal.dot(&x) < *offset,
        Shape::Bore { radius, .. } => x.xy().norm() > *radius,
    }
}

#[test]
fn mixed_fills_overlap_nothing_and_stay_in_their_region() {
    let folder = tempfile::tempdir().expect("folder");
    let scene = everything(folder.path());
    assert_eq!(scene.bodies.len(), 5 + 5 + 100);
    let points: Vec<Vec<V>> = scene.bodies.iter().map(surface_points).collect();
    for (i, body) in scene.bodies.iter().enumerate() {
        for (j, list) in points.iter().enumerate().filter(|(j, _)| *j != i) {
            assert!(!list.iter().any(|p| is_inside(body, p)), "{} is in {}", scene.bodies[j].name, body.name);
        }
    }
    // They are really near each other: grown by a half, many are not apart any more.
    let mut grown = scene.clone();
    grown
        .bodies
        .iter_mut()
        .filter(|b| b.name.starts_with("mix"))
        .for_each(|b| b.parts[0].shape = b.parts[0].shape.scaled(1.5));
    assert!(scene::start::overlaps(&grown.bodies, &[], &LIMITS).len() > 50);
    assert!(scene::start::overlaps(&scene.bodies, &[], &LIMITS).is_empty());
}

#[test]
fn dense_fills_of_boxes_grow_into_place() {
    let text = format!(
        "{HEAD}[[fill]]\nname = \"brick\"\ncount = 30\ndensity = 1000\n\
         shape = {{ type = \"box\", half_extents = [0.2, 0.1, 0.1] }}\nregion = {{ min = [0, 0, 0], max = [1.1, 1.1, 1.1] }}\n"
    );
    let scene = parse(&text, Path::new(".")).scene;
    assert!(scene::start::overlaps(&scene.bodies, &[], &LIMITS).is_empty());
    for corner in scene.bodies.iter().flat_map(surface_points) {
        assert!(corner.min() > 0.0 && corner.max() < 1.1, "{corner}");
    }
}

#[test]
fn overlaps_of_every_pair_of_shapes_are_found_and_separated() {
    let shapes = [
        ("type = \"box\", half_extents = [0.5, 0.5, 0.5]", 0.5),
        ("type = \"cylinder\", radius = 0.4, length = 1", 0.5),
        ("type = \"sphere\", radius = 0.5", 0.5),
        (
            "type = \"polytope\", vertices = [[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0], [0, 0, 0.5], [0, 0, -0.5]]",
            0.5,
        ),
    ];
    for size in [1e-3, 1.0, 1e3] {
        // Falls through like parts of the size take like parts of the time.
        let limits = StartLimits { time_step: LIMITS.time_step * f64::sqrt(size), ..LIMITS };
        for ((lower, low), (upper, high)) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            let text = format!(
                "{HEAD}[[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = -0.5 }}\n{}{}",
                body("lower", lower, "mass = 1"),
                body("upper", upper, &format!("mass = 1\nposition = [0.01, 0.02, {}]", low + high - 0.03))
            );
            // Only the coordinates scale, so that the text can be the same.
            let options = LoadOptions { separate: true, ..Default::default() };
            let mut scene = scene::parse(&text, Path::new("s.toml"), &options).expect("separated").scene;
            for b in &mut scene.bodies {
                b.parts[0].shape = b.parts[0].shape.scaled(size);
                b.pose.position *= size;
            }
            assert!(
                scene::start::overlaps(&scene.bodies, &[], &limits).is_empty(),
                "{lower} {upper} at {size}"
            );
            scene.bodies[2].pose.position.z -= 1e-2 * size;
            let found = scene::start::overlaps(&scene.bodies, &[], &limits);
            let upper_low: Vec<_> = found.iter().filter(|o| (o.a, o.b) == (1, 2)).collect();
            assert_eq!(upper_low.len(), 1, "{lower} {upper} at {size}: {found:?}");
            let depth = -upper_low[0].gap.distance / size;
            assert!(depth > 5e-3 && depth < 1.01e-2, "{lower} {upper} at {size}: {depth}");
            assert!(scene::start::separate(&mut scene.bodies, &[], &limits).is_some());
        }
    }
}

#[test]
fn meshes_outside_the_folder_need_permission() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("inner")).expect("folder");
    fs::write(folder.path().join("corner.obj"), CORNER_OBJ).expect("written");
    let text = format!("{HEAD}{}", body("part", "type = \"mesh\", file = \"../corner.obj\"", "density = 1"));
    let scene_file = folder.path().join("inner/scene.toml");
    let refused = scene::parse(&text, &scene_file, &LoadOptions::default()).expect_err("outside");
    assert!(refused.to_string().contains("--allow-outside"), "{refused}");
    let options = LoadOptions { allow_outside: true, ..Default::default() };
    assert_eq!(scene::parse(&text, &scene_file, &options).expect("allowed").scene.bodies.len(), 1);
}

/// Parts with shapes of all kinds, materials and poses of their own.
#[test]
fn parts_read_back_bit_for_bit() {
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[material]]\nname = \"steel\"\n\
                [[material]]\nname = \"rubber\"\n[[friction]]\ncoefficient = 0.5\n[[body]]\nname = \"base\"\nmaterial = \"steel\"\nparts = [\n\
                { shape = { type = \"half_space\", normal = [0, 0.1, 1], offset = -2 } },\n\
                { shape = { type = \"box\", half_extents = [1, 1, 1] }, position = [0, 0, -2.5] },\n]\n\
                [[body]]\nname = \"tool\"\nmaterial = \"steel\"\ndensity = 7800\nposition = [0.1, 0.2, 0.3]\n\
                orientation = [0.5, 0.5, 0.5, 0.5]\nparts = [\n\
                { shape = { type = \"cylinder\", radius = 0.05, length = 0.3 }, material = \"rubber\", density = 900 },\n\
                { shape = { type = \"ellipsoid\", semi_axes = [0.1, 0.2, 0.07] }, position = [0, 0, 0.22] },\n\
                { shape = { type = \"polytope\", vertices = [[0, 0, -0.15], [0.1, 0, -0.3], [0, 0.1, -0.3], \
                [-0.1, -0.1, -0.3]] }, orientation = [0.8, 0, 0, 0.6] },\n]\n";
    let Loaded { scene, notes, .. } = parse(text, Path::new("tool.toml"));
    assert!(notes.is_empty(), "{notes:?}");
    let tool = &scene.bodies[1];
    assert_eq!(tool.parts.iter().map(|part| part.material).collect::<Vec<_>>(), [1, 0, 0]);
    // Points of a polytope are about the origin of the part: the tip touches the end of the cylinder.
    let Shape::Polytope(p) = &tool.parts[2].shape else { panic!("{:?}", tool.parts[2].shape) };
    let tip = tool.parts[2].pose.point(&p.vertices[0]) - tool.parts[0].pose.position;
    assert!((tip - V::new(0.0, 0.0, -0.15)).norm() < 1e-15, "{tip:?}");
    let moment: V = tool
        .parts
        .iter()
        .zip([900.0, 7800.0, 7800.0])
        .map(|(part, density)| {
            let volume = signorini_geometry::mass_properties::volume(&part.shape).expect("a volume");
            part.pose.position * volume * density
        })
        .sum();
    assert!(moment.norm() < 1e-12, "{moment:?}");
    let written = scene::to_toml(&scene);
    let again = parse(&written, Path::new("tool.toml")).scene;
    assert_eq!(again, scene, "{written}");
}

/// A tetrahedron in glTF of triangle strips, with a repeated corner, and of a fan with a triangle.
#[test]
fn gltf_may_have_strips_and_fans() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = [[0.0f32, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let strip = [0u16, 2, 1, 3, 0, 2, 2];
    let fan = [3u16, 0, 1, 2, 0, 0, 2, 1];
    let numbers = places.as_flattened().iter().flat_map(|x| x.to_le_bytes());
    let numbers = numbers.chain(strip.into_iter().chain(fan).flat_map(u16::to_le_bytes)).collect::<Vec<_>>();
    fs::write(folder.path().join("numbers.bin"), &numbers).expect("written");
    let indices = |at: usize, count: usize| {
        format!(
            r#"{{"bufferView": 1, "byteOffset": {}, "componentType": 5123, "count": {count}, "type": "SCALAR"}}"#,
            2 * at
        )
    };
    let part = |accessor: usize, mode: usize| {
        format!(r#"{{"attributes": {{"POSITION": 0}}, "indices": {accessor}, "mode": {mode}}}"#)
    };
    for (name, parts) in [("strip", part(1, 5)), ("fan", format!("{}, {}", part(2, 6), part(3, 4)))] {
        let model = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{parts}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
            "min": [0, 0, 0], "max": [2, 2, 2]}}, {}, {}, {}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 30}}],
            "buffers": [{{"byteLength": 78, "uri": "numbers.bin"}}]}}"#,
            indices(0, 7),
            indices(7, 5),
            indices(12, 3)
        );
        fs::write(folder.path().join("part.gltf"), model).expect("written");
        let shape = body("part", "type = \"mesh\", file = \"part.gltf\"", "density = 3");
        let text = format!("{HEAD}{shape}");
        let scene = scene::parse(&text, &folder.path().join("scene.toml"), &LoadOptions::default());
        let part = scene.unwrap_or_else(|e| panic!("{name}: {e}")).scene.bodies[0].clone();
        assert!((part.mass - 4.0).abs() < 1e-12, "{name}: {}", part.mass);
    }
}

/// A tetrahedron in glTF, whose numbers are in two files beside it: f32 of three corners and the origin, and
/// u16 of four faces.
#[test]
fn gltf_may_have_its_numbers_in_files_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    fs::create_dir(folder.path().join("part")).expect("a folder");
    let places = [[0.0f32, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    let faces = [[0u16, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    write(
        "part/places here.bin",
        &places.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>(),
    );
    write("part/faces.bin", &faces.as_flattened().iter().flat_map(|k| k.to_le_bytes()).collect::<Vec<_>>());
    let model = |faces: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
            "min": [0, 0, 0], "max": [2, 2, 2]}},
            {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
            "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 1, "byteLength": 24}}],
            "buffers": [{{"byteLength": 48, "uri": "places%20here.bin"}}, {{"byteLength": 24, "uri": "{faces}"}}]}}"#
        )
    };
    write("part/part.gltf", model("faces.bin").as_bytes());
    write("part/outside.gltf", model("../../faces.bin").as_bytes());
    write("part/absent.gltf", model("absent.bin").as_bytes());
    let read = |name: &str| {
        let text = format!(
            "{HEAD}{}",
            body("part", &format!("type = \"mesh\", file = \"part/{name}\""), "density = 3")
        );
        scene::parse(&text, &folder.path().join("scene.toml"), &LoadOptions::default())
    };
    let part = read("part.gltf").expect("a tetrahedron").scene.bodies[0].clone();
    assert!((part.mass - 4.0).abs() < 1e-12, "{}", part.mass);
    for (name, said) in
        [("outside", "outside the scene's folder"), ("absent", "\"absent.bin\" cannot be read")]
    {
        let fault = read(&format!("{name}.gltf")).map(|_| ()).expect_err("refused").to_string();
        assert!(fault.contains(said) && fault.contains("its buffer"), "{fault}");
    }
}
