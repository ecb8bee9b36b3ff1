//! The literal formulation has joints too: it solves the same equations with other unknowns and another
//! Newton, so that both agree.

use super::{body, every_kind, head, joint};
use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Gyroscopic};
use support::runs::{Run, exact_from_text, shipped};

/// Runs both side by side; every step of both solved and green. The reactions of closed loops are not
/// `unique`.
fn assert_agreement(what: &str, scene: &Scene, n_steps: usize, unique: bool) {
    let mut scene = scene.clone();
    // The papers' system knows no other.
    scene.solver.gyroscopic = Gyroscopic::Implicit;
    let mut production = Run::new(scene.clone());
    let mut literal = scene;
    literal.solver.formulation = Formulation::Literal;
    let mut literal = Simulation::new(literal).unwrap_or_else(|e| panic!("{what}: {e}"));
    for step in 1..=n_steps {
        production.advance();
        let outcome = literal.advance();
        assert!(outcome.info.status.is_solved(), "{what}, step {step}: {:?}", outcome.info);
        let verdict = outcome.verdict.expect("judged");
        // The crank starts with a jerk: of impulses a million times p_ref only rounding is left.
        assert!(verdict.green, "{what}, step {step}: {verdict:?}");
        for (i, (p, q)) in production.state().poses.iter().zip(&literal.state().poses).enumerate() {
            let off = (p.position - q.position).norm() + p.orientation.angle_to(&q.orientation);
            assert!(off < 1e-7, "{what}, step {step}, body {i}: {off}");
        }
        for (p, q) in production.simulation.joints().iter().zip(literal.joints()).filter(|_| unique) {
            let size = 1e-6 * (p.force.norm() + p.torque.norm()).max(1e-3);
            assert!((p.force - q.force).norm() < size, "{what}, step {step}: {p:?} {q:?}");
            for k in 0..2 {
                assert!((p.motor[k] - q.motor[k]).abs() < size, "{what}, step {step}: {p:?} {q:?}");
                assert!((p.limit[k] - q.limit[k]).abs() < size, "{what}, step {step}: {p:?} {q:?}");
            }
        }
    }
}

#[test]
fn mechanisms_agree_with_the_literal_formulation() {
    for (name, unique) in [("double-pendulum", true), ("slider-crank", false), ("four-bar", false)] {
        assert_agreement(name, &shipped(&format!("seeds/{name}.toml")), 40, unique);
    }
}

/// Every kind of joint, with limits, motors and prescribed motions, between fixed, driven and free bodies.
#[test]
fn every_kind_agrees_with_the_literal_formulation() {
    for (what, text) in every_kind() {
        assert_agreement(&what, &exact_from_text(&text), 30, true);
    }
}

/// A mechanism that touches the floor.
#[test]
fn joints_and_contacts_agree_with_the_literal_formulation() {
    let text = head(0.002, 1.0).replace("coefficient = 0", "coefficient = 0.3")
        + "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n"
        + &body("base", [0.05; 3], None, [0.0, 0.0, 0.5])
        + &body("rod", [0.2, 0.04, 0.04], Some(1.0), [0.25, 0.0, 0.5])
        + &body("bob", [0.06, 0.05, 0.04], Some(0.5), [0.5, 0.0, 0.3])
        + &joint("hinge", "revolute", ["base", "rod"], [0.0, 0.0, 0.5], "axis = [0, 1, 0]")
        + &joint("pin", "ball", ["rod", "bob"], [0.45, 0.0, 0.5], "");
    assert_agreement("over a floor", &exact_from_text(&text), 150, true);
}
