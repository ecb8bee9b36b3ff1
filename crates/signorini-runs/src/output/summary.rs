//! `summary.json`: a run in one page.

use super::digest::Value;
use super::flow_summary::FlowSummary;
use super::rows::{StepRow, TimeRow};
use serde::{Deserialize, Serialize};
use signorini_backend::{Guarded, WorkDone};
use signorini_ncp::solver::SolveStatus;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation;

/// Text before the seal in a page.
const SEAL: &str = "\"seal\": \"";

/// Reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// Every step of the scene's duration was taken.
    Completed,
    /// A signal stopped it between two steps.
    Interrupted,
}

/// Counts of the referee's verdicts and their cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RefereeSummary {
    /// Steps whose claims all held.
    pub green: usize,
    /// Steps with a claim that did not hold.
    pub red: usize,
    /// First step judged red.
    pub first_red_step: Option<usize>,
    /// Steps that were not judged.
    pub off: usize,
    /// Wall time (s).
    pub seconds: f64,
    /// Wall time of the referee over wall time of solver and referee.
    pub cost_share: f64,
}

impl RefereeSummary {
    fn add(&mut self, step: &StepRow<'_>) {
        match step.referee.as_ref() {
            "green" => self.green += 1,
            "red" => {
                self.red += 1;
                self.first_red_step = self.first_red_step.or(Some(step.step));
            }
            _ => self.off += 1,
        }
    }
}

/// Parts of the solver's time (s), summed over the steps, and over the islands, which may be solved at the
/// same time: with several threads the sum may be more than `solve_seconds` of the [`Summary`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeSplit {
    /// Near pairs, islands, the list of contacts.
    pub broad: f64,
    /// Closest points, rows and stiffness of contacts, residuals.
    pub geometry: f64,
    /// Values of the Newton matrices.
    pub assembly: f64,
    /// Symbolic and numeric factorisations.
    pub factor: f64,
    /// The rest of the solver: linear solves, line searches.
    pub solve: f64,
}

impl TimeSplit {
    fn add(&mut self, step: &TimeRow) {
        self.broad += step.broad_seconds;
        self.geometry += step.geometry_seconds;
        self.assembly += step.assembly_seconds;
        self.factor += step.factor_seconds;
        self.solve += step.solve_seconds;
    }
}

/// Work of a graphics processor in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceSummary {
    /// Name, driver, interface.
    pub name: String,
    /// Reason why the run went on with the CPU, if it did.
    pub failed: Option<String>,
    /// Work of the device; the CPU did the rest: other islands, and checks.
    #[serde(default)]
    pub done: WorkDone,
}

impl DeviceSummary {
    /// Makes the account of a backend.
    pub fn new(backend: &Guarded) -> Self {
        Self {
            name: backend.name(),
            failed: backend.failed().map(|fault| fault.to_string()),
            done: backend.done(),
        }
    }
}

/// A run in one page. Non-finite numbers become `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the program.
    pub version: String,
    /// Scene file as given.
    pub scene: String,
    /// Time-stepping model.
    pub formulation: Formulation,
    /// Processor asked to solve large islands: `cpu` or `gpu`.
    pub backend: String,
    /// Graphics processor, if one was used.
    #[serde(default)]
    pub device: Option<DeviceSummary>,
    /// Seed of the scene's generators and of the solver's restarts.
    pub seed: u64,
    /// Bodies, fixed ones and those that came in included.
    pub bodies: usize,
    /// Time step h (s).
    pub time_step: f64,
    /// Scaled residual at which a step counts as solved.
    pub tolerance: f64,
    /// Steps of the scene's duration.
    pub planned_steps: usize,
    /// Steps taken.
    pub steps: usize,
    /// Steps that met the tolerance, halved ones included.
    pub solved_steps: usize,
    /// Steps that met the tolerance after an island was halved.
    #[serde(default)]
    pub halved_steps: usize,
    /// Steps that did not meet the tolerance.
    pub unsolved_steps: usize,
    /// Largest residual of any step; null when some step ended with a NaN.
    pub worst_residual: Option<f64>,
    /// Step with the largest residual.
    pub worst_residual_step: Option<usize>,
    /// Newton iterations, summed over the steps.
    pub iterations: usize,
    /// Numeric factorisations, summed over the steps.
    pub factorizations: usize,
    /// Wall time of the whole run, output included (s).
    pub wall_seconds: f64,
    /// Wall time of the solver (s).
    pub solve_seconds: f64,
    /// Wall time for which the steps waited to be written into the folder, checkpoints not counted (s).
    #[serde(default)]
    pub write_seconds: f64,
    /// Parts of the solver's time.
    #[serde(default)]
    pub time_split: TimeSplit,
    /// Account of the referee.
    pub referee: RefereeSummary,
    /// Smallest gap of any pair in any step (m); null when no pair ever came near.
    pub min_gap: Option<f64>,
    /// Bodies that came in and left, of scenes with inlets or outlets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowSummary>,
    /// Reason why the run ended.
    pub exit_reason: ExitReason,
    /// Number of steps from one with rows of bodies and contacts to the next.
    pub every: usize,
    /// Last link of `chain.csv`.
    pub chain: String,
    /// Digest of this page with an empty seal.
    pub seal: String,
}

impl Summary {
    /// The summary of a run that has taken no step yet.
    pub fn new(scene: &Scene, scene_file: &str, every: usize) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene_file.to_owned(),
            formulation: scene.solver.formulation,
            backend: "cpu".to_owned(),
            device: None,
            seed: scene.seed,
            bodies: scene.bodies.len(),
            time_step: scene.time_step,
            tolerance: scene.solver.tolerance,
            planned_steps: scene.n_steps(),
            steps: 0,
            solved_steps: 0,
            halved_steps: 0,
            unsolved_steps: 0,
            worst_residual: None,
            worst_residual_step: None,
            iterations: 0,
            factorizations: 0,
            wall_seconds: 0.0,
            solve_seconds: 0.0,
            write_seconds: 0.0,
            time_split: TimeSplit::default(),
            referee: RefereeSummary::default(),
            min_gap: None,
            flow: None,
            exit_reason: ExitReason::Completed,
            every,
            chain: String::new(),
            seal: String::new(),
        }
    }

    /// Returns the page as JSON, with its digest in it.
    pub fn seal(&mut self) -> String {
        self.seal.clear();
        self.seal = Value::of(self.page().as_bytes()).to_string();
        self.page()
    }

    /// Whether a page is unchanged since it was sealed.
    pub fn is_sealed(page: &str) -> bool {
        let Some((start, end)) = page.rsplit_once(SEAL) else { return false };
        let (seal, end) = end.split_at_checked(64).unwrap_or_default();
        Value::of(format!("{start}{SEAL}{end}").as_bytes()).to_string() == seal
    }

    fn page(&self) -> String {
        // The page has numbers and strings under fixed names: serialising cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Adds the bodies that came in and left.
    pub fn set_flow(&mut self, flow: Option<FlowSummary>) {
        self.bodies += flow.iter().flat_map(|flow| &flow.inlets).map(|inlet| inlet.bodies).sum::<usize>();
        self.flow = flow;
    }

    /// Adds a step from its row of `steps.csv`.
    pub fn add(&mut self, step: &StepRow<'_>) {
        self.steps += 1;
        if step.is_solved() {
            self.solved_steps += 1;
        } else {
            self.unsolved_steps += 1;
        }
        self.halved_steps += usize::from(step.status == SolveStatus::SolvedByHalving.as_str());
        self.add_residual(step.step, step.residual);
        self.iterations += step.iterations;
        self.factorizations += step.factorizations;
        self.referee.add(step);
        if let Some(gap) = step.min_gap {
            self.min_gap = Some(self.min_gap.map_or(gap, |least| least.min(gap)));
        }
    }

    /// Adds the times that a step took.
    pub fn add_times(&mut self, step: &TimeRow) {
        self.solve_seconds += step.wall_seconds;
        self.time_split.add(step);
        self.referee.seconds += step.referee_seconds;
        let total = self.solve_seconds + self.referee.seconds;
        self.referee.cost_share = if total > 0.0 { self.referee.seconds / total } else { 0.0 };
    }

    /// Keeps the larger residual; a NaN is the worst of all and stays.
    fn add_residual(&mut self, step: usize, residual: f64) {
        let worse = match self.worst_residual {
            None => true,
            Some(worst) => !worst.is_nan() && (residual.is_nan() || residual > worst),
        };
        if worse {
            self.worst_residual = Some(residual);
            self.worst_residual_step = Some(step);
        }
    }
}
