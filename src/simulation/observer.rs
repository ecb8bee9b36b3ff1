//! Observers of every step of a run.

use super::outcome::StepOutcome;
use super::run::Simulation;
use signorini_error::Result;
use std::ops::ControlFlow;

/// An observer of every step of a run, which writes it, records it, or ends the run. `RunFolder` is one,
/// and so is a closure.
///
/// ```
/// use signorini::{Body, Scene, Simulation, StepOutcome};
/// use std::ops::ControlFlow;
/// let mut scene = Scene::builder();
/// scene.duration(1.0).body(Body::half_space([0.0, 0.0, 1.0], 0.0));
/// let ball = scene.body(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 0.5]));
/// let mut simulation = Simulation::new(scene.build()?)?;
/// let mut heights = Vec::new();
/// let mut until_it_lands = |simulation: &Simulation, _: &StepOutcome| {
///     heights.push(simulation.pose(ball)?.position.z);
///     let has_landed = simulation.contacts().iter().any(|contact| contact.normal_impulse > 0.0);
///     Ok(if has_landed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
/// };
/// simulation.run_observed(&mut [&mut until_it_lands])?;
/// assert!(heights.len() < simulation.scene().n_steps() && heights.is_sorted_by(|a, b| a > b));
/// # Ok::<(), signorini::Error>(())
/// ```
pub trait StepObserver {
    /// Observes a step; `Break` ends the run, after all observers have seen the step.
    ///
    /// # Errors
    /// When the observer cannot do its work: the run ends with its error.
    fn observe(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<ControlFlow<()>>;
}

impl<F> StepObserver for F
where
    F: FnMut(&Simulation, &StepOutcome) -> Result<ControlFlow<()>>,
{
    fn observe(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<ControlFlow<()>> {
        self(simulation, outcome)
    }
}

impl Simulation {
    /// Takes steps to the end of the scene's duration, or until an observer ends the run. Each step is shown
    /// to the observers in their order.
    ///
    /// # Errors
    /// Error of the first observer which has one.
    pub fn run_observed(&mut self, observers: &mut [&mut dyn StepObserver]) -> Result<()> {
        while self.step_index() < self.scene().n_steps() {
            let outcome = self.advance();
            let mut is_over = false;
            for observer in observers.iter_mut() {
                is_over |= observer.observe(self, &outcome)?.is_break();
            }
            if is_over {
                break;
            }
        }
        Ok(())
    }
}
