//! Every wrong joint or motion is refused with its place, its value and what is allowed.

use super::{body, head, joint};
use signorini_scene::scene::{self, LoadOptions};
use std::path::Path;

fn base() -> String {
    head(0.01, 0.1)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &body("bob", [0.05; 3], Some(1.0), [2.0, 0.0, 0.0])
}

fn hinge(more: &str) -> String {
    joint("hinge", "revolute", ["base", "rod"], [0.0; 3], &format!("axis = [0, 1, 0]\n{more}"))
}

pub fn refused(text: &str, parts: &[&str]) {
    let error =
        scene::parse(text, Path::new("bad.toml"), &LoadOptions::default()).expect_err(text).to_string();
    for part in parts.iter().chain(&["bad.toml"]) {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}

#[test]
fn joints_between_wrong_bodies() {
    let between = |a, b| base() + &joint("j", "ball", [a, b], [0.0; 3], "");
    refused(&between("rod", "rod"), &["joint[0] \"j\": between", "must be two bodies"]);
    refused(&between("rod", "nobody"), &["between", "nobody", "no such body"]);
    let fixed = base() + &body("wall", [0.05; 3], None, [5.0, 0.0, 0.0]);
    refused(&(fixed + &joint("j", "ball", ["base", "wall"], [0.0; 3], "")), &["must move freely"]);
    let twice = base() + &hinge("") + &hinge("");
    refused(&twice, &["joint[1] \"hinge\": name", "unique"]);
}

#[test]
fn joints_with_wrong_geometry() {
    let with = |kind, more: &str| base() + &joint("j", kind, ["base", "rod"], [0.0; 3], more);
    refused(&with("revolute", "axis = [0, 0, 0]"), &["joint[0] \"j\": axis", "[0.0, 0.0, 0.0]", "not zero"]);
    refused(&with("revolute", ""), &["axis", "absent", "required"]);
    refused(&with("ball", "length = 1"), &["length", "only a distance joint"]);
    refused(
        &with("revolute", "axis = [0, 1, 0]\naxes = [[0, 1, 0], [0, 1, 0]]"),
        &["axis", "more than once"],
    );
    refused(&with("ball", "anchors = [[0, 0, 0], [0, 0, 0]]"), &["anchor", "either"]);
    refused(&with("ball", "anchor_a = 1"), &["no such field"]);
}

#[test]
fn limits_that_cross_or_do_not_hold() {
    refused(&(base() + &hinge("angle_limits = [0.5, -0.5]")), &["angle_limits", "[0.5, -0.5]", "below"]);
    refused(&(base() + &hinge("angle_limits = [-4, 4]")), &["angle_limits", "2π"]);
    refused(&(base() + &hinge("slide_limits = [-1, 1]")), &["slide_limits", "has no slide"]);
    refused(&(base() + &hinge("angle_limits = [0.5, 1]")), &["angle_limits", "must hold", "at time 0"]);
    refused(&(base() + &hinge("angle_limits = [nan, 1]")), &["angle_limits", "finite"]);
    refused(&(base() + &hinge("armature = -0.1")), &["armature", "-0.1"]);
    let rail =
        joint("rail", "cylindrical", ["base", "bob"], [1.0, 0.2, 0.0], "axis = [1, 2, 3]\narmature = 1");
    refused(&(base() + &rail), &["armature", "1.0", "revolute or prismatic"]);
}

#[test]
fn joints_that_do_not_hold_at_the_start() {
    let open = base()
        + "[[joint]]\nname = \"j\"\ntype = \"ball\"\nbetween = [\"base\", \"rod\"]\n"
        + "anchors = [[0, 0, 0], [-0.3, 0, 0]]\n";
    refused(&open, &["joint[0] \"j\"", "violated by 1.000000e-1 m", "--assemble"]);
    let options = LoadOptions { assemble: true, ..LoadOptions::default() };
    let loaded = scene::parse(&open, Path::new("bad.toml"), &options).expect("assembled");
    let rod = &loaded.scene.bodies[1];
    assert!(rod.pose.point(&nalgebra::Vector3::new(-0.3, 0.0, 0.0)).norm() < 1e-12);
    assert!(loaded.notes.iter().any(|n| n.contains("1 body moved")), "{:?}", loaded.notes);
    // Two anchors on the base that no rod spans.
    let torn = open
        + "[[joint]]\nname = \"k\"\ntype = \"ball\"\nbetween = [\"base\", \"rod\"]\n"
        + "anchors = [[0, 9, 0], [0.3, 0, 0]]\n";
    let error = scene::parse(&torn, Path::new("bad.toml"), &options).expect_err("impossible").to_string();
    assert!(error.contains("not assembled"), "{error}");
}

#[test]
fn universal_and_planar_joints() {
    let universal = |axes: &str| base() + &joint("u", "universal", ["base", "rod"], [0.0; 3], axes);
    refused(&universal("axis = [0, 0, 1]"), &["joint[0] \"u\": axis", "axis and second_axis"]);
    let both = "axis = [0, 0, 1]\nsecond_axis = ";
    refused(
        &universal(&format!("{both}[1, 0, 1]")),
        &["second_axis = [1.0, 0.0, 1.0]", "at a right angle to axis"],
    );
    refused(&universal(&format!("{both}[0, 0, 0]")), &["second_axis"]);
    refused(
        &universal(&format!("{both}[1, 0, 0]\nangle_limits = [0, 1]")),
        &["a universal joint has no angle"],
    );
    refused(&(base() + &hinge("second_axis = [1, 0, 0]")), &["second_axis", "only of a universal joint"]);
    let planar = "[[joint]]\nname = \"p\"\ntype = \"planar\"\nbetween = [\"base\", \"rod\"]\n";
    refused(&(base() + planar), &["joint[0] \"p\": axis", "required"]);
}

#[test]
fn motors_and_motions_of_joints() {
    let motor = |more: &str| base() + &hinge("") + "[[motor]]\njoint = \"hinge\"\n" + more;
    let constant = "velocity = { type = \"constant\", value = 1 }\n";
    refused(
        &motor(&(constant.to_owned() + "largest_force = 0")),
        &["motor[0] \"hinge\": largest_force", "> 0"],
    );
    refused(
        &motor(&(constant.to_owned() + "largest_force = 1\ncoordinate = \"slide\"")),
        &["coordinate", "\"slide\"", "angle"],
    );
    let course = "{ type = \"constant\", value = 1 }";
    for (more, parts) in [
        ("", ["velocity", "give one of velocity, position and force"]),
        ("velocity = C", ["largest_force", "required of a motor with a velocity and no damping"]),
        ("velocity = C\nforce = C", ["velocity", "give one of velocity, position and force"]),
        ("position = C", ["stiffness", "needs stiffness or damping > 0"]),
        ("position = C\nstiffness = -1", ["stiffness = -1.0", "≥ 0"]),
        ("velocity = C\ndamping = 0", ["damping = 0.0", "> 0"]),
        ("force = C\nstiffness = 1", ["stiffness", "only of a motor with a position"]),
        ("force = C\ndamping = 1", ["damping", "only of a motor with a position or a velocity"]),
        ("force = C\nname = \"\"", ["name", "1 to 200 characters"]),
        ("force = { type = \"constant\", value = nan }", ["force", "finite"]),
    ] {
        refused(&motor(&more.replace('C', course)), &parts);
    }
    let second = |more: &str| {
        motor(&(constant.to_owned() + "largest_force = 1\n[[motor]]\njoint = \"hinge\"\n" + more))
    };
    refused(
        &second("force = { type = \"constant\", value = 1 }"),
        &["motor[1]", "name = \"hinge\"", "unique"],
    );
    let other = second(&format!("name = \"other\"\n{constant}largest_force = 1"));
    refused(&other, &["motor[1]", "a motor that reaches its rate already"]);
    let motion = |what: &str, more: &str| base() + &hinge("") + "[[motion]]\n" + what + "\n" + more;
    refused(&motion("joint = \"hing\"", constant), &["motion[0]", "no such joint", "hinge"]);
    refused(&motion("joint = \"hinge\"", ""), &["position", "either position, velocity"]);
    let both = motion("joint = \"hinge\"", constant)
        + "[[motor]]\njoint = \"hinge\"\nlargest_force = 1\n"
        + constant;
    refused(&both, &["has a motor already"]);
    let ball = base()
        + &joint("b", "ball", ["base", "rod"], [0.0; 3], "")
        + "[[motion]]\njoint = \"b\"\n"
        + constant;
    refused(&ball, &["coordinate", "no coordinate that could be driven"]);
}

#[test]
fn tables_that_are_none() {
    let table = |times: &str, values: &str| {
        base()
            + "[[motion]]\nbody = \"bob\"\ndirection = [1, 0, 0]\n"
            + &format!("position = {{ type = \"table\", times = {times}, values = {values} }}\n")
    };
    refused(
        &table("[0, 2, 1]", "[0, 1, 2]"),
        &["motion[0] \"bob\": position.times", "1.0 after 2.0", "rise"],
    );
    refused(&table("[0, 1, 1]", "[0, 1, 2]"), &["position.times", "1.0 after 1.0"]);
    refused(&table("[0, nan]", "[0, 1]"), &["position.times", "NaN at place 1", "finite"]);
    refused(&table("[0, 1]", "[0, inf]"), &["position.values", "inf at place 1"]);
    refused(&table("[0, 1]", "[0]"), &["2 times, 1 values"]);
    refused(&table("[]", "[]"), &["0 times, 0 values", "at least one"]);
}

#[test]
fn motions_in_a_circle() {
    let one = |a: &str, b: &str| {
        format!(
            "[[motion]]\nbody = {a:?}\nrelative_to = {b:?}\ndirection = [1, 0, 0]\nvelocity = {{ type = \"constant\", value = 1 }}\n"
        )
    };
    refused(&(base() + &one("rod", "rod")), &["relative_to", "rod → rod", "carried by itself"]);
    refused(
        &(base()
            + &body("free", [0.1; 3], Some(1.0), [9.0, 0.0, 0.0])
            + &one("rod", "bob")
            + &one("bob", "rod")),
        &["relative_to", "rod → bob → rod"],
    );
    refused(&(base() + &one("rod", "bob")), &["relative_to", "\"bob\"", "moves freely"]);
    refused(&(base() + &one("nobody", "base")), &["motion[0] \"nobody\": body", "no such body"]);
}

#[test]
fn motions_of_bodies() {
    let motion = |more: &str| {
        base() + "[[motion]]\nbody = \"bob\"\nvelocity = { type = \"constant\", value = 1 }\n" + more
    };
    refused(&motion(""), &["direction", "either"]);
    refused(&motion("direction = [0, 0, 0]"), &["direction", "not zero"]);
    refused(&motion("direction = [1, 0, 0]\njoint = \"x\""), &["of a body", "or of a joint"]);
    let free = motion("direction = [1, 0, 0]").replacen("name = \"bob\"", "name = \"bob\"\nfixed = false", 1);
    refused(&free, &["body[2] \"bob\": fixed", "prescribed"]);
    let plane = base()
        + "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = -9 }\n"
        + "[[motion]]\nbody = \"floor\"\naxis = [1, 0, 0]\nvelocity = { type = \"constant\", value = 1 }\n";
    refused(&plane, &["axis", "half-space cannot turn"]);
}

/// A resolved scene reads back bit for bit.
#[test]
fn joints_are_written_as_they_are_read() {
    let text = base()
        + &hinge("angle_limits = [-0.5, 1]\narmature = 0.25\ncollide = true")
        + &joint(
            "rail",
            "cylindrical",
            ["rod", "bob"],
            [1.0, 0.2, 0.0],
            "axis = [1, 2, 3]\nslide_limits = [-1, 1]",
        )
        + "[[joint]]\nname = \"rope\"\ntype = \"distance\"\nbetween = [\"base\", \"bob\"]\nlength_limits = [0, 2.5]\n"
        + "[[motor]]\njoint = \"hinge\"\nlargest_force = 2\nvelocity = { type = \"sine\", amplitude = 1, frequency = 2 }\n"
        + "[[motion]]\njoint = \"rail\"\ncoordinate = \"angle\"\nvelocity = { type = \"constant\", value = 0.1 }\n"
        + "[[motion]]\nbody = \"base\"\naxis = [0, 0, 1]\nposition = { type = \"table\", times = [0, 1], values = [0, 0.1] }\n";
    let scene = support::runs::exact_from_text(&text);
    assert_eq!(support::runs::exact_from_text(&scene::to_toml(&scene)), scene);
}
