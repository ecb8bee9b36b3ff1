//! Bodies and mass that pass a plane.

use super::observed::Observed;
use super::periodic_region::PeriodicRegion;
use super::value::{Value, numbers};
use crate::step::FlowEvent;
use nalgebra::Vector3;
use serde::{Deserialize, Deserializer, Serialize};
use signorini_kernels::math::ExactSum;
use signorini_scene::scene::measure::Region;
use signorini_scene::scene::{BodyId, Scene, State};
use std::collections::BTreeMap;

/// Bodies and mass that passed, one way or the other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PassCount {
    bodies: usize,
    mass: ExactSum,
}

/// Reads counts; checkpoints had truth values before planes could repeat themselves.
fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<BodyId, i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Beyond {
        Once(bool),
        Often(i64),
    }
    let count = |beyond: Beyond| match beyond {
        Beyond::Once(is_beyond) => i64::from(is_beyond),
        Beyond::Often(n) => n,
    };
    let read = BTreeMap::<BodyId, Beyond>::deserialize(from)?;
    Ok(read.into_iter().map(|(id, beyond)| (id, count(beyond))).collect())
}

/// Counts the centres of mass that pass a plane. Masses are exact sums.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlaneFlow {
    normal: Vector3<f64>,
    offset: f64,
    within: Option<Region>,
    /// Number of images of the plane that each moving body is beyond; 0 or 1 where the plane does not repeat
    /// itself.
    #[serde(deserialize_with = "counts")]
    beyond: BTreeMap<BodyId, i64>,
    /// Distance from one image of the plane to the next (m).
    #[serde(default)]
    length: Option<f64>,
    forward: PassCount,
    backward: PassCount,
    /// Bodies and mass since the start, forwards less backwards.
    net_bodies: i64,
    net_mass: ExactSum,
}

impl PlaneFlow {
    pub const COLUMNS: [&'static str; 7] =
        ["forward", "backward", "mass_forward", "mass_backward", "mass_rate", "net_bodies", "net_mass"];

    /// The counts before any step.
    pub fn new(
        (normal, offset, within): (Vector3<f64>, f64, Option<Region>),
        scene: &Scene,
        state: &State,
    ) -> Self {
        let moving = scene.bodies.iter().zip(&state.poses).enumerate().filter(|(_, (body, _))| !body.fixed);
        let lengths = scene.periodic.iter().flat_map(|periodic| periodic.lengths());
        let length = lengths.filter(|(axis, _)| normal[*axis].abs() > 0.5).map(|(_, length)| length).next();
        let mut flow = Self {
            beyond: BTreeMap::new(),
            length,
            normal,
            offset,
            within,
            forward: PassCount::default(),
            backward: PassCount::default(),
            net_bodies: 0,
            net_mass: ExactSum::default(),
        };
        flow.beyond = moving.map(|(i, (_, pose))| (BodyId::new(i), flow.passed(&pose.position))).collect();
        flow
    }

    /// Number of images of the plane that a place is beyond: 0 or 1 where there is but the plane.
    fn passed(&self, place: &Vector3<f64>) -> i64 {
        let height = self.normal.dot(place);
        match self.length {
            None => i64::from(height > self.offset),
            Some(length) => ((height - self.offset) / length).ceil() as i64,
        }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        for record in step.flow.iter().filter(|record| record.event == FlowEvent::In) {
            if let (Some(id), Some(pose)) = (record.id, record.pose) {
                self.beyond.insert(id, self.passed(&pose.position));
            }
        }
        let mut beyond = BTreeMap::new();
        let periodic = step.scene.periodic.as_ref();
        let within = self.within.map(|region| PeriodicRegion::new(&region, periodic));
        for (index, id) in step.ids.iter().enumerate().filter(|(i, _)| !step.scene.bodies[*i].fixed) {
            let position = &step.state.poses[index].position;
            let now = self.passed(position);
            beyond.insert(*id, now);
            let before = self.beyond.get(id).copied().unwrap_or(now);
            if before == now || within.is_some_and(|region| !region.contains(position)) {
                continue;
            }
            let mass = step.scene.bodies[index].mass;
            let is_forward = now > before;
            for _ in 0..now.abs_diff(before) {
                let passed = if is_forward { &mut self.forward } else { &mut self.backward };
                passed.bodies += 1;
                passed.mass.add(mass);
                self.net_bodies += if is_forward { 1 } else { -1 };
                self.net_mass.add(if is_forward { mass } else { -mass });
            }
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
