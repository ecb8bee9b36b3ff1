//! Bodies with prescribed motion in derivatives of steps: where their motions lead them (theory §17.9).

use super::run::Simulation;
use crate::step::{BodyTangent, Change};
use crate::stepper::DrivenPath;
use nalgebra::Vector3;
use signorini_geometry::Velocity;

/// A body with prescribed motion in a step.
#[derive(Debug)]
pub struct DrivenBody {
    path: DrivenPath,
    /// Motions that lead it, with the changes of its end by one unit of each.
    motions: Vec<(usize, Velocity)>,
    /// Velocity of where it is led, at the end of the step.
    rate: Velocity,
}

impl DrivenBody {
    /// Those of the last step.
    pub fn all(simulation: &Simulation) -> Vec<Self> {
        let (scene, state, time) = (&simulation.scene, &simulation.state, simulation.time());
        let of = |(id, _): &(usize, _)| {
            let motions = scene.prescribed_slopes(*id, time);
            let mut rate = Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() };
            for (m, Velocity { linear, angular }) in &motions {
                let speed = scene.motions[*m].motion.rate(time);
                rate = rate + Velocity { linear: linear * speed, angular: angular * speed };
            }
            Self { path: DrivenPath::new(*id, state.velocities[*id], scene.time_step), motions, rate }
        };
        simulation.loads.driven.iter().map(of).collect()
    }

    /// Place in the scene.
    pub fn id(&self) -> usize {
        self.path.id
    }

    /// Gives the start of a change the velocity that leads the body to its end.
    pub fn lead(&self, change: &mut Change) {
        let later = change.time + change.time_step;
        let mut end = [self.rate.linear * later, self.rate.angular * later];
        for (m, slope) in &self.motions {
            let by = change.motion.get(*m).copied().unwrap_or_default();
            end[0] += slope.linear * by;
            end[1] += slope.angular * by;
        }
        self.path.lead(&mut change.start[self.path.id], end, change.time_step);
    }

    /// The change at the end by one that [`Self::lead`] made.
    pub fn end(&self, change: &Change) -> BodyTangent {
        self.path.end(&change.start[self.path.id], change.time_step)
    }

    /// Adds the gradient of a function whose own with the end is given; `out` has that with the start, its
    /// velocity too, by what the body touches.
    pub fn add_gradient(&self, end: &BodyTangent, out: &mut Change) {
        let (own, longer) = self.path.end_gradient(end);
        let start = &mut out.start[self.path.id];
        *start = BodyTangent::from_vector(&(start.to_vector() + own.to_vector()));
        let ([linear, angular], less) = self.path.lead_gradient(start);
        let along = |v: &Velocity| v.linear.dot(&linear) + v.angular.dot(&angular);
        let later = along(&self.rate);
        out.time += later;
        out.time_step += longer + less + later;
        for (m, slope) in &self.motions {
            out.motion[*m] += along(slope);
        }
    }
}
