//! Files of a model: the main file, and those that it names.

use super::xml::Element;
use crate::scene::file::markup;
use crate::scene::file::scene_folder::{SceneFolder, folder_of};
use signorini_error::{Error, Result, read_regular_text};
use std::path::{Path, PathBuf};

/// Longest file (bytes).
const MAX_FILE_BYTES: u64 = 64_000_000;
/// Most files that a model includes, each as often as it is included.
const MAX_FILES: usize = 1000;
/// Deepest nest of elements of a file.
pub const MAX_DEPTH: usize = 1000;
/// Folders around the model in which its package is sought.
const MAX_FOLDERS_AROUND: usize = 8;

/// The folder of a model, and how much was read.
#[derive(Debug)]
pub struct ModelFiles {
    folder: SceneFolder,
    allow_outside: bool,
    n_files: usize,
    n_elements: usize,
}

impl ModelFiles {
    /// The files beside a model, or anywhere.
    pub fn beside(model: &Path, allow_outside: bool) -> Self {
        let folder = SceneFolder::of_models(folder_of(model), allow_outside);
        Self { folder, allow_outside, n_files: 0, n_elements: 0 }
    }

    /// The outermost element of a file.
    ///
    /// # Errors
    /// When the file cannot be read, is no XML, or all files together are too large.
    pub fn read(&mut self, path: &Path) -> Result<Element> {
        self.element(path, false)
    }

    /// The outermost element of a text that counts as that of a file.
    ///
    /// # Errors
    /// As of [`Self::read`].
    pub fn parse(&mut self, text: &str, path: &Path) -> Result<Element> {
        self.element_of(text, path, false)
    }

    fn element(&mut self, path: &Path, is_included: bool) -> Result<Element> {
        let text = read_regular_text(path, MAX_FILE_BYTES)?;
        self.element_of(&text, path, is_included)
    }

    fn element_of(&mut self, text: &str, path: &Path, is_included: bool) -> Result<Element> {
        let parse = |message: String| Error::Parse { file: path.to_owned(), message };
        self.n_elements += markup::check(text, MAX_DEPTH, markup::MAX_ELEMENTS).map_err(parse)?;
        if self.n_elements > markup::MAX_ELEMENTS {
            return Err(parse(format!("more than {} elements in all files", markup::MAX_ELEMENTS)));
        }
        self.n_files += 1;
        let document = roxmltree::Document::parse(text).map_err(|e| parse(e.to_string()))?;
        Ok(Element::of(&document, path, is_included))
    }

    /// The outermost element of a file that an element includes by a name relative to the main file, as
    /// MuJoCo takes it.
    ///
    /// # Errors
    /// As of [`Self::read`], when the file is outside the folder of the model, or too many are included.
    pub fn include(&mut self, element: &Element, name: &str) -> Result<Element> {
        if self.n_files > MAX_FILES {
            return Err(element.refusal(&format!("more than {MAX_FILES} files are included")));
        }
        self.folder.find(name).map_err(|fault| element.fault("file", name, fault))?;
        self.element(&self.folder.path().join(name), true)
    }

    /// Whether something has that name, wherever it leads.
    pub fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    /// The path of a file that the model names; the error describes the fault of the name or the file.
    pub fn find(&self, name: &str) -> std::result::Result<PathBuf, String> {
        self.folder.find(name).map(|_| self.folder.path().join(name))
    }

    /// The path of a file of a package, a folder of that name or one with a `package.xml`; None where there
    /// is none. The package that the model lies in belongs to it.
    pub fn find_in_package(&self, inner: &str) -> Option<std::result::Result<PathBuf, String>> {
        let (package, behind) = inner.split_once('/').unwrap_or_default();
        let folder = self.folder.path().canonicalize().ok()?;
        let around = folder.ancestors().take(MAX_FOLDERS_AROUND);
        let candidates = around.flat_map(|around| {
            [(around.join(package), around.join(inner)), (around.into(), around.join(behind))]
        });
        let (root, file) = candidates.into_iter().find(|(_, file)| file.is_file())?;
        let is_own = folder.starts_with(&root)
            && !package.is_empty()
            && (root.ends_with(package) || root.join("package.xml").exists());
        let inside = if is_own { root } else { folder };
        let name = file.strip_prefix(&inside).unwrap_or(&file).to_string_lossy().into_owned();
        Some(SceneFolder::of_models(inside, self.allow_outside).find(&name))
    }
}
