//! Eight contacts that share no body, as sweeps and turns see them.

use crate::numbers::{Eight, Four, Vector};
use crate::simd::{HALF, Simd, WIDTH};

/// One number of each contact.
pub type Lane = [f32; WIDTH];
/// A vector of each contact.
pub type Vectors = [Lane; 3];
/// Four rows of each contact: along n, t and o, and torsion about n.
pub type Rows = [Lane; 4];

/// Compact rows of eight contacts. With the change of the velocities since the last turn w, the relative
/// velocity along (n, t, o), and e_r times the spin about n, is y = y₀ + J w, where J follows from the frame
/// and the arms.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Batch {
    /// Places of bodies A and B in their section.
    pub bodies: [[u32; WIDTH]; 2],
    /// Unit normal n, from A to B.
    pub normal: Vectors,
    /// First tangent t; the second is o = n × t.
    pub tangent: Vectors,
    /// From the centres of mass of A and B to the contact (m).
    pub arms: [Vectors; 2],
    /// y₀: gap over h along n, slip (m/s), at the velocities of the last turn.
    pub offset: Rows,
    /// Step sizes r of the normal row and of the friction rows (kg).
    pub step_sizes: [Lane; 2],
    /// Slip that a unit of normal impulse adds (1/kg).
    pub coupling: Vectors,
    /// Whether some of the bodies are on guides.
    pub has_guides: bool,
    /// Coefficient of friction.
    pub friction: Lane,
    /// Radius e_r of torsional friction (m).
    pub torsion: Lane,
    /// One over the unit of the contact's residual (1/(N s)).
    pub per_unit: Lane,
    /// Factor on the step sizes in the natural map.
    pub stiffening: Lane,
    /// Impulses along n, t and o, and the torsional impulse over e_r (N s).
    pub impulse: Rows,
    /// Search directions of the impulses.
    pub direction: Rows,
    /// Change of the impulses in the last sweep.
    pub change: Rows,
    /// Centre of the proximal term.
    pub proximal: Rows,
}

/// A given body instead of one that moves.
pub const MOVES: u32 = u32::MAX;

/// Data of eight contacts that only turns and the check need.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Places of bodies A and B among those whose motion is given, or [`MOVES`].
    pub given: [[u32; WIDTH]; 2],
    /// Normal from which the next search for closest points starts.
    pub normal: [[f64; WIDTH]; 3],
    /// From body B to the image of it that A meets (m).
    pub shift: [[f64; WIDTH]; 3],
    /// Offset of the plane of A along its normal at the end of the step (m).
    pub offset: [f64; WIDTH],
    /// 1 where A is a half-space.
    pub is_plane: [f64; WIDTH],
    /// Impulse of the pull of cohesion along n (N s): the contact pushes with x_n less it.
    pub pull: [f64; WIDTH],
    /// Whether the caller finds the closest points.
    pub by_caller: bool,
    /// Indices of the contacts.
    pub contact: [Option<u32>; WIDTH],
    /// Features that touch, in the caller's code.
    pub feature: [u64; WIDTH],
    /// [`crate::parameters::OVERLAP`] over the smaller size of the bodies (1/m).
    pub overlap: [f64; WIDTH],
    /// Velocity of B over A (m/s) and spins of A and B (rad/s) at which the geometry was found.
    pub found_at: [Lane; 9],
}

/// Geometry of eight contacts at the last check: normal, tangent, arms (m) and gap (m).
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// Unit normal n.
    pub normal: [[f64; WIDTH]; 3],
    /// First tangent t.
    pub tangent: [[f64; WIDTH]; 3],
    /// From the centres of mass of A and B to the contact.
    pub arms: [[[f64; WIDTH]; 3]; 2],
    /// Signed distance.
    pub gap: [f64; WIDTH],
    /// Relative velocity along t and o, and e_r times the spin about n (m/s).
    pub slip: [[f64; WIDTH]; 3],
    /// Whether the contact transmits nothing.
    pub is_open: [bool; WIDTH],
}

const ZERO: Lane = [0.0; WIDTH];
const ZEROS: Vectors = [ZERO; 3];
const ZERO_ROWS: Rows = [ZERO; 4];

impl Batch {
    /// A batch without contacts, all of them between the body at place `nobody` and itself.
    pub fn empty(nobody: u32) -> Self {
        Self {
            bodies: [[nobody; WIDTH]; 2],
            normal: ZEROS,
            tangent: ZEROS,
            arms: [ZEROS; 2],
            offset: [[1.0; WIDTH], ZERO, ZERO, ZERO],
            step_sizes: [ZERO; 2],
            coupling: ZEROS,
            has_guides: false,
            friction: ZERO,
            torsion: ZERO,
            per_unit: ZERO,
            stiffening: ZERO,
            impulse: ZERO_ROWS,
            direction: ZERO_ROWS,
            change: ZERO_ROWS,
            proximal: ZERO_ROWS,
        }
    }
}

impl Frame {
    /// Frames of a batch without contacts: far from a plane.
    pub const EMPTY: Self = Self {
        given: [[MOVES; WIDTH]; 2],
        normal: [[0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]],
        shift: [[0.0; WIDTH]; 3],
        offset: [-1e9; WIDTH],
        is_plane: [1.0; WIDTH],
        pull: [0.0; WIDTH],
        by_caller: false,
        contact: [None; WIDTH],
        feature: [0; WIDTH],
        overlap: [0.0; WIDTH],
        found_at: [ZERO; 9],
    };
}

/// Records of four bodies on one side: those that move by their place, the others by their place among the
/// given.
#[inline(always)]
pub fn moving_or_given<'a, T>(
    [moving, given]: [&'a [T]; 2],
    (batch, frame): (&Batch, &Frame),
    side: usize,
    half: usize,
) -> [&'a T; HALF] {
    let (places, of_given) = (half_of(&batch.bodies[side], half), half_of(&frame.given[side], half));
    let pick = |l: usize| match of_given[l] {
        MOVES => &moving[places[l] as usize],
        place => &given[place as usize],
    };
    [pick(0), pick(1), pick(2), pick(3)]
}

/// Half of eight numbers.
#[inline(always)]
pub fn half_of<T: Copy>(of: &[T; WIDTH], half: usize) -> [T; HALF] {
    let at = HALF * half;
    [of[at], of[at + 1], of[at + 2], of[at + 3]]
}

/// Reads eight vectors.
#[inline(always)]
pub fn vectors_of<S: Simd>(s: S, of: &Vectors) -> Vector<Eight<S>> {
    [Eight::of(s, &of[0]), Eight::of(s, &of[1]), Eight::of(s, &of[2])]
}

/// Half of eight vectors of single precision.
#[inline(always)]
pub fn half_vectors<S: Simd>(s: S, of: &Vectors, half: usize) -> Vector<Four<S>> {
    [Four::half(s, &of[0], half), Four::half(s, &of[1], half), Four::half(s, &of[2], half)]
}

/// Half of eight contacts' rows.
#[inline(always)]
pub fn half_rows<S: Simd>(s: S, of: &Rows, half: usize) -> [Four<S>; 4] {
    [
        Four::half(s, &of[0], half),
        Four::half(s, &of[1], half),
        Four::half(s, &of[2], half),
        Four::half(s, &of[3], half),
    ]
}

/// Writes half of eight vectors or rows of single precision.
#[inline(always)]
pub fn put_half<S: Simd, const N: usize>(numbers: [Four<S>; N], to: &mut [Lane; N], half: usize) {
    for (number, to) in numbers.into_iter().zip(to) {
        number.put_half(to, half);
    }
}
