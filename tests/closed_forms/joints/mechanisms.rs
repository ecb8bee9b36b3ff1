//! Mechanisms move as mechanics says.

use super::closed::opening;
use super::{body, head, joint};
use nalgebra::Vector3;
use support::runs::{self, Run, exact_from_text, shipped};

/// Freudenthal's closed form of the slider.
#[test]
fn slider_crank_follows_its_closed_form() {
    let mut run = Run::new(shipped("seeds/slider-crank.toml"));
    let slider = runs::body(run.scene(), "slider");
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let turn = 10.0 * run.time();
        let (x, z) = (0.1 * turn.sin(), 0.1 * turn.cos());
        let expected = x + (0.17 - z * z).sqrt();
        let place = run.state().poses[slider].position;
        assert!((place.x - expected).abs() < 1e-10, "step {step}: {} {expected}", place.x);
        assert!(place.yz().norm() < 1e-10, "step {step}: {place}");
    }
}

/// A rod on a revolute joint with its axis across gravity: φ'' = −(3 g/(2 l)) cos φ, by Runge and Kutta.
#[test]
fn a_rod_on_a_hinge_swings_as_a_pendulum() {
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3] {
        let text = head(h, 0.5)
            + &body("base", [0.02; 3], None, [0.0; 3])
            + &body("rod", [0.5, 0.05, 0.05], Some(2.0), [0.6, 0.0, 0.0])
            + &joint("hinge", "revolute", ["base", "rod"], [0.0; 3], "axis = [0, 1, 0]");
        let mut run = Run::new(exact_from_text(&text));
        let rod = &run.scene().bodies[1];
        let rate = 2.0 * 9.81 * 0.6 / (rod.inertia.m22 + 2.0 * 0.36);
        run.run_to_the_end();
        let (mut angle, mut spin, step) = (0.0_f64, 0.0_f64, 1e-4);
        for _ in 0..5000 {
            let f = |a: f64, s: f64| (s, rate * a.cos());
            let k1 = f(angle, spin);
            let k2 = f(angle + 0.5 * step * k1.0, spin + 0.5 * step * k1.1);
            let k3 = f(angle + 0.5 * step * k2.0, spin + 0.5 * step * k2.1);
            let k4 = f(angle + step * k3.0, spin + step * k3.1);
            angle += step / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            spin += step / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        let place = run.state().poses[1].position;
        errors.push(((-place.z).atan2(place.x) - angle).abs());
    }
    let ratio = errors[0] / errors[1];
    assert!((1.8..2.2).contains(&ratio) && errors[1] < 5e-3, "first order: {errors:?}");
}

/// Joints are open by an amount that falls with h² under the explicit models.
#[test]
fn all_formulations_hold_joints() {
    for formulation in ["cone", "stewart-trinkle", "compliant"] {
        let mut open = Vec::new();
        for h in [4e-3, 2e-3] {
            let mut scene = shipped("seeds/double-pendulum.toml");
            scene.time_step = h;
            scene.duration = 0.6;
            scene.solver.formulation = match formulation {
                "cone" => signorini_scene::settings::Formulation::Cone,
                "compliant" => signorini_scene::settings::Formulation::Compliant,
                _ => signorini_scene::settings::Formulation::StewartTrinkle,
            };
            let mut simulation = signorini::simulation::Simulation::new(scene).expect("runs");
            let mut worst = 0.0_f64;
            for _ in 0..simulation.scene().n_steps() {
                let info = simulation.advance().info;
                assert!(info.status.is_solved(), "{formulation}: {info:?}");
                worst = worst.max(opening(simulation.scene(), simulation.state()));
            }
            open.push(worst);
        }
        assert!(open[1] < 2e-3 && open[0] / open[1] > 3.0, "{formulation}: open by {open:?}");
    }
}

/// A prismatic, a cylindrical, a fixed and a distance joint, each with the motion it leaves.
#[test]
fn each_kind_leaves_what_it_should() {
    let text = head(0.002, 0.2)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("slide", [0.1, 0.05, 0.05], Some(1.0), [1.0, 0.0, 0.0])
        + &body("screw", [0.1, 0.05, 0.05], Some(1.0), [2.0, 0.0, 0.0])
        + &body("stuck", [0.1, 0.05, 0.05], Some(1.0), [3.0, 0.0, 0.0])
        + &body("bob", [0.1; 3], Some(1.0), [0.0, 1.0, 0.0])
        + &joint("p", "prismatic", ["base", "slide"], [1.0, 0.0, 0.0], "axis = [1, 0, -1]")
        + &joint("c", "cylindrical", ["base", "screw"], [2.0, 0.0, 0.0], "axis = [0, 0, 1]")
        + &joint("f", "fixed", ["base", "stuck"], [3.0, 0.0, 0.0], "")
        + "[[joint]]\nname = \"d\"\ntype = \"distance\"\nbetween = [\"base\", \"bob\"]\n";
    let mut scene = exact_from_text(&text);
    scene.bodies[2].velocity.angular = Vector3::new(0.0, 0.0, 3.0);
    let mut run = Run::new(scene);
    run.run_to_the_end();
    let (t, h, g) = (0.2, 0.002, 9.81);
    let fallen = 0.5 * g * t * (t + h);
    let place = |i: usize| run.state().poses[i].position;
    // Down a slope of 45°: half the way, as far along x as down.
    assert!((place(1) - Vector3::new(1.0 + fallen / 2.0, 0.0, -fallen / 2.0)).norm() < 1e-9, "{}", place(1));
    assert!((place(2) - Vector3::new(2.0, 0.0, -fallen)).norm() < 1e-9);
    assert!((run.state().velocities[2].angular.z - 3.0).abs() < 1e-9, "nothing brakes the spin");
    assert!((place(3) - Vector3::new(3.0, 0.0, 0.0)).norm() < 1e-10);
    assert!((place(4).norm() - 1.0).abs() < 1e-10 && place(4).z < -0.1, "{}", place(4));
    // The fixed joint carries the weight and its moment.
    let fixed = run.simulation.joints()[2];
    assert!((fixed.force - Vector3::new(0.0, 0.0, g * h)).norm() < 1e-9, "{fixed:?}");
    assert!(fixed.torque.norm() < 1e-9, "about B's anchor, its centre: {fixed:?}");
}
