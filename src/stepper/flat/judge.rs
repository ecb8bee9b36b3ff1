//! Sizes that the energy check compares, of an island in flat arrays.

use crate::stepper::flat::FlatIsland;
use nalgebra::{Matrix3, Vector3};
use signorini_flat::Body;

impl FlatIsland {
    /// Size √(v·A v) of the velocities found.
    pub fn size(&self) -> f64 {
        let bodies = self.arrays.bodies.iter().enumerate();
        bodies.map(|(i, body)| squared(body, self.solver.velocity(i))).sum::<f64>().sqrt()
    }

    /// The largest speed at which bodies on guides are held (m/s).
    pub fn held_speed(&self) -> f64 {
        let holds = self.arrays.guided.iter().filter_map(|guided| guided.hold());
        holds.map(|[speed, _]| speed.abs()).fold(0.0, f64::max)
    }

    /// Size of the free motion.
    pub fn free_size(&self) -> f64 {
        self.arrays.bodies.iter().map(|body| squared(body, body.free)).sum::<f64>().sqrt()
    }
}

/// v·A v of a body.
fn squared(body: &Body, [linear, angular]: [[f64; 3]; 2]) -> f64 {
    let (linear, angular) = (Vector3::from(linear), Vector3::from(angular));
    let along = Matrix3::from_row_slice(&body.rotation).tr_mul(&angular);
    body.mass * linear.norm_squared() + along.component_mul(&along).dot(&Vector3::from(body.moments))
}
