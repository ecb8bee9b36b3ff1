//! Sensors built in Rust.

use crate::scene::body::BodyId;
use crate::scene::file::{FrameName, SensorEntry};
use crate::scene::sensor::Sensor;

/// A sensor in the making: [`Sensor::on`] and [`Sensor::of_joint`] begin one, and
/// [`SceneBuilder::sensor`](super::SceneBuilder::sensor) takes it.
#[derive(Debug, Clone)]
#[must_use]
pub struct SensorBuilder {
    pub(super) entry: SensorEntry,
    pub(super) on: Vec<BodyId>,
    pub(super) by: Option<Vec<BodyId>>,
}

impl Sensor {
    /// Force and torque of contacts and joints on bodies, from all others; about the centre of mass of the
    /// first body, in world axes.
    pub fn on(bodies: impl IntoIterator<Item = BodyId>) -> SensorBuilder {
        SensorBuilder { entry: empty(), on: bodies.into_iter().collect(), by: None }
    }

    /// Force and torque of a joint, by its name, on its body B; about its anchor, in world axes.
    pub fn of_joint(joint: &str) -> SensorBuilder {
        let entry = SensorEntry { joint: Some(joint.to_owned()), ..empty() };
        SensorBuilder { entry, on: Vec::new(), by: None }
    }
}

impl SensorBuilder {
    /// Unique name. Default: the number of the sensor, such as `sensor-2`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// Counts the forces of these bodies only.
    pub fn by(mut self, bodies: impl IntoIterator<Item = BodyId>) -> Self {
        self.by = Some(bodies.into_iter().collect());
        self
    }

    /// Tells force and torque in axes that go with the first body, or with the joint.
    pub fn local(mut self) -> Self {
        self.entry.frame = if self.entry.joint.is_some() { FrameName::Joint } else { FrameName::Body };
        self
    }

    /// Point to which the torque belongs (m): in the world, or after [`local`](Self::local) in the frame of
    /// the first body or of the joint.
    pub fn about(mut self, point: impl Into<[f64; 3]>) -> Self {
        self.entry.point = Some(point.into());
        self
    }
}

fn empty() -> SensorEntry {
    SensorEntry {
        name: String::new(),
        on: Vec::new(),
        by: None,
        joint: None,
        frame: FrameName::World,
        point: None,
    }
}
