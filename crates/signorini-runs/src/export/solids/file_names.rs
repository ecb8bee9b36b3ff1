//! Names of files for bodies.

use std::collections::HashSet;

/// Longest name in bytes; a file system takes 255, with an ending.
const LONGEST: usize = 200;

/// Returns a name of a file for each name of a body, each once also where capitals make no difference.
/// Letters, digits, `-`, `_` and `.` stay, everything else becomes `_`; what would be there twice gets a
/// number.
pub fn of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut used = HashSet::new();
    let unique = |name: &str| {
        let plain = plain(name);
        let numbered = (2..).map(|n: usize| format!("{plain}-{n}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        candidates.find(|candidate| used.insert(candidate.to_lowercase())).unwrap_or(plain)
    };
    names.map(unique).collect()
}

fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut plain: String = name.chars().map(kept).collect();
    while plain.len() > LONGEST {
        plain.pop();
    }
    // A name that begins with a dot is hidden, and "." and ".." are folders.
    match plain.starts_with('.') || plain.is_empty() {
        true => format!("_{plain}"),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_of_the_folder_and_differ() {
        let names = ["grain-7", "a/b", "a b", "A_B", "..", "", "a_b-2", "Größe"];
        let files = of(names.into_iter());
        assert_eq!(files, ["grain-7", "a_b", "a_b-2", "A_B-3", "_..", "_", "a_b-2-2", "Größe"]);
        assert!(of(["x".repeat(500).as_str()].into_iter())[0].len() == 200);
    }
}
