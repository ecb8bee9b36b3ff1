//! How a solve ended.

use serde::{Deserialize, Serialize};

/// How a solve ended; it always comes with the best iterate and an account of the solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SolveStatus {
    /// The residual is at most the tolerance.
    #[default]
    Solved,
    /// Solved after the step was halved (at least one island).
    SolvedByHalving,
    /// The iteration budget ran out.
    MaxIterations,
    /// The work that a step may take ran out.
    WorkLimit,
    /// The time ran out, or the program was asked to end.
    TimeLimit,
    /// No progress over many iterations, and every restart was used.
    Stalled,
    /// Joints would turn a body further within the step than its start and its loads explain.
    TurnedTooFar,
    /// The step has no solution: contacts cannot all be open, wherever the bodies move (a vice that closes on
    /// a block).
    Infeasible,
    /// Lemke's method ended on a ray: it found no solution, and for this problem there may be none.
    RayTermination,
    /// The method cannot take this problem: too many unknowns for a dense matrix, or bodies coupled otherwise
    /// than by contacts.
    NotApplicable,
    /// A matrix that must be positive definite was not (masses far out of scale).
    FactorizationFailed,
    /// A NaN or infinity appeared.
    NonFinite,
}

impl SolveStatus {
    /// The worse of two outcomes (variants are declared from best to worst).
    pub fn worse(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether the result meets the tolerance.
    pub fn is_solved(self) -> bool {
        matches!(self, SolveStatus::Solved | SolveStatus::SolvedByHalving)
    }

    /// Whether shorter steps may be solved where a step ended so.
    pub fn may_be_halved(self) -> bool {
        let is_over =
            matches!(self, SolveStatus::WorkLimit | SolveStatus::TimeLimit | SolveStatus::Infeasible);
        !self.is_solved() && !is_over
    }

    /// The word used in CSV and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SolveStatus::Solved => "solved",
            SolveStatus::SolvedByHalving => "solved_by_halving",
            SolveStatus::MaxIterations => "max_iterations",
            SolveStatus::WorkLimit => "work_limit",
            SolveStatus::TimeLimit => "time_limit",
            SolveStatus::Stalled => "stalled",
            SolveStatus::TurnedTooFar => "turned_too_far",
            SolveStatus::Infeasible => "infeasible",
            SolveStatus::RayTermination => "ray_termination",
            SolveStatus::NotApplicable => "not_applicable",
            SolveStatus::FactorizationFailed => "factorization_failed",
            SolveStatus::NonFinite => "non_finite",
        }
    }
}

/// The last phase that a solve needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The start met the tolerance as it was.
    #[default]
    Start,
    /// Nonlinear Gauss–Seidel in flat arrays.
    Flat,
    /// Sweeps of the first-order stage.
    Sweeps,
    /// Alternating directions.
    Admm,
    /// The interior point, from nothing.
    InteriorPoint,
    /// Proximal Newton.
    Newton,
    /// Restarts of the proximal Newton method.
    Restart,
    /// Lemke's pivots.
    Pivoting,
    /// Substeps.
    Halving,
}

impl Phase {
    /// The word used in CSV and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Flat => "flat",
            Phase::Sweeps => "sweeps",
            Phase::Admm => "admm",
            Phase::InteriorPoint => "interior_point",
            Phase::Newton => "newton",
            Phase::Restart => "restart",
            Phase::Pivoting => "pivoting",
            Phase::Halving => "halving",
        }
    }
}
