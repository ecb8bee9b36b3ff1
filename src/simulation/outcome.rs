//! Outcome of one step of a run.

use super::advice::Advice;
use crate::referee::Verdict;
use crate::step::StepInfo;
use std::time::Duration;

/// Outcome of one step of a run.
#[derive(Debug, Clone, Copy)]
pub struct StepOutcome {
    /// Index of the step, from 1: the state after it is that of time `step · h`.
    pub step: usize,
    /// Time at the end of the step (s).
    pub time: f64,
    /// Account of the solver.
    pub info: StepInfo,
    /// Account of the referee, when it was asked.
    pub verdict: Option<Verdict>,
    /// Indicated errors of the cheaper models, when the referee was asked.
    pub advice: Option<Advice>,
    /// Wall time of the solve.
    pub solve_time: Duration,
    /// Wall time of the referee.
    pub referee_time: Duration,
}

impl StepOutcome {
    /// Whether the step was solved and the referee, if it was asked, agrees.
    pub fn is_good(&self) -> bool {
        self.info.status.is_solved() && self.verdict.is_none_or(|verdict| verdict.green)
    }
}
