//! A measure in progress.

use super::angle::Angles;
use super::body::BodyImpulses;
use super::energy::Energies;
use super::field::Field;
use super::flow::PlaneFlow;
use super::group::GroupImpulses;
use super::observed::Observed;
use super::poses::Poses;
use super::residence::Residence;
use super::value::{Value, numbers};
use super::wear::WearSums;
use super::{forces, mixing, region, sensors, thin_table};
use serde::{Deserialize, Serialize};
use signorini_scene::scene::cells::Cells;
use signorini_scene::scene::measure::{
    BODY_COLUMNS, CONTACT_COLUMNS, Measure, Quantity, Region, TableChoice,
};
use signorini_scene::scene::{BodyId, Scene, State};

/// Columns before those of the quantity.
const COMMON_COLUMNS: [&str; 2] = ["step", "time"];

/// A measure in progress, with its sums over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MeasureState {
    /// Steps of an interval.
    steps: usize,
    quantity: MeasureSums,
}

/// Sums over an interval, of quantities that need some.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum MeasureSums {
    Flow(Box<PlaneFlow>),
    Region { region: Region, cells: Option<[usize; 3]> },
    Energy(Energies),
    Forces,
    Body(BodyImpulses),
    Residence(Residence),
    Poses(Poses),
    Sensors,
    Field(Box<Field>),
    Mixing { cells: Cells, kinds: [String; 2] },
    Angle(Box<Angles>),
    Group(Box<GroupImpulses>),
    Bodies(TableChoice),
    Contacts(TableChoice),
    Wear(Box<WearSums>),
}

impl MeasureState {
    /// The measure of a scene at its start.
    pub fn new(measure: &Measure, scene: &Scene, state: &State) -> Self {
        let quantity = match &measure.quantity {
            Quantity::Flow { normal, offset, within } => {
                MeasureSums::Flow(Box::new(PlaneFlow::new((*normal, *offset, *within), scene, state)))
            }
            Quantity::Region { region, cells } => MeasureSums::Region { region: *region, cells: *cells },
            Quantity::Energy => MeasureSums::Energy(Energies::new(scene, state)),
            Quantity::Forces => MeasureSums::Forces,
            Quantity::Body(name) => MeasureSums::Body(BodyImpulses::new(name.clone())),
            Quantity::Residence => MeasureSums::Residence(Residence::default()),
            Quantity::Poses => MeasureSums::Poses(Poses::default()),
            Quantity::Field(cells) => MeasureSums::Field(Box::new(Field::new(*cells))),
            Quantity::Mixing { cells, kinds } => MeasureSums::Mixing { cells: *cells, kinds: kinds.clone() },
            Quantity::Angle(profile) => MeasureSums::Angle(Box::new(Angles::new(profile.clone()))),
            Quantity::Group { bodies, about } => {
                MeasureSums::Group(Box::new(GroupImpulses::new(bodies.clone(), *about)))
            }
            Quantity::Bodies(choice) => MeasureSums::Bodies(choice.clone()),
            Quantity::Contacts(choice) => MeasureSums::Contacts(choice.clone()),
            Quantity::Wear { bodies } => {
                let ids = (0..scene.bodies.len()).map(BodyId::new);
                MeasureSums::Wear(Box::new(WearSums::new(bodies.clone(), state, ids)))
            }
        };
        Self { steps: measure.steps(scene.time_step), quantity }
    }

    /// The sensors of a scene, which tell something in every step.
    pub fn of_sensors() -> Self {
        Self { steps: 1, quantity: MeasureSums::Sensors }
    }

    /// Names of its columns.
    pub fn columns(&self) -> Vec<&'static str> {
        let before: &[&str] = match &self.quantity {
            MeasureSums::Region { cells: Some(_), .. } => &region::CELL,
            MeasureSums::Bodies(_) => &thin_table::BODY_NAMES,
            MeasureSums::Contacts(_) => &thin_table::CONTACT_NAMES,
            _ => &[],
        };
        let own: Vec<&str> = match &self.quantity {
            MeasureSums::Flow(_) => PlaneFlow::COLUMNS.to_vec(),
            MeasureSums::Region { .. } => region::COLUMNS.to_vec(),
            MeasureSums::Poses(_) => Poses::COLUMNS.to_vec(),
            MeasureSums::Energy(_) => Energies::COLUMNS.to_vec(),
            MeasureSums::Forces => forces::COLUMNS.to_vec(),
            MeasureSums::Body(_) => BodyImpulses::COLUMNS.to_vec(),
            MeasureSums::Residence(_) => Residence::COLUMNS.to_vec(),
            MeasureSums::Field(field) => field.columns().to_vec(),
            MeasureSums::Mixing { .. } => mixing::COLUMNS.to_vec(),
            MeasureSums::Angle(_) => Angles::COLUMNS.to_vec(),
            MeasureSums::Group(_) => GroupImpulses::COLUMNS.to_vec(),
            MeasureSums::Bodies(choice) => thin_table::columns(choice, &BODY_COLUMNS),
            MeasureSums::Contacts(choice) => thin_table::columns(choice, &CONTACT_COLUMNS),
            MeasureSums::Wear(_) => WearSums::COLUMNS.to_vec(),
            MeasureSums::Sensors => sensors::COLUMNS.to_vec(),
        };
        COMMON_COLUMNS.iter().chain(before).chain(&own).copied().collect()
    }

    /// Takes a step in, and returns the rows of the interval that ends with it, if any.
    pub fn observe(&mut self, seen: &Observed<'_>, step: usize) -> Vec<Vec<Value>> {
        let h = seen.scene.time_step;
        let time = step as f64 * h;
        match &mut self.quantity {
            MeasureSums::Flow(flow) => flow.observe(seen),
            MeasureSums::Energy(energies) => energies.observe(seen),
            MeasureSums::Body(body) => body.observe(seen),
            MeasureSums::Residence(residence) => residence.observe(seen, time),
            MeasureSums::Field(field) => field.observe(seen),
            MeasureSums::Angle(angles) => angles.observe(seen),
            MeasureSums::Group(group) => group.observe(seen),
            MeasureSums::Wear(wear) => wear.observe(seen),
            // These need the last step alone.
            MeasureSums::Region { .. } | MeasureSums::Forces | MeasureSums::Poses(_) => {}
            MeasureSums::Mixing { .. } | MeasureSums::Bodies(_) | MeasureSums::Contacts(_) => {}
            MeasureSums::Sensors => {}
        }
        if step.is_multiple_of(self.steps) { self.rows(seen, step, self.steps) } else { Vec::new() }
    }

    /// The rows of the interval that the end of a run cuts, if one was begun.
    pub fn finish(&mut self, seen: &Observed<'_>, step: usize) -> Vec<Vec<Value>> {
        let left = step % self.steps;
        if left > 0 { self.rows(seen, step, left) } else { Vec::new() }
    }

    fn rows(&mut self, seen: &Observed<'_>, step: usize, steps: usize) -> Vec<Vec<Value>> {
        let h = seen.scene.time_step;
        let length = steps as f64 * h;
        let own: Vec<Vec<Value>> = match &mut self.quantity {
            MeasureSums::Flow(flow) => vec![flow.row(length)],
            MeasureSums::Region { region, cells: None } => vec![region::row(seen, region, h)],
            MeasureSums::Region { region, cells: Some(n) } => region::rows(seen, (region, *n), h),
            MeasureSums::Energy(energies) => vec![energies.row(seen)],
            MeasureSums::Forces => vec![forces::row(seen, h)],
            MeasureSums::Body(body) => vec![body.row(seen, length)],
            MeasureSums::Residence(residence) => vec![residence.row()],
            MeasureSums::Poses(poses) => poses.rows(seen),
            MeasureSums::Field(field) => field.rows(seen, length),
            MeasureSums::Mixing { cells, kinds } => vec![mixing::row(seen, cells, kinds)],
            MeasureSums::Angle(angles) => vec![angles.row()],
            MeasureSums::Group(group) => vec![group.row(seen, length)],
            MeasureSums::Bodies(choice) => thin_table::bodies(seen, choice),
            MeasureSums::Contacts(choice) => thin_table::contacts(seen, choice),
            MeasureSums::Wear(wear) => wear.rows(seen),
            MeasureSums::Sensors => sensors::rows(seen),
        };
        let front = || [Value::Count(step)].into_iter().chain(numbers([step as f64 * h]));
        own.into_iter().map(|row| front().chain(row).collect()).collect()
    }
}
