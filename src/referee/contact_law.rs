//! The contact law of one recorded contact: 0 ≤ p_n + h F_c ⊥ gap ≥ 0, the friction ellipsoid, and whether
//! the recorded point, normal and gap are those of the two surfaces.

use super::cohesion::cohesion_error;
use super::friction::{FrictionFinding, judge_friction};
use super::gap::signed_gap;
use super::image::displacement;
use super::judged_step::JudgedStep;
use super::normal_cone::check_point;
use super::part_in_step::PartInStep;
use super::placed::{PlacedShape, separation_along};
use super::seams::seam_fault;
use crate::step::ContactRecord;
use nalgebra::Vector3;
use signorini_kernels::math::raise;

/// A recorded gap is the referee's when they differ by at most this fraction of the size of the smaller body.
const SAME_GAP: f64 = 1e-9;

/// Overlap from which the gap is searched for, as a fraction of the size of the smaller body: a separation
/// this much below 0 may be an overlap.
const OVERLAP: f64 = 1e-10;

/// Ratio by which a contact point at the end of a manifold yields more than one in its middle, at most about.
pub const END_GAP: f64 = 20.0;

/// Number of pairs of edges that are searched for every contact: two polytopes of 30 edges each.
const FEW_EDGES: usize = 900;

/// Findings of the referee at one contact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactFinding {
    /// The referee's own signed gap (m).
    pub gap: f64,
    /// Gap (m) up to which contact points of a record may be open: one of the tolerance with the mass of
    /// the pair. Complementarity asks for less where a body carries more.
    pub allowed: f64,
    /// Unit u of the contact (N s).
    pub unit: f64,
    /// Violation |min((p_n + h F_c) / u, s r_n gap / (h u_g))| with u_g of the gap and the emphasis s, and
    /// the error of h F_c over u.
    pub complementarity: f64,
    /// Error of the record r_n |recorded gap − own gap| / (h u_g), counted beyond [`SAME_GAP`] when p_n > 0.
    pub gap_record: f64,
    /// Angle (rad) between the recorded normal and the surface normals at the ECP, and distance of the
    /// ECP from the surfaces over the smaller size, beyond what the gap explains; times p_n / u.
    pub geometry: f64,
    /// Friction at the contact point.
    pub friction: FrictionFinding,
}

/// Returns the referee's own gap of a pair; `allowed` (m) is the gap that passes as closed.
///
/// The recorded normal is only a certificate: any direction bounds the gap from below, with equality at the
/// common normal. The search runs when the bound alone would show an overlap: between flat bodies already one
/// of the tolerance, for a small tilt lowers their bound in proportion. Between polytopes of few edges the
/// search is cheap and always runs: a vertex beside the face that it is recorded to press on has a bound of 0
/// and a gap above.
/// above.
pub fn own_gap(a: &PartInStep, b: &PartInStep, recorded: &Vector3<f64>, allowed: f64) -> f64 {
    if let (PlacedShape::Polytope(p), PlacedShape::Polytope(q)) = (&a.placed, &b.placed)
        && p.shape.edges.len() * q.shape.edges.len() <= FEW_EDGES
    {
        return signed_gap(&a.placed, &b.placed, None).0;
    }
    if matches!(a.placed, PlacedShape::HalfSpace { .. }) || matches!(b.placed, PlacedShape::HalfSpace { .. })
    {
        return signed_gap(&a.placed, &b.placed, None).0;
    }
    if matches!(a.placed, PlacedShape::Bore(_)) || matches!(b.placed, PlacedShape::Bore(_)) {
        return signed_gap(&a.placed, &b.placed, Some(recorded)).0;
    }
    let n = recorded.normalize();
    let bound = separation_along(&a.placed, &b.placed, &n);
    let deep = OVERLAP * a.size.min(b.size);
    let deep = if is_flat(a) || is_flat(b) { deep.min(0.25 * allowed) } else { deep };
    if bound < -deep { signed_gap(&a.placed, &b.placed, Some(&n)).0 } else { bound }
}

fn is_flat(body: &PartInStep) -> bool {
    matches!(body.placed, PlacedShape::Polytope(_) | PlacedShape::Cylinder(_) | PlacedShape::Capsule(_))
}

/// Judges one contact at the end of a step.
pub fn judge_contact(contact: &ContactRecord, step: &JudgedStep<'_>) -> ContactFinding {
    let (h, ids) = (step.scene.time_step, [contact.body_a, contact.body_b]);
    let [a, b] = step.parts_of(contact);
    let d_n = step.compliance(contact, &contact.normal);
    let unit = step.unit_between(ids, d_n);
    // Both lengths are gaps of one unit, of the pair and of the body for which a gap counts most.
    let wide = step.gap_unit_between(ids, d_n) * d_n * h;
    let allowed = step.scene.solver.tolerance * wide;
    let closed = step.closed_gap(ids, d_n);
    let gap = own_gap(&a, &b, &contact.normal, step.scene.solver.tolerance * closed);
    let mut finding = ContactFinding { gap, allowed, unit, ..Default::default() };
    let same = SAME_GAP * a.size.min(b.size);
    // A normal that is not the common one bounds the gap from below. That bound would make the true gap a
    // fault of the record.
    if contact.gap - finding.gap > same {
        finding.gap = signed_gap(&a.placed, &b.placed, Some(&contact.normal)).0;
    }
    if d_n == 0.0 {
        return finding; // two fixed bodies: impulses have no effect
    }
    let p_n = contact.pressing();
    finding.complementarity = (p_n / unit).min(finding.gap / closed).abs();
    // The function f64::min prefers the number over the NaN.
    if p_n.is_nan() || finding.gap.is_nan() {
        finding.complementarity = f64::NAN;
    }
    raise(&mut finding.complementarity, cohesion_error(contact, step) / unit);
    let load = p_n.abs() + contact.cohesion_impulse.abs();
    if load != 0.0 {
        let off = (contact.gap - finding.gap).abs();
        if off.is_nan() || off > same {
            finding.gap_record = off / wide;
        }
        let size = step.smaller_size(contact);
        let loose = loose_by(contact, [&*a, &*b], finding.gap, allowed, size);
        let fault = geometry_fault(contact, [&*a, &*b], loose, size).max(seams(contact, step, loose));
        finding.geometry = fault * load / unit;
    }
    finding.friction = judge_friction(contact, step, unit, step.emphasis(ids, d_n));
    finding
}

/// Distance (m) to which the place of a contact point is known: to the closest-point tolerance and to
/// rounding. The place of a manifold is a mean of points whose own gaps may be open to the tolerance, at its
/// ends by more than at the ECP.
fn loose_by(contact: &ContactRecord, [a, b]: [&PartInStep; 2], gap: f64, allowed: f64, length: f64) -> f64 {
    let manifold = if is_flat(a) || is_flat(b) { END_GAP * allowed } else { 0.0 };
    gap.abs() + manifold + 1e-12 * length + 8.0 * f64::EPSILON * contact.ecp.amax()
}

/// Fault of normal and ECP against the two surfaces, beyond the part due to the gap between the closest
/// points. The point of a manifold must be on both bodies and its normal in both normal cones.
fn geometry_fault(contact: &ContactRecord, [a, b]: [&PartInStep; 2], loose: f64, length: f64) -> f64 {
    let touches = [(a, 1.0), (b, -1.0)].map(|(body, sign)| {
        check_point(&body.placed, &contact.ecp, &(contact.normal * sign), loose, body.size)
    });
    // The room on one body bounds the manifold on the other too.
    let flat = touches.iter().map(|t| t.explained).fold(0.0, f64::max);
    let mut fault = 0.0;
    for (body, found) in [a, b].into_iter().zip(touches) {
        let explained = if is_flat(body) { flat } else { found.explained };
        raise(&mut fault, found.tilt - explained);
        raise(&mut fault, (found.distance.abs() - 2.0 * loose) / length);
    }
    fault
}

/// Fault of the normal against the unions that the two bodies are.
fn seams(contact: &ContactRecord, step: &JudgedStep<'_>, loose: f64) -> f64 {
    let of_a = (&contact.ecp, &contact.normal);
    let of_b = (&(contact.ecp - displacement(step.scene, contact.image)), &-contact.normal);
    let fault = |id: usize, part: usize, at| {
        let body = &step.bodies[id];
        if body.parts.len() == 1 {
            0.0
        } else {
            seam_fault((&body.parts, body.neighbours()), part, at, loose)
        }
    };
    fault(contact.body_a, contact.part_a, of_a).max(fault(contact.body_b, contact.part_b, of_b))
}
