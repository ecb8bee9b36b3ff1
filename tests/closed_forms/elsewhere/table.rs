//! The table of cases, and what their runs give.

use super::quantity::{Series, Take};
use serde::Deserialize;
use signorini::Simulation;
use signorini::files::{LoadOptions, load};
use signorini_kernels::math::{exceeds, largest};
use std::path::PathBuf;
use support::runs::root;

/// Where the table and its scenes are.
pub const FOLDER: &str = "scenes/elsewhere";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// One situation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// File of the scene, or of the model.
    pub scene: String,
    /// Heading under which it stands.
    pub group: String,
    /// Its own heading.
    pub title: String,
    /// Content of the report, in words of our own.
    pub reported: String,
    /// Addresses of the reports.
    pub sources: Vec<String>,
    /// Why it does not come out right, if it does not.
    pub open: Option<String>,
    /// Values to compare.
    pub check: Vec<Check>,
}

/// A value of a run beside the value that is right.
#[derive(Deserialize)]
pub struct Check {
    #[serde(flatten)]
    pub series: Series,
    pub take: Take,
    /// Formula of the value, or of a bound.
    #[serde(flatten)]
    pub right: Reference,
    /// Largest error, in the unit of the value.
    pub within: f64,
    /// How the value is derived; empty where the check before says it.
    #[serde(default)]
    pub why: String,
}

/// The value or bound that a value is compared with.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    Right(String),
    AtMost(String),
    AtLeast(String),
}

impl Reference {
    /// Value of the formula, SI units.
    pub fn value(&self) -> f64 {
        let (Self::Right(formula) | Self::AtMost(formula) | Self::AtLeast(formula)) = self;
        exmex::eval_str(formula).unwrap_or_else(|e| panic!("{formula}: {e}"))
    }

    /// How far a value is off.
    pub fn error(&self, value: f64) -> f64 {
        match self {
            Self::Right(_) => (value - self.value()).abs(),
            Self::AtMost(_) => largest([value - self.value()]),
            Self::AtLeast(_) => largest([self.value() - value]),
        }
    }
}

/// Values and steps of a run.
pub struct Outcome {
    /// A value for each check.
    pub values: Vec<f64>,
    /// Steps, and those that were not solved or not green.
    pub steps: usize,
    pub bad_steps: usize,
}

impl Outcome {
    /// The fault of the run of a case, if it has one.
    pub fn fault(&self, case: &Case) -> Option<String> {
        if self.bad_steps > 0 {
            return Some(format!("{} of {} steps are not solved and green", self.bad_steps, self.steps));
        }
        let checked = case.check.iter().zip(&self.values);
        let mut off = checked.filter(|(check, value)| exceeds(check.right.error(**value), check.within));
        off.next()
            .map(|(check, value)| format!("{} is {value:e}, not {:e}", check.name(), check.right.value()))
    }
}

impl Check {
    /// Words for the quantity: "x of cube, end".
    pub fn name(&self) -> String {
        let take = match self.take {
            Take::End => "at the end",
            Take::Most => "at most",
            Take::Least => "at least",
            Take::Drift => "change",
            Take::Rise => "increase",
        };
        if self.series.quantity.is_constant() {
            self.series.name()
        } else {
            format!("{}, {take}", self.series.name())
        }
    }
}

impl Case {
    /// Runs the scene.
    pub fn run(&self) -> Outcome {
        let file = root().join(FOLDER).join(&self.scene);
        let scene = load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")).scene;
        let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{}: {e}", self.scene));
        let mut readings: Vec<_> =
            self.check.iter().map(|check| check.series.readings(&simulation)).collect();
        let (steps, mut bad_steps) = (simulation.scene().n_steps(), 0);
        for _ in 0..steps {
            bad_steps += usize::from(!simulation.advance().is_good());
            for (check, readings) in self.check.iter().zip(&mut readings) {
                check.series.read(&simulation, readings);
            }
        }
        let values = self.check.iter().zip(&readings).map(|(check, all)| {
            // Of several bodies the one that is farthest off.
            let taken = all.iter().map(|series| check.take.of(series));
            taken.max_by(|a, b| check.right.error(*a).total_cmp(&check.right.error(*b))).expect("a body")
        });
        Outcome { values: values.collect(), steps, bad_steps }
    }
}

/// All cases, in the order of the file.
pub fn cases() -> Vec<Case> {
    let file: PathBuf = root().join(FOLDER).join("cases.toml");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    toml::from_str::<Table>(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display())).case
}
