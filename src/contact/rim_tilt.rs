//! Trust in the derivative of the lowest point of a rim over a plane.

use crate::contact::feature::{Cylinder, Feature, plane_of};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::UPRIGHT_SINE;
use nalgebra::Vector3;

/// Change of a tilt expected in the first iteration.
const STEEPEST: f64 = 1e-3;

/// Tilt of a rim, which limits the trust in the derivative of its lowest point: the point runs around the rim
/// the faster the less the cylinder tilts, and where the tilt changes by more than itself the derivative does
/// not predict its motion.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Tilt {
    /// Cross product n × axis at the last pose, sine and direction of the tilt of A's and of B's cylinder
    /// over a plane of the other.
    last: [Option<Vector3<f64>>; 2],
    /// Change of `last` from the pose before.
    change: [f64; 2],
}

impl Tilt {
    /// Returns the factors for both bodies at a pose, where the normal is n.
    pub fn trust(
        &mut self,
        features: FeaturePair,
        a: &Placed<'_>,
        b: &Placed<'_>,
        n: &Vector3<f64>,
    ) -> [f64; 2] {
        let mut trust = [1.0; 2];
        for (side, own, other, body) in [(0, features.0, features.1, a), (1, features.1, features.0, b)] {
            let (true, Feature::Rim(_), Some(cylinder)) = (other.is_flat(), own, Cylinder::of(body)) else {
                continue;
            };
            let tilt = n.cross(&cylinder.axis);
            match self.last[side].map(|last| (tilt - last).norm()) {
                None => self.change[side] = STEEPEST,
                Some(0.0) => {}
                Some(change) => self.change[side] = change,
            }
            self.last[side] = Some(tilt);
            let all = tilt.norm() + self.change[side];
            trust[side] = if all > 0.0 { tilt.norm() / all } else { 0.0 };
        }
        trust
    }
}

/// Whether a contact point is the lowest point of a rim that has none, because the rim lies flat on the
/// plane.
pub fn is_upright(features: FeaturePair, a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let lies = |of: Feature, other: Feature, body: &Placed<'_>, plane: &Placed<'_>| {
        let (Feature::Rim(_), Some((n, _)), Some(cylinder)) =
            (of, plane_of(other, plane), Cylinder::of(body))
        else {
            return false;
        };
        n.cross(&cylinder.axis).norm() < UPRIGHT_SINE
    };
    lies(features.0, features.1, a, b) || lies(features.1, features.0, b, a)
}
