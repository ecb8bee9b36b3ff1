//! Thin tables: chosen columns of chosen bodies, or of their contacts.

use super::observed::Observed;
use super::value::Value;
use crate::step::ContactRecord;
use signorini_scene::scene::measure::{BODY_COLUMNS, CONTACT_COLUMNS, TableChoice};

/// Columns of a table of bodies before those that are chosen.
pub const BODY_NAMES: [&str; 1] = ["body"];
/// Columns of a table of contacts before those that are chosen.
pub const CONTACT_NAMES: [&str; 2] = ["body_a", "body_b"];

/// The columns that are chosen.
pub fn columns(choice: &TableChoice, all: &'static [&'static str]) -> Vec<&'static str> {
    let places = places(choice, all);
    places.into_iter().map(|place| all[place]).collect()
}

/// A row for each body: those that can move, unless some are chosen.
pub fn bodies(step: &Observed<'_>, choice: &TableChoice) -> Vec<Vec<Value>> {
    let places = places(choice, &BODY_COLUMNS);
    let mut rows = Vec::new();
    let chosen = step.are_named(&choice.bodies);
    for (index, body) in step.scene.bodies.iter().enumerate() {
        let is_chosen = if choice.bodies.is_empty() { !body.fixed } else { chosen[index] };
        if !is_chosen {
            continue;
        }
        let (pose, velocity) = (&step.state.poses[index], &step.state.velocities[index]);
        let (x, v, w) = (pose.position, velocity.linear, velocity.angular);
        let q = pose.orientation.quaternion();
        let all = [x.x, x.y, x.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, w.x, w.y, w.z];
        let columns = places.iter().map(|place| number(all[*place], choice.digits));
        rows.push([Value::Name(body.name.clone())].into_iter().chain(columns).collect());
    }
    rows
}

/// A row for each contact that carries load: all, unless some bodies are chosen.
pub fn contacts(step: &Observed<'_>, choice: &TableChoice) -> Vec<Vec<Value>> {
    let places = places(choice, &CONTACT_COLUMNS);
    let chosen = step.are_named(&choice.bodies);
    let counts = |c: &&ContactRecord| choice.bodies.is_empty() || chosen[c.body_a] || chosen[c.body_b];
    let row = |contact: &ContactRecord| {
        let (x, n, p) = (contact.ecp, contact.normal, contact.friction_impulse);
        let (normal, torsion) = (contact.normal_impulse, contact.torsional_impulse);
        let all = [x.x, x.y, x.z, n.x, n.y, n.z, contact.gap, normal, p.x, p.y, p.z, torsion];
        let name = |body: usize| Value::Name(step.scene.bodies[body].name.clone());
        let names = [name(contact.body_a), name(contact.body_b)];
        names.into_iter().chain(places.iter().map(|place| number(all[*place], choice.digits))).collect()
    };
    step.loaded_contacts().filter(counts).map(row).collect()
}

fn places(choice: &TableChoice, all: &[&str]) -> Vec<usize> {
    choice.columns.iter().filter_map(|column| all.iter().position(|one| one == column)).collect()
}

fn number(x: f64, digits: Option<u8>) -> Value {
    digits.map_or(Value::Number(x), |digits| Value::Rounded { number: x, digits })
}
