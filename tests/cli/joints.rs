//! Impossible joints and prescribed motions: each ends with exit code 2, its place and its value, and nothing
//! is written.

use super::Bench;
use std::fs;

const BODIES: &str = r#"format = 1
[simulation]
time_step = 0.01
duration = 0.05
[[body]]
name = "base"
shape = { type = "sphere", radius = 0.05 }
fixed = true
[[body]]
name = "rod"
shape = { type = "ellipsoid", semi_axes = [0.3, 0.05, 0.05] }
mass = 1
position = [0.4, 0, 0]
[[body]]
name = "bob"
shape = { type = "sphere", radius = 0.05 }
mass = 1
position = [2, 0, 0]
"#;

fn joint(kind: &str, between: [&str; 2], more: &str) -> String {
    format!("[[joint]]\nname = \"j\"\ntype = {kind:?}\nbetween = {between:?}\n{more}\n")
}

fn motion(body: &str, more: &str, course: &str) -> String {
    format!("[[motion]]\nbody = {body:?}\ndirection = [1, 0, 0]\n{more}\nvelocity = {course}\n")
}

const CONSTANT: &str = "{ type = \"constant\", value = 1 }";
const HINGE: &str = "anchor = [0, 0, 0]\naxis = [0, 1, 0]";
const RODS: [&str; 2] = ["base", "rod"];

/// Name of each fault, its scene, and the words that the message must contain.
fn cases() -> Vec<(&'static str, String, [&'static str; 2])> {
    let table = |times: &str| {
        motion("rod", "", &format!("{{ type = \"table\", times = {times}, values = [0, 1, 2] }}"))
    };
    let carried = |a: &str, b: &str| motion(a, &format!("relative_to = {b:?}"), CONSTANT);
    let hinge = |more: &str| joint("revolute", RODS, &format!("{HINGE}\n{more}"));
    vec![
        ("carried by itself", carried("rod", "rod"), ["relative_to = rod → rod", "carried by itself"]),
        (
            "carried in a circle",
            carried("rod", "bob") + &carried("bob", "rod"),
            ["rod → bob → rod", "carried by itself"],
        ),
        (
            "one body",
            joint("ball", ["rod", "rod"], "anchor = [0, 0, 0]"),
            ["joint[0] \"j\": between", "two bodies"],
        ),
        (
            "no such body",
            joint("ball", ["base", "nobody"], "anchor = [0, 0, 0]"),
            ["\"nobody\"", "no such body"],
        ),
        ("nobody moved", motion("nobody", "", CONSTANT), ["motion[0] \"nobody\": body", "no such body"]),
        (
            "no axis",
            joint("revolute", RODS, "anchor = [0, 0, 0]\naxis = [0, 0, 0]"),
            ["axis = [0.0, 0.0, 0.0]", "not zero"],
        ),
        (
            "no axis in one body",
            joint("prismatic", RODS, "axes = [[0, 1, 0], [0, 0, 0]]"),
            ["axes = [0.0, 0.0, 0.0]", "not zero"],
        ),
        ("angles crossed", hinge("angle_limits = [1, -1]"), ["angle_limits = [1.0, -1.0]", "below"]),
        (
            "displacements crossed",
            joint("prismatic", RODS, "axis = [1, 0, 0]\nslide_limits = [2, 1]"),
            ["slide_limits = [2.0, 1.0]", "below"],
        ),
        (
            "lengths crossed",
            joint("distance", RODS, "length_limits = [2, 0.1]"),
            ["length_limits = [2.0, 0.1]", "below"],
        ),
        (
            "open",
            joint("ball", RODS, "anchors = [[0, 0, 0], [-0.3, 0, 0]]"),
            ["violated by 1.000000e-1 m", "--assemble"],
        ),
        (
            "askew",
            joint("revolute", RODS, "anchors = [[0, 0, 0], [-0.4, 0, 0]]\naxes = [[0, 1, 0], [0, 1, 0.1]]"),
            ["9.950372e-2 rad", "--assemble"],
        ),
        ("too short", joint("distance", RODS, "length = 0.5"), ["violated by 1.000000e-1 m", "--assemble"]),
        ("unsorted", table("[0, 2, 1]"), ["velocity.times = 1.0 after 2.0", "rise"]),
        ("twice the same time", table("[0, 1, 1]"), ["velocity.times = 1.0 after 1.0", "rise"]),
        ("a time that is none", table("[0, nan, 1]"), ["velocity.times = NaN at place 1", "finite"]),
        ("a time without end", table("[0, 1, inf]"), ["velocity.times = inf at place 2", "finite"]),
        (
            "of a joint, unsorted",
            hinge("")
                + "[[motion]]\njoint = \"j\"\nposition = { type = \"table\", times = [1, 0], values = [0, 1] }\n",
            ["motion[0] \"j\": position.times = 0.0 after 1.0", "rise"],
        ),
        (
            "of a motor, not finite",
            hinge("")
                + "[[motor]]\njoint = \"j\"\nlargest_force = 1\nvelocity = { type = \"table\", times = [0, nan], values = [0, 1] }\n",
            ["motor[0] \"j\": velocity.times = NaN at place 1", "finite"],
        ),
    ]
}

#[test]
fn wrong_joints_and_motions_end_with_two_and_write_nothing() {
    let bench = Bench::new(1, 10);
    for (what, text, parts) in cases() {
        fs::write(bench.path("bad.toml"), BODIES.to_owned() + &text).unwrap();
        let before = bench.listing();
        for command in ["run", "check"] {
            let message = bench.expect(&[command, "bad.toml"], 2);
            for part in parts.iter().chain(&["bad.toml"]) {
                assert!(message.contains(part), "{what}: {part:?} is not in: {message}");
            }
            assert_eq!(bench.listing(), before, "{what}");
        }
    }
}

/// Joints that do not hold at the start are closed first, on request.
#[test]
fn assemble_moves_the_bodies_first() {
    let bench = Bench::new(1, 10);
    for more in [
        joint("ball", RODS, "anchors = [[0, 0, 0], [-0.3, 0, 0]]"),
        joint("revolute", RODS, "anchors = [[0, 0, 0], [-0.4, 0, 0]]\naxes = [[0, 1, 0], [0, 1, 0.1]]"),
        joint("distance", RODS, "length = 0.5"),
    ] {
        fs::write(bench.path("open.toml"), BODIES.to_owned() + &more).unwrap();
        let message = bench.expect(&["run", "open.toml", "--assemble"], 0);
        assert!(message.contains("moved"), "{message}");
        let joints = fs::read_to_string(bench.path("out/open/joints.csv")).unwrap();
        assert_eq!(joints.lines().count(), 6, "{joints}");
        bench.expect(&["audit", "out/open"], 0);
        fs::remove_dir_all(bench.path("out")).unwrap();
    }
}
