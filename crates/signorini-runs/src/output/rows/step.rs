//! `steps.csv`.

use serde::{Deserialize, Serialize};
use signorini::simulation::{Simulation, StepOutcome};
use signorini_ncp::solver::SolveStatus;
use std::borrow::Cow;

/// A row of `steps.csv`: the results of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StepRow<'a> {
    pub step: usize,
    pub time: f64,
    pub contacts: usize,
    pub iterations: usize,
    #[serde(default)]
    pub sweeps: usize,
    pub factorizations: usize,
    pub residual: f64,
    pub momentum_residual: f64,
    pub complementarity_residual: f64,
    pub friction_residual: f64,
    pub min_gap: Option<f64>,
    pub kinetic_energy: f64,
    pub potential_energy: f64,
    pub status: Cow<'a, str>,
    pub restarts: usize,
    pub islands: usize,
    pub referee: Cow<'a, str>,
    pub referee_momentum: Option<f64>,
    pub referee_complementarity: Option<f64>,
    pub referee_friction: Option<f64>,
    pub energy_created: Option<f64>,
    #[serde(default)]
    pub phase: Cow<'a, str>,
    #[serde(default)]
    pub substeps: usize,
    // Columns of the family of models.
    pub formulation: Option<Cow<'a, str>>,
    pub objective: Option<f64>,
    pub duality_gap: Option<f64>,
    pub gap_linearization: Option<f64>,
    pub cone_lift: Option<f64>,
    pub slip_direction: Option<f64>,
    pub switch: Option<Cow<'a, str>>,
    #[serde(default)]
    pub work: f64,
}

impl StepRow<'_> {
    /// Header of `steps.csv`.
    pub const COLUMNS: [&'static str; 31] = [
        "step",
        "time",
        "contacts",
        "iterations",
        "sweeps",
        "factorizations",
        "residual",
        "momentum_residual",
        "complementarity_residual",
        "friction_residual",
        "min_gap",
        "kinetic_energy",
        "potential_energy",
        "status",
        "restarts",
        "islands",
        "referee",
        "referee_momentum",
        "referee_complementarity",
        "referee_friction",
        "energy_created",
        "phase",
        "substeps",
        "formulation",
        "objective",
        "duality_gap",
        "gap_linearization",
        "cone_lift",
        "slip_direction",
        "switch",
        "work",
    ];

    /// Whether the solver met the tolerance.
    pub fn is_solved(&self) -> bool {
        [SolveStatus::Solved, SolveStatus::SolvedByHalving].iter().any(|s| self.status == s.as_str())
    }

    /// Makes the row of the step that a simulation just took.
    pub fn of(simulation: &Simulation, outcome: &StepOutcome) -> Self {
        let energies = match &outcome.verdict {
            Some(verdict) => [verdict.kinetic_energy, verdict.potential_energy],
            None => [simulation.kinetic_energy(), simulation.potential_energy()],
        };
        let gap = match &outcome.verdict {
            Some(verdict) => verdict.min_gap,
            None => simulation.contacts().iter().fold(f64::INFINITY, |least, c| least.min(c.gap)),
        };
        Self::new(outcome, energies, Some(gap).filter(|gap| gap.is_finite()))
    }

    /// Makes the row of a step with its energies (J) and its smallest gap (m, None: no pair is near).
    pub fn new(outcome: &StepOutcome, energies: [f64; 2], min_gap: Option<f64>) -> Self {
        let info = &outcome.info;
        Self {
            step: outcome.step,
            time: outcome.time,
            contacts: info.n_contacts,
            iterations: info.iterations,
            sweeps: info.sweeps,
            factorizations: info.factorizations,
            residual: info.residual.max(),
            momentum_residual: info.residual.momentum,
            complementarity_residual: info.residual.complementarity,
            friction_residual: info.residual.friction,
            min_gap,
            kinetic_energy: energies[0],
            potential_energy: energies[1],
            status: Cow::Borrowed(info.status.as_str()),
            restarts: info.restarts,
            islands: info.n_islands,
            referee: Cow::Borrowed(match &outcome.verdict {
                Some(verdict) if verdict.green => "green",
                Some(_) => "red",
                None => "off",
            }),
            referee_momentum: outcome.verdict.map(|v| v.momentum),
            referee_complementarity: outcome.verdict.map(|v| v.complementarity),
            referee_friction: outcome.verdict.map(|v| v.friction),
            energy_created: outcome.verdict.map(|v| v.energy_created),
            phase: Cow::Borrowed(info.phase.as_str()),
            substeps: info.n_substeps,
            formulation: Some(Cow::Borrowed(info.formulation.as_str())),
            objective: info.conic.map(|c| c.objective),
            duality_gap: info.conic.map(|c| c.duality_gap),
            gap_linearization: outcome.advice.map(|a| a.gap_linearization),
            cone_lift: outcome.advice.map(|a| a.cone_lift),
            slip_direction: outcome.advice.map(|a| a.slip_direction),
            switch: info.switch.map(|s| Cow::Borrowed(s.as_str())),
            work: info.work,
        }
    }
}
