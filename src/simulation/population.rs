//! Bodies that come and go between steps.

use super::run::Simulation;
use super::{advice::Advisor, model};
use crate::referee::Referee;
use crate::stepper::Memory;
use signorini_error::{Error, Result};
use signorini_scene::scene::start::StartLimits;
use signorini_scene::scene::{Body, BodyBuilder, BodyId, resolve_body, start};
use std::sync::Arc;

impl Simulation {
    /// Adds a body now, with the pose and velocity that the builder gives it. It may name the materials of
    /// the scene only. The other bodies keep the memory of their contacts, from which the next step starts.
    ///
    /// # Errors
    /// When a value of the body is not allowed, it overlaps another body by more than a step takes up, or the
    /// formulation cannot run the scene with it.
    pub fn add_body(&mut self, body: BodyBuilder) -> Result<BodyId> {
        let number = self.next_id;
        let body = resolve_body(&body, number, &self.scene)?;
        self.scene.check_periodic(&body)?;
        self.check_room(&body)?;
        let memory = self.stepper.memory();
        self.state.poses.push(body.pose);
        self.state.velocities.push(body.velocity);
        self.scene.bodies.push(body);
        self.scene.divide_bores();
        if let Err(error) = self.rebuild(memory) {
            self.scene.bodies.pop();
            self.state.poses.pop();
            self.state.velocities.pop();
            return Err(error);
        }
        self.next_id += 1;
        self.ids.push(BodyId::new(number));
        Ok(BodyId::new(number))
    }

    /// Removes a body now, with its joints, springs, motions and loads. The other bodies keep their ids and
    /// the memory of their contacts; those behind it move up by one place in `scene().bodies` and `state()`.
    ///
    /// # Errors
    /// When there is no such body, or the motion of another body is relative to it.
    pub fn remove_body(&mut self, body: BodyId) -> Result<Body> {
        let index = self.index_of(body)?;
        if self.scene.motions.iter().any(|m| m.body != index && m.relative_to == Some(index)) {
            return Err(self.refusal(index, "the motion of another body is relative to it"));
        }
        let removed = self.scene.bodies[index].clone();
        self.ports.leaving.retain(|id| *id != body);
        self.ports.entry_times.remove(&body);
        let memory = self.take_out(index, self.stepper.memory());
        self.rebuild(memory)?;
        Ok(removed)
    }

    /// Takes a body out, with its joints, springs, motions and loads, also out of the stepper's memory, which
    /// is returned: the workspaces have to be made anew.
    pub(super) fn take_out(&mut self, index: usize, memory: Memory) -> Memory {
        let remaining = self.scene.take_out(index);
        self.triggers.keep(&remaining.impulses);
        self.state.poses.remove(index);
        self.state.velocities.remove(index);
        self.ids.remove(index);
        self.applied_impulses.retain(|push| push.body != index);
        self.applied_impulses.iter_mut().for_each(|push| push.body -= usize::from(push.body > index));
        let joint = |old: usize| remaining.joints.iter().position(|kept| *kept == old);
        memory.without(index, &joint)
    }

    /// Makes all workspaces anew for the scene as it is, with a memory.
    pub(super) fn rebuild(&mut self, memory: Memory) -> Result<()> {
        let mut stepper = model::stepper_for(&self.scene)?;
        if let Some(backend) = &self.backend {
            stepper.use_backend(Arc::clone(backend));
        }
        stepper.use_own(self.own.clone());
        stepper.use_ranks(self.ranks.clone());
        stepper.restore(memory);
        self.stepper = stepper;
        self.referee = Referee::new(&self.scene);
        self.advisor = Advisor::new(&self.scene);
        Ok(())
    }

    /// Checks that a body that comes overlaps no other.
    fn check_room(&self, body: &Body) -> Result<()> {
        let there = self.scene.bodies.iter().zip(&self.state.poses);
        let mut bodies: Vec<Body> = there.map(|(b, pose)| Body { pose: *pose, ..b.clone() }).collect();
        bodies.push(body.clone());
        let added = bodies.len() - 1;
        let limits = StartLimits {
            time_step: self.scene.time_step,
            gravity: self.scene.gravity.norm(),
            periodic: self.scene.periodic,
        };
        let overlap =
            start::overlaps(&bodies, &self.scene.joined_pairs(), &limits).into_iter().find(|o| o.b == added);
        overlap.map_or(Ok(()), |o| {
            Err(Error::Overlap {
                file: "simulation".into(),
                body_a: bodies[o.a].name.clone(),
                body_b: bodies[o.b].name.clone(),
                depth: -o.gap.distance,
                allowed: o.allowed,
                speed: o.speed,
            })
        })
    }
}
