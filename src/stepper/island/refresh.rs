//! An island's step as the problem that the solver refreshes: geometry at the end of the step.

use crate::contact::Pair;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::{
    FASTEST, MANIFOLD_WORK, POINT_PAIR_WORK, POINT_WORK, RIM_WORK, SMOOTH_PAIR_WORK,
};
use crate::stepper::step_context::StepContext;
use signorini_geometry::Shape;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{Hint, Query, Residual, StepProblem, Times};

/// An island's problem together with the data of the step, as the solver refreshes it.
pub struct IslandStepProblem<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
}

/// Work of the geometry of a pair in a refresh (ns of a common core).
fn work_of(pair: &Pair, context: &StepContext<'_>) -> u64 {
    let Some(manifold) = &pair.manifold else { return SMOOTH_PAIR_WORK };
    let parts = context.models.parts_of(pair).map(|part| &context.models.parts[part].shape);
    let has_rim = parts.into_iter().any(|shape| matches!(shape, Shape::Cylinder { .. }));
    let n = manifold.points.len() as u64;
    let flat = MANIFOLD_WORK + n * (POINT_WORK + n * POINT_PAIR_WORK);
    if has_rim { RIM_WORK + flat } else { flat }
}

impl StepProblem for IslandStepProblem<'_> {
    fn linearized(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        let n = self.island.bodies.len();
        // Pairs start from the normals of the last iterate: from one that is nowhere they would find no way
        // back.
        if !v.iter().chain(x.iter()).all(|value| value.abs() < FASTEST) {
            return Residual { momentum: f64::NAN, complementarity: f64::NAN, friction: f64::NAN };
        }
        let (start, island) = (Times::stamp(n), &mut *self.island);
        island.problem.at.velocity.copy_from_slice(v);
        island.place_bodies(self.context, v);
        let before = island.level;
        let mut residual = island.linearize(self.context, v, x);
        let checks = island.level.checks();
        let has_manifolds = island.pairs.iter().any(|p| p.manifold.is_some());
        // A step may jump to the solution from far away: contact points that only an iterate close by checks
        // must not pass unchecked.
        let checks_more = checks > before.checks();
        if checks_more && has_manifolds && !island.is_settled(self.context, x, checks) {
            residual = island.linearize(self.context, v, x);
        }
        if has_manifolds {
            island.best.keep(v, x, &island.pairs, &residual, before);
        }
        island.geometry_seconds += Times::between(start, Times::stamp(n));
        island.refresh_work += island.pairs.iter().map(|pair| work_of(pair, self.context)).sum::<u64>();
        residual
    }

    fn take_refresh_work(&mut self) -> u64 {
        std::mem::take(&mut self.island.refresh_work)
    }

    fn hint(&mut self, hint: Hint) {
        let island = &mut *self.island;
        match hint {
            Hint::Restart => {
                let manifolds = island.pairs.iter_mut().filter_map(|pair| pair.manifold.as_mut());
                manifolds.for_each(|manifold| manifold.readmit_all());
            }
            Hint::Sweeping(sweeping) => island.excludes_early = sweeping,
        }
    }

    fn answer(&self, query: Query<'_>) {
        match query {
            Query::OverlapWeights(weights) => self.island.overlap_weights(self.context, weights),
            Query::ActiveRows { impulse, active } => {
                self.island.clear_inactive(self.context, impulse, active)
            }
        }
    }

    fn return_to_best(&mut self, v: &mut [f64], x: &mut [f64]) -> Option<Residual> {
        let island = &mut *self.island;
        island.level = island.best.restore(v, x, &mut island.pairs)?;
        Some(self.refresh(v, x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::activation::Activation;
    use crate::contact::{Models, Pair};
    use crate::step::Loads;
    use crate::stepper::placed_bodies::PlacedBodies;
    use nalgebra::Vector3;
    use signorini_scene::scene::{self, LoadOptions};
    use std::path::Path;

    const CUBES: &str = "format = 1
[simulation]
time_step = 0.01
duration = 0.01
[[friction]]
coefficient = 0.3
[[body]]
name = \"lower\"
shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }
density = 1000
fixed = true
[[body]]
name = \"upper\"
shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }
density = 1000
position = [0.05, 0.03, 0.2]
";

    /// A cube rests on another. At a worse iterate the cube stands on other features, and one of its loaded
    /// contact points is excluded: a refresh at the iterate before does not restore that point.
    #[test]
    fn the_best_iterate_is_found_as_it_was() {
        let scene = scene::parse(CUBES, Path::new("cubes"), &LoadOptions::default()).unwrap().scene;
        let models = Models::of(&scene);
        let state = scene.initial_state();
        let mut loads = Loads::default();
        loads.gather(&scene, 0);
        let mut placed = PlacedBodies::default();
        placed.place(&models, &state, &loads, scene.time_step);
        let context = StepContext::new(&scene, &state, &loads, (&models, &[]), &placed);
        let mut pair = Pair::new(
            &models.parts[0],
            &models.parts[1],
            *scene.friction.between(0, 0),
            false,
            ([0; 3], Vector3::z()),
        );
        pair.manifold = Some(Box::default());
        let mut island =
            IslandProblem { bodies: vec![1], pairs: vec![Box::new(pair)], ..IslandProblem::default() };
        island.begin_manifolds(&models, &placed.start.parts);
        island.pairs[0].manifold.as_mut().unwrap().reserve();
        island.set_up(&context, &[0, 0]);
        let n_points = |island: &IslandProblem| island.pairs[0].manifold.as_ref().unwrap().points.len();
        let known = n_points(&island);
        let mut problem = IslandStepProblem { island: &mut island, context: &context };
        let (mut v, mut x) = (vec![0.0; 6], vec![0.0; problem.linearized().n_rows()]);
        x[..known].fill(0.9 * 8.0 * 9.81 * 0.01 / known as f64);
        let (good, loads) = (problem.refresh(&v, &mut x), x.clone());
        let (elsewhere, mut other) = ([-10.0, -6.0, -1.0, 0.0, 0.0, 60.0], x.clone());
        let worse = problem.refresh(&elsewhere, &mut other);
        let point = &mut problem.island.pairs[0].manifold.as_mut().unwrap().points[0];
        point.exclude();
        point.exclusions.count = usize::MAX;
        assert!(worse.max() > good.max() && n_points(problem.island) > known, "{worse:?} after {good:?}");
        let again = problem.refresh(&v, &mut x);
        assert!(again.max() > 1.01 * good.max(), "{again:?} after {good:?}");
        let excluded = Activation::Excluded { is_idle: false };
        let is_excluded = |problem: &IslandStepProblem<'_>| {
            problem.island.pairs[0].manifold.as_ref().unwrap().points[0].activation == excluded
        };
        assert!(is_excluded(&problem));
        assert!(problem.refresh(&[f64::NAN; 6], &mut other).max().is_nan(), "nowhere");
        other[0] = f64::INFINITY;
        assert!(problem.refresh(&v, &mut other).max().is_nan(), "pushed to nowhere");
        assert!(problem.island.pairs[0].geometry.normal.norm().is_finite(), "a way back");
        problem.hint(Hint::Restart);
        assert!(!is_excluded(&problem), "another start");
        v.copy_from_slice(&elsewhere);
        let kept = problem.return_to_best(&mut v, &mut x).expect("it has points");
        assert_eq!((kept, v, x), (good, vec![0.0; 6], loads));
        assert_eq!(n_points(&island), known);
    }
}
