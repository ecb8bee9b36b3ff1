//! Cohesion: a pull of constant size between bodies that touch at the start of a step, along the normal of
//! its end (theory §15).

use crate::contact::FeatureSearch;
use crate::contact::tolerances::FEATURE_MARGIN;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::problem::bodies::subtract_pulls;
use crate::stepper::parameters::COHESION_GAP;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_kernels::wrench::PointLoad;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Stiffness;

impl IslandProblem {
    /// Finds the pairs that pull in the step or substep of a context.
    pub(in crate::stepper) fn find_pulls(&mut self, context: &StepContext<'_>) {
        self.pulls.clear();
        if self.pairs.iter().all(|pair| pair.friction.cohesion == 0.0) {
            return;
        }
        let mut search = FeatureSearch::default();
        for pair in &self.pairs {
            let force = pair.friction.cohesion;
            let touches = force > 0.0 && pair.manifold.is_none() && {
                let [a, b] = context.sides_at_start(pair);
                let size = a.model.smaller_size(b.model);
                let mut at_start = pair.clone();
                at_start.begin(&a, &b, FEATURE_MARGIN * size, &mut search);
                at_start.geometry.gap <= COHESION_GAP * size
            };
            self.pulls.push(if touches { context.time_step * force } else { 0.0 });
        }
    }

    /// The impulse of the pull of pair c (N s).
    pub(in crate::stepper) fn pull(&self, c: usize) -> f64 {
        self.pulls.get(c).copied().unwrap_or(0.0)
    }

    /// Subtracts the pulls from the momentum and adds their stiffness, where the pairs are linearised.
    pub(in crate::stepper) fn apply_pulls(&mut self, context: &StepContext<'_>) {
        let mut momentum = std::mem::take(&mut self.problem.at.free_momentum);
        subtract_pulls(&self.pulls, &self.problem, &mut momentum);
        self.problem.at.free_momentum = momentum;
        for c in 0..self.pulls.len() {
            let pull = self.pulls[c];
            if pull == 0.0 {
                continue;
            }
            let Self { problem, pairs, local, placed, turn, .. } = self;
            let pair = &pairs[c];
            let turns = local[c].map(|local| local.map(|l| &turn[l]));
            let [a, b] = placed.sides(context, local[c], pair);
            let tangent = pair.tangent(&a, &b, &[], &mut |_, _| ());
            let point = pair.geometry.wrench_point();
            let load = PointLoad { point, normal: -pull, friction: Vector3::zeros(), torsion: 0.0 };
            let n_bodies = turns.iter().flatten().count();
            let start = match problem.at.stiffness.start[c] {
                Stiffness::NONE => problem.at.stiffness.reserve(c, n_bodies).start,
                start => start,
            };
            let length = (BLOCK * n_bodies) * (BLOCK * n_bodies);
            let out = &mut problem.at.stiffness.blocks[start..start + length];
            load.add_stiffness(&turns, context.time_step, &tangent, out);
        }
    }
}
