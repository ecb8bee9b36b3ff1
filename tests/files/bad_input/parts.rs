//! `parts` of `[[body]]`.

use super::{GROUND, HEAD, run, with};

const LEFT: &str = "shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }, position = [-0.1, 0, 0]";

/// A body of parts, with other lines of its own.
fn body(lines: &str, parts: &[&str]) -> String {
    let listed: Vec<String> = parts.iter().map(|part| format!("{{ {part} }}")).collect();
    format!("{HEAD}{GROUND}[[body]]\nname = \"u\"\n{lines}\nparts = [{}]\n", listed.join(", "))
}

fn half_space(offset: f64) -> String {
    format!("shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = {offset} }}")
}

/// The stand-in of a refused part overlaps nothing, whatever its place.
#[test]
fn faults_of_a_part_hide_no_others_and_make_none() {
    let over = LEFT.replace("-0.1, 0, 0", "0.08, 0, 0");
    let flat = LEFT.replace("[0.1, 0.1, 0.1]", "[0.1, 0.1, 0.0]");
    let file = std::path::Path::new("bad.toml");
    let parse = |parts: &[&str]| {
        let text = body("density = 1", parts);
        signorini_scene::scene::parse(&text, file, &Default::default()).expect_err("refused").to_string()
    };
    let error = parse(&[LEFT, &flat]);
    assert_eq!(error.lines().count(), 1, "{error}");
    let error = parse(&[LEFT, &flat, &over]);
    assert!(error.lines().count() == 2 && error.contains("parts[2] = overlaps parts[0]"), "{error}");
}

#[test]
fn parts() {
    let right = LEFT.replace("-0.1, 0, 0", "0.1, 0, 0");
    let over = LEFT.replace("-0.1, 0, 0", "0.08, 0, 0");
    let flat = LEFT.replace("[0.1, 0.1, 0.1]", "[0.1, 0.1, 0.0]");
    let heavy = |part: &str| format!("{part}, mass = 1");
    run(&[
        (
            "shape and parts",
            format!("{}shape = {{ type = \"sphere\", radius = 1 }}\n", body("density = 1", &[LEFT])),
            "body[1] \"u\": shape",
            &["given", "either a shape or parts"],
        ),
        ("neither", body("density = 1", &[]), "body[1] \"u\": shape", &["absent", "either a shape or parts"]),
        (
            "no mass",
            body("", &[LEFT, &right]),
            "body[1] \"u\": parts[0].mass",
            &["absent", "mass or density"],
        ),
        (
            "a bore among parts",
            body("fixed = true", &["shape = { type = \"bore\", radius = 1 }"]),
            "body[1] \"u\": parts[0].shape",
            &["bore", "not of a part"],
        ),
        (
            "mass of one part",
            body("", &[&heavy(LEFT), &right]),
            "body[1] \"u\": parts[1].mass",
            &["absent", "or the body a density"],
        ),
        (
            "mass of a part and of the body",
            body("mass = 2", &[&heavy(LEFT), &right]),
            "body[1] \"u\": parts[0]",
            &["leave one out"],
        ),
        (
            "mass and density of a part",
            body("", &[&format!("{}, density = 2", heavy(LEFT))]),
            "body[1] \"u\": parts[0].mass",
            &["1.0", "density (2.0), not both"],
        ),
        (
            "inertia and masses of parts",
            body("mass = 2\ninertia = [1, 1, 1, 0, 0, 0]", &[&heavy(LEFT)]),
            "body[1] \"u\": inertia",
            &["what they weigh is added"],
        ),
        (
            "overlap",
            body("density = 1", &[LEFT, &over]),
            "body[1] \"u\": parts[1]",
            &["overlaps parts[0] by 2.0", "e-2 m", "weighed twice", "mass and inertia"],
        ),
        (
            "no thickness",
            body("density = 1", &[LEFT, &flat]),
            "body[1] \"u\": parts[1].shape.half_extents",
            &["[0.1, 0.1, 0.0]", "> 0"],
        ),
        (
            "a half-space that moves",
            body("density = 1\nfixed = false", &[LEFT, &half_space(-1.0)]),
            "body[1] \"u\": fixed",
            &["false", "must be fixed"],
        ),
        (
            "half-spaces alone with a mass",
            body("mass = 1", &[&half_space(0.0), &half_space(-1.0)]),
            "body[1] \"u\": mass",
            &["given", "a half-space has none"],
        ),
        (
            "half-spaces alone that move",
            body("fixed = false", &[&half_space(0.0), &half_space(-1.0)]),
            "body[1] \"u\": fixed",
            &["false", "must be fixed"],
        ),
        (
            "no volume",
            body(
                "density = 1",
                &[
                    LEFT,
                    "shape = { type = \"polytope\", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }",
                ],
            ),
            "body[1] \"u\": parts[1].shape.vertices",
            &["lie in a plane"],
        ),
        (
            "material",
            with("[[friction]]\nbetween = [\"default\", \"default\"]\ncoefficient = 1\n")
                + &body("density = 1", &[&format!("{LEFT}, material = \"glue\"")])
                    [HEAD.len() + GROUND.len()..],
            "body[1] \"u\": parts[0].material",
            &["glue"],
        ),
        (
            "place of the shape",
            body("density = 1\nshape_position = [1, 0, 0]", &[LEFT]),
            "body[1] \"u\": shape_position",
            &["positions and orientations of their own"],
        ),
        (
            "unknown field",
            body("density = 1", &[&LEFT.replace("position", "place")]),
            "body[1] \"u\": parts[0].place",
            &["no such field"],
        ),
    ]);
}
