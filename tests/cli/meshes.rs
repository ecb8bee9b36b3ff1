//! Meshes outside the folder of the scene.

use super::Bench;
use std::fs;

const SCENE: &str = r#"format = 1
[simulation]
time_step = 0.01
duration = 0.01
[[body]]
name = "part"
density = 1000
shape = { type = "mesh", file = "../part.obj" }
"#;
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn meshes_outside_are_taken_on_request_only() {
    let bench = Bench::new(1, 10);
    fs::create_dir(bench.path("inner")).unwrap();
    fs::write(bench.path("inner/scene.toml"), SCENE).unwrap();
    fs::write(bench.path("part.obj"), TETRAHEDRON).unwrap();
    let before = bench.listing();
    for command in ["run", "check"] {
        let message = bench.expect(&[command, "inner/scene.toml"], 2);
        assert!(message.contains("shape.file = \"../part.obj\": is outside the scene's folder"), "{message}");
        let output = bench.call(&[command, "inner/scene.toml", "--allow-outside"]);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!message.contains("outside"), "{message}");
        if command == "run" {
            assert!(bench.listing().is_superset(&before));
            let _ = fs::remove_dir_all(bench.path("out"));
        }
        assert_eq!(bench.listing(), before);
    }
}

/// Bodies of parts and surfaces that are none: exit code 2, one message with file, field and value, and
/// nothing is written.
#[test]
fn bad_parts_and_surfaces_end_with_code_2() {
    let bench = Bench::new(1, 10);
    let ten = fs::File::create(bench.path("ten.stl")).unwrap();
    ten.set_len(84 + 50 * 10_000_000).unwrap();
    fs::write(bench.path("open.obj"), &TETRAHEDRON[..TETRAHEDRON.len() - 8]).unwrap();
    let scene = |body: &str| {
        let head = SCENE.split("[[body]]").next().unwrap();
        let ball =
            "name = \"ball\"\nmass = 1\nposition = [0, 0, 5]\nshape = { type = \"sphere\", radius = 0.1 }";
        format!("{head}[[body]]\n{ball}\n[[body]]\n{body}\n")
    };
    let half_space = "{ shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 } }";
    let surface = "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]";
    for (body, said) in [
        (
            "name = \"p\"\ndensity = 1\nshape = { type = \"mesh\", file = \"open.obj\", convex = \"pieces\" }".to_owned(),
            "body[1] \"p\": shape.file = \"open.obj\": \"unnamed_object\": the surface is not closed",
        ),
        (
            "name = \"s\"\nshape = { type = \"surface\", thickness = 1, file = \"ten.stl\" }".to_owned(),
            "body[1] \"s\": shape.file = \"ten.stl\": has 500000084 bytes; at most 67108864 are read",
        ),
        (
            format!(
                "name = \"s\"\nshape = {{ type = \"surface\", thickness = 1, {surface}, triangles = [[0, 1, 2], [0, 1, 2], [1, 0, 2]] }}"
            ),
            "body[1] \"s\": shape.triangles = 3 triangles: the triangles around a corner of triangle 0 look in all",
        ),
        (
            format!("name = \"u\"\nfixed = false\nparts = [{half_space}, {half_space}]"),
            "body[1] \"u\": fixed = false: a half-space has no mass: it must be fixed",
        ),
        (
            "name = \"u\"\ndensity = 1\nparts = [{ shape = { type = \"box\", half_extents = [1, 0, 1] } }]".to_owned(),
            "body[1] \"u\": parts[0].shape.half_extents = [1.0, 0.0, 1.0]: must be three finite numbers > 0",
        ),
        (
            "name = \"ball\"\nfixed = true\nshape = { type = \"sphere\", radius = 0.1 }".to_owned(),
            "body[1] \"ball\": name = \"ball\": must be unique",
        ),
    ] {
        fs::write(bench.path("bad.toml"), scene(&body)).unwrap();
        let before = bench.listing();
        let message = bench.expect(&["run", "bad.toml"], 2);
        assert!(message.starts_with("error: bad.toml:") && message.contains(said), "{body}\n{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(bench.listing(), before);
    }
}
