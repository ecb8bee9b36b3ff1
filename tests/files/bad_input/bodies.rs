//! `[[body]]`.

use super::{BALL, GROUND, HEAD, POSITIVE, ball, run, shape, with};

const MASS: &str = "body[0] \"ball\": mass";
const UNIT: &str = "must be a unit quaternion";

#[test]
fn bodies() {
    let position = "body[0] \"ball\": position";
    let orientation = "body[0] \"ball\": orientation";
    let inertia = "body[0] \"ball\": inertia";
    run(&[
        ("zero mass", ball("mass = 0"), MASS, &["0.0", POSITIVE]),
        ("negative mass", ball("mass = -1"), MASS, &["-1.0", POSITIVE]),
        ("mass not a number", ball("mass = nan"), MASS, &["NaN", POSITIVE]),
        ("infinite mass", ball("mass = inf"), MASS, &["inf", POSITIVE]),
        ("no mass", ball(""), MASS, &["absent", "mass or density"]),
        ("mass and density", ball("mass = 1\ndensity = 2"), MASS, &["density (2.0)", "not both"]),
        ("zero density", ball("density = 0"), "body[0] \"ball\": density", &["0.0", POSITIVE]),
        ("negative density", ball("density = -3"), "body[0] \"ball\": density", &["-3.0"]),
        ("zero radius", shape("type = \"sphere\", radius = 0"), "body[0] \"ball\": shape.radius", &["0.0"]),
        (
            "infinite radius",
            shape("type = \"sphere\", radius = inf"),
            "body[0] \"ball\": shape.radius",
            &["inf"],
        ),
        (
            "negative semi-axis",
            shape("type = \"ellipsoid\", semi_axes = [1, -2, 1]"),
            "body[0] \"ball\": shape.semi_axes",
            &["[1.0, -2.0, 1.0]", "three finite numbers > 0"],
        ),
        (
            "semi-axes not numbers",
            shape("type = \"ellipsoid\", semi_axes = [1, nan, 1]"),
            "body[0] \"ball\": shape.semi_axes",
            &["NaN"],
        ),
        (
            "hair",
            shape("type = \"ellipsoid\", semi_axes = [1, 1e-5, 1e-5]"),
            "body[0] \"ball\": shape",
            &["[1.0, 1e-5, 1e-5]", "1e4 times"],
        ),
        (
            "size in the wrong unit",
            shape("type = \"sphere\", radius = 1e-12"),
            "body[0] \"ball\": shape",
            &["1e-9"],
        ),
        (
            "position not a number",
            ball("mass = 1\nposition = [0, nan, 0]"),
            position,
            &["NaN", "three finite"],
        ),
        ("infinite position", ball("mass = 1\nposition = [inf, 0, 0]"), position, &["inf"]),
        (
            "infinite spin",
            ball("mass = 1\nangular_velocity = [inf, 0, 0]"),
            "body[0] \"ball\": angular_velocity",
            &["inf"],
        ),
        ("force not a number", ball("mass = 1\nforce = [0, 0, nan]"), "body[0] \"ball\": force", &["NaN"]),
        ("long quaternion", ball("mass = 1\norientation = [1, 0, 0, 0.1]"), orientation, &["0.1]", UNIT]),
        ("zero quaternion", ball("mass = 1\norientation = [0, 0, 0, 0]"), orientation, &[UNIT]),
        (
            "quaternion not a number",
            ball("mass = 1\norientation = [nan, 0, 0, 0]"),
            orientation,
            &["NaN", UNIT],
        ),
        (
            "shape quaternion",
            ball("mass = 1\nshape_orientation = [2, 0, 0, 0]"),
            "body[0] \"ball\": shape_orientation",
            &["[2.0, 0.0, 0.0, 0.0]", UNIT],
        ),
        ("inertia of nothing", ball("mass = 1\ninertia = [1, 1, 3, 0, 0, 0]"), inertia, &["exceed the sum"]),
        (
            "negative inertia",
            ball("mass = 1\ninertia = [1, 1, -1, 0, 0, 0]"),
            inertia,
            &["positive definite"],
        ),
        (
            "indefinite inertia",
            ball("mass = 1\ninertia = [1, 1, 1, 2, 0, 0]"),
            inertia,
            &["positive definite"],
        ),
        ("infinite inertia", ball("mass = 1\ninertia = [1, 1, inf, 0, 0, 0]"), inertia, &["six finite"]),
        (
            "off-centre without inertia",
            ball("mass = 1\nshape_position = [0.1, 0, 0]"),
            inertia,
            &["absent", "shape_position"],
        ),
        (
            "off-centre with density",
            ball("density = 1\nshape_position = [0.1, 0, 0]"),
            "body[0] \"ball\": shape_position",
            &["centre of mass"],
        ),
        (
            "empty name",
            ball("mass = 1").replace("\"ball\"", "\"\""),
            "body[0] \"\": name",
            &["1 to 200 characters"],
        ),
        (
            "control character",
            ball("mass = 1").replace("\"ball\"", "\"a\\tb\""),
            "body[0] \"a\\tb\": name",
            &["control"],
        ),
        ("name twice", with(&format!("{BALL}mass = 1")), "body[1] \"ball\": name", &["\"ball\"", "unique"]),
        (
            "fixed and moving",
            ball("fixed = true\nvelocity = [1, 0, 0]"),
            "body[0] \"ball\": velocity",
            &["zero for a fixed body"],
        ),
        (
            "half-space that moves",
            with(&format!("{GROUND}fixed = false")),
            "body[1] \"ground\": fixed",
            &["fixed"],
        ),
        (
            "half-space with mass",
            with(&format!("{GROUND}mass = 1")),
            "body[1] \"ground\": mass",
            &["has none"],
        ),
        (
            "half-space without direction",
            with(&GROUND.replace("[0, 0, 1]", "[0, 0, 0]")),
            "body[1] \"ground\": shape.normal",
            &["[0.0, 0.0, 0.0]", "not zero"],
        ),
        ("nothing that moves", format!("{HEAD}{GROUND}"), "body", &["at least one body that is not fixed"]),
    ]);
}
