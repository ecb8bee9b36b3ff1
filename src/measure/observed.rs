//! A step as a measure sees it.

use crate::step::{ContactRecord, FlowRecord, JointRecord};
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_geometry::periodic::ITSELF;
use signorini_scene::scene::measure::is_named;
use signorini_scene::scene::{BodyId, Scene, State};

/// A step, as it ended.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// The scene, with the bodies of the step.
    pub scene: &'a Scene,
    /// The state at the end of the step.
    pub state: &'a State,
    /// Ids of the bodies, rising.
    pub ids: &'a [BodyId],
    /// The contacts of the step.
    pub contacts: &'a [ContactRecord],
    /// The joints of the step.
    pub joints: &'a [JointRecord],
    /// Bodies that came and left with the step.
    pub flow: &'a [FlowRecord],
}

impl Observed<'_> {
    /// Place of a body in the state and in the scene.
    pub fn place(&self, id: BodyId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Whether each body has one of the names, or begins like one that ends with `*`.
    pub fn are_named(&self, names: &[String]) -> Vec<bool> {
        let is_own = |name: &str| names.iter().any(|pattern| is_named(name, pattern));
        self.scene.bodies.iter().map(|body| is_own(&body.name)).collect()
    }

    /// Velocity of the material point of a body at a point (m/s).
    pub fn speed_at(&self, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
        let velocity = &self.state.velocities[body];
        velocity.linear + velocity.angular.cross(&(point - self.state.poses[body].position))
    }

    /// Velocity with which the surface of a part runs over its body, at a point.
    pub fn surface_velocity(&self, body: usize, part: usize, point: &Vector3<f64>) -> Velocity {
        let pose = &self.state.poses[body];
        let surface = self.scene.bodies[body].parts[part].surface.unwrap_or_default();
        surface.rotated(&pose.rotation()).about(&(point - pose.position))
    }

    /// Displacement from body B of a contact to the image that A meets (m); None where that is B itself.
    pub fn shift(&self, contact: &ContactRecord) -> Option<Vector3<f64>> {
        self.scene.periodic.filter(|_| contact.image != ITSELF).map(|periodic| periodic.shift(contact.image))
    }

    /// The contact point on A and on B, at the places of the bodies themselves (m).
    pub fn points(&self, contact: &ContactRecord) -> [Vector3<f64>; 2] {
        [contact.ecp, self.shift(contact).map_or(contact.ecp, |shift| contact.ecp - shift)]
    }

    /// Contacts that carry load.
    pub fn loaded_contacts(&self) -> impl Iterator<Item = &ContactRecord> {
        self.contacts.iter().filter(|contact| contact.pressing() > 0.0 && contact.counts())
    }
}
