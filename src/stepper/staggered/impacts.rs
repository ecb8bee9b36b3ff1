//! After an attempt: contacts that closed are damped, and slip is stored.

use crate::contact::Pair;
use crate::stepper::island::Island;
use crate::stepper::island::assemble::pair_rows::PairRows;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::{MAX_BRAKING, MAX_SLIP_TURN, SUSTAINED_STEPS};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_ncp::problem::STICKS_BELOW;

impl IslandProblem {
    /// Clears the last slip of all pairs for this step. Returns whether any was not zero.
    pub(in crate::stepper) fn drop_last_slip(&mut self) -> bool {
        let mut kept = false;
        for stagger in self.pairs.iter_mut().filter_map(|p| p.stagger.as_mut()) {
            kept |= stagger.theta < 1.0 && stagger.last_slip_used != Vector3::zeros();
            stagger.last_slip_used = Vector3::zeros();
        }
        kept
    }
}

impl Island {
    /// Switches to implicit Euler for all contacts of the bodies on which one closed in this step. Returns
    /// whether any contact changed.
    pub(in crate::stepper) fn damp_impacts(&mut self) -> bool {
        let Self { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = self;
        let closed = |c: usize, pair: &Pair| {
            let mut x = iterate.impulse[problem.cones[c].normal()].iter();
            match &pair.manifold {
                Some(manifold) => {
                    manifold.points.iter().zip(x).any(|(point, x)| point.start.is_none() && *x > 0.0)
                }
                None => pair.stagger.as_ref().is_some_and(|s| s.was_open) && x.any(|x| *x > 0.0),
            }
        };
        let mut changed = false;
        for c in 0..pairs.len() {
            if !closed(c, &pairs[c]) {
                continue;
            }
            for body in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                let body = problem.block_body[body];
                for (d, pair) in pairs.iter_mut().enumerate() {
                    let touches = problem.block_body[problem.block_offsets[d]..problem.block_offsets[d + 1]]
                        .contains(&body);
                    if let Some(stagger) = pair.stagger.as_mut().filter(|s| touches && s.theta < 1.0) {
                        stagger.theta = 1.0;
                        changed = true;
                    }
                }
            }
        }
        changed
    }

    /// Clears the last slip of all pairs for this step, if friction would have to drive the slip of one of
    /// them on: then something else stops it. Returns whether that was so.
    pub(in crate::stepper) fn release_driven(&mut self) -> bool {
        let Self { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = self;
        let drives = |(c, pair): (usize, &Pair)| {
            let last = pair
                .stagger
                .as_ref()
                .filter(|s| s.theta < 1.0)
                .map_or_else(Vector3::zeros, |s| s.last_slip_used);
            let friction = &iterate.impulse[problem.cones[c].friction()];
            friction.iter().zip(&last).map(|(x, w)| x * w).sum::<f64>() > 0.0
        };
        pairs.iter().enumerate().any(|(c, pair)| drives((c, pair))) && self.problem.drop_last_slip()
    }

    /// Switches to implicit Euler for all pairs.
    pub(in crate::stepper) fn switch_to_euler(&mut self) {
        for stagger in self.problem.pairs.iter_mut().filter_map(|p| p.stagger.as_mut()) {
            (stagger.theta, stagger.sliding, stagger.n_slid) = (1.0, None, 0);
            (stagger.slip_turn, stagger.last_slip) = (Vector3::zeros(), Vector3::zeros());
        }
    }

    /// Keeps the turn of the direction of slip, for the next step.
    pub(in crate::stepper) fn store_slip(&mut self, context: &StepContext<'_>) {
        let Self { problem: island, iterate, .. } = self;
        for c in 0..island.pairs.len() {
            let (pair, cone) = (&island.pairs[c], island.problem.cones[c]);
            let friction = &iterate.impulse[cone.friction()];
            let radius = cone.friction_coefficient * iterate.impulse[cone.normal()].iter().sum::<f64>();
            let slides = friction.iter().map(|x| x * x).sum::<f64>().sqrt() >= radius * STICKS_BELOW;
            let Some(mut stagger) = pair.stagger.as_deref().copied() else { continue };
            let motion = island.motion(context, &iterate.velocity, c);
            let now = Some(motion).filter(|_| slides && radius > 0.0 && cone.n_friction >= 2);
            stagger.n_slid = if now.is_some() { stagger.n_slid + 1 } else { 0 };
            (stagger.slip_turn, stagger.last_slip) = (Vector3::zeros(), Vector3::zeros());
            if let (Some(before), Some(now)) = (stagger.sliding, now)
                && stagger.theta < 1.0
            {
                let slips = PairRows::new(pair, cone).slips(&before, &now);
                stagger.slip_turn = slip_turn(&slips);
                let along = slips[1].try_normalize(0.0).filter(|_| stagger.n_slid >= SUSTAINED_STEPS);
                if let Some(along) = along {
                    let weights = &along.as_slice()[..cone.n_friction];
                    let braking = radius * island.problem.yielding(c, cone.n_normal, weights);
                    stagger.last_slip = along * last_slip(slips.map(|w| w.dot(&along)), braking);
                }
            }
            stagger.sliding = now;
            island.pairs[c].stagger.iter_mut().for_each(|kept| **kept = stagger);
        }
    }
}

/// Turn of slip from one step to the next, as a rotation vector (rad); 0 where it is not defined.
fn slip_turn([from, to]: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let axis = from.cross(to);
    let sine = axis.norm();
    let angle = sine.atan2(from.dot(to));
    if sine > 0.0 && angle <= MAX_SLIP_TURN { axis * (angle / sine) } else { Vector3::zeros() }
}

/// Mean slip left in the next step, if sliding ends in it, else 0; from slip along its direction in the last
/// two steps, and the part of its fall that is due to friction.
///
/// Slip that falls by A in a step and is s in the middle of one ends (s/A − ½) h after its end. The slip left
/// in the step in which it ends, σ h after its start, has the mean A σ²/2: a little more than A (σ − ½), with
/// which it would go on to slide, and, where that is negative, than nothing. So friction opposes the slip
/// left and is within its bounds, and the way to the stop is right. Where friction would not hold the other
/// loads, slip reverses instead.
fn last_slip([before, now]: [f64; 2], braking: f64) -> f64 {
    let fall = before - now;
    let ends = now / fall - 0.5;
    let holds = fall > 0.0 && fall < MAX_BRAKING * braking;
    if holds && (0.0..1.0).contains(&ends) { 0.5 * fall * ends * ends } else { 0.0 }
}
