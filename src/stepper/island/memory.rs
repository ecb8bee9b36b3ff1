//! Impulses from step to step: recalled from pairs and joints before a solve, remembered in them after it.

use crate::stepper::island::refresh::Refreshed;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use signorini_ncp::solver::Residual;
use signorini_ncp::solver::StepProblem;

impl Island {
    /// Starts the iterate with the impulses of the last step and its velocities, or with velocities of zero
    /// if `slow`. Returns the residual at that iterate.
    pub(super) fn recall(&mut self, context: &StepContext<'_>, slow: bool) -> Residual {
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
            let remembered = problem.joint_memory.iter().flat_map(|link| &link.impulse);
            let first = problem.first_joint_row();
            iterate.impulse[first..].iter_mut().zip(remembered).for_each(|(x, r)| *x = *r);
        }
        iterate.velocity.clear();
        for &id in &problem.bodies {
            let v = if slow { Velocity::default() } else { context.velocities[id] };
            iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
        }
        Refreshed { island: problem, context }.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// Writes the solved impulses into the pairs, where the next solve and the next step find them.
    pub fn remember(&mut self) {
        for (pair, cone) in self.problem.pairs.iter_mut().zip(&self.problem.problem.cones) {
            let x = &self.iterate.impulse;
            pair.impulse = [0.0; 4];
            pair.impulse[0] = x[cone.normal()].iter().sum();
            pair.impulse[1..1 + cone.n_friction].copy_from_slice(&x[cone.friction()]);
            if let Some(manifold) = &mut pair.manifold {
                manifold.points.iter_mut().zip(&x[cone.normal()]).for_each(|(point, x)| point.impulse = *x);
            }
        }
        for cone in &self.problem.problem.cones[self.problem.problem.first_rolling()..] {
            let Some(c) = cone.rolls_with else { continue };
            self.problem.pairs[c].rolling_impulse.copy_from_slice(&self.iterate.impulse[cone.friction()]);
        }
        self.problem.remember_joints(&self.iterate.impulse);
    }
}
