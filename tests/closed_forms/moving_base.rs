//! Joints to bodies with prescribed motion: what happens does not depend on the speed of the base, and an
//! armature resists turns and slides against the base, however that moves.

use crate::impacts::{FLOOR, ball};
use support::runs::{Run, from_text};

/// A slider of 2 kg on a driven base along x, and bodies beside it.
fn scene(course: &str, joint: &str, bodies: &str, duration: f64) -> Run {
    Run::new(from_text(&format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = {duration}\ngravity = [0, 0, 0]\n\
         [solver]\nimpact_phase = true\ntolerance = 1e-8\n[[friction]]\ncoefficient = 0\nrestitution = 0.5\n{}\
         [[motion]]\nbody = \"floor\"\ndirection = [1, 0, 0]\n{course}\n{bodies}\
         [[joint]]\nname = \"slide\"\ntype = \"prismatic\"\nbetween = [\"floor\", \"slider\"]\n\
         axis = [1, 0, 0]\n{joint}\n",
        FLOOR.replace("offset = 0", "offset = -1")
    )))
}

/// Speeds against the base of the slider and of a ball of its mass, which strikes it at 1 m/s.
fn after_strike(speed: f64, joint: &str) -> [f64; 2] {
    let course = format!("velocity = {{ type = \"constant\", value = {speed:?} }}");
    let bodies = ball("slider", 0.0, 0.0, [speed, 0.0]) + &ball("ball", 0.255, 0.0, [speed - 1.0, 0.0]);
    let mut run = scene(&course, joint, &bodies, 0.2);
    run.run_to_the_end();
    ["slider", "ball"].map(|name| run.velocity(name).linear.x - speed)
}

/// An armature of the slider's mass doubles it; a limit holds the slider as a wall does.
#[test]
fn impacts_do_not_depend_on_the_speed_of_the_base() {
    for (joint, expected) in [("armature = 2", [-0.5, 0.0]), ("slide_limits = [0, 1]", [0.0, 0.5])] {
        for speed in [0.0, 1.0, -1.0] {
            let found = after_strike(speed, joint);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-7, "{joint} at {speed} m/s: {found}, not {expected}");
            }
        }
    }
}

/// m v̇ = −A (v̇ − v̇_base): a free slider with an armature of its mass follows half of each change of the
/// base's velocity.
#[test]
fn an_armature_feels_how_its_base_accelerates() {
    let course = "position = { type = \"sine\", amplitude = 0.1, frequency = 2 }";
    let mut run = scene(course, "armature = 2", &ball("slider", 0.0, 0.0, [0.0; 2]), 1.0);
    let base = run.velocity("floor").linear.x;
    assert!(base > 1.2, "the base starts at {base} m/s");
    for _ in 0..run.scene().n_steps() {
        run.advance();
        let followed = 0.5 * (run.velocity("floor").linear.x - base);
        let found = run.velocity("slider").linear.x;
        assert!((found - followed).abs() < 1e-7, "{found} m/s, not {followed}");
    }
}
