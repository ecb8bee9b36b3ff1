//! Elimination order and supernodes of a graph of blocks: columns with (nearly) the same rows are eliminated
//! together, so that the work is done by products of dense matrices.

use super::BlockPattern;
use super::ordering::minimum_degree;

/// Rows of blocks that follow one another in a front and in the front of its parent.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// First row below the columns of the child.
    pub from: u32,
    /// Its place in the parent's front.
    pub to: u32,
    /// Number of rows.
    pub length: u32,
}

/// The symbolic part of a factorisation.
#[derive(Debug, Default)]
pub struct Supernodes {
    /// `order[k]` = block eliminated k-th.
    pub order: Vec<usize>,
    /// Inverse of `order`.
    pub place: Vec<usize>,
    /// Supernode s has the columns `first[s]..first[s + 1]` (in elimination order); children precede parents.
    pub first: Vec<usize>,
    /// The rows below its columns are `rows[row_start[s]..row_start[s + 1]]`, ascending.
    pub row_start: Vec<usize>,
    /// See `row_start`.
    pub rows: Vec<u32>,
    /// For each entry of `rows`: its place in the front of the parent (columns of the parent first, then its
    /// rows).
    pub in_parent: Vec<u32>,
    /// Runs, by supernode from `run_start` on; a run ends where the columns of the parent end.
    pub runs: Vec<Run>,
    /// See `runs`.
    pub run_start: Vec<usize>,
    /// Children of each supernode.
    pub n_children: Vec<usize>,
    /// Supernode of each column.
    pub of_column: Vec<usize>,
}

impl Supernodes {
    /// Orders by minimum degree, along the elimination tree, and gathers columns.
    pub fn new(pattern: &BlockPattern) -> Self {
        let n = pattern.n();
        let mut order = minimum_degree(pattern);
        let columns = symbolic(pattern, &inverse(&order));
        let post = postorder(&columns);
        order = post.iter().map(|k| order[*k]).collect();
        let place = inverse(&order);
        let columns = symbolic(pattern, &place);
        let mut made = Self { order, place, row_start: vec![0], of_column: vec![0; n], ..Self::default() };
        for (first, end) in gather(&columns) {
            made.of_column[first..end].fill(made.first.len());
            made.first.push(first);
            made.rows.extend_from_slice(&columns[end - 1]);
            made.row_start.push(made.rows.len());
        }
        made.first.push(n);
        made.link();
        made
    }

    /// Number of supernodes; none before a pattern is analysed.
    pub fn count(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Blocks of the diagonal of supernode s, and rows of blocks below.
    pub fn size(&self, s: usize) -> (usize, usize) {
        (self.first[s + 1] - self.first[s], self.row_start[s + 1] - self.row_start[s])
    }

    /// Rows below supernode s.
    pub fn rows_of(&self, s: usize) -> &[u32] {
        &self.rows[self.row_start[s]..self.row_start[s + 1]]
    }

    /// Place of a row of blocks in the front of supernode s.
    pub fn place_in_front(&self, s: usize, row: usize) -> usize {
        let (first, end) = (self.first[s], self.first[s + 1]);
        if row < end {
            return row - first;
        }
        let found = self.rows_of(s).binary_search(&(row as u32)).expect("the front holds the row");
        end - first + found
    }

    /// Multiplications of 6×6 blocks that an LU factorisation takes.
    pub fn n_block_products(&self) -> usize {
        (0..self.count()).map(|s| self.block_products(s)).sum()
    }

    /// Multiplications of 6×6 blocks that supernode s takes.
    pub fn block_products(&self, s: usize) -> usize {
        let (width, below) = self.size(s);
        (0..width).map(|c| (width - 1 - c + below) * (width - c + below)).sum()
    }

    /// The supernode that takes the contribution of supernode s.
    pub fn parent(&self, s: usize) -> Option<usize> {
        self.rows_of(s).first().map(|row| self.of_column[*row as usize])
    }

    fn link(&mut self) {
        self.n_children = vec![0; self.count()];
        self.in_parent = vec![0; self.rows.len()];
        for s in 0..self.count() {
            self.run_start.push(self.runs.len());
            let range = self.row_start[s]..self.row_start[s + 1];
            let Some(first) = self.rows[range.clone()].first() else { continue };
            let parent = self.of_column[*first as usize];
            self.n_children[parent] += 1;
            for k in range.clone() {
                self.in_parent[k] = self.place_in_front(parent, self.rows[k] as usize) as u32;
            }
            let width = self.size(parent).0 as u32;
            for (k, to) in self.in_parent[range].iter().enumerate() {
                match self.runs[self.run_start[s]..].last_mut() {
                    Some(run) if run.to + run.length == *to && *to != width => run.length += 1,
                    _ => self.runs.push(Run { from: k as u32, to: *to, length: 1 }),
                }
            }
        }
        self.run_start.push(self.runs.len());
    }

    /// See [`Self::runs`].
    pub fn runs_of(&self, s: usize) -> &[Run] {
        &self.runs[self.run_start[s]..self.run_start[s + 1]]
    }
}

/// Ranges of columns that are eliminated together: a column joins the supernode before it, whose parent it
/// is, while the zeros that are thereby stored stay few.
fn gather(columns: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut zeros = 0;
    for (k, rows) in columns.iter().enumerate() {
        if let Some((first, end)) = ranges.last_mut()
            && columns[k - 1].first() == Some(&(k as u32))
        {
            let width = k - *first;
            let more = zeros + width * (1 + rows.len() - columns[k - 1].len());
            let stored = (width + 1) * (width + 2) / 2 + (width + 1) * rows.len();
            let allowed = match width + 1 {
                2 => 0.4,
                3..=4 => 0.25,
                5..=8 => 0.1,
                _ => 0.05,
            };
            if more as f64 <= allowed * stored as f64 {
                *end = k + 1;
                zeros = more;
                continue;
            }
        }
        ranges.push((k, k + 1));
        zeros = 0;
    }
    ranges
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    for (k, block) in order.iter().enumerate() {
        place[*block] = k;
    }
    place
}

/// The columns in an order in which every subtree of the elimination tree is contiguous; among children the
/// one with most rows comes last, where it can join its parent.
fn postorder(columns: &[Vec<u32>]) -> Vec<usize> {
    let n = columns.len();
    let parent = |k: usize| columns[k].first().map_or(n, |p| *p as usize);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n + 1];
    for k in 0..n {
        children[parent(k)].push(k);
    }
    for list in &mut children {
        list.sort_by_key(|k| (columns[*k].len(), *k));
    }
    let mut order = Vec::with_capacity(n);
    let mut open = vec![(n, 0)];
    while let Some((node, next)) = open.last_mut() {
        if let Some(child) = children[*node].get(*next) {
            *next += 1;
            open.push((*child, 0));
        } else {
            if *node < n {
                order.push(*node);
            }
            open.pop();
        }
    }
    order
}

/// Column patterns of L in elimination order: a column holds its matrix entries and those of its children.
fn symbolic(pattern: &BlockPattern, place: &[usize]) -> Vec<Vec<u32>> {
    let n = place.len();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); n];
    for column in 0..n {
        for row in pattern.column(column) {
            let (i, j) = (place[row], place[column]);
            columns[i.min(j)].push(i.max(j) as u32);
        }
    }
    for k in 0..n {
        let mut own = std::mem::take(&mut columns[k]);
        own.sort_unstable();
        own.dedup();
        if let Some((parent, rest)) = own.split_first() {
            columns[*parent as usize].extend_from_slice(rest);
        }
        columns[k] = own;
    }
    columns
}
