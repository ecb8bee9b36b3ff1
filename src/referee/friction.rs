//! Coulomb's law with an ellipsoid of friction at one recorded contact.
//!
//! In u = (p_t/e_t, p_o/e_o, p_r/e_r) and w = (e_t v_t, e_o v_o, e_r ω_n), B relative to A at the ECP at the
//! end of the step: u = Proj_{|·| ≤ μ p_n}(u − r_t w), 1/r_t the mean of the effective inverse masses of the
//! rows.

use super::judged_step::JudgedStep;
use super::patch::torsion_excess;
use super::rolling::judge_rolling;
use super::staggered::{Blend, tilted, turned};
use crate::step::ContactRecord;
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::{Friction, Torsion};

/// Length in the contact plane below which a direction of the ellipsoid lies along the normal: any tangent is
/// right.
const ALONG_NORMAL: f64 = 1e-8;
/// Length of the direction in the contact plane below which e_t and e_o draw together (theory §2.5).
const RISING: f64 = 0.1;

/// Findings of the referee on friction at one contact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FrictionFinding {
    /// Natural map |u − Proj(u − r_t w)| in the unit of the contact.
    pub natural_map: f64,
    /// Friction impulse out of the contact plane, torsion over the smaller size where e_r = 0, or μ p_n times
    /// the error of the recorded e_r over that size, in the same unit.
    pub misplaced: f64,
    /// Lost dissipation u·w + μ p_n |w| (W s): the ellipsoid would have allowed it, but it did not happen.
    pub lost_dissipation: f64,
    /// Normal work p_n v_n (W s): positive when curvature opens the contact at the end of the step.
    pub normal_work: f64,
    /// Work done through the contact by a body with prescribed motion, and by a surface that runs over its
    /// body (J).
    pub driven_work: f64,
    /// Work (J) that a natural map of one unit of impulse could do at the contact: |w| + μ p_n / r_t, in J
    /// per N s.
    pub work_per_residual: f64,
    /// Length |u| of the friction impulse (N s).
    pub length: f64,
    /// Bound μ p_n (N s).
    pub bound: f64,
    /// Slip speed |w| as recorded (m/s); for a contact that stops sliding with the slip that it keeps.
    pub slip_speed: f64,
}

/// Friction in the axes of its ellipsoid.
struct FrictionFrame {
    /// Unit normal and tangents at the instant at which slip is measured.
    n: Vector3<f64>,
    t: Vector3<f64>,
    o: Vector3<f64>,
    /// Arms from the centres of mass of A and B at that instant (m).
    arms: [Vector3<f64>; 2],
    /// The friction impulse in the plane of slip (N s).
    impulse: Vector3<f64>,
    /// Parts of the impulse along t and o, each in the frame of its own instant where the frame is a body's
    /// (N s).
    parts: [f64; 2],
}

impl FrictionFrame {
    fn new(friction: &Friction, contact: &ContactRecord, force: &Blend, step: &JudgedStep<'_>) -> Self {
        let slip = Blend::of_slip(contact, step.scene, [step.before, step.after]);
        let n = slip.normal;
        let impulse = match contact.acting {
            Some(_) => tilted(&contact.friction_impulse, &force.normal, &n),
            None => contact.friction_impulse,
        };
        let [direction_of_force, direction_of_slip] =
            [force, &slip].map(|at| friction_direction(friction, at, contact, step));
        let t = direction_of_slip.unwrap_or_else(|| along(&impulse, &n));
        let o = n.cross(&t);
        let parts = match direction_of_force {
            Some(t) => [t, force.normal.cross(&t)].map(|d| contact.friction_impulse.dot(&d)),
            None => [impulse.dot(&t), impulse.dot(&o)],
        };
        Self { n, t, o, arms: slip.arms, impulse, parts }
    }
}

/// Judges friction at one contact with the given unit (N s); `emphasis` multiplies the step size of slip.
pub fn judge_friction(
    contact: &ContactRecord,
    step: &JudgedStep<'_>,
    unit: f64,
    emphasis: f64,
) -> FrictionFinding {
    let mut finding = FrictionFinding::default();
    let (i, j) = (contact.body_a, contact.body_b);
    let [of_a, of_b] = step.scene.materials_of([i, j], [contact.part_a, contact.part_b]);
    let friction = step.scene.friction.between(of_a, of_b);
    let [e_t, e_o] = semi_axes(friction, contact, step);
    let e_r = match friction.torsional {
        Torsion::Radius(radius) => radius,
        Torsion::Patch => {
            let off = torsion_excess(contact, step);
            raise(&mut finding.misplaced, friction.coefficient * contact.normal_impulse.max(0.0) * off);
            contact.torsional_radius
        }
    };
    let force = Blend::of_force(contact, step.scene, [step.before, step.after]);
    raise(&mut finding.misplaced, force.normal.dot(&contact.friction_impulse).abs());
    let frame = FrictionFrame::new(friction, contact, &force, step);
    let v = take_works(&mut finding, contact, &frame, step);
    let FrictionFrame { n, t, o, parts: [f_t, f_o], .. } = frame;

    let (mut u, mut w) = (Vector3::new(f_t / e_t, f_o / e_o, 0.0), Vector3::zeros());
    (w.x, w.y) = (e_t * v.linear.dot(&t), e_o * v.linear.dot(&o));
    let mut rows = e_t * e_t * step.compliance(contact, &t) + e_o * e_o * step.compliance(contact, &o);
    if e_r > 0.0 {
        u.z = contact.torsional_impulse / e_r;
        w.z = e_r * n.dot(&v.angular);
        let inverse = step.bodies[i].inverse_inertia + step.bodies[j].inverse_inertia;
        rows = (rows + e_r * e_r * n.dot(&(inverse * n))) / 3.0;
    } else {
        raise(&mut finding.misplaced, contact.torsional_impulse.abs() / step.smaller_size(contact));
        rows /= 2.0;
    }
    finding.slip_speed = w.norm();
    if let Some(acting) = contact.acting {
        // A contact that stops sliding keeps some slip for a step; friction must oppose it.
        let push = t * u.x + o * u.y + n * u.z;
        let pushes_on = push.dot(&acting.last_slip).max(0.0) / acting.last_slip.norm().max(f64::MIN_POSITIVE);
        raise(&mut finding.misplaced, pushes_on);
        let (world, back) = (t * w.x + o * w.y + n * w.z - acting.last_slip, acting.turn * -0.5);
        let world = turned(&world, &back);
        w = Vector3::new(world.dot(&t), world.dot(&o), world.dot(&n));
        finding.slip_speed = (world + acting.last_slip).norm();
    }
    let radius = friction.coefficient * contact.pressing().max(0.0);
    let argument = u - w * (emphasis / rows);
    let length = argument.norm();
    let projected = if length <= radius { argument } else { argument * (radius / length) };
    finding.natural_map = (u - projected).norm() / unit;
    finding.misplaced /= unit;
    (finding.length, finding.bound) = (u.norm(), radius);
    finding.lost_dissipation = u.dot(&w) + radius * w.norm();
    finding.work_per_residual = w.norm() + radius * rows;
    let rolling = judge_rolling(contact, friction.rolling, &v.angular, step, emphasis);
    raise(&mut finding.natural_map, rolling.natural_map / unit);
    raise(&mut finding.misplaced, rolling.misplaced / unit);
    finding.work_per_residual += rolling.work_per_residual;
    finding
}

/// Records the work of the normal impulse, of all impulses on bodies with prescribed motion, and of friction
/// on surfaces that run over their body. Returns the relative velocity of the surfaces at the contact.
fn take_works(
    finding: &mut FrictionFinding,
    contact: &ContactRecord,
    frame: &FrictionFrame,
    step: &JudgedStep<'_>,
) -> Velocity {
    let (i, j, n, p_n) = (contact.body_a, contact.body_b, frame.n, contact.normal_impulse);
    let bodies = [i, j].map(|k| step.after.velocities[k]);
    let bodies = [0, 1].map(|side| bodies[side].about(&frame.arms[side]));
    finding.normal_work = p_n * n.dot(&(bodies[1].linear - bodies[0].linear));
    let rolling = &contact.rolling_impulse;
    let work = |force: &Vector3<f64>, v: &Velocity| {
        force.dot(&v.linear) + contact.torsional_impulse * n.dot(&v.angular) + rolling.dot(&v.angular)
    };
    let mut relative = Velocity {
        linear: bodies[1].linear - bodies[0].linear,
        angular: bodies[1].angular - bodies[0].angular,
    };
    let parts = step.parts_of(contact);
    for (side, (k, sign)) in [(i, -1.0), (j, 1.0)].into_iter().enumerate() {
        if !step.bodies[k].moving {
            finding.driven_work -= sign * work(&(n * p_n + frame.impulse), &bodies[side]);
        }
        if let Some(surface) = parts[side].surface {
            let runs = surface.about(&frame.arms[side]);
            finding.driven_work -= sign * work(&frame.impulse, &runs);
            relative.linear += runs.linear * sign;
            relative.angular += runs.angular * sign;
        }
    }
    relative
}

/// Semi-axes e_t and e_o at the end of the step. A friction direction that rises out of the contact plane has
/// less of a direction in it the steeper it is: m + (3 u² − 2 u³)(e − m) with the mean m and u the length of
/// its projection over 0.1.
fn semi_axes(friction: &Friction, contact: &ContactRecord, step: &JudgedStep<'_>) -> [f64; 2] {
    let [e_t, e_o] = friction.tangential;
    let Some(direction) = friction.direction else { return [e_t, e_o] };
    let world = step.after.poses[direction_owner(friction, contact, step)].orientation * direction;
    let u = (world.cross(&contact.normal).norm() / RISING).min(1.0);
    let apart = 0.5 * (e_t - e_o) * (3.0 - 2.0 * u) * u * u;
    let mean = 0.5 * (e_t + e_o);
    [mean + apart, mean - apart]
}

/// Body that carries the direction of the ellipsoid.
fn direction_owner(friction: &Friction, contact: &ContactRecord, step: &JudgedStep<'_>) -> usize {
    let owned_by_a =
        step.scene.bodies[contact.body_a].parts[contact.part_a].material == friction.direction_owner;
    if owned_by_a { contact.body_a } else { contact.body_b }
}

/// Unit tangent t that e_t belongs to, carried by a body, at a blend of the start and the end of the step;
/// None where the law leaves the tangent open (e_t = e_o, or a direction along the normal).
fn friction_direction(
    friction: &Friction,
    at: &Blend,
    contact: &ContactRecord,
    step: &JudgedStep<'_>,
) -> Option<Vector3<f64>> {
    let direction = friction.direction.filter(|_| friction.tangential[0] != friction.tangential[1])?;
    let owner = direction_owner(friction, contact, step);
    let flat = |v: Vector3<f64>, n: &Vector3<f64>| (v - n * n.dot(&v)).try_normalize(ALONG_NORMAL);
    let end = flat(step.after.poses[owner].orientation * direction, &contact.normal)?;
    let Some(acting) = contact.acting else { return Some(end) };
    let start = flat(step.before.poses[owner].orientation * direction, &acting.normal)?;
    flat(start * (1.0 - at.fraction) + end * at.fraction, &at.normal)
}

/// Tangent along the friction impulse, which is fair where any tangent is right.
fn along(f: &Vector3<f64>, n: &Vector3<f64>) -> Vector3<f64> {
    (f - n * n.dot(f)).try_normalize(f64::MIN_POSITIVE).unwrap_or_else(|| {
        let axis = if n.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        n.cross(&axis).normalize()
    })
}
