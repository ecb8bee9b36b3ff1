//! [`Scene`]: everything a run needs to know.

use super::body::Body;
use super::bores::divide;
use super::coupling::Coupling;
use super::friction::FrictionTable;
use super::inlet::Inlet;
use super::joint::{Control, Joint, Motor, joined_pairs};
use super::load::{Impulse, TimedForce};
use super::measure::Measure;
use super::motion::{BodyMotion, pose_at, slopes_at, velocity_between};
use super::outlet::Outlet;
use super::sensor::Sensor;
use super::servo::Servo;
use super::spring::{Compliance, Spring};
use super::state::State;
use super::time_function::TimeFunction;
use crate::settings::SolverSettings;
use nalgebra::Vector3;
use signorini_geometry::{PeriodicBox, Pose, Velocity};

/// Time (s) over which the velocity at time 0 of a body with prescribed motion is taken.
const BEGINNING: f64 = 1e-6;

/// Everything a run needs to know.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scene {
    /// Time step h (s, > 0).
    pub time_step: f64,
    /// Simulated time (s, ≥ h); the run makes round(duration / h) steps.
    pub duration: f64,
    /// Gravity (m/s²), world.
    pub gravity: Vector3<f64>,
    /// Seed of every generator in the scene and of the solver's restarts.
    pub seed: u64,
    /// How steps are solved.
    pub solver: SolverSettings,
    /// The bodies; index = body id everywhere.
    pub bodies: Vec<Body>,
    /// Friction between materials; `Body::material` indexes it.
    pub friction: FrictionTable,
    /// Impulses applied once.
    pub impulses: Vec<Impulse>,
    /// Forces applied during a time window.
    pub forces: Vec<TimedForce>,
    /// Springs between bodies.
    pub springs: Vec<Spring>,
    /// Joints between bodies.
    pub joints: Vec<Joint>,
    /// Coordinates of joints that follow others.
    #[serde(default)]
    pub couplings: Vec<Coupling>,
    /// The motors that are set from outside, in the order of the file.
    #[serde(default)]
    pub controls: Vec<Control>,
    /// Motors whose force follows a stress and an area.
    #[serde(default)]
    pub servos: Vec<Servo>,
    /// Prescribed motions of bodies, which are `fixed`.
    pub motions: Vec<BodyMotion>,
    /// Pairs of bodies that have no contact with each other, besides those that joints connect.
    pub excluded: Vec<[usize; 2]>,
    /// How soft each material is, by index; a material beyond the end is rigid.
    pub compliance: Vec<Compliance>,
    /// Where bodies come in.
    pub inlets: Vec<Inlet>,
    /// Where bodies leave.
    pub outlets: Vec<Outlet>,
    /// Measures that are taken during the run.
    pub measures: Vec<Measure>,
    /// Sensors of forces and torques.
    #[serde(default)]
    pub sensors: Vec<Sensor>,
    /// The box that repeats itself, if there is one. Bodies keep their places beyond its faces.
    #[serde(default)]
    pub periodic: Option<PeriodicBox>,
}

impl Scene {
    /// Number of time steps of the run.
    pub fn n_steps(&self) -> usize {
        (self.duration / self.time_step).round() as usize
    }

    /// The state at time 0. Bodies with prescribed motion have the velocity with which their courses begin.
    pub fn initial_state(&self) -> State {
        let n = self.bodies.len();
        let mut velocities: Vec<Velocity> = self.bodies.iter().map(|b| b.velocity).collect();
        if !self.motions.is_empty() {
            for i in (0..n).filter(|i| self.bodies[*i].fixed && self.is_carried(*i)) {
                velocities[i] =
                    velocity_between(&self.bodies[i].pose, &self.prescribed_pose(i, BEGINNING), BEGINNING);
            }
        }
        State { poses: self.bodies.iter().map(|b| b.pose).collect(), velocities }
    }

    /// A motor that is set from outside.
    pub fn controlled(&self, control: &Control) -> &Motor {
        let [joint, coordinate, motor] = control.motor;
        &self.joints[joint].coordinates[coordinate].motors[motor]
    }

    /// Sets a motor from outside; a value outside its range counts as the nearer end.
    pub fn set_control(&mut self, control: &Control, value: f64) {
        let [joint, coordinate, motor] = control.motor;
        let value = control.within(value);
        let drive = &mut self.joints[joint].coordinates[coordinate].motors[motor].drive;
        *drive.target_mut() = TimeFunction::Constant { value };
    }

    /// Joints and coordinates with a prescribed motion, in the order of joints and their coordinates.
    pub fn courses(&self) -> impl Iterator<Item = [usize; 2]> {
        self.joints.iter().enumerate().flat_map(|(joint, of)| {
            let own = of.coordinates.iter().enumerate();
            own.filter(|(_, coordinate)| coordinate.motion.is_some()).map(move |(i, _)| [joint, i])
        })
    }

    /// The motors of all joints, in the order of joints and their coordinates.
    pub fn motors(&self) -> impl Iterator<Item = &Motor> {
        self.joints.iter().flat_map(|joint| &joint.coordinates).flat_map(|c| &c.motors)
    }

    /// Gives bores a part for each point of the bodies that may touch them: after bodies were added.
    pub fn divide_bores(&mut self) {
        divide(&mut self.bodies, &self.inlets);
    }

    /// Pairs of bodies that have no contact, because a joint connects them or because they are excluded:
    /// (smaller, larger), sorted.
    pub fn joined_pairs(&self) -> Vec<(usize, usize)> {
        joined_pairs(&self.joints, &self.excluded)
    }

    /// Size of a body (m), if it has one.
    pub fn size_of(&self, body: usize) -> Option<f64> {
        self.bodies[body].size()
    }

    /// Materials of a part of each of two bodies.
    pub fn materials_of(&self, bodies: [usize; 2], parts: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|k| self.bodies[bodies[k]].parts[parts[k]].material)
    }

    /// Whether the motion of a body is prescribed.
    pub fn is_carried(&self, body: usize) -> bool {
        self.motions.iter().any(|m| m.body == body)
    }

    /// Whether each body has a row in the tables of a step: those that can move or are carried; all of them
    /// where none is, so that no step is without a row.
    pub fn recorded(&self) -> Vec<bool> {
        let bodies = self.bodies.iter().enumerate();
        let moves: Vec<bool> = bodies.map(|(id, body)| !body.fixed || self.is_carried(id)).collect();
        if moves.contains(&true) { moves } else { vec![true; moves.len()] }
    }

    /// Prescribed pose of a body at time t; its pose at time 0 when nothing is prescribed.
    pub fn prescribed_pose(&self, body: usize, t: f64) -> Pose {
        pose_at(&self.motions, body, |i| self.bodies[i].pose, t)
    }

    /// Changes of [`Self::prescribed_pose`] by one unit of the displacement of each of the scene's motions
    /// that takes the body along: index, δc and δθ, world axes.
    pub fn prescribed_slopes(&self, body: usize, t: f64) -> Vec<(usize, Velocity)> {
        slopes_at(&self.motions, body, |i| self.bodies[i].pose, t)
    }

    /// Largest violation of the joints' equations in a state, of distances (m) and angles (rad).
    pub fn joint_violation(&self, state: &State) -> [f64; 2] {
        let mut worst = [0.0_f64; 2];
        for joint in &self.joints {
            let found = joint.violation(joint.bodies.map(|id| &state.poses[id]));
            worst = [0, 1].map(|k| worst[k].max(found[k]));
        }
        worst
    }
}
