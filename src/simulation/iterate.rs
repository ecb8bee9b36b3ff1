//! Many steps in one call.

use super::outcome::StepOutcome;
use super::run::Simulation;

/// Outcomes of steps, each taken when it is asked for: [`Simulation::run`] and [`Simulation::run_until`].
#[derive(Debug)]
#[must_use = "a step is taken when the iterator is asked for it"]
pub struct Steps<'a> {
    simulation: &'a mut Simulation,
    last: usize,
}

impl Simulation {
    /// Takes steps to the end of the scene's duration.
    ///
    /// ```
    /// # use signorini::{Body, Scene, Simulation};
    /// # let mut scene = Scene::builder();
    /// # scene.duration(0.1).body(Body::sphere(0.1).density(1000.0));
    /// let mut simulation = Simulation::new(scene.build()?)?;
    /// assert!(simulation.run().all(|outcome| outcome.is_good()));
    /// # Ok::<(), signorini::Error>(())
    /// ```
    pub fn run(&mut self) -> Steps<'_> {
        let last = self.scene().n_steps();
        Steps { simulation: self, last }
    }

    /// Takes steps to a time (s), rounded to whole steps. None when that time is past.
    pub fn run_until(&mut self, time: f64) -> Steps<'_> {
        let last = (time / self.scene().time_step).round().max(0.0) as usize;
        Steps { simulation: self, last }
    }
}

impl Iterator for Steps<'_> {
    type Item = StepOutcome;

    fn next(&mut self) -> Option<StepOutcome> {
        (self.simulation.step_index() < self.last).then(|| self.simulation.advance())
    }
}
