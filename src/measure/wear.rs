//! Wear and impacts on the parts of bodies, as of the triangles of a surface.

use super::observed::Observed;
use super::value::{Value, numbers};
use crate::step::ContactRecord;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Shape, Velocity};
use signorini_scene::scene::{Body, BodyId, State};
use std::collections::BTreeMap;

/// Sums over the contacts of a part.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Wear {
    /// Σ p_n (N s).
    impulse: f64,
    /// Σ p_n |v_t| (J).
    sliding: f64,
    /// Σ p_n (u_n⁻ + u_n⁺)/2, of the speeds of approach at the start and at the end of the step (J).
    impact: f64,
}

/// Sums over an interval by the places of body and part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WearSums {
    names: Vec<String>,
    parts: BTreeMap<(BodyId, usize), Wear>,
    /// Bodies, poses and velocities at the start of the step to come.
    before: (Vec<BodyId>, Vec<Pose>, Vec<Velocity>),
}

impl WearSums {
    pub const COLUMNS: [&'static str; 9] =
        ["body", "part", "x", "y", "z", "area", "impulse", "sliding", "impact"];

    /// The sums on bodies with names, or beginnings of names, at the start of a run.
    pub fn new(names: Vec<String>, state: &State, ids: impl Iterator<Item = BodyId>) -> Self {
        let before = (ids.collect(), state.poses.clone(), state.velocities.clone());
        Self { names, parts: BTreeMap::new(), before }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        let own = step.are_named(&self.names);
        for contact in step.loaded_contacts() {
            let sides = [(contact.body_a, contact.part_a), (contact.body_b, contact.part_b)];
            let wear = self.of(contact, step);
            for (body, part) in sides.into_iter().filter(|(body, _)| own[*body]) {
                let sum = self.parts.entry((step.ids[body], part)).or_default();
                sum.impulse += wear.impulse;
                sum.sliding += wear.sliding;
                sum.impact += wear.impact;
            }
        }
        self.before = (step.ids.to_vec(), step.state.poses.clone(), step.state.velocities.clone());
    }

    /// The summands of a contact.
    fn of(&self, contact: &ContactRecord, step: &Observed<'_>) -> Wear {
        let (n, p) = (contact.normal, contact.pressing());
        let [on_a, on_b] = step.points(contact);
        let sides = [(contact.body_a, contact.part_a, &on_a), (contact.body_b, contact.part_b, &on_b)];
        let [from_a, from_b] = sides.map(|(body, _, point)| self.speed_before(step.ids[body], point));
        let [to_a, to_b] = sides.map(|(body, _, point)| step.speed_at(body, point));
        let [over_a, over_b] =
            sides.map(|(body, part, point)| step.surface_velocity(body, part, point).linear);
        let slip = to_b + over_b - to_a - over_a;
        let across = slip - n * n.dot(&slip);
        // The work of an impulse is that of the mean of the velocities before and after.
        let approach = -0.5 * n.dot(&(from_b - from_a + to_b - to_a));
        Wear { impulse: p, sliding: p * across.norm(), impact: p * approach }
    }

    /// Velocity at the start of the step of the material point that is at a point; of a body that came with
    /// the step none.
    fn speed_before(&self, id: BodyId, point: &Vector3<f64>) -> Vector3<f64> {
        let (ids, poses, velocities) = &self.before;
        let Ok(place) = ids.binary_search(&id) else { return Vector3::zeros() };
        let Velocity { linear, angular } = velocities[place];
        linear + angular.cross(&(point - poses[place].position))
    }

    /// The rows of an interval that ended with a step: one for each part that was touched.
    pub fn rows(&mut self, step: &Observed<'_>) -> Vec<Vec<Value>> {
        let mut rows = Vec::new();
        for ((id, part), wear) in std::mem::take(&mut self.parts) {
            let Some(place) = step.place(id) else { continue };
            let body = &step.scene.bodies[place];
            let (middle, area) = seen(body, part, &step.state.poses[place]);
            let mut row = vec![Value::Name(body.name.clone()), Value::Count(part)];
            row.extend(numbers(middle.iter().copied()));
            row.push(area.map_or(Value::Nothing, Value::Number));
            row.extend(numbers([wear.impulse, wear.sliding, wear.impact]));
            rows.push(row);
        }
        rows
    }
}

/// Middle (m) and area (m²) of a triangle of a surface, the origin of another part.
fn seen(body: &Body, part: usize, pose: &Pose) -> (Vector3<f64>, Option<f64>) {
    let part = &body.parts[part];
    let place = |local: &Vector3<f64>| pose.position + pose.rotation() * local;
    match &part.shape {
        // The first corners of the cell of a triangle are those of the triangle.
        Shape::Polytope(cell) if body.triangles.is_some() => {
            let [a, b, c] = [0, 1, 2].map(|k| part.pose.position + part.pose.rotation() * cell.vertices[k]);
            (place(&((a + b + c) / 3.0)), Some(0.5 * (b - a).cross(&(c - a)).norm()))
        }
        _ => (place(&part.pose.position), None),
    }
}
