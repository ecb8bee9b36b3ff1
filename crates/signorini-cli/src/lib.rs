//! Argument parsing and wiring, no physics. Exit codes: `docs/guide/output.md`.

mod arguments;
mod backend;
mod bench;
mod browser;
mod check;
mod checkpoint;
mod checkpoint_schedule;
mod command_line;
mod compare;
mod console;
mod convert;
mod derivative;
mod drop;
mod example;
mod exit;
mod export;
mod fclib;
mod flow;
mod inspect;
mod launcher;
mod limit;
mod output_folder;
mod plan;
mod process;
mod progress;
mod ranks;
mod resume;
mod run;
mod run_job;
mod scene_options;
mod scene_source;
mod shell;
mod slurm;
mod sweep;
mod track;
mod values;
mod view;

use arguments::{Arguments, Command};
use console::{check_stdout, print_error, print_line};
use exit::{BAD_INPUT, FAILURE, Failure, SUCCESS};
use progress::Told;
use ranks::Team;
use signorini_error::Error;
use signorini_runs::audit::AuditOptions;
use std::ffi::OsString;

/// Parses a command line, the program's name first, runs the command, and returns its exit code. Ends the
/// process where help is asked for, and where the command line is invalid. `launcher` is a program and its
/// first arguments that start the command line again; when it is empty, the file of this process does.
pub fn run_command(line: impl IntoIterator<Item = OsString>, launcher: Vec<OsString>) -> u8 {
    launcher::set(launcher);
    let arguments = command_line::parse(line);
    log_to_stderr(arguments.verbose);
    std::panic::set_hook(Box::new(tell_panic));
    // Other commands than those that run a scene are as well started several times.
    let is_run = matches!(arguments.command, Command::Run(_) | Command::Resume(_));
    let team = match if is_run { Team::join() } else { Ok(Team::default()) } {
        Ok(team) => team,
        Err(error) => {
            tell(&error);
            return BAD_INPUT;
        }
    };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let code = dispatch(&arguments, &team)?;
        check_stdout().map(|()| code).map_err(Failure::Other)
    }));
    let code = match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(Failure::Input(error))) => {
            tell(&error);
            BAD_INPUT
        }
        Ok(Err(Failure::Other(error))) => {
            print_error(&format!("error: {error}"));
            FAILURE
        }
        // The panic was told.
        Err(_) => {
            team.give_up(FAILURE);
            return FAILURE;
        }
    };
    team.settle(code)
}

/// Prints a panic as an error. Its place tells more than a list of calls.
fn tell_panic(panic: &std::panic::PanicHookInfo<'_>) {
    console::silence(false);
    let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    let what = signorini_error::text_of(panic.payload());
    print_error(&format!("error: a fault of the program, please report it: {what} ({place})"));
}

/// Prints one line per fault, each with its place first.
fn tell(error: &Error) {
    let Error::Many(all) = error else { return print_error(&format!("error: {error}")) };
    print_error(&format!("error: {} faults", all.len()));
    all.iter().for_each(|error| print_error(&error.to_string()));
}

fn dispatch(arguments: &Arguments, team: &Team) -> Result<u8, Failure> {
    let told = Told::of(arguments.verbose);
    match &arguments.command {
        Command::Run(options) => run::run(options, told, team),
        Command::Resume(options) => resume::resume(options, told, team),
        Command::Inspect { checkpoint } => checkpoint::inspect(checkpoint),
        Command::Check(options) => check::check(options),
        Command::Convert(options) => convert::convert(options),
        Command::Compare(options) => compare::compare(options),
        Command::Example(options) => example::example(options),
        Command::Derivative(options) => derivative::derivative(options),
        Command::Audit { dir, thinned, unfinished } => {
            inspect::audit(dir, &AuditOptions { thinned: *thinned, unfinished: *unfinished })
        }
        Command::Plot { dir } => inspect::plot(dir),
        Command::View(options) => view::view(options),
        Command::Picture(options) => browser::picture(options),
        Command::Movie(options) => browser::movie(options),
        Command::Export(options) => export::export(options),
        Command::Fclib(options) => fclib::fclib(options),
        Command::Sweep(options) => sweep::sweep(options),
        Command::Limit(options) => limit::limit(options),
        Command::Drop(options) => drop::drop(options),
        Command::Track(options) => track::track(options),
        Command::Devices => backend::devices(),
        Command::Bench(options) => bench::bench(options),
        Command::Schema => {
            print_line(&signorini_scene::scene::json_schema());
            Ok(SUCCESS)
        }
        Command::Completions(options) => shell::completions(options, command_line::command()),
        Command::Man(options) => shell::man(options, command_line::command()),
    }
}

/// Shows the library's warnings, and more if asked; `RUST_LOG` set to a level name shows more or less.
fn log_to_stderr(verbose: u8) {
    let asked = match verbose {
        0 => tracing::Level::WARN,
        1 => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    let level = std::env::var("RUST_LOG").ok().and_then(|v| v.parse().ok()).unwrap_or(asked);
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(level).init();
}
