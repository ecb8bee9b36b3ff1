//! The tables of a run in progress, side by side.

use super::chain::{BODIES, CONTACTS, FLOW, JOINTS, ORDER, STEPS, SUBSTEPS, TABLES};
use super::digest::Extent;
use super::hdf5::{Hdf5File, Hdf5Table, Layout};
use super::names;
use super::prefix_digest::PrefixDigest;
use super::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow, TimeRow};
use super::step_rows::StepRows;
use super::table::{Mark, Table};
use serde::{Deserialize, Serialize};
use signorini::measure::cell_of;
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;
use std::fs;
use std::path::{Path, PathBuf};

/// Format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableFormat {
    /// Text, one file each.
    #[default]
    Csv,
    /// One compressed file, `run.h5`.
    Hdf5,
}

/// All tables of a folder, open.
#[derive(Debug)]
pub struct Tables {
    place: TableLocation,
    /// Tables of [`TABLES`], in their order: joints only of scenes with some, substeps and flow from the
    /// first on.
    pub(super) chained: [Option<Table>; TABLES.len()],
    times: Table,
    /// Whether the HDF5 file is written anew beside the old one.
    is_beside: bool,
}

/// Most rows of an HDF5 file that are compressed and written at once.
const ROWS_AT_ONCE: usize = 1024;
/// Number of steps whose rows are written to an HDF5 file at once if a step has few.
const STEPS_AT_ONCE: usize = 64;
/// Length of digits and dash behind the name of an inlet in that of a body.
const LONGEST_NUMBER: usize = 21;

/// Location in which tables are made.
#[derive(Debug)]
pub(super) struct TableLocation {
    folder: PathBuf,
    /// Tables of the HDF5 file.
    hdf5: Option<Vec<Hdf5Table>>,
    /// Columns of bodies and, in `contacts`, of contacts.
    bodies: Vec<&'static str>,
    contacts: Vec<&'static str>,
}

/// Marks of the tables at some step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMarks {
    /// Marks of [`TABLES`], in their order; None of a table that did not exist.
    pub(super) chained: [Option<Mark>; TABLES.len()],
    pub(super) times: Mark,
    /// Rows that an HDF5 file had not taken yet, as text.
    pub(super) waiting: Option<[String; TABLES.len()]>,
}

impl TableLocation {
    /// Makes a place for CSV files of a scene in a folder.
    pub fn csv(folder: &Path, scene: &Scene) -> Self {
        let (bodies, contacts) = (BodyRow::columns_of(scene), ContactRow::columns_of(scene));
        Self { folder: folder.to_owned(), hdf5: None, bodies, contacts }
    }

    /// Makes a place in an HDF5 file of a name in a folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn hdf5(folder: &Path, name: &str, scene: &Scene) -> Result<Self> {
        let names = scene.bodies.iter().map(|b| &b.name).chain(scene.joints.iter().map(|j| &j.name));
        let longest = names.map(|name| cell_of(name).len()).max().unwrap_or(0);
        let ports = scene.inlets.iter().map(|i| i.name()).chain(scene.outlets.iter().map(|o| o.name()));
        let longest = ports.map(|name| cell_of(name).len() + LONGEST_NUMBER).fold(longest, usize::max);
        let (bodies, joints) = (scene.bodies.len(), scene.joints.len());
        let layouts = [
            (Layout::of::<BodyRow<'static>>(&BodyRow::columns_of(scene), longest), bodies),
            (Layout::of::<ContactRow<'static>>(&ContactRow::columns_of(scene), longest), bodies),
            (Layout::of::<JointRow<'static>>(&JointRow::COLUMNS, longest), joints),
            (Layout::of::<SubstepRow<'static>>(&SubstepRow::COLUMNS, longest), bodies),
            (Layout::of::<StepRow<'static>>(&StepRow::COLUMNS, longest), 1),
            (Layout::of::<FlowRow<'static>>(&FlowRow::COLUMNS, longest), 1),
        ];
        let path = folder.join(name);
        let stems = TABLES.iter().map(|name| name.trim_end_matches(".csv").to_owned());
        let of_steps = |rows: usize| rows.saturating_mul(STEPS_AT_ONCE).clamp(STEPS_AT_ONCE, ROWS_AT_ONCE);
        let tables = stems.zip(layouts).map(|(name, (layout, rows))| (name, layout, of_steps(rows)));
        let tables = Hdf5File::create(&path, tables.collect());
        let tables = tables.map_err(|source| Error::Io { path, source })?;
        Ok(Self { hdf5: Some(tables), ..Self::csv(folder, scene) })
    }

    /// Creates a table.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub fn create(&self, at: usize) -> Result<Table> {
        let columns: [&[&str]; TABLES.len()] = [
            &self.bodies,
            &self.contacts,
            &JointRow::COLUMNS,
            &SubstepRow::COLUMNS,
            &StepRow::COLUMNS,
            &FlowRow::COLUMNS,
        ];
        match &self.hdf5 {
            None => Table::create(self.folder.join(TABLES[at]), columns[at]),
            Some(tables) => Table::in_hdf5(tables[at].clone(), self.folder.join(names::HDF5), columns[at]),
        }
    }
}

impl Tables {
    /// Creates the tables in a folder, for a scene.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, scene: &Scene, format: TableFormat) -> Result<Self> {
        let place = match format {
            TableFormat::Csv => TableLocation::csv(folder, scene),
            TableFormat::Hdf5 => TableLocation::hdf5(folder, names::HDF5, scene)?,
        };
        let times = Table::create(folder.join(names::TIMES), &TimeRow::COLUMNS)?;
        Self::empty(place, scene, times, false)
    }

    /// Creates the tables without a row.
    pub(super) fn empty(place: TableLocation, scene: &Scene, times: Table, is_beside: bool) -> Result<Self> {
        let joints = if scene.joints.is_empty() { None } else { Some(place.create(JOINTS)?) };
        let (bodies, contacts) = (place.create(BODIES)?, place.create(CONTACTS)?);
        let chained = [Some(bodies), Some(contacts), joints, None, Some(place.create(STEPS)?), None];
        Ok(Self { chained, place, times, is_beside })
    }

    /// Opens the CSV files of a scene in a folder to go on behind marks. Rows behind the marks stay until
    /// [`Tables::cut`].
    ///
    /// # Errors
    /// When a file cannot be opened, or its content differs from that at the mark.
    pub fn open(folder: &Path, scene: &Scene, marks: &TableMarks) -> Result<Self> {
        let mut chained = [const { None }; TABLES.len()];
        for ((table, mark), name) in chained.iter_mut().zip(&marks.chained).zip(TABLES) {
            *table = mark.as_ref().map(|mark| Table::open(folder.join(name), mark)).transpose()?;
        }
        let times = Table::open(folder.join(names::TIMES), &marks.times)?;
        Ok(Self { chained, place: TableLocation::csv(folder, scene), times, is_beside: false })
    }

    /// Removes rows behind the last row that is known.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn cut(&mut self) -> Result<()> {
        let folder = &self.place.folder;
        if self.is_beside {
            let [from, to] = [names::HDF5_NEW, names::HDF5].map(|name| folder.join(name));
            fs::rename(from, &to).map_err(|source| Error::Io { path: to, source })?;
            self.is_beside = false;
        } else {
            for at in [SUBSTEPS, FLOW] {
                if self.chained[at].is_none() {
                    remove_if_there(&folder.join(TABLES[at]))?;
                }
            }
        }
        self.all_mut().try_for_each(Table::cut)
    }

    /// Returns the texts of the tables in the order of [`TABLES`], from their start, to take digests of.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn texts(&self) -> Result<Vec<PrefixDigest>> {
        let folder = &self.place.folder;
        let Some(tables) = &self.place.hdf5 else {
            return TABLES.iter().map(|name| PrefixDigest::open(folder.join(name))).collect();
        };
        let file = folder.join(names::HDF5);
        let text = |table: &Hdf5Table| table.text(&file);
        let io = |source| Error::Io { path: file.clone(), source };
        let mut texts = Vec::with_capacity(TABLES.len());
        for (name, table) in TABLES.iter().zip(tables) {
            texts.push(PrefixDigest::of(folder.join(name), Some(text(table).map_err(io)?)));
        }
        Ok(texts)
    }

    /// Writes the rows of a step; those of `steps.csv` come last, so that a step in it has its bodies and
    /// contacts.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn take(&mut self, rows: &StepRows) -> Result<()> {
        for at in ORDER {
            if at == STEPS {
                self.times.take(&rows.times)?;
            }
            if !rows.chained[at].is_empty() {
                self.table(at)?.take(&rows.chained[at])?;
            }
        }
        Ok(())
    }

    /// Has the files take all rows.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&mut self) -> Result<()> {
        self.all_mut().try_for_each(|table| table.finish())
    }

    /// Extents of the tables of the chain, in the order of [`TABLES`].
    pub fn extents(&self) -> [Extent; TABLES.len()] {
        self.chained.each_ref().map(|table| table.as_ref().map_or_else(Extent::nothing, Table::extent))
    }

    /// Returns the marks of the tables' ends.
    ///
    /// # Errors
    /// When waiting records are no rows.
    pub fn marks(&self) -> Result<TableMarks> {
        let chained = self.chained.each_ref().map(|table| table.as_ref().map(Table::mark));
        let mut waiting = self.place.hdf5.as_ref().map(|_| <[String; TABLES.len()]>::default());
        if let Some(waiting) = &mut waiting {
            for (waiting, table) in waiting.iter_mut().zip(&self.chained) {
                *waiting = table.as_ref().map_or_else(|| Ok(String::new()), Table::waiting)?;
            }
        }
        Ok(TableMarks { chained, times: self.times.mark(), waiting })
    }

    /// Has the operating system write everything to the disk.
    ///
    /// # Errors
    /// When the system fails to do so.
    pub fn sync(&mut self) -> Result<()> {
        self.all_mut().try_for_each(|table| table.sync())
    }

    /// Returns a table, created when it is written to for the first time.
    pub(super) fn table(&mut self, at: usize) -> Result<&mut Table> {
        let Self { chained, place, .. } = self;
        Ok(match &mut chained[at] {
            Some(table) => table,
            none => none.insert(place.create(at)?),
        })
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        self.chained.iter_mut().flatten().chain([&mut self.times])
    }
}

impl Drop for Tables {
    /// Removes the file of a run that was resumed and took no step, which leaves everything unchanged.
    fn drop(&mut self) {
        if self.is_beside {
            drop(fs::remove_file(self.place.folder.join(names::HDF5_NEW)));
        }
    }
}

/// Removes a file, if it exists.
///
/// # Errors
/// When the file exists and cannot be removed.
pub fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_owned(), source: e })
        }
        _ => Ok(()),
    }
}
