//! Files of a track test: `scene.toml`, `trials.csv`, `matrix.csv`, `yaws.csv`, `track.json` and a figure.

use super::figure::draw;
use super::series::TrackSeries;
use super::tally::{MatrixRow, YawRow};
use super::test::TrackTest;
use super::trial::TrackRow;
use crate::output::table::{self, Table};
use crate::output::{RunFolder, names};
use serde::Deserialize;
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::write_durably;
use signorini_scene::scene;
use std::fs;
use std::path::{Path, PathBuf};

const TRIALS: &str = "trials.csv";
const RESULT: &str = "track.json";

/// Files of a track test in progress.
#[derive(Debug)]
pub struct TrackFiles {
    folder: PathBuf,
    trials: Table,
}

/// Part of a result by which its test is known.
#[derive(Debug, Deserialize)]
struct Known {
    digest: String,
}

impl TrackFiles {
    /// Whether a folder holds a test, of whatever part.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(RESULT).is_file()
    }

    /// Checks that a folder may take a test, and reads the trials of the same test that it has. Writes
    /// nothing.
    ///
    /// # Errors
    /// When the folder holds something else, or another test, and not `replace`.
    pub fn taken(folder: &Path, test: &TrackTest, replace: bool) -> Result<Vec<TrackRow>> {
        if replace || !Self::are_in(folder) {
            return RunFolder::check_vacant(folder, replace).map(|()| Vec::new());
        }
        let path = folder.join(RESULT);
        let text = fs::read_to_string(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let known: Known =
            serde_json::from_str(&text).map_err(|e| Error::Parse { file: path, message: e.to_string() })?;
        if known.digest != test.digest() {
            let what = format!("output folder {}", folder.display());
            let allowed = "holds another track test; choose another with --out or replace it with --force";
            return Err(Error::Usage { what, allowed: allowed.to_owned() });
        }
        let mut rows = Vec::new();
        table::read(&folder.join(TRIALS), |row: TrackRow| rows.push(row))?;
        Ok(rows)
    }

    /// Begins the files in a folder, which is made where there is none, with the trials taken so far.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, series: &TrackSeries) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        let path = folder.join(names::SCENE);
        let scene = scene::to_toml(series.test().scene());
        fs::write(&path, scene).map_err(|source| Error::Io { path, source })?;
        // Trials before the result: a result promises them.
        let mut trials = Table::create(folder.join(TRIALS), &TrackRow::COLUMNS)?;
        series.rows().iter().try_for_each(|row| trials.push(row))?;
        trials.flush()?;
        let files = Self { folder: folder.to_owned(), trials };
        files.write_result(series)?;
        Ok(files)
    }

    /// Writes trials.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, rows: &[TrackRow]) -> Result<()> {
        rows.iter().try_for_each(|row| self.trials.push(row))?;
        self.trials.flush()
    }

    /// Writes matrix, histogram, result and figure.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, series: &TrackSeries) -> Result<()> {
        let mut matrix = Table::create(self.folder.join("matrix.csv"), &MatrixRow::COLUMNS)?;
        let entries = series.matrix();
        entries.iter().try_for_each(|row| matrix.push(row))?;
        matrix.flush()?;
        let mut yaws = Table::create(self.folder.join("yaws.csv"), &YawRow::COLUMNS)?;
        let bins = series.yaws();
        bins.iter().try_for_each(|row| yaws.push(row))?;
        yaws.flush()?;
        self.write_result(series)?;
        draw(series.test().part(), &entries, &bins, &self.folder)
    }

    fn write_result(&self, series: &TrackSeries) -> Result<()> {
        write_durably(&self.folder.join(RESULT), &[series.summary().to_json().as_bytes()])
    }
}
