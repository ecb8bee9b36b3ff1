//! Meshes that become several convex parts.

use nalgebra::Vector3;
use signorini_geometry::Shape;
use signorini_scene::scene::{self, LoadOptions, Loaded};
use std::fmt::Write as _;
use std::path::Path;
use tempfile::TempDir;

type V = Vector3<f64>;

/// A prism over a polygon (counter-clockwise) of the plane of x and y, as an object of an .obj file whose
/// vertices before it are `before`.
fn prism(name: &str, polygon: &[[f64; 2]], height: [f64; 2], before: usize) -> String {
    let (n, mut text) = (polygon.len(), format!("o {name}\n"));
    for z in height {
        for [x, y] in polygon {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
    }
    let face = |corners: Vec<usize>| {
        let listed: Vec<String> = corners.iter().map(|c| (c + 1 + before).to_string()).collect();
        format!("f {}\n", listed.join(" "))
    };
    for k in 0..n {
        let next = (k + 1) % n;
        text += &face(vec![k, next, n + next, n + k]);
    }
    text
}

/// A prism as [`prism`] with both ends, cut into convex polygons of its corners.
fn closed(name: &str, polygon: &[[f64; 2]], height: [f64; 2], ends: &[&[usize]], before: usize) -> String {
    let (n, mut text) = (polygon.len(), prism(name, polygon, height, before));
    for end in ends {
        let listed = |of: &mut dyn Iterator<Item = usize>| {
            of.map(|c| (c + 1 + before).to_string()).collect::<Vec<_>>().join(" ")
        };
        let _ = writeln!(text, "f {}", listed(&mut end.iter().rev().copied()));
        let _ = writeln!(text, "f {}", listed(&mut end.iter().map(|c| n + c)));
    }
    text
}

/// An L of three squares of 0.1 m, 0.1 m thick.
fn l_shape() -> String {
    let corners =
        [[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [0.2, 0.1], [0.1, 0.1], [0.1, 0.2], [0.0, 0.2], [0.0, 0.1]];
    closed("l", &corners, [0.0, 0.1], &[&[0, 1, 4, 7], &[1, 2, 3, 4], &[7, 4, 5, 6]], 0)
}

fn square(name: &str, low: [f64; 2], before: usize) -> String {
    let [x, y] = low;
    let corners = [[x, y], [x + 0.1, y], [x + 0.1, y + 0.1], [x, y + 0.1]];
    closed(name, &corners, [0.0, 0.1], &[&[0, 1, 2, 3]], before)
}

fn load(folder: &TempDir, shape: &str, lines: &str) -> signorini::Result<Loaded> {
    let text = format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[body]]\nname = \"part\"\n{lines}\n\
         shape = {{ type = \"mesh\", {shape} }}\n"
    );
    scene::parse(&text, &folder.path().join("scene.toml"), &LoadOptions::default())
}

fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
    folder
}

fn volume(shape: &Shape) -> f64 {
    match shape {
        Shape::Polytope(p) => p.volume,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_l_becomes_parts_that_weigh_what_the_mesh_does() {
    let folder = folder(&[("l.obj", l_shape())]);
    let shape = "file = \"l.obj\", convex = \"decompose\"";
    let Loaded { scene, notes, .. } =
        load(&folder, shape, "density = 1000\nposition = [1, 2, 3]").expect("a scene");
    let l = &scene.bodies[0];
    assert!(l.parts.len() >= 2, "{} parts", l.parts.len());
    assert!((l.mass - 3.0).abs() < 1e-12, "{}", l.mass);
    // Its place is that of the centre of mass, (1/12, 1/12, 1/20) in the file.
    assert_eq!(l.pose.position, V::new(1.0, 2.0, 3.0));
    let corner = V::new(-1.0 / 12.0, -1.0 / 12.0, -0.05);
    let corners = l.parts.iter().flat_map(|part| match &part.shape {
        Shape::Polytope(p) => p.vertices.iter().map(|v| part.pose.point(v)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    });
    let low = corners.fold(V::repeat(f64::INFINITY), |low, p| low.inf(&p));
    assert!((low - corner).norm() < 1e-9, "{low:?}");
    let together: f64 = l.parts.iter().map(|part| volume(&part.shape)).sum();
    assert!((together / 3e-3 - 1.0).abs() < 0.02, "{together}");
    assert!(notes.iter().any(|n| n.contains("convex parts") && n.contains("% off")), "{notes:?}");
    // The moment about z of squares about the common centre.
    let about = |at: V| 1.0 * (0.02 / 12.0) + at.xy().norm_squared();
    let squares = [[0.05, 0.05], [0.15, 0.05], [0.05, 0.15]];
    let exact: f64 = squares.iter().map(|s| about(V::new(s[0], s[1], 0.0) + corner)).sum();
    assert!((l.inertia.m33 - exact).abs() < 1e-12, "{} not {exact}", l.inertia.m33);
    let written = scene::to_toml(&scene);
    let again = scene::parse(&written, Path::new("l.toml"), &LoadOptions::default()).expect("a scene").scene;
    assert_eq!(again, scene);
}

#[test]
fn a_convex_mesh_stays_one_part() {
    let folder = folder(&[("cube.obj", square("cube", [0.0, 0.0], 0))]);
    let shape = "file = \"cube.obj\", convex = \"decompose\", resolution = 32";
    let scene = load(&folder, shape, "mass = 2").expect("a scene").scene;
    let cube = &scene.bodies[0];
    assert_eq!(cube.parts.len(), 1);
    assert!((volume(&cube.parts[0].shape) - 1e-3).abs() < 1e-12 && cube.mass == 2.0);
}

#[test]
fn pieces_come_from_the_objects_of_a_file_or_from_a_folder() {
    let two = square("a", [0.0, 0.0], 0) + &square("b", [0.1, 0.0], 8);
    let files = [
        ("two.obj", two),
        ("both/1.obj", square("a", [0.0, 0.0], 0)),
        ("both/2.obj", square("b", [0.1, 0.0], 0)),
        ("both/notes.txt", "not a mesh".to_owned()),
    ];
    let folder = folder(&files);
    let of = |file: &str| {
        let shape = format!("file = \"{file}\", convex = \"pieces\"");
        load(&folder, &shape, "density = 1000").expect("a scene").scene.bodies.remove(0)
    };
    let found = of("two.obj");
    assert_eq!(found, of("both"));
    assert_eq!(found.parts.len(), 2);
    assert!((found.mass - 2.0).abs() < 1e-12);
    for (part, x) in found.parts.iter().zip([-0.05, 0.05]) {
        assert!((part.pose.position - V::new(x, 0.0, 0.0)).norm() < 1e-15, "{:?}", part.pose.position);
    }
}

/// The prism inside out: every face runs the other way.
fn turned(object: &str) -> String {
    let turned = |line: &str| match line.strip_prefix("f ") {
        Some(corners) => format!("f {}\n", corners.split(' ').rev().collect::<Vec<_>>().join(" ")),
        None => format!("{line}\n"),
    };
    object.lines().map(turned).collect()
}

#[test]
fn pieces_may_be_inside_out() {
    let two = square("a", [0.0, 0.0], 0) + &square("b", [0.1, 0.0], 8);
    let mixed = turned(&square("a", [0.0, 0.0], 0)) + &square("b", [0.1, 0.0], 8);
    let folder = folder(&[("two.obj", two), ("mixed.obj", mixed)]);
    let [plain, mixed] = ["two.obj", "mixed.obj"].map(|file| {
        let shape = format!("file = \"{file}\", convex = \"pieces\"");
        load(&folder, &shape, "density = 1000").expect("a scene").scene
    });
    let (plain, mixed) = (&plain.bodies[0], &mixed.bodies[0]);
    assert!((plain.mass - mixed.mass).abs() < 1e-12 && (plain.inertia - mixed.inertia).norm() < 1e-13);
    for (a, b) in plain.parts.iter().zip(&mixed.parts) {
        assert!(
            (a.pose.position - b.pose.position).norm() < 1e-15 && (volume(&a.shape) - 1e-3).abs() < 1e-15
        );
    }
}

#[test]
fn pieces_that_overlap_are_told() {
    let apart = square("a", [0.0, 0.0], 0) + &square("b", [0.1, 0.0], 8) + &square("c", [0.3, 0.0], 16);
    let over = square("a", [0.0, 0.0], 0) + &square("b", [0.06, 0.0], 8) + &square("c", [0.3, 0.0], 16);
    let folder = folder(&[("apart.obj", apart), ("over.obj", over)]);
    let notes = |file: &str| {
        let shape = format!("file = \"{file}\", convex = \"pieces\"");
        load(&folder, &shape, "density = 1000").expect("a scene").notes.join("\n")
    };
    assert!(!notes("apart.obj").contains("overlap"), "{}", notes("apart.obj"));
    let told = "1 pairs of pieces overlap, \"b\" and \"a\" by 4";
    assert!(
        notes("over.obj").contains(told) && notes("over.obj").contains("weighed twice"),
        "{}",
        notes("over.obj")
    );
}

/// A bow tie encloses as much with either sign; two cubes that extend into each other hold a part twice.
#[test]
fn meshes_that_cross_themselves_are_refused_or_told() {
    let bow = [[0.0, 0.0], [0.1, 0.1], [0.1, 0.0], [0.0, 0.1]];
    let bow = closed("bow", &bow, [0.0, 0.1], &[&[0, 1, 2], &[0, 2, 3]], 0);
    let and = |low: [f64; 2]| square("a", [0.0, 0.0], 0) + &square("b", low, 8).replace("o b\n", "");
    let files = [("bow.obj", bow), ("row.obj", and([0.05, 0.0])), ("corner.obj", and([0.07, 0.07]))];
    let folder = folder(&files);
    let shape = |file: &str, convex: &str| format!("file = \"{file}\", convex = \"{convex}\"");
    for (file, convex, said) in [
        ("bow.obj", "decompose", "encloses no volume"),
        ("bow.obj", "pieces", "fills 0.0000 of its convex hull"),
        ("row.obj", "decompose", "encloses 1.3333 of the volume of its convex hull"),
        ("row.obj", "pieces", "fills 1.3333 of its convex hull"),
        ("corner.obj", "pieces", "of its convex hull"),
    ] {
        let error = load(&folder, &shape(file, convex), "density = 1").expect_err("refused").to_string();
        assert!(error.contains("body[0] \"part\": shape.file = ") && error.contains(said), "{error}");
    }
    let notes = load(&folder, &shape("corner.obj", "decompose"), "density = 1").expect("a scene").notes;
    assert!(notes.iter().any(|note| note.contains("crosses itself")), "{notes:?}");
}

/// Triangles without an area or that are there twice do not keep a mesh from being closed.
#[test]
fn triangles_too_many() {
    let cube = square("cube", [0.0, 0.0], 0);
    let files =
        [("flat.obj", format!("{cube}f 1 1 2\nf 3 3 3\n")), ("twice.obj", format!("{cube}f 4 3 2 1\n"))];
    let folder = folder(&files);
    for convex in ["decompose", "pieces", "hull"] {
        let of = |file: &str| {
            load(&folder, &format!("file = \"{file}\", convex = \"{convex}\""), "density = 1000")
        };
        let scene = of("flat.obj").expect("a scene").scene;
        assert!((scene.bodies[0].mass - 1.0).abs() < 1e-12, "{}", scene.bodies[0].mass);
        let twice = of("twice.obj").expect("a scene");
        assert!((twice.scene.bodies[0].mass - 1.0).abs() < 1e-12);
        let told = twice.notes.iter().any(|note| note.contains("2 that were there before were left out"));
        assert!(told || convex == "pieces", "{convex}: {:?}", twice.notes);
    }
}

/// `ten.stl`, as long as a file of ten million triangles.
fn ten_million(folder: &TempDir) {
    let file = std::fs::File::create(folder.path().join("ten.stl")).expect("created");
    file.set_len(84 + 50 * 10_000_000).expect("a sparse file");
}

#[test]
fn bad_meshes_are_refused() {
    let open = prism("open", &[[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]], [0.0, 0.1], 0);
    let flat = square("flat", [0.0, 0.0], 0).replace(" 0.1\n", " 0\n");
    let files =
        [("l.obj", l_shape()), ("open.obj", open), ("flat.obj", flat), ("empty/notes.txt", String::new())];
    let folder = folder(&files);
    ten_million(&folder);
    for (shape, field, said) in [
        ("file = \"l.obj\", convex = \"pieces\"", "shape.file", "of its convex hull"),
        ("file = \"open.obj\", convex = \"pieces\"", "shape.file", "not closed"),
        ("file = \"open.obj\", convex = \"decompose\"", "shape.file", "not closed"),
        ("file = \"empty\", convex = \"pieces\"", "shape.file", "holds no mesh file"),
        ("file = \"flat.obj\", convex = \"pieces\"", "shape.file", "lie in a plane"),
        ("file = \"ten.stl\", convex = \"pieces\"", "shape.file", "at most 67108864"),
        ("file = \"ten.stl\", convex = \"decompose\"", "shape.file", "at most 67108864"),
        ("file = \"l.obj\", convex = \"decompose\", resolution = 4", "shape.resolution", "16 to 400"),
        ("file = \"l.obj\", convex = \"decompose\", concavity = 0", "shape.concavity", "1e-4 to 1"),
        ("file = \"l.obj\", convex = \"round\"", "shape.convex", "hull"),
    ] {
        let error = load(&folder, shape, "density = 1").expect_err("refused").to_string();
        assert!(
            error.contains(&format!("body[0] \"part\": {field}")) && error.contains(said),
            "{shape}: {error}"
        );
    }
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[fill]]\nname = \"f\"\ncount = 2\ndensity = 1\n\
                region = { min = [0, 0, 0], max = [1, 1, 1] }\n\
                shape = { type = \"mesh\", file = \"l.obj\", convex = \"decompose\" }\n";
    let filled = scene::parse(text, &folder.path().join("scene.toml"), &LoadOptions::default());
    let filled = filled.expect("a fill of bodies of several parts").scene;
    let alone =
        load(&folder, "file = \"l.obj\", convex = \"decompose\"", "density = 1").expect("a body").scene;
    assert!((filled.bodies[0].mass / alone.bodies[0].mass - 1.0).abs() < 1e-12);
    assert_eq!(filled.bodies[1].parts.len(), alone.bodies[0].parts.len());
}
