//! Stewart and Trinkle's time-stepping \[ST\]: geometry and linearised gap at the start of the step, friction
//! cones replaced by polygonal ones, a linear complementarity problem per step.
//!
//! Small islands: the dense problem by Lemke's method. Large ones: the proximal Newton method with the
//! polygon as the law of its contacts, which is the same problem: maximum dissipation over a polygon is
//! linear programming. Newton's method may stop at kinks of the polygons, which the ball does not have: such
//! an island goes to Lemke after all, whose path of pivots ends in a solution.

use crate::step::{ContactRecord, JointRecord, Loads, StepInfo};
use crate::stepper::explicit::{Explicit, LinearIsland, load_warm_start, solve_by_proximal};
use crate::stepper::island::Island;
use crate::stepper::memory::Memory;
use crate::stepper::parameters::{
    COVER_SPREAD, FALLBACK_NEWTON_ITERATIONS, FALLBACK_REPETITIONS, MAX_COVERS, MAX_REPETITIONS,
    PIVOTS_PER_UNKNOWN,
};
use crate::stepper::step_context::StepContext;
use crate::stepper::step_loop::StepLoop;
use crate::stepper::stepper_trait::Stepper;
use nalgebra::DVector;
use signorini_ncp::problem::lcp::Lcp;
use signorini_ncp::problem::{ContactLaw, lcp};
use signorini_ncp::solver::StepProblem;
use signorini_ncp::solver::lemke::lemke_within;
use signorini_ncp::solver::{Info, Phase, SolveOptions, SolveStatus};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{Formulation, LcpMethod, StewartTrinkleSettings};

/// The model with its workspace.
#[derive(Debug)]
pub struct StewartTrinkle {
    step_loop: StepLoop,
}

impl StewartTrinkle {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { step_loop: StepLoop::new(scene) }
    }
}

impl Stepper for StewartTrinkle {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let settings = scene.solver.stewart_trinkle;
        let solve = |island: &mut Island, context: &StepContext<'_>, local_of: &[usize]| {
            let options = context.solve_options(island.problem.bodies.len());
            let law = ContactLaw::Polygon { directions: settings.directions };
            if settings.method != LcpMethod::Newton {
                let solved = solve_by_lemke(island, context, local_of, &settings, options.tolerance);
                if solved || settings.method == LcpMethod::Lemke {
                    return;
                }
            }
            solve_by_proximal(island, context, local_of, law, &options);
            if !island.status.is_solved() && settings.method == LcpMethod::Auto {
                finish_by_lemke(island, context, local_of, &settings, &options);
            }
        };
        let mut formulation = Explicit { spring_pairs: &[], theta: 1.0, solve };
        let info = self.step_loop.step(scene, state, loads, &mut formulation);
        StepInfo { formulation: Formulation::StewartTrinkle, ..info }
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.step_loop.records.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.step_loop.records.joints
    }

    fn memory(&self) -> Memory {
        self.step_loop.memory()
    }

    fn restore(&mut self, memory: Memory) {
        self.step_loop.restore(memory);
    }
}

/// Solves an island by Lemke's method, unless it is too large and another method may be taken. Returns
/// whether the island was solved.
fn solve_by_lemke(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    settings: &StewartTrinkleSettings,
    tolerance: f64,
) -> bool {
    let StewartTrinkleSettings { directions, method, largest_lemke, .. } = *settings;
    island.info = Default::default();
    let Island { problem, iterate, status, info, momentum, .. } = island;
    let mut linear = LinearIsland::new(problem, context, local_of, ContactLaw::Polygon { directions });
    if method == LcpMethod::Auto && lcp::n_unknowns(linear.linearized(), directions) > largest_lemke {
        return false;
    }
    load_warm_start(&mut linear, iterate, momentum);
    for _ in 0..MAX_REPETITIONS {
        info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
        if info.residual.max() <= tolerance {
            *status = SolveStatus::Solved;
            return true;
        }
        let Some(form) = lcp::contact_as_lcp(linear.linearized(), directions) else { return false };
        let (z, ended, pivots) = along_some_path(&form.lcp);
        iterate.impulse.copy_from_slice(form.impulse(&z).as_slice());
        linear.linearized().balance(&iterate.impulse, momentum, &mut iterate.velocity);
        (info.iterations, info.phase) = (info.iterations + pivots, Phase::Pivoting);
        info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
        *status = ended;
        if !ended.is_solved() {
            return false;
        }
    }
    *status = if info.residual.max() <= tolerance { SolveStatus::Solved } else { SolveStatus::Stalled };
    status.is_solved()
}

/// Runs Lemke's method with one cover after the other until one path ends in a solution; else returns the end
/// of the first. Gaps are not negative, so that every path would end in one, but for rounding.
fn along_some_path(problem: &Lcp) -> (DVector<f64>, SolveStatus, usize) {
    let n = problem.vector.len();
    let (mut first, mut spent) = (None, 0);
    for k in 0..MAX_COVERS {
        let cover = |i: usize| 1.0 + 0.5 * (COVER_SPREAD * (k * (i + 1)) as f64).fract();
        let (z, ended, pivots) = lemke_within(problem, cover, PIVOTS_PER_UNKNOWN * n, None);
        tracing::debug!(n, pivots, ?ended, "pivots");
        spent += pivots;
        if ended.is_solved() {
            return (z, ended, spent);
        }
        first.get_or_insert((z, ended));
    }
    let (z, ended) = first.unwrap_or_else(|| (DVector::zeros(n), SolveStatus::Stalled));
    (z, ended, spent)
}

/// Solves an island on which Newton's method failed, by pivots from zero; if they fail too, the island stays
/// as Newton's method left it.
fn finish_by_lemke(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    settings: &StewartTrinkleSettings,
    options: &SolveOptions,
) {
    let Island { problem, iterate, status, info, solver, momentum, .. } = island;
    let directions = settings.directions;
    let mut linear = LinearIsland::new(problem, context, local_of, ContactLaw::Polygon { directions });
    let n = lcp::n_unknowns(linear.linearized(), directions);
    if n > settings.largest_fallback {
        return;
    }
    let (stopped, mut account) = (iterate.clone(), *info);
    linear.refresh(&iterate.velocity, &mut iterate.impulse);
    for _ in 0..FALLBACK_REPETITIONS {
        let Some(form) = lcp::contact_as_lcp(linear.linearized(), directions) else { break };
        let (z, ended, pivots) = along_some_path(&form.lcp);
        if !ended.is_solved() {
            break;
        }
        account.iterations += pivots;
        iterate.impulse.copy_from_slice(form.impulse(&z).as_slice());
        linear.linearized().balance(&iterate.impulse, momentum, &mut iterate.velocity);
        let mut polish = Info { restarts: 0, ..account };
        let iterations = options.iterations.min(FALLBACK_NEWTON_ITERATIONS);
        let options = SolveOptions { iterations, restarts: 0, ..*options };
        let reached = solver.solve(&mut linear, iterate, &options, &mut polish);
        account = Info { restarts: account.restarts, ..polish };
        tracing::debug!(?reached, residual = polish.residual.max(), "and Newton from there");
        if reached.is_solved() {
            (*status, *info) = (reached, Info { phase: Phase::Pivoting, ..account });
            return;
        }
    }
    iterate.copy_from(&stopped);
    *info = Info { residual: info.residual, phase: info.phase, ..account };
}
