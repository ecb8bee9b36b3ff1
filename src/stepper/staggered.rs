//! The staggered integrator: second order where contacts last, at the price of the first-order step.
//!
//! The one velocity of a step takes the pose from its start to its end, V = Δq/h, and belongs to its middle. Gaps and joints hold
//! at the end pose; impulses act at the start pose, where the last step ended:
//! ```text
//! m v − m v₋ = h_k f + Σ P,     I_mid ω − l₋ = h_k τ + Σ r_W × P,     h_k = (h₋ + h)/2, h₋ = 0 before the first step
//! I_mid = R_m I R_mᵀ, R_m = exp(h ω/2) R,     l₋ = I_mid ω of the last step
//! P = n_W p_n + T_W p_t,  n_W, r_W = (1 − θ) start + θ end
//! u = v + ω × [(1 − θ)/2 r_start + (1 + θ)/2 r_end] in the plane of the normal blended alike,  p_t = Proj(p_t − ρ Q (u − u_end))
//! ```
//! Q turns slip back by half of what its direction turned in the last step, where the contact slides for longer; u_end is the mean slip
//! of the step in which sliding ends, 0 in others. θ = 1 is implicit
//! Euler: for contacts that were open and those of bodies on which one closes, for flat pairs, and, blended in, for
//! rolling oscillations that h does not resolve: θ = clip((χ − ½)/1.5, 0, 1), χ = h² times the largest eigenvalue of I_c⁻¹ K.
//! No velocity of the end is ever formed, so that nothing rings.

pub(super) mod links;

use super::island::Island;
use super::island_problem::{IslandProblem, StepContext, block_mass, velocity};
use super::joints::Clock;
use super::pair_rows::PairRows;
use crate::contact::pair::stagger::Stagger;
use crate::contact::{BodyModel, MovedBody, Pair, Placed};
use crate::geometry::Velocity;
use crate::geometry::pose::{cross_matrix, left_jacobian};
use nalgebra::{Matrix2, Matrix3, Rotation3, Vector3};

/// χ from which damping is blended in, and over which range.
const RESOLVED: f64 = 0.5;
const BLEND_RANGE: f64 = 1.5;
/// An atom touches at the start of a step when its gap is at most this part of the size.
const TOUCHING: f64 = 1e-10;
/// Normals that enclose more than this (rad) are several.
const PARALLEL: f64 = 1e-9;
/// Where sliding ends is looked at only after it went on for so many steps: jolts of a pile that settles are no sliding.
const SUSTAINED: u32 = 16;
/// Slip that falls by more than so many times what friction makes it fall by turns round: what else acts is more than friction can hold,
/// or nearly.
const HOLDS: f64 = 1.8;
/// Slip that turns by more than this in a step (rad) is no sustained sliding.
const LARGEST_TURN: f64 = 0.5;

impl StepContext<'_> {
    /// The time over which loads act (s): h, or under the staggered integrator from the middle of the last step to that of
    /// this one.
    pub(super) fn loaded_time(&self) -> f64 {
        self.last_step.map_or(self.time_step, |last| 0.5 * (last + self.time_step))
    }

    /// The instant that velocities belong to (s).
    pub(super) fn rate_time(&self) -> f64 {
        if self.last_step.is_some() { self.end_time - 0.5 * self.time_step } else { self.end_time }
    }

    /// When things happen.
    pub(super) fn clock(&self) -> Clock {
        Clock { time_step: self.time_step, end_time: self.end_time, rate_time: self.rate_time() }
    }

    /// Angular momentum at the start; of the middle of the last step under the staggered integrator.
    pub(super) fn spin_momentum(&self, id: usize, inertia: &Matrix3<f64>) -> Vector3<f64> {
        let spin = self.velocities[id].angular;
        let Some(last) = self.last_step else { return inertia * spin };
        middle_inertia(&self.models[id].inertia, &self.placed[id].rotation, &(spin * (-0.5 * last))) * spin
    }
}

/// R I Rᵀ with the rotation turned by a vector.
fn middle_inertia(inertia: &Matrix3<f64>, rotation: &Matrix3<f64>, turn: &Vector3<f64>) -> Matrix3<f64> {
    let rotation = Rotation3::from_scaled_axis(*turn).into_inner() * rotation;
    rotation * inertia * rotation.transpose()
}

impl IslandProblem {
    /// No pair keeps any slip in this step. Whether one did.
    pub(super) fn forget_last_slips(&mut self) -> bool {
        let mut kept = false;
        for stagger in self.pairs.iter_mut().filter_map(|p| p.stagger.as_mut()) {
            kept |= stagger.theta < 1.0 && stagger.last_slip_used != Vector3::zeros();
            stagger.last_slip_used = Vector3::zeros();
        }
        kept
    }

    /// A, b and the derivative of I_mid ω at the iterate.
    pub(super) fn freeze_at_the_middle(&mut self, context: &StepContext<'_>, v: &[f64]) {
        let h = context.time_step;
        for (local, &id) in self.bodies.iter().enumerate() {
            let (model, spin) = (&context.models[id], velocity(v, local).angular);
            let half = spin * (0.5 * h);
            let inertia = middle_inertia(&model.inertia, &context.placed[id].rotation, &half);
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.problem.mass[local] = block_mass(model.mass, &inertia);
            self.problem.mass_inverse[local] = block_mass(1.0 / model.mass, &inverse);
            let momentum = inertia * spin;
            let slope = (cross_matrix(&momentum) - inertia * cross_matrix(&spin)) * left_jacobian(&half);
            let block = &mut self.problem.stiffness.body[local];
            block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(slope * (0.5 * h)));
        }
    }
}

/// What each pair needs for a step, with geometry at its start; where the step is solved `again`, only those added.
pub(super) fn begin(
    pairs: &mut [Pair],
    models: &[BodyModel],
    (placed, velocities): (&[MovedBody], &[Velocity]),
    [h, last]: [f64; 2],
    again: bool,
    loads: &mut Vec<f64>,
) {
    let rests =
        |id: usize| velocities[id].linear == Vector3::zeros() && velocities[id].angular == Vector3::zeros();
    for pair in pairs.iter_mut().filter(|p| !again || p.stagger.is_none()) {
        let before = pair.stagger.unwrap_or_default();
        let was_open = pair.impulse[0] <= 0.0;
        let size = models[pair.body_a].smaller_size(&models[pair.body_b]);
        let has_corner = mark_start(pair, size, loads);
        let theta = if was_open || has_corner || last == 0.0 {
            1.0
        } else if before.theta < 1.0 && pair.stagger.is_some() && rests(pair.body_a) && rests(pair.body_b) {
            // Neither has moved: as it was.
            before.theta
        } else {
            let chi = h * h * rolling_rate(pair, models, placed, pair.impulse[0] / last, loads);
            // A NaN damps.
            let theta = (chi - RESOLVED) / BLEND_RANGE;
            if theta.is_nan() { 1.0 } else { theta.clamp(0.0, 1.0) }
        };
        let start = pair.geometry.point();
        let (slip_turn_used, last_slip_used) = (before.slip_turn, before.last_slip);
        let grain = pair.grain(&placed[pair.body_a], &placed[pair.body_b]);
        pair.stagger =
            Some(Stagger { theta, was_open, start, grain, slip_turn_used, last_slip_used, ..before });
    }
}

/// Where the atoms of a flat pair are at the start, those that touch; `loads` gets what they bore. Whether they push along
/// several normals, as at a corner: those jump.
fn mark_start(pair: &mut Pair, size: f64, loads: &mut Vec<f64>) -> bool {
    loads.clear();
    let Some(patch) = &mut pair.patch else { return false };
    let mut is_corner = false;
    let mut first: Option<Vector3<f64>> = None;
    for atom in &mut patch.atoms {
        let was_loaded = atom.impulse > 0.0;
        let touches = was_loaded || atom.geometry.gap <= TOUCHING * size;
        atom.start = touches.then(|| atom.point());
        loads.push(atom.impulse);
        if was_loaded {
            let normal = *first.get_or_insert(atom.geometry.normal);
            is_corner |= normal.cross(&atom.geometry.normal).norm() > PARALLEL;
        }
    }
    is_corner
}

/// The largest square of an angular frequency (1/s²) at which one of the bodies rolls to and fro under the normal force: the
/// largest eigenvalue of I_c⁻¹ K about the two tangential axes, K = f [n]× ∂r/∂(rolling), I_c the inertia about the contact.
fn rolling_rate(pair: &Pair, models: &[BodyModel], placed: &[MovedBody], force: f64, loads: &[f64]) -> f64 {
    let g = &pair.geometry;
    let ids = [pair.body_a, pair.body_b];
    let [a, b] = ids.map(|id| Placed { model: &models[id], moved: &placed[id] });
    let tangent = pair.tangent(&a, &b, loads, &mut |_, _| ());
    let sides = [(&tangent.arm_a, &g.arm_a, -g.normal), (&tangent.arm_b, &g.arm_b, g.normal)];
    let mut fastest = 0.0_f64;
    for (side, (slope, arm, normal)) in sides.into_iter().enumerate() {
        let model = &models[ids[side]];
        if model.fixed {
            continue;
        }
        let rolled = slope[2 * side + 1] + slope[2 * side] * cross_matrix(arm);
        let stiffness = cross_matrix(&normal) * rolled * force;
        let rotation = &placed[ids[side]].rotation;
        let about = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
        let inertia = rotation * model.inertia * rotation.transpose() + about * model.mass;
        let flat = |m: &Matrix3<f64>| {
            let (t, o) = (&g.tangent_t, &g.tangent_o);
            Matrix2::new(t.dot(&(m * t)), t.dot(&(m * o)), o.dot(&(m * t)), o.dot(&(m * o)))
        };
        let Some(inverse) = flat(&inertia).try_inverse() else { continue };
        let m = inverse * flat(&stiffness);
        let (half, determinant) = (0.5 * m.trace(), m.determinant());
        fastest = fastest.max(half + (half * half - determinant).max(0.0).sqrt());
    }
    fastest
}

impl Island {
    /// Implicit Euler for all contacts of the bodies on which one closed in this step. Whether any was not so yet.
    pub(super) fn damp_impacts(&mut self) -> bool {
        let Self { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = self;
        let closed = |c: usize, pair: &Pair| {
            let mut x = iterate.impulse[problem.cones[c].normal()].iter();
            match &pair.patch {
                Some(patch) => patch.atoms.iter().zip(x).any(|(atom, x)| atom.start.is_none() && *x > 0.0),
                None => pair.stagger.is_some_and(|s| s.was_open) && x.any(|x| *x > 0.0),
            }
        };
        let mut changed = false;
        for c in 0..pairs.len() {
            if !closed(c, &pairs[c]) {
                continue;
            }
            for body in problem.start[c]..problem.start[c + 1] {
                let body = problem.body[body];
                for (d, pair) in pairs.iter_mut().enumerate() {
                    let touches = problem.body[problem.start[d]..problem.start[d + 1]].contains(&body);
                    if let Some(stagger) = pair.stagger.as_mut().filter(|s| touches && s.theta < 1.0) {
                        stagger.theta = 1.0;
                        changed = true;
                    }
                }
            }
        }
        changed
    }

    /// No slip is kept in this step, if some friction would have to drive it on: then something else stops it. Whether that was
    /// so.
    pub(super) fn release_driven(&mut self) -> bool {
        let Self { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = self;
        let drives = |(c, pair): (usize, &Pair)| {
            let last =
                pair.stagger.filter(|s| s.theta < 1.0).map_or_else(Vector3::zeros, |s| s.last_slip_used);
            let friction = &iterate.impulse[problem.cones[c].friction()];
            friction.iter().zip(&last).map(|(x, w)| x * w).sum::<f64>() > 0.0
        };
        pairs.iter().enumerate().any(drives) && self.problem.forget_last_slips()
    }

    /// Implicit Euler for all pairs.
    pub(super) fn forget_stagger(&mut self) {
        for stagger in self.problem.pairs.iter_mut().filter_map(|p| p.stagger.as_mut()) {
            (stagger.theta, stagger.sliding, stagger.n_slid) = (1.0, None, 0);
            (stagger.slip_turn, stagger.last_slip) = (Vector3::zeros(), Vector3::zeros());
        }
    }

    /// How the direction of slip turned, for the next step.
    pub(super) fn remember_slip(&mut self, context: &StepContext<'_>) {
        let Self { problem: island, iterate, .. } = self;
        for c in 0..island.pairs.len() {
            let (pair, cone) = (&island.pairs[c], island.problem.cones[c]);
            let friction = &iterate.impulse[cone.friction()];
            let radius = cone.friction_coefficient * iterate.impulse[cone.normal()].iter().sum::<f64>();
            let slides = friction.iter().map(|x| x * x).sum::<f64>().sqrt() >= radius * (1.0 - 1e-9);
            let Some(mut stagger) = pair.stagger else { continue };
            let motion = island.motion(context, &iterate.velocity, c);
            let now = Some(motion).filter(|_| slides && radius > 0.0 && cone.n_friction >= 2);
            stagger.n_slid = if now.is_some() { stagger.n_slid + 1 } else { 0 };
            (stagger.slip_turn, stagger.last_slip) = (Vector3::zeros(), Vector3::zeros());
            if let (Some(before), Some(now)) = (stagger.sliding, now)
                && stagger.theta < 1.0
            {
                let slips = PairRows::new(pair, cone).slips(&before, &now);
                stagger.slip_turn = slip_turn(&slips);
                let along = slips[1].try_normalize(0.0).filter(|_| stagger.n_slid >= SUSTAINED);
                if let Some(along) = along {
                    let weights = &along.as_slice()[..cone.n_friction];
                    let braking = radius * island.problem.yielding(c, cone.n_normal, weights);
                    stagger.last_slip = along * last_slip(slips.map(|w| w.dot(&along)), braking);
                }
            }
            stagger.sliding = now;
            island.pairs[c].stagger = Some(stagger);
        }
    }
}

/// By how much slip turned from one step to the next, as a rotation vector (rad); 0 where it cannot be said.
fn slip_turn([from, to]: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let axis = from.cross(to);
    let sine = axis.norm();
    let angle = sine.atan2(from.dot(to));
    if sine > 0.0 && angle <= LARGEST_TURN { axis * (angle / sine) } else { Vector3::zeros() }
}

/// What is left of slip, on average, in the next step, if sliding ends there, else 0; from slip along its direction in the last two
/// steps, and how much of its fall is due to friction.
///
/// Slip that falls by A in a step and is s in the middle of one ends (s/A − ½) h after its end. What is left of it in the step in
/// which it ends, σ h after its start, has the mean A σ²/2: a little more than A (σ − ½), with which it would go on to slide, and,
/// where that is negative, than nothing. So friction opposes what is left and is within its bounds, and the way to the stop is right.
/// Where friction would not hold what else acts, slip turns round instead.
fn last_slip([before, now]: [f64; 2], braking: f64) -> f64 {
    let fall = before - now;
    let ends = now / fall - 0.5;
    let holds = fall > 0.0 && fall < HOLDS * braking;
    if holds && (0.0..1.0).contains(&ends) { 0.5 * fall * ends * ends } else { 0.0 }
}

/// Velocities at the start of a step, half way between those of two steps (of the middles before and after).
pub fn mean(before: &Velocity, after: &Velocity) -> Velocity {
    Velocity { linear: (before.linear + after.linear) * 0.5, angular: (before.angular + after.angular) * 0.5 }
}
