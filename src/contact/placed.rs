//! A body of a pair at a pose.

use crate::contact::part_model::{MovedPart, PartModel};
use nalgebra::Vector3;

/// A body of the pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// Model of the part.
    pub model: &'a PartModel,
    /// Placement of the part.
    pub moved: &'a MovedPart,
    /// Vector from the part to the image of it that is meant, in a periodic box (m).
    pub shift: Option<Vector3<f64>>,
}

impl<'a> Placed<'a> {
    /// Places the part itself, none of its images.
    pub fn new(model: &'a PartModel, moved: &'a MovedPart) -> Self {
        Self { model, moved, shift: None }
    }

    /// Vector from the centre of mass of this body to that of another (m).
    pub fn way_to(&self, other: &Placed<'_>) -> Vector3<f64> {
        let way = other.moved.position - self.moved.position;
        if self.shift.is_none() && other.shift.is_none() {
            return way;
        }
        way + (other.shift.unwrap_or_default() - self.shift.unwrap_or_default())
    }

    /// Separation g(n) = n·(x_B − x_A) − h_A(n) − h_B(−n) of B from this body, A, along the unit vector n
    /// (m), a lower bound of their gap for any n.
    pub fn separation_along(&self, other: &Placed<'_>, n: &Vector3<f64>) -> f64 {
        let apart = n.dot(&self.way_to(other));
        apart - self.model.support_width(self.moved, n) - other.model.support_width(other.moved, &-n)
    }
}
