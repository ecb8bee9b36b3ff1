//! Reasons for a step without a derivative.

use crate::stepper::blocks::velocity;
use crate::stepper::impact::Impact;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::joints::Role;
use crate::stepper::step_context::StepContext;
use std::fmt;

/// Why an island's step has no derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The step is not solved.
    Unsolved,
    /// The rebound of an impact was cut, so that its energy does not grow: to what is found by trial.
    CutRebound,
    /// The integrator is not implicit Euler.
    Integrator,
    /// A joint has an armature, whose row depends on the motion of the start by more than its place.
    Armature,
    /// Bodies have mortar (theory §15.4).
    Mortar,
    /// A body may turn so far in the step that its flight is not followed (theory §1.4).
    Flight,
    /// The equations of the solution are singular.
    Singular,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsolved => "the step is not solved",
            Self::CutRebound => "the rebound of an impact was cut for the sake of its energy",
            Self::Integrator => "the integrator is not implicit Euler",
            Self::Armature => "a joint has an armature",
            Self::Mortar => "bodies have mortar",
            Self::Flight => "a body may turn too far in the step for its flight to be followed",
            Self::Singular => "the equations of the solution are singular",
        })
    }
}

/// How a step or substep ended that an island took in one piece.
#[derive(Debug, Clone, Copy)]
pub(in crate::stepper) struct Ended<'a> {
    /// Whether it is solved.
    pub is_solved: bool,
    /// The impact at its end, if there is one.
    pub impact: Option<&'a Impact>,
}

/// The obstacle of a step or substep.
pub(super) fn obstacle_of(
    problem: &IslandProblem,
    context: &StepContext<'_>,
    velocities: &[f64],
    ended: Ended<'_>,
) -> Option<Obstacle> {
    let has_armature =
        |joint: usize| context.joints[joint].parts.iter().any(|part| matches!(part.role, Role::Armature(_)));
    if context.last_step.is_some() {
        return Some(Obstacle::Integrator);
    }
    if problem.has_mortar() {
        return Some(Obstacle::Mortar);
    }
    if !ended.is_solved {
        return Some(Obstacle::Unsolved);
    }
    let is_followed = |(local, id): (usize, &usize)| {
        let (body, start) = (context.models.bodies[*id].turning(), &context.poses[*id].orientation);
        body.is_followed(start, &velocity(velocities, local).angular, context.time_step)
    };
    if context.flies() && !problem.bodies.iter().enumerate().all(is_followed) {
        return Some(Obstacle::Flight);
    }
    problem.joint_memory.iter().any(|link| has_armature(link.joint)).then_some(Obstacle::Armature)
}
