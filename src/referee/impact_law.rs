//! The law of impact along the normals of contacts, and the energy of impacts (theory §13).
//!
//! ```text
//! Newton      0 ≤ Λ_n ⊥ u⁺ + s e u⁻ ≥ 0
//! Poisson     0 ≤ Λ_n ⊥ u_c ≥ 0 in the compression,   0 ≤ Λ_n − s e Λ_n(c) ⊥ u⁺ ≥ 0 in the expansion
//! ```
//! u⁻ is the velocity of arrival along the normal. s is 1, unless the whole rebound would raise the energy of
//! the step, ½ Λᵀ (u⁺ + u) + Σ (h f)ᵀ ((ν₀ + ν)/2 − v), with u of the velocities ν without any impulse, and v
//! those that led to q⁺; of an expansion u are those after the compression.

use super::bodies::{BodyInStep, PartInStep};
use super::contact_law::ContactFinding;
use super::impact::{Books, PositionPhase};
use super::judged_step::JudgedStep;
use super::placed::PlacedShape;
use super::recorded_step::RecordedStep;
use crate::step::{ContactRecord, Loads};
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::Scene;
use signorini_scene::scene::friction::ImpactLaw;

/// A pair strikes only if it approaches faster than its bodies are accelerated within so many steps.
const STEPS: f64 = 2.0;

/// Largest change of the energy in an impact with a reduced rebound, as a part of the work of its impulses.
const NO_LOSS: f64 = 1e-2;

/// Part of its rebound with which a contact that may rest leaves, at most, if it rests; within the tolerance
/// it rests, too.
const RESTS: f64 = 1e-3;

/// One contact in an impact.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// Velocity u⁺ after the impact (m/s).
    leaves: f64,
    /// Rebound velocity −e u⁻ (m/s), 0 where the contact does not rebound.
    rebound: f64,
    /// Rebound velocity of the fastest point that the contact may have: where a pair touches in several
    /// points, each rebounds, and the contact stands for all.
    most: f64,
    /// Whether the law may take the contact for one that does not rebound.
    may_rest: bool,
    bears: bool,
    is_closed: bool,
    /// Impulse (N s) of a contact by Poisson's law in an expansion, and e times that of the compression.
    least: Option<[f64; 2]>,
    /// Whether the contact may stand for several points: one may then leave while another is loaded.
    has_points: bool,
    /// Change of u⁺ per unit of impulse (m/s per N s).
    yields: f64,
    /// Weight 1/`yields`, in units of the contact.
    weight: f64,
}

/// Velocities of the bodies with which they approach, and with which the position phase led them to q⁺.
#[derive(Debug, Clone, Copy)]
pub struct Struck<'a> {
    pub approach: &'a [Velocity],
    pub led: &'a [Velocity],
    pub phase: &'a PositionPhase<'a>,
}

/// Judges contacts of impacts. Returns their largest deviation from their laws, in their units, and the
/// energy balance of each island.
pub fn judge_normals(
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    found: &[ContactFinding],
    struck: &Struck<'_>,
) -> (f64, Vec<Books>) {
    let n = struck.phase.islands.iter().flatten().max().map_or(0, |most| most + 1);
    let mut books = match struck.phase.compressed {
        Some(compressed) => compressed.books.clone(),
        None => vec![Books { gained: 0.0, could: 0.0 }; n],
    };
    if struck.phase.compressed.is_none() {
        take_missed_work(step, judged, struck, &mut books);
    }
    let all: Vec<(usize, Met)> = step
        .contacts
        .iter()
        .zip(found)
        .filter_map(|(contact, finding)| {
            let k = [contact.body_a, contact.body_b].into_iter().find_map(|id| struck.phase.islands[id])?;
            let met = met(contact, step, judged, finding, struck, &mut books[k]);
            Some((k, if struck.phase.compresses.get(k) == Some(&true) { met.without_rebound() } else { met }))
        })
        .collect();
    (off_law(&all, &books, step.scene.solver.tolerance), books)
}

/// Deviation of contacts, each of one of the islands, from the law with one fraction of the rebound for an
/// island: the largest fraction that each contact allows, or that each allows which may be off by the
/// tolerance, whichever is the better.
fn off_law(all: &[(usize, Met)], books: &[Books], tolerance: f64) -> f64 {
    let mut shares = vec![[1.0_f64; 2]; books.len()];
    for (k, met) in all {
        for (share, off) in shares[*k].iter_mut().zip([0.0, tolerance]) {
            *share = share.min(met.share(off, tolerance));
        }
    }
    for (book, shares) in books.iter().zip(&mut shares) {
        let is_cut = shares[0] > 0.0 && book.gained.abs() <= NO_LOSS * book.could;
        *shares = if is_cut { *shares } else { [1.0; 2] };
    }
    let mut faults = vec![[0.0; 2]; books.len()];
    for (k, met) in all.iter().filter(|(_, met)| met.is_closed) {
        for (fault, share) in faults[*k].iter_mut().zip(shares[*k]) {
            raise(fault, met.weight * met.fault(share));
        }
    }
    let mut most = 0.0;
    faults.iter().for_each(|[exact, loose]| raise(&mut most, if loose < exact { *loose } else { *exact }));
    most
}

impl Met {
    /// Largest fraction of a rebound that the contact may belong to if it is off by this much, in units of
    /// the contact.
    fn share(&self, off: f64, tolerance: f64) -> f64 {
        let [found, asked] = self.least.unwrap_or([self.leaves, self.rebound]);
        let rests = self.may_rest && (found <= RESTS * asked || self.weight * self.leaves <= tolerance);
        if !self.bears || asked <= 0.0 || rests {
            return 1.0;
        }
        let yields = if self.least.is_some() { self.yields } else { 1.0 };
        ((found + off / (self.weight * yields)) / asked).min(1.0)
    }

    /// The contact in a compression.
    fn without_rebound(self) -> Self {
        Self { rebound: 0.0, most: 0.0, least: None, ..self }
    }

    /// Deviation from the law (m/s) with a fraction of its rebound.
    fn fault(&self, share: f64) -> f64 {
        let kept = if self.may_rest { 0.0 } else { share };
        let Some([found, least]) = self.least else {
            let less = (kept * self.rebound - self.leaves).max(0.0);
            return if self.bears { less.max(self.leaves - share * self.most) } else { less };
        };
        let less = (self.yields * (kept * least - found)).max(-self.leaves);
        let more = (self.yields * (found - share * least)).min(self.leaves);
        if self.has_points { less.max(0.0) } else { less.max(more).max(0.0) }
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
fn met(
    contact: &ContactRecord,
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    finding: &ContactFinding,
    struck: &Struck<'_>,
    books: &mut Books,
) -> Met {
    let (ids, n) = ([contact.body_a, contact.body_b], contact.normal);
    let leaves = relative(contact, judged, &|id| judged.ended.velocities[id]);
    let free = relative(contact, judged, &|id| judged.before.velocities[id]);
    let force = n * contact.normal_impulse + contact.friction_impulse;
    let work = |v: &Velocity| force.dot(&v.linear) + contact.couple().dot(&v.angular);
    books.gained += 0.5 * (work(&leaves) + work(&free));
    books.could += work(&free).abs();
    let start = relative(contact, judged, &|id| struck.approach[id]).linear.dot(&n);
    let way = relative(contact, judged, &|id| struck.led[id]).linear.dot(&n);
    let (closing, gain) = (-start, free.linear.dot(&n) - start);
    let [a, b] = judged.parts_of(contact);
    let has_points = touch_in_points(&a, &b);
    let share = if has_points { 0.5 } else { fallen(start, gain, way) };
    let turns = (struck.approach[ids[1]].angular - struck.approach[ids[0]].angular).norm();
    let spread = if has_points { 2.0 * turns * judged.smaller_size(contact) } else { 0.0 };
    let arrives = (-(start + (1.0 + share) * gain)).max(0.0);
    let [of_a, of_b] = step.scene.materials_of(ids, [contact.part_a, contact.part_b]);
    let law = step.scene.friction.between(of_a, of_b).restitution;
    let least = slowest(contact, step.scene, judged.bodies, step.loads, struck.approach).max(law.threshold);
    let d_n = judged.compliance(contact, &n);
    let is_pressed = struck.phase.pressed.binary_search(&contact.key()).is_ok();
    let is_poisson = law.law == ImpactLaw::Poisson;
    let squeezed = struck.phase.compressed.filter(|_| is_poisson).map(|c| c.load(contact.key()));
    let moving = ids.into_iter().filter(|id| judged.bodies[*id].moving);
    let change = squeezed.unwrap_or(0.0) * moving.map(|id| 1.0 / judged.bodies[id].mass).sum::<f64>();
    let counts = (closing + spread).max(change) > 0.5 * least;
    let asked = if counts { law.coefficient } else { 0.0 };
    Met {
        least: squeezed.map(|load| [contact.normal_impulse, asked * load]),
        has_points,
        yields: d_n,
        leaves: leaves.linear.dot(&n),
        rebound: if closing > 0.5 * least && !is_poisson { law.coefficient * arrives } else { 0.0 },
        most: if closing + spread > 0.5 * least && !is_poisson {
            law.coefficient * (arrives + spread)
        } else {
            0.0
        },
        may_rest: (closing - spread).max(change) <= 2.0 * least,
        bears: contact.normal_impulse > 0.0,
        is_closed: d_n > 0.0 && (contact.normal_impulse > 0.0 || is_pressed),
        weight: 1.0 / (d_n * finding.unit),
    }
}

/// Fraction σ of a step after which a point that starts with u and gains a in a step has closed the gap −h w
/// that a step with the velocity w closes: w = u σ + a σ (σ + 1)/2.
fn fallen(u: f64, a: f64, w: f64) -> f64 {
    let off = |share: f64| u * share + 0.5 * a * share * (share + 1.0) - w;
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

/// Adds the missing work Σ (h f)ᵀ ((ν₀ + ν)/2 − v) of the bodies to each island (J).
fn take_missed_work(
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    struck: &Struck<'_>,
    books: &mut [Books],
) {
    for (i, island) in struck.phase.islands.iter().enumerate() {
        let Some(island) = island else { continue };
        let [start, led, free] = [&struck.approach[i], &struck.led[i], &judged.before.velocities[i]];
        let linear = (start.linear + free.linear) * 0.5 - led.linear;
        let angular = (start.angular + free.angular) * 0.5 - led.angular;
        let work = step.loads.force[i].dot(&linear) + step.loads.torque[i].dot(&angular);
        books[*island].gained += work * step.scene.time_step;
    }
}

/// Whether two parts may touch in more than one point.
fn touch_in_points(a: &PartInStep, b: &PartInStep) -> bool {
    ![a, b].iter().any(|part| matches!(part.placed, PlacedShape::Ellipsoid(_)))
}

/// Approach 2 h Σ (|F|/m + |ω|² size) up to which a pair rests, with the spin only of pairs with corners.
fn slowest(
    contact: &ContactRecord,
    scene: &Scene,
    bodies: &[BodyInStep],
    loads: &Loads,
    approach: &[Velocity],
) -> f64 {
    let ids = [contact.body_a, contact.body_b];
    let [a, b] = super::bodies::parts_of(bodies, contact);
    let has_corners = touch_in_points(a, b);
    let moving = ids.into_iter().filter(|id| bodies[*id].moving);
    let acceleration: f64 = moving
        .map(|id| {
            let spin = if has_corners { approach[id].angular.norm_squared() } else { 0.0 };
            loads.force[id].norm() / bodies[id].mass + spin * bodies[id].size
        })
        .sum();
    STEPS * scene.time_step * acceleration
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts that keep 0.9 of their rebound, up to the tolerance of each, have one fraction; contacts that
    /// differ by more do not, nor do those of an impact that lost energy.
    #[test]
    fn one_share_holds_within_the_tolerance() {
        let met = |leaves: f64| Met {
            leaves,
            rebound: 1.0,
            most: 1.0,
            may_rest: false,
            bears: true,
            is_closed: true,
            least: None,
            has_points: false,
            yields: 1.0,
            weight: 10.0,
        };
        let kept = |books: Books, off: f64| off_law(&[(0, met(0.9)), (0, met(0.9 + off))], &[books], 0.01);
        let (even, lost) = (Books { gained: 0.0, could: 1.0 }, Books { gained: -0.5, could: 1.0 });
        assert!(kept(even, 0.0) < 1e-15);
        assert!((kept(even, 1.9e-3) - 0.01).abs() < 1e-12, "{}", kept(even, 1.9e-3));
        assert!((kept(even, 2.5e-3) - 0.015).abs() < 1e-12, "{}", kept(even, 2.5e-3));
        assert!((kept(lost, 0.0) - 1.0).abs() < 1e-12);
    }
}
