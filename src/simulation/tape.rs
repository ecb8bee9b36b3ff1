//! Derivatives over several steps: the chain rule along a trajectory, forwards and backwards.

use super::derivatives::StepDerivatives;
use crate::step::{BodyTangent, Change};
use signorini_kernels::math::largest;

/// The derivatives of consecutive steps of a simulation, which neither gained nor lost bodies in them.
///
/// A tape holds the factors of all its steps: some kilobytes for each body and contact of a step.
#[derive(Debug, Default)]
pub struct Tape {
    steps: Vec<StepDerivatives>,
}

impl Tape {
    /// Adds the step that follows the last one.
    pub fn push(&mut self, step: StepDerivatives) {
        self.steps.push(step);
    }

    /// The steps, first one first.
    pub fn steps(&self) -> &[StepDerivatives] {
        &self.steps
    }

    /// Largest [`StepDerivatives::contradiction`] of the steps.
    pub fn contradiction(&self) -> f64 {
        largest(self.steps.iter().map(StepDerivatives::contradiction))
    }

    /// The changes of all bodies at the end of the last step, to first order. `change` is asked for the
    /// change of what each step depends on; its start counts in step 0 only.
    pub fn apply(&mut self, change: impl Fn(usize) -> Change) -> Vec<BodyTangent> {
        let mut state = None;
        for (k, step) in self.steps.iter_mut().enumerate() {
            let mut cause = change(k);
            if let Some(start) = state {
                cause.start = start;
            }
            state = Some(step.apply(&cause));
        }
        state.unwrap_or_default()
    }

    /// The gradients, with respect to what each step depends on, of a function of the state at the end whose
    /// gradient with it is given, by body. `start` of step k is the gradient with the state at its start.
    pub fn adjoint(&mut self, gradient: &[BodyTangent]) -> Vec<Change> {
        let mut at_end = gradient.to_vec();
        let mut out = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter_mut().rev() {
            let change = step.adjoint(&at_end);
            at_end.clone_from(&change.start);
            out.push(change);
        }
        out.reverse();
        out
    }
}
