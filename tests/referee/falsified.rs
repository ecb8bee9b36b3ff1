//! Falsified runs: every change in the folder of a run is noticed. Where the forger makes chain and summary
//! fit too, a change of data that follow from other data is noticed still.

use signorini::simulation::Simulation;
use signorini_runs::audit::{AuditOptions, audit};
use signorini_runs::output::{ExitReason, RunFolder};
use signorini_scene::scene::{LoadOptions, Scene, parse};
use signorini_scene::settings::{Formulation, Integrator};
use std::collections::BTreeSet;
use std::path::Path;
use support::forgery::{self, Files};
use support::runs::{exact, shipped};

/// Options of the audit: runs that end before their time pass.
const UNFINISHED: AuditOptions = AuditOptions { thinned: false, unfinished: true };

/// Balls and a box of wood with a friction direction on a floor: one slides and spins, one flies, one rolls;
/// the box slides.
const SLIDERS: &str = r#"
format = 1
[simulation]
time_step = 0.005
duration = 0.05
[[friction]]
coefficient = 0.3
ellipsoid = { r = 0.02 }
[[friction]]
between = ["wood", "default"]
coefficient = 0.4
ellipsoid = { t = 1.0, o = 0.5, r = 0.01 }
direction = [1, 0, 0]
[[body]]
name = "floor"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "sliding, spinning"
shape = { type = "sphere", radius = 0.1 }
mass = 1
position = [0, 0, 0.1]
velocity = [2, 0, 0]
angular_velocity = [0, 0, 9]
[[body]]
name = "flying"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.12, 0.15] }
mass = 1
position = [0.05, 0.35, 0.2]
angular_velocity = [3, 2, 1]
[[body]]
name = "rolling"
shape = { type = "cylinder", radius = 0.1, length = 0.2 }
mass = 1
position = [0, -1, 0.1]
orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]
velocity = [1, 0, 0]
angular_velocity = [0, 10, 0]
[[body]]
name = "box"
shape = { type = "box", half_extents = [0.2, 0.15, 0.1] }
mass = 2
material = "wood"
position = [2, 0, 0.1]
velocity = [1, 0.5, 0]
"#;

fn sliders() -> Scene {
    exact(parse(SLIDERS, Path::new("sliders"), &LoadOptions::default()).unwrap().scene)
}

/// Pebbles that come through a narrow inlet, for which some wait, and leave while they lie on a table.
const FLOW: &str = r#"
format = 1
[simulation]
time_step = 0.01
duration = 0.09
seed = 3
[[friction]]
coefficient = 0.3
[[body]]
name = "table"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
[[body]]
name = "first"
shape = { type = "sphere", radius = 0.05 }
density = 1000
position = [0.3, 0.3, 0.05]
velocity = [3, 0, 0]
[[inlet]]
name = "pebble"
region = { type = "box", min = [-0.07, -0.07, 0.01], max = [0.07, 0.07, 0.15] }
rate = 60
density = 2000
velocity = [2.5, 0, -0.5]
shapes = [
    { shape = { type = "sphere", radius = 0.05 } },
    { shape = { type = "ellipsoid", semi_axes = [0.05, 0.04, 0.03] }, weight = 2 },
]
scale = { type = "uniform", min = 0.8, max = 1.1 }
[[inlet]]
name = "dust"
region = { type = "ring", center = [0, 0, 0.4], normal = [0, 0, 1], inner_radius = 0.1, outer_radius = 0.2 }
mass_rate = 0.1
density = 800
shape = { type = "sphere", radius = 0.01 }
[[outlet]]
name = "edge"
region = { type = "box", min = [0.15, -1, -1], max = [2, 1, 2] }
"#;

fn flowing() -> Scene {
    exact(parse(FLOW, Path::new("flow"), &LoadOptions::default()).unwrap().scene)
}

/// The files of an honest run of so many steps, which the audit finds green.
fn honest(mut scene: Scene, steps: usize, every: usize) -> Files {
    scene.duration = steps as f64 * scene.time_step;
    let folder = tempfile::tempdir().unwrap();
    let mut simulation = Simulation::new(scene).unwrap();
    let mut run = RunFolder::create(folder.path(), &simulation, "honest", every).unwrap();
    for _ in 0..steps {
        let outcome = simulation.advance();
        run.record(&simulation, &outcome).unwrap();
    }
    run.finish(&simulation, ExitReason::Completed).unwrap();
    let options = AuditOptions { thinned: every > 1, unfinished: false };
    let report = audit(folder.path(), &options).unwrap();
    assert!(report.is_green(), "{report}");
    forgery::read(folder.path())
}

/// Whether an audit is anything but green.
fn is_noticed(files: &Files, sealed: bool, options: &AuditOptions) -> bool {
    let folder = tempfile::tempdir().unwrap();
    forgery::write(folder.path(), files);
    if sealed {
        forgery::seal(folder.path(), 1);
    }
    audit(folder.path(), options).map_or(true, |report| !report.is_green())
}

/// Records of a table, header first.
fn records(table: &str) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(table.as_bytes());
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn table_of(records: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    records.iter().for_each(|row| writer.write_record(row).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Other values of a cell.
fn others(cell: &str, column: &str) -> Vec<String> {
    let words: &[&str] = match column {
        "state" => &["open", "stick", "slip"],
        "kind" => &["point", "line", "surface"],
        "referee" => &["green", "red", "off"],
        "status" => &["solved", "max_iterations", "solved_by_halving"],
        "formulation" => &["implicit", "cone"],
        "switch" => &["cheaper"],
        "event" => &["in", "out", "wait"],
        _ => &[],
    };
    if !words.is_empty() {
        return words.iter().filter(|w| **w != cell).map(|w| (*w).to_owned()).collect();
    }
    if let Ok(whole) = cell.parse::<i64>() {
        return vec![(whole + 1).to_string(), (whole + 7).to_string()];
    }
    match cell.parse::<f64>() {
        // A thousandth of nothing is nothing, so these numbers are replaced.
        Ok(x) if x.abs() < 1e-9 => vec!["0.001".to_owned(), "-0.001".to_owned()],
        // A thousandth of less than the tolerance is rounding of another machine.
        Ok(x) if x.abs() < 1e-8 => [0.5, -1.0].map(|by| format!("{:?}", x * by)).into(),
        Ok(x) => [1.001, 0.5, -1.0].map(|by| format!("{:?}", x * by)).into(),
        Err(_) if cell.is_empty() => vec!["0.5".to_owned()],
        Err(_) => vec![format!("{cell}x")],
    }
}

/// Every other value of every cell of some rows of a table, with a name of the change.
fn changed_cells(files: &Files, table: &str, rows: usize) -> Vec<(String, Files)> {
    let found = records(&files[table]);
    let n = found.len();
    let stride = ((n - 1) / rows).max(1);
    let mut all = Vec::new();
    for row in (1..n).step_by(stride) {
        for column in 0..found[row].len() {
            let name = &found[0][column];
            for other in others(&found[row][column], name) {
                let mut changed = found.clone();
                let told =
                    format!("{table}: {name} = {} -> {other} ({:?})", changed[row][column], &changed[row]);
                changed[row][column] = other;
                all.push((told, with(files, table, table_of(&changed))));
            }
        }
    }
    all
}

fn with(files: &Files, name: &str, text: String) -> Files {
    let mut files = files.clone();
    files.insert(name.to_owned(), text);
    files
}

/// Rows left out, doubled, swapped; tables cut.
fn changed_rows(files: &Files, table: &str) -> Vec<(String, Files)> {
    let found = records(&files[table]);
    let (n, middle) = (found.len(), found.len() / 2);
    let mut all = Vec::new();
    let mut add = |told: &str, rows: Vec<Vec<String>>| {
        all.push((format!("{table}: {told}"), with(files, table, table_of(&rows))));
    };
    let rows: BTreeSet<usize> = [1, middle, n - 1].into_iter().filter(|row| (1..n).contains(row)).collect();
    for row in rows {
        let mut changed = found.clone();
        changed.remove(row);
        add(&format!("row {row} left out"), changed);
        let mut changed = found.clone();
        changed.insert(row, found[row].clone());
        add(&format!("row {row} doubled"), changed);
    }
    if n == 1 {
        return all;
    }
    let step = found[middle.max(1)][0].clone();
    add(&format!("step {step} left out"), found.iter().filter(|r| r[0] != step).cloned().collect());
    add("header only", found[..1].to_vec());
    add("half of it", found[..middle.max(1)].to_vec());
    if n > 3 {
        let mut changed = found.clone();
        changed.swap(n - 2, n - 1);
        add("last rows swapped", changed);
    }
    let text = &files[table];
    all.push((format!("{table}: last line cut"), with(files, table, text[..text.len() - 9].to_owned())));
    all.push((format!("{table}: no newline"), with(files, table, text.trim_end().to_owned())));
    all
}

/// Steps taken out of all tables, in the middle and at the end.
fn changed_everywhere(files: &Files, tables: &[&str]) -> Vec<(String, Files)> {
    let last: usize = records(&files["steps.csv"]).last().unwrap()[0].parse().unwrap();
    let without = |told: &str, drop: &dyn Fn(usize) -> bool| {
        let mut changed = files.clone();
        for table in tables {
            let rows = records(&files[*table]);
            let kept = |r: &&Vec<String>| r[0].parse().map_or(true, |step: usize| !drop(step));
            changed.insert(
                (*table).to_owned(),
                table_of(&rows.iter().filter(kept).cloned().collect::<Vec<_>>()),
            );
        }
        (format!("everywhere: {told}"), changed)
    };
    vec![
        without("a step in the middle", &|step| step == last / 2),
        without("every second step", &|step| step % 2 == 1),
        without("the last step", &|step| step == last),
        without("the last three", &|step| step + 3 > last),
        without("all but the start", &|step| step > 0),
    ]
}

const TABLES: [&str; 6] =
    ["bodies.csv", "contacts.csv", "joints.csv", "substeps.csv", "steps.csv", "flow.csv"];

fn tables(files: &Files) -> Vec<&'static str> {
    TABLES.into_iter().filter(|table| files.contains_key(*table)).collect()
}

/// Changed and missing copies of the other files.
fn other_files(files: &Files) -> Vec<(String, Files)> {
    let mut all = Vec::new();
    for name in files.keys() {
        let mut changed = files.clone();
        changed.remove(name);
        all.push((format!("{name} is gone"), changed));
    }
    for line in files["summary.json"].lines() {
        let Some((field, value)) = line.split_once(": ") else { continue };
        let other = match value.trim_end_matches(',').parse::<f64>() {
            Ok(x) => value.replace(value.trim_end_matches(','), &format!("{}", x + 1.0)),
            Err(_) if value.starts_with('"') => value.replacen('"', "\"x", 1),
            Err(_) if value.starts_with("null") => value.replace("null", "1"),
            Err(_) => continue,
        };
        let text = files["summary.json"].replacen(line, &format!("{field}: {other}"), 1);
        all.push((format!("summary.json: {line}"), with(files, "summary.json", text)));
    }
    for line in files["scene.toml"].lines() {
        let Some((field, value)) = line.split_once(" = ") else { continue };
        let Ok(x) = value.parse::<f64>() else { continue };
        let other = if value.contains(['.', 'e']) {
            format!("{:?}", x * 1.0001 + 1e-9)
        } else {
            format!("{}", x + 1.0)
        };
        let text = files["scene.toml"].replacen(line, &format!("{field} = {other}"), 1);
        all.push((format!("scene.toml: {line}"), with(files, "scene.toml", text)));
    }
    for (told, changed) in
        changed_cells(files, "chain.csv", 3).into_iter().chain(changed_rows(files, "chain.csv"))
    {
        all.push((told, changed));
    }
    all
}

fn scenes() -> Vec<(&'static str, Scene, usize)> {
    let with = |mut scene: Scene, formulation, integrator| {
        (scene.solver.formulation, scene.solver.integrator) = (formulation, integrator);
        scene
    };
    let euler = Integrator::ImplicitEuler;
    vec![
        ("sliders", sliders(), 10),
        ("staggered", with(sliders(), Formulation::Implicit, Integrator::Staggered), 10),
        ("literal", with(exact(shipped("seeds/two-spheres.toml")), Formulation::Literal, euler), 8),
        ("cone", with(sliders(), Formulation::Cone, euler), 8),
        ("stewart-trinkle", with(sliders(), Formulation::StewartTrinkle, euler), 8),
        ("auto", with(sliders(), Formulation::Auto, euler), 8),
        ("four-bar", exact(shipped("seeds/four-bar.toml")), 8),
        ("feeder", exact(shipped("seeds/feeder.toml")), 8),
        ("flow", flowing(), 9),
        ("rolling", exact(shipped("seeds/rolling-resistance.toml")), 8),
        ("cohesion", exact(shipped("seeds/cohesion.toml")), 8),
        ("grains", exact(shipped("granular/mixed-27.toml")), 3),
    ]
}

#[test]
fn whatever_is_changed_is_noticed() {
    let (mut tried, mut unnoticed) = (0, Vec::new());
    for (name, scene, steps) in scenes() {
        let files = honest(scene, steps, 1);
        let tables = tables(&files);
        let mut cases: Vec<(String, Files)> = Vec::new();
        for table in &tables {
            cases.extend(changed_cells(&files, table, 2));
            cases.extend(changed_rows(&files, table));
        }
        cases.extend(changed_everywhere(&files, &tables));
        cases.extend(other_files(&files));
        for (told, changed) in cases {
            tried += 1;
            // This holds also where unfinished runs pass.
            let is_complete = changed.contains_key("summary.json") && changed.contains_key("chain.csv");
            let options = if is_complete { UNFINISHED } else { AuditOptions::default() };
            if !is_noticed(&changed, false, &options) {
                unnoticed.push(format!("{name}: {told}"));
            }
        }
    }
    assert!(tried > 2000, "{tried}");
    assert!(unnoticed.is_empty(), "{} of {tried}:\n{}", unnoticed.len(), unnoticed.join("\n"));
}

/// Columns that follow from nothing else in the folder, or not exactly: the chain alone holds them.
const ONLY_CHAINED: &[&str] = &[
    "steps.csv: iterations",
    "steps.csv: sweeps",
    "steps.csv: work",
    "steps.csv: factorizations",
    "steps.csv: momentum_residual",
    "steps.csv: complementarity_residual",
    "steps.csv: friction_residual",
    "steps.csv: restarts",
    "steps.csv: islands",
    "steps.csv: status",
    "steps.csv: objective",
    "steps.csv: duality_gap",
    "steps.csv: slip_direction",
    "contacts.csv: points",
];

/// Columns of contacts that hold less where bodies with flat faces are apart, or of a staggered step: the end
/// of one that acts at its start, and a place between the two where they are the same.
const LOOSE_WHERE_APART: &[&str] =
    &["contacts.csv: ecp_", "contacts.csv: active_facets", "contacts.csv: theta = 0.0"];

/// Where bodies are apart, points and slip hold only within the gap.
const OF_BODIES_APART: &[&str] = &["contacts.csv: slip_speed"];

/// Columns that shapes bound but do not fix, in scenes where torsion follows from the surfaces that touch.
const OF_PATCHES: &[&str] = &["contacts.csv: torsional_radius"];

/// Geometry of the start of the step, its words, points of one pair, and reasons, of models that approximate.
const OF_THE_START: &[&str] = &[
    "contacts.csv: gap",
    "contacts.csv: n",
    "contacts.csv: slip_speed",
    "contacts.csv: state",
    "contacts.csv: row",
    "contacts.csv: last rows swapped",
    "steps.csv: switch = cone_lift",
];

/// Whether a change is one that nothing but the chain shows, or none at all.
fn is_only_chained(name: &str, told: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|column| told.starts_with(column));
    // (−1, 0, 0, 0) is the orientation of (1, 0, 0, 0).
    let is_same_turn = told.starts_with("bodies.csv: qw = 1.0 -> -1.0") || told.ends_with("no newline");
    let approximates = ["cone", "stewart-trinkle", "auto"].contains(&name);
    let is_loose = approximates || ["staggered", "grains", "sliders", "flow"].contains(&name);
    is_same_turn
        || begins(ONLY_CHAINED)
        || is_loose && begins(LOOSE_WHERE_APART)
        || approximates && begins(OF_THE_START)
        || name == "flow" && begins(OF_BODIES_APART)
        || ["feeder", "grains"].contains(&name) && begins(OF_PATCHES)
}

#[test]
fn a_forger_who_makes_chain_and_summary_fit_is_still_caught() {
    let (mut tried, mut unnoticed) = (0, Vec::new());
    for (name, scene, steps) in scenes() {
        let files = honest(scene, steps, 1);
        let tables = tables(&files);
        let mut cases: Vec<(String, Files)> = Vec::new();
        for table in &tables {
            cases.extend(changed_cells(&files, table, 4));
            cases.extend(changed_rows(&files, table));
        }
        cases.extend(changed_everywhere(&files, &tables));
        for (told, changed) in cases {
            if is_only_chained(name, &told) {
                continue;
            }
            tried += 1;
            if !is_noticed(&changed, true, &AuditOptions::default()) {
                unnoticed.push(format!("{name}: {told}"));
            }
        }
    }
    assert!(unnoticed.is_empty(), "{} of {tried}:\n{}", unnoticed.len(), unnoticed.join("\n"));
}
