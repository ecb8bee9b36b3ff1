//! Progress of a run on stderr.

use super::console::print_error;
use indicatif::{ProgressBar, ProgressStyle};
use signorini::simulation::StepOutcome;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How much of a run is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Progress from time to time.
    Progress,
    /// A line for each step.
    Steps,
}

impl Told {
    /// Returns how much `--verbose` asks for, given so often.
    pub fn of(verbose: u8) -> Self {
        if verbose == 0 { Self::Progress } else { Self::Steps }
    }
}

/// Progress as a bar on a terminal, as lines at most one a second on other outputs, as a line for each step,
/// or none.
pub struct Progress {
    sink: Sink,
    n_steps: usize,
    /// Instant at which the last line was shown, and the number of steps taken by then.
    shown: (Instant, usize),
    rate: Rate,
}

/// Steps per second over about the last ten seconds: steps in a settling pile cost more and more, so the mean
/// over the whole run would promise too much.
#[derive(Default)]
struct Rate {
    seconds: f64,
    steps: f64,
}

impl Rate {
    const AVERAGING_TIME: f64 = 10.0;

    fn add(&mut self, steps: usize, seconds: f64) {
        let kept = (-seconds / Self::AVERAGING_TIME).exp();
        self.steps = kept * self.steps + steps as f64;
        self.seconds = kept * self.seconds + seconds;
    }

    fn per_second(&self) -> f64 {
        self.steps / self.seconds
    }
}

enum Sink {
    Bar(ProgressBar),
    /// Lines, with this time between two at least.
    Lines(Duration),
    Silent,
}

impl Progress {
    /// Progress of a run of `n_steps`.
    pub fn new(n_steps: usize, quiet: bool, told: Told) -> Self {
        let sink = if quiet {
            Sink::Silent
        } else if told == Told::Steps {
            Sink::Lines(Duration::ZERO)
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(n_steps as u64);
            if let Ok(style) = ProgressStyle::with_template("{bar:20} {percent:>3} %  {msg}") {
                bar.set_style(style);
            }
            Sink::Bar(bar)
        } else {
            Sink::Lines(Duration::from_secs(1))
        };
        Self { sink, n_steps, shown: (Instant::now(), 0), rate: Rate::default() }
    }

    /// Shows a step, if the last one was shown long enough ago.
    pub fn step(&mut self, outcome: &StepOutcome) {
        let period = match self.sink {
            Sink::Bar(_) => Duration::from_millis(100),
            Sink::Lines(period) => period,
            Sink::Silent => return,
        };
        let elapsed = self.shown.0.elapsed();
        if elapsed < period {
            return;
        }
        self.rate.add(outcome.step - self.shown.1, elapsed.as_secs_f64());
        self.shown = (Instant::now(), outcome.step);
        let line = line(outcome, self.n_steps, self.rate.per_second());
        match &self.sink {
            Sink::Bar(bar) => {
                bar.set_position(outcome.step as u64);
                bar.set_message(line);
            }
            Sink::Lines(_) => print_error(&line),
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

fn line(outcome: &StepOutcome, n_steps: usize, rate: f64) -> String {
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

/// Returns a number with three digits: 0.0123, 1.23, 123, 12345.
fn three_digits(x: f64) -> String {
    let decimals = (2.0 - x.abs().max(1e-6).log10().floor()).max(0.0) as usize;
    format!("{x:.decimals$}")
}

/// Returns a duration as text: 7 s, 2:05, 1:02:05.
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
    fn the_rate_forgets_the_distant_past() {
        let mut rate = Rate::default();
        rate.add(1000, 1.0);
        assert_eq!(rate.per_second(), 1000.0);
        (0..60).for_each(|_| rate.add(2, 1.0));
        assert!((rate.per_second() - 2.0).abs() < 1.0, "{}", rate.per_second());
    }

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
