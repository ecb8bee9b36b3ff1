//! Tables of measures, held to the raw tables of the run, and made again by the audit.

use super::*;
use std::collections::BTreeMap;

/// Grains that pour on a table through a box, and off it.
const SCENE: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 0.6
seed = 2
[[friction]]
coefficient = 0.3
[[body]]
name = "table"
fixed = true
shape = { type = "box", half_extents = [0.5, 0.5, 0.05] }
position = [0.1, 0, -0.05]
[[body]]
name = "first"
density = 1000
shape = { type = "sphere", radius = 0.05 }
position = [0.3, 0, 0.05]
[[inlet]]
name = "grain"
rate = 30
density = 1000
velocity = [1.5, 0, -1]
region = { type = "box", min = [-0.06, -0.06, 0.05], max = [0.06, 0.06, 0.2] }
shape = { type = "sphere", radius = 0.04 }
scale = { type = "uniform", min = 0.8, max = 1 }
[[outlet]]
name = "end"
region = { type = "half_space", normal = [-1, 0, 0], offset = -0.5 }
[[measure]]
name = "pass"
every = 0.05
quantity = { type = "flow", normal = [1, 0, 0], offset = 0.25 }
[[measure]]
name = "middle"
every = 0.02
quantity = { type = "region", min = [0.1, -0.2, 0], max = [0.4, 0.2, 0.1] }
[[measure]]
name = "energy"
every = 0.07
quantity = { type = "energy" }
[[measure]]
name = "forces"
quantity = { type = "forces" }
[[measure]]
name = "on-table"
every = 0.1
quantity = { type = "body", body = "table" }
[[measure]]
name = "stay"
every = 0.1
quantity = { type = "residence" }
"#;

const STEP: f64 = 0.005;

pub type Row = BTreeMap<String, String>;

pub fn rows(path: &Path) -> Vec<Row> {
    let rows = table(path);
    let named = |row: &Vec<String>| rows[0].iter().cloned().zip(row.iter().cloned()).collect();
    rows[1..].iter().map(named).collect()
}

pub fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} = {:?}", row[column]))
}

fn step(row: &Row) -> usize {
    row["step"].parse().unwrap()
}

fn close(said: f64, found: f64, scale: f64, what: &str) {
    assert!((said - found).abs() <= 1e-9 * scale, "{what}: {said} for {found}");
}

fn finished() -> Bench {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("scene.toml"), SCENE).unwrap();
    bench.expect(&["run", "scene.toml", "--tolerance", "1e-8", "--out", "a"], 0);
    bench
}

#[test]
fn flow_and_residence_are_those_of_the_raw_tables() {
    let bench = finished();
    let folder = bench.path("a");
    let flow = rows(&folder.join("flow.csv"));
    let masses: BTreeMap<String, f64> =
        flow.iter().filter(|r| r["event"] == "in").map(|r| (r["body"].clone(), number(r, "mass"))).collect();
    // Sides by body, as they come in.
    let mut side: BTreeMap<String, bool> = [("first".to_owned(), true)].into();
    let bodies = rows(&folder.join("bodies.csv"));
    let mut passed = vec![(0, 0.0); 121];
    for (k, passed) in passed.iter_mut().enumerate().skip(1) {
        for row in flow.iter().filter(|r| r["event"] == "in" && step(r) == k) {
            side.insert(row["body"].clone(), number(row, "x") > 0.25);
        }
        for row in bodies.iter().filter(|r| step(r) == k && r["body"] != "table") {
            let now = number(row, "x") > 0.25;
            if side.insert(row["body"].clone(), now) == Some(!now) {
                assert!(now, "nothing rolls back");
                passed.0 += 1;
                passed.1 += masses[&row["body"]];
            }
        }
    }
    let measured = rows(&folder.join("measure-pass.csv"));
    assert_eq!(measured.iter().map(step).collect::<Vec<_>>(), (1..=12).map(|k| 10 * k).collect::<Vec<_>>());
    let mut total = 0;
    for row in &measured {
        let of = &passed[step(row) - 9..=step(row)];
        let [n, mass] = [of.iter().map(|p| f64::from(p.0)).sum::<f64>(), of.iter().map(|p| p.1).sum()];
        assert_eq!((number(row, "forward"), number(row, "backward")), (n, 0.0));
        close(number(row, "mass_forward"), mass, 1.0, "mass");
        close(number(row, "mass_rate"), mass / 0.05, 20.0, "rate");
        total += n as usize;
        assert_eq!(number(row, "net_bodies") as usize, total);
    }
    assert!(total > 5, "{total} passed");
    for row in &rows(&folder.join("measure-stay.csv")) {
        let left =
            flow.iter().filter(|r| r["event"] == "out" && step(r) <= step(row) && step(r) + 20 > step(row));
        let times: Vec<f64> = left.map(|r| number(r, "time") - number(r, "since")).collect();
        assert_eq!(number(row, "left") as usize, times.len());
        if !times.is_empty() {
            close(number(row, "mean"), times.iter().sum::<f64>() / times.len() as f64, 1.0, "mean");
        }
    }
}

#[test]
fn forces_are_the_sums_of_the_contacts() {
    let bench = finished();
    let folder = bench.path("a");
    let contacts = rows(&folder.join("contacts.csv"));
    let vector = |row: &Row, names: [&str; 3]| names.map(|name| number(row, name));
    let impulse = |row: &Row| -> [f64; 3] {
        let (n, f) = (vector(row, ["nx", "ny", "nz"]), number(row, "normal_impulse"));
        let t = vector(row, ["friction_impulse_x", "friction_impulse_y", "friction_impulse_z"]);
        [0, 1, 2].map(|k| n[k] * f + t[k])
    };
    let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for row in &rows(&folder.join("measure-forces.csv")) {
        let own = contacts.iter().filter(|c| step(c) == step(row) && number(c, "normal_impulse") > 0.0);
        let forces: Vec<f64> = own.map(|c| norm(impulse(c)) / STEP).collect();
        assert_eq!(number(row, "contacts") as usize, forces.len());
        if !forces.is_empty() {
            let largest = forces.iter().copied().fold(0.0, f64::max);
            close(number(row, "largest"), largest, largest, "largest");
            close(number(row, "mean"), forces.iter().sum::<f64>() / forces.len() as f64, largest, "mean");
        }
    }
    let mut most = 0.0_f64;
    for row in &rows(&folder.join("measure-on-table.csv")) {
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        for contact in contacts.iter().filter(|c| step(c) <= step(row) && step(c) + 20 > step(row)) {
            let sign = match (contact["body_a"] == "table", contact["body_b"] == "table") {
                (true, _) => -1.0,
                (_, true) => 1.0,
                _ => continue,
            };
            let p = impulse(contact).map(|x| sign * x);
            let at = vector(contact, ["ecp_x", "ecp_y", "ecp_z"]);
            let arm = [at[0] - 0.1, at[1], at[2] + 0.05];
            let n = vector(contact, ["nx", "ny", "nz"]);
            let spin = sign * number(contact, "torsional_impulse");
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                force[k] += p[k] / 0.1;
                torque[k] += (arm[i] * p[j] - arm[j] * p[i] + spin * n[k]) / 0.1;
            }
        }
        let size = norm(force).max(1e-3);
        for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
            close(number(row, &format!("f{name}")), force[k], size, "force");
            close(number(row, &format!("t{name}")), torque[k], size, "torque");
        }
        most = most.max(-force[2]);
    }
    assert!(most > 1.0, "the table bore {most} N at most");
}

#[test]
fn energies_add_up_and_are_those_of_the_steps() {
    let bench = finished();
    let folder = bench.path("a");
    let steps = rows(&folder.join("steps.csv"));
    let measured = rows(&folder.join("measure-energy.csv"));
    assert_eq!(measured.last().map(step), Some(120), "the last interval is shorter");
    let (mut friction, mut rest) = (0.0, 0.0);
    for row in &measured {
        let own = &steps[step(row) - 1];
        for column in ["kinetic", "potential"] {
            let (said, found) = (number(row, column), number(own, &format!("{column}_energy")));
            close(said, found, found.abs().max(1.0), column);
        }
        assert!(number(row, "friction") >= -1e-12, "{row:?}");
        assert_eq!(number(row, "driven"), 0.0);
        friction += number(row, "friction");
        rest += number(row, "rest");
    }
    // The energy inside is that which came, less that which left, friction, impacts and the loss of the
    // scheme.
    assert!(friction > 0.01 && rest > 0.01, "friction {friction} J, rest {rest} J");
}

#[test]
fn regions_hold_what_the_tables_say() {
    let bench = finished();
    let folder = bench.path("a");
    let (bodies, contacts) = (rows(&folder.join("bodies.csv")), rows(&folder.join("contacts.csv")));
    let is_inside =
        |x: f64, y: f64, z: f64| (0.1..=0.4).contains(&x) && y.abs() <= 0.2 && (0.0..=0.1).contains(&z);
    let (mut most, mut pressed) = (0, 0.0_f64);
    for row in &rows(&folder.join("measure-middle.csv")) {
        let of = |list: &[Row]| list.iter().filter(|r| step(r) == step(row)).cloned().collect::<Vec<_>>();
        let inside: Vec<Row> = of(&bodies)
            .into_iter()
            .filter(|b| is_inside(number(b, "x"), number(b, "y"), number(b, "z")))
            .collect();
        assert_eq!(number(row, "bodies") as usize, inside.len());
        let bearing: Vec<Row> = of(&contacts)
            .into_iter()
            .filter(|c| number(c, "normal_impulse") > 0.0)
            .filter(|c| is_inside(number(c, "ecp_x"), number(c, "ecp_y"), number(c, "ecp_z")))
            .collect();
        assert_eq!(number(row, "contacts") as usize, bearing.len());
        // All of it lies on the table: of balls the arm is the radius along the normal, σ_zz V = Σ r f.
        let (fraction, zz) = (number(row, "solid_fraction"), number(row, "szz"));
        assert!((0.0..0.7).contains(&fraction), "{fraction}");
        assert!((fraction > 0.0) != inside.is_empty() || fraction < 0.05, "{row:?}");
        let force: f64 =
            bearing.iter().map(|c| number(c, "normal_impulse") * number(c, "nz").abs() / STEP).sum();
        let volume = 0.3 * 0.4 * 0.1;
        assert!(zz >= 0.03 * force / volume - 1e-9 && zz <= 0.06 * force / volume + 1e-9, "{zz}, {force} N");
        most = most.max(inside.len());
        pressed = pressed.max(zz);
    }
    assert!(most > 2 && pressed > 0.0, "{most} bodies, {pressed} Pa");
}

#[test]
fn audits_make_measures_again() {
    let bench = finished();
    bench.expect(&["audit", "a"], 0);
    bench.expect(&["plot", "a"], 0);
    assert!(bench.path("a/plots/measure-energy.svg").exists());
    let path = bench.path("a/measure-on-table.csv");
    let text = fs::read_to_string(&path).unwrap();
    let fields: Vec<&str> = text.lines().nth(2).unwrap().split(',').collect();
    let changed = text.replacen(fields[5], &format!("{}", fields[5].parse::<f64>().unwrap() * 1.001), 1);
    fs::write(&path, changed).unwrap();
    let output = bench.call(&["audit", "a"]);
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{report}");
    assert!(report.contains("measure-on-table.csv: step 40: fz = "), "{report}");
}

/// A belt gives a box its momentum m v at the speed v: m v², of which half goes into friction.
#[test]
fn the_work_of_a_belt_is_the_momentum_it_gives_times_its_speed() {
    let scene = r#"
format = 1
[simulation]
time_step = 0.001
duration = 0.4
[[friction]]
coefficient = 0.3
[[body]]
name = "belt"
fixed = true
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
surface_velocity = [0.5, 0, 0]
[[body]]
name = "box"
mass = 2
position = [0, 0, 0.05]
shape = { type = "box", half_extents = [0.1, 0.1, 0.05] }
[[measure]]
name = "energy"
every = 0.4
quantity = { type = "energy" }
"#;
    let bench = Bench::new(0, 1);
    fs::write(bench.path("belt.toml"), scene).unwrap();
    let output = bench.call(&["run", "belt.toml", "--out", "a", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut reader = csv::Reader::from_path(bench.path("a/measure-energy.csv")).unwrap();
    let row: BTreeMap<String, f64> = reader.deserialize().next().unwrap().unwrap();
    assert!((row["driven"] - 0.5).abs() < 1e-6, "{row:?}");
    assert!((row["kinetic"] - 0.25).abs() < 1e-6, "{row:?}");
    // The rest is what the scheme damps, of first order in h.
    assert!((row["friction"] - 0.25).abs() < 2e-3 && row["rest"].abs() < 2e-3, "{row:?}");
}
