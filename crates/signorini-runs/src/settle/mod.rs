//! Bodies that come to rest: a simulation until nothing moves any more, and a scene that begins there.

use signorini::simulation::{Simulation, StepOutcome};
use signorini_error::Result;
use signorini_geometry::Pose;
use signorini_scene::scene::{self, Body, LoadOptions, Loaded, State};
use std::path::Path;

/// Time for which nothing may move, over the time in which the largest body falls by its size.
const WINDOW: f64 = 4.0;
/// Way within that time, over the size of a body, and turn (rad), of a body at rest at most.
const STILL: f64 = 1e-3;
/// Gravity by which slow ways are told where a scene has none (m/s²).
const STANDARD_GRAVITY: f64 = 9.81;

/// A simulation that is stepped until its bodies are at rest.
///
/// They are when, for the time 4 √(2 d / g) with the size d of the largest of them, none has moved by more
/// than a thousandth of its size, nor turned by more than a thousandth of a radian, and none came or left.
#[derive(Debug)]
pub struct Settling {
    simulation: Simulation,
    /// State at the start of the time in which nothing moved, and number of steps since.
    since: State,
    still: usize,
    window: usize,
    /// Step behind which nothing is taken.
    last: usize,
    unsolved: usize,
    red: usize,
}

impl Settling {
    /// Begins with a simulation, which takes `n_steps` more steps at most.
    pub fn new(simulation: Simulation, n_steps: usize) -> Self {
        let scene = simulation.scene();
        let gravity = scene.gravity.norm();
        let gravity = if gravity > 0.0 { gravity } else { STANDARD_GRAVITY };
        let size = scene.bodies.iter().filter(|body| !body.fixed).map(size).fold(0.0, f64::max);
        let window = (WINDOW * (2.0 * size / gravity).sqrt() / scene.time_step).ceil() as usize;
        Self {
            since: simulation.state().clone(),
            still: 0,
            window: window.max(1),
            last: simulation.step_index() + n_steps,
            unsolved: 0,
            red: 0,
            simulation,
        }
    }

    /// Takes a step; None when the bodies are at rest or all steps are taken.
    pub fn advance(&mut self) -> Option<StepOutcome> {
        if self.is_at_rest() || self.simulation.step_index() >= self.last {
            return None;
        }
        let outcome = self.simulation.advance();
        self.unsolved += usize::from(!outcome.info.status.is_solved());
        self.red += usize::from(outcome.verdict.is_some_and(|verdict| !verdict.green));
        self.still += 1;
        if !self.is_still() {
            self.since.clone_from(self.simulation.state());
            self.still = 0;
        }
        Some(outcome)
    }

    /// Whether the bodies are at rest.
    pub fn is_at_rest(&self) -> bool {
        self.still >= self.window
    }

    /// Number of steps that are not solved.
    pub fn unsolved(&self) -> usize {
        self.unsolved
    }

    /// Number of steps that the referee calls red.
    pub fn red(&self) -> usize {
        self.red
    }

    /// The simulation as it is.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to go on with.
    pub fn into_simulation(self) -> Simulation {
        self.simulation
    }

    /// Whether no body has moved since the start of the window.
    fn is_still(&self) -> bool {
        let (bodies, state) = (&self.simulation.scene().bodies, self.simulation.state());
        if !self.simulation.flow().is_empty() || self.since.poses.len() != state.poses.len() {
            return false;
        }
        let mut moving = (0..bodies.len()).filter(|&i| !bodies[i].fixed);
        let stays = |before: &Pose, now: &Pose, size: f64| {
            let way = (now.position - before.position).norm();
            let turn = now.orientation.angle_to(&before.orientation);
            way <= STILL * size && turn <= STILL
        };
        moving.all(|i| stays(&self.since.poses[i], &state.poses[i], size(&bodies[i])))
    }
}

fn size(body: &Body) -> f64 {
    body.size().unwrap_or(1.0)
}

/// The scene whose bodies begin where they are in a simulation, at rest, at time 0. Bodies whose motion is
/// prescribed begin as their motion does, timed loads begin anew, and inlets, whose bodies have come, are
/// left out. Bodies that overlap, and joints that are open, by more than a start allows are moved, which is
/// noted.
///
/// # Errors
/// When a scene cannot begin there.
pub fn scene_at_rest(simulation: &Simulation) -> Result<Loaded> {
    let mut scene = simulation.scene().clone();
    let carried: Vec<bool> = (0..scene.bodies.len()).map(|id| scene.is_carried(id)).collect();
    let placed = scene.bodies.iter_mut().zip(&simulation.state().poses).zip(carried);
    for ((body, pose), _) in placed.filter(|(_, is_carried)| !is_carried) {
        body.pose = *pose;
        body.velocity = Default::default();
    }
    scene.inlets.clear();
    let assemble = !scene.joints.is_empty();
    let options = LoadOptions { separate: true, assemble, ..LoadOptions::default() };
    scene::parse(&scene::to_toml(&scene), Path::new("scene"), &options)
}
