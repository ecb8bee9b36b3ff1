//! Scalar rows between two frames, of which joints are made: value, gradient with the poses, and the
//! derivative of the gradient with the poses.
//!
//! Poses vary by δc and δθ in world axes, δR = δθ × R. Body A is side 0, body B side 1; vectors of a row are
//! in the axes of the body they belong to, anchors in its frame.

use super::pose::cross_matrix;
use nalgebra::{Matrix3, Vector3};

/// A frame of a row: origin (m) and rotation matrix, world.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// c.
    pub position: Vector3<f64>,
    /// R.
    pub rotation: Matrix3<f64>,
}

/// One scalar function of two poses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkRow {
    /// d·(x_b − x_a) (m), d fixed in A.
    Along {
        /// d, unit, of A.
        direction: Vector3<f64>,
        /// x_a, x_b.
        anchors: [Vector3<f64>; 2],
    },
    /// a·b (1): the sine of how far two directions are from a right angle.
    Square {
        /// a, unit, of A.
        a: Vector3<f64>,
        /// b, unit, of B.
        b: Vector3<f64>,
    },
    /// atan2(v·b, u·b) (rad): the angle of b from u towards v.
    Turn {
        /// u, unit, of A.
        u: Vector3<f64>,
        /// v, unit, of A, at a right angle to u.
        v: Vector3<f64>,
        /// b, unit, of B.
        b: Vector3<f64>,
    },
    /// |x_b − x_a| (m).
    Length {
        /// x_a, x_b.
        anchors: [Vector3<f64>; 2],
    },
}

/// Derivative with one pose: δvalue = linear·δc + angular·δθ. It is also the force and torque of a unit of
/// impulse.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Gradient {
    /// Along δc.
    pub linear: Vector3<f64>,
    /// Along δθ.
    pub angular: Vector3<f64>,
}

/// Derivative of a pair of gradients with the poses: entry [(i, j)] is the 3×3 block of gradient part i with
/// pose part j, parts in the order (linear A, angular A, linear B, angular B).
pub type Curvature = [[Matrix3<f64>; 4]; 4];

/// Lengths below this (m) have no direction.
const NO_LENGTH: f64 = 1e-12;

impl LinkRow {
    /// Value at two placements.
    pub fn value(&self, at: &[Placement; 2]) -> f64 {
        match self {
            LinkRow::Along { direction, anchors } => {
                (at[0].rotation * direction).dot(&Ends::new(at, anchors).apart())
            }
            LinkRow::Square { a, b } => (at[0].rotation * a).dot(&(at[1].rotation * b)),
            LinkRow::Turn { u, v, b } => {
                let b = at[1].rotation * b;
                (at[0].rotation * v).dot(&b).atan2((at[0].rotation * u).dot(&b))
            }
            LinkRow::Length { anchors } => Ends::new(at, anchors).apart().norm(),
        }
    }

    /// Gradients of both sides.
    pub fn gradient(&self, at: &[Placement; 2]) -> [Gradient; 2] {
        match self {
            LinkRow::Along { direction, anchors } => {
                let (d, ends) = (at[0].rotation * direction, Ends::new(at, anchors));
                // The direction turns with A: its force acts at the point of B on both bodies.
                let arm_a = ends.arms[0] + ends.apart();
                [opposite(&d, &arm_a), Gradient { linear: d, angular: ends.arms[1].cross(&d) }]
            }
            LinkRow::Square { a, b } => couple((at[1].rotation * b).cross(&(at[0].rotation * a))),
            LinkRow::Turn { u, v, b } => {
                let [u, v, b] = [at[0].rotation * u, at[0].rotation * v, at[1].rotation * b];
                let (p, q) = (u.dot(&b), v.dot(&b));
                couple((b.cross(&v) * p - b.cross(&u) * q) / (p * p + q * q))
            }
            LinkRow::Length { anchors } => {
                let ends = Ends::new(at, anchors);
                let e = ends.apart().try_normalize(NO_LENGTH).unwrap_or_default();
                [opposite(&e, &ends.arms[0]), Gradient { linear: e, angular: ends.arms[1].cross(&e) }]
            }
        }
    }

    /// Derivative of the gradients with the poses.
    pub fn curvature(&self, at: &[Placement; 2]) -> Curvature {
        match self {
            LinkRow::Along { direction, anchors } => {
                let carried = CarriedForce::new(at, direction, anchors);
                let (zero, one) = (Matrix3::zeros(), Matrix3::identity());
                let turned_a = carried.turned_a(&one);
                let turned_b = carried.turned_b(&one);
                let moved = carried.moved_b();
                let mut found = turned_a.map(|block| [zero, block, zero, zero]);
                (found[1][0], found[1][2], found[1][3]) = (-moved, moved, -turned_b);
                found[3][3] = turned_b;
                found
            }
            LinkRow::Length { anchors } => {
                let ends = Ends::new(at, anchors);
                let length = ends.apart().norm();
                let zero = Matrix3::zeros();
                let points = ends.arms.map(|arm| -cross_matrix(&arm));
                let Some(e) = ends.apart().try_normalize(NO_LENGTH) else { return [[zero; 4]; 4] };
                let flat = (Matrix3::identity() - e * e.transpose()) / length;
                let turned = [-flat, -flat * points[0], flat, flat * points[1]];
                let arms = [[zero, points[0], zero, zero], [zero, zero, zero, points[1]]];
                point_forces(&e, &turned, [&ends.arms[0], &ends.arms[1]], [&arms[0], &arms[1]])
            }
            LinkRow::Square { .. } | LinkRow::Turn { .. } => couple_curvature(&self.couple_slope(at)),
        }
    }

    /// Of rows that are angles, whose gradients are a torque on B and its opposite on A: derivative of the
    /// torque with (δθ_a, δθ_b). Zero for the others.
    pub fn couple_slope(&self, at: &[Placement; 2]) -> [Matrix3<f64>; 2] {
        match self {
            LinkRow::Square { a, b } => square_slope(&(at[0].rotation * a), &(at[1].rotation * b)),
            LinkRow::Turn { u, v, b } => {
                let [u, v, b] = [at[0].rotation * u, at[0].rotation * v, at[1].rotation * b];
                let (p, q) = (u.dot(&b), v.dot(&b));
                let square = p * p + q * q;
                let (t_u, t_v) = (b.cross(&u), b.cross(&v));
                let torque = (t_v * p - t_u * q) / square;
                let (s_u, s_v) = (square_slope(&u, &b), square_slope(&v, &b));
                // δp = t_u·(δθ_b − δθ_a), and so for q.
                [0, 1].map(|k| {
                    let sign = if k == 0 { -1.0 } else { 1.0 };
                    let spread = (t_u * p + t_v * q) * 2.0;
                    ((t_v * t_u.transpose() - t_u * t_v.transpose()) * sign + s_v[k] * p
                        - s_u[k] * q
                        - torque * spread.transpose() * sign)
                        / square
                })
            }
            LinkRow::Along { .. } | LinkRow::Length { .. } => [Matrix3::zeros(); 2],
        }
    }
}

/// A force F (world) that is fixed in A and acts at B's anchor: F on B, −F on A at the same point. How (force
/// and torque on A, force and torque on B) turn with the poses, block by block where it is not zero.
#[derive(Debug, Clone, Copy)]
pub struct CarriedForce {
    force: Matrix3<f64>,
    arms: [Vector3<f64>; 2],
}

impl CarriedForce {
    /// `force` and anchors as in [`LinkRow::Along`].
    pub fn new(at: &[Placement; 2], force: &Vector3<f64>, anchors: &[Vector3<f64>; 2]) -> Self {
        let arm = at[1].rotation * anchors[1];
        Self {
            force: cross_matrix(&(at[0].rotation * force)),
            arms: [at[1].position + arm - at[0].position, arm],
        }
    }

    /// All four with x where δθ_a = J x: F turns with A.
    pub fn turned_a(&self, turn: &Matrix3<f64>) -> [Matrix3<f64>; 4] {
        let turned = self.force * turn;
        let [a, b] = self.arms.map(|arm| cross_matrix(&arm) * turned);
        [turned, a, -turned, -b]
    }

    /// Torque on B with x where δθ_b = J x; that on A is its opposite: the anchor moves.
    pub fn turned_b(&self, turn: &Matrix3<f64>) -> Matrix3<f64> {
        self.force * (cross_matrix(&self.arms[1]) * turn)
    }

    /// Torque on A with δc_b; with δc_a it is the opposite.
    pub fn moved_b(&self) -> Matrix3<f64> {
        self.force
    }
}

/// Arms from the origins to the anchors, world axes, and the origins' difference.
struct Ends {
    arms: [Vector3<f64>; 2],
    offset: Vector3<f64>,
}

impl Ends {
    fn new(at: &[Placement; 2], anchors: &[Vector3<f64>; 2]) -> Self {
        Self { arms: [0, 1].map(|k| at[k].rotation * anchors[k]), offset: at[1].position - at[0].position }
    }

    fn apart(&self) -> Vector3<f64> {
        self.offset + self.arms[1] - self.arms[0]
    }
}

/// The force −d at an arm of A.
fn opposite(d: &Vector3<f64>, arm: &Vector3<f64>) -> Gradient {
    Gradient { linear: -d, angular: -arm.cross(d) }
}

/// A torque on B and its opposite on A.
fn couple(torque: Vector3<f64>) -> [Gradient; 2] {
    let on_b = Gradient { linear: Vector3::zeros(), angular: torque };
    [Gradient { angular: -torque, ..on_b }, on_b]
}

/// Derivative of b × a with (δθ_a, δθ_b).
fn square_slope(a: &Vector3<f64>, b: &Vector3<f64>) -> [Matrix3<f64>; 2] {
    let (a, b) = (cross_matrix(a), cross_matrix(b));
    [-b * a, a * b]
}

fn couple_curvature(slope: &[Matrix3<f64>; 2]) -> Curvature {
    let zero = Matrix3::zeros();
    let row = [zero, slope[0], zero, slope[1]];
    [[zero; 4], row.map(|m| -m), [zero; 4], row]
}

/// Derivative of (−d, −r_a × d, d, r_b × d) for given derivatives of d and of the arms.
fn point_forces(
    d: &Vector3<f64>,
    turned: &[Matrix3<f64>; 4],
    arms: [&Vector3<f64>; 2],
    moved: [&[Matrix3<f64>; 4]; 2],
) -> Curvature {
    let force = cross_matrix(d);
    let torque = |k: usize| {
        let arm = cross_matrix(arms[k]);
        [0, 1, 2, 3].map(|j| arm * turned[j] - force * moved[k][j])
    };
    [turned.map(|m| -m), torque(0).map(|m| -m), *turned, torque(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Rotation3, Unit};

    fn rows() -> [LinkRow; 4] {
        let anchors = [Vector3::new(0.3, -0.2, 0.5), Vector3::new(-0.1, 0.4, 0.2)];
        let unit = |x, y, z| Vector3::new(x, y, z).normalize();
        let u = unit(0.2, 0.9, -0.3);
        let v = u.cross(&unit(0.5, 0.1, 0.7)).normalize();
        [
            LinkRow::Along { direction: unit(0.6, 0.2, -0.4), anchors },
            LinkRow::Square { a: unit(0.1, -0.7, 0.6), b: unit(0.8, 0.3, 0.2) },
            LinkRow::Turn { u, v, b: unit(-0.4, 0.5, 0.9) },
            LinkRow::Length { anchors },
        ]
    }

    fn start() -> [Placement; 2] {
        let turn = |x, y, z| Rotation3::from_scaled_axis(Vector3::new(x, y, z)).into_inner();
        [
            Placement { position: Vector3::new(1.0, 0.2, -0.4), rotation: turn(0.3, 1.1, -0.6) },
            Placement { position: Vector3::new(0.4, 1.3, 0.1), rotation: turn(-0.9, 0.2, 0.5) },
        ]
    }

    /// Part j (0 to 11) of both poses varied by `step`.
    fn varied(j: usize, step: f64) -> [Placement; 2] {
        let mut at = start();
        let side = &mut at[j / 6];
        let axis = Vector3::ith_axis(j % 3);
        if j % 6 < 3 {
            side.position += axis.into_inner() * step;
        } else {
            let axis = Unit::new_normalize(axis.into_inner());
            side.rotation = Rotation3::from_axis_angle(&axis, step).into_inner() * side.rotation;
        }
        at
    }

    fn stacked(gradient: [Gradient; 2]) -> Vec<f64> {
        let parts = gradient.into_iter().flat_map(|g| [g.linear, g.angular]);
        parts.flat_map(|v| v.iter().copied().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn gradients_and_curvatures_are_derivatives() {
        let step = 1e-6;
        for row in rows() {
            let (gradient, curvature) = (stacked(row.gradient(&start())), row.curvature(&start()));
            for j in 0..12 {
                let (up, down) = (varied(j, step), varied(j, -step));
                let slope = (row.value(&up) - row.value(&down)) / (2.0 * step);
                assert!((slope - gradient[j]).abs() < 1e-9, "{row:?} part {j}: {slope} {}", gradient[j]);
                let (up, down) = (stacked(row.gradient(&up)), stacked(row.gradient(&down)));
                for i in 0..12 {
                    let slope = (up[i] - down[i]) / (2.0 * step);
                    let exact = curvature[i / 3][j / 3][(i % 3, j % 3)];
                    assert!((slope - exact).abs() < 1e-8, "{row:?} {i} {j}: {slope} against {exact}");
                }
            }
        }
    }
}
