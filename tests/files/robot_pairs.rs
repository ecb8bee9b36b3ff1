//! `<pair>` of MJCF: two geoms that touch with a friction of their own. Numbers are those of MuJoCo 4.0.0.

use crate::robot_notes::noted;
use crate::robots::{SWING, read};
use signorini::files::ModelOptions;
use signorini::{Simulation, Torsion};
use signorini_scene::scene::{Friction, Scene};

fn strict() -> ModelOptions {
    ModelOptions { strict: true, ..ModelOptions::default() }
}

/// Three blocks on a floor: one that its masks keep from all, one that is excluded, one of neither.
const BLOCKS: &str = r#"<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1" friction="0.3 0.01"/>
    <body name="masked" pos="0 0 0.1"><freejoint/><geom name="m" type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/></body>
    <body name="excluded" pos="1 0 0.1"><freejoint/><geom name="e" type="box" size="0.1 0.1 0.1"/></body>
    <body name="plain" pos="2 0 0.1"><freejoint/><geom name="p" type="box" size="0.1 0.1 0.1" friction="0.6"/></body>
  </worldbody>
  <contact>
    <exclude body1="world" body2="excluded"/>
    <pair geom1="m" geom2="floor" friction="0.2 0.2 0.02 0.003 0.003" condim="6"/>
    <pair geom1="floor" geom2="e" condim="1"/>
  </contact>
</mujoco>"#;

fn between(scene: &Scene, bodies: [&str; 2]) -> (Friction, bool) {
    let id = |name: &str| scene.bodies.iter().position(|body| body.name == name).unwrap();
    let [a, b] = bodies.map(id);
    let touch = !scene.joined_pairs().contains(&(a.min(b), a.max(b)));
    let [of_a, of_b] = scene.materials_of([a, b], [0, 0]);
    (*scene.friction.between(of_a, of_b), touch)
}

#[test]
fn pairs_have_their_own_friction_whatever_keeps_bodies_apart() {
    let scene = read(BLOCKS, "blocks.xml", &strict()).unwrap().scene;
    let (masked, touches) = between(&scene, ["world-floor", "masked"]);
    assert!(touches && masked.coefficient == 0.2 && masked.rolling == 0.003, "{masked:?}");
    assert!(matches!(masked.torsional, Torsion::Radius(r) if (r - 0.1).abs() < 1e-15), "{masked:?}");
    let (excluded, touches) = between(&scene, ["world-floor", "excluded"]);
    assert!(touches && excluded.coefficient == 0.0, "{excluded:?}");
    let (plain, touches) = between(&scene, ["world-floor", "plain"]);
    assert!(touches && plain.coefficient == 0.6, "{plain:?}");
    // The pair of the masked block is with the floor alone.
    assert!(!between(&scene, ["masked", "plain"]).1 && between(&scene, ["excluded", "plain"]).1);
}

/// Blocks at 1 m/s slow down by μ g, those of frictionless pairs not at all.
#[test]
fn blocks_slide_as_their_pairs_say() {
    let mut scene = read(BLOCKS, "blocks.xml", &strict()).unwrap().scene;
    scene.bodies.iter_mut().filter(|body| !body.fixed).for_each(|body| body.velocity.linear.x = 1.0);
    let steps = 50;
    let time = steps as f64 * scene.time_step;
    let mut simulation = Simulation::new(scene).unwrap();
    assert!((0..steps).all(|_| simulation.advance().is_good()));
    for (body, mu) in [("masked", 0.2), ("excluded", 0.0), ("plain", 0.6)] {
        let id = simulation.scene().bodies.iter().position(|b| b.name == body).unwrap();
        let speed = simulation.state().velocities[id].linear.x;
        assert!((speed - (1.0 - mu * 9.81 * time)).abs() < 1e-3, "{body}: {speed}");
    }
}

#[test]
fn defaults_of_pairs_count_and_links_of_a_joint_may_touch() {
    let text = SWING
        .replacen("<default>", "<default><pair friction=\"0.4 0.4\" condim=\"4\"/>", 1)
        .replacen("<geom type=\"box\"", "<geom name=\"rod\" type=\"box\"", 1)
        .replacen("<geom type=\"sphere\"", "<geom name=\"ball\" type=\"sphere\"", 1)
        .replacen("</mujoco>", "<contact><pair geom1=\"rod\" geom2=\"ball\"/></contact></mujoco>", 1);
    let (friction, touches) = between(&read(&text, "swing.xml", &strict()).unwrap().scene, ["arm", "bob"]);
    assert!(touches && friction.coefficient == 0.4, "{friction:?}");
    assert!(matches!(friction.torsional, Torsion::Radius(r) if (r - 0.005 / 0.4).abs() < 1e-15));
    assert!(!between(&read(SWING, "swing.xml", &strict()).unwrap().scene, ["arm", "bob"]).1);
}

#[test]
fn what_is_not_taken_over_of_pairs_is_noted() {
    let pair = |what: &str| {
        BLOCKS.replacen("<pair geom1=\"floor\"", &format!("\n<!-- @@ -->{what}\n<pair geom1=\"floor\""), 1)
    };
    let of_floor = |what: &str| pair(&format!("<pair geom1=\"p\" geom2=\"floor\" {what}/>"));
    for (what, expected) in [
        ("margin=\"0.01\"", "margin = \"0.01\""),
        ("gap=\"0.01\"", "gap = \"0.01\""),
        ("solref=\"0.01 1\"", "solref = \"0.01 1\""),
        ("solreffriction=\"0.01 1\"", "solreffriction = \"0.01 1\""),
        ("solimp=\"0.9 0.95 0.001\"", "solimp = \"0.9 0.95 0.001\""),
        ("friction=\"0.2\"", "friction = \"0.2\": the first of two directions counts"),
        ("friction=\"1 1 0 0.1 0.2\" condim=\"6\"", "the first of two directions counts"),
    ] {
        noted(&of_floor(what), "blocks.xml", &format!("<pair> {expected}").replace("<pair> the", "the"));
    }
    let two = "<geom name=\"q\" type=\"sphere\" size=\"0.05\" pos=\"0 0 0.2\"/></body>\n    <body name=\"excluded\"";
    let inner = BLOCKS.replacen("</body>\n    <body name=\"excluded\"", two, 1);
    for (text, what, expected) in [
        (BLOCKS, "<pair geom1=\"floor\" geom2=\"m\"/>", "of the same geoms as one before"),
        (&inner, "<pair geom1=\"q\" geom2=\"m\"/>", "of geoms of one body"),
        (&inner, "<pair geom1=\"m\" geom2=\"p\"/>", "alone: geom \"m\" touches all that its body touches"),
    ] {
        let text =
            text.replacen("<pair geom1=\"floor\"", &format!("\n<!-- @@ -->{what}\n<pair geom1=\"floor\""), 1);
        noted(&text, "blocks.xml", expected);
    }
    let wall = BLOCKS.replacen(
        "<body name=\"masked\"",
        "<geom name=\"wall\" size=\"0.1\"/><body name=\"masked\"",
        1,
    );
    let wall =
        wall.replacen("</contact>", "\n<!-- @@ --><pair geom1=\"wall\" geom2=\"floor\"/></contact>", 1);
    noted(&wall, "blocks.xml", "of bodies that never move");
}

#[test]
fn wrong_pairs_are_refused_with_their_place() {
    for (what, expected) in [
        ("geom1=\"p\"", "<pair>: needs geom1 and geom2"),
        ("geom1=\"p\" geom2=\"none\"", "<pair> geom2 = \"none\": there is no such geom"),
        ("geom1=\"p\" geom2=\"masked\"", "<pair> geom2 = \"masked\": there is no such geom"),
        ("geom1=\"p\" geom2=\"floor\" condim=\"2\"", "<pair> condim = \"2\": must be 1, 3, 4 or 6"),
        ("geom1=\"p\" geom2=\"floor\" condim=\"x\"", "<pair> condim = \"x\": must be finite numbers"),
        (
            "geom1=\"p\" geom2=\"floor\" friction=\"-1\"",
            "<pair> friction = \"-1\": must be at most five numbers ≥ 0",
        ),
        ("geom1=\"p\" geom2=\"floor\" friction=\"1 1 1 1 1 1\"", "must be at most five numbers ≥ 0"),
        (
            "geom1=\"p\" geom2=\"floor\" friction=\"0.5 much\"",
            "friction = \"0.5 much\": must be finite numbers",
        ),
        (
            "geom1=\"p\" geom2=\"floor\" class=\"none\"",
            "<pair> class = \"none\": there is no such default class",
        ),
    ] {
        let text = BLOCKS.replacen("</contact>", &format!("\n<pair {what}/></contact>"), 1);
        let line = text.lines().position(|line| line.contains(what)).unwrap() + 1;
        let refused = read(&text, "blocks.xml", &ModelOptions::default()).unwrap_err().to_string();
        let place = [format!("blocks.xml:{line}:1"), format!("line {line}")];
        assert!(refused.contains(expected) && place.iter().any(|p| refused.contains(p)), "{refused}");
    }
}
