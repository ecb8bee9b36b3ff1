//! How far an island's step is from solved.

use crate::contact::Pair;
use crate::solver::{Residual, law};
use crate::stepper::island::closeness::Closeness;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;

/// An overlap of a hundredth of the tolerance, relative to the smaller body, is as bad as a residual of the
/// tolerance.
const OVERLAP: f64 = 100.0;

impl IslandProblem {
    /// True residual at (v, x), after all rows are linearised there.
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
        let (mismatch, overlap) = (self.point_mismatch(x), self.overlap(context));
        let [apart, unlawful] = self.joint_violation(context, x);
        let (apart, normal) = (apart * OVERLAP, crate::math::larger(normal, unlawful));
        let residual = Residual {
            momentum: self.problem.scaled_momentum(&self.momentum),
            complementarity: crate::math::larger(
                crate::math::larger(normal, mismatch) / unit,
                crate::math::larger(overlap, apart),
            ),
            friction: friction / unit,
        };
        let rest = residual.max();
        self.closeness = Closeness(rest / self.largest_normal(x));
        let faults =
            [self.manifold_gap(x) / unit, self.manifold_twist(x) / (unit * self.problem.scaling.length)];
        let [lifted, twist] = self.closeness.visible(faults, rest);
        let complementarity = crate::math::larger(residual.complementarity, lifted);
        Residual { momentum: crate::math::larger(residual.momentum, twist), complementarity, ..residual }
    }

    /// The largest mismatch of closest points that were not found, which counts like a gap (N s).
    fn point_mismatch(&self, x: &[f64]) -> f64 {
        let loaded = self.pairs.iter().zip(&self.problem.cones);
        loaded
            .filter(|(pair, cone)| pair.manifold.is_none() && x[cone.row] > 0.0)
            .map(|(pair, cone)| pair.geometry.mismatch * self.problem.at.weight[cone.row] / self.time_step)
            .fold(0.0, f64::max)
    }

    /// The largest gap of a loaded manifold (N s). A manifold touches as a whole: its gap weighs with the
    /// mass that resists at the equivalent contact point, which is more than what resists at each contact
    /// point.
    fn manifold_gap(&self, x: &[f64]) -> f64 {
        (0..self.pairs.len())
            .filter(|c| self.pairs[*c].manifold.is_some())
            .filter(|c| x[self.problem.cones[*c].normal()].iter().any(|x| *x > 0.0))
            .map(|c| self.pairs[c].geometry.gap.abs() * self.problem.mass_at_center(c) / self.time_step)
            .fold(0.0, f64::max)
    }

    /// The largest moment of a manifold's normal impulses about its equivalent contact point (N m s).
    fn manifold_twist(&self, x: &[f64]) -> f64 {
        let rows = self.pairs.iter().zip(&self.problem.cones);
        rows.filter_map(|(pair, cone)| pair.manifold.as_ref().map(|m| m.moment(&x[cone.normal()])))
            .fold(0.0, f64::max)
    }

    /// The deepest overlap over the size of the smaller body, weighed with [`OVERLAP`].
    fn overlap(&self, context: &StepContext<'_>) -> f64 {
        let overlap = |pair: &Pair| {
            let size = context.models[pair.body_a].smaller_size(&context.models[pair.body_b]);
            -pair.geometry.gap * OVERLAP / size
        };
        self.pairs.iter().map(overlap).fold(0.0, f64::max)
    }

    /// The largest normal impulse over p_ref, at least 1.
    fn largest_normal(&self, x: &[f64]) -> f64 {
        let rows = self.problem.cones.iter().take(self.pairs.len()).flat_map(|cone| cone.normal());
        rows.map(|row| x[row] / self.problem.scaling.momentum).fold(1.0, f64::max)
    }
}
