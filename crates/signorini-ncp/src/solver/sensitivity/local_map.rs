//! The equations of one cone in its status, as matrices over its rows: dx = C dx̂ − G dy + m dμ + B dβ.

use crate::linalg::strips;
use crate::problem::{Cone, ContactProblem};
use crate::solver::law::{ContactStatus, Law};
use crate::solver::parameters::sensitivity::SENSITIVITY_RHO;
use pulp::Simd;

/// Vectors over all rows of a problem, zero between two cones.
#[derive(Debug)]
pub struct Scratch {
    unit: Vec<f64>,
    zero: Vec<f64>,
    out: Vec<f64>,
}

impl Scratch {
    /// For so many rows.
    pub fn new(n_rows: usize) -> Self {
        let [unit, zero, out] = [(); 3].map(|()| vec![0.0; n_rows]);
        Self { unit, zero, out }
    }
}

/// The matrices of a cone. Those of rolling resistance look at the normal rows of their contact as well.
#[derive(Debug, Clone)]
pub struct LocalMap {
    /// Rows that they look at, and those that they give, the last ones of these.
    rows: Vec<usize>,
    n_out: usize,
    /// C and G, row by row: a row for each row that they give.
    centre: Vec<f64>,
    slip: Vec<f64>,
    /// m.
    friction: Vec<f64>,
    /// B, row by row; empty where all bounds stand still ([`moves`]).
    bound: Vec<f64>,
    /// Whether C and G are 0.
    is_open: bool,
}

impl LocalMap {
    /// Of cone c at impulses x with the statuses of a law.
    pub fn new(at: (&ContactProblem, &Law, &[f64]), c: usize, scratch: &mut Scratch) -> Self {
        let (problem, law, x) = at;
        let cone = &problem.cones[c];
        let own: Vec<usize> = cone.normal().chain(cone.friction()).chain(cone.shift()).collect();
        let mut rows: Vec<usize> = match cone.rolls_with {
            Some(_) => problem.carrier(cone).normal().collect(),
            None => Vec::new(),
        };
        let n_out = own.len();
        rows.extend(own);
        let law = Statuses { problem, law, x, cone, c };
        let (n, first) = (rows.len(), rows.len() - n_out);
        let Scratch { unit, zero, out } = scratch;
        let [mut centre, mut slip] = [(); 2].map(|()| vec![0.0; n_out * n]);
        let has_moving_bounds = problem.carrier(cone).normal().any(|row| moves(problem.bounds[row]));
        let mut bound = vec![0.0; if has_moving_bounds { n_out * n } else { 0 }];
        for (k, row) in rows.iter().enumerate() {
            unit[*row] = 1.0;
            law.change([unit, zero, zero], 0.0, out);
            (0..n_out).for_each(|i| centre[i * n + k] = out[rows[first + i]]);
            law.change([zero, unit, zero], 0.0, out);
            (0..n_out).for_each(|i| slip[i * n + k] = -out[rows[first + i]]);
            if has_moving_bounds {
                law.change([zero, zero, unit], 0.0, out);
                (0..n_out).for_each(|i| bound[i * n + k] = out[rows[first + i]]);
            }
            unit[*row] = 0.0;
        }
        law.change([zero, zero, zero], 1.0, out);
        let friction = rows[first..].iter().map(|row| out[*row]).collect();
        let is_open = centre.iter().chain(&slip).all(|x| *x == 0.0);
        Self { rows, n_out, centre, slip, friction, bound, is_open }
    }

    /// Whether the impulses of the cone never change.
    pub fn is_idle(&self) -> bool {
        self.is_open && self.bound.is_empty() && self.friction.iter().all(|m| *m == 0.0)
    }

    /// out += C dx̂, lane by lane, for the rows of the cone.
    #[inline(always)]
    pub fn keep<S: Simd, const W: usize>(&self, simd: S, centre: &[S::f64s], out: &mut [S::f64s]) {
        self.add::<S, W>(simd, (&self.centre, 1.0), centre, out);
    }

    /// out −= G dy, lane by lane, for the rows of the cone.
    #[inline(always)]
    pub fn subtract_slip<S: Simd, const W: usize>(&self, simd: S, y: &[S::f64s], out: &mut [S::f64s]) {
        self.add::<S, W>(simd, (&self.slip, -1.0), y, out);
    }

    /// out += m dμ, lane by lane, for the rows of the cone.
    pub fn add_friction<const W: usize>(&self, friction: &[f64; W], out: &mut [[f64; W]]) {
        let own = &self.rows[self.rows.len() - self.n_out..];
        for (row, m) in own.iter().zip(&self.friction) {
            out[*row].iter_mut().zip(friction).for_each(|(out, friction)| *out += m * friction);
        }
    }

    /// out += B dβ, lane by lane, for the rows of the cone.
    pub fn add_bound<const W: usize>(&self, bound: &[[f64; W]], out: &mut [[f64; W]]) {
        let own = &self.rows[self.rows.len() - self.n_out..];
        for (to, values) in own.iter().zip(self.bound.chunks_exact(self.rows.len().max(1))) {
            for (row, value) in self.rows.iter().zip(values) {
                out[*to].iter_mut().zip(&bound[*row]).for_each(|(out, bound)| *out += value * bound);
            }
        }
    }

    /// out += Bᵀ b.
    pub fn add_bound_transposed(&self, b: &[f64], out: &mut [f64]) {
        self.add_transposed(&self.bound, b, out);
    }

    /// out += Cᵀ b.
    pub fn add_centre_transposed(&self, b: &[f64], out: &mut [f64]) {
        if !self.is_open {
            self.add_transposed(&self.centre, b, out);
        }
    }

    /// out += Gᵀ b.
    pub fn add_slip_transposed(&self, b: &[f64], out: &mut [f64]) {
        if !self.is_open {
            self.add_transposed(&self.slip, b, out);
        }
    }

    /// m · b.
    pub fn push(&self, b: &[f64]) -> f64 {
        let own = &self.rows[self.rows.len() - self.n_out..];
        own.iter().zip(&self.friction).map(|(row, m)| m * b[*row]).sum()
    }

    #[inline(always)]
    fn add<S: Simd, const W: usize>(
        &self,
        simd: S,
        (values, by): (&[f64], f64),
        from: &[S::f64s],
        out: &mut [S::f64s],
    ) {
        if self.is_open {
            return;
        }
        let strips = strips::<S, W>();
        let own = &self.rows[self.rows.len() - self.n_out..];
        for (to, values) in own.iter().zip(values.chunks_exact(self.rows.len().max(1))) {
            for strip in 0..strips {
                let mut sum = out[to * strips + strip];
                for (row, value) in self.rows.iter().zip(values) {
                    sum = simd.mul_add_f64s(simd.splat_f64s(by * value), from[row * strips + strip], sum);
                }
                out[to * strips + strip] = sum;
            }
        }
    }

    fn add_transposed(&self, values: &[f64], b: &[f64], out: &mut [f64]) {
        let own = &self.rows[self.rows.len() - self.n_out..];
        for (row, values) in own.iter().zip(values.chunks_exact(self.rows.len().max(1))) {
            for (to, value) in self.rows.iter().zip(values) {
                out[*to] += value * b[*row];
            }
        }
    }
}

/// Whether a bound may move with a cause: a least impulse, one that is given, and the largest of a motor.
fn moves([low, high]: [f64; 2]) -> bool {
    let is_some = |bound: f64| bound.is_finite() && bound != 0.0;
    low == high || is_some(low) || is_some(high)
}

/// A cone in its status.
struct Statuses<'a> {
    problem: &'a ContactProblem,
    law: &'a Law,
    x: &'a [f64],
    cone: &'a Cone,
    c: usize,
}

impl Statuses<'_> {
    /// Writes dx by dx̂, dy, dβ and dμ for the rows of the cone, and for the normal rows of its contact.
    fn change(&self, [centre, y, bound]: [&[f64]; 3], friction: f64, out: &mut [f64]) {
        for row in self.problem.carrier(self.cone).normal() {
            out[row] = self.row_change(row, [centre[row], y[row], bound[row]]);
        }
        self.friction_change([centre, y], friction, out);
        self.shift_change(out);
    }

    /// dx of a row that an equation holds, and of one that is on its bound, dβ.
    fn row_change(&self, row: usize, [centre, y, bound]: [f64; 3]) -> f64 {
        let derivative = self.law.normal_derivative[row];
        // Both are ρ r where the row is rigid.
        let scale = derivative / (SENSITIVITY_RHO * self.problem.at.weight[row]);
        if derivative > 0.0 { scale * centre - derivative * y } else { bound }
    }

    /// Σ x_n of the contact, and its change.
    fn normal(&self, out: &[f64]) -> [f64; 2] {
        let rows = self.problem.carrier(self.cone).normal();
        [self.x, out].map(|x| x[rows.clone()].iter().sum())
    }

    /// dλ of a contact point of a manifold.
    fn turned(&self, row: usize, out: &[f64]) -> f64 {
        let [sum, pushing] = self.normal(out);
        if sum > 0.0 { (out[row] - self.x[row] / sum * pushing) / sum } else { 0.0 }
    }

    fn friction_change(&self, [centre, y]: [&[f64]; 2], friction: f64, out: &mut [f64]) {
        let (cone, derivative) = (self.cone, &self.law.derivative[self.c]);
        let [sum, pushing] = self.normal(out);
        let mut slip = [0.0; 3];
        slip.iter_mut().zip(&y[cone.friction()]).for_each(|(slip, y)| *slip = *y);
        let tangential = cone.n_tangential().max(1);
        for (row, at) in cone.normal().zip(self.law.slip[cone.shift()].chunks_exact(tangential)) {
            let turned = self.turned(row, out);
            slip.iter_mut().zip(at).for_each(|(slip, y)| *slip += turned * y);
        }
        let along = |v: &[f64]| derivative.direction.iter().zip(v).map(|(d, v)| d * v).sum::<f64>();
        let (y_along, x_along) = (along(&slip), along(&centre[cone.friction()]));
        for (k, row) in cone.friction().enumerate() {
            let d = derivative.direction[k];
            out[row] = match derivative.status {
                ContactStatus::Open => 0.0,
                ContactStatus::Stick => centre[row] - derivative.alpha * slip[k],
                ContactStatus::Slip => {
                    let kept = derivative.alpha / (SENSITIVITY_RHO * self.problem.at.weight[row]);
                    let across = kept * (centre[row] - x_along * d);
                    across - derivative.alpha * (slip[k] - y_along * d)
                        + d * (cone.friction_coefficient * pushing + friction * sum)
                }
            };
        }
    }

    fn shift_change(&self, out: &mut [f64]) {
        let (cone, tangential) = (self.cone, self.cone.n_tangential().max(1));
        let places = cone.shift();
        for (j, row) in cone.normal().enumerate().take(places.len() / tangential) {
            let turned = self.turned(row, out);
            for i in 0..tangential {
                out[places.start + j * tangential + i] = turned * self.x[cone.friction().start + i];
            }
        }
    }
}
