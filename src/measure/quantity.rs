//! A measure in progress.

use super::body::OnBody;
use super::energy::Energies;
use super::flow::PlaneFlow;
use super::observed::Observed;
use super::poses::Poses;
use super::residence::Residence;
use super::value::{Value, numbers};
use super::{forces, region};
use serde::{Deserialize, Serialize};
use signorini_scene::scene::measure::{Measure, Quantity, Region};
use signorini_scene::scene::{Scene, State};

/// Columns before those of the quantity.
const FRONT: [&str; 2] = ["step", "time"];

/// A measure in progress, with its sums over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gauge {
    /// Steps of an interval.
    steps: usize,
    quantity: Sums,
}

/// Sums over an interval, of quantities that need some.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Sums {
    Flow(Box<PlaneFlow>),
    Region { region: Region, cells: Option<[usize; 3]> },
    Energy(Energies),
    Forces,
    Body(OnBody),
    Residence(Residence),
    Poses(Poses),
}

impl Gauge {
    /// The measure of a scene at its start.
    pub fn new(measure: &Measure, scene: &Scene, state: &State) -> Self {
        let quantity = match &measure.quantity {
            Quantity::Flow { normal, offset, within } => {
                Sums::Flow(Box::new(PlaneFlow::new((*normal, *offset, *within), scene, state)))
            }
            Quantity::Region { region, cells } => Sums::Region { region: *region, cells: *cells },
            Quantity::Energy => Sums::Energy(Energies::new(scene, state)),
            Quantity::Forces => Sums::Forces,
            Quantity::Body(name) => Sums::Body(OnBody::new(name.clone())),
            Quantity::Residence => Sums::Residence(Residence::default()),
            Quantity::Poses => Sums::Poses(Poses::default()),
        };
        Self { steps: measure.steps(scene.time_step), quantity }
    }

    /// Names of its columns.
    pub fn columns(&self) -> Vec<&'static str> {
        let own: &[&str] = match &self.quantity {
            Sums::Flow(_) => &PlaneFlow::COLUMNS,
            Sums::Region { .. } => &region::COLUMNS,
            Sums::Poses(_) => &Poses::COLUMNS,
            Sums::Energy(_) => &Energies::COLUMNS,
            Sums::Forces => &forces::COLUMNS,
            Sums::Body(_) => &OnBody::COLUMNS,
            Sums::Residence(_) => &Residence::COLUMNS,
        };
        let cell: &[&str] = match &self.quantity {
            Sums::Region { cells: Some(_), .. } => &region::CELL,
            _ => &[],
        };
        FRONT.iter().chain(cell).chain(own).copied().collect()
    }

    /// Takes a step in, and returns the rows of the interval that ends with it, if any.
    pub fn observe(&mut self, seen: &Observed<'_>, step: usize) -> Vec<Vec<Value>> {
        let h = seen.scene.time_step;
        let time = step as f64 * h;
        match &mut self.quantity {
            Sums::Flow(flow) => flow.observe(seen),
            Sums::Energy(energies) => energies.observe(seen),
            Sums::Body(body) => body.observe(seen),
            Sums::Residence(residence) => residence.observe(seen, time),
            Sums::Region { .. } | Sums::Forces | Sums::Poses(_) => {}
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
            Sums::Flow(flow) => vec![flow.row(length)],
            Sums::Region { region, cells: None } => vec![region::row(seen, region, h)],
            Sums::Region { region, cells: Some(n) } => region::rows(seen, (region, *n), h),
            Sums::Energy(energies) => vec![energies.row(seen)],
            Sums::Forces => vec![forces::row(seen, h)],
            Sums::Body(body) => vec![body.row(seen, length)],
            Sums::Residence(residence) => vec![residence.row()],
            Sums::Poses(poses) => poses.rows(seen),
        };
        let front = || [Value::Count(step)].into_iter().chain(numbers([step as f64 * h]));
        own.into_iter().map(|row| front().chain(row).collect()).collect()
    }
}
