//! Universal and planar joints against the motions that they leave free.

use super::{body, head, joint};
use nalgebra::Vector3;
use support::runs::{Run, exact_from_text};

/// Turns about the first axis as a hinge does: the second one swings along.
#[test]
fn a_universal_joint_is_a_hinge_about_either_axis() {
    for (spin, axes) in [
        ([0.0, 2.0, 0.0], "axis = [0, 1, 0]\nsecond_axis = [0, 0, 1]"),
        ([0.0, 2.0, 0.0], "axis = [0, 0, 1]\nsecond_axis = [0, 1, 0]"),
    ] {
        let scene = |kind: &str, axes: &str| {
            let speed = "angular_velocity = [0, 2, 0]\nvelocity = [0, 0, -0.8]\n";
            let text = head(0.002, 1.0)
                + &body("base", [0.05; 3], None, [0.0; 3])
                + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
                + speed
                + &joint("j", kind, ["base", "rod"], [0.0; 3], axes);
            exact_from_text(&text)
        };
        let mut crossed = Run::new(scene("universal", axes));
        let mut hinge = Run::new(scene("revolute", "axis = [0, 1, 0]"));
        for step in 0..300 {
            crossed.advance();
            hinge.advance();
            let off = crossed.state().poses[1].position - hinge.state().poses[1].position;
            assert!(off.norm() < 1e-7, "{spin:?} {axes}, step {step}: {off}");
        }
    }
}

/// No spin about the third direction passes, and the two axes stay at a right angle.
#[test]
fn a_universal_joint_bears_torque_across_its_axes() {
    let text = head(0.002, 1.0).replace("duration", "gravity = [0, 0, 0]\nduration")
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.0, 0.0, 0.0])
        + "torque = [0.3, 0, 0]\n"
        + &joint("j", "universal", ["base", "rod"], [0.0; 3], "axis = [0, 0, 1]\nsecond_axis = [0, 1, 0]");
    let mut run = Run::new(exact_from_text(&text));
    for _ in 0..200 {
        run.advance();
    }
    assert!(run.velocity("rod").angular.norm() < 1e-9);
    let borne = run.simulation.joints()[0].torque / 0.002;
    assert!((borne + Vector3::x() * 0.3).norm() < 1e-7, "{borne}");
}

/// A puck thrown along a tilted plane: it falls along it with g sin, spins on, and stays in it.
#[test]
fn a_planar_joint_is_a_frictionless_plane() {
    let (sin, cos) = (0.6, 0.8);
    let text = head(0.002, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("puck", [0.2, 0.2, 0.05], Some(2.0), [0.0; 3])
        + &format!("angular_velocity = [{:?}, 0, {:?}]\nvelocity = [0, 1, 0]\n", -3.0 * sin, 3.0 * cos)
        + "orientation = [0.9486832980505138, 0, -0.31622776601683794, 0]\n"
        + &joint("j", "planar", ["base", "puck"], [0.0; 3], &format!("axis = [{:?}, 0, {cos:?}]", -sin));
    let mut run = Run::new(exact_from_text(&text));
    for step in 1..=300 {
        run.advance();
        let t = 0.002 * f64::from(step);
        let place = run.state().poses[1].position;
        // Implicit Euler falls by g t (t + h)/2.
        let fallen = 9.81 * sin * t * (t + 0.002) / 2.0;
        let expected = Vector3::new(-cos * fallen, t, -sin * fallen);
        assert!((place - expected).norm() < 1e-8, "step {step}: {place} {expected}");
        let spin = run.velocity("puck").angular;
        assert!((spin - Vector3::new(-sin, 0.0, cos) * 3.0).norm() < 1e-7, "step {step}: {spin}");
    }
}
