//! Free places for bodies that come in: apart from all other bodies.

use nalgebra::Vector3;
use signorini_geometry::{PeriodicBox, Pose};
use signorini_scene::scene::form::Form;
use signorini_scene::scene::overlap::{Placed, apart};
use signorini_scene::scene::packing::RandomStream;
use signorini_scene::scene::{Body, Inlet, Scene, State, start};

/// Number of places tried for a body in a step.
const TRIES: usize = 200;

/// Bodies near an inlet.
#[derive(Debug, Default)]
pub struct Surroundings {
    placed: Vec<Placed>,
    /// Periodic box, and the corners of the region that a body of the inlet may touch.
    periodic: Option<(PeriodicBox, [Vector3<f64>; 2])>,
}

impl Surroundings {
    /// Collects all bodies that a body of the inlet could touch.
    pub fn of(inlet: &Inlet, scene: &Scene, state: &State) -> Self {
        let [low, high] = inlet.region.corners();
        let reach = inlet.grains.largest_radius();
        let clearance = inlet.grains.clearance.unwrap_or(reach);
        let mut placed = Vec::new();
        for (body, pose) in scene.bodies.iter().zip(&state.poses) {
            for part in &body.parts {
                let pose = pose.compose(&part.pose);
                let margin = part.shape.bounding_radius() + reach + clearance;
                let away = (low - pose.position).sup(&(pose.position - high)).max();
                if away <= margin || scene.periodic.is_some() {
                    placed.push(Placed::new(&part.shape, &pose));
                }
            }
        }
        let grown = [low.add_scalar(-reach - clearance), high.add_scalar(reach + clearance)];
        let periodic = scene.periodic.map(|periodic| (periodic, grown));
        let mut found = Self { placed: Vec::new(), periodic };
        found.take(placed);
        found
    }

    /// Returns a place for a form, drawn until one is free.
    pub fn find(&self, inlet: &Inlet, form: &Form, draw: &mut RandomStream) -> Option<Pose> {
        let clearance = inlet.grains.clearance_of(form);
        (0..TRIES).find_map(|_| {
            let orientation = inlet.orientation(draw);
            let pose = inlet.region.place(form, orientation, draw)?;
            let parts = form.placed(&pose);
            let is_free = |other| parts.iter().all(|part| apart(other, part, clearance));
            self.placed.iter().all(is_free).then_some(pose)
        })
    }

    /// Adds a body that has come.
    pub fn add(&mut self, body: &Body) {
        self.take(start::placed(body).collect());
    }

    /// Adds shapes, with all their images that a body could touch.
    fn take(&mut self, shapes: Vec<Placed>) {
        match &self.periodic {
            Some((periodic, into)) => self.placed.extend(start::images_in(&shapes, periodic, *into)),
            None => self.placed.extend(shapes),
        }
    }
}
