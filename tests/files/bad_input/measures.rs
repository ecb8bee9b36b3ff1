//! `[[measure]]`.

use super::{POSITIVE, run, with};

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
