//! Contact points of flat pairs (theory §3.3): a point of one body against a face of the other, an edge
//! against an edge. Signed gap, unit normal from A into B, points, and how all of these turn with the bodies'
//! poses (closed form).
//!
//! Arms run from the centres of mass; `offset` is c_b − c_a. Derivatives as in [`super::pair_tangent`].

use super::pair_tangent::{PairTangent, cross};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// One contact point at one pose.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
#[serde(bound(
    serialize = "T: Real + serde::Serialize",
    deserialize = "T: Real + serde::de::DeserializeOwned"
))]
pub struct PointGeometry<T: Real> {
    /// Unit normal from A into B.
    pub normal: Vector3<T>,
    /// From A's centre of mass to its contact point (m).
    pub arm_a: Vector3<T>,
    /// From B's centre of mass to its contact point (m).
    pub arm_b: Vector3<T>,
    /// Signed distance n·(b − a) (m).
    pub gap: T,
}

impl<T: Real> PointGeometry<T> {
    /// This contact point with the names of the bodies exchanged.
    pub fn swapped(self) -> Self {
        Self { normal: -self.normal, arm_a: self.arm_b, arm_b: self.arm_a, gap: self.gap }
    }
}

/// Derivatives of [`PointGeometry::swapped`].
pub fn swapped_tangent<T: Real>(tangent: &PairTangent<T>) -> PairTangent<T> {
    let swap = |d: &[Matrix3<T>; 4]| [d[2], d[3], d[0], d[1]];
    PairTangent {
        normal: swap(&tangent.normal).map(|d| -d),
        arm_a: swap(&tangent.arm_b),
        arm_b: swap(&tangent.arm_a),
    }
}

/// A point of B against the face of A with outer normal `normal` through `arm_face`: g = n·(b − face).
pub fn face_point<T: Real>(
    normal: &Vector3<T>,
    arm_face: &Vector3<T>,
    offset: &Vector3<T>,
    arm_b: &Vector3<T>,
) -> PointGeometry<T> {
    let point = offset + arm_b;
    let gap = normal.dot(&(point - arm_face));
    PointGeometry { normal: *normal, arm_a: point - normal * gap, arm_b: *arm_b, gap }
}

/// Derivatives of [`face_point`]: the normal turns with A, the point with B, and the foot a = b − g n with
/// both.
pub fn face_point_tangent<T: Real>(at: &PointGeometry<T>) -> PairTangent<T> {
    let (n, o) = (&at.normal, Matrix3::zeros());
    let turned = -cross(n);
    let point = -cross(&at.arm_b);
    // δg = n·(δc_b + δr_b − δc_a) + (δθ_a × n)·(b − c_a): the face's own point moves along the plane only.
    let from_a = at.arm_a + n * at.gap;
    let outer = n * n.transpose();
    let gap_turn = n * (cross(&from_a) * n).transpose();
    let flat = Matrix3::identity() - outer;
    PairTangent {
        normal: [o, turned, o, o],
        arm_a: [-flat, gap_turn - turned * at.gap, flat, flat * point],
        arm_b: [o, o, o, point],
    }
}

/// The line through `arm_a` along u on A against the line through `arm_b` along w on B (unit directions, not
/// parallel); the normal is the one of ±u × w on the side of `outward`.
pub fn edge_edge<T: Real>(
    arm_a: &Vector3<T>,
    u: &Vector3<T>,
    offset: &Vector3<T>,
    arm_b: &Vector3<T>,
    w: &Vector3<T>,
    outward: &Vector3<T>,
) -> PointGeometry<T> {
    let m = u.cross(w);
    let square = m.norm_squared();
    let mut normal = m / square.sqrt();
    if normal.dot(outward) < T::zero() {
        normal = -normal;
    }
    let d = offset + arm_b - arm_a;
    let (along_a, along_b) = (d.cross(w).dot(&m) / square, d.cross(u).dot(&m) / square);
    PointGeometry { normal, arm_a: arm_a + u * along_a, arm_b: arm_b + w * along_b, gap: normal.dot(&d) }
}

/// Derivatives of [`edge_edge`]: δn = ±(I − n nᵀ)(δu × w + u × δw)/|u × w|, and the points slide along their
/// edges.
pub fn edge_edge_tangent<T: Real>(at: &PointGeometry<T>, u: &Vector3<T>, w: &Vector3<T>) -> PairTangent<T> {
    let n = &at.normal;
    let m = u.cross(w);
    let signed = n.dot(&m);
    let flat = (Matrix3::identity() - n * n.transpose()) / signed;
    let o = Matrix3::zeros();
    // δu = δθ_a × u, so δu × w = [w]× [u]× δθ_a; u × δw = −[u]× [w]× δθ_b.
    let normal = [o, flat * cross(w) * cross(u), o, -(flat * cross(u) * cross(w))];
    let (turn_a, turn_b) = (-cross(&at.arm_a), -cross(&at.arm_b));
    let one = Matrix3::identity();
    let apart = [-one, -turn_a, one, turn_b];
    let (across_w, across_u) = (w.cross(n), u.cross(n));
    let (scale_a, scale_b) = (across_w.dot(u), across_u.dot(w));
    let mut arm_a = [o, turn_a, o, o];
    let mut arm_b = [o, o, o, turn_b];
    for i in 0..4 {
        let relative = apart[i] - normal[i] * at.gap;
        arm_a[i] += u * (relative.tr_mul(&across_w) / scale_a).transpose();
        arm_b[i] -= w * (relative.tr_mul(&across_u) / scale_b).transpose();
    }
    PairTangent { normal, arm_a, arm_b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use num_dual::Dual64;

    type D = Dual64;

    /// Position and rotation of two bodies with one of twelve pose coordinates moved by ε.
    fn poses(coordinate: usize) -> [(Vector3<D>, Matrix3<D>); 2] {
        let position = [Vector3::new(0.3, -0.1, 0.2), Vector3::new(0.41, -0.02, 0.5)];
        let turn = [Vector3::new(0.2, 0.5, -0.3), Vector3::new(-0.8, 0.1, 0.4)];
        [0, 1].map(|i| {
            let mut center = position[i].map(D::from_re);
            let mut spin: Vector3<D> = Vector3::zeros();
            let local = coordinate.wrapping_sub(6 * i);
            if local < 3 {
                center[local] += D::new(0.0, 1.0);
            } else if local < 6 {
                spin[local - 3] = D::new(0.0, 1.0);
            }
            let rotation = Rotation3::new(turn[i]).into_inner().map(D::from_re);
            (center, (Matrix3::identity() + cross(&spin)) * rotation)
        })
    }

    fn face_point_at(coordinate: usize) -> PointGeometry<D> {
        let [(ca, ra), (cb, rb)] = poses(coordinate);
        let normal = Vector3::new(0.6, 0.0, 0.8).map(D::from_re);
        let (face, point) = (Vector3::new(0.1, 0.02, 0.2), Vector3::new(-0.1, 0.05, -0.2));
        let (face, point) = (ra * face.map(D::from_re), rb * point.map(D::from_re));
        face_point(&(ra * normal), &face, &(cb - ca), &point)
    }

    fn edges(coordinate: usize) -> (PointGeometry<D>, Vector3<D>, Vector3<D>) {
        let [(ca, ra), (cb, rb)] = poses(coordinate);
        let real = |x: f64, y: f64, z: f64| Vector3::new(x, y, z).map(D::from_re);
        let (u, w) = (ra * real(0.0, 0.6, 0.8), rb * real(1.0, 0.0, 0.0));
        let (pa, pb) = (ra * real(0.1, 0.02, 0.2), rb * real(-0.1, 0.05, -0.2));
        (edge_edge(&pa, &u, &(cb - ca), &pb, &w, &(cb - ca)), u, w)
    }

    fn check(moved: impl Fn(usize) -> PointGeometry<D>, tangent: &PairTangent<f64>) {
        for coordinate in 0..12 {
            let exact = moved(coordinate);
            let (block, column) = (coordinate / 3, coordinate % 3);
            let parts = [
                (exact.normal, &tangent.normal),
                (exact.arm_a, &tangent.arm_a),
                (exact.arm_b, &tangent.arm_b),
            ];
            for (part, (exact, mine)) in parts.into_iter().enumerate() {
                let mine: Vector3<f64> = mine[block].column(column).into();
                let error = (mine - exact.map(|x| x.eps)).norm();
                assert!(error < 1e-12, "part {part}, coordinate {coordinate}: {mine} against {exact}");
            }
        }
    }

    fn real(at: &PointGeometry<D>) -> PointGeometry<f64> {
        let re = |v: &Vector3<D>| v.map(|x| x.re);
        PointGeometry { normal: re(&at.normal), arm_a: re(&at.arm_a), arm_b: re(&at.arm_b), gap: at.gap.re }
    }

    #[test]
    fn tangents_agree_with_dual_numbers() {
        check(face_point_at, &face_point_tangent(&real(&face_point_at(99))));
        let (at, u, w) = edges(99);
        let re = |v: &Vector3<D>| v.map(|x| x.re);
        check(|c| edges(c).0, &edge_edge_tangent(&real(&at), &re(&u), &re(&w)));
    }

    #[test]
    fn swapped_names_give_swapped_derivatives() {
        let tangent = face_point_tangent(&real(&face_point_at(99)));
        let moved = |coordinate: usize| face_point_at((coordinate + 6) % 12).swapped();
        check(moved, &swapped_tangent(&tangent));
    }

    #[test]
    fn closest_points_of_edges_face_each_other() {
        let at = real(&edges(99).0);
        let offset = Vector3::new(0.41 - 0.3, -0.02 + 0.1, 0.5 - 0.2);
        let apart = offset + at.arm_b - at.arm_a;
        assert!((apart - at.normal * at.gap).norm() < 1e-14, "{apart} {at:?}");
    }
}
