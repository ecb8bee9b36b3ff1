//! Times at which a run writes checkpoints.

use super::console::print_error;
use super::values::CheckpointPeriod;
use signorini::simulation::{SavedState, Simulation};
use signorini_error::Result;
use signorini_runs::output::RunFolder;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Length of a step from which on a signal may give it up.
const LONG_STEP: Duration = Duration::from_millis(100);

/// Writes checkpoints from time to time, when a signal asks for one, and at the end.
pub struct CheckpointSchedule {
    period: Option<Duration>,
    last: Instant,
    requested: Arc<AtomicBool>,
    quiet: bool,
    /// State before a step that a signal may give up.
    spare: Option<SavedState>,
}

impl CheckpointSchedule {
    /// Starts to count; SIGUSR1 asks for a checkpoint from now on.
    pub fn new(period: CheckpointPeriod, quiet: bool) -> Self {
        let requested = Arc::new(AtomicBool::new(false));
        watch(&requested);
        Self { period: period.0, last: Instant::now(), requested, quiet, spare: None }
    }

    /// Prepares for a step, of which the last one took the time `last`: keeps the state that would be lost if
    /// a signal gave the step up. Short steps are not given up, and saving costs a small part of a long one.
    pub fn before_step(&mut self, simulation: &Simulation, last: Duration) {
        let is_long = last >= LONG_STEP && self.period.is_some();
        self.spare = is_long.then(|| simulation.save());
    }

    /// Writes a checkpoint after a step, if one is due. A checkpoint that cannot be written is reported, and
    /// tried again later: the run goes on.
    pub fn after_step(&mut self, folder: &mut RunFolder, simulation: &Simulation) {
        let is_asked = self.requested.swap(false, Ordering::SeqCst);
        if !is_asked && self.period.is_none_or(|period| self.last.elapsed() < period) {
            return;
        }
        match folder.write_checkpoint(simulation) {
            Ok(()) if is_asked && !self.quiet => {
                print_error(&format!("checkpoint after step {}", simulation.step_index()));
            }
            Ok(()) => {}
            Err(error) => print_error(&format!("warning: no checkpoint: {error}")),
        }
        // The time of writing does not count: steps go on for a period.
        self.last = Instant::now();
    }

    /// Writes the checkpoint after the last step.
    ///
    /// # Errors
    /// When the checkpoint cannot be written.
    pub fn at_end(&self, folder: &mut RunFolder, simulation: &Simulation) -> Result<()> {
        if self.period.is_none() {
            return Ok(());
        }
        let recorded = folder.n_recorded();
        if simulation.step_index() == recorded {
            return folder.write_checkpoint(simulation);
        }
        match self.spare.as_ref().filter(|saved| saved.step() == recorded) {
            Some(saved) => folder.write_saved(saved),
            // A long step after short ones was given up: the checkpoint before is the last one.
            None => Ok(()),
        }
    }
}

#[cfg(unix)]
fn watch(requested: &Arc<AtomicBool>) {
    let outcome = signal_hook::flag::register(signal_hook::consts::SIGUSR1, Arc::clone(requested));
    if let Err(e) = outcome {
        print_error(&format!("warning: SIGUSR1 is not watched ({e}): it would end the run"));
    }
}

#[cfg(not(unix))]
fn watch(_: &Arc<AtomicBool>) {}
