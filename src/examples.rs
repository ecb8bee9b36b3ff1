//! Scenes that come with the library: the gallery, whose scenes have a number and a reference, and the seed
//! scenes, each of which shows one thing.

use include_dir::{Dir, DirEntry, include_dir};
use std::path::Path;

/// All files of `scenes`.
static SCENES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenes");

/// A scene file with the meshes that it may name.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Folder and name without extension, such as "gallery/silo".
    pub name: &'static str,
    /// The scene in TOML.
    pub text: &'static str,
}

impl Example {
    /// The comment at its beginning, in one line.
    pub fn about(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix('#'));
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    }

    /// Files in its folder that it names: their names and contents.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static [u8])> + '_ {
        let folder = Path::new(self.name).parent().and_then(|folder| SCENES.get_dir(folder));
        folder.into_iter().flat_map(Dir::files).filter_map(|file| {
            let name = file.path().file_name()?.to_str()?;
            (!name.ends_with(".toml") && self.text.contains(&format!("{name:?}")))
                .then(|| (name, file.contents()))
        })
    }
}

/// All examples, by name.
pub fn all() -> Vec<Example> {
    let mut found = Vec::new();
    add(&SCENES, &mut found);
    found.sort_by_key(|example| example.name);
    found
}

/// The example with this name; the folder may be left out.
pub fn find(name: &str) -> Option<Example> {
    let is_named = |example: &Example| {
        example.name == name || example.name.rsplit_once('/').is_some_and(|(_, own)| own == name)
    };
    all().into_iter().find(is_named)
}

fn add(folder: &'static Dir<'_>, found: &mut Vec<Example>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(folder) => add(folder, found),
            DirEntry::File(file) => found.extend(example(file)),
        }
    }
}

fn example(file: &'static include_dir::File<'_>) -> Option<Example> {
    let name = file.path().to_str()?.strip_suffix(".toml")?;
    let text = file.contents_utf8()?;
    // Plans of sweeps are no scenes.
    text.contains("format = 1").then_some(Example { name, text })
}
