//! The papers' system as a time-stepping model: its near pairs, its step and its memory.

use super::facet::Facet;
use super::facet_block::MAX_FACETS;
use super::joints;
use super::prediction::{PairWarmStart, free_flight, orient_tangents, place_points};
use super::problem::ReferenceProblem;
use super::records::record_pair;
use super::solve::{Solution, solve};
use super::surfaces;
use super::unknowns::PAIR_UNKNOWNS;
use crate::step::{ContactRecord, JointRecord, Loads, Span, StepInfo};
use crate::stepper::joints::JointModel;
use crate::stepper::{self, Stepper};
use nalgebra::{DVector, Vector3};
use signorini_error::{Error, Result};
use signorini_geometry::{Shape, Velocity};
use signorini_ncp::solver::{Phase, SolveStatus};
use signorini_scene::scene::{Body, Scene, State, Torsion};
use signorini_scene::settings::{Formulation, LiteralBlock};
use std::collections::BTreeMap;

/// Most moving bodies of a scene.
pub const MAX_MOVING: usize = 12;
/// Most pairs of a moving body with another body.
pub const MAX_PAIRS: usize = 40;

/// Literal formulation with its memory of the previous step.
#[derive(Debug, Clone)]
pub struct ReferenceNcp {
    /// Every pair of a moving body with another body: a half-space first, otherwise the lower id.
    pairs: Vec<(usize, usize)>,
    warm_starts: BTreeMap<(usize, usize), PairWarmStart>,
    contacts: Vec<ContactRecord>,
    joints: joints::JointWarmStart,
    joint_records: Vec<JointRecord>,
}

/// Whether e_r of a pair follows from a touching line or surface, which this formulation does not know.
fn has_torsion_of_region(scene: &Scene, pair: [usize; 2]) -> bool {
    let bodies = pair.map(|i| &scene.bodies[i]);
    let friction = scene.friction.between(bodies[0].parts[0].material, bodies[1].parts[0].material);
    let is_smooth = |body: &Body| body.parts[0].shape.is_ellipsoid();
    friction.coefficient > 0.0 && friction.torsional == Torsion::Patch && !bodies.into_iter().any(is_smooth)
}

impl ReferenceNcp {
    /// Makes a stepper for a small scene.
    ///
    /// # Errors
    /// When the scene has more than [`MAX_MOVING`] moving bodies, more than [`MAX_PAIRS`] pairs, a pair with
    /// more than 64 facets, a body of several parts, a bore, a surface velocity, or a half-space that moves.
    pub fn new(scene: &Scene) -> Result<Self> {
        const FORMULATION: &str = "formulation = \"literal\"";
        let refuse = |found: String, allowed: String| {
            Err(Error::Usage { what: format!("{FORMULATION} with {found}"), allowed })
        };
        if let Some(body) = scene.bodies.iter().find(|b| b.is_bore()) {
            let allowed = "convex bodies; use \"implicit\"".into();
            return refuse(format!("the bore \"{}\"", body.name), allowed);
        }
        if let Some(body) = scene.bodies.iter().find(|b| b.parts.len() != 1) {
            let allowed = "bodies of one shape; use \"implicit\"".into();
            return refuse(format!("\"{}\", a body of {} parts", body.name, body.parts.len()), allowed);
        }
        let loose = |b: &&Body| matches!(b.parts[0].shape, Shape::HalfSpace { .. }) && !b.fixed;
        if let Some(body) = scene.bodies.iter().find(loose) {
            let allowed = "its half-spaces are fixed".into();
            return refuse(format!("the moving half-space \"{}\"", body.name), allowed);
        }
        let runs = |b: &&Body| b.parts[0].surface.is_some();
        if let Some(body) = scene.bodies.iter().find(runs) {
            let allowed = "surfaces that move with their bodies; use \"implicit\"".into();
            return refuse(format!("a surface velocity of \"{}\"", body.name), allowed);
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
                let n_facets = [a, b].map(|i| Facet::all(&scene.bodies[i].parts[0].shape).len());
                if n_facets[0] + n_facets[1] > MAX_FACETS {
                    let allowed = format!("at most {MAX_FACETS} facets in a pair; use \"implicit\"");
                    let names = [a, b].map(|i| &scene.bodies[i].name);
                    let found = format!("{n_facets:?} facets of \"{}\" and \"{}\"", names[0], names[1]);
                    return refuse(found, allowed);
                }
                if has_torsion_of_region(scene, [a, b]) {
                    let names = [a, b].map(|i| &scene.bodies[i].name);
                    let allowed = "a number as `ellipsoid.r` of bodies with flat faces".into();
                    return refuse(
                        format!("r = \"patch\" between \"{}\" and \"{}\"", names[0], names[1]),
                        allowed,
                    );
                }
                let plane_second = matches!(scene.bodies[b].parts[0].shape, Shape::HalfSpace { .. });
                pairs.push(if plane_second { (b, a) } else { (a, b) });
            }
        }
        if pairs.len() > MAX_PAIRS {
            let allowed =
                format!("at most {MAX_PAIRS} pairs of a moving body with another; use \"implicit\"");
            return refuse(format!("{} pairs of bodies", pairs.len()), allowed);
        }
        let joints = joints::JointWarmStart::new(JointModel::all(scene));
        let (warm_starts, contacts, joint_records) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Self { pairs, warm_starts, contacts, joints, joint_records })
    }

    /// Returns the problem with the near pairs, tangents across their normals, and the memory of each pair.
    fn with_pairs(
        &self,
        scene: &Scene,
        empty: &ReferenceProblem,
        near: &[bool],
    ) -> (ReferenceProblem, Vec<PairWarmStart>) {
        let mut problem = empty.clone();
        let mut memory = Vec::new();
        for (&(a, b), _) in self.pairs.iter().zip(near).filter(|(_, near)| **near) {
            problem.add_pair(scene, a, b);
            memory.push(self.warm_starts.get(&(a, b)).cloned().unwrap_or_else(|| {
                let apart = problem.bodies[b].centre - problem.bodies[a].centre;
                let normal = apart.try_normalize(0.0).unwrap_or_else(Vector3::z);
                PairWarmStart::open(normal)
            }));
        }
        let mut z = free_flight(&problem);
        let mut normals: Vec<Vector3<f64>> = memory.iter().map(|m| m.normal).collect();
        place_points(&problem, &mut z, &mut normals, &memory);
        orient_tangents(&mut problem, &normals);
        if problem.literal.block == LiteralBlock::AsPrinted {
            for (pair, m) in problem.pairs.iter_mut().zip(&memory).filter(|(pair, _)| pair.has_facets()) {
                // Any active facet may be k1: the one with the largest multiplier at the start is taken.
                let (own, first) = (pair.n_facets[0], pair.offset + PAIR_UNKNOWNS);
                let known = m.facets.as_ref().map(|f| f.multipliers[..own].to_vec());
                let l = known.unwrap_or_else(|| z.rows(first, own).iter().copied().collect());
                pair.printed = (0..own).max_by(|j, k| l[*j].total_cmp(&l[*k]));
            }
        }
        for (m, normal) in memory.iter_mut().zip(normals) {
            m.normal = normal;
        }
        (problem, memory)
    }

    fn accept(
        &mut self,
        scene: &Scene,
        state: &mut State,
        problem: &ReferenceProblem,
        solution: &Solution,
    ) -> StepInfo {
        let finite = solution.z.iter().all(|x| x.is_finite());
        if finite {
            for (i, _) in problem.bodies.iter().enumerate().filter(|(_, b)| b.unknown.is_some()) {
                let (linear, angular) = problem.velocity(&solution.z, i);
                let velocity = Velocity { linear, angular };
                let turning = surfaces::turning(problem, &angular);
                state.poses[i] =
                    state.poses[i].advanced(&Velocity { linear, angular: turning }, problem.time_step);
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
        } else if solution.exhausted {
            SolveStatus::MaxIterations
        } else {
            SolveStatus::Stalled
        };
        StepInfo {
            status,
            residual: judgement.residual,
            iterations: solution.cost.iterations,
            factorizations: solution.cost.factorizations,
            restarts: solution.restarts,
            n_contacts: problem.pairs.len(),
            n_islands: usize::from(problem.n_moving > 0),
            phase: Phase::Newton,
            formulation: Formulation::Literal,
            ..StepInfo::default()
        }
    }

    /// Writes the records and remembers the impulses.
    fn record(&mut self, problem: &ReferenceProblem, z: &DVector<f64>) {
        self.contacts.clear();
        self.warm_starts.clear();
        self.joints.store(problem, z);
        self.joint_records.clear();
        for (j, joint) in problem.joints.iter().enumerate() {
            let x = &z.as_slice()[problem.joint_offset(j)..][..joint.model.n_rows()];
            let end = joint.end(problem, z);
            self.joint_records.push(joint.model.record(j, x, &end, &end, Span::WHOLE));
        }
        for (i, pair) in problem.pairs.iter().enumerate() {
            let (record, memory) = record_pair(problem, i, z);
            // The best iterate of a failed step may have no normal.
            if record.normal.iter().all(|x| x.is_finite()) {
                self.warm_starts.insert((pair.body_a, pair.body_b), memory);
            }
            self.contacts.push(record);
        }
    }
}

impl Stepper for ReferenceNcp {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let mut empty = ReferenceProblem::new(scene, state, loads);
        empty.joints = self.joints.begin(scene, &empty, state);
        let mut near: Vec<bool> = self.pairs.iter().map(|&pair| may_meet(&empty, pair)).collect();
        loop {
            let (problem, memory) = self.with_pairs(scene, &empty, &near);
            let solution = solve(&problem, &memory, scene.solver.max_iterations);
            // A pair left out as too far must still be apart at the end; if not, the step is solved again
            // with it.
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

    fn contacts(&self) -> &[ContactRecord] {
        &self.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.joint_records
    }

    fn memory(&self) -> stepper::Memory {
        let pairs: Vec<_> = self.warm_starts.iter().collect();
        // The memory is plain numbers: serialisation cannot fail.
        let own = serde_json::to_value((pairs, self.joints.impulses())).unwrap_or_default();
        stepper::Memory { own, ..stepper::Memory::default() }
    }

    fn restore(&mut self, memory: stepper::Memory) {
        type Own = (Vec<((usize, usize), PairWarmStart)>, Vec<Vec<f64>>);
        if let Ok((pairs, impulses)) = serde_json::from_value::<Own>(memory.own) {
            self.warm_starts = pairs.into_iter().collect();
            self.joints.set_impulses(impulses);
        }
    }
}

/// Signed distance between the bounding balls (or the plane and the ball) of a pair at the end pose of z (m).
fn ball_gap(problem: &ReferenceProblem, z: &DVector<f64>, (a, b): (usize, usize)) -> f64 {
    let place = |body: usize| {
        let start = &problem.bodies[body];
        let (linear, angular) = problem.velocity(z, body);
        let pose = surfaces::EndPose::new(problem, body, &linear, &angular);
        let is_plane = matches!(start.shape, Shape::HalfSpace { .. });
        let plane = is_plane.then(|| surfaces::Surface::new(start, &pose));
        (pose.centre + pose.rotation * start.shape_pose.position, plane)
    };
    let ((origin_a, plane), (origin_b, _)) = (place(a), place(b));
    let radius = problem.bodies[b].shape.bounding_radius();
    match plane {
        Some(plane) => plane.value(&origin_b) - radius,
        None => (origin_b - origin_a).norm() - radius - problem.bodies[a].shape.bounding_radius(),
    }
}

/// Whether a pair is close enough at the start, or after free flight, to be given equations.
fn may_meet(problem: &ReferenceProblem, pair: (usize, usize)) -> bool {
    let at_rest = DVector::zeros(problem.n_unknowns());
    let flown = free_flight(problem);
    let margin = 0.2 * problem.size;
    ball_gap(problem, &at_rest, pair) < margin || ball_gap(problem, &flown, pair) < margin
}
