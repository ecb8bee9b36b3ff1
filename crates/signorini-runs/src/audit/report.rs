//! Findings of an audit.

use signorini::referee::Verdict;
use signorini_error::counted;
use signorini_scene::scene::Scene;
use std::collections::BTreeMap;
use std::fmt;

/// Most red steps, and faults of one file, that are listed; the rest is counted.
const MAX_LISTED: usize = 10;

/// Worst value of one part and the step that had it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// Worst value.
    pub value: f64,
    /// Step of the worst value, 0 when no step was judged.
    pub step: usize,
}

impl Worst {
    /// Takes a value of which larger is worse. NaN is worse than every number.
    fn raise(&mut self, value: f64, step: usize) {
        if self.step == 0 || value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, step };
        }
    }

    /// Takes a value of which smaller is worse. NaN is worse than every number.
    fn lower(&mut self, value: f64, step: usize) {
        if self.step == 0 || value < self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, step };
        }
    }
}

/// Incomplete runs that an audit accepts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditOptions {
    /// Accepts a run of which not every step was written, so that not every step can be judged in full.
    pub thinned: bool,
    /// Accepts a run that was stopped, killed, or is still going on.
    pub unfinished: bool,
}

/// Result of judging a run again from its files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditReport {
    /// Incomplete runs that the audit was to accept.
    pub options: AuditOptions,
    /// Number of steps the scene asks for.
    pub planned: usize,
    /// Number of steps taken, written or not.
    pub taken: usize,
    /// Last step whose bodies are recorded.
    pub last_step: usize,
    /// Number of steps judged in full: the state before them is recorded.
    pub judged: usize,
    /// Number of steps judged without the state before them: contact law and separation only.
    pub judged_alone: usize,
    /// Number of steps, of both kinds, whose claims all hold.
    pub green: usize,
    /// First red steps with their verdicts.
    pub red: Vec<(usize, Verdict)>,
    /// Worst momentum residual in the units of the bodies, over the steps judged in full.
    pub momentum: Worst,
    /// Worst complementarity residual in the units of the contacts.
    pub complementarity: Worst,
    /// Worst friction residual in the units of the contacts.
    pub friction: Worst,
    /// Smallest gap over the size of the smaller body.
    pub min_gap_relative: Worst,
    /// Largest energy created (J), over the steps judged in full.
    pub energy_created: Worst,
    /// Number of steps of which one table contradicts the others.
    pub contradictions: usize,
    /// Whether the run's model approximates the equations judged by: red steps then measure its error.
    pub approximate: bool,
    /// Whether the run was stopped, killed, or is still going on.
    pub unfinished: bool,
    /// Number of steps that the solver itself calls unsolved.
    pub unsolved: usize,
    /// Further faults of the run, the first contradictions included.
    pub faults: Vec<String>,
    /// Remarks about parts of the run that could not be judged.
    pub notes: Vec<String>,
    last_contradicted: usize,
    /// Number of faults by file, unlisted ones included.
    counts: BTreeMap<String, usize>,
}

impl AuditReport {
    /// Makes the report of a scene before anything is judged.
    pub(super) fn new(options: &AuditOptions, scene: &Scene) -> Self {
        Self {
            options: *options,
            planned: scene.n_steps(),
            approximate: !scene.solver.formulation.is_exact(),
            ..Self::default()
        }
    }

    /// Whether the run is whole, or its gaps were to be accepted; every judged step, one at least, is green
    /// (where the run's model is the exact one); and no file contradicts another or the chain.
    pub fn is_green(&self) -> bool {
        let n_judged = self.judged + self.judged_alone;
        n_judged > 0
            && (self.approximate || self.green == n_judged)
            && self.faults.is_empty()
            && (!self.is_thinned() || self.options.thinned)
            && (!self.unfinished || self.options.unfinished)
    }

    /// The verdict as a word: a run of which some steps could not be judged in full, and the others hold, is
    /// "judged in part", and one that ended early "unfinished".
    pub fn verdict(&self) -> &'static str {
        let lenient = |thinned| Self { options: AuditOptions { thinned, unfinished: true }, ..self.clone() };
        match self.is_green() {
            true => "green",
            false if lenient(self.options.thinned).is_green() => "unfinished",
            false if lenient(true).is_green() => "judged in part",
            false => "red",
        }
    }

    /// Whether some of the steps taken could not be judged in full.
    pub fn is_thinned(&self) -> bool {
        self.judged_alone > 0 || self.judged < self.taken
    }

    /// Records a fault of a file.
    pub(super) fn fault(&mut self, file: &str, what: impl fmt::Display) {
        let count = self.counts.entry(file.to_owned()).or_default();
        *count += 1;
        if *count <= MAX_LISTED {
            self.faults.push(format!("{file}: {what}"));
        }
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
        } else if self.red.len() < MAX_LISTED {
            self.red.push((step, *verdict));
        }
    }

    /// Records a contradiction between a table and the others about a step.
    pub(super) fn contradict(&mut self, file: &str, step: usize, what: impl fmt::Display) {
        if self.last_contradicted != step {
            self.last_contradicted = step;
            self.contradictions += 1;
        }
        self.fault(file, format!("step {step}: {what}"));
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.judged + self.judged_alone;
        writeln!(f, "steps         {} of {} planned, {steps} recorded", self.taken, self.planned)?;
        writeln!(f, "judged        {} in full, {} without the state before", self.judged, self.judged_alone)?;
        if self.is_thinned() {
            let percent = |n: usize| (1e5 * n as f64 / self.taken.max(1) as f64).round() / 1e3;
            writeln!(
                f,
                "              ({} % of the steps in full, {} % by contact law and separation only)",
                percent(self.judged),
                percent(self.judged_alone)
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
            writeln!(f, "fault         {fault}")?;
        }
        for (file, count) in self.counts.iter().filter(|(_, count)| **count > MAX_LISTED) {
            writeln!(f, "fault         {file}: and {} more", count - MAX_LISTED)?;
        }
        if self.contradictions > 0 {
            let steps = counted(self.contradictions, "step");
            writeln!(f, "              {steps} that the tables do not agree on")?;
        }
        if self.approximate && self.green < steps {
            writeln!(f, "note          the model approximates: red steps measure its error")?;
        }
        if self.unsolved > 0 {
            let n = counted(self.unsolved, "step");
            writeln!(f, "note          the solver calls {n} unsolved; what counts here is what was judged")?;
        }
        for note in &self.notes {
            writeln!(f, "note          {note}")?;
        }
        if self.unfinished && !self.options.unfinished {
            writeln!(f, "unfinished    the run is not finished; --unfinished lets that pass")?;
        }
        if self.is_thinned() && !self.options.thinned {
            writeln!(f, "thinned       not every step was judged in full; --thinned lets that pass")?;
        }
        write!(f, "verdict       {}", self.verdict())
    }
}
