//! The core problem: frictional contact between blocks of six unknowns, with the geometry frozen.
//!
//! Find v and impulses x per contact with
//! ```text
//!   A v = b + Jᵀ x + K (v − v_k),       y = y_k + Y (v − v_k)
//!   0 ≤ x_n ⊥ y_n + R_n x_n ≥ 0         per normal row (atom)
//!   x_t = Proj_{|·| ≤ μ Σ x_n}(x_t − r (y_t + R_t x_t))     per contact, any r > 0
//! ```
//! A contact of several atoms (a patch) carries one friction wrench at its equivalent contact point, whose place
//! depends on the impulses: with the shares λ_j = x_j / Σ x_n and λ̂ those of the frozen impulses, its tangential
//! rows are J_t + Σ_j (λ_j − λ̂_j) S_j, S_j = J_t at atom j − J_t. The S_j are the contact's *shift rows*; their
//! entries of x are (λ_j − λ̂_j) x_t, so that forces stay Jᵀ x, and they vanish wherever the problem is frozen.
//! or, as `law` says, another law of the family.
//!
//! A *bounded* cone (of a joint, a limit, a motor) has no friction rows; each of its rows obeys an interval law,
//! ```text
//!   x = clamp(x − r (y + R x), low, high),   any r > 0:   x ∈ [low, high], y + R x = 0 inside, ≥ 0 at low, ≤ 0 at high
//! ```
//! low = −∞, high = ∞ is an equation (y = 0), 0 and ∞ a unilateral limit, −p and p a motor of bounded impulse. The law is
//! a projection like that of the contacts and serves under every law of the family.
//!
//! Linear problems (time-stepping with explicit geometry, FCLIB) have K = 0, Y = J and y_k = J v_k + w.
//! The implicit model refreshes J, Y, K, b and y_k at each iterate v_k.

use super::ContactLaw;
use crate::linalg::{BLOCK, BLOCK_LEN};
use nalgebra::{Matrix6, SMatrixView, Vector6};

/// One contact's place among the rows and its law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// First row; normal rows come first, then friction rows.
    pub row: usize,
    /// Normal rows (atoms), ≥ 1.
    pub n_normal: usize,
    /// The first of them that are in use; those of the others, and their shift rows, are zero and left out of all work.
    pub n_used: usize,
    /// Friction rows (tangents and torsion), scaled so that the friction ellipsoid is a ball: 0, 2 or 3.
    pub n_friction: usize,
    /// Friction coefficient μ ≥ 0.
    pub friction_coefficient: f64,
    /// Whether the rows obey the interval law with [`ContactProblem::bounds`] instead of that of contacts.
    pub bounded: bool,
}

impl Cone {
    /// Rows of the contact: normal, friction, shift.
    pub fn n_rows(&self) -> usize {
        self.n_law_rows() + self.n_shift()
    }

    /// Normal and friction rows: those that the contact law speaks of.
    pub fn n_law_rows(&self) -> usize {
        self.n_normal + self.n_friction
    }

    /// Tangential friction rows, which move with the equivalent contact point (torsion does not).
    pub fn n_tangential(&self) -> usize {
        self.n_friction.min(2)
    }

    /// Shift rows: the tangential rows of every atom, for contacts with several.
    pub fn n_shift(&self) -> usize {
        if self.n_normal > 1 && !self.bounded { self.n_normal * self.n_tangential() } else { 0 }
    }

    /// Normal rows in use.
    pub fn normal(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.n_used
    }

    /// All normal rows.
    pub fn reserved(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.n_normal
    }

    /// Friction rows.
    pub fn friction(&self) -> std::ops::Range<usize> {
        self.row + self.n_normal..self.row + self.n_law_rows()
    }

    /// Shift rows in use, atom by atom.
    pub fn shift(&self) -> std::ops::Range<usize> {
        let n = if self.n_shift() > 0 { self.n_used * self.n_tangential() } else { 0 };
        self.row + self.n_law_rows()..self.row + self.n_law_rows() + n
    }

    /// Rows in use, counted from the first of the contact: normal ones; friction and shift rows.
    pub fn used(&self) -> [std::ops::Range<usize>; 2] {
        [0..self.n_used, self.n_normal..self.shift().end - self.row]
    }
}

/// Derivative of the contact forces with the geometry at fixed impulses, K = ∂(Jᵀx)/∂v, and of body terms.
#[derive(Debug, Clone, Default)]
pub struct Stiffness {
    /// Dense blocks of loaded contacts, (6k × 6k) row-major over the contact's k bodies.
    pub blocks: Vec<f64>,
    /// Where a contact's block starts in `blocks`; `usize::MAX` when it has none.
    pub start: Vec<usize>,
    /// Per body: derivative of body terms (gyroscopic torque) with its own velocity.
    pub body: Vec<Matrix6<f64>>,
}

impl Stiffness {
    /// `start` of a contact without a block.
    pub const NONE: usize = usize::MAX;
}

/// Units of the momentum rows: |row| / `momentum` (linear) and / (`momentum` · `length`) (angular).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// p_ref (N s).
    pub momentum: f64,
    /// L (m).
    pub length: f64,
}

/// The frozen problem. Bodies are blocks of six unknowns; vectors over bodies have length 6 n_bodies.
#[derive(Debug, Clone)]
pub struct ContactProblem {
    /// Diagonal blocks of A, symmetric positive definite.
    pub mass: Vec<Matrix6<f64>>,
    /// Inverses of `mass`.
    pub mass_inverse: Vec<Matrix6<f64>>,
    /// Off-diagonal blocks of A: (i, j, A_ij), each pair once; A_ji is the transpose. Usually empty.
    pub coupling: Vec<(usize, usize, Matrix6<f64>)>,
    /// b: A v* for a linear problem.
    pub free_momentum: Vec<f64>,
    /// Law of the contacts.
    pub law: ContactLaw,
    /// Contacts.
    pub cones: Vec<Cone>,
    /// Contact c touches the bodies `body[start[c]..start[c + 1]]`.
    pub start: Vec<usize>,
    /// Body of each contact block.
    pub body: Vec<usize>,
    /// Where each contact block's rows begin in `jacobian` and `response` (n_rows × 6, row-major).
    pub value_start: Vec<usize>,
    /// J: force directions.
    pub jacobian: Vec<f64>,
    /// Y = ∂y/∂v; empty means Y = J.
    pub response: Vec<f64>,
    /// v_k: where the problem is frozen.
    pub velocity: Vec<f64>,
    /// y_k per row; S_j v_k for shift rows.
    pub slip: Vec<f64>,
    /// λ̂ per normal row of contacts with several: their share of the frozen normal impulse.
    pub share: Vec<f64>,
    /// Lowest and highest impulse per row of bounded cones; other rows do not look at theirs.
    pub bounds: Vec<[f64; 2]>,
    /// r: proximal weights per row, kept by [`Self::update_weights`].
    pub weight: Vec<f64>,
    /// R per row; empty means rigid.
    pub compliance: Vec<f64>,
    /// K.
    pub stiffness: Stiffness,
    /// Units of the momentum rows.
    pub scaling: Scaling,
}

impl ContactProblem {
    /// No contacts, no bodies.
    pub fn empty() -> Self {
        Self {
            mass: Vec::new(),
            mass_inverse: Vec::new(),
            coupling: Vec::new(),
            free_momentum: Vec::new(),
            law: ContactLaw::default(),
            cones: Vec::new(),
            start: vec![0],
            body: Vec::new(),
            value_start: Vec::new(),
            jacobian: Vec::new(),
            response: Vec::new(),
            velocity: Vec::new(),
            slip: Vec::new(),
            share: Vec::new(),
            bounds: Vec::new(),
            weight: Vec::new(),
            compliance: Vec::new(),
            stiffness: Stiffness::default(),
            scaling: Scaling { momentum: 1.0, length: 1.0 },
        }
    }

    /// Whether sizes agree, bodies exist, and every number is finite: what a solver may rely on.
    pub fn is_consistent(&self) -> bool {
        let (n, rows) = (self.n_bodies(), self.n_rows());
        let sizes = self.mass_inverse.len() == n
            && self.free_momentum.len() == BLOCK * n
            && self.velocity.len() == BLOCK * n
            && self.slip.len() == rows
            && self.share.len() == rows
            && self.bounds.len() == rows
            && self.bounds.iter().all(|[low, high]| low <= high)
            && self.weight.len() == rows
            && (self.compliance.is_empty() || self.compliance.len() == rows)
            && (self.response.is_empty() || self.response.len() == self.jacobian.len())
            && self.start.len() == self.cones.len() + 1
            && self.start.last() == Some(&self.body.len())
            && self.value_start.len() == self.body.len();
        let bodies =
            self.body.iter().all(|b| *b < n) && self.coupling.iter().all(|(i, j, _)| i.max(j) < &n && i != j);
        let cones =
            self.cones.iter().all(|c| c.friction_coefficient >= 0.0 && c.friction_coefficient.is_finite());
        let blocks = self.mass.iter().chain(&self.mass_inverse).chain(self.coupling.iter().map(|c| &c.2));
        let vectors = [
            &self.free_momentum,
            &self.velocity,
            &self.slip,
            &self.share,
            &self.weight,
            &self.jacobian,
            &self.response,
            &self.compliance,
        ];
        sizes
            && bodies
            && cones
            && blocks.flat_map(|b| b.iter()).all(|x| x.is_finite())
            && vectors.into_iter().flatten().all(|x| x.is_finite())
    }

    /// Blocks of unknowns.
    pub fn n_bodies(&self) -> usize {
        self.mass.len()
    }

    /// Rows of all contacts.
    pub fn n_rows(&self) -> usize {
        self.cones.last().map_or(0, |c| c.row + c.n_rows())
    }

    /// Adds a contact with the given bodies, values zero; returns its index.
    pub fn add_contact(
        &mut self,
        bodies: impl Iterator<Item = usize>,
        cone_rows: (usize, usize),
        friction_coefficient: f64,
    ) -> usize {
        let (n_normal, n_friction) = cone_rows;
        let row = self.n_rows();
        let cone = Cone { row, n_normal, n_used: n_normal, n_friction, friction_coefficient, bounded: false };
        self.add_cone(bodies, cone)
    }

    /// Adds rows with the interval law and the given bounds, values zero; returns the index of their cone.
    pub fn add_bounded(&mut self, bodies: impl Iterator<Item = usize>, bounds: &[[f64; 2]]) -> usize {
        let (row, n_normal) = (self.n_rows(), bounds.len());
        let cone =
            Cone { row, n_normal, n_used: n_normal, n_friction: 0, friction_coefficient: 0.0, bounded: true };
        let index = self.add_cone(bodies, cone);
        self.bounds[row..].copy_from_slice(bounds);
        index
    }

    fn add_cone(&mut self, bodies: impl Iterator<Item = usize>, cone: Cone) -> usize {
        for body in bodies {
            self.body.push(body);
            self.value_start.push(self.jacobian.len());
            self.jacobian.resize(self.jacobian.len() + BLOCK * cone.n_rows(), 0.0);
        }
        self.start.push(self.body.len());
        self.cones.push(cone);
        self.slip.resize(cone.row + cone.n_rows(), 0.0);
        self.share.resize(cone.row + cone.n_rows(), 0.0);
        self.bounds.resize(cone.row + cone.n_rows(), [0.0, f64::INFINITY]);
        self.cones.len() - 1
    }

    /// Forgets all contacts and bodies but keeps the memory and the law.
    pub fn clear(&mut self) {
        self.mass.clear();
        self.mass_inverse.clear();
        self.coupling.clear();
        self.free_momentum.clear();
        self.velocity.clear();
        self.stiffness.body.clear();
        self.clear_contacts();
    }

    /// Forgets all contacts.
    pub fn clear_contacts(&mut self) {
        self.cones.clear();
        self.start.clear();
        self.start.push(0);
        self.body.clear();
        self.value_start.clear();
        self.jacobian.clear();
        self.response.clear();
        self.slip.clear();
        self.share.clear();
        self.bounds.clear();
        self.weight.clear();
        self.compliance.clear();
        self.stiffness.blocks.clear();
        self.stiffness.start.clear();
    }

    /// Y, which is J unless the response was given separately.
    pub fn response_values(&self) -> &[f64] {
        if self.response.is_empty() { &self.jacobian } else { &self.response }
    }

    /// The rows of contact block k in J.
    pub fn jacobian_block(&self, contact: usize, k: usize) -> &[f64] {
        let start = self.value_start[k];
        &self.jacobian[start..start + BLOCK * self.cones[contact].n_rows()]
    }

    /// out := Y v.
    pub fn response(&self, v: &[f64], out: &mut [f64]) {
        let values = self.response_values();
        for (c, cone) in self.cones.iter().enumerate() {
            let rows = &mut out[cone.row..cone.row + cone.n_rows()];
            rows.fill(0.0);
            for k in self.start[c]..self.start[c + 1] {
                let v = body_vector(v, self.body[k]);
                let block = &values[self.value_start[k]..];
                for used in cone.used() {
                    let values = block[BLOCK * used.start..].chunks_exact(BLOCK);
                    for (row, y) in values.zip(&mut rows[used]) {
                        *y += row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
        }
    }

    /// out += sign · Jᵀ x.
    pub fn add_forces(&self, x: &[f64], sign: f64, out: &mut [f64]) {
        for (c, cone) in self.cones.iter().enumerate() {
            let rows = &x[cone.row..cone.row + cone.n_rows()];
            if cone.used().into_iter().all(|used| rows[used].iter().all(|x| *x == 0.0)) {
                continue;
            }
            for k in self.start[c]..self.start[c + 1] {
                let out = body_vector_mut(out, self.body[k]);
                let block = &self.jacobian[self.value_start[k]..];
                for used in cone.used() {
                    for (row, x) in block[BLOCK * used.start..].chunks_exact(BLOCK).zip(&rows[used]) {
                        for (o, a) in out.iter_mut().zip(row) {
                            *o += sign * x * a;
                        }
                    }
                }
            }
        }
    }

    /// out := A v − K v.
    pub fn tangent_mass(&self, v: &[f64], out: &mut [f64]) {
        self.mass_product(v, out);
        for (i, block) in self.stiffness.body.iter().enumerate() {
            let product = block * vector6(v, i);
            for (o, p) in body_vector_mut(out, i).iter_mut().zip(product.iter()) {
                *o -= p;
            }
        }
        for (c, start) in self.stiffness.start.iter().enumerate().filter(|(_, s)| **s != Stiffness::NONE) {
            let bodies = &self.body[self.start[c]..self.start[c + 1]];
            let width = BLOCK * bodies.len();
            let block = &self.stiffness.blocks[*start..start + width * width];
            for (i, row_body) in bodies.iter().enumerate() {
                let out = body_vector_mut(out, *row_body);
                for (r, o) in out.iter_mut().enumerate() {
                    let row = &block[(BLOCK * i + r) * width..][..width];
                    for (part, column_body) in row.chunks_exact(BLOCK).zip(bodies) {
                        let v = body_vector(v, *column_body);
                        *o -= part.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
            }
        }
    }

    /// out := A v.
    pub fn mass_product(&self, v: &[f64], out: &mut [f64]) {
        for (i, block) in self.mass.iter().enumerate() {
            let product = block * vector6(v, i);
            body_vector_mut(out, i).copy_from_slice(product.as_slice());
        }
        for (i, j, block) in &self.coupling {
            let (to_i, to_j) = (block * vector6(v, *j), block.tr_mul(&vector6(v, *i)));
            for (o, p) in body_vector_mut(out, *i).iter_mut().zip(to_i.iter()) {
                *o += p;
            }
            for (o, p) in body_vector_mut(out, *j).iter_mut().zip(to_j.iter()) {
                *o += p;
            }
        }
    }

    /// v := A⁻¹ (b + Jᵀ x) with the diagonal blocks of A: the velocity that balances momentum with the impulses.
    /// `momentum` is scratch.
    pub fn balance(&self, impulse: &[f64], momentum: &mut Vec<f64>, velocity: &mut [f64]) {
        momentum.clone_from(&self.free_momentum);
        self.add_forces(impulse, 1.0, momentum);
        for (i, inverse) in self.mass_inverse.iter().enumerate() {
            let v = inverse * vector6(momentum, i);
            body_vector_mut(velocity, i).copy_from_slice(v.as_slice());
        }
    }

    /// Largest momentum row in units of `scaling`.
    pub fn scaled_momentum(&self, rows: &[f64]) -> f64 {
        let (linear, angular) =
            (1.0 / self.scaling.momentum, 1.0 / (self.scaling.momentum * self.scaling.length));
        let mut worst = 0.0_f64;
        for six in rows.chunks_exact(BLOCK) {
            for (i, value) in six.iter().enumerate() {
                let scaled = value.abs() * if i < 3 { linear } else { angular };
                if scaled.is_nan() {
                    return f64::NAN;
                }
                worst = worst.max(scaled);
            }
        }
        worst
    }

    /// Recomputes the proximal weights per row: r_n = 1/D_n for each normal row and r_t = 3/(sum of D over friction rows)
    /// for all friction rows of a contact (one scalar, so that the ball stays a ball), D = diag(J A⁻¹ Jᵀ)
    /// with the diagonal blocks of A. Rows without mass (fixed against fixed, unused atoms) and shift rows get 0:
    /// they exert nothing.
    pub fn update_weights(&mut self) {
        let mut out = std::mem::take(&mut self.weight);
        out.clear();
        out.resize(self.n_rows(), 0.0);
        for (c, cone) in self.cones.iter().enumerate() {
            for k in self.start[c]..self.start[c + 1] {
                let inverse = &self.mass_inverse[self.body[k]];
                let block = self.jacobian_block(c, k);
                for r in (0..cone.n_used).chain(cone.n_normal..cone.n_law_rows()) {
                    let row = Vector6::from_column_slice(&block[BLOCK * r..BLOCK * (r + 1)]);
                    out[cone.row + r] += row.dot(&(inverse * row));
                }
            }
            let invert = |d: f64| if d > 0.0 { 1.0 / d } else { 0.0 };
            for d in &mut out[cone.normal()] {
                *d = invert(*d);
            }
            let friction = &mut out[cone.friction()];
            let used = friction.iter().filter(|d| **d > 0.0).count() as f64;
            let weight = used * invert(friction.iter().sum());
            friction.fill(weight);
        }
        self.weight = out;
    }
}

impl ContactProblem {
    /// 1/D of the normal row at the equivalent contact point, Σ λ̂_j J_j, with the diagonal blocks of A (kg).
    pub fn mass_at_center(&self, contact: usize) -> f64 {
        let yielding = self.yielding(contact, 0, &self.share[self.cones[contact].normal()]);
        if yielding > 0.0 { 1.0 / yielding } else { 0.0 }
    }

    /// D of the row Σ λ_j J_j over the rows of a contact from `first` on, with the diagonal blocks of A (1/kg).
    pub fn yielding(&self, contact: usize, first: usize, weights: &[f64]) -> f64 {
        let mut yielding = 0.0;
        for k in self.start[contact]..self.start[contact + 1] {
            let rows = self.jacobian_block(contact, k).chunks_exact(BLOCK).skip(first).zip(weights);
            let row: Vector6<f64> = rows.map(|(row, weight)| Vector6::from_column_slice(row) * *weight).sum();
            yielding += row.dot(&(self.mass_inverse[self.body[k]] * row));
        }
        yielding
    }
}

/// The six entries of a body.
pub fn body_vector(v: &[f64], body: usize) -> &[f64] {
    &v[BLOCK * body..BLOCK * (body + 1)]
}

/// The six entries of a body, to write.
pub fn body_vector_mut(v: &mut [f64], body: usize) -> &mut [f64] {
    &mut v[BLOCK * body..BLOCK * (body + 1)]
}

/// The six entries of a body as a vector.
pub fn vector6(v: &[f64], body: usize) -> Vector6<f64> {
    Vector6::from_column_slice(body_vector(v, body))
}

/// A row-major 6×6 block as a matrix.
pub fn matrix6(values: &[f64]) -> Matrix6<f64> {
    SMatrixView::<f64, 6, 6>::from_slice(&values[..BLOCK_LEN]).transpose()
}
