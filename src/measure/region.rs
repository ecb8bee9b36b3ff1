//! Solid fraction, coordination number, stress and fabric in a box.

use super::observed::Observed;
use super::solid::volume_inside;
use super::value::{Value, numbers};
use crate::scene::measure::Region;
use crate::step::ContactRecord;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeSet;

pub const COLUMNS: [&str; 19] = [
    "bodies",
    "contacts",
    "solid_fraction",
    "coordination",
    "sxx",
    "sxy",
    "sxz",
    "syx",
    "syy",
    "syz",
    "szx",
    "szy",
    "szz",
    "fxx",
    "fyy",
    "fzz",
    "fxy",
    "fxz",
    "fyz",
];

/// The row of a step of length h (s).
pub fn row(step: &Observed<'_>, region: &Region, h: f64) -> Vec<Value> {
    let moving = || (0..step.scene.bodies.len()).filter(|i| !step.scene.bodies[*i].fixed);
    let inside: BTreeSet<usize> =
        moving().filter(|i| region.contains(&step.state.poses[*i].position)).collect();
    let mut solid = 0.0;
    for i in moving() {
        for part in &step.scene.bodies[i].parts {
            solid += volume_inside(&part.shape, &step.state.poses[i].compose(&part.pose), region);
        }
    }
    let contacts: Vec<&ContactRecord> = step.bearing().filter(|c| region.contains(&c.ecp)).collect();
    let (mut stress, mut fabric) = (Matrix3::zeros(), Matrix3::zeros());
    for contact in &contacts {
        stress += branch(step, contact) * (contact.impulse() / h).transpose();
        fabric += contact.normal * contact.normal.transpose();
    }
    stress /= region.volume();
    if !contacts.is_empty() {
        fabric /= contacts.len() as f64;
    }
    let mut row = vec![Value::Count(inside.len()), Value::Count(contacts.len())];
    row.push(Value::Number(solid / region.volume()));
    row.push(match inside.len() {
        0 => Value::Nothing,
        n => Value::Number(neighbours(step, &inside) as f64 / n as f64),
    });
    row.extend(numbers(stress.transpose().iter().copied()));
    if contacts.is_empty() {
        row.extend([Value::Nothing; 6]);
    } else {
        row.extend(numbers([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|at| fabric[at])));
    }
    row
}

/// From the centre of A to that of B (m); from or to the contact point where one of them is fixed.
fn branch(step: &Observed<'_>, contact: &ContactRecord) -> Vector3<f64> {
    let end = |body: usize| {
        let is_fixed = step.scene.bodies[body].fixed;
        if is_fixed { contact.ecp } else { step.state.poses[body].position }
    };
    end(contact.body_b) - end(contact.body_a)
}

/// Bodies that bear on those inside, summed over these.
fn neighbours(step: &Observed<'_>, inside: &BTreeSet<usize>) -> usize {
    let mut pairs = BTreeSet::new();
    for contact in step.bearing() {
        for (own, other) in [(contact.body_a, contact.body_b), (contact.body_b, contact.body_a)] {
            if inside.contains(&own) {
                pairs.insert((own, other));
            }
        }
    }
    pairs.len()
}
