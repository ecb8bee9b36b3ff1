//! Names in cells of tables. A program for spreadsheets takes a text that begins like a formula for one: such
//! a name begins with an apostrophe in the tables.

use std::borrow::Cow;

/// Beginnings of formulas, and the apostrophe itself, so that every name comes back.
const BEGINNINGS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// The cell of a name.
pub fn cell_of(name: &str) -> Cow<'_, str> {
    match name.starts_with(BEGINNINGS) {
        true => Cow::Owned(format!("'{name}")),
        false => Cow::Borrowed(name),
    }
}

/// The name in a cell.
pub fn name_in(cell: &str) -> &str {
    cell.strip_prefix('\'').unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula_and_every_name_comes_back() {
        for name in ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "'x", "''", "ball", "", "a=b", "x'"] {
            let cell = cell_of(name);
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{cell}");
            assert_eq!(name_in(&cell), name);
        }
    }
}
