//! A body of a pair at a pose.

use crate::contact::part_model::{MovedPart, PartModel};
use nalgebra::Vector3;

/// A body of the pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// What it is.
    pub model: &'a PartModel,
    /// Where it is.
    pub moved: &'a MovedPart,
}

impl Placed<'_> {
    /// g(n) = n·(x_B − x_A) − h_A(n) − h_B(−n): how far B is from this body, A, along the unit vector n (m).
    /// A lower bound of their gap for any n.
    pub fn separation_along(&self, other: &Placed<'_>, n: &Vector3<f64>) -> f64 {
        let apart = n.dot(&(other.moved.position - self.moved.position));
        apart - self.model.support_width(self.moved, n) - other.model.support_width(other.moved, &-n)
    }
}
