//! What a user reads, as a whole: reports and messages of many lines. After a change that is meant:
//! `INSTA_UPDATE=always cargo test --release --test cli texts`, and read the difference.

use super::Bench;
use insta::assert_snapshot;
use std::fs;

const GOOD: &str = r#"
format = 1
[simulation]
step = 0.01
duration = 0.1
[[friction]]
coefficient = 0.5
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "ball"
mass = 1
position = [0, 0, 0.1]
shape = { type = "sphere", radius = 0.1 }
"#;

const BAD: &str = r#"
format = 1
[simulation]
step = -0.01
duration = 1
[[friction]]
coefficient = -0.5
[[body]]
name = "ball"
mass = 0
shape = { type = "sphere", radius = nan }
[[body]]
name = "ball"
mass = 1
position = [0, 0, 5]
shape = { type = "box", half_extents = [0.1, -0.1, 0.1] }
[[joint]]
name = "pin"
type = "ball"
between = ["ball", "nobody"]
anchor = [0, 0, 0]
"#;

fn bench(text: &str) -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), text).expect("a writable folder");
    bench
}

#[test]
fn a_scene_is_summarised() {
    let output = bench(GOOD).call(&["check", "scene.toml"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_snapshot!(text, @r"
    bodies      2 (1 fixed)
      ellipsoid    1 moving, 0 fixed
      half-space   0 moving, 1 fixed
    materials   1 (default)
    mass        1 kg in all, each 1 to 1 kg
    sizes       0.1 to 0.1 m
    gravity     (0, 0, -9.81) m/s²
    loads       0 impulses, 0 timed forces
    steps       10 of 0.01 s, 0.1 s in all
    solver      Implicit, tolerance 1e-8, gyroscopic Exact, seed 0
    ");
}

#[test]
fn all_faults_of_a_scene_are_listed() {
    let text = bench(BAD).expect(&["check", "scene.toml"], 2);
    assert_snapshot!(text, @r#"
    error: scene.toml: simulation: step = -0.01: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml: body[0] "ball": shape.radius = NaN: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml: body[0] "ball": mass = 0.0: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml: body[1] "ball": shape.half_extents = [0.1, -0.1, 0.1]: must be three finite numbers > 0 (1e-15 to 1e15)
    scene.toml: body[1] "ball": name = "ball": must be unique among the bodies
    scene.toml: joint[0] "pin": between = "nobody": no such body; known: "ball"
    scene.toml: friction[0]: coefficient = -0.5: must be a finite number ≥ 0 (at most 1e12)
    "#);
}
