//! What the user sees while a run computes, on stderr.

use super::complain;
use indicatif::{ProgressBar, ProgressStyle};
use signorini::simulation::StepOutcome;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A bar on a terminal, lines at most one a second elsewhere, or nothing.
pub struct Progress {
    sink: Sink,
    n_steps: usize,
    start: Instant,
    shown: Instant,
}

enum Sink {
    Bar(ProgressBar),
    Lines,
    Silent,
}

impl Progress {
    /// Progress of a run of `n_steps`.
    pub fn new(n_steps: usize, quiet: bool) -> Self {
        let sink = if quiet {
            Sink::Silent
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(n_steps as u64);
            if let Ok(style) = ProgressStyle::with_template("{bar:20} {percent:>3} %  {msg}") {
                bar.set_style(style);
            }
            Sink::Bar(bar)
        } else {
            Sink::Lines
        };
        let now = Instant::now();
        Self { sink, n_steps, start: now, shown: now }
    }

    /// Shows a step, if the last one shown is long enough ago.
    pub fn step(&mut self, outcome: &StepOutcome) {
        let period = match self.sink {
            Sink::Bar(_) => Duration::from_millis(100),
            Sink::Lines => Duration::from_secs(1),
            Sink::Silent => return,
        };
        if self.shown.elapsed() < period {
            return;
        }
        self.shown = Instant::now();
        let line = line(outcome, self.n_steps, self.start.elapsed().as_secs_f64());
        match &self.sink {
            Sink::Bar(bar) => {
                bar.set_position(outcome.step as u64);
                bar.set_message(line);
            }
            Sink::Lines => complain(&line),
            Sink::Silent => {}
        }
    }

    /// Clears the bar.
    pub fn finish(&self) {
        if let Sink::Bar(bar) = &self.sink {
            bar.finish_and_clear();
        }
    }
}

fn line(outcome: &StepOutcome, n_steps: usize, elapsed: f64) -> String {
    let rate = outcome.step as f64 / elapsed;
    let left = (n_steps - outcome.step) as f64 / rate;
    format!(
        "step {}/{n_steps}  t {:.4} s  contacts {}  residual {:.1e}  {} steps/s  ETA {}",
        outcome.step,
        outcome.time,
        outcome.info.n_contacts,
        outcome.info.residual.max(),
        three_digits(rate),
        duration(left)
    )
}

/// 0.0123, 1.23, 123, 12345.
fn three_digits(x: f64) -> String {
    let decimals = (2.0 - x.abs().max(1e-6).log10().floor()).max(0.0) as usize;
    format!("{x:.decimals$}")
}

/// 7 s, 2:05, 1:02:05.
fn duration(seconds: f64) -> String {
    let s = seconds.round().clamp(0.0, 1e12) as u64;
    match (s / 3600, s / 60 % 60, s % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m}:{s:02}"),
        (h, m, s) => format!("{h}:{m:02}:{s:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_short() {
        assert_eq!(three_digits(0.012345), "0.0123");
        assert_eq!(three_digits(1.2345), "1.23");
        assert_eq!(three_digits(12345.6), "12346");
        assert_eq!(duration(6.6), "7 s");
        assert_eq!(duration(125.0), "2:05");
        assert_eq!(duration(3725.0), "1:02:05");
        assert_eq!(duration(f64::NAN), "0 s");
    }
}
