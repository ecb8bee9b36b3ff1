//! Changes of bodies between steps.

use super::applied_impulse::AppliedImpulse;
use super::run::Simulation;
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{BodyId, State};

impl Simulation {
    /// Pushes a body in the next step: a linear impulse (N s) at its centre of mass and an angular one (N m
    /// s), world axes. Impulses of several calls add up.
    ///
    /// # Errors
    /// When there is no such body, it cannot move, or a number is not finite.
    pub fn apply_impulse(
        &mut self,
        body: BodyId,
        linear: impl Into<[f64; 3]>,
        angular: impl Into<[f64; 3]>,
    ) -> Result<()> {
        let body_index = self.movable(body)?;
        let linear = finite("impulse", linear.into())?;
        let angular = finite("angular impulse", angular.into())?;
        self.applied_impulses.push(AppliedImpulse { body: body_index, linear, angular });
        Ok(())
    }

    /// Lets a force (N) at the centre of mass and a torque (N m) act on a body, world axes, in every step
    /// from the next one on until they are set again. They replace the body's own constant force and torque,
    /// not gravity.
    ///
    /// # Errors
    /// When there is no such body, it cannot move, or a number is not finite.
    pub fn set_force(
        &mut self,
        body: BodyId,
        force: impl Into<[f64; 3]>,
        torque: impl Into<[f64; 3]>,
    ) -> Result<()> {
        let index = self.movable(body)?;
        let (force, torque) = (finite("force", force.into())?, finite("torque", torque.into())?);
        let body = &mut self.scene.bodies[index];
        (body.force, body.torque) = (force, torque);
        Ok(())
    }

    /// Gives a body another velocity of its centre of mass (m/s) and angular velocity (rad/s), world axes,
    /// now.
    ///
    /// # Errors
    /// When there is no such body, it cannot move, or a number is not finite.
    pub fn set_velocity(
        &mut self,
        body: BodyId,
        linear: impl Into<[f64; 3]>,
        angular: impl Into<[f64; 3]>,
    ) -> Result<()> {
        let index = self.movable(body)?;
        let linear = finite("velocity", linear.into())?;
        let angular = finite("angular velocity", angular.into())?;
        self.state.velocities[index] = Velocity { linear, angular };
        Ok(())
    }

    /// Puts a body at another pose, now; its velocity stays. Where it then overlaps another body, or violates
    /// a joint, the next step takes that up, as fast as it must. Its contacts are then met for the first
    /// time. A body whose motion is prescribed cannot be moved.
    ///
    /// # Errors
    /// When there is no such body, its motion is prescribed, or a number is not finite.
    pub fn set_pose(&mut self, body: BodyId, pose: Pose) -> Result<()> {
        let index = self.index_of(body)?;
        self.check_pose(index, &pose)?;
        self.state.poses[index] = pose;
        let mut memory = self.stepper.memory();
        memory.forget_contacts_of(index);
        self.rebuild(memory)
    }

    /// Gives all bodies a state, now, as [`Self::set_pose`] and [`Self::set_velocity`] do. Unchanged poses
    /// and velocities are left alone.
    ///
    /// ```
    /// # use signorini::{Body, Scene, Simulation};
    /// # let mut scene = Scene::builder();
    /// # scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
    /// # scene.body(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 0.5]));
    /// # let mut simulation = Simulation::new(scene.build()?)?;
    /// let start = simulation.state().clone();
    /// simulation.advance();
    /// simulation.set_state(&start)?;
    /// assert_eq!(simulation.state(), &start);
    /// let mut pushed = start.clone();
    /// pushed.velocities[0].linear.x = 1.0;
    /// assert!(simulation.set_state(&pushed).is_err(), "the half-space is fixed");
    /// # Ok::<(), signorini::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the state is not one of so many bodies, moves a body whose motion is prescribed, gives a fixed
    /// one a velocity, or a number is not finite. Nothing has changed then.
    pub fn set_state(&mut self, state: &State) -> Result<()> {
        let n = self.ids.len();
        if [state.poses.len(), state.velocities.len()] != [n; 2] {
            let what =
                format!("state of {} poses and {} velocities", state.poses.len(), state.velocities.len());
            return Err(Error::Usage { what, allowed: format!("must be one of {n} bodies") });
        }
        let moved: Vec<usize> = (0..n).filter(|&i| state.poses[i] != self.state.poses[i]).collect();
        for &i in &moved {
            self.check_pose(i, &state.poses[i])?;
        }
        for i in (0..n).filter(|&i| state.velocities[i] != self.state.velocities[i]) {
            self.movable(self.ids[i])?;
            finite("velocity", state.velocities[i].linear.into())?;
            finite("angular velocity", state.velocities[i].angular.into())?;
        }
        self.state.clone_from(state);
        let mut memory = self.stepper.memory();
        moved.into_iter().for_each(|i| memory.forget_contacts_of(i));
        self.rebuild(memory)
    }

    /// Checks that a body may have a pose.
    fn check_pose(&self, index: usize, pose: &Pose) -> Result<()> {
        if self.scene.is_carried(index) {
            return Err(self.refusal(index, "its motion is prescribed"));
        }
        finite("position", pose.position.into())?;
        let q = pose.orientation.coords;
        finite("orientation", [q.x, q.y, q.z]).map(drop)
    }

    /// Index of a body that forces move.
    fn movable(&self, body: BodyId) -> Result<usize> {
        let index = self.index_of(body)?;
        if self.scene.bodies[index].fixed {
            return Err(self.refusal(index, "it is fixed"));
        }
        Ok(index)
    }

    pub(super) fn refusal(&self, index: usize, why: &str) -> Error {
        let what = format!("body #{} {:?}", self.ids[index].index(), self.scene.bodies[index].name);
        Error::Usage { what, allowed: why.to_owned() }
    }
}

fn finite(what: &str, value: [f64; 3]) -> Result<Vector3<f64>> {
    if value.iter().all(|x| x.is_finite()) {
        return Ok(Vector3::from(value));
    }
    Err(Error::Usage { what: format!("{what} {value:?}"), allowed: "must be finite numbers".to_owned() })
}
