//! Search for the place where trials begin to end otherwise.

use signorini_error::{Error, Result};

/// Width, over the first one, below which no bracket is divided: the limit may be zero, to which no width is
/// small.
const LEAST_WIDTH: f64 = 1e-12;

/// A value that stands and one that does not, with the limit between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Value that stands.
    pub stands: f64,
    /// Value that collapses.
    pub collapses: f64,
}

impl Bracket {
    /// Middle of the bracket.
    pub fn middle(&self) -> f64 {
        0.5 * self.stands + 0.5 * self.collapses
    }

    /// Width of the bracket, in the unit of the value.
    pub fn width(&self) -> f64 {
        (self.collapses - self.stands).abs()
    }

    /// Width over the larger magnitude of the two values.
    pub fn relative_width(&self) -> f64 {
        self.width() / self.stands.abs().max(self.collapses.abs())
    }
}

/// Division of a bracket into parts, again and again.
#[derive(Debug, Clone)]
pub struct Search {
    ends: [f64; 2],
    /// Number of values in a bracket that are tried at a time.
    points: usize,
    /// Relative width at which the search ends.
    to: f64,
    bracket: Option<Bracket>,
    monotone: bool,
}

impl Search {
    /// Begins between two values.
    pub fn new(ends: [f64; 2], points: usize, to: f64) -> Self {
        Self { ends, points, to, bracket: None, monotone: true }
    }

    /// Bracket found so far.
    pub fn bracket(&self) -> Option<Bracket> {
        self.bracket
    }

    /// Whether all that stood was on one side of all that collapsed.
    pub fn is_monotone(&self) -> bool {
        self.monotone
    }

    /// Values to try next; none when the bracket is narrow enough.
    pub fn wanted(&self) -> Vec<f64> {
        let Some(bracket) = self.bracket else { return self.ends.to_vec() };
        let Bracket { stands, collapses } = bracket;
        let least = LEAST_WIDTH * (self.ends[1] - self.ends[0]).abs();
        if bracket.relative_width() <= self.to || bracket.width() <= least {
            return Vec::new();
        }
        let n = (self.points + 1) as f64;
        let between = (1..=self.points).map(|i| stands + (collapses - stands) * (i as f64 / n));
        // Of a bracket a few roundings wide fewer are left.
        let mut values: Vec<f64> = between.filter(|x| *x != stands && *x != collapses).collect();
        values.dedup();
        values
    }

    /// Takes what became of the values that were wanted: whether each collapsed.
    ///
    /// # Errors
    /// When both ends stand, or both collapse.
    pub fn tell(&mut self, values: &[f64], collapsed: &[bool]) -> Result<()> {
        let Some(Bracket { stands, collapses }) = self.bracket else {
            let [a, b] = self.ends;
            self.bracket = match collapsed {
                [false, true] => Some(Bracket { stands: a, collapses: b }),
                [true, false] => Some(Bracket { stands: b, collapses: a }),
                _ => {
                    let both = if collapsed.first() == Some(&true) { "collapse" } else { "stand" };
                    let what = format!("limit: between {a:?} and {b:?}");
                    let allowed = format!("one must stand and the other collapse; both {both}");
                    return Err(Error::Usage { what, allowed });
                }
            };
            return Ok(());
        };
        // From the value that stands: the first that collapses closes the bracket.
        let first = collapsed.iter().position(|c| *c).unwrap_or(values.len());
        self.monotone &= collapsed[first..].iter().all(|c| *c);
        let before = first.checked_sub(1).map_or(stands, |i| values[i]);
        let behind = values.get(first).copied().unwrap_or(collapses);
        self.bracket = Some(Bracket { stands: before, collapses: behind });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches for a limit above which, or below which, everything collapses; the number of values tried.
    fn found(ends: [f64; 2], points: usize, to: f64, collapses: impl Fn(f64) -> bool) -> (Search, usize) {
        let (mut search, mut n) = (Search::new(ends, points, to), 0);
        loop {
            let values = search.wanted();
            if values.is_empty() {
                return (search, n);
            }
            n += values.len();
            let outcomes: Vec<bool> = values.iter().map(|x| collapses(*x)).collect();
            search.tell(&values, &outcomes).expect("a bracket");
        }
    }

    #[test]
    fn the_bracket_closes_on_the_limit() {
        for points in [1, 2, 3, 7] {
            for limit in [0.3, 0.123, 0.999] {
                let (search, n) = found([0.0, 1.0], points, 1e-3, |x| x > limit);
                let bracket = search.bracket().expect("a bracket");
                assert!(bracket.stands <= limit && bracket.collapses > limit, "{bracket:?}");
                assert!(bracket.relative_width() <= 1e-3 && search.is_monotone(), "{bracket:?}");
                let rounds = (1e3 / limit).ln() / ((points + 1) as f64).ln();
                assert!(n <= 2 + points * (rounds.ceil() as usize + 1), "{n} trials of {points} points");
                let (search, _) = found([1.0, 0.0], points, 1e-3, |x| x < limit);
                let bracket = search.bracket().expect("a bracket");
                assert!(bracket.stands >= limit && bracket.collapses < limit, "{bracket:?}");
            }
        }
    }

    #[test]
    fn limits_at_zero_and_of_roundings_end() {
        let (search, n) = found([-1.0, 1.0], 1, 1e-3, |x| x > 0.0);
        assert!(n < 60 && search.bracket().is_some_and(|b| b.stands <= 0.0 && b.collapses > 0.0));
        let (search, n) = found([1.0, 1.0 + 1e-15], 3, 1e-30, |x| x > 1.0);
        assert!(n < 20 && search.bracket().is_some_and(|b| b.stands == 1.0));
    }

    #[test]
    fn ends_must_differ_and_gaps_are_told() {
        let mut search = Search::new([1.0, 2.0], 1, 1e-3);
        for (outcomes, word) in [([true, true], "both collapse"), ([false, false], "both stand")] {
            let fault = search.tell(&[1.0, 2.0], &outcomes).unwrap_err().to_string();
            assert!(fault.contains("between 1.0 and 2.0") && fault.contains(word), "{fault}");
        }
        let (search, _) = found([0.0, 1.0], 3, 1e-2, |x| x > 0.8 || (0.2..0.3).contains(&x));
        assert!(!search.is_monotone());
    }
}
