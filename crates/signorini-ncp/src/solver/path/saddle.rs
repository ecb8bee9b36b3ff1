//! Newton directions at a point of the central path ([`crate::solver::path::point`]) where the impulses of
//! some contacts stay unknowns.
//!
//! If a manifold twists, its slip changes with the load fractions of its contact points, and these by G dy_n:
//! eliminated, as the impulses of other contacts are, its rows are of the order of G², 1e19 beside masses of
//! 1 where G is 1e10, and nothing is left of the rest. So its impulses are unknowns:
//! ```text
//!   (A − K + Jᵀ G Y) dv − J_eᵀ dx = f,     Y_e dv + C dx = r        (G of the others; e: explicit contacts)
//!   C_n = ω τ/x_n²      C_t = (1 + q²)/((1 − q²) α) along q, 1/α across, α = R/σ
//!   and slip follows x_n,j with −2 μ q/((1 − q²) α) + Σ_m y_m dλ_m/dx_j,     dλ_m/dx_j = (δ_mj − λ_m)/Σ x_n
//! ```
//! with y_m and J_m the shift rows of [`crate::problem`] and, in J_e of x_n,j, Σ_m J_mᵀ x_t dλ_m/dx_j. To the
//! path r = −e, along it r = C x. Friction is resolved along q and across, for C has entries of 1/τ along it.

use crate::linalg::{BLOCK, SparseLu};
use crate::problem::{Cone, ContactProblem};
use crate::solver::parameters::central_path::EXPLICIT_STIFFNESS;
use crate::solver::path::contact::PathContact;
use crate::solver::path::point::{Direction, PathPoint};

/// Whether a contact of the problem has to be explicit wherever the path is.
pub fn is_needed(problem: &ContactProblem) -> bool {
    problem.cones.iter().any(has_load_fractions)
}

fn has_load_fractions(cone: &Cone) -> bool {
    cone.n_shift() > 0 && cone.n_used > 1
}

/// Marks the contacts that are explicit at the point, where normal rows have the derivatives
/// `normal_derivative`.
pub fn mark(problem: &ContactProblem, point: &mut PathPoint, normal_derivative: &[f64]) {
    let PathPoint { explicit, contacts, .. } = point;
    explicit.clear();
    explicit.extend(problem.cones.iter().zip(contacts).map(|(cone, contact)| {
        let is_stiff =
            || cone.normal().any(|row| normal_derivative[row] > EXPLICIT_STIFFNESS * problem.at.weight[row]);
        contact.open && (has_load_fractions(cone) || is_stiff())
    }));
}

/// The velocities of both directions and the impulses of their explicit contacts. `blocks` hands out (row,
/// column, value) of the matrix without these contacts, angular rows and columns divided by L; `forces` are f
/// to the path and along it. None where there is no solution.
pub fn directions(
    problem: &ContactProblem,
    point: &mut PathPoint,
    blocks: impl FnOnce(&mut dyn FnMut(usize, usize, f64)),
    forces: [&[f64]; 2],
) -> Option<()> {
    let mut saddle = Saddle::new(problem, blocks, forces);
    let PathPoint { explicit, contacts, open, iterate, mismatch, tau, fix, tangent, .. } = point;
    let at = At { contacts, open, x: &iterate.impulse, mismatch, tau: *tau };
    let explicit = (0..problem.cones.len()).filter(|c| explicit[*c]);
    let placed: Vec<_> = explicit.map(|c| Explicit::new(problem, at, c)).collect();
    let first: Vec<_> = placed.iter().map(|contact| saddle.add(contact)).collect();
    let lu = SparseLu::new(saddle.right[0].len(), &saddle.entries)?;
    let (mass, n) = (saddle.mass, problem.at.velocity.len());
    let solutions = [lu.solve(&saddle.right[0])?, lu.solve(&saddle.right[1])?];
    for (direction, solution) in [fix, tangent].into_iter().zip(solutions) {
        for (k, (v, x)) in direction.velocity.iter_mut().zip(&solution[..n]).enumerate() {
            *v = x * unit(problem, k);
        }
        for (contact, first) in placed.iter().zip(&first) {
            contact.write(&solution[*first..], mass, direction);
        }
    }
    Some(())
}

/// Scale of an unknown velocity: ω L beside v.
fn unit(problem: &ContactProblem, k: usize) -> f64 {
    if k % BLOCK < 3 { 1.0 } else { 1.0 / problem.at.units.length }
}

/// The system in units of the mean mass.
struct Saddle<'a> {
    problem: &'a ContactProblem,
    mass: f64,
    entries: Vec<(usize, usize, f64)>,
    /// Right-hand sides to the path and along it.
    right: [Vec<f64>; 2],
}

impl<'a> Saddle<'a> {
    fn new(
        problem: &'a ContactProblem,
        blocks: impl FnOnce(&mut dyn FnMut(usize, usize, f64)),
        forces: [&[f64]; 2],
    ) -> Self {
        let mass = problem.mass.iter().map(|m| m[(0, 0)]).sum::<f64>() / problem.n_bodies() as f64;
        let mut entries = Vec::new();
        blocks(&mut |i, j, value| entries.push((i, j, value / mass)));
        let scaled = |(k, f): (usize, &f64)| f * unit(problem, k) / mass;
        Self { problem, mass, entries, right: forces.map(|f| f.iter().enumerate().map(scaled).collect()) }
    }

    /// Adds rows and columns of a contact; returns the first.
    fn add(&mut self, contact: &Explicit<'_>) -> usize {
        let (problem, first) = (self.problem, self.right[0].len());
        let place = |p: usize| first + p;
        for k in problem.block_offsets[contact.index]..problem.block_offsets[contact.index + 1] {
            let (body, start) = (problem.block_body[k], problem.value_offsets[k]);
            for d in 0..BLOCK {
                let unit = unit(problem, d);
                let of =
                    |values: &[f64], row: usize| values[start + BLOCK * (row - contact.cone.row) + d] * unit;
                for p in 0..contact.n() {
                    let back = contact.along(p, |row| of(problem.response_values(), row));
                    let forth = contact.along(p, |row| of(&problem.at.jacobian, row))
                        + contact.moved(p, |row| of(&problem.at.jacobian, row))
                        + contact.rolled(p, problem, k, d) * unit;
                    self.entries.push((place(p), BLOCK * body + d, back * contact.scale(p, self.mass)));
                    self.entries.push((BLOCK * body + d, place(p), -forth));
                }
            }
        }
        for p in 0..contact.n() {
            let scale = contact.scale(p, self.mass);
            let mut yields = 0.0;
            for j in 0..contact.n() {
                let value = contact.yielding(p, j, problem);
                if value != 0.0 {
                    self.entries.push((place(p), place(j), value * self.mass * scale));
                    yields += value * contact.along(j, |row| contact.at.x[row]);
                }
            }
            self.right[0].push(-contact.along(p, |row| contact.at.mismatch[row]) * scale);
            self.right[1].push(yields * scale);
        }
        first
    }
}

/// Where the point is.
#[derive(Clone, Copy)]
struct At<'a> {
    contacts: &'a [PathContact],
    open: &'a [bool],
    x: &'a [f64],
    mismatch: &'a [f64],
    tau: f64,
}

/// An explicit contact. Its unknowns are the impulses of its open contact points, then friction along q and
/// across.
struct Explicit<'a> {
    index: usize,
    cone: Cone,
    contact: PathContact,
    at: At<'a>,
    /// ω τ.
    product: f64,
    points: Vec<usize>,
    /// C of friction.
    friction: Vec<f64>,
    /// Directions of friction's unknowns, columns.
    basis: [[f64; 3]; 3],
    /// How friction along q follows Σ x_n: 2 μ |q|/((1 − q²) α), with the sign of its direction.
    pull: f64,
    /// The cone of its rolling resistance, and how that follows Σ x_n.
    rolling: Option<(usize, [f64; 3])>,
}

impl<'a> Explicit<'a> {
    fn new(problem: &ContactProblem, at: At<'a>, index: usize) -> Self {
        let (cone, contact) = (problem.cones[index], at.contacts[index]);
        let points = cone.normal().filter(|row| at.open[*row]).collect();
        let product = contact.weight * at.tau;
        let (mut friction, mut basis, mut pull) = (Vec::new(), [[0.0; 3]; 3], 0.0);
        if contact.coefficient > 0.0 {
            let q = contact.ratio();
            let square = q.iter().map(|q| q * q).sum::<f64>();
            // 1 − q², of which little may be left.
            let room = 1.0 / (1.0 + contact.friction.iter().map(|w| w * w).sum::<f64>());
            let alpha = contact.coefficient * contact.normal / contact.speed(at.tau);
            friction = vec![1.0 / alpha; cone.n_friction];
            friction[0] *= (1.0 + square) / room;
            basis = frame(&q);
            let along: f64 = (0..3).map(|i| basis[i][0] * q[i]).sum();
            pull = 2.0 * contact.coefficient * along / (room * alpha);
        }
        let rolling = problem.rolling_of(index);
        let rolling = rolling.map(|r| (r, at.contacts[r].derivative(at.tau).push));
        Self { index, cone, contact, at, product, points, friction, basis, pull, rolling }
    }

    /// Force of rolling resistance on entry d of contact block k for unknown p.
    fn rolled(&self, p: usize, problem: &ContactProblem, k: usize, d: usize) -> f64 {
        let Some((cone, push)) = self.rolling.filter(|_| p < self.points.len()) else { return 0.0 };
        let block = problem.block_offsets[cone] + k - problem.block_offsets[self.index];
        let start = problem.value_offsets[block];
        let rows = 0..problem.cones[cone].n_friction;
        rows.map(|i| push[i] * problem.at.jacobian[start + BLOCK * i + d]).sum()
    }

    /// Number of unknowns.
    fn n(&self) -> usize {
        self.points.len() + self.friction.len()
    }

    /// The row of unknown p made of the rows of the contact.
    fn along(&self, p: usize, of: impl Fn(usize) -> f64) -> f64 {
        match self.points.get(p) {
            Some(row) => of(*row),
            None => self
                .cone
                .friction()
                .enumerate()
                .map(|(i, row)| self.basis[i][p - self.points.len()] * of(row))
                .sum(),
        }
    }

    /// dx's part of what shift rows exert, for unknown p.
    fn moved(&self, p: usize, of: impl Fn(usize) -> f64) -> f64 {
        let friction = self.cone.friction().start;
        let exerted = |m: usize| -> f64 {
            self.shift(m).enumerate().map(|(i, row)| of(row) * self.at.x[friction + i]).sum()
        };
        if p >= self.points.len() {
            0.0
        } else {
            (0..self.points.len()).map(|m| self.fraction_rate(m, p) * exerted(m)).sum()
        }
    }

    /// Shift rows of the m-th open contact point.
    fn shift(&self, m: usize) -> std::ops::Range<usize> {
        if self.cone.n_shift() == 0 || self.friction.is_empty() {
            return 0..0;
        }
        let tangential = self.cone.n_tangential();
        let first = self.cone.shift().start + (self.points[m] - self.cone.row) * tangential;
        first..first + tangential
    }

    /// dλ_m/dx_j.
    fn fraction_rate(&self, m: usize, j: usize) -> f64 {
        let own = if m == j { 1.0 } else { 0.0 };
        (own - self.at.x[self.points[m]] / self.contact.normal) / self.contact.normal
    }

    /// C of unknowns p and j.
    fn yielding(&self, p: usize, j: usize, problem: &ContactProblem) -> f64 {
        let n = self.points.len();
        if p < n || j >= n {
            let own =
                if p < n { self.product / self.at.x[self.points[p]].powi(2) } else { self.friction[p - n] };
            return if p == j { own } else { 0.0 };
        }
        let turned = |m: usize| -> f64 {
            self.shift(m).enumerate().map(|(i, row)| self.basis[i][p - n] * problem.at.slip[row]).sum()
        };
        let moved: f64 = (0..n).map(|m| self.fraction_rate(m, j) * turned(m)).sum();
        moved - if p == n { self.pull } else { 0.0 }
    }

    /// Scale of the row of unknown p: along q C may be huge.
    fn scale(&self, p: usize, mass: f64) -> f64 {
        let own = p.checked_sub(self.points.len()).map_or(0.0, |i| self.friction[i]);
        1.0 / f64::max(1.0, own * mass)
    }

    /// Writes dx per row, from its unknowns in units of the mean mass.
    fn write(&self, unknowns: &[f64], mass: f64, direction: &mut Direction) {
        let n = self.points.len();
        for (row, x) in self.points.iter().zip(unknowns) {
            direction.impulse[*row] = x * mass;
        }
        for (i, row) in self.cone.friction().enumerate().take(self.friction.len()) {
            let along = self.basis[i].iter().zip(&unknowns[n..n + self.friction.len()]);
            direction.impulse[row] = along.map(|(b, x)| b * x * mass).sum();
        }
    }
}

/// An orthogonal matrix whose first column is along q, which ends where friction has no more rows.
fn frame(q: &[f64; 3]) -> [[f64; 3]; 3] {
    let mut frame = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let length = q.iter().map(|q| q * q).sum::<f64>().sqrt();
    if length == 0.0 {
        return frame;
    }
    // The reflection that exchanges the first axis and ∓q/|q|.
    let mut normal = q.map(|q| q / length);
    normal[0] += if q[0] < 0.0 { -1.0 } else { 1.0 };
    let square: f64 = normal.iter().map(|n| n * n).sum();
    for (row, a) in frame.iter_mut().zip(normal) {
        for (value, b) in row.iter_mut().zip(normal) {
            *value -= 2.0 * a * b / square;
        }
    }
    frame
}

#[cfg(test)]
mod tests;
