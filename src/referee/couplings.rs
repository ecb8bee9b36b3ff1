//! Couplings judged from the records of the joints: whether each coordinate is where the other puts it, whole
//! turns included, and whether the impulses of couplings do no work together.
//!
//! Records hold the sum s of the impulses of all couplings along a coordinate. A coordinate follows at most
//! one other and no chain leads back, so that the sums give the impulse of each coupling,
//! ```text
//! x = s + Σ P_k′(q) x_k     over the couplings k whose coordinates follow q
//! ```
//! and where q follows none, the right side must be zero.

use super::joint_place::{coordinate, rate_of};
use super::judged_step::JudgedStep;
use crate::step::JointRecord;
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coupling, JointCoordinate, State};
use std::f64::consts::{PI, TAU};

/// Findings of the referee at one coupling, or at a coordinate that is coupled to nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CouplingFinding {
    /// Violation, of a slide over the size of its joint; rad of an angle.
    pub error: f64,
    /// Violation beyond rounding.
    pub excess: f64,
    /// Unit u of the coupling (N s).
    pub unit: f64,
    /// Violation as the momentum that would take it up within the step (N s).
    pub position: f64,
    /// Impulses that no coupling can exert (N s).
    pub law: f64,
    /// Work of the coupling (J).
    pub work: f64,
}

/// The couplings of a step, with the records of its joints.
struct Couplings<'a> {
    step: &'a JudgedStep<'a>,
    records: &'a [JointRecord],
    led: Option<&'a State>,
}

/// Judges the couplings of a step, and the coordinates along which impulses of couplings act. In an impact
/// they keep the rates of the position phase, which led to the state `led`.
pub fn judge_couplings(
    step: &JudgedStep<'_>,
    records: &[JointRecord],
    led: Option<&State>,
) -> Vec<CouplingFinding> {
    let is_idle = |record: &JointRecord| record.coupling == [0.0; 2] && record.turns == 0;
    if step.scene.couplings.is_empty() && records.iter().all(is_idle) {
        return Vec::new();
    }
    let couplings = Couplings { step, records, led };
    let each = step.scene.couplings.iter().filter_map(|coupling| couplings.judge(coupling));
    let alone = records.iter().flat_map(|record| [Axis::Slide, Axis::Angle].map(|axis| (record.joint, axis)));
    let alone = alone.map(|(joint, axis)| JointCoordinate { joint, axis });
    let alone = alone.filter(|at| step.scene.couplings.iter().all(|coupling| coupling.of != *at));
    each.chain(alone.filter_map(|at| couplings.judge_leading(at))).chain(stray_turns(step, records)).collect()
}

/// Turns that are told of joints without couplings, which count none.
fn stray_turns<'a>(
    step: &'a JudgedStep<'_>,
    records: &'a [JointRecord],
) -> impl Iterator<Item = CouplingFinding> + use<'a> {
    let is_coupled = |joint| {
        step.scene.couplings.iter().any(|coupling| [coupling.of.joint, coupling.to.joint].contains(&joint))
    };
    let stray = records.iter().filter(move |record| record.turns != 0 && !is_coupled(record.joint));
    stray.map(|record| CouplingFinding {
        law: (record.turns as f64).abs(),
        unit: 1.0,
        ..CouplingFinding::default()
    })
}

impl Couplings<'_> {
    fn record(&self, joint: usize) -> Option<&JointRecord> {
        self.records.iter().find(|record| record.joint == joint)
    }

    /// Value of a coordinate at the end, whole turns included.
    fn value(&self, at: JointCoordinate) -> Option<f64> {
        let (record, value) = (self.record(at.joint)?, self.bare_value(at, self.step.after));
        if at.axis != Axis::Angle {
            return Some(value);
        }
        // The record says on which side of a half turn the angle is.
        let said = record.coordinate[1]?;
        Some(nearest_turn(value, said) + TAU * record.turns as f64)
    }

    fn bare_value(&self, at: JointCoordinate, state: &State) -> f64 {
        let joint = &self.step.scene.joints[at.joint];
        coordinate(joint, at.axis, joint.bodies.map(|id| &state.poses[id]))
    }

    /// Way of a coordinate within the step.
    fn way(&self, at: JointCoordinate) -> f64 {
        let [before, after] = [self.step.before, self.step.after].map(|state| self.bare_value(at, state));
        match at.axis {
            Axis::Angle => nearest_turn(after - before, self.rate(at) * self.step.scene.time_step),
            Axis::Slide | Axis::Length => after - before,
        }
    }

    fn rate(&self, at: JointCoordinate) -> f64 {
        self.rate_in(self.step.after, at)
    }

    fn rate_in(&self, state: &State, at: JointCoordinate) -> f64 {
        rate_of(&self.step.scene.joints[at.joint], at.axis, state)
    }

    /// Impulse along a coordinate that no coupling of those that follow it explains.
    fn left(&self, at: JointCoordinate) -> Option<f64> {
        let mut left = self.record(at.joint)?.coupling[usize::from(at.axis == Axis::Angle)];
        for coupling in self.step.scene.couplings.iter().filter(|coupling| coupling.to == at) {
            left += coupling.slope(self.value(at)?) * self.left(coupling.of)?;
        }
        Some(left)
    }

    /// Judges a coordinate that follows no other.
    fn judge_leading(&self, at: JointCoordinate) -> Option<CouplingFinding> {
        let left = self.left(at)?;
        let joint = &self.step.scene.joints[at.joint];
        let length = if at.axis == Axis::Angle { self.size(at.joint) } else { 1.0 };
        let unit = self.step.unit_between(joint.bodies, 1.0);
        (left != 0.0).then(|| CouplingFinding {
            law: left.abs() / length,
            unit,
            ..CouplingFinding::default()
        })
    }

    fn judge(&self, coupling: &Coupling) -> Option<CouplingFinding> {
        let Coupling { of, to, .. } = coupling;
        let (step, scene) = (self.step, self.step.scene);
        let (q, followed, impulse) = (self.value(*of)?, self.value(*to)?, self.left(*of)?);
        let slope = coupling.slope(followed);
        let off = (q - coupling.value(followed)).abs();
        let is_angle = of.axis == Axis::Angle;
        let size = self.size(of.joint);
        let length = if is_angle { size } else { 1.0 };
        let compliance = self.compliance(coupling, slope) * length * length;
        let both = [of.joint, to.joint].map(|joint| scene.joints[joint].bodies);
        let [unit, other] = both.map(|bodies| step.unit_between(bodies, compliance));
        let rounding: f64 = both.iter().map(|bodies| step.rounding_between(*bodies)).sum();
        let mass = if compliance > 0.0 { 1.0 / compliance } else { 0.0 };
        let mut found = CouplingFinding {
            error: off * length / size,
            unit: unit.min(other),
            position: off * length * mass / scene.time_step,
            work: impulse * (self.rate(*of) - slope * self.rate(*to)),
            ..CouplingFinding::default()
        };
        if step.before_known && step.before.poses != step.after.poses {
            raise(&mut found.error, self.missed_turn(coupling, [q, followed]) * length / size);
        }
        if let Some(led) = self.led {
            let rates = [led, step.after].map(|at| self.rate_in(at, *of) - slope * self.rate_in(at, *to));
            raise(&mut found.law, (rates[1] - rates[0]).abs() * length * mass);
        }
        found.excess = found.error - rounding / size;
        Some(found)
    }

    /// Violation at the start, if that is nearer to another number of whole turns.
    fn missed_turn(&self, coupling: &Coupling, [q, followed]: [f64; 2]) -> f64 {
        let start = [q - self.way(coupling.of), followed - self.way(coupling.to)];
        let off = (start[0] - coupling.value(start[1])).abs();
        let mut least = f64::INFINITY;
        if coupling.of.axis == Axis::Angle {
            least = PI;
        }
        if coupling.to.axis == Axis::Angle {
            let turned = coupling.value(start[1] + TAU) - coupling.value(start[1]);
            least = least.min(0.5 * turned.abs());
        }
        if off > least { off } else { 0.0 }
    }

    fn size(&self, joint: usize) -> f64 {
        self.step.scene.joints[joint].size(|id| self.step.scene.size_of(id))
    }

    /// Rate of q − P(q′) per unit impulse along it (1/kg, or 1/(kg m²) of an angle).
    fn compliance(&self, coupling: &Coupling, slope: f64) -> f64 {
        let mut pushes: Vec<(usize, Velocity)> = Vec::new();
        for (at, factor) in [(coupling.of, 1.0), (coupling.to, -slope)] {
            let joint = &self.step.scene.joints[at.joint];
            let state = self.step.after;
            let frame = state.poses[joint.bodies[0]].compose(&joint.frames[0]);
            let axis = frame.orientation * Vector3::z() * factor;
            let point = state.poses[joint.bodies[1]].point(&joint.frames[1].position);
            for (id, sign) in [(joint.bodies[0], -1.0), (joint.bodies[1], 1.0)] {
                let arm = point - state.poses[id].position;
                let push = match at.axis {
                    Axis::Angle => Velocity { linear: Vector3::zeros(), angular: axis * sign },
                    Axis::Slide | Axis::Length => {
                        Velocity { linear: axis * sign, angular: arm.cross(&axis) * sign }
                    }
                };
                match pushes.iter_mut().find(|(body, _)| *body == id) {
                    Some((_, sum)) => {
                        sum.linear += push.linear;
                        sum.angular += push.angular;
                    }
                    None => pushes.push((id, push)),
                }
            }
        }
        let moving = pushes.iter().filter(|(id, _)| self.step.bodies[*id].moving);
        let yielding = moving.map(|(id, push)| {
            let body = &self.step.bodies[*id];
            push.linear.norm_squared() / body.mass + push.angular.dot(&(body.inverse_inertia * push.angular))
        });
        yielding.sum()
    }
}
