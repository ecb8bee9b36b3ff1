//! A run is judged again from its files: an honest one is green, whole, thinned or cut off; every lie in
//! a file turns it red or is named.

use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini::simulation::advice::{Advice, Advisor};
use signorini::step::Loads;
use signorini_geometry::Velocity;
use signorini_runs::audit::{AuditOptions, AuditReport, audit};
use signorini_runs::output::rows::{BodyRow, ContactRow, StepRow};
use signorini_runs::output::table::Table;
use signorini_scene::scene::{self, State};
use std::borrow::Cow;
use std::fs;
use std::path::Path;
use support::forgery;
use support::judged_steps::*;

const N_STEPS: usize = 12;

/// A ball that slides on the floor without turning its slip, beside one that falls: both in closed form.
fn slide_and_fall() -> Vec<Step> {
    let moving = Velocity { linear: v(2.0, 1.0, 0.0), angular: v(0.0, 0.0, 4.0) };
    let at = |x: f64, z: f64| pose(v(x, 0.1, z), v(0.3, -0.2, 0.5));
    let ball = ellipsoid("ball \"one\", red", v(0.1, 0.1, 0.1), 2.0, at(0.0, 0.1), moving);
    let falling = ellipsoid("falling", v(0.1, 0.1, 0.1), 1.0, at(5.0, 9.0), moving);
    let mut world = scene(vec![floor(), ball, falling], friction(0.2, [1.0, 1.0], 0.0));
    world.duration = N_STEPS as f64 * H;
    let mut before = world.initial_state();
    let mut steps = Vec::new();
    for step in 0..N_STEPS {
        let mut loads = Loads::default();
        loads.gather(&world, step);
        let mut velocities = before.velocities.clone();
        let down = v(0.0, 0.0, -0.1);
        let slip = velocities[1].linear + velocities[1].angular.cross(&down);
        let push = -slip.normalize() * (0.2 * 2.0 * G * H);
        velocities[1].linear += push / 2.0;
        velocities[1].angular += down.cross(&push) / (0.4 * 2.0 * 0.01);
        velocities[2].linear.z -= G * H;
        let poses = before.poses.iter().zip(&velocities).map(|(p, u)| p.advanced(u, H)).collect();
        let after = State { poses, velocities };
        let mut c = contact(0, 1, after.poses[1].position + down, V::z(), 2.0 * G * H);
        c.friction_impulse = push;
        c.slip_speed = (after.velocities[1].linear + after.velocities[1].angular.cross(&down)).norm();
        steps.push(Step {
            scene: world.clone(),
            before: before.clone(),
            after: after.clone(),
            loads,
            contacts: vec![c],
        });
        before = after;
    }
    steps
}

/// Writes the folder of a run as the program does.
fn write(folder: &Path, steps: &[Step], every: usize) {
    let world = &steps[0].scene;
    fs::write(folder.join("scene.toml"), scene::to_toml(world)).unwrap();
    let mut bodies = Table::create(folder.join("bodies.csv"), &BodyRow::COLUMNS).unwrap();
    let mut contacts = Table::create(folder.join("contacts.csv"), &ContactRow::columns_of(world)).unwrap();
    let mut claims = Table::create(folder.join("steps.csv"), &StepRow::COLUMNS).unwrap();
    for i in 0..world.bodies.len() {
        bodies.push(&BodyRow::new(world, &steps[0].before, i, 0, 0.0)).unwrap();
    }
    let (mut referee, mut advisor) = (Referee::new(world), Advisor::new(world));
    for (k, s) in steps.iter().enumerate() {
        let (step, time) = (k + 1, (k + 1) as f64 * H);
        if step.is_multiple_of(every) {
            for i in (0..world.bodies.len()).filter(|i| !world.bodies[*i].fixed) {
                bodies.push(&BodyRow::new(world, &s.after, i, step, time)).unwrap();
            }
            for c in &s.contacts {
                contacts.push(&ContactRow::new(world, c, step, time)).unwrap();
            }
        }
        let verdict = referee.judge(&RecordedStep { scene: world, ..s.record() });
        let advice = advisor.advise(world, &s.before, &s.after, &s.contacts);
        claims.push(&claim(step, s.contacts.len(), &verdict, &advice)).unwrap();
    }
    for mut table in [bodies, contacts, claims] {
        table.flush().unwrap();
    }
    forgery::seal(folder, every);
}

fn claim(step: usize, contacts: usize, verdict: &Verdict, advice: &Advice) -> StepRow<'static> {
    StepRow {
        step,
        time: step as f64 * H,
        contacts,
        iterations: 1,
        sweeps: 0,
        factorizations: 1,
        work: 0.0,
        residual: 0.0,
        momentum_residual: 0.0,
        complementarity_residual: 0.0,
        friction_residual: 0.0,
        min_gap: Some(verdict.min_gap),
        kinetic_energy: verdict.kinetic_energy,
        potential_energy: verdict.potential_energy,
        status: Cow::Borrowed("solved"),
        restarts: 0,
        islands: 1,
        referee: Cow::Borrowed(if verdict.green { "green" } else { "red" }),
        referee_momentum: Some(verdict.momentum),
        referee_complementarity: Some(verdict.complementarity),
        referee_friction: Some(verdict.friction),
        energy_created: Some(verdict.energy_created),
        phase: Cow::Borrowed("newton"),
        substeps: 0,
        formulation: Some(Cow::Borrowed("implicit")),
        objective: None,
        duality_gap: None,
        gap_linearization: Some(advice.gap_linearization),
        cone_lift: Some(advice.cone_lift),
        slip_direction: Some(advice.slip_direction),
        switch: None,
    }
}

/// Options of an audit that lets thinned and unfinished runs pass.
const ALL: AuditOptions = AuditOptions { thinned: true, unfinished: true };

/// Writes the run, lets `change` tamper with one of its files, has the forger make chain and summary fit, and
/// audits it.
fn audit_after(every: usize, file: &str, change: impl Fn(String) -> String) -> AuditReport {
    try_audit(every, file, change).unwrap()
}

fn try_audit(every: usize, file: &str, change: impl Fn(String) -> String) -> signorini::Result<AuditReport> {
    let folder = tampered(every, file, change);
    forgery::seal(folder.path(), every);
    audit(folder.path(), &AuditOptions { thinned: every > 1, unfinished: false })
}

/// A run of which one file was tampered with.
fn tampered(every: usize, file: &str, change: impl Fn(String) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &slide_and_fall(), every);
    let path = folder.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, change(text)).unwrap();
    folder
}

/// Replaces one cell of the row-th line (0: the header).
fn cell(text: &str, row: usize, column: &str, value: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let at = rows[0].iter().position(|c| c == column).unwrap();
    rows[row] = rows[row].iter().enumerate().map(|(i, c)| if i == at { value } else { c }).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|r| writer.write_record(r).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn an_honest_run_is_green() {
    let report = audit_after(1, "steps.csv", |t| t);
    assert!(report.is_green(), "{report}");
    assert_eq!((report.judged, report.judged_alone, report.green), (N_STEPS, 0, N_STEPS));
    assert_eq!((report.planned, report.last_step), (N_STEPS, N_STEPS));
    assert!(report.notes.is_empty(), "{report}");
    for part in [report.momentum, report.complementarity, report.friction] {
        assert!(part.value < 1e-10 && part.step > 0, "{report}");
    }
}

#[test]
fn a_thinned_run_is_judged_as_far_as_it_goes_and_green_if_asked_so() {
    let report = audit_after(3, "steps.csv", |t| t);
    assert!(report.is_green(), "{report}");
    assert_eq!((report.judged, report.judged_alone, report.green), (0, N_STEPS / 3, N_STEPS / 3));
    assert_eq!(report.momentum.step, 0);
    assert!(report.to_string().contains("0 % of the steps in full, 33.333 %"), "{report}");
    let report = audit_after(3, "contacts.csv", |t| cell(&t, 2, "friction_impulse_x", "0.05"));
    assert_eq!((report.green, report.red.len(), report.red[0].0), (N_STEPS / 3 - 1, 1, 6), "{report}");
    let folder = tampered(3, "steps.csv", |t| t);
    let report = audit(folder.path(), &AuditOptions::default()).unwrap();
    assert!(!report.is_green() && report.faults.is_empty(), "{report}");
    assert!(report.to_string().contains("--thinned"), "{report}");
}

#[test]
fn a_run_that_was_killed_is_judged_up_to_there_if_asked_so() {
    let whole_lines = |t: &str, n: usize| t.lines().take(n).map(|l| format!("{l}\n")).collect::<String>();
    let folder = tampered(1, "summary.json", |t| t);
    fs::remove_file(folder.path().join("summary.json")).unwrap();
    // The last link and part of the rows before it were not written.
    for (file, left_out) in [("chain.csv", 30), ("bodies.csv", 20), ("steps.csv", 25)] {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        fs::write(folder.path().join(file), &text[..text.len() - left_out]).unwrap();
    }
    let report = audit(folder.path(), &ALL).unwrap();
    assert!(report.is_green(), "{report}");
    assert_eq!((report.judged, report.last_step, report.taken), (N_STEPS - 1, N_STEPS - 1, N_STEPS - 1));
    assert!(report.notes.iter().any(|n| n.contains("no summary.json: the run was killed")), "{report}");
    for file in ["bodies.csv", "contacts.csv", "steps.csv"] {
        let told = |n: &&String| n.starts_with(file) && n.contains("bytes after the last link");
        assert!(report.notes.iter().any(|n| told(&n)), "{file}: {report}");
    }
    let report = audit(folder.path(), &AuditOptions::default()).unwrap();
    assert!(!report.is_green() && report.to_string().contains("--unfinished"), "{report}");
    // Rows that the chain covers must be there.
    let bodies = fs::read_to_string(folder.path().join("bodies.csv")).unwrap();
    fs::write(folder.path().join("bodies.csv"), whole_lines(&bodies, 1 + 3 + 2 * 5)).unwrap();
    let report = audit(folder.path(), &ALL).unwrap();
    assert!(!report.is_green() && report.judged == 5, "{report}");
    assert!(report.faults[0].contains("bodies.csv is shorter than the run left it"), "{report}");
}

#[test]
fn an_interrupted_run_is_green_if_asked_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut steps = slide_and_fall();
    steps.truncate(7);
    write(folder.path(), &steps, 1);
    let report = audit(folder.path(), &AuditOptions { unfinished: true, thinned: false }).unwrap();
    assert!(report.is_green() && (report.judged, report.planned) == (7, N_STEPS), "{report}");
    assert!(!audit(folder.path(), &AuditOptions::default()).unwrap().is_green());
}

#[test]
fn lies_in_the_files_turn_the_run_red() {
    let red_at = |file: &str, row: usize, column: &str, value: &str, steps: &[usize]| {
        let report = audit_after(1, file, |t| cell(&t, row, column, value));
        let red: Vec<usize> = report.red.iter().map(|r| r.0).collect();
        assert_eq!(red, steps, "{file} {column}: {report}");
        assert!(!report.is_green());
    };
    // Line 8 of bodies.csv: header, three at step 0, two at steps 1 and 2, then "ball" at step 3.
    red_at("bodies.csv", 8, "x", "0.0613", &[3, 4]);
    red_at("bodies.csv", 9, "wz", "4.0000001", &[3, 4]);
    red_at("bodies.csv", 8, "vy", "NaN", &[3, 4]);
    red_at("contacts.csv", 5, "normal_impulse", "0.1963", &[5]);
    red_at("contacts.csv", 5, "gap", "1e-6", &[5]);
    red_at("contacts.csv", 5, "torsional_impulse", "1e-4", &[5]);
    red_at("contacts.csv", 5, "body_b", "falling", &[5]);
    let report = audit_after(1, "scene.toml", |t| t.replace("-9.81", "-9.810001"));
    assert_eq!(report.green, 0, "{report}");
}

#[test]
fn contradicting_files_are_named() {
    let told = |file: &str, row: usize, column: &str, value: &str, what: &str| {
        let report = audit_after(1, file, |t| cell(&t, row, column, value));
        assert!(!report.is_green() && report.green == N_STEPS, "{report}");
        assert!(report.faults.len() == 1 && report.faults[0].contains(what), "{report}");
    };
    told("steps.csv", 4, "kinetic_energy", "12.5", "step 4: kinetic_energy = 1.25e1");
    told("steps.csv", 4, "contacts", "2", "step 4: contacts = 2, contacts.csv has 1");
    told("steps.csv", 4, "referee", "red", "step 4: referee = red, judged green again");
    told("bodies.csv", 1, "x", "0.5", "step 0 is not the start");
}

#[test]
fn broken_files_are_errors_that_name_the_place() {
    let fails = |file: &str, row: usize, column: &str, value: &str, parts: &[&str]| {
        let error = try_audit(1, file, |t| cell(&t, row, column, value)).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{error}");
        }
    };
    fails("bodies.csv", 8, "body", "nobody", &["bodies.csv", "step 3", "nobody", "scene.toml"]);
    fails("bodies.csv", 8, "body", "falling", &["step 3", "twice"]);
    fails("bodies.csv", 8, "x", "far", &["bodies.csv", "line: 9"]);
    fails("bodies.csv", 8, "qw", "2", &["step 3", "unit quaternion"]);
    fails("bodies.csv", 8, "step", "1", &["step 1", "comes after step 2"]);
    fails("bodies.csv", 8, "step", "4", &["step 4"]);
    fails("contacts.csv", 5, "state", "glued", &["contacts.csv", "step 5", "glued", "slip"]);
    fails("contacts.csv", 5, "body_a", "nobody", &["contacts.csv", "step 5", "nobody"]);
    let folder = tempfile::tempdir().unwrap();
    let error = audit(folder.path(), &AuditOptions::default()).unwrap_err().to_string();
    assert!(error.contains("scene.toml"), "{error}");
}
