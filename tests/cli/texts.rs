//! Texts that a user reads, as a whole: reports and messages of many lines. After a change that is meant:
//! `INSTA_UPDATE=always cargo test --release --test cli texts`, and read the difference.

use super::Bench;
use insta::assert_snapshot;
use std::fs;

const GOOD: &str = r#"
format = 1
[simulation]
time_step = 0.01
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
time_step = -0.01
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
    bodies      2 (1 moving, 1 fixed)
      half_space   1 fixed
      sphere       1 moving
    mass        1 kg in all, each 1 to 1 kg
    sizes       0.1 to 0.1 m
    materials   1 (default)
    friction    1
      default / default: μ = 0.5, e_r of what touches, by friction[0], the default of all pairs
    gravity     (0, 0, -9.81) m/s²
    steps       10 of 0.01 s, 0.1 s in all
    solver      implicit, implicit-euler, tolerance 1e-4, gyroscopic exact, seed 0
    ");
}

/// A scene with something of everything.
const RICH: &str = r#"
format = 1
[simulation]
time_step = 0.01
duration = 0.1
[solver]
formulation = "compliant"
[[material]]
name = "steel"
stiffness = 1e6
dissipation_time = 0.001
[[material]]
name = "wood"
[[friction]]
coefficient = 0.5
[[friction]]
between = ["wood", "steel"]
coefficient = 0.3
ellipsoid = { t = 1.0, o = 0.5, r = 0.01 }
direction = [1, 0, 0]
[[container]]
name = "bin"
size = [4, 4, 4]
material = "steel"
[[fill]]
name = "grain"
count = 3
density = 500
material = "wood"
region = { min = [1, 1, 1], max = [2, 2, 2] }
shapes = [{ shape = { type = "sphere", radius = 0.05 } }, { shape = { type = "box", half_extents = [0.05, 0.05, 0.05] } }]
[[body]]
name = "crank"
shape = { type = "cylinder", radius = 0.1, length = 0.1 }
material = "steel"
position = [-1, 0, 1]
[[body]]
name = "rod"
shape = { type = "box", half_extents = [0.3, 0.05, 0.05] }
mass = 1
material = "steel"
position = [-1, 0.5, 1]
force = [0, 0, 2]
[[joint]]
name = "pin"
type = "revolute"
between = ["crank", "rod"]
anchor = [-1, 0, 1]
axis = [0, 0, 1]
angle_limits = [-1, 1]
[[motor]]
joint = "pin"
velocity = { type = "sine", amplitude = 2, frequency = 1 }
largest_force = 5
[[motion]]
body = "crank"
axis = [0, 0, 1]
velocity = { type = "constant", value = 3 }
[[exclude]]
between = ["crank", "rod"]
[[spring]]
between = ["crank", "rod"]
stiffness = 100
damping = 1
[[force]]
body = "rod"
from = 0
to = 0.05
torque = [0, 0, 1]
[[impulse]]
body = "rod"
time = 0.02
linear = [1, 0, 0]
"#;

#[test]
fn everything_in_a_scene_is_named() {
    let output = bench(RICH).call(&["check", "scene.toml"]);
    assert_eq!(String::from_utf8(output.stderr).expect("text"), "");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_snapshot!(text, @r#"
    bodies      10 (4 moving, 5 fixed, 1 with prescribed motion)
      box          1 moving
      cylinder     1 with prescribed motion
      container    "bin": 5 fixed walls
      fill         "grain": 3 moving, of sphere, box
    mass        2.262 kg in all, each 0.2618 to 1 kg
    sizes       0.05 to 0.1333 m
    materials   2 (steel, wood)
    friction    3
      steel / steel: μ = 0.5, e_r of what touches, by friction[0], the default of all pairs
      steel / wood: μ = 0.3, e_t = 1, e_o = 0.5, e_r = 0.01 m, t along (1, 0, 0) of wood, by friction[1]
      wood / wood: μ = 0.5, e_r of what touches, by friction[0], the default of all pairs
    soft        1
      steel: stiffness 1.000e6 N/m, dissipation time 0.001 s
    joints      1
      "pin": revolute between "crank" and "rod", angle -1 to 1 rad, motor on angle to 2 sin(2π 1 t) rad/s by at most 5 N m
    excluded    1
      "crank" and "rod" have no contact
    motions     1
      "crank": turns about (0, 0, 1) through (-1, 0, 1), velocity 3 rad/s
    springs     1
      "crank" to "rod": stiffness 100 N/m, damping 1 N s/m, length without force 0.5 m
    forces      2
      "rod": (0, 0, 2) N, always
      "rod": (0, 0, 1) N m, from 0 to 0.05 s
    impulses    1
      "rod": (1, 0, 0) N s, at 0.02 s
    gravity     (0, 0, -9.81) m/s²
    steps       10 of 0.01 s, 0.1 s in all
    solver      compliant, implicit-euler, tolerance 1e-4, gyroscopic exact, seed 0
    "#);
    // No names of the program's own.
    for name in ["Implicit", "polytope", "ellipsoid", "Sine", "Constant"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
}

#[test]
fn all_faults_of_a_scene_are_listed() {
    let text = bench(BAD).expect(&["check", "scene.toml"], 2);
    assert_snapshot!(text, @r#"
    error: 7 faults
    scene.toml:4:13: simulation: time_step = -0.01: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml:7:15: friction[0]: coefficient = -0.5: must be a finite number ≥ 0 (at most 1e12)
    scene.toml:10:8: body[0] "ball": mass = 0.0: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml:11:37: body[0] "ball": shape.radius = NaN: must be a finite number > 0 (1e-15 to 1e15)
    scene.toml:13:8: body[1] "ball": name = "ball": must be unique among the bodies
    scene.toml:16:40: body[1] "ball": shape.half_extents = [0.1, -0.1, 0.1]: must be three finite numbers > 0 (1e-15 to 1e15)
    scene.toml:20:11: joint[0] "pin": between = "nobody": no such body; known: "ball"
    "#);
}
