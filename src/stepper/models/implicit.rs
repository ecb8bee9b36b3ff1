//! The default model: geometry at the END of the step, exact Coulomb friction, the NCP of theory §2.

use crate::contact::near_pairs::catch_passed;
use crate::contact::{Models, MovedPart, Pair};
use crate::step::{ContactRecord, JointRecord, Loads, SolvedProblem, Span, StepInfo, Substep};
use crate::stepper::blocks::{path_speed, velocity};
use crate::stepper::formulation::{Records, StepEnd, StepFormulation};
use crate::stepper::impact::Impact;
use crate::stepper::island::Island;
use crate::stepper::island::derivative::{Ended, IslandDerivative, Piece};
use crate::stepper::island::records::{write_joints, write_records};
use crate::stepper::island::step::solve_island;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::joints::JointMemory;
use crate::stepper::memory::Memory;
use crate::stepper::parameters::{BODIES_PER_CHUNK, JUDGED_PAIRS_PER_CHUNK};
use crate::stepper::staggered::{self, Workspace};
use crate::stepper::step_context::StepContext;
use crate::stepper::step_loop::StepLoop;
use crate::stepper::stepper_trait::Stepper;
use rayon::prelude::*;
use signorini_backend::Guarded;
use signorini_ncp::solver::OwnMethod;
use signorini_ncp::threads;
use signorini_ranks::Ranks;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Integrator;
use std::sync::Arc;

/// The implicit model with its workspace.
#[derive(Debug)]
pub struct ImplicitNcp {
    step_loop: StepLoop,
    formulation: Implicit,
}

/// Data and operations of the implicit model alone.
#[derive(Debug)]
struct Implicit {
    /// Backend that takes solves in flat arrays; None: the CPU alone.
    backend: Option<Arc<Guarded>>,
    /// Method that solves linearized problems; None: the solver's own.
    own: Option<Arc<dyn OwnMethod>>,
    /// Processes that take the step together; None: this one alone.
    ranks: Option<Arc<dyn Ranks>>,
    /// Length of the last step (s) under the staggered integrator, 0 before the first.
    last_step: Option<f64>,
    has_impacts: bool,
    keeps_derivatives: bool,
    keeps_problems: bool,
    staggered: Workspace,
}

impl ImplicitNcp {
    /// A workspace for a scene.
    pub fn new(scene: &Scene) -> Self {
        let formulation = Implicit {
            backend: None,
            own: None,
            ranks: None,
            last_step: (scene.solver.integrator == Integrator::Staggered).then_some(0.0),
            has_impacts: scene.solver.impact_phase || scene.friction.rebounds(),
            keeps_derivatives: false,
            keeps_problems: false,
            staggered: Workspace::default(),
        };
        Self { step_loop: StepLoop::new(scene), formulation }
    }
}

impl Stepper for ImplicitNcp {
    fn step(&mut self, scene: &Scene, state: &mut State, loads: &Loads) -> StepInfo {
        let info = self.step_loop.step(scene, state, loads, &mut self.formulation);
        let portion = threads::portion(state.poses.len(), JUDGED_PAIRS_PER_CHUNK);
        let pairs = self.step_loop.near.pairs.par_iter_mut().with_min_len(portion);
        pairs.for_each(|pair| pair.frame = (pair.geometry.normal, pair.geometry.tangent_t));
        self.formulation.last_step = self.formulation.last_step.map(|_| scene.time_step);
        info
    }

    fn contacts(&self) -> &[ContactRecord] {
        &self.step_loop.records.contacts
    }

    fn joints(&self) -> &[JointRecord] {
        &self.step_loop.records.joints
    }

    fn substeps(&self) -> &[Substep] {
        &self.step_loop.records.substeps
    }

    fn memory(&self) -> Memory {
        Memory { last_step: self.formulation.last_step, ..self.step_loop.memory() }
    }

    fn restore(&mut self, memory: Memory) {
        // The integrator decides whether there is a last step at all.
        self.formulation.last_step = self.formulation.last_step.map(|cold| memory.last_step.unwrap_or(cold));
        self.step_loop.restore(memory);
    }

    fn keep_derivatives(&mut self, on: bool) -> bool {
        self.formulation.keeps_derivatives = on;
        true
    }

    fn take_derivatives(&mut self) -> Vec<IslandDerivative> {
        std::mem::take(&mut self.step_loop.records.derivatives)
    }

    fn keep_problems(&mut self, on: bool) -> bool {
        self.formulation.keeps_problems = on;
        true
    }

    fn take_problems(&mut self) -> Vec<SolvedProblem> {
        std::mem::take(&mut self.step_loop.records.problems)
    }

    fn use_backend(&mut self, backend: Arc<Guarded>) -> bool {
        self.formulation.backend = Some(backend);
        true
    }

    fn use_own(&mut self, method: Option<Arc<dyn OwnMethod>>) -> bool {
        self.formulation.own = method;
        true
    }

    fn use_ranks(&mut self, ranks: Option<Arc<dyn Ranks>>) {
        self.formulation.ranks = ranks;
    }
}

impl StepFormulation for Implicit {
    fn last_step(&self) -> Option<f64> {
        self.last_step
    }

    fn has_impacts(&self) -> bool {
        self.has_impacts
    }

    fn keeps_derivatives(&self) -> bool {
        self.keeps_derivatives
    }

    fn keeps_problems(&self) -> bool {
        self.keeps_problems
    }

    fn backend(&self) -> Option<Arc<Guarded>> {
        self.backend.clone()
    }

    fn own(&self) -> Option<Arc<dyn OwnMethod>> {
        self.own.clone()
    }

    fn ranks(&self) -> Option<Arc<dyn Ranks>> {
        self.ranks.clone()
    }

    fn begin(
        &mut self,
        round: usize,
        pairs: &mut [Box<Pair>],
        joint_memory: &mut [JointMemory],
        context: &StepContext<'_>,
    ) {
        let Some(last) = self.last_step else { return };
        if round == 0 {
            staggered::begin_joints(joint_memory, context, last, &mut self.staggered);
        }
        staggered::begin_pairs(pairs, context, last, round > 0, &mut self.staggered);
    }

    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]) {
        let solver = context.solver;
        let options = context.solve_options(island.problem.bodies.len());
        let policy =
            SubstepPolicy { local_of, options: &options, settings: solver, max_halvings: solver.halvings };
        solve_island(island, context, &policy);
    }

    fn advance(&self, islands: &mut [Box<Island>], context: &StepContext<'_>, end: &mut StepEnd) {
        let h = context.time_step;
        let StepEnd { state, travel, moved, .. } = end;
        for island in islands {
            for substep in &island.substep_records.substeps {
                for end in &substep.bodies {
                    (state.poses[end.body], state.velocities[end.body]) = (end.pose, end.velocity);
                    let speed = path_speed(&context.models.bodies[end.body], &end.velocity);
                    travel[end.body] += h * substep.span.length() * speed;
                }
            }
            if island.substep_records.is_empty() {
                island.keep_free_spins(context);
                let Island { problem, iterate, impact, .. } = &**island;
                let end_of = |(local, &id): (usize, &usize)| {
                    let v = velocity(&iterate.velocity, local);
                    let end = island.end_pose(context, local, &v);
                    let leaves = impact.as_ref().map(|impact| velocity(impact.velocity(), local));
                    let leaves = leaves.unwrap_or_else(|| context.end_velocity(id, &v, &end));
                    (end, leaves, h * path_speed(&context.models.bodies[id], &v))
                };
                let portion = threads::portion(problem.bodies.len(), BODIES_PER_CHUNK);
                let all = problem.bodies.par_iter().enumerate().with_min_len(portion);
                all.map(end_of).collect_into_vec(moved);
                for (id, of) in problem.bodies.iter().zip(moved.drain(..)) {
                    (state.poses[*id], state.velocities[*id], travel[*id]) = of;
                }
            }
        }
    }

    fn record(
        &self,
        islands: &mut [Box<Island>],
        context: &StepContext<'_>,
        end: &StepEnd,
        records: &mut Records,
    ) {
        // Records take the impacts.
        records.problems.clear();
        if self.keeps_problems {
            records.problems.extend(islands.iter_mut().flat_map(|island| problems(island, context)));
        }
        let kept = if self.keeps_derivatives { islands.len() } else { 0 };
        let impacts: Vec<_> = islands[..kept].iter().map(|island| island.impact.clone()).collect();
        write_records(islands, context, &end.state, records);
        write_joints(islands, context, &mut records.joints);
        records.derivatives.clear();
        let of = islands[..kept].iter_mut().zip(&impacts);
        records.derivatives.extend(of.map(|(island, impact)| derivative(island, context, impact.as_ref())));
    }

    fn catch_passed(&self, pairs: &mut [Box<Pair>], models: &Models, placed: [&[MovedPart]; 2]) -> usize {
        catch_passed(pairs, models, placed)
    }
}

/// The problems that an island has solved in the step.
fn problems(island: &mut Island, context: &StepContext<'_>) -> Vec<SolvedProblem> {
    if !island.substep_records.is_empty() {
        return std::mem::take(&mut island.solved);
    }
    island.solved_problems(context, Span::WHOLE, island.impact.as_ref())
}

/// The derivative of the step that an island has taken.
fn derivative(island: &mut Island, context: &StepContext<'_>, impact: Option<&Impact>) -> IslandDerivative {
    let mut pieces = std::mem::take(&mut island.pieces);
    if island.substep_records.is_empty() {
        let ended = Ended { is_solved: island.status.is_solved(), impact };
        let Island { problem, iterate, solver, .. } = island;
        pieces = vec![Piece::of(problem, (iterate, solver), context, ended)];
    }
    IslandDerivative::of(pieces)
}
