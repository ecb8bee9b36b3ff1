//! State of a simulation, read between steps.

use super::run::Simulation;
use crate::step::ContactRecord;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{Body, BodyId, energy};

impl Simulation {
    /// Ids of the bodies, fixed ones included, in the order of `scene().bodies`, which is also that of
    /// `state()`.
    pub fn body_ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// Index of a body in `scene().bodies` and `state()`, by which contacts name it.
    ///
    /// # Errors
    /// When there is no such body (any more).
    pub fn index_of(&self, body: BodyId) -> Result<usize> {
        self.ids.binary_search(&body).map_err(|_| Error::Usage {
            what: format!("body #{}", body.index()),
            allowed: format!("is none of the {} bodies of the simulation", self.ids.len()),
        })
    }

    /// Id of the body of a name.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.scene.bodies.iter().position(|body| body.name == name).map(|index| self.ids[index])
    }

    /// Shape, mass, material and all other properties of a body. Its pose and velocity are those of time 0.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn body(&self, body: BodyId) -> Result<&Body> {
        Ok(&self.scene.bodies[self.index_of(body)?])
    }

    /// Position of the centre of mass (m) and orientation, world, now.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn pose(&self, body: BodyId) -> Result<Pose> {
        Ok(self.state.poses[self.index_of(body)?])
    }

    /// Velocity of the centre of mass (m/s) and angular velocity (rad/s), world axes, now.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn velocity(&self, body: BodyId) -> Result<Velocity> {
        Ok(self.state.velocities[self.index_of(body)?])
    }

    /// The contacts of a body at the end of the last step, with the id of the other body.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn contacts_of(&self, body: BodyId) -> Result<impl Iterator<Item = (BodyId, &ContactRecord)>> {
        let index = self.index_of(body)?;
        Ok(self.contacts().iter().filter_map(move |contact| {
            let other = match (contact.body_a == index, contact.body_b == index) {
                (true, _) => contact.body_b,
                (_, true) => contact.body_a,
                _ => return None,
            };
            Some((self.ids[other], contact))
        }))
    }

    /// Kinetic energy of the bodies that can move (J), now.
    pub fn kinetic_energy(&self) -> f64 {
        energy::kinetic(&self.scene, &self.state)
    }

    /// Potential energy of gravity, zero at the world's origin, and of the springs (J), now.
    pub fn potential_energy(&self) -> f64 {
        energy::potential(&self.scene, &self.state)
    }
}
