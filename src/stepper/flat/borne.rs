//! Impulses of joints in a solution in flat arrays: they follow from the balance of the bodies on guides.

use crate::contact::Pair;
use crate::stepper::flat::arrays::Row;
use crate::stepper::flat::guides::Guided;
use crate::stepper::flat::{FlatIsland, Found};
use crate::stepper::joints::JointMemory;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::linkage::Placement;

impl FlatIsland {
    /// Stores the impulses of joints in a solution, whose bodies have been taken to their ends.
    pub fn write_borne(
        &self,
        context: &StepContext<'_>,
        (bodies, pairs): (&[usize], &[Box<Pair>]),
        links: &mut [JointMemory],
    ) {
        for Guided { local, link, side, .. } in &self.arrays.guided {
            let (id, joint) = (bodies[*local], &context.joints[links[*link].joint]);
            let [linear, angular] = self.velocity(*local).map(Vector3::from);
            let (model, loads, before) = (&context.models.bodies[id], context.loads, context.velocities[id]);
            let rotation = context.body_at_start(id).rotation;
            let spun = rotation * (model.inertia * rotation.tr_mul(&(angular - before.angular)));
            let h = context.time_step;
            let [force, moment] = self.pressed(pairs, id);
            let borne = [
                (linear - before.linear) * model.mass
                    - loads.force[id] * h
                    - loads.linear_impulse[id]
                    - force,
                spun - loads.torque[id] * h - loads.angular_impulse[id] - moment,
            ];
            let end = joint.bodies.map(|id| self.placement_at_end(context, bodies, id));
            joint.write_borne((*side, &end), borne, &context.clock(), &mut links[*link].impulse);
        }
    }

    /// Where a body is at the end of a solution.
    pub fn placement_at_end(&self, context: &StepContext<'_>, bodies: &[usize], id: usize) -> Placement {
        match bodies.binary_search(&id) {
            Ok(local) => {
                let (pose, rotation) = &self.ends[local];
                Placement { position: pose.position, rotation: *rotation }
            }
            Err(_) => {
                let body = context.models.body_at(id, context.prescribed);
                Placement { position: body.position, rotation: body.rotation }
            }
        }
    }

    /// Impulse (N s) that contacts give a body, and its moment about the centre of mass (N m s).
    fn pressed(&self, pairs: &[Box<Pair>], id: usize) -> [Vector3<f64>; 2] {
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for (c, pair) in pairs.iter().enumerate() {
            let (side, sign) = if pair.body_a == id { (0, -1.0) } else { (1, 1.0) };
            if [pair.body_a, pair.body_b].contains(&id) {
                let [push, turn] = self.push_of(c, side);
                (force, moment) = (force + push * sign, moment + turn * sign);
            }
        }
        [force, moment]
    }

    /// Impulse of pair c on body B, and its moment about the centre of mass of a side.
    fn push_of(&self, c: usize, side: usize) -> [Vector3<f64>; 2] {
        let found = self.touch(c);
        let [x_n, x_t, x_o, x_r] = found.impulse();
        let (geometry, rolling) = (found.geometry(), found.rolling());
        let [n, t] = [geometry.normal, geometry.tangent_t];
        let (pull, radius, length, arms) = match (&found, self.arrays.rows[c]) {
            (Found::Point { arms, .. }, Row::Point(row)) => {
                let contact = &self.arrays.contacts[row];
                (contact.pull, contact.torsion, contact.rolling.arm, arms)
            }
            (Found::Point { arms, .. }, Row::Patch(_)) => (0.0, 0.0, 0.0, arms),
            (Found::Patch { seen, arms }, _) => (0.0, seen.radius, 0.0, arms),
        };
        let o = n.cross(&t);
        let push = n * (x_n - pull) + t * x_t + o * x_o;
        let couple = n * (radius * x_r) + (t * rolling[0] + o * rolling[1]) * length;
        [push, arms[side].cross(&push) + couple]
    }
}
