//! The law of impact along the normals of contacts, and the energy of impacts (theory §13).
//!
//! ```text
//! Newton      0 ≤ Λ_n ⊥ u⁺ + s e u⁻ ≥ 0
//! Poisson     0 ≤ Λ_n ⊥ u_c ≥ 0 in the compression,   0 ≤ Λ_n − s e Λ_n(c) ⊥ u⁺ ≥ 0 in the expansion
//! ```
//! u⁻ is the velocity of arrival along the normal. s is 1, unless the whole rebound would raise the energy of
//! the step, ½ Λᵀ (u⁺ + u) + Σ (h f)ᵀ ((ν₀ + ν)/2 − v), with u of the velocities ν without any impulse, and v
//! those that led to q⁺; of an expansion u are those after the compression.

use super::bodies::BodyInStep;
use super::contact_law::ContactFinding;
use super::impact::{EnergyLedger, PositionPhase};
use super::judged_step::JudgedStep;
use super::part_in_step::PartInStep;
use super::placed::PlacedShape;
use super::recorded_step::RecordedStep;
use crate::step::{ContactRecord, JointRecord, Loads};
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::Scene;
use signorini_scene::scene::friction::ImpactLaw;

/// A pair strikes only if it approaches faster than its bodies are accelerated within so many steps.
const APPROACH_STEPS: f64 = 2.0;

/// Largest change of the energy in an impact with a reduced rebound, as a fraction of the work of its
/// impulses.
const ENERGY_KEPT: f64 = 1e-2;

/// Fraction of its rebound with which a contact that may rest leaves, at most, if it rests; within the
/// tolerance it rests, too.
const RESTING_FRACTION: f64 = 1e-3;

/// One contact in an impact, as the law of impact needs it.
#[derive(Debug, Clone, Copy)]
struct ImpactContact {
    /// Velocity u⁺ after the impact (m/s).
    velocity_after: f64,
    /// Rebound velocity −e u⁻ (m/s), 0 where the contact does not rebound.
    rebound: f64,
    /// Rebound velocity of the fastest point that the contact may have: where a pair touches in several
    /// points, each rebounds, and the contact stands for all.
    largest_rebound: f64,
    /// Whether the law may take the contact for one that does not rebound.
    may_rest: bool,
    /// Whether an impulse acts at the contact.
    carries_load: bool,
    /// Whether the law of impact binds the contact.
    is_closed: bool,
    /// Impulse (N s) of a contact by Poisson's law in an expansion, and e times that of the compression.
    expansion_impulses: Option<[f64; 2]>,
    /// Whether the contact may stand for several points: one may then leave while another is loaded.
    has_several_points: bool,
    /// Change of u⁺ per unit of impulse (m/s per N s), over the emphasis of velocities.
    compliance: f64,
    /// Weight 1/`compliance`, in units of the contact.
    weight: f64,
}

/// Velocities of the bodies with which they approach, and with which the position phase led them to q⁺.
#[derive(Debug, Clone, Copy)]
pub struct ImpactVelocities<'a> {
    pub approach: &'a [Velocity],
    pub to_end_poses: &'a [Velocity],
    pub phase: &'a PositionPhase<'a>,
}

/// Judges contacts of impacts. Returns their largest deviation from their laws, in their units, and the
/// energy balance of each island.
pub fn judge_normals(
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    found: &[ContactFinding],
    velocities: &ImpactVelocities<'_>,
) -> (f64, Vec<EnergyLedger>) {
    let n = velocities.phase.islands.iter().flatten().max().map_or(0, |most| most + 1);
    let mut ledgers = match velocities.phase.compression {
        Some(compression) => compression.ledgers.clone(),
        None => vec![EnergyLedger { energy_gain: 0.0, impulse_work: 0.0 }; n],
    };
    if velocities.phase.compression.is_none() {
        add_missed_work(step, judged, velocities, &mut ledgers);
    }
    let all: Vec<(usize, ImpactContact)> = step
        .contacts
        .iter()
        .zip(found)
        .filter_map(|(contact, finding)| {
            let k =
                [contact.body_a, contact.body_b].into_iter().find_map(|id| velocities.phase.islands[id])?;
            let judged_contact = impact_contact(contact, step, judged, finding, velocities, &mut ledgers[k]);
            Some((
                k,
                if velocities.phase.is_compression.get(k) == Some(&true) {
                    judged_contact.without_rebound()
                } else {
                    judged_contact
                },
            ))
        })
        .collect();
    (law_deviation(&all, &ledgers, step.scene.solver.tolerance), ledgers)
}

/// Deviation of contacts, each of one of the islands, from the law with one fraction of the rebound for an
/// island: the largest fraction that each contact allows, or that each allows which may be off by the
/// tolerance, whichever is the better.
fn law_deviation(all: &[(usize, ImpactContact)], ledgers: &[EnergyLedger], tolerance: f64) -> f64 {
    let mut fractions = vec![[1.0_f64; 2]; ledgers.len()];
    for (k, contact) in all {
        for (fraction, off) in fractions[*k].iter_mut().zip([0.0, tolerance]) {
            *fraction = fraction.min(contact.fraction(off, tolerance));
        }
    }
    for (ledger, fractions) in ledgers.iter().zip(&mut fractions) {
        let kept = ENERGY_KEPT * ledger.impulse_work;
        *fractions = fractions.map(|fraction| fraction.max(0.0));
        // Without any rebound the energy may rise by what forces did less along the way to the end pose.
        let may_rise = fractions[0] <= RESTING_FRACTION;
        let is_cut = ledger.energy_gain >= -kept && (may_rise || ledger.energy_gain <= kept);
        *fractions = if is_cut { *fractions } else { [1.0; 2] };
    }
    let mut faults = vec![[0.0; 2]; ledgers.len()];
    for (k, contact) in all.iter().filter(|(_, contact)| contact.is_closed) {
        for (fault, fraction) in faults[*k].iter_mut().zip(fractions[*k]) {
            raise(fault, contact.weight * contact.fault(fraction));
        }
    }
    let mut most = 0.0;
    faults.iter().for_each(|[exact, loose]| raise(&mut most, if loose < exact { *loose } else { *exact }));
    most
}

impl ImpactContact {
    /// Largest fraction of a rebound that the contact may belong to if it is off by this much, in units of
    /// the contact.
    fn fraction(&self, off: f64, tolerance: f64) -> f64 {
        let [found, required] = self.expansion_impulses.unwrap_or([self.velocity_after, self.rebound]);
        let rests = self.may_rest
            && (found <= RESTING_FRACTION * required || self.weight * self.velocity_after <= tolerance);
        if !self.carries_load || required <= 0.0 || rests {
            return 1.0;
        }
        let compliance = if self.expansion_impulses.is_some() { self.compliance } else { 1.0 };
        ((found + off / (self.weight * compliance)) / required).min(1.0)
    }

    /// The contact in a compression.
    fn without_rebound(self) -> Self {
        Self { rebound: 0.0, largest_rebound: 0.0, expansion_impulses: None, ..self }
    }

    /// Deviation from the law (m/s) with a fraction of its rebound.
    fn fault(&self, fraction: f64) -> f64 {
        let kept = if self.may_rest { 0.0 } else { fraction };
        let Some([found, required]) = self.expansion_impulses else {
            let less = (kept * self.rebound - self.velocity_after).max(0.0);
            return if self.carries_load {
                less.max(self.velocity_after - fraction * self.largest_rebound)
            } else {
                less
            };
        };
        let less = (self.compliance * (kept * required - found)).max(-self.velocity_after);
        let more = (self.compliance * (found - fraction * required)).min(self.velocity_after);
        if self.has_several_points { less.max(0.0) } else { less.max(more).max(0.0) }
    }
}

/// Velocity of B's point at the contact against A's, surfaces that run over their body included.
fn relative(contact: &ContactRecord, judged: &JudgedStep<'_>, of: &dyn Fn(usize) -> Velocity) -> Velocity {
    let parts = judged.parts_of(contact);
    let arms = judged.arms(contact);
    let [a, b] = [contact.body_a, contact.body_b].map(|id| {
        let side = usize::from(id == contact.body_b);
        let arm = arms[side];
        let body = of(id).about(&arm);
        let Some(surface) = parts[side].surface else { return body };
        let runs = surface.about(&arm);
        let n = &contact.normal;
        let linear = body.linear + runs.linear - n * n.dot(&runs.linear);
        Velocity { linear, angular: body.angular + runs.angular }
    });
    Velocity { linear: b.linear - a.linear, angular: b.angular - a.angular }
}

/// Judges one contact, and adds the work of its impulses to the energy balance of the island.
fn impact_contact(
    contact: &ContactRecord,
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    finding: &ContactFinding,
    velocities: &ImpactVelocities<'_>,
    ledger: &mut EnergyLedger,
) -> ImpactContact {
    let (ids, n) = ([contact.body_a, contact.body_b], contact.normal);
    let after = relative(contact, judged, &|id| judged.ended.velocities[id]);
    let free = relative(contact, judged, &|id| judged.before.velocities[id]);
    let force = n * contact.normal_impulse + contact.friction_impulse;
    let work = |v: &Velocity| force.dot(&v.linear) + contact.couple().dot(&v.angular);
    ledger.energy_gain += 0.5 * (work(&after) + work(&free));
    ledger.impulse_work += work(&free).abs();
    let start = relative(contact, judged, &|id| velocities.approach[id]).linear.dot(&n);
    let position_velocity = relative(contact, judged, &|id| velocities.to_end_poses[id]).linear.dot(&n);
    let (closing, gain) = (-start, free.linear.dot(&n) - start);
    let [a, b] = judged.parts_of(contact);
    let has_several_points = may_touch_in_several_points(&a, &b);
    let fraction = if has_several_points { 0.5 } else { closing_fraction(start, gain, position_velocity) };
    let turns = (velocities.approach[ids[1]].angular - velocities.approach[ids[0]].angular).norm();
    let spread = if has_several_points { 2.0 * turns * judged.smaller_size(contact) } else { 0.0 };
    let arrival_speed = (-(start + (1.0 + fraction) * gain)).max(0.0);
    let [of_a, of_b] = step.scene.materials_of(ids, [contact.part_a, contact.part_b]);
    let law = step.scene.friction.between(of_a, of_b).restitution;
    let resting_limit =
        resting_speed(contact, step.scene, judged.bodies, step.loads, velocities.approach).max(law.threshold);
    let d_n = judged.compliance(contact, &n);
    let emphasis = judged.emphasis(ids, d_n);
    let is_pressed = velocities.phase.loaded.binary_search(&contact.key()).is_ok();
    let is_poisson = law.law == ImpactLaw::Poisson;
    let compression_impulse =
        velocities.phase.compression.filter(|_| is_poisson).map(|c| c.load(contact.key()));
    let moving = ids.into_iter().filter(|id| judged.bodies[*id].moving);
    let change =
        compression_impulse.unwrap_or(0.0) * moving.map(|id| 1.0 / judged.bodies[id].mass).sum::<f64>();
    let counts = (closing + spread).max(change) > 0.5 * resting_limit;
    let asked = if counts { law.coefficient } else { 0.0 };
    ImpactContact {
        expansion_impulses: compression_impulse.map(|load| [contact.normal_impulse, asked * load]),
        has_several_points,
        compliance: d_n / emphasis,
        velocity_after: after.linear.dot(&n),
        rebound: if closing > 0.5 * resting_limit && !is_poisson {
            law.coefficient * arrival_speed
        } else {
            0.0
        },
        largest_rebound: if closing + spread > 0.5 * resting_limit && !is_poisson {
            law.coefficient * (arrival_speed + spread)
        } else {
            0.0
        },
        may_rest: (closing - spread).max(change) <= 2.0 * resting_limit,
        carries_load: contact.normal_impulse > 0.0,
        is_closed: d_n > 0.0 && (contact.normal_impulse > 0.0 || is_pressed),
        weight: emphasis / (d_n * finding.unit),
    }
}

/// Fraction σ of a step after which a point that starts with u and gains a in a step has closed the gap −h w
/// that a step with the velocity w closes: w = u σ + a σ (σ + 1)/2.
fn closing_fraction(u: f64, a: f64, w: f64) -> f64 {
    let off = |fraction: f64| u * fraction + 0.5 * a * fraction * (fraction + 1.0) - w;
    if off(0.0) <= 0.0 {
        return 0.0;
    }
    if off(1.0) >= 0.0 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if off(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Adds the missing work Σ (h f)ᵀ ((ν₀ + ν)/2 − v) of the bodies that are struck to each island (J).
fn add_missed_work(
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    velocities: &ImpactVelocities<'_>,
    ledgers: &mut [EnergyLedger],
) {
    let mut struck = vec![false; velocities.phase.islands.len()];
    for contact in step.contacts.iter().filter(|contact| contact.normal_impulse != 0.0) {
        [contact.body_a, contact.body_b].into_iter().for_each(|id| struck[id] = true);
    }
    let acts = |record: &JointRecord| {
        let along = [record.motion, record.motor, record.limit, record.coupling].concat();
        record.force != Vector3::zeros()
            || record.torque != Vector3::zeros()
            || along.iter().any(|p| *p != 0.0)
    };
    for (_, joint) in step.joints.iter().zip(&step.scene.joints).filter(|(record, _)| acts(record)) {
        joint.bodies.into_iter().for_each(|id| struck[id] = true);
    }
    for (i, island) in velocities.phase.islands.iter().enumerate().filter(|(i, _)| struck[*i]) {
        let Some(island) = island else { continue };
        let [start, to_end_poses, free] =
            [&velocities.approach[i], &velocities.to_end_poses[i], &judged.before.velocities[i]];
        let linear = (start.linear + free.linear) * 0.5 - to_end_poses.linear;
        let angular = (start.angular + free.angular) * 0.5 - to_end_poses.angular;
        let work = step.loads.force[i].dot(&linear) + step.loads.torque[i].dot(&angular);
        ledgers[*island].energy_gain += work * step.scene.time_step;
    }
}

/// Whether two parts may touch in more than one point.
fn may_touch_in_several_points(a: &PartInStep, b: &PartInStep) -> bool {
    ![a, b].iter().any(|part| matches!(part.placed, PlacedShape::Ellipsoid(_)))
}

/// Approach 2 h Σ (|F|/m + |ω|² size) up to which a pair rests, with the spin only of pairs with corners.
fn resting_speed(
    contact: &ContactRecord,
    scene: &Scene,
    bodies: &[BodyInStep],
    loads: &Loads,
    approach: &[Velocity],
) -> f64 {
    let ids = [contact.body_a, contact.body_b];
    let [a, b] = super::bodies::parts_of(bodies, contact);
    let has_corners = may_touch_in_several_points(a, b);
    let moving = ids.into_iter().filter(|id| bodies[*id].moving);
    let acceleration: f64 = moving
        .map(|id| {
            let spin = if has_corners { approach[id].angular.norm_squared() } else { 0.0 };
            loads.force[id].norm() / bodies[id].mass + spin * bodies[id].size
        })
        .sum();
    APPROACH_STEPS * scene.time_step * acceleration
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts that keep 0.9 of their rebound, up to the tolerance of each, have one fraction; contacts that
    /// differ by more do not, nor do those of an impact that lost energy.
    #[test]
    fn one_fraction_holds_within_the_tolerance() {
        let contact = |velocity_after: f64| ImpactContact {
            velocity_after,
            rebound: 1.0,
            largest_rebound: 1.0,
            may_rest: false,
            carries_load: true,
            is_closed: true,
            expansion_impulses: None,
            has_several_points: false,
            compliance: 1.0,
            weight: 10.0,
        };
        let kept = |ledger: EnergyLedger, off: f64| {
            law_deviation(&[(0, contact(0.9)), (0, contact(0.9 + off))], &[ledger], 0.01)
        };
        let (even, lost) = (
            EnergyLedger { energy_gain: 0.0, impulse_work: 1.0 },
            EnergyLedger { energy_gain: -0.5, impulse_work: 1.0 },
        );
        // Where even an impact without rebound raises the energy, there is none.
        let gains = EnergyLedger { energy_gain: 0.5, impulse_work: 1.0 };
        let without =
            |ledger: EnergyLedger| law_deviation(&[(0, contact(-1e-17)), (0, contact(0.0))], &[ledger], 0.01);
        assert!(without(gains) < 1e-15 && without(even) < 1e-15, "{} {}", without(gains), without(even));
        assert!((without(lost) - 10.0).abs() < 1e-12 && (kept(gains, 0.0) - 1.0).abs() < 1e-12);
        assert!(kept(even, 0.0) < 1e-15);
        assert!((kept(even, 1.9e-3) - 0.01).abs() < 1e-12, "{}", kept(even, 1.9e-3));
        assert!((kept(even, 2.5e-3) - 0.015).abs() < 1e-12, "{}", kept(even, 2.5e-3));
        assert!((kept(lost, 0.0) - 1.0).abs() < 1e-12);
    }
}
