//! Trials of a track test in their order.

use super::summary::TrackSummary;
use super::tally::{self, MatrixRow, YawRow};
use super::test::TrackTest;
use super::trial::TrackRow;
use crate::output::{Numbered, following};
use rayon::prelude::*;
use signorini_error::Result;
use std::collections::BTreeMap;

/// Number of trials per thread that are taken at a time.
const CHUNK: usize = 4;
/// Number of trials whose starts are checked before the first one.
const CHECKED: usize = 1000;

/// Trials of a part, taken in parallel, in the order of their numbers: the same on any number of threads.
#[derive(Debug)]
pub struct TrackSeries {
    test: TrackTest,
    rows: Vec<TrackRow>,
    /// Trials that shares have run.
    known: BTreeMap<usize, TrackRow>,
}

impl Numbered for TrackRow {
    const NAMES: &'static [&'static str] = &Self::COLUMNS;

    fn number(&self) -> usize {
        self.trial
    }
}

impl TrackTest {
    /// Runs some trials, by their numbers, in parallel; those before the first that `stops` ended.
    ///
    /// # Errors
    /// When a trial cannot begin.
    pub fn run_all(&self, numbers: Vec<usize>, stops: impl Fn() -> bool + Sync) -> Result<Vec<TrackRow>> {
        let ends: Result<Vec<Option<TrackRow>>> =
            numbers.into_par_iter().map(|number| self.run(number, &stops)).collect();
        Ok(ends?.into_iter().map_while(|end| end).collect())
    }
}

impl TrackSeries {
    /// Prepares the trials that follow those already taken, and checks that the first [`CHECKED`] can begin.
    ///
    /// # Errors
    /// When the scene of a trial is not allowed, for instance because the part would overlap the track, or
    /// trials do not follow each other.
    pub fn new(test: TrackTest, taken: Vec<TrackRow>) -> Result<Self> {
        let mut series = Self { test, rows: Vec::new(), known: BTreeMap::new() };
        series.take(taken)?;
        let first = series.rows.len() + 1;
        let last = series.test.n_trials().min(series.rows.len() + CHECKED);
        (first..=last).into_par_iter().try_for_each(|number| series.test.check(number))?;
        Ok(series)
    }

    /// Takes trials that ran elsewhere and follow those already taken, and returns them.
    ///
    /// # Errors
    /// When they do not follow each other.
    pub fn take(&mut self, rows: Vec<TrackRow>) -> Result<Vec<TrackRow>> {
        let numbers = rows.iter().map(|row| row.trial);
        following("trial", self.rows.len(), self.test.n_trials(), numbers)?;
        self.rows.extend(rows.iter().cloned());
        Ok(rows)
    }

    /// Takes the next trials, a few for each thread, and returns their rows. Fewer than are left to take, and
    /// perhaps none, when `stops` returned true meanwhile.
    ///
    /// # Errors
    /// When a trial cannot begin.
    pub fn go_on(&mut self, stops: impl Fn() -> bool + Sync) -> Result<Vec<TrackRow>> {
        let first = self.rows.len() + 1;
        let last = (self.rows.len() + CHUNK * rayon::current_num_threads()).min(self.test.n_trials());
        let left = (first..=last).filter(|number| !self.known.contains_key(number)).collect();
        let mut rows: BTreeMap<usize, TrackRow> =
            self.test.run_all(left, stops)?.into_iter().map(|row| (row.trial, row)).collect();
        let mut next = |number: usize| rows.remove(&number).or_else(|| self.known.remove(&number));
        let rows = (first..=last).map_while(&mut next).collect();
        self.take(rows)
    }

    /// Keeps trials that shares have run, by their numbers: they do not run again when their turn comes.
    pub fn keep(&mut self, known: BTreeMap<usize, TrackRow>) {
        self.known = known;
    }

    /// Whether all trials that are left are kept.
    pub fn is_known(&self) -> bool {
        (self.rows.len() + 1..=self.test.n_trials()).all(|number| self.known.contains_key(&number))
    }

    /// Whether all trials are taken.
    pub fn is_done(&self) -> bool {
        self.rows.len() == self.test.n_trials()
    }

    /// The test.
    pub fn test(&self) -> &TrackTest {
        &self.test
    }

    /// Trials taken.
    pub fn rows(&self) -> &[TrackRow] {
        &self.rows
    }

    /// The matrix of poses.
    pub fn matrix(&self) -> Vec<MatrixRow> {
        tally::matrix(self.test.poses(), &self.rows)
    }

    /// The histogram of yaws at the exits.
    pub fn yaws(&self) -> Vec<YawRow> {
        tally::yaws(self.test.poses(), &self.rows, self.test.options().bins)
    }

    /// Summary of the trials taken.
    pub fn summary(&self) -> TrackSummary {
        TrackSummary::new(&self.test, &self.rows)
    }
}
