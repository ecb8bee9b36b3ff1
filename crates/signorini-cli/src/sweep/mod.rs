//! The command `signorini sweep`.

mod jobs;
mod options;

pub use options::SweepOptions;

use super::console::{print_error, print_line};
use super::exit::{Failure, SUCCESS, UNSOLVED};
use super::slurm::{self, Job};
use options::SweepCommand;
use signorini_error::{Error, Result, counted};
use signorini_runs::sweep::{self, CaseRecord, CaseState, Outcome, Plan};
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the plan in the folder of a sweep.
const PLAN: &str = "plan.toml";

/// Runs the cases of a plan or one of them, or prints its table or cases.
pub fn sweep(options: &SweepOptions) -> std::result::Result<u8, Failure> {
    match (&options.command, &options.plan, &options.out) {
        (Some(SweepCommand::Table { dir }), ..) => {
            let plan = Plan::read(&dir.join(PLAN))?;
            let mut table = Vec::new();
            sweep::write_table(&plan, dir, &mut table)?;
            print_line(String::from_utf8_lossy(&table).trim_end());
            Ok(SUCCESS)
        }
        (Some(SweepCommand::Cases { plan }), ..) => {
            let mut cases = Vec::new();
            sweep::write_cases(&Plan::read(plan)?, &mut cases)?;
            print_line(String::from_utf8_lossy(&cases).trim_end());
            Ok(SUCCESS)
        }
        (None, Some(plan), Some(out)) => begin(options, plan, out),
        // The parser asks for both.
        (None, ..) => Ok(SUCCESS),
    }
}

fn begin(options: &SweepOptions, path: &Path, out: &Path) -> std::result::Result<u8, Failure> {
    let plan = Plan::read(path)?;
    match options.case {
        Some(number) => return run_one(options, &plan, out, number),
        // Faults of the scene that every case has are reported before anything is written.
        None => plan.scene_of(&plan.case(1)).map(drop)?,
    }
    if !options.quiet {
        plan.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let kept = keep(&plan, out).map_err(Failure::Other)?;
    if options.prepare {
        return Ok(SUCCESS);
    }
    if options.slurm {
        write_job(options, &plan, out)?;
        return Ok(SUCCESS);
    }
    let done = jobs::run_all(options, &plan, &kept, out)?;
    if !options.quiet {
        print_line(&format!("{}: {done}", out.display()));
    }
    Ok(done.exit_code())
}

/// Writes an array job with a task for each case. A task that is requeued goes on with its case, or finds it
/// finished.
fn write_job(options: &SweepOptions, plan: &Plan, out: &Path) -> Result<()> {
    let job = Job::new(out, options.threads)?.array(plan.n_cases());
    let script = format!(
        "# A task is a case. One that is finished is left as it is.\n\
         exec {} sweep {dir}/plan.toml --out {dir} --case \"$SLURM_ARRAY_TASK_ID\" \
         --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --checkpoint {}\n",
        slurm::program()?,
        options.checkpoint,
        dir = job.folder()
    );
    job.write(out, &script, &counted(plan.n_cases(), "case"))
}

/// Writes the plan beside its cases, for them and for tables.
fn keep(plan: &Plan, out: &Path) -> Result<PathBuf> {
    let (kept, new) = (out.join(PLAN), out.join("plan.toml.new"));
    let written = fs::create_dir_all(out).and_then(|()| fs::write(&new, plan.to_toml()));
    let written = written.and_then(|()| fs::rename(&new, &kept));
    written.map_err(|source| Error::Io { path: kept.clone(), source })?;
    Ok(kept)
}

/// Runs one case in this process.
fn run_one(
    options: &SweepOptions,
    plan: &Plan,
    out: &Path,
    number: usize,
) -> std::result::Result<u8, Failure> {
    let n = plan.n_cases();
    if !(1..=n).contains(&number) {
        let (what, allowed) = (format!("--case {number}"), format!("must be 1 to {n}"));
        return Err(Error::Usage { what, allowed }.into());
    }
    super::process::use_threads(options.threads)?;
    let state = sweep::run(plan, &plan.case(number), out, options.checkpoint.0).map_err(Failure::Other)?;
    if !options.quiet {
        print_line(&format!("case {number} of {n}: {}", state_in_words(&state)));
    }
    Ok(match &state {
        CaseState::Found(record) | CaseState::Done { record, .. } => code_of(record),
        CaseState::Busy => SUCCESS,
    })
}

fn code_of(record: &CaseRecord) -> u8 {
    if record.outcome == Outcome::Completed { SUCCESS } else { UNSOLVED }
}

/// Returns the state of a case in words.
fn state_in_words(state: &CaseState) -> String {
    let (record, when) = match state {
        CaseState::Found(record) => (record, " before".to_owned()),
        CaseState::Done { record, from: 0 } => (record, String::new()),
        CaseState::Done { record, from } => (record, format!(", from step {from} on")),
        CaseState::Busy => return "another process runs it".to_owned(),
    };
    let mut text = format!("{}{when}", record.outcome.as_str());
    if let Some(line) = record.message.lines().next() {
        text += &format!(": {line}");
    }
    text
}
