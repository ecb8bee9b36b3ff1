//! Shares of a study: processes on several machines run its trials by their numbers, each into a file of its
//! own in `shares`, and the tables are made of all.

use super::table::{self, Table};
use serde::Serialize;
use serde::de::DeserializeOwned;
use signorini_error::{Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Folder of the shares in that of a study.
const SHARES: &str = "shares";
/// Digits of a study's digest by which the file of a share is known.
const KNOWN_BY: usize = 16;
/// Number of trials per thread that a share runs at a time.
const CHUNK: usize = 4;

/// Row of a trial.
pub trait Numbered: Serialize + DeserializeOwned + Clone {
    /// Names of the columns.
    const NAMES: &'static [&'static str];
    /// Number of the trial, from 1.
    fn number(&self) -> usize;
}

/// Share of the trials: those whose numbers leave the same remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Number of the share, from 1.
    pub number: usize,
    /// Number of all shares.
    pub of: usize,
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let whole = |word: &str| word.parse::<usize>().ok();
        let found = text.split_once('/').and_then(|(k, n)| Some((whole(k)?, whole(n)?)));
        match found {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("must be K/N with K from 1 to N".to_owned()),
        }
    }
}

impl Share {
    /// Whether a trial is in the share.
    pub fn has(&self, number: usize) -> bool {
        number % self.of == self.number % self.of
    }

    fn file(&self, folder: &Path, digest: &str) -> PathBuf {
        folder.join(SHARES).join(format!("{}-{:04}-of-{:04}.csv", known_by(digest), self.number, self.of))
    }
}

fn known_by(digest: &str) -> &str {
    digest.get(..KNOWN_BY).unwrap_or(digest)
}

/// Reads the trials of all shares of a study in a folder, by their numbers; none where there is no share.
///
/// # Errors
/// When a file cannot be read.
pub fn read_shares<R: Numbered>(folder: &Path, digest: &str) -> Result<BTreeMap<usize, R>> {
    let shares = folder.join(SHARES);
    let mut rows = BTreeMap::new();
    if !shares.is_dir() {
        return Ok(rows);
    }
    let fault = |source| Error::Io { path: shares.clone(), source };
    for entry in fs::read_dir(&shares).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(known_by(digest)) && name.ends_with(".csv") {
            table::read(&path, |row: R| {
                rows.insert(row.number(), row);
            })?;
        }
    }
    Ok(rows)
}

/// Runs the trials of a share that no share has yet, of those after the first `taken` up to `count`, into its
/// file, and returns all of the share. `run` returns fewer than it was given where it was stopped.
///
/// # Errors
/// When a file cannot be read or written, or a trial cannot begin.
pub fn run_share<R: Numbered>(
    (folder, digest): (&Path, &str),
    share: Share,
    (taken, count): (usize, usize),
    run: impl Fn(Vec<usize>) -> Result<Vec<R>>,
) -> Result<Vec<R>> {
    let known = read_shares::<R>(folder, digest)?;
    let mine = (taken + 1..=count).filter(|number| share.has(*number));
    let (there, left): (Vec<usize>, Vec<usize>) = mine.partition(|number| known.contains_key(number));
    let mut rows: Vec<R> = there.iter().map(|number| known[number].clone()).collect();
    let (path, io) = (share.file(folder, digest), |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    });
    fs::create_dir_all(folder.join(SHARES)).map_err(io(folder))?;
    // Beside the old file until the new one has its trials.
    let new = path.with_extension("csv.new");
    let mut file = Table::create(new.clone(), R::NAMES)?;
    rows.iter().try_for_each(|row| file.push(row))?;
    file.flush()?;
    fs::rename(&new, &path).map_err(io(&path))?;
    for numbers in left.chunks(CHUNK * rayon::current_num_threads()) {
        let next = run(numbers.to_vec())?;
        next.iter().try_for_each(|row| file.push(row))?;
        file.flush()?;
        let is_stopped = next.len() < numbers.len();
        rows.extend(next);
        if is_stopped {
            break;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trial_is_in_one_share() {
        let shares: Vec<Share> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        for number in 1..20 {
            assert_eq!(shares.iter().filter(|share| share.has(number)).count(), 1, "{number}");
        }
        for wrong in ["0/3", "4/3", "1", "a/2", "1/0", "-1/2", ""] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }
}
