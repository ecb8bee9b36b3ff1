//! Piles of bodies of several boxes, which catch each other with their grooves.

use support::runs::{Run, from_text};

/// 24 angles and crosses of boxes fall into a box.
fn fall(seed: u64, tolerance: f64) {
    let cube = |half: [f64; 3], at: [f64; 3]| {
        format!("{{ shape = {{ type = \"box\", half_extents = {half:?} }}, position = {at:?} }}")
    };
    let angle =
        [cube([0.065, 0.02, 0.02], [0.0; 3]), cube([0.02, 0.02, 0.0325], [0.045, 0.0, 0.0525])].join(", ");
    let arm = |y: f64| cube([0.024, 0.03, 0.024], [0.0, y, 0.0]);
    let cross = [cube([0.07, 0.024, 0.024], [0.0; 3]), arm(0.054), arm(-0.054)].join(", ");
    let mut run = Run::new(from_text(&format!(
        "format = 1
simulation = {{ time_step = 0.005, duration = 0.9, seed = {seed} }}
solver = {{ tolerance = {tolerance:e} }}
friction = [{{ coefficient = 0.2, ellipsoid = {{ r = 0.01 }} }}]
[[container]]
name = \"box\"
size = [0.48, 0.48, 20]
[[fill]]
name = \"knot\"
count = 24
density = 1000
shapes = [{{ parts = [{angle}] }}, {{ parts = [{cross}] }}]
region = {{ min = [-0.23, -0.23, 0.01], max = [0.23, 0.23, 1.2] }}
"
    )));
    run.run_to_the_end();
}

/// By sweeps: every step is solved and green.
#[test]
fn knots_are_solved_in_flat_arrays() {
    fall(1, 1e-4);
    fall(6, 1e-3);
}

/// By Newton's method: an edge that crosses the rim of a face beside a corner of a groove does not push along
/// the side that another part covers.
#[test]
fn knots_are_solved_by_newtons_method() {
    fall(1, 9e-5);
}
