//! Files that a scene file names.

use super::limits::LONGEST_FILE;
use std::path::{Component, Path, PathBuf};

const OUTSIDE: &str = "is outside the scene's folder; move it there or use --allow-outside";

/// The folder of a scene file, in which the files lie that it names.
#[derive(Debug)]
pub struct SceneFolder {
    folder: PathBuf,
    allow_outside: bool,
}

impl SceneFolder {
    /// The folder of a scene file, or any.
    pub fn new(scene_file: &Path, allow_outside: bool) -> Self {
        let folder = match scene_file.parent() {
            Some(folder) if folder != Path::new("") => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        Self { folder, allow_outside }
    }

    /// Names of the files in a folder, in their order; None if it is no folder.
    pub fn names_in(&self, folder: &str) -> Option<Result<Vec<String>, String>> {
        let path = self.folder.join(folder);
        if !path.is_dir() {
            return None;
        }
        let names = path.read_dir().map(|entries| {
            let mut names: Vec<String> =
                entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        });
        Some(names.map_err(|e| format!("cannot be read ({e})")))
    }

    /// Path of a file; the error describes the fault of the name or the file.
    pub fn find(&self, file: &str) -> Result<PathBuf, String> {
        let name = Path::new(file);
        if !self.allow_outside && leads_outside(name) {
            return Err(OUTSIDE.to_owned());
        }
        let unreadable = |e: std::io::Error| format!("cannot be read ({e})");
        let path = self.folder.join(name).canonicalize().map_err(unreadable)?;
        // A link may lead anywhere.
        if !self.allow_outside && !path.starts_with(self.folder.canonicalize().map_err(unreadable)?) {
            return Err(OUTSIDE.to_owned());
        }
        let metadata = path.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err("is not a file".to_owned());
        }
        if metadata.len() > LONGEST_FILE {
            return Err(format!("has {} bytes; at most {LONGEST_FILE} are read", metadata.len()));
        }
        Ok(path)
    }
}

/// Whether a name leaves the folder that it is relative to.
fn leads_outside(name: &Path) -> bool {
    let mut depth = 0i32;
    for component in name.components() {
        depth += match component {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => return true,
        };
        if depth < 0 {
            return true;
        }
    }
    false
}
