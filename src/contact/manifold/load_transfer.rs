//! Transfer of loads, which stay in place when the point of a contact point runs away.
//!
//! The point of a rim that lies flat on a plane, or under an edge that lies flat on the cap, runs to the
//! other side of the rim when the bodies turn by 1e-9 rad, and is nowhere when they are parallel; so does the
//! point where two edges cross that are nearly one line. With its load the moment would jump, by as much for
//! any step, however short, and every step would be rejected. Other contact points of the manifold take the
//! load in parts that sum to it and have the same moment.

use crate::contact::feature::{Cylinder, Feature, edge_line};
use crate::contact::manifold::ContactManifold;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, NOWHERE};
use crate::contact::tolerances::{
    CROSSING_RUNS_SINE, OUTSIDE_PART, POINT_RUN, RIM_RUNS_SINE, SAME_NORMAL_COSINE,
};
use nalgebra::Vector3;

impl ContactManifold {
    /// Keeps the load `x` in place where rims lie flat, or crossings of edges are nearly parallel, and the
    /// point ran from `places`, its place at the last refresh, or no longer exists. `along` is the separating
    /// axis.
    pub(super) fn keep_loads_in_place(
        &self,
        places: &[Vector3<f64>],
        a: &Placed<'_>,
        b: &Placed<'_>,
        along: &Vector3<f64>,
        x: &mut [f64],
    ) {
        let least = POINT_RUN * a.model.smaller_size(b.model);
        for k in 0..places.len().min(x.len()) {
            let (point, place) = (&self.points[k], places[k]);
            if x[k] <= 0.0 || place == NOWHERE.arm_b {
                continue;
            }
            let Some(normal) = running(point, a, b, along) else { continue };
            if (point.geometry.arm_b - place).norm() > least || point.is_lost(a, b) {
                self.transfer_load(k, &place, &normal, least, x);
            }
        }
    }

    /// Moves the load of contact point k to others, so that force and moment stay those at `place`: to those
    /// of which `place` is a mean, or else to the nearest and two others, which may have to give some of
    /// their load. If one had to pull, nothing changes.
    fn transfer_load(&self, k: usize, place: &Vector3<f64>, along: &Vector3<f64>, least: f64, x: &mut [f64]) {
        let others: Vec<usize> = (0..self.points.len().min(x.len()))
            .filter(|j| {
                let other = &self.points[*j];
                *j != k && other.exerts() && other.geometry.normal.dot(along) > SAME_NORMAL_COSINE
            })
            .collect();
        let mean = self.mean_of(&others, place, along, least);
        let Some(corner) = mean.or_else(|| self.corner_at(&others, place, along, least, x)) else { return };
        let load = x[k];
        if corner.chosen.iter().zip(corner.parts).any(|(j, part)| x[*j] + part * load < 0.0) {
            return;
        }
        corner.take(load, x);
        x[k] = 0.0;
    }

    /// Three points about `place`, which is a mean of them: the nearest, by their parts.
    pub(super) fn mean_of(
        &self,
        others: &[usize],
        place: &Vector3<f64>,
        along: &Vector3<f64>,
        least: f64,
    ) -> Option<Corner> {
        let at = |j: usize| self.points[j].geometry.arm_b - place;
        let cost = |corner: &Corner| -> f64 {
            corner.chosen.iter().zip(corner.parts).map(|(j, part)| part * at(*j).norm()).sum()
        };
        let mut best: Option<(f64, Corner)> = None;
        let mut see = |chosen: [usize; 3], parts: [f64; 3]| {
            if parts.iter().any(|part| *part < -OUTSIDE_PART) {
                return;
            }
            let inside = parts.map(|part| part.max(0.0));
            let sum: f64 = inside.iter().sum();
            let corner = Corner { chosen, parts: inside.map(|part| part / sum) };
            if best.as_ref().is_none_or(|b| cost(&corner) < b.0) {
                best = Some((cost(&corner), corner));
            }
        };
        for (p, &i) in others.iter().enumerate() {
            for (q, &j) in others.iter().enumerate().skip(p + 1) {
                let u = at(j) - at(i);
                for &l in &others[q + 1..] {
                    let w = at(l) - at(i);
                    let area = along.dot(&u.cross(&w));
                    if area.abs() > least * u.norm() {
                        let parts = [-along.dot(&at(i).cross(&w)) / area, along.dot(&at(i).cross(&u)) / area];
                        see([i, j, l], [1.0 - parts[0] - parts[1], parts[0], parts[1]]);
                    }
                }
            }
        }
        best.map(|(_, corner)| corner)
    }

    /// The nearest point, the one farthest from that and the one farthest from the line of both, with the
    /// coordinates of `place` in their triangle, or on their line if the triangle is lower than `least` (m).
    fn corner_at(
        &self,
        others: &[usize],
        place: &Vector3<f64>,
        along: &Vector3<f64>,
        least: f64,
        x: &[f64],
    ) -> Option<Corner> {
        let at = |j: usize| self.points[j].geometry.arm_b;
        let farthest = |distance: &dyn Fn(usize) -> f64| {
            // These points may have to give some of their own load.
            let loaded = others.iter().copied().filter(|j| x[*j] > 0.0);
            loaded.max_by(|i, j| distance(*i).total_cmp(&distance(*j)))
        };
        let distance = |j: usize| (at(j) - place).norm();
        let first = others.iter().copied().min_by(|i, j| distance(*i).total_cmp(&distance(*j)))?;
        let from_first = |j: usize| at(j) - at(first);
        let second = farthest(&|j| from_first(j).norm()).unwrap_or(first);
        let (rest, u) = (place - at(first), from_first(second));
        let area = |w: &Vector3<f64>| along.dot(&u.cross(w));
        let third = farthest(&|j| area(&from_first(j)).abs()).unwrap_or(first);
        let w = from_first(third);
        let mut parts = [0.0; 3];
        if area(&w).abs() > least * u.norm() {
            parts[1] = along.dot(&rest.cross(&w)) / area(&w);
            parts[2] = area(&rest) / area(&w);
        } else if u.norm() > least {
            parts[1] = rest.dot(&u) / u.norm_squared();
        }
        parts[0] = 1.0 - parts[1] - parts[2];
        Some(Corner { chosen: [first, second, third], parts })
    }
}

/// Three contact points, with the parts of a load that they take.
pub(super) struct Corner {
    chosen: [usize; 3],
    parts: [f64; 3],
}

impl Corner {
    /// Adds the parts of a load to the loads x.
    pub(super) fn take(self, load: f64, x: &mut [f64]) {
        self.chosen.into_iter().zip(self.parts).for_each(|(j, part)| x[j] += part * load);
    }
}

/// Normal to go on with if the point of a contact point may run: the axis `along` for a rim that lies flat,
/// its own for edges.
fn running(
    point: &ContactPoint,
    a: &Placed<'_>,
    b: &Placed<'_>,
    along: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    let is_flush = |of: Feature, body: &Placed<'_>| {
        let cylinder = Cylinder::of(body).filter(|_| matches!(of, Feature::Rim(_)));
        cylinder.is_some_and(|cylinder| cylinder.axis.cross(along).norm() < RIM_RUNS_SINE)
    };
    if let Some(edges) = point.feature.crossing_edges() {
        return (edge_sine(edges, a, b)? < CROSSING_RUNS_SINE).then_some(point.geometry.normal);
    }
    (is_flush(point.feature.0, a) || is_flush(point.feature.1, b)).then_some(*along)
}

/// Sine of the angle between an edge of A and one of B.
fn edge_sine(edges: (usize, usize), a: &Placed<'_>, b: &Placed<'_>) -> Option<f64> {
    Some(edge_line(a, edges.0)?.1.cross(&edge_line(b, edges.1)?.1).norm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::feature_pair::FeaturePair;
    use crate::contact::feature_query::FeatureQuery;
    use crate::contact::manifold::FeatureSearch;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Polytope, Pose, Shape};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    fn body(shape: Shape, size: f64) -> PartModel {
        PartModel { size, ..PartModel::new(0, 0, &Part::new(shape)) }
    }

    /// Wrench of B's contact points on A: Σ x and Σ x r.
    type Wrench = (f64, Vector3<f64>);

    /// Gives B's contact points `load` at the first of two poses of B and refreshes the pair at the second.
    /// Returns the manifold and its loads at the second pose, and the wrench at both.
    fn moved(
        a: &Placed<'_>,
        (model, poses): (&PartModel, [Pose; 2]),
        load: impl Fn(&ContactPoint) -> f64,
    ) -> (ContactManifold, Vec<f64>, [Wrench; 2]) {
        let (mut manifold, mut search, mut x) =
            (ContactManifold::default(), FeatureSearch::default(), vec![0.0; 24]);
        let wrenches = [0, 1].map(|look| {
            let upper = MovedPart::new(model, &poses[look]);
            let b = Placed::new(model, &upper);
            if look == 0 {
                manifold.begin(&FeatureQuery::new(a, &b, Vector3::z()), &mut search);
            }
            manifold.refresh(&FeatureQuery::new(a, &b, Vector3::z()), 0.0, &mut search, &mut x);
            if look == 0 {
                x.iter_mut().zip(&manifold.points).for_each(|(x, point)| *x = load(point));
            }
            let loaded = || x.iter().zip(&manifold.points);
            (x.iter().sum(), loaded().map(|(x, point)| point.geometry.arm_b * *x).sum())
        });
        (manifold, x, wrenches)
    }

    /// A cylinder on a cube leans by 1e-8 rad, stands on the lowest point of its rim, and then leans the
    /// other way, not at all, or hardly: force and moment stay.
    #[test]
    fn the_load_of_a_rim_stays_where_it_was_lowest() {
        let ground = body(Shape::Polytope(Arc::new(Polytope::box_(Vector3::repeat(0.5)))), 0.3);
        let cylinder = body(Shape::Cylinder { radius: 0.3, half_length: 0.5 }, 0.3);
        let lower = MovedPart::new(&ground, &Pose::identity());
        let a = Placed::new(&ground, &lower);
        let is_rim = |point: &ContactPoint| matches!(point.feature, FeaturePair(_, Feature::Rim(false)));
        let load = |point: &ContactPoint| {
            let on_rim = |p: Feature| matches!(p, Feature::RimPoint(..));
            let FeaturePair(of_a, of_b) = point.feature;
            if is_rim(point) { 1.0 } else { 0.2 * f64::from(u8::from(on_rim(of_a) || on_rim(of_b))) }
        };
        for next in [-1e-8, 0.0, 2e-10] {
            let poses = [1e-8, next].map(|angle: f64| Pose {
                position: Vector3::new(0.1, 0.05, 1.0),
                orientation: UnitQuaternion::from_euler_angles(angle, 0.5 * angle, 0.0),
            });
            let (manifold, x, wrenches) = moved(&a, (&cylinder, poses), load);
            let rim = manifold.points.iter().position(is_rim).expect("a rim");
            assert_eq!(x[rim], 0.0, "{next}");
            assert!(x.iter().all(|x| *x >= 0.0), "{x:?}");
            let [(load, moment), (load_then, moment_then)] = wrenches;
            assert!(load > 1.5 && (load_then - load).abs() < 1e-12, "{next}: {load} then {load_then}");
            let arms = (moment_then - moment).xy().norm();
            assert!(arms < 1e-7, "{next}: {moment:?} then {moment_then:?}");
        }
    }

    /// A cube leans on one that it stands flush with, by 2e-3 rad, and touches it along two edges that
    /// enclose 1e-5 rad. Moved by 4e-6 m they cross 0.4 m further: force and moment stay.
    #[test]
    fn the_load_of_edges_that_are_nearly_one_line_stays_where_they_crossed() {
        let cube = body(Shape::Polytope(Arc::new(Polytope::box_(Vector3::repeat(0.5)))), 0.5);
        let lower = MovedPart::new(&cube, &Pose::identity());
        let a = Placed::new(&cube, &lower);
        let lean = UnitQuaternion::from_euler_angles(-2e-3, 0.0, 1e-5);
        let corner = lean * Vector3::new(0.0, 0.5, -0.5);
        let is_line = |point: &ContactPoint| {
            let FeaturePair(_, Feature::EdgePoint(_, edges)) = point.feature else { return false };
            edge_sine(edges, &a, &a).is_some_and(|sine| sine < 1e-4)
        };
        let poses = [0.0, 4e-6].map(|slide| Pose {
            position: Vector3::new(0.4, 0.5 - corner.y - 2e-6 + slide, 0.5 - corner.z),
            orientation: lean,
        });
        // Points that carry little cannot give any of their load.
        for little in [0.2, 1e-3] {
            let load = |point: &ContactPoint| {
                if is_line(point) { 1.0 } else { little * f64::from(u8::from(point.geometry.gap < 1e-6)) }
            };
            let (manifold, x, wrenches) = moved(&a, (&cube, poses), load);
            let line = manifold.points.iter().position(is_line).expect("edges that cross");
            assert_eq!(x[line], 0.0, "{x:?}");
            assert!(x.iter().all(|x| *x >= 0.0), "{x:?}");
            let [(load, moment), (load_then, moment_then)] = wrenches;
            assert!(load > 1.0 && (load_then - load).abs() < 1e-12, "{load} then {load_then}");
            let arms = (moment_then - moment).xy().norm();
            assert!(arms < 1e-4, "{moment:?} then {moment_then:?}");
        }
    }
}
