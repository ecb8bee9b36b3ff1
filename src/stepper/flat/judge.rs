//! Sizes that the energy check compares, of an island in flat arrays.

use crate::stepper::flat::FlatIsland;
use crate::stepper::parameters::BODIES_PER_CHUNK;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use signorini_flat::Body;

impl FlatIsland {
    /// Size √(v·A v) of the velocities found.
    pub fn size(&self) -> f64 {
        self.sum(|i, body| squared(body, self.solver.velocity(i))).sqrt()
    }

    /// The largest speed at which bodies on guides are held (m/s).
    pub fn held_speed(&self) -> f64 {
        let holds = self.arrays.guided.iter().filter_map(|guided| guided.hold());
        holds.map(|[speed, _]| speed.abs()).fold(0.0, f64::max)
    }

    /// Size of the free motion.
    pub fn free_size(&self) -> f64 {
        self.sum(|_, body| squared(body, body.free)).sqrt()
    }

    /// Sum over the bodies, portion by portion, for any number of threads.
    fn sum(&self, of: impl Fn(usize, &Body) -> f64 + Sync) -> f64 {
        let portions = self.arrays.bodies.par_chunks(BODIES_PER_CHUNK).enumerate();
        let over = |(k, bodies): (usize, &[Body])| {
            bodies.iter().zip(BODIES_PER_CHUNK * k..).map(|(body, i)| of(i, body)).sum::<f64>()
        };
        portions.map(over).collect::<Vec<f64>>().iter().sum()
    }
}

/// v·A v of a body.
fn squared(body: &Body, [linear, angular]: [[f64; 3]; 2]) -> f64 {
    let (linear, angular) = (Vector3::from(linear), Vector3::from(angular));
    let along = Matrix3::from_row_slice(&body.rotation).tr_mul(&angular);
    body.mass * linear.norm_squared() + along.component_mul(&along).dot(&Vector3::from(body.moments))
}
