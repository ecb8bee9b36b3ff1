//! A step as data: bodies, pairs that may touch, and how a solve ended.

use crate::change::larger;
use crate::guide::Guide;
use crate::layout::Side;
use crate::parameters::MOST_POINTS;
use crate::patch::axis::Axis;
use crate::patch::manifold::Name;
use crate::patch::solid::{Solid, SolidPart};
use crate::rolling::Resistance;
use crate::surfaces::Surfaces;
use signorini_kernels::device_flat::FlatOnDevice;
use signorini_ranks::Ranks;
use std::sync::Arc;
use std::time::Instant;

/// A body that contact impulses move.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// Centre of mass (m).
    pub centre: [f64; 3],
    /// Rotation of the principal axes, row by row.
    pub rotation: [f64; 9],
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia (kg m²).
    pub moments: [f64; 3],
    /// Semi-axes of an ellipsoid along the principal axes (m).
    pub semi_axes: [f64; 3],
    /// Index of a polytope among the solids of the problem, for others None.
    pub solid: Option<u32>,
    /// Velocity (m/s) and spin (rad/s) from which the solve starts.
    pub velocity: [[f64; 3]; 2],
    /// Velocity and spin without contact impulses.
    pub free: [[f64; 3]; 2],
    /// Impulse of the loads, the least unit of its residual (N s).
    pub acting: f64,
    /// Guide along which the body slides without turning, if it is on one. The velocities above are those
    /// that it leaves.
    pub guide: Option<Guide>,
}

/// A body whose motion is given. A half-space has no semi-axes.
#[derive(Debug, Clone, Copy)]
pub struct GivenBody {
    /// Centre of mass (m).
    pub centre: [f64; 3],
    /// Rotation of its axes, row by row.
    pub rotation: [f64; 9],
    /// Semi-axes of an ellipsoid (m).
    pub semi_axes: [f64; 3],
    /// Index of a polytope among the solids of the problem, for others None.
    pub solid: Option<u32>,
    /// Velocity (m/s) and spin (rad/s).
    pub velocity: [[f64; 3]; 2],
}

/// A pair that may touch. A half-space is always body A.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    /// Bodies A and B.
    pub sides: [Side; 2],
    /// Unit normal from A to B, near that of the closest points; that of the half-space at the end of the
    /// step.
    pub normal: [f64; 3],
    /// First tangent.
    pub tangent: [f64; 3],
    /// From body B to the image of it that A meets (m), in a periodic box.
    pub shift: [f64; 3],
    /// Impulses along n, t and o, and the torsional impulse over e_r, from which the solve starts (N s).
    pub impulse: [f64; 4],
    /// Coefficient of friction.
    pub friction: f64,
    /// Radius e_r of torsional friction (m), 0 for none.
    pub torsion: f64,
    /// Rolling resistance.
    pub rolling: Resistance,
    /// Impulse of the pull of cohesion along the normal (N s): bodies feel the normal impulse less it.
    pub pull: f64,
    /// Offset of the half-space along its normal at the end of the step (m), if A is one.
    pub plane: Option<f64>,
    /// Size of the smaller body (m).
    pub size: f64,
    /// Code of the feature that touches, where the caller finds the closest points; None: the bodies are
    /// ellipsoids, or a half-space and an ellipsoid.
    pub feature: Option<u64>,
}

/// Two polytopes that may touch, or a half-space A and a polytope; or any parts whose points the caller
/// finds.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    /// Bodies A and B.
    pub sides: [Side; 2],
    /// From body B to the image of it that A meets (m), in a periodic box.
    pub shift: [f64; 3],
    /// Normal and offset (m) of the half-space at the end of the step, if A is one.
    pub plane: Option<([f64; 3], f64)>,
    /// Coefficient of friction.
    pub friction: f64,
    /// Radius e_r of torsional friction that is given (m), None for that of the touching region.
    pub torsion: Option<f64>,
    /// Size of the smaller body (m).
    pub size: f64,
    /// Whether the caller finds the contact points, as [`Surfaces::points`] says.
    pub is_callers: bool,
    /// Which part of A and of B touches, where a body is more than its solid.
    pub parts: [Option<SolidPart>; 2],
    /// Points and impulses of the last step.
    pub memory: PatchMemory,
}

/// Points and impulses of two polytopes that a step keeps for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct PatchMemory {
    /// Axis of the points.
    pub axis: Axis,
    /// Number of points.
    pub n: usize,
    /// Their names.
    pub names: [Name; MOST_POINTS],
    /// Their places in principal axes of B (m).
    pub places: [[f32; 3]; MOST_POINTS],
    /// Their impulses (N s).
    pub impulses: [f32; MOST_POINTS],
    /// First tangent.
    pub tangent: [f32; 3],
    /// Friction impulses along t and o, and the torsional one over e_r (N s).
    pub push: [f32; 3],
    /// e_r of all that touched at the end (m); None where that is not known.
    pub region: Option<f64>,
}

/// Where bodies are at the end of a step that turn too far for the series of their turn.
pub trait Flight: Sync {
    /// Centre of mass (m) and rotation of the principal axes, row by row, of a body that leaves the start of
    /// the step with a velocity (m/s) and a spin (rad/s).
    fn end(&self, body: usize, velocity: [[f64; 3]; 2]) -> ([f64; 3], [f64; 9]);
}

/// A step to be solved; by default of nothing, to no tolerance, by one process without a device.
#[derive(Clone, Copy, Default)]
pub struct Problem<'a> {
    /// Bodies that impulses move.
    pub bodies: &'a [Body],
    /// Bodies whose motion is given.
    pub given: &'a [GivenBody],
    /// Pairs that may touch at a point.
    pub contacts: &'a [Contact],
    /// Pairs of polytopes that may touch.
    pub patches: &'a [Patch],
    /// Shapes of polytopes.
    pub solids: &'a [Solid],
    /// Length h of the step (s).
    pub time_step: f64,
    /// Tolerance of the residual.
    pub tolerance: f64,
    /// Most sweeps and turns.
    pub budget: usize,
    /// Whether a solve that gets no nearer is given up: halves of the step are quicker.
    pub may_halve: bool,
    /// Residual at the velocities of the start at which they are the solution, 0 for none: bodies at rest
    /// stay at rest.
    pub accepted_start: f64,
    /// Closest points of the contacts whose bodies are no ellipsoids.
    pub surfaces: Option<&'a dyn Surfaces>,
    /// Poses at the end that the check takes for bodies whose turn is too far for its series; None: those of
    /// Euler's equations to third order.
    pub flight: Option<&'a dyn Flight>,
    /// Instant at which the solve has to end, solved or not. Ranks have no common clock: they go on.
    pub deadline: Option<Instant>,
    /// Processes that have the same problem, and solve it together.
    pub ranks: Option<&'a Arc<dyn Ranks>>,
    /// Device that takes sweeps and turns of smooth contacts.
    pub device: Option<&'a Arc<dyn FlatOnDevice>>,
}

impl Problem<'_> {
    /// Whether a side of a pair is a body on a guide.
    pub fn is_on_guide(&self, side: Side) -> bool {
        matches!(side, Side::Moving(i) if self.bodies[i as usize].guide.is_some())
    }
}

/// The true residual, relative to the units of bodies and contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Momentum of the bodies that the impulses do not explain.
    pub momentum: f64,
    /// Natural map of the contacts, and overlaps.
    pub contacts: f64,
}

impl Residual {
    /// Residual of a solve that found nothing.
    pub(crate) const UNKNOWN: Self = Self { momentum: f64::INFINITY, contacts: f64::INFINITY };

    /// The largest part.
    pub fn max(&self) -> f64 {
        larger(self.momentum, self.contacts)
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The true residual.
    pub residual: Residual,
    /// Whether it is within the tolerance.
    pub is_solved: bool,
    /// Sweeps.
    pub sweeps: usize,
    /// Turns.
    pub turns: usize,
    /// Checks.
    pub checks: usize,
    /// Whether a device made the sweeps and turns, to the end.
    pub on_device: bool,
}

impl Outcome {
    /// Outcome of a solve that did nothing.
    pub(crate) const UNSOLVED: Self = Self {
        residual: Residual::UNKNOWN,
        is_solved: false,
        sweeps: 0,
        turns: 0,
        checks: 0,
        on_device: false,
    };
}

/// A solved contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Unit normal from A to B at the end of the step.
    pub normal: [f64; 3],
    /// First tangent.
    pub tangent: [f64; 3],
    /// From the centres of mass of A and B to the contact (m).
    pub arms: [[f64; 3]; 2],
    /// Signed distance (m).
    pub gap: f64,
    /// Relative velocity along t and o, and e_r times the spin about n (m/s).
    pub slip: [f64; 3],
    /// Impulses along n, t and o, and the torsional impulse over e_r (N s).
    pub impulse: [f64; 4],
    /// Couple of rolling resistance about t and o, over its arm (N s).
    pub rolling: [f64; 2],
    /// Code of the feature that touches.
    pub feature: u64,
    /// Whether the contact transmits nothing.
    pub is_open: bool,
}
