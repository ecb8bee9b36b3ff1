//! Forces and impulses that act on the bodies during one step.

use super::triggers::Triggers;
use nalgebra::Vector3;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::motion::velocity_between;
use signorini_scene::scene::{Scene, State};

/// Everything that acts on the bodies during one step, per body id, world axes. Fixed bodies hold zeros.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Force at the centre of mass (N), gravity included.
    pub force: Vec<Vector3<f64>>,
    /// Torque (N m).
    pub torque: Vec<Vector3<f64>>,
    /// Linear impulse (N s).
    pub linear_impulse: Vec<Vector3<f64>>,
    /// Angular impulse (N m s).
    pub angular_impulse: Vec<Vector3<f64>>,
    /// Bodies with prescribed motion, rising, and their poses at the end of the step.
    pub driven: Vec<(usize, Pose)>,
    /// Velocity of each of these before the step.
    pub driven_before: Vec<Velocity>,
    /// Time at the end of the step (s).
    pub end_time: f64,
}

impl Loads {
    /// Collects the loads of the step that starts at `step · h` (see [`mod@signorini_scene::scene::load`] for
    /// which step a time belongs to), but for impulses that wait for a condition. Reuses the vectors.
    pub fn gather(&mut self, scene: &Scene, step: usize) {
        let n = scene.bodies.len();
        for list in [&mut self.force, &mut self.torque, &mut self.linear_impulse, &mut self.angular_impulse] {
            list.clear();
            list.resize(n, Vector3::zeros());
        }
        for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
            self.force[i] = scene.gravity * body.mass + body.force;
            self.torque[i] = body.torque;
        }
        let h = scene.time_step;
        self.end_time = (step + 1) as f64 * h;
        self.driven.clear();
        if !scene.motions.is_empty() {
            let end = self.end_time;
            let bodies = (0..n).filter(|i| scene.bodies[*i].fixed && scene.is_carried(*i));
            self.driven.extend(bodies.map(|i| (i, scene.prescribed_pose(i, end))));
        }
        for f in scene.forces.iter().filter(|f| !scene.bodies[f.body].fixed) {
            // Times are compared in whole steps: k h itself is not exact in floating point.
            let k = step as f64 + 1e-9;
            if f.from / h <= k && k < f.to / h {
                self.force[f.body] += f.force;
                self.torque[f.body] += f.torque;
            }
        }
        for p in scene.impulses.iter().filter(|p| p.when.is_none() && !scene.bodies[p.body].fixed) {
            if (p.time / h + 1e-9).floor() as usize == step {
                self.linear_impulse[p.body] += p.linear;
                self.angular_impulse[p.body] += p.angular;
            }
        }
    }

    /// Gives the bodies with prescribed motion the velocity that takes them to their end poses.
    pub fn drive(&mut self, state: &mut State, time_step: f64) {
        self.driven_before.clear();
        for (id, end) in &self.driven {
            self.driven_before.push(state.velocities[*id]);
            state.velocities[*id] = velocity_between(&state.poses[*id], end, time_step);
        }
    }

    /// Velocity of a body that forces do not move before the step.
    pub fn velocity_before(&self, body: usize) -> Velocity {
        let place = self.driven.binary_search_by_key(&body, |(id, _)| *id).ok();
        place.and_then(|place| self.driven_before.get(place)).copied().unwrap_or_default()
    }

    /// Adds the impulses whose condition was met at the start of the step.
    pub fn add_triggered(&mut self, scene: &Scene, triggers: &Triggers) {
        for (i, p) in scene.impulses.iter().enumerate().filter(|(_, p)| !scene.bodies[p.body].fixed) {
            if triggers.is_due(i) {
                self.linear_impulse[p.body] += p.linear;
                self.angular_impulse[p.body] += p.angular;
            }
        }
    }
}
