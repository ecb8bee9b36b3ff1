//! Contacts whose closest points, or contact points, the caller finds: it alone knows their shapes.

use crate::batch::{Batch, Frame, half_vectors};
use crate::bodies::End;
use crate::bodies::Pose;
use crate::geometry::{Contacts, Sides, carried_tangent};
use crate::numbers::{Four, Vector, cross};
use crate::parameters::OPEN_GAP;
use crate::patch::manifold::{Manifold, Name};
use crate::simd::{HALF, Simd};

/// Where a search for closest points starts: the last normal, and the feature that touched, in the caller's
/// code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// Code of the feature.
    pub feature: u64,
}

/// Contact points of a pair as they were found last.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Normal, 0 before any search.
    pub normal: [f64; 3],
    /// Names of the points that carry load.
    pub loaded: &'a [Name],
    /// Those of rims whose normal leans along the rim by more than this (sine) are left out.
    pub lean: f64,
}

/// Closest points of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Normal and feature, from which the next search starts.
    pub at: Start,
    /// Signed distance (m).
    pub gap: f64,
    /// From the centres of mass of A and B to the points (m).
    pub arms: [[f64; 3]; 2],
    /// Whether the contact transmits nothing, whatever its gap.
    pub is_open: bool,
    /// Velocity at the contact (m/s) and spin (rad/s) of the surface of B over its body, less those of A.
    pub surface: [[f64; 3]; 2],
}

/// Surfaces of bodies that meet at single points, or at several.
pub trait Surfaces: Sync {
    /// Closest points of a contact with its bodies at poses: centre of mass (m) and rotation of the principal
    /// axes, row by row. A pose of a body whose motion is given has no meaning.
    fn closest(&self, contact: usize, poses: [&Pose; 2], from: Start) -> Closest;

    /// Contact points of a pair that has several with its bodies at poses, those up to `margin` (m) above the
    /// lowest one; its widest separation is the gap. At least the lowest point is there, however far it is.
    fn points(&self, patch: usize, poses: [&Pose; 2], known: Known<'_>, margin: f64) -> Manifold;

    /// How far the normal at a place (m) of a pair that has several points leans along a rim or around a side
    /// (sine), beyond what a change of the gap by `leeway` (m) explains.
    fn lean(&self, patch: usize, poses: [&Pose; 2], load: (&[f64; 3], &[f64; 3]), leeway: f64) -> f64 {
        let _ = (patch, poses, load, leeway);
        0.0
    }
}

/// Nothing within reach, for lanes without a contact.
const NOTHING: Closest = Closest {
    at: Start { normal: [0.0, 0.0, 1.0], feature: 0 },
    gap: OPEN_GAP,
    arms: [[0.0; 3]; 2],
    is_open: true,
    surface: [[0.0; 3]; 2],
};

/// Closest points of half a batch with the bodies A and B at these poses. They are where the next search
/// starts.
pub fn find(
    surfaces: &dyn Surfaces,
    frame: &mut Frame,
    half: usize,
    [a, b]: &[[Pose; HALF]; 2],
) -> [Closest; HALF] {
    let mut found = [NOTHING; HALF];
    for (l, found) in found.iter_mut().enumerate() {
        let lane = HALF * half + l;
        let Some(contact) = frame.contact[lane] else { continue };
        let normal = [frame.normal[0][lane], frame.normal[1][lane], frame.normal[2][lane]];
        let from = Start { normal, feature: frame.feature[lane] };
        *found = surfaces.closest(contact as usize, [&a[l], &b[l]], from);
        frame.feature[lane] = found.at.feature;
    }
    found
}

/// Poses of four bodies at the end.
pub fn poses_of(ends: [&End; HALF]) -> [Pose; HALF] {
    [ends[0].pose(), ends[1].pose(), ends[2].pose(), ends[3].pose()]
}

/// A vector of each of four contacts.
#[inline(always)]
fn vector<S: Simd>(s: S, of: [[f64; 3]; HALF]) -> Vector<Four<S>> {
    let [a, b, c, d] = of;
    [
        Four::of(s, [a[0], b[0], c[0], d[0]]),
        Four::of(s, [a[1], b[1], c[1], d[1]]),
        Four::of(s, [a[2], b[2], c[2], d[2]]),
    ]
}

impl<S: Simd> Sides<S> {
    /// Geometry of half a batch at closest points that the caller found.
    #[inline(always)]
    pub fn contacts_at(&self, s: S, found: &[Closest; HALF], batch: &Batch, half: usize) -> Contacts<S> {
        let [a, b, c, d] = found;
        let n = vector(s, [a.at.normal, b.at.normal, c.at.normal, d.at.normal]);
        let arms = [
            vector(s, [a.arms[0], b.arms[0], c.arms[0], d.arms[0]]),
            vector(s, [a.arms[1], b.arms[1], c.arms[1], d.arms[1]]),
        ];
        let gap = Four::of(s, [felt(a), felt(b), felt(c), felt(d)]);
        let t = carried_tangent(n, half_vectors(s, &batch.tangent, half));
        let surface =
            [0, 1].map(|k: usize| vector(s, [a.surface[k], b.surface[k], c.surface[k], d.surface[k]]));
        Contacts { surface, ..self.rows([n, t, cross(n, t)], gap, arms, Four::half(s, &batch.torsion, half)) }
    }
}

/// Gap as the rows see it (m).
fn felt(found: &Closest) -> f64 {
    if found.is_open { OPEN_GAP } else { found.gap }
}
