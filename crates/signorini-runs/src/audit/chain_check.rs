//! Check that the tables are those that the run wrote: the chain of digests computed again from the files.

use super::report::AuditReport;
use crate::output::chain::{ChainRow, Link, TABLES};
use crate::output::digest::Extent;
use crate::output::names;
use crate::output::prefix_digest::PrefixDigest;
use crate::output::source;
use crate::output::table;
use signorini_error::{Error, Result};
use std::io;
use std::path::Path;

/// Statements of the chain about a folder.
#[derive(Debug, Default)]
pub struct ChainCheck {
    /// Bytes of each table that the chain covers, in the order of its columns; None if the chain is broken.
    pub covered: Option<[u64; TABLES.len()]>,
    /// Last link of the chain.
    pub last_link: Option<String>,
    /// Last step of the chain.
    pub last_step: usize,
}

impl ChainCheck {
    /// Bytes of a table that may be read; None, the whole table, if the chain is broken.
    pub fn covered(&self, table: &str) -> Option<u64> {
        let at = TABLES.iter().position(|name| *name == table)?;
        self.covered.map(|lengths| lengths[at])
    }
}

/// Verifies the chain of a folder; `scene` is the text of its resolved scene.
pub fn verify(folder: &Path, scene: &[u8], report: &mut AuditReport) -> Result<ChainCheck> {
    let mut chain_check = ChainCheck::default();
    let path = folder.join(names::CHAIN);
    if !path.exists() {
        report.fault(names::CHAIN, "is missing: nothing says that the tables are those of the run");
        return Ok(chain_check);
    }
    let mut rows: Vec<ChainRow> = Vec::new();
    if let Err(error) = table::read(&path, |row| rows.push(row)) {
        report.fault(names::CHAIN, error);
        return Ok(chain_check);
    }
    let mut files = Vec::new();
    for name in TABLES {
        files.push(PrefixDigest::open(folder.join(name))?);
    }
    let mut link = Link::of_scene(scene);
    let mut covered = None;
    'rows: for row in &rows {
        let mut extents = [Extent::nothing(); TABLES.len()];
        for ((file, extent), length) in files.iter_mut().zip(&mut extents).zip(row.lengths()) {
            match file.advance_to(length)? {
                Some(found) => *extent = found,
                None if is_cut_short(folder) => {
                    let what = format!("rows of step {} on were not written yet: not judged", row.step);
                    report.notes.push(format!("{}: {what}", names::HDF5));
                    break 'rows;
                }
                None => {
                    let what = format!("step {}: {} is shorter than the run left it", row.step, file.name());
                    report.fault(names::CHAIN, what);
                    return Ok(chain_check);
                }
            }
        }
        link = link.next(row.step, &extents);
        if link.text() != row.link {
            let scene = if row.step == 0 { "scene.toml or " } else { "" };
            let what =
                format!("step {}: {scene}rows of this step are not those that the run wrote", row.step);
            report.fault(names::CHAIN, what);
            return Ok(chain_check);
        }
        chain_check.last_step = row.step;
        covered = Some(row.lengths());
    }
    if covered.is_none() {
        report.fault(names::CHAIN, "has no link");
        return Ok(chain_check);
    }
    chain_check.covered = covered;
    chain_check.last_link = Some(link.text());
    Ok(chain_check)
}

/// Whether tables may be shorter than the chain says: a killed run had not written all rows to its HDF5 file.
fn is_cut_short(folder: &Path) -> bool {
    folder.join(names::HDF5).exists() && !folder.join(names::SUMMARY).exists()
}

/// Notes rows behind the last link, of a step that a killed run was writing. These rows are not read.
pub fn note_rows_behind(
    folder: &Path,
    chain_check: &ChainCheck,
    is_finished: bool,
    report: &mut AuditReport,
) -> Result<()> {
    for name in TABLES {
        let (path, Some(covered)) = (folder.join(name), chain_check.covered(name)) else { continue };
        let length = match source::length(&path) {
            Ok(length) => length,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(source) => return Err(Error::Io { path, source }),
        };
        if length > covered {
            let what = format!("{} bytes after the last link of the chain: not judged", length - covered);
            if is_finished {
                report.fault(name, what);
            } else {
                report.notes.push(format!("{name}: {what}"));
            }
        }
    }
    Ok(())
}
