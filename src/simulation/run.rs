//! [`Simulation`]: scene, state, stepper and referee, advanced one step at a time.

use super::advice::Advisor;
use super::applied_impulse::AppliedImpulse;
use super::exchange::check_models;
use super::model;
use super::outcome::StepOutcome;
use super::ports::Ports;
use crate::referee::{RecordedStep, Referee};
use crate::step::{
    ContactRecord, FlowRecord, JointRecord, Loads, SensorReading, Substep, Triggers, read_sensor,
};
use crate::stepper::Stepper;
use signorini_backend::Guarded;
use signorini_error::Result;
use signorini_ncp::solver::OwnMethod;
use signorini_ncp::threads;
use signorini_ranks::Ranks;
use signorini_scene::scene::{BodyId, Scene, Sensor, State};
use std::sync::Arc;
use std::time::Instant;

/// A run in progress: it steps, is pushed, read, saved and restored.
///
/// ```
/// use signorini::{Body, Scene, Simulation};
/// let mut scene = Scene::builder();
/// scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
/// let ball = scene.body(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 0.1]));
/// let mut simulation = Simulation::new(scene.build()?)?;
/// simulation.apply_impulse(ball, [1.0, 0.0, 0.0], [0.0; 3])?;
/// let outcome = simulation.advance();
/// assert!(outcome.is_good());
/// assert!(simulation.velocity(ball)?.linear.x > 0.2);
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    pub(super) scene: Scene,
    pub(super) state: State,
    before: State,
    pub(super) loads: Loads,
    pub(super) triggers: Triggers,
    pub(super) stepper: Box<dyn Stepper>,
    pub(super) referee: Referee,
    pub(super) advisor: Advisor,
    pub(super) step: usize,
    pub(super) backend: Option<Arc<Guarded>>,
    /// Method that solves linearized problems; None: the solver's own.
    pub(super) own: Option<Arc<dyn OwnMethod>>,
    /// Processes that take the steps together; None: this one alone.
    pub(super) ranks: Option<Arc<dyn Ranks>>,
    /// Id of each body, ascending.
    pub(super) ids: Vec<BodyId>,
    /// Number of the next body that is added.
    pub(super) next_id: usize,
    /// Impulses that act in the next step only.
    pub(super) applied_impulses: Vec<AppliedImpulse>,
    /// State of inlets and outlets.
    pub(super) ports: Ports,
    /// Bodies that came and left with the last step.
    pub(super) flow: Vec<FlowRecord>,
    is_judging: bool,
}

impl Simulation {
    /// Prepares a run at time 0.
    ///
    /// # Errors
    /// When the scene is invalid (see [`Scene::validate`]) or the chosen formulation cannot run it.
    pub fn new(scene: Scene) -> Result<Self> {
        scene.validate()?;
        check_models(&scene)?;
        let (state, stepper) = (scene.initial_state(), model::stepper_for(&scene)?);
        let mut simulation = Self::with(scene, state, stepper);
        let Self { triggers, scene, state, .. } = &mut simulation;
        triggers.observe(scene, state, &[], 0);
        Ok(simulation)
    }

    /// Makes a simulation of a scene at a state, before any step.
    pub(super) fn with(scene: Scene, state: State, stepper: Box<dyn Stepper>) -> Self {
        Self {
            before: state.clone(),
            state,
            loads: Loads::default(),
            triggers: Triggers::default(),
            stepper,
            referee: Referee::new(&scene),
            advisor: Advisor::new(&scene),
            step: 0,
            backend: None,
            own: None,
            ranks: None,
            ids: (0..scene.bodies.len()).map(BodyId::new).collect(),
            next_id: scene.bodies.len(),
            applied_impulses: Vec::new(),
            ports: Ports::new(scene.inlets.len()),
            flow: Vec::new(),
            is_judging: true,
            scene,
        }
    }

    /// Has the referee judge every step from now on, or none. A new simulation judges every step.
    pub fn judge_steps(&mut self, on: bool) {
        self.is_judging = on;
    }

    /// Ends every step after so many seconds of the clock, with its best iterate; None: no such limit. The
    /// result of a step that meets it depends on the machine.
    pub fn limit_wall_clock(&mut self, seconds: Option<f64>) {
        self.scene.solver.wall_limit = seconds;
    }

    pub(super) fn is_judging(&self) -> bool {
        self.is_judging
    }

    /// Advances by one time step. The result is in the outcome: a step that could not be solved is no error,
    /// and the state is then the best one found.
    pub fn advance(&mut self) -> StepOutcome {
        threads::inside(self.scene.bodies.len(), || self.take_step())
    }

    fn take_step(&mut self) -> StepOutcome {
        self.exchange_bodies();
        self.before.clone_from(&self.state);
        self.loads.gather(&self.scene, self.step);
        self.scene.follow_servos(&self.state, self.loads.end_time);
        self.loads.add_triggered(&self.scene, &self.triggers);
        for push in self.applied_impulses.drain(..) {
            self.loads.linear_impulse[push.body] += push.linear;
            self.loads.angular_impulse[push.body] += push.angular;
        }
        self.loads.drive(&mut self.state, self.scene.time_step);
        let start = Instant::now();
        let info = self.stepper.step(&self.scene, &mut self.state, &self.loads);
        let solve_time = start.elapsed();
        let start = Instant::now();
        let verdict = self.is_judging.then(|| {
            let Self { scene, before, state, loads, stepper, referee, .. } = self;
            referee.judge(&RecordedStep {
                scene,
                before: Some(before),
                after: state,
                loads,
                contacts: stepper.contacts(),
                joints: stepper.joints(),
                substeps: stepper.substeps(),
            })
        });
        let advice = self
            .is_judging
            .then(|| self.advisor.advise(&self.scene, &self.before, &self.state, self.stepper.contacts()));
        self.step += 1;
        self.triggers.observe(&self.scene, &self.state, self.stepper.contacts(), self.step);
        self.find_leaving();
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

    /// Number of steps taken so far.
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

    /// Readings of the sensors of the scene over the last step, in their order; None of one whose first body
    /// has left.
    pub fn sensors(&self) -> Vec<Option<SensorReading>> {
        let (contacts, joints) = (self.contacts(), self.joints());
        let read = |sensor: &Sensor| read_sensor(sensor, (&self.scene, &self.state), contacts, joints);
        self.scene.sensors.iter().map(read).collect()
    }

    /// The substeps of the last step, of islands that had to be halved: by island, then in time.
    pub fn substeps(&self) -> &[Substep] {
        self.stepper.substeps()
    }
}
