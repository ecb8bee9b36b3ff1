//! The impact problem of an island: its step's rows where the bodies are at the end of the step, with
//! velocities in place of gaps.

use crate::stepper::blocks::{block_mass, velocity};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::joints::{JointModel, Part, Role, placement};
use crate::stepper::parameters::CLOSED_GAP;
use crate::stepper::step_context::StepContext;
use nalgebra::Matrix3;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness};
use signorini_ncp::solver::Iterate;

/// Demands of an impact on contacts beside the contact law, per row of the problem.
#[derive(Debug)]
pub(super) struct Demands {
    /// Velocity −e u⁻ ≥ 0 (m/s) with which the contact opens.
    pub rebound: Vec<f64>,
    /// Least impulse e Λ_c ≥ 0 (N s); empty: none.
    pub least: Vec<f64>,
    /// Whether the row may carry load.
    pub active: Vec<bool>,
}

/// The problem of the impact without rebound, and without bodies whose motion is prescribed:
/// ```text
/// M⁺ (ν⁺ − ν) = h f + P + Jᵀ Λ,     y = J ν⁺ + w      all at q⁺, Λ with the law of contacts
/// ```
/// M⁺ is the mass matrix at q⁺, and the right side holds all loads that acted in the step. Rows that hold a
/// joint keep their rates; motors keep their impulses.
pub(super) fn problem_at_end(
    (step, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
) -> ContactProblem {
    let mut problem = step.problem.clone();
    for (local, &id) in step.bodies.iter().enumerate() {
        let model = &context.models.bodies[id];
        let rotation = &step.end_placement(context, id).rotation;
        let inertia = rotation * model.inertia * rotation.transpose();
        let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        problem.mass[local] = block_mass(model.mass, &inertia);
        problem.mass_inverse[local] = block_mass(1.0 / model.mass, &inverse);
    }
    problem.at.free_momentum.copy_from_slice(&step.applied);
    problem.at.response.clear();
    problem.at.stiffness.blocks.clear();
    problem.at.stiffness.body.clear();
    problem.at.stiffness.start.fill(Stiffness::NONE);
    problem.at.velocity.copy_from_slice(&at.velocity);
    let mut rates = vec![0.0; problem.n_rows()];
    problem.response(&at.velocity, &mut rates);
    for cone in &problem.cones[..step.pairs.len()] {
        for row in cone.normal() {
            problem.at.slip[row] = rates[row];
        }
    }
    hold_joints((step, at), context, &rates, &mut problem);
    problem.update_weights();
    problem
}

/// The problem of an expansion, M⁺ (ν⁺ − ν_c) = Jᵀ Λ, from the velocities after the compression. The impulses
/// of motors and armatures acted in the compression.
pub(super) fn expansion_of(
    (step, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    compressed: &[f64],
) -> ContactProblem {
    let mut problem = problem_at_end((step, at), context);
    let mut momentum = vec![0.0; compressed.len()];
    problem.mass_product(compressed, &mut momentum);
    problem.at.free_momentum = momentum;
    let [mut now, mut before] = [(); 2].map(|()| vec![0.0; problem.n_rows()]);
    problem.response(&problem.at.velocity, &mut now);
    problem.response(compressed, &mut before);
    let mut c = step.pairs.len();
    for joint in step.joint_memory.iter().map(|link| &context.joints[link.joint]) {
        for part in &joint.parts {
            for row in problem.cones[c].normal() {
                match part.role {
                    Role::Motor(..) => problem.bounds[row] = [0.0; 2],
                    Role::Armature(_) => problem.at.slip[row] = now[row] - before[row],
                    Role::Equations
                    | Role::Motion(_)
                    | Role::Coupling(_)
                    | Role::Mortar
                    | Role::Lower(_)
                    | Role::Upper(_) => (),
                }
            }
            c += 1;
        }
    }
    problem
}

/// Sets the rows of joints: rates in place of gaps, bounds of motors and of open limits.
fn hold_joints(
    (step, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    rates: &[f64],
    problem: &mut ContactProblem,
) {
    let mut c = step.pairs.len();
    for joint in step.joint_memory.iter().map(|link| &context.joints[link.joint]) {
        for part in &joint.parts {
            for row in problem.cones[c].normal() {
                let x = at.impulse[row];
                let rate = || rates[row] + driven_rate(step, context, joint, part);
                match part.role {
                    Role::Equations | Role::Motion(_) | Role::Coupling(_) | Role::Mortar => (),
                    Role::Motor(..) => problem.bounds[row] = [x; 2],
                    Role::Armature(_) => {
                        problem.at.slip[row] = rate() - part.start_rate(&context.joint_start(joint))
                    }
                    Role::Lower(_) | Role::Upper(_) => {
                        let is_closed =
                            x > 0.0 || problem.at.slip[row] * context.time_step <= CLOSED_GAP * joint.size;
                        problem.at.slip[row] = rate();
                        if !is_closed {
                            problem.bounds[row] = [0.0; 2];
                        }
                    }
                }
            }
            c += 1;
        }
    }
}

/// Rate of a limit or an armature at the end of the step that is due to bodies with prescribed motion; the
/// Jacobian has no columns for them.
fn driven_rate(step: &IslandProblem, context: &StepContext<'_>, joint: &JointModel, part: &Part) -> f64 {
    let mut rate = [0.0];
    for (side, id) in joint.bodies.into_iter().enumerate() {
        if context.models.bodies[id].fixed {
            let ends = joint.bodies.map(|id| placement(step.end_placement(context, id)));
            part.add_rate(side, &ends, &context.velocities[id], &mut rate);
        }
    }
    rate[0]
}

/// Adds a fraction of the rebound to normal rows, y = u⁺ + e u⁻, and of their least impulses.
pub(super) fn with_demands(problem: &ContactProblem, demands: &Demands, fraction: f64) -> ContactProblem {
    let mut problem = problem.clone();
    problem.at.slip.iter_mut().zip(&demands.rebound).for_each(|(y, rebound)| *y -= fraction * rebound);
    for (bounds, least) in problem.bounds.iter_mut().zip(&demands.least).filter(|(_, least)| **least > 0.0) {
        bounds[0] = fraction * least;
    }
    problem
}

/// Work ½ Λᵀ (u⁺ + u) of the contacts (J), by which an impact raised the energy of relative motion, and the
/// sum of |Λ u|. u are the velocities `free` of an impact. The problem is linearised at the solution, with
/// `rebound` subtracted from its normal rows.
pub(super) fn gained(
    problem: &ContactProblem,
    rebound: impl Iterator<Item = f64>,
    n_contacts: usize,
    (found, free): (&Iterate, &[f64]),
) -> [f64; 2] {
    let way: Vec<f64> = found.velocity.iter().zip(free).map(|(ends, begins)| ends - begins).collect();
    let mut change = vec![0.0; problem.n_rows()];
    problem.response(&way, &mut change);
    let ends: Vec<f64> = problem.at.slip.iter().zip(rebound).map(|(y, rebound)| y + rebound).collect();
    let (mut gain, mut scale) = (0.0, 0.0);
    let of_contacts = problem.cones.iter().enumerate();
    let of_contacts = of_contacts.filter(|(c, cone)| *c < n_contacts || cone.rolls_with.is_some());
    for row in of_contacts.flat_map(|(_, cone)| cone.normal().chain(cone.friction())) {
        let (x, before) = (found.impulse[row], ends[row] - change[row]);
        gain += 0.5 * x * (ends[row] + before);
        scale += (x * before).abs();
    }
    [gain, scale]
}

/// Missing work (h f)ᵀ ((ν₀ + ν)/2 − v) of each body (J): forces did less along the way v of the step than
/// they raised the energy from the velocities ν₀ before the step to those without impact.
pub(super) fn work_missed(
    (step, at): (&IslandProblem, &Iterate),
    context: &StepContext<'_>,
    [before, free]: [&[f64]; 2],
) -> Vec<f64> {
    let bodies = step.bodies.iter().enumerate();
    let works = bodies.map(|(local, &id)| {
        let [before, free, led] = [before, free, &at.velocity].map(|v| velocity(v, local));
        let linear = (before.linear + free.linear) * 0.5 - led.linear;
        let angular = (before.angular + free.angular) * 0.5 - led.angular;
        context.time_step * (context.loads.force[id].dot(&linear) + context.loads.torque[id].dot(&angular))
    });
    works.collect()
}

/// Sum of what is given for each body, over those on which impulses act.
pub(super) fn sum_over_struck(problem: &ContactProblem, impulse: &[f64], of_bodies: &[f64]) -> f64 {
    let mut struck = vec![false; problem.n_bodies()];
    for (c, cone) in problem.cones.iter().enumerate() {
        if impulse[cone.row..cone.row + cone.n_rows()].iter().any(|x| *x != 0.0) {
            problem.bodies_of(c).iter().for_each(|local| struck[*local] = true);
        }
    }
    of_bodies.iter().zip(struck).filter(|(_, struck)| *struck).map(|(of, _)| of).sum()
}

/// Velocities M⁺⁻¹ (M ν + h f + P) without any impact.
pub(super) fn free_velocity(problem: &ContactProblem) -> Vec<f64> {
    let mut free = vec![0.0; BLOCK * problem.n_bodies()];
    problem.balance(&vec![0.0; problem.n_rows()], &mut Vec::new(), &mut free);
    free
}
