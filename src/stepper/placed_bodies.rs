//! Placed parts of bodies at the start of a (sub)step, and of those with prescribed motion at its end.

use crate::contact::{Models, MovedPart};
use crate::step::Loads;
use signorini_geometry::Pose;
use signorini_scene::scene::State;

/// The parts of all bodies. A body whose pose is unchanged is not placed again.
#[derive(Debug, Clone, Default)]
pub struct PlacedParts {
    /// Pose of each body.
    poses: Vec<Pose>,
    /// Placed parts, by body.
    pub parts: Vec<MovedPart>,
}

impl PlacedParts {
    /// Takes parts that were placed with their bodies at these poses.
    pub fn known(poses: &[Pose], parts: &[MovedPart]) -> Self {
        Self { poses: poses.to_vec(), parts: parts.to_vec() }
    }

    /// Places all bodies at their poses.
    pub fn place(&mut self, models: &Models, poses: &[Pose]) {
        if self.poses.len() == poses.len() && self.parts.len() == models.parts.len() {
            return poses.iter().enumerate().for_each(|(id, pose)| self.place_body(models, id, pose));
        }
        let placed = models.parts.iter().map(|part| MovedPart::new(part, &poses[part.body]));
        *self = Self { poses: poses.to_vec(), parts: placed.collect() };
    }

    /// Places one body at a pose, among the others.
    pub fn place_body(&mut self, models: &Models, id: usize, pose: &Pose) {
        if bits(&self.poses[id]) == bits(pose) {
            return;
        }
        self.poses[id] = *pose;
        for part in models.bodies[id].parts.clone() {
            self.parts[part] = MovedPart::new(&models.parts[part], pose);
        }
    }

    /// Takes over the placement of others.
    pub fn follow(&mut self, models: &Models, others: &Self) {
        if self.poses.len() != others.poses.len() || self.parts.len() != others.parts.len() {
            return self.clone_from(others);
        }
        for (id, pose) in others.poses.iter().enumerate() {
            if bits(&self.poses[id]) != bits(pose) {
                self.poses[id] = *pose;
                let own = models.bodies[id].parts.clone();
                self.parts[own.clone()].copy_from_slice(&others.parts[own]);
            }
        }
    }
}

/// Bits of a pose, equal for the same pose only, signs of zeros included: a placement must not depend on the
/// one before.
fn bits(pose: &Pose) -> [u64; 7] {
    let (p, q) = (&pose.position, &pose.orientation);
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w].map(f64::to_bits)
}

/// All bodies of a (sub)step, by their parts.
#[derive(Debug, Clone, Default)]
pub struct PlacedBodies {
    /// Parts at the start.
    pub start: PlacedParts,
    /// Parts as in `start`, but those of bodies with prescribed motion at the end.
    pub prescribed: PlacedParts,
}

impl PlacedBodies {
    /// Places the bodies of a step of `time_step` seconds that starts at `state`.
    pub fn place(&mut self, models: &Models, state: &State, loads: &Loads, time_step: f64) {
        self.start.place(models, &state.poses);
        self.prescribe(models, state, loads, time_step);
    }

    /// Places the bodies with prescribed motion at the end of a substep, whose start is placed.
    pub fn prescribe(&mut self, models: &Models, state: &State, loads: &Loads, time_step: f64) {
        self.prescribed.follow(models, &self.start);
        for (id, _) in &loads.driven {
            let end = state.poses[*id].advanced(&state.velocities[*id], time_step);
            self.prescribed.place_body(models, *id, &end);
        }
    }
}

/// Takes the bodies with prescribed motion to the end of the step.
pub fn move_driven(loads: &Loads, before: &State, time_step: f64, after: &mut State) {
    for (id, _) in &loads.driven {
        after.poses[*id] = before.poses[*id].advanced(&before.velocities[*id], time_step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::scene::{self, LoadOptions};
    use std::path::Path;

    /// Tests that the parts depend on the poses alone, and not on the placement before.
    #[test]
    fn parts_are_where_their_bodies_are() {
        let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"a\"\nmass = 1\n\
                    parts = [{ shape = { type = \"sphere\", radius = 0.1 } }, { shape = { type = \"box\", \
                    half_extents = [0.1, 0.1, 0.1] }, position = [0.3, 0, 0] }]\n[[body]]\nname = \"b\"\n\
                    shape = { type = \"sphere\", radius = 0.1 }\nmass = 1\nposition = [1, 0, 0]\n";
        let scene = scene::parse(text, Path::new("two"), &LoadOptions::default()).expect("a scene").scene;
        let models = Models::of(&scene);
        let start: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
        let mut end = start.clone();
        end[0].position.z = -0.0;
        end[1].position.x += 0.5;
        let placed = |poses: &[Pose]| {
            let mut fresh = PlacedParts::default();
            fresh.place(&models, poses);
            format!("{:?}", fresh.parts)
        };
        let mut parts = PlacedParts::default();
        for poses in [&start, &end, &end, &start] {
            parts.place(&models, poses);
            assert_eq!(format!("{:?}", parts.parts), placed(poses));
        }
        let mut others = PlacedParts::default();
        others.place(&models, &end);
        parts.follow(&models, &others);
        assert_eq!(format!("{:?}", parts.parts), placed(&end));
    }
}
