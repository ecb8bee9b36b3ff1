//! Products of vectors with the matrices of a problem: rows, masses, stiffness, and their transposes.

use super::contact_problem::{ContactProblem, body_vector, body_vector_mut, vector6};
use crate::linalg::BLOCK;

impl ContactProblem {
    /// out := Y v.
    pub fn response(&self, v: &[f64], out: &mut [f64]) {
        self.rows_product(self.response_values(), v, out);
    }

    /// out := J v in the rows of some cones, 0 in others.
    pub fn jacobian_product(&self, cones: &[usize], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        cones.iter().for_each(|c| self.cone_product(*c, &self.at.jacobian, v, out));
    }

    /// out := the product of rows with these values and v.
    pub fn rows_product(&self, values: &[f64], v: &[f64], out: &mut [f64]) {
        (0..self.cones.len()).for_each(|c| self.cone_product(c, values, v, out));
    }

    fn cone_product(&self, c: usize, values: &[f64], v: &[f64], out: &mut [f64]) {
        let cone = &self.cones[c];
        let rows = &mut out[cone.row..cone.row + cone.n_rows()];
        rows.fill(0.0);
        for k in self.block_offsets[c]..self.block_offsets[c + 1] {
            let v = body_vector(v, self.block_body[k]);
            let block = &values[self.value_offsets[k]..];
            for used in cone.used() {
                let values = block[BLOCK * used.start..].chunks_exact(BLOCK);
                for (row, y) in values.zip(&mut rows[used]) {
                    *y += row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
    }

    /// out += Yᵀ x.
    pub fn add_responses(&self, x: &[f64], out: &mut [f64]) {
        self.add_rows(self.response_values(), x, 1.0, out);
    }

    /// out += sign · Jᵀ x.
    pub fn add_forces(&self, x: &[f64], sign: f64, out: &mut [f64]) {
        self.add_rows(&self.at.jacobian, x, sign, out);
    }

    /// out += sign times the product of the transposed rows with these values and x.
    pub fn add_rows(&self, values: &[f64], x: &[f64], sign: f64, out: &mut [f64]) {
        for (c, cone) in self.cones.iter().enumerate() {
            let rows = &x[cone.row..cone.row + cone.n_rows()];
            if cone.used().into_iter().all(|used| rows[used].iter().all(|x| *x == 0.0)) {
                continue;
            }
            for k in self.block_offsets[c]..self.block_offsets[c + 1] {
                let out = body_vector_mut(out, self.block_body[k]);
                let block = &values[self.value_offsets[k]..];
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
        self.subtract_stiffness(v, out);
    }

    /// out := Aᵀ v − Kᵀ v.
    pub fn tangent_mass_transposed(&self, v: &[f64], out: &mut [f64]) {
        self.mass_product(v, out);
        self.subtract_stiffness_transposed(v, out);
    }

    /// out −= Kᵀ v.
    pub fn subtract_stiffness_transposed(&self, v: &[f64], out: &mut [f64]) {
        for (i, block) in self.at.stiffness.body.iter().enumerate() {
            let product = block.tr_mul(&vector6(v, i));
            body_vector_mut(out, i).iter_mut().zip(product.iter()).for_each(|(o, p)| *o -= p);
        }
        for (bodies, block) in (0..self.cones.len()).filter_map(|c| self.stiffness_of(c)) {
            let rows = block.chunks_exact(BLOCK * bodies.len());
            let of_rows = bodies.iter().flat_map(|body| body_vector(v, *body));
            for (row, v) in rows.zip(of_rows) {
                for (part, body) in row.chunks_exact(BLOCK).zip(bodies) {
                    body_vector_mut(out, *body).iter_mut().zip(part).for_each(|(o, k)| *o -= k * v);
                }
            }
        }
    }

    /// out −= K v.
    pub fn subtract_stiffness(&self, v: &[f64], out: &mut [f64]) {
        for (i, block) in self.at.stiffness.body.iter().enumerate() {
            let product = block * vector6(v, i);
            for (o, p) in body_vector_mut(out, i).iter_mut().zip(product.iter()) {
                *o -= p;
            }
        }
        for (bodies, block) in (0..self.cones.len()).filter_map(|c| self.stiffness_of(c)) {
            let width = BLOCK * bodies.len();
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
}
