//! Models in MJCF and URDF as scenes, each held to numbers by hand, and refusals with their places.

use signorini::files::{LoadOptions, ModelOptions, convert};
use signorini::{Drive, Error, Motor, Simulation, TimeFunction};
use signorini_scene::scene::{Axis, JointKind, Loaded};
use std::fs;

/// Two links on a base that does not move; a tool is welded to the second one.
pub const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.3" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.04" iyy="0.03" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="1"/><dynamics friction="0.5"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0 0 1"/></joint>
</robot>"#;

pub const SWING: &str = r#"<mujoco>
  <compiler angle="degree"/>
  <option timestep="0.004" gravity="0 0 -9"/>
  <default><geom density="500" friction="0.7 0.01"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -2"/>
    <body name="arm" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" range="-90 45" ref="10"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0 0 -0.3"/>
      <body name="bob" pos="0 0 -0.8">
        <joint name="slide" type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="3" condim="4"/>
      </body>
    </body>
    <body name="ghost" pos="3 0 0"><freejoint/><geom size="0.1" contype="0" conaffinity="2"/></body>
  </worldbody>
</mujoco>"#;

pub fn read(text: &str, name: &str, options: &ModelOptions) -> Result<Loaded, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    convert(&path, options)
}

fn at(positions: &[(&str, f64)]) -> ModelOptions {
    let positions = positions.iter().map(|(name, q)| ((*name).to_owned(), *q)).collect();
    ModelOptions { positions, ..ModelOptions::default() }
}

#[test]
fn links_of_an_arm_are_bodies_and_fixed_joints_weld() {
    let scene = read(ARM, "arm.urdf", &ModelOptions::default()).unwrap().scene;
    let [base, upper] = &scene.bodies[..] else { panic!("{} bodies", scene.bodies.len()) };
    assert!(base.fixed && base.name == "base" && upper.name == "upper");
    // Two of 2 kg at 0.5 m and 1.1 m above the shoulder: their centre at 0.8 m, each 0.3 m from there.
    assert_eq!(upper.mass, 4.0);
    assert!((upper.pose.position.z - 1.8).abs() < 1e-15, "{:?}", upper.pose);
    // The tool's principal axes are rotated by a quarter turn about z.
    let around = 2.0 * 2.0 * 0.3 * 0.3;
    let expected = [0.3 + 0.03 + around, 0.2 + 0.04 + around, 0.1 + 0.02];
    for (i, moment) in expected.into_iter().enumerate() {
        assert!((upper.inertia[(i, i)] - moment).abs() < 1e-15, "{}", upper.inertia);
    }
    let [joint] = &scene.joints[..] else { panic!("{:?}", scene.joints) };
    assert_eq!((joint.kind, joint.name.as_str()), (JointKind::Revolute, "shoulder"));
    let [coordinate] = &joint.coordinates[..] else { panic!("{joint:?}") };
    assert_eq!((coordinate.axis, coordinate.limits), (Axis::Angle, Some([-1.0, 2.0])));
    let [_, friction] = &coordinate.motors[..] else { panic!("{coordinate:?}") };
    assert_eq!((friction.name.as_str(), friction.largest_force), ("shoulder friction", 0.5));
}

#[test]
fn positions_of_joints_turn_what_hangs_on_them() {
    let turned = read(ARM, "arm.urdf", &at(&[("shoulder", 0.5)])).unwrap().scene;
    let place = turned.bodies[1].pose.position;
    assert!((place.x - 0.8 * 0.5_f64.sin()).abs() < 1e-15, "{place}");
    assert!((place.z - 1.0 - 0.8 * 0.5_f64.cos()).abs() < 1e-15, "{place}");
    // Coordinates count as the model's.
    let coordinate = &turned.joints[0].coordinates[0];
    assert!(
        (coordinate.start - 0.5).abs() < 1e-15 && coordinate.limits == Some([-1.0, 2.0]),
        "{coordinate:?}"
    );
    let error = read(ARM, "arm.urdf", &at(&[("wrist", 0.5)])).unwrap_err().to_string();
    assert!(error.contains("wrist") && error.contains("is no joint of the model, which has 1"), "{error}");
}

#[test]
fn a_root_moves_where_it_is_said_to() {
    let part = ARM.split("<link name=\"tool\">").nth(1).and_then(|t| t.split("</link>").next()).unwrap();
    let text = format!("<robot name=\"part\"><link name=\"part\">{part}</link></robot>");
    let fixed = read(&text, "part.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(fixed.contains("body that is not fixed"), "{fixed}");
    let free = ModelOptions { free_root: true, ..ModelOptions::default() };
    let scene = read(&text, "part.urdf", &free).unwrap().scene;
    assert!(!scene.bodies[0].fixed && scene.bodies[0].mass == 2.0);
    assert!((scene.bodies[0].pose.position.z - 0.1).abs() < 1e-15);
    let error = read(SWING, "swing.xml", &free).unwrap_err().to_string();
    assert!(error.contains("only of robots in URDF"), "{error}");
}

#[test]
fn geoms_give_masses_and_defaults_count() {
    let loaded = read(SWING, "swing.xml", &ModelOptions::default()).unwrap();
    let scene = loaded.scene;
    assert_eq!((scene.time_step, scene.gravity.z), (0.004, -9.0));
    let weightless = SWING.replace("gravity=\"0 0 -9\"/>", "><flag gravity=\"disable\"/></option>");
    assert_eq!(read(&weightless, "swing.xml", &ModelOptions::default()).unwrap().scene.gravity.norm(), 0.0);
    let body = |name: &str| scene.bodies.iter().find(|b| b.name == name).unwrap();
    // 500 kg/m³ times 0.2 × 0.4 × 0.6 m.
    let (arm, bob) = (body("arm"), body("bob"));
    assert!((arm.mass - 24.0).abs() < 1e-12 && bob.mass == 3.0);
    assert!((arm.inertia[(1, 1)] - 24.0 / 3.0 * (0.01 + 0.09)).abs() < 1e-12);
    assert!((bob.inertia[(0, 0)] - 0.4 * 3.0 * 0.01).abs() < 1e-15);
    // At its reference the hinge stands at 10°.
    let hinge = &scene.joints[0].coordinates[0];
    let [low, high] = hinge.limits.unwrap();
    assert!((low - (-90_f64).to_radians()).abs() < 1e-15 && (high - 45_f64.to_radians()).abs() < 1e-15);
    assert!((hinge.start - 10_f64.to_radians()).abs() < 1e-15, "{hinge:?}");
    assert_eq!(scene.joints[1].kind, JointKind::Prismatic);
    // No bit of the ghost's type meets the floor's affinity, nor the other way round.
    let names = |pair: &[usize; 2]| pair.map(|id| scene.bodies[id].name.as_str());
    let excluded: Vec<_> = scene.excluded.iter().map(names).collect();
    assert!(excluded.contains(&["world-floor", "ghost"]), "{excluded:?}");
}

/// The force of each actuator on its joint, gear (gain · 0 + b₀ + b₁ gear q + b₂ gear q̇), and of the joint's
/// own spring, damper and friction.
#[test]
fn actuators_springs_and_friction_are_motors() {
    let actuators = r#"<actuator>
      <motor name="pull" joint="slide" gear="3" ctrlrange="-1 1"/>
      <position name="servo" joint="hinge" kp="50" kv="2" forcerange="-4 4" gear="2"/>
      <velocity name="wheel" joint="slide" kv="7"/>
      <general name="odd" joint="slide" biastype="affine" biasprm="5 -10 -1" gaintype="fixed"/>
      <general name="muscular" joint="slide" dyntype="muscle"/>
      <position name="strung" tendon="string"/>
      <cylinder name="hydraulic" joint="slide"/>
    </actuator></mujoco>"#;
    let spring = r#"name="hinge" stiffness="8" springref="30" damping="0.4" frictionloss="0.2""#;
    let text = SWING.replace("</mujoco>", actuators).replace("name=\"hinge\"", spring);
    let loaded = read(&text, "swing.xml", &ModelOptions::default()).unwrap();
    let motors: Vec<&Motor> = loaded.scene.motors().collect();
    let named = |name: &str| *motors.iter().find(|motor| motor.name == name).unwrap();
    let constant = |value: f64| TimeFunction::Constant { value };
    let position =
        |at: f64, stiffness, damping| Drive::Position { position: constant(at), stiffness, damping };
    assert_eq!(named("pull").drive, Drive::Force { force: constant(0.0) });
    assert_eq!(named("servo").drive, position(0.0, 200.0, 8.0));
    assert_eq!(named("servo").largest_force, 8.0);
    assert_eq!(named("wheel").drive, Drive::Velocity { velocity: constant(0.0), damping: Some(7.0) });
    assert_eq!(named("odd").drive, position(0.5, 10.0, 1.0));
    assert_eq!(named("hinge spring").drive, position(30_f64.to_radians(), 8.0, 0.4));
    assert_eq!(named("hinge friction").drive, Drive::Velocity { velocity: constant(0.0), damping: None });
    assert_eq!((motors.len(), named("hinge friction").largest_force), (6, 0.2));
    let told = |part: &str| loaded.notes.iter().any(|n| n.contains("not taken over") && n.contains(part));
    for part in
        ["\"muscular\": dyntype \"muscle\"", "\"strung\": \"string\" is no fixed tendon", "\"hydraulic\""]
    {
        assert!(told(part), "{part}: {:?}", loaded.notes);
    }
}

/// The arm of `SWING` with other joints.
fn jointed(joints: &str) -> Loaded {
    let text = SWING.replace("<joint name=\"hinge\" axis=\"0 1 0\" range=\"-90 45\" ref=\"10\"/>", joints);
    read(&text, "swing.xml", &ModelOptions::default()).unwrap()
}

#[test]
fn several_joints_are_one_where_scenes_have_it() {
    let first = |joints: &str| {
        let loaded = jointed(joints);
        assert_eq!(loaded.scene.joints.len(), 2, "{:?}", loaded.scene.joints);
        (loaded.scene.joints[0].kind, loaded.scene.joints[0].name.clone())
    };
    let (x, y, z) =
        ("<joint name=\"x\" axis=\"1 0 0\"/>", "<joint name=\"y\" axis=\"0 1 0\"/>", "<joint name=\"z\"/>");
    assert_eq!(first(&format!("{x}{y}")), (JointKind::Universal, "x + y".to_owned()));
    assert_eq!(first(&format!("{x}{y}{z}")), (JointKind::Ball, "x + y + z".to_owned()));
    let slides =
        "<joint name=\"u\" type=\"slide\" axis=\"1 0 0\"/><joint name=\"v\" type=\"slide\" axis=\"0 0 1\"/>";
    assert_eq!(first(&format!("{slides}{y}")), (JointKind::Planar, "u + v + y".to_owned()));
}

/// Joints with loads on them, and those that are no joint together, hold bodies between them.
#[test]
fn between_other_joints_are_bodies() {
    let loaded = jointed(
        "<joint name=\"u\" type=\"slide\" axis=\"1 0 0\" range=\"-1 2\"/>\
         <joint name=\"v\" type=\"slide\" axis=\"0 0 1\" damping=\"3\"/>\
         <joint name=\"y\" axis=\"0 1 0\" armature=\"0.2\" pos=\"0 0 0.5\"/>",
    );
    let scene = &loaded.scene;
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    let at = |name: &str| names.iter().position(|found| *found == name).unwrap();
    let joints: Vec<_> = scene.joints[..3].iter().map(|j| (j.name.as_str(), j.kind, j.bodies)).collect();
    let (fixed, first, second, arm) = (scene.joints[0].bodies[0], at("behind u"), at("behind v"), at("arm"));
    assert!(scene.bodies[fixed].fixed);
    assert_eq!(
        joints,
        [
            ("u", JointKind::Prismatic, [fixed, first]),
            ("v", JointKind::Prismatic, [first, second]),
            ("y", JointKind::Revolute, [second, arm])
        ]
    );
    let coordinate = |k: usize| &scene.joints[k].coordinates[0];
    assert_eq!(coordinate(0).limits, Some([-1.0, 2.0]));
    assert_eq!((coordinate(1).motors.len(), coordinate(2).armature), (1, 0.2));
    assert!((scene.joints[2].anchors()[1].z - 0.8).abs() < 1e-12, "{:?}", scene.joints[2]);
    for body in [first, second] {
        assert_eq!(scene.bodies[body].mass, 1e-10 * scene.bodies[arm].mass);
        let pair = |other: usize| [body.min(other), body.max(other)];
        let touches_nothing = |other: usize| {
            other == body || scene.excluded.iter().any(|[a, b]| [*a.min(b), *a.max(b)] == pair(other))
        };
        assert!((0..names.len()).all(touches_nothing), "{:?}", scene.excluded);
    }
    assert!(!loaded.notes.iter().any(|note| note.contains("not taken over")), "{:?}", loaded.notes);
    // An actuator acts too.
    let text = SWING
        .replace("<joint name=\"hinge\"", "<joint name=\"other\" axis=\"1 0 0\"/><joint name=\"hinge\"")
        .replace("</mujoco>", "<actuator><motor joint=\"other\"/></actuator></mujoco>")
        .replace(" range=\"-90 45\" ref=\"10\"", "");
    let driven = read(&text, "swing.xml", &ModelOptions::default()).unwrap().scene;
    assert_eq!(driven.joints[0].coordinates[0].motors.len(), 1);
}

/// Bodies between its joints do not hinder an arm: it falls as a ball joint lets it.
#[test]
fn bodies_between_joints_are_not_felt() {
    let hinges = |acting: &str, third: &str| {
        format!("<joint name=\"x\" axis=\"1 0 0\"/><joint name=\"y\" axis=\"0 1 0\" {acting}/>{third}")
    };
    let end = |joints: &str| {
        let loaded = jointed(joints);
        let mut simulation = Simulation::new(loaded.scene).unwrap();
        let arm = simulation.body_named("arm").unwrap();
        simulation.apply_impulse(arm, [1.0, 2.0, 0.0], [0.0; 3]).unwrap();
        for _ in 0..50 {
            let outcome = simulation.advance();
            assert!(outcome.is_good(), "{:?} {:?}", outcome.info, outcome.verdict);
        }
        simulation.pose(arm).unwrap()
    };
    for third in ["", "<joint name=\"z\"/>"] {
        let [one, chain] = ["", "range=\"-179 179\""].map(|acting| end(&hinges(acting, third)));
        let apart = (one.position - chain.position).norm();
        assert!(apart < 1e-8 && apart > 0.0, "{third}: {apart:e}");
    }
}

#[test]
fn limits_that_scenes_cannot_have_are_taken_off_or_begun_at() {
    let limits =
        |range: &str| read(&SWING.replace("-90 45", range), "swing.xml", &ModelOptions::default()).unwrap();
    let told = |loaded: &Loaded, part: &str| loaded.notes.iter().any(|note| note.contains(part));
    let wide = limits("-300 300");
    assert!(told(&wide, "more than a turn apart") && wide.scene.joints[0].coordinates.is_empty());
    let none = limits("20 20\" limited=\"true");
    assert!(told(&none, "leave nothing free") && none.scene.joints[0].coordinates.is_empty());
    // Limits that are inferred need an extent.
    let inferred = limits("20 20");
    assert!(!told(&inferred, "leave nothing free") && inferred.scene.joints[0].coordinates.is_empty());
    let outside = limits("30 45");
    assert!(told(&outside, "begins outside its limits"), "{:?}", outside.notes);
    assert!((outside.scene.joints[0].coordinates[0].start - 30_f64.to_radians()).abs() < 1e-15);
    // A position that the user puts outside of a joint's limits is refused.
    let error = read(&SWING.replace("-90 45", "30 45"), "swing.xml", &at(&[("hinge", 0.1)])).unwrap_err();
    assert!(error.to_string().contains("angle_limits"), "{error}");
}

#[test]
fn bodies_that_move_keep_their_shapes() {
    let mesh = r#"<asset><mesh name="open" file="open.obj"/></asset><worldbody>"#;
    let text = SWING.replace("<worldbody>", mesh).replace(
        r#"<geom type="sphere" size="0.1" mass="3" condim="4"/>"#,
        r#"<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="open"/>"#,
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(folder.path().join("swing.xml"), text).unwrap();
    let path = folder.path().join("swing.xml");
    let refused = convert(&path, &ModelOptions::default()).unwrap_err().to_string();
    assert!(
        refused.contains("swing.xml:12:")
            && refused.contains("<geom> of \"bob\": mesh = ")
            && refused.contains("open.obj"),
        "{refused}"
    );
    assert!(
        refused.contains("a solid has at least 4") && refused.contains("--allow-missing-shapes"),
        "{refused}"
    );
    let mut allowed = ModelOptions::default();
    allowed.load.allow_missing_shapes = true;
    let loaded = convert(&path, &allowed).unwrap();
    let told = |note: &&String| note.contains("not taken over: mesh") && note.contains("of \"bob\"");
    assert_eq!(loaded.notes.iter().filter(told).count(), 1, "{:?}", loaded.notes);
    assert_eq!(loaded.scene.bodies.iter().find(|b| b.name == "bob").unwrap().mass, 1.0);
}

/// A block by its corners, with a scale along each axis; without faces they are those of its hull.
#[test]
fn corners_in_the_model_are_meshes() {
    let corners = "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1";
    let model = |what: &str| {
        let mesh = format!(r#"<asset><mesh name="block" scale="0.1 0.2 -0.3" {what}/></asset><worldbody>"#);
        SWING.replace("<worldbody>", &mesh).replace(
            r#"<geom type="sphere" size="0.1" mass="3" condim="4"/>"#,
            r#"<geom type="mesh" mesh="block" pos="0.5 0 0"/>"#,
        )
    };
    let hull = format!(r#"vertex="{corners}""#);
    let faces = "0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5";
    for what in [hull.clone(), format!(r#"{hull} face="{faces}" inertia="exact""#)] {
        let scene = read(&model(&what), "swing.xml", &ModelOptions::default()).unwrap().scene;
        let bob = scene.bodies.iter().find(|body| body.name == "bob").unwrap();
        assert!((bob.mass - 3.0).abs() < 1e-14, "{}", bob.mass);
        let moments = [0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04].map(|squares| 3.0 / 12.0 * squares);
        for (k, moment) in moments.iter().enumerate() {
            assert!((bob.inertia[(k, k)] - moment).abs() < 1e-15, "{}", bob.inertia);
        }
        assert!((bob.pose.position - nalgebra::Vector3::new(0.55, 0.1, 0.05)).norm() < 1e-15);
        let shape = &bob.parts[0].shape;
        assert!(matches!(shape, signorini::Shape::Polytope(hull) if hull.vertices.len() == 8), "{shape:?}");
    }
    for (what, expected) in [
        (r#"vertex="0 0 0 1 0 0 0 1 0""#.to_owned(), "3 points"),
        (r#"vertex="0 0 0 1""#.to_owned(), "three numbers for each corner"),
        (format!(r#"{hull} face="0 1 8""#), "three numbers of corners"),
        (format!(r#"{hull} face="0 1 1.5""#), "three numbers of corners"),
    ] {
        let error = read(&model(&what), "swing.xml", &ModelOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("\"block\""), "{error}");
    }
}

/// Included files stand where they are included, and files they name are beside the main one.
#[test]
fn includes_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("parts")).unwrap();
    let (before, bob) = SWING.split_once(r#"<body name="bob""#).unwrap();
    let (bob, after) = bob.split_once("</body>").unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("parts/bob.xml", r#"<mujoco><include file="parts/inner.xml"/></mujoco>"#);
    write("parts/inner.xml", &format!(r#"<mujoco><body name="bob"{bob}</body></mujoco>"#));
    write("swing.xml", &format!(r#"{before}<include file="parts/bob.xml"/>{after}"#));
    let found = convert(&folder.path().join("swing.xml"), &ModelOptions::default()).unwrap().scene;
    assert_eq!(found.bodies, read(SWING, "swing.xml", &ModelOptions::default()).unwrap().scene.bodies);
    write("parts/inner.xml", r#"<mujoco><include file="parts/bob.xml"/></mujoco>"#);
    let error = convert(&folder.path().join("swing.xml"), &ModelOptions::default()).unwrap_err();
    assert!(error.to_string().contains("more than 16 deep"), "{error}");
}

/// Pairs without contact: those named, the world's geoms among them, and those whose masks never meet.
#[test]
fn excluded_pairs_and_equalities_are_taken_over() {
    let excluded = |contact: &str| {
        let text = SWING.replace("</mujoco>", &format!("<contact>{contact}</contact></mujoco>"));
        let scene = read(&text, "swing.xml", &ModelOptions::default()).unwrap().scene;
        let name = |id: usize| scene.bodies[id].name.clone();
        let mut pairs: Vec<_> = scene.excluded.iter().map(|pair| pair.map(name)).collect();
        pairs.iter_mut().for_each(|pair| pair.sort());
        pairs.sort();
        pairs
    };
    let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    // Type 0 and affinity 2 meet none of type 1.
    let apart = [pair("arm", "ghost"), pair("bob", "ghost"), pair("ghost", "world-floor")];
    assert_eq!(excluded(""), apart);
    let world = excluded(r#"<exclude body1="world" body2="bob"/><exclude body1="arm" body2="bob"/>"#);
    let expected = [
        pair("arm", "bob"),
        apart[0].clone(),
        apart[1].clone(),
        pair("bob", "world-floor"),
        apart[2].clone(),
    ];
    assert_eq!(world, expected);

    let held = |equality: &str| {
        let text = SWING.replace("</mujoco>", &format!("<equality>{equality}</equality></mujoco>"));
        let scene = read(&text, "swing.xml", &ModelOptions::default()).unwrap().scene;
        scene.joints.iter().find(|joint| joint.name == "held").map(|joint| joint.kind)
    };
    assert_eq!(held(r#"<weld name="held" body1="ghost" body2="bob"/>"#), Some(JointKind::Fixed));
    assert_eq!(held(r#"<connect name="held" body1="ghost" anchor="0 0 1"/>"#), Some(JointKind::Ball));
    assert_eq!(held(r#"<connect name="held" body1="ghost" anchor="0 0 1" active="false"/>"#), None);
}

/// The third number of friction is a length too, and counts from six dimensions on.
#[test]
fn rolling_friction_of_geoms_resists_rolling() {
    for (dimension, expected) in [(4, 0.0), (6, 0.002)] {
        let geom = format!(r#"condim="{dimension}" friction="0.8 0.01 0.002"/>"#);
        let text = SWING.replace(r#"condim="4"/>"#, &geom);
        let scene = read(&text, "swing.xml", &ModelOptions::default()).unwrap().scene;
        let found = scene.friction.entries.iter().map(|entry| entry.rolling).fold(0.0, f64::max);
        assert_eq!(found, expected, "condim {dimension}");
    }
}

#[test]
fn a_model_runs_as_a_scene() {
    let options = ModelOptions {
        load: LoadOptions {
            overrides: signorini::files::Overrides { duration: Some(0.1), ..Default::default() },
            ..LoadOptions::default()
        },
        ..ModelOptions::default()
    };
    let scene = read(SWING, "swing.xml", &options).unwrap().scene;
    let mut simulation = Simulation::new(scene).unwrap();
    assert!(simulation.run().all(|outcome| outcome.is_good()));
}

#[test]
fn what_is_not_taken_over_is_told_with_its_place_or_refused() {
    let text = SWING
        .replace("name=\"slide\"", "name=\"slide\" margin=\"0.5\"")
        .replace("</mujoco>", "<tendon><spatial name=\"string\"/></tendon>\n</mujoco>");
    let notes = read(&text, "swing.xml", &ModelOptions::default()).unwrap().notes;
    let told: Vec<&String> = notes.iter().filter(|note| note.contains("not taken over")).collect();
    assert_eq!(told.len(), 2, "{notes:?}");
    let place = |part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let at_line = |note: &str, line: usize| note.contains(&format!("swing.xml:{line}:"));
    assert!(told.iter().any(|n| at_line(n, place("margin")) && n.contains("margin = \"0.5\"")), "{told:?}");
    assert!(told.iter().any(|n| at_line(n, place("tendon")) && n.contains("\"string\"")), "{told:?}");
    let strict = ModelOptions { strict: true, ..ModelOptions::default() };
    let error = read(&text, "swing.xml", &strict).unwrap_err().to_string();
    assert!(error.lines().count() == 2 && error.contains("string"), "{error}");
    assert!(read(SWING, "swing.xml", &strict).is_ok());
}

#[test]
fn overlaps_at_the_start_are_excluded_and_told() {
    let text =
        SWING.replace("pos=\"3 0 0\"", "pos=\"0.05 0 0.9\"").replace("contype=\"0\" conaffinity=\"2\"", "");
    let loaded = read(&text, "swing.xml", &ModelOptions::default()).unwrap();
    assert!(
        loaded.notes.iter().any(|n| n.contains("\"arm\"") && n.contains("\"ghost\"")),
        "{:?}",
        loaded.notes
    );
    let name = |id: usize| loaded.scene.bodies[id].name.as_str();
    assert!(loaded.scene.excluded.iter().any(|[a, b]| name(*a) == "arm" && name(*b) == "ghost"));
}

#[test]
fn wrong_models_say_where_and_what_is_allowed() {
    let replaced = |from: &str, to: &str| SWING.replacen(from, to, 1);
    let cases = [
        ("no XML", "<mujoco>".to_owned(), "wrong.xml"),
        ("another format", "<sdf/>".to_owned(), "<mujoco> (MJCF) or <robot> (URDF)"),
        ("no length", replaced("axis=\"0 1 0\"", "axis=\"0 0 0\""), "has no length"),
        ("two numbers", replaced("range=\"-90 45\"", "range=\"45\""), "must be 2 numbers"),
        ("no number", replaced("mass=\"3\"", "mass=\"three\""), "must be finite numbers"),
        ("no size", replaced("size=\"0.1 0.2 0.3\"", "size=\"0.1\""), "a box needs 3 positive numbers"),
        ("a class", replaced("name=\"bob\"", "name=\"bob\" childclass=\"no\""), "no such default class"),
        (
            "twice the same",
            replaced("<geom type=\"box\"", "<joint axis=\"0 2 0\"/><geom type=\"box\""),
            "several joints that move the body in the same way",
        ),
        ("by rules", replaced("<freejoint/>", "<freejoint/><replicate count=\"2\"/>"), "mj_saveLastXML"),
        (
            "a cone",
            ARM.replacen("\"revolute\"", "\"helical\"", 1),
            "must be fixed, floating, planar, revolute",
        ),
        ("two parents", ARM.replacen("<child link=\"tool\"/>", "<child link=\"upper\"/>", 1), "two parents"),
        ("a stranger", ARM.replacen("parent link=\"base\"", "parent link=\"bose\"", 1), "no such link"),
        (
            "macros",
            ARM.replacen("value=\"2\"", "value=\"${m}\"", 1).replace("name=\"arm\"", "name=\"${n}\""),
            "xacro",
        ),
    ];
    for (case, text, expected) in cases {
        let error = read(&text, "wrong.xml", &ModelOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(expected) && message.contains("wrong.xml"), "{case}: {message}");
    }
}
