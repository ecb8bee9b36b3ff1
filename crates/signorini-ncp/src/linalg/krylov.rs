//! GMRES with a right preconditioner, without restart (the preconditioner keeps it short). The preconditioned
//! vectors are kept (Saad 1993, flexible GMRES), so that k iterations take k preconditionings.

/// Workspace of GMRES.
#[derive(Debug, Default)]
pub struct Gmres {
    basis: Vec<Vec<f64>>,
    preconditioned: Vec<Vec<f64>>,
    hessenberg: Vec<f64>,
    cosines: Vec<f64>,
    sines: Vec<f64>,
    projected: Vec<f64>,
    /// Determinant of the last Hessenberg matrix, up to a positive factor.
    determinant: f64,
}

/// a·b in eight strands, for vectors of the machine.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut strands = [0.0; 8];
    for (a, b) in a.0.iter().zip(b.0) {
        for ((s, a), b) in strands.iter_mut().zip(a).zip(b) {
            *s += a * b;
        }
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(x, y)| x * y).sum();
    strands.iter().sum::<f64>() + rest
}

/// Tolerance and most iterations of a solve.
#[derive(Debug, Clone, Copy)]
pub struct Accuracy {
    /// |b − A x| relative to |b|.
    pub relative: f64,
    /// Most iterations.
    pub iterations: usize,
}

impl Gmres {
    /// Solves A x = b to a tolerance. `operator(x, out)` writes A x, and `precondition(x)` overwrites x with
    /// the product P⁻¹ x. Overwrites `x` (its start value is not used). Returns the iterations taken. Saad,
    /// Schultz 1986, with right preconditioning and Givens rotations.
    pub fn solve(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        Accuracy { relative, iterations: most }: Accuracy,
        mut operator: impl FnMut(&[f64], &mut [f64]),
        mut precondition: impl FnMut(&mut [f64]),
    ) -> usize {
        let n = b.len();
        self.reserve(n, most);
        let norm = dot(b, b).sqrt();
        x.fill(0.0);
        if norm == 0.0 || !norm.is_finite() {
            return 0;
        }
        for (v, b) in self.basis[0].iter_mut().zip(b) {
            *v = b / norm;
        }
        self.projected[0] = norm;
        self.determinant = 1.0;
        let stride = most + 1;
        let mut taken = 0;
        for k in 0..most {
            self.preconditioned[k].copy_from_slice(&self.basis[k]);
            precondition(&mut self.preconditioned[k]);
            let (done, rest) = self.basis.split_at_mut(k + 1);
            let w = &mut rest[0];
            operator(&self.preconditioned[k], w);
            let column = &mut self.hessenberg[k * stride..(k + 1) * stride];
            for (h, v) in column.iter_mut().zip(done.iter()) {
                *h = dot(w, v);
                for (w, v) in w.iter_mut().zip(v) {
                    *w -= *h * v;
                }
            }
            let length = dot(w, w).sqrt();
            for i in 0..k {
                let (c, s) = (self.cosines[i], self.sines[i]);
                let (upper, lower) = (column[i], column[i + 1]);
                column[i] = c * upper + s * lower;
                column[i + 1] = c * lower - s * upper;
            }
            let radius = column[k].hypot(length);
            taken = k + 1;
            if radius == 0.0 || !radius.is_finite() {
                taken = k;
                break;
            }
            (self.cosines[k], self.sines[k]) = (column[k] / radius, length / radius);
            self.determinant = self.cosines[k];
            column[k] = radius;
            self.projected[k + 1] = -self.sines[k] * self.projected[k];
            self.projected[k] *= self.cosines[k];
            if self.projected[k + 1].abs() <= relative * norm || length == 0.0 {
                break;
            }
            for w in w.iter_mut() {
                *w /= length;
            }
        }
        self.combine(taken, stride, x);
        taken
    }

    /// Whether A P⁻¹ restricted to the space of the last solve has a positive determinant. Outside of that
    /// space A P⁻¹ acted like a multiple of 1 when the solve converged, so this tells whether A and P have
    /// determinants of one sign.
    pub fn has_positive_determinant(&self) -> bool {
        // The rotations before the last leave positive numbers on the diagonal.
        self.determinant > 0.0
    }

    fn reserve(&mut self, n: usize, most: usize) {
        if self.basis.first().is_none_or(|v| v.len() != n) || self.basis.len() < most + 1 {
            self.basis.resize(most + 1, Vec::new());
            self.preconditioned.resize(most, Vec::new());
            for v in self.basis.iter_mut().chain(&mut self.preconditioned) {
                v.clear();
                v.resize(n, 0.0);
            }
        }
        self.hessenberg.resize(most * (most + 1), 0.0);
        self.cosines.resize(most, 0.0);
        self.sines.resize(most, 0.0);
        self.projected.resize(most + 1, 0.0);
    }

    /// x := Z y with R y = the projected right-hand side.
    fn combine(&mut self, taken: usize, stride: usize, x: &mut [f64]) {
        for i in (0..taken).rev() {
            let mut sum = self.projected[i];
            for j in i + 1..taken {
                sum -= self.hessenberg[j * stride + i] * self.projected[j];
            }
            self.projected[i] = sum / self.hessenberg[i * stride + i];
        }
        for (y, v) in self.projected[..taken].iter().zip(&self.preconditioned) {
            for (x, v) in x.iter_mut().zip(v) {
                *x += y * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// n, an unsymmetric matrix with this diagonal, and a right-hand side.
    fn system(diagonal: f64) -> (usize, DMatrix<f64>, Vec<f64>) {
        let entry = |i, j| if i == j { diagonal } else { ((i * 7 + j * 3) as f64).sin() * 0.5 };
        (20, DMatrix::from_fn(20, 20, entry), (0..20).map(|i| f64::from(i).cos()).collect())
    }

    #[test]
    fn reaches_the_dense_solution_of_an_unsymmetric_system() {
        let (n, a, b) = system(4.0);
        let expected = a.clone().lu().solve(&DVector::from_column_slice(&b)).expect("regular");
        let mut x = vec![0.0; n];
        let mut gmres = Gmres::default();
        let taken = gmres.solve(
            &b,
            &mut x,
            Accuracy { relative: 1e-13, iterations: 30 },
            |x, out| out.copy_from_slice((&a * DVector::from_column_slice(x)).as_slice()),
            |x| x.iter_mut().for_each(|x| *x /= 4.0),
        );
        assert!(taken <= n);
        assert!((DVector::from_vec(x) - expected).norm() < 1e-11);
    }

    /// Preconditioners that are the matrix but for two directions. One, the other, both or none of these have
    /// the other sign.
    #[test]
    fn tells_when_the_preconditioner_has_the_other_sign() {
        let (n, a, b) = system(3.0);
        for (first, second) in [(1.0, 1.0), (-0.8, 1.0), (1.0, -1.2), (-0.8, -1.2)] {
            let mut change =
                DMatrix::identity(n, n) + DMatrix::from_fn(n, n, |i, j| 1e-3 * (i as f64 - j as f64).cos());
            change[(3, 3)] += first - 1.0;
            change[(11, 11)] += second - 1.0;
            let inverse = (&a * &change).try_inverse().expect("regular");
            let sign = (&a * &inverse).determinant();
            let multiply =
                |m: &DMatrix<f64>, x: &[f64]| (m * DVector::from_column_slice(x)).as_slice().to_vec();
            let mut gmres = Gmres::default();
            let operator = |x: &[f64], out: &mut [f64]| out.copy_from_slice(&multiply(&a, x));
            let taken = gmres.solve(
                &b,
                &mut vec![0.0; n],
                Accuracy { relative: 1e-6, iterations: 15 },
                operator,
                |x| x.copy_from_slice(&multiply(&inverse, x)),
            );
            assert!(
                taken < 10 && gmres.has_positive_determinant() == (sign > 0.0),
                "{first}, {second}: {taken}"
            );
        }
    }
}
