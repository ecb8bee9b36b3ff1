//! Motors of models: their names, their order, and the values that they can be set to.

use crate::robots::{ARM, SWING, read};
use signorini::Simulation;
use signorini::files::ModelOptions;
use signorini_scene::scene::{Drive, Scene, TimeFunction, parse, to_toml};

fn controls(scene: &Scene) -> Vec<(&str, Option<[f64; 2]>)> {
    scene.controls.iter().map(|control| (scene.controlled(control).name.as_str(), control.range)).collect()
}

/// The position, rate or force that a motor has now.
fn value(scene: &Scene, name: &str) -> f64 {
    let motor = scene.motors().find(|motor| motor.name == name).unwrap();
    let TimeFunction::Constant { value } = motor.drive.target() else { panic!("{motor:?}") };
    *value
}

#[test]
fn actuators_keep_their_names_order_and_ranges() {
    let actuators = r#"<actuator>
<motor joint="slide" gear="-3" ctrlrange="-1 2"/><motor joint="hinge"/>
      <position name="servo" joint="hinge" kp="50" gear="2" ctrlrange="0.2 1"/>
      <general name="odd" joint="slide" biastype="affine" biasprm="5 -10 -1" gainprm="20" ctrlrange="-2 3"/>
      <position name="heir" joint="hinge" kp="50" inheritrange="0.5"/>
    </actuator></mujoco>"#;
    let spring = r#"name="hinge" stiffness="8" frictionloss="0.2""#;
    let text = SWING.replace("</mujoco>", actuators).replace("name=\"hinge\"", spring);
    let loaded = read(&text, "swing.xml", &ModelOptions { strict: true, ..ModelOptions::default() }).unwrap();
    let found = controls(&loaded.scene);
    // The hinge's range is −90° to 45°; half of it about the middle.
    let heir = [-56.25_f64, 11.25].map(f64::to_radians);
    let expected = [
        ("motor-18:1", Some([-6.0, 3.0])),
        ("motor-18:50", None),
        ("servo", Some([0.1, 0.5])),
        ("odd", Some([-3.5, 6.5])),
        ("heir", Some(heir)),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((name, range), (expected_name, expected)) in found.iter().zip(expected) {
        assert_eq!(*name, expected_name);
        let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        assert!(range.zip(expected).is_none_or(|(a, b)| apart(a, b) < 1e-15), "{name}: {range:?}");
        assert_eq!(range.is_some(), expected.is_some(), "{name}");
    }
    assert_eq!(loaded.scene.motors().count(), 7);
    // Control 0 is below the servo's range.
    assert_eq!(value(&loaded.scene, "servo"), 0.1);
    // A scene file keeps all of it.
    let written = parse(&to_toml(&loaded.scene), "a.toml".as_ref(), &Default::default()).unwrap().scene;
    assert_eq!(controls(&written), found);

    let mut simulation = Simulation::new(loaded.scene).unwrap();
    assert_eq!(simulation.motors().collect::<Vec<_>>(), expected.map(|(name, _)| name));
    simulation.set_motors(&[-7.0, -8.0, 9.0, 1.0, 0.0]).unwrap();
    let values = expected.map(|(name, _)| value(simulation.scene(), name));
    assert_eq!(values, [-6.0, -8.0, 0.5, 1.0, 0.0]);
    assert!(simulation.set_motor("hinge spring", 0.0).unwrap_err().to_string().contains("none of that name"));
}

/// Each joint with an effort has a motor of its name without a force, bounded by the effort.
#[test]
fn efforts_of_urdf_bound_motors() {
    let wrist = r#"<link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
        <joint name="wrist" type="continuous"><parent link="tool"/><child link="hand"/><limit effort="2.5"/></joint>
        <joint name="shoulder""#;
    let text = ARM.replacen("<joint name=\"shoulder\"", wrist, 1);
    let scene = read(&text, "arm.urdf", &ModelOptions::default()).unwrap().scene;
    assert_eq!(controls(&scene), [("wrist", None), ("shoulder", None)]);
    for (name, effort) in [("wrist", 2.5), ("shoulder", 10.0)] {
        let motor = scene.motors().find(|motor| motor.name == name).unwrap();
        assert_eq!((&motor.drive, motor.largest_force), (&Drive::Force { force: 0.0.into() }, effort));
    }
    let negative = ARM.replacen("effort=\"10\"", "effort=\"-10\"", 1);
    let error = read(&negative, "arm.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(error.contains("<limit> effort = \"-10\": must be ≥ 0"), "{error}");
}
