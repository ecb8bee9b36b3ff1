//! Trials of a track test in their order.

use super::summary::TrackSummary;
use super::tally::{self, MatrixRow, YawRow};
use super::test::TrackTest;
use super::trial::TrackRow;
use crate::output::following;
use rayon::prelude::*;
use signorini_error::Result;
use std::ops::RangeInclusive;

/// Number of trials per thread that are taken at a time.
const CHUNK: usize = 4;
/// Number of trials whose starts are checked before the first one.
const CHECKED: usize = 1000;

/// Trials of a part, taken in parallel, in the order of their numbers: the same on any number of threads.
#[derive(Debug)]
pub struct TrackSeries {
    test: TrackTest,
    rows: Vec<TrackRow>,
}

impl TrackTest {
    /// Runs some trials, by their numbers, in parallel; those before the first that `stops` ended.
    ///
    /// # Errors
    /// When a trial cannot begin.
    pub fn run_all(
        &self,
        numbers: RangeInclusive<usize>,
        stops: impl Fn() -> bool + Sync,
    ) -> Result<Vec<TrackRow>> {
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
        let mut series = Self { test, rows: Vec::new() };
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
        let rows = self.test.run_all(first..=last, stops)?;
        self.take(rows)
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
