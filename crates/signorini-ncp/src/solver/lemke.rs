//! Lemke's method for linear complementarity problems, 0 ≤ z ⊥ M z + q ≥ 0, on a dense dictionary.
//!
//! w = q + M z + d z₀ with d = (1, …, 1) or another cover: z₀ enters, and then always the complement of what
//! left, until z₀ leaves. Ties of the ratio test are broken lexicographically by the rows of the inverse
//! basis, so that degenerate problems do not cycle. For the contact problems of \[ST\], with gaps that are
//! not negative, it ends in a solution; for others it may end on a ray, which is reported. The final basis is
//! solved once more by LU, which removes the rounding of the pivots.
//!
//! Reference: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 4.4 and 4.9.

use crate::problem::lcp::Lcp;
use crate::solver::parameters::baselines::{MAX_PIVOTS_PER_UNKNOWN, PIVOT_PANEL, PIVOT_TOLERANCE, RATIO_TIE};
use crate::solver::status::SolveStatus;
use nalgebra::{DMatrix, DVector};
use std::time::Instant;

/// basic_i = right_i + Σ_j entries_ij nonbasic_j, entries = base + left across. Variables: w_i is i, z_i is n
/// + i, z₀ is 2 n.
struct Dictionary {
    n: usize,
    right: DVector<f64>,
    base: DMatrix<f64>,
    /// Column of each pivot that is not in `base` yet.
    left: DMatrix<f64>,
    /// Row of each pivot that is not in `base` yet.
    across: DMatrix<f64>,
    pending: usize,
    basic: Vec<usize>,
    /// Of each variable its row, or n plus its column.
    place: Vec<usize>,
}

/// Solves; returns z, how it ended and the number of pivots. On a ray z is what the basis held, without z₀.
pub fn lemke(problem: &Lcp) -> (DVector<f64>, SolveStatus, usize) {
    lemke_within(problem, |_| 1.0, usize::MAX, None)
}

/// Lemke's method with another cover d > 0, which leads along another path, with at most so many pivots (and
/// never more than fifty per unknown), and no longer than until `deadline`.
pub fn lemke_within(
    problem: &Lcp,
    cover: impl Fn(usize) -> f64,
    most_pivots: usize,
    deadline: Option<Instant>,
) -> (DVector<f64>, SolveStatus, usize) {
    let n = problem.vector.len();
    let finite = problem.matrix.iter().chain(problem.vector.iter()).all(|x| x.is_finite());
    if !finite {
        return (DVector::zeros(n), SolveStatus::NonFinite, 0);
    }
    if problem.vector.iter().all(|q| *q >= 0.0) {
        return (DVector::zeros(n), SolveStatus::Solved, 0);
    }
    let mut dictionary = Dictionary::new(problem, cover);
    let artificial = 2 * n;
    let mut row = dictionary.most_negative();
    let mut entering = artificial;
    let most_pivots = most_pivots.min(MAX_PIVOTS_PER_UNKNOWN * n);
    for pivots in 1..=most_pivots {
        if deadline.is_some_and(|d| Instant::now() >= d) {
            return (dictionary.values(), SolveStatus::TimeLimit, pivots - 1);
        }
        let leaving = dictionary.basic[row];
        dictionary.pivot(row, entering);
        if leaving == artificial {
            return (dictionary.solution(problem), SolveStatus::Solved, pivots);
        }
        entering = if leaving < n { leaving + n } else { leaving - n };
        match dictionary.ratio_test(entering) {
            Some(next) => row = next,
            None => return (dictionary.values(), SolveStatus::RayTermination, pivots),
        }
    }
    (dictionary.values(), SolveStatus::MaxIterations, most_pivots)
}

impl Dictionary {
    fn new(problem: &Lcp, cover: impl Fn(usize) -> f64) -> Self {
        let n = problem.vector.len();
        let mut base = problem.matrix.clone().insert_column(n, 1.0);
        (0..n).for_each(|i| base[(i, n)] = cover(i));
        Self {
            n,
            right: problem.vector.clone(),
            base,
            left: DMatrix::zeros(n, PIVOT_PANEL),
            across: DMatrix::zeros(PIVOT_PANEL, n + 1),
            pending: 0,
            basic: (0..n).collect(),
            place: (0..=2 * n).collect(),
        }
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        let pending = (0..self.pending).map(|k| self.left[(row, k)] * self.across[(k, column)]);
        self.base[(row, column)] + pending.sum::<f64>()
    }

    fn column(&self, column: usize) -> DVector<f64> {
        let mut found = self.base.column(column).clone_owned();
        let parts = self.across.view((0, column), (self.pending, 1)).clone_owned();
        for (k, part) in parts.iter().enumerate() {
            found.axpy(*part, &self.left.column(k), 1.0);
        }
        found
    }

    fn row(&self, row: usize) -> DVector<f64> {
        let mut found = self.base.row(row).transpose();
        let parts: Vec<f64> = self.left.row(row).iter().take(self.pending).copied().collect();
        for (entry, across) in found.iter_mut().zip(self.across.column_iter()) {
            *entry += parts.iter().zip(across.iter()).map(|(left, across)| left * across).sum::<f64>();
        }
        found
    }

    /// Where z₀ enters: the most negative q over d; of equals the lexicographically smallest row, which is
    /// the last.
    fn most_negative(&self) -> usize {
        let over_cover = |i: usize| self.right[i] / self.base[(i, self.n)];
        let mut row = 0;
        for i in 1..self.n {
            if over_cover(i) <= over_cover(row) {
                row = i;
            }
        }
        row
    }

    /// The row that leaves when a variable enters: the lexicographically smallest of (right-hand side,
    /// inverse basis) over the fall per unit of it, z₀ first among equals. None: nothing bounds the variable.
    fn ratio_test(&self, entering: usize) -> Option<usize> {
        let n = self.n;
        let falls = -self.column(self.place[entering] - n);
        let largest = falls.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let smallest_pivot = PIVOT_TOLERANCE * largest.max(1.0);
        let mut tied: Vec<usize> = (0..n).filter(|i| falls[*i] > smallest_pivot).collect();
        let keep_least = |tied: &mut Vec<usize>, value: &dyn Fn(usize) -> f64| {
            let ratio = |i: &usize| value(*i) / falls[*i];
            let least = tied.iter().map(ratio).fold(f64::INFINITY, f64::min);
            tied.retain(|i| ratio(i) <= least + RATIO_TIE * least.abs().max(1.0));
        };
        keep_least(&mut tied, &|i| self.right[i]);
        if let Some(last) = tied.iter().find(|i| self.basic[**i] == 2 * n) {
            return Some(*last);
        }
        for place in &self.place[..n] {
            if tied.len() <= 1 {
                break;
            }
            // Column k of the inverse basis is that of w_k, with the other sign.
            match place.checked_sub(n) {
                Some(column) => keep_least(&mut tied, &|i| -self.entry(i, column)),
                None => keep_least(&mut tied, &|i| f64::from(u8::from(i == *place))),
            }
        }
        tied.first().copied()
    }

    /// A variable enters where that of a row leaves: entering = (leaving − right − Σ others)/pivot.
    fn pivot(&mut self, row: usize, entering: usize) {
        let (n, pending) = (self.n, self.pending);
        let column = self.place[entering] - n;
        let (mut left, mut across) = (self.column(column), self.row(row));
        let scale = 1.0 / across[column];
        across *= -scale;
        across[column] = scale;
        let new_right = -scale * self.right[row];
        self.right.axpy(new_right, &left, 1.0);
        self.right[row] = new_right;
        left[row] = 1.0;
        // Row and column are replaced, the rest is changed by the product of both.
        self.base.row_mut(row).fill(0.0);
        self.base.column_mut(column).fill(0.0);
        self.left.view_mut((row, 0), (1, pending)).fill(0.0);
        self.across.view_mut((0, column), (pending, 1)).fill(0.0);
        self.left.set_column(pending, &left);
        self.across.set_row(pending, &across.transpose());
        self.pending += 1;
        if self.pending == PIVOT_PANEL {
            self.base.gemm(1.0, &self.left, &self.across, 1.0);
            self.pending = 0;
        }
        let leaving = self.basic[row];
        self.basic[row] = entering;
        (self.place[entering], self.place[leaving]) = (row, n + column);
    }

    /// z of the current basis.
    fn values(&self) -> DVector<f64> {
        DVector::from_fn(self.n, |i, _| match self.place[self.n + i] {
            row if row < self.n => self.right[row].max(0.0),
            _ => 0.0,
        })
    }

    /// z of the final basis, M_BB z_B = −q_B solved afresh, unless the pivots were better.
    fn solution(&self, problem: &Lcp) -> DVector<f64> {
        let pivoted = self.values();
        let basic: Vec<usize> = (0..self.n).filter(|i| self.place[self.n + i] < self.n).collect();
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
    fn it_stops_when_time_or_pivots_are_up() {
        let problem = lcp(&[2.0, 1.0, 1.0, 2.0], &[-5.0, -6.0]);
        let (_, status, pivots) = lemke_within(&problem, |_| 1.0, usize::MAX, Some(Instant::now()));
        assert_eq!((status, pivots), (SolveStatus::TimeLimit, 0));
        let (_, status, pivots) = lemke_within(&problem, |_| 1.0, 1, None);
        assert_eq!((status, pivots), (SolveStatus::MaxIterations, 1));
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
        // Another cover leads to the one solution of a regular problem too.
        let regular = lcp(&m, &[-1.0, -1.0, -1.0]);
        let (z, _, _) = lemke(&regular);
        let (other, status, _) = lemke_within(&regular, |i| 1.0 + i as f64, usize::MAX, None);
        assert!(status == SolveStatus::Solved && (z - other).norm() < 1e-14);
    }
}
