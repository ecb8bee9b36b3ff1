//! Files of a drop test: `scene.toml`, `drops.csv`, `poses.csv`, `drop.json` and a figure.

use super::drop::DropRow;
use super::figure::draw_poses;
use super::poses::PoseRow;
use super::series::DropSeries;
use super::test::DropTest;
use crate::output::table::{self, Table};
use crate::output::{RunFolder, names};
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::write_durably;
use signorini_scene::scene;
use std::fs;
use std::path::{Path, PathBuf};

const DROPS: &str = "drops.csv";
const RESULT: &str = "drop.json";

/// Files of a drop test in progress.
#[derive(Debug)]
pub struct DropFiles {
    folder: PathBuf,
    drops: Table,
}

/// Counts of a drop test, as `drop.json` has them.
#[derive(Debug, Serialize, Deserialize)]
struct Counts {
    /// Version of this form.
    format: u32,
    /// Digest of all that decides the drops.
    digest: String,
    /// Name of the body.
    body: String,
    /// Number of drops taken, and of those planned.
    drops: usize,
    planned_drops: usize,
    /// Number of drops that did not come to rest.
    moving: usize,
    /// Number of drops with a step that is unsolved or red.
    unsolved: usize,
}

impl DropFiles {
    /// Whether a folder holds a test, of whatever body.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(RESULT).is_file()
    }

    /// Checks that a folder may take so many drops of a test, and reads those of the same test that it has.
    /// Writes nothing.
    ///
    /// # Errors
    /// When the folder holds something else, another test, or more drops, and not `replace`.
    pub fn taken(folder: &Path, test: &DropTest, count: usize, replace: bool) -> Result<Vec<DropRow>> {
        if replace || !Self::are_in(folder) {
            return RunFolder::check_vacant(folder, replace).map(|()| Vec::new());
        }
        let path = folder.join(RESULT);
        let text = fs::read_to_string(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let known: Counts =
            serde_json::from_str(&text).map_err(|e| Error::Parse { file: path, message: e.to_string() })?;
        let mut rows = Vec::new();
        table::read(&folder.join(DROPS), |row: DropRow| rows.push(row))?;
        let held = if known.digest != test.digest() {
            "another drop test".to_owned()
        } else if rows.len() > count {
            format!("{} drops of this test; ask for as many or more", rows.len())
        } else {
            return Ok(rows);
        };
        let what = format!("output folder {}", folder.display());
        let allowed = format!("holds {held}, choose another with --out or replace it with --force");
        Err(Error::Usage { what, allowed })
    }

    /// Begins the files in a folder, which is made where there is none, with the drops taken so far.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, series: &DropSeries) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        let path = folder.join(names::SCENE);
        let scene = scene::to_toml(series.test().scene());
        fs::write(&path, scene).map_err(|source| Error::Io { path, source })?;
        // Drops before the counts: these promise them.
        let drops = Table::create(folder.join(DROPS), &DropRow::COLUMNS)?;
        let mut files = Self { folder: folder.to_owned(), drops };
        files.push(series.rows())?;
        files.write_counts(series)?;
        Ok(files)
    }

    /// Writes drops.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, rows: &[DropRow]) -> Result<()> {
        rows.iter().try_for_each(|row| self.drops.push(row))?;
        self.drops.flush()
    }

    /// Writes the poses and counts, and draws the poses where there are some.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, series: &DropSeries) -> Result<()> {
        let poses = series.poses();
        let mut table = Table::create(self.folder.join("poses.csv"), &PoseRow::COLUMNS)?;
        poses.iter().try_for_each(|row| table.push(row))?;
        table.flush()?;
        self.write_counts(series)?;
        if !poses.is_empty() {
            draw_poses(series.test().body(), &poses, &self.folder)?;
        }
        Ok(())
    }

    fn write_counts(&self, series: &DropSeries) -> Result<()> {
        let counts = Counts {
            format: 1,
            digest: series.test().digest(),
            body: series.test().body().name.clone(),
            drops: series.taken(),
            planned_drops: series.count(),
            moving: series.moving(),
            unsolved: series.unsolved(),
        };
        // Plain words and numbers: serialising cannot fail.
        let text = serde_json::to_string_pretty(&counts).unwrap_or_default() + "\n";
        write_durably(&self.folder.join(RESULT), &[text.as_bytes()])
    }
}
