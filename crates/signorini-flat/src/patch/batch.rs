//! Eight pairs of polytopes that share no body, as sweeps and turns see them.
//!
//! A pair has ONE frame n, t, o about one place, and up to eight points in it. Its response to a wrench makes
//! local passes over the points cheap: the bodies are read and written once a visit. Wrenches and twists
//! about the place of the frame have the order
//!
//! ```text
//! wrench (f_n, m_t, m_o, f_t, f_o, m_n),      twist (v_n, ω_t, ω_o, v_t, v_o, ω_n)
//! ```

use crate::batch::{Lane, MOVES, Vectors};
use crate::parameters::MOST_POINTS;
use crate::patch::axis::Axis;
use crate::patch::manifold::Name;
use crate::patch::solid::SolidPart;
use crate::simd::WIDTH;

/// Six numbers of each pair, a wrench or a twist.
pub type Wrenches = [Lane; 6];

/// A point of each pair.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct PatchPoint {
    /// Place along t and o from that of the frame (m).
    pub place: [Lane; 2],
    /// Components of its normal along t and o.
    pub lean: [Lane; 2],
    /// Gap over h at the velocities of the last turn (m/s).
    pub offset: Lane,
    /// Step size r of its row (kg).
    pub step_size: Lane,
    /// Impulse along its normal (N s).
    pub impulse: Lane,
    /// Search direction of the impulse.
    pub direction: Lane,
    /// Change of the impulse in the last sweep.
    pub change: Lane,
}

/// Rows of eight pairs.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct PatchBatch {
    /// Places of bodies A and B in their section.
    pub bodies: [[u32; WIDTH]; 2],
    /// Normal n of the frame.
    pub normal: Vectors,
    /// First tangent t; the second is o = n × t.
    pub tangent: Vectors,
    /// From the centres of mass of A and B to the place of the frame (m).
    pub arms: [Vectors; 2],
    /// Twist that a wrench makes.
    pub response: [Wrenches; 6],
    /// Coefficient of friction.
    pub friction: Lane,
    /// Radius e_r of torsional friction (m).
    pub torsion: Lane,
    /// One over the unit of the pair's residual (1/(N s)).
    pub per_unit: Lane,
    /// Factor on the step sizes in the natural map.
    pub stiffening: Lane,
    /// v_t, v_o and ω_n at the velocities of the last turn.
    pub slip: Vectors,
    /// Friction impulses along t and o, and the torsional one over e_r (N s), at the centre of the load.
    pub push: Vectors,
    /// Search direction of the friction impulses.
    pub push_direction: Vectors,
    /// Change of the friction impulses in the last sweep.
    pub push_change: Vectors,
    /// The wrench that the bodies have from the pair.
    pub wrench: Wrenches,
    /// Search direction of the wrench.
    pub wrench_direction: Wrenches,
    /// Change of the wrench in the last sweep.
    pub wrench_change: Wrenches,
    /// Largest number of points of a pair.
    pub n_points: usize,
    /// Whether some of the bodies are on guides.
    pub has_guides: bool,
    /// Whether a point of any pair pushes along another normal than that of the frame.
    pub is_bent: bool,
    /// The points.
    pub points: [PatchPoint; MOST_POINTS],
}

/// Where torsional friction comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Torsion {
    /// A radius e_r that is given (m), 0 for none.
    Radius(f64),
    /// The touching region: e_r at the start of the step, less where less touches at the end; None before any
    /// point was found.
    Region(Option<f64>),
}

/// Data of a pair that only turns and the check need.
#[derive(Debug, Clone, Copy)]
pub struct PatchLane {
    /// Places of bodies A and B among those whose motion is given, or [`MOVES`].
    pub given: [u32; 2],
    /// Whether the lane holds a pair.
    pub is_used: bool,
    /// Number of the pair among all, where the caller finds its points.
    pub callers: Option<u32>,
    /// Parts of A and B that touch, where the bodies are more than these.
    pub parts: [Option<SolidPart>; 2],
    /// Normal and offset (m) of the half-space A at the end of the step.
    pub plane: Option<([f64; 3], f64)>,
    /// From body B to the image of it that A meets (m).
    pub shift: [f64; 3],
    /// Size of the smaller body (m).
    pub size: f64,
    /// Torsional friction.
    pub torsion: Torsion,
    /// Separation that a known axis may lack (m).
    pub slack: f64,
    /// Axis of the points.
    pub axis: Axis,
    /// Number of points.
    pub n: usize,
    /// Their names.
    pub names: [Name; MOST_POINTS],
    /// Their places in axes of B (m).
    pub places: [[f32; 3]; MOST_POINTS],
    /// Whether points that lean along their rims are left out: a check found that the load leans too far.
    pub is_upright: bool,
    /// Velocities of A and B at which the points were found last: v, ω of each; None before.
    pub found_at: Option<[[f64; 3]; 4]>,
}

/// A pair at the last check.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatchSeen {
    /// Unit normal n and first tangent t.
    pub frame: [[f64; 3]; 2],
    /// From the centres of mass of A and B to the centre of the load (m).
    pub arms: [[f64; 3]; 2],
    /// Largest separation along any axis (m).
    pub gap: f64,
    /// Slip along t and o at the centre of the load, and e_r times the spin about n (m/s).
    pub slip: [f64; 3],
    /// Impulses along n, t and o, and the torsional one over e_r (N s).
    pub impulse: [f64; 4],
    /// Σ x_k n_k·n over Σ x_k.
    pub alignment: f64,
    /// e_r (m).
    pub radius: f64,
    /// e_r of the touching region (m), where the caller finds the points.
    pub region: f64,
    /// Number of points.
    pub n: usize,
    /// Places of the points along t and o (m).
    pub places: [[f64; 2]; MOST_POINTS],
    /// Place of the centre of the load alike.
    pub centre: [f64; 2],
    /// Their gaps (m).
    pub gaps: [f64; MOST_POINTS],
    /// Their impulses (N s).
    pub impulses: [f64; MOST_POINTS],
}

const ZERO: Lane = [0.0; WIDTH];
const ZEROS: Vectors = [ZERO; 3];
const ZERO_WRENCH: Wrenches = [ZERO; 6];

impl PatchPoint {
    /// No point.
    pub const EMPTY: Self = Self {
        place: [ZERO; 2],
        lean: [ZERO; 2],
        offset: ZERO,
        step_size: ZERO,
        impulse: ZERO,
        direction: ZERO,
        change: ZERO,
    };
}

impl PatchBatch {
    /// A batch without pairs, all of them between the body at place `nobody` and itself.
    pub fn empty(nobody: u32) -> Self {
        Self {
            bodies: [[nobody; WIDTH]; 2],
            normal: ZEROS,
            tangent: ZEROS,
            arms: [ZEROS; 2],
            response: [ZERO_WRENCH; 6],
            friction: ZERO,
            torsion: ZERO,
            per_unit: ZERO,
            stiffening: ZERO,
            slip: ZEROS,
            push: ZEROS,
            push_direction: ZEROS,
            push_change: ZEROS,
            wrench: ZERO_WRENCH,
            wrench_direction: ZERO_WRENCH,
            wrench_change: ZERO_WRENCH,
            n_points: 0,
            has_guides: false,
            is_bent: false,
            points: [PatchPoint::EMPTY; MOST_POINTS],
        }
    }
}

impl PatchLane {
    /// No pair.
    pub const EMPTY: Self = Self {
        given: [MOVES; 2],
        is_used: false,
        callers: None,
        parts: [None; 2],
        plane: None,
        shift: [0.0; 3],
        size: 1.0,
        torsion: Torsion::Radius(0.0),
        slack: 0.0,
        axis: Axis::Unknown,
        n: 0,
        names: [Name::Nothing; MOST_POINTS],
        places: [[0.0; 3]; MOST_POINTS],
        is_upright: false,
        found_at: None,
    };
}

/// Record of a side of a lane: of bodies that move by their place, of the others by their place among the
/// given.
pub fn of_side<'a, T>(
    [moving, given]: [&'a [T]; 2],
    (batch, pair, lane): (&PatchBatch, &PatchLane, usize),
    side: usize,
) -> &'a T {
    match pair.given[side] {
        MOVES => &moving[batch.bodies[side][lane] as usize],
        place => &given[place as usize],
    }
}

/// Three numbers of a lane.
pub fn vector_of(of: &Vectors, lane: usize) -> [f64; 3] {
    [f64::from(of[0][lane]), f64::from(of[1][lane]), f64::from(of[2][lane])]
}

/// Writes three numbers of a lane.
pub fn put_vector(to: &mut Vectors, lane: usize, v: [f64; 3]) {
    for (to, v) in to.iter_mut().zip(v) {
        to[lane] = v as f32;
    }
}
