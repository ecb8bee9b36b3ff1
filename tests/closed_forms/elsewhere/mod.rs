//! Situations from public reports about other programs, listed in `scenes/elsewhere/cases.toml`: each
//! scene is run, what comes out is held to the value that is right, and docs/guide/elsewhere.md has to say
//! the same. `UPDATE_GOLDEN=1 cargo test --release --test closed_forms elsewhere` writes the page again.

mod page;
mod quantity;
mod table;

use support::runs::assert_golden;

/// Cases that have to come out right, at least.
const FEWEST: usize = 40;

#[test]
fn what_breaks_elsewhere_comes_out_right() {
    let cases = table::cases();
    let found: Vec<_> = cases.iter().map(table::Case::run).collect();
    let mut faults = Vec::new();
    for (case, outcome) in cases.iter().zip(&found) {
        match (&case.open, outcome.fault(case)) {
            (None, Some(fault)) => faults.push(format!("{}: {fault}", case.scene)),
            (Some(_), None) => faults.push(format!("{}: comes out right, and is called open", case.scene)),
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let right = cases.iter().filter(|case| case.open.is_none()).count();
    assert!(right >= FEWEST, "{right} cases come out right");
    // From tests/golden, where the other golden files are.
    assert_golden("../../docs/guide/elsewhere.md", &page::page(&cases, &found));
}
