//! A run: scene, state, stepper and referee, advanced one step at a time.

pub mod advice;
pub mod auto;
mod model;

use crate::backend::Guarded;
use crate::error::{Error, Result};
use crate::referee::{Referee, Verdict};
use crate::scene::{Scene, State};
use crate::step::{ContactRecord, JointRecord, Loads, StepInfo, Substep, Triggers};
use crate::stepper::Stepper;
use advice::{Advice, Advisor};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How one step of a run went.
#[derive(Debug, Clone, Copy)]
pub struct StepOutcome {
    /// Index of the step, from 1: the state after it is that of time `step · h`.
    pub step: usize,
    /// Time at the end of the step (s).
    pub time: f64,
    /// The solver's account.
    pub info: StepInfo,
    /// The referee's account, when it was asked.
    pub verdict: Option<Verdict>,
    /// What the cheaper models would have got wrong, when the referee was asked.
    pub advice: Option<Advice>,
    /// Wall time of the solve.
    pub solve_time: Duration,
    /// Wall time of the referee.
    pub referee_time: Duration,
}

/// A run in progress.
#[derive(Debug)]
pub struct Simulation {
    scene: Scene,
    state: State,
    before: State,
    loads: Loads,
    triggers: Triggers,
    stepper: Box<dyn Stepper>,
    referee: Referee,
    advisor: Advisor,
    step: usize,
    backend: Option<Arc<Guarded>>,
    /// Whether [`Self::advance`] calls the referee.
    pub audit: bool,
}

impl Simulation {
    /// Prepares a run at time 0.
    ///
    /// # Errors
    /// When the scene is invalid or the chosen formulation cannot run it.
    pub fn new(scene: Scene) -> Result<Self> {
        let state = scene.initial_state();
        let stepper = model::stepper_for(&scene)?;
        let referee = Referee::new(&scene);
        let advisor = Advisor::new(&scene);
        let mut triggers = Triggers::default();
        triggers.observe(&scene, &state, &[], 0);
        Ok(Self {
            before: state.clone(),
            state,
            loads: Loads::default(),
            triggers,
            stepper,
            referee,
            advisor,
            step: 0,
            backend: None,
            audit: true,
            scene,
        })
    }

    /// Has contacts evaluated by a backend from now on.
    ///
    /// # Errors
    /// When the formulation always evaluates them itself.
    pub fn use_backend(&mut self, backend: Guarded) -> Result<()> {
        let backend = Arc::new(backend);
        if !self.stepper.use_backend(Arc::clone(&backend)) {
            return Err(Error::Usage {
                what: format!(
                    "formulation {:?} on {}",
                    self.scene.solver.formulation.as_str(),
                    backend.name()
                ),
                allowed: "it evaluates contacts on the CPU; use --backend cpu or auto".to_owned(),
            });
        }
        self.backend = Some(backend);
        Ok(())
    }

    /// The backend in use, if it is not the CPU path itself.
    pub fn backend(&self) -> Option<&Guarded> {
        self.backend.as_deref()
    }

    /// Advances by one step.
    pub fn advance(&mut self) -> StepOutcome {
        self.before.clone_from(&self.state);
        self.loads.gather(&self.scene, self.step);
        self.loads.add_triggered(&self.scene, &self.triggers);
        self.loads.drive(&mut self.state, self.scene.time_step);
        let start = Instant::now();
        let info = self.stepper.step(&self.scene, &mut self.state, &self.loads);
        let solve_time = start.elapsed();
        let start = Instant::now();
        let verdict = self.audit.then(|| {
            let Self { scene, before, state, loads, stepper, referee, .. } = self;
            let (contacts, joints) = (stepper.contacts(), stepper.joints());
            referee.judge_halved(scene, before, state, loads, contacts, joints, stepper.substeps())
        });
        let advice = self
            .audit
            .then(|| self.advisor.advise(&self.scene, &self.before, &self.state, self.stepper.contacts()));
        self.step += 1;
        self.triggers.observe(&self.scene, &self.state, self.stepper.contacts(), self.step);
        StepOutcome {
            step: self.step,
            time: self.time(),
            info,
            verdict,
            advice,
            solve_time,
            referee_time: start.elapsed(),
        }
    }

    /// Time of the current state (s).
    pub fn time(&self) -> f64 {
        self.step as f64 * self.scene.time_step
    }

    /// Steps taken so far.
    pub fn step_index(&self) -> usize {
        self.step
    }

    /// The scene as resolved.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The near pairs at the end of the last step.
    pub fn contacts(&self) -> &[ContactRecord] {
        self.stepper.contacts()
    }

    /// The joints at the end of the last step, in the order of the scene.
    pub fn joints(&self) -> &[JointRecord] {
        self.stepper.joints()
    }

    /// The substeps of the last step, of islands that had to be halved: by island, then in time.
    pub fn substeps(&self) -> &[Substep] {
        self.stepper.substeps()
    }
}
