//! `chain.csv`: a chain of digests over the resolved scene and the rows of all tables, one link a step.
//!
//! ```text
//! link of the scene  =  H( "signorini chain 1" ‖ H(scene.toml) )
//! link of a step     =  H( link before ‖ step ‖ n₁ ‖ H(first n₁ bytes) ‖ … ‖ n₆ ‖ H(first n₆ bytes) )
//! ```
//! with the lengths n of the tables, and numbers as 8 bytes, lowest first; the last table counts from its
//! first row on. A link is written after the rows of its step: the last link of a killed run says how far the
//! tables are whole. A row that is changed, added, left out or moved breaks its link and all later ones, and
//! so does a changed scene. `summary.json` holds the last link. The chain is no secret: a forger of a run can
//! forge its chain, and has the referee to convince.

use super::digest::{Digest, Extent, Value};
use super::names;
use super::prefix_digest::PrefixDigest;
use super::table::{Mark, Table};
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// The tables of the chain, in the order of its columns.
pub const TABLES: [&str; 6] =
    [names::BODIES, names::CONTACTS, names::JOINTS, names::SUBSTEPS, names::STEPS, names::FLOW];

/// Place of `bodies.csv` in [`TABLES`].
pub const BODIES: usize = 0;
/// Place of `contacts.csv` in [`TABLES`].
pub const CONTACTS: usize = 1;
/// Place of `joints.csv` in [`TABLES`].
pub const JOINTS: usize = 2;
/// Place of `substeps.csv` in [`TABLES`].
pub const SUBSTEPS: usize = 3;
/// Place of `steps.csv` in [`TABLES`].
pub const STEPS: usize = 4;
/// Place of `flow.csv` in [`TABLES`].
pub const FLOW: usize = 5;

/// Order in which the tables of a step are written.
pub const ORDER: [usize; TABLES.len()] = [FLOW, JOINTS, SUBSTEPS, CONTACTS, BODIES, STEPS];

/// A row of `chain.csv`: the lengths of the tables (bytes) after a step, and the link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainRow {
    /// The step, 0 for the start.
    pub step: usize,
    /// Bytes of `bodies.csv`.
    pub bodies: u64,
    /// Bytes of `contacts.csv`.
    pub contacts: u64,
    /// Bytes of `joints.csv`.
    pub joints: u64,
    /// Bytes of `substeps.csv`.
    pub substeps: u64,
    /// Bytes of `steps.csv`.
    pub steps: u64,
    /// Bytes of `flow.csv`.
    #[serde(default)]
    pub flow: u64,
    /// The link, 64 hexadecimal digits.
    pub link: String,
}

impl ChainRow {
    /// Header of `chain.csv`.
    pub const COLUMNS: [&'static str; 8] =
        ["step", "bodies", "contacts", "joints", "substeps", "steps", "flow", "link"];

    /// Lengths of the tables (bytes), in the order of [`TABLES`].
    pub fn lengths(&self) -> [u64; TABLES.len()] {
        [self.bodies, self.contacts, self.joints, self.substeps, self.steps, self.flow]
    }
}

/// The last link of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link(Value);

impl Link {
    /// Link of the scene, from its text as written.
    pub fn of_scene(text: &[u8]) -> Self {
        let mut digest = Digest::default();
        digest.update(b"signorini chain 1");
        digest.update(Value::of(text).as_bytes());
        Self(digest.value())
    }

    /// Link after a step.
    pub fn next(&self, step: usize, tables: &[Extent; TABLES.len()]) -> Self {
        let mut digest = Digest::default();
        digest.update(self.0.as_bytes());
        digest.update(&(step as u64).to_le_bytes());
        // Runs from before the last table existed have the same links.
        let n = if tables[TABLES.len() - 1].length == 0 { TABLES.len() - 1 } else { TABLES.len() };
        for table in &tables[..n] {
            digest.update(&table.length.to_le_bytes());
            digest.update(table.digest.as_bytes());
        }
        Self(digest.value())
    }

    /// Link from its text.
    pub fn from_text(text: &str) -> Option<Self> {
        Value::from_text(text).map(Self)
    }

    /// Text of the link.
    pub fn text(&self) -> String {
        self.0.to_string()
    }
}

/// Length of a chain at some step, with its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainMark {
    table: Mark,
    link: String,
}

/// The chain of a run in progress. While it exists no other run may write into the folder.
#[derive(Debug)]
pub struct Chain {
    table: Table,
    link: Link,
}

impl Chain {
    /// Claims the folder, in which `chain.csv` is locked until the chain is dropped or the process ends. The
    /// content of the file stays until [`Chain::start`].
    ///
    /// # Errors
    /// When a run into the folder is in progress, or the file cannot be opened.
    pub fn claim(folder: &Path) -> Result<File> {
        let path = folder.join(names::CHAIN);
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let file = file.map_err(|source| Error::Io { path: path.clone(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(taken(folder)),
            // On a file system without locks the user has to avoid two runs into one folder.
            Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => Ok(file),
            Err(TryLockError::Error(source)) => Err(Error::Io { path, source }),
        }
    }

    /// Begins the chain in the file that was [claimed](Self::claim).
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn start(file: File, folder: &Path, scene: &str) -> Result<Self> {
        let path = folder.join(names::CHAIN);
        file.set_len(0).map_err(|source| Error::Io { path: path.clone(), source })?;
        let table = Table::write_into(file, path, &ChainRow::COLUMNS)?;
        Ok(Self { table, link: Link::of_scene(scene.as_bytes()) })
    }

    /// Goes on behind a mark, in the file that was [claimed](Self::claim). Rows behind the mark stay until
    /// [`Chain::cut`]. Of a chain that will be [bound again](Self::relink) only the length has to fit.
    ///
    /// # Errors
    /// When the file is not the one that was marked.
    pub fn go_on(file: File, folder: &Path, mark: &ChainMark, will_be_bound_again: bool) -> Result<Self> {
        let path = folder.join(names::CHAIN);
        let no_link = || Error::Parse { file: path.clone(), message: format!("{:?} is no link", mark.link) };
        let link = Link::from_text(&mark.link).ok_or_else(no_link)?;
        let table = Table::go_on(file, path, mark.table.length)?;
        if !will_be_bound_again {
            table.check(&mark.table)?;
        }
        Ok(Self { table, link })
    }

    /// Binds the rows of a run whose scene has become another, read from its tables: makes all links anew,
    /// and writes them in the place of the old ones. They have the same length, so that this can be repeated
    /// after an interruption.
    ///
    /// # Errors
    /// When the file is no chain, or files cannot be read or written.
    pub fn relink(&mut self, folder: &Path, scene: &str, mut tables: Vec<PrefixDigest>) -> Result<()> {
        let path = folder.join(names::CHAIN);
        let fault = |message: String| Error::Parse { file: path.clone(), message };
        let length = self.table.extent().length as usize;
        let mut old = std::fs::read(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        old.truncate(length);
        let mut link = Link::of_scene(scene.as_bytes());
        let mut rows = csv::Writer::from_writer(Vec::new());
        for row in csv::Reader::from_reader(old.as_slice()).into_deserialize() {
            let mut row: ChainRow = row.map_err(|e| fault(e.to_string()))?;
            let mut extents = [Extent::nothing(); TABLES.len()];
            for ((table, extent), length) in tables.iter_mut().zip(&mut extents).zip(row.lengths()) {
                let found = table.advance_to(length)?;
                *extent =
                    found.ok_or_else(|| fault(format!("step {}: {} is shorter", row.step, table.name())))?;
            }
            link = link.next(row.step, &extents);
            row.link = link.text();
            rows.serialize(row).map_err(|e| fault(e.to_string()))?;
        }
        let new = rows.into_inner().map_err(|e| fault(e.to_string()))?;
        if new.len() != length {
            return Err(fault("is not as the run wrote it".to_owned()));
        }
        self.table.replace(&new)?;
        self.link = link;
        Ok(())
    }

    /// Whether the chain is still the file of its name in its folder.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn is_in(&self, folder: &Path) -> Result<bool> {
        self.table.is_at(&folder.join(names::CHAIN))
    }

    /// Removes rows behind the last link.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn cut(&mut self) -> Result<()> {
        self.table.cut()
    }

    /// Has the operating system write everything to the disk.
    ///
    /// # Errors
    /// When the system fails to do so.
    pub fn sync(&self) -> Result<()> {
        self.table.sync()
    }

    /// Returns the mark of the chain's end.
    pub fn mark(&self) -> ChainMark {
        ChainMark { table: self.table.mark(), link: self.link.text() }
    }

    /// Adds the link of a step after which the tables, in the order of [`TABLES`], have these extents.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, step: usize, tables: &[Extent; TABLES.len()]) -> Result<()> {
        self.link = self.link.next(step, tables);
        let [bodies, contacts, joints, substeps, steps, flow] = tables.map(|t| t.length);
        let link = self.link.text();
        self.table.push(&ChainRow { step, bodies, contacts, joints, substeps, steps, flow, link })?;
        self.table.flush()
    }

    /// Returns the last link.
    pub fn link(&self) -> Link {
        self.link
    }
}

/// Fails when a run into the folder is in progress; changes nothing.
///
/// # Errors
/// When a run into the folder is in progress.
pub fn check_idle(folder: &Path) -> Result<()> {
    if is_growing(folder) { Err(taken(folder)) } else { Ok(()) }
}

/// Whether a run into the folder is in progress.
pub fn is_growing(folder: &Path) -> bool {
    let Ok(file) = File::open(folder.join(names::CHAIN)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

fn taken(folder: &Path) -> Error {
    Error::Usage {
        what: format!("output folder {}", folder.display()),
        allowed: "another run is writing into it; wait for its end, stop it, or choose another with --out"
            .to_owned(),
    }
}
