//! Rooms that a room may import, and how large a room may get: a rule nobody checks is a wish.
//!
//! Reads the sources only and needs nothing but the standard library. Places that are still over a limit
//! stand in `known.rs`; its numbers may only fall.

mod cycles;
mod known;
mod lexer;
mod modules;
mod numbers;
mod public;
mod sources;

use cycles::circles;
use modules::{Crate, Need};
use sources::{Source, files, functions, parameters, wide_comments};
use std::collections::{BTreeMap, BTreeSet};

/// (room, rooms whose items it may name). See the table in docs/architecture.md. A lower room knows nothing
/// of a higher one.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("math", &[]),
    ("real", &[]),
    ("threads", &["math"]),
    ("error", &[]),
    ("ranks", &[]),
    // Of the solver only the names of its methods.
    ("settings", &["solver"]),
    ("geometry", &["math", "real"]),
    ("kernels", &["math", "real"]),
    ("linalg", &["kernels", "math", "real", "threads"]),
    ("checkpoint", &["error", "geometry"]),
    ("scene", &["checkpoint", "error", "geometry", "math", "settings"]),
    ("contact", &["flat", "geometry", "kernels", "math", "real", "scene", "threads"]),
    ("problem", &["kernels", "linalg", "math", "threads"]),
    ("solver", &["kernels", "linalg", "math", "problem", "threads"]),
    ("fclib", &["error", "kernels", "linalg", "math", "problem", "solver"]),
    // The step of many bodies knows arrays alone, and of our rooms only who else computes: ranks, devices.
    ("flat", &["kernels", "ranks"]),
    ("figures", &[]),
    ("backend", &["kernels"]),
    ("step", &["error", "geometry", "math", "problem", "scene", "settings", "solver"]),
    (
        "stepper",
        &[
            "backend", "contact", "error", "flat", "geometry", "kernels", "linalg", "math", "problem",
            "ranks", "real", "scene", "settings", "solver", "step", "threads",
        ],
    ),
    // The papers' system shares no contact code with production; rows of joints it does.
    ("reference", &["error", "geometry", "math", "real", "scene", "settings", "solver", "step", "stepper"]),
    // The judge knows the reports of a step, and nothing of the code that computed it.
    ("referee", &["geometry", "math", "scene", "settings", "step", "threads"]),
    (
        "simulation",
        &[
            "backend",
            "checkpoint",
            "contact",
            "error",
            "geometry",
            "math",
            "problem",
            "ranks",
            "referee",
            "reference",
            "scene",
            "settings",
            "solver",
            "step",
            "stepper",
            "threads",
        ],
    ),
    ("measure", &["geometry", "math", "scene", "step"]),
    ("mechanism", &["error", "geometry", "scene"]),
    (
        "output",
        &[
            "figures",
            "backend",
            "checkpoint",
            "error",
            "geometry",
            "math",
            "measure",
            "referee",
            "scene",
            "settings",
            "simulation",
            "solver",
            "step",
        ],
    ),
    // Of the simulation only its functions of states and records alone.
    (
        "audit",
        &[
            "error",
            "geometry",
            "math",
            "measure",
            "output",
            "referee",
            "scene",
            "settings",
            "simulation",
            "solver",
            "step",
        ],
    ),
    (
        "compare",
        &["figures", "error", "geometry", "math", "output", "scene", "settings", "simulation", "step"],
    ),
    ("export", &["error", "fclib", "geometry", "output", "scene", "settings", "simulation", "step"]),
    ("robots", &["error", "geometry", "scene"]),
    ("examples", &[]),
    ("derivative", &["error", "math", "scene", "simulation", "step"]),
    ("sweep", &["error", "output", "scene", "simulation"]),
    (
        "limit",
        &[
            "audit",
            "checkpoint",
            "compare",
            "error",
            "figures",
            "geometry",
            "math",
            "output",
            "robots",
            "scene",
            "simulation",
            "sweep",
        ],
    ),
    ("check", &["error", "scene", "simulation"]),
    ("settle", &["error", "geometry", "scene", "simulation"]),
    ("drops", &["checkpoint", "figures", "error", "geometry", "output", "robots", "scene", "simulation"]),
    (
        "track",
        &["checkpoint", "drops", "error", "figures", "geometry", "math", "output", "scene", "simulation"],
    ),
    ("picture", &["figures", "error", "geometry", "scene", "simulation"]),
    // The command line stands above all.
    ("cli", &["*"]),
];

/// (folder, rooms that may name its items): the others go through the room's traits.
const DOORS: &[(&str, &[&str])] = &[("crates/signorini-backend/src/gpu", &["backend", "cli"])];

/// (crate, rooms that may name it): an exchangeable crate stays behind one door.
const CRATES: &[(&str, &[&str])] = &[
    ("blake3", &["checkpoint", "output"]),
    ("ciborium", &["checkpoint"]),
    ("hdf5_pure", &["export", "fclib", "output"]),
    ("wgpu", &["backend"]),
    ("clap", &["cli"]),
    ("mpi", &["cli"]),
    ("ctrlc", &["cli"]),
    ("signal_hook", &["cli"]),
    ("indicatif", &["cli"]),
    ("signorini_figures", &["output", "picture"]),
    ("toml", &["compare", "limit", "scene", "sweep", "track"]),
    ("base64", &["export", "scene"]),
    ("flate2", &["export"]),
    ("zip", &["export"]),
    ("roxmltree", &["robots", "scene"]),
    // The room that writes glTF has a file of that name.
    ("gltf", &["export", "scene"]),
    ("mesh_loader", &["scene"]),
    ("ply_rs_bw", &["scene"]),
    ("faer", &["linalg"]),
];

const LONGEST_FILE: usize = 500;
const LONGEST_FUNCTION: usize = 80;
const MAX_PARAMETERS: usize = 7;
const WIDEST_LINE: usize = 110;
const MAX_PUBLIC: usize = 150;

/// Sources of the libraries, without programs.
fn library() -> Vec<Source> {
    let mut files = files(&["src", "crates", "shaders"], ".rs");
    files.retain(|f| f.place().is_some_and(|place| !place.ends_with("/main.rs")));
    assert!(files.len() > 50, "the folders are not where they were");
    files
}

fn needs(files: &[Source]) -> BTreeSet<Need> {
    let places: Vec<String> = files.iter().filter_map(Source::place).collect();
    Crate::new(places.iter().zip(files).map(|(p, f)| (p.as_str(), f.text.as_str()))).needs()
}

/// Name of the room of a file of a library.
fn room(file: &Source) -> String {
    file.room()
}

/// One line for each pair of files: the place of the first path, and how many more there are.
fn lines_of(files: &[Source], needs: &[&Need]) -> String {
    let mut pairs = BTreeMap::<_, Vec<&Need>>::new();
    for need in needs {
        pairs.entry((need.from, need.to)).or_default().push(need);
    }
    let line = |((from, to), needs): (&(usize, usize), &Vec<&Need>)| {
        let (from, to, first) = (&files[*from].path, &files[*to].path, needs[0]);
        format!("    {from}:{} needs {to} ({}, paths: {})\n", first.line, first.path, needs.len())
    };
    pairs.iter().map(line).collect()
}

#[test]
fn every_room_has_rules() {
    let rooms: BTreeSet<String> = library().iter().map(room).filter(|r| r != "lib").collect();
    let listed: BTreeSet<&str> = MAY_IMPORT.iter().map(|(room, _)| *room).collect();
    let missing: Vec<&String> = rooms.iter().filter(|r| !listed.contains(r.as_str())).collect();
    assert!(missing.is_empty(), "say in MAY_IMPORT whom {missing:?} may import");
}

#[test]
fn imports_follow_the_flow() {
    let files = library();
    let needs = needs(&files);
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.iter().copied().collect();
    let is_fault = |n: &&Need| {
        let (from, to) = (room(&files[n.from]), room(&files[n.to]));
        let may = allowed.get(from.as_str()).copied().unwrap_or(&[]);
        from != to
            && from != "lib"
            && !may.iter().any(|m| *m == to || *m == "*")
            && !known::IMPORTS.contains(&(from.as_str(), to.as_str()))
    };
    let faults: Vec<&Need> = needs.iter().filter(is_fault).collect();
    assert!(faults.is_empty(), "imports against the flow:\n{}", lines_of(&files, &faults));
}

#[test]
fn inner_rooms_are_entered_by_their_doors() {
    let files = library();
    let needs = needs(&files);
    let is_fault = |n: &&Need| {
        let door = DOORS.iter().find(|(folder, _)| files[n.to].path.starts_with(folder));
        door.is_some_and(|(_, rooms)| !rooms.contains(&room(&files[n.from]).as_str()))
    };
    let faults: Vec<&Need> = needs.iter().filter(is_fault).collect();
    assert!(faults.is_empty(), "past the door:\n{}", lines_of(&files, &faults));
}

#[test]
fn crates_stay_behind_their_doors() {
    let mut faults = String::new();
    for file in library() {
        let tokens = lexer::without_tests(lexer::lex(&file.text).tokens);
        for pair in tokens.windows(2).filter(|pair| pair[1].text == "::") {
            let named = CRATES.iter().find(|(name, _)| *name == pair[0].text);
            if named.is_some_and(|(_, rooms)| !rooms.contains(&room(&file).as_str())) {
                faults += &format!("    {}:{}: {}\n", file.path, pair[0].line, pair[0].text);
            }
        }
    }
    assert!(faults.is_empty(), "crates that belong to another room:\n{faults}");
}

#[test]
fn files_do_not_import_in_circles() {
    let files = library();
    let needs = needs(&files);
    let edges = needs.iter().map(|n| (n.from, n.to)).collect();
    let (mut counts, mut texts) = (BTreeMap::new(), BTreeMap::<String, String>::new());
    for circle in circles(&edges) {
        let inside: Vec<&Need> =
            needs.iter().filter(|n| circle.contains(&n.from) && circle.contains(&n.to)).collect();
        let text = format!("  a circle of {} files:\n{}", circle.len(), lines_of(&files, &inside));
        for file in circle {
            *counts.entry(room(&files[file])).or_insert(0) += 1;
            let seen = texts.entry(room(&files[file])).or_default();
            if !seen.contains(&text) {
                *seen += &text;
            }
        }
    }
    known::hold("files in circles", known::CIRCLES, &counts, &texts);
}

/// Every Rust file of the package.
fn rust() -> Vec<Source> {
    files(&["src", "crates", "shaders", "tests", "benches", "examples", "fuzz", "python"], ".rs")
}

/// Counts places per room and compares them with the known numbers.
fn hold(rule: &str, known: &[(&str, usize)], places: impl IntoIterator<Item = (Source, Vec<usize>)>) {
    let (mut counts, mut texts) = (BTreeMap::new(), BTreeMap::<String, String>::new());
    for (file, lines) in places.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        *counts.entry(file.room()).or_insert(0) += lines.len();
        *texts.entry(file.room()).or_default() += &format!("    {}: {lines:?}\n", file.path);
    }
    known::hold(rule, known, &counts, &texts);
}

#[test]
fn files_are_short() {
    let n_lines = |f: &Source| f.text.lines().count();
    let places = rust().into_iter().map(|f| {
        let lines = Some(n_lines(&f)).filter(|n| *n > LONGEST_FILE);
        (f, lines.into_iter().collect())
    });
    hold("files of too many lines", known::LONG_FILES, places);
}

#[test]
fn functions_are_short() {
    // A test may be a long table of cases.
    let places = rust().into_iter().filter(|f| f.room() != "tests").map(|f| {
        let long = functions(&f.text).into_iter().filter(|(_, n)| *n > LONGEST_FUNCTION);
        let lines = long.map(|(line, _)| line).collect();
        (f, lines)
    });
    hold("functions of too many lines", known::LONG_FUNCTIONS, places);
}

#[test]
fn functions_have_few_parameters() {
    let places = rust().into_iter().map(|f| {
        let many = parameters(&f.text).into_iter().filter(|(_, n)| *n > MAX_PARAMETERS);
        let lines = many.map(|(line, _)| line).collect();
        (f, lines)
    });
    hold("functions of too many parameters", known::MANY_PARAMETERS, places);
}

#[test]
fn comments_fit_the_window() {
    let sources = rust().into_iter().chain(files(&["shaders"], ".wgsl"));
    let places = sources.map(|f| {
        let lines = wide_comments(&f.text, WIDEST_LINE);
        (f, lines)
    });
    hold("comments that are too wide", known::WIDE_COMMENTS, places);
}

/// Folders whose numbers stand on pages of parameters, each with meaning, unit and reason.
const WITH_PARAMETERS: [&str; 2] = ["crates/signorini-ncp/src/solver", "src/stepper"];

/// Constants that are no parameters: numbers of rows, and a sign that is not known.
const SIZES: [&str; 3] = ["FRICTION_ROWS", "ROLLING_ROWS", "UNKNOWN_SIGN"];

/// (file, number) of formulas from the literature.
const FORMULAS: [(&str, &str); 1] = [
    // Nesterov's sequence, θ² = (1 − θ) θ₋².
    ("crates/signorini-ncp/src/solver/convex/apgd.rs", "4.0"),
];

#[test]
fn numbers_stand_on_the_pages_of_parameters() {
    let (mut faults, mut n_files) = (String::new(), 0);
    for file in files(&WITH_PARAMETERS, ".rs") {
        if file.path.contains("/parameters") || file.path.ends_with("tests.rs") {
            continue;
        }
        n_files += 1;
        for number in numbers::numbers(&file.text) {
            let is_size = number.constant.is_none_or(|name| SIZES.contains(&name));
            let is_formula = FORMULAS.contains(&(file.path.as_str(), number.text));
            if !(is_size && number.is_plain() || is_formula) {
                faults += &format!("    {}:{}: {}\n", file.path, number.line, number.text);
            }
        }
    }
    assert!(n_files > 80, "{n_files} files: the folders are not where they were");
    assert!(faults.is_empty(), "numbers without a name, unit and reason:\n{faults}");
}

#[test]
fn the_public_face_is_small() {
    let lib = files(&["src"], ".rs").into_iter().find(|f| f.path == "src/lib.rs").expect("src/lib.rs");
    let found = public::Public::of(&lib.text);
    assert!(found.rooms.is_empty(), "rooms are private or hidden: {:?}", found.rooms);
    let n = found.names.len();
    assert!(n <= MAX_PUBLIC, "{n} names are public, at most {MAX_PUBLIC} may be: {:?}", found.names);
}
