//! Springs between points in models that make joints of them, against the recursion of implicit Euler.

use super::{body, head, joint};
use signorini_scene::scene::{JointKind, to_toml};
use support::runs::{Run, exact_from_text, from_text};

const H: f64 = 0.002;
const MASS: f64 = 2.0;

/// A cart on a rail along x, tied to a post 0.5 m behind it, in a formulation.
fn cart(formulation: &str) -> String {
    head(H, 1.0)
        + &format!("[solver]\nformulation = {formulation:?}\n")
        + &body("post", [0.05; 3], None, [-0.5, 0.0, 0.0])
        + &body("cart", [0.1, 0.05, 0.05], Some(MASS), [0.0; 3])
        + &joint("rail", "prismatic", ["post", "cart"], [0.0; 3], "axis = [1, 0, 0]")
        + "[[spring]]\nbetween = [\"post\", \"cart\"]\nstiffness = 300\ndamping = 12\nrest_length = 0.4\n"
        + "[[spring]]\nbetween = [\"post\", \"cart\"]\nstiffness = 0\n"
}

#[test]
fn a_spring_between_points_pulls_at_the_end_of_the_step() {
    let mut run = Run::new(exact_from_text(&cart("implicit")));
    let [_, spring] = &run.scene().joints[..] else { panic!("{:?}", run.scene().joints) };
    assert_eq!((spring.kind, spring.name.as_str(), spring.collide), (JointKind::Distance, "spring-0", true));
    assert!(run.scene().springs.is_empty() && run.scene().controls.is_empty());
    let (mut x, mut v) = (0.0_f64, 0.0_f64);
    for step in 0..500 {
        run.advance();
        // m (v⁺ − v)/h = −k (0.5 + x⁺ − 0.4) − c v⁺.
        let force = (-300.0 * (0.1 + x + H * v) - 12.0 * v) / (1.0 + (H * 300.0 + 12.0) * H / MASS);
        v += H * force / MASS;
        x += H * v;
        let record = run.simulation.joints()[1];
        let place = run.state().poses[1].position.x;
        assert!((place - x).abs() < 1e-8, "step {step}: {place} {x}");
        assert!((record.motor[0] / H - force).abs() < 1e-4, "step {step}: {record:?} {force}");
        assert!((record.coordinate[0].expect("driven") - 0.5 - x).abs() < 1e-8, "step {step}: {record:?}");
    }
    assert!((x + 0.1).abs() < 0.02, "{x}");
}

/// The resolved scene holds the joint in the place of the spring, and reads back; the compliant model keeps
/// the spring.
#[test]
fn springs_are_written_as_what_they_became() {
    let scene = from_text(&cart("implicit"));
    assert_eq!(from_text(&to_toml(&scene)), scene);
    let compliant = from_text(&cart("compliant"));
    assert_eq!((compliant.springs.len(), compliant.joints.len()), (2, 1));
}
