//! The core problem: frictional contact between blocks of six unknowns, with the geometry linearized.
//!
//! Find v and impulses x per contact with
//! ```text
//!   A v = b + Jᵀ x + K (v − v_k),       y = y_k + Y (v − v_k)
//!   0 ≤ x_n ⊥ y_n + R_n x_n ≥ 0         per normal row (contact point)
//!   x_t = Proj_{|·| ≤ μ Σ x_n}(x_t − r (y_t + R_t x_t))     per contact, any r > 0
//! ```
//! A contact of several contact points (a manifold) carries one friction wrench at its equivalent contact
//! point, whose place depends on the impulses: with the load fractions λ_j = x_j / Σ x_n and λ̂ those of the
//! linearized impulses, its tangential rows are J_t + Σ_j (λ_j − λ̂_j) S_j. S_j is J_t at contact point j
//! less J_t. The S_j are the contact's *shift rows*; their entries of x are (λ_j − λ̂_j) x_t, so that forces
//! stay Jᵀ x, and they vanish wherever the problem is linearized. Instead of this law the problem may obey
//! another one of the family, as `law` says.
//!
//! Rolling resistance is a cone of two friction rows without a normal one, beside that of its contact: its
//! ball has the radius μ Σ x_n of the latter, |x_w| ≤ μ_w Σ x_n (theory §14).
//!
//! A *bounded* cone (of a joint, a limit, a motor) has no friction rows; each of its rows obeys an interval
//! law,
//! ```text
//!   x = clamp(x − r (y + R x), low, high),   any r > 0
//!   x ∈ [low, high],   y + R x = 0 inside, ≥ 0 at low, ≤ 0 at high
//! ```
//! low = −∞, high = ∞ is an equation (y = 0), 0 and ∞ a unilateral limit, −p and p a motor of bounded
//! impulse. The law is a projection like that of the contacts and serves under every law of the family.
//!
//! Linear problems (time-stepping with explicit geometry, FCLIB) have K = 0, Y = J and y_k = J v_k + w.
//! The implicit model refreshes J, Y, K, b and y_k at each iterate v_k.

use super::cone::Cone;
use super::contact_law::ContactLaw;
use super::linearization::{Linearization, Stiffness};
use super::units::Units;
use crate::linalg::{BLOCK, BLOCK_LEN};
use nalgebra::{Matrix6, SMatrixView, Vector3, Vector6};
use signorini_kernels::math::larger;

/// The problem of one step. Data that is constant in the step stands here; `at` is its linearization. Bodies
/// are blocks of six unknowns; vectors over bodies have length 6 n_bodies.
#[derive(Debug, Clone)]
pub struct ContactProblem {
    /// Diagonal blocks of A, symmetric positive definite.
    pub mass: Vec<Matrix6<f64>>,
    /// Inverses of `mass`.
    pub mass_inverse: Vec<Matrix6<f64>>,
    /// Off-diagonal blocks of A: (i, j, A_ij), each pair once; A_ji is the transpose. Usually empty.
    pub coupling: Vec<(usize, usize, Matrix6<f64>)>,
    /// Law of the contacts.
    pub law: ContactLaw,
    /// Contacts. A linearization may change how many of the reserved rows are in use, and μ.
    pub cones: Vec<Cone>,
    /// Contact c touches the bodies `block_body[block_offsets[c]..block_offsets[c + 1]]`.
    pub block_offsets: Vec<usize>,
    /// Body of each contact block.
    pub block_body: Vec<usize>,
    /// Places where the rows of each contact block begin in `jacobian` and `response` (n_rows × 6,
    /// row-major).
    pub value_offsets: Vec<usize>,
    /// Lowest and highest impulse per row of bounded cones. Of normal rows of contacts only the lowest
    /// counts, low ≥ 0: 0 ≤ x_n − low ⊥ y_n + R_n x_n ≥ 0 (theory §13.3). Other rows do not use theirs.
    pub bounds: Vec<[f64; 2]>,
    /// R per row; empty means rigid.
    pub compliance: Vec<f64>,
    /// Effective-mass ratio per row, a factor on the masses of its bodies; empty means 1.
    pub mass_ratios: Vec<f64>,
    /// The linearization of the problem.
    pub at: Linearization,
}

impl ContactProblem {
    /// A problem without contacts and bodies.
    pub fn empty() -> Self {
        Self {
            mass: Vec::new(),
            mass_inverse: Vec::new(),
            coupling: Vec::new(),
            law: ContactLaw::default(),
            cones: Vec::new(),
            block_offsets: vec![0],
            block_body: Vec::new(),
            value_offsets: Vec::new(),
            bounds: Vec::new(),
            compliance: Vec::new(),
            mass_ratios: Vec::new(),
            at: Linearization::default(),
        }
    }

    /// Whether sizes agree, bodies exist, and every number is finite, as solvers assume.
    pub fn is_consistent(&self) -> bool {
        let (n, rows) = (self.n_bodies(), self.n_rows());
        let sizes = self.mass_inverse.len() == n
            && self.at.free_momentum.len() == BLOCK * n
            && self.at.velocity.len() == BLOCK * n
            && self.at.slip.len() == rows
            && self.at.load_fraction.len() == rows
            && self.bounds.len() == rows
            && self.bounds.iter().all(|[low, high]| low <= high)
            && self.at.weight.len() == rows
            && (self.compliance.is_empty() || self.compliance.len() == rows)
            && (self.mass_ratios.is_empty() || self.mass_ratios.len() == rows)
            && (self.at.response.is_empty() || self.at.response.len() == self.at.jacobian.len())
            && self.block_offsets.len() == self.cones.len() + 1
            && self.block_offsets.last() == Some(&self.block_body.len())
            && self.value_offsets.len() == self.block_body.len()
            && self.at.units.bodies.len() == n
            && self.at.units.cones.len() == self.cones.len()
            && self.at.units.stiffening.len() == self.cones.len();
        let bodies = self.block_body.iter().all(|b| *b < n)
            && self.coupling.iter().all(|(i, j, _)| i.max(j) < &n && i != j);
        let cones =
            self.cones.iter().all(|c| c.friction_coefficient >= 0.0 && c.friction_coefficient.is_finite());
        let rolling = self.cones.iter().enumerate().all(|(c, cone)| self.rolls_consistently(c, cone));
        let blocks = self.mass.iter().chain(&self.mass_inverse).chain(self.coupling.iter().map(|c| &c.2));
        let vectors = [
            &self.at.free_momentum,
            &self.at.velocity,
            &self.at.slip,
            &self.at.load_fraction,
            &self.at.weight,
            &self.at.jacobian,
            &self.at.response,
            &self.compliance,
            &self.mass_ratios,
        ];
        sizes
            && bodies
            && cones
            && rolling
            && blocks.flat_map(|b| b.iter()).all(|x| x.is_finite())
            && vectors.into_iter().flatten().all(|x| x.is_finite())
    }

    /// Whether a cone of rolling resistance has the bodies of its contact, and stands behind all contacts and
    /// behind the cones of contacts before.
    fn rolls_consistently(&self, c: usize, cone: &Cone) -> bool {
        let before = c.checked_sub(1).and_then(|before| self.cones[before].rolls_with);
        let Some(contact) = cone.rolls_with else { return before.is_none() };
        let bodies = |c: usize| {
            let range = *self.block_offsets.get(c)?..*self.block_offsets.get(c + 1)?;
            self.block_body.get(range)
        };
        before.is_none_or(|before| before < contact)
            && contact < c
            && cone.n_normal == 0
            && !cone.bounded
            && self.cones[contact].rolls_with.is_none()
            && !self.cones[contact].bounded
            && bodies(c) == bodies(contact)
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
        let cone = Cone {
            row,
            n_normal,
            n_used: n_normal,
            n_friction,
            friction_coefficient,
            bounded: false,
            rolls_with: None,
        };
        self.add_cone(bodies, cone)
    }

    /// Adds the rolling resistance of a contact with the same bodies, values zero; returns its index. Cones
    /// of rolling resistance come behind all others, in the order of their contacts.
    pub fn add_rolling(
        &mut self,
        bodies: impl Iterator<Item = usize>,
        contact: usize,
        friction_coefficient: f64,
    ) -> usize {
        let index = self.add_contact(bodies, (0, 2), friction_coefficient);
        self.cones[index].rolls_with = Some(contact);
        if !self.mass_ratios.is_empty() {
            self.mass_ratios.resize(self.n_rows(), 1.0);
        }
        if !self.compliance.is_empty() {
            self.compliance.resize(self.n_rows(), 0.0);
        }
        index
    }

    /// Adds rows with the interval law and the given bounds, values zero; returns the index of their cone.
    pub fn add_bounded(&mut self, bodies: impl Iterator<Item = usize>, bounds: &[[f64; 2]]) -> usize {
        let (row, n_normal) = (self.n_rows(), bounds.len());
        let cone = Cone {
            row,
            n_normal,
            n_used: n_normal,
            n_friction: 0,
            friction_coefficient: 0.0,
            bounded: true,
            rolls_with: None,
        };
        let index = self.add_cone(bodies, cone);
        self.bounds[row..].copy_from_slice(bounds);
        index
    }

    /// Sets the effective-mass ratios of the rows of the last cone ([`Self::mass_ratios`]).
    pub fn weigh_last(&mut self, mass_ratios: impl ExactSizeIterator<Item = f64> + Clone) {
        if self.mass_ratios.is_empty() && mass_ratios.clone().all(|factor| factor == 1.0) {
            return;
        }
        self.mass_ratios.resize(self.n_rows() - mass_ratios.len(), 1.0);
        self.mass_ratios.extend(mass_ratios);
    }

    /// Gives R to the rows of the cone that was added last; 0 leaves a rigid problem without R.
    pub fn soften_last(&mut self, compliance: f64) {
        if compliance == 0.0 && self.compliance.is_empty() {
            return;
        }
        let first = self.cones.last().map_or(0, |cone| cone.row);
        self.compliance.resize(first, 0.0);
        self.compliance.resize(self.n_rows(), compliance);
    }

    fn add_cone(&mut self, bodies: impl Iterator<Item = usize>, cone: Cone) -> usize {
        for body in bodies {
            self.block_body.push(body);
            self.value_offsets.push(self.at.jacobian.len());
            self.at.jacobian.resize(self.at.jacobian.len() + BLOCK * cone.n_rows(), 0.0);
        }
        self.block_offsets.push(self.block_body.len());
        self.cones.push(cone);
        self.at.slip.resize(cone.row + cone.n_rows(), 0.0);
        self.at.load_fraction.resize(cone.row + cone.n_rows(), 0.0);
        self.bounds.resize(cone.row + cone.n_rows(), [0.0, f64::INFINITY]);
        self.cones.len() - 1
    }

    /// Forgets all contacts and bodies but keeps the memory and the law.
    pub fn clear(&mut self) {
        self.mass.clear();
        self.mass_inverse.clear();
        self.coupling.clear();
        self.at.free_momentum.clear();
        self.at.velocity.clear();
        self.at.stiffness.body.clear();
        self.clear_contacts();
    }

    /// Forgets all contacts.
    pub fn clear_contacts(&mut self) {
        self.cones.clear();
        self.block_offsets.clear();
        self.block_offsets.push(0);
        self.block_body.clear();
        self.value_offsets.clear();
        self.at.jacobian.clear();
        self.at.response.clear();
        self.at.slip.clear();
        self.at.load_fraction.clear();
        self.bounds.clear();
        self.at.weight.clear();
        self.compliance.clear();
        self.mass_ratios.clear();
        self.at.stiffness.blocks.clear();
        self.at.stiffness.start.clear();
    }

    /// Y, which is J unless it was given separately.
    pub fn response_values(&self) -> &[f64] {
        if self.at.response.is_empty() { &self.at.jacobian } else { &self.at.response }
    }

    /// The rows of contact block k in J.
    pub fn jacobian_block(&self, contact: usize, k: usize) -> &[f64] {
        let start = self.value_offsets[k];
        &self.at.jacobian[start..start + BLOCK * self.cones[contact].n_rows()]
    }

    /// The bodies of contact c that move.
    #[inline]
    pub fn bodies_of(&self, c: usize) -> &[usize] {
        &self.block_body[self.block_offsets[c]..self.block_offsets[c + 1]]
    }

    /// The bodies of contact c and its K between them, row by row; None where it has none.
    #[inline]
    pub fn stiffness_of(&self, c: usize) -> Option<(&[usize], &[f64])> {
        let stiffness = &self.at.stiffness;
        let start = *stiffness.start.get(c).filter(|start| **start != Stiffness::NONE)?;
        let bodies = self.bodies_of(c);
        Some((bodies, &stiffness.blocks[start..start + (BLOCK * bodies.len()).pow(2)]))
    }

    /// v := A⁻¹ (b + Jᵀ x) with the diagonal blocks of A: the velocity that balances momentum with the
    /// impulses. `momentum` is scratch.
    pub fn balance(&self, impulse: &[f64], momentum: &mut Vec<f64>, velocity: &mut [f64]) {
        momentum.clone_from(&self.at.free_momentum);
        self.add_forces(impulse, 1.0, momentum);
        for (i, inverse) in self.mass_inverse.iter().enumerate() {
            let v = inverse * vector6(momentum, i);
            body_vector_mut(velocity, i).copy_from_slice(v.as_slice());
        }
    }

    /// Measures all bodies and cones by one unit: `momentum` (N s), and that times `length` (m) for angular
    /// rows.
    pub fn set_uniform_units(&mut self, momentum: f64, length: f64) {
        self.at.units = Units::uniform(self.n_bodies(), self.cones.len(), momentum, length);
    }

    /// The largest of the bodies' momentum rows, each in its unit.
    pub fn scaled_momentum(&self, rows: &[f64]) -> f64 {
        let six = rows.chunks_exact(BLOCK).zip(&self.at.units.bodies);
        let scaled = six.map(|(row, unit)| {
            let [linear, angular] = [0, 3].map(|k| Vector3::from_column_slice(&row[k..k + 3]));
            unit.scaled(&linear, &angular)
        });
        scaled.fold(0.0, larger)
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
