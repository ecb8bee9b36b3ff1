//! The cheapest model that does: cone complementarity, then Stewart–Trinkle, then the implicit one.
//!
//! After each step the indicators of [`crate::referee::advice`] say what the model that took it got wrong. Above the
//! tolerance the step is taken again with the cheapest model whose indicated error is below. A cheaper model comes
//! back after some steps in which its indicated error was below half the tolerance.

use super::implicit_ncp::ImplicitNcp;
use super::{
    ConeComplementarity, ContactRecord, JointRecord, Loads, StepInfo, StewartTrinkle, Substep, Switch,
};
use crate::backend::Guarded;
use crate::referee::advice::{Advice, Advisor};
use crate::scene::{Scene, State};
use crate::settings::{AutoSettings, Formulation};
use std::sync::Arc;

/// From cheap to exact.
const MODELS: [Formulation; 3] = [Formulation::Cone, Formulation::StewartTrinkle, Formulation::Implicit];

/// The three models with their workspaces.
#[derive(Debug)]
pub struct Auto {
    cone: ConeComplementarity,
    stewart_trinkle: StewartTrinkle,
    implicit: ImplicitNcp,
    advisor: Advisor,
    settings: AutoSettings,
    /// The model of the next step, as an index of [`MODELS`].
    next: usize,
    /// The model that took the last step.
    taken: usize,
    /// Steps in a row in which each model would have done with half the tolerance.
    calm: [usize; MODELS.len()],
    start: State,
}

/// What is wrong with a model in a step: its indicated error and which part is the largest.
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
    let error = |joint: &crate::scene::Joint| {
        let [distance, angle] = joint.violation(joint.bodies.map(|id| &state.poses[id]));
        angle.max(distance / joint.size(|id| scene.size_of(id)))
    };
    scene.joints.iter().map(error).fold(0.0, f64::max)
}

impl Auto {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self {
            cone: ConeComplementarity::new(scene),
            stewart_trinkle: StewartTrinkle::new(scene),
            implicit: ImplicitNcp::new(scene),
            advisor: Advisor::new(scene),
            settings: scene.solver.auto,
            next: 0,
            taken: 0,
            calm: [0; MODELS.len()],
            start: State::default(),
        }
    }

    /// See [`super::Stepper::use_backend`]: the implicit model does.
    pub fn use_backend(&mut self, backend: Arc<Guarded>) {
        self.implicit.use_backend(backend);
    }

    /// The near pairs of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        match MODELS[self.taken] {
            Formulation::Cone => self.cone.contacts(),
            Formulation::StewartTrinkle => self.stewart_trinkle.contacts(),
            _ => self.implicit.contacts(),
        }
    }

    /// The joints of the last step.
    pub fn joints(&self) -> &[JointRecord] {
        match MODELS[self.taken] {
            Formulation::Cone => self.cone.joints(),
            Formulation::StewartTrinkle => self.stewart_trinkle.joints(),
            _ => self.implicit.joints(),
        }
    }

    /// The substeps of the last step, if the implicit model took it and halved.
    pub fn substeps(&self) -> &[Substep] {
        if MODELS[self.taken] == Formulation::Implicit { self.implicit.substeps() } else { &[] }
    }

    /// Takes the state over one step.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        self.start.clone_from(state);
        let before = self.taken;
        let mut switch = (self.next < self.taken).then_some(Switch::Cheaper);
        let (mut iterations, mut factorizations) = (0, 0);
        let last = MODELS.len() - 1;
        loop {
            self.taken = self.next;
            let mut info = match MODELS[self.taken] {
                Formulation::Cone => self.cone.step(scene, state, loads),
                Formulation::StewartTrinkle => self.stewart_trinkle.step(scene, state, loads),
                _ => self.implicit.step(scene, state, loads),
            };
            iterations += info.iterations;
            factorizations += info.factorizations;
            let contacts = match MODELS[self.taken] {
                Formulation::Cone => self.cone.contacts(),
                Formulation::StewartTrinkle => self.stewart_trinkle.contacts(),
                _ => self.implicit.contacts(),
            };
            let mut advice = self.advisor.advise(scene, &self.start, state, contacts);
            // Joints of the explicit models hold to first order: what is missing is an error of their linearisation.
            if self.taken != last {
                advice.gap_linearization = advice.gap_linearization.max(joint_error(scene, state));
            }
            let (error, reason) = indicated(self.taken, &advice);
            let solved = info.status.is_solved();
            if self.taken == last || (solved && error <= self.settings.tolerance) {
                (info.iterations, info.factorizations) = (iterations, factorizations);
                // What was tried in vain is no switch.
                (info.formulation, info.switch) =
                    (MODELS[self.taken], switch.filter(|_| self.taken != before));
                self.look_for_cheaper(&advice);
                return info;
            }
            switch = Some(if solved { reason } else { Switch::Unsolved });
            let does = |model: &usize| indicated(*model, &advice).0 <= self.settings.tolerance;
            self.next = (self.taken + 1..=last).find(does).unwrap_or(last);
            self.calm = [0; MODELS.len()];
            state.clone_from(&self.start);
        }
    }

    /// Chooses the model of the next step.
    fn look_for_cheaper(&mut self, advice: &Advice) {
        for (model, calm) in self.calm.iter_mut().enumerate() {
            let does = indicated(model, advice).0 <= 0.5 * self.settings.tolerance;
            *calm = if does { *calm + 1 } else { 0 };
        }
        let ready = |model: &usize| self.calm[*model] >= self.settings.patience;
        self.next = (0..self.taken).find(ready).unwrap_or(self.taken);
    }
}
