//! The command `signorini run`.

use super::arguments::{JudgedSteps, RunOptions};
use super::checkpoint_schedule::CheckpointSchedule;
use super::console::{print_error, print_line};
use super::exit::{Failure, INTERRUPTED, SUCCESS, UNSOLVED};
use super::flow;
use super::output_folder::output_folder;
use super::plan::Plan;
use super::progress::{Progress, Told};
use super::ranks::{Next, Team, first_failed};
use super::run_job;
use super::scene_source;
use signorini::simulation::{OnBackend, Simulation};
use signorini::step::Switch;
use signorini_error::{Result, counted};
use signorini_ncp::solver::is_stop_requested;
use signorini_runs::output::{ExitReason, RunFolder, Summary};
use signorini_scene::settings::Formulation;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Most switches of `auto` that are printed.
const MAX_PRINTED: usize = 10;

/// Validates everything, then creates the folder, then runs.
pub fn run(options: &RunOptions, told: Told, team: &Team) -> std::result::Result<u8, Failure> {
    if let Some(ranks) = options.slurm {
        return run_job::write(options, ranks);
    }
    let prepared = output_folder(options).and_then(|out| prepare(options, &out, team));
    let simulation = team.start(prepared.map(Some), options)?;
    let scene_file = scene_source::shown(&options.scene).display().to_string();
    // Before there is a folder: a signal that comes while it is made must not leave it without a summary.
    let interrupted = team.watch_signals(options.quiet);
    let folder = team.on_first(|| {
        let (out, every) = (output_folder(options)?, options.every as usize);
        let mut folder = RunFolder::create_as(&out, &simulation, &scene_file, every, options.format.into())?;
        Plan::keep(options, &mut folder);
        Ok(folder)
    })?;
    match folder {
        Some(folder) => carry_out((options, told), simulation, folder, (&interrupted, team)),
        None => follow(simulation, (&interrupted, team)),
    }
}

/// Takes the steps that are left, until a signal has interrupted the run, and reports the results. Of several
/// ranks one has the folder.
pub fn carry_out(
    (options, told): (&RunOptions, Told),
    mut simulation: Simulation,
    folder: RunFolder,
    (interrupted, team): (&AtomicBool, &Team),
) -> std::result::Result<u8, Failure> {
    simulation.limit_wall_clock(options.wall_limit);
    let out = folder.path().to_owned();
    let (summary, simulation) =
        advance_all((options, told), simulation, folder, (interrupted, team)).map_err(Failure::Other)?;
    report(options, &out, &summary, &simulation);
    Ok(exit_code(&summary))
}

/// Takes all steps with the rank that writes them.
pub fn follow(
    mut simulation: Simulation,
    (interrupted, team): (&AtomicBool, &Team),
) -> std::result::Result<u8, Failure> {
    simulation.judge_steps(false);
    while simulation.step_index() < simulation.scene().n_steps() {
        match team.next(&simulation, [interrupted.load(Ordering::SeqCst), false]) {
            Next::Step => {}
            Next::Stop => break,
            Next::Fail => return Err(Failure::Other(first_failed())),
        }
        simulation.advance();
    }
    Ok(SUCCESS)
}

/// Loads the scene and builds the simulation; writes nothing.
fn prepare(options: &RunOptions, out: &Path, team: &Team) -> Result<Simulation> {
    team.use_threads(options.threads)?;
    team.refuse_wall_limit(options.wall_limit)?;
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let mut scene = loaded.scene;
    if let Some(solver) = options.backend.solver {
        scene.solver.linear_solver = solver;
    }
    if !options.quiet {
        loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
        print_line(&format!(
            "{}, {}, writing {}",
            counted(scene.bodies.len(), "body"),
            counted(scene.n_steps(), "step"),
            out.display()
        ));
    }
    let mut simulation = Simulation::new(scene)?;
    team.choose_backend(&options.backend, &mut simulation)?;
    if let Some(backend) = simulation.backend().filter(|_| !options.quiet) {
        print_line(&format!("large islands on {}", backend.name()));
    }
    Ok(simulation)
}

fn advance_all(
    (options, told): (&RunOptions, Told),
    mut simulation: Simulation,
    mut folder: RunFolder,
    (interrupted, team): (&AtomicBool, &Team),
) -> Result<(Summary, Simulation)> {
    let n_steps = simulation.scene().n_steps();
    let mut progress = Progress::new(n_steps, options.quiet, told);
    let mut checkpoint_schedule = CheckpointSchedule::new(options.checkpoint, options.quiet);
    let mut reason = ExitReason::Completed;
    let (mut switches, mut turned) = (Vec::new(), Vec::new());
    let mut last = Duration::ZERO;
    let (mut written, mut sweeps) = (Ok(()), 0);
    while simulation.step_index() < n_steps {
        // A step that was not written is an error of all ranks.
        match team.next(&simulation, [interrupted.load(Ordering::SeqCst), written.is_err()]) {
            Next::Step => {}
            Next::Stop => {
                reason = ExitReason::Interrupted;
                break;
            }
            Next::Fail => break,
        }
        simulation.judge_steps(match options.audit {
            JudgedSteps::Every => true,
            JudgedSteps::Final => simulation.step_index() + 1 == n_steps,
            JudgedSteps::Off => false,
        });
        checkpoint_schedule.before_step(&simulation, last);
        let outcome = simulation.advance();
        last = outcome.solve_time;
        sweeps += outcome.info.sweeps;
        if is_stop_requested() && !outcome.info.status.is_solved() {
            // The step was given up: the run ends with the step before.
            reason = ExitReason::Interrupted;
            break;
        }
        if let Some(reason) = outcome.info.switch {
            switches.push((outcome.step, outcome.info.formulation, reason));
        }
        turned.extend(outcome.info.turned_joint.map(|joint| (outcome.step, joint)));
        // Until the others know, the steps go on.
        if written.is_ok() {
            written = folder.record(&simulation, &outcome);
        }
        if written.is_ok() {
            checkpoint_schedule.after_step(&mut folder, &simulation);
        }
        progress.step(&outcome);
    }
    progress.finish();
    written?;
    if !options.quiet {
        tell_switches(&switches);
        team.traffic(sweeps).iter().for_each(|traffic| print_line(traffic));
    }
    tell_turns(&turned, &simulation);
    let kept = checkpoint_schedule.at_end(&mut folder, &simulation);
    let summary = folder.finish(&simulation, reason)?;
    kept?;
    Ok((summary, simulation))
}

/// Prints when and why `auto` changed the model.
fn tell_switches(switches: &[(usize, Formulation, Switch)]) {
    for (step, model, reason) in switches.iter().take(MAX_PRINTED) {
        print_line(&format!("auto: {:?} from step {step}: {}", model.as_str(), reason.as_str()));
    }
    if switches.len() > MAX_PRINTED {
        print_line(&format!("auto: {} more, see steps.csv", counted(switches.len() - MAX_PRINTED, "switch")));
    }
}

/// Prints in which steps joints would have turned bodies too far.
fn tell_turns(turned: &[(usize, usize)], simulation: &Simulation) {
    for (step, joint) in turned.iter().take(MAX_PRINTED) {
        let name = &simulation.scene().joints[*joint].name;
        print_error(&format!(
            "warning: step {step} is too long for joint {name:?}: it would turn a body further than its motion \
             explains"
        ));
    }
    if turned.len() > MAX_PRINTED {
        print_error(&format!("warning: {} more such steps", turned.len() - MAX_PRINTED));
    }
}

/// Prints all warnings, and the results of the run unless quiet.
fn report(options: &RunOptions, out: &Path, summary: &Summary, simulation: &Simulation) {
    if summary.unsolved_steps > 0 {
        let worst = summary.worst_residual.unwrap_or(f64::NAN);
        let step = summary.worst_residual_step.unwrap_or(0);
        print_error(&format!(
            "warning: {} of {} steps are above the tolerance {:e}; worst residual {worst:.2e} in step {step}",
            summary.unsolved_steps, summary.steps, summary.tolerance
        ));
    }
    if let Some(step) = summary.referee.first_red_step.filter(|_| summary.formulation.is_exact()) {
        print_error(&format!(
            "warning: the referee disagrees with {} of {} judged steps, first with step {step}",
            summary.referee.red,
            summary.referee.red + summary.referee.green
        ));
    }
    if summary.exit_reason == ExitReason::Interrupted {
        print_error(&format!(
            "interrupted at t = {:.6} s, after step {} of {}",
            summary.steps as f64 * simulation.scene().time_step,
            summary.steps,
            summary.planned_steps
        ));
    }
    if let Some(flow) = &summary.flow {
        flow::tell(flow, options.quiet);
    }
    if options.quiet {
        return;
    }
    print_line(&format!(
        "{} in {:.2} s, {}, {}, worst residual {:.1e}: {}",
        counted(summary.steps, "step"),
        summary.wall_seconds,
        counted(summary.iterations, "iteration"),
        counted(summary.factorizations, "factorization"),
        summary.worst_residual.unwrap_or(0.0),
        out.display()
    ));
    print_line(&outcome(summary));
}

/// Returns the results of solver and referee as text: "400 steps: 400 solved, 2 of them in substeps; referee:
/// 400 green".
fn outcome(summary: &Summary) -> String {
    let Summary { steps, solved_steps, halved_steps, unsolved_steps, referee, formulation, .. } = summary;
    let mut text = format!("{}: {solved_steps} solved", counted(*steps, "step"));
    if *halved_steps > 0 {
        text += &format!(", {halved_steps} of them in substeps");
    }
    if *unsolved_steps > 0 {
        text += &format!(", {unsolved_steps} unsolved");
    }
    text += "; referee: ";
    if referee.green + referee.red == 0 {
        return text + "not asked";
    }
    text += &format!("{} green", referee.green);
    if referee.red > 0 && formulation.is_exact() {
        text += &format!(", {} red", referee.red);
    } else if referee.red > 0 {
        let name = formulation.as_str();
        text += &format!(
            ", {} off the exact equations by more than the tolerance ({name:?} approximates)",
            referee.red
        );
    }
    if referee.off > 0 {
        text += &format!(", {} not judged", referee.off);
    }
    text
}

fn exit_code(summary: &Summary) -> u8 {
    if summary.exit_reason == ExitReason::Interrupted {
        INTERRUPTED
    } else if summary.unsolved_steps > 0 || (summary.referee.red > 0 && summary.formulation.is_exact()) {
        UNSOLVED
    } else {
        SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::scene::{Scene, parse};

    fn summary(change: impl Fn(&mut Summary)) -> Summary {
        let text = "format = 1\n[simulation]\ntime_step = 0.1\nduration = 1\n\
                    [[body]]\nname = \"ball\"\nmass = 1\nshape = { type = \"sphere\", radius = 1 }\n";
        let scene: Scene = parse(text, Path::new("scene"), &Default::default()).unwrap().scene;
        let mut summary = Summary::new(&scene, "scene.toml", 1);
        change(&mut summary);
        summary
    }

    #[test]
    fn the_last_line_says_what_the_referee_found() {
        let with = |green: usize, red: usize, off: usize| {
            outcome(&summary(|s| {
                (s.steps, s.solved_steps) = (green + red + off, green + red + off);
                (s.referee.green, s.referee.red, s.referee.off) = (green, red, off);
            }))
        };
        assert_eq!(with(10, 0, 0), "10 steps: 10 solved; referee: 10 green");
        assert_eq!(with(7, 3, 0), "10 steps: 10 solved; referee: 7 green, 3 red");
        assert_eq!(with(1, 0, 9), "10 steps: 10 solved; referee: 1 green, 9 not judged");
        assert_eq!(with(0, 0, 10), "10 steps: 10 solved; referee: not asked");
        let hard = outcome(&summary(|s| {
            (s.steps, s.solved_steps, s.halved_steps, s.unsolved_steps) = (10, 9, 2, 1);
            (s.referee.green, s.referee.red) = (9, 1);
        }));
        assert_eq!(hard, "10 steps: 9 solved, 2 of them in substeps, 1 unsolved; referee: 9 green, 1 red");
    }

    #[test]
    fn exit_codes_say_what_happened() {
        assert_eq!(exit_code(&summary(|_| {})), 0);
        assert_eq!(exit_code(&summary(|s| s.unsolved_steps = 1)), 3);
        assert_eq!(exit_code(&summary(|s| s.referee.red = 1)), 3);
        let approximate = |s: &mut Summary| {
            s.referee.red = 1;
            s.formulation = signorini_scene::settings::Formulation::Cone;
        };
        assert_eq!(exit_code(&summary(approximate)), 0);
        let interrupted = |s: &mut Summary| {
            s.unsolved_steps = 1;
            s.exit_reason = ExitReason::Interrupted;
        };
        assert_eq!(exit_code(&summary(interrupted)), 130);
    }
}
