//! Check of the columns of a contact.

use super::torsion::torsion_fault;
use super::touch::touch_fault;
use crate::referee::contact_law::{ContactFinding, END_GAP};
use crate::referee::gap::bore;
use crate::referee::judged_step::JudgedStep;
use crate::referee::normal_cone::check_point;
use crate::referee::part_in_step::PartInStep;
use crate::referee::placed::{PlacedShape, separation_along};
use crate::referee::verdict::TOLERANCES;
use crate::step::{ContactRecord, ContactState};
use nalgebra::Vector3;
use signorini_kernels::math::exceeds;
use signorini_scene::settings::Formulation;

/// Relative tolerance of lengths, over the size of the smaller body.
const SAME_LENGTH: f64 = 1e-8;
/// Tolerance of the length of a normal.
const UNIT: f64 = 1e-9;
/// Tolerance of slip speeds, as a fraction of the speeds of the bodies at the contact.
const SAME_SPEED: f64 = 1e-7;
/// Fractions of its bound up to which friction sticks, and from which it slips; between them either word is
/// right.
const STICK_FRACTIONS: [f64; 2] = [1.0 - 2e-8, 1.0 - 5e-10];
/// Distance of the recorded point of features that are apart, at most, in radii of the ball that holds the
/// smaller body: the point is a mean.
const FEATURE: f64 = 2.0;
/// Distance of the recorded point of loaded features, at most, in sizes of the smaller body: ends of a
/// manifold may be open. Smaller faults are judged by the contact law.
const LOADED_FEATURE: f64 = 1e-4;
/// Largest difference of unit vectors.
const OPPOSITE: f64 = 2.0;
/// Fraction of the unit of the contact up to which a normal impulse may count as none.
const OPEN: f64 = 1e-11;

/// Adds the faults of a contact, given the findings on it.
pub fn check_contact(
    contact: &ContactRecord,
    found: &ContactFinding,
    step: &JudgedStep<'_>,
    faults: &mut Vec<String>,
) {
    let length = contact.normal.norm();
    if exceeds((length - 1.0).abs(), UNIT) {
        faults.push(format!("the normal has length {length:e}"));
        return;
    }
    faults.extend(state_fault(contact, found, step));
    let parts = step.parts_of(contact);
    let has_manifold = step.scene.solver.formulation != Formulation::Literal;
    faults.extend(touch_fault(contact, [&*parts[0], &*parts[1]], has_manifold));
    faults.extend(torsion_fault(contact, [&*parts[0], &*parts[1]], step));
    faults.extend(gap_fault(contact, found, step));
    if step.scene.solver.formulation.is_exact() {
        faults.extend(point_fault(contact, found, step));
        faults.extend(slip_fault(contact, found, step));
    }
}

/// Fault of the state `open`, `stick` or `slip`.
fn state_fault(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> Option<String> {
    let (p_n, state) = (contact.pressing(), contact.state);
    let said = state.as_str();
    if p_n <= 0.0 && state != ContactState::Open {
        return Some(format!("state = {said}, normal_impulse = {p_n:e}"));
    }
    if p_n > OPEN * found.unit && state == ContactState::Open {
        return Some(format!("state = {said}, normal_impulse = {p_n:e}"));
    }
    let (friction, bound) = (found.friction.length, found.friction.bound);
    if state == ContactState::Open || bound <= 0.0 {
        return None;
    }
    let fraction = friction / bound;
    // Friction on a polygon is inside the ellipsoid while it slips.
    let slips_inside = !step.scene.solver.formulation.is_exact();
    let is_wrong = match state {
        ContactState::Stick => fraction > STICK_FRACTIONS[1],
        _ => fraction < STICK_FRACTIONS[0] && !slips_inside,
    };
    is_wrong.then(|| format!("state = {said}, friction is {fraction} of its bound"))
}

/// Length (m) up to which lengths of a contact count as equal.
fn tolerance(contact: &ContactRecord, step: &JudgedStep<'_>) -> f64 {
    let [a, b] = step.parts_of(contact);
    SAME_LENGTH * a.size.min(b.size) + 16.0 * f64::EPSILON * contact.ecp.amax()
}

/// Separation (m) of the bodies along the recorded normal.
fn apart_along(contact: &ContactRecord, step: &JudgedStep<'_>) -> f64 {
    let [a, b] = step.parts_of(contact);
    let n = &contact.normal;
    // A half-space has one normal.
    let plane_gap = |normal: &Vector3<f64>, offset: f64, n: &Vector3<f64>, other: &PartInStep| {
        let center = other.placed.center().unwrap_or_default();
        let gap = normal.dot(&center) - offset - other.placed.support_width(&-normal);
        gap - (normal - n).norm() * other.size
    };
    match (&a.placed, &b.placed) {
        (PlacedShape::HalfSpace { normal, offset }, _) => plane_gap(normal, *offset, n, &b),
        (_, PlacedShape::HalfSpace { normal, offset }) => plane_gap(normal, *offset, &-n, &a),
        (PlacedShape::Bore(bore), q) => bore::gap_along(bore, q, n),
        (q, PlacedShape::Bore(bore)) => bore::gap_along(bore, q, &-n),
        (p, q) => separation_along(p, q, n),
    }
}

/// Fault of the gap, which must be the distance along the normal: of two bodies with flat faces that are
/// apart along any axis that separates them, else along the common normal.
fn gap_fault(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> Option<String> {
    // Where contact points of a manifold are closed to the tolerance only, the recorded gap is a mean.
    let (gap, same) = (contact.gap, tolerance(contact, step) + found.allowed);
    let is_exact = step.scene.solver.formulation.is_exact();
    let is_bound = contact.pressing() <= 0.0 && has_features(contact, step);
    let off = if is_bound { gap - found.gap } else { (gap - found.gap).abs() };
    if exceeds(off, same) {
        return Some(format!("gap = {gap:e}, found {:e}", found.gap));
    }
    // The other models record the normal of the start.
    let along = if is_exact { apart_along(contact, step) } else { gap };
    exceeds((along - gap).abs(), same + open_at_ends(contact, found, step) + leaning(contact, found, step))
        .then(|| format!("gap = {gap:e}, along the normal the bodies are {along:e} m apart"))
}

/// Gap (m) up to which contact points may be open where the contact passes as closed: those at the ends of a
/// manifold by more than the equivalent contact point.
fn open_at_ends(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> f64 {
    if has_features(contact, step) { END_GAP * found.allowed } else { found.allowed }
}

/// Length (m) by which bodies with features may extend beyond the plane of a normal that leans as far as the
/// contact law accepts: that angle times their extent from the contact point (theory §10.2).
fn leaning(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> f64 {
    let load = contact.pressing();
    if load <= 0.0 || !has_features(contact, step) {
        return 0.0;
    }
    let extent = |part: &PartInStep| {
        // The plane of a half-space is compared along its own normal, and a bore is as far along all.
        let is_bore = matches!(part.placed, PlacedShape::Bore(_));
        let center = part.placed.center().filter(|_| !is_bore);
        center.map_or(0.0, |center| (contact.ecp - center).norm() + part.placed.radius())
    };
    let [a, b] = step.parts_of(contact);
    let lean = TOLERANCES * step.scene.solver.tolerance * found.unit / load;
    lean.min(OPPOSITE) * (extent(&a) + extent(&b))
}

/// Whether faces, edges and corners of both bodies decide about their contact.
fn has_features(contact: &ContactRecord, step: &JudgedStep<'_>) -> bool {
    step.parts_of(contact).iter().all(|part| !matches!(part.placed, PlacedShape::Ellipsoid(_)))
}

/// Fault of the point, which must be no farther from either body than the gap, or, of features, than their
/// size.
fn point_fault(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> Option<String> {
    let [a, b] = step.parts_of(contact);
    let extent = match (has_features(contact, step), contact.pressing() > 0.0) {
        (false, _) => 0.0,
        (true, false) => FEATURE * a.placed.radius().min(b.placed.radius()),
        // Farther off the contact law lets a load be that is within the tolerance of none.
        (true, true) => {
            let part = TOLERANCES * step.scene.solver.tolerance * found.unit / contact.pressing();
            part.clamp(LOADED_FEATURE, FEATURE) * a.size.min(b.size)
        }
    };
    let room = contact.gap.abs() + tolerance(contact, step) + open_at_ends(contact, found, step) + extent;
    for (body, way, name) in [(a, 1.0, "body_a"), (b, -1.0, "body_b")] {
        let off = check_point(&body.placed, &contact.ecp, &(contact.normal * way), room, body.size).distance;
        if exceeds(off.abs(), room) {
            return Some(format!("ecp is {off:e} m from the surface of {name}, gap = {:e}", contact.gap));
        }
    }
    None
}

/// Fault of the slip, which must be that of the recorded point on either body: of bodies that are apart the
/// points differ by the gap.
fn slip_fault(contact: &ContactRecord, found: &ContactFinding, step: &JudgedStep<'_>) -> Option<String> {
    let [a, b] = [contact.body_a, contact.body_b];
    if !step.bodies[a].moving && !step.bodies[b].moving {
        return None;
    }
    // Slip is checked where friction opposes it.
    let materials = step.scene.materials_of([a, b], [contact.part_a, contact.part_b]);
    let has_friction = step.scene.friction.between(materials[0], materials[1]).coefficient > 0.0;
    if !has_friction && contact.slip_speed == 0.0 {
        return None;
    }
    let parts = step.parts_of(contact);
    let runs = |id: usize| parts[usize::from(id == b)].surface.unwrap_or_default();
    let spin = |id: usize| step.after.velocities[id].angular.norm() + runs(id).angular.norm();
    let arms = step.arms(contact);
    let speed = |id: usize| {
        let arm = arms[usize::from(id == b)];
        step.after.velocities[id].linear.norm() + runs(id).linear.norm() + spin(id) * arm.norm()
    };
    let same = tolerance(contact, step);
    let [mut apart, size] =
        [contact.gap.abs() + open_at_ends(contact, found, step), step.smaller_size(contact)];
    if contact.pressing() <= 0.0 && has_features(contact, step) {
        apart += FEATURE * size;
    }
    let off = (contact.slip_speed - found.friction.slip_speed).abs();
    let allowed =
        SAME_SPEED * (speed(a) + speed(b)) + (apart + same) * (spin(a) + spin(b)) + f64::MIN_POSITIVE;
    exceeds(off, allowed)
        .then(|| format!("slip_speed = {:e}, found {:e}", contact.slip_speed, found.friction.slip_speed))
}
