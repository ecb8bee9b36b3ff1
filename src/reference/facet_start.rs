//! Closest points and multipliers of a pair with several facets at given poses: the start of Newton on the
//! whole step, and the geometry that pairs get which stay apart.

use super::equations::{end_poses, pair_values};
use super::facet::Facet;
use super::facet_block::{FacetBlock, FacetedBody};
use super::laws::{FrictionLaw, Laws, NormalLaw};
use super::problem::{BodyAtStart, Pair, ReferenceProblem};
use super::surfaces::EndPose;
use super::system::{WRENCHES, gather, pair_derivatives};
use super::unknowns::{A1, BODY_UNKNOWNS, D, LOCAL, P_N, PAIR_UNKNOWNS};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use signorini_geometry::Shape;

/// Relative distance, over the size, below which the closest points of two bodies tell no normal.
const TOUCHING: f64 = 1e-9;
/// Relative depth, over the size, of a point inside a facet up to which the facet is active.
const ACTIVE: f64 = 1e-7;

/// Facets of a pair at the end of the last step.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct FacetWarmStart {
    /// Points a1 and a2 in the frames of their bodies (m).
    pub points: [Vector3<f64>; 2],
    /// Multiplier l of every facet, A's first.
    pub multipliers: Vec<f64>,
}

/// Closest points with the multipliers of their normal.
#[derive(Debug, Clone)]
pub(super) struct FacetPoints {
    /// Closest points on A and on B (m).
    pub points: [Vector3<f64>; 2],
    /// Signed distance (m).
    pub gap: f64,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Multiplier l of every facet, A's first.
    pub multipliers: Vec<f64>,
}

/// A body at a pose.
struct Placed<'a> {
    body: &'a BodyAtStart,
    pose: EndPose<f64>,
}

impl Placed<'_> {
    fn frame(&self) -> (Vector3<f64>, Matrix3<f64>) {
        let origin = self.pose.centre + self.pose.rotation * self.body.shape_pose.position;
        (origin, self.pose.rotation * self.body.shape_pose.rotation())
    }

    /// Finds the point farthest along `direction`; of a half-space, which has no such point, any point of its
    /// plane.
    fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let (origin, rotation) = self.frame();
        let d = rotation.tr_mul(direction);
        let xi = match &self.body.shape {
            Shape::Ellipsoid { semi_axes } => {
                let scaled = d.component_mul(&semi_axes.component_mul(semi_axes));
                scaled / d.dot(&scaled).sqrt().max(f64::MIN_POSITIVE)
            }
            Shape::HalfSpace { normal, offset } => normal * *offset,
            Shape::Bore { .. } => Vector3::zeros(),
            Shape::Polytope(p) => p.vertices[p.support(&d)],
            Shape::Capsule { radius, half_length } => {
                let out = d.try_normalize(1e-12).unwrap_or_default() * *radius;
                out + Vector3::z() * half_length.copysign(d.z)
            }
            Shape::Cylinder { radius, half_length } => {
                let across = d.xy().try_normalize(1e-12).unwrap_or_default() * *radius;
                Vector3::new(across.x, across.y, half_length.copysign(d.z))
            }
        };
        origin + rotation * xi
    }
}

/// Finds the closest points of a pair at the poses that the velocities in z lead to. Bodies that overlap at
/// these poses get the points along the normal of the start of the step. `guess` is a normal for bodies that
/// touch at the start.
pub(super) fn closest_facets(
    problem: &ReferenceProblem,
    i_pair: usize,
    z: &DVector<f64>,
    guess: &Vector3<f64>,
) -> FacetPoints {
    let pair = &problem.pairs[i_pair];
    let ids = [pair.body_a, pair.body_b];
    let end = ids.map(|body| {
        let (linear, angular) = problem.velocity(z, body);
        Placed { body: &problem.bodies[body], pose: EndPose::new(problem, body, &linear, &angular) }
    });
    let near = TOUCHING * pair.scale.size;
    if let Shape::HalfSpace { normal, .. } = &end[0].body.shape {
        let n = end[0].frame().1 * normal;
        let a2 = end[1].support(&-n);
        let gap = FacetedBody::new(end[0].body, &end[0].pose).value(0, &a2);
        return with_multipliers(pair, &end, [a2 - n * gap, a2], n, gap);
    }
    let (points, apart) = nearest(&end, &Vector3::zeros(), pair.scale.size);
    if apart.norm() > near {
        let normal = apart.normalize();
        let found = with_multipliers(pair, &end, points, normal, apart.norm());
        return polish(problem, i_pair, z, found);
    }
    let start = ids.map(|body| {
        let pose = EndPose::new(problem, body, &Vector3::zeros(), &Vector3::zeros());
        Placed { body: &problem.bodies[body], pose }
    });
    let mut shift = 0.0;
    for _ in 0..60 {
        let (points, apart) = nearest(&start, &(guess * shift), pair.scale.size);
        if apart.norm() > near.max(0.1 * shift) {
            let normal = apart.normalize();
            let points = [points[0], points[1] - guess * shift];
            let local = [0, 1]
                .map(|side| start[side].pose.rotation.tr_mul(&(points[side] - start[side].pose.centre)));
            let multipliers = with_multipliers(pair, &start, points, normal, 0.0).multipliers;
            let points = [0, 1].map(|k| end[k].pose.centre + end[k].pose.rotation * local[k]);
            let gap = normal.dot(&(end[1].support(&-normal) - end[0].support(&normal)));
            return FacetPoints { points, gap, normal, multipliers };
        }
        shift = if shift == 0.0 { 1e-3 * pair.scale.size } else { 2.0 * shift };
    }
    with_multipliers(pair, &end, points, *guess, 0.0)
}

/// Returns the points of the last step, moved to the poses of z.
pub(super) fn carried(
    problem: &ReferenceProblem,
    i_pair: usize,
    z: &DVector<f64>,
    memory: &FacetWarmStart,
) -> [Vector3<f64>; 2] {
    let pair = &problem.pairs[i_pair];
    let bodies = [pair.body_a, pair.body_b];
    let at = |side: usize| {
        let (linear, angular) = problem.velocity(z, bodies[side]);
        let (start, pose) =
            (&problem.bodies[bodies[side]], EndPose::new(problem, bodies[side], &linear, &angular));
        // On round bodies the point stays in place as they roll; on polytopes it moves with corners and
        // edges.
        let is_round = start.facets.iter().any(|f| !matches!(f, Facet::Plane { .. }));
        let rotation = if is_round { start.rotation } else { pose.rotation };
        pose.centre + rotation * memory.points[side]
    };
    if problem.bodies[pair.body_a].facets.len() == 1 {
        return [at(1), at(1)]; // A is a plane, or smooth: its point follows B's.
    }
    [at(0), at(1)]
}

/// Writes points and multipliers into z, in the units of the block that the pair has.
pub(super) fn write(problem: &ReferenceProblem, i_pair: usize, z: &mut DVector<f64>, found: &FacetPoints) {
    let pair = &problem.pairs[i_pair];
    let offset = pair.offset;
    for (k, point) in found.points.iter().enumerate() {
        z.fixed_rows_mut::<3>(offset + A1 + 3 * k).copy_from(point);
    }
    z[offset + D] = found.gap;
    let unit = pair.printed.map_or(1.0, |k| found.multipliers[k].max(1e-3));
    for (i, l) in found.multipliers.iter().enumerate() {
        let is_unit = pair.printed == Some(i);
        z[offset + PAIR_UNKNOWNS + i] = if is_unit { found.gap.max(0.0) * l } else { l / unit };
    }
    if pair.printed.is_some() {
        let local = gather(problem, i_pair, z);
        let poses = end_poses(problem, pair, &local);
        z[offset + D] = FacetBlock::new(problem, pair, &poses, &local).solids[0].outside(&found.points[1]);
    }
}

/// Finds multipliers by min |n − Σ l_i ∇f_i(a1)|, min |n + Σ l_j ∇g_j(a2)| with l ≥ 0 over the active facets.
fn with_multipliers(
    pair: &Pair,
    placed: &[Placed<'_>; 2],
    points: [Vector3<f64>; 2],
    normal: Vector3<f64>,
    gap: f64,
) -> FacetPoints {
    let mut multipliers = Vec::with_capacity(pair.n_multipliers());
    for side in 0..2 {
        let solid = FacetedBody::new(placed[side].body, &placed[side].pose);
        let x = points[side];
        let outermost = solid.outside(&x);
        let active: Vec<usize> = (0..solid.len())
            .filter(|i| solid.value(*i, &x) >= outermost.min(0.0) - ACTIVE * pair.scale.size)
            .collect();
        let gradients: Vec<_> = active.iter().map(|i| solid.gradient(*i, &x)).collect();
        let target = if side == 0 { normal } else { -normal };
        let mut l = vec![0.0; solid.len()];
        for (i, value) in active.iter().zip(cone_coordinates(&gradients, &target)) {
            l[*i] = value;
        }
        multipliers.append(&mut l);
    }
    FacetPoints { points, gap, normal, multipliers }
}

/// Coordinates l ≥ 0 with at most three positive entries and least |target − Σ l_i g_i|; never all zero.
fn cone_coordinates(gradients: &[Vector3<f64>], target: &Vector3<f64>) -> Vec<f64> {
    let n = gradients.len();
    let mut best = (target.norm(), vec![0.0; n]);
    let mut see = |chosen: &[usize]| {
        let columns: Vec<_> = chosen.iter().map(|i| gradients[*i]).collect();
        let matrix = nalgebra::Matrix3xX::from_columns(&columns);
        let Ok(l) = matrix.clone().svd(true, true).solve(target, 1e-12) else { return };
        let miss = (matrix * &l - target).norm();
        // Fewer facets are tried first: more facets have to be better by more than rounding.
        if l.min() >= 0.0 && miss < best.0 - 1e-14 {
            let mut all = vec![0.0; n];
            chosen.iter().zip(l.iter()).for_each(|(i, l)| all[*i] = *l);
            best = (miss, all);
        }
    };
    for i in 0..n {
        see(&[i]);
    }
    for i in 0..n {
        (i + 1..n).for_each(|j| see(&[i, j]));
    }
    for i in 0..n {
        for j in i + 1..n {
            (j + 1..n).for_each(|k| see(&[i, j, k]));
        }
    }
    if best.1.iter().all(|l| *l == 0.0) {
        let along = |i: &usize| gradients[*i].dot(target);
        if let Some(i) = (0..n).max_by(|i, j| along(i).total_cmp(&along(j))) {
            best.1[i] = 1.0;
        }
    }
    best.1
}

/// Finds the nearest points of two convex bodies, B moved by `shift`, and a2 − a1: the point of least norm of
/// their difference, by supports alone (Gilbert, Johnson, Keerthi 1988).
fn nearest(placed: &[Placed<'_>; 2], shift: &Vector3<f64>, size: f64) -> ([Vector3<f64>; 2], Vector3<f64>) {
    let at = |direction: &Vector3<f64>| {
        let points = [placed[0].support(direction), placed[1].support(&-direction) + shift];
        (points[1] - points[0], points)
    };
    let first = placed[1].pose.centre + shift - placed[0].pose.centre;
    let mut simplex = vec![at(&(first + Vector3::repeat(1e-9 * size)))];
    let mut weights = vec![1.0];
    let mut x = simplex[0].0;
    for _ in 0..300 {
        let next = at(&x);
        if x.norm_squared() - x.dot(&next.0) <= 1e-15 * size * x.norm() {
            break;
        }
        simplex.push(next);
        let (least, kept, found) = least_norm(&simplex);
        if least.norm() >= x.norm() {
            simplex.pop();
            break; // The progress is rounding.
        }
        simplex = kept.iter().map(|k| simplex[*k]).collect();
        (x, weights) = (least, found);
        if kept.len() == 4 {
            break; // The bodies overlap.
        }
    }
    let mean = |k: usize| simplex.iter().zip(&weights).map(|((_, p), l)| p[k] * *l).sum::<Vector3<f64>>();
    let points = [mean(0), mean(1)];
    (points, points[1] - points[0])
}

/// A point of the difference of two bodies, with the points of A and B whose difference it is.
type Corner = (Vector3<f64>, [Vector3<f64>; 2]);

/// Finds the point of least norm of a simplex, the corners that span its face and its coordinates in that
/// face: the best over all faces.
fn least_norm(simplex: &[Corner]) -> (Vector3<f64>, Vec<usize>, Vec<f64>) {
    let mut best = (Vector3::repeat(f64::INFINITY), Vec::new(), Vec::new());
    for choice in 1..1_usize << simplex.len() {
        let chosen: Vec<usize> = (0..simplex.len()).filter(|k| choice >> k & 1 == 1).collect();
        let first = simplex[chosen[0]].0;
        // Least |w0 + Σ α_k (w_k − w0)|.
        let columns = DMatrix::from_fn(3, chosen.len() - 1, |i, k| simplex[chosen[k + 1]].0[i] - first[i]);
        let mut weights = vec![1.0];
        if chosen.len() > 1 {
            let target = DVector::from_column_slice((-first).as_slice());
            let Ok(alpha) = columns.svd(true, true).solve(&target, 1e-12 * first.norm()) else { continue };
            weights[0] -= alpha.sum();
            weights.extend(alpha.iter());
        }
        if weights.iter().any(|l| *l <= 0.0) {
            continue;
        }
        let x: Vector3<f64> = chosen.iter().zip(&weights).map(|(k, l)| simplex[*k].0 * *l).sum();
        if x.norm() < best.0.norm() {
            best = (x, chosen, weights);
        }
    }
    best
}

/// Refines closest points by Newton on the block alone with the active facets: `nearest` finds points of
/// curved facets to 1e-8 only.
fn polish(problem: &ReferenceProblem, i_pair: usize, z: &DVector<f64>, found: FacetPoints) -> FacetPoints {
    const BOTH_BODIES: usize = 2 * BODY_UNKNOWNS;
    let pair = &Pair { printed: None, ..problem.pairs[i_pair].clone() };
    let active = found.multipliers.iter().enumerate().filter(|(_, l)| **l > 0.0);
    let mask = active.fold(0, |mask, (i, _)| mask | 1 << i);
    let laws = Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent, facets: Some(mask) };
    let mut local = gather(problem, i_pair, z);
    local[BOTH_BODIES + A1..BOTH_BODIES + A1 + 3].copy_from_slice(found.points[0].as_slice());
    local[BOTH_BODIES + A1 + 3..BOTH_BODIES + A1 + 6].copy_from_slice(found.points[1].as_slice());
    local[BOTH_BODIES + D] = found.gap;
    local[LOCAL..].copy_from_slice(&found.multipliers);
    // Places, in rows and unknowns alike, of points, distance and multipliers.
    let places: Vec<usize> = (0..P_N).chain(PAIR_UNKNOWNS..pair.n_unknowns()).collect();
    for _ in 0..4 {
        let rows = pair_values(problem, pair, laws, &local).rows;
        let matrix = pair_derivatives(problem, pair, laws, &local);
        let phi = DVector::from_iterator(places.len(), places.iter().map(|i| rows[*i]));
        let own = DMatrix::from_fn(places.len(), places.len(), |i, j| {
            matrix[(WRENCHES + places[i], BOTH_BODIES + places[j])]
        });
        let Ok(change) = own.svd(true, true).solve(&-phi, 1e-10) else { return found };
        for (place, change) in places.iter().zip(change.iter()) {
            local[BOTH_BODIES + place] += change;
        }
    }
    let point = |k: usize| Vector3::from_column_slice(&local[BOTH_BODIES + k..BOTH_BODIES + k + 3]);
    let points = [point(A1), point(A1 + 3)];
    let poses = end_poses(problem, pair, &local);
    let normal = FacetBlock::new(problem, pair, &poses, &local).normals[0];
    let moved = (points[0] - found.points[0]).norm() + (points[1] - found.points[1]).norm();
    let is_sound = moved <= 1e-3 * pair.scale.size && local[LOCAL..].iter().all(|l| *l >= -1e-12);
    if !is_sound {
        return found;
    }
    FacetPoints { points, gap: local[BOTH_BODIES + D], normal, multipliers: local[LOCAL..].to_vec() }
}
