//! The linear problem that the solution of a step solves, for other solvers.

use crate::step::{SolvedProblem, Span, StepPhase};
use crate::stepper::impact::Impact;
use crate::stepper::island::Island;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;

impl Island {
    /// The problem of a step or substep as it was solved, which has an impact phase behind it or not. A copy
    /// of the island is linearized: the step goes on as if nobody had asked.
    pub(in crate::stepper) fn solved_problem(
        &self,
        context: &StepContext<'_>,
        span: Span,
        impact: Option<&Impact>,
    ) -> SolvedProblem {
        let IslandProblem { bodies, pairs, joint_memory, .. } = &self.problem;
        let mut local_of = vec![0; context.models.bodies.len()];
        bodies.iter().enumerate().for_each(|(local, id)| local_of[*id] = local);
        let mut copy = Island::default();
        copy.problem.bodies.clone_from(bodies);
        copy.problem.joint_memory.clone_from(joint_memory);
        if self.flat.is_solution {
            copy.problem.pairs.clone_from(pairs);
            copy.linearize_at(context, &local_of, self.iterate.velocity.clone());
        } else {
            copy.return_to(context, &local_of, (pairs.clone(), self.iterate.clone()));
        }
        let phase = if impact.is_some() { StepPhase::Position } else { StepPhase::Whole };
        let Island { problem, iterate, .. } = copy;
        SolvedProblem {
            bodies: bodies.clone(),
            span,
            phase,
            problem: problem.problem,
            impulse: iterate.impulse,
        }
    }

    /// The problems of a step or substep: its own, and those of the impact at its end.
    pub(in crate::stepper) fn solved_problems(
        &self,
        context: &StepContext<'_>,
        span: Span,
        impact: Option<&Impact>,
    ) -> Vec<SolvedProblem> {
        if self.problem.pairs.is_empty() && self.problem.joint_memory.is_empty() {
            return Vec::new();
        }
        let mut problems = vec![self.solved_problem(context, span, impact)];
        let Some(impact) = impact else { return problems };
        let phases = StepPhase::of_impact(impact.phases.len());
        for ((found, problem), phase) in impact.phases.iter().zip(&impact.problems).zip(phases) {
            problems.push(SolvedProblem {
                bodies: self.problem.bodies.clone(),
                span: span.impact(),
                phase: *phase,
                problem: problem.clone(),
                impulse: found.impulse.clone(),
            });
        }
        problems
    }
}
