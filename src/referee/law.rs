//! The contact law of one recorded contact: 0 ≤ p_n ⊥ gap ≥ 0, the friction ellipsoid, and whether the
//! recorded point, normal and gap are those of the two surfaces.

use super::bodies::{Judged, Scales};
use super::cones::touch;
use super::gap::signed_gap;
use super::placed::{PlacedShape, separation_along};
use super::staggered::{Blend, tilted, turned};
use crate::math::raise;
use crate::scene::{Friction, Scene, State};
use crate::step::ContactRecord;
use nalgebra::Vector3;

/// An atom at the end of a patch yields up to about this many times as much as the contact point in its middle.
const ATOM_GAP: f64 = 20.0;

/// Pairs of edges that are searched for every contact: two polytopes of 30 edges each.
const FEW_EDGES: usize = 900;

/// What the referee found at one contact. Impulses in N s, not yet scaled by p_ref.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactFinding {
    /// The referee's own signed gap (m).
    pub gap: f64,
    /// |min(p_n, r_n gap / h)|.
    pub complementarity: f64,
    /// r_n |recorded gap − own gap| / h, counted beyond 1e-9 of the size when p_n > 0.
    pub gap_record: f64,
    /// Angle (rad) between the recorded normal and the surface normals at the ECP, and distance of the
    /// ECP from the surfaces over L, beyond what the gap explains; times p_n / max(p_ref, p_n).
    pub geometry: f64,
    /// |u − Proj(u − r_t w)|.
    pub natural_map: f64,
    /// Friction impulse out of the contact plane, or torsion / L where e_r = 0.
    pub misplaced: f64,
    /// u·w + μ p_n |w| (W s): dissipation that the ellipsoid would have allowed but did not happen.
    pub lost_dissipation: f64,
    /// p_n v_n (W s): positive when curvature opens the contact at the end of the step.
    pub normal_work: f64,
    /// Work done by a body with prescribed motion through the contact (J).
    pub driven_work: f64,
    /// Work (J) that a natural map of one unit of impulse could do here: |w| + μ p_n / r_t, in J per N s.
    pub work_per_residual: f64,
}

/// The referee's own gap of a pair, and its normal, from A to B; `allowed` (m) is the gap that passes as closed.
///
/// The recorded normal is only a certificate: any direction bounds the gap from below, with equality at
/// the common normal. The search runs when the bound alone would show an overlap: between flat bodies already one
/// of the tolerance, for a small tilt lowers the bound in proportion there. Between polytopes of few edges it is cheap
/// and always runs: a vertex beside the face that it is said to press on has a bound of 0 and a gap above.
pub(crate) fn own_gap(a: &Judged, b: &Judged, recorded: &Vector3<f64>, allowed: f64) -> f64 {
    if let (PlacedShape::Polytope(p), PlacedShape::Polytope(q)) = (&a.placed, &b.placed)
        && p.shape.edges.len() * q.shape.edges.len() <= FEW_EDGES
    {
        return signed_gap(&a.placed, &b.placed, None).0;
    }
    if matches!(a.placed, PlacedShape::HalfSpace { .. }) || matches!(b.placed, PlacedShape::HalfSpace { .. })
    {
        return signed_gap(&a.placed, &b.placed, None).0;
    }
    let n = recorded.normalize();
    let bound = separation_along(&a.placed, &b.placed, &n);
    let deep = 1e-10 * a.size.min(b.size);
    let deep = if is_flat(a) || is_flat(b) { deep.min(0.25 * allowed) } else { deep };
    if bound < -deep { signed_gap(&a.placed, &b.placed, Some(&n)).0 } else { bound }
}

fn is_flat(body: &Judged) -> bool {
    matches!(body.placed, PlacedShape::Polytope(_) | PlacedShape::Cylinder(_))
}

/// The unit tangent t that e_t belongs to, carried by a body, at a blend of the start and the end of the step; None where the
/// law leaves it open (e_t = e_o, or a direction along the normal).
fn grain(
    friction: &Friction,
    at: &Blend,
    contact: &ContactRecord,
    scene: &Scene,
    [before, after]: [&State; 2],
) -> Option<Vector3<f64>> {
    let direction = friction.direction.filter(|_| friction.tangential[0] != friction.tangential[1])?;
    let owned_by_a = scene.bodies[contact.body_a].material == friction.direction_owner;
    let owner = if owned_by_a { contact.body_a } else { contact.body_b };
    let flat = |v: Vector3<f64>, n: &Vector3<f64>| (v - n * n.dot(&v)).try_normalize(1e-8);
    let end = flat(after.poses[owner].orientation * direction, &contact.normal)?;
    let Some(acting) = contact.acting else { return Some(end) };
    let start = flat(before.poses[owner].orientation * direction, &acting.normal)?;
    flat(start * (1.0 - at.share) + end * at.share, &at.normal)
}

/// Where any tangent will do, the one along the friction impulse cannot be unfair.
fn along(f: &Vector3<f64>, n: &Vector3<f64>) -> Vector3<f64> {
    (f - n * n.dot(f)).try_normalize(f64::MIN_POSITIVE).unwrap_or_else(|| {
        let axis = if n.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        n.cross(&axis).normalize()
    })
}

/// Judges one contact. `after` is the state at the end of a step of h seconds.
pub fn judge_contact(
    contact: &ContactRecord,
    scene: &Scene,
    bodies: &[Judged],
    [before, after]: [&State; 2],
    scales: &Scales,
) -> ContactFinding {
    let h = scene.time_step;
    let (a, b) = (&bodies[contact.body_a], &bodies[contact.body_b]);
    let arms = [contact.body_a, contact.body_b].map(|i| contact.ecp - after.poses[i].position);
    let compliance = |d: &Vector3<f64>| a.compliance(&arms[0], d) + b.compliance(&arms[1], d);
    let d_n = compliance(&contact.normal);
    // A gap that the tolerance of complementarity lets pass.
    let allowed = scene.solver.tolerance * scales.impulse * d_n * h;
    let mut finding = ContactFinding { gap: own_gap(a, b, &contact.normal, allowed), ..Default::default() };
    // The bound of a normal that is not the common one is less than the gap: a gap that is there would count as a fault of the
    // record.
    if contact.gap - finding.gap > 1e-9 * a.size.min(b.size) {
        finding.gap = signed_gap(&a.placed, &b.placed, Some(&contact.normal)).0;
    }
    if d_n == 0.0 {
        return finding; // two fixed bodies: no impulse means anything to them
    }
    let p_n = contact.normal_impulse;
    finding.complementarity = p_n.min(finding.gap / (d_n * h)).abs();
    // f64::min prefers the number over the NaN.
    if p_n.is_nan() || finding.gap.is_nan() {
        finding.complementarity = f64::NAN;
    }
    if p_n != 0.0 {
        let off = (contact.gap - finding.gap).abs();
        if off.is_nan() || off > 1e-9 * a.size.min(b.size) {
            finding.gap_record = off / (d_n * h);
        }
        finding.geometry = geometry_fault(contact, a, b, finding.gap, allowed, scales.length) * p_n.abs()
            / scales.impulse.max(p_n.abs());
    }
    let acting = [Blend::of_force(contact, before, after), Blend::of_slip(contact, before, after)];
    judge_friction(&mut finding, contact, &acting, scene, bodies, [before, after], scales, compliance);
    finding
}

/// Normal and ECP against the two surfaces, beyond what the gap between the closest points explains. Of a patch, the
/// point must be on both bodies and the normal in both normal cones.
fn geometry_fault(
    contact: &ContactRecord,
    a: &Judged,
    b: &Judged,
    gap: f64,
    allowed: f64,
    length: f64,
) -> f64 {
    // The place of the ECP is known to the closest-point tolerance and to rounding; that of a patch is a mean of atoms
    // whose own gaps may be open to the tolerance, at its ends by more than at the ECP.
    let patch = if is_flat(a) || is_flat(b) { ATOM_GAP * allowed } else { 0.0 };
    let loose = gap.abs() + patch + 1e-12 * length + 8.0 * f64::EPSILON * contact.ecp.amax();
    let touches = [(a, 1.0), (b, -1.0)]
        .map(|(body, sign)| touch(&body.placed, &contact.ecp, &(contact.normal * sign), loose, body.size));
    // The room on one body bounds the patch on the other too.
    let flat = touches.iter().map(|t| t.explained).fold(0.0, f64::max);
    let mut fault = 0.0;
    for (body, found) in [a, b].into_iter().zip(touches) {
        let explained = if is_flat(body) { flat } else { found.explained };
        raise(&mut fault, found.tilt - explained);
        raise(&mut fault, (found.distance.abs() - 2.0 * loose) / length);
    }
    fault
}

/// Friction in u = (p_t/e_t, p_o/e_o, p_r/e_r) and w = (e_t v_t, e_o v_o, e_r ω_n), B relative to A at the
/// ECP at the end of the step: u = Proj_{|·| ≤ μ p_n}(u − r_t w), 1/r_t the mean of the effective inverse
/// masses of the rows.
fn judge_friction(
    finding: &mut ContactFinding,
    contact: &ContactRecord,
    [force, slip]: &[Blend; 2],
    scene: &Scene,
    bodies: &[Judged],
    states: [&State; 2],
    scales: &Scales,
    compliance: impl Fn(&Vector3<f64>) -> f64,
) {
    let (i, j) = (contact.body_a, contact.body_b);
    let friction = scene.friction.between(scene.bodies[i].material, scene.bodies[j].material);
    let ([e_t, e_o], e_r) = (friction.tangential, friction.torsional);
    let n = slip.normal;
    raise(&mut finding.misplaced, force.normal.dot(&contact.friction_impulse).abs());
    // Friction in the plane in which slip is measured.
    let f = match contact.acting {
        Some(_) => tilted(&contact.friction_impulse, &force.normal, &n),
        None => contact.friction_impulse,
    };
    let [grain_of_force, grain_of_slip] = [force, slip].map(|at| grain(friction, at, contact, scene, states));
    let t = grain_of_slip.unwrap_or_else(|| along(&f, &n));
    let o = n.cross(&t);
    // Each in the frame of its own instant where the frame is a body's.
    let [f_t, f_o] = match grain_of_force {
        Some(t) => [t, force.normal.cross(&t)].map(|d| contact.friction_impulse.dot(&d)),
        None => [f.dot(&t), f.dot(&o)],
    };
    let after = states[1];
    let point_velocity = |k: usize| {
        let velocity = &after.velocities[k];
        velocity.linear + velocity.angular.cross(&slip.arms[usize::from(k == j)])
    };
    let v = point_velocity(j) - point_velocity(i);
    let spin = n.dot(&(after.velocities[j].angular - after.velocities[i].angular));
    let p_n = contact.normal_impulse;
    finding.normal_work = p_n * n.dot(&v);
    let pushed = |k: usize| {
        let force = n * p_n + f;
        force.dot(&point_velocity(k)) + contact.torsional_impulse * n.dot(&after.velocities[k].angular)
    };
    if !bodies[i].moving {
        finding.driven_work += pushed(i);
    }
    if !bodies[j].moving {
        finding.driven_work -= pushed(j);
    }

    let (mut u, mut w) = (Vector3::new(f_t / e_t, f_o / e_o, 0.0), Vector3::zeros());
    (w.x, w.y) = (e_t * v.dot(&t), e_o * v.dot(&o));
    let mut rows = e_t * e_t * compliance(&t) + e_o * e_o * compliance(&o);
    if e_r > 0.0 {
        u.z = contact.torsional_impulse / e_r;
        w.z = e_r * spin;
        let inverse = bodies[i].inverse_inertia + bodies[j].inverse_inertia;
        rows = (rows + e_r * e_r * n.dot(&(inverse * n))) / 3.0;
    } else {
        raise(&mut finding.misplaced, contact.torsional_impulse.abs() / scales.length);
        rows /= 2.0;
    }
    if let Some(acting) = contact.acting {
        // Where it stops sliding it keeps some slip for a step; friction must oppose it.
        let push = t * u.x + o * u.y + n * u.z;
        let pushes_on = push.dot(&acting.last_slip).max(0.0) / acting.last_slip.norm().max(f64::MIN_POSITIVE);
        raise(&mut finding.misplaced, pushes_on);
        let (world, back) = (t * w.x + o * w.y + n * w.z - acting.last_slip, acting.turn * -0.5);
        let world = turned(&world, &back);
        w = Vector3::new(world.dot(&t), world.dot(&o), world.dot(&n));
    }
    let radius = friction.coefficient * p_n.max(0.0);
    let argument = u - w / rows;
    let length = argument.norm();
    let projected = if length <= radius { argument } else { argument * (radius / length) };
    finding.natural_map = (u - projected).norm();
    finding.lost_dissipation = u.dot(&w) + radius * w.norm();
    finding.work_per_residual = w.norm() + radius * rows;
}
