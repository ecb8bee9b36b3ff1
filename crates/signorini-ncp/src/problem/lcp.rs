//! Linear complementarity problems, and contact problems with polygonal friction written as such \[ST\].

use super::{ContactLaw, ContactProblem};
use crate::linalg::BLOCK;
use nalgebra::{DMatrix, DVector, Vector6};
use signorini_kernels::math::{larger, smaller};

/// Find z with 0 ≤ z ⊥ w = M z + q ≥ 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcp {
    /// M.
    pub matrix: DMatrix<f64>,
    /// q.
    pub vector: DVector<f64>,
}

impl Lcp {
    /// max |min(z, M z + q)|.
    pub fn residual(&self, z: &DVector<f64>) -> f64 {
        let w = &self.matrix * z + &self.vector;
        let mut worst = 0.0_f64;
        for (z, w) in z.iter().zip(w.iter()) {
            worst = larger(worst, smaller(*z, *w).abs());
        }
        worst
    }
}

/// A contact problem as an LCP in scaled unknowns, z = S z_scaled, so that all entries are of order one.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactLcp {
    /// The scaled problem.
    pub lcp: Lcp,
    /// S.
    pub scale: DVector<f64>,
    /// x = C z: per unknown the rows that it acts on, and how much; slip speeds act on none.
    corners: Vec<[(usize, f64); 2]>,
    n_rows: usize,
}

/// Unknowns of one contact: normal impulses, one per corner of the friction polytope, and the slip speed λ.
fn unknowns(n_normal: usize, n_friction: usize, directions: usize) -> usize {
    match n_friction {
        0 => n_normal,
        2 => n_normal + directions + 1,
        _ => n_normal + directions + 3,
    }
}

/// Complementarity unknowns of a contact problem with m directions per friction polygon.
pub fn n_unknowns(problem: &ContactProblem, directions: usize) -> usize {
    problem.cones.iter().map(|c| unknowns(c.n_normal, c.n_friction, directions)).sum()
}

/// The LCP of a contact problem whose friction balls are replaced by polygons (double pyramids with torsion)
/// of m directions d_k:
/// ```text
/// 0 ≤ p ⊥ y_n ≥ 0,    0 ≤ β_k ⊥ λ + d_k·y_t ≥ 0,    0 ≤ λ ⊥ μ Σ p − Σ β ≥ 0
/// x_t = Σ β_k d_k,    y = W x + r
/// ```
/// None when A is not block-diagonal, or where rows have bounds of their own (joints): those are for the
/// sparse methods.
pub fn contact_as_lcp(problem: &ContactProblem, directions: usize) -> Option<ContactLcp> {
    if !problem.coupling.is_empty() || problem.cones.iter().any(|cone| cone.bounded) {
        return None;
    }
    let (n, rows) = (n_unknowns(problem, directions), problem.n_rows());
    let mut corners = vec![[(0, 0.0); 2]; n];
    let mut scale = DVector::from_element(n, 1.0);
    let mut matrix = DMatrix::zeros(n, n);
    let mut first = 0;
    for cone in &problem.cones {
        let root = |row: usize| {
            let weight = problem.at.weight[row];
            if weight > 0.0 { weight.sqrt() } else { 1.0 }
        };
        let count = unknowns(cone.n_normal, cone.n_friction, directions);
        let lambda = first + count - 1;
        for (i, row) in cone.normal().enumerate() {
            corners[first + i][0] = (row, 1.0);
            scale[first + i] = root(row);
            if cone.n_friction > 0 {
                matrix[(lambda, first + i)] = cone.friction_coefficient;
            }
        }
        if cone.n_friction > 0 {
            let friction = cone.friction().start;
            for k in 0..count - cone.n_normal - 1 {
                let unknown = first + cone.n_normal + k;
                if k < directions {
                    let [c, s] = ContactLaw::corner(directions, k);
                    corners[unknown] = [(friction, c), (friction + 1, s)];
                } else {
                    corners[unknown][0] = (friction + 2, if k == directions { 1.0 } else { -1.0 });
                }
                scale[unknown] = root(friction);
                matrix[(unknown, lambda)] = 1.0;
                matrix[(lambda, unknown)] = -1.0;
            }
            scale[lambda] = 1.0 / root(friction);
        }
        first += count;
    }
    let (delassus, free) = delassus(problem);
    // Cᵀ W C and Cᵀ r.
    let sum = |corner: &[(usize, f64); 2], of: &dyn Fn(usize) -> f64| -> f64 {
        corner.iter().map(|(row, part)| part * of(*row)).sum()
    };
    for j in 0..n {
        for i in 0..n {
            let pushed = sum(&corners[i], &|a| sum(&corners[j], &|b| delassus[(a, b)]));
            matrix[(i, j)] = (matrix[(i, j)] + pushed) * scale[i] * scale[j];
        }
    }
    let vector = DVector::from_fn(n, |i, _| sum(&corners[i], &|a| free[a]) * scale[i]);
    Some(ContactLcp { lcp: Lcp { matrix, vector }, scale, corners, n_rows: rows })
}

impl ContactLcp {
    /// Impulses per row from the scaled unknowns.
    pub fn impulse(&self, z: &DVector<f64>) -> DVector<f64> {
        let mut x = DVector::zeros(self.n_rows);
        for ((corner, z), scale) in self.corners.iter().zip(z.iter()).zip(self.scale.iter()) {
            corner.iter().filter(|c| c.1 != 0.0).for_each(|(row, part)| x[*row] += part * z * scale);
        }
        x
    }
}

/// W = Y A⁻¹ Jᵀ + R and r = Y A⁻¹ b + w, dense.
fn delassus(problem: &ContactProblem) -> (DMatrix<f64>, DVector<f64>) {
    let n = problem.n_rows();
    let mut matrix = DMatrix::zeros(n, n);
    for (row, r) in problem.compliance.iter().enumerate() {
        matrix[(row, row)] += r;
    }
    // By body: the contact blocks that touch it.
    let mut touching = vec![Vec::new(); problem.n_bodies()];
    for c in 0..problem.cones.len() {
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            touching[problem.block_body[k]].push((c, k));
        }
    }
    let values = problem.response_values();
    for (body, blocks) in touching.iter().enumerate() {
        let inverse = &problem.mass_inverse[body];
        for &(c, k) in blocks {
            for (i, j_row) in problem.jacobian_block(c, k).chunks_exact(BLOCK).enumerate() {
                let pushed = inverse * Vector6::from_column_slice(j_row);
                for &(d, l) in blocks {
                    let cone = &problem.cones[d];
                    let block = &values[problem.value_offsets[l]..][..BLOCK * cone.n_rows()];
                    for (j, y_row) in block.chunks_exact(BLOCK).enumerate() {
                        matrix[(cone.row + j, problem.cones[c].row + i)] +=
                            Vector6::from_column_slice(y_row).dot(&pushed);
                    }
                }
            }
        }
    }
    let mut velocity = vec![0.0; BLOCK * problem.n_bodies()];
    problem.balance(&vec![0.0; n], &mut Vec::new(), &mut velocity);
    for (v, at) in velocity.iter_mut().zip(&problem.at.velocity) {
        *v -= at;
    }
    let mut free = DVector::zeros(n);
    problem.response(&velocity, free.as_mut_slice());
    for (r, y) in free.iter_mut().zip(&problem.at.slip) {
        *r += y;
    }
    (matrix, free)
}
