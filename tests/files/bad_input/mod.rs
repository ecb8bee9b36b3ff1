//! Bad scenes: each is refused with a message that names the file, the field, the value and what is allowed.

use signorini::Error;
use signorini_scene::scene::{self, LoadOptions, Overrides};
use std::path::Path;

mod bodies;
mod measures;
mod numbers;
mod parts;
mod periodic;
mod ports;
mod shapes;
mod tables;

const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n";
const BALL: &str = "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.5 }\n";
const GROUND: &str =
    "[[body]]\nname = \"ground\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

/// (case, text, field, fragments of the message). The field is "" where a parser's message has no field.
type Case = (&'static str, String, &'static str, &'static [&'static str]);

fn head(simulation: &str) -> String {
    format!("format = 1\n[simulation]\n{simulation}\n{BALL}mass = 1\n")
}

fn solver(line: &str) -> String {
    format!("{HEAD}[solver]\n{line}\n{BALL}mass = 1\n")
}

/// A scene of one ball with `lines` in its table.
fn ball(lines: &str) -> String {
    format!("{HEAD}{BALL}{lines}\n")
}

/// A good ball, and then `tables`.
fn with(tables: &str) -> String {
    format!("{HEAD}{BALL}mass = 1\nposition = [0, 0, 5]\n{tables}\n")
}

fn shape(shape: &str) -> String {
    format!("{HEAD}[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ {shape} }}\n")
}

const POSITIVE: &str = "must be a finite number > 0";

fn run(cases: &[Case]) {
    let mut failures = Vec::new();
    for (case, text, field, fragments) in cases {
        let file = Path::new("bad.toml");
        let error = match scene::parse(text, file, &LoadOptions::default()) {
            Ok(_) => {
                failures.push(format!("{case}: accepted"));
                continue;
            }
            Err(error) => error,
        };
        let message = error.to_string();
        let named = match &error {
            Error::Field { field: found, .. } => found == field,
            Error::Many(_) => {
                field.is_empty() || message.lines().any(|l| l.contains(&format!(": {field} = ")))
            }
            _ => field.is_empty(),
        };
        let has_file = message.lines().next().is_some_and(|l| l.starts_with("bad.toml:"));
        if !named || !has_file || !fragments.iter().all(|f| message.contains(f)) {
            failures.push(format!("{case}: expected {field:?} {fragments:?}, got\n    {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn files_that_are_not_scenes() {
    run(&[
        ("empty file", String::new(), "format", &["absent", "required", "simulation = absent"]),
        ("not TOML", "step: 3".into(), "", &["bad.toml:1:"]),
        ("no format", format!("{}{BALL}mass = 1", &HEAD["format = 1\n".len()..]), "format", &["absent"]),
        ("format 2 with fields of its own", "format = 2\nnew = 1\n".into(), "", &["format = 2", "must be 1"]),
        ("no simulation", format!("format = 1\n{BALL}mass = 1"), "simulation", &["absent", "required"]),
        ("no step", head("duration = 1"), "simulation: time_step", &["bad.toml:2:", "absent", "a number"]),
        (
            "text for a number",
            head("time_step = \"fast\"\nduration = 1"),
            "simulation: time_step",
            &["bad.toml:3:13", "\"fast\"", "must be a number"],
        ),
        (
            "negative seed",
            head("time_step = 0.1\nduration = 1\nseed = -1"),
            "simulation: seed",
            &["-1", "a whole number, 0 to"],
        ),
        ("unknown table", with("[[hinge]]\na = 1"), "hinge", &["no such table", "bad.toml:10:3"]),
        (
            "unknown field of a body",
            ball("mass = 1\ncolour = 3"),
            "body[0] \"ball\": colour",
            &["bad.toml:9:1", "no such field"],
        ),
        (
            "unknown field of a shape",
            shape("type = \"sphere\", radius = 1, r = 2"),
            "body[0] \"ball\": shape.r",
            &["no such field"],
        ),
        (
            "unknown shape",
            shape("type = \"cube\", size = 1"),
            "body[0] \"ball\": shape.type",
            &["\"cube\"", "\"sphere\""],
        ),
        ("shape without radius", shape("type = \"sphere\""), "body[0] \"ball\": shape.radius", &["absent"]),
        (
            "two coordinates",
            ball("mass = 1\nposition = [0, 0]"),
            "body[0] \"ball\": position",
            &["bad.toml:9:12", "[0, 0]", "a list of 3 numbers"],
        ),
        ("unknown solver setting", solver("magic = 1"), "solver: magic", &["no such field"]),
        (
            "unknown formulation",
            solver("formulation = \"exact\""),
            "solver: formulation",
            &["\"exact\"", "\"implicit\""],
        ),
        ("field given twice", ball("mass = 1\nmass = 2"), "", &["duplicate key"]),
        (
            "brackets without end",
            "a = ".to_string() + &"[".repeat(10_000_000),
            "",
            &["line 1", "nest deeper"],
        ),
        ("tables without end", "{a=".repeat(10_000_000), "", &["nest deeper"]),
        ("dots without end", format!("a{} = 1", ".a".repeat(10_000_000)), "", &["more than 16 dots"]),
        (
            "too long",
            " ".repeat((scene::file::limits::LONGEST_FILE + 1) as usize),
            "",
            &["bytes", "at most 67108864"],
        ),
    ]);
}

#[test]
fn simulation_and_solver() {
    run(&[
        ("zero step", head("time_step = 0\nduration = 1"), "simulation: time_step", &["0.0", POSITIVE]),
        (
            "negative step",
            head("time_step = -0.1\nduration = 1"),
            "simulation: time_step",
            &["-0.1", POSITIVE],
        ),
        (
            "step not a number",
            head("time_step = nan\nduration = 1"),
            "simulation: time_step",
            &["NaN", POSITIVE],
        ),
        ("infinite step", head("time_step = inf\nduration = 1"), "simulation: time_step", &["inf", POSITIVE]),
        ("zero duration", head("time_step = 0.1\nduration = 0"), "simulation: duration", &["0.0", POSITIVE]),
        ("negative duration", head("time_step = 0.1\nduration = -1"), "simulation: duration", &["-1.0"]),
        ("infinite duration", head("time_step = 0.1\nduration = inf"), "simulation: duration", &["inf"]),
        (
            "step above duration",
            head("time_step = 2\nduration = 1"),
            "simulation: time_step",
            &["2.0", "at most the duration"],
        ),
        (
            "endless run",
            head("time_step = 1e-9\nduration = 1e6"),
            "simulation: time_step",
            &["1e-9", "steps"],
        ),
        (
            "infinite gravity",
            head("time_step = 0.1\nduration = 1\ngravity = [0, 0, -inf]"),
            "simulation: gravity",
            &["[0.0, 0.0, -inf]", "finite"],
        ),
        ("zero tolerance", solver("tolerance = 0"), "solver: tolerance", &["0.0", "1e-12 to 1e-1"]),
        ("negative tolerance", solver("tolerance = -1e-8"), "solver: tolerance", &["-1e-8"]),
        ("tolerance not a number", solver("tolerance = nan"), "solver: tolerance", &["NaN"]),
        ("too many halvings", solver("halvings = 11"), "solver: halvings", &["11", "0 to 10"]),
        (
            "negative halvings",
            solver("halvings = -1"),
            "solver: halvings",
            &["bad.toml:6:12", "-1", "a whole number"],
        ),
        ("no iterations", solver("max_iterations = 0"), "solver: max_iterations", &["0", "1 to 1000000"]),
        ("no time", solver("step_seconds = 0"), "solver: step_seconds", &["0", "0.001 to 1e6"]),
    ]);
}

#[test]
fn settings_of_accuracy_and_cost() {
    run(&[
        ("polish of nothing", solver("polish = 0"), "solver: polish", &["0.0", "1e-12 to 1"]),
        ("endless restarts", solver("restarts = 5000"), "solver: restarts", &["5000", "0 to 1000"]),
        ("unknown solver", solver("linear_solver = \"qr\""), "solver: linear_solver", &["qr", "auto"]),
        ("methods are set in Rust", solver("methods = 1"), "solver: methods", &["no such field"]),
    ]);
}

/// Tables of earlier versions.
#[test]
fn the_table_of_the_method_is_gone() {
    let core = |line: &str| format!("{HEAD}[solver.core]\n{line}\n{BALL}mass = 1\n");
    run(&[
        ("ρ", core("warm_rho = 10"), "", &["solver.core.warm_rho", "fixed"]),
        ("a setting that moved", core("polish = 1e-3"), "", &["solver.core.polish", "[solver]"]),
        ("an empty table", core(""), "", &["solver.core"]),
    ]);
}

#[test]
fn overlaps_at_the_start_name_the_pair_and_the_depth() {
    let second = BALL.replace("ball", "other");
    run(&[
        (
            "two balls",
            with(&format!("{second}mass = 1\nposition = [0, 0.9, 5]")),
            "",
            &["\"ball\" and \"other\"", "1.000000e-1 m", "5.000000e-5 m", "--separate"],
        ),
        (
            "a ball in the ground",
            with(&format!("{GROUND}{second}mass = 1\nposition = [3, 0, 0.4]")),
            "",
            &["\"ground\" and \"other\"", "1.000000e-1 m"],
        ),
    ]);
    // A ten-thousandth of the size is taken up by the first step: just under is accepted, just over is not.
    for (depth, is_accepted) in [(0.49e-4, true), (0.51e-4, false)] {
        let text = with(&format!("{second}mass = 1\nposition = [0, {}, 5]", 1.0 - depth));
        let result = scene::parse(&text, Path::new("bad.toml"), &LoadOptions::default());
        assert_eq!(result.is_ok(), is_accepted, "depth {depth}");
    }
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = format!("{}[[friction]]\ncoefficient = -1\n", ball("mass = -1\nposition = [nan, 0, 0]"));
    match scene::parse(&text, Path::new("bad.toml"), &LoadOptions::default()) {
        Err(Error::Many(all)) => assert_eq!(all.len(), 3, "{all:?}"),
        other => panic!("{other:?}"),
    }
}

/// One pass reports unknown fields, missing ones, values of the wrong kind or out of range, and unknown
/// names: each with line, column and value, in the order of the text, and nothing twice.
#[test]
fn faults_of_every_kind_are_reported_at_once_with_their_places() {
    let text = "format = 1
[simulation]
time_step = \"fast\"
duration = 1
gravitiy = [0, 0, -9.81]
[[body]]
name = \"a\"
shape = { type = \"tetrapod\", radius = 1 }
mass = -1
[[body]]
name = \"b\"
shape = { type = \"spher\", radius = 1 }
density = [1]
position = [0, nan, 0]
[[body]]
shape = { type = \"box\" }
mass = 1
material = \"steal\"
[[material]]
name = \"steel\"
[[impulse]]
body = \"bb\"
time = -1
linear = [1, 2]
";
    let error = scene::parse(text, Path::new("bad.toml"), &LoadOptions::default()).expect_err("faults");
    let told = error.to_string();
    let expected = [
        "bad.toml:3:13: simulation: time_step = \"fast\": must be a number",
        "bad.toml:5:1: simulation: gravitiy = [0, 0, -9.81]: no such field (did you mean \"gravity\"?); known:",
        "bad.toml:8:18: body[0] \"a\": shape.type = \"tetrapod\": must be one of \"ellipsoid\", \"sphere\"",
        "bad.toml:9:8: body[0] \"a\": mass = -1.0: must be a finite number > 0",
        "bad.toml:12:18: body[1] \"b\": shape.type = \"spher\": must be one of",
        "bad.toml:13:11: body[1] \"b\": density = [1]: must be a number",
        "bad.toml:14:12: body[1] \"b\": position = [0.0, NaN, 0.0]: must be three finite numbers",
        "bad.toml:15:1: body[2]: name = absent: required: a text in quotes",
        "bad.toml:16:9: body[2]: shape.half_extents = absent: required: a list of 3 numbers",
        "bad.toml:18:12: body[2]: material = \"steal\": no such material (did you mean \"steel\"?)",
        "bad.toml:22:8: impulse[0] \"bb\": body = \"bb\": no such body",
        "bad.toml:23:8: impulse[0] \"bb\": time = -1.0: must be",
        "bad.toml:24:10: impulse[0]: linear = [1, 2]: must be a list of 3 numbers",
    ];
    let lines: Vec<&str> = told.lines().collect();
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "expected {expected}\n     got {line}\n{told}");
    }
    assert_eq!(lines.len(), expected.len(), "{told}");
    assert!(lines[4].ends_with("(did you mean \"sphere\"?)"), "{told}");
}

#[test]
fn faults_of_the_syntax_are_reported_at_once() {
    let text = HEAD.replace("0.01", "= 0.01").replace("1.0", "[1.0") + BALL + "mass = 1 kg\n";
    let error = scene::parse(&text, Path::new("bad.toml"), &LoadOptions::default()).expect_err("faults");
    let told = error.to_string();
    assert!(told.lines().count() >= 2, "{told}");
    assert!(told.starts_with("bad.toml:3:") && told.contains("bad.toml:8:"), "{told}");
}

#[test]
fn overrides_are_checked_like_fields() {
    let cases = [
        (
            Overrides { time_step: Some(-1.0), ..Default::default() },
            "simulation: time_step (override) = -1.0",
        ),
        (
            Overrides { duration: Some(f64::NAN), ..Default::default() },
            "simulation: duration (override) = NaN",
        ),
        (Overrides { time_step: Some(3.0), ..Default::default() }, "must be at most the duration"),
        (Overrides { tolerance: Some(1.0), ..Default::default() }, "solver: tolerance (override) = 1.0"),
        (Overrides { seed: Some(u64::MAX), ..Default::default() }, "simulation: seed (override)"),
    ];
    for (overrides, fragment) in cases {
        let options = LoadOptions { overrides, ..Default::default() };
        let error =
            scene::parse(&ball("mass = 1"), Path::new("bad.toml"), &options).expect_err("bad override");
        assert!(error.to_string().contains(fragment), "{error}");
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("folder");
    let load = |path: &Path| scene::load(path, &LoadOptions::default()).expect_err("unreadable");
    assert!(matches!(load(&folder.path().join("absent.toml")), Error::Io { .. }));
    assert!(matches!(load(folder.path()), Error::Io { .. }));
    let binary = folder.path().join("binary.toml");
    std::fs::write(&binary, b"format = 1 # \xff").expect("written");
    assert!(load(&binary).to_string().ends_with("binary.toml: byte 13 is not UTF-8 text"));
    let huge = folder.path().join("huge.toml");
    std::fs::File::create(&huge).and_then(|f| f.set_len(1 << 30)).expect("a sparse file");
    // The length is checked before anything is read.
    assert!(load(&huge).to_string().contains("1073741824 bytes; at most 67108864 are read"));
}
