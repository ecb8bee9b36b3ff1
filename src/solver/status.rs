//! How a solve ended, and what it cost.

use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How a solve ended; it always comes with the best iterate and an [`Info`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SolveStatus {
    /// The residual is at most the tolerance.
    #[default]
    Solved,
    /// Solved after the step was halved (at least one island).
    SolvedByHalving,
    /// The residual is above the tolerance relative to p_ref but below it relative to max(p_ref, max p).
    AlmostSolved,
    /// The iteration budget ran out.
    MaxIterations,
    /// The time budget ran out.
    TimeLimit,
    /// No progress over many iterations, and every restart of the ladder was used.
    Stalled,
    /// Lemke's method ended on a ray: it found no solution, and for this problem there may be none.
    RayTermination,
    /// The method cannot take this problem: too many unknowns for a dense matrix, or bodies coupled otherwise than by
    /// contacts.
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

    /// The word used in CSV and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            SolveStatus::Solved => "solved",
            SolveStatus::SolvedByHalving => "solved_by_halving",
            SolveStatus::AlmostSolved => "almost_solved",
            SolveStatus::MaxIterations => "max_iterations",
            SolveStatus::TimeLimit => "time_limit",
            SolveStatus::Stalled => "stalled",
            SolveStatus::RayTermination => "ray_termination",
            SolveStatus::NotApplicable => "not_applicable",
            SolveStatus::FactorizationFailed => "factorization_failed",
            SolveStatus::NonFinite => "non_finite",
        }
    }
}

/// The residual by part, each scaled so that 1e-8 means the same in every scene (MODEL section 4).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// max |momentum row| / p_ref (angular rows / (p_ref L)).
    pub momentum: f64,
    /// max |min(p_n, r_n gap/h)| / p_ref over atoms.
    pub complementarity: f64,
    /// max |u − Proj(u − r_t w)| / p_ref over pairs.
    pub friction: f64,
}

impl Residual {
    /// The worse of each part; NaN wins.
    pub fn worse(&self, other: &Residual) -> Residual {
        let pick = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        Residual {
            momentum: pick(self.momentum, other.momentum),
            complementarity: pick(self.complementarity, other.complementarity),
            friction: pick(self.friction, other.friction),
        }
    }

    /// Whether the largest part is above a limit, or not a number.
    pub fn exceeds(&self, limit: f64) -> bool {
        self.max().is_nan() || self.max() > limit
    }

    /// The largest part; NaN wins.
    pub fn max(&self) -> f64 {
        let mut worst = 0.0;
        for part in [self.momentum, self.complementarity, self.friction] {
            if part.is_nan() {
                return f64::NAN;
            }
            if part > worst {
                worst = part;
            }
        }
        worst
    }
}

/// The last phase that a solve needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The start met the tolerance as it was.
    #[default]
    Start,
    /// A: Gauss–Seidel sweeps.
    GaussSeidel,
    /// B: alternating directions.
    Admm,
    /// The interior point, from nothing.
    InteriorPoint,
    /// C: proximal Newton.
    Newton,
    /// Restarts of C.
    Ladder,
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
            Phase::GaussSeidel => "gauss_seidel",
            Phase::Admm => "admm",
            Phase::InteriorPoint => "interior_point",
            Phase::Newton => "newton",
            Phase::Ladder => "ladder",
            Phase::Pivoting => "pivoting",
            Phase::Halving => "halving",
        }
    }
}

/// Problems of at most this many bodies are too quick to be timed part by part: the clock would take 3 to 5 % of their time.
const SMALLEST_SPLIT: usize = 6;

/// Seconds spent in the parts of a solve, on the thread that solved. Of problems of at most six bodies only the sum is
/// known; it is in `solve`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Closest points, rows and stiffness of contacts, residuals.
    pub geometry: f64,
    /// Values of the Newton matrix.
    pub assembly: f64,
    /// Symbolic and numeric factorisation.
    pub factor: f64,
    /// The rest: linear solves, line searches, cheap phases.
    pub solve: f64,
}

impl Times {
    /// Now, if the parts of a problem of so many bodies are timed.
    pub fn stamp(n_bodies: usize) -> Option<Instant> {
        (n_bodies > SMALLEST_SPLIT).then(Instant::now)
    }

    /// Seconds from one stamp to another.
    pub fn between(start: Option<Instant>, end: Option<Instant>) -> f64 {
        start.zip(end).map_or(0.0, |(start, end)| (end - start).as_secs_f64())
    }

    /// Adds the times of another solve.
    pub fn add(&mut self, other: &Times) {
        self.geometry += other.geometry;
        self.assembly += other.assembly;
        self.factor += other.factor;
        self.solve += other.solve;
    }
}

/// What a solve did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Info {
    /// Newton iterations (linear solves of the frozen problem).
    pub iterations: usize,
    /// Numeric factorisations.
    pub factorizations: usize,
    /// Restarts of the ladder.
    pub restarts: usize,
    /// Residual of the returned iterate.
    pub residual: Residual,
    /// The last phase that was needed.
    pub phase: Phase,
    /// What took how long; `geometry` and `solve` are left to the caller.
    pub times: Times,
}
