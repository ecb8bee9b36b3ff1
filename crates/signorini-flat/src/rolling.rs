//! Rolling resistance beside the rows of a contact: a couple in the contact plane, two rows with an arm that
//! makes them an impulse and a velocity.

use crate::batch::Lane;
use crate::extrapolation::go_on;
use crate::simd::WIDTH;

/// Rolling resistance of a contact; the default has none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Resistance {
    /// Length ρ (m): the couple is at most ρ times the normal impulse.
    pub length: f64,
    /// Arm a that makes couples impulses (m).
    pub arm: f64,
    /// Couple about t and o, over a, from which the solve starts (N s).
    pub impulse: [f64; 2],
}

/// Two rows of each of eight contacts.
pub type Two = [Lane; 2];

/// Rolling rows of eight contacts; without meaning where none of them resists rolling.
#[derive(Debug, Clone, Copy)]
pub struct Rolling {
    /// Whether the contacts of the batch resist rolling.
    pub is_used: bool,
    /// Arm a (m).
    pub arm: Lane,
    /// Bound ρ/a of the impulse over the normal one.
    pub friction: Lane,
    /// Step size r (kg).
    pub step_size: Lane,
    /// Rolling velocity at the velocities of the last turn (m/s).
    pub offset: Two,
    /// Impulses: the couple over a (N s).
    pub impulse: Two,
    /// Search directions of the impulses.
    pub direction: Two,
    /// Change of the impulses in the last sweep.
    pub change: Two,
    /// Centre of the proximal term.
    pub proximal: Two,
}

const ZERO: Two = [[0.0; WIDTH]; 2];

impl Rolling {
    /// Rows that resist nothing.
    pub const NONE: Self = Self {
        is_used: false,
        arm: [0.0; WIDTH],
        friction: [0.0; WIDTH],
        step_size: [0.0; WIDTH],
        offset: ZERO,
        impulse: ZERO,
        direction: ZERO,
        change: ZERO,
        proximal: ZERO,
    };

    /// Fills the lane of a contact.
    pub fn load(&mut self, lane: usize, of: &Resistance) {
        self.is_used = true;
        (self.arm[lane], self.friction[lane]) = (of.arm as f32, (of.length / of.arm) as f32);
        for (row, x) in self.impulse.iter_mut().zip(of.impulse) {
            row[lane] = x as f32;
        }
    }

    /// Impulses of a contact (N s).
    pub fn of_lane(&self, lane: usize) -> [f64; 2] {
        self.impulse.map(|row| f64::from(row[lane]))
    }

    /// Takes the impulses as the new centre of the proximal term.
    pub fn recentre(&mut self) {
        self.proximal = self.impulse;
    }

    /// Moves the impulses on along the search direction, and takes their last change into it.
    pub fn extrapolate(&mut self, by: f32) {
        for row in 0..2 {
            go_on((&mut self.impulse[row], &mut self.direction[row], &mut self.change[row]), by);
        }
    }
}
