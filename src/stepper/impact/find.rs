//! Finds the velocities after an impact.

use super::approach::{Approach, before, least_impulses, most_loaded, strikes};
use super::problem::{Demands, expansion_of, free_velocity, problem_at_end, work_missed};
use super::search::{Found, ReboundSearch};
use crate::contact::Pair;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::{CLOSED_GAP, EQUAL_NORMALS_COSINE, MAX_IMPACT_ROUNDS, UNCHANGED};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{Info, Iterate, SolveOptions, SolveStatus};
use signorini_scene::scene::friction::ImpactLaw;

/// Velocities and impulses of an impact.
#[derive(Debug, Clone)]
pub struct Impact {
    /// Velocity ν and impulses of each phase: the whole impact, or a compression and an expansion.
    pub phases: Vec<Iterate>,
    /// Problem of each phase, linearised at its solution, where problems are kept.
    pub problems: Vec<ContactProblem>,
    /// Rebound velocity per row (m/s) of each phase.
    pub rebounds: Vec<Vec<f64>>,
    /// Part of its rebound that the last phase has: below 1 where it was cut for the sake of the energy.
    pub fraction: f64,
    /// Outcome of its solves.
    pub status: SolveStatus,
    /// Work of its solves.
    pub info: Info,
    /// Pairs as they are in the impact.
    pub pairs: Vec<Box<Pair>>,
}

/// An island at the end of its step, with the data that its impact begins with.
#[derive(Clone, Copy)]
struct ImpactStart<'a> {
    /// Solution of the step.
    at: &'a Iterate,
    context: &'a StepContext<'a>,
    options: &'a SolveOptions,
    /// Velocities before the step.
    before: &'a [f64],
}

/// Compression that an expansion follows.
#[derive(Clone, Copy)]
struct Compressed<'a> {
    found: &'a Found,
    /// Least impulse e Λ_c per row (N s).
    least: &'a [f64],
}

impl Impact {
    /// Finds the impact at the end of a step of an island whose problem is solved by an iterate and
    /// linearised at it; None where nothing strikes.
    pub fn find(
        problem: &mut IslandProblem,
        iterate: &Iterate,
        context: &StepContext<'_>,
        options: &SolveOptions,
    ) -> Option<Self> {
        if !(context.has_impacts && context.flies()) {
            return None;
        }
        let before = before(problem, context);
        if !strikes((problem, iterate), context, &before) {
            return None;
        }
        let kept = (problem.pairs.clone(), problem.problem.cones.clone(), problem.problem.at.clone());
        let mut iterate = iterate.clone();
        narrow(problem, context, &mut iterate);
        let start = ImpactStart { at: &iterate, context, options, before: &before };
        let mut spent = Info::default();
        let (found, status) = start.find(problem, &mut spent);
        let fraction = found.last().map_or(1.0, |found| found.fraction);
        let parts = found.into_iter().map(|found| (found.iterate, (found.problem, found.rebound)));
        let (phases, (problems, rebounds)) = parts.unzip();
        let pairs = std::mem::replace(&mut problem.pairs, kept.0);
        (problem.problem.cones, problem.problem.at) = (kept.1, kept.2);
        Some(Self { phases, problems, rebounds, fraction, status, info: spent, pairs })
    }

    /// Velocities ν⁺ after the impact.
    pub fn velocity(&self) -> &[f64] {
        self.phases.last().map_or(&[], |phase| &phase.velocity)
    }
}

impl ImpactStart<'_> {
    fn find(&self, problem: &mut IslandProblem, spent: &mut Info) -> (Vec<Found>, SolveStatus) {
        let is_poisson = |pair: &Pair| {
            let law = &pair.friction.restitution;
            law.law == ImpactLaw::Poisson && law.coefficient > 0.0
        };
        if problem.pairs.iter().any(|pair| is_poisson(pair)) {
            let solve = |island: &IslandProblem, start: &[f64], spent: &mut Info| {
                self.search(island, start, None, spent).solve(0.0, start)
            };
            let found = self.solve_consistently(problem, &self.at.impulse, spent, solve);
            let least = least_impulses((problem, &found.iterate), self.context, self.before);
            if !found.status.is_solved() {
                let status = found.status;
                return (vec![found], status);
            }
            if least.iter().any(|least| *least > 0.0) {
                let compressed = Compressed { found: &found, least: &least };
                let solve = |island: &IslandProblem, start: &[f64], spent: &mut Info| {
                    self.search(island, start, Some(compressed), spent).find()
                };
                let end = self.solve_consistently(problem, &least, spent, solve);
                let status = found.status.worse(end.status);
                return (vec![found, end], status);
            }
        }
        let solve = |island: &IslandProblem, start: &[f64], spent: &mut Info| {
            self.search(island, start, None, spent).find()
        };
        let found = self.solve_consistently(problem, &self.at.impulse, spent, solve);
        let status = found.status;
        (vec![found], status)
    }

    /// Solves until torsional radii, normals and units are those of the impulses.
    fn solve_consistently(
        &self,
        problem: &mut IslandProblem,
        start: &[f64],
        spent: &mut Info,
        solve: impl Fn(&IslandProblem, &[f64], &mut Info) -> Found,
    ) -> Found {
        let mut found = solve(problem, start, spent);
        for round in 1..=MAX_IMPACT_ROUNDS {
            let frame = |pair: &Pair| (pair.torsion_radius, pair.geometry.normal);
            let frames: Vec<_> = problem.pairs.iter().map(|pair| frame(pair)).collect();
            let mut carried = found.iterate.impulse.clone();
            for c in 0..problem.pairs.len() {
                problem.carry(self.context, &self.at.velocity, &mut carried, c);
            }
            let moved = |pair: &Pair, (radius, normal): &(f64, Vector3<f64>)| {
                let turned = (pair.geometry.normal - normal).amax() > UNCHANGED;
                turned || (pair.torsion_radius - radius).abs() > UNCHANGED * radius
            };
            let stays = !problem.pairs.iter().zip(&frames).any(|(pair, frame)| moved(pair, frame));
            // The impulses of the step may be larger than those of the impact, and so are its units.
            let units = problem.problem.at.units.clone();
            problem.update_units(self.context, &carried);
            let residual = found.residual * units.most_over(&problem.problem.at.units);
            let is_settled = stays && residual <= self.options.tolerance;
            if !found.status.is_solved() || is_settled || round == MAX_IMPACT_ROUNDS {
                break;
            }
            found = solve(problem, &found.iterate.impulse, spent);
        }
        found
    }

    /// Sets up the search for the impact, or of the expansion after a compression, from these impulses.
    fn search<'s>(
        &self,
        island: &IslandProblem,
        start: &'s [f64],
        after: Option<Compressed<'_>>,
        spent: &'s mut Info,
    ) -> ReboundSearch<'s> {
        let base = problem_at_end((island, self.at), self.context);
        let free = free_velocity(&base);
        let approach = Approach::of((island, self.at), self.context, self.before, &free);
        let missed = work_missed((island, self.at), self.context, [self.before, &free]);
        let (mut base, free, before, missed, least) = match after {
            None => (base, free, [0.0; 2], missed, Vec::new()),
            Some(Compressed { found, least }) => {
                let v = &found.iterate.velocity;
                let base = expansion_of((island, self.at), self.context, v);
                (base, v.clone(), found.work, Vec::new(), least.to_vec())
            }
        };
        base.at.slip.iter_mut().zip(&approach.prescribed).for_each(|(y, own)| *y += own);
        let is_small = island.bodies.len() <= self.options.methods.small_island;
        let options = if is_small { self.options.small_island() } else { *self.options };
        let demands = Demands { rebound: approach.rebound, least, active: approach.active };
        let n_contacts = island.pairs.len();
        let keeps_problem = self.context.keeps_problems || self.context.keeps_derivatives;
        ReboundSearch {
            base,
            demands,
            free,
            start,
            n_contacts,
            before,
            missed,
            is_small,
            keeps_problem,
            options,
            spent,
        }
    }
}

/// Lets lines that touch at only one point carry load only at that point, and pairs only along the normal of
/// their most loaded point.
fn narrow(island: &mut IslandProblem, context: &StepContext<'_>, at: &mut Iterate) {
    let mut any = false;
    for c in 0..island.pairs.len() {
        let cone = island.problem.cones[c];
        let [a, b] = context.models.parts_of(&island.pairs[c]).map(|part| &context.models.parts[part]);
        let closed = CLOSED_GAP * a.smaller_size(b);
        let x = &mut at.impulse[cone.reserved()];
        let is_narrowed = island.narrow(context, c, closed, x);
        if keep_one_normal(&island.pairs[c], x) || is_narrowed {
            island.carry(context, &at.velocity, &mut at.impulse, c);
            any = true;
        }
    }
    if any {
        island.problem.update_weights();
    }
}

/// Takes the loads of a pair along other normals than that of its most loaded point. The impact has no rows
/// along them, and where it leaves the pair without load, nothing holds along the mean of all. Tells whether
/// there were any.
fn keep_one_normal(pair: &Pair, x: &mut [f64]) -> bool {
    let Some(manifold) = &pair.manifold else { return false };
    let Some(most) = manifold.points.get(most_loaded(x)) else { return false };
    let kept = most.geometry.normal;
    let mut any = false;
    for (x, point) in x.iter_mut().zip(&manifold.points) {
        if *x > 0.0 && point.geometry.normal.dot(&kept) < EQUAL_NORMALS_COSINE {
            (*x, any) = (0.0, true);
        }
    }
    any
}
