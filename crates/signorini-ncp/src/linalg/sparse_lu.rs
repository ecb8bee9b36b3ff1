//! LU of a sparse matrix of numbers, with pivoting: faer's. For systems whose entries are of all magnitudes,
//! where [`super::block_lu`], which exchanges rows within blocks only, loses all digits.

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Lu;
use faer::sparse::{SparseColMat, Triplet};

/// Corrections with the residual after the first solution.
const CORRECTIONS: usize = 2;

/// A matrix with its factors.
pub struct SparseLu {
    entries: Vec<Triplet<usize, usize, f64>>,
    lu: Lu<usize, f64>,
}

impl SparseLu {
    /// Factorises the n × n matrix of (row, column, value); entries of one place are added. None where there
    /// are no factors.
    pub fn new(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let entries: Vec<_> = entries.iter().map(|(i, j, value)| Triplet::new(*i, *j, *value)).collect();
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries).ok()?;
        Some(Self { lu: matrix.sp_lu().ok()?, entries })
    }

    /// Solves A x = b; None where the result is not finite.
    pub fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let (mut x, mut left) = (vec![0.0; b.len()], b.to_vec());
        for round in 0..=CORRECTIONS {
            let correction = self.lu.solve(Mat::from_fn(b.len(), 1, |i, _| left[i]));
            for (i, x) in x.iter_mut().enumerate() {
                *x += correction[(i, 0)];
            }
            if round < CORRECTIONS {
                left.copy_from_slice(b);
                self.entries.iter().for_each(|e| left[e.row] -= e.val * x[e.col]);
            }
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spring of 1e12 and a multiplier of 1: without exchanges the multiplier's pivot is 1e-12 of the
    /// numbers that it is the difference of.
    #[test]
    fn all_magnitudes_are_solved() {
        let entries =
            [(0, 0, 1e-20), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 1e12), (2, 2, 3.0), (2, 2, 1.0), (2, 0, 1.0)];
        let lu = SparseLu::new(3, &entries).unwrap();
        let x = lu.solve(&[1.0, 1e12 + 2.0, 10.0]).unwrap();
        for (x, expected) in x.iter().zip([2.0, 1.0, 2.0]) {
            assert!((x - expected).abs() < 1e-12, "{x} instead of {expected}");
        }
    }

    #[test]
    fn a_singular_matrix_has_no_solution() {
        let solved = SparseLu::new(2, &[(0, 0, 1.0), (1, 0, 1.0)]).and_then(|lu| lu.solve(&[1.0, 2.0]));
        assert!(solved.is_none());
    }
}
