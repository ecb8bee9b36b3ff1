//! Which module each file is, what it re-exports, and which files its paths lead to.

use crate::lexer::{Token, closing, lex, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// A path as it is written, and as which name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Import {
    /// `*` as the last segment takes all.
    path: Vec<String>,
    name: String,
    is_public: bool,
    line: usize,
}

/// One module: a file, or a block `mod name { … }` in one.
#[derive(Debug, Default)]
struct Module {
    file: usize,
    imports: Vec<Import>,
    /// Paths in code with at least two segments.
    paths: Vec<(Vec<String>, usize)>,
    /// Words in code that stand alone.
    words: BTreeSet<String>,
}

/// The modules of all crates by their paths, each from the name of its crate.
#[derive(Debug, Default)]
pub struct Crate {
    modules: BTreeMap<Vec<String>, Module>,
}

/// Need of one file for another: (file, line, path as written, file that it leads to).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub from: usize,
    pub to: usize,
    pub line: usize,
    pub path: String,
}

/// The module path of a file by its place: the name of its crate and its path below the crate's source.
fn module_of(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut path: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "mod" || (last == "lib" && path.len() == 2)) {
        path.pop();
    }
    path
}

impl Crate {
    /// Reads files: (place, text).
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut found = Self::default();
        let files: Vec<(&str, &str)> = files.into_iter().collect();
        let mut for_tests = BTreeSet::new();
        for (_, text) in &files {
            for_tests.extend(test_files(text));
        }
        for (file, (path, text)) in files.into_iter().enumerate() {
            let name = module_of(path);
            if name.last().is_some_and(|last| for_tests.contains(last)) {
                continue;
            }
            let tokens = without_tests(lex(text).tokens);
            found.read(file, name, &tokens);
        }
        found
    }

    fn read(&mut self, file: usize, name: Vec<String>, tokens: &[Token<'_>]) {
        let mut module = Module { file, ..Module::default() };
        let mut at = 0;
        let mut is_public = false;
        while at < tokens.len() {
            let text = tokens[at].text;
            let next = tokens.get(at + 1).map_or("", |t| t.text);
            let after = tokens.get(at + 2).map_or("", |t| t.text);
            if text == "use" {
                let end = (at..tokens.len()).find(|i| tokens[*i].text == ";").unwrap_or(tokens.len());
                let mut prefix = Vec::new();
                leaves(&tokens[at + 1..end], &mut prefix, &mut |path, name| {
                    module.imports.push(Import { path, name, is_public, line: tokens[at].line });
                });
                at = end;
            } else if text == "mod" && after == "{" {
                let end = closing(tokens, at + 2);
                let inner = [name.clone(), vec![next.to_owned()]].concat();
                self.read(file, inner, &tokens[at + 3..end]);
                at = end;
            } else if text == "mod" && after == ";" {
                at += 2;
            } else if tokens[at].is_word() {
                let mut path = vec![text.to_owned()];
                let mut end = at;
                while tokens.get(end + 1).is_some_and(|t| t.text == "::")
                    && tokens.get(end + 2).is_some_and(Token::is_word)
                {
                    end += 2;
                    path.push(tokens[end].text.to_owned());
                }
                if path.len() > 1 {
                    module.paths.push((path, tokens[at].line));
                } else {
                    module.words.insert(path.remove(0));
                }
                at = end;
            }
            // `pub` and `pub(crate)` belong to the next word.
            let is_scope = is_public && matches!(text, "(" | ")" | "crate" | "super" | "in");
            is_public = text == "pub" || is_scope;
            at += 1;
        }
        self.modules.insert(name, module);
    }

    /// Every need of a file for another file.
    pub fn needs(&self) -> BTreeSet<Need> {
        let mut found = BTreeSet::new();
        for (name, module) in &self.modules {
            let mut need = |path: &[String], line: usize| {
                if let Some(to) = self.file_of(name, path, 0).filter(|to| *to != module.file) {
                    found.insert(Need { from: module.file, to, line, path: path.join("::") });
                }
            };
            let code = |word: &String| {
                module.words.contains(word) || module.paths.iter().any(|(path, _)| path[0] == *word)
            };
            for import in &module.imports {
                // A module is a name for longer paths, which are followed below. An item that is only
                // re-exported is no need of the file that re-exports it.
                let is_module = self.walk(name, &import.path).is_some_and(|(_, rest)| rest.is_empty());
                if !is_module && (!import.is_public || code(&import.name)) {
                    need(&import.path, import.line);
                }
            }
            for (path, line) in &module.paths {
                need(path, *line);
            }
        }
        found
    }

    /// The module that a path starts from, and the rest of the path. `None` where it leads out of the
    /// workspace.
    fn start(&self, from: &[String], path: &[String], depth: usize) -> Option<(Vec<String>, Vec<String>)> {
        let mut at = from.to_vec();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (vec![from.first()?.clone()], &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|s| s == "super") {
                    at.pop()?;
                    rest = &rest[1..];
                }
            }
            first if self.modules.contains_key(&[from, &[first.to_owned()]].concat()) => (),
            // The name of a crate.
            first if self.modules.contains_key(&[first.to_owned()][..]) => {
                (at, rest) = (vec![first.to_owned()], &rest[1..]);
            }
            first => {
                let here = &self.modules.get(from)?.imports;
                let import = here.iter().find(|i| i.name == *first && i.path[0] != *first)?;
                let path = [&import.path, &rest[1..]].concat();
                // Imports may lead in a circle; none is that long.
                return if depth < 16 { self.start(from, &path, depth + 1) } else { None };
            }
        }
        Some((at, rest.to_vec()))
    }

    /// Follows a path from a module to module: the last one, and the rest of the path.
    fn walk(&self, from: &[String], path: &[String]) -> Option<(Vec<String>, Vec<String>)> {
        let (mut at, mut rest) = self.start(from, path, 0)?;
        while let Some(first) = rest.first() {
            let child = [at.as_slice(), std::slice::from_ref(first)].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            at = child;
            rest.remove(0);
        }
        Some((at, rest))
    }

    /// The file that defines what a path names.
    fn file_of(&self, from: &[String], path: &[String], depth: usize) -> Option<usize> {
        let (at, rest) = self.walk(from, path)?;
        let module = self.modules.get(&at)?;
        let Some(name) = rest.first().filter(|name| *name != "*") else { return Some(module.file) };
        // Re-exports may lead in a circle; no path is that long.
        if depth < 16 {
            let named = module.imports.iter().filter(|i| i.name == *name);
            for import in named.filter(|i| i.path.len() > 1 || i.path != [name.clone()]) {
                if let Some(file) = self.file_of(&at, &import.path, depth + 1) {
                    return Some(file);
                }
            }
            let all = module.imports.iter().filter(|i| i.is_public && i.name == "*");
            for import in all {
                let path = [&import.path[..import.path.len() - 1], std::slice::from_ref(name)].concat();
                let found = self.file_of(&at, &path, depth + 1);
                if found.is_some_and(|file| self.defines(file, name)) {
                    return found;
                }
            }
        }
        Some(module.file)
    }

    /// Whether a file names something in code: it may be where a glob gets it from.
    fn defines(&self, file: usize, name: &String) -> bool {
        self.modules.values().any(|m| m.file == file && m.words.contains(name))
    }
}

/// Names of modules that a text declares for tests only.
fn test_files(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let declared = lines.windows(2).filter(|pair| pair[0].starts_with("#[cfg(test"));
    let name = declared.filter_map(|pair| pair[1].strip_prefix("mod ")?.strip_suffix(';'));
    name.map(str::to_owned).collect()
}

/// Calls `found` with every leaf of a tree of `use`: its path and its name here.
pub fn leaves(tokens: &[Token<'_>], prefix: &mut Vec<String>, found: &mut dyn FnMut(Vec<String>, String)) {
    let depth = prefix.len();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].text {
            "{" => {
                let end = closing(tokens, at);
                let mut from = at + 1;
                while from < end {
                    let to = branch_end(tokens, from, end);
                    leaves(&tokens[from..to], prefix, found);
                    from = to + 1;
                }
                prefix.truncate(depth);
                return;
            }
            "::" => at += 1,
            "as" => {
                found(prefix.clone(), tokens[at + 1].text.to_owned());
                prefix.truncate(depth);
                return;
            }
            text => {
                // `a::{self, b}` names `a`.
                if text != "self" || prefix.is_empty() {
                    prefix.push(text.to_owned());
                }
                at += 1;
            }
        }
    }
    let name = prefix.last().cloned().unwrap_or_default();
    found(prefix.clone(), name);
    prefix.truncate(depth);
}

/// Where the branch of a tree of `use` that starts at `from` ends.
fn branch_end(tokens: &[Token<'_>], from: usize, end: usize) -> usize {
    let mut at = from;
    while at < end && tokens[at].text != "," {
        at = if tokens[at].text == "{" { closing(tokens, at) + 1 } else { at + 1 };
    }
    at
}

#[cfg(test)]
fn needs_of(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let found = Crate::new(files.iter().copied()).needs();
    let mut pairs: Vec<_> =
        found.iter().map(|n| (files[n.from].0.to_owned(), files[n.to].0.to_owned())).collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

#[test]
fn paths_lead_to_the_file_that_defines() {
    let files = [
        ("k/lib.rs", "pub mod a; pub mod b; pub use a::{One, two::Two};"),
        ("k/a/mod.rs", "mod one; mod two; pub use one::*; pub use two::Two as Second; fn f() -> Two { Two }"),
        ("k/a/one.rs", "pub struct One; use super::Second;"),
        ("k/a/two.rs", "pub struct Two; #[cfg(test)] mod tests { use super::super::one::One; }"),
        (
            "k/b.rs",
            "use crate::{One, a::{self, Second}}; fn g() { a::one::h(); std::mem::take(x); inner::f() }\nmod inner { use super::super::Two; }",
        ),
        ("other/lib.rs", "use k::a::Second; fn f() -> Second { k::Two }"),
    ];
    let expected = [
        ("k/a/one.rs", "k/a/two.rs"),
        ("k/b.rs", "k/a/one.rs"),
        ("k/b.rs", "k/a/two.rs"),
        ("other/lib.rs", "k/a/two.rs"),
    ];
    assert_eq!(needs_of(&files), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn what_is_handed_on_and_used_is_needed() {
    let files = [
        ("k/lib.rs", "mod a;"),
        ("k/a/mod.rs", "mod b; pub use b::B; pub struct A(B);"),
        ("k/a/b.rs", "use super::A; pub struct B;"),
    ];
    let expected = [("k/a/b.rs", "k/a/mod.rs"), ("k/a/mod.rs", "k/a/b.rs")];
    assert_eq!(needs_of(&files), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}
