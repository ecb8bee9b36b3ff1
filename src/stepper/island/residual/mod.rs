//! Residual of an island's step.

pub mod level;
pub mod units;

use crate::contact::Pair;
use crate::contact::point::beyond;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::residual::level::ResidualLevel;
use crate::stepper::island::residual::units::rounding_of_place;
use crate::stepper::parameters::{
    EDGE_GAPS, FLAT_OVERLAP_WEIGHT, JOINT_WEIGHT, JUDGED_PAIRS_PER_CHUNK, OVERLAP_WEIGHT, ROUNDED_TURN,
};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_kernels::math::{larger, largest};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Units;
use signorini_ncp::solver::{Residual, law, linear_momentum};
use signorini_ncp::threads;

fn weight_of_overlap(pair: &Pair) -> f64 {
    if pair.manifold.is_some() { FLAT_OVERLAP_WEIGHT } else { OVERLAP_WEIGHT }
}

impl IslandProblem {
    /// True residual at (v, x), after all rows are linearised at that iterate.
    pub(in crate::stepper) fn residual(
        &mut self,
        context: &StepContext<'_>,
        v: &[f64],
        x: &[f64],
    ) -> Residual {
        linear_momentum(&self.problem, v, &mut self.momentum);
        self.problem.add_forces(x, -1.0, &mut self.momentum);
        self.update_units(context, x);
        let (normal, friction) =
            law::natural_map(&self.problem, &self.problem.at.weight, x, &self.problem.at.slip);
        self.rate(context, x, normal, friction)
    }

    /// Sets the units to the impulses that act at x.
    pub(in crate::stepper) fn update_units(&mut self, context: &StepContext<'_>, x: &[f64]) {
        let Self { units, pairs, problem, .. } = self;
        units.update(context, pairs, x, problem);
    }

    /// Sets the units to the impulses at x where cones are not those of pairs.
    pub(in crate::stepper) fn update_own_units(&mut self, context: &StepContext<'_>, x: &[f64]) {
        let Self { units, problem, .. } = self;
        units.update(context, &[], x, problem);
    }

    /// Residual of the current momentum rows, with the natural map of the contacts and all other faults that
    /// must not pass.
    pub(in crate::stepper) fn rate(
        &mut self,
        context: &StepContext<'_>,
        x: &[f64],
        normal: f64,
        friction: f64,
    ) -> Residual {
        let (mismatch, overlap) = (self.point_mismatch(x), self.overlap(context));
        let [apart, unlawful] = self.joint_violation(context, x);
        let apart = apart * JOINT_WEIGHT;
        let residual = Residual {
            momentum: self.problem.scaled_momentum(&self.momentum),
            complementarity: largest([normal, unlawful, mismatch, overlap, apart]),
            friction,
        };
        let others = residual.max();
        self.level = ResidualLevel::new(others, self.target_residual, self.excludes_early);
        let faults = [self.manifold_gap(x), self.twisted_momentum(x)];
        let [lifted, twisted] = self.level.visible(faults, others);
        let [_, leaning] = self.level.visible([0.0, self.leaning(context, x)], others);
        let complementarity = largest([residual.complementarity, lifted, leaning]);
        Residual { momentum: larger(residual.momentum, twisted), complementarity, ..residual }
    }

    /// The largest mismatch of closest points that were not found, which counts like a gap, in the unit of
    /// its contact.
    fn point_mismatch(&self, x: &[f64]) -> f64 {
        let loaded = self.pairs.iter().zip(&self.problem.cones).zip(&self.problem.at.units.cones);
        loaded
            .filter(|((pair, cone), _)| pair.manifold.is_none() && x[cone.row] > 0.0)
            .map(|((pair, cone), unit)| {
                pair.geometry.mismatch * self.problem.at.weight[cone.row] / (self.time_step * unit)
            })
            .fold(0.0, f64::max)
    }

    /// The largest gap of a manifold that is loaded or overlaps, in the unit of its contact. A manifold
    /// touches as a whole: its gap counts times the effective mass at the equivalent contact point, which is
    /// more than that at each contact point. Where all points are excluded the gap counts times the effective
    /// mass at the centres of mass, which is even more.
    fn manifold_gap(&self, x: &[f64]) -> f64 {
        threads::largest(self.pairs.len(), JUDGED_PAIRS_PER_CHUNK, |c| {
            let pair = &self.pairs[c];
            let loads = &x[self.problem.cones[c].normal()];
            if pair.manifold.is_none() || pair.geometry.gap >= 0.0 && loads.iter().all(|x| *x <= 0.0) {
                return 0.0;
            }
            let at_point = self.problem.mass_at_center(c);
            let mass = if at_point > 0.0 { at_point } else { self.problem.mass_of_bodies(c) };
            let Units { cones, stiffening, .. } = &self.problem.at.units;
            pair.geometry.gap.abs() * mass * stiffening[c] / (cones[c] * self.time_step)
        })
    }

    /// Gap (m) up to which a contact point may be open where the manifold of pair c passes as closed.
    pub(in crate::stepper) fn closed_up_to(&self, context: &StepContext<'_>, c: usize) -> f64 {
        let mass = self.problem.mass_at_center(c);
        let passes = context.solver.tolerance * self.problem.at.units.cones[c];
        if mass > 0.0 { EDGE_GAPS * passes * self.time_step / mass } else { 0.0 }
    }

    /// Largest fault of manifolds that push out of the directions that the surfaces allow. A body extends
    /// beyond the plane that is recorded for its contact points: that length over the smaller size is an
    /// angle, which counts times the load in the unit of the contact. Near an edge a body extends little
    /// beyond a plane that is tilted by much: then the length counts like a gap, at an [`EDGE_GAPS`]th of its
    /// weight, or else the angle by which the normal is misaligned, whichever is less.
    fn leaning(&self, context: &StepContext<'_>, x: &[f64]) -> f64 {
        threads::largest(self.pairs.len(), JUDGED_PAIRS_PER_CHUNK, |c| self.leaning_of(context, x, c))
    }

    fn leaning_of(&self, context: &StepContext<'_>, x: &[f64], c: usize) -> f64 {
        let (pair, loads) = (&self.pairs[c], &x[self.problem.cones[c].normal()]);
        let Some(manifold) = &pair.manifold else { return 0.0 };
        let load: f64 = loads.iter().sum();
        if load <= 0.0 {
            return 0.0;
        }
        let [a, b] = self.placed_at_end(context, pair);
        let turned = manifold.turned(&pair.geometry.normal, &a, &b, loads);
        // Even aligned contact points differ from their sum by rounding.
        if turned <= ROUNDED_TURN {
            return 0.0;
        }
        let [beyond_a, beyond_b] = beyond(&pair.geometry.wrench_point(), &a, &b);
        let reach = beyond_a.max(beyond_b);
        let as_gap = reach * self.problem.mass_at_center(c) / (EDGE_GAPS * self.time_step);
        let near_edge = as_gap.min(turned * load);
        let is_even = pair.geometry.alignment >= 1.0;
        let angle = if is_even { 0.0 } else { reach / a.model.smaller_size(b.model) };
        near_edge.max(angle * load) / self.problem.at.units.cones[c]
    }

    /// The largest momentum row where each manifold acts as one wrench at its equivalent contact point, as it
    /// is recorded; 0 where all manifolds do.
    fn twisted_momentum(&mut self, x: &[f64]) -> f64 {
        let mut is_twisted = false;
        for (c, (pair, cone)) in self.pairs.iter().zip(&self.problem.cones).enumerate() {
            let Some(manifold) = &pair.manifold else { continue };
            let moment = manifold.moment(&x[cone.normal()]);
            if moment == Vector3::zeros() {
                continue;
            }
            if !std::mem::replace(&mut is_twisted, true) {
                self.twisted.clone_from(&self.momentum);
            }
            for (local, sign) in self.local[c].iter().zip([-1.0, 1.0]) {
                let Some(local) = local else { continue };
                let rows = &mut self.twisted[BLOCK * local + 3..BLOCK * (local + 1)];
                rows.iter_mut().zip(moment.iter()).for_each(|(row, m)| *row += sign * m);
            }
        }
        if is_twisted { self.problem.scaled_momentum(&self.twisted) } else { 0.0 }
    }

    /// The deepest overlap over the size of the smaller body, weighed with [`OVERLAP_WEIGHT`].
    fn overlap(&self, context: &StepContext<'_>) -> f64 {
        let overlap = |pair: &Pair| {
            let [a, b] = context.models.parts_of(pair).map(|part| &context.models.parts[part]);
            let rounding: f64 = [pair.body_a, pair.body_b]
                .iter()
                .map(|id| rounding_of_place(&context.models.bodies[*id], &context.poses[*id].position))
                .sum();
            (-pair.geometry.gap - rounding) * weight_of_overlap(pair) / a.smaller_size(b)
        };
        self.pairs.iter().map(|pair| overlap(pair)).fold(0.0, f64::max)
    }

    /// Weight per pair of a negative slip of its normal rows in the residual (s/m), as an overlap or as the
    /// gap of a manifold.
    pub(in crate::stepper) fn overlap_weights(&self, context: &StepContext<'_>, weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend(self.pairs.iter().enumerate().map(|(c, pair)| {
            let [a, b] = context.models.parts_of(pair).map(|part| &context.models.parts[part]);
            let overlap = self.time_step * weight_of_overlap(pair) / a.smaller_size(b);
            let Units { cones, stiffening, .. } = &self.problem.at.units;
            let gap = pair
                .manifold
                .as_ref()
                .map_or(0.0, |_| self.problem.mass_at_center(c) * stiffening[c] / cones[c]);
            f64::max(overlap, gap)
        }));
    }
}
