//! Torsional radius e_r of the line or surface where a flat pair touches (theory (2.9)): its contact points
//! as corners of the touching region. Between points of one rim the region follows the rim.

use crate::contact::feature::{Cylinder, Feature};
use crate::contact::manifold::ContactManifold;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, off_feature};
use nalgebra::Vector3;
use signorini_flat::region::{Corner, mean_radius};

/// Most points of a manifold that count.
const MAX_POINTS: usize = 64;
/// Number of points that suffices for most manifolds: room for all of [`MAX_POINTS`] would take longer to
/// clear than the radius to find.
const FEW_POINTS: usize = 12;

impl ContactManifold {
    /// e_r (m) in the contact plane of the pair. A point counts as closed up to `margin` (m) above the lowest
    /// and beside its features, and as open from twice that on.
    pub fn torsion_radius(&self, pair: &PairGeometry, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> f64 {
        match self.points.len() {
            0..=FEW_POINTS => self.radius_of_points::<FEW_POINTS>(pair, [a, b], margin),
            _ => self.radius_of_points::<MAX_POINTS>(pair, [a, b], margin),
        }
    }

    /// e_r (m) of the first N points that may exert an impulse.
    fn radius_of_points<const N: usize>(
        &self,
        pair: &PairGeometry,
        [a, b]: [&Placed<'_>; 2],
        margin: f64,
    ) -> f64 {
        let mut corners = [Corner::default(); N];
        let mut n = 0;
        for point in self.points.iter().filter(|point| point.exerts()).take(N) {
            let off = (point.geometry.gap - pair.gap).max(off_feature(point, a, b));
            let closed = (2.0 - off / margin).clamp(0.0, 1.0);
            if closed > 0.0 {
                corners[n] = corner(point, closed, pair, [a, b]);
                n += 1;
            }
        }
        mean_radius::<N>(&mut corners[..n])
    }
}

fn corner(point: &ContactPoint, closed: f64, pair: &PairGeometry, bodies: [&Placed<'_>; 2]) -> Corner {
    let flat = |v: Vector3<f64>| [pair.tangent_t.dot(&v), pair.tangent_o.dot(&v)];
    let at = flat(point.geometry.arm_b - pair.arm_b);
    let rim = rim_of(point, bodies).map(|(rim, way)| {
        let [t, o] = flat(way);
        (rim, [at[0] + t, at[1] + o])
    });
    Corner { at, closed, rim }
}

/// Rim that a contact point lies on: a number of the rim, and the way from the point to its centre (m).
pub fn rim_of(point: &ContactPoint, bodies: [&Placed<'_>; 2]) -> Option<(u8, Vector3<f64>)> {
    let sides = [(point.feature.0, point.geometry.arm_a), (point.feature.1, point.geometry.arm_b)];
    sides.into_iter().zip(bodies).enumerate().find_map(|(side, ((feature, arm), body))| {
        let Feature::RimPoint(up, _) = feature else { return None };
        let cylinder = Cylinder::of(body)?;
        Some((2 * side as u8 + u8::from(up), cylinder.at(cylinder.end(up)) - arm))
    })
}
