//! Compliant contact with a θ-method in two stages [SAP (1)–(12)]: free motion v*, then
//! ```text
//! A (v − v*) = Jᵀ γ,    0 ≤ φ + τ_d v_n + γ_n/(h k) ⊥ γ_n ≥ 0,    φ = φ₀ + h v_n,    |γ_t| ≤ μ γ_n
//! ```
//! with J and φ₀ of the start of the step. Friction is the convex approximation of the source (or Coulomb's
//! law, by a fixed point on it): γ = Proj_K(−R⁻¹ (v_c − v̂)), R_n = max(β² w/(4π²), 1/(h k (h + τ_d))), v̂_n
//! = −φ₀/(h + τ_d), R_t = σ w, w the contact's inverse effective mass. Poses move with θ_vq v + (1 − θ_vq)
//! v₀.

use super::free_motion::FreeMotion;
use crate::step::{ContactRecord, JointRecord, Loads, StepInfo};
use crate::stepper::explicit::{Explicit, LinearIsland, PointCone};
use crate::stepper::island::Island;
use crate::stepper::memory::Memory;
use crate::stepper::parameters::{CONVEX_TOLERANCE, JOINT_REGULARIZATION, MAX_FIXED_POINTS};
use crate::stepper::step_context::StepContext;
use crate::stepper::step_loop::StepLoop;
use crate::stepper::stepper_trait::Stepper;
use signorini_ncp::problem::{ContactLaw, ContactProblem};
use signorini_ncp::solver::solve;
use signorini_ncp::solver::{
    ConicValue, Info, Iterate, LinearProblem, PrimalNewton, Residual, SolveOptions, SolveStatus,
};
use signorini_scene::scene::{Compliance, Scene, Spring, State};
use signorini_scene::settings::{CompliantFriction, CompliantSettings, Formulation};
use std::f64::consts::PI;

/// The model with its workspace.
#[derive(Debug)]
pub struct Compliant {
    step_loop: StepLoop,
    spring_pairs: Vec<(usize, usize)>,
    springs: Vec<Spring>,
    compliance: Vec<Compliance>,
}

impl Compliant {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self {
            step_loop: StepLoop::new(scene),
            spring_pairs: scene.springs.iter().map(|s| (s.bodies[0], s.bodies[1])).collect(),
            springs: scene.springs.clone(),
            compliance: scene.compliance.clone(),
        }
    }
}

impl Stepper for Compliant {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let Self { step_loop, spring_pairs, springs, compliance } = self;
        let compliant = &scene.solver.compliant;
        let solve = |island: &mut Island, context: &StepContext<'_>, local_of: &[usize]| {
            let options = context.solve_options(island.problem.bodies.len());
            let method = Method { springs, compliance, compliant, options };
            method.solve(island, context, local_of);
        };
        let mut formulation = Explicit { spring_pairs, theta: compliant.thetas()[2], solve };
        let info = step_loop.step(scene, state, loads, &mut formulation);
        StepInfo { formulation: Formulation::Compliant, ..info }
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.step_loop.records.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.step_loop.records.joints
    }

    fn memory(&self) -> Memory {
        self.step_loop.memory()
    }

    fn restore(&mut self, memory: Memory) {
        self.step_loop.restore(memory);
    }
}

/// The method that solves one island's step.
struct Method<'a> {
    springs: &'a [Spring],
    compliance: &'a [Compliance],
    compliant: &'a CompliantSettings,
    options: SolveOptions,
}

impl Method<'_> {
    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]) {
        island.info = Info::default();
        let Island { problem, iterate, status, info, conic, .. } = island;
        LinearIsland::new(problem, context, local_of, ContactLaw::Cone);
        problem.problem.at.stiffness.body.clear();
        let motion = FreeMotion {
            bodies: &problem.bodies,
            context,
            local_of,
            springs: self.springs,
            theta: self.compliant.thetas(),
        };
        let free = motion.solve(&mut problem.problem);
        let linearized = &mut problem.problem;
        let mut momentum = vec![0.0; free.len()];
        linearized.mass_product(&free, &mut momentum);
        linearized.at.free_momentum = momentum;
        linearized.update_weights();
        let soft = |part: usize| {
            let material = context.models.parts[part].material;
            self.compliance.get(material).copied().unwrap_or(Compliance::RIGID)
        };
        let contacts = problem.pairs.iter().flat_map(|pair| {
            let [a, b] = context.models.parts_of(pair);
            let soft = soft(a).with(&soft(b));
            PointCone::of(pair).map(move |point| (soft, point.gap))
        });
        let contacts: Vec<(Compliance, f64)> = contacts.collect();
        let joint_slip = problem.problem.at.slip[problem.first_joint_row()..].to_vec();
        let linearized = &mut problem.problem;
        self.regularize(linearized, contacts, context.time_step);
        for (y, held) in linearized.at.slip.iter_mut().zip(&problem.prescribed_slip) {
            *y += held;
        }
        let joints = linearized.at.slip.len() - joint_slip.len();
        linearized.at.slip[joints..].copy_from_slice(&joint_slip);
        // The start is LinearIsland at the free velocity: the first step of Newton's method sees every
        // contact that the solution may have.
        linearized.at.velocity.clone_from(&free);
        let offset = linearized.at.slip.clone();
        let mut slip = vec![0.0; offset.len()];
        linearized.response(&free, &mut slip);
        slip.iter_mut().zip(&offset).for_each(|(y, w)| *y += w);
        linearized.at.slip = slip;
        iterate.velocity.clone_from(&free);
        *status = match self.compliant.friction {
            CompliantFriction::Convex => {
                let ended = PrimalNewton::default().run(linearized, iterate, &self.options, info);
                *conic = Some(value(linearized, iterate, &free));
                ended
            }
            CompliantFriction::Coulomb => self.solve_coulomb(linearized, iterate, info),
        };
    }

    /// Sets R per row, and the slip at rest.
    fn regularize(&self, problem: &mut ContactProblem, contacts: Vec<(Compliance, f64)>, h: f64) {
        let CompliantSettings { near_rigid, friction_regularization, .. } = *self.compliant;
        // The compliance given is that of motors.
        let mut given = std::mem::take(&mut problem.compliance);
        given.resize(problem.n_rows(), 0.0);
        problem.compliance.resize(problem.n_rows(), 1.0);
        let inverse = |weight: f64| if weight > 0.0 { 1.0 / weight } else { 1.0 };
        for cone in problem.cones.iter().filter(|cone| cone.bounded) {
            for row in cone.normal() {
                problem.compliance[row] =
                    given[row].max(JOINT_REGULARIZATION * inverse(problem.at.weight[row]));
            }
        }
        for (cone, (soft, gap)) in problem.cones.iter().zip(contacts) {
            let span = h + soft.dissipation_time;
            for row in cone.normal() {
                let circle = 2.0 * PI;
                let stiffest = near_rigid * near_rigid / (circle * circle) * inverse(problem.at.weight[row]);
                problem.compliance[row] = f64::max(stiffest, 1.0 / (h * soft.stiffness * span));
                problem.at.slip[row] = gap / span;
            }
            for row in cone.friction() {
                problem.compliance[row] = friction_regularization * inverse(problem.at.weight[row]);
                problem.at.slip[row] = 0.0;
            }
        }
    }

    /// Solves with Coulomb's law: the convex problem with its normal slip raised by μ |y_t| of the last
    /// solution, until the solution stays.
    fn solve_coulomb(
        &self,
        problem: &mut ContactProblem,
        iterate: &mut Iterate,
        info: &mut Info,
    ) -> SolveStatus {
        let (origin, slip) = (problem.at.velocity.clone(), problem.at.slip.clone());
        let mut method = PrimalNewton::default();
        let options = SolveOptions { tolerance: CONVEX_TOLERANCE * self.options.tolerance, ..self.options };
        let mut y = vec![0.0; problem.n_rows()];
        for _ in 0..MAX_FIXED_POINTS {
            problem.law = ContactLaw::Cone;
            let ended = method.run(problem, iterate, &options, info);
            let moved: Vec<f64> = iterate.velocity.iter().zip(&origin).map(|(v, o)| v - o).collect();
            problem.response(&moved, &mut y);
            y.iter_mut().zip(&slip).for_each(|(y, w)| *y += w);
            problem.law = ContactLaw::Coulomb;
            let reached = Residual::of(problem, info.residual.momentum, &iterate.impulse, &y);
            if reached.max() <= self.options.tolerance {
                info.residual = reached;
                problem.at.slip.clone_from(&slip);
                return SolveStatus::Solved;
            }
            if !ended.is_solved() {
                break;
            }
            problem.at.slip.clone_from(&slip);
            for cone in &problem.cones {
                let sliding = y[cone.friction()].iter().map(|y| y * y).sum::<f64>().sqrt();
                problem.at.slip[cone.normal()]
                    .iter_mut()
                    .for_each(|w| *w += cone.friction_coefficient * sliding);
            }
        }
        problem.at.slip = slip;
        let linear = LinearProblem::new(problem.clone(), None);
        let (found, ended, cost) = solve(linear, &iterate.impulse, &self.options.after_work(info.work));
        *iterate = found;
        info.iterations += cost.iterations;
        info.factorizations += cost.factorizations;
        info.work += cost.work;
        info.residual = cost.residual;
        ended
    }
}

/// Returns ℓ(v) and γ·(y + R γ).
fn value(problem: &ContactProblem, iterate: &Iterate, free: &[f64]) -> ConicValue {
    let moved: Vec<f64> = iterate.velocity.iter().zip(free).map(|(v, f)| v - f).collect();
    let (mut momentum, mut y) = (vec![0.0; moved.len()], vec![0.0; problem.n_rows()]);
    problem.mass_product(&moved, &mut momentum);
    problem.response(&moved, &mut y);
    let mut found = ConicValue::default();
    found.objective += 0.5 * moved.iter().zip(&momentum).map(|(v, p)| v * p).sum::<f64>();
    for (row, x) in iterate.impulse.iter().enumerate() {
        let r = problem.compliance[row];
        found.objective += 0.5 * r * x * x;
        found.duality_gap += x * (y[row] + problem.at.slip[row] + r * x);
    }
    found
}
