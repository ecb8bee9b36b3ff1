//! Cases in parallel, each in a process of its own: a killed case does not end the others.

use super::options::SweepOptions;
use crate::console::print_error;
use crate::exit::{INTERRUPTED, SUCCESS, UNSOLVED};
use crate::launcher;
use signorini_error::{Error, Result, counted};
use signorini_runs::sweep::{Outcome, Plan};
use std::fmt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Outcomes of the cases of a sweep.
#[derive(Debug, Default)]
pub struct CaseCounts {
    cases: usize,
    found: usize,
    completed: usize,
    unsolved: usize,
    refused: usize,
    unfinished: usize,
    interrupted: bool,
}

impl CaseCounts {
    pub fn exit_code(&self) -> u8 {
        if self.interrupted {
            INTERRUPTED
        } else if self.completed == self.cases {
            SUCCESS
        } else {
            UNSOLVED
        }
    }

    fn count(&mut self, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::Completed) => self.completed += 1,
            Some(Outcome::Unsolved) => self.unsolved += 1,
            Some(Outcome::Refused) => self.refused += 1,
            None => self.unfinished += 1,
        }
    }
}

impl fmt::Display for CaseCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} completed", counted(self.cases, "case"), self.completed)?;
        let parts = [
            (self.unsolved, "with unsolved steps"),
            (self.refused, "refused"),
            (self.unfinished, "not finished"),
            (self.found, "found finished"),
        ];
        parts.iter().filter(|(n, _)| *n > 0).try_for_each(|(n, what)| write!(f, ", {n} {what}"))
    }
}

/// Data that the workers share.
struct Shared<'a> {
    plan: &'a Plan,
    path: &'a Path,
    out: &'a Path,
    threads: usize,
    checkpoint: String,
    quiet: bool,
    next: AtomicUsize,
    done: Mutex<CaseCounts>,
}

/// Runs all cases that are not finished.
///
/// # Errors
/// When processes cannot be started.
pub fn run_all(options: &SweepOptions, plan: &Plan, path: &Path, out: &Path) -> Result<CaseCounts> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.map_or(cores, usize::from).min(plan.n_cases()).max(1);
    let shared = Shared {
        plan,
        path,
        out,
        threads: options.threads.map_or((cores / jobs).max(1), usize::from),
        checkpoint: options.checkpoint.to_string(),
        quiet: options.quiet,
        next: AtomicUsize::new(1),
        done: Mutex::new(CaseCounts { cases: plan.n_cases(), ..CaseCounts::default() }),
    };
    // A signal reaches the cases in progress too: they end, and are run again by the next sweep.
    let interrupted = crate::process::watch_signals(options.quiet);
    let failure = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| shared.work(&interrupted))).collect();
        let ends: Vec<Result<()>> =
            workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(()))).collect();
        ends.into_iter().collect::<Result<()>>()
    });
    failure?;
    let mut done = shared.done.into_inner().unwrap_or_default();
    done.interrupted = interrupted.load(Ordering::SeqCst);
    Ok(done)
}

impl Shared<'_> {
    /// Takes cases until none is left.
    fn work(&self, interrupted: &AtomicBool) -> Result<()> {
        while !interrupted.load(Ordering::SeqCst) {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            if number > self.plan.n_cases() {
                break;
            }
            self.run(number)?;
        }
        Ok(())
    }

    /// Runs a case in a process.
    fn run(&self, number: usize) -> Result<()> {
        let case = self.plan.case(number);
        let was_finished = case.record(self.out).is_some();
        let mut command = launcher::command()?;
        command.arg("sweep").arg(self.path).arg("--out").arg(self.out);
        command.args(["--case", &number.to_string(), "--threads", &self.threads.to_string(), "--quiet"]);
        command.args(["--checkpoint", &self.checkpoint]);
        let program = command.get_program().into();
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        let ended = ended.map_err(|source| Error::Io { path: program, source })?;
        let record = case.record(self.out);
        let outcome = record.as_ref().map(|r| r.outcome);
        let text = match &record {
            Some(r) if r.message.is_empty() => r.outcome.as_str().to_owned(),
            Some(r) => format!("{}: {}", r.outcome.as_str(), r.message.lines().next().unwrap_or_default()),
            None => {
                let told = String::from_utf8_lossy(&ended.stderr);
                format!("not finished ({}){}", ended.status, last_line(&told))
            }
        };
        if !self.quiet || outcome.is_none() {
            print_error(&format!("case {number} of {}: {text}", self.plan.n_cases()));
        }
        if let Ok(mut done) = self.done.lock() {
            done.count(outcome);
            done.found += usize::from(was_finished && outcome.is_some());
        }
        Ok(())
    }
}

fn last_line(text: &str) -> String {
    text.lines().last().map_or_else(String::new, |line| format!(": {line}"))
}
