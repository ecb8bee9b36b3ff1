//! Mechanisms: they stay closed, and move as mechanics says.

use super::runs::{Run, shipped};
use super::{body, from_text, head, joint};
use nalgebra::Vector3;
use signorini::scene::{Scene, State};

/// Largest distance of the two anchors of any joint (m), straight from the poses.
fn opening(scene: &Scene, state: &State) -> f64 {
    let apart = |j: &signorini::scene::Joint| {
        let [a, b] = [0, 1].map(|k| state.poses[j.bodies[k]].point(&j.frames[k].position));
        let off = a - b;
        match j.kind {
            signorini::scene::JointKind::Prismatic => {
                let axis = state.poses[j.bodies[0]].orientation * (j.frames[0].orientation * Vector3::z());
                off.cross(&axis).norm()
            }
            _ => off.norm(),
        }
    };
    scene.joints.iter().map(apart).fold(0.0, f64::max)
}

/// Runs to the end, every step green and closed to `allowed`; returns total energy at each step.
fn closed(scene: Scene, allowed: f64) -> Vec<f64> {
    let mut run = Run::new(scene);
    let mut energies = Vec::new();
    for step in 1..=run.scene().n_steps() {
        let verdict = run.advance().verdict.expect("judged");
        let off = opening(run.scene(), run.state());
        assert!(off <= allowed, "step {step}: open by {off:e} m");
        assert!(verdict.joint_error <= allowed, "step {step}: {verdict:?}");
        energies.push(verdict.kinetic_energy + verdict.potential_energy);
    }
    energies
}

/// Never above where it began: the scheme damps.
fn assert_no_gain(energies: &[f64], scale: f64) {
    let most = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(most <= energies[0] + 1e-4 * scale, "{} to {most}", energies[0]);
}

#[test]
fn double_pendulum_stays_closed() {
    assert_no_gain(&closed(shipped("seeds/double-pendulum.toml"), 1e-10), 10.0);
}

#[test]
fn four_bar_linkage_stays_closed() {
    assert_no_gain(&closed(shipped("seeds/four-bar.toml"), 1e-10), 3.0);
}

/// Freudenthal's closed form of the slider.
#[test]
fn slider_crank_follows_its_closed_form() {
    let mut run = Run::new(shipped("seeds/slider-crank.toml"));
    let slider = super::runs::body(run.scene(), "slider");
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let turn = 10.0 * run.time();
        let (x, z) = (0.1 * turn.sin(), 0.1 * turn.cos());
        let expected = x + (0.17 - z * z).sqrt();
        let place = run.state().poses[slider].position;
        assert!((place.x - expected).abs() < 1e-10, "step {step}: {} {expected}", place.x);
        assert!(place.yz().norm() < 1e-10, "step {step}: {place}");
        assert!(opening(run.scene(), run.state()) < 1e-10);
    }
}

/// Six rods along edges of a cube, closed by six revolute joints whose axes are at right angles to their neighbours':
/// Bricard's orthogonal loop. 30 equations for 30 unknowns that leave a motion free, so that one is redundant.
fn bricard() -> Scene {
    let corners =
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]].map(|c| c.map(f64::from));
    let v = |i: usize| Vector3::from(corners[i % 6]);
    let mut text = head(0.005, 1.0);
    for i in 0..6 {
        let (middle, along) = ((v(i) + v(i + 1)) * 0.5, (v(i + 1) - v(i)).abs());
        let axes = along * 0.4 + Vector3::repeat(0.05);
        let mass = if i == 0 { None } else { Some(1.0) };
        text += &body(&format!("rod {i}"), axes.into(), mass, middle.into());
    }
    for (i, corner) in corners.into_iter().enumerate() {
        let axis = (v(i) - v(i + 5)).cross(&(v(i + 1) - v(i)));
        let more = format!("axis = {:?}", <[f64; 3]>::from(axis));
        let between = [format!("rod {}", (i + 5) % 6), format!("rod {i}")];
        text += &joint(&format!("hinge {i}"), "revolute", [&between[0], &between[1]], corner, &more);
    }
    from_text(&text)
}

#[test]
fn a_redundant_loop_moves_and_stays_closed() {
    let scene = bricard();
    let before = scene.initial_state();
    let mut run = Run::new(scene.clone());
    run.run_to_the_end();
    let gone = |i: usize| (run.state().poses[i].position - before.poses[i].position).norm();
    assert!(gone(3) > 0.05, "the loop is movable, it went {} m", gone(3));
    let energies = closed(scene, 1e-10);
    assert_no_gain(&energies, 30.0);
}

/// 100 links of 1 kg, the last of 1000 kg.
fn heavy_chain(duration: f64) -> Scene {
    let (n, length) = (100, 0.2);
    let mut text = head(0.005, duration) + &body("base", [0.02; 3], None, [0.0; 3]);
    for i in 0..n {
        let mass = if i == n - 1 { 1000.0 } else { 1.0 };
        let middle = [length * (i as f64 + 0.5), 0.0, 0.0];
        text += &body(&format!("link {i}"), [0.09, 0.02, 0.02], Some(mass), middle);
        let above = if i == 0 { "base".to_owned() } else { format!("link {}", i - 1) };
        let at = [length * i as f64, 0.0, 0.0];
        text += &joint(&format!("pin {i}"), "ball", [&above, &format!("link {i}")], at, "");
    }
    from_text(&text)
}

#[test]
fn a_chain_with_a_heavy_end_stays_closed() {
    closed(heavy_chain(0.15), 1e-9);
}

/// Its links swing faster than the step resolves: the staggered integrator damps them, or no step could be solved in one piece.
#[test]
fn a_chain_with_a_heavy_end_is_taken_in_whole_steps() {
    let mut scene = heavy_chain(0.5);
    scene.solver.integrator = signorini::settings::Integrator::Staggered;
    let mut run = Run::new(scene);
    let mut damped = 0;
    for step in 1..=run.scene().n_steps() {
        let outcome = run.advance();
        assert_eq!(outcome.info.n_substeps, 0, "step {step}");
        let off = opening(run.scene(), run.state());
        assert!(off <= 1e-9, "step {step}: open by {off:e} m");
        damped += run.simulation.joints().iter().filter(|j| j.theta == Some(1.0)).count();
    }
    assert!(damped > 0, "it is stiff");
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
        let mut run = Run::new(from_text(&text));
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

/// What the explicit models leave open falls with h², and the relation to the implicit one with h.
#[test]
fn all_formulations_hold_joints() {
    for formulation in ["cone", "stewart-trinkle", "compliant"] {
        let mut open = Vec::new();
        for h in [4e-3, 2e-3] {
            let mut scene = shipped("seeds/double-pendulum.toml");
            scene.time_step = h;
            scene.duration = 0.6;
            scene.solver.formulation = match formulation {
                "cone" => signorini::settings::Formulation::Cone,
                "compliant" => signorini::settings::Formulation::Compliant,
                _ => signorini::settings::Formulation::StewartTrinkle,
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
    let mut scene = from_text(&text);
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
    // The fixed joint bears the weight and its moment.
    let fixed = run.simulation.joints()[2];
    assert!((fixed.force - Vector3::new(0.0, 0.0, g * h)).norm() < 1e-9, "{fixed:?}");
    assert!(fixed.torque.norm() < 1e-9, "about B's anchor, its centre: {fixed:?}");
}
