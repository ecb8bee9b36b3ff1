//! Scene files: the seeds parse, a resolved scene reads back bit for bit, fills are deterministic.

use signorini::scene::{self, LoadOptions, Overrides, Scene};
use std::fs;
use std::path::{Path, PathBuf};

fn parse(text: &str) -> scene::Loaded {
    scene::parse(text, Path::new("test.toml"), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// All scene files of the repository.
fn scene_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["scenes/seeds", "scenes/granular"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).expect("folder of scenes") {
            found.push(entry.expect("entry").path());
        }
    }
    found.sort();
    assert!(found.len() >= 8);
    found
}

/// Debug text distinguishes every two floats, −0 and 0 included.
fn assert_identical(a: &Scene, b: &Scene) {
    assert_eq!(a, b);
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn every_scene_of_the_repository_loads_without_remarks() {
    for path in scene_files() {
        let loaded = scene::load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(loaded.notes.is_empty(), "{}: {:?}", path.display(), loaded.notes);
        loaded.scene.validate().unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn resolved_scenes_read_back_bit_for_bit() {
    for path in scene_files() {
        let loaded = scene::load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let text = scene::to_toml(&loaded.scene);
        let again = parse(&text);
        assert_identical(&loaded.scene, &again.scene);
        assert_eq!(again.notes, Vec::<String>::new());
        assert_eq!(scene::to_toml(&again.scene), text);
    }
}
