//! Measures with several rows an interval, one for each cell or body; and the energy that impacts take.

use super::measures::{number, rows};
use super::*;

fn finished(scene: &str) -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), scene).unwrap();
    bench.expect(&["run", "scene.toml", "--out", "a"], 0);
    bench.expect(&["audit", "a"], 0);
    bench.expect(&["plot", "a"], 0);
    bench
}

/// The cells of a grid hold what its box holds.
#[test]
fn a_grid_adds_up_to_its_box() {
    let bench = finished(
        r#"
format = 1
[simulation]
time_step = 0.005
duration = 0.4
seed = 2
[[friction]]
coefficient = 0.3
[[container]]
name = "walls"
min = [-0.2, -0.2, 0]
max = [0.2, 0.2, 1]
[[fill]]
name = "grain"
count = 40
density = 1000
region = { min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.4] }
shape = { type = "sphere", radius = 0.04 }
[[measure]]
name = "box"
every = 0.1
quantity = { type = "region", min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.3] }
[[measure]]
name = "grid"
every = 0.1
quantity = { type = "region", min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.3], cells = [2, 1, 3] }
"#,
    );
    let (whole, cells) = (rows(&bench.path("a/measure-box.csv")), rows(&bench.path("a/measure-grid.csv")));
    assert_eq!((whole.len(), cells.len()), (4, 24));
    for (row, cells) in whole.iter().zip(cells.chunks(6)) {
        let places: Vec<String> = cells.iter().map(|c| format!("{}{}{}", c["i"], c["j"], c["k"])).collect();
        assert_eq!(places, ["000", "001", "002", "100", "101", "102"]);
        let sum = |column: &str| cells.iter().map(|cell| number(cell, column)).sum::<f64>();
        for column in ["bodies", "contacts"] {
            assert_eq!(sum(column), number(row, column), "{column}");
        }
        // A ball in two cells or more is counted by points of a lattice.
        let (parts, all) = (sum("solid_fraction") / 6.0, number(row, "solid_fraction"));
        assert!((parts / all - 1.0).abs() < 0.01, "{parts} for {all}");
        for column in ["sxx", "syy", "szz"] {
            let (parts, all) = (sum(column) / 6.0, number(row, column));
            assert!((parts - all).abs() <= 1e-9 * (1.0 + all.abs()), "{column}: {parts} for {all}");
        }
    }
    assert!(number(&whole[3], "bodies") > 30.0 && number(&whole[3], "szz") > 0.0);
}

/// Bricks of one form lie on three kinds of faces, whatever their size; a falling brick lies on none.
#[test]
fn bodies_lie_on_the_faces_that_they_lie_on() {
    let brick = |name: &str, x: f64, size: f64, half: [f64; 3]| {
        let [a, b, c] = half.map(|half| half * size);
        format!(
            "[[body]]\nname = \"{name}\"\ndensity = 1000\nposition = [{x:?}, 0, {c:?}]\n\
             shape = {{ type = \"box\", half_extents = [{a:?}, {b:?}, {c:?}] }}\n"
        )
    };
    let bodies = [
        brick("flat", 0.0, 1.0, [0.3, 0.2, 0.1]),
        brick("side", 1.0, 1.0, [0.1, 0.3, 0.2]),
        brick("small-side", 2.0, 0.5, [0.3, 0.1, 0.2]),
        brick("end", 3.0, 1.0, [0.2, 0.1, 0.3]),
        brick("small-flat", 4.0, 0.5, [0.2, 0.3, 0.1]),
    ];
    let scene = format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.3\n[[friction]]\ncoefficient = 0.5\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{}\
         [[body]]\nname = \"ball\"\ndensity = 1000\nposition = [-1, 0, 1]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[measure]]\nname = \"lie\"\nevery = 0.1\nquantity = {{ type = \"poses\" }}\n",
        bodies.concat()
    );
    let bench = finished(&scene);
    let lie = rows(&bench.path("a/measure-lie.csv"));
    assert_eq!(lie.len(), 18);
    let of = |name: &str| lie.iter().rev().find(|row| row["body"] == name).unwrap();
    for (name, pose, height) in
        [("flat", "1", 0.1), ("side", "2", 0.2), ("small-side", "2", 0.1), ("end", "3", 0.3)]
    {
        let row = of(name);
        assert_eq!((row["kind"].as_str(), row["pose"].as_str()), ("1", pose), "{row:?}");
        assert!((number(row, "height") - height).abs() < 1e-9, "{row:?}");
        assert!((number(row, "down_z") + 1.0).abs() < 1e-9, "{row:?}");
    }
    assert_eq!(of("small-flat")["pose"], "1");
    assert_eq!((of("ball")["kind"].as_str(), of("ball")["pose"].as_str()), ("2", ""));
}

/// A ball that falls by H loses (1 − e²) m g H in the impact, which takes no more than its energy, and
/// nothing by friction.
#[test]
fn impacts_take_what_restitution_says() {
    for (restitution, law) in [(0.0, "newton"), (0.6, "newton"), (0.6, "poisson")] {
        let scene = format!(
            "format = 1\n[simulation]\ntime_step = 0.0005\nduration = 0.5\n[solver]\nimpact_phase = true\n\
             [[friction]]\ncoefficient = 0.3\nrestitution = {restitution}\nrestitution_law = \"{law}\"\n\
             [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"ball\"\nmass = 2\nposition = [0, 0, 0.9]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
             [[measure]]\nname = \"energy\"\nevery = 0.5\nquantity = {{ type = \"energy\" }}\n"
        );
        let bench = finished(&scene);
        let row = &rows(&bench.path("a/measure-energy.csv"))[0];
        let lost = 2.0 * 9.81 * 0.8 * (1.0 - restitution * restitution);
        assert!((number(row, "impact") / lost - 1.0).abs() < 0.01, "{restitution} {law}: {row:?}");
        assert!(number(row, "friction").abs() < 1e-9 && number(row, "rest").abs() < 0.01 * lost, "{row:?}");
    }
}
