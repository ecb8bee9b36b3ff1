//! Parsers of option values that have a range or words of their own.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use signorini_ncp::solver::LinearSolver;
use signorini_runs::compare::Model;
use signorini_runs::export::StepRange;
use signorini_runs::limit::Variation;
use signorini_scene::settings::Formulation;
use std::fmt;
use std::time::Duration;

/// Parses steps of a run.
pub fn steps(text: &str) -> Result<StepRange, String> {
    StepRange::parse(text)
}

/// Parses the number of drops of a body.
pub fn drops(text: &str) -> Result<usize, String> {
    whole(text, 1, 1_000_000)
}

/// Parses the largest random speed or angular velocity.
pub fn not_negative(text: &str) -> Result<f64, String> {
    number(text, |value| value >= 0.0, "a number, 0 or more")
}

/// Parses a field that varies.
pub fn variation(text: &str) -> Result<Variation, String> {
    Variation::parse(text)
}

/// Parses a number.
pub fn finite(text: &str) -> Result<f64, String> {
    number(text, |_| true, "a number")
}

/// Parses a relative width.
pub fn relative_width(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0 && value < 1.0, "a number above 0 and below 1")
}

/// Parses the bound of a way, speed or acceleration.
pub fn bound(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0, "a positive number")
}

/// Parses the number of values that are tried at a time.
pub fn points(text: &str) -> Result<usize, String> {
    whole(text, 1, 1000)
}

/// Parses the number of sectors or bins of yaw.
pub fn yaws(text: &str) -> Result<usize, String> {
    whole(text, 1, 3600)
}

/// Parses the number of trials of a pose in a sector.
pub fn seeds(text: &str) -> Result<usize, String> {
    whole(text, 1, 1_000_000)
}

/// Parses a direction X,Y,Z.
pub fn direction(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let direction = numbers.and_then(|list| <[f64; 3]>::try_from(list).ok());
    let is_some = |v: &[f64; 3]| v.iter().all(|x| x.is_finite()) && v.iter().any(|x| *x != 0.0);
    direction.filter(is_some).ok_or_else(|| "must be a direction, X,Y,Z".to_owned())
}

/// Parses metres per unit.
pub fn scale(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0, "a positive number")
}

/// Parses a length.
pub fn length(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0, "a positive number of metres")
}

/// Parses the position of a joint.
pub fn position(text: &str) -> Result<(String, f64), String> {
    let parsed = text.split_once('=').and_then(|(name, value)| Some((name, value.parse::<f64>().ok()?)));
    let known = parsed.filter(|(name, value)| !name.is_empty() && value.is_finite());
    known.map(|(name, value)| (name.to_owned(), value)).ok_or_else(|| "must be NAME=NUMBER".to_owned())
}

fn whole(text: &str, low: usize, high: usize) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (low..=high).contains(&n) => Ok(n),
        _ => Err(format!("must be a whole number from {low} to {high}")),
    }
}

/// Parses a formulation, or `staggered`.
pub fn model(text: &str) -> Result<Model, String> {
    Model::named(text)
}

/// Parses one of `choices` by its name; help shows each with its sentence.
fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    let of_name = |given: String| choices.iter().find(|(name, ..)| *name == given).expect("a known name").2;
    PossibleValuesParser::new(values).map(of_name)
}

/// Parser of a time-stepping model.
pub fn formulation() -> impl TypedValueParser<Value = Formulation> {
    one_of(FORMULATIONS)
}

/// Parser of the method for Newton systems.
pub fn linear_solver() -> impl TypedValueParser<Value = LinearSolver> {
    one_of(LINEAR_SOLVERS)
}

const FORMULATIONS: &[(&str, &str, Formulation)] = &[
    (
        "implicit",
        "Geometrically implicit NCP, production path: contact conditions hold at the end of the step",
        Formulation::Implicit,
    ),
    (
        "literal",
        "The papers' own system [CBAT (10), (11)] with every unknown kept; a reference for small scenes",
        Formulation::Literal,
    ),
    (
        "stewart-trinkle",
        "Geometry and linearised gap at the start of the step, friction polygon, linear complementarity problem",
        Formulation::StewartTrinkle,
    ),
    (
        "cone",
        "Geometry and linearised gap at the start of the step, convex cone complementarity problem [NS (9)–(15)]",
        Formulation::Cone,
    ),
    (
        "compliant",
        "Compliant contact and springs, θ-method in two stages, convex friction [SAP (1)–(12)]",
        Formulation::Compliant,
    ),
    (
        "auto",
        "In each step the cheapest of cone, stewart-trinkle and implicit whose indicated error stays below a tolerance",
        Formulation::Auto,
    ),
];

const LINEAR_SOLVERS: &[(&str, &str, LinearSolver)] = &[
    (
        "auto",
        "The quickest by measurement: LU of small and medium islands, Cholesky with GMRES of large ones",
        LinearSolver::Auto,
    ),
    ("direct", "LU of the true matrix, however large", LinearSolver::Direct),
    (
        "krylov",
        "No factorisation: an iteration preconditioned with the diagonal blocks",
        LinearSolver::Krylov,
    ),
];

/// How often checkpoints are written; None: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointPeriod(pub Option<Duration>);

impl fmt::Display for CheckpointPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("off"),
            Some(period) => write!(f, "{}ms", period.as_secs_f64() * 1e3),
        }
    }
}

/// Parses a checkpoint period: 10min, 60s, 500ms, off.
pub fn checkpoint_period(text: &str) -> Result<CheckpointPeriod, String> {
    if text == "off" {
        return Ok(CheckpointPeriod(None));
    }
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let unit = match unit {
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => 0.0,
    };
    let seconds = number.parse().unwrap_or(f64::NAN) * unit;
    if (1e-3..=1e9).contains(&seconds) {
        Ok(CheckpointPeriod(Some(Duration::from_secs_f64(seconds))))
    } else {
        Err("must be a time with its unit, 1ms or more (500ms, 60s, 10min, 2h), or off".to_owned())
    }
}

/// Parses a time in seconds.
pub fn time(text: &str) -> Result<f64, String> {
    number(text, |value| value >= 0.0, "a number of seconds, 0 or more")
}

/// Parses simulated seconds per second.
pub fn speed(text: &str) -> Result<f64, String> {
    number(text, |value| (1e-6..=1e6).contains(&value), "a number from 1e-6 to 1e6")
}

/// Parses width and height of a picture.
pub fn pixels(text: &str) -> Result<[u32; 2], String> {
    let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
    match sides.as_deref() {
        Some([width, height]) if [width, height].iter().all(|n| (16..=8192).contains(*n)) => {
            Ok([*width, *height])
        }
        _ => Err("must be WIDTHxHEIGHT, each from 16 to 8192".to_owned()),
    }
}

/// Parses the size of a file.
pub fn megabytes(text: &str) -> Result<f64, String> {
    number(text, |value| (1.0..=1000.0).contains(&value), "a number from 1 to 1000")
}

/// Parses a positive time in seconds.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text, |value| value > 0.0, "a positive number of seconds")
}

/// Parses the number of directions of a friction polygon.
pub fn directions(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(m) if (4..=1000).contains(&m) && m % 2 == 0 => Ok(m),
        _ => Err("must be an even number from 4 to 1000".to_owned()),
    }
}

/// Parses a tolerance of FCLIB problems.
pub fn tolerance(text: &str) -> Result<f64, String> {
    in_range(text, 1e-14, 1.0)
}

/// Parses the seconds per problem.
pub fn time_limit(text: &str) -> Result<f64, String> {
    in_range(text, 1e-3, 1e6)
}

fn in_range(text: &str, low: f64, high: f64) -> Result<f64, String> {
    number(text, |value| (low..=high).contains(&value), &format!("a number from {low:e} to {high:e}"))
}

/// Parses a finite number that is allowed.
fn number(text: &str, is_allowed: impl Fn(f64) -> bool, allowed: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && is_allowed(value) => Ok(value),
        _ => Err(format!("must be {allowed}")),
    }
}
