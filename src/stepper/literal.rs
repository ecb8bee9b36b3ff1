//! The papers' own nonlinear complementarity problem, [CBAT (10), (11)], with every unknown kept:
//! velocities, closest points, impulses and slip multipliers in one system. A reference formulation for
//! small scenes: it shares no contact code with the production path, and is there to be compared with it.
//!
//! Rooms: `layout` (unknowns), `joints` (their rows), `surfaces` (implicit functions), `equations` (the printed rows),
//! `system` (residual and exact Jacobian), `closest` and `prediction` (where Newton starts), `newton`,
//! `assumptions` (active sets), `solve` (starts), `norms` (the project's residual).
//!
//! Departures from print, each marked where it is made: the exponential map for q + h G ν (`surfaces`), the
//! signed distance d for ‖a1 − a2‖ (`equations`), and no friction unknowns where p_n = 0 (`assumptions`).

mod assumptions;
mod closest;
mod equations;
mod joints;
mod layout;
mod newton;
mod norms;
mod prediction;
mod solve;
mod surfaces;
mod system;

use crate::error::{Error, Result};
use crate::geometry::{Shape, Velocity};
use crate::scene::{Scene, State};
use crate::solver::{Phase, SolveStatus};
use crate::stepper::joints::JointModel;
use crate::stepper::{ContactRecord, ContactState, JointRecord, Loads, Span, StepInfo, Touch};
use equations::pair_state;
use layout::{A1, A2, D, P_N, P_T, StepProblem};
use nalgebra::{DVector, Vector3};
use norms::scaled_friction;
use prediction::{PairMemory, free_flight, orient_tangents, place_points};
use solve::{Solution, solve};
use std::collections::BTreeMap;

/// Most moving bodies of a scene.
pub const MAX_MOVING: usize = 12;
/// Most pairs of a moving body with another body.
pub const MAX_PAIRS: usize = 40;

/// The literal formulation with its memory of the previous step.
#[derive(Debug, Clone)]
pub struct LiteralNcp {
    /// Every pair of a moving body with another body; a half-space is first, otherwise the lower id.
    pairs: Vec<(usize, usize)>,
    memory: BTreeMap<(usize, usize), PairMemory>,
    contacts: Vec<ContactRecord>,
    joints: joints::Memory,
    joint_records: Vec<JointRecord>,
}

impl LiteralNcp {
    /// A stepper for a small scene of ellipsoids and fixed half-spaces.
    ///
    /// # Errors
    /// When the scene has more than [`MAX_MOVING`] moving bodies, more than [`MAX_PAIRS`] pairs, or a shape
    /// that is not one smooth surface.
    pub fn new(scene: &Scene) -> Result<Self> {
        const WHAT: &str = "formulation = \"literal\"";
        let refuse = |found: String, allowed: String| {
            Err(Error::Usage { what: format!("{WHAT} with {found}"), allowed })
        };
        for body in &scene.bodies {
            let known = match body.shape {
                Shape::Ellipsoid { .. } => true,
                Shape::HalfSpace { .. } => body.fixed,
                #[allow(unreachable_patterns)] // The set of shapes grows.
                _ => false,
            };
            if !known {
                let allowed = "its shapes are ellipsoids (spheres) and fixed half-spaces; use \"implicit\"";
                return refuse(format!("the shape of body \"{}\"", body.name), allowed.into());
            }
        }
        let n_moving = scene.bodies.iter().filter(|b| !b.fixed).count();
        if n_moving > MAX_MOVING {
            let allowed = format!("at most {MAX_MOVING} moving bodies; use \"implicit\"");
            return refuse(format!("{n_moving} moving bodies"), allowed);
        }
        let (mut pairs, joined) = (Vec::new(), scene.joined_pairs());
        for a in 0..scene.bodies.len() {
            for b in a + 1..scene.bodies.len() {
                let held = scene.bodies[a].fixed && scene.bodies[b].fixed;
                if held || joined.binary_search(&(a, b)).is_ok() {
                    continue;
                }
                let plane_second = matches!(scene.bodies[b].shape, Shape::HalfSpace { .. });
                pairs.push(if plane_second { (b, a) } else { (a, b) });
            }
        }
        if pairs.len() > MAX_PAIRS {
            let allowed =
                format!("at most {MAX_PAIRS} pairs of a moving body with another; use \"implicit\"");
            return refuse(format!("{} pairs of bodies", pairs.len()), allowed);
        }
        let joints = joints::Memory::new(JointModel::all(scene));
        let (memory, contacts, joint_records) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Self { pairs, memory, contacts, joints, joint_records })
    }

    /// Takes `state` over one step; how it went is in the result, and `state` is the best iterate found.
    pub fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let mut empty = StepProblem::new(scene, state, loads);
        empty.joints = self.joints.begin(&empty, state);
        let mut near: Vec<bool> = self.pairs.iter().map(|&pair| may_meet(&empty, pair)).collect();
        loop {
            let (problem, memory) = self.with_pairs(scene, &empty, &near);
            let solution = solve(&problem, &memory, scene.solver.max_iterations);
            // A pair left out as too far must still be apart at the end; if not, solve again with it.
            let mut missed = false;
            for (i, &pair) in self.pairs.iter().enumerate() {
                if !near[i] && ball_gap(&problem, &solution.z, pair) < 0.0 {
                    near[i] = true;
                    missed = true;
                }
            }
            if !missed {
                joints::move_driven(&loads.driven, state, scene.time_step);
                return self.accept(scene, state, &problem, &solution);
            }
        }
    }

    /// The near pairs at the end of the last step, in the order of body ids.
    pub fn contacts(&self) -> &[ContactRecord] {
        &self.contacts
    }

    /// The joints at the end of the last step.
    pub fn joints(&self) -> &[JointRecord] {
        &self.joint_records
    }

    /// The problem with the near pairs, tangents across their normals, and what is remembered of each.
    fn with_pairs(
        &self,
        scene: &Scene,
        empty: &StepProblem,
        near: &[bool],
    ) -> (StepProblem, Vec<PairMemory>) {
        let mut problem = empty.clone();
        let mut memory = Vec::new();
        for (&(a, b), _) in self.pairs.iter().zip(near).filter(|(_, near)| **near) {
            problem.add_pair(scene, a, b);
            memory.push(self.memory.get(&(a, b)).copied().unwrap_or_else(|| {
                let apart = problem.bodies[b].centre - problem.bodies[a].centre;
                let normal = apart.try_normalize(0.0).unwrap_or_else(Vector3::z);
                PairMemory::open(normal)
            }));
        }
        let mut z = free_flight(&problem);
        let mut normals: Vec<Vector3<f64>> = memory.iter().map(|m| m.normal).collect();
        place_points(&problem, &mut z, &mut normals);
        orient_tangents(&mut problem, &normals);
        for (m, normal) in memory.iter_mut().zip(normals) {
            m.normal = normal;
        }
        (problem, memory)
    }

    fn accept(
        &mut self,
        scene: &Scene,
        state: &mut State,
        problem: &StepProblem,
        solution: &Solution,
    ) -> StepInfo {
        let finite = solution.z.iter().all(|x| x.is_finite());
        if finite {
            for (i, _) in problem.bodies.iter().enumerate().filter(|(_, b)| b.unknown.is_some()) {
                let (linear, angular) = problem.velocity(&solution.z, i);
                let velocity = Velocity { linear, angular };
                state.poses[i] = state.poses[i].advanced(&velocity, problem.time_step);
                state.velocities[i] = velocity;
            }
        }
        self.record(problem, &solution.z);
        let tolerance = scene.solver.tolerance;
        let judgement = &solution.judgement;
        let status = if judgement.worst() <= tolerance {
            SolveStatus::Solved
        } else if !finite {
            SolveStatus::NonFinite
        } else if judgement.admissible && judgement.relative <= tolerance {
            SolveStatus::AlmostSolved
        } else if solution.exhausted {
            SolveStatus::MaxIterations
        } else {
            SolveStatus::Stalled
        };
        StepInfo {
            status,
            residual: judgement.residual,
            relative_residual: judgement.relative,
            iterations: solution.cost.iterations,
            factorizations: solution.cost.factorizations,
            restarts: solution.restarts,
            n_contacts: problem.pairs.len(),
            n_islands: usize::from(problem.n_moving > 0),
            phase: Phase::Newton,
            ..StepInfo::default()
        }
    }

    /// Writes the contact list and remembers the impulses.
    fn record(&mut self, problem: &StepProblem, z: &DVector<f64>) {
        self.contacts.clear();
        self.memory.clear();
        self.joints.remember(problem, z);
        self.joint_records.clear();
        for (j, joint) in problem.joints.iter().enumerate() {
            let x = &z.as_slice()[problem.joint_offset(j)..][..joint.model.n_rows()];
            let end = joint.end(problem, z);
            self.joint_records.push(joint.model.record(j, x, &end, &end, Span::WHOLE));
        }
        for (i, pair) in problem.pairs.iter().enumerate() {
            let own = z.rows(problem.pair_offset(i), layout::PAIR_UNKNOWNS);
            let state = pair_state(problem, pair, &system::gather(problem, i, z));
            let p = Vector3::new(own[P_T], own[P_T + 1], own[P_T + 2]);
            let (u, w) = scaled_friction(pair, &p, &state.slip);
            let normal_impulse = own[P_N].max(0.0);
            let limit = pair.friction.coefficient * normal_impulse;
            let contact_state = if normal_impulse <= 1e-12 * problem.reference_impulse {
                ContactState::Open
            } else if u.norm() < limit * (1.0 - 1e-8) {
                ContactState::Stick
            } else {
                ContactState::Slip
            };
            let a1: Vector3<f64> = own.fixed_rows::<3>(A1).into();
            let a2: Vector3<f64> = own.fixed_rows::<3>(A2).into();
            let record = ContactRecord {
                body_a: pair.body_a,
                body_b: pair.body_b,
                ecp: (a1 + a2) * 0.5,
                normal: state.normal,
                tangent: state.tangents[0],
                gap: own[D],
                normal_impulse,
                friction_impulse: state.tangents[0] * p.x + state.tangents[1] * p.y,
                torsional_impulse: p.z,
                slip_speed: w.norm(),
                state: contact_state,
                span: Span::WHOLE,
                acting: None,
                touch: Touch::default(),
            };
            self.memory.insert(
                (pair.body_a, pair.body_b),
                PairMemory {
                    normal: record.normal,
                    normal_impulse,
                    friction_impulse: record.friction_impulse,
                    torsional_impulse: p.z,
                },
            );
            self.contacts.push(record);
        }
    }
}

/// Signed distance between the bounding balls (or the plane and the ball) of a pair at the end pose of z (m).
fn ball_gap(problem: &StepProblem, z: &DVector<f64>, (a, b): (usize, usize)) -> f64 {
    let place = |body: usize| {
        let start = &problem.bodies[body];
        let (linear, angular) = problem.velocity(z, body);
        let pose = surfaces::EndPose::new(start, &linear, &angular, problem.time_step);
        (pose.centre + pose.rotation * start.shape_pose.position, surfaces::Surface::new(start, &pose))
    };
    let ((origin_a, surface_a), (origin_b, _)) = (place(a), place(b));
    let radius = problem.bodies[b].shape.bounding_radius();
    match surface_a {
        surfaces::Surface::HalfSpace { .. } => surface_a.value(&origin_b) - radius,
        surfaces::Surface::Ellipsoid { .. } => {
            (origin_b - origin_a).norm() - radius - problem.bodies[a].shape.bounding_radius()
        }
    }
}

/// Whether a pair is close enough at the start, or after free flight, to be given equations.
fn may_meet(problem: &StepProblem, pair: (usize, usize)) -> bool {
    let at_rest = DVector::zeros(problem.n_unknowns());
    let flown = free_flight(problem);
    let margin = 0.2 * problem.size;
    ball_gap(problem, &at_rest, pair) < margin || ball_gap(problem, &flown, pair) < margin
}

#[cfg(test)]
mod tests;
