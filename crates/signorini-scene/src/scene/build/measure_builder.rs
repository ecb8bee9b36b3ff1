//! Measures built in Rust.

use crate::scene::body::BodyId;
use crate::scene::definition::Scene;
use crate::scene::file::{
    FillRegionEntry, KnownToMeasures, MeasureEntry, QuantityEntry, RegionEntry, Report, STRIPS, TableEntry,
    checked_quantity,
};
use crate::scene::measure::Measure;
use signorini_error::Result;
use std::path::Path;

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

    /// Solid fraction, velocity, granular temperature and stress in the cells of a box: lowest and highest
    /// corner (m).
    pub fn field(low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Field { region: box_of(low.into(), high.into()), cells: [1; 3] })
    }

    /// A field in rings, sectors and slices of a cylinder: middle (m), direction of the axis, radius and
    /// length (m).
    pub fn field_in_cylinder(
        center: impl Into<[f64; 3]>,
        axis: impl Into<[f64; 3]>,
        radius: f64,
        length: f64,
    ) -> MeasureBuilder {
        let region = FillRegionEntry {
            center: Some(center.into()),
            axis: Some(axis.into()),
            radius: Some(radius),
            length: Some(length),
            ..FillRegionEntry::default()
        };
        MeasureBuilder::new(QuantityEntry::Field { region, cells: [1; 3] })
    }

    /// How well two kinds of bodies are mixed in the cells of a box: names, or their beginnings with `*`.
    pub fn mixing(
        low: impl Into<[f64; 3]>,
        high: impl Into<[f64; 3]>,
        kinds: [impl Into<String>; 2],
    ) -> MeasureBuilder {
        let region = box_of(low.into(), high.into());
        MeasureBuilder::new(QuantityEntry::Mixing { region, cells: [1; 3], kinds: kinds.map(Into::into) })
    }

    /// Angle of repose of a heap: middle of its base, and how far from it bodies count (m).
    pub fn heap_angle(center: impl Into<[f64; 3]>, radius: f64) -> MeasureBuilder {
        let center = center.into();
        MeasureBuilder::new(QuantityEntry::Angle { center, radius, strips: STRIPS, axis: None })
    }

    /// Angle of a bed in a drum: a point of the bed, how far from it bodies count (m), and the level axis.
    pub fn bed_angle(center: impl Into<[f64; 3]>, radius: f64, axis: impl Into<[f64; 3]>) -> MeasureBuilder {
        let (center, axis) = (center.into(), Some(axis.into()));
        MeasureBuilder::new(QuantityEntry::Angle { center, radius, strips: STRIPS, axis })
    }

    /// Force of the contacts on a group of bodies, by names or their beginnings with `*`, and torque about
    /// the origin.
    pub fn group<N: Into<String>>(bodies: impl IntoIterator<Item = N>) -> MeasureBuilder {
        let bodies = bodies.into_iter().map(Into::into).collect();
        MeasureBuilder::new(QuantityEntry::Group { bodies, about: [0.0; 3] })
    }

    /// Wear and impacts on the parts of bodies, as of the triangles of a surface: names, or their beginnings
    /// with `*`.
    pub fn wear<N: Into<String>>(bodies: impl IntoIterator<Item = N>) -> MeasureBuilder {
        let bodies = bodies.into_iter().map(Into::into).collect();
        MeasureBuilder::new(QuantityEntry::Wear { bodies })
    }

    /// A thin table of bodies with columns of `bodies.csv`.
    pub fn bodies<N: Into<String>>(columns: impl IntoIterator<Item = N>) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Bodies(table_of(columns)))
    }

    /// A thin table of contacts with columns of `contacts.csv`.
    pub fn contacts<N: Into<String>>(columns: impl IntoIterator<Item = N>) -> MeasureBuilder {
        MeasureBuilder::new(QuantityEntry::Contacts(table_of(columns)))
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

    /// Of a region, a field or mixing: how many cells there are. Of other measures without effect.
    pub fn cells(mut self, counts: [usize; 3]) -> Self {
        match &mut self.entry.quantity {
            QuantityEntry::Region { cells, .. } => *cells = Some(counts),
            QuantityEntry::Field { cells, .. } | QuantityEntry::Mixing { cells, .. } => *cells = counts,
            _ => {}
        }
        self
    }

    /// Of an angle: into how many strips the surface is cut, 2 to 10000. Default: 20. Of other measures
    /// without effect.
    pub fn strips(mut self, count: usize) -> Self {
        if let QuantityEntry::Angle { strips, .. } = &mut self.entry.quantity {
            *strips = count;
        }
        self
    }

    /// Of a group: about which point the torque is (m). Of other measures without effect.
    pub fn about(mut self, point: impl Into<[f64; 3]>) -> Self {
        if let QuantityEntry::Group { about, .. } = &mut self.entry.quantity {
            *about = point.into();
        }
        self
    }

    /// Of a thin table: names of bodies, or their beginnings with `*`. Of other measures without effect.
    pub fn of<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        if let QuantityEntry::Bodies(table) | QuantityEntry::Contacts(table) = &mut self.entry.quantity {
            table.bodies = names.into_iter().map(Into::into).collect();
        }
        self
    }

    /// Of a thin table: significant digits of numbers, 3 to 17. Of other measures without effect.
    pub fn digits(mut self, count: u8) -> Self {
        if let QuantityEntry::Bodies(table) | QuantityEntry::Contacts(table) = &mut self.entry.quantity {
            table.digits = Some(count);
        }
        self
    }

    /// The measure, checked, of a scene that is there already: for a look between two steps.
    ///
    /// # Errors
    /// All faults of its fields.
    pub fn of_scene(&self, scene: &Scene) -> Result<Measure> {
        let mut known = KnownToMeasures {
            names: scene.bodies.iter().map(|body| body.name.as_str()).collect(),
            coming: scene.inlets.iter().map(|inlet| format!("{}-0", inlet.name())).collect(),
            gravity: scene.gravity,
            has_outlets: !scene.outlets.is_empty(),
        };
        known.names.sort_unstable();
        let mut entry = self.entry.quantity.clone();
        if let (Some(id), QuantityEntry::Body { body }) = (self.body, &mut entry)
            && let Some(found) = scene.bodies.get(id.index())
        {
            body.clone_from(&found.name);
        }
        let mut report = Report::new(Path::new("measure"));
        let quantity = checked_quantity(&entry, &known, &mut report.at(""));
        report.stop_if_faulty()?;
        Ok(Measure { name: self.entry.name.clone(), every: self.entry.every, quantity })
    }
}

fn box_of(low: [f64; 3], high: [f64; 3]) -> FillRegionEntry {
    FillRegionEntry { min: Some(low), max: Some(high), ..FillRegionEntry::default() }
}

fn table_of<N: Into<String>>(columns: impl IntoIterator<Item = N>) -> TableEntry {
    let columns = columns.into_iter().map(Into::into).collect();
    TableEntry { bodies: Vec::new(), columns, digits: None }
}
