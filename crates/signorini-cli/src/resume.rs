//! The command `signorini resume`.

use super::arguments::{ResumeOptions, RunOptions, SingleRunOptions, TableFiles};
use super::console::{print_error, print_line};
use super::exit::Failure;
use super::plan::Plan;
use super::progress::Told;
use super::ranks::Team;
use super::run;
use super::scene_options::SceneOptions;
use signorini::simulation::Simulation;
use signorini_error::Result;
use signorini_runs::output::{ResumedRun, RunFolder, names};

/// Goes on with a run in its folder, as if it had not been stopped. Of several ranks the first one opens the
/// folder, and hands the others what it found.
pub fn resume(options: &ResumeOptions, told: Told, team: &Team) -> std::result::Result<u8, Failure> {
    let opened = team.on_first(|| open(options, team))?;
    let (mine, rest) =
        opened.map_or((None, None), |(simulation, folder, run)| (Some(simulation), Some((folder, run))));
    let simulation = team.start(team.same_as_first(mine, options.threads), options)?;
    let interrupted = team.watch_signals(options.quiet);
    let Some((folder, options)) = rest else { return run::follow(simulation, (&interrupted, team)) };
    if !options.quiet {
        print_line(&format!(
            "{} goes on after step {} of {}",
            folder.path().display(),
            simulation.step_index(),
            simulation.scene().n_steps()
        ));
    }
    run::carry_out((&options, told), simulation, folder, (&interrupted, team))
}

/// Opens the folder.
fn open(options: &ResumeOptions, team: &Team) -> Result<(Simulation, RunFolder, RunOptions)> {
    team.use_threads(options.threads)?;
    team.refuse_wall_limit(options.wall_limit)?;
    let ResumedRun { mut simulation, folder, plan, notes } =
        RunFolder::resume(&options.dir, options.duration)?;
    for note in &notes {
        print_error(&format!("warning: {note}"));
    }
    let options = run_options(options, plan)?;
    team.choose_backend(&options.backend, &mut simulation)?;
    Ok((simulation, folder, options))
}

/// Returns the options of the run that goes on.
fn run_options(options: &ResumeOptions, plan: serde_json::Value) -> Result<RunOptions> {
    let plan = Plan::read(plan)?;
    let common = SceneOptions {
        duration: options.duration,
        tolerance: None,
        seed: None,
        separate: false,
        assemble: false,
    };
    Ok(RunOptions {
        scene: options.dir.join(names::SCENE),
        out: Some(options.dir.clone()),
        overrides: SingleRunOptions {
            formulation: None,
            time_step: None,
            common,
            allow_outside: false,
            allow_missing_shapes: false,
        },
        wall_limit: options.wall_limit,
        threads: options.threads,
        backend: plan.backend,
        every: 1,
        audit: plan.audit,
        checkpoint: options.checkpoint,
        // The format is that of the checkpoint.
        format: TableFiles::Csv,
        slurm: None,
        force: false,
        quiet: options.quiet,
    })
}
