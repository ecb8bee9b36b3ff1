//! Impulses of two boxes on their way from contact points to the step in flat arrays, and back.

use crate::contact::feature_search::FeatureSearch;
use crate::contact::pair::Pair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::FEATURE_MARGIN;
use nalgebra::{Matrix3, Vector3};
use signorini_flat::PatchMemory;

impl Pair {
    /// Points and impulses from which the step in flat arrays starts. Impulses of contact points go on by
    /// their places; `axes` are those of body B's shape in the world.
    pub fn memory(&self, axes: &Matrix3<f64>) -> PatchMemory {
        if let Some(patch) = &self.patch {
            return **patch;
        }
        let tangent = self.frame.1.map(|x| x as f32).into();
        let [_, push @ ..] = self.impulse.map(|x| x as f32);
        let mut memory =
            PatchMemory { tangent, push, region: Some(self.torsion_radius), ..PatchMemory::default() };
        let loaded = self.manifold.iter().flat_map(|manifold| &manifold.points).filter(|p| p.impulse > 0.0);
        for point in loaded {
            let k = memory.n.min(memory.impulses.len() - 1);
            memory.impulses[k] += point.impulse as f32;
            memory.places[k] = axes.tr_mul(&point.geometry.arm_b).map(|x| x as f32).into();
            memory.n = k + 1;
        }
        memory
    }

    /// Gives contact points the impulses that the step in flat arrays left, each to the nearest one. Bodies
    /// stand where that step ended; `axes` are those of body B's shape in the world.
    pub fn recall(&mut self, [a, b]: [&Placed<'_>; 2], axes: &Matrix3<f64>, search: &mut FeatureSearch) {
        let Some(memory) = self.patch.as_deref().copied() else { return };
        if self.manifold.as_ref().is_some_and(|manifold| manifold.points.is_empty()) {
            self.begin(a, b, FEATURE_MARGIN * a.model.smaller_size(b.model), search);
        }
        let Some(manifold) = &mut self.manifold else { return };
        manifold.points.iter_mut().for_each(|point| point.impulse = 0.0);
        for (place, x) in memory.places.iter().zip(memory.impulses).take(memory.n) {
            let arm = axes * Vector3::from(*place).map(f64::from);
            let acting = manifold.points.iter_mut().filter(|point| point.exerts());
            let far = |arm_b: &Vector3<f64>| (arm_b - arm).norm_squared();
            let nearest = acting.min_by(|p, q| far(&p.geometry.arm_b).total_cmp(&far(&q.geometry.arm_b)));
            if let Some(point) = nearest {
                point.impulse += f64::from(x);
            }
        }
    }
}
