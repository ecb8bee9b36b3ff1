//! Warm start: impulses that pairs and joints keep from one attempt to the next, and from step to step.

use crate::contact::Pair;
use crate::stepper::island::Island;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use signorini_ncp::solver::{Iterate, Residual, StepProblem};

impl Island {
    /// Starts the iterate with the impulses of the last step and its velocities, or with velocities of zero
    /// if `slow`. Returns the residual at that iterate.
    pub(in crate::stepper) fn load_warm_start(&mut self, context: &StepContext<'_>, slow: bool) -> Residual {
        self.load_impulses();
        let Self { problem, iterate, .. } = self;
        iterate.velocity.clear();
        for &id in &problem.bodies {
            let v = if slow { Velocity::default() } else { context.velocities[id] };
            iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
        }
        IslandStepProblem { island: problem, context }.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// Starts the iterate with the impulses that pairs and joints hold.
    pub(in crate::stepper) fn load_impulses(&mut self) {
        let Self { problem, iterate, .. } = self;
        iterate.impulse.clear();
        iterate.impulse.resize(problem.problem.n_rows(), 0.0);
        for (pair, cone) in problem.pairs.iter().zip(&problem.problem.cones) {
            let normal = &mut iterate.impulse[cone.normal()];
            match &pair.manifold {
                None => normal[0] = pair.impulse[0],
                Some(manifold) => {
                    normal.iter_mut().zip(&manifold.points).for_each(|(x, point)| *x = point.impulse)
                }
            }
            iterate.impulse[cone.friction()].copy_from_slice(&pair.impulse[1..1 + cone.n_friction]);
        }
        for cone in &problem.problem.cones[problem.problem.first_rolling()..] {
            let Some(c) = cone.rolls_with else { continue };
            iterate.impulse[cone.friction()].copy_from_slice(&problem.pairs[c].rolling_impulse);
        }
        if !problem.joint_memory.is_empty() {
            let stored = problem.joint_memory.iter().flat_map(|link| &link.impulse);
            let first = problem.first_joint_row();
            iterate.impulse[first..].iter_mut().zip(stored).for_each(|(x, r)| *x = *r);
            problem.shift_mortar(1.0, &mut iterate.impulse);
        }
    }

    /// Stores the solved impulses in the pairs and joints, where the next attempt and the next step find
    /// them. A solve in flat arrays has stored them there.
    pub fn store_warm_start(&mut self) {
        if self.flat.is_solution {
            return;
        }
        for (pair, cone) in self.problem.pairs.iter_mut().zip(&self.problem.problem.cones) {
            let x = &self.iterate.impulse;
            pair.impulse = [0.0; 4];
            pair.impulse[0] = x[cone.normal()].iter().sum();
            pair.impulse[1..1 + cone.n_friction].copy_from_slice(&x[cone.friction()]);
            pair.patch = None;
            if let Some(manifold) = &mut pair.manifold {
                manifold.points.iter_mut().zip(&x[cone.normal()]).for_each(|(point, x)| point.impulse = *x);
            }
        }
        for cone in &self.problem.problem.cones[self.problem.problem.first_rolling()..] {
            let Some(c) = cone.rolls_with else { continue };
            self.problem.pairs[c].rolling_impulse.copy_from_slice(&self.iterate.impulse[cone.friction()]);
        }
        self.problem.store_joint_impulses(&self.iterate.impulse);
    }
    /// Linearises the problem at an iterate found before, with the pairs of that time.
    pub(in crate::stepper) fn return_to(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
        (pairs, iterate): (Vec<Box<Pair>>, Iterate),
    ) {
        self.flat.is_solution = false;
        self.problem.pairs = pairs;
        self.problem.set_up(context, local_of);
        self.iterate = iterate;
        IslandStepProblem { island: &mut self.problem, context }
            .refresh(&self.iterate.velocity, &mut self.iterate.impulse);
    }
}
