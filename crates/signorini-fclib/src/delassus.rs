//! From W alone to blocks of unknowns, and W of blocks applied without forming it.

use super::rank_factor::RankFactor;
use nalgebra::{Matrix6, Vector6};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::problem::contact_problem::{body_vector_mut, vector6};
use sprs::{CsMat, TriMat};
use std::time::Instant;

/// W = Y Jᵀ with as many columns as W has rank (a few more where it is unsymmetric): A = I, b = 0, y = Y v +
/// q. Exact whatever the rank, and unsymmetric where W is. Also returns the small part of W that is left out,
/// to be added to y at the last impulses. `None` when the time is up first.
pub fn delassus_as_contact_problem(
    w: &CsMat<f64>,
    free_slip: &[f64],
    mu: &[f64],
    deadline: Option<Instant>,
) -> Option<(ContactProblem, CsMat<f64>)> {
    let factor = RankFactor::new(w, deadline)?;
    let n_blocks = factor.n_columns().div_ceil(BLOCK);
    let mut problem = ContactProblem::empty();
    problem.mass = vec![Matrix6::identity(); n_blocks];
    problem.mass_inverse.clone_from(&problem.mass);
    problem.at.free_momentum = vec![0.0; BLOCK * n_blocks];
    problem.at.velocity = vec![0.0; BLOCK * n_blocks];
    for (c, mu) in mu.iter().enumerate() {
        let rows = &factor.rows[3 * c..3 * c + 3];
        let mut blocks: Vec<usize> = rows.iter().flatten().map(|entry| entry.column / BLOCK).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let index = problem.add_contact(blocks.iter().copied(), (1, 2), *mu);
        problem.at.response.resize(problem.at.jacobian.len(), 0.0);
        for (r, row) in rows.iter().enumerate() {
            for entry in row {
                let k = blocks.binary_search(&(entry.column / BLOCK)).expect("block was listed");
                let place = problem.value_offsets[problem.block_offsets[index] + k]
                    + BLOCK * r
                    + entry.column % BLOCK;
                problem.at.jacobian[place] = entry.force;
                problem.at.response[place] = entry.response;
            }
        }
    }
    if factor.symmetric {
        problem.at.response.clear();
    }
    problem.at.slip = free_slip.to_vec();
    problem.update_weights();
    let scale = w.diag().iter().map(|(_, d)| d.max(0.0)).sum::<f64>() / (3 * mu.len()).max(1) as f64;
    let speed = free_slip.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let momentum = if speed > 0.0 && scale > 0.0 { speed / scale.sqrt() } else { 1.0 };
    problem.set_uniform_units(momentum, 1.0);
    let mut remainder = TriMat::new((w.rows(), w.cols()));
    for (row, column, value) in &factor.remainder {
        remainder.add_triplet(*row, *column, *value);
    }
    Some((problem, remainder.to_csr()))
}

/// diag(J A⁻¹ Yᵀ) with the diagonal blocks of A.
pub fn diagonal(problem: &ContactProblem) -> Vec<f64> {
    let mut out = vec![0.0; problem.n_rows()];
    for (c, cone) in problem.cones.iter().enumerate() {
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let inverse = &problem.mass_inverse[problem.block_body[k]];
            for (r, row) in problem.jacobian_block(c, k).chunks_exact(BLOCK).enumerate() {
                let row = Vector6::from_column_slice(row);
                out[cone.row + r] += row.dot(&(inverse * row));
            }
        }
    }
    out
}

/// J A⁻¹ Jᵀ r for block-diagonal A.
pub fn product(problem: &ContactProblem, impulse: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; BLOCK * problem.n_bodies()];
    problem.add_forces(impulse, 1.0, &mut v);
    for (i, inverse) in problem.mass_inverse.iter().enumerate() {
        let velocity = inverse * vector6(&v, i);
        body_vector_mut(&mut v, i).copy_from_slice(velocity.as_slice());
    }
    let mut out = vec![0.0; problem.n_rows()];
    problem.response(&v, &mut out);
    out
}
