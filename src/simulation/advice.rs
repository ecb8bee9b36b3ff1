//! Indicated errors of the cheaper models in a step, from states and impulses alone.
//!
//! Over the loaded contacts, with v_n, v_t at the recorded contact point and normal:
//! ```text
//! gap linearisation   |gap⁺ − gap − h v_n| / size       of every model with the geometry of the start
//! cone lift           h μ |v_t| / size                  of cone complementarity (and convex friction)
//! slip direction      h μ p_n |c + d| w_t / size        of a friction polygon with m corners, where it slips
//! ```
//! All are displacements within the step over the size of the smaller body. d is the direction of the
//! (scaled) slip, c the corner of the polygon that dissipates most, w_t the inverse effective mass along the
//! slip. Between flat bodies the gap is that of the material points that touch: each of several contact
//! points has its own, and no surface is curved.

use crate::referee::bodies::{self, BodyInStep};
use crate::referee::contact_law::own_gap;
use crate::referee::gap::signed_gap;
use crate::referee::image;
use crate::referee::part_in_step::PartInStep;
use crate::referee::placed::PlacedShape;
use crate::step::{ContactRecord, ContactState, Span, StepPhase};
use nalgebra::Vector3;
use signorini_kernels::math::raise;
use signorini_scene::scene::{Friction, Scene, State};
use std::f64::consts::{PI, TAU};

/// Indicated errors of a step, each 0 where nothing is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Advice {
    /// Error of the linearised gap, over the size.
    pub gap_linearization: f64,
    /// Height that a cone complementarity would add, over the size.
    pub cone_lift: f64,
    /// Displacement by a polygon's error of the friction impulse, over the size.
    pub slip_direction: f64,
}

/// Finds the indicators; holds the bodies at the start of the step.
#[derive(Debug)]
pub struct Advisor {
    before: Vec<BodyInStep>,
    after: Vec<BodyInStep>,
}

impl Advisor {
    /// Makes an advisor for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { before: bodies::prepare(scene), after: bodies::prepare(scene) }
    }

    /// Returns the indicators of one step.
    pub fn advise(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        contacts: &[ContactRecord],
    ) -> Advice {
        let h = scene.time_step;
        bodies::place(&mut self.before, scene, before, before);
        bodies::place(&mut self.after, scene, before, after);
        let mut advice = Advice::default();
        let largest = contacts.iter().fold(0.0, |m: f64, c| m.max(c.normal_impulse));
        for contact in contacts.iter().filter(|c| c.normal_impulse > 1e-9 * largest) {
            let (i, j) = (contact.body_a, contact.body_b);
            let [start, end] = [&self.before, &self.after].map(|bodies| image::parts(bodies, scene, contact));
            let size = end[0].size.min(end[1].size);
            let centers = image::centers(scene, contact, after);
            let arm = |k: usize| contact.ecp - centers[usize::from(k == j)];
            let speed = |k: usize| -> Vector3<f64> {
                let velocity = &after.velocities[k];
                velocity.linear + velocity.angular.cross(&arm(k))
            };
            let relative = speed(j) - speed(i);
            let approach = contact.normal.dot(&relative);
            let bend = if end.iter().all(|part| is_level(part)) {
                // The origins of the two material points, which are at one place now.
                let origin = |k: usize| {
                    let (old, new) = (&before.poses[k], &after.poses[k]);
                    old.point(&new.orientation.inverse_transform_vector(&arm(k)))
                };
                let mut came = origin(j) - origin(i);
                if contact.image != image::NO_IMAGE {
                    came += image::displacement(scene, contact.image);
                }
                contact.normal.dot(&came) + h * approach
            } else {
                let before = gap_between([&*start[0], &*start[1]], &contact.normal, None);
                // The recorded gap is that of the end, and judged, but where it is one of a substep.
                let after = match contact.span == Span::WHOLE && contact.phase == StepPhase::Whole {
                    true => contact.gap,
                    false => gap_between([&*end[0], &*end[1]], &contact.normal, Some(contact.gap)),
                };
                after - before - h * approach
            };
            raise(&mut advice.gap_linearization, bend.abs() / size);
            let [of_a, of_b] = scene.materials_of([i, j], [contact.part_a, contact.part_b]);
            let friction = scene.friction.between(of_a, of_b);
            let mu = friction.coefficient;
            raise(&mut advice.cone_lift, h * mu * contact.slip_speed / size);
            if contact.state == ContactState::Slip {
                let mut spin = after.velocities[j].angular - after.velocities[i].angular;
                let mut relative = relative;
                for (sign, id, part) in [(-1.0, i, &end[0]), (1.0, j, &end[1])] {
                    let runs = part.surface.unwrap_or_default();
                    relative += runs.about(&arm(id)).linear * sign;
                    spin += runs.angular * sign;
                }
                let off = polygon_error(scene, friction, contact, &relative, &spin);
                let slip = relative - contact.normal * contact.normal.dot(&relative);
                let along = slip.try_normalize(1e-12);
                let inverse_mass = along.map_or(0.0, |d| {
                    self.after[i].compliance(&arm(i), &d) + self.after[j].compliance(&arm(j), &d)
                });
                raise(
                    &mut advice.slip_direction,
                    h * mu * contact.normal_impulse * off * inverse_mass / size,
                );
            }
        }
        advice
    }
}

/// Gap of two bodies. The recorded normal bounds it from below, and is the common one only of the state that
/// a model took its geometry from: the gap is searched for where the bound differs from the `recorded` gap,
/// and between two ellipsoids, where that is cheap, also where none was recorded.
fn gap_between([a, b]: [&PartInStep; 2], normal: &Vector3<f64>, recorded: Option<f64>) -> f64 {
    let bound = own_gap(a, b, normal, f64::INFINITY);
    let smooth = |body: &PartInStep| matches!(body.placed, PlacedShape::Ellipsoid(_));
    let needs_search = match recorded {
        Some(gap) => (gap - bound).abs() > 1e-12 * a.size.min(b.size),
        None => smooth(a) && smooth(b),
    };
    if needs_search { signed_gap(&a.placed, &b.placed, Some(normal)).0 } else { bound }
}

/// Whether no part of a surface is curved.
fn is_level(body: &PartInStep) -> bool {
    matches!(body.placed, PlacedShape::Polytope(_) | PlacedShape::HalfSpace { .. })
}

/// Distance |c + d| by which the corner c of the friction polygon that opposes a slip best misses it. Half a
/// sector where the polygon's place is not known.
fn polygon_error(
    scene: &Scene,
    friction: &Friction,
    contact: &ContactRecord,
    relative: &Vector3<f64>,
    spin: &Vector3<f64>,
) -> f64 {
    let directions = scene.solver.stewart_trinkle.directions as f64;
    let widest = 2.0 * (PI / (2.0 * directions)).sin();
    let [e_t, e_o] = friction.tangential;
    let (t, o) = (contact.tangent, contact.normal.cross(&contact.tangent));
    let slip = Vector3::new(
        e_t * t.dot(relative),
        e_o * o.dot(relative),
        contact.torsional_radius * contact.normal.dot(spin),
    );
    let Some(d) = slip.try_normalize(1e-300).filter(|_| t != Vector3::zeros()) else { return widest };
    // The corner in the plane is the nearest to −d, or the tip of the double pyramid.
    let angle = (-d.y).atan2(-d.x);
    let off = angle - (angle * directions / TAU).round() * TAU / directions;
    let opposing = f64::max(d.xy().norm() * off.cos(), d.z.abs());
    (2.0 - 2.0 * opposing).max(0.0).sqrt()
}
