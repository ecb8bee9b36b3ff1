//! Removal of a body from a scene, with all entries that refer to it.

use super::definition::Scene;

/// Joints and impulses that stayed, by their places before.
#[derive(Debug, Default)]
pub struct Remaining {
    /// Old places of the joints, in the new order.
    pub joints: Vec<usize>,
    /// Old places of the impulses, in the new order.
    pub impulses: Vec<usize>,
}

impl Scene {
    /// Takes the body at a place out, with its joints, their couplings, springs, motions, exclusions, forces,
    /// impulses, and servos that measure it. Bodies behind it move up by one place. No motion of another body
    /// may be relative to it.
    pub fn take_out(&mut self, body: usize) -> Remaining {
        self.bodies.remove(body);
        let place = |id: usize| id - usize::from(id > body);
        let mut remaining = Remaining::default();
        let mut old = 0..;
        self.joints.retain_mut(|joint| {
            let (number, stays) = (old.next().unwrap_or(0), !joint.bodies.contains(&body));
            joint.bodies = joint.bodies.map(place);
            remaining.joints.extend(stays.then_some(number));
            stays
        });
        let joint = |old: usize| remaining.joints.iter().position(|kept| *kept == old);
        self.couplings.retain_mut(|coupling| {
            let both = [joint(coupling.of.joint), joint(coupling.to.joint)];
            let [Some(of), Some(to)] = both else { return false };
            (coupling.of.joint, coupling.to.joint) = (of, to);
            true
        });
        let mut old = 0..;
        self.impulses.retain_mut(|impulse| {
            let (number, stays) = (old.next().unwrap_or(0), impulse.body != body);
            impulse.body = place(impulse.body);
            remaining.impulses.extend(stays.then_some(number));
            stays
        });
        self.forces.retain(|force| force.body != body);
        self.forces.iter_mut().for_each(|force| force.body = place(force.body));
        self.springs.retain(|spring| !spring.bodies.contains(&body));
        self.springs.iter_mut().for_each(|spring| spring.bodies = spring.bodies.map(place));
        self.servos.retain(|servo| !servo.widths.iter().any(|width| width.bodies.contains(&body)));
        for width in self.servos.iter_mut().flat_map(|servo| &mut servo.widths) {
            width.bodies = width.bodies.map(place);
        }
        self.excluded.retain(|pair| !pair.contains(&body));
        self.excluded.iter_mut().for_each(|pair| *pair = pair.map(place));
        self.motions.retain(|motion| motion.body != body);
        for motion in &mut self.motions {
            motion.body = place(motion.body);
            motion.relative_to = motion.relative_to.map(place);
        }
        remaining
    }
}
