//! Hollow cylinders: rings of staves that share edges and corners, on each other and in a tube.

use std::fmt::Write as _;
use support::runs::{Run, from_text};

/// The head of a scene: settings, and a tube on a floor.
fn head(friction: f64, tolerance: f64, [time_step, duration]: [f64; 2]) -> String {
    format!(
        "format = 1
simulation = {{ time_step = {time_step}, duration = {duration}, seed = 3 }}
solver = {{ tolerance = {tolerance:e} }}
friction = [{{ coefficient = {friction} }}]
[[body]]
name = \"tube\"
shape = {{ type = \"bore\", radius = 0.025 }}
[[body]]
name = \"floor\"
shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}
"
    )
}

const RING: &str = "{ type = \"hollow_cylinder\", radius = 0.005, inner_radius = 0.0025, length = 0.01 }";

/// Without friction, an edge between two staves lies on the ends of three of another ring: one row for each
/// place, and a step that Newton's method solves without halves.
#[test]
fn an_edge_between_staves_on_an_end_has_each_row_once() {
    let mut text = head(0.0, 1e-6, [5e-4; 2]);
    let rings = [
        (
            "leans",
            [0.0010870647549606983, -0.017504097190598977, 0.015061286777678594],
            [0.44839919935931793, -0.6853131176776472, -0.1282485010892828, -0.5593178083354919],
            [0.03327013299458769, -0.04001345989025676, 0.0018490984986349781],
            [6.204766421757503, 7.085086531080153, -2.273338022992064],
        ),
        (
            "stands",
            [-0.0011202349663289866, -0.018166416072897186, 0.005004186567149479],
            [0.59695150408493, 0.1896091340380533, 0.6812112644999435, 0.3790098826923482],
            [0.0005583427456091451, -0.0018243655703448704, 0.0004016229908259615],
            [0.3638369603825984, 0.11197096937286026, 0.001469074066659678],
        ),
    ];
    for (name, at, turn, velocity, spin) in rings {
        let _ = writeln!(
            text,
            "[[body]]\nname = \"{name}\"\ndensity = 1500\nshape = {RING}\nposition = {at:?}\norientation = \
             {turn:?}\nvelocity = {velocity:?}\nangular_velocity = {spin:?}"
        );
    }
    let info = Run::new(from_text(&text)).advance().info;
    assert!(info.status.is_solved() && info.n_substeps == 0, "{info:?}");
    assert!(info.iterations < 500, "{info:?}");
}

/// 40 rings fall into the tube and land on each other: every step is solved and green, and takes less than
/// a hundredth of the work that it may take, on average.
#[test]
fn rings_that_fall_into_a_tube_are_solved() {
    let mut text = head(0.4, 1e-2, [5e-4, 0.1]);
    let _ = writeln!(
        text,
        "[[fill]]\nname = \"ring\"\ncount = 40\ndensity = 1500\nshape = {RING}\nregion = {{ center = [0, 0, \
         0.068], radius = 0.0249, length = 0.126 }}"
    );
    let (mut run, mut work) = (Run::new(from_text(&text)), 0.0);
    for _ in 0..run.scene().n_steps() {
        work += run.advance().info.work;
    }
    assert!(work < 3.0, "{work} s of work");
}
