//! The cheapest model that suffices: cone complementarity, then Stewart–Trinkle, then the implicit one.
//!
//! After each step the indicators of [`super::advice`] estimate the errors of the model that took it. Above
//! the tolerance the step is taken again with the cheapest model whose indicated error is below. A cheaper
//! model comes back after some steps in which its indicated error was below half the tolerance.

use super::advice::{Advice, Advisor};
use crate::step::{ContactRecord, JointRecord, Loads, StepInfo, Substep, Switch};
use crate::stepper::{ConeComplementarity, ImplicitNcp, Memory, Stepper, StewartTrinkle};
use signorini_backend::Guarded;
use signorini_ncp::solver::OwnMethod;
use signorini_ranks::Ranks;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{AutoSettings, Formulation};
use std::sync::Arc;

/// Models from cheap to exact.
const MODELS: [Formulation; 3] = [Formulation::Cone, Formulation::StewartTrinkle, Formulation::Implicit];

/// The three models with their workspaces.
#[derive(Debug)]
pub struct Auto {
    /// Workspaces of [`MODELS`].
    models: [Box<dyn Stepper>; MODELS.len()],
    advisor: Advisor,
    settings: AutoSettings,
    /// The model of the next step, as an index of [`MODELS`].
    next: usize,
    /// The model that took the last step.
    current: usize,
    /// Number of steps in a row in which each model would have met half the tolerance.
    calm_steps: [usize; MODELS.len()],
    start: State,
}

/// Indicated error of a model in a step, and its largest part.
fn indicated(model: usize, advice: &Advice) -> (f64, Switch) {
    let gap = (advice.gap_linearization, Switch::GapLinearization);
    let other = match MODELS[model] {
        Formulation::Cone => (advice.cone_lift, Switch::ConeLift),
        Formulation::StewartTrinkle => (advice.slip_direction, Switch::SlipDirection),
        _ => return (0.0, Switch::Cheaper),
    };
    // A NaN passes no model but the last.
    if gap.0 >= other.0 || gap.0.is_nan() { gap } else { other }
}

/// Largest violation of a joint over its size, angles in rad.
fn joint_error(scene: &Scene, state: &State) -> f64 {
    let error = |joint: &signorini_scene::scene::Joint| {
        let [distance, angle] = joint.violation(joint.bodies.map(|id| &state.poses[id]));
        angle.max(distance / joint.size(|id| scene.size_of(id)))
    };
    scene.joints.iter().map(error).fold(0.0, f64::max)
}

impl Auto {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self {
            models: [
                Box::new(ConeComplementarity::new(scene)),
                Box::new(StewartTrinkle::new(scene)),
                Box::new(ImplicitNcp::new(scene)),
            ],
            advisor: Advisor::new(scene),
            settings: scene.solver.auto,
            next: 0,
            current: 0,
            calm_steps: [0; MODELS.len()],
            start: State::default(),
        }
    }

    /// Chooses the model of the next step.
    fn choose_next(&mut self, advice: &Advice) {
        for (model, calm_steps) in self.calm_steps.iter_mut().enumerate() {
            let meets = indicated(model, advice).0 <= 0.5 * self.settings.tolerance;
            *calm_steps = if meets { *calm_steps + 1 } else { 0 };
        }
        let ready = |model: &usize| self.calm_steps[*model] >= self.settings.patience;
        self.next = (0..self.current).find(ready).unwrap_or(self.current);
    }
}

impl Stepper for Auto {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        self.start.clone_from(state);
        let before = self.current;
        let mut switch = (self.next < self.current).then_some(Switch::Cheaper);
        let (mut iterations, mut sweeps, mut factorizations, mut work) = (0, 0, 0, 0.0);
        let last = MODELS.len() - 1;
        loop {
            self.current = self.next;
            let mut info = self.models[self.current].step(scene, state, loads);
            iterations += info.iterations;
            sweeps += info.sweeps;
            factorizations += info.factorizations;
            work += info.work;
            let contacts = self.models[self.current].contacts();
            let mut advice = self.advisor.advise(scene, &self.start, state, contacts);
            // Joints of the explicit models hold to first order: their error is one of the linearisation.
            if self.current != last {
                advice.gap_linearization = advice.gap_linearization.max(joint_error(scene, state));
            }
            let (error, reason) = indicated(self.current, &advice);
            let solved = info.status.is_solved();
            if self.current == last || (solved && error <= self.settings.tolerance) {
                (info.iterations, info.sweeps) = (iterations, sweeps);
                (info.factorizations, info.work) = (factorizations, work);
                // A model that was tried without success is no switch.
                info.switch = switch.filter(|_| self.current != before);
                self.choose_next(&advice);
                return info;
            }
            switch = Some(if solved { reason } else { Switch::Unsolved });
            let meets = |model: &usize| indicated(*model, &advice).0 <= self.settings.tolerance;
            self.next = (self.current + 1..=last).find(meets).unwrap_or(last);
            self.calm_steps = [0; MODELS.len()];
            state.clone_from(&self.start);
        }
    }

    fn contacts(&self) -> &[ContactRecord] {
        self.models[self.current].contacts()
    }

    fn joints(&self) -> &[JointRecord] {
        self.models[self.current].joints()
    }

    fn substeps(&self) -> &[Substep] {
        self.models[self.current].substeps()
    }

    fn memory(&self) -> Memory {
        let own = serde_json::json!([self.next, self.current, self.calm_steps]);
        Memory { models: self.models.iter().map(|model| model.memory()).collect(), own, ..Memory::default() }
    }

    fn restore(&mut self, memory: Memory) {
        for (model, memory) in self.models.iter_mut().zip(memory.models) {
            model.restore(memory);
        }
        if let Ok((next, current, calm_steps)) = serde_json::from_value(memory.own) {
            let last = MODELS.len() - 1;
            (self.next, self.current, self.calm_steps) = (last.min(next), last.min(current), calm_steps);
        }
    }

    fn use_backend(&mut self, backend: Arc<Guarded>) -> bool {
        let mut used = false;
        for model in &mut self.models {
            used |= model.use_backend(Arc::clone(&backend));
        }
        used
    }

    fn use_own(&mut self, method: Option<Arc<dyn OwnMethod>>) -> bool {
        let mut used = false;
        for model in &mut self.models {
            used |= model.use_own(method.clone());
        }
        used
    }

    fn use_ranks(&mut self, ranks: Option<Arc<dyn Ranks>>) {
        self.models.iter_mut().for_each(|model| model.use_ranks(ranks.clone()));
    }
}
