//! Outcome of a step.

use pyo3::prelude::*;

/// Outcome of one step: the solver's account, and the referee's. A step that could not be solved is no
/// exception: `good` is then False, and the state is the best one found.
#[pyclass(frozen, module = "signorini")]
pub struct StepOutcome {
    outcome: signorini::StepOutcome,
}

impl From<signorini::StepOutcome> for StepOutcome {
    fn from(outcome: signorini::StepOutcome) -> Self {
        Self { outcome }
    }
}

#[pymethods]
impl StepOutcome {
    /// Number of the step, from 1.
    #[getter]
    fn step(&self) -> usize {
        self.outcome.step
    }

    /// Time at the end of the step (s).
    #[getter]
    fn time(&self) -> f64 {
        self.outcome.time
    }

    /// Whether the step was solved and the referee, if it was asked, agrees.
    #[getter]
    fn good(&self) -> bool {
        self.outcome.is_good()
    }

    /// Whether the residual meets the tolerance.
    #[getter]
    fn solved(&self) -> bool {
        self.outcome.info.status.is_solved()
    }

    /// How the solve ended: `solved`, `solved_by_halving`, `max_iterations`, …
    #[getter]
    fn status(&self) -> &'static str {
        self.outcome.info.status.as_str()
    }

    /// The largest scaled residual.
    #[getter]
    fn residual(&self) -> f64 {
        self.outcome.info.residual.max()
    }

    /// Scaled residual of the momentum balance of bodies.
    #[getter]
    fn momentum_residual(&self) -> f64 {
        self.outcome.info.residual.momentum
    }

    /// Scaled residual of gaps and normal impulses, and of joints.
    #[getter]
    fn complementarity_residual(&self) -> f64 {
        self.outcome.info.residual.complementarity
    }

    /// Scaled residual of friction.
    #[getter]
    fn friction_residual(&self) -> f64 {
        self.outcome.info.residual.friction
    }

    /// Newton iterations, the largest over the islands.
    #[getter]
    fn iterations(&self) -> usize {
        self.outcome.info.iterations
    }

    /// Numeric factorisations, summed over the islands.
    #[getter]
    fn factorizations(&self) -> usize {
        self.outcome.info.factorizations
    }

    /// Work of the solves in seconds of a common core: counted, not measured, and the same on every machine.
    #[getter]
    fn work(&self) -> f64 {
        self.outcome.info.work
    }

    /// Restarts of stuck solves.
    #[getter]
    fn restarts(&self) -> usize {
        self.outcome.info.restarts
    }

    /// Contacts recorded.
    #[getter]
    fn contacts(&self) -> usize {
        self.outcome.info.n_contacts
    }

    /// Islands: groups of bodies that touch each other.
    #[getter]
    fn islands(&self) -> usize {
        self.outcome.info.n_islands
    }

    /// Substeps of islands that were halved.
    #[getter]
    fn substeps(&self) -> usize {
        self.outcome.info.n_substeps
    }

    /// The last phase that the solve needed.
    #[getter]
    fn phase(&self) -> &'static str {
        self.outcome.info.phase.as_str()
    }

    /// The model that took the step.
    #[getter]
    fn formulation(&self) -> &'static str {
        self.outcome.info.formulation.as_str()
    }

    /// The referee's account, or None when it was not asked.
    #[getter]
    fn verdict(&self) -> Option<Verdict> {
        self.outcome.verdict.map(Into::into)
    }

    /// Wall time of the solve (s).
    #[getter]
    fn solve_seconds(&self) -> f64 {
        self.outcome.solve_time.as_secs_f64()
    }

    /// Wall time of the referee (s).
    #[getter]
    fn referee_seconds(&self) -> f64 {
        self.outcome.referee_time.as_secs_f64()
    }

    fn __repr__(&self) -> String {
        let verdict = match self.outcome.verdict {
            Some(verdict) if verdict.green => "green",
            Some(_) => "red",
            None => "off",
        };
        let (step, status) = (self.outcome.step, self.status());
        format!(
            "<signorini.StepOutcome: step {step} {status}, residual {:.1e}, referee {verdict}>",
            self.residual()
        )
    }
}

/// The referee's verdict on one step, each body and contact in its unit.
#[pyclass(frozen, module = "signorini")]
pub struct Verdict {
    verdict: signorini::Verdict,
}

#[pymethods]
impl Verdict {
    /// Whether all claims hold.
    #[getter]
    fn green(&self) -> bool {
        self.verdict.green
    }

    /// Momentum balance rebuilt from the contacts.
    #[getter]
    fn momentum(&self) -> f64 {
        self.verdict.momentum
    }

    /// Gaps and normal impulses.
    #[getter]
    fn complementarity(&self) -> f64 {
        self.verdict.complementarity
    }

    /// Friction outside the ellipsoid or not against the slip.
    #[getter]
    fn friction(&self) -> f64 {
        self.verdict.friction
    }

    /// Smallest signed distance of any pair (m); infinite when no pair is near.
    #[getter]
    fn min_gap(&self) -> f64 {
        self.verdict.min_gap
    }

    /// Kinetic energy at the end of the step (J).
    #[getter]
    fn kinetic_energy(&self) -> f64 {
        self.verdict.kinetic_energy
    }

    /// Potential energy at the end of the step (J).
    #[getter]
    fn potential_energy(&self) -> f64 {
        self.verdict.potential_energy
    }

    /// Energy that appeared from nowhere (J).
    #[getter]
    fn energy_created(&self) -> f64 {
        self.verdict.energy_created
    }

    /// Largest violation of a joint over its size.
    #[getter]
    fn joint_error(&self) -> f64 {
        self.verdict.joint_error
    }

    fn __bool__(&self) -> bool {
        self.verdict.green
    }

    fn __repr__(&self) -> String {
        let v = &self.verdict;
        let word = if v.green { "green" } else { "red" };
        format!(
            "<signorini.Verdict: {word}, momentum {:.1e}, complementarity {:.1e}, friction {:.1e}>",
            v.momentum, v.complementarity, v.friction
        )
    }
}

impl From<signorini::Verdict> for Verdict {
    fn from(verdict: signorini::Verdict) -> Self {
        Self { verdict }
    }
}
