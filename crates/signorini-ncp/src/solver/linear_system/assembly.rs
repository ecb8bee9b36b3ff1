//! The values of the Newton matrix: A − K + Jᵀ G Y, or the symmetric part of A + Jᵀ G J.

use super::NewtonSystem;
use crate::linalg::{BLOCK, BLOCK_LEN};
use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::law::Law;

impl NewtonSystem {
    /// applied := G times the rows of one contact block; of its symmetric part where that has the given
    /// place.
    fn derivative_rows(
        &mut self,
        problem: &ContactProblem,
        law: &Law,
        c: usize,
        (values, side): (&[f64], usize),
        symmetric: Option<usize>,
    ) {
        let (exact, place) = (symmetric.is_none(), symmetric.unwrap_or(0));
        let cone = &problem.cones[c];
        let derivative = &law.derivative[c];
        if exact && cone.n_shift() > 0 && problem.law == ContactLaw::Coulomb {
            let out = &mut self.applied[..BLOCK * cone.n_rows()];
            return law.apply_shifted_derivative::<BLOCK>(problem, cone, derivative, values, out);
        }
        let n = cone.n_law_rows();
        let out = &mut self.applied[place * BLOCK * n..][..BLOCK * n];
        let mut sum = [0.0; BLOCK];
        for (i, row) in cone.normal().enumerate() {
            let g = law.normal_derivative[row];
            for j in 0..BLOCK {
                out[BLOCK * i + j] = g * values[BLOCK * i + j];
                sum[j] += out[BLOCK * i + j];
            }
        }
        if let Some(contact) = cone.rolls_with {
            sum = pushing(problem, law, contact, side);
        }
        let friction = cone.n_normal..n;
        if !exact && derivative.lift.is_none() {
            sum = [0.0; BLOCK];
        }
        let mut push = sum.map(|s| derivative.coupling * s);
        for (i, d) in friction.clone().zip(&derivative.direction) {
            for j in 0..BLOCK {
                push[j] -= derivative.beta * d * values[BLOCK * i + j];
            }
        }
        for (k, i) in friction.clone().enumerate() {
            for j in 0..BLOCK {
                out[BLOCK * i + j] = derivative.alpha * values[BLOCK * i + j]
                    + derivative.direction[k] * push[j]
                    + derivative.push[k] * sum[j];
            }
        }
        let Some(lift) = derivative.lift else { return };
        for j in 0..BLOCK {
            let back: f64 =
                friction.clone().zip(&derivative.push).map(|(i, c)| c * values[BLOCK * i + j]).sum();
            for (i, row) in cone.normal().enumerate() {
                out[BLOCK * i + j] += law.normal_derivative[row] * (back - lift * sum[j]);
            }
        }
    }

    /// Assembles the symmetric part of the Newton matrix.
    pub fn assemble_symmetric(&mut self, problem: &ContactProblem, law: &Law) {
        self.symmetric.reset(&self.pattern);
        for (i, mass) in problem.mass.iter().enumerate() {
            self.symmetric.block(i).copy_from_slice(mass.transpose().as_slice());
        }
        for (i, j, block) in &problem.coupling {
            let lower = if i > j { block.transpose() } else { *block };
            let slot = self.pattern.slot(*i, *j);
            for (o, a) in self.symmetric.block(slot).iter_mut().zip(lower.as_slice()) {
                *o += a;
            }
        }
        let mut slot = 0;
        for (c, cone) in problem.cones.iter().enumerate() {
            let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
            let n_blocks = blocks.len();
            if !law.is_closed(problem, c) {
                slot += n_blocks * (n_blocks + 1) / 2;
                continue;
            }
            for (place, k) in blocks.clone().enumerate() {
                let start = problem.value_offsets[k];
                let values = &problem.at.jacobian[start..start + BLOCK * cone.n_law_rows()];
                self.derivative_rows(problem, law, c, (values, place), Some(place));
            }
            let n = BLOCK * cone.n_law_rows();
            for (p, kp) in blocks.clone().enumerate() {
                for (q, kq) in blocks.clone().enumerate().take(p + 1) {
                    // The slot holds the block of the lower triangle: rows are those of the later body.
                    let out = self.symmetric.block(self.slots[slot]);
                    slot += 1;
                    let lower = problem.block_body[kp] >= problem.block_body[kq];
                    let (k, place) = if lower { (kp, q) } else { (kq, p) };
                    for rows in [0..cone.n_used, cone.n_normal..cone.n_law_rows()] {
                        let values = BLOCK * rows.start..BLOCK * rows.end;
                        let jacobian = &problem.jacobian_block(c, k)[values.clone()];
                        add_product(out, jacobian, &self.applied[place * n..][values]);
                    }
                }
            }
        }
        let blocks = self.symmetric.values.chunks_exact_mut(BLOCK_LEN);
        blocks.for_each(|block| to_one_unit(block, problem.at.units.length));
    }

    /// Assembles the Newton matrix itself, unsymmetric where friction slides.
    pub fn assemble_true(&mut self, problem: &ContactProblem, law: &Law) {
        self.unsymmetric.reset(&self.pattern);
        let n = self.pattern.n();
        for (i, mass) in problem.mass.iter().enumerate() {
            let block = match problem.at.stiffness.body.get(i) {
                Some(stiffness) => mass - stiffness,
                None => *mass,
            };
            self.unsymmetric.lower[i].copy_from_slice(block.transpose().as_slice());
        }
        for (i, j, block) in &problem.coupling {
            let slot = self.pattern.slot(*i, *j);
            add(self.unsymmetric.block(n, slot, *i, *j), block.transpose().as_slice());
            add(self.unsymmetric.block(n, slot, *j, *i), block.as_slice());
        }
        let mut slot = 0;
        for c in 0..problem.cones.len() {
            let n_blocks = problem.block_offsets[c + 1] - problem.block_offsets[c];
            let slots = slot..slot + n_blocks * (n_blocks + 1) / 2;
            slot = slots.end;
            self.subtract_stiffness(problem, c, slots.start);
            if law.is_closed(problem, c) {
                self.add_true_contact(problem, law, c, slots.start);
            }
        }
        let blocks = self.unsymmetric.lower.iter_mut().chain(&mut self.unsymmetric.upper);
        blocks.for_each(|block| to_one_unit(block, problem.at.units.length));
    }

    fn subtract_stiffness(&mut self, problem: &ContactProblem, c: usize, first_slot: usize) {
        let Some((bodies, block)) = problem.stiffness_of(c) else { return };
        let width = BLOCK * bodies.len();
        for (p, i) in bodies.iter().enumerate() {
            for (q, j) in bodies.iter().enumerate() {
                let slot = self.slots[first_slot + triangle(p, q)];
                let out = self.unsymmetric.block(self.pattern.n(), slot, *i, *j);
                for r in 0..BLOCK {
                    let row = &block[(BLOCK * p + r) * width + BLOCK * q..][..BLOCK];
                    for (o, k) in out[BLOCK * r..BLOCK * (r + 1)].iter_mut().zip(row) {
                        *o -= k;
                    }
                }
            }
        }
    }

    fn add_true_contact(&mut self, problem: &ContactProblem, law: &Law, c: usize, first_slot: usize) {
        let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
        let cone = &problem.cones[c];
        let length = BLOCK * cone.n_rows();
        for (q, kq) in blocks.clone().enumerate() {
            let start = problem.value_offsets[kq];
            let values = &problem.response_values()[start..start + length];
            self.derivative_rows(problem, law, c, (values, q), None);
            for (p, kp) in blocks.clone().enumerate() {
                let slot = self.slots[first_slot + triangle(p, q)];
                let out = self.unsymmetric.block(
                    self.pattern.n(),
                    slot,
                    problem.block_body[kp],
                    problem.block_body[kq],
                );
                for used in cone.used() {
                    let values = BLOCK * used.start..BLOCK * used.end;
                    let jacobian = &problem.jacobian_block(c, kp)[values.clone()];
                    add_product(out, jacobian, &self.applied[values]);
                }
            }
        }
    }
}

/// Σ g_n Y_n over the normal rows of a contact, on one of its bodies.
fn pushing(problem: &ContactProblem, law: &Law, contact: usize, side: usize) -> [f64; BLOCK] {
    let start = problem.value_offsets[problem.block_offsets[contact] + side];
    let rows = problem.response_values()[start..].chunks_exact(BLOCK);
    let mut sum = [0.0; BLOCK];
    for (g, row) in law.normal_derivative[problem.cones[contact].normal()].iter().zip(rows) {
        sum.iter_mut().zip(row).for_each(|(sum, y)| *sum += g * y);
    }
    sum
}

/// Divides the angular rows and columns of a block by L.
fn to_one_unit(block: &mut [f64], length: f64) {
    for (r, row) in block.chunks_exact_mut(BLOCK).enumerate() {
        for (c, entry) in row.iter_mut().enumerate() {
            for _ in 0..usize::from(r >= 3) + usize::from(c >= 3) {
                *entry /= length;
            }
        }
    }
}

/// Index of the pair (p, q) in the packed lower triangle of a contact's blocks.
fn triangle(p: usize, q: usize) -> usize {
    let (late, early) = (p.max(q), p.min(q));
    late * (late + 1) / 2 + early
}

fn add(out: &mut [f64], block: &[f64]) {
    for (o, b) in out.iter_mut().zip(block) {
        *o += b;
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
