//! Mimic joints of URDF and equalities of two joints of MJCF become couplings, each held to numbers by hand.

use crate::robots::{ARM, SWING, read};
use signorini::Simulation;
use signorini::files::ModelOptions;
use signorini_scene::scene::{Axis, Loaded};

/// Two fingers on a hand; the right one mimics the left one.
const HAND: &str = r#"<robot name="hand">
  <link name="palm"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="left"><inertial><mass value="0.2"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="0.2"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide left" type="prismatic"><parent link="palm"/><child link="left"/>
    <origin xyz="-0.1 0 1"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="5"/></joint>
  <joint name="slide right" type="prismatic"><parent link="palm"/><child link="right"/>
    <origin xyz="0.1 0 1"/><axis xyz="-1 0 0"/><limit lower="-1" upper="1"/>
    <mimic joint="slide left" multiplier="1.5" offset="0.02"/></joint>
</robot>"#;

fn strict(positions: &[(&str, f64)]) -> ModelOptions {
    let positions = positions.iter().map(|(name, q)| ((*name).to_owned(), *q)).collect();
    ModelOptions { strict: true, positions, ..ModelOptions::default() }
}

/// Position along x of a link after some steps under the force of the left finger's motor.
fn ends(loaded: Loaded, motor: &str) -> [f64; 2] {
    let mut simulation = Simulation::new(loaded.scene).expect("runs");
    simulation.set_motor(motor, 0.5).expect("a motor");
    for _ in 0..50 {
        assert!(simulation.advance().is_good());
    }
    [0, 1].map(|joint| simulation.joints()[joint].coordinate[0].expect("coupled"))
}

#[test]
fn a_mimic_joint_follows_from_where_it_belongs() {
    for (positions, left) in [(vec![], 0.0), (vec![("slide left", 0.04)], 0.04)] {
        let loaded = read(HAND, "hand.urdf", &strict(&positions)).expect("a hand");
        let [coupling] = &loaded.scene.couplings[..] else { panic!("{:?}", loaded.scene.couplings) };
        assert_eq!((coupling.name.as_str(), coupling.of.axis), ("slide right", Axis::Slide));
        assert_eq!(coupling.coefficients, [0.02, 1.5, 0.0, 0.0, 0.0]);
        let place = |name: &str| loaded.scene.bodies.iter().find(|b| b.name == name).unwrap().pose.position.x;
        assert!((place("left") + 0.1 - left).abs() < 1e-15, "{}", place("left"));
        assert!((place("right") - (0.1 - 0.02 - 1.5 * left)).abs() < 1e-15, "{}", place("right"));
        assert!(
            loaded.notes.iter().any(|note| note.contains("\"slide right\" follows")),
            "{:?}",
            loaded.notes
        );
        let [driven, follower] = ends(loaded, "slide left");
        assert!(driven > left + 1e-3 && (follower - 0.02 - 1.5 * driven).abs() < 1e-9, "{driven} {follower}");
    }
    let elsewhere = read(HAND, "hand.urdf", &strict(&[("slide right", 0.5)])).unwrap_err().to_string();
    assert!(elsewhere.contains("<mimic> \"slide right\": offset"), "{elsewhere}");
}

#[test]
fn wrong_mimic_joints_are_refused_or_noted() {
    let unknown = HAND.replace("joint=\"slide left\"", "joint=\"slide\"");
    let refused = read(&unknown, "hand.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("<mimic> joint") && refused.contains("there is no such joint"), "{refused}");
    let infinite = HAND.replace("multiplier=\"1.5\"", "multiplier=\"much\"");
    let refused = read(&infinite, "hand.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("multiplier") && refused.contains("much"), "{refused}");
    let itself = HAND.replace("joint=\"slide left\" ", "joint=\"slide right\" ");
    let refused = read(&itself, "hand.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("cannot follow itself"), "{refused}");
    let weld = ARM.replace("<parent link=\"base\"/>", "<parent link=\"base\"/><mimic joint=\"weld\"/>");
    let notes = read(&weld, "arm.urdf", &ModelOptions::default()).expect("an arm").notes;
    assert!(notes.iter().any(|note| note.contains("<mimic> of \"shoulder\": joint = \"weld\"")), "{notes:?}");
}

/// y − y₀ = Σ a_k (x − x₀)^k about the references of both joints: the hinge stands at 10 there, in radians.
#[test]
fn an_equality_of_two_joints_is_a_polynomial_about_their_references() {
    let with =
        |equality: &str| SWING.replace("</mujoco>", &format!("<equality>{equality}</equality></mujoco>"));
    let cam = "<joint name=\"cam\" joint1=\"slide\" joint2=\"hinge\" polycoef=\"0 -0.2 0.5\"/>";
    let scene = read(&with(cam), "swing.xml", &strict(&[])).expect("a swing").scene;
    let [coupling] = &scene.couplings[..] else { panic!("{:?}", scene.couplings) };
    assert_eq!((coupling.name.as_str(), coupling.to.axis), ("cam", Axis::Angle));
    let reference = 10.0_f64.to_radians();
    for angle in [-0.4, 0.0, 0.7] {
        let from = angle - reference;
        assert!((coupling.value(angle) - (-0.2 * from + 0.5 * from * from)).abs() < 1e-15);
    }
    let mut simulation = Simulation::new(scene).expect("runs");
    for _ in 0..100 {
        assert!(simulation.advance().is_good());
        let value =
            |joint: usize, place: usize| simulation.joints()[joint].coordinate[place].expect("coupled");
        let (slide, from) = (value(1, 0), value(0, 1) - reference);
        assert!((slide - (-0.2 * from + 0.5 * from * from)).abs() < 1e-6, "{slide} {from}");
    }
    let refused = |equality: &str| read(&with(equality), "swing.xml", &strict(&[])).unwrap_err().to_string();
    let unknown = refused("<joint joint1=\"slide\" joint2=\"hip\"/>");
    assert!(unknown.contains("joint2 = \"hip\"") && unknown.contains("no such hinge or slide"), "{unknown}");
    assert!(refused("<joint joint2=\"hinge\"/>").contains("needs joint1"));
    let six = refused("<joint joint1=\"slide\" joint2=\"hinge\" polycoef=\"0 1 0 0 0 2\"/>");
    assert!(six.contains("polycoef") && six.contains("at most five"), "{six}");
    assert!(refused("<joint joint1=\"slide\"/>").contains("<joint> of one joint"));
    assert!(refused("<joint joint1=\"slide\" joint2=\"hinge\" solref=\"0.1 1\"/>").contains("solref"));
}
