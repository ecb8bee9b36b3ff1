//! Every number of a scene, replaced by every kind of strange number.

use signorini_geometry::Shape;
use signorini_scene::scene::{self, Body, LoadOptions};
use std::path::Path;

const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.1
duration = 3.0
gravity = [0.1, 0.2, 0.3]
seed = 12
[solver]
tolerance = 1e-7
max_iterations = 7
[[friction]]
coefficient = 0.7
[[friction]]
between = ["wood", "ash"]
coefficient = 0.3
ellipsoid = { t = 2.0, o = 0.5, r = 0.01 }
direction = [0.3, 0.4, 0.5]
[[body]]
name = "a"
material = "ash"
mass = 0.1
inertia = [0.3, 0.3, 0.4, 0.01, 0.02, 0.03]
shape_position = [0.1, 0.2, 0.3]
shape_orientation = [0.6, 0.8, 0.0, 0.0]
orientation = [0.1, 0.7, 0.1, 0.7]
position = [3.0, 3.1, 3.2]
velocity = [0.1, 0.2, 0.3]
angular_velocity = [1.1, 2.1, 3.1]
force = [4.1, 5.1, 6.1]
torque = [7.1, 8.1, 9.1]
shape = { type = "ellipsoid", semi_axes = [0.1, 0.2, 0.3] }
[[body]]
name = "b"
material = "wood"
density = 700.0
shape = { type = "sphere", radius = 0.1 }
[[body]]
name = "wall"
position = [0.1, 0.2, -3.1]
shape = { type = "half_space", normal = [0.1, 0.2, 1.1], offset = -5.1 }
[[body]]
name = "c"
density = 700.0
position = [0.1, 9.1, 3.1]
shape = { type = "cylinder", radius = 0.1, length = 0.3 }
[[body]]
name = "d"
density = 700.0
position = [0.1, -9.1, 3.1]
shape = { type = "box", half_extents = [0.1, 0.2, 0.3] }
[[body]]
name = "e"
density = 700.0
position = [9.1, 0.1, 3.1]
shape = { type = "polytope", vertices = [[0.1, 0.2, 0.3], [1.1, 0.2, 0.3], [0.1, 1.2, 0.3], [0.1, 0.2, 1.3], [0.9, 0.9, 1.1]] }
[[container]]
name = "box"
size = [20.1, 20.2, 20.3]
position = [0.1, 0.2, -10.1]
[[fill]]
name = "g"
count = 5
density = 1000.1
clearance = 0.001
velocity = [0.1, 0.2, 0.3]
region = { min = [5.1, 5.2, 1.1], max = [6.1, 6.2, 2.1] }
shapes = [{ shape = { type = "sphere", radius = 0.1 }, weight = 1.5 }]
scale = { type = "lognormal", sigma = 0.3, min = 0.5, max = 1.5 }
[[impulse]]
body = "a"
time = 0.3
linear = [1.1, 2.1, 3.1]
[[force]]
body = "a"
from = 0.1
to = 0.3
force = [1.1, 2.1, 3.1]
"#;

const STRANGE: &[&str] = &[
    "nan",
    "-nan",
    "inf",
    "-inf",
    "0",
    "0.0",
    "-0.0",
    "-1",
    "1e308",
    "-1e308",
    "5e-324",
    "1e-300",
    "1e14",
    "1e-14",
    "9223372036854775807",
    "-9223372036854775808",
    "1e12",
    "\"text\"",
    "true",
    "[]",
    "1979-05-27",
];

/// Start and end of every number in the text.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if " ,[]{}\n".contains(c) {
            if is_number(&text[start..at]) {
                found.push((start, at));
            }
            start = at + 1;
        }
    }
    found
}

fn is_sound(body: &Body) -> bool {
    let shape = match &body.parts[0].shape {
        Shape::Ellipsoid { semi_axes } => semi_axes.iter().all(|a| *a > 0.0 && a.is_finite()),
        Shape::HalfSpace { normal, offset } => (normal.norm() - 1.0).abs() < 1e-14 && offset.is_finite(),
        Shape::Polytope(p) => {
            p.volume > 0.0 && p.size.is_finite() && p.vertices.len() + p.faces.len() == p.edges.len() + 2
        }
        Shape::Bore { radius, .. } => *radius > 0.0 && radius.is_finite(),
        Shape::Cylinder { radius, half_length } | Shape::Capsule { radius, half_length } => {
            [*radius, *half_length].iter().all(|a| *a > 0.0 && a.is_finite())
        }
    };
    let moving = body.fixed || (body.mass > 0.0 && body.inertia.cholesky().is_some());
    let vectors = [body.pose.position, body.velocity.linear, body.velocity.angular, body.force, body.torque];
    shape
        && moving
        && body.mass.is_finite()
        && vectors.iter().all(|v| v.iter().all(|x| x.is_finite()))
        && (body.pose.orientation.norm() - 1.0).abs() < 1e-14
}

#[test]
fn no_number_makes_a_panic_or_an_unsound_scene() {
    let file = Path::new("bad.toml");
    let options = LoadOptions::default();
    scene::parse(SCENE, file, &options).unwrap_or_else(|e| panic!("{e}"));
    let places = numbers(SCENE);
    assert!(places.len() > 90, "{}", places.len());
    let (mut accepted, mut refused) = (0, 0);
    for (start, end) in places {
        for strange in STRANGE {
            let text = format!("{}{strange}{}", &SCENE[..start], &SCENE[end..]);
            match scene::parse(&text, file, &options) {
                Err(e) => {
                    refused += 1;
                    assert!(e.to_string().starts_with("bad.toml:"), "{e}");
                }
                Ok(loaded) => {
                    accepted += 1;
                    let line = SCENE[..start].lines().count();
                    assert!(loaded.scene.bodies.iter().all(is_sound), "line {line}: {strange}");
                    let again = scene::parse(&scene::to_toml(&loaded.scene), file, &options);
                    let again = again.unwrap_or_else(|e| panic!("line {line}: {strange}: {e}")).scene;
                    assert_eq!(format!("{again:?}"), format!("{:?}", loaded.scene), "line {line}: {strange}");
                }
            }
        }
    }
    // Zero is a good position and a bad mass: both happen, refusals more often.
    assert!(accepted > 200 && refused > 1000, "{accepted} accepted, {refused} refused");
}
