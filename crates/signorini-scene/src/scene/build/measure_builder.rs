//! Measures built in Rust.

use crate::scene::body::BodyId;
use crate::scene::file::{MeasureEntry, QuantityEntry, RegionEntry};
use crate::scene::measure::Measure;

/// A measure in the making: [`Measure::flow`] and its sisters begin one, and
/// [`SceneBuilder::measure`](super::SceneBuilder::measure) takes it. A run writes it into a table of its own.
#[derive(Debug, Clone)]
#[must_use]
pub struct MeasureBuilder {
    pub(super) entry: MeasureEntry,
    pub(super) body: Option<BodyId>,
}

/// Constructors.
impl Measure {
    /// Bodies and mass whose centres pass a plane: a normal of any length, along which passing counts
    /// forwards, and the distance of the plane from the origin along it (m).
    pub fn flow(normal: impl Into<[f64; 3]>, offset: f64) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Flow { normal: normal.into(), offset, within: None })
    }

    /// Solid fraction, coordination number, stress and fabric in a box: lowest and highest corner (m).
    pub fn region(low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Region { min: low.into(), max: high.into(), cells: None })
    }

    /// Kinetic and potential energy, and where energy went.
    pub fn energy() -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Energy {})
    }

    /// How large the contact forces are.
    pub fn forces() -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Forces {})
    }

    /// Force and torque of the contacts on a body.
    pub fn body(body: BodyId) -> MeasureBuilder {
        let entry = QuantityEntry::Body { body: String::new() };
        MeasureBuilder { body: Some(body), ..MeasureBuilder::new(entry) }
    }

    /// Force and torque of the contacts on the body of a name, of a container's wall too.
    pub fn body_named(name: impl Into<String>) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Body { body: name.into() })
    }

    /// How long the bodies were inside that left.
    pub fn residence() -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Residence {})
    }

    /// On what each body rests.
    pub fn poses() -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Poses {})
    }
}

impl MeasureBuilder {
    fn new(quantity: QuantityEntry) -> Self {
        Self { entry: MeasureEntry { name: String::new(), every: None, quantity }, body: None }
    }

    /// Unique name of letters, digits, `-` and `_`: that of its table. Default: `measure-0` and the like.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// Interval (s, > 0), rounded to whole steps. Default: one step.
    pub fn every(mut self, seconds: f64) -> Self {
        self.entry.every = Some(seconds);
        self
    }

    /// Of a flow: a box in which centres are when they have passed, for them to count. Of other measures
    /// without effect.
    pub fn within(mut self, low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>) -> Self {
        if let QuantityEntry::Flow { within, .. } = &mut self.entry.quantity {
            *within = Some(RegionEntry { min: low.into(), max: high.into() });
        }
        self
    }

    /// Of a region: into how many cells the box is cut along x, y and z. Of other measures without effect.
    pub fn cells(mut self, counts: [usize; 3]) -> Self {
        if let QuantityEntry::Region { cells, .. } = &mut self.entry.quantity {
            *cells = Some(counts);
        }
        self
    }
}
