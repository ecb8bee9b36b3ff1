//! Tables and chain of a run, written by a thread beside the next steps.

use super::chain::Chain;
use super::job_queue::JobQueue;
use super::step_rows::StepRows;
use super::tables::Tables;
use signorini_error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most fields that wait, 16 bytes each and their texts; with more the steps wait.
const MAX_WAITING: usize = 1 << 20;
/// Most steps whose rows wait or are being written: a killed run loses them. Writing a step takes a small
/// part of the time to compute one.
const MAX_STEPS: usize = 2;

/// Files that a run writes step by step.
#[derive(Debug)]
pub struct OutputFiles {
    pub tables: Tables,
    /// Chain of digests, which locks the folder.
    pub chain: Chain,
}

/// Files of a run with the thread that writes them. The thread makes text, digests and records of the rows in
/// the order of the steps.
#[derive(Debug)]
pub struct BackgroundWriter {
    written: Arc<Mutex<OutputFiles>>,
    job_queue: JobQueue<StepRows>,
}

impl BackgroundWriter {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system does not start the thread.
    pub fn start(tables: Tables, chain: Chain) -> Result<Self> {
        let written = Arc::new(Mutex::new(OutputFiles { tables, chain }));
        let of_thread = Arc::clone(&written);
        let job_queue = JobQueue::start(MAX_WAITING, move |rows| lock(&of_thread).take(&rows))?;
        Ok(Self { written, job_queue })
    }

    /// Queues the rows of a step.
    ///
    /// # Errors
    /// When a file could not be written since the last call.
    pub fn push(&self, rows: StepRows) -> Result<()> {
        let weight = rows.n_cells().max(1) + MAX_WAITING / (MAX_STEPS + 1);
        self.job_queue.push(rows, weight)
    }

    /// Returns the files after all queued rows were written.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn flushed(&self) -> Result<MutexGuard<'_, OutputFiles>> {
        self.job_queue.drain()?;
        Ok(lock(&self.written))
    }

    /// Returns the files as written so far.
    pub fn files(&self) -> MutexGuard<'_, OutputFiles> {
        lock(&self.written)
    }
}

fn lock(written: &Mutex<OutputFiles>) -> MutexGuard<'_, OutputFiles> {
    written.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OutputFiles {
    /// Writes the rows of a step, then its link.
    fn take(&mut self, rows: &StepRows) -> Result<()> {
        self.tables.take(rows)?;
        self.chain.add(rows.step, &self.tables.extents())
    }
}
