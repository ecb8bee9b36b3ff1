//! Records of an impact.

use crate::step::{BodyState, Span, StepPhase, Substep};
use crate::stepper::blocks::velocity;
use crate::stepper::impact::Impact;
use crate::stepper::island::Island;
use crate::stepper::island::records::{record_island, record_joints};
use crate::stepper::step_context::StepContext;
use signorini_ncp::solver::Iterate;
use signorini_scene::scene::State;

impl Island {
    /// Records the position phase of a whole step and the impact at its end, with the bodies in the state
    /// `end`.
    pub(in crate::stepper) fn record_impact_phases(&mut self, context: &StepContext<'_>, end: &State) {
        let Some(impact) = self.impact.take() else { return };
        let led = |(local, &body): (usize, &usize)| {
            let v = velocity(&self.iterate.velocity, local);
            let pose = end.poses[body];
            BodyState { body, pose, velocity: context.end_velocity(body, &v, &pose) }
        };
        let bodies: Vec<BodyState> = self.problem.bodies.iter().enumerate().map(led).collect();
        let mut records = std::mem::take(&mut self.substep_records);
        record_joints(self, context, Span::WHOLE, &mut records.joints);
        record_island(self, context, end, Span::WHOLE, &mut records.contacts);
        records.substeps.push(Substep { span: Span::WHOLE, bodies });
        self.substep_records = records;
        self.record_impact(context, end, Span::WHOLE, impact);
    }

    /// Records the impact at the end of a (sub)step, whose own records are written. The pairs go on with the
    /// impulses of the (sub)step: those of the impact say nothing of the next step.
    pub(in crate::stepper) fn record_impact(
        &mut self,
        context: &StepContext<'_>,
        end: &State,
        span: Span,
        impact: Impact,
    ) {
        let led = self.substep_records.contacts.iter_mut().filter(|contact| contact.span.end == span.end);
        led.for_each(|contact| contact.phase = StepPhase::Position);
        let phases = StepPhase::of_impact(impact.phases.len());
        let kept = std::mem::replace(&mut self.problem.pairs, impact.pairs);
        for (solution, phase) in impact.phases.into_iter().zip(phases) {
            self.record_phase(context, (end, span.impact()), solution, *phase);
        }
        self.problem.pairs = kept;
    }

    /// Records one phase of an impact.
    fn record_phase(
        &mut self,
        context: &StepContext<'_>,
        (end, span): (&State, Span),
        solution: Iterate,
        phase: StepPhase,
    ) {
        let kept = (self.problem.pairs.clone(), self.problem.joint_memory.clone());
        let before = std::mem::replace(&mut self.iterate, solution);
        for c in 0..self.problem.pairs.len() {
            self.problem.carry(context, &self.iterate.velocity, &mut self.iterate.impulse, c);
        }
        self.store_warm_start();
        let state = |(local, &body): (usize, &usize)| BodyState {
            body,
            pose: end.poses[body],
            velocity: velocity(&self.iterate.velocity, local),
        };
        let bodies = self.problem.bodies.iter().enumerate().map(state).collect();
        let mut records = std::mem::take(&mut self.substep_records);
        let first = records.contacts.len();
        record_joints(self, context, span, &mut records.joints);
        record_island(self, context, end, span, &mut records.contacts);
        records.contacts[first..].iter_mut().for_each(|contact| contact.phase = phase);
        records.substeps.push(Substep { span, bodies });
        self.substep_records = records;
        self.iterate = before;
        (self.problem.pairs, self.problem.joint_memory) = kept;
    }
}
