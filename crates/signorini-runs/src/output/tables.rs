//! The tables of a run in progress, side by side.

use super::chain::{BODIES, CONTACTS, FLOW, JOINTS, ORDER, STEPS, SUBSTEPS, TABLES};
use super::digest::Extent;
use super::growing::Growing;
use super::hdf5::{Hdf5File, Hdf5Table, Layout};
use super::names;
use super::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow, TimeRow};
use super::step_rows::StepRows;
use super::table::{Mark, Table};
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// How tables are written.
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
    place: Place,
    /// Of [`TABLES`], in their order: joints only of scenes with some, substeps and flow from the first on.
    pub(super) chained: [Option<Table>; TABLES.len()],
    times: Table,
    /// The HDF5 file is written anew beside the old one.
    is_beside: bool,
}

/// Of an HDF5 file: rows that are compressed and written at once at most, and steps whose rows they are if a
/// step has few.
const ROWS_AT_ONCE: usize = 1024;
const STEPS_AT_ONCE: usize = 64;
/// Digits and dash behind the name of an inlet in that of a body.
const LONGEST_NUMBER: usize = 21;

/// Where tables are made.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
    /// Those of an HDF5 file.
    hdf5: Option<Vec<Hdf5Table>>,
    /// The columns of bodies and of contacts.
    bodies: Vec<&'static str>,
    contacts: Vec<&'static str>,
}

/// How far the tables went at some step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMarks {
    /// Of [`TABLES`], in their order; None of a table that was not there.
    pub(super) chained: [Option<Mark>; TABLES.len()],
    pub(super) times: Mark,
    /// Of an HDF5 file: the rows that it had not taken yet, as text.
    pub(super) waiting: Option<[String; TABLES.len()]>,
}

impl Place {
    /// A folder of CSV files of a scene.
    pub fn csv(folder: &Path, scene: &Scene) -> Self {
        let (bodies, contacts) = (BodyRow::columns_of(scene), ContactRow::columns_of(scene));
        Self { folder: folder.to_owned(), hdf5: None, bodies, contacts }
    }

    /// An HDF5 file of a name in a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn hdf5(folder: &Path, name: &str, scene: &Scene) -> Result<Self> {
        let names = scene.bodies.iter().map(|b| &b.name).chain(scene.joints.iter().map(|j| &j.name));
        let longest = names.map(String::len).max().unwrap_or(0);
        let gates = scene.inlets.iter().map(|i| i.name()).chain(scene.outlets.iter().map(|o| o.name()));
        let longest = gates.map(|name| name.len() + LONGEST_NUMBER).fold(longest, usize::max);
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
    /// When it cannot be written.
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
            TableFormat::Csv => Place::csv(folder, scene),
            TableFormat::Hdf5 => Place::hdf5(folder, names::HDF5, scene)?,
        };
        let times = Table::create(folder.join(names::TIMES), &TimeRow::COLUMNS)?;
        Self::empty(place, scene, times, false)
    }

    /// Without a row.
    pub(super) fn empty(place: Place, scene: &Scene, times: Table, is_beside: bool) -> Result<Self> {
        let joints = if scene.joints.is_empty() { None } else { Some(place.create(JOINTS)?) };
        let (bodies, contacts) = (place.create(BODIES)?, place.create(CONTACTS)?);
        let chained = [Some(bodies), Some(contacts), joints, None, Some(place.create(STEPS)?), None];
        Ok(Self { chained, place, times, is_beside })
    }

    /// Opens the CSV files of a scene in a folder to go on behind marks. What is behind them stays until
    /// [`Tables::cut`].
    ///
    /// # Errors
    /// When a file cannot be opened, or does not hold what it held when it was marked.
    pub fn open(folder: &Path, scene: &Scene, marks: &TableMarks) -> Result<Self> {
        let mut chained = [const { None }; TABLES.len()];
        for ((table, mark), name) in chained.iter_mut().zip(&marks.chained).zip(TABLES) {
            *table = mark.as_ref().map(|mark| Table::open(folder.join(name), mark)).transpose()?;
        }
        let times = Table::open(folder.join(names::TIMES), &marks.times)?;
        Ok(Self { chained, place: Place::csv(folder, scene), times, is_beside: false })
    }

    /// Takes away what is behind the last row that is known.
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

    /// The texts of the tables in the order of [`TABLES`], from their start, to be taken digests of.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn texts(&self) -> Result<Vec<Growing>> {
        let folder = &self.place.folder;
        let Some(tables) = &self.place.hdf5 else {
            return TABLES.iter().map(|name| Growing::open(folder.join(name))).collect();
        };
        let file = folder.join(names::HDF5);
        let text = |table: &Hdf5Table| table.text(&file);
        let io = |source| Error::Io { path: file.clone(), source };
        let mut texts = Vec::with_capacity(TABLES.len());
        for (name, table) in TABLES.iter().zip(tables) {
            texts.push(Growing::of(folder.join(name), Some(text(table).map_err(io)?)));
        }
        Ok(texts)
    }

    /// Writes the rows of a step: how it went comes last, so that a step in `steps.csv` has its bodies and
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

    /// What the tables of the chain hold, in the order of [`TABLES`].
    pub fn extents(&self) -> [Extent; TABLES.len()] {
        self.chained.each_ref().map(|table| table.as_ref().map_or_else(Extent::nothing, Table::extent))
    }

    /// How far the tables go.
    ///
    /// # Errors
    /// When rows wait that are none.
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
    /// When it cannot.
    pub fn sync(&mut self) -> Result<()> {
        self.all_mut().try_for_each(|table| table.sync())
    }

    /// A table, created when it is written to for the first time.
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
    /// A run that was taken up and took no step leaves everything as it was.
    fn drop(&mut self) {
        if self.is_beside {
            drop(fs::remove_file(self.place.folder.join(names::HDF5_NEW)));
        }
    }
}

/// Removes a file, if it is there.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_owned(), source: e })
        }
        _ => Ok(()),
    }
}
