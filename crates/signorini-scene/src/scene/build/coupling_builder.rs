//! Couplings built in Rust.

use crate::scene::coupling::Coupling;
use crate::scene::file::{CouplingEntry, name_of};
use crate::scene::joint::Axis;

/// A coupling in the making: [`Coupling::between`] begins one, and
/// [`SceneBuilder::coupling`](super::SceneBuilder::coupling) takes it.
#[derive(Debug, Clone)]
#[must_use]
pub struct CouplingBuilder {
    pub(super) entry: CouplingEntry,
}

impl Coupling {
    /// A coordinate of a joint, by the name of the joint, that follows a coordinate of another one by a
    /// ratio: change of the first over change of the second (1, m/rad or rad/m). A joint may be coupled with
    /// itself, as a screw is.
    pub fn between(
        (joint, axis): (&str, Axis),
        (follows, followed): (&str, Axis),
        ratio: f64,
    ) -> CouplingBuilder {
        CouplingBuilder {
            entry: CouplingEntry {
                name: String::new(),
                joint: joint.to_owned(),
                coordinate: Some(name_of(axis)),
                follows: follows.to_owned(),
                followed_coordinate: Some(name_of(followed)),
                ratio,
                offset: None,
                higher: Vec::new(),
            },
        }
    }
}

impl CouplingBuilder {
    /// Unique name. Default: the number of the coupling, such as `coupling-2`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// Where the joint that follows is when the other is at 0 (m or rad). Default: as both are at time 0.
    pub fn offset(mut self, offset: f64) -> Self {
        self.entry.offset = Some(offset);
        self
    }

    /// Coefficients of the square, the cube and the fourth power of the coordinate that is followed.
    pub fn higher(mut self, coefficients: impl Into<Vec<f64>>) -> Self {
        self.entry.higher = coefficients.into();
        self
    }
}
