//! Wear and impacts on the triangles of a surface.

use super::measures::{Row, number, rows};
use super::*;

const FLOOR: &str = r#"
format = 1
[simulation]
time_step = 0.01
duration = 0.5
gravity = [0, 0, GRAVITY]
[[friction]]
coefficient = 0.2
[[body]]
name = "floor"
shape = { type = "surface", thickness = 0.5, vertices = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles = [[0, 1, 2], [0, 2, 3]] }
[[measure]]
name = "wear"
every = 0.5
quantity = { type = "wear", bodies = ["floor"] }
"#;

fn worn(gravity: &str, body: &str) -> (Bench, Vec<Row>) {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), FLOOR.replace("GRAVITY", gravity) + body).unwrap();
    bench.expect(&["run", "scene.toml", "--out", "a"], 0);
    let found = rows(&bench.path("a/measure-wear.csv"));
    (bench, found)
}

fn sum(rows: &[Row], column: &str) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}

/// A block that slides from one triangle onto the other presses with its weight, and wears by its weight
/// times its way.
#[test]
fn a_sliding_block_wears_by_its_weight_times_its_way() {
    let block = "[[body]]\nname = \"block\"\nmass = 3\nposition = [-0.5, -0.1, 0.05]\nvelocity = [2, 0, 0]\n\
                 shape = { type = \"box\", half_extents = [0.05, 0.05, 0.05] }\n";
    let (bench, worn) = worn("-10", block);
    let block = rows(&bench.path("a/bodies.csv"));
    let last = block.iter().rfind(|row| row["body"] == "block").expect("the block");
    let way = number(last, "x") + 0.5;
    assert!(way > 0.7, "{way}");
    assert_eq!(worn.len(), 2, "both triangles");
    assert!((sum(&worn, "impulse") - 30.0 * 0.5).abs() < 1e-9, "{}", sum(&worn, "impulse"));
    assert!(
        (sum(&worn, "sliding") - 30.0 * way).abs() < 1e-9,
        "{} for {}",
        sum(&worn, "sliding"),
        30.0 * way
    );
    assert!(sum(&worn, "impact").abs() < 1e-9, "{}", sum(&worn, "impact"));
    for row in &worn {
        assert!((number(row, "area") - 2.0).abs() < 1e-12 && number(row, "z").abs() < 1e-12);
        assert!((number(row, "x").abs() - 1.0 / 3.0).abs() < 1e-12 && number(row, "sliding") > 1.0);
    }
}

/// A ball that strikes loses ½ m u² (1 − e²) to the triangle that it hits.
#[test]
fn a_ball_that_strikes_leaves_the_energy_that_it_loses() {
    for e in [0.0, 0.6] {
        let ball = "[[body]]\nname = \"ball\"\nmass = 2\nposition = [0.5, -0.5, 0.503]\nvelocity = [0, 0, -3]\n\
                    shape = { type = \"sphere\", radius = 0.1 }\n";
        let material = if e > 0.0 { format!("restitution = {e:?}\n") } else { String::new() };
        let text = FLOOR.replace("coefficient = 0.2\n", &format!("coefficient = 0.2\n{material}"));
        let bench = Bench::new(1, 1);
        fs::write(bench.path("scene.toml"), text.replace("GRAVITY", "0") + ball).unwrap();
        bench.expect(&["run", "scene.toml", "--out", "a"], 0);
        let worn = rows(&bench.path("a/measure-wear.csv"));
        let [row] = worn.as_slice() else { panic!("{worn:?}") };
        let lost = 0.5 * 2.0 * 9.0 * (1.0 - e * e);
        assert!((number(row, "impact") - lost).abs() < 1e-9, "{e}: {} for {lost}", number(row, "impact"));
        assert!((number(row, "impulse") - 6.0 * (1.0 + e)).abs() < 1e-9);
        assert!(number(row, "sliding").abs() < 1e-12 && number(row, "x") > 0.0);
    }
}
