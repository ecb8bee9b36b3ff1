//! The state of a simulation as data.

use super::applied_impulse::AppliedImpulse;
use super::model;
use super::ports::Ports;
use super::run::Simulation;
use crate::step::Triggers;
use crate::stepper::Memory;
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use signorini_scene::scene::{BodyId, Scene, State};

/// All data that the next steps of a simulation depend on, which any serde format can write: the current
/// scene, the state, the memory of contacts, joints, solvers and conditions, and ids of bodies.
///
/// A simulation that goes on from the data takes the same steps as the saved one, bit for bit, on the same
/// kind of processor and with the same version of this crate. Other versions may not be able to read them. A
/// format must keep every f64 exactly, infinite ones too: CBOR and the like do, JSON does not. The report of
/// a step (contacts, joints) is not part of the data.
///
/// ```
/// use signorini::{Body, Scene, Simulation};
/// let mut scene = Scene::builder();
/// scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
/// let ball = scene.body(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 0.5]));
/// let mut simulation = Simulation::new(scene.build()?)?;
/// simulation.run_until(0.2).for_each(drop);
/// let mut again = Simulation::from_saved(simulation.save())?;
/// simulation.advance();
/// again.advance();
/// assert_eq!(simulation.pose(ball)?, again.pose(ball)?);
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedState {
    scene: Scene,
    state: State,
    step: usize,
    ids: Vec<BodyId>,
    next_id: usize,
    #[serde(rename = "pushes")]
    applied_impulses: Vec<AppliedImpulse>,
    triggers: Triggers,
    memory: Memory,
    #[serde(rename = "gates")]
    ports: Ports,
}

impl SavedState {
    /// Scene at the time of saving: bodies that came are in it, forces are those that were set.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// State at the time of saving.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Number of steps taken at the time of saving.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Changes values of the scene, not its bodies or joints: masses, friction, gravity. All contacts are met
    /// for the first time afterwards, with their new friction.
    pub fn change_scene(&mut self, change: impl FnOnce(&mut Scene)) {
        change(&mut self.scene);
        self.memory.pairs.clear();
    }

    /// Sets the duration of the scene (s).
    pub fn set_duration(&mut self, duration: f64) {
        self.scene.duration = duration;
    }
}

impl Simulation {
    /// Returns the simulation as it is now, as data.
    pub fn save(&self) -> SavedState {
        SavedState {
            scene: self.scene.clone(),
            state: self.state.clone(),
            step: self.step,
            ids: self.ids.clone(),
            next_id: self.next_id,
            applied_impulses: self.applied_impulses.clone(),
            triggers: self.triggers.clone(),
            memory: self.stepper.memory(),
            ports: self.ports.clone(),
        }
    }

    /// Makes a simulation that goes on from the state that another saved. Its contacts and joints are known
    /// after the next step; it evaluates them on the CPU and judges every step, whatever the other did.
    ///
    /// # Errors
    /// When the data contradict themselves, or the formulation cannot run the scene.
    pub fn from_saved(saved: SavedState) -> Result<Self> {
        let n = saved.scene.bodies.len();
        let lists = [saved.state.poses.len(), saved.state.velocities.len(), saved.ids.len()];
        let is_rising = saved.ids.windows(2).all(|w| w[0] < w[1]);
        let is_known = saved.ids.last().is_none_or(|id| id.index() < saved.next_id);
        let are_bodies = saved.applied_impulses.iter().all(|p| p.body < n)
            && saved.memory.is_of(n, saved.scene.joints.len());
        let are_ports = saved.ports.is_of(saved.scene.inlets.len(), &saved.ids);
        if lists.iter().any(|length| *length != n) || !is_rising || !is_known || !are_bodies || !are_ports {
            let allowed = format!("is not that of a simulation of {n} bodies");
            return Err(Error::Usage { what: "saved state".to_owned(), allowed });
        }
        let mut stepper = model::stepper_for(&saved.scene)?;
        stepper.restore(saved.memory);
        let mut simulation = Self::with(saved.scene, saved.state, stepper);
        simulation.step = saved.step;
        simulation.ids = saved.ids;
        simulation.next_id = saved.next_id;
        simulation.applied_impulses = saved.applied_impulses;
        simulation.triggers = saved.triggers;
        simulation.ports = saved.ports;
        Ok(simulation)
    }

    /// Goes back, or on, to a saved state; the backend, ranks, and whether steps are judged stay.
    ///
    /// # Errors
    /// Same as for [`Self::from_saved`]; nothing has changed then.
    pub fn restore(&mut self, saved: SavedState) -> Result<()> {
        let mut restored = Self::from_saved(saved)?;
        restored.judge_steps(self.is_judging());
        if let Some(backend) = &self.backend {
            restored.stepper.use_backend(std::sync::Arc::clone(backend));
            restored.backend = Some(std::sync::Arc::clone(backend));
        }
        restored.stepper.use_own(self.own.clone());
        restored.own = self.own.take();
        restored.stepper.use_ranks(self.ranks.clone());
        restored.ranks = self.ranks.take();
        *self = restored;
        Ok(())
    }
}
