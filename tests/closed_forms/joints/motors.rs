//! Motors of every kind against the recursions of implicit Euler, by hand.

use super::{ALL_MODELS, body, head, joint};
use signorini::Simulation;
use signorini_scene::scene::Scene;
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{Run, exact_from_text};

const H: f64 = 0.002;
const MASS: f64 = 2.0;

/// A cart of 2 kg on a rail along x, with motors.
fn cart(motors: &[&str]) -> Scene {
    let mut text = head(H, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("cart", [0.1, 0.05, 0.05], Some(MASS), [0.0; 3])
        + &joint("rail", "prismatic", ["base", "cart"], [0.0; 3], "axis = [1, 0, 0]");
    for motor in motors {
        text += &format!("[[motor]]\njoint = \"rail\"\n{motor}\n");
    }
    exact_from_text(&text)
}

fn constant(field: &str, value: f64) -> String {
    format!("{field} = {{ type = \"constant\", value = {value:?} }}\n")
}

/// Runs beside x⁺ = x + h v⁺, m (v⁺ − v)/h = f, with the force that the recursion gives for (t⁺, x, v).
fn beside(scene: Scene, force: impl Fn(f64, f64, f64) -> f64) {
    let mut run = Run::new(scene);
    let (mut x, mut v) = (0.0_f64, 0.0_f64);
    for step in 1..=500 {
        run.advance();
        let expected = force(f64::from(step) * H, x, v);
        v += H * expected / MASS;
        x += H * v;
        let found = run.simulation.joints()[0];
        let (place, speed) = (run.state().poses[1].position.x, run.velocity("cart").linear.x);
        assert!(
            (place - x).abs() < 1e-8 && (speed - v).abs() < 1e-7,
            "step {step}: {place} {x}, {speed} {v}"
        );
        assert!((found.motor[0] / H - expected).abs() < 1e-5, "step {step}: {found:?}, {expected} N");
        assert!((found.coordinate[0].unwrap() - x).abs() < 1e-8, "step {step}: {found:?}");
    }
}

/// The force of a spring and a damper at the end of the step, from its start, bounded.
fn spring(k: f64, c: f64, most: f64, target: f64, x: f64, v: f64) -> f64 {
    let free = (k * (target - x - H * v) - c * v) / (1.0 + (H * k + c) * H / MASS);
    free.clamp(-most, most)
}

#[test]
fn a_position_is_a_spring_and_a_damper_at_the_end_of_the_step() {
    let motor = constant("position", 0.3) + "stiffness = 300\ndamping = 12";
    beside(cart(&[&motor]), |_, x, v| spring(300.0, 12.0, f64::INFINITY, 0.3, x, v));
    let bounded = motor.clone() + "\nlargest_force = 20";
    beside(cart(&[&bounded]), |_, x, v| spring(300.0, 12.0, 20.0, 0.3, x, v));
    let moving = "position = { type = \"sine\", amplitude = 0.2, frequency = 2 }\nstiffness = 900";
    let target = |t: f64| 0.2 * (std::f64::consts::TAU * 2.0 * t).sin();
    beside(cart(&[moving]), |t, x, v| spring(900.0, 0.0, f64::INFINITY, target(t), x, v));
}

#[test]
fn a_damped_velocity_and_a_force_are_what_they_say() {
    let damped = constant("velocity", 0.5) + "damping = 8\nlargest_force = 3";
    let force = |c: f64, v: f64| (c * (0.5 - v) / (1.0 + c * H / MASS)).clamp(-3.0, 3.0);
    beside(cart(&[&damped]), |_, _, v| force(8.0, v));
    let ramp = "force = { type = \"table\", times = [0, 1], values = [0, 4] }\nlargest_force = 2.5";
    beside(cart(&[ramp]), |t, _, _| (4.0 * t).min(2.5));
}

/// A force against dry friction: nothing moves below it, and the excess moves the cart above it; a spring
/// adds to both.
#[test]
fn forces_of_several_motors_add_up() {
    let dry = |most: f64| constant("velocity", 0.0) + &format!("name = \"dry\"\nlargest_force = {most:?}");
    let mut run = Run::new(cart(&[&constant("force", 3.0), &dry(3.5)]));
    (0..50).for_each(|_| {
        run.advance();
    });
    assert!(run.velocity("cart").linear.norm() < 1e-9 && run.simulation.joints()[0].motor[0].abs() < 1e-9);
    beside(cart(&[&constant("force", 3.0), &dry(1.0)]), |_, _, _| 2.0);
    let soft = constant("position", -1.0) + "name = \"spring\"\nstiffness = 0.5";
    let both = [&*constant("force", 3.0), &dry(1.0), &soft].map(str::to_owned);
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    beside(cart(&both), |_, x, v| {
        // 2 N and the spring, whose force depends on the step's own end.
        (2.0 + 0.5 * (-1.0 - x - H * v)).max(0.0) / (1.0 + 0.5 * H * H / MASS)
    });
}

/// A motor of 1e9 N/m holds the arm within F/k of its target, at a step of 2 ms.
#[test]
fn stiff_motors_hold_their_place_in_every_model() {
    for (formulation, integrator) in ALL_MODELS {
        let text = head(0.002, 1.0)
            + &body("base", [0.05; 3], None, [0.0; 3])
            + &body("arm", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
            + &joint("elbow", "revolute", ["base", "arm"], [0.0; 3], "axis = [0, 1, 0]")
            + "[[motor]]\njoint = \"elbow\"\nstiffness = 1000\ndamping = 30\n"
            + &constant("position", 0.2);
        let mut scene = exact_from_text(&text);
        (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
        let mut simulation = Simulation::new(scene).expect("runs");
        for step in 0..500 {
            let outcome = simulation.advance();
            assert!(outcome.info.status.is_solved(), "{formulation:?} {integrator:?}, step {step}");
        }
        let angle = simulation.joints()[0].coordinate[1].unwrap();
        // k (0.2 − q) = −m g 0.4 cos q: gravity turns the arm by positive angles.
        let torque = 1000.0 * (0.2 - angle) + 9.81 * 0.4 * angle.cos();
        assert!(torque.abs() < 2e-3, "{formulation:?} {integrator:?}: {angle}, {torque} N m");
        assert!((simulation.joints()[0].motor[1] / 0.002 + 9.81 * 0.4 * angle.cos()).abs() < 2e-3);
    }
    let stiff = constant("position", 0.01) + "stiffness = 1e9\ndamping = 1e5";
    let mut run = Run::new(cart(&[&stiff, &(constant("force", 50.0) + "name = \"load\"")]));
    (0..300).for_each(|_| {
        run.advance();
    });
    assert!((run.state().poses[1].position.x - 0.01 - 5e-8).abs() < 1e-9, "{:?}", run.state().poses[1]);
}

#[test]
fn motors_are_told_between_steps() {
    let motor = constant("position", 0.0) + "name = \"drive\"\nstiffness = 300\ndamping = 40";
    let mut simulation = Simulation::new(cart(&[&motor, &constant("force", 0.0)])).unwrap();
    assert_eq!(simulation.motors().collect::<Vec<_>>(), ["drive", "rail"]);
    simulation.set_motor("drive", 0.1).unwrap();
    for _ in 0..500 {
        assert!(simulation.advance().is_good());
    }
    let place = |simulation: &Simulation| simulation.joints()[0].coordinate[0].unwrap();
    assert!((place(&simulation) - 0.1).abs() < 1e-3, "{}", place(&simulation));
    let mut again = Simulation::from_saved(simulation.save()).unwrap();
    for simulation in [&mut simulation, &mut again] {
        simulation.set_motors(&[0.2, 3.0]).unwrap();
        for _ in 0..1000 {
            assert!(simulation.advance().is_good());
        }
    }
    assert!((place(&simulation) - 0.21).abs() < 1e-4, "{}", place(&simulation));
    assert_eq!(simulation.state(), again.state());
    let message = |result: signorini::Result<()>| result.unwrap_err().to_string();
    assert!(message(simulation.set_motor("drove", 1.0)).contains("[\"drive\", \"rail\"]"));
    assert!(message(simulation.set_motor("drive", f64::NAN)).contains("finite"));
    assert!(message(simulation.set_motors(&[1.0])).contains("there are 2 motors"));
    assert!(message(simulation.set_motors(&[1.0, f64::INFINITY])).contains("\"rail\""));
}

/// A rotor behind a gear adds inertia along the joint, and nothing else: a force of 10 N moves a cart of 2 kg
/// with an armature of 3 kg by 2 m/s², and two discs at a hinge by the moment over their reduced moment of
/// inertia and the armature.
#[test]
fn an_armature_is_an_inertia_of_its_coordinate_in_every_model() {
    for (formulation, integrator) in ALL_MODELS {
        let run = |mut scene: Scene| {
            (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
            let mut simulation = Simulation::new(scene).expect("runs");
            for outcome in simulation.run() {
                assert!(outcome.info.status.is_solved(), "{formulation:?} {integrator:?}: {outcome:?}");
                // Other models hold their equations with the geometry of the start.
                let is_exact = formulation == Formulation::Implicit;
                assert!(!is_exact || outcome.is_good(), "{integrator:?}: {:?}", outcome.verdict);
            }
            simulation
        };
        let force = constant("force", 10.0);
        let mut scene = cart(&[&force]);
        scene.joints[0].coordinates[0].armature = 3.0;
        let found = run(scene);
        let speed = found.state().velocities[1].linear.x;
        let expected = if integrator == Integrator::Staggered { 2.0 * (1.0 - 0.5 * H) } else { 2.0 };
        assert!((speed - expected).abs() < 1e-6, "{formulation:?} {integrator:?}: {speed}");
        assert!((found.joints()[0].motor[0] / H - 4.0).abs() < 1e-5, "{:?}", found.joints()[0]);

        let discs = head(H, 0.2)
            + &body("left", [0.1, 0.1, 0.1], Some(1.5), [0.0; 3])
            + &body("right", [0.2, 0.2, 0.1], Some(1.0), [0.0, 0.0, 0.5])
            + &joint("hinge", "revolute", ["left", "right"], [0.0; 3], "axis = [0, 0, 1]\narmature = 0.01")
            + "[[motor]]\njoint = \"hinge\"\n"
            + &constant("force", 0.1);
        let mut scene = exact_from_text(&discs);
        scene.gravity.fill(0.0);
        let moment = |half: f64, mass: f64| mass * 2.0 * half * half / 5.0;
        let (left, right) = (moment(0.1, 1.5), moment(0.2, 1.0));
        let bound = 0.1 / (left * right / (left + right) + 0.01);
        let time = if integrator == Integrator::Staggered { 0.2 - 0.5 * H } else { 0.2 };
        let found = run(scene);
        let [a, b] = [0, 1].map(|k| found.state().velocities[k].angular.z);
        assert!((b - a - bound * time).abs() < 1e-6 * bound, "{formulation:?} {integrator:?}: {a} {b}");
        assert!((left * a + right * b).abs() < 1e-9);
    }
}
