//! Criterion of collapse: which bodies are watched, and what they may do.

use serde::Serialize;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Velocity};
use signorini_kernels::math::{exceeds, larger};
use signorini_scene::scene::start::STANDARD_GRAVITY;
use signorini_scene::scene::{Scene, State};

/// Largest way of a body that stands, over its size, unless another is given.
const WAY: f64 = 1e-3;
/// Largest speed of a body that stands, over √(g size), unless another is given.
const SPEED: f64 = 1e-3;
/// Largest acceleration of a body that stands, over that of gravity, unless another is given.
const ACCELERATION: f64 = 1e-5;
/// Part of a time step by which a time may be before the end of a step and still count as it.
const ROUNDING: f64 = 1e-9;
/// Part of the run at its end in which speeds count.
const LAST: f64 = 0.25;

/// Sign of a collapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// A body gets away from its start.
    Way,
    /// A body still moves in the last quarter of the run.
    Speed,
    /// The first step sets a body in motion.
    Acceleration,
}

impl Sign {
    /// Word of the sign.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Way => "way",
            Self::Speed => "speed",
            Self::Acceleration => "acceleration",
        }
    }
}

/// Criterion of collapse.
///
/// The way of a body is the larger of the distance of its centre of mass from its start (m) and its size
/// times the angle by which it has turned (rad); its speed is the larger of that of its centre of mass (m/s)
/// and its size times its angular velocity. Its acceleration is the change of its speed in the first step
/// over the time step (m/s²).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Criterion {
    /// Sign of a collapse.
    pub sign: Sign,
    /// Names of the bodies that are watched; all that move where none is named.
    pub bodies: Vec<String>,
    /// Name of the body in whose frame ways and speeds are measured; the world where none is named.
    pub frame: Option<String>,
    /// Largest way (m), speed (m/s) or acceleration (m/s²) of what stands; by default 1e-3 of the size of
    /// each body, 1e-3 √(g size), or 1e-5 g.
    pub bound: Option<f64>,
    /// Time (s) after which speeds count, and from which ways do; by default the last quarter of the run, and
    /// its start. None with accelerations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<f64>,
}

impl Default for Criterion {
    fn default() -> Self {
        Self { sign: Sign::Way, bodies: Vec::new(), frame: None, bound: None, after: None }
    }
}

/// Body that is watched.
#[derive(Debug, Clone)]
struct Watched {
    id: usize,
    start: Pose,
    velocity: Velocity,
    size: f64,
    bound: f64,
}

/// Body that came closest to the bound, or went farthest beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Farthest {
    /// Id of the body.
    pub body: usize,
    /// Way (m), speed (m/s) or acceleration (m/s²).
    pub value: f64,
    /// Value over the bound.
    pub over_bound: f64,
}

/// Watch over the bodies of a run.
#[derive(Debug, Clone)]
pub struct Watch {
    sign: Sign,
    bodies: Vec<Watched>,
    frame: Option<usize>,
    /// Step after which the bodies are watched.
    from: usize,
    /// Step with which the watch ends.
    to: usize,
    time_step: f64,
    farthest: Farthest,
}

impl Criterion {
    /// Begins to watch the bodies of a scene.
    ///
    /// # Errors
    /// When the scene lacks a body, a body that is watched does not move or none does, the bound is not
    /// positive, the time after which they are watched is not within the run, or bodies come and leave.
    pub fn watch(&self, scene: &Scene) -> Result<Watch> {
        let fault = |what: String, allowed: String| Error::Usage { what: format!("limit: {what}"), allowed };
        if let Some(bound) = self.bound.filter(|bound| !(*bound > 0.0 && bound.is_finite())) {
            return Err(fault(format!("bound {bound:?}"), "must be a positive number".to_owned()));
        }
        if !scene.inlets.is_empty() || !scene.outlets.is_empty() {
            let allowed = "bodies that come and leave have no start to stay at";
            return Err(fault("[[inlet]] and [[outlet]]".to_owned(), allowed.to_owned()));
        }
        let find = |name: &String| scene.bodies.iter().position(|body| body.name == *name);
        let frame = self.frame.as_ref().map(|name| {
            find(name).ok_or_else(|| fault(format!("frame {name:?}"), "no such body".to_owned()))
        });
        let frame = frame.transpose()?;
        let is_watchable = |id: &usize| !scene.bodies[*id].fixed && Some(*id) != frame;
        let ids = if self.bodies.is_empty() {
            (0..scene.bodies.len()).filter(is_watchable).collect()
        } else {
            let known = |name: &String| match find(name) {
                Some(id) if is_watchable(&id) => Ok(id),
                Some(_) => {
                    let allowed = "is fixed, driven, or the frame; one that moves";
                    Err(fault(format!("body {name:?}"), allowed.to_owned()))
                }
                None => {
                    let moving = scene.bodies.iter().filter(|body| !body.fixed);
                    let names: Vec<&str> = moving.take(10).map(|body| body.name.as_str()).collect();
                    let allowed = format!("no such body; that move: {}", names.join(", "));
                    Err(fault(format!("body {name:?}"), allowed))
                }
            };
            self.bodies.iter().map(known).collect::<Result<Vec<usize>>>()?
        };
        let Some(first) = ids.first() else {
            return Err(fault("the scene".to_owned(), "no body of it moves".to_owned()));
        };
        let state = scene.initial_state();
        let (from, to) = self.steps(scene)?;
        let farthest = Farthest { body: *first, value: 0.0, over_bound: 0.0 };
        let watched = |id: usize| {
            let size = scene.bodies[id].size().unwrap_or(1.0);
            let bound = self.bound.unwrap_or(self.usual_bound(scene, size));
            let (start, velocity) = (pose_in(frame, &state, id), velocity_in(frame, &state, id));
            Watched { id, start, velocity, size, bound }
        };
        let bodies = ids.into_iter().map(watched).collect();
        Ok(Watch { sign: self.sign, bodies, frame, from, to, time_step: scene.time_step, farthest })
    }

    /// The step after which bodies are watched, and the last one.
    fn steps(&self, scene: &Scene) -> Result<(usize, usize)> {
        let n_steps = scene.n_steps();
        let fault = |after: f64, allowed: String| {
            Err(Error::Usage { what: format!("limit: after {after:?} s"), allowed })
        };
        let last = (LAST * n_steps as f64).ceil() as usize;
        match (self.sign, self.after) {
            (Sign::Way, None) => Ok((0, n_steps)),
            (Sign::Speed, None) => Ok((n_steps - last, n_steps)),
            (Sign::Acceleration, None) => Ok((0, 1)),
            (Sign::Acceleration, Some(after)) => {
                fault(after, "accelerations are those of the first step".to_owned())
            }
            (_, Some(after)) => {
                let step = (after / scene.time_step - ROUNDING).ceil();
                if after >= 0.0 && step < n_steps as f64 {
                    return Ok((step as usize, n_steps));
                }
                fault(
                    after,
                    format!("must be 0 or more, and before the end of the run at {:?} s", scene.duration),
                )
            }
        }
    }

    fn usual_bound(&self, scene: &Scene, size: f64) -> f64 {
        let gravity = scene.gravity.norm();
        let gravity = if gravity > 0.0 { gravity } else { STANDARD_GRAVITY };
        match self.sign {
            Sign::Way => WAY * size,
            Sign::Speed => SPEED * (gravity * size).sqrt(),
            Sign::Acceleration => ACCELERATION * gravity,
        }
    }
}

impl Watch {
    /// Takes the state after a step; whether something has collapsed.
    pub fn observe(&mut self, step: usize, state: &State) -> bool {
        if step == self.from {
            for body in &mut self.bodies {
                body.start = pose_in(self.frame, state, body.id);
            }
        }
        if step <= self.from {
            return false;
        }
        for body in &self.bodies {
            let value = match self.sign {
                Sign::Way => body.way(self.frame, state),
                Sign::Speed => length(&velocity_in(self.frame, state, body.id), body.size),
                Sign::Acceleration => body.change(self.frame, state) / self.time_step,
            };
            let over_bound = value / body.bound;
            if exceeds(over_bound, self.farthest.over_bound) {
                self.farthest = Farthest { body: body.id, value, over_bound };
            }
        }
        exceeds(self.farthest.over_bound, 1.0)
    }

    /// Step with which the watch ends.
    pub fn last_step(&self) -> usize {
        self.to
    }

    /// Body that came closest to the bound, or went farthest beyond it.
    pub fn farthest(&self) -> Farthest {
        self.farthest
    }
}

impl Watched {
    fn way(&self, frame: Option<usize>, state: &State) -> f64 {
        let now = pose_in(frame, state, self.id);
        let turn = now.orientation.angle_to(&self.start.orientation);
        larger((now.position - self.start.position).norm(), self.size * turn)
    }

    /// Change of the velocity since the start (m/s).
    fn change(&self, frame: Option<usize>, state: &State) -> f64 {
        length(&difference(&velocity_in(frame, state, self.id), &self.velocity), self.size)
    }
}

/// The larger of a velocity and an angular velocity times a size.
fn length(velocity: &Velocity, size: f64) -> f64 {
    larger(velocity.linear.norm(), size * velocity.angular.norm())
}

fn difference(a: &Velocity, b: &Velocity) -> Velocity {
    Velocity { linear: a.linear - b.linear, angular: a.angular - b.angular }
}

/// Velocity of a body relative to that of another body at its place, in world axes.
fn velocity_in(frame: Option<usize>, state: &State, id: usize) -> Velocity {
    let Some(frame) = frame else { return state.velocities[id] };
    let offset = state.poses[id].position - state.poses[frame].position;
    difference(&state.velocities[id], &state.velocities[frame].about(&offset))
}

/// Pose of a body in the frame of another.
fn pose_in(frame: Option<usize>, state: &State, id: usize) -> Pose {
    let pose = &state.poses[id];
    let Some(frame) = frame.map(|frame| &state.poses[frame]) else { return *pose };
    let back = frame.orientation.inverse();
    Pose { position: back * (pose.position - frame.position), orientation: back * pose.orientation }
}
