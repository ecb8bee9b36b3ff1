//! When the rounds of a solution end, lane by lane.

use crate::linalg::BLOCK;
use crate::solver::parameters::sensitivity::{ROUND_ACCURACY, ROUNDING_BELOW};

/// Largest entry of each lane of a change over that of the vector after it, or over `least`.
pub fn shares<const W: usize>(change: &[[f64; W]], after: &[[f64; W]], least: &[f64; W]) -> [f64; W] {
    let [change, after] = [change, after].map(|vector| largest_of(vector.iter()));
    let over = |lane: usize| if after[lane] < least[lane] { least[lane] } else { after[lane] };
    std::array::from_fn(|lane| if change[lane] == 0.0 { 0.0 } else { change[lane] / over(lane) })
}

/// Largest linear entry of each lane of a vector over bodies.
pub fn largest_linear<const W: usize>(vector: &[[f64; W]]) -> [f64; W] {
    largest_of(vector.chunks_exact(BLOCK).flat_map(|block| &block[..BLOCK / 2]))
}

fn largest_of<'a, const W: usize>(vector: impl Iterator<Item = &'a [f64; W]>) -> [f64; W] {
    let mut most = [0.0_f64; W];
    for lanes in vector {
        for (most, x) in most.iter_mut().zip(lanes) {
            *most = if x.abs() > *most || x.is_nan() { x.abs() } else { *most };
        }
    }
    most
}

/// The rounds of each lane.
#[derive(Debug)]
pub struct Rounds<const W: usize> {
    lanes: [Lane; W],
    /// Changes of impulses that fall to so many times those before are followed to here.
    settled: f64,
    falling: f64,
}

#[derive(Debug, Clone, Copy)]
struct Lane {
    has_ended: bool,
    /// Of the round before.
    step: f64,
    left: f64,
    /// step over that of the round before it.
    rate: f64,
}

impl<const W: usize> Rounds<W> {
    /// None yet. Impulses whose changes fall to `falling` times those before are followed until these are
    /// below `settled`.
    pub fn until(settled: f64, falling: f64) -> Self {
        Self { lanes: [Lane { has_ended: false, step: 1.0, left: 1.0, rate: 1.0 }; W], settled, falling }
    }

    /// Takes by how much the solution and the impulses changed in a round. Lanes that have not ended before
    /// write the latter.
    pub fn take(&mut self, [step, left]: [[f64; W]; 2], written: &mut [f64; W]) {
        for (k, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| !lane.has_ended) {
            written[k] = left[k];
            lane.has_ended = lane.ends_with([step[k], left[k]], [self.settled, self.falling]);
        }
    }

    /// Whether all lanes have ended.
    pub fn have_ended(&self) -> bool {
        self.lanes.iter().all(|lane| lane.has_ended)
    }

    /// Sets lanes that have ended to 0.
    pub fn silence(&self, vectors: [&mut [[f64; W]]; 2]) {
        if self.lanes.iter().all(|lane| !lane.has_ended) {
            return;
        }
        for lanes in vectors.into_iter().flatten() {
            for (x, lane) in lanes.iter_mut().zip(&self.lanes) {
                *x = if lane.has_ended { 0.0 } else { *x };
            }
        }
    }
}

impl Lane {
    /// Whether a round with these changes is the last one: the next one would change nothing, or what
    /// changes is rounding. Impulses that grow from round to round, those of overconstrained bodies, leave
    /// the velocities alone.
    fn ends_with(&mut self, [step, left]: [f64; 2], [settled, falling]: [f64; 2]) -> bool {
        let rate = step / self.step;
        let next = step * rate.max(self.rate).min(1.0);
        let is_rounding = step < ROUNDING_BELOW && rate > 0.5;
        let still_falls = left > settled && left < falling * self.left;
        *self = Self { has_ended: false, step, left, rate };
        step == 0.0 || (next <= ROUND_ACCURACY || is_rounding) && !still_falls
    }
}
