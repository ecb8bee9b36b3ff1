//! Where bodies are at the start of a (sub)step, and where those with prescribed motion are at its end.

use crate::contact::{Models, MovedPart};
use crate::geometry::Pose;
use crate::scene::State;
use crate::step::Loads;

/// All bodies of a (sub)step, by their parts.
#[derive(Debug, Clone, Default)]
pub struct PlacedBodies {
    /// At its start.
    pub start: Vec<MovedPart>,
    /// As `start`, but bodies with prescribed motion where they are at its end.
    pub prescribed: Vec<MovedPart>,
}

impl PlacedBodies {
    /// Places the bodies of a step of `time_step` seconds that starts at `state`.
    pub fn place(&mut self, models: &Models, state: &State, loads: &Loads, time_step: f64) {
        place(models, state, &mut self.start);
        self.prescribe(models, state, loads, time_step);
    }

    /// Places the bodies with prescribed motion at the end of a substep, whose start is placed.
    pub fn prescribe(&mut self, models: &Models, state: &State, loads: &Loads, time_step: f64) {
        self.prescribed.clear();
        self.prescribed.extend_from_slice(&self.start);
        for (id, _) in &loads.driven {
            let end = state.poses[*id].advanced(&state.velocities[*id], time_step);
            place_body(models, *id, &end, &mut self.prescribed);
        }
    }
}

/// All bodies at the poses of a state.
pub fn place(models: &Models, state: &State, placed: &mut Vec<MovedPart>) {
    placed.clear();
    placed.extend(models.parts.iter().map(|part| MovedPart::new(part, &state.poses[part.body])));
}

/// One body at a pose, among the others.
pub fn place_body(models: &Models, id: usize, pose: &Pose, placed: &mut [MovedPart]) {
    for part in models.bodies[id].parts.clone() {
        placed[part] = MovedPart::new(&models.parts[part], pose);
    }
}

/// Takes the bodies with prescribed motion to the end of the step.
pub fn move_driven(loads: &Loads, before: &State, time_step: f64, after: &mut State) {
    for (id, _) in &loads.driven {
        after.poses[*id] = before.poses[*id].advanced(&before.velocities[*id], time_step);
    }
}
