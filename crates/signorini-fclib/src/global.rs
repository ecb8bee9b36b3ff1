//! From M, H, f, w to blocks of six unknowns, rigid bodies kept together.

use nalgebra::Matrix6;
use signorini_ncp::linalg::{BLOCK, SparseLu};
use signorini_ncp::problem::{Cone, ContactProblem};
use sprs::{CsMat, TriMat};
use std::collections::BTreeMap;

/// Degree of freedom → (block, entry); `None` when nothing touches it.
type Places = Vec<(usize, usize)>;

/// The problem before reduction: M v = H r + f, u = Hᵀ v + w.
#[derive(Debug, Clone)]
pub struct GlobalPart {
    /// M.
    pub mass: CsMat<f64>,
    /// H, a row per degree of freedom.
    pub force_directions: CsMat<f64>,
    /// f.
    pub force: Vec<f64>,
    /// w.
    pub offset: Vec<f64>,
}

/// M as blocks of six (padded with ones), J = Hᵀ over the blocks each contact touches. `None` when M is not
/// symmetric and positive definite: the problem is then only given by W.
pub fn global_as_contact_problem(
    global: &GlobalPart,
    mu: &[f64],
    free_slip: &[f64],
) -> Option<ContactProblem> {
    let cone = |(c, mu): (usize, &f64)| Cone {
        row: 3 * c,
        n_normal: 1,
        n_used: 1,
        n_friction: 2,
        friction_coefficient: *mu,
        bounded: false,
        rolls_with: None,
    };
    blocks_of(global, &mu.iter().enumerate().map(cone).collect::<Vec<_>>(), free_slip)
}

/// M as blocks of six and J = Hᵀ of any cones, whose rows are columns of H ([`global_as_contact_problem`]).
pub fn blocks_of(global: &GlobalPart, cones: &[Cone], free_slip: &[f64]) -> Option<ContactProblem> {
    if !is_symmetric(&global.mass) {
        return None;
    }
    let (places, n_blocks) = group(&global.mass);
    let mut problem = ContactProblem::empty();
    problem.mass = vec![Matrix6::identity(); n_blocks];
    problem.at.free_momentum = vec![0.0; BLOCK * n_blocks];
    problem.at.velocity = vec![0.0; BLOCK * n_blocks];
    let mut coupling: BTreeMap<(usize, usize), Matrix6<f64>> = BTreeMap::new();
    for (i, row) in global.mass.outer_iterator().enumerate() {
        let (block, r) = places[i];
        problem.mass[block][(r, r)] = 0.0;
        problem.at.free_momentum[BLOCK * block + r] = global.force[i];
        for (j, value) in row.iter() {
            let (other, c) = places[j];
            if other == block {
                problem.mass[block][(r, c)] = *value;
            } else if block < other {
                coupling.entry((block, other)).or_insert_with(Matrix6::zeros)[(r, c)] = *value;
            }
        }
    }
    for mass in &problem.mass {
        problem.mass_inverse.push(mass.cholesky()?.inverse());
    }
    problem.coupling = coupling.into_iter().map(|((i, j), block)| (i, j, block)).collect();
    add_contacts(&mut problem, &global.force_directions, &places, cones);
    for (c, own) in cones.iter().enumerate() {
        let (there, n) = (problem.cones[c].row, own.n_law_rows());
        problem.at.slip[there..there + n].copy_from_slice(&global.offset[own.row..own.row + n]);
    }
    drop_untouched(&mut problem);
    problem.update_weights();
    let lightest = problem.mass.iter().flat_map(|m| m.diagonal().iter().copied().collect::<Vec<_>>());
    let speed = free_slip.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let momentum = lightest.fold(f64::INFINITY, f64::min) * speed;
    problem.set_uniform_units(if momentum > 0.0 && momentum.is_finite() { momentum } else { 1.0 }, 1.0);
    Some(problem)
}

/// W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w. None when M is singular.
pub fn reduced(global: &GlobalPart) -> Option<(CsMat<f64>, Vec<f64>)> {
    let lu = factor(global)?;
    // A row per contact row.
    let h = global.force_directions.transpose_view().to_csr();
    let by_dof = global.force_directions.to_csr();
    let mut w = TriMat::new((h.rows(), h.rows()));
    let (mut column, mut product) = (vec![0.0; global.force.len()], vec![0.0; h.rows()]);
    let mut touched = Vec::new();
    for (j, own) in h.outer_iterator().enumerate() {
        column.fill(0.0);
        own.iter().for_each(|(dof, value)| column[dof] = *value);
        let moved = lu.solve(&column)?;
        touched.clear();
        for (row, moved) in by_dof.outer_iterator().zip(&moved).filter(|(_, moved)| **moved != 0.0) {
            for (i, value) in row.iter() {
                product[i] += value * moved;
                touched.push(i);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for i in &touched {
            let value = std::mem::take(&mut product[*i]);
            if value != 0.0 {
                w.add_triplet(*i, j, value);
            }
        }
    }
    let free = lu.solve(&global.force)?;
    let product = |row: sprs::CsVecView<'_, f64>| row.iter().map(|(dof, x)| x * free[dof]).sum::<f64>();
    let q = h.outer_iterator().zip(&global.offset).map(|(row, w)| product(row) + w).collect();
    Some((w.to_csr(), q))
}

/// v = M⁻¹ (H r + f). None when M is singular.
pub fn velocity(global: &GlobalPart, impulse: &[f64]) -> Option<Vec<f64>> {
    let mut momentum = global.force.clone();
    for (p, row) in momentum.iter_mut().zip(global.force_directions.outer_iterator()) {
        *p += row.iter().map(|(j, h)| h * impulse[j]).sum::<f64>();
    }
    factor(global)?.solve(&momentum)
}

fn factor(global: &GlobalPart) -> Option<SparseLu> {
    let entries: Vec<_> = global.mass.iter().map(|(value, (i, j))| (i, j, *value)).collect();
    SparseLu::new(global.force.len(), &entries)
}

fn is_symmetric(m: &CsMat<f64>) -> bool {
    let largest = m.data().iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    m.iter().all(|(value, (i, j))| (value - m.get(j, i).copied().unwrap_or(0.0)).abs() <= 1e-12 * largest)
}

/// Connected parts of M in order of their first degree of freedom; parts of at most six share blocks, larger
/// ones are cut every six.
fn group(m: &CsMat<f64>) -> (Places, usize) {
    let n = m.rows();
    let mut part: Vec<usize> = (0..n).collect();
    fn root(part: &mut [usize], mut i: usize) -> usize {
        while part[i] != i {
            part[i] = part[part[i]];
            i = part[i];
        }
        i
    }
    for (value, (i, j)) in m.iter() {
        if *value != 0.0 {
            let (a, b) = (root(&mut part, i), root(&mut part, j));
            part[a.max(b)] = a.min(b);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..n {
        let first = root(&mut part, i);
        members.entry(first).or_default().push(i);
    }
    let mut places = vec![(0, 0); n];
    let (mut block, mut used) = (0, 0);
    for own in members.values() {
        if used > 0 && used + own.len() > BLOCK {
            (block, used) = (block + 1, 0);
        }
        for i in own {
            if used == BLOCK {
                (block, used) = (block + 1, 0);
            }
            places[*i] = (block, used);
            used += 1;
        }
    }
    (places, if n == 0 { 0 } else { block + 1 })
}

fn add_contacts(problem: &mut ContactProblem, h: &CsMat<f64>, places: &Places, cones: &[Cone]) {
    let mut own_rows = vec![(0, 0); h.cols()];
    for (c, cone) in cones.iter().enumerate() {
        (0..cone.n_law_rows()).for_each(|k| own_rows[cone.row + k] = (c, k));
    }
    let mut entries: Vec<Vec<(usize, usize, usize, f64)>> = vec![Vec::new(); cones.len()];
    for (value, (dof, column)) in h.iter() {
        let ((block, entry), (c, row)) = (places[dof], own_rows[column]);
        entries[c].push((block, row, entry, *value));
    }
    for (c, cone) in cones.iter().enumerate() {
        let of = cone.rolls_with.unwrap_or(c);
        let mut blocks: Vec<usize> = entries[of].iter().map(|e| e.0).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let index = match cone {
            Cone { rolls_with: Some(contact), .. } => {
                problem.add_rolling(blocks.iter().copied(), *contact, cone.friction_coefficient)
            }
            Cone { bounded: true, n_normal, .. } => {
                problem.add_bounded(blocks.iter().copied(), &vec![[0.0; 2]; *n_normal])
            }
            _ => {
                let rows = (cone.n_normal, cone.n_friction);
                problem.add_contact(blocks.iter().copied(), rows, cone.friction_coefficient)
            }
        };
        for (block, row, entry, value) in &entries[c] {
            let Ok(k) = blocks.binary_search(block) else { continue };
            let place = problem.value_offsets[problem.block_offsets[index] + k] + BLOCK * row + entry;
            problem.at.jacobian[place] = *value;
        }
    }
}

/// Blocks that no contact and no coupling touches move freely: they need no unknowns.
fn drop_untouched(problem: &mut ContactProblem) {
    let mut touched = vec![false; problem.n_bodies()];
    for body in problem.block_body.iter().chain(problem.coupling.iter().flat_map(|(i, j, _)| [i, j])) {
        touched[*body] = true;
    }
    let mut number = vec![0; touched.len()];
    let mut kept = 0;
    for (i, _) in touched.iter().enumerate().filter(|(_, t)| **t) {
        number[i] = kept;
        problem.mass[kept] = problem.mass[i];
        problem.mass_inverse[kept] = problem.mass_inverse[i];
        problem.at.free_momentum.copy_within(BLOCK * i..BLOCK * (i + 1), BLOCK * kept);
        kept += 1;
    }
    problem.mass.truncate(kept);
    problem.mass_inverse.truncate(kept);
    problem.at.free_momentum.truncate(BLOCK * kept);
    problem.at.velocity.truncate(BLOCK * kept);
    problem.block_body.iter_mut().for_each(|b| *b = number[*b]);
    problem.coupling.iter_mut().for_each(|(i, j, _)| (*i, *j) = (number[*i], number[*j]));
}
