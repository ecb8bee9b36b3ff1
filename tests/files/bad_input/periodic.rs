//! `[periodic]`.

use super::{run, with};

fn periodic(lines: &str, bodies: &str) -> String {
    with(&format!("{bodies}\n[periodic]\n{lines}"))
}

const FLOOR: &str =
    "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0.6, 0, 0.8], offset = -2 }";

#[test]
fn periodic_boxes() {
    let long = "[[body]]\nname = \"bar\"\nfixed = true\nposition = [0, 0, -2]\n\
                shape = { type = \"box\", half_extents = [2, 0.1, 0.1] }";
    let inlet = "[[inlet]]\nname = \"feed\"\nrate = 1\ndensity = 1000\n\
                 region = { type = \"box\", min = [-1, -1, 8], max = [1, 1, 9] }\n\
                 shape = { type = \"sphere\", radius = 0.4 }";
    let fill = "[[fill]]\nname = \"heap\"\ncount = 2\ndensity = 1000\nregion = { min = [0, 0, 8], max = [3, 1, 9] }\n\
                shape = { type = \"sphere\", radius = 0.1 }";
    let drain =
        "[[outlet]]\nname = \"drain\"\nregion = { type = \"half_space\", normal = [1, 0, 0], offset = -9 }";
    let measure = |quantity: &str| format!("[[measure]]\nname = \"m\"\nquantity = {{ {quantity} }}");
    let cases = [
        ("no axis", periodic("", ""), "periodic: x", &["absent", "at least one of x, y and z"][..]),
        ("unknown axis", periodic("w = [0, 1]", ""), "periodic: w", &["no such field", "known: x, y, z"]),
        ("min above max", periodic("x = [2, 1]", ""), "periodic: x", &["[2.0, 1.0]", "min < max"]),
        ("no length", periodic("y = [2, 2]", ""), "periodic: y", &["[2.0, 2.0]", "min < max"]),
        ("no number", periodic("y = [0, nan]", ""), "periodic: y", &["NaN", "finite"]),
        ("endless", periodic("z = [0, inf]", ""), "periodic: z", &["inf", "finite"]),
        (
            "smaller than a body",
            periodic("z = [0, 1]", ""),
            "periodic: z",
            &["[0.0, 1.0]", "smaller than a body: \"ball\" is up to 1 m long, the box 1 m"],
        ),
        (
            "smaller than a fixed body",
            periodic("x = [0, 3]", long),
            "periodic: x",
            &["smaller than a body: \"bar\" is up to 4 m long"],
        ),
        (
            "a half-space cuts it",
            periodic("x = [0, 3]", FLOOR),
            "periodic: x",
            &["[0.0, 3.0]", "cut the periodic box", "\"floor\" has the normal [0.6, 0, 0.8]"],
        ),
        (
            "an inlet of long bodies",
            format!("{}\n{inlet}", super::with("[periodic]\ny = [0, 1.1]"))
                .replace("radius = 0.4", "radius = 0.6"),
            "inlet[0] \"feed\": shape",
            &["1.2", "1.1"],
        ),
        ("a fill beyond it", periodic("x = [0, 2]", fill), "fill[0] \"heap\": region", &["3 m", "2 m"]),
        (
            "an outlet across it",
            periodic("x = [0, 2]", drain),
            "outlet[0] \"drain\": region.normal",
            &["[1.0, 0.0, 0.0]", "square to the axes"],
        ),
        (
            "an oblique plane",
            periodic("x = [0, 2]", &measure("type = \"flow\", normal = [0.6, 0.8, 0], offset = 0")),
            "measure[0] \"m\": quantity.normal",
            &["[0.6, 0.8, 0.0]", "along an axis"],
        ),
        (
            "a region beyond it",
            periodic("x = [0, 2]", &measure("type = \"region\", min = [0, 0, 0], max = [3, 1, 1]")),
            "measure[0] \"m\": quantity.max",
            &["[3.0, 1.0, 1.0]", "at most as long as the periodic box, 2 m along x"],
        ),
    ];
    run(&cases.map(|(case, text, field, fragments)| (case, text, field, fragments)));
    // Boxes that are allowed.
    for good in ["x = [0, 1.01]", "x = [0, 4]\ny = [-1, 1]\nz = [0, 9]"] {
        let text = periodic(good, "");
        signorini_scene::scene::parse(&text, std::path::Path::new("good"), &super::LoadOptions::default())
            .unwrap();
    }
}

#[test]
fn overlaps_across_a_face() {
    let other = "[[body]]\nname = \"other\"\nmass = 1\nposition = [2.4, 0, 5]\nshape = { type = \"sphere\", radius = 0.5 }";
    let parse = |text: &str, separate: bool| {
        let options = super::LoadOptions { separate, ..super::LoadOptions::default() };
        signorini_scene::scene::parse(text, std::path::Path::new("bad.toml"), &options)
    };
    let text = periodic("x = [0, 3]", other);
    let message = parse(&text, false).expect_err("an overlap").to_string();
    assert!(message.contains("\"ball\" and \"other\" overlap by 4.0"), "{message}");
    let scene = parse(&text, true).expect("moved apart").scene;
    let apart = scene.bodies[1].pose.position.x - scene.bodies[0].pose.position.x;
    assert!((apart - 2.0).abs() < 1e-5, "{apart}");
}
