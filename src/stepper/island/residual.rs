//! How far an island's step is from solved.

use crate::solver::{Residual, law};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::refresh::{BAN_BELOW, BAN_TURNED_BELOW};
use crate::stepper::step_context::StepContext;

/// An overlap of a hundredth of the tolerance, relative to the smaller body, is as bad as a residual of the
/// tolerance.
const OVERLAP: f64 = 100.0;

impl IslandProblem {
    /// True residual at (v, x), after all rows are frozen there.
    pub(super) fn residual(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64]) -> Residual {
        self.problem.mass_product(v, &mut self.momentum);
        for (m, b) in self.momentum.iter_mut().zip(&self.problem.at.free_momentum) {
            *m -= b;
        }
        self.problem.add_forces(x, -1.0, &mut self.momentum);
        let (normal, friction) =
            law::natural_map(&self.problem, &self.problem.at.weight, x, &self.problem.at.slip);
        self.rate(context, x, normal, friction)
    }

    /// Residual of the momentum rows at hand, with the natural map of the contacts, and of what else must not
    /// pass.
    pub(super) fn rate(
        &mut self,
        context: &StepContext<'_>,
        x: &[f64],
        normal: f64,
        friction: f64,
    ) -> Residual {
        let unit = self.problem.scaling.momentum;
        // Closest points that were not found must not pass: their mismatch counts like a gap.
        let mismatch = self
            .pairs
            .iter()
            .zip(&self.problem.cones)
            .filter(|(pair, cone)| pair.manifold.is_none() && x[cone.row] > 0.0)
            .map(|(pair, cone)| pair.geometry.mismatch * self.problem.at.weight[cone.row] / self.time_step)
            .fold(0.0, f64::max);
        // A loaded manifold touches as a whole: its gap weighs with the mass that resists at the equivalent
        // contact point, which is more than what resists at each contact point.
        let lifted = (0..self.pairs.len())
            .filter(|c| self.pairs[*c].manifold.is_some())
            .filter(|c| x[self.problem.cones[*c].normal()].iter().any(|x| *x > 0.0))
            .map(|c| self.pairs[c].geometry.gap.abs() * self.problem.mass_at_center(c) / self.time_step)
            .fold(0.0, f64::max);
        let twist = (0..self.pairs.len())
            .filter_map(|c| {
                self.pairs[c].manifold.as_ref().map(|p| p.moment(&x[self.problem.cones[c].normal()]))
            })
            .fold(0.0, f64::max);
        let overlap = self
            .pairs
            .iter()
            .map(|pair| {
                let size = context.models[pair.body_a].smaller_size(&context.models[pair.body_b]);
                -pair.geometry.gap * OVERLAP / size
            })
            .fold(0.0, f64::max);
        let [apart, unlawful] = self.joint_violation(context, x);
        let (apart, normal) = (apart * OVERLAP, law::worse(normal, unlawful));
        let residual = Residual {
            momentum: self.problem.scaled_momentum(&self.momentum),
            complementarity: law::worse(law::worse(normal, mismatch) / unit, law::worse(overlap, apart)),
            friction: friction / unit,
        };
        // Unsupported and turned contact points are looked for where all else is nearly solved. Until then
        // what they lift and twist must not hide from the solver how far all else is: it would see no
        // progress.
        let rest = residual.max();
        let rows = self.problem.cones.iter().take(self.pairs.len()).flat_map(|cone| cone.normal());
        let largest = rows.map(|row| x[row] / unit).fold(1.0, f64::max);
        self.nearness = rest / largest;
        let is_far = |below: f64| self.nearness >= below;
        let seen = |fault: f64, below: f64| if is_far(below) && fault > rest { rest } else { fault };
        let complementarity = law::worse(residual.complementarity, seen(lifted / unit, BAN_BELOW));
        let twist = twist / (unit * self.problem.scaling.length);
        let momentum = law::worse(residual.momentum, seen(twist, BAN_TURNED_BELOW));
        Residual { momentum, complementarity, ..residual }
    }
}
