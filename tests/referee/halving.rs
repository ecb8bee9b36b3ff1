//! Steps that are not solved in one piece are solved in substeps; the referee and the audit judge each of
//! them, and a lie about one is found. Few iterations are allowed, so that hard steps of easy scenes fail.

use nalgebra::Vector3;
use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini::simulation::Simulation;
use signorini::step::{BodyState, ContactRecord, Loads, Span, Substep};
use signorini_geometry::Velocity;
use signorini_ncp::solver::SolveStatus;
use signorini_runs::audit::{AuditOptions, AuditReport, audit};
use signorini_runs::output::rows::{BodyRow, ContactRow, SubstepRow};
use signorini_runs::output::{ExitReason, RunFolder, table};
use signorini_scene::scene::{Impulse, Scene, State};
use std::fs;
use std::path::Path;
use support::forgery;
use support::judged_steps::{ellipsoid, floor, friction, pose, scene, v};
use support::runs::{self, Run, exact, shipped};

/// Steps that are searched: the bodies meet after about fifty.
const STEPS: usize = 200;

/// The shipped collision with six tenths of the iterations that its hardest step needs.
fn hasty() -> Scene {
    let mut run = Run::new(exact(shipped("granular/rolling-collision.toml")));
    run.steps(STEPS);
    let mut scene = run.scene().clone();
    scene.solver.max_iterations = run.work.most_iterations * 6 / 10;
    scene
}

/// A step with all that the referee is shown.
struct Told {
    scene: Scene,
    before: State,
    after: State,
    loads: Loads,
    contacts: Vec<ContactRecord>,
    substeps: Vec<Substep>,
}

impl Told {
    fn judge(&self) -> Verdict {
        let Self { scene, before, after, loads, contacts, substeps } = self;
        let before = Some(before);
        Referee::new(scene).judge(&RecordedStep {
            scene,
            before,
            after,
            loads,
            contacts,
            joints: &[],
            substeps,
        })
    }
}

/// The first step that was halved and of which `fits` holds.
fn first_halved(scene: Scene, fits: impl Fn(&Simulation) -> bool) -> Told {
    let mut simulation = Simulation::new(scene).unwrap();
    loop {
        assert!(simulation.step_index() < STEPS, "no such step");
        let before = simulation.state().clone();
        let mut loads = Loads::default();
        loads.gather(simulation.scene(), simulation.step_index());
        let outcome = simulation.advance();
        if outcome.info.status == SolveStatus::SolvedByHalving && fits(&simulation) {
            return Told {
                scene: simulation.scene().clone(),
                before,
                after: simulation.state().clone(),
                loads,
                contacts: simulation.contacts().to_vec(),
                substeps: simulation.substeps().to_vec(),
            };
        }
    }
}

/// Counts the steps that were halved, all of them judged.
fn halved_steps(scene: Scene) -> usize {
    let mut simulation = Simulation::new(scene).unwrap();
    let mut halved = 0;
    for _ in 0..STEPS {
        let outcome = simulation.advance();
        let (info, substeps) = (outcome.info, simulation.substeps());
        assert_eq!(info.n_substeps, substeps.len());
        assert_eq!(info.n_contacts, simulation.contacts().len());
        if info.status == SolveStatus::SolvedByHalving {
            halved += 1;
            assert!(substeps.len() > 1 && info.residual.max() <= 1e-8, "{info:?}");
            assert!(outcome.verdict.unwrap().green, "{outcome:#?}");
            let shortest = substeps.iter().map(|s| s.span.length()).fold(1.0, f64::min);
            assert!(shortest >= 1.0 / 32.0, "{shortest}");
        } else if info.status == SolveStatus::Solved {
            assert!(substeps.is_empty() && outcome.verdict.unwrap().green, "{outcome:#?}");
        }
    }
    halved
}

#[test]
fn halved_steps_are_green_in_all_their_substeps() {
    let halved = halved_steps(hasty());
    assert!(halved >= 2, "{halved}");
}

#[test]
fn without_halving_they_are_not_solved() {
    let mut scene = hasty();
    scene.solver.halvings = 0;
    let mut simulation = Simulation::new(scene).unwrap();
    let unsolved = (0..STEPS).filter(|_| {
        let info = simulation.advance().info;
        assert!(simulation.substeps().is_empty() && info.n_substeps == 0);
        info.status == SolveStatus::MaxIterations
    });
    assert!(unsolved.count() >= 2);
}

/// Loads in every step, among them those that are halved: the referee applies forces in each substep,
/// impulses in the first (which it does right: see the ball below).
#[test]
fn loads_act_in_halved_steps_as_in_others() {
    let mut scene = hasty();
    let ball = runs::body(&scene, "ball");
    scene.bodies[ball].force = v(0.3, -0.2, 0.1);
    scene.bodies[ball].torque = v(0.01, 0.0, 0.02);
    scene.impulses.extend((0..STEPS).map(|k| Impulse {
        body: ball,
        time: (k as f64 + 0.5) * scene.time_step,
        when: None,
        linear: v(0.0, 0.002, 0.0),
        angular: v(0.0, 0.0, 1e-4),
    }));
    let pushed = |simulation: &Simulation| {
        simulation.substeps().iter().any(|s| s.bodies.iter().any(|state| state.body == ball))
    };
    let told = first_halved(scene, pushed);
    let verdict = told.judge();
    assert!(verdict.green, "{verdict:#?}");
    // Impulses in the second substep, too, would be seen.
    let momentum = told.loads.linear_impulse[ball].norm();
    let p_ref = judged_scale(&told);
    assert!(momentum > 1e-6 * p_ref, "{momentum:e} of {p_ref:e}");
}

/// p_ref at least: the mean of h |F|.
fn judged_scale(told: &Told) -> f64 {
    let moving = told.scene.bodies.iter().filter(|b| !b.fixed).count() as f64;
    told.loads.force.iter().map(|f| f.norm() * told.scene.time_step).sum::<f64>() / moving
}

/// A ball that falls and is pushed: a quarter of a step, a quarter, and half a step, in closed form.
fn pushed_ball() -> Told {
    let (g, h) = (9.81, 0.01);
    let velocity = Velocity { linear: v(1.0, 0.0, 2.0), angular: v(0.0, 3.0, 0.0) };
    let ball = ellipsoid("ball", v(0.1, 0.1, 0.1), 2.0, pose(v(0.0, 0.0, 5.0), Vector3::zeros()), velocity);
    let mut world = scene(vec![floor(), ball], friction(0.3, [1.0, 1.0], 0.0));
    (world.time_step, world.gravity) = (h, v(0.0, 0.0, -g));
    world.impulses.push(Impulse {
        body: 1,
        time: 0.004,
        when: None,
        linear: v(0.0, 0.5, 0.0),
        angular: v(0.0, 0.0, 0.01),
    });
    let before = world.initial_state();
    let mut loads = Loads::default();
    loads.gather(&world, 0);
    let (mut at, mut speed) = (before.poses[1], velocity);
    // Inertia of a ball: ½ · 2/5 · 2 kg · (0.1 m)² · 2.
    let inertia = 0.4 * 2.0 * 0.01;
    let mut substeps = Vec::new();
    for (start, end) in [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)] {
        let span = Span { start, end };
        speed.linear.z -= g * h * span.length();
        if start == 0.0 {
            speed.linear.y += 0.5 / 2.0;
            speed.angular.z += 0.01 / inertia;
        }
        at = at.advanced(&speed, h * span.length());
        substeps.push(Substep { span, bodies: vec![BodyState { body: 1, pose: at, velocity: speed }] });
    }
    let mut after = before.clone();
    (after.poses[1], after.velocities[1]) = (at, speed);
    Told { scene: world, before, after, loads, contacts: vec![], substeps }
}

#[test]
fn substeps_in_closed_form_are_green_and_changed_ones_are_not() {
    let verdict = pushed_ball().judge();
    assert!(verdict.green && verdict.momentum < 1e-10, "{verdict:#?}");
    let red = |what: &str, change: &dyn Fn(&mut Told)| {
        let mut told = pushed_ball();
        change(&mut told);
        let verdict = told.judge();
        assert!(!verdict.green, "{what}: {verdict:#?}");
    };
    // The impulse in the second substep.
    red("late impulse", &|t| t.substeps[0].bodies[0].velocity.linear.y -= 0.25);
    red("another span", &|t| (t.substeps[0].span.end, t.substeps[1].span.start) = (0.375, 0.375));
    red("a hole", &|t| t.substeps[1].span.start = 0.26);
    red("a substep less", &|t| _ = t.substeps.remove(1));
    red("an end too early", &|t| _ = t.substeps.pop());
    red("another end", &|t| t.after.poses[1].position.x += 1e-9);
    red("no substeps", &|t| t.substeps.clear());
    red("a body of nowhere", &|t| t.substeps.iter_mut().for_each(|s| s.bodies[0].body = 7));
    red("a fixed body", &|t| t.substeps.iter_mut().for_each(|s| s.bodies[0].body = 0));
    red("twice the same island", &|t| t.substeps.extend(t.substeps.clone()));
}

#[test]
fn lies_about_contacts_of_substeps_turn_a_step_red() {
    // A contact that carries load and friction before the end of the step.
    let early =
        |c: &ContactRecord| c.span.end < 1.0 && c.normal_impulse > 1e-3 && c.friction_impulse.norm() > 1e-4;
    let told = || first_halved(hasty(), |s| s.contacts().iter().any(early));
    let honest = told();
    assert!(honest.judge().green);
    let i = honest.contacts.iter().position(early).unwrap();
    let red = |what: &str, change: &dyn Fn(&mut Told)| {
        let mut told = Told {
            scene: honest.scene.clone(),
            before: honest.before.clone(),
            after: honest.after.clone(),
            loads: honest.loads.clone(),
            contacts: honest.contacts.clone(),
            substeps: honest.substeps.clone(),
        };
        change(&mut told);
        let verdict = told.judge();
        assert!(!verdict.green, "{what}: {verdict:#?}");
    };
    red("impulse", &|t| t.contacts[i].normal_impulse *= 1.0 + 1e-4);
    red("friction", &|t| t.contacts[i].friction_impulse *= 0.999);
    red("gap", &|t| t.contacts[i].gap += 1e-6);
    red("ecp", &|t| t.contacts[i].ecp.x += 1e-5);
    red("left out", &|t| _ = t.contacts.remove(i));
    red("of the whole step", &|t| t.contacts[i].span = Span::WHOLE);
    red("of a part that there was not", &|t| t.contacts[i].span.end *= 0.5);
    let other = honest.substeps.iter().find(|s| s.span != honest.contacts[i].span).unwrap().span;
    red("of another substep", &|t| t.contacts[i].span = other);
    red("pose within the step", &|t| t.substeps[0].bodies[0].pose.position.z -= 1e-6);
    red("velocity within the step", &|t| t.substeps[0].bodies[0].velocity.angular.x += 1e-4);
}

#[test]
fn substeps_have_the_same_bits_for_any_number_of_threads() {
    let scene = hasty();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = Simulation::new(scene.clone()).unwrap();
            simulation.judge_steps(false);
            let mut path = Vec::new();
            for _ in 0..STEPS {
                simulation.advance();
                let (contacts, substeps) = (simulation.contacts().to_vec(), simulation.substeps().to_vec());
                path.push((simulation.state().clone(), contacts, substeps));
            }
            path
        })
    };
    let one = with(1);
    assert!(one.iter().any(|(_, _, substeps)| !substeps.is_empty()));
    for threads in [2, 7] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

/// Two iterations are too few for any collision.
#[test]
fn what_cannot_be_solved_is_said_to_be_unsolved() {
    let mut scene = hasty();
    scene.solver.max_iterations = 2;
    let mut simulation = Simulation::new(scene).unwrap();
    let (mut unsolved, mut red) = (0, 0);
    for _ in 0..100 {
        let outcome = simulation.advance();
        let (solved, residual) = (outcome.info.status.is_solved(), outcome.info.residual.max());
        assert_eq!(solved, residual <= 1e-8, "{outcome:#?}");
        unsolved += usize::from(!solved);
        // Twice the tolerance may pass.
        let seen = !outcome.verdict.unwrap().green;
        assert!(seen || residual < 1e-7, "{outcome:#?}");
        red += usize::from(seen);
    }
    assert!(unsolved > 10 && red > 10, "{unsolved} unsolved, {red} red");
}

/// Writes a run of the hasty scene that ends with its first halved step with an early load, and so many steps
/// more.
fn write_run(folder: &Path, every: usize) -> usize {
    let early = |c: &ContactRecord| c.span.end < 1.0 && c.normal_impulse > 1e-3;
    let mut simulation = Simulation::new(hasty()).unwrap();
    let mut files = RunFolder::create(folder, &simulation, "hasty", every).unwrap();
    let mut found = 0;
    while found == 0 || simulation.step_index() < found + 3 {
        assert!(simulation.step_index() < STEPS);
        let outcome = simulation.advance();
        files.record(&simulation, &outcome).unwrap();
        let halved = outcome.info.status == SolveStatus::SolvedByHalving;
        if found == 0 && halved && simulation.contacts().iter().any(early) {
            found = outcome.step;
        }
    }
    files.finish(&simulation, ExitReason::Interrupted).unwrap();
    found
}

/// The runs end before their time, and some are thinned.
const ALL: AuditOptions = AuditOptions { thinned: true, unfinished: true };

/// The run audited after `change` to one of its files.
fn audit_after(file: &str, change: impl Fn(&Path, usize)) -> (AuditReport, usize) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let step = write_run(&out, 1);
    change(&out.join(file), step);
    forgery::seal(&out, 1);
    (audit(&out, &ALL).unwrap(), step)
}

/// Writes a table again after `change` to the first row that it accepts.
fn tamper(path: &Path, change: impl Fn(&mut Vec<String>) -> bool) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
    assert!(rows[1..].iter_mut().any(change));
    let mut writer = csv::Writer::from_path(path).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
}

/// Adds to a number of the first row of a step that was halved and ends before the step does.
fn raise(path: &Path, columns: &[&str], column: &str, step: usize, by: f64) {
    let at = |name: &str| columns.iter().position(|c| *c == name).unwrap();
    let (end, load) = (at("substep_end"), columns.iter().position(|c| *c == "normal_impulse"));
    tamper(path, |row| {
        let loaded = load.is_none_or(|load| row[load].parse::<f64>().unwrap() > 1e-3);
        let fits = row[0] == step.to_string() && row[end].parse::<f64>().unwrap() < 1.0 && loaded;
        if fits {
            row[at(column)] = format!("{:?}", row[at(column)].parse::<f64>().unwrap() + by);
        }
        fits
    });
}

#[test]
fn a_run_with_substeps_is_green_again_from_its_files() {
    let (report, step) = audit_after("steps.csv", |_, _| ());
    assert!(report.is_green() && report.judged >= step, "{report}");
}

#[test]
fn a_thinned_run_with_substeps_is_judged_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("whole");
    let step = write_run(&out, 1);
    let out = folder.path().join("thinned");
    // The halved step is recorded, the one before is not.
    write_run(&out, step);
    let mut substeps = 0;
    table::read(&out.join("substeps.csv"), |row: SubstepRow<'static>| {
        substeps += usize::from(row.step == step)
    })
    .unwrap();
    assert!(substeps > 1);
    let report = audit(&out, &ALL).unwrap();
    assert!(report.is_green() && report.judged_alone == 2, "{report}");
    raise(&out.join("substeps.csv"), &SubstepRow::COLUMNS, "vx", step, 1e-4);
    forgery::seal(&out, step);
    assert!(!audit(&out, &ALL).unwrap().is_green());
}

#[test]
fn lies_about_substeps_in_the_files_are_found() {
    let red = |report: &AuditReport, step: usize, what: &str| {
        assert_eq!(report.red.iter().map(|r| r.0).collect::<Vec<_>>(), [step], "{what}: {report}");
    };
    for (column, by) in [("x", 1e-6), ("qw", 1e-10), ("vz", 1e-5), ("wy", 1e-4), ("substep_start", 0.001)] {
        let (report, step) =
            audit_after("substeps.csv", |path, step| raise(path, &SubstepRow::COLUMNS, column, step, by));
        red(&report, step, column);
    }
    for (column, by) in [("normal_impulse", 1e-5), ("gap", 1e-6), ("substep_end", 0.001), ("nz", 1e-5)] {
        let (report, step) =
            audit_after("contacts.csv", |path, step| raise(path, &ContactRow::COLUMNS, column, step, by));
        red(&report, step, column);
    }
    let (report, step) = audit_after("substeps.csv", |path, _| fs::remove_file(path).unwrap());
    red(&report, step, "no substeps.csv");
    let (report, step) = audit_after("steps.csv", |path, step| {
        tamper(path, |row| {
            let fits = row[0] == step.to_string();
            if fits {
                row[2] = "1".to_owned();
            }
            fits
        });
    });
    assert!(!report.is_green() && report.faults[0].contains(&format!("step {step}: contacts")), "{report}");
}

/// A table of substeps has the columns of `bodies.csv` first.
#[test]
fn columns_begin_with_those_of_bodies() {
    assert_eq!(SubstepRow::COLUMNS[..16], BodyRow::COLUMNS);
}
