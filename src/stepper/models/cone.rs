//! Cone complementarity [NS (9)–(15)]: geometry and linearised gap at the start of the step, and the relaxed
//! law K ∋ x ⊥ y ∈ K*, which makes the step a convex problem.
//!
//! The relaxation adds −μ |v_t| to the gap condition: a contact sliding at v_t rides h μ |v_t| above the
//! surface.

use crate::step::{ContactRecord, JointRecord, Loads, StepInfo};
use crate::stepper::explicit::{Explicit, LinearIsland, solve_by_core, start};
use crate::stepper::frame::Frame;
use crate::stepper::island::solve::Island;
use crate::stepper::memory::Memory;
use crate::stepper::step_context::StepContext;
use crate::stepper::stepper_trait::Stepper;
use signorini_ncp::problem::ContactLaw;
use signorini_ncp::solver::StepProblem;
use signorini_ncp::solver::{Apgd, SolveOptions, SolveStatus};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{ConeMethod, Formulation};

/// Most repetitions with the gyroscopic torque refreshed.
const MOST_REPETITIONS: usize = 100;

/// The model with its workspace.
#[derive(Debug)]
pub struct ConeComplementarity {
    frame: Frame,
}

impl ConeComplementarity {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { frame: Frame::new(scene) }
    }
}

impl Stepper for ConeComplementarity {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let cone = scene.solver.cone;
        let solve = |island: &mut Island, context: &StepContext<'_>, local_of: &[usize]| {
            let run = context.run();
            match cone.method {
                ConeMethod::Proximal => {
                    solve_by_core(island, context, local_of, ContactLaw::Cone, &run);
                }
                ConeMethod::Apgd => {
                    let run = SolveOptions { iterations: cone.apgd_iterations, ..run };
                    solve_by_apgd(island, context, local_of, &run);
                }
            }
            let value = Apgd::default().value(&island.problem.problem, &island.iterate.impulse);
            island.conic = Some(value);
        };
        let mut scheme = Explicit { spring_pairs: &[], theta: 1.0, solve };
        let info = self.frame.step(scene, state, loads, &mut scheme);
        StepInfo { formulation: Formulation::Cone, ..info }
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.frame.records.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.frame.records.joints
    }

    fn memory(&self) -> Memory {
        self.frame.memory()
    }

    fn recall(&mut self, memory: Memory) {
        self.frame.recall(memory);
    }
}

fn solve_by_apgd(island: &mut Island, context: &StepContext<'_>, local_of: &[usize], run: &SolveOptions) {
    island.info = Default::default();
    let Island { problem, iterate, status, info, momentum, .. } = island;
    let mut linear = LinearIsland::new(problem, context, local_of, ContactLaw::Cone);
    start(&mut linear, iterate, momentum);
    let mut method = Apgd::default();
    info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
    let mut repetitions = 0;
    while info.residual.exceeds(run.tolerance) {
        let left = run.iterations.saturating_sub(info.iterations);
        *status = if left == 0 { SolveStatus::MaxIterations } else { SolveStatus::Stalled };
        if left == 0 || repetitions == MOST_REPETITIONS || info.residual.max().is_nan() {
            return;
        }
        repetitions += 1;
        // The torque is known no better; its error contracts by h |ω| in every repetition.
        let tolerance = f64::max(0.7 * run.tolerance, 0.1 * info.residual.max());
        method.run(linear.linearized(), iterate, &SolveOptions { tolerance, iterations: left, ..*run }, info);
        info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
    }
    *status = SolveStatus::Solved;
}
