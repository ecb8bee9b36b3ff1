//! The linear system of one Newton iteration: true matrix A − K + Jᵀ G Y, solved directly for a few bodies,
//! else by GMRES preconditioned with the Cholesky factor of its symmetric part H = A + Jᵀ G_s J.

use super::law::Law;
use crate::linalg::{
    BLOCK, BLOCK_LEN, BlockPattern, DenseLu, Gmres, NotPositiveDefinite, SparseCholesky, SymmetricBlocks,
};
use crate::problem::{ContactProblem, Stiffness};

/// Islands of at most this many bodies are solved by dense LU of the unsymmetric matrix: exact Newton steps,
/// no Krylov iterations. Measured crossover, one core.
pub const LARGEST_DENSE: usize = 6;

/// Workspace of the Newton systems of one problem.
#[derive(Debug, Default)]
pub struct NewtonSystem {
    dense: bool,
    lu: DenseLu,
    pattern: BlockPattern,
    /// The contact graph the pattern was made for: bodies of each contact.
    graph: (Vec<usize>, Vec<usize>),
    /// Slots of each contact's block pairs (p ≥ q), in order.
    slots: Vec<usize>,
    blocks: SymmetricBlocks,
    cholesky: SparseCholesky,
    gmres: Gmres,
    gained: Vec<f64>,
    rows: Vec<f64>,
    forces: Vec<f64>,
}

impl NewtonSystem {
    /// Takes over the contact graph; the symbolic factorisation is kept while it stands. Returns whether it changed.
    pub fn prepare(&mut self, problem: &ContactProblem) -> bool {
        let widest = (0..problem.cones.len())
            .map(|c| problem.cones[c].n_rows() * (problem.start[c + 1] - problem.start[c]))
            .max()
            .unwrap_or(0);
        self.gained.resize(BLOCK * widest, 0.0);
        self.rows.resize(problem.n_rows(), 0.0);
        self.forces.resize(problem.n_rows(), 0.0);
        let n = problem.n_bodies();
        self.dense = n <= LARGEST_DENSE;
        let same = self.pattern.n() == n && self.graph.0 == problem.start && self.graph.1 == problem.body;
        if same {
            return false;
        }
        self.graph.0.clone_from(&problem.start);
        self.graph.1.clone_from(&problem.body);
        let contacts = problem.start.windows(2).map(|w| &problem.body[w[0]..w[1]]);
        let pairs = contacts
            .clone()
            .flat_map(|bodies| bodies.iter().flat_map(|i| bodies.iter().map(|j| (*i, *j))))
            .chain(problem.coupling.iter().map(|(i, j, _)| (*i, *j)));
        self.pattern = BlockPattern::new(n, pairs);
        if self.dense {
            self.lu.reset(BLOCK * n);
            return true;
        }
        self.slots.clear();
        for bodies in contacts {
            for (p, i) in bodies.iter().enumerate() {
                self.slots.extend(bodies[..=p].iter().map(|j| self.pattern.slot(*i, *j)));
            }
        }
        self.cholesky.analyse(&self.pattern);
        true
    }

    /// Whether the direct dense path is used.
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// Assembles and factorises for the gains of `law`.
    ///
    /// # Errors
    /// When H is not positive definite in floating point.
    pub fn factorize(&mut self, problem: &ContactProblem, law: &Law) -> Result<(), NotPositiveDefinite> {
        if self.dense {
            self.assemble_dense(problem, law);
            self.lu.factorize();
            return Ok(());
        }
        self.assemble_symmetric(problem, law);
        self.cholesky.factorize(&self.pattern, &self.blocks)
    }

    /// Solves (A − K + Jᵀ G Y) x = b to a relative residual; returns Krylov iterations (0 when direct).
    pub fn solve(
        &mut self,
        problem: &ContactProblem,
        law: &Law,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> usize {
        if self.dense {
            x.copy_from_slice(b);
            self.lu.solve(x);
            return 0;
        }
        let (rows, forces, cholesky) = (&mut self.rows, &mut self.forces, &mut self.cholesky);
        let operator = |v: &[f64], out: &mut [f64]| {
            problem.tangent_mass(v, out);
            problem.response(v, rows);
            for (c, cone) in problem.cones.iter().enumerate() {
                let range = cone.row..cone.row + cone.n_rows();
                law.apply_gain(c, cone, true, &rows[range.clone()], &mut forces[range]);
            }
            problem.add_forces(forces, 1.0, out);
        };
        self.gmres.solve(b, x, tolerance, most, operator, |x| cholesky.solve(x))
    }

    /// gained := G times the rows of one contact block.
    fn gain_rows(
        &mut self,
        problem: &ContactProblem,
        law: &Law,
        c: usize,
        values: &[f64],
        exact: bool,
        place: usize,
    ) {
        let cone = &problem.cones[c];
        let n = cone.n_rows();
        let out = &mut self.gained[place * BLOCK * n..][..BLOCK * n];
        let gain = &law.gain[c];
        let mut sum = [0.0; BLOCK];
        for (i, row) in cone.normal().enumerate() {
            let g = law.normal_gain[row];
            for j in 0..BLOCK {
                out[BLOCK * i + j] = g * values[BLOCK * i + j];
                sum[j] += out[BLOCK * i + j];
            }
        }
        let friction = cone.n_normal..n;
        let mut push = sum.map(|s| if exact { gain.coupling * s } else { 0.0 });
        for (i, d) in friction.clone().zip(&gain.direction) {
            for j in 0..BLOCK {
                push[j] -= gain.beta * d * values[BLOCK * i + j];
            }
        }
        for (i, d) in friction.zip(&gain.direction) {
            for j in 0..BLOCK {
                out[BLOCK * i + j] = gain.alpha * values[BLOCK * i + j] + d * push[j];
            }
        }
    }

    fn assemble_symmetric(&mut self, problem: &ContactProblem, law: &Law) {
        self.blocks.reset(&self.pattern);
        for (i, mass) in problem.mass.iter().enumerate() {
            self.blocks.block(i).copy_from_slice(mass.transpose().as_slice());
        }
        for (i, j, block) in &problem.coupling {
            let lower = if i > j { block.transpose() } else { *block };
            let slot = self.pattern.slot(*i, *j);
            for (o, a) in self.blocks.block(slot).iter_mut().zip(lower.as_slice()) {
                *o += a;
            }
        }
        let mut slot = 0;
        for (c, cone) in problem.cones.iter().enumerate() {
            let blocks = problem.start[c]..problem.start[c + 1];
            let n_blocks = blocks.len();
            let closed = cone.normal().any(|row| law.normal_gain[row] > 0.0);
            if !closed {
                slot += n_blocks * (n_blocks + 1) / 2;
                continue;
            }
            for (place, k) in blocks.clone().enumerate() {
                let start = problem.value_start[k];
                let values = &problem.jacobian[start..start + BLOCK * cone.n_rows()];
                self.gain_rows(problem, law, c, values, false, place);
            }
            let n = BLOCK * cone.n_rows();
            for (p, kp) in blocks.clone().enumerate() {
                for (q, kq) in blocks.clone().enumerate().take(p + 1) {
                    // The slot holds the block of the lower triangle: rows are those of the later body.
                    let out = self.blocks.block(self.slots[slot]);
                    slot += 1;
                    if problem.body[kp] >= problem.body[kq] {
                        add_product(out, problem.jacobian_block(c, kp), &self.gained[q * n..][..n]);
                    } else {
                        add_product(out, problem.jacobian_block(c, kq), &self.gained[p * n..][..n]);
                    }
                }
            }
        }
    }

    fn assemble_dense(&mut self, problem: &ContactProblem, law: &Law) {
        let n = BLOCK * problem.n_bodies();
        self.lu.reset(n);
        for (i, mass) in problem.mass.iter().enumerate() {
            self.add_dense(n, i, i, mass.transpose().as_slice(), 1.0);
        }
        for (i, body) in problem.stiffness.body.iter().enumerate() {
            self.add_dense(n, i, i, body.transpose().as_slice(), -1.0);
        }
        for (i, j, block) in &problem.coupling {
            self.add_dense(n, *i, *j, block.transpose().as_slice(), 1.0);
            self.add_dense(n, *j, *i, block.as_slice(), 1.0);
        }
        for c in 0..problem.cones.len() {
            self.add_dense_contact(n, problem, law, c);
        }
    }

    fn add_dense_contact(&mut self, n: usize, problem: &ContactProblem, law: &Law, c: usize) {
        let cone = problem.cones[c];
        let blocks = problem.start[c]..problem.start[c + 1];
        let width = BLOCK * blocks.len();
        if let Some(start) = problem.stiffness.start.get(c).filter(|s| **s != Stiffness::NONE) {
            for (p, kp) in blocks.clone().enumerate() {
                for r in 0..BLOCK {
                    let row = &problem.stiffness.blocks[start + (BLOCK * p + r) * width..][..width];
                    for (q, kq) in blocks.clone().enumerate() {
                        for s in 0..BLOCK {
                            let column = BLOCK * problem.body[kq] + s;
                            self.lu.entries[column * n + BLOCK * problem.body[kp] + r] -= row[BLOCK * q + s];
                        }
                    }
                }
            }
        }
        if !cone.normal().any(|row| law.normal_gain[row] > 0.0) {
            return;
        }
        let length = BLOCK * cone.n_rows();
        for kq in blocks.clone() {
            let start = problem.value_start[kq];
            let values = &problem.response_values()[start..start + length];
            self.gain_rows(problem, law, c, values, true, 0);
            for kp in blocks.clone() {
                let mut product = [0.0; BLOCK_LEN];
                add_product(&mut product, problem.jacobian_block(c, kp), &self.gained[..length]);
                self.add_dense(n, problem.body[kp], problem.body[kq], &product, 1.0);
            }
        }
    }

    /// entries += sign · a row-major block at (i, j).
    fn add_dense(&mut self, n: usize, i: usize, j: usize, block: &[f64], sign: f64) {
        for r in 0..BLOCK {
            for c in 0..BLOCK {
                self.lu.entries[(BLOCK * j + c) * n + BLOCK * i + r] += sign * block[BLOCK * r + c];
            }
        }
    }
}

/// out += Pᵀ Q for P, Q with six columns, all row-major.
fn add_product(out: &mut [f64], p: &[f64], q: &[f64]) {
    for (p, q) in p.chunks_exact(BLOCK).zip(q.chunks_exact(BLOCK)) {
        for r in 0..BLOCK {
            let scale = p[r];
            for (o, q) in out[BLOCK * r..BLOCK * (r + 1)].iter_mut().zip(q) {
                *o += scale * q;
            }
        }
    }
}
