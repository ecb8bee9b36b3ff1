//! Stewart and Trinkle's time-stepping \[ST\]: geometry and linearised gap at the start of the step, friction cones
//! replaced by polygonal ones, a linear complementarity problem per step.
//!
//! Small islands: the dense problem by Lemke's method. Large ones: the production method with the polygon as the law
//! of its contacts, which is the same problem: maximum dissipation over a polygon is linear programming.

use super::explicit::{ExplicitStep, Frozen, solve_by_core, start};
use super::island::Island;
use super::island_problem::StepContext;
use super::{ContactRecord, JointRecord, Loads, StepInfo};
use crate::problem::{ContactLaw, lcp};
use crate::scene::{Scene, State};
use crate::settings::{LcpMethod, StewartTrinkleSettings};
use crate::solver::lemke::lemke;
use crate::solver::{CoreSettings, SolveStatus, StepProblem};

/// Repetitions with the gyroscopic torque refreshed at most; it contracts by h |ω|.
const MOST_REPETITIONS: usize = 100;

/// The model with its workspace.
#[derive(Debug)]
pub struct StewartTrinkle {
    step: ExplicitStep,
    settings: CoreSettings,
}

impl StewartTrinkle {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let settings = CoreSettings { most_iterations: scene.solver.max_iterations, ..scene.solver.core };
        Self { step: ExplicitStep::new(scene), settings }
    }

    /// The near pairs of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        self.step.contacts()
    }

    /// The joints of the last step.
    pub fn joints(&self) -> &[JointRecord] {
        self.step.joints()
    }

    /// Takes the state over one step.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let (core, tolerance) = (&self.settings, scene.solver.tolerance);
        let settings = scene.solver.stewart_trinkle;
        self.step.step(scene, state, loads, |island, context, local_of| {
            let law = ContactLaw::Polygon { directions: settings.directions };
            if settings.method != LcpMethod::Newton {
                let solved = solve_by_lemke(island, context, local_of, &settings, tolerance);
                if solved || settings.method == LcpMethod::Lemke {
                    return;
                }
            }
            solve_by_core(island, context, local_of, law, core, tolerance);
        })
    }
}

/// Whether the island was solved; not tried where it is too large and another method may be taken.
fn solve_by_lemke(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    settings: &StewartTrinkleSettings,
    tolerance: f64,
) -> bool {
    let StewartTrinkleSettings { directions, method, largest_lemke } = *settings;
    island.info = Default::default();
    let Island { problem, iterate, status, info, momentum, .. } = island;
    let mut frozen = Frozen::new(problem, context, local_of, ContactLaw::Polygon { directions });
    if method == LcpMethod::Auto && lcp::n_unknowns(frozen.frozen(), directions) > largest_lemke {
        return false;
    }
    start(&mut frozen, iterate, momentum);
    for _ in 0..MOST_REPETITIONS {
        info.residual = frozen.refresh(&iterate.velocity, &mut iterate.impulse);
        if info.residual.max() <= tolerance {
            *status = SolveStatus::Solved;
            return true;
        }
        let Some(form) = lcp::contact_as_lcp(frozen.frozen(), directions) else { return false };
        let (z, ended, pivots) = lemke(&form.lcp);
        iterate.impulse.copy_from_slice(form.impulse(&z).as_slice());
        frozen.frozen().balance(&iterate.impulse, momentum, &mut iterate.velocity);
        info.iterations += pivots;
        info.residual = frozen.refresh(&iterate.velocity, &mut iterate.impulse);
        *status = ended;
        if !ended.is_solved() {
            return false;
        }
    }
    *status = if info.residual.max() <= tolerance { SolveStatus::Solved } else { SolveStatus::Stalled };
    status.is_solved()
}
