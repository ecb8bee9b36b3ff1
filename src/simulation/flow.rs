//! Bodies that come in at inlets and leave at outlets. At the start of a step those leave that were in an
//! outlet at the end of the one before, and those come that are due and find room.

use super::exchange::{SceneAtStep, bodies_due, leaving_record};
use super::run::Simulation;
use crate::step::FlowRecord;
use signorini_scene::scene::BodyId;

impl Simulation {
    /// Bodies that came in at inlets with the last step, those that wait for the first time, and those that
    /// were in an outlet at its end. The latter are removed when the next step is taken.
    pub fn flow(&self) -> &[FlowRecord] {
        &self.flow
    }

    /// Removes the bodies that left and adds those that are due, at the start of a step.
    pub(super) fn exchange_bodies(&mut self) {
        self.flow.clear();
        let leaving = std::mem::take(&mut self.ports.leaving);
        let mut memory = (!leaving.is_empty()).then(|| self.stepper.memory());
        for id in leaving {
            self.ports.entry_times.remove(&id);
            // The program may have removed the body itself.
            if let (Ok(index), Some(old)) = (self.ids.binary_search(&id), memory.take()) {
                memory = Some(self.take_out(index, old));
            }
        }
        let Self { scene, state, ports, flow, step, next_id, .. } = self;
        let coming = bodies_due(SceneAtStep { scene, state, step: *step }, *next_id, ports, flow);
        if !coming.is_empty() && memory.is_none() {
            memory = Some(self.stepper.memory());
        }
        for body in coming {
            self.state.poses.push(body.pose);
            self.state.velocities.push(body.velocity);
            self.scene.bodies.push(body);
            self.ids.push(BodyId::new(self.next_id));
            self.next_id += 1;
        }
        if let Some(memory) = memory {
            // The model can run the scene: `check_models` has seen every shape that comes.
            drop(self.rebuild(memory));
        }
    }

    /// Finds the bodies in an outlet, at the end of a step.
    pub(super) fn find_leaving(&mut self) {
        let Self { scene, state, ports, flow, ids, stepper, .. } = self;
        let first = flow.len();
        for (index, id) in ids.iter().enumerate() {
            let since = ports.entry_times.get(id).copied().unwrap_or(0.0);
            let record = leaving_record(scene, state, stepper.contacts(), index);
            flow.extend(record.map(|record| FlowRecord { id: Some(*id), since, ..record }));
        }
        ports.leaving.extend(flow[first..].iter().filter_map(|record| record.id));
    }
}
