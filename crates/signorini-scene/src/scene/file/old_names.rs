//! Names of earlier versions, which are still read.

use super::faults::Document;
use signorini_error::Error;
use std::ops::Range;

/// Table, name of earlier versions, and name. No name holds an end of line.
const RENAMED: [[&str; 3]; 1] = [["simulation", "step", "time_step"]];

/// The path of a field of the scene file, such as `simulation.time_step`, that a path of earlier versions
/// names.
pub fn current_path(path: &str) -> Option<String> {
    let found =
        RENAMED.iter().find(|[table, old, _]| path.strip_prefix(table) == Some(&format!(".{old}")))?;
    let [table, _, new] = found;
    Some(format!("{table}.{new}"))
}

/// A text with the names of this version in place of those of earlier ones.
pub struct Renamed {
    /// The text; its lines are those of the original.
    pub text: String,
    /// A note for each name.
    pub notes: Vec<String>,
    /// Line and column of each name, and by how many columns what follows it has moved.
    moved: Vec<(usize, usize, isize)>,
}

impl Renamed {
    /// Renames what earlier versions named otherwise; None where nothing is. Where both names are given, the
    /// old one stays, and is a fault.
    pub fn of(text: &str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let mut names: Vec<(Range<usize>, [&str; 3])> =
            RENAMED.iter().filter_map(|name| Some((old_name(&document, name)?, *name))).collect();
        names.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut renamed = Self { text: text.to_owned(), notes: Vec::new(), moved: Vec::new() };
        for (span, [table, old, new]) in names {
            let (line, column) = document.position_of(span.start);
            let written = text.get(span.clone())?;
            renamed.text.replace_range(span, new);
            renamed.notes.push(format!("{line}:{column}: {table}.{old} is called {table}.{new} now"));
            let width = |word: &str| word.chars().count() as isize;
            renamed.moved.push((line, column, width(new) - width(written)));
        }
        (!renamed.notes.is_empty()).then_some(renamed)
    }

    /// An error about the text with the places of the original.
    pub fn in_original(&self, error: Error) -> Error {
        match error {
            Error::Field { file, at: Some(at), field, value, allowed } => {
                Error::Field { file, at: Some(self.original(at)), field, value, allowed }
            }
            Error::Many(all) => Error::Many(all.into_iter().map(|error| self.in_original(error)).collect()),
            other => other,
        }
    }

    fn original(&self, (line, column): (usize, usize)) -> (usize, usize) {
        let before = self.moved.iter().filter(|(at, start, _)| *at == line && *start < column);
        let shift: isize = before.map(|(.., by)| by).sum();
        (line, column.saturating_add_signed(-shift))
    }
}

/// Where the old name stands, if it does and the new one does not.
fn old_name(document: &Document<'_>, [table, old, new]: &[&str; 3]) -> Option<Range<usize>> {
    let table = document.root().get(*table)?.get_ref().as_table()?;
    if table.contains_key(*new) {
        return None;
    }
    Some(table.get_key_value(*old)?.0.span())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_earlier_versions_are_replaced_where_they_stand() {
        let renamed = Renamed::of("a = 1\n[simulation]\nstep = 0.1 # step\n").expect("an old name");
        assert_eq!(renamed.text, "a = 1\n[simulation]\ntime_step = 0.1 # step\n");
        assert_eq!(renamed.notes, ["3:1: simulation.step is called simulation.time_step now"]);
        assert_eq!((renamed.original((3, 13)), renamed.original((2, 13))), ((3, 8), (2, 13)));
        let renamed = Renamed::of("simulation = { duration = 1, \"step\" = 0.1 }\n").expect("an old name");
        assert_eq!(renamed.text, "simulation = { duration = 1, time_step = 0.1 }\n");
        let renamed = Renamed::of("simulation.step = 0.1\n").expect("an old name");
        assert_eq!(renamed.text, "simulation.time_step = 0.1\n");
        for text in
            ["[simulation]\ntime_step = 1\n", "[simulation]\nstep = 1\ntime_step = 1\n", "step = 1\n", "["]
        {
            assert!(Renamed::of(text).is_none(), "{text}");
        }
        assert_eq!(current_path("simulation.step").as_deref(), Some("simulation.time_step"));
        assert_eq!((current_path("simulation.steps"), current_path("solver.step")), (None, None));
    }
}
