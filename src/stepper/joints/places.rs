//! Derivatives of the rows of joints with the places of the joint's frames in its bodies (theory §17.8).
//!
//! An anchor that moves is a body that moves whose centre of mass stays; a frame that turns is a body that
//! turns whose anchor stays.

use super::part::Part;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_geometry::pose::cross_matrix;
use signorini_ncp::linalg::BLOCK;

/// Entries of both places: anchor and turn in A, anchor and turn in B, in the axes of the bodies.
pub const PLACES: usize = 2 * BLOCK;

/// Derivatives by both places, of force and torque on A, then on B, at a unit impulse, and of the value.
#[derive(Debug, Clone, Copy)]
pub struct PlaceSlopes {
    pub force: SMatrix<f64, PLACES, PLACES>,
    pub value: SVector<f64, PLACES>,
}

/// Which derivatives of a row at two placements: [`PlaceSlopes::of`] or [`PlaceSlopes::of_bodies`].
pub type SlopesOf = fn(&LinkRow, &[Placement; 2]) -> PlaceSlopes;

impl PlaceSlopes {
    /// Of a row at two placements.
    pub fn of(row: &LinkRow, at: &[Placement; 2]) -> Self {
        let (curvature, gradient) = (row.curvature(at), row.gradient(at));
        let anchors = match row {
            LinkRow::Along { anchors, .. } | LinkRow::Length { anchors } => *anchors,
            LinkRow::Square { .. } | LinkRow::Turn { .. } => [Vector3::zeros(); 2],
        };
        let mut out = Self { force: SMatrix::zeros(), value: SVector::zeros() };
        for side in 0..2 {
            let rotation = &at[side].rotation;
            let arm = rotation * anchors[side];
            let [linear, angular] = [gradient[side].linear, gradient[side].angular];
            for (part, by) in curvature.iter().enumerate() {
                let mut moved = by[2 * side];
                if part == 2 * side + 1 {
                    moved -= cross_matrix(&linear);
                }
                let turned = by[2 * side + 1] + moved * cross_matrix(&arm);
                out.put(part, 2 * side, &(moved * rotation));
                out.put(part, 2 * side + 1, &(turned * rotation));
            }
            let values = [linear, angular - arm.cross(&linear)];
            for (k, value) in values.iter().enumerate() {
                out.value.fixed_rows_mut::<3>(BLOCK * side + 3 * k).copy_from(&rotation.tr_mul(value));
            }
        }
        out
    }

    /// Derivatives by displacements of both bodies, δc and δθ in world axes, in the same order.
    pub fn of_bodies(row: &LinkRow, at: &[Placement; 2]) -> Self {
        let mut out = Self { force: SMatrix::zeros(), value: SVector::zeros() };
        for (part, by) in row.curvature(at).iter().enumerate() {
            by.iter().enumerate().for_each(|(column, block)| out.put(part, column, block));
        }
        for (side, gradient) in row.gradient(at).iter().enumerate() {
            out.value.fixed_rows_mut::<3>(BLOCK * side).copy_from(&gradient.linear);
            out.value.fixed_rows_mut::<3>(BLOCK * side + 3).copy_from(&gradient.angular);
        }
        out
    }

    fn put(&mut self, row: usize, column: usize, block: &Matrix3<f64>) {
        self.force.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(block);
    }
}

impl Part {
    /// Derivatives of row i, in its unit.
    pub fn place_slopes(&self, i: usize, at: &[Placement; 2], of: SlopesOf) -> PlaceSlopes {
        let PlaceSlopes { force, value } = of(&self.rows[i].row, at);
        let scale = self.rows[i].scale;
        PlaceSlopes { force: force * scale, value: value * scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use signorini_geometry::linkage::Gradient;

    fn turn(v: Vector3<f64>) -> Matrix3<f64> {
        Rotation3::from_scaled_axis(v).into_inner()
    }

    fn at() -> [Placement; 2] {
        let place = |x: f64, y: f64| Placement {
            position: Vector3::new(x, 0.2, y),
            rotation: turn(Vector3::new(y, x, -0.6)),
        };
        [place(1.0, -0.4), place(0.4, 0.3)]
    }

    /// The rows of a joint whose frames have moved by entries of both places.
    fn rows(moved: &SVector<f64, PLACES>) -> [LinkRow; 4] {
        let part = |k: usize| moved.fixed_rows::<3>(3 * k).into_owned();
        let frame = |side: usize, tilt: Vector3<f64>| turn(part(2 * side + 1)) * turn(tilt);
        let (a, b) = (frame(0, Vector3::new(0.3, 0.1, -0.9)), frame(1, Vector3::new(-0.5, 0.7, 0.2)));
        let anchors = [Vector3::new(0.3, -0.2, 0.5) + part(0), Vector3::new(-0.1, 0.4, 0.2) + part(2)];
        let column = |m: &Matrix3<f64>, i: usize| m.column(i).into_owned();
        [
            LinkRow::Along { direction: column(&a, 2), anchors },
            LinkRow::Square { a: column(&a, 2), b: column(&b, 0) },
            LinkRow::Turn { u: column(&a, 0), v: column(&a, 1), b: column(&b, 0) },
            LinkRow::Length { anchors },
        ]
    }

    #[test]
    fn slopes_are_derivatives_with_the_places() {
        let stacked = |[a, b]: [Gradient; 2]| {
            let parts = [a.linear, a.angular, b.linear, b.angular];
            SVector::<f64, PLACES>::from_fn(|i, _| parts[i / 3][i % 3])
        };
        let (at, step) = (at(), 1e-6);
        for k in 0..4 {
            let slopes = PlaceSlopes::of(&rows(&SVector::zeros())[k], &at);
            for j in 0..PLACES {
                let [up, down] = [step, -step].map(|by| {
                    let mut moved = SVector::zeros();
                    moved[j] = by;
                    rows(&moved)[k]
                });
                let value = (up.value(&at) - down.value(&at)) / (2.0 * step);
                assert!((value - slopes.value[j]).abs() < 1e-9, "{up:?} {j}: {value}");
                let force = (stacked(up.gradient(&at)) - stacked(down.gradient(&at))) / (2.0 * step);
                assert!((force - slopes.force.column(j)).amax() < 1e-9, "{up:?} {j}: {force}");
            }
        }
    }
}
