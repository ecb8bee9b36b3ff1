//! Measures of many bodies: fields, mixing, angles of surfaces, forces on groups, thin tables.

use super::measures::{Row, number, rows};
use super::*;

fn finished(scene: &str, more: &[&str]) -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), scene).unwrap();
    bench.expect(&[&["run", "scene.toml", "--out", "a"][..], more].concat(), 0);
    bench
}

/// Balls that settle in a box: 40 red below 40 blue.
fn pile(measures: &str) -> String {
    format!(
        r#"
format = 1
[simulation]
time_step = 0.005
duration = 1
seed = 2
[[friction]]
coefficient = 0.3
[[container]]
name = "wall"
min = [-0.15, -0.15, 0]
max = [0.15, 0.15, 1]
[[fill]]
name = "red"
count = 40
density = 1000
region = {{ min = [-0.15, -0.15, 0], max = [0.15, 0.15, 0.2] }}
shape = {{ type = "sphere", radius = 0.025 }}
[[fill]]
name = "blue"
count = 40
density = 1000
region = {{ min = [-0.15, -0.15, 0.25], max = [0.15, 0.15, 0.45] }}
shape = {{ type = "sphere", radius = 0.025 }}
{measures}
"#
    )
}

fn measure(name: &str, every: f64, quantity: &str) -> String {
    format!("[[measure]]\nname = \"{name}\"\nevery = {every:?}\nquantity = {{ {quantity} }}\n")
}

fn sum(rows: &[Row], column: &str) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}

/// A cell that holds everything has the stress of a region, and all of the bodies; the cells of a grid or of
/// a cylinder share them.
#[test]
fn fields_hold_what_regions_and_bodies_hold() {
    let corners = "min = [-0.16, -0.16, -0.01], max = [0.16, 0.16, 0.6]";
    let tube = "region = { center = [0, 0, 0.3], radius = 0.3, length = 0.6 }";
    let bench = finished(
        &pile(
            &[
                measure("region", 0.005, &format!("type = \"region\", {corners}")),
                measure(
                    "whole",
                    0.005,
                    &format!("type = \"field\", region = {{ {corners} }}, cells = [1, 1, 1]"),
                ),
                measure(
                    "grid",
                    0.1,
                    &format!("type = \"field\", region = {{ {corners} }}, cells = [3, 2, 6]"),
                ),
                measure("rings", 0.1, &format!("type = \"field\", {tube}, cells = [5, 1, 4]")),
                measure("sectors", 0.1, &format!("type = \"field\", {tube}, cells = [2, 4, 3]")),
                measure("walls", 0.1, "type = \"group\", bodies = [\"wall*\"]"),
            ]
            .concat(),
        ),
        &["--audit", "off"],
    );
    bench.expect(&["plot", "a"], 0);
    let [region, whole, grid, rings, sectors, walls] =
        ["region", "whole", "grid", "rings", "sectors", "walls"]
            .map(|name| rows(&bench.path(&format!("a/measure-{name}.csv"))));
    for (region, whole) in region.iter().zip(&whole) {
        assert_eq!(number(region, "bodies"), number(whole, "bodies"));
        for column in ["sxx", "sxy", "syz", "szx", "szz", "solid_fraction"] {
            let (a, b) = (number(region, column), number(whole, column));
            assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{column}: {a} for {b}");
        }
    }
    let volume = 80.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.025_f64.powi(3);
    let in_box = 0.32 * 0.32 * 0.61;
    let ends = |n: usize, rows: &[Row]| rows[rows.len() - n..].to_vec();
    let last = ends(36, &grid);
    assert!((sum(&last, "solid_fraction") * in_box / 36.0 / volume - 1.0).abs() < 1e-9);
    // Stresses of equal cells add up to that of the box over the same interval.
    let steps = ends(20, &whole);
    for column in ["sxx", "szz", "sxz"] {
        let (cells, all) = (sum(&last, column) / 36.0, sum(&steps, column) / 20.0);
        assert!((cells - all).abs() <= 1e-9 * (1.0 + all.abs()), "{column}: {cells} for {all}");
    }
    // Rings of a cylinder are as large as their radii say.
    for (cells, counts, tolerance) in [(ends(20, &rings), [5, 4], 1e-9), (ends(24, &sectors), [2, 3], 1e-9)] {
        let sectors = (cells.len() / counts[0] / counts[1]) as f64;
        let filled = cells.iter().map(|cell| {
            let width = 0.3 / counts[0] as f64;
            let area = std::f64::consts::TAU * number(cell, "r") * width / sectors;
            number(cell, "solid_fraction") * area * 0.6 / counts[1] as f64
        });
        let filled: f64 = filled.sum();
        assert!((filled / volume - 1.0).abs() < tolerance, "{filled} for {volume}");
        assert!((sum(&cells, "bodies") - 80.0).abs() < 1e-9);
    }
    // The walls carry the weight.
    let weight = volume * 1000.0 * 9.81;
    let force = number(walls.last().unwrap(), "fz");
    assert!((force / weight + 1.0).abs() < 0.01, "{force} for {weight}");
}

/// Bodies in free flight: the velocities of a cell, and their scatter.
#[test]
fn temperature_is_the_scatter_of_velocities() {
    let body = |name: &str, x: [f64; 3], v: [f64; 3], density: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\ndensity = {density:?}\nposition = {x:?}\nvelocity = {v:?}\n\
             shape = {{ type = \"sphere\", radius = 0.01 }}\n"
        )
    };
    let scene = [
        "format = 1\n[simulation]\ntime_step = 1e-6\nduration = 1e-6\ngravity = [0, 0, 0]\n".to_owned(),
        body("a", [0.5, 0.1, 0.0], [1.0, 0.0, 0.0], 1000.0),
        body("b", [0.5, -0.1, 0.0], [3.0, 0.0, 0.0], 1000.0),
        body("c", [0.0, 0.5, 0.0], [-2.0, 0.0, 0.0], 1000.0),
        body("d", [0.0, 0.5, 0.2], [-2.0, 0.0, 4.0], 3000.0),
        measure(
            "box",
            1e-6,
            "type = \"field\", region = { min = [0.4, -1, -1], max = [1, 1, 1] }, cells = [1, 1, 1]",
        ),
        measure(
            "ring",
            1e-6,
            "type = \"field\", region = { center = [0, 0, 0], radius = 1, length = 1 }, cells = [1, 4, 1]",
        ),
    ];
    let bench = finished(&scene.concat(), &[]);
    let cell = &rows(&bench.path("a/measure-box.csv"))[0];
    // 2 ± 1 m/s: T = 1/3.
    assert!(
        (number(cell, "vx") - 2.0).abs() < 1e-12 && (number(cell, "temperature") - 1.0 / 3.0).abs() < 1e-12
    );
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    assert!((number(cell, "kxx") / (2.0 * mass / (0.6 * 2.0 * 2.0)) - 1.0).abs() < 1e-9, "{cell:?}");
    // c and d are at φ = π/2, where −x is around and z along the axis; d has three quarters of the mass.
    let ring = rows(&bench.path("a/measure-ring.csv"));
    let cell = ring.iter().find(|cell| cell["j"] == "1").unwrap();
    for (column, expected) in [("bodies", 2.0), ("vr", 0.0), ("vp", 2.0), ("vz", 3.0), ("temperature", 1.0)] {
        // The bodies have moved by some 1e-6 m.
        assert!((number(cell, column) - expected).abs() < 1e-4, "{column}: {cell:?}");
    }
    assert!(ring.iter().any(|cell| cell["bodies"] == "0.0" && cell["vr"].is_empty()), "{ring:?}");
}

#[test]
fn mixing_is_none_where_kinds_lie_apart() {
    let region = "region = { min = [-0.15, -0.15, 0], max = [0.15, 0.15, 0.6] }";
    let bench = finished(
        &pile(&measure(
            "mix",
            0.005,
            &format!("type = \"mixing\", {region}, cells = [2, 2, 12], kinds = [\"red-*\", \"blue-*\"]"),
        )),
        &[],
    );
    bench.expect(&["audit", "a"], 0);
    let mixing = rows(&bench.path("a/measure-mix.csv"));
    let [first, last] = [&mixing[0], mixing.last().unwrap()];
    assert_eq!((number(first, "bodies"), number(first, "fraction")), (80.0, 0.5));
    assert!(number(first, "index").abs() < 1e-9, "apart: {first:?}");
    let index = number(last, "index");
    assert!((0.0..0.9).contains(&index), "settled in layers: {last:?}");
}

/// Balls that float for a step on a cone and on a plane of known slopes.
#[test]
fn angles_are_those_of_the_surface() {
    let mut scene = "format = 1\n[simulation]\ntime_step = 1e-6\nduration = 1e-6\n".to_owned();
    let mut put = |name: &str, n: usize, at: [f64; 3]| {
        scene += &format!(
            "[[body]]\nname = \"{name}-{n}\"\ndensity = 1000\nposition = {at:?}\n\
             shape = {{ type = \"sphere\", radius = 0.01 }}\n"
        );
    };
    let [cone, plane] = [30.0_f64, 20.0].map(|degrees| degrees.to_radians().tan());
    for n in 0..60 {
        let (r, turn) = (0.05 + 0.9 * n as f64 / 60.0, 2.4 * n as f64);
        put("heap", n, [r * turn.cos(), 10.0 + r * turn.sin(), 0.6 - cone * r]);
        // About x = 5: rises along y, as seen along x.
        let y = -0.88 + 1.76 * n as f64 / 59.0;
        put("bed", n, [5.0, y, plane * y]);
        put("bed-below", n, [5.0, y, plane * y - 0.5]);
    }
    scene += &measure("heap", 1e-6, "type = \"angle\", center = [0, 10, 0], radius = 1, strips = 15");
    scene += &measure("bed", 1e-6, "type = \"angle\", center = [5, 0, 0], radius = 1, axis = [-1, 0, 0]");
    let bench = finished(&scene, &[]);
    let heap = &rows(&bench.path("a/measure-heap.csv"))[0];
    assert!((number(heap, "angle").to_degrees() - 30.0).abs() < 1.5, "{heap:?}");
    let bed = &rows(&bench.path("a/measure-bed.csv"))[0];
    assert!((number(bed, "angle").to_degrees() - 20.0).abs() < 1.0, "{bed:?}");
    assert_eq!(bed["strips"], "18");
}

/// Thin tables hold the columns of the whole tables, to their digits, in a tenth of their size.
#[test]
fn thin_tables_are_parts_of_the_whole_ones() {
    let bench = finished(
        &pile(
            &[
                measure(
                    "red",
                    0.25,
                    "type = \"bodies\", bodies = [\"red-*\"], columns = [\"z\", \"x\"], digits = 5",
                ),
                measure("all", 0.25, "type = \"bodies\", columns = [\"x\", \"y\", \"z\"], digits = 5"),
                measure(
                    "floor",
                    0.25,
                    "type = \"contacts\", bodies = [\"wall.z_min\"], columns = [\"normal_impulse\"]",
                ),
            ]
            .concat(),
        ),
        &["--every", "50"],
    );
    bench.expect(&["audit", "a", "--thinned"], 0);
    let bodies = rows(&bench.path("a/bodies.csv"));
    let red = rows(&bench.path("a/measure-red.csv"));
    assert_eq!((red.len(), red[0].len()), (160, 5));
    for row in &red {
        let whole = bodies.iter().find(|b| b["step"] == row["step"] && b["body"] == row["body"]).unwrap();
        for column in ["x", "z"] {
            let (said, found) = (number(row, column), number(whole, column));
            assert!((said - found).abs() <= 1e-4 * found.abs(), "{column}: {said} for {found}");
            assert!(row[column].trim_start_matches(['-', '0', '.']).len() <= 6, "{row:?}");
        }
    }
    let contacts = rows(&bench.path("a/contacts.csv"));
    for row in &rows(&bench.path("a/measure-floor.csv")) {
        let is_same = |c: &&Row| ["step", "body_a", "body_b"].iter().all(|column| c[*column] == row[*column]);
        let whole = contacts.iter().find(is_same).unwrap();
        assert_eq!(number(row, "normal_impulse"), number(whole, "normal_impulse"));
    }
    // A step of 1000 bodies writes below 50 kB.
    let size = fs::metadata(bench.path("a/measure-all.csv")).unwrap().len();
    assert!(size / 4 * 1000 / 80 < 50_000, "{size} bytes of four steps of 80 bodies");
}
