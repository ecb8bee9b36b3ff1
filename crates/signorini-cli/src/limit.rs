//! The command `signorini limit`: the value of a field at which a scene collapses.

use super::console::{print_error, print_line};
use super::exit::{Failure, INTERRUPTED, SUCCESS, UNSOLVED};
use super::process;
use super::scene_options::SceneOptions;
use super::scene_source;
use super::values;
use clap::{Args, ValueEnum};
use signorini_error::{Error, Result, counted};
use signorini_runs::limit::{
    Bracket, Criterion, LimitStudy, LimitSummary, Question, Sign, Trial, Variation, VariedScene,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Args)]
pub struct LimitOptions {
    /// Scene (TOML, or - for standard input), or model in MJCF (.xml) or URDF (.urdf)
    pub scene: PathBuf,
    /// Field that is x, by its path (friction[0].coefficient, body.block.mass), or PATH=FORMULA in x
    /// ("simulation.gravity[0]=9.81*sin(x)"); may be given many times
    #[arg(long, value_name = "PATH", required = true, value_parser = values::variation)]
    pub vary: Vec<Variation>,
    /// Values of x, of which one stands and the other collapses
    #[arg(long, value_names = ["A", "B"], num_args = 2, required = true, value_parser = values::finite, allow_hyphen_values = true)]
    pub between: Vec<f64>,
    /// Distance of the last two values, over the larger magnitude, at which the search ends
    #[arg(long, value_name = "W", default_value_t = 1e-3, value_parser = values::relative_width, allow_hyphen_values = true)]
    pub to: f64,
    /// Sign of a collapse
    #[arg(long, value_enum, default_value_t = CollapseSign::Way)]
    pub criterion: CollapseSign,
    /// Largest way (m), speed (m/s) or acceleration (m/s²) of what stands [default: 1e-3 of the size of a
    /// body, 1e-3 √(g size), or 1e-5 g]
    #[arg(long, value_name = "L", value_parser = values::bound, allow_hyphen_values = true)]
    pub bound: Option<f64>,
    /// Time (s) after which speeds count, and from which ways do [default: the last quarter, and the start]
    #[arg(long, value_name = "T", value_parser = values::not_negative, allow_hyphen_values = true)]
    pub after: Option<f64>,
    /// Body that is watched; may be given many times [default: all that move]
    #[arg(long, value_name = "NAME")]
    pub body: Vec<String>,
    /// Body in whose frame ways and speeds are measured [default: the world]
    #[arg(long, value_name = "NAME")]
    pub frame: Option<String>,
    /// Values between the last two that are tried at a time; 1 halves their distance
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = values::points, allow_hyphen_values = true)]
    pub points: usize,
    /// Folder to write [default: out/SCENE-limit]; trials in it are not run again
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Run all trials again, and write into a folder with other files too
    #[arg(short, long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Worker threads [default: one per core]; the results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Only errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub overrides: SceneOptions,
}

/// Sign of a collapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollapseSign {
    /// A body gets farther from its start than the bound, or turns as much
    Way,
    /// A body is faster than the bound in the last quarter of the run
    Speed,
    /// The first step accelerates a body by more than the bound
    Acceleration,
}

/// Validates everything, searches, and keeps both runs of the bracket.
pub fn limit(options: &LimitOptions) -> std::result::Result<u8, Failure> {
    process::use_threads(options.threads)?;
    let (load, shown) = (options.overrides.load_options(), scene_source::shown(&options.scene));
    let (varied, notes) = if scene_source::is_stdin(&options.scene) {
        let text = scene_source::stdin_text()?;
        (VariedScene::new(&text, shown, options.vary.clone(), load)?, Vec::new())
    } else {
        VariedScene::of_file(shown, options.vary.clone(), load)?
    };
    let out = options.out.clone().unwrap_or_else(|| {
        let stem = scene_source::stem(&options.scene);
        Path::new("out").join(format!("{}-limit", stem.to_string_lossy()))
    });
    let question = question(options, &varied);
    let mut study = LimitStudy::new(question, Some(&out), options.force)?;
    // Faults of the scene are told before anything is run.
    for x in &options.between {
        study.check(*x, varied.at(*x))?;
    }
    let is_silent = options.quiet || options.json;
    if !is_silent {
        notes.iter().for_each(|note| print_error(&format!("note: {note}")));
        tell_start(&study, &varied, &out);
    }
    let interrupted = process::watch_signals(options.quiet);
    search(&mut study, &varied, &interrupted, is_silent).map_err(|error| match error {
        Error::Io { .. } => Failure::Other(error),
        error => Failure::Input(error),
    })?;
    let stops = || interrupted.load(Ordering::SeqCst);
    study.finish(|x| varied.at(x), &shown.display().to_string(), stops).map_err(Failure::Other)?;
    let summary = study.summary();
    if options.json {
        print_line(&serde_json::to_string_pretty(&summary).unwrap_or_default());
    } else if !options.quiet {
        tell(&summary, study.bracket(), &out);
    }
    Ok(match (summary.is_done, summary.is_certain()) {
        (false, _) => INTERRUPTED,
        (true, false) => UNSOLVED,
        (true, true) => SUCCESS,
    })
}

fn question(options: &LimitOptions, varied: &VariedScene) -> Question {
    Question {
        vary: varied.what(),
        between: [options.between[0], options.between[1]],
        to: options.to,
        points: options.points,
        criterion: Criterion {
            sign: match options.criterion {
                CollapseSign::Way => Sign::Way,
                CollapseSign::Speed => Sign::Speed,
                CollapseSign::Acceleration => Sign::Acceleration,
            },
            bodies: options.body.clone(),
            frame: options.frame.clone(),
            bound: options.bound,
            after: options.after,
        },
    }
}

/// Tries values until the bracket is narrow enough or a signal comes.
fn search(
    study: &mut LimitStudy,
    varied: &VariedScene,
    interrupted: &AtomicBool,
    is_silent: bool,
) -> Result<()> {
    let stops = || interrupted.load(Ordering::SeqCst);
    while !stops() {
        let trials = study.go_on(|x| varied.at(x), stops)?;
        if trials.is_empty() {
            break;
        }
        if !is_silent {
            trials.iter().for_each(tell_trial);
        }
    }
    Ok(())
}

fn tell_start(study: &LimitStudy, varied: &VariedScene, out: &Path) {
    print_line(&format!("x: {}; writing {}", varied.what(), out.display()));
    if study.known() > 0 {
        print_line(&format!("{} there", counted(study.known(), "trial")));
    }
    print_line(&format!(
        "{:>5} {:>14} {:<9} {:>10} {:>10} {:>8}   {}",
        "trial", "x", "outcome", "reached", "/ bound", "time (s)", "farthest body"
    ));
}

fn tell_trial(trial: &Trial) {
    let note = if trial.is_certain() { "" } else { "  (steps unsolved or red)" };
    print_line(&format!(
        "{:>5} {:>14.9} {:<9} {:>10.3e} {:>10.3e} {:>8.4}   {}{note}",
        trial.trial,
        trial.value,
        trial.outcome.as_str(),
        trial.reached,
        trial.over_bound,
        trial.time,
        trial.body
    ));
}

fn tell(summary: &LimitSummary, bracket: Option<Bracket>, out: &Path) {
    if let Some(bracket) = bracket {
        print_line(&format!(
            "stands at {:?}, collapses at {:?}: x = {:.9} ± {:.1e} (relative width {:.1e})",
            bracket.stands,
            bracket.collapses,
            bracket.middle(),
            0.5 * bracket.width(),
            bracket.relative_width()
        ));
    }
    for run in &summary.runs {
        let steps = counted(run.trial.steps, "step");
        print_line(&format!("{}: {steps}, audit {}", out.join(&run.folder).display(), run.audit));
    }
    if !summary.is_monotone {
        print_error("warning: something collapsed between values that stand: there is more than one limit");
    }
    if summary.uncertain_trials > 0 {
        let trials = counted(summary.uncertain_trials, "trial");
        print_error(&format!("warning: {trials} with steps that are unsolved or red"));
    }
    let (trials, steps) = (counted(summary.trials, "trial"), counted(summary.steps, "step"));
    print_line(&format!("{trials}, {steps}: {}", out.display()));
}
