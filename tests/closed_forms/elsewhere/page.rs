//! The page of the guide that shows the cases.

use super::table::{Case, Check, FOLDER, Outcome, Reference};
use std::fmt::Write;

const HEAD: &str = "# What breaks elsewhere

Public reports about other programs describe situations in which something goes wrong, and often what would
be right. Each case below is such a situation, rebuilt as a small scene, with a value that follows from
mechanics and the value that this program gives. A test runs all of them and writes this page.

The other programs were not run for this page. A report may be years old, its fault mended since, and some
reports are about a choice that the program makes on purpose. Read them at their addresses.

Steps are solved to the tolerance of the scene, and the referee agrees with each. Where a scheme of first
order has an answer of its own in closed form, that answer is the right one: it tells errors of contact from
those of the step.
";

/// The whole page.
pub fn page(cases: &[Case], found: &[Outcome]) -> String {
    let mut page = HEAD.to_owned();
    let right = cases.iter().filter(|case| case.open.is_none()).count();
    let steps: usize = found.iter().map(|outcome| outcome.steps).sum();
    let _ = write!(page, "\n{right} of {} cases come out right, in {steps} steps.\n", cases.len());
    let mut group = "";
    for (case, outcome) in cases.iter().zip(found) {
        if case.group != group {
            group = &case.group;
            let _ = write!(page, "\n## {group}\n");
        }
        section(&mut page, case, outcome);
    }
    page
}

fn section(page: &mut String, case: &Case, outcome: &Outcome) {
    let sources: Vec<String> = case.sources.iter().map(|address| link(address)).collect();
    let report = wrapped(&format!("{} Reported: {}.", case.reported, sources.join(", ")));
    let _ = write!(page, "\n### {}\n\n{report}\n", case.title);
    if let Some(open) = &case.open {
        let _ = write!(page, "\n{}\n", wrapped(&format!("**Open**: {open}")));
    }
    let _ = write!(page, "\n| quantity | right | here | off by |\n|---|---|---|---|\n");
    for (check, value) in case.check.iter().zip(&outcome.values) {
        row(page, check, *value);
    }
    let why: Vec<&str> = case.check.iter().map(|c| c.why.as_str()).filter(|why| !why.is_empty()).collect();
    let why = wrapped(&why.join(" "));
    let _ = write!(page, "\n{why}\n\n```sh\nsignorini run {FOLDER}/{}\n```\n", case.scene);
}

fn row(page: &mut String, check: &Check, value: f64) {
    let [_, unit] = check.series.quantity.words();
    let sign = match check.right {
        Reference::Right(_) => "",
        Reference::AtMost(_) => "≤ ",
        Reference::AtLeast(_) => "≥ ",
    };
    let (right, error) = (check.right.value(), check.right.error(value));
    let unit = if unit == "°" { unit.to_owned() } else { format!(" {unit}") };
    let (name, within) = (check.name(), check.within);
    let (right, value) = (number(right, within), number(value, within));
    let _ = writeln!(page, "| {name} | {sign}{right}{unit} | {value}{unit} | {} |", size(error));
}

/// A number to the last digit that the tolerance leaves.
fn number(value: f64, within: f64) -> String {
    let digits = if within > 0.0 { (-within.log10()).ceil().clamp(0.0, 9.0) as usize } else { 4 };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.replace('-', "−") }
}

/// Errors that are told by their bound alone: what rounding leaves there is different on other processors.
const ROUNDING: f64 = 1e-10;

/// Size of an error, one digit.
fn size(error: f64) -> String {
    if error < ROUNDING { format!("< {ROUNDING:e}") } else { format!("{error:.0e}") }
}

/// Words in lines that are as wide as those of other pages; a link is one word.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 105;
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    lines.push(line);
    lines.join("\n")
}

/// `owner/name#12` with its address.
fn link(address: &str) -> String {
    let parts: Vec<&str> = address.trim_start_matches("https://github.com/").split('/').collect();
    let [_, name, _, number] = parts[..] else { panic!("{address}: not the address of a report") };
    format!("[{name}#{number}]({address})")
}
