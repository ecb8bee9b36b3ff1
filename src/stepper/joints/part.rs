//! Rows of a joint that obey one law, and their derivatives.

use super::stiffness::{add_carried, add_couple, add_curvature};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Velocity;
use signorini_geometry::linkage::{CarriedForce, Gradient, LinkRow, Placement};
use signorini_ncp::linalg::BLOCK;

/// Role of the rows of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Equations that hold the bodies together.
    Equations,
    /// Prescribed motion of a coordinate (its index).
    Motion(usize),
    /// A motor (indices of its coordinate and of the motor at that coordinate).
    Motor(usize, usize),
    /// The inertia of a coordinate.
    Armature(usize),
    /// The lower limit.
    Lower(usize),
    /// The upper limit.
    Upper(usize),
    /// Mortar: a contact of its own, with its normal row first and friction rows.
    Mortar,
    /// A coupling by which a coordinate follows that of another joint (index among those of the joint). Its
    /// row reaches the bodies of both.
    Coupling(usize),
}

/// A row in units of length.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledRow {
    /// The equation or coordinate.
    pub row: LinkRow,
    /// ψ₀ of an equation, in units of the row.
    pub target: f64,
    /// 1, or L where the row is an angle; negative for an upper limit.
    pub scale: f64,
}

impl ScaledRow {
    /// Whether the unit of the row is rad.
    pub fn is_angle(&self) -> bool {
        matches!(self.row, LinkRow::Square { .. } | LinkRow::Turn { .. })
    }
}

/// Both bodies of a joint at the start of a (sub)step.
#[derive(Debug, Clone, Copy)]
pub struct JointStart {
    /// Placement of both bodies.
    pub at: [Placement; 2],
    /// Velocity of both bodies.
    pub velocity: [Velocity; 2],
}

/// Rows with one cone.
#[derive(Debug, Clone)]
pub struct Part {
    /// Role of the rows.
    pub role: Role,
    pub(super) rows: Vec<ScaledRow>,
}

impl Part {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Writes force directions of the moving sides, each side's rows from its place in `out` on.
    pub fn write_jacobian(&self, at: &[Placement; 2], places: &[Option<usize>; 2], out: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            let gradient = row.row.gradient(at);
            for (Gradient { linear, angular }, place) in gradient.iter().zip(places) {
                let Some(place) = place else { continue };
                let out = &mut out[place + BLOCK * i..][..BLOCK];
                out[..3].copy_from_slice((linear * row.scale).as_slice());
                out[3..].copy_from_slice((angular * row.scale).as_slice());
            }
        }
    }

    /// Turns the gradients at the end into ∂ψ/∂v over h: angular parts go through J_l.
    pub fn turn_response(
        &self,
        turn: &[Option<&Matrix3<f64>>; 2],
        places: &[Option<usize>; 2],
        out: &mut [f64],
    ) {
        for (turn, place) in turn.iter().zip(places) {
            let (Some(turn), Some(place)) = (turn, place) else { continue };
            for row in out[*place..][..BLOCK * self.rows.len()].chunks_exact_mut(BLOCK) {
                let angular = Vector3::from_column_slice(&row[3..]);
                row[3..].copy_from_slice(turn.tr_mul(&angular).as_slice());
            }
        }
    }

    /// Rate of the first row at the start of a step (m/s).
    pub fn start_rate(&self, start: &JointStart) -> f64 {
        let of = |g: &Gradient, v: &Velocity| g.linear.dot(&v.linear) + g.angular.dot(&v.angular);
        let row = &self.rows[0];
        let gradient = row.row.gradient(&start.at);
        row.scale * gradient.iter().zip(&start.velocity).map(|(g, v)| of(g, v)).sum::<f64>()
    }

    /// Adds J v of one side with the geometry at `at`.
    pub fn add_rate(&self, side: usize, at: &[Placement; 2], v: &Velocity, out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let g = row.row.gradient(at)[side];
            *out += row.scale * (g.linear.dot(&v.linear) + g.angular.dot(&v.angular));
        }
    }

    /// Adds K = ∂(Jᵀ x)/∂v at fixed x to a (6k × 6k) row-major block over the moving bodies; `turn` is J_l of
    /// each side, None for a held one.
    pub fn add_stiffness(
        &self,
        at: &[Placement; 2],
        turn: &[Option<&Matrix3<f64>>; 2],
        h: f64,
        x: &[f64],
        out: &mut [f64],
    ) {
        let (mut force, mut along) = (Vector3::zeros(), None);
        let (mut couple, mut turned) = ([Matrix3::zeros(); 2], false);
        for (row, x) in self.rows.iter().zip(x).filter(|(_, x)| **x != 0.0) {
            let x = x * row.scale;
            match row.row {
                // Forces at one point along directions of A are one force, and torques one torque.
                LinkRow::Along { direction, anchors } => {
                    force += direction * x;
                    along = Some(anchors);
                }
                LinkRow::Square { .. } | LinkRow::Turn { .. } => {
                    let slope = row.row.couple_slope(at);
                    couple = [0, 1].map(|k| couple[k] + slope[k] * x);
                    turned = true;
                }
                LinkRow::Length { .. } => add_curvature(&row.row.curvature(at), turn, x * h, out),
            }
        }
        if let Some(anchors) = along {
            add_carried(&CarriedForce::new(at, &force, &anchors), turn, h, out);
        }
        if turned {
            add_couple(&couple, turn, h, out);
        }
    }
}
