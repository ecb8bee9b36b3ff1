//! Time that a measurement may take.

use std::time::Instant;

/// A time limit for all measurements.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    start: Instant,
    total: f64,
}

impl Budget {
    /// Starts a budget of so many seconds.
    pub fn new(total: f64) -> Self {
        Self { start: Instant::now(), total }
    }

    /// Seconds since the start.
    pub fn taken(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Seconds of all measurements.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Seconds that are left.
    pub fn left(&self) -> f64 {
        self.left_of(1.0)
    }

    /// Seconds that are left of the first part of the time.
    pub fn left_of(&self, part: f64) -> f64 {
        (part * self.total - self.taken()).max(0.0)
    }
}

/// Forecast of the time of a larger size, from the time of the last smaller one; no forecast without one.
#[derive(Debug, Default)]
pub struct Forecast {
    last: Option<(usize, f64)>,
}

impl Forecast {
    /// Notes the time of a size.
    pub fn record(&mut self, size: usize, seconds: f64) {
        self.last = Some((size, seconds));
    }

    /// Returns why a size does not fit, if it does not: time grows at least with the size.
    pub fn refusal(&self, size: usize, left: f64) -> Option<String> {
        let needs = self.last.map_or(0.0, |(last, seconds)| seconds * size as f64 / last as f64);
        let fits = left > 0.0 && needs <= left;
        (!fits).then(|| format!("it would take {needs:.0} s or more, {left:.0} s are left for it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let mut forecast = Forecast::default();
        assert!(forecast.refusal(1000, 1.0).is_none());
        assert!(forecast.refusal(1000, 0.0).is_some());
        forecast.record(1000, 2.0);
        assert!(forecast.refusal(10_000, 20.0).is_none());
        assert!(forecast.refusal(10_000, 19.0).is_some());
    }
}
