//! Vectors of all bodies of an island, and its cones.

use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Vector3, Vector6};
use signorini_ncp::linalg::{BLOCK, Lanes};

/// A linear and an angular vector in the order of a row.
pub fn stacked(linear: &Vector3<f64>, angular: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// Writes the vector of a body into a lane.
pub fn put(lane: usize, vector: &Vector6<f64>, to: &mut [Lanes]) {
    to.iter_mut().zip(vector.iter()).for_each(|(to, x)| to[lane] = *x);
}

/// The vector of a body in a lane.
pub fn vector_of(lane: usize, from: &[Lanes]) -> Vector6<f64> {
    Vector6::from_fn(|k, _| from[k][lane])
}

/// The blocks of all bodies in one vector.
pub fn of_bodies(blocks: impl Iterator<Item = Vector6<f64>>) -> Vec<f64> {
    blocks.flat_map(<[f64; BLOCK]>::from).collect()
}

/// Alignment of normals and bodies of each cone.
pub fn cones_of(of: &IslandProblem, context: &StepContext<'_>) -> (Vec<f64>, Vec<[usize; 2]>) {
    let contacts = of.pairs.iter().map(|pair| (pair.geometry.alignment, [pair.body_a, pair.body_b]));
    let joints = of.joint_memory.iter().map(|link| &context.joints[link.joint]);
    let parts = joints.flat_map(|joint| joint.parts.iter().map(|_| (0.0, joint.bodies)));
    let mut all: Vec<_> = contacts.chain(parts).collect();
    // The coefficient of rolling resistance is one of its own.
    let rolls = of.problem.cones.iter().filter_map(|cone| cone.rolls_with);
    let rolling: Vec<_> = rolls.map(|c| (0.0, all[c].1)).collect();
    all.extend(rolling);
    all.into_iter().unzip()
}
