//! Cohesion at one recorded contact (theory §15): the impulse h F_c acts where the bodies touch at the start.

use super::gap::signed_gap;
use super::image::{NO_IMAGE, displacement};
use super::judged_step::JudgedStep;
use super::placed::PlacedShape;
use crate::step::ContactRecord;

/// Gap at the start up to which bodies touch, as a fraction of the smaller size.
const TOUCHES: f64 = 1e-6;
/// Uncertainty of [`TOUCHES`], as a fraction of the smaller size: within it a pair may touch or not.
const ROOM: f64 = 1e-8;
/// Relative tolerance of h F_c.
const SAME: f64 = 1e-12;

/// Error (N s) of the recorded impulse of cohesion.
pub fn cohesion_error(contact: &ContactRecord, step: &JudgedStep<'_>) -> f64 {
    let ids = [contact.body_a, contact.body_b];
    let parts = [contact.part_a, contact.part_b];
    let [of_a, of_b] = step.scene.materials_of(ids, parts);
    let (found, must) =
        (contact.cohesion_impulse, step.scene.time_step * step.scene.friction.between(of_a, of_b).cohesion);
    if must == 0.0 {
        return found.abs();
    }
    let off = |should: f64| {
        let off = (found - should).abs();
        if off <= SAME * must { 0.0 } else { off }
    };
    if !step.before_known {
        return off(0.0).min(off(must));
    }
    let [a, mut b] = [0, 1].map(|side| {
        let part = &step.scene.bodies[ids[side]].parts[parts[side]];
        PlacedShape::new(&part.shape, &part.pose, &step.before.poses[ids[side]])
    });
    if contact.image != NO_IMAGE {
        b.displace(&displacement(step.scene, contact.image));
    }
    let (gap, _) = signed_gap(&a, &b, None);
    let size = step.smaller_size(contact);
    let (touching, apart) = (gap <= (TOUCHES + ROOM) * size, gap >= (TOUCHES - ROOM) * size);
    match (touching, apart) {
        (true, true) => off(0.0).min(off(must)),
        (true, false) => off(must),
        (false, _) => off(0.0),
    }
}
