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
    ("linalg", &["contact", "problem", "stepper", "scene", "solver", "backend", "wgpu"]),
    ("contact", &["backend", "problem", "solver", "stepper", "output", "cli", "wgpu"]),
    ("problem", &["backend", "stepper", "output", "cli", "wgpu"]),
    ("backend", &["problem", "solver", "stepper", "scene", "contact", "output", "cli"]),
    ("solver", &["scene", "geometry", "contact", "stepper", "backend", "output", "cli", "wgpu"]),
    ("step", &["backend", "stepper", "referee", "simulation", "output", "cli", "wgpu"]),
    ("stepper", &["output", "cli", "wgpu", "backend::gpu", "referee", "simulation"]),
    (
        "referee",
        &["backend", "stepper", "kernels", "contact", "problem", "linalg", "output", "cli", "simulation"],
    ),
    ("simulation", &["contact", "problem", "linalg", "kernels", "output", "cli", "wgpu"]),
];

const LONGEST_FILE: usize = 500;
const LONGEST_FUNCTION: usize = 100;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    // A folder that is not there holds no files.
    for entry in fs::read_dir(folder).into_iter().flatten() {
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

/// Every Rust file of the package.
fn all_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    assert!(files.len() > 50, "the folders are not where they were");
    files
}

/// (first line, lines) of every function of a text formatted by rustfmt: a function ends at the first brace
/// that stands alone at the indentation of its `fn`.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let words = code.split(['(', '<']).next().unwrap_or("");
        if !words.split(' ').any(|w| w == "fn")
            || code.starts_with("//")
            || !words.ends_with(char::is_alphanumeric)
        {
            continue;
        }
        if line.ends_with(['}', ';']) {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - code.len()]);
        if let Some(length) = lines[i..].iter().position(|l| *l == end) {
            found.push((i + 1, length + 1));
        }
    }
    found
}

#[test]
fn rooms_are_small() {
    let mut long = Vec::new();
    for file in all_files() {
        let text = fs::read_to_string(&file).expect("readable file");
        let n = text.lines().count();
        if n > LONGEST_FILE {
            long.push(format!("{}: {n} lines", file.display()));
        }
        // A test may be a long table of cases.
        if file.starts_with(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")) {
            continue;
        }
        for (line, n) in functions(&text).into_iter().filter(|f| f.1 > LONGEST_FUNCTION) {
            long.push(format!("{}:{line}: function of {n} lines", file.display()));
        }
    }
    assert!(
        long.is_empty(),
        "over {LONGEST_FILE} lines a file or {LONGEST_FUNCTION} a function: split them\n{}",
        long.join("\n")
    );
}

#[test]
fn functions_are_measured() {
    let text = "impl A {\n    pub fn b<T>(\n    ) {\n        if c {\n        }\n    }\n}\n\nfn d() {}\n// fn e(\nfn f() {\n}\n";
    assert_eq!(functions(text), [(2, 5), (11, 2)], "a one-line function has no closing line of its own");
}
