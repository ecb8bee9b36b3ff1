//! Folders that are made for an output, and removed again where it cannot begin.

use signorini_error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that did not exist before, the innermost first.
#[derive(Debug)]
pub struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes a folder and those around it.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn make(path: &Path) -> Result<Self> {
        let around = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let made = Self(around.take_while(|folder| !folder.exists()).map(Path::to_owned).collect());
        match fs::create_dir_all(path) {
            Ok(()) => Ok(made),
            Err(source) => {
                made.remove();
                Err(Error::Io { path: path.to_owned(), source })
            }
        }
    }

    /// Removes those that are empty.
    pub fn remove(self) {
        // The outer ones hold the inner ones.
        let _ = self.0.iter().try_for_each(fs::remove_dir);
    }
}
