//! Who may import whom, and how large a room may get: a rule nobody checks is a wish.

use std::fs;
use std::path::{Path, PathBuf};

/// (module, modules and crates its code must never name). See the table in docs/architecture.md.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "scene",
        &["contact", "problem", "solver", "stepper", "backend", "linalg", "kernels", "output", "cli", "wgpu"],
    ),
    ("geometry", &["backend", "solver", "scene", "contact", "problem", "stepper", "output", "cli", "wgpu"]),
    ("kernels", &["backend", "solver", "scene", "contact", "problem", "stepper", "output", "cli", "wgpu"]),
    ("linalg", &["contact", "problem", "stepper", "scene", "solver", "wgpu"]),
    ("backend", &["problem", "solver", "stepper"]),
    ("solver", &["scene", "geometry", "contact", "stepper", "output", "cli", "wgpu"]),
    ("stepper", &["output", "cli", "wgpu"]),
    ("referee", &["backend", "kernels", "contact", "problem", "linalg", "output", "cli"]),
];

const LONGEST_FILE: usize = 500;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

fn files_of(module: &str) -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let folder = source.join(module);
    if folder.is_dir() {
        rust_files(&folder, &mut found);
    }
    let file = source.join(format!("{module}.rs"));
    if file.is_file() {
        found.push(file);
    }
    found
}

#[test]
fn imports_follow_the_flow() {
    let mut faults = Vec::new();
    for (module, forbidden) in FORBIDDEN {
        for file in files_of(module) {
            let text = fs::read_to_string(&file).expect("readable file");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or("");
                for name in *forbidden {
                    let named =
                        code.contains(&format!("crate::{name}")) || code.contains(&format!("use {name}"));
                    if named {
                        faults.push(format!("{}:{}: {module} names {name}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn rooms_are_small() {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let long: Vec<String> = files
        .iter()
        .map(|f| (f, fs::read_to_string(f).expect("readable file").lines().count()))
        .filter(|(_, n)| *n > LONGEST_FILE)
        .map(|(f, n)| format!("{}: {n} lines", f.display()))
        .collect();
    assert!(long.is_empty(), "files over {LONGEST_FILE} lines: split them\n{}", long.join("\n"));
}
