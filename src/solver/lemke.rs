//! Lemke's method for linear complementarity problems, 0 ≤ z ⊥ M z + q ≥ 0, on a dense tableau.
//!
//! w − M z − d z₀ = q with d = (1, …, 1): z₀ enters, and then always the complement of what left, until z₀ leaves.
//! Ties of the ratio test are broken lexicographically by the rows of the inverse basis, so that degenerate problems
//! do not cycle. For the contact problems of \[ST\], with gaps that are not negative, it ends in a solution; for others
//! it may end on a ray, which is reported. The final basis is solved once more by LU, which removes the
//! rounding of the pivots.
//!
//! Reference: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 4.4 and 4.9.

use super::status::SolveStatus;
use crate::problem::lcp::Lcp;
use nalgebra::{DMatrix, DVector};
use std::time::Instant;

/// Pivots at most, per unknown.
const PIVOTS_PER_UNKNOWN: usize = 50;
/// Entries of a column below this part of its largest one are rounding.
const PIVOT_TOLERANCE: f64 = 1e-11;
/// Ratios that differ by less than this are a tie.
const TIE: f64 = 1e-12;

/// Variables: w_i is i, z_i is n + i, z₀ is 2 n; the last column holds the right-hand side.
struct Tableau {
    n: usize,
    entries: DMatrix<f64>,
    basis: Vec<usize>,
}

/// Solves; returns z, how it ended and the number of pivots. On a ray z is what the basis held, without z₀.
pub fn lemke(problem: &Lcp) -> (DVector<f64>, SolveStatus, usize) {
    lemke_until(problem, None)
}

/// The same, no longer than until `deadline`.
pub fn lemke_until(problem: &Lcp, deadline: Option<Instant>) -> (DVector<f64>, SolveStatus, usize) {
    let n = problem.vector.len();
    let finite = problem.matrix.iter().chain(problem.vector.iter()).all(|x| x.is_finite());
    if !finite {
        return (DVector::zeros(n), SolveStatus::NonFinite, 0);
    }
    if problem.vector.iter().all(|q| *q >= 0.0) {
        return (DVector::zeros(n), SolveStatus::Solved, 0);
    }
    let mut tableau = Tableau::new(problem);
    let artificial = 2 * n;
    let mut row = tableau.most_negative();
    let mut entering = artificial;
    for pivots in 1..=PIVOTS_PER_UNKNOWN * n {
        if deadline.is_some_and(|d| Instant::now() >= d) {
            return (tableau.values(), SolveStatus::TimeLimit, pivots - 1);
        }
        let leaving = tableau.basis[row];
        tableau.pivot(row, entering);
        if leaving == artificial {
            return (tableau.solution(problem), SolveStatus::Solved, pivots);
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
        match tableau.ratio_test(entering, artificial) {
            Some(next) => row = next,
            None => return (tableau.values(), SolveStatus::RayTermination, pivots),
        }
    }
    (tableau.values(), SolveStatus::MaxIterations, PIVOTS_PER_UNKNOWN * n)
}

impl Tableau {
    fn new(problem: &Lcp) -> Self {
        let n = problem.vector.len();
        let mut entries = DMatrix::zeros(n, 2 * n + 2);
        for i in 0..n {
            entries[(i, i)] = 1.0;
            for j in 0..n {
                entries[(i, n + j)] = -problem.matrix[(i, j)];
            }
            entries[(i, 2 * n)] = -1.0;
            entries[(i, 2 * n + 1)] = problem.vector[i];
        }
        Self { n, entries, basis: (0..n).collect() }
    }

    fn right(&self, row: usize) -> f64 {
        self.entries[(row, 2 * self.n + 1)]
    }

    /// Where z₀ enters: the most negative q; of equals the lexicographically smallest row, which is the last.
    fn most_negative(&self) -> usize {
        let mut row = 0;
        for i in 1..self.n {
            if self.right(i) <= self.right(row) {
                row = i;
            }
        }
        row
    }

    /// The row that leaves when a column enters: the lexicographically smallest of (right-hand side, inverse basis)
    /// over the entry, z₀ first among equals. None: nothing bounds the column.
    fn ratio_test(&self, column: usize, artificial: usize) -> Option<usize> {
        let largest = self.entries.column(column).amax();
        let smallest_pivot = PIVOT_TOLERANCE * largest.max(1.0);
        let mut tied: Vec<usize> =
            (0..self.n).filter(|i| self.entries[(*i, column)] > smallest_pivot).collect();
        for k in std::iter::once(2 * self.n + 1).chain(0..self.n) {
            if tied.len() <= 1 {
                break;
            }
            let ratio = |i: &usize| self.entries[(*i, k)] / self.entries[(*i, column)];
            let least = tied.iter().map(ratio).fold(f64::INFINITY, f64::min);
            tied.retain(|i| ratio(i) <= least + TIE * least.abs().max(1.0));
            if k > 2 * self.n && tied.iter().any(|i| self.basis[*i] == artificial) {
                tied.retain(|i| self.basis[*i] == artificial);
            }
        }
        tied.first().copied()
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let scale = 1.0 / self.entries[(row, column)];
        let width = self.entries.ncols();
        for j in 0..width {
            self.entries[(row, j)] *= scale;
        }
        let factors: Vec<f64> = self.entries.column(column).iter().copied().collect();
        for j in 0..width {
            let pivot = self.entries[(row, j)];
            if pivot != 0.0 {
                let mut entries = self.entries.column_mut(j);
                for (i, factor) in factors.iter().enumerate() {
                    if i != row {
                        entries[i] -= factor * pivot;
                    }
                }
            }
        }
        self.basis[row] = column;
    }

    /// z of the current basis.
    fn values(&self) -> DVector<f64> {
        let mut z = DVector::zeros(self.n);
        for (row, &variable) in self.basis.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                z[variable - self.n] = self.right(row).max(0.0);
            }
        }
        z
    }

    /// z of the final basis, M_BB z_B = −q_B solved afresh, unless the pivots were better.
    fn solution(&self, problem: &Lcp) -> DVector<f64> {
        let pivoted = self.values();
        let basic: Vec<usize> =
            self.basis.iter().filter(|v| (self.n..2 * self.n).contains(v)).map(|v| v - self.n).collect();
        let matrix = DMatrix::from_fn(basic.len(), basic.len(), |i, j| problem.matrix[(basic[i], basic[j])]);
        let right = DVector::from_fn(basic.len(), |i, _| -problem.vector[basic[i]]);
        let Some(fresh) = matrix.lu().solve(&right) else { return pivoted };
        let mut z = DVector::zeros(self.n);
        for (i, value) in basic.iter().zip(fresh.iter()) {
            z[*i] = value.max(0.0);
        }
        if problem.residual(&z) < problem.residual(&pivoted) { z } else { pivoted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lcp(m: &[f64], q: &[f64]) -> Lcp {
        Lcp { matrix: DMatrix::from_row_slice(q.len(), q.len(), m), vector: DVector::from_column_slice(q) }
    }

    #[test]
    fn a_textbook_problem() {
        // M = [[2, 1], [1, 2]], q = (−5, −6): both basic, z = (4/3, 7/3).
        let (z, status, _) = lemke(&lcp(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -6.0]));
        assert_eq!(status, SolveStatus::Solved);
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-14 && (z[1] - 7.0 / 3.0).abs() < 1e-14, "{z}");
    }

    #[test]
    fn a_problem_without_solution_ends_on_a_ray() {
        // w = −z − 1 cannot be ≥ 0.
        let (_, status, _) = lemke(&lcp(&[-1.0], &[-1.0]));
        assert_eq!(status, SolveStatus::RayTermination);
    }

    #[test]
    fn it_stops_when_the_time_is_up() {
        let problem = lcp(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -6.0]);
        let (_, status, pivots) = lemke_until(&problem, Some(Instant::now()));
        assert_eq!((status, pivots), (SolveStatus::TimeLimit, 0));
    }

    #[test]
    fn ties_do_not_cycle() {
        // Kostreva's example cycles without a rule against it.
        let m = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
        let problem = lcp(&m, &[-1.0, -1.0, -1.0]);
        let (z, status, _) = lemke(&problem);
        assert_eq!(status, SolveStatus::Solved);
        assert!(problem.residual(&z) < 1e-14);
        // Every ratio ties: n equal rows.
        let n = 12;
        let problem =
            Lcp { matrix: DMatrix::from_element(n, n, 1.0), vector: DVector::from_element(n, -1.0) };
        let (z, status, _) = lemke(&problem);
        assert_eq!(status, SolveStatus::Solved);
        assert!((z.sum() - 1.0).abs() < 1e-14);
    }
}
