//! `[[friction]]`, `[[material]]`, `[[impulse]]`, `[[force]]`, `[[container]]` and `[[fill]]`.

use super::{BALL, GROUND, HEAD, POSITIVE, run, with};

const SPHERES: &str = "count = 2\ndensity = 1\nshape = { type = \"sphere\", radius = 0.1 }\n";

fn fill(lines: &str) -> String {
    let region =
        if lines.contains("region") { "" } else { "region = { min = [0, 0, 0], max = [1, 1, 1] }\n" };
    format!("{HEAD}[[fill]]\nname = \"grain\"\n{region}{lines}\n")
}

#[test]
fn friction_and_materials() {
    let default = |lines: &str| with(&format!("[[friction]]\n{lines}"));
    let pair = |lines: &str| with(&format!("[[friction]]\nbetween = [\"default\", \"steel\"]\n{lines}"));
    let named = "friction[0] \"default/steel\"";
    run(&[
        ("negative friction", default("coefficient = -0.1"), "friction[0]: coefficient", &["-0.1", "≥ 0"]),
        (
            "negative rolling",
            default("coefficient = 0\nrolling = -1"),
            "friction[0]: rolling",
            &["-1", "≥ 0"],
        ),
        (
            "negative cohesion",
            default("coefficient = 0\ncohesion = -1"),
            "friction[0]: cohesion",
            &["-1", "≥ 0"],
        ),
        (
            "mortar without shear strength",
            default("coefficient = 0.5\nmortar = { tensile_strength = 1e5, shear_strength = 0 }"),
            "friction[0]: mortar.shear_strength",
            &["0", "> 0"],
        ),
        (
            "mortar beyond the apex",
            default("coefficient = 0.5\nmortar = { tensile_strength = 5e5, shear_strength = 2e5 }"),
            "friction[0]: mortar.tensile_strength",
            &["500000", "at most 400000"],
        ),
        (
            "mortar without friction",
            default("coefficient = 0\nmortar = { shear_strength = 2e5 }"),
            "friction[0]: coefficient",
            &["0.0", "must be positive with `mortar`"],
        ),
        (
            "restitution above 1",
            default("coefficient = 0\nrestitution = 1.5"),
            "friction[0]: restitution",
            &["1.5", "between 0 and 1"],
        ),
        (
            "negative restitution",
            default("coefficient = 0\nrestitution = -0.1"),
            "friction[0]: restitution",
            &["-0.1", "between 0 and 1"],
        ),
        (
            "no restitution",
            default("coefficient = 0\nrestitution = nan"),
            "friction[0]: restitution",
            &["NaN", "between 0 and 1"],
        ),
        (
            "negative threshold",
            default("coefficient = 0\nrestitution = 1\nrestitution_threshold = -1"),
            "friction[0]: restitution_threshold",
            &["-1", "≥ 0"],
        ),
        (
            "unknown law",
            default("coefficient = 0\nrestitution = 1\nrestitution_law = \"hertz\""),
            "friction[0]: restitution_law",
            &["hertz", "newton", "poisson"],
        ),
        ("no rolling", default("coefficient = 0\nrolling = nan"), "friction[0]: rolling", &["NaN", "≥ 0"]),
        ("friction not a number", default("coefficient = nan"), "friction[0]: coefficient", &["NaN"]),
        ("infinite friction", default("coefficient = inf"), "friction[0]: coefficient", &["inf"]),
        (
            "flat ellipsoid",
            default("coefficient = 1\nellipsoid = { t = 0, o = 1, r = 0 }"),
            "friction[0]: ellipsoid.t",
            &["0.0", POSITIVE],
        ),
        (
            "negative e_r",
            default("coefficient = 1\nellipsoid = { r = -0.1 }"),
            "friction[0]: ellipsoid.r",
            &["-0.1", "≥ 0"],
        ),
        (
            "anisotropic without direction",
            pair("coefficient = 1\nellipsoid = { t = 2 }"),
            &format!("{named}: direction").leak()[..],
            &["absent", "t ≠ o"],
        ),
        (
            "direction without anisotropy",
            pair("coefficient = 1\ndirection = [1, 0, 0]"),
            &format!("{named}: direction").leak()[..],
            &["only with t ≠ o"],
        ),
        (
            "anisotropic default",
            default("coefficient = 1\nellipsoid = { t = 2 }\ndirection = [1, 0, 0]"),
            "friction[0]: ellipsoid",
            &["needs `between`"],
        ),
        (
            "two defaults",
            default("coefficient = 1\n[[friction]]\ncoefficient = 2"),
            "friction[1]: between",
            &["only one entry"],
        ),
        (
            "a pair twice, in either order",
            pair("coefficient = 1\n[[friction]]\nbetween = [\"steel\", \"default\"]\ncoefficient = 2"),
            "friction[1] \"steel/default\": between",
            &["already has an entry"],
        ),
        (
            "material with a slip of the pen",
            pair("coefficient = 1").replace("mass = 1", "mass = 1\nmaterial = \"stel\""),
            "body[0] \"ball\": material",
            &["\"stel\"", "no such material", "\"steel\""],
        ),
        (
            "friction of a material that is not listed",
            with(
                "[[material]]\nname = \"steel\"\n[[friction]]\nbetween = [\"steel\", \"rubber\"]\ncoefficient = 1",
            ),
            "friction[0] \"steel/rubber\": between",
            &["\"rubber\"", "known: \"steel\""],
        ),
        (
            "material twice",
            with("[[material]]\nname = \"steel\"\n[[material]]\nname = \"steel\""),
            "material[1]: name",
            &["unique"],
        ),
    ]);
}

#[test]
fn loads_containers_and_fills() {
    let of_grain = |field: &str| -> &'static str { format!("fill[0] \"grain\": {field}").leak() };
    run(&[
        (
            "impulse on nobody",
            with("[[impulse]]\nbody = \"bal\"\ntime = 0"),
            "impulse[0] \"bal\": body",
            &["\"bal\"", "no such body", "\"ball\""],
        ),
        (
            "impulse in the past",
            with("[[impulse]]\nbody = \"ball\"\ntime = -1"),
            "impulse[0] \"ball\": time",
            &["-1.0", "≥ 0"],
        ),
        (
            "infinite impulse",
            with("[[impulse]]\nbody = \"ball\"\ntime = 0\nlinear = [inf, 0, 0]"),
            "impulse[0] \"ball\": linear",
            &["inf"],
        ),
        (
            "impulse on the ground",
            with(&format!("{GROUND}[[impulse]]\nbody = \"ground\"\ntime = 0")),
            "impulse[0] \"ground\": body",
            &["fixed"],
        ),
        (
            "force that ends before it starts",
            with("[[force]]\nbody = \"ball\"\nfrom = 2\nto = 1"),
            "force[0] \"ball\": to",
            &["1.0", "after `from` (2.0 s)"],
        ),
        (
            "force on nobody",
            with("[[force]]\nbody = \"x\"\nfrom = 0\nto = 1"),
            "force[0] \"x\": body",
            &["no such body"],
        ),
        (
            "container without room",
            with("[[container]]\nname = \"box\"\nmin = [0, 0, 0]\nmax = [1, 0, 1]"),
            "container[0] \"box\": max",
            &["[1.0, 0.0, 1.0]", "above"],
        ),
        (
            "container with negative size",
            with("[[container]]\nname = \"box\"\nsize = [1, -1, 1]"),
            "container[0] \"box\": size",
            &["-1.0"],
        ),
        (
            "container with size and corners",
            with("[[container]]\nname = \"box\"\nsize = [1, 1, 1]\nmin = [0, 0, 0]"),
            "container[0] \"box\": size",
            &["either size"],
        ),
        (
            "no bodies in a fill",
            fill(&SPHERES.replace("count = 2", "count = 0")),
            of_grain("count"),
            &["1 to 1000000"],
        ),
        (
            "endless fill",
            fill(&SPHERES.replace("count = 2", "count = 1000000000000")),
            of_grain("count"),
            &["1000000000000"],
        ),
        (
            "fill that does not fit",
            fill(&SPHERES.replace("count = 2", "count = 300")),
            of_grain("count"),
            &["300", "were placed"],
        ),
        (
            "body larger than the region",
            fill(&SPHERES.replace("0.1", "0.6")),
            of_grain("count"),
            &["only 0 of these"],
        ),
        (
            "negative fill density",
            fill(&SPHERES.replace("density = 1", "density = -1")),
            of_grain("density"),
            &["-1.0"],
        ),
        (
            "inverted region",
            fill(&format!("{SPHERES}region = {{ min = [0, 0, 0], max = [1, 1, -1] }}")),
            of_grain("region.max"),
            &["-1.0", "above"],
        ),
        (
            "fill of half-spaces",
            fill("count = 1\ndensity = 1\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }"),
            of_grain("shape"),
            &["half_space"],
        ),
        ("fill without shape", fill("count = 1\ndensity = 1"), of_grain("shape"), &["either `shape`"]),
        (
            "weight of nothing",
            fill(
                "count = 1\ndensity = 1\nshapes = [{ shape = { type = \"sphere\", radius = 1 }, weight = 0 }]",
            ),
            of_grain("shapes[0].weight"),
            &["0.0", POSITIVE],
        ),
        (
            "inverted scale",
            fill(&format!("{SPHERES}scale = {{ type = \"uniform\", min = 2, max = 1 }}")),
            of_grain("scale.max"),
            &["1.0", "at least scale.min (2.0)"],
        ),
        (
            "name of a body that a fill makes",
            format!("{}{}mass = 1", fill(SPHERES), BALL.replace("ball", "grain-1")),
            of_grain("name"),
            &["\"grain-1\"", "unique"],
        ),
    ]);
}
