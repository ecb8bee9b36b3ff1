//! A body over a plane of another: its features over the outline of the plane, and their crossings with it.

use crate::contact::feature::{Cylinder, Feature, arm, outside, polytope};
use crate::contact::placed::Placed;
use crate::contact::tolerances::{ALONG_EDGE_RATE, STANDING_TILT};
use nalgebra::Vector3;

/// A body Y over a plane of X; points are arms from X's centre of mass.
pub struct IncidentBody<'a, 'b> {
    /// The body with the plane.
    pub x: &'a Placed<'b>,
    /// The body over it.
    pub y: &'a Placed<'b>,
    /// The plane's feature of X.
    pub feature: Feature,
    /// Outer normal of the plane.
    pub n: Vector3<f64>,
    /// Point on the plane.
    pub at: Vector3<f64>,
    /// Vector that turns arms of Y into arms of X (m).
    pub offset: Vector3<f64>,
    /// Height above which points do not count (m).
    pub limit: f64,
    /// Length by which outlines are widened (m).
    pub near: f64,
}

impl IncidentBody<'_, '_> {
    /// Height of a point over the plane (m).
    pub fn height(&self, point: &Vector3<f64>) -> f64 {
        self.n.dot(&(point - self.at))
    }

    /// Direction against the normal, in Y's shape frame.
    pub fn down(&self) -> Vector3<f64> {
        self.y.moved.shape_rotation.tr_mul(&-self.n)
    }

    /// Sine of the angle between a cylinder's axis and the normal.
    pub fn tilt(&self, cylinder: &Cylinder) -> f64 {
        self.n.cross(&cylinder.axis).norm()
    }

    /// Whether a cylinder stands on its cap.
    pub fn stands(&self, cylinder: &Cylinder) -> bool {
        !cylinder.is_capsule && self.tilt(cylinder) < STANDING_TILT
    }

    /// Whether a point lies over the outline of the plane.
    pub fn is_inside(&self, point: &Vector3<f64>) -> bool {
        outside(self.feature, self.x, point) <= self.near
    }

    /// Ends of a cylinder's lowest line over the outline: height on the cylinder, feature, and point. Of a
    /// capsule the line of the lowest points of balls.
    pub fn lowest_line(&self, cylinder: &Cylinder) -> Option<[(f64, Feature, Vector3<f64>); 2]> {
        let across = self.n - cylinder.axis * cylinder.axis.dot(&self.n);
        let up = if cylinder.is_capsule { self.n } else { across.normalize() };
        let down = -up * cylinder.radius;
        let at = |height: f64| self.offset + cylinder.at(height) + down;
        let end = |up: bool| (cylinder.end(up), cylinder.end_feature(up));
        let (mut from, mut to) = (end(false), end(true));
        let is_over = self.clip(&at, &mut from, &mut to);
        is_over.then(|| [from, to].map(|(height, feature)| (height, feature, at(height))))
    }

    /// Crossing of the outline at the current pose, if it still exists.
    pub fn moved(&self, place: &Feature) -> Option<Feature> {
        match (*place, Cylinder::of(self.x), Cylinder::of(self.y)) {
            (Feature::Ring(..), _, Some(cylinder)) if !self.stands(&cylinder) => {
                let [from, to] = self.lowest_line(&cylinder)?;
                [from, to].map(|end| end.1).into_iter().find(|end| end.is_same(place))
            }
            (Feature::Point(_, name), Some(lower), None) => {
                let found = self.edge_over_rim(&lower, name / 2).into_iter().flatten();
                found.filter(|found| found.0 == name).map(|(name, point)| Feature::Point(point, name)).next()
            }
            (Feature::Point(_, name), lower, Some(cylinder)) => {
                let up = self.n.dot(&cylinder.axis) < 0.0;
                let found = match lower {
                    Some(lower) => self.rim_over_rim(&lower, &cylinder, up),
                    None => self.rim_over_edge(&cylinder, up, name / 2),
                };
                let point = found.into_iter().flatten().find(|found| found.0 == name)?.1;
                Some(on_rim(self.y, &cylinder, up, &point, name))
            }
            _ => None,
        }
    }

    /// Points where an edge of Y, a polytope, crosses the rim of X seen along X's axis: names, and points in
    /// Y's shape frame.
    pub fn edge_over_rim(&self, lower: &Cylinder, edge: usize) -> [Option<(usize, Vector3<f64>)>; 2] {
        let Some(p) = polytope(self.y) else { return [None; 2] };
        let [from, to] = p.edges[edge].vertices.map(|v| p.vertices[v]);
        let [start, end] = [from, to].map(|point| self.offset + arm(self.y, &point));
        crossings(&start, &end, &self.at, &lower.axis, lower.radius)
            .map(|found| found.map(|(which, t)| (2 * edge + which, from + (to - from) * t)))
    }

    /// Points where an edge of X, a polytope, crosses the rim of Y seen along Y's axis: names, and arms of Y.
    pub fn rim_over_edge(
        &self,
        cylinder: &Cylinder,
        up: bool,
        edge: usize,
    ) -> [Option<(usize, Vector3<f64>)>; 2] {
        let Some(p) = polytope(self.x) else { return [None; 2] };
        let [from, to] = p.edges[edge].vertices.map(|v| arm(self.x, &p.vertices[v]));
        crossings(&from, &to, &(self.offset + cylinder.at(cylinder.end(up))), &cylinder.axis, cylinder.radius)
            .map(|found| found.map(|(which, t)| (2 * edge + which, from + (to - from) * t - self.offset)))
    }

    /// Points where the rims of two cylinders cross seen along X's axis: names, and arms of Y.
    pub fn rim_over_rim(
        &self,
        lower: &Cylinder,
        cylinder: &Cylinder,
        up: bool,
    ) -> [Option<(usize, Vector3<f64>)>; 2] {
        let (c, r, s) =
            (self.offset + cylinder.at(cylinder.end(up)) - self.at, lower.radius, cylinder.radius);
        let flat = c - self.n * self.n.dot(&c);
        let d = flat.norm();
        if d <= (r - s).abs() || d >= r + s {
            return [None; 2];
        }
        let along = (d * d + r * r - s * s) / (2.0 * d);
        let half = (r * r - along * along).max(0.0).sqrt();
        let (e, f) = (flat / d, self.n.cross(&flat) / d);
        [(0, -half), (1, half)].map(|(name, side)| Some((name, self.at + e * along + f * side - self.offset)))
    }

    /// Cuts a line down to the feature over the outline; returns false if nothing is left.
    fn clip(
        &self,
        at: &dyn Fn(f64) -> Vector3<f64>,
        from: &mut (f64, Feature),
        to: &mut (f64, Feature),
    ) -> bool {
        let (start, along) = (at(0.0), at(1.0) - at(0.0));
        let mut cut = |height: f64, enters: bool, name: usize| {
            if enters && height > from.0 {
                *from = (height, Feature::Ring(height, name));
            } else if !enters && height < to.0 {
                *to = (height, Feature::Ring(height, name));
            }
        };
        match self.feature {
            Feature::Face(face) => {
                let Some(p) = polytope(self.x) else { return false };
                let face = &p.faces[face];
                for (k, &v) in face.vertices.iter().enumerate() {
                    let corner = arm(self.x, &p.vertices[v]);
                    let next = arm(self.x, &p.vertices[face.vertices[(k + 1) % face.vertices.len()]]);
                    let out = (next - corner).cross(&self.n).normalize();
                    let (beyond, rate) = (out.dot(&(start - corner)) - self.near, out.dot(&along));
                    if rate.abs() > ALONG_EDGE_RATE {
                        cut(-beyond / rate, rate < 0.0, face.edges[k]);
                    } else if beyond > 0.0 {
                        return false;
                    }
                }
            }
            Feature::Cap(_) => {
                let Some(cylinder) = Cylinder::of(self.x) else { return false };
                let flat = |v: Vector3<f64>| v - self.n * self.n.dot(&v);
                let (s, d) = (flat(start - self.at), flat(along));
                let (q, half, c) = (d.norm_squared(), s.dot(&d), s.norm_squared() - cylinder.radius.powi(2));
                let root = half * half - q * c;
                if root <= 0.0 || q <= 0.0 {
                    return false;
                }
                cut((-half - root.sqrt()) / q, true, 0);
                cut((-half + root.sqrt()) / q, false, 1);
            }
            _ => {}
        }
        from.0 < to.0
    }
}

/// Crossings of a segment with the circle of this radius about an axis, as features of the segment with a
/// name.
fn crossings(
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    center: &Vector3<f64>,
    axis: &Vector3<f64>,
    radius: f64,
) -> [Option<(usize, f64)>; 2] {
    let flat = |v: Vector3<f64>| v - axis * axis.dot(&v);
    let (s, d) = (flat(from - center), flat(to - from));
    let (q, half, c) = (d.norm_squared(), s.dot(&d), s.norm_squared() - radius * radius);
    let root = half * half - q * c;
    if root <= 0.0 || q <= 0.0 {
        return [None; 2];
    }
    [(0, (-half - root.sqrt()) / q), (1, (-half + root.sqrt()) / q)]
        .map(|(which, t)| (0.0..=1.0).contains(&t).then_some((which, t)))
}

/// Material point of a rim nearest to a point; `point` is an arm of the cylinder.
pub fn on_rim(
    body: &Placed<'_>,
    cylinder: &Cylinder,
    up: bool,
    point: &Vector3<f64>,
    name: usize,
) -> Feature {
    let local = body.moved.shape_rotation.tr_mul(&(point - cylinder.center));
    let flat = local.xy().try_normalize(0.0).unwrap_or_default() * cylinder.radius;
    Feature::Point(Vector3::new(flat.x, flat.y, cylinder.end(up)), name)
}
