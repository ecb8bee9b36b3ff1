//! The best iterate met since the set-up, with the contact points that it was judged by.

use crate::contact::ContactPoint;
use crate::solver::Residual;
use crate::stepper::island::closeness::Closeness;
use crate::stepper::island::problem::IslandProblem;
use nalgebra::Vector3;

/// An iterate and what flat pairs knew there. Contact points that come later overlap there, and those that
/// are excluded later lost their load: without these the iterate is another one, and a worse one.
#[derive(Debug, Default)]
pub(super) struct Best {
    /// None: nothing is kept yet.
    residual: Option<f64>,
    velocity: Vec<f64>,
    impulse: Vec<f64>,
    /// Of all flat pairs, one after the other.
    points: Vec<ContactPoint>,
    /// Of each pair: how many of them, and the normal that the next look starts from.
    pairs: Vec<(usize, Vector3<f64>)>,
    closeness: Closeness,
}

impl Best {
    /// Forgets what was kept.
    pub(super) fn clear(&mut self) {
        self.residual = None;
    }
}

impl IslandProblem {
    /// Keeps (v, x), judged with `residual`, if nothing better is kept. `closeness` is the one that it was
    /// judged with. Only for islands with flat pairs: without contact points what a pose says does not depend
    /// on the way there.
    pub(super) fn keep_best(&mut self, v: &[f64], x: &[f64], residual: &Residual, closeness: Closeness) {
        let best = &mut self.best;
        if residual.max().is_nan() || best.residual.is_some_and(|least| residual.max() >= least) {
            return;
        }
        best.residual = Some(residual.max());
        best.closeness = closeness;
        best.velocity.clear();
        best.velocity.extend_from_slice(v);
        best.impulse.clear();
        best.impulse.extend_from_slice(x);
        best.points.clear();
        best.pairs.clear();
        for pair in &self.pairs {
            let points = pair.manifold.as_ref().map_or(&[][..], |manifold| &manifold.points);
            best.pairs.push((points.len(), pair.geometry.normal));
            best.points.extend_from_slice(points);
        }
    }

    /// Moves (v, x) to what was kept, and the flat pairs' contact points to what they were there; whether
    /// anything was.
    pub(super) fn recall_best(&mut self, v: &mut [f64], x: &mut [f64]) -> bool {
        let best = &self.best;
        if best.residual.is_none() {
            return false;
        }
        v.copy_from_slice(&best.velocity);
        x.copy_from_slice(&best.impulse);
        self.closeness = best.closeness;
        let mut first = 0;
        for (pair, (n, normal)) in self.pairs.iter_mut().zip(&best.pairs) {
            let Some(manifold) = &mut pair.manifold else { continue };
            manifold.points.clear();
            manifold.points.extend_from_slice(&best.points[first..first + n]);
            pair.geometry.normal = *normal;
            first += n;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{BodyModel, Pair};
    use crate::scene::{self, LoadOptions};
    use crate::solver::StepProblem;
    use crate::step::Loads;
    use crate::stepper::island::refresh::Refreshed;
    use crate::stepper::placed_bodies::PlacedBodies;
    use crate::stepper::step_context::StepContext;
    use std::path::Path;

    const CUBES: &str = "format = 1
[simulation]
step = 0.01
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

    /// A cube rests on another. At a worse iterate it stands on other features, and one of those that bore is
    /// excluded: a refresh at the iterate before does not find it as it was.
    #[test]
    fn the_best_iterate_is_found_as_it_was() {
        let scene = scene::parse(CUBES, Path::new("cubes"), &LoadOptions::default()).unwrap().scene;
        let models = BodyModel::all(&scene);
        let state = scene.initial_state();
        let mut loads = Loads::default();
        loads.gather(&scene, 0);
        let mut placed = PlacedBodies::default();
        placed.place(&models, &state, &loads, scene.time_step);
        let context = StepContext::new(&scene, &state, &loads, (&models, &[]), &placed);
        let mut pair = Pair::new(0, 1, *scene.friction.between(0, 0), false, Vector3::z());
        pair.manifold = Some(Box::default());
        let mut island = IslandProblem { bodies: vec![1], pairs: vec![pair], ..IslandProblem::default() };
        island.begin_manifolds(&models, &placed.start);
        island.pairs[0].manifold.as_mut().unwrap().reserve();
        island.set_up(&context, &[0, 0]);
        let n_points = |island: &IslandProblem| island.pairs[0].manifold.as_ref().unwrap().points.len();
        let known = n_points(&island);
        let mut problem = Refreshed { island: &mut island, context: &context };
        let (mut v, mut x) = (vec![0.0; 6], vec![0.0; problem.frozen().n_rows()]);
        x[..known].fill(0.9 * 8.0 * 9.81 * 0.01 / known as f64);
        let (good, bearing) = (problem.refresh(&v, &mut x), x.clone());
        let (elsewhere, mut other) = ([-10.0, -6.0, -1.0, 0.0, 0.0, 60.0], x.clone());
        let worse = problem.refresh(&elsewhere, &mut other);
        let stale = &mut problem.island.pairs[0].manifold.as_mut().unwrap().points[0];
        (stale.is_excluded, stale.n_exclusions) = (true, usize::MAX);
        assert!(worse.max() > good.max() && n_points(problem.island) > known, "{worse:?} after {good:?}");
        let again = problem.refresh(&v, &mut x);
        assert!(again.max() > 1.1 * good.max(), "{again:?} after {good:?}");
        let is_excluded = |problem: &Refreshed<'_>| {
            problem.island.pairs[0].manifold.as_ref().unwrap().points[0].is_excluded
        };
        assert!(is_excluded(&problem));
        problem.start_again();
        assert!(!is_excluded(&problem), "another start");
        v.copy_from_slice(&elsewhere);
        let recalled = problem.return_to_best(&mut v, &mut x).expect("it has points");
        assert_eq!((recalled, v, x), (good, vec![0.0; 6], bearing));
        assert_eq!(n_points(&island), known);
    }
}
