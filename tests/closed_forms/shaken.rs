//! Tables that follow a record of acceleration, and what stands on them.

use signorini::step::ContactState;
use signorini_geometry::Pose;
use signorini_scene::scene::{Motion, Scene};
use std::f64::consts::TAU;
use support::runs::{Run, body, from_text};

const G: f64 = 9.81;
const MU: f64 = 0.3;

/// A table with a motion, and a block on it.
fn shaken(h: f64, duration: f64, motion: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {h}\nduration = {duration}\n[solver]\ntolerance = 1e-10\n\
         [[friction]]\ncoefficient = {MU}\n\
         [[body]]\nname = \"table\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"block\"\nmass = 2\nposition = [0, 0, 0.05]\n\
         shape = {{ type = \"box\", half_extents = [0.2, 0.2, 0.05] }}\n\
         [[motion]]\nbody = \"table\"\ndirection = [1, 0, 0]\n{motion}\n"
    ))
}

fn pose(run: &Run, name: &str) -> Pose {
    run.state().poses[body(run.scene(), name)]
}

fn table_of(times: &[f64], values: impl Fn(f64) -> f64, more: &str) -> String {
    let values: Vec<f64> = times.iter().map(|t| values(*t)).collect();
    format!("acceleration = {{ type = \"table\", times = {times:?}, values = {values:?}{more} }}")
}

/// The table accelerates by r t. The block sticks while r t ≤ μ g, and slides from the step on that begins
/// with more: the mean acceleration between two steps is r t at their border, exactly. From t* = μ g / r on
/// it lags by r (t − t*)³/6.
#[test]
fn a_block_slides_when_the_record_exceeds_friction() {
    let (rate, duration) = (4.0, 1.2);
    let mut errors = Vec::new();
    for h in [4e-3, 2e-3] {
        let motion = table_of(&[0.0, 0.5, 2.0], |t| rate * t, "");
        let mut run = Run::new(shaken(h, duration, &motion));
        let (begins, mut lag) = (MU * G / rate, 0.0);
        for step in 1..=run.scene().n_steps() {
            let outcome = run.simulation.advance();
            assert!(outcome.info.status.is_solved(), "step {step}: {outcome:?}");
            let t = h * (step - 1) as f64;
            let slides = run.simulation.contacts().iter().any(|c| c.state == ContactState::Slip);
            assert_eq!(slides, t > begins, "step {step}, {} of friction", rate * t / (MU * G));
            lag = pose(&run, "table").position.x - pose(&run, "block").position.x;
            if !slides {
                assert!(lag.abs() < 1e-9, "step {step}: {lag}");
            }
        }
        let exact = rate * (duration - begins).powi(3) / 6.0;
        errors.push((lag - exact).abs() / exact);
    }
    assert!(errors[0] < 0.02 && errors[1] < 0.6 * errors[0], "{errors:?}");
}

/// The table is where the record integrated twice says, and its velocity in a step is what takes it there.
#[test]
fn velocity_and_place_of_the_table_agree() {
    let (h, amplitude, frequency) = (5e-3, 2.0, 1.5);
    let rate = TAU * frequency;
    let times: Vec<f64> = (0..=200).map(|k| 0.01 * f64::from(k)).collect();
    let start = format!("start_velocity = {:?}", -amplitude / rate);
    for (more, most) in [("", 2e-3), (", interpolation = \"cubic\"", 1e-5)] {
        let motion = table_of(&times, |t| amplitude * (rate * t).sin(), more) + "\n" + &start;
        let mut run = Run::new(shaken(h, 1.9, &motion));
        let (mut before, reach) = (0.0, amplitude / (rate * rate));
        for step in 1..=run.scene().n_steps() {
            run.simulation.advance();
            let x = pose(&run, "table").position.x;
            let t = h * step as f64;
            // Straight lines lack (2π f Δ)²/12 of each integral: of the velocity too, which drifts.
            let exact = -reach * (rate * t).sin();
            assert!(
                (x - exact).abs() < most * reach * (1.0 + rate * t),
                "{more} step {step}: {x}, not {exact}"
            );
            assert!((run.velocity("table").linear.x - (x - before) / h).abs() < 1e-12);
            before = x;
        }
    }
}

#[test]
fn a_record_that_is_to_end_at_rest_does() {
    // A pulse whose integrals are not zero, with something before time 0.
    let times: Vec<f64> = (-5..=40).map(|k| 0.05 * f64::from(k)).collect();
    for more in ["", ", interpolation = \"cubic\""] {
        for start in [0.0, 0.7] {
            let pulse = table_of(&times, |t| (3.0 * t).sin() + 0.4, more);
            let end = |with: &str| {
                let scene = shaken(0.01, 0.1, &format!("{pulse}\nstart_velocity = {start}\n{with}"));
                let Motion::Acceleration(motion) = &scene.motions[0].motion else {
                    panic!("no acceleration")
                };
                motion.end().expect("a table")
            };
            let [t, v, x] = end("");
            assert!((t - 2.0).abs() < 1e-12 && v.abs() > 0.1 && x.abs() > 0.1);
            let [_, v, x] = end("end_at_rest = true");
            assert!(v.abs() < 1e-12 && x.abs() < 1e-12, "{v} {x}");
        }
    }
}

/// A driven body goes through poses as they are, whatever its own pose at the start.
#[test]
fn a_body_goes_through_poses() {
    let scene = from_text(
        "format = 1\n[simulation]\ntime_step = 0.05\nduration = 2\n\
         [[body]]\nname = \"tool\"\nposition = [1, 2, 3]\norientation = [0, 0, 0, 1]\n\
         shape = { type = \"box\", half_extents = [0.2, 0.1, 0.05] }\n\
         [[body]]\nname = \"far\"\nmass = 1\nposition = [9, 9, 9]\nshape = { type = \"sphere\", radius = 0.1 }\n\
         [[motion]]\nbody = \"tool\"\n\
         poses = { times = [0, 1, 1.5], positions = [[5, 0, 0], [5, 0, 2], [6, 0, 2]], orientations = \
         [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]] }\n",
    );
    let start = scene.bodies[0].pose;
    let mut run = Run::new(scene);
    for step in 1..=40 {
        run.simulation.advance();
        let (t, pose) = (0.05 * f64::from(step), pose(&run, "tool"));
        let moved = pose.position - start.position;
        let expected = [f64::clamp(2.0 * (t - 1.0), 0.0, 1.0), 0.0, f64::min(2.0 * t, 2.0)];
        assert!((moved - nalgebra::Vector3::from(expected)).norm() < 1e-12, "{t}: {moved:?}");
        let turn = (pose.orientation * start.orientation.inverse()).angle();
        assert!((turn - f64::min(t, 1.0) * 0.5 * TAU).abs() < 1e-9, "{t}: {turn}");
        let v = run.velocity("tool");
        assert!(t > 1.0 || (v.linear.z - 2.0).abs() < 1e-9 && (v.angular.norm() - 0.5 * TAU).abs() < 1e-9);
    }
}
