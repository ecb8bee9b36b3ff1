//! The files of the repository.

use crate::lexer::{Token, lex};
use std::fs;
use std::path::{Path, PathBuf};

/// A file: its path from the root of the repository, with slashes, and its text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    /// Room of a file: a folder or file directly below the source of a crate of several rooms, and the crate
    /// itself where it is one room; `tests` of all tests.
    pub fn room(&self) -> String {
        let parts: Vec<&str> = self.path.split('/').collect();
        let room = match parts[..] {
            ["src", room, ..] => room,
            ["crates", "signorini-ncp" | "signorini-runs" | "signorini-scene", "src", room, ..] => room,
            ["crates", package, "src", ..] => package.trim_start_matches("signorini-"),
            ["crates", _, kind, ..] => kind,
            ["shaders", "math" | "math.rs", ..] => "math",
            ["shaders", "real.rs"] => "real",
            ["shaders", ..] => "kernels",
            [first, ..] => first,
            [] => "",
        };
        room.trim_end_matches(".rs").to_owned()
    }

    /// Place of a file of a library in the tree of all modules: the name of its crate, then its path below
    /// the source of the crate. `None` where the file is in no library.
    pub fn place(&self) -> Option<String> {
        if let Some(below) = self.path.strip_prefix("src/") {
            return Some(format!("signorini/{below}"));
        }
        if let Some(below) = self.path.strip_prefix("shaders/") {
            return Some(format!("signorini_kernels/{below}"));
        }
        let (package, below) = self.path.strip_prefix("crates/")?.split_once("/src/")?;
        Some(format!("{}/{below}", package.replace('-', "_")))
    }
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    // A folder that is not there holds no files.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && name != "target" {
            collect(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// The files below folders of the repository whose names end so, sorted by path.
pub fn files(folders: &[&str], ending: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in folders {
        collect(&root.join(folder), ending, &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("readable text");
        let parts = path.strip_prefix(root).expect("below the root").iter();
        let path = parts.map(|p| p.to_string_lossy()).collect::<Vec<_>>().join("/");
        Source { path, text }
    };
    paths.into_iter().map(read).collect()
}

/// (first line, lines) of every function of a text formatted by rustfmt: a function ends at the first brace
/// that stands alone at the indentation of its `fn`.
pub fn functions(text: &str) -> Vec<(usize, usize)> {
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

/// (line, parameters) of every function, `self` included.
pub fn parameters(text: &str) -> Vec<(usize, usize)> {
    let tokens = lex(text).tokens;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, t)| t.text == "fn") {
        // `fn(A, B)` is a type.
        if !tokens.get(at + 1).is_some_and(Token::is_word) {
            continue;
        }
        let mut open = at + 2;
        if tokens[open].text == "<" {
            open = list(&tokens, open).0 + 1;
        }
        found.push((token.line, list(&tokens, open).1));
    }
    found
}

/// Place where the list ends that opens at `open`, and number of its entries.
fn list(tokens: &[Token<'_>], open: usize) -> (usize, usize) {
    let (mut depth, mut n, mut is_empty) = (0_usize, 0, true);
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" | "<" => {
                is_empty &= depth == 0;
                depth += 1;
            }
            // `->` closes nothing.
            ">" if tokens[i - 1].text == "-" => (),
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth == 1 => (n, is_empty) = (n + 1, true),
            _ => is_empty = false,
        }
        if depth == 0 {
            return (i, n + usize::from(!is_empty));
        }
    }
    (tokens.len() - 1, n)
}

/// Whether a line is too wide for its window, and could be broken.
fn is_too_wide(line: &str, widest: usize) -> bool {
    let text = line.trim_start().trim_start_matches(['/', '!', '*', '>', '-', ' ']);
    line.chars().count() > widest && text.contains(' ')
}

/// Lines of Rust or WGSL with a comment that are too wide.
pub fn wide_comments(text: &str, widest: usize) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    lex(text).comments.into_iter().filter(|n| is_too_wide(lines[n - 1], widest)).collect()
}

#[test]
fn functions_are_measured() {
    let text = "impl A {\n    pub fn b<T>(\n    ) {\n        if c {\n        }\n    }\n}\n\nfn d() {}\n// fn e(\nfn f() {\n}\n";
    assert_eq!(functions(text), [(2, 5), (11, 2)], "a one-line function has no closing line of its own");
}

#[test]
fn parameters_are_counted() {
    let text = "fn a() {}\nfn b(&self, c: &mut [D; 2], e: F<G, H>,) {}\nfn i<J: Fn(K, L, V) -> M>(n: fn(O, P) -> Q, (r, s): (T, U)) {}";
    assert_eq!(parameters(text), [(1, 0), (2, 3), (3, 2)]);
}

#[test]
fn widths_are_measured() {
    let text = "let a = \"long long long\";\n/// long long long\n/// longlonglong\nb(); // long\n";
    assert_eq!(wide_comments(text, 10), [2, 4]);
}

#[test]
fn rooms_are_named_by_their_folder() {
    let room = |path: &str| Source { path: path.to_owned(), text: String::new() }.room();
    assert_eq!(room("src/stepper/step_loop.rs"), "stepper");
    assert_eq!(room("crates/signorini-ncp/src/threads.rs"), "threads");
    assert_eq!(room("crates/signorini-geometry/src/pose.rs"), "geometry");
    assert_eq!(room("shaders/real.rs"), "real");
    assert_eq!(room("tests/twins/main.rs"), "tests");
}
