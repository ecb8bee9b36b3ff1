//! The parts of a body with many parts in a hierarchy of boxes, in the frame of the body: built once,
//! whatever the motion of the body. The parts near another one are found without a test of all.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector3 as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use signorini_geometry::bounds::bounds;
use signorini_scene::scene::Body;

/// Number of parts below which they are tested one by one.
const MANY: usize = 32;
/// Part of their size by which boxes are grown, since turned boxes are rounded.
const ROUNDING: f64 = 1e-12;

/// Boxes around the bounded parts of a body.
#[derive(Debug, Clone)]
pub struct PartTree {
    boxes: Bvh,
}

impl PartTree {
    /// Makes the tree of a body; None for a body with few parts.
    pub fn of(body: &Body) -> Option<Self> {
        if body.parts.len() < MANY {
            return None;
        }
        let grown = Vector3::repeat(
            ROUNDING
                * body.parts.iter().fold(0.0, |most: f64, part| {
                    let reach = part.bounding_radius();
                    if reach.is_finite() { most.max(reach) } else { most }
                }),
        );
        let boxed = body.parts.iter().enumerate().filter_map(|(k, part)| {
            let (low, high) = bounds(&part.shape, &part.pose);
            low.x.is_finite().then(|| (k, aabb(&(low - grown), &(high + grown))))
        });
        let boxes = Bvh::from_iter(BvhBuildStrategy::Binned, boxed.collect::<Vec<_>>());
        (!boxes.is_empty()).then_some(Self { boxes })
    }

    /// Centre and half extents of the box around all parts, frame of the body (m).
    pub fn around(&self) -> (Vector3<f64>, Vector3<f64>) {
        let all = self.boxes.root_aabb();
        let [low, high] = [all.mins, all.maxs].map(|p| Vector3::new(p.x, p.y, p.z));
        ((low + high) / 2.0, (high - low) / 2.0)
    }

    /// Finds the indices of the parts whose boxes meet a box, given by its corners in the frame of the body
    /// (m), in no order.
    pub fn near(&self, low: &Vector3<f64>, high: &Vector3<f64>, found: &mut Vec<usize>) {
        found.clear();
        found.extend(self.boxes.intersect_aabb(&aabb(low, high)).map(|k| k as usize));
    }
}

fn aabb(low: &Vector3<f64>, high: &Vector3<f64>) -> Aabb {
    let [mins, maxs] = [low, high].map(|p| ParryVector::new(p.x, p.y, p.z));
    Aabb { mins, maxs }
}
