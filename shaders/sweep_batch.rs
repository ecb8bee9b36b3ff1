//! Layout of the numbers of a batch of eight contacts, a lane each, and the operations of a contact on a row.

use crate::real::Real;

/// Contacts of a batch.
pub const WIDTH: usize = 8;
/// Numbers of a body: six velocities and two zeros, which align them.
pub const MOTION: usize = 8;
/// Entries of a row: six of the first body, six of the second.
pub const ENTRIES: usize = 12;
/// Entries of a shift row, twelve as of a row, and its y₀.
pub const SHIFT_ENTRIES: usize = 13;
/// Numbers of a normal row: the load fraction that it was made for, and that of now less this one.
pub const LOAD_FRACTIONS: usize = 2;
/// Friction rows that move with the load: those of every manifold.
pub const TANGENTIAL: usize = 2;

/// Words of a batch: first row, first shift row, normal rows, friction rows, whether its rows are bounded,
/// whether its friction rows move; then the first and the second body of each lane.
pub const BATCH_ROW: usize = 0;
/// See [`BATCH_ROW`].
pub const BATCH_SHIFT: usize = 1;
/// See [`BATCH_ROW`].
pub const BATCH_NORMAL: usize = 2;
/// See [`BATCH_ROW`].
pub const BATCH_FRICTION: usize = 3;
/// See [`BATCH_ROW`].
pub const BATCH_BOUNDED: usize = 4;
/// See [`BATCH_ROW`].
pub const BATCH_MOVES: usize = 5;
/// See [`BATCH_ROW`].
pub const BATCH_FIRST: usize = 8;
/// See [`BATCH_ROW`].
pub const BATCH_SECOND: usize = 16;
/// Words in all.
pub const BATCH: usize = 24;
/// Stands for no body.
pub const NO_BODY: u32 = u32::MAX;

/// Numbers of each lane of a batch: μ, r of friction in the natural map, r of friction in a sweep, 1/u, and
/// the factor of a negative slip.
pub const LAW_FRICTION: usize = 0;
/// See [`LAW_FRICTION`].
pub const LAW_WEIGHT: usize = 1;
/// See [`LAW_FRICTION`].
pub const LAW_STEP: usize = 2;
/// See [`LAW_FRICTION`].
pub const LAW_UNIT: usize = 3;
/// See [`LAW_FRICTION`].
pub const LAW_OVERLAP: usize = 4;
/// Numbers in all.
pub const LAWS: usize = 5;

/// Names of these numbers in the shaders.
pub const NAMES: &[(&str, u32)] = &[
    ("WIDTH", WIDTH as u32),
    ("MOTION", MOTION as u32),
    ("ENTRIES", ENTRIES as u32),
    ("SHIFT_ENTRIES", SHIFT_ENTRIES as u32),
    ("LOAD_FRACTIONS", LOAD_FRACTIONS as u32),
    ("TANGENTIAL", TANGENTIAL as u32),
    ("BATCH_ROW", BATCH_ROW as u32),
    ("BATCH_SHIFT", BATCH_SHIFT as u32),
    ("BATCH_NORMAL", BATCH_NORMAL as u32),
    ("BATCH_FRICTION", BATCH_FRICTION as u32),
    ("BATCH_BOUNDED", BATCH_BOUNDED as u32),
    ("BATCH_MOVES", BATCH_MOVES as u32),
    ("BATCH_FIRST", BATCH_FIRST as u32),
    ("BATCH_SECOND", BATCH_SECOND as u32),
    ("BATCH", BATCH as u32),
    ("NO_BODY", NO_BODY),
    ("LAW_FRICTION", LAW_FRICTION as u32),
    ("LAW_WEIGHT", LAW_WEIGHT as u32),
    ("LAW_STEP", LAW_STEP as u32),
    ("LAW_UNIT", LAW_UNIT as u32),
    ("LAW_OVERLAP", LAW_OVERLAP as u32),
    ("LAWS", LAWS as u32),
];

/// Six entries of each of two bodies: a row, or their motions.
#[derive(Debug, Clone, Copy)]
pub struct Twelve<T>(pub [[T; 3]; 4]);

impl<T: Real> Twelve<T> {
    /// Zeros.
    pub fn zero() -> Self {
        Self([[T::zero(); 3]; 4])
    }

    /// One lane of row number `row` of rows that have `length` entries each.
    pub fn row(rows: &[T], length: usize, row: usize, lane: usize) -> Self {
        let at = WIDTH * length * row + lane;
        Self(std::array::from_fn(|k| std::array::from_fn(|d| rows[at + WIDTH * (3 * k + d)])))
    }

    /// Writes the twelve numbers back to the row that [`Self::row`] reads.
    pub fn put_row(&self, rows: &mut [T], row: usize, lane: usize) {
        let at = WIDTH * ENTRIES * row + lane;
        for (k, part) in self.0.iter().enumerate() {
            for (d, entry) in part.iter().enumerate() {
                rows[at + WIDTH * (3 * k + d)] = *entry;
            }
        }
    }

    /// Motions of two bodies, which begin at `first` of a state.
    pub fn motions(state: &[T], first: usize, bodies: [u32; 2]) -> Self {
        let mut motions = Self::zero();
        for (side, body) in bodies.into_iter().enumerate().filter(|(_, body)| *body != NO_BODY) {
            let at = first + MOTION * body as usize;
            for k in 0..2 {
                motions.0[2 * side + k].copy_from_slice(&state[at + 3 * k..at + 3 * k + 3]);
            }
        }
        motions
    }

    /// Writes the twelve numbers back as the motions that [`Self::motions`] reads.
    pub fn put_motions(&self, state: &mut [T], first: usize, bodies: [u32; 2]) {
        for (side, body) in bodies.into_iter().enumerate().filter(|(_, body)| *body != NO_BODY) {
            let at = first + MOTION * body as usize;
            for k in 0..2 {
                state[at + 3 * k..at + 3 * k + 3].copy_from_slice(&self.0[2 * side + k]);
            }
        }
    }

    /// y = y₀ + J w.
    pub fn slip(&self, motions: &Self, offset: T) -> T {
        let dot = |k: usize| {
            let (a, b) = (&self.0[k], &motions.0[k]);
            a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        };
        ((offset + dot(0)) + dot(1)) + (dot(2) + dot(3))
    }

    /// w + Jᵀ dx.
    pub fn pushed(&self, dx: T, motions: &Self) -> Self {
        Self(std::array::from_fn(|k| std::array::from_fn(|d| motions.0[k][d] + self.0[k][d] * dx)))
    }
}

/// Words of a batch, and the bodies of one lane.
pub fn bodies(batch: &[u32], lane: usize) -> [u32; 2] {
    [batch[BATCH_FIRST + lane], batch[BATCH_SECOND + lane]]
}

/// Factor that brings friction of this squared length back onto a ball.
pub fn shrink<T: Real>(radius: T, square: T) -> T {
    if square > radius * radius { radius / square.sqrt() } else { T::one() }
}
