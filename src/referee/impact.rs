//! The impact phase at the end of a step (theory §13): where the bodies are stays, and their velocities obey
//! the momentum of the whole step with Newton's law of impact.
//!
//! ```text
//! M⁺ (ν⁺ − ν) = h f + P + Jᵀ Λ,     0 ≤ Λ_n ⊥ u⁺ + s e u⁻ ≥ 0      all at q⁺
//! ```
//! u⁻ is the velocity of arrival along the normal. s is 1, unless the whole rebound would raise the energy of
//! the step, ½ Λᵀ (u⁺ + u) + Σ (h f)ᵀ ((ν₀ + ν)/2 − v), with u of the velocities ν without any impulse, and v
//! those that led to q⁺.

use super::bodies::{BodyInStep, PartInStep};
use super::contact_law::ContactFinding;
use super::flight::momentum;
use super::judged_step::JudgedStep;
use super::placed::PlacedShape;
use super::recorded_step::RecordedStep;
use crate::geometry::Velocity;
use crate::math::raise;
use crate::scene::{Scene, State};
use crate::step::{ContactKey, ContactRecord, Loads};
use nalgebra::{Matrix3, Vector3};

/// No impact is what approaches more slowly than bodies are accelerated within so many steps.
const STEPS: f64 = 2.0;

/// A rebound may be cut so far that the impact loses no more than this part of what it could.
const NO_LOSS: f64 = 1e-2;

/// Where the bodies are at the end with the velocities that no contact changed; those of no island keep what
/// they have.
pub fn without_impact(step: &RecordedStep<'_>, before: &State, islands: &[Option<usize>]) -> State {
    let (scene, loads, h) = (step.scene, step.loads, step.scene.time_step);
    let mut free = step.after.clone();
    for (i, body) in scene.bodies.iter().enumerate().filter(|(i, _)| islands[*i].is_some()) {
        let (start, end) = (&before.poses[i].orientation, &free.poses[i].orientation);
        let Velocity { linear, angular } = &before.velocities[i];
        let spin = momentum(&body.inertia, start, angular) + loads.torque[i] * h + loads.angular_impulse[i];
        let inverse = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
        free.velocities[i] = Velocity {
            linear: linear + (loads.force[i] * h + loads.linear_impulse[i]) / body.mass,
            angular: end * (inverse * (end.inverse() * spin)),
        };
    }
    free
}

/// The velocities that bodies approach with: those of the start, once what acts there has acted.
pub fn approaching(step: &RecordedStep<'_>, before: &State) -> Vec<Velocity> {
    let one = |(i, start): (usize, &Velocity)| {
        let (body, loads) = (&step.scene.bodies[i], step.loads);
        if body.fixed {
            return step.after.velocities[i];
        }
        let at = &before.poses[i].orientation;
        let inverse = body.inertia.try_inverse().unwrap_or(Matrix3::repeat(f64::NAN));
        let turned = at * (inverse * (at.inverse() * loads.angular_impulse[i]));
        Velocity {
            linear: start.linear + loads.linear_impulse[i] / body.mass,
            angular: start.angular + turned,
        }
    };
    before.velocities.iter().enumerate().map(one).collect()
}

/// Loads that do nothing.
pub fn no_loads(step: &RecordedStep<'_>) -> Loads {
    let none = vec![Vector3::zeros(); step.scene.bodies.len()];
    Loads {
        force: none.clone(),
        torque: none.clone(),
        linear_impulse: none.clone(),
        angular_impulse: none,
        driven: Vec::new(),
        end_time: step.loads.end_time,
    }
}

/// What may rest does where it leaves with less than this part of its rebound.
const RESTS: f64 = 1e-3;

/// What one contact does in an impact.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// u⁺ (m/s).
    leaves: f64,
    /// −e u⁻ (m/s), 0 where it does not rebound.
    rebound: f64,
    /// The same of the fastest point that the contact may have: where a pair touches in several points, each
    /// rebounds, and the contact stands for all.
    most: f64,
    /// Whether the law may take the contact for one that does not rebound.
    may_rest: bool,
    bears: bool,
    is_closed: bool,
    /// 1 over what a unit of impulse does to u⁺, in units of the contact.
    weight: f64,
}

/// What the impact of one island did with energy.
#[derive(Debug, Clone, Copy)]
struct Books {
    /// By how much the energy of the step rose (J).
    gained: f64,
    /// What the impulses did to the free velocities (J).
    could: f64,
    /// s.
    share: f64,
}

/// What the position phase did before an impact.
#[derive(Debug, Clone, Copy)]
pub struct PositionPhase<'a> {
    /// The state to which it led.
    pub reached: &'a State,
    /// The island of each body that an impact meets.
    pub islands: &'a [Option<usize>],
    /// The keys of the contacts that bore, ascending.
    pub pressed: &'a [ContactKey],
    /// The work (J) of bodies with prescribed motion that the impact replaces.
    pub superseded: f64,
}

impl PositionPhase<'_> {
    /// The keys of contacts that bear.
    pub fn pressed<'c>(contacts: impl Iterator<Item = &'c ContactRecord>) -> Vec<ContactKey> {
        let mut keys: Vec<_> = contacts.filter(|c| c.normal_impulse > 0.0).map(ContactRecord::key).collect();
        keys.sort_unstable();
        keys
    }
}

/// Velocities of the bodies: with which they approach, and with which the position phase led them to q⁺.
#[derive(Debug, Clone, Copy)]
pub struct Struck<'a> {
    pub approach: &'a [Velocity],
    pub led: &'a [Velocity],
    pub phase: &'a PositionPhase<'a>,
}

/// How far the contacts of impacts are from Newton's law, in their units; and the energy (J) that the impacts
/// gained, all islands that gained some.
pub fn judge_normals(
    step: &RecordedStep<'_>,
    judged: &JudgedStep<'_>,
    found: &[ContactFinding],
    struck: &Struck<'_>,
) -> (f64, f64) {
    let n = struck.phase.islands.iter().flatten().max().map_or(0, |most| most + 1);
    let mut books = vec![Books { gained: 0.0, could: 0.0, share: 1.0 }; n];
    take_missed_work(step, judged, struck, &mut books);
    let all: Vec<(usize, Met)> = step
        .contacts
        .iter()
        .zip(found)
        .filter_map(|(contact, finding)| {
            let k = [contact.body_a, contact.body_b].into_iter().find_map(|id| struck.phase.islands[id])?;
            Some((k, met(contact, step, judged, finding, struck, &mut books[k])))
        })
        .collect();
    for (k, met) in &all {
        let rests = met.may_rest && met.leaves <= RESTS * met.rebound;
        if met.bears && met.rebound > 0.0 && !rests {
            books[*k].share = books[*k].share.min(met.leaves / met.rebound);
        }
    }
    for book in &mut books {
        let is_cut = book.share > 0.0 && book.gained.abs() <= NO_LOSS * book.could;
        book.share = if is_cut { book.share } else { 1.0 };
    }
    let mut fault = 0.0;
    for (k, met) in all.iter().filter(|(_, met)| met.is_closed) {
        let off = |least: f64, most: f64| {
            let less = (least - met.leaves).max(0.0);
            if met.bears { less.max(met.leaves - most) } else { less }
        };
        let share = books[*k].share;
        let least = if met.may_rest { 0.0 } else { share * met.rebound };
        raise(&mut fault, met.weight * off(least, share * met.most));
    }
    (fault, books.iter().map(|book| book.gained.max(0.0)).sum())
}

/// The velocity of B's point at the contact against A's, surfaces that run over their body included.
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

/// Takes what the impulses did into the books of the island.
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
    Met {
        leaves: leaves.linear.dot(&n),
        rebound: if closing > 0.5 * least { law.coefficient * arrives } else { 0.0 },
        most: if closing + spread > 0.5 * least { law.coefficient * (arrives + spread) } else { 0.0 },
        may_rest: closing - spread <= 2.0 * least,
        bears: contact.normal_impulse > 0.0,
        is_closed: d_n > 0.0 && (contact.normal_impulse > 0.0 || is_pressed),
        weight: 1.0 / (d_n * finding.unit),
    }
}

/// The part σ of a step after which what starts with u and gains a in a step has closed the gap −h w that a
/// step with the velocity w closes: w = u σ + a σ (σ + 1)/2.
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

/// Σ (h f)ᵀ ((ν₀ + ν)/2 − v) of the bodies of each island (J).
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

/// 2 h Σ (|F|/m + |ω|² size), the spin only of pairs with corners.
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
