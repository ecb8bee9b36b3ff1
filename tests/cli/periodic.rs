//! Tables of a periodic scene: places in the box and beyond, images, measures of the cell, and the audit of
//! all that.

use super::*;

const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.002
duration = 0.16
seed = 4
gravity = [2, 0, -9]
[periodic]
x = [0.0, 0.25]
y = [-0.1, 0.1]
[[friction]]
coefficient = 0.2
[[body]]
name = "plane"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[fill]]
name = "grain"
count = 16
density = 1000
velocity = [1.5, 0.4, 0]
region = { min = [0, -0.1, 0], max = [0.25, 0.1, 0.2] }
shapes = [{ shape = { type = "sphere", radius = 0.03 } },
  { shape = { type = "box", half_extents = [0.025, 0.03, 0.02] } }]
[[measure]]
name = "cell"
every = 0.16
quantity = { type = "region", min = [0, -0.1, -1], max = [0.25, 0.1, 1] }
[[measure]]
name = "half"
every = 0.16
quantity = { type = "region", min = [0.2, -0.1, -1], max = [0.325, 0.1, 1] }
[[measure]]
name = "other-half"
every = 0.16
quantity = { type = "region", min = [0.075, -0.1, -1], max = [0.2, 0.1, 1] }
[[measure]]
name = "pass"
every = 0.16
quantity = { type = "flow", normal = [1, 0, 0], offset = 0.1 }
"#;

fn finished() -> Bench {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), SCENE).unwrap();
    bench.expect(&["run", "scene.toml", "--out", "a"], 0);
    bench
}

/// The numbers of a column.
fn column(rows: &[Vec<String>], name: &str) -> Vec<f64> {
    let at = rows[0].iter().position(|c| c == name).unwrap_or_else(|| panic!("no column {name}"));
    rows[1..].iter().map(|row| row[at].parse().unwrap_or(f64::NAN)).collect()
}

#[test]
fn places_are_in_the_box_and_beyond() {
    let bench = finished();
    let bodies = table(&bench.path("a/bodies.csv"));
    let mut turns = 0.0_f64;
    for (name, low, length) in [("x", 0.0, 0.25), ("y", -0.1, 0.2)] {
        let (free, wrapped) = (column(&bodies, name), column(&bodies, &format!("wrapped_{name}")));
        for (free, wrapped) in free.iter().zip(&wrapped) {
            assert!((low..=low + length).contains(wrapped), "{wrapped}");
            let n = (free - wrapped) / length;
            assert!((n - n.round()).abs() < 1e-12, "{free} {wrapped}");
            turns = turns.max(n.abs());
        }
    }
    assert!(turns >= 1.0, "nobody crossed a face");
    assert_eq!(column(&bodies, "z"), column(&bodies, "wrapped_z"));
    let contacts = table(&bench.path("a/contacts.csv"));
    assert!(column(&contacts, "image_x").iter().any(|n| *n != 0.0));
    assert!(column(&contacts, "image_z").iter().all(|n| *n == 0.0));
    bench.expect(&["export", "a", "--vtk"], 0);
    bench.expect(&["view", "a"], 0);
    bench.expect(&["plot", "a"], 0);
}

#[test]
fn an_audit_knows_images() {
    let bench = finished();
    let audit = |code: i32| {
        let output = bench.call(&["audit", "a"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    };
    assert!(audit(0).contains("green         80 of 80"));
    // Another image of a body that carries load.
    let path = bench.path("a/contacts.csv");
    let whole = fs::read(&path).unwrap();
    let mut rows = table(&path);
    let at = |name: &str| rows[0].iter().position(|c| c == name).unwrap();
    let (image, load) = (at("image_x"), at("normal_impulse"));
    let row = rows.iter().rposition(|r| r[load].parse::<f64>().is_ok_and(|p| p > 1e-6) && r[image] != "0.0");
    let row = row.expect("a loaded contact across a face");
    for (told, word) in [("0.0", "red"), ("0.5", "must be whole numbers")] {
        rows[row][image] = told.to_owned();
        let mut writer = csv::Writer::from_path(&path).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        writer.flush().unwrap();
        let output = bench.call(&["audit", "a"]);
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.code() != Some(0) && text.contains(word), "{told}: {text}");
    }
    fs::write(&path, whole).unwrap();
    audit(0);
}

#[test]
fn measures_see_the_cell() {
    let bench = finished();
    let last = |name: &str, of: &str| {
        *column(&table(&bench.path(&format!("a/measure-{name}.csv"))), of).last().expect("a row")
    };
    // All bodies are in the cell, with all of their volume.
    assert_eq!(last("cell", "bodies"), 16.0);
    let bodies =
        signorini_scene::scene::load(&bench.path("a/scene.toml"), &Default::default()).unwrap().scene.bodies;
    let mass: f64 = bodies.iter().filter(|b| !b.fixed).map(|b| b.mass).sum();
    let fraction = mass / 1000.0 / (0.25 * 0.2 * 2.0);
    assert!((last("cell", "solid_fraction") - fraction).abs() < 1e-12);
    // Two halves make a whole, one of them across the face.
    assert_eq!(last("half", "bodies") + last("other-half", "bodies"), 16.0);
    assert_eq!(last("half", "contacts") + last("other-half", "contacts"), last("cell", "contacts"));
    let halves = 0.5 * (last("half", "solid_fraction") + last("other-half", "solid_fraction"));
    assert!((halves - fraction).abs() < 0.01 * fraction, "{halves} of {fraction}");
    let stress = 0.5 * (last("half", "szz") + last("other-half", "szz"));
    assert!((stress - last("cell", "szz")).abs() < 1e-9 * stress.abs().max(1.0), "{stress}");
    // Every crossing counts.
    let rows = table(&bench.path("a/bodies.csv"));
    let (names, x) = (rows[1..].iter().map(|row| &row[2]), column(&rows, "x"));
    let mut ways = std::collections::BTreeMap::<&String, (f64, f64)>::new();
    for (name, x) in names.zip(&x).filter(|(name, _)| *name != "plane") {
        ways.entry(name).or_insert((*x, *x)).1 = *x;
    }
    let passed = |x: f64| ((x - 0.1) / 0.25).ceil();
    let expected: f64 = ways.values().map(|(start, end)| passed(*end) - passed(*start)).sum();
    assert!(expected >= 8.0, "{expected}");
    assert_eq!(last("pass", "net_bodies"), expected);
}

#[test]
fn a_model_without_images_says_so() {
    let bench = Bench::new(0, 1);
    fs::write(bench.path("scene.toml"), SCENE).unwrap();
    let output = bench.call(&["run", "scene.toml", "--out", "a", "--formulation", "literal"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("\"literal\" with [periodic]"), "{text}");
}
