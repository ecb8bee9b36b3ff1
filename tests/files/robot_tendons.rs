//! Fixed tendons of MJCF and their actuators: of coupled fingers, as grippers have them.

use crate::robots::read;
use signorini::files::ModelOptions;
use signorini::{Drive, Motor, Simulation, TimeFunction};

/// Two fingers on slides, the right one as far as the left one, and a tendon over both; they hold a box.
fn gripper(tendon: &str, actuator: &str) -> String {
    format!(
        r#"<mujoco>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <default><geom friction="0.8"/></default>
  <worldbody>
    <body name="hand" pos="0 0 0.5">
      <geom type="box" size="0.08 0.02 0.01" pos="0 0 0.06"/>
      <body name="left" pos="-0.0255 0 0">
        <joint name="left" type="slide" axis="1 0 0"/>
        <geom type="box" size="0.005 0.02 0.04" mass="0.1"/>
      </body>
      <body name="right" pos="0.0255 0 0">
        <joint name="right" type="slide" axis="-1 0 0"/>
        <geom type="box" size="0.005 0.02 0.04" mass="0.1"/>
      </body>
    </body>
    <body name="brick" pos="0 0 0.5"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="0.2"/></body>
  </worldbody>
  <contact><exclude body1="hand" body2="left"/><exclude body1="hand" body2="right"/></contact>
  <tendon>{tendon}</tendon>
  <equality><joint name="mirror" joint1="right" joint2="left"/></equality>
  <actuator>{actuator}</actuator>
</mujoco>"#
    )
}

const SPLIT: &str =
    r#"<fixed name="split"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed>"#;

/// A force f on the length L = Σ c_i q_i does the work f dL: with q_right = q_left the left joint feels
/// f Σ c.
#[test]
fn an_actuator_of_a_tendon_drives_the_joint_that_all_follow() {
    let general = r#"<general name="grip" tendon="split" biastype="affine" gainprm="0.3" biasprm="2 -100 -10"
                      gear="2" ctrlrange="0 255" forcerange="-5 5"/>"#;
    let skewed = SPLIT.replace("coef=\"0.5\"/></fixed>", "coef=\"-0.25\"/></fixed>");
    let constant = |value: f64| TimeFunction::Constant { value };
    for (tendon, ratio) in [(SPLIT, 1.0), (&skewed, 0.25)] {
        let loaded = read(&gripper(tendon, general), "grip.xml", &ModelOptions::default()).unwrap();
        let motors: Vec<&Motor> = loaded.scene.motors().collect();
        assert_eq!(motors.len(), 1, "{:?}", loaded.notes);
        let gear = 2.0 * ratio;
        // gear (0.3 u + 2 − 100 gear q − 10 gear q̇) at u = 0.
        let expected = Drive::Position {
            position: constant(gear * 2.0 / (100.0 * gear * gear)),
            stiffness: 100.0 * gear * gear,
            damping: 10.0 * gear * gear,
        };
        assert_eq!((&motors[0].drive, motors[0].largest_force), (&expected, 5.0 * gear));
    }
}

/// Polynomials, joints that are not coupled and things without a counterpart are told.
#[test]
fn other_tendons_are_told() {
    let motor = r#"<motor name="grip" tendon="split"/>"#;
    let told = |text: &str, part: &str| {
        let notes = read(text, "grip.xml", &ModelOptions::default()).unwrap().notes;
        assert!(notes.iter().any(|n| n.contains("not taken over") && n.contains(part)), "{part}: {notes:?}");
    };
    let text = gripper(SPLIT, motor);
    told(&text.replace("joint2=\"left\"", "joint2=\"left\" polycoef=\"0 1 2 0 0\""), "by a polynomial");
    told(
        &text.replace("<equality>", "<equality><!--").replace("</equality>", "--></equality>"),
        "do not follow",
    );
    told(&text.replace("tendon=\"split\"", "tendon=\"string\""), "\"string\" is no fixed tendon");
    told(&text.replace("name=\"split\"", "name=\"split\" stiffness=\"3\""), "stiffness");
    let wrong = text.replace("joint=\"right\" coef", "joint=\"thumb\" coef");
    let error = read(&wrong, "grip.xml", &ModelOptions::default()).unwrap_err().to_string();
    assert!(error.contains("thumb") && error.contains("no such hinge or slide"), "{error}");
}

/// A force F on the tendon presses each finger with F/2 on the box; it holds 2 μ F/2 and lets go of more.
#[test]
fn fingers_of_a_tendon_hold_a_box() {
    for (force, holds) in [(3.0, true), (2.0, false)] {
        let motor = format!("<general name=\"grip\" tendon=\"split\" gear=\"{force}\" ctrlrange=\"0 1\"/>");
        let scene = read(&gripper(SPLIT, &motor), "grip.xml", &ModelOptions::default()).unwrap().scene;
        let brick = scene.bodies.iter().position(|body| body.name == "brick").unwrap();
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.set_motors(&[force]).unwrap();
        for _ in 0..150 {
            let outcome = simulation.advance();
            assert!(outcome.is_good(), "{outcome:?}");
        }
        let speed = simulation.state().velocities[brick].linear.norm();
        assert_eq!(speed < 1e-6, holds, "{force}: {speed}");
    }
}
