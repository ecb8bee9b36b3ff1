//! A measure in progress.

use super::body::OnBody;
use super::energy::Energies;
use super::flow::PlaneFlow;
use super::observed::Observed;
use super::residence::Residence;
use super::value::{Value, numbers};
use super::{forces, region};
use crate::scene::measure::{Measure, Quantity, Region};
use crate::scene::{Scene, State};
use serde::{Deserialize, Serialize};

/// Columns before those of the quantity.
const FRONT: [&str; 2] = ["step", "time"];

/// A measure in progress: what it sums up over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gauge {
    /// Steps of an interval.
    steps: usize,
    quantity: Sums,
}

/// Sums of an interval, of quantities that need some.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Sums {
    Flow(Box<PlaneFlow>),
    Region(Region),
    Energy(Energies),
    Forces,
    Body(OnBody),
    Residence(Residence),
}

impl Gauge {
    /// Of a scene at its start.
    pub fn new(measure: &Measure, scene: &Scene, state: &State) -> Self {
        let quantity = match &measure.quantity {
            Quantity::Flow { normal, offset, within } => {
                Sums::Flow(Box::new(PlaneFlow::new((*normal, *offset, *within), scene, state)))
            }
            Quantity::Region(region) => Sums::Region(*region),
            Quantity::Energy => Sums::Energy(Energies::new(scene, state)),
            Quantity::Forces => Sums::Forces,
            Quantity::Body(name) => Sums::Body(OnBody::new(name.clone())),
            Quantity::Residence => Sums::Residence(Residence::default()),
        };
        Self { steps: measure.steps(scene.time_step), quantity }
    }

    /// Its columns.
    pub fn columns(&self) -> Vec<&'static str> {
        let own: &[&str] = match &self.quantity {
            Sums::Flow(_) => &PlaneFlow::COLUMNS,
            Sums::Region(_) => &region::COLUMNS,
            Sums::Energy(_) => &Energies::COLUMNS,
            Sums::Forces => &forces::COLUMNS,
            Sums::Body(_) => &OnBody::COLUMNS,
            Sums::Residence(_) => &Residence::COLUMNS,
        };
        FRONT.iter().chain(own).copied().collect()
    }

    /// Takes a step in, and returns the row of the interval that ends with it, if one does.
    pub fn observe(&mut self, seen: &Observed<'_>, step: usize) -> Option<Vec<Value>> {
        let h = seen.scene.time_step;
        let time = step as f64 * h;
        match &mut self.quantity {
            Sums::Flow(flow) => flow.observe(seen),
            Sums::Energy(energies) => energies.observe(seen),
            Sums::Body(body) => body.observe(seen),
            Sums::Residence(residence) => residence.observe(seen, time),
            Sums::Region(_) | Sums::Forces => {}
        }
        step.is_multiple_of(self.steps).then(|| self.row(seen, step, self.steps))
    }

    /// The row of what is left at the end of a run, if an interval was begun.
    pub fn finish(&mut self, seen: &Observed<'_>, step: usize) -> Option<Vec<Value>> {
        let left = step % self.steps;
        (left > 0).then(|| self.row(seen, step, left))
    }

    fn row(&mut self, seen: &Observed<'_>, step: usize, steps: usize) -> Vec<Value> {
        let h = seen.scene.time_step;
        let length = steps as f64 * h;
        let own = match &mut self.quantity {
            Sums::Flow(flow) => flow.row(length),
            Sums::Region(region) => region::row(seen, region, h),
            Sums::Energy(energies) => energies.row(seen),
            Sums::Forces => forces::row(seen, h),
            Sums::Body(body) => body.row(seen, length),
            Sums::Residence(residence) => residence.row(),
        };
        let front = [Value::Count(step)].into_iter().chain(numbers([step as f64 * h]));
        front.chain(own).collect()
    }
}
