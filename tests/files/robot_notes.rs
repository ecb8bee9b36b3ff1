//! Elements and attributes of models that are not taken over are noted or refused, never left out in
//! silence.

use crate::robots::{ARM, SWING, read};
use signorini::files::ModelOptions;

/// A model with a change, and a part of the note about it.
pub fn noted(text: &str, name: &str, expected: &str) {
    let notes =
        read(text, name, &ModelOptions::default()).unwrap_or_else(|e| panic!("{expected}: {e}")).notes;
    let line = text.lines().position(|line| line.contains("@@")).map_or(1, |line| line + 1);
    let place = format!("{name}:{line}:");
    let is_it = |note: &String| note.contains("not taken over") && note.contains(expected);
    assert!(notes.iter().any(|note| is_it(note) && note.contains(&place)), "{expected} {place}: {notes:?}");
    let strict = ModelOptions { strict: true, ..ModelOptions::default() };
    let refused = read(text, name, &strict).unwrap_err().to_string();
    assert!(refused.contains(expected) && refused.contains(&format!("line {line}")), "{refused}");
}

/// `SWING` with the text before the mark `at` on a line of its own.
fn swing(at: &str, what: &str) -> String {
    SWING.replacen(at, &format!("\n<!-- @@ -->{what}{at}"), 1)
}

#[test]
fn elements_of_mjcf_are_taken_over_or_noted() {
    let ball = |what: &str| {
        let joint = format!("\n<!-- @@ --><joint name=\"hip\" type=\"ball\" {what}/>");
        SWING.replacen("<joint name=\"slide\" type=\"slide\" axis=\"0 0 1\"/>", &joint, 1)
    };
    for attribute in [
        "limited=\"true\" range=\"0 30\"",
        "range=\"0 30\"",
        "damping=\"1\"",
        "stiffness=\"2\"",
        "frictionloss=\"3\"",
        "armature=\"4\"",
    ] {
        let expected = attribute.split(' ').next_back().unwrap().replace('=', " = ");
        let expected = if attribute.contains("range") { "range = \"0 30\"" } else { &expected };
        noted(&ball(attribute), "swing.xml", &format!("<joint> \"hip\": {expected}"));
    }
    for flag in
        ["constraint", "equality", "frictionloss", "limit", "spring", "damper", "actuation", "filterparent"]
    {
        let option = format!("<option><flag {flag}=\"disable\"/></option>");
        noted(&swing("<worldbody>", &option), "swing.xml", &format!("<flag> {flag} = \"disable\""));
    }
    let inside = [
        ("<worldbody>", "<option wind=\"1 0 0\"/>", "<option> wind"),
        ("<worldbody>", "<option density=\"1.2\"/>", "<option> density"),
        ("<worldbody>", "<compiler fitaabb=\"true\"/>", "<compiler> fitaabb"),
        ("<worldbody>", "<unheard of=\"1\"><x/></unheard>", "<x> in <unheard>"),
        ("<worldbody>", "<default><geometry size=\"1\"/></default>", "<geometry> in <default>"),
        (
            "<worldbody>",
            "<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" maxhullvert=\"8\"/></asset>",
            "maxhullvert",
        ),
        ("<geom type=\"box\"", "<plugin plugin=\"p\"/>", "<plugin> in \"arm\""),
        (
            "<geom type=\"box\"",
            "<geom type=\"sphere\" size=\"0.1\"><plugin plugin=\"p\"/></geom>",
            "<plugin> in <geom>",
        ),
        ("<geom type=\"box\"", "<geom type=\"sphere\" size=\"0.1\" adhesion=\"1\"/>", "adhesion = \"1\""),
        (
            "</mujoco>",
            "<contact><exclude body1=\"arm\" body2=\"bob\" solref=\"1 1\"/></contact>",
            "<exclude> solref",
        ),
        ("</mujoco>", "<equality><weld body1=\"ghost\" solref=\"0.1 1\"/></equality>", "<weld> solref"),
        ("</mujoco>", "<actuator><motor joint=\"hinge\" damping=\"1\"/></actuator>", "<motor> damping"),
    ];
    for (at, what, expected) in inside {
        noted(&swing(at, what), "swing.xml", expected);
    }
    let framed =
        SWING.replacen("<geom type=\"box\"", "<frame><joint name=\"lost\"/></frame><geom type=\"box\"", 1);
    let refused = read(&framed, "swing.xml", &ModelOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("line 9: <joint> \"lost\": is read in a <body> only"), "{refused}");
    // Options of computing and drawing, and values that change nothing, are no notes.
    let harmless = r#"<compiler discardvisual="true"/><option impratio="10" iterations="5" wind="0 0 0">
        <flag contact="enable" energy="enable" warmstart="disable"/></option><size memory="1M"/>
        <visual><map znear="1"/></visual><asset><texture name="t" builtin="flat"/></asset><worldbody>"#;
    let strict = ModelOptions { strict: true, ..ModelOptions::default() };
    read(&SWING.replacen("<worldbody>", harmless, 1), "swing.xml", &strict).unwrap();
}

#[test]
fn elements_of_urdf_are_taken_over_or_noted() {
    let arm = ARM.replace(" velocity=\"1\"", "");
    let strict = ModelOptions { strict: true, ..ModelOptions::default() };
    read(&arm, "arm.urdf", &strict).unwrap();
    let inside = [
        (
            "<link name=\"upper\">",
            "<gazebo reference=\"upper\"><mu1>0.3</mu1></gazebo>",
            "<mu1> of \"upper\"",
        ),
        ("<link name=\"upper\">", "<transmission name=\"t\"/>", "<transmission> of \"arm\""),
        ("<parent link=\"base\"/>", "<mimic joint=\"weld\"/>", "<mimic> of \"shoulder\": joint = \"weld\""),
        ("<parent link=\"base\"/>", "<safety_controller k_velocity=\"3\"/>", "k_velocity = \"3\""),
        (
            "<collision><geometry><sphere",
            "<contact><lateral_friction value=\"1\"/></contact>",
            "<contact> of \"tool\"",
        ),
    ];
    for (at, what, expected) in inside {
        let text = arm.replacen(at, &format!("\n<!-- @@ -->{what}{at}"), 1);
        noted(&text, "arm.urdf", expected);
    }
    let limit = arm.replacen("<limit ", "\n<!-- @@ --><limit acceleration=\"1\" ", 1);
    noted(&limit, "arm.urdf", "<limit> of \"shoulder\": acceleration = \"1\"");
    let planar =
        arm.replacen("\"revolute\"", "\"planar\"", 1).replacen("<dynamics ", "\n<!-- @@ --><dynamics ", 1);
    noted(&planar, "arm.urdf", "<dynamics> of \"shoulder\": friction = 0.5");
}

#[test]
fn without_contact_bodies_pass_through_each_other() {
    let text = SWING.replacen("<worldbody>", "<option><flag contact=\"disable\"/></option><worldbody>", 1);
    let strict = ModelOptions { strict: true, ..ModelOptions::default() };
    let scene = read(&text, "swing.xml", &strict).unwrap().scene;
    let id = |name: &str| scene.bodies.iter().position(|body| body.name == name).unwrap();
    let pairs = [["world-floor", "arm"], ["world-floor", "bob"], ["arm", "bob"], ["arm", "ghost"]];
    let joined = scene.joined_pairs();
    for [a, b] in pairs.map(|pair| pair.map(id)) {
        assert!(joined.contains(&(a.min(b), a.max(b))), "{joined:?}");
    }
}

/// Masses and moments of shells of 8 kg/m², as MuJoCo 4.0.0 compiles them.
#[test]
fn shells_have_the_mass_of_their_surface() {
    let shell = |geom: &str| {
        let geom = format!("<geom {geom} shellinertia=\"true\" density=\"8\"/>");
        let text = SWING.replace("<geom size=\"0.1\" contype=\"0\" conaffinity=\"2\"/>", &geom);
        read(&text, "swing.xml", &ModelOptions { strict: true, ..ModelOptions::default() })
    };
    for (geom, mass, moments) in [
        ("size=\"0.1\"", 1.0053096491487339, [0.006702064327658228; 3]),
        (
            "type=\"box\" size=\"0.1 0.2 0.3\"",
            7.04,
            [0.4330666666666667, 0.3370666666666667, 0.19413333333333332],
        ),
        (
            "type=\"cylinder\" size=\"0.1 0.3\"",
            3.518583772020568,
            [0.15205308443374596, 0.15205308443374596, 0.03267256359733385],
        ),
        (
            "type=\"capsule\" size=\"0.1 0.3\"",
            4.0212385965949355,
            [0.23289673538612332, 0.23289673538612332, 0.036861353802120245],
        ),
    ] {
        let scene = shell(geom).unwrap().scene;
        let ghost = scene.bodies.iter().find(|body| body.name == "ghost").unwrap();
        assert!((ghost.mass - mass).abs() < 1e-14, "{geom}: {}", ghost.mass);
        for (k, moment) in moments.into_iter().enumerate() {
            assert!((ghost.inertia[(k, k)] - moment).abs() < 1e-15, "{geom}: {}", ghost.inertia);
        }
    }
    let refused = shell("type=\"ellipsoid\" size=\"0.1 0.2 0.3\"").unwrap_err().to_string();
    assert!(refused.contains("swing.xml:15:") && refused.contains("shellinertia"), "{refused}");
}

/// Bodies without names on one line, as programs write them.
#[test]
fn names_of_unnamed_bodies_are_their_places() {
    let text = r#"<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let scene = read(text, "line.xml", &ModelOptions::default()).unwrap().scene;
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["body-1:20", "body-1:75"]);
}

#[test]
fn faults_name_the_element_and_the_number_of_the_file() {
    let urdf = |from: &str, to: &str| (ARM.replacen(from, to, 1), "arm.urdf");
    let mjcf = |from: &str, to: &str| (SWING.replacen(from, to, 1), "swing.xml");
    let cases = [
        (
            urdf("mass value=\"2\"", "mass value=\"-2\""),
            "arm.urdf:4:",
            "\"-2\": the mass of link \"upper\" must be",
        ),
        (urdf("ixx=\"0.3\"", "ixx=\"-0.3\""), "arm.urdf:3:", "<link> \"upper\": inertia"),
        (
            urdf("radius=\"0.05\"", "radius=\"-0.05\""),
            "arm.urdf:9:",
            "<sphere> radius = \"-0.05\": must be > 0",
        ),
        (mjcf("mass=\"3\"", "mass=\"-3\""), "swing.xml:12:", "mass = \"-3\": must be ≥ 0"),
        (mjcf("mass=\"3\"", "mass=\"0\""), "swing.xml", "line 10: <body> \"bob\": has no mass"),
        (mjcf("size=\"0.1 0.2 0.3\"", "size=\"1e12 2e12 3e12\""), "swing.xml:9:", "<geom> of \"arm\": shape"),
    ];
    for ((text, name), place, expected) in cases {
        let error = read(&text, name, &ModelOptions::default()).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(expected), "{expected}: {error}");
        assert!(!error.contains("body[") && !error.contains("parts["), "{error}");
    }
}

/// A link without mass stands between two joints, as with two hinges of a body in MJCF.
#[test]
fn links_without_mass_stand_between_joints() {
    let arm = |cross: &str, axis: &str| {
        ARM.replace(
            "<link name=\"tool\">",
            &format!("<link name=\"cross\">{cross}</link><link name=\"tool\">"),
        )
        .replace(
            "<parent link=\"base\"/><child link=\"upper\"/>",
            "<parent link=\"cross\"/><child link=\"upper\"/>",
        )
        .replace(
            "</robot>",
            &format!(
                "<joint name=\"yaw\" type=\"revolute\"><parent link=\"base\"/><child link=\"cross\"/>\
                     <axis xyz=\"{axis}\"/><limit lower=\"-1\" upper=\"1\" effort=\"3\"/></joint></robot>"
            ),
        )
    };
    let loaded = read(&arm("", "0 0 1"), "arm.urdf", &ModelOptions::default()).unwrap();
    let scene = loaded.scene;
    let body = |name: &str| scene.bodies.iter().find(|body| body.name == name).unwrap();
    assert_eq!(body("cross").mass, 1e-10 * body("upper").mass);
    let names: Vec<&str> = scene.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["yaw", "shoulder"]);
    let id = |name: &str| scene.bodies.iter().position(|body| body.name == name).unwrap();
    assert!(scene.joined_pairs().contains(&(id("base"), id("upper"))), "{:?}", scene.excluded);
    for (cross, axis, expected) in [
        (
            "",
            "0 1 0",
            "<link> \"cross\": has no mass, and the joints around it move the link behind it in the same way",
        ),
        (
            "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>",
            "0 0 1",
            "<link> \"cross\": has no mass: a body that moves needs one",
        ),
    ] {
        let text =
            arm(cross, axis).replace("<origin xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 1 0\"/>");
        let error = read(&text, "arm.urdf", &ModelOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("arm.urdf: line 6"), "{error}");
    }
    let leaf = arm("", "0 0 1").replace("<parent link=\"cross\"/>", "<parent link=\"base\"/>");
    let error = read(&leaf, "arm.urdf", &ModelOptions::default()).unwrap_err().to_string();
    assert!(error.contains("<link> \"cross\": has no mass"), "{error}");
}
