//! Surfaces of triangles: their files and tables, and inputs that are refused.

use signorini_scene::scene::{self, Body, LoadOptions, Loaded, Scene};
use std::fs;
use std::path::Path;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[friction]]\ncoefficient = 0.4\n\
                    [[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.05 }\nmass = 1\n\
                    position = [0, 0, 5]\n";
/// A roof of two squares with a ridge along y.
const ROOF: &str = "vertices = [[-1, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 1, 0], [0, 1, 1], [1, 1, 0]], \
                    triangles = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]";

fn with(shape: &str, more: &str) -> String {
    format!("{HEAD}[[body]]\nname = \"s\"\nshape = {{ type = \"surface\", {shape} }}\n{more}")
}

fn parse(text: &str) -> signorini::Result<Loaded> {
    scene::parse(text, Path::new("surfaces.toml"), &LoadOptions::default())
}

fn surface(shape: &str) -> (Body, Vec<String>) {
    let Loaded { scene, notes, .. } = parse(&with(shape, "")).unwrap_or_else(|e| panic!("{e}"));
    let written = scene::to_toml(&scene);
    assert_eq!(parse(&written).expect("a scene").scene, scene);
    (scene.bodies[1].clone(), notes)
}

#[test]
fn a_surface_is_a_fixed_body_of_a_part_for_each_triangle() {
    let (body, notes) = surface(&format!("thickness = 0.1, {ROOF}"));
    assert!(body.fixed && body.mass == 0.0 && body.kind() == "surface" && body.parts.len() == 4);
    assert!(notes.is_empty(), "{notes:?}");
    // Written as it was given, not as its parts.
    let written =
        scene::to_toml(&parse(&with(&format!("thickness = 0.1, {ROOF}"), "")).expect("a scene").scene);
    assert!(written.contains("triangles = ") && !written.contains("parts"), "{written}");
}

#[test]
fn a_surface_is_driven_like_any_body() {
    let motion =
        "[[motion]]\nbody = \"s\"\naxis = [0, 1, 0]\nvelocity = { type = \"constant\", value = 2.0 }\n";
    let scene = parse(&with(&format!("thickness = 0.1, {ROOF}"), motion)).expect("a scene").scene;
    assert!(scene.is_carried(1));
}

#[test]
fn files_may_be_open_and_are_repaired_aloud() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s.toml");
    // A square, a triangle of no area, and one that is there twice.
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0 0\nf 1 2 3\nf 1 3 4\nf 1 5 2\nf 3 4 1\n";
    fs::write(folder.path().join("s.obj"), obj).expect("written");
    fs::write(&file, with("thickness = 0.1, file = \"s.obj\", scale = 2", "")).expect("written");
    let Loaded { scene, notes, .. } =
        scene::load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let body = &scene.bodies[1];
    assert_eq!(body.parts.len(), 2);
    assert!((body.bounding_radius() - 8.0_f64.sqrt()).abs() < 0.5);
    let told = notes.join("\n");
    assert!(told.contains("1 triangles without an area and 1 that were there before"), "{told}");
    assert_eq!(parse(&scene::to_toml(&scene)).expect("a scene").scene, scene);
}

#[test]
fn thin_walls_make_cells_thinner_aloud() {
    // The two sides of a wall of 1 cm.
    let wall = "vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0.01, 0], [1, 0.01, 0], [0, 0.01, 1]], \
                triangles = [[0, 1, 2], [3, 5, 4]]";
    let (_, notes) = surface(&format!("thickness = 0.1, {wall}"));
    assert!(
        notes.join("\n").contains("behind 2 of 2 triangles the solid is less thick than 0.1 m"),
        "{notes:?}"
    );
}

#[test]
fn bad_surfaces_are_refused() {
    let good = format!("thickness = 0.1, {ROOF}");
    let compound = |part: &str| format!("{HEAD}[[body]]\nname = \"s\"\nfixed = true\nparts = [{part}]\n");
    let field = |name: &str| format!("body[1] \"s\": {name}");
    for (text, field, said) in [
        (with(&good.replace("0.1,", "0,"), ""), field("shape.thickness"), "> 0"),
        (with(&good.replace("0.1,", "1e-5,"), ""), field("shape.thickness"), "1e4 or more"),
        (
            with(&format!("thickness = 1, file = \"no.obj\", {ROOF}"), ""),
            field("shape.file"),
            "either a file",
        ),
        (with("thickness = 1", ""), field("shape.file"), "either a file"),
        (with("thickness = 1, file = \"no.obj\"", ""), field("shape.file"), "cannot be read"),
        (with("thickness = 1, file = \"no.txt\"", ""), field("shape.file"), ".obj, .stl"),
        (
            with(&good.replace("[0, 1, 4]", "[0, 1, 6]"), ""),
            field("shape.triangles"),
            "triangle 0 has a corner",
        ),
        (
            with(&good.replace("[0, 1, 4]", "[0, 4, 1]"), ""),
            field("shape.triangles"),
            "triangles 0 and 1 run along",
        ),
        (
            with(
                "thickness = 0.1, vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2], [0, 2, 1]]",
                "",
            ),
            field("shape.triangles"),
            "no place is behind them",
        ),
        // A triangle upright through the roof's first one.
        (
            with(
                &good
                    .replace("]], tri", "], [-0.5, 0.2, 0], [-0.5, 0.8, 0], [-0.5, 0.5, 2]], tri")
                    .replace("[1, 5, 4]]", "[1, 5, 4], [6, 7, 8]]"),
                "",
            ),
            field("shape.triangles"),
            "cuts triangle",
        ),
        (
            with(&good.replace("[0, 1, 4]", "[0, 1, -4]"), ""),
            field("shape.triangles[0][2]"),
            "a whole number, 0 to",
        ),
        (
            with(&good.replace("[0, 1, 4]", "[0, 1]"), ""),
            field("shape.triangles[0]"),
            "a list of 3 whole numbers, 0 to 4294967295",
        ),
        (
            with(&good.replace("[-1, 0, 0]", "[nan, 0, 0]"), ""),
            field("shape.triangles"),
            "vertex 0 is not finite",
        ),
        (with(&good, "mass = 2\n"), field("mass"), "a surface has none"),
        (with(&good, "fixed = false\n"), field("fixed"), "must be fixed"),
        (with(&good, "shape_position = [0, 0, 1]\n"), field("shape_position"), "frame of the body"),
        (
            with("thickness = 0.1, vertices = [[0, 0, 0]]", ""),
            field("shape.triangles"),
            "no triangle has an area",
        ),
        (
            compound(&format!("{{ shape = {{ type = \"surface\", {good} }} }}")),
            field("parts[0].shape"),
            "a surface is the shape of a body",
        ),
    ] {
        let error = parse(&text).expect_err("refused").to_string();
        assert!(error.contains(&format!("{field} = ")) && error.contains(said), "{text}\n{error}");
        // The stand-in of a refused surface is not judged.
        assert_eq!(error.lines().count(), 1, "{text}\n{error}");
    }
}

/// Ten million triangles: in a file of that length, in an .obj file that is short enough, in the scene file.
#[test]
fn too_many_triangles_are_refused_before_they_cost_much() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = fs::File::create(folder.path().join("ten.stl")).expect("created");
    file.set_len(84 + 50 * 10_000_000).expect("a sparse file");
    let faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned() + &"f 1 2 3\n".repeat(500_001);
    fs::write(folder.path().join("many.obj"), faces).expect("written");
    let listed = |n: usize| {
        format!("vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [{}]", "[0, 1, 2],".repeat(n))
    };
    for (shape, said) in [
        ("file = \"ten.stl\"".to_owned(), "has 500000084 bytes; at most 67108864 are read"),
        ("file = \"many.obj\"".to_owned(), "has 500001 triangles; at most 500000 are taken"),
        (listed(500_001), "has 500001 triangles; at most 500000 are taken"),
        (listed(5_000_000), "more than 10000000 values: give large meshes as files"),
    ] {
        let text = with(&format!("thickness = 0.1, {shape}"), "");
        let error = scene::parse(&text, &folder.path().join("s.toml"), &LoadOptions::default());
        let error = error.expect_err("refused").to_string();
        assert!(error.contains(said) && error.lines().count() == 1, "{error}");
    }
}

/// A body that lies in a surface is reported, and is moved out on request.
#[test]
fn overlaps_with_a_surface_are_found_and_resolved() {
    let text = with(&format!("thickness = 0.3, {ROOF}"), "").replace("[0, 0, 5]", "[-0.5, 0.5, 0.55]");
    let error = parse(&text).expect_err("overlapping").to_string();
    assert!(error.contains("\"ball\"") && error.contains("\"s\""), "{error}");
    let options = LoadOptions { separate: true, ..LoadOptions::default() };
    let scene: Scene = scene::parse(&text, Path::new("s"), &options).unwrap_or_else(|e| panic!("{e}")).scene;
    let at = scene.bodies[0].pose.position;
    let height = (at.z - (at.x + 1.0)) / 2.0_f64.sqrt();
    assert!((0.05..0.0501).contains(&height), "{at:?}");
}
