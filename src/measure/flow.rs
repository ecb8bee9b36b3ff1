//! Bodies and mass that pass a plane.

use super::observed::Observed;
use super::value::{Value, numbers};
use crate::math::ExactSum;
use crate::scene::measure::Region;
use crate::scene::{BodyId, Scene, State};
use crate::step::FlowEvent;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Who passed, one way or the other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Passed {
    bodies: usize,
    mass: ExactSum,
}

/// Counts the centres of mass that pass a plane. Masses are exact sums.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlaneFlow {
    normal: Vector3<f64>,
    offset: f64,
    within: Option<Region>,
    /// Which bodies are beyond the plane, of those that can move.
    beyond: BTreeMap<BodyId, bool>,
    forward: Passed,
    backward: Passed,
    /// Bodies and mass since the start, forwards less backwards.
    net_bodies: i64,
    net_mass: ExactSum,
}

impl PlaneFlow {
    pub const COLUMNS: [&'static str; 7] =
        ["forward", "backward", "mass_forward", "mass_backward", "mass_rate", "net_bodies", "net_mass"];

    /// Before any step.
    pub fn new(
        (normal, offset, within): (Vector3<f64>, f64, Option<Region>),
        scene: &Scene,
        state: &State,
    ) -> Self {
        let moving = scene.bodies.iter().zip(&state.poses).enumerate().filter(|(_, (body, _))| !body.fixed);
        let side = |position: &Vector3<f64>| normal.dot(position) > offset;
        Self {
            beyond: moving.map(|(i, (_, pose))| (BodyId::new(i), side(&pose.position))).collect(),
            normal,
            offset,
            within,
            forward: Passed::default(),
            backward: Passed::default(),
            net_bodies: 0,
            net_mass: ExactSum::default(),
        }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        let side = |position: &Vector3<f64>| self.normal.dot(position) > self.offset;
        for record in step.flow.iter().filter(|record| record.event == FlowEvent::In) {
            if let (Some(id), Some(pose)) = (record.id, record.pose) {
                self.beyond.insert(id, side(&pose.position));
            }
        }
        let mut beyond = BTreeMap::new();
        for (index, id) in step.ids.iter().enumerate().filter(|(i, _)| !step.scene.bodies[*i].fixed) {
            let position = &step.state.poses[index].position;
            let now = side(position);
            beyond.insert(*id, now);
            let before = self.beyond.get(id).copied().unwrap_or(now);
            if before == now || self.within.is_some_and(|region| !region.contains(position)) {
                continue;
            }
            let mass = step.scene.bodies[index].mass;
            let passed = if now { &mut self.forward } else { &mut self.backward };
            passed.bodies += 1;
            passed.mass.add(mass);
            self.net_bodies += if now { 1 } else { -1 };
            self.net_mass.add(if now { mass } else { -mass });
        }
        self.beyond = beyond;
    }

    /// The row of an interval of a length (s).
    pub fn row(&mut self, length: f64) -> Vec<Value> {
        let [forward, backward] = [&mut self.forward, &mut self.backward].map(std::mem::take);
        let mut net = forward.mass.clone();
        net.subtract_sum(&backward.mass);
        let mut row = vec![Value::Count(forward.bodies), Value::Count(backward.bodies)];
        row.extend(numbers([forward.mass.value(), backward.mass.value(), net.value() / length]));
        row.extend(numbers([self.net_bodies as f64, self.net_mass.value()]));
        row
    }
}
