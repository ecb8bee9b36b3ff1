//! Meshes outside the folder of the scene.

use super::Bench;
use std::fs;

const SCENE: &str = r#"format = 1
[simulation]
step = 0.01
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
