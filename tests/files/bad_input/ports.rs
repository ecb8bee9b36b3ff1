//! `[[inlet]]` and `[[outlet]]`.

use super::{POSITIVE, run, with};

const BOX: &str = "region = { type = \"box\", min = [-1, -1, 2], max = [1, 1, 3] }";
const GRAIN: &str = "density = 1000\nshape = { type = \"sphere\", radius = 0.1 }";

/// A scene with an inlet that has these lines besides a region and its bodies.
fn inlet(lines: &str) -> String {
    with(&format!("[[inlet]]\nname = \"feed\"\n{BOX}\n{GRAIN}\n{lines}"))
}

fn placed(region: &str) -> String {
    with(&format!("[[inlet]]\nname = \"feed\"\nrate = 1\n{GRAIN}\nregion = {{ {region} }}"))
}

fn sieve(scale: &str) -> String {
    inlet(&format!("rate = 1\nscale = {{ type = \"sieve\", {scale} }}"))
}

fn outlet(region: &str) -> String {
    with(&format!("[[outlet]]\nname = \"drain\"\nregion = {{ {region} }}"))
}

const SPHERE: &str = "shape = { type = \"sphere\", radius = 0.1 }";

/// Two spheres, so far along x.
fn parts(along: [f64; 2]) -> String {
    let part = along.map(|x| format!("{{ {SPHERE}, position = [{x:?}, 0, 0] }}"));
    format!("parts = [{}]", part.join(", "))
}

#[test]
fn inlets() {
    let region = "inlet[0] \"feed\": region";
    run(&[
        ("no rate", inlet(""), "inlet[0] \"feed\": rate", &["absent", "give `rate`, `mass_rate` or `total`"]),
        ("negative rate", inlet("rate = -2"), "inlet[0] \"feed\": rate", &["-2.0", POSITIVE]),
        ("rate of zero", inlet("rate = 0"), "inlet[0] \"feed\": rate", &["0.0", POSITIVE]),
        ("negative mass rate", inlet("mass_rate = -2"), "inlet[0] \"feed\": mass_rate", &["-2.0", POSITIVE]),
        (
            "two rates",
            inlet("rate = 1\nmass_rate = 2"),
            "inlet[0] \"feed\": mass_rate",
            &["2.0", "either `rate` or `mass_rate`"],
        ),
        ("no body at all", inlet("total = 0"), "inlet[0] \"feed\": total", &["0", "at least 1"]),
        ("before the start", inlet("rate = 1\nfrom = -1"), "inlet[0] \"feed\": from", &["-1.0"]),
        (
            "ends before it begins",
            inlet("rate = 1\nfrom = 0.5\nto = 0.5"),
            "inlet[0] \"feed\": to",
            &["0.5", "after from"],
        ),
        ("unknown field", inlet("rate = 1\nspeed = 2"), "inlet[0] \"feed\": speed", &["no such field"]),
        (
            "no shape",
            with(&format!("[[inlet]]\nname = \"feed\"\n{BOX}\ndensity = 1\nrate = 1")),
            "inlet[0] \"feed\": shape",
            &["either `shape` or a list `shapes`"],
        ),
        (
            "a shape and parts",
            with(&format!(
                "[[inlet]]\nname = \"feed\"\n{BOX}\ndensity = 1\nrate = 1\nshapes = [{{ {SPHERE}, {} }}]",
                parts([0.0, 0.3])
            )),
            "inlet[0] \"feed\": shapes[0].shape",
            &["either `shape` or `parts`"],
        ),
        (
            "parts that overlap",
            with(&format!(
                "[[inlet]]\nname = \"feed\"\n{BOX}\ndensity = 1\nrate = 1\nshapes = [{{ {} }}]",
                parts([0.0, 0.1])
            )),
            "inlet[0] \"feed\": shapes[0].parts[1]",
            &["overlaps shapes[0].parts[0]", "weighed twice"],
        ),
        (
            "parts of a fill",
            with(&format!(
                "[[fill]]\nname = \"heap\"\ncount = 2\ndensity = 1\n\
                 region = {{ min = [0, 0, 8], max = [3, 1, 9] }}\nshapes = [{{ {} }}]",
                parts([0.0, 0.1])
            )),
            "fill[0] \"heap\": shapes[0].parts[1]",
            &["overlaps shapes[0].parts[0]", "weighed twice"],
        ),
        (
            "half-space",
            with(&format!(
                "[[inlet]]\nname = \"feed\"\n{BOX}\ndensity = 1\nrate = 1\n\
                 shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}"
            )),
            "inlet[0] \"feed\": shape",
            &["half_space", "an inlet is made of bodies that move"],
        ),
        (
            "a bore",
            with(&format!(
                "[[inlet]]\nname = \"feed\"\n{BOX}\ndensity = 1\nrate = 1\nshape = {{ type = \"bore\", radius = 1 }}"
            )),
            "inlet[0] \"feed\": shape",
            &["bore", "an inlet is made of bodies that move"],
        ),
        (
            "empty box",
            placed("type = \"box\", min = [0, 0, 1], max = [1, 1, 1]"),
            "inlet[0] \"feed\": region.max",
            &["[1.0, 1.0, 1.0]"],
        ),
        (
            "ring inside out",
            placed(
                "type = \"ring\", center = [0, 0, 9], normal = [0, 0, 1], inner_radius = 2, outer_radius = 1",
            ),
            "inlet[0] \"feed\": region.outer_radius",
            &["1.0", "above inner_radius"],
        ),
        (
            "no direction",
            placed("type = \"disc\", center = [0, 0, 9], normal = [0, 0, 0], radius = 1"),
            "inlet[0] \"feed\": region.normal",
            &["not zero"],
        ),
        (
            "box smaller than a body",
            placed("type = \"box\", min = [0, 0, 2], max = [0.15, 1, 3]"),
            region,
            &["no room", "ever"],
        ),
        (
            "box within something fixed",
            placed("type = \"box\", min = [-1, -1, 20], max = [1, 1, 21]")
                + "[[body]]\nname = \"rock\"\nfixed = true\nposition = [0, 0, 20]\n\
                   shape = { type = \"sphere\", radius = 3 }\n",
            region,
            &["no room", "ever"],
        ),
        (
            "names of bodies that are there",
            inlet("rate = 1")
                + "[[body]]\nname = \"feed-7\"\nmass = 1\nposition = [9, 9, 9]\n\
                                 shape = { type = \"sphere\", radius = 1 }\n",
            "inlet[0] \"feed\": name",
            &["\"feed-7\"", "a body has already"],
        ),
        (
            "a name twice",
            inlet("rate = 1") + &format!("[[inlet]]\nname = \"feed\"\nrate = 1\n{BOX}\n{GRAIN}\n"),
            "inlet[1] \"feed\": name",
            &["unique among the inlets"],
        ),
    ]);
}

#[test]
fn sieve_curves() {
    let openings = "inlet[0] \"feed\": scale.openings";
    let passing = "inlet[0] \"feed\": scale.passing";
    run(&[
        ("one opening", sieve("openings = [0.1], passing = [1]"), openings, &["1 openings", "2 to"]),
        (
            "openings that fall",
            sieve("openings = [0.2, 0.1], passing = [0, 1]"),
            openings,
            &["[0.2, 0.1]", "must rise"],
        ),
        (
            "an opening of nothing",
            sieve("openings = [0, 0.1], passing = [0, 1]"),
            "inlet[0] \"feed\": scale.openings[0]",
            &["0.0", POSITIVE],
        ),
        (
            "a curve that falls",
            sieve("openings = [0.1, 0.2, 0.3, 0.4], passing = [0, 0.6, 0.5, 1]"),
            passing,
            &["rise from 0 to 1"],
        ),
        ("a curve that ends early", sieve("openings = [0.1, 0.2], passing = [0, 0.9]"), passing, &["0.9"]),
        ("shares that lack", sieve("openings = [0.1, 0.2], passing = [0]"), passing, &["2 shares"]),
    ]);
}

#[test]
fn outlets() {
    let region = "outlet[0] \"drain\": region";
    run(&[
        (
            "over everything",
            outlet("type = \"below\", height = 100"),
            region,
            &["everything", "all that can move (1 body)"],
        ),
        (
            "over an inlet",
            inlet("rate = 1") + "[[outlet]]\nname = \"drain\"\nregion = { type = \"below\", height = 4 }\n",
            "inlet[0] \"feed\": region",
            &["in outlet \"drain\"", "leave at once"],
        ),
        (
            "unknown region",
            outlet("type = \"hole\", radius = 1"),
            "outlet[0] \"drain\": region.type",
            &["\"hole\""],
        ),
        (
            "no height",
            outlet("type = \"below\", height = nan"),
            "outlet[0] \"drain\": region.height",
            &["NaN", "finite"],
        ),
        (
            "no direction",
            outlet("type = \"half_space\", normal = [0, 0, 0], offset = 0"),
            "outlet[0] \"drain\": region.normal",
            &["not zero"],
        ),
        (
            "the name of an inlet",
            inlet("rate = 1") + "[[outlet]]\nname = \"feed\"\nregion = { type = \"below\", height = -4 }\n",
            "outlet[0] \"feed\": name",
            &["unique among the inlets and outlets"],
        ),
    ]);
}
