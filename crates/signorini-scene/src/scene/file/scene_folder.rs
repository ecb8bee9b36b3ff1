//! Files that a scene file or a model names.

use super::limits::LONGEST_FILE;
use signorini_error::NOT_REGULAR;
use std::path::{Component, Path, PathBuf};

/// The folder of a scene file or a model, in which the files lie that it names.
#[derive(Debug)]
pub struct SceneFolder {
    folder: PathBuf,
    allow_outside: bool,
    /// Whose folder it is, in messages.
    owner: &'static str,
}

impl SceneFolder {
    /// The folder of a scene file, or any.
    pub fn new(scene_file: &Path, allow_outside: bool) -> Self {
        Self { folder: folder_of(scene_file), allow_outside, owner: "scene" }
    }

    /// A folder of models, or any.
    pub fn of_models(folder: PathBuf, allow_outside: bool) -> Self {
        Self { folder, allow_outside, owner: "model" }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
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
        let outside =
            || Err(format!("is outside the {}'s folder; move it there or use --allow-outside", self.owner));
        if !self.allow_outside && leads_outside(name) {
            return outside();
        }
        let unreadable = |e: std::io::Error| format!("cannot be read ({e})");
        let path = self.folder.join(name).canonicalize().map_err(unreadable)?;
        // A link may lead anywhere.
        if !self.allow_outside && !path.starts_with(self.folder.canonicalize().map_err(unreadable)?) {
            return outside();
        }
        let metadata = path.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(NOT_REGULAR.to_owned());
        }
        if metadata.len() > LONGEST_FILE {
            return Err(format!("has {} bytes; at most {LONGEST_FILE} are read", metadata.len()));
        }
        Ok(path)
    }
}

/// The folder that a file lies in.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
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
