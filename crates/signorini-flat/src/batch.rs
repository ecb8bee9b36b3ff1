//! Eight contacts that share no body, as sweeps and turns see them.

use crate::numbers::{Four, Vector};
use crate::simd::{HALF, Simd, WIDTH};

/// One number of each contact.
pub type Lane = [f32; WIDTH];
/// A vector of each contact.
pub type Vectors = [Lane; 3];

/// Compact rows of eight contacts. With the change of the velocities since the last turn w, the relative
/// velocity along (n, t, o) is y = y₀ + J w, where J follows from the frame and the arms.
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
    /// y₀: gap over h along n, slip along t and o (m/s), at the velocities of the last turn.
    pub offset: Vectors,
    /// Step sizes r of the normal row and of both tangents (kg).
    pub step_sizes: [Lane; 2],
    /// Velocities along t and o that a unit of normal impulse adds (1/kg).
    pub coupling: [Lane; 2],
    /// Coefficient of friction.
    pub friction: Lane,
    /// One over the unit of the contact's residual (1/(N s)).
    pub per_unit: Lane,
    /// Impulses along n, t and o (N s).
    pub impulse: Vectors,
    /// Search directions of the impulses.
    pub direction: Vectors,
    /// Change of the impulses in the last sweep.
    pub change: Vectors,
    /// Centre of the proximal term.
    pub proximal: Vectors,
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
    /// Offset of the plane of A along its normal at the end of the step (m).
    pub offset: [f64; WIDTH],
    /// 1 where A is a half-space.
    pub is_plane: [f64; WIDTH],
    /// [`crate::parameters::OVERLAP`] over the smaller size of the bodies (1/m).
    pub overlap: [f64; WIDTH],
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
    /// Relative velocity along t and o (m/s).
    pub slip: [[f64; WIDTH]; 2],
}

const ZERO: Lane = [0.0; WIDTH];
const ZEROS: Vectors = [ZERO; 3];

impl Batch {
    /// A batch without contacts, all of them between the body at place `nobody` and itself.
    pub fn empty(nobody: u32) -> Self {
        Self {
            bodies: [[nobody; WIDTH]; 2],
            normal: ZEROS,
            tangent: ZEROS,
            arms: [ZEROS; 2],
            offset: [[1.0; WIDTH], ZERO, ZERO],
            step_sizes: [ZERO; 2],
            coupling: [ZERO; 2],
            friction: ZERO,
            per_unit: ZERO,
            impulse: ZEROS,
            direction: ZEROS,
            change: ZEROS,
            proximal: ZEROS,
        }
    }
}

impl Frame {
    /// Frames of a batch without contacts: far from a plane.
    pub const EMPTY: Self = Self {
        given: [[MOVES; WIDTH]; 2],
        normal: [[0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]],
        offset: [-1e9; WIDTH],
        is_plane: [1.0; WIDTH],
        overlap: [0.0; WIDTH],
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

/// Half of eight vectors of single precision.
#[inline(always)]
pub fn half_vectors<S: Simd>(s: S, of: &Vectors, half: usize) -> Vector<Four<S>> {
    [Four::half(s, &of[0], half), Four::half(s, &of[1], half), Four::half(s, &of[2], half)]
}

/// Writes half of eight vectors of single precision.
#[inline(always)]
pub fn put_vectors<S: Simd>(vector: Vector<Four<S>>, to: &mut Vectors, half: usize) {
    for (number, to) in vector.into_iter().zip(to) {
        number.put_half(to, half);
    }
}
