//! Rank-revealing sparse factors W = Y Jᵀ of a Delassus matrix that is positive semidefinite up to noise.
//!
//! Symmetric pivoting: a pivot is at least a hundredth of the largest diagonal left (W scaled to unit
//! diagonal), and of those the one with the sparsest row is taken, so that contacts of one body are
//! eliminated together and fill stays low (a tenth costs 30 times the work on the largest of the public set,
//! a thousandth gains nothing). The remainder when no diagonal stands out of the noise, at most the
//! unsymmetric part, is kept column by column: the factors are exact in any case.

use sprs::CsMat;
use std::time::Instant;

/// Smallest pivot, for W of unit diagonal: the public set has condition numbers up to 6e9 of the part above
/// noise.
const SMALLEST_PIVOT: f64 = 1e-11;
/// Entries below this (both of a symmetric pair) are rounding and are dropped: |W| |r| is at most some 50 |q|
/// in the public set, so that they move u by 1e-10 |q| at most.
const ROUNDING: f64 = 1e-12;
/// A remainder with entries up to this is small enough to be lagged: it is added to y at the last impulses.
const LAGGED: f64 = 1e-6;
/// A pivot must be at least this fraction of the largest diagonal left.
const DIAGONAL_FRACTION: f64 = 0.01;
/// A pivot must be at least this fraction of the entries in its row and column.
const PIVOT_FRACTION: f64 = 0.1;

/// One column's entry in a row of the factors.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Column.
    pub column: usize,
    /// Entry of J.
    pub force: f64,
    /// Entry of Y.
    pub response: f64,
}

/// W = Y Jᵀ by rows.
#[derive(Debug)]
pub struct RankFactor {
    /// Entries of each row, columns ascending.
    pub rows: Vec<Vec<Entry>>,
    /// Whether Y = J.
    pub symmetric: bool,
    /// W − Y Jᵀ, small: (row, column, value).
    pub remainder: Vec<(usize, usize, f64)>,
    n_columns: usize,
}

/// Rows of the Schur complement, columns ascending; the pattern is symmetric.
struct Schur {
    rows: Vec<Vec<(usize, f64)>>,
    eliminated: Vec<bool>,
    /// Of the rows that are updated: their number among themselves.
    place: Vec<usize>,
    square: Vec<f64>,
}

const ABSENT: usize = usize::MAX;

impl RankFactor {
    /// Factorises; `None` when the time is up first.
    pub fn new(w: &CsMat<f64>, deadline: Option<Instant>) -> Option<Self> {
        let n = w.rows();
        let mut scale = vec![1.0; n];
        for (i, d) in w.diag().iter() {
            if *d > 0.0 {
                scale[i] = d.sqrt();
            }
        }
        let mut schur = Schur::new(w, &scale);
        let symmetric = schur.is_symmetric();
        let mut factor = Self { rows: vec![Vec::new(); n], symmetric, remainder: Vec::new(), n_columns: 0 };
        while let Some(pivot) = schur.choose_pivot() {
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return None;
            }
            let column = schur.eliminate(pivot);
            factor.push(&column, &scale);
        }
        factor.keep_remainder(&schur, &scale);
        Some(factor)
    }

    /// Columns of Y and J.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    fn push(&mut self, column: &[(usize, f64, f64)], scale: &[f64]) {
        for (row, force, response) in column {
            let s = scale[*row];
            self.rows[*row].push(Entry { column: self.n_columns, force: force * s, response: response * s });
        }
        self.n_columns += 1;
    }

    /// W − Y Jᵀ so far, a column for each of its own: J = e_i √m, Y = column / √m, m the largest entry.
    fn keep_remainder(&mut self, schur: &Schur, scale: &[f64]) {
        for i in 0..schur.rows.len() {
            if schur.eliminated[i] {
                continue;
            }
            let mut column: Vec<(usize, f64, f64)> =
                schur.rows[i].iter().map(|(j, _)| (*j, 0.0, schur.entry(*j, i))).collect();
            let largest = column.iter().fold(0.0_f64, |m, e| m.max(e.2.abs()));
            if largest <= ROUNDING {
                continue;
            }
            if largest <= LAGGED {
                let entries = column.iter().map(|(row, _, value)| (*row, i, value * scale[*row] * scale[i]));
                self.remainder.extend(entries);
                continue;
            }
            let root = largest.sqrt();
            if !column.iter().any(|e| e.0 == i) {
                column.push((i, 0.0, 0.0));
            }
            for entry in &mut column {
                entry.1 = if entry.0 == i { root } else { 0.0 };
                entry.2 /= root;
            }
            self.symmetric = false;
            self.push(&column, scale);
        }
    }
}

impl Schur {
    fn new(w: &CsMat<f64>, scale: &[f64]) -> Self {
        let n = w.rows();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
        for (i, row) in w.outer_iterator().enumerate() {
            for (j, value) in row.iter() {
                rows[i].push((j, value / (scale[i] * scale[j])));
                rows[j].push((i, 0.0));
            }
        }
        for row in &mut rows {
            row.sort_by_key(|e| e.0);
            row.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 += later.1;
                }
                same
            });
        }
        Self { rows, eliminated: vec![false; n], place: vec![ABSENT; n], square: Vec::new() }
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.rows[i].binary_search_by_key(&j, |e| e.0).map_or(0.0, |at| self.rows[i][at].1)
    }

    fn is_symmetric(&self) -> bool {
        self.rows
            .iter()
            .enumerate()
            .all(|(i, row)| row.iter().all(|(j, value)| (value - self.entry(*j, i)).abs() <= 1e-12))
    }

    /// The sparsest of the rows whose diagonal stands out.
    fn choose_pivot(&self) -> Option<usize> {
        let candidates = (0..self.rows.len()).filter(|i| !self.eliminated[*i]);
        let diagonal: Vec<(usize, f64)> = candidates.map(|i| (i, self.entry(i, i))).collect();
        let largest = diagonal.iter().fold(0.0_f64, |m, d| m.max(d.1));
        if largest < SMALLEST_PIVOT {
            return None;
        }
        let mut large: Vec<usize> =
            diagonal.iter().filter(|d| d.1 >= DIAGONAL_FRACTION * largest).map(|d| d.0).collect();
        large.sort_by_key(|i| (self.rows[*i].len(), *i));
        large.into_iter().find(|i| {
            let pivot = self.entry(*i, *i);
            self.rows[*i]
                .iter()
                .all(|(j, value)| PIVOT_FRACTION * value.abs().max(self.entry(*j, *i).abs()) <= pivot)
        })
    }

    /// Subtracts the pivot's column and row; returns (row, J, Y) of the new column.
    fn eliminate(&mut self, pivot: usize) -> Vec<(usize, f64, f64)> {
        self.eliminated[pivot] = true;
        let row = std::mem::take(&mut self.rows[pivot]);
        let d = row.iter().find(|e| e.0 == pivot).map_or(1.0, |e| e.1);
        let root = d.sqrt();
        let column: Vec<(usize, f64, f64)> = row
            .iter()
            .map(|(j, value)| {
                let response = if *j == pivot { root } else { self.entry(*j, pivot) / root };
                (*j, value / root, response)
            })
            .collect();
        let rest: Vec<(usize, f64, f64)> = column.iter().copied().filter(|e| e.0 != pivot).collect();
        self.update(&rest, pivot);
        column
    }

    /// The Schur complement of the rows that see the pivot, gathered in a dense square and scattered back
    /// without entries that are rounding.
    fn update(&mut self, rest: &[(usize, f64, f64)], pivot: usize) {
        let m = rest.len();
        self.square.clear();
        self.square.resize(m * m, 0.0);
        for (a, (i, _, _)) in rest.iter().enumerate() {
            self.place[*i] = a;
        }
        for ((i, _, response), square) in rest.iter().zip(self.square.chunks_exact_mut(m.max(1))) {
            for (j, value) in &self.rows[*i] {
                let b = self.place[*j];
                if b != ABSENT {
                    square[b] = *value;
                }
            }
            for (value, (_, force, _)) in square.iter_mut().zip(rest) {
                *value -= response * force;
            }
        }
        for (a, (i, _, _)) in rest.iter().enumerate() {
            let kept =
                |b: usize| self.square[a * m + b].abs() > ROUNDING || self.square[b * m + a].abs() > ROUNDING;
            let old = std::mem::take(&mut self.rows[*i]);
            let mut others =
                old.into_iter().filter(|(j, _)| *j != pivot && self.place[*j] == ABSENT).peekable();
            let mut row = Vec::with_capacity(m);
            for (b, (j, _, _)) in rest.iter().enumerate() {
                while let Some(other) = others.next_if(|o| o.0 < *j) {
                    row.push(other);
                }
                if kept(b) {
                    row.push((*j, self.square[a * m + b]));
                }
            }
            row.extend(others);
            self.rows[*i] = row;
        }
        for (i, _, _) in rest {
            self.place[*i] = ABSENT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::TriMat;

    /// W = J Jᵀ of rank 4 with 9 rows, plus `noise` times a skew matrix.
    fn matrix(noise: f64) -> CsMat<f64> {
        let entry = |i: usize, k: usize| ((i * i + 3 * i * k + 7 * k + 1) as f64).sin();
        let mut triplets = TriMat::new((9, 9));
        for i in 0..9 {
            for j in 0..9 {
                let value = (0..4).map(|k| entry(i, k) * entry(j, k)).sum::<f64>();
                let skew = if i == j { 0.0 } else { ((i * 9 + j) as f64).sin() - ((j * 9 + i) as f64).sin() };
                triplets.add_triplet(i, j, value + noise * skew);
            }
        }
        triplets.to_csr()
    }

    fn largest_error(w: &CsMat<f64>, factor: &RankFactor) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..9 {
            for j in 0..9 {
                let product: f64 = factor.rows[i]
                    .iter()
                    .flat_map(|y| {
                        factor.rows[j].iter().filter(|f| f.column == y.column).map(|f| y.response * f.force)
                    })
                    .sum();
                let rest: f64 = factor.remainder.iter().filter(|e| (e.0, e.1) == (i, j)).map(|e| e.2).sum();
                worst = worst.max((product + rest - w.get(i, j).copied().unwrap_or(0.0)).abs());
            }
        }
        worst
    }

    #[test]
    fn rank_is_found_and_the_product_is_exact() {
        let w = matrix(0.0);
        let factor = RankFactor::new(&w, None).expect("no deadline");
        assert_eq!(factor.n_columns(), 4);
        assert!(factor.symmetric);
        assert!(largest_error(&w, &factor) < 1e-12);
    }

    #[test]
    fn unsymmetric_part_is_kept() {
        for noise in [1e-9, 1e-3] {
            let w = matrix(noise);
            let factor = RankFactor::new(&w, None).expect("no deadline");
            assert!(factor.n_columns() >= 4);
            assert!(largest_error(&w, &factor) < 1e-12, "{noise}");
        }
    }
}
