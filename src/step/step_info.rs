//! Outcome of a step, as the model that took it reports.

use signorini_ncp::solver::{ConicValue, Phase, Residual, SolveStatus, Times};
use signorini_scene::settings::Formulation;

/// Outcome of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepInfo {
    /// Status of the solve (of the worst island).
    pub status: SolveStatus,
    /// The joint that turns a body too far, where that left the step unsolved.
    pub turned_joint: Option<usize>,
    /// Residual of the accepted iterate (the worst of each part over the islands).
    pub residual: Residual,
    /// Newton iterations, the largest over the islands.
    pub iterations: usize,
    /// Sweeps of the first-order stage, the largest number over the islands.
    pub sweeps: usize,
    /// Numeric factorisations, summed over the islands.
    pub factorizations: usize,
    /// Work of the solves in seconds of a common core, summed over the islands: counted, not measured.
    pub work: f64,
    /// Restarts of stuck solves, summed.
    pub restarts: usize,
    /// Contacts recorded: near pairs at the end of the step, those of halved islands once per substep.
    pub n_contacts: usize,
    /// Number of islands.
    pub n_islands: usize,
    /// Number of substeps of all islands that were halved.
    pub n_substeps: usize,
    /// Last phase that was needed (by the island that needed most).
    pub phase: Phase,
    /// Parts of the solver's time, summed over the islands: with several threads the sum may be more than the
    /// time that passed.
    pub times: Times,
    /// Time spent on finding near pairs and islands (s).
    pub broad_seconds: f64,
    /// Objective and duality gap, summed over the islands, where the model is a convex problem.
    pub conic: Option<ConicValue>,
    /// Model that took the step.
    pub formulation: Formulation,
    /// Reason why `auto` took this step with another model than the one before.
    pub switch: Option<Switch>,
}

/// Reason why `auto` changed the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The linearised gap of the model before was indicated to be too far off.
    GapLinearization,
    /// Cone complementarity was indicated to lift a sliding contact too far.
    ConeLift,
    /// The friction polygon was indicated to bend a slide too far.
    SlipDirection,
    /// The model before did not solve the step.
    Unsolved,
    /// A cheaper model was indicated to suffice.
    Cheaper,
}

impl Switch {
    /// Reasons of a switch, in their order.
    pub const ALL: [Self; 5] =
        [Self::GapLinearization, Self::ConeLift, Self::SlipDirection, Self::Unsolved, Self::Cheaper];

    /// Word of the reason in CSV.
    pub fn as_str(self) -> &'static str {
        match self {
            Switch::GapLinearization => "gap_linearization",
            Switch::ConeLift => "cone_lift",
            Switch::SlipDirection => "slip_direction",
            Switch::Unsolved => "unsolved",
            Switch::Cheaper => "cheaper",
        }
    }
}
