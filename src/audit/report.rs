//! What an audit found.

use crate::referee::Verdict;
use std::fmt;

/// Red steps and contradictions told one by one; the rest is counted.
const TOLD: usize = 10;

/// The worst value of one part and the step that had it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// The step, 0 when no step was judged.
    pub step: usize,
}

impl Worst {
    /// Takes a value for which larger is worse. NaN is worse than every number.
    fn raise(&mut self, value: f64, step: usize) {
        if self.step == 0 || value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, step };
        }
    }

    /// Takes a value for which smaller is worse.
    fn lower(&mut self, value: f64, step: usize) {
        if self.step == 0 || value < self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, step };
        }
    }
}

/// A run judged again from its files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditReport {
    /// Steps the scene asks for.
    pub planned: usize,
    /// Last step recorded.
    pub last_step: usize,
    /// Steps judged in full: the state before them is recorded.
    pub judged: usize,
    /// Steps judged without the state before them: contact law and separation only.
    pub judged_alone: usize,
    /// Steps, of both kinds, whose claims all hold.
    pub green: usize,
    /// The first red steps with their verdicts.
    pub red: Vec<(usize, Verdict)>,
    /// Momentum in the units of the bodies, over the steps judged in full.
    pub momentum: Worst,
    /// Complementarity in the units of the contacts.
    pub complementarity: Worst,
    /// Friction in the units of the contacts.
    pub friction: Worst,
    /// Smallest gap over the size of the smaller body.
    pub min_gap_relative: Worst,
    /// Energy created (J), over the steps judged in full.
    pub energy_created: Worst,
    /// Steps of which `steps.csv` says something else than the bodies and contacts do.
    pub contradictions: usize,
    /// The run's model approximates the equations judged by: red steps measure its error.
    pub approximate: bool,
    /// What else speaks against the run, the first contradictions included.
    pub faults: Vec<String>,
    /// Remarks on what could not be judged.
    pub notes: Vec<String>,
    last_contradicted: usize,
}

impl AuditReport {
    /// Whether every step that was judged is green (where the run's model is the exact one) and no file
    /// contradicts another.
    pub fn is_green(&self) -> bool {
        (self.approximate || self.green == self.judged + self.judged_alone) && self.faults.is_empty()
    }

    pub(super) fn add(&mut self, step: usize, full: bool, verdict: &Verdict) {
        if full {
            self.judged += 1;
            self.momentum.raise(verdict.momentum, step);
            self.energy_created.raise(verdict.energy_created, step);
        } else {
            self.judged_alone += 1;
        }
        self.complementarity.raise(verdict.complementarity, step);
        self.friction.raise(verdict.friction, step);
        self.min_gap_relative.lower(verdict.min_gap_relative, step);
        if verdict.green {
            self.green += 1;
        } else if self.red.len() < TOLD {
            self.red.push((step, *verdict));
        }
    }

    pub(super) fn contradict(&mut self, step: usize, what: String) {
        if self.last_contradicted != step {
            self.last_contradicted = step;
            self.contradictions += 1;
        }
        if self.faults.len() < TOLD {
            self.faults.push(format!("steps.csv: step {step}: {what}"));
        }
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.judged + self.judged_alone;
        writeln!(f, "steps         {} of {} planned, {steps} recorded", self.last_step, self.planned)?;
        writeln!(f, "judged        {} in full, {} without the state before", self.judged, self.judged_alone)?;
        if self.judged_alone > 0 {
            writeln!(
                f,
                "              (thinned: no momentum and energy there, only contact law and separation)"
            )?;
        }
        writeln!(f, "green         {} of {steps}", self.green)?;
        let mut worst = |name: &str, worst: &Worst, unit: &str| {
            if worst.step == 0 {
                return writeln!(f, "{name}not judged");
            }
            writeln!(f, "{name}{:.3e}{unit} (step {})", worst.value, worst.step)
        };
        worst("momentum      ", &self.momentum, "")?;
        worst("complement.   ", &self.complementarity, "")?;
        worst("friction      ", &self.friction, "")?;
        worst("min gap       ", &self.min_gap_relative, " of the size")?;
        worst("energy made   ", &self.energy_created, " J")?;
        for (step, v) in &self.red {
            writeln!(
                f,
                "red           step {step}: momentum {:.3e}, complementarity {:.3e}, friction {:.3e}, min gap {:.3e}",
                v.momentum, v.complementarity, v.friction, v.min_gap_relative
            )?;
        }
        let untold = steps - self.green - self.red.len();
        if untold > 0 {
            writeln!(f, "red           and {untold} more")?;
        }
        for fault in &self.faults {
            writeln!(f, "contradiction {fault}")?;
        }
        if self.contradictions > 0 {
            writeln!(f, "              {} steps in all", self.contradictions)?;
        }
        if self.approximate && self.green < steps {
            writeln!(f, "note          the model approximates: red steps measure its error")?;
        }
        for note in &self.notes {
            writeln!(f, "note          {note}")?;
        }
        write!(f, "verdict       {}", if self.is_green() { "green" } else { "red" })
    }
}
