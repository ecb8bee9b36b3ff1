//! Motors, limits and prescribed motion of joints and bodies.

use super::{body, head, joint};
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Formulation;
use support::runs::{self, Run, exact_from_text};

/// A slide along x driven by a motor of 2 N towards 1 m/s: 2 m/s² until it gets there, then no force; a wall
/// at 0.3 m.
fn motor(limits: &str) -> String {
    head(0.001, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("cart", [0.1, 0.05, 0.05], Some(1.0), [0.0, 0.0, 0.0])
        + &joint("rail", "prismatic", ["base", "cart"], [0.0; 3], &format!("axis = [1, 0, 0]\n{limits}"))
        + "[[motor]]\njoint = \"rail\"\nlargest_force = 2\nvelocity = { type = \"constant\", value = 1 }\n"
}

#[test]
fn a_motor_is_bounded_and_then_holds_its_speed() {
    let mut run = Run::new(exact_from_text(&motor("")));
    for step in 1..=1000 {
        run.advance();
        let (speed, force) = (run.velocity("cart").linear.x, run.simulation.joints()[0].motor[0] / 0.001);
        let expected = (0.002 * f64::from(step)).min(1.0);
        assert!((speed - expected).abs() < 1e-7, "step {step}: {speed}");
        let expected = if step <= 500 { 2.0 } else { 0.0 };
        assert!((force - expected).abs() < 1e-5, "step {step}: {force} N");
    }
}

#[test]
fn a_limit_stops_the_motor_and_bears_it() {
    let mut run = Run::new(exact_from_text(&motor("slide_limits = [-1, 0.1]")));
    let mut most = 0.0_f64;
    for _ in 0..1000 {
        run.advance();
        most = most.max(run.state().poses[1].position.x);
    }
    assert!((most - 0.1).abs() < 1e-10, "it gets to the limit and no further: {most}");
    let rail = run.simulation.joints()[0];
    assert!((rail.motor[0] - 0.002).abs() < 1e-9 && (rail.limit[0] + 0.002).abs() < 1e-9, "{rail:?}");
    assert!(run.velocity("cart").linear.norm() < 1e-9);
}

#[test]
fn angles_are_limited_on_either_side() {
    let text = head(0.002, 2.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &joint(
            "hinge",
            "revolute",
            ["base", "rod"],
            [0.0; 3],
            "axis = [0, 1, 0]\nangle_limits = [-0.2, 0.7]",
        );
    let mut run = Run::new(exact_from_text(&text));
    for step in 1..=1000 {
        run.advance();
        let place = run.state().poses[1].position;
        let angle = (-place.z).atan2(place.x);
        assert!((-0.2 - 1e-10..0.7 + 1e-10).contains(&angle), "step {step}: {angle}");
    }
    let place = run.state().poses[1].position;
    assert!(((-place.z).atan2(place.x) - 0.7).abs() < 1e-9, "it rests on the lower one");
    // The limit carries the moment of the weight: m g 0.4 cos 0.7.
    let moment = -run.simulation.joints()[0].limit[1] / 0.002;
    assert!((moment - 9.81 * 0.4 * 0.7_f64.cos()).abs() < 1e-6, "{moment}");
}

/// A hinge driven by a table, more than once around.
#[test]
fn a_joint_follows_a_table() {
    let text = head(0.005, 2.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &joint("hinge", "revolute", ["base", "rod"], [0.0; 3], "axis = [0, 0, 1]")
        + "[[motion]]\njoint = \"hinge\"\nposition = { type = \"table\", times = [0, 0.5, 1.5], values = [1, 1, 9] }\n";
    let mut run = Run::new(exact_from_text(&text));
    for step in 1..=400 {
        run.advance();
        let turn = 8.0 * (run.time() - 0.5).clamp(0.0, 1.0);
        let expected = Vector3::new(turn.cos(), turn.sin(), 0.0) * 0.4;
        let place = run.state().poses[1].position;
        assert!((place - expected).norm() < 1e-10, "step {step}: {place} {expected}");
    }
}

/// A turntable with a rider on it: motions relative to a body that moves itself; a ball on the rim is carried
/// along.
#[test]
fn bodies_are_carried_by_bodies() {
    let text = head(0.002, 0.5)
        + &body("table", [0.05; 3], None, [0.0; 3]).replace("fixed = true\n", "")
        + &body("arm", [0.05; 3], None, [1.0, 0.0, 0.0]).replace("fixed = true\n", "")
        + &body("bob", [0.05; 3], Some(1.0), [1.0, 0.0, -0.5])
        + &joint("string", "ball", ["arm", "bob"], [1.0, 0.0, 0.0], "")
        + "[[motion]]\nbody = \"table\"\naxis = [0, 0, 1]\nvelocity = { type = \"constant\", value = 2 }\n"
        + "[[motion]]\nbody = \"arm\"\nrelative_to = \"table\"\ndirection = [1, 0, 0]\n"
        + "position = { type = \"sine\", amplitude = 0.2, frequency = 1 }\n";
    let mut run = Run::new(exact_from_text(&text));
    for step in 1..=250 {
        run.advance();
        let t = run.time();
        let reach = 1.0 + 0.2 * (std::f64::consts::TAU * t).sin();
        let expected = Vector3::new((2.0 * t).cos(), (2.0 * t).sin(), 0.0) * reach;
        let place = run.state().poses[1].position;
        assert!((place - expected).norm() < 1e-12, "step {step}: {place} {expected}");
        let bob = run.state().poses[2];
        assert!((bob.point(&Vector3::new(0.0, 0.0, 0.5)) - place).norm() < 1e-10, "step {step}");
    }
}

/// Way that a course takes a body, by sums of its own.
fn moved(course: &str, is_position: bool, t: f64) -> f64 {
    let value = |t: f64| match course {
        "constant" => 0.7,
        "sine" => 0.1 + 0.3 * (std::f64::consts::TAU * 2.0 * t + 0.4).sin(),
        _ if t <= 0.1 => 0.2,
        _ if t <= 0.2 => 0.2 - (t - 0.1) * 8.0,
        _ if t <= 0.3 => -0.6 + (t - 0.2) * 11.0,
        _ => 0.5,
    };
    if is_position {
        return value(t) - value(0.0);
    }
    // The midpoint rule, exact on straight lines between the samples.
    let n = 40_000;
    let step = t / f64::from(n);
    (0..n).map(|k| value((f64::from(k) + 0.5) * step)).sum::<f64>() * step
}

/// Bodies and joints, each driven in its way: a body that slides, one that turns, a slide, a hinge, both
/// coordinates of a cylindrical joint, and a rope that is hauled in.
fn driven(kind: &str, course: &str) -> String {
    let own = |name: &str, place: f64| {
        format!(
            "[[body]]\nname = {name:?}\nshape = {{ type = \"sphere\", radius = 0.1 }}\nposition = [0, {place:?}, 0]\n"
        )
    };
    head(0.005, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("cart", [0.1, 0.05, 0.05], Some(1.0), [0.0, 1.0, 0.0])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &own("plate", 2.0)
        + &own("disc", 3.0)
        + &body("screw", [0.1, 0.05, 0.05], Some(1.0), [0.0, 4.0, 0.0])
        + &body("hook", [0.05; 3], None, [0.0, 5.0, 0.0])
        + &body("load", [0.1, 0.05, 0.05], Some(1.0), [0.0, 5.0, -2.0])
        + &joint("rail", "prismatic", ["base", "cart"], [0.0, 1.0, 0.0], "axis = [1, 0, 0]")
        + &joint("hinge", "revolute", ["base", "rod"], [0.0; 3], "axis = [0, 0, 1]")
        + &joint("thread", "cylindrical", ["base", "screw"], [0.0, 4.0, 0.0], "axis = [0, 0, 1]")
        + "[[joint]]\nname = \"rope\"\ntype = \"distance\"\nbetween = [\"hook\", \"load\"]\n"
        + &[
            "joint = \"rail\"",
            "joint = \"hinge\"",
            "body = \"plate\"\ndirection = [1, 0, 0]",
            "body = \"disc\"\naxis = [0, 0, 1]",
            "joint = \"thread\"\ncoordinate = \"slide\"",
            "joint = \"thread\"\ncoordinate = \"angle\"",
            "joint = \"rope\"",
        ]
        .map(|of| format!("[[motion]]\n{of}\n{kind} = {course}\n"))
        .concat()
}

/// Ways of all bodies and coordinates.
fn gone(scene: &Scene, state: &State) -> [(&'static str, f64); 7] {
    let pose = |name| &state.poses[runs::body(scene, name)];
    let turn = |name| {
        let x = pose(name).orientation * Vector3::x();
        x.y.atan2(x.x)
    };
    [
        ("cart", pose("cart").position.x),
        ("rod", turn("rod")),
        ("plate", pose("plate").position.x),
        ("disc", turn("disc")),
        ("screw", pose("screw").position.z),
        ("turn of the screw", turn("screw")),
        ("load", -2.0 - pose("load").position.z),
    ]
}

/// Constant, sine and table, each as position and as velocity, of bodies and of every coordinate of joints,
/// in every formulation.
#[test]
fn every_course_moves_bodies_and_joints() {
    for (course, text) in [
        ("constant", "{ type = \"constant\", value = 0.7 }"),
        ("sine", "{ type = \"sine\", amplitude = 0.3, frequency = 2, phase = 0.4, offset = 0.1 }"),
        ("table", "{ type = \"table\", times = [0.1, 0.2, 0.3], values = [0.2, -0.6, 0.5] }"),
    ] {
        for kind in ["position", "velocity"] {
            let by_step: Vec<f64> =
                (1..=80).map(|step| moved(course, kind == "position", 0.005 * f64::from(step))).collect();
            for model in super::ALL_MODELS {
                let mut scene = exact_from_text(&driven(kind, text));
                (scene.solver.formulation, scene.solver.integrator) = model;
                let mut simulation = Simulation::new(scene).expect("runs");
                for (step, expected) in by_step.iter().enumerate() {
                    let outcome = simulation.advance();
                    assert!(outcome.info.status.is_solved(), "{model:?}, step {step}: {:?}", outcome.info);
                    if model.0.is_exact() {
                        let verdict = outcome.verdict.expect("judged");
                        assert!(verdict.green, "{model:?} {course} {kind}, step {step}: {verdict:?}");
                    }
                    // Compliant joints give by about 1e-5 of the jerk at the start.
                    let allowed = if model.0 == Formulation::Compliant { 1e-6 } else { 1e-8 };
                    for (what, found) in gone(simulation.scene(), simulation.state()) {
                        assert!(
                            (found - expected).abs() < allowed,
                            "{model:?} {course} {kind}, {what}, step {step}: {found} {expected}"
                        );
                    }
                }
            }
        }
    }
}
