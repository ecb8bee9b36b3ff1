//! Drops of a test in their order.

use super::drop::DropRow;
use super::poses::{PoseRow, Poses};
use super::test::DropTest;
use crate::output::{Numbered, following};
use rayon::prelude::*;
use signorini_error::Result;
use std::collections::BTreeMap;

/// Number of drops per thread that are taken at a time.
const CHUNK: usize = 4;
/// Number of drops whose starts are checked before the first one.
const CHECKED: usize = 1000;

/// Drops of a body, taken in parallel and counted in the order of their numbers.
#[derive(Debug)]
pub struct DropSeries {
    test: DropTest,
    count: usize,
    poses: Poses,
    rows: Vec<DropRow>,
    /// Drops that shares have run.
    known: BTreeMap<usize, DropRow>,
    unsolved: usize,
}

impl Numbered for DropRow {
    const NAMES: &'static [&'static str] = &Self::COLUMNS;

    fn number(&self) -> usize {
        self.drop
    }
}

impl DropTest {
    /// Runs some drops, by their numbers, in parallel; those before the first that `stops` ended.
    ///
    /// # Errors
    /// When a drop cannot begin.
    pub fn run_all(&self, numbers: Vec<usize>, stops: impl Fn() -> bool + Sync) -> Result<Vec<DropRow>> {
        let ends: Result<Vec<Option<DropRow>>> =
            numbers.into_par_iter().map(|number| self.run(number, &stops)).collect();
        Ok(ends?.into_iter().map_while(|end| end).collect())
    }
}

impl DropSeries {
    /// Prepares the drops up to number `count` that follow those already taken, and checks that the first
    /// [`CHECKED`] of them can begin.
    ///
    /// # Errors
    /// When the scene of a drop is not allowed, for instance because the body would overlap another, or drops
    /// do not follow each other.
    pub fn new(test: DropTest, count: usize, taken: Vec<DropRow>) -> Result<Self> {
        let poses = Poses::new(&test);
        let mut series = Self { test, count, poses, rows: Vec::new(), known: BTreeMap::new(), unsolved: 0 };
        series.take(taken)?;
        let (first, last) = (series.taken() + 1, count.min(series.taken() + CHECKED));
        (first..=last).into_par_iter().try_for_each(|number| series.test.check(number))?;
        Ok(series)
    }

    /// Takes drops that ran elsewhere and follow those already taken, and returns their rows with their
    /// poses.
    ///
    /// # Errors
    /// When they do not follow each other.
    pub fn take(&mut self, mut rows: Vec<DropRow>) -> Result<Vec<DropRow>> {
        following("drop", self.taken(), self.count, rows.iter().map(|row| row.drop))?;
        for row in &mut rows {
            self.poses.take(row);
            self.unsolved += usize::from(row.unsolved_steps + row.red_steps > 0);
        }
        self.rows.extend(&rows);
        Ok(rows)
    }

    /// Takes the next drops, a few for each thread, and returns their rows. Fewer than are left to take, and
    /// perhaps none, when `stops` returned true meanwhile.
    ///
    /// # Errors
    /// When a drop cannot begin.
    pub fn go_on(&mut self, stops: impl Fn() -> bool + Sync) -> Result<Vec<DropRow>> {
        let first = self.taken() + 1;
        let last = (self.taken() + CHUNK * rayon::current_num_threads()).min(self.count);
        let left = (first..=last).filter(|number| !self.known.contains_key(number)).collect();
        let mut rows: BTreeMap<usize, DropRow> =
            self.test.run_all(left, stops)?.into_iter().map(|row| (row.drop, row)).collect();
        let mut next = |number: usize| rows.remove(&number).or_else(|| self.known.remove(&number));
        let rows = (first..=last).map_while(&mut next).collect();
        self.take(rows)
    }

    /// Keeps drops that shares have run, by their numbers: they do not run again when their turn comes.
    pub fn keep(&mut self, known: BTreeMap<usize, DropRow>) {
        self.known = known;
    }

    /// Whether all drops that are left are kept.
    pub fn is_known(&self) -> bool {
        (self.taken() + 1..=self.count).all(|number| self.known.contains_key(&number))
    }

    /// Whether all drops are taken.
    pub fn is_done(&self) -> bool {
        self.taken() == self.count
    }

    /// The test.
    pub fn test(&self) -> &DropTest {
        &self.test
    }

    /// Number of drops that are to be taken.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of drops taken.
    pub fn taken(&self) -> usize {
        self.rows.len()
    }

    /// Drops taken.
    pub fn rows(&self) -> &[DropRow] {
        &self.rows
    }

    /// Number of drops with a step that is not solved, or red.
    pub fn unsolved(&self) -> usize {
        self.unsolved
    }

    /// Number of drops that did not come to rest.
    pub fn moving(&self) -> usize {
        self.poses.moving()
    }

    /// Rows of the poses found so far.
    pub fn poses(&self) -> Vec<PoseRow> {
        self.poses.rows()
    }
}
