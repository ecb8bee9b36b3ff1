//! Cone complementarity [NS (9)–(15)]: geometry and linearised gap at the start of the step, and the relaxed
//! law K ∋ x ⊥ y ∈ K*, which makes the step a convex problem.
//!
//! The relaxation adds −μ |v_t| to the gap condition: a contact sliding at v_t rides h μ |v_t| above the
//! surface.

use crate::step::{ContactRecord, JointRecord, Loads, StepInfo};
use crate::stepper::explicit::{Explicit, LinearIsland, load_warm_start, solve_by_proximal};
use crate::stepper::island::Island;
use crate::stepper::memory::Memory;
use crate::stepper::parameters::{APGD_DECREASE, APGD_TOLERANCE, MAX_REPETITIONS};
use crate::stepper::step_context::StepContext;
use crate::stepper::step_loop::StepLoop;
use crate::stepper::stepper_trait::Stepper;
use signorini_ncp::problem::ContactLaw;
use signorini_ncp::solver::StepProblem;
use signorini_ncp::solver::{Apgd, SolveOptions, SolveStatus};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{ConeMethod, Formulation};

/// The model with its workspace.
#[derive(Debug)]
pub struct ConeComplementarity {
    step_loop: StepLoop,
}

impl ConeComplementarity {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { step_loop: StepLoop::new(scene) }
    }
}

impl Stepper for ConeComplementarity {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let cone = scene.solver.cone;
        let solve = |island: &mut Island, context: &StepContext<'_>, local_of: &[usize]| {
            let options = context.solve_options(island.problem.bodies.len());
            match cone.method {
                ConeMethod::Proximal => {
                    solve_by_proximal(island, context, local_of, ContactLaw::Cone, &options);
                }
                ConeMethod::Apgd => {
                    let options = SolveOptions { iterations: cone.apgd_iterations, ..options };
                    solve_by_apgd(island, context, local_of, &options);
                }
            }
            let value = Apgd::default().value(&island.problem.problem, &island.iterate.impulse);
            island.conic = Some(value);
        };
        let mut formulation = Explicit { spring_pairs: &[], theta: 1.0, solve };
        let info = self.step_loop.step(scene, state, loads, &mut formulation);
        StepInfo { formulation: Formulation::Cone, ..info }
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

fn solve_by_apgd(island: &mut Island, context: &StepContext<'_>, local_of: &[usize], options: &SolveOptions) {
    island.info = Default::default();
    let Island { problem, iterate, status, info, momentum, .. } = island;
    let mut linear = LinearIsland::new(problem, context, local_of, ContactLaw::Cone);
    load_warm_start(&mut linear, iterate, momentum);
    let mut method = Apgd::default();
    info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
    let mut repetitions = 0;
    while info.residual.exceeds(options.tolerance) {
        let left = options.iterations.saturating_sub(info.iterations);
        *status = if left == 0 { SolveStatus::MaxIterations } else { SolveStatus::Stalled };
        if left == 0 || repetitions == MAX_REPETITIONS || info.residual.max().is_nan() {
            return;
        }
        repetitions += 1;
        // The torque is known no better; its error contracts by h |ω| in every repetition.
        let tolerance = f64::max(APGD_TOLERANCE * options.tolerance, APGD_DECREASE * info.residual.max());
        method.run(
            linear.linearized(),
            iterate,
            &SolveOptions { tolerance, iterations: left, ..*options },
            info,
        );
        info.residual = linear.refresh(&iterate.velocity, &mut iterate.impulse);
    }
    *status = SolveStatus::Solved;
}
