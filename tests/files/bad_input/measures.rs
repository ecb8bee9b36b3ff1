//! `[[measure]]`.

use super::{GROUND, POSITIVE, run, with};

fn measure(quantity: &str) -> String {
    with(&format!("[[measure]]\nname = \"m\"\nquantity = {{ {quantity} }}"))
}

#[test]
fn measures() {
    let kind = "measure[0] \"m\": quantity.type";
    let cells = "measure[0] \"m\": quantity.cells";
    let grid = |cells: &str| {
        measure(&format!("type = \"region\", min = [0, 0, 0], max = [1, 1, 1], cells = {cells}"))
    };
    run(&[
        ("unknown measure", measure("type = \"entropy\""), kind, &["\"entropy\"", "energy"]),
        (
            "unknown body",
            measure("type = \"body\", body = \"bal\""),
            "measure[0] \"m\": quantity.body",
            &["\"bal\"", "ball"],
        ),
        (
            "unknown field",
            measure("type = \"energy\", body = \"ball\""),
            "measure[0] \"m\": quantity.body",
            &["no such field"],
        ),
        (
            "region inside out",
            measure("type = \"region\", min = [0, 0, 0], max = [1, -1, 1]"),
            "measure[0] \"m\": quantity.max",
            &["[1.0, -1.0, 1.0]"],
        ),
        ("no cells", grid("[1, 0, 2]"), cells, &["[1, 0, 2]", "at least 1"]),
        ("too many cells", grid("[1000, 1000, 2]"), cells, &["[1000, 1000, 2]", "100000"]),
        (
            "no direction",
            measure("type = \"flow\", normal = [0, 0, 0], offset = 0"),
            "measure[0] \"m\": quantity.normal",
            &["not zero"],
        ),
        ("nobody leaves", measure("type = \"residence\""), kind, &["residence", "no [[outlet]]"]),
        (
            "nothing lies",
            measure("type = \"poses\"").replace("duration = 1.0", "duration = 1.0\ngravity = [0, 0, 0]"),
            kind,
            &["poses", "without gravity"],
        ),
        (
            "negative interval",
            with("[[measure]]\nname = \"m\"\nevery = -1\nquantity = { type = \"energy\" }"),
            "measure[0] \"m\": every",
            &["-1.0", POSITIVE],
        ),
        (
            "a name that is none of a file",
            with("[[measure]]\nname = \"a/b\"\nquantity = { type = \"energy\" }"),
            "measure[0] \"a/b\": name",
            &["\"a/b\"", "letters, digits"],
        ),
    ]);
}

const SPACE: &str = "region = { min = [0, 0, 0], max = [1, 1, 1] }";

#[test]
fn measures_of_grains() {
    const CELLS: &str = "measure[0] \"m\": quantity.cells";
    const KINDS: &str = "measure[0] \"m\": quantity.kinds";
    const BODIES: &str = "measure[0] \"m\": quantity.bodies";
    const COLUMNS: &str = "measure[0] \"m\": quantity.columns";
    const RADIUS: &str = "measure[0] \"m\": quantity.radius";
    const STRIPS: &str = "measure[0] \"m\": quantity.strips";
    const AXIS: &str = "measure[0] \"m\": quantity.axis";
    const REGION: &str = "measure[0] \"m\": quantity.region";
    const INNER_RADIUS: &str = "measure[0] \"m\": quantity.region.inner_radius";
    const TYPE: &str = "measure[0] \"m\": quantity.type";
    const DIGITS: &str = "measure[0] \"m\": quantity.digits";
    let field = |rest: &str| measure(&format!("type = \"field\", {rest}"));
    let angle = |rest: &str| measure(&format!("type = \"angle\", center = [0, 0, 0], {rest}"));
    run(&[
        ("no cells", field(&format!("{SPACE}, cells = [1, 0, 1]")), CELLS, &["[1, 0, 1]", "at least 1"]),
        (
            "more cells than can be counted",
            field(&format!("{SPACE}, cells = [4294967296, 4294967296, 4294967296]")),
            CELLS,
            &["100000"],
        ),
        ("no region", field("region = { radius = 1 }, cells = [1, 1, 1]"), REGION, &["min and max"]),
        (
            "a ring inside out",
            field(
                "region = { center = [0, 0, 0], radius = 1, length = 1, inner_radius = 2 }, cells = [1, 1, 1]",
            ),
            INNER_RADIUS,
            &["2.0", "below radius"],
        ),
        (
            "unknown kind",
            measure(&format!("type = \"mixing\", {SPACE}, cells = [2, 2, 2], kinds = [\"ball\", \"bal-*\"]")),
            KINDS,
            &["\"bal-*\"", "no such body"],
        ),
        (
            "one kind twice",
            measure(&format!("type = \"mixing\", {SPACE}, cells = [2, 2, 2], kinds = [\"ball\", \"ball\"]")),
            KINDS,
            &["two kinds"],
        ),
        ("no radius", angle("radius = 0"), RADIUS, &["0.0", POSITIVE]),
        ("one strip", angle("radius = 1, strips = 1"), STRIPS, &["1", "2 to 10000"]),
        ("an upright drum", angle("radius = 1, axis = [0, 0, 2]"), AXIS, &["[0.0, 0.0, 2.0]", "level"]),
        (
            "nothing slopes",
            angle("radius = 1").replace("duration = 1.0", "duration = 1.0\ngravity = [0, 0, 0]"),
            TYPE,
            &["angle", "without gravity"],
        ),
        ("nobody", measure("type = \"group\", bodies = []"), BODIES, &["at least one"]),
        ("unknown group", measure("type = \"group\", bodies = [\"wall*\"]"), BODIES, &["\"wall*\""]),
        ("no columns", measure("type = \"bodies\", columns = []"), COLUMNS, &["[]", "qw"]),
        (
            "unknown column",
            measure("type = \"bodies\", columns = [\"x\", \"xx\"]"),
            COLUMNS,
            &["\"xx\"", "no such column"],
        ),
        (
            "a column twice",
            measure("type = \"contacts\", columns = [\"gap\", \"gap\"]"),
            COLUMNS,
            &["\"gap\"", "once"],
        ),
        (
            "too few digits",
            measure("type = \"bodies\", columns = [\"x\"], digits = 2"),
            DIGITS,
            &["2", "3 to 17"],
        ),
    ]);
}

#[test]
fn presses() {
    let press = |fields: &str| with(&format!("{GROUND}[[press]]\n{fields}"));
    const BODY: &str = "press[0] \"ball\": body";
    const FORCE: &str = "press[0] \"ball\": force";
    const AREA: &str = "press[0] \"ball\": area";
    const SPEED: &str = "press[0] \"ball\": speed";
    const DIRECTION: &str = "press[0] \"ball\": direction";
    let ball = "body = \"ball\"\ndirection = [0, 0, -1]";
    run(&[
        (
            "unknown plate",
            press("body = \"bal\"\ndirection = [0, 0, -1]\nforce = 1"),
            "press[0] \"bal\": body",
            &["\"bal\"", "ball"],
        ),
        (
            "no direction",
            press("body = \"ball\"\ndirection = [0, 0, 0]\nforce = 1"),
            DIRECTION,
            &["not zero"],
        ),
        (
            "nothing holds the guide",
            with(&format!("[[press]]\n{ball}\nforce = 1")),
            BODY,
            &["needs a fixed body"],
        ),
        (
            "a plate that never moves",
            press("body = \"ground\"\ndirection = [0, 0, -1]\nforce = 1"),
            "press[0] \"ground\": body",
            &["can move"],
        ),
        ("no force", press(ball), FORCE, &["unclear", "stress and area"]),
        ("two forces", press(&format!("{ball}\nforce = 1\nstress = 1\narea = 1")), FORCE, &["unclear"]),
        ("a pull", press(&format!("{ball}\nforce = -1")), FORCE, &["-1.0", POSITIVE]),
        ("no area", press(&format!("{ball}\nstress = 1\narea = 0")), AREA, &["0.0", POSITIVE]),
        ("backwards", press(&format!("{ball}\nforce = 1\nspeed = -1")), SPEED, &["-1.0", POSITIVE]),
        (
            "twice",
            press(&format!("{ball}\nforce = 1\n[[press]]\n{ball}\nforce = 2")),
            "press[1] \"ball\": body",
            &["once"],
        ),
    ]);
}

#[test]
fn servos() {
    let widths = |a: &str, b: &str, along: &str| {
        let width = format!("{{ between = [\"{a}\", \"{b}\"], along = {along} }}");
        format!("widths = [{width}, {width}]")
    };
    let good = widths("ground", "ball", "[0, 0, 1]");
    let ball = "[[press]]\nbody = \"ball\"\ndirection = [0, 0, -1]";
    let press = |fields: &str| with(&format!("{GROUND}{ball}\n{fields}"));
    let servo = |motor: &str| {
        let constant = "stress = { type = \"constant\", value = 1 }";
        press(&format!("force = 1\n[[servo]]\nmotor = \"{motor}\"\n{constant}\n{good}"))
    };
    const WIDTHS: &str = "servo[0] \"ball press\": widths";
    run(&[
        (
            "area and widths",
            press(&format!("stress = 1\narea = 1\n{good}")),
            "press[0] \"ball\": force",
            &["unclear"],
        ),
        (
            "a half-space that faces another way",
            press(&format!("stress = 1\n{}", widths("ground", "ball", "[1, 0, 0]"))),
            WIDTHS,
            &["ground", "half-space must face"],
        ),
        (
            "an unknown wall",
            press(&format!("stress = 1\n{}", widths("ground", "bal", "[0, 0, 1]"))),
            "servo[0] \"ball press\": widths.between",
            &["\"bal\"", "ball"],
        ),
        ("an unknown motor", servo("bal press"), "servo[0] \"bal press\": motor", &["ball press"]),
    ]);
}
