//! Drops of a test in their order, and the files that they make.

use super::drop::DropRow;
use super::figure::draw_poses;
use super::poses::{PoseRow, Poses};
use super::test::DropTest;
use crate::output::names;
use crate::output::table::Table;
use rayon::prelude::*;
use signorini_error::{Error, Result};
use signorini_scene::scene;
use std::fs;
use std::path::{Path, PathBuf};

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
    taken: usize,
    unsolved: usize,
}

impl DropSeries {
    /// Prepares `count` drops, and checks that the first [`CHECKED`] of them can begin.
    ///
    /// # Errors
    /// When the scene of a drop is not allowed, for instance because the body would overlap another.
    pub fn new(test: DropTest, count: usize) -> Result<Self> {
        (1..=count.min(CHECKED)).into_par_iter().try_for_each(|number| test.check(number))?;
        let poses = Poses::new(&test);
        Ok(Self { test, count, poses, taken: 0, unsolved: 0 })
    }

    /// Takes the next drops, a few for each thread, and returns their rows. Fewer than are left to take, and
    /// perhaps none, when `stops` returned true meanwhile.
    ///
    /// # Errors
    /// When a drop cannot begin.
    pub fn go_on(&mut self, stops: impl Fn() -> bool + Sync) -> Result<Vec<DropRow>> {
        let first = self.taken + 1;
        let last = (self.taken + CHUNK * rayon::current_num_threads()).min(self.count);
        let ends: Result<Vec<Option<DropRow>>> =
            (first..=last).into_par_iter().map(|number| self.test.run(number, &stops)).collect();
        let mut rows: Vec<DropRow> = ends?.into_iter().map_while(|end| end).collect();
        for row in &mut rows {
            self.poses.take(row);
            self.taken += 1;
            self.unsolved += usize::from(row.unsolved_steps + row.red_steps > 0);
        }
        Ok(rows)
    }

    /// Whether all drops are taken.
    pub fn is_done(&self) -> bool {
        self.taken == self.count
    }

    /// The test.
    pub fn test(&self) -> &DropTest {
        &self.test
    }

    /// Number of drops taken.
    pub fn taken(&self) -> usize {
        self.taken
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

/// Files of a drop test: `scene.toml`, `drops.csv`, `poses.csv` and a figure.
#[derive(Debug)]
pub struct DropFiles {
    folder: PathBuf,
    drops: Table,
}

impl DropFiles {
    /// Begins the files in a folder, which is made where there is none.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, test: &DropTest) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        let path = folder.join(names::SCENE);
        fs::write(&path, scene::to_toml(test.scene())).map_err(|source| Error::Io { path, source })?;
        let drops = Table::create(folder.join("drops.csv"), &DropRow::COLUMNS)?;
        Ok(Self { folder: folder.to_owned(), drops })
    }

    /// Writes drops.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, rows: &[DropRow]) -> Result<()> {
        rows.iter().try_for_each(|row| self.drops.push(row))?;
        self.drops.flush()
    }

    /// Writes the poses, and draws them where there are some.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, series: &DropSeries) -> Result<()> {
        let poses = series.poses();
        let mut table = Table::create(self.folder.join("poses.csv"), &PoseRow::COLUMNS)?;
        poses.iter().try_for_each(|row| table.push(row))?;
        table.flush()?;
        if !poses.is_empty() {
            draw_poses(series.test().body(), &poses, &self.folder)?;
        }
        Ok(())
    }
}
