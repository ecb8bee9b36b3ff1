//! Boxes that may meet, by columns: a sweep along one axis meets all boxes of a cross-section, and the
//! cross-section grows with the scene. Within a column it holds a few boxes, however many the scene has.

use nalgebra::Vector3;
use signorini_ncp::threads;

/// A column is this many times as wide as boxes are on average.
const WIDTH: f64 = 2.0;
/// Number of columns from which on a box is compared with all others.
const MAX_CELLS: usize = 9;

/// A box along the world axes (m).
pub(super) trait HasAabb {
    /// Lowest and highest corner of the box.
    fn corners(&self) -> [&Vector3<f64>; 2];
}

/// Boxes sorted into columns along an axis.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Columns of each box, by the first and the last along the two other axes.
    spans: Vec<[[u32; 2]; 2]>,
    /// Boxes of each column one after the other, in their order; `first` is the index of the first of each
    /// column.
    cells: Vec<u32>,
    first: Vec<u32>,
    wide: Vec<u32>,
}

/// Grid of the columns.
struct Grid {
    axes: [usize; 2],
    low: [f64; 2],
    width: [f64; 2],
    n: [u32; 2],
}

impl Grid {
    /// Makes columns over boxes that are not all empty, at most as many as boxes.
    fn over<B: HasAabb>(boxes: &[B], axis: usize) -> Self {
        let axes = [(axis + 1) % 3, (axis + 2) % 3];
        let mut grid = Self { axes, low: [0.0; 2], width: [1.0; 2], n: [1; 2] };
        for (k, &d) in axes.iter().enumerate() {
            let lowest = boxes.iter().map(|b| b.corners()[0][d]).fold(f64::INFINITY, f64::min);
            let highest = boxes.iter().map(|b| b.corners()[1][d]).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = boxes.iter().map(|b| b.corners()[1][d] - b.corners()[0][d]).sum();
            let width = WIDTH * sum / boxes.len() as f64;
            let most = (boxes.len() as f64).sqrt();
            let n = ((highest - lowest) / width).min(most).floor();
            // A width that is not a number gives a single column.
            if n >= 2.0 {
                (grid.low[k], grid.width[k], grid.n[k]) = (lowest, (highest - lowest) / n, n as u32);
            }
        }
        grid
    }

    fn span(&self, of: &impl HasAabb) -> [[u32; 2]; 2] {
        [0, 1].map(|k| {
            let [low, high] = of.corners().map(|corner| (corner[self.axes[k]] - self.low[k]) / self.width[k]);
            let last = self.n[k] - 1;
            // A span that is not a number may be in any column. Numbers below the first column count as in
            // it.
            let end = if high.is_nan() { last } else { (high as u32).min(last) };
            [(low as u32).min(end), end]
        })
    }

    fn cells(&self, [u, v]: [[u32; 2]; 2]) -> impl Iterator<Item = usize> + use<> {
        let n = self.n[1];
        (u[0]..=u[1]).flat_map(move |i| (v[0]..=v[1]).map(move |j| (i * n + j) as usize))
    }
}

fn n_cells([u, v]: [[u32; 2]; 2]) -> usize {
    ((u[1] - u[0] + 1) * (v[1] - v[0] + 1)) as usize
}

impl Columns {
    /// Calls `meet` once with every two boxes that overlap along `axis`, by which they are sorted, and have a
    /// column in common, and with what was found before: in `own` or in portions, which are returned. A
    /// thread takes `portion` columns at a time.
    pub fn sweep<B: HasAabb + Sync, M: Default + Send>(
        &mut self,
        (boxes, axis): (&[B], usize),
        portion: usize,
        own: &mut M,
        meet: impl Fn(&mut M, usize, usize) + Sync,
    ) -> Vec<M> {
        let grid = Grid::over(boxes, axis);
        self.sort(&grid, boxes);
        // Written so that a NaN keeps the pair.
        let apart = |i: usize, j: usize| boxes[j].corners()[0][axis] > boxes[i].corners()[1][axis];
        for (k, &i) in self.wide.iter().enumerate() {
            for j in 0..boxes.len() {
                let i = i as usize;
                let (a, b) = (i.min(j), i.max(j));
                let is_met_before = self.wide[..k].binary_search(&(j as u32)).is_ok();
                if i != j && !is_met_before && !apart(a, b) {
                    meet(own, a, b);
                }
            }
        }
        threads::portions(self.first.len() - 1, portion, own, |found, column| {
            let members = &self.cells[self.first[column] as usize..self.first[column + 1] as usize];
            for (k, i) in members.iter().enumerate() {
                let later = members[k + 1..].iter().take_while(|j| !apart(*i as usize, **j as usize));
                for j in later {
                    // Two boxes with several columns in common meet in the first of them.
                    let [a, b] = [self.spans[*i as usize], self.spans[*j as usize]];
                    let shared = [0, 1].map(|k| a[k][0].max(b[k][0]));
                    if (shared[0] * grid.n[1] + shared[1]) as usize == column {
                        meet(found, *i as usize, *j as usize);
                    }
                }
            }
        })
    }

    fn sort<B: HasAabb>(&mut self, grid: &Grid, boxes: &[B]) {
        let Self { spans, cells, first, wide } = self;
        spans.clear();
        spans.extend(boxes.iter().map(|b| grid.span(b)));
        wide.clear();
        wide.extend((0..boxes.len() as u32).filter(|i| n_cells(spans[*i as usize]) > MAX_CELLS));
        let narrow = || spans.iter().enumerate().filter(|(_, span)| n_cells(**span) <= MAX_CELLS);
        let n = (grid.n[0] * grid.n[1]) as usize;
        first.clear();
        first.resize(n + 2, 0);
        narrow().flat_map(|(_, span)| grid.cells(*span)).for_each(|cell| first[cell + 2] += 1);
        for cell in 2..n + 2 {
            first[cell] += first[cell - 1];
        }
        cells.clear();
        cells.resize(first[n + 1] as usize, 0);
        for (i, span) in narrow() {
            for cell in grid.cells(*span) {
                cells[first[cell + 1] as usize] = i as u32;
                first[cell + 1] += 1;
            }
        }
        first.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    struct Cube([Vector3<f64>; 2]);

    impl HasAabb for Cube {
        fn corners(&self) -> [&Vector3<f64>; 2] {
            [&self.0[0], &self.0[1]]
        }
    }

    /// Boxes of many sizes, some of which are as wide as the scene or not a number.
    fn boxes(n: usize, seed: u64) -> Vec<Cube> {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut all: Vec<Cube> = (0..n)
            .map(|i| {
                let half = if i % 50 == 7 { 4.0 } else { 0.1 + 0.2 * random.random::<f64>() };
                let centre = Vector3::from_fn(|_, _| 10.0 * random.random::<f64>());
                Cube([centre.add_scalar(-half), centre.add_scalar(half)])
            })
            .collect();
        all.sort_by(|a, b| a.0[0].z.total_cmp(&b.0[0].z));
        all
    }

    #[test]
    fn every_two_boxes_that_meet_are_met_once() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for (n, seed) in [(1, 0), (2, 1), (40, 2), (700, 3)] {
            let mut all = boxes(n, seed);
            if n > 100 {
                all[33].0[1].x = f64::NAN;
            }
            let mut met = Vec::new();
            let meet = |met: &mut Vec<_>, i, j| met.push((i, j));
            let others = pool.install(|| Columns::default().sweep((&all, 2), 5, &mut met, meet));
            met.extend(others.into_iter().flatten());
            let once = met.len();
            met.sort_unstable();
            met.dedup();
            assert_eq!(met.len(), once, "some are met twice");
            let apart = |a: &Cube, b: &Cube| (0..3).any(|d| a.0[0][d] > b.0[1][d] || b.0[0][d] > a.0[1][d]);
            for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
                assert!(apart(&all[i], &all[j]) || met.binary_search(&(i, j)).is_ok(), "{i} {j} of {n}");
            }
            assert!(n < 700 || once < n * n / 16, "{once} of {n}");
        }
    }
}
