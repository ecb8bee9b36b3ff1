//! Result of a search, as `limit.json` has it.

use super::criterion::Criterion;
use super::kept::KeptRun;
use super::search::Bracket;
use serde::Serialize;

/// Result of a search for a limit.
#[derive(Debug, Clone, Serialize)]
pub struct LimitSummary {
    /// Version of this form.
    pub format: u32,
    /// Fields that vary, in words.
    pub vary: String,
    /// Values with which the search began.
    pub between: [f64; 2],
    /// Relative width at which it ends.
    pub to: f64,
    /// Criterion of collapse.
    pub criterion: Criterion,
    /// Value that stands, nearest to the limit; None before both ends are tried.
    pub stands: Option<f64>,
    /// Value that collapses, nearest to the limit.
    pub collapses: Option<f64>,
    /// Middle of the two.
    pub middle: Option<f64>,
    /// Their distance over the larger magnitude.
    pub relative_width: Option<f64>,
    /// Whether the bracket is as narrow as was asked for.
    pub is_done: bool,
    /// Whether all values that stood are on one side of all that collapsed.
    pub is_monotone: bool,
    /// Number of trials.
    pub trials: usize,
    /// Number of steps of all trials, each judged by the referee.
    pub steps: usize,
    /// Number of trials with a step that is unsolved or red.
    pub uncertain_trials: usize,
    /// Both runs of the bracket, with the verdicts of their audits, when the search is done.
    pub runs: Vec<KeptRun>,
}

impl LimitSummary {
    /// Puts the bracket in.
    pub fn with_bracket(self, bracket: Option<Bracket>) -> Self {
        Self {
            stands: bracket.map(|b| b.stands),
            collapses: bracket.map(|b| b.collapses),
            middle: bracket.map(|b| b.middle()),
            relative_width: bracket.map(|b| b.relative_width()),
            ..self
        }
    }

    /// Whether the search is done, all steps are solved and green, and both audits too.
    pub fn is_certain(&self) -> bool {
        self.is_done && self.uncertain_trials == 0 && self.runs.iter().all(|run| run.is_green)
    }
}
