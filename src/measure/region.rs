//! Solid fraction, coordination number, stress and fabric in a box.

use super::observed::Observed;
use super::periodic_region::PeriodicRegion;
use super::solid::volume_inside;
use super::value::{Value, numbers};
use crate::step::ContactRecord;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::bounds::bounds;
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::measure::Region;
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

/// Columns of a grid before those of a region.
pub const CELL: [&str; 3] = ["i", "j", "k"];

/// The rows of the cells of a grid.
pub fn rows(step: &Observed<'_>, (region, n): (&Region, [usize; 3]), h: f64) -> Vec<Vec<Value>> {
    let of_cell = |(place, cell): ([usize; 3], Region)| {
        place.map(Value::Count).into_iter().chain(row(step, &cell, h)).collect()
    };
    region.cells(n).map(of_cell).collect()
}

/// The row of a step of length h (s).
pub fn row(step: &Observed<'_>, region: &Region, h: f64) -> Vec<Value> {
    let moving = || (0..step.scene.bodies.len()).filter(|i| !step.scene.bodies[*i].fixed);
    let periodic_region = PeriodicRegion::new(region, step.scene.periodic.as_ref());
    let inside: BTreeSet<usize> =
        moving().filter(|i| periodic_region.contains(&step.state.poses[*i].position)).collect();
    let mut solid = 0.0;
    for i in moving() {
        for part in &step.scene.bodies[i].parts {
            solid +=
                volume_of_images(&part.shape, &step.state.poses[i].compose(&part.pose), &periodic_region);
        }
    }
    let contacts: Vec<&ContactRecord> =
        step.loaded_contacts().filter(|c| periodic_region.contains(&c.ecp)).collect();
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
        row.extend([const { Value::Nothing }; 6]);
    } else {
        row.extend(numbers([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|at| fabric[at])));
    }
    row
}

/// Vector from the centre of A to that of B (m); from or to the contact point where one of them is fixed.
fn branch(step: &Observed<'_>, contact: &ContactRecord) -> Vector3<f64> {
    let [from, to] = branch_ends(step, contact);
    to - from
}

/// Ends of the branch of a contact (m), that of B at the image that A meets.
pub fn branch_ends(step: &Observed<'_>, contact: &ContactRecord) -> [Vector3<f64>; 2] {
    let points = step.points(contact);
    let end = |side: usize, body: usize| {
        let is_fixed = step.scene.bodies[body].fixed;
        if is_fixed { points[side] } else { step.state.poses[body].position }
    };
    let to = end(1, contact.body_b);
    [end(0, contact.body_a), step.shift(contact).map_or(to, |shift| to + shift)]
}

/// Volume of a part in a region (m³), of all its images in a periodic scene.
fn volume_of_images(shape: &Shape, pose: &Pose, periodic_region: &PeriodicRegion) -> f64 {
    let (low, high) = bounds(shape, pose);
    let images = periodic_region.image_shifts([&low, &high]).map(|way| match way {
        Some(way) => {
            volume_inside(shape, &Pose { position: pose.position + way, ..*pose }, &periodic_region.region)
        }
        None => volume_inside(shape, pose, &periodic_region.region),
    });
    images.sum()
}

/// Number of neighbours that the bodies inside press on, summed over these bodies.
fn neighbours(step: &Observed<'_>, inside: &BTreeSet<usize>) -> usize {
    let mut pairs = BTreeSet::new();
    for contact in step.loaded_contacts() {
        let back = contact.image.map(i32::saturating_neg);
        for (own, other, image) in
            [(contact.body_a, contact.body_b, contact.image), (contact.body_b, contact.body_a, back)]
        {
            if inside.contains(&own) {
                pairs.insert((own, other, image));
            }
        }
    }
    pairs.len()
}
