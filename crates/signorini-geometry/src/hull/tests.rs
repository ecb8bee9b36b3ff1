use super::*;
use crate::mass_properties;
use nalgebra::UnitQuaternion;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeSet;

type V = Vector3<f64>;

fn cloud(random: &mut Pcg64Mcg, n: usize) -> Vec<V> {
    (0..n).map(|_| V::from_fn(|_, _| random.random_range(-1.0..1.0))).collect()
}

/// Oracle: every plane through three points that has all others on one side, with the points on it.
fn faces_by_brute_force(points: &[V]) -> BTreeSet<Vec<usize>> {
    let n = points.len();
    let mut faces = BTreeSet::new();
    for (i, j, k) in (0..n).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k)))) {
        let Some(normal) = (points[j] - points[i]).cross(&(points[k] - points[i])).try_normalize(1e-9) else {
            continue;
        };
        let heights: Vec<f64> = points.iter().map(|p| normal.dot(&(p - points[i]))).collect();
        if heights.iter().all(|h| *h < 1e-9) || heights.iter().all(|h| *h > -1e-9) {
            faces.insert((0..n).filter(|p| heights[*p].abs() < 1e-9).collect());
        }
    }
    faces
}

/// Conditions that every polytope meets.
fn assert_sound(p: &Polytope) {
    let size = p.radius;
    assert_eq!(p.vertices.len() + p.faces.len(), p.edges.len() + 2);
    for face in &p.faces {
        assert!((face.normal.norm() - 1.0).abs() < 1e-15);
        assert_eq!(face.vertices.iter().min(), face.vertices.first());
        for (i, v) in p.vertices.iter().enumerate() {
            let height = face.normal.dot(v) - face.offset;
            let on = face.vertices.contains(&i);
            assert!(if on { (-2e-9 * size..=0.0).contains(&height) } else { height < 0.0 }, "{height:e}");
        }
    }
    for edge in &p.edges {
        let [from, to] = edge.vertices;
        assert!(from < to);
        let runs = |face: usize, a: usize, b: usize| {
            let cycle = &p.faces[face].vertices;
            let at = cycle.iter().position(|v| *v == a).expect("on the face");
            cycle[(at + 1) % cycle.len()] == b
        };
        assert!(runs(edge.faces[0], from, to) && runs(edge.faces[1], to, from));
    }
    for v in 0..p.vertices.len() {
        assert!(p.faces.iter().filter(|f| f.vertices.contains(&v)).count() >= 3);
        assert!(p.vertices[v].dot(&p.vertices[p.support(&p.vertices[v])]) >= p.vertices[v].norm_squared());
    }
}

#[test]
fn a_box_is_exact_however_it_is_made() {
    let h = V::new(0.5, 0.03, 7.0);
    let exact = Polytope::box_(h);
    assert_eq!((exact.vertices.len(), exact.faces.len(), exact.edges.len()), (8, 6, 12));
    for face in &exact.faces {
        let axis = face.normal.iamax();
        assert_eq!(face.normal.abs(), V::ith(axis, 1.0));
        assert_eq!(face.offset, h[axis]);
        assert_eq!(face.vertices.len(), 4);
    }
    let again = Polytope::hull(&exact.vertices).expect("a box");
    assert_eq!((again.polytope, again.center_of_mass), (exact.clone(), V::zeros()));
    assert_eq!(exact.half_extents(), Some(h));
    // Points inside, on faces and on edges change nothing.
    let mut points = exact.vertices.clone();
    for k in 0..200 {
        let t = f64::from(k) * 0.7;
        let p = V::new(t.sin(), (2.1 * t).cos(), (0.3 * t).sin()).component_mul(&h);
        points.push(p);
        points.push(V::new(h.x, p.y, p.z));
        points.push(V::new(p.x, -h.y, h.z));
    }
    let full = Polytope::hull(&points).expect("a box");
    assert_eq!((full.polytope, full.corners), (exact, (0..8).collect()));
}

#[test]
fn hulls_agree_with_brute_force() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for case in 0..60 {
        let mut points = cloud(&mut random, 4 + case % 13);
        if case % 3 == 0 {
            // Many coplanar points: a coarse grid.
            points.iter_mut().for_each(|p| *p = p.map(|x| (2.0 * x).round()));
            points = distinct(&points, 0.1).into_iter().map(|i| points[i]).collect();
        }
        let hull = match Polytope::hull(&points) {
            Ok(hull) => hull,
            Err(HullFault::Flat | HullFault::TooFew(_)) if case % 3 == 0 => continue,
            Err(fault) => panic!("case {case}: {fault}"),
        };
        let p = &hull.polytope;
        let expected = faces_by_brute_force(&points);
        assert_eq!(p.faces.len(), expected.len(), "case {case}");
        for face in &p.faces {
            let mut corners: Vec<usize> = face.vertices.iter().map(|v| hull.corners[*v]).collect();
            corners.sort_unstable();
            assert!(expected.iter().any(|e| corners.iter().all(|c| e.contains(c))), "case {case}");
        }
        assert!(p.centroid().norm() < 1e-15);
    }
}

#[test]
fn hulls_of_many_sizes_places_and_proportions_are_sound_and_alike() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let prism: Vec<V> = (0..7)
        .flat_map(|k| [-1.0, 1.0].map(|z| V::new((0.9 * f64::from(k)).cos(), (0.9 * f64::from(k)).sin(), z)))
        .collect();
    for case in 0..40 {
        let turn = UnitQuaternion::from_scaled_axis(V::from_fn(|_, _| random.random_range(-2.0..2.0)));
        let flatten = V::new(1.0, 1.0, [1.0, 1e-2, 2e-4][case % 3]);
        let base = if case % 2 == 0 { prism.clone() } else { cloud(&mut random, 60) };
        let shift = V::new(1.0, -2.0, 3.0) * f64::from(case as u32 % 4);
        let placed: Vec<V> = base.iter().map(|p| turn * p.component_mul(&flatten) + shift).collect();
        let reference = Polytope::hull(&placed).expect("a hull");
        if case % 2 == 0 {
            assert_eq!(reference.polytope.faces.len(), 9);
        }
        for scale in [1e-3, 1e3] {
            let points: Vec<V> = placed.iter().map(|p| p * scale).collect();
            let hull = Polytope::hull(&points).expect("a hull");
            assert_eq!(hull.corners, reference.corners);
            let (p, q) = (&hull.polytope, &reference.polytope);
            assert_eq!(p.edges, q.edges);
            // A rounding of the thickness moves the centre of mass of a thin body sideways.
            let off =
                p.vertices.iter().zip(&q.vertices).map(|(v, w)| (v - w * scale).norm()).fold(0.0, f64::max);
            let rounding = 4.0 * f64::EPSILON * (1.0 + shift.norm()) / flatten.z;
            assert!((p.volume / (q.volume * scale.powi(3)) - 1.0).abs() < 10.0 * rounding);
            assert!((p.size / (q.size * scale) - 1.0).abs() < 10.0 * rounding);
            assert!(off < rounding * p.radius, "case {case}: {off:e}");
            let scaled = q.scaled(scale);
            assert_eq!(scaled.edges, p.edges);
            assert!((scaled.volume / p.volume - 1.0).abs() < 10.0 * rounding);
            assert_sound(p);
        }
        assert_eq!(Polytope::hull(&reference.polytope.vertices).expect("again").polytope, reference.polytope);
    }
}

/// Prisms, frusta and cut boxes whose coordinates are off by a noise: planar to rounding, as many faces as
/// without, near the points given, and the same bits when they are built again.
#[test]
fn corners_lie_in_the_planes_of_their_faces() {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    for case in 0..60 {
        let n: usize = [3, 4, 5, 12, 40][case % 5];
        let top = [1.0, 0.6][case % 2];
        let noise = 10f64.powf(random.random_range(-13.0..-8.0));
        let turn = UnitQuaternion::from_scaled_axis(V::from_fn(|_, _| random.random_range(-2.0..2.0)));
        let shift = V::from_fn(|_, _| random.random_range(-1.0..1.0));
        let mut corner = |k: usize, z: f64| {
            let (s, c) = (k as f64 / n as f64 * std::f64::consts::TAU).sin_cos();
            let radius = if z > 0.0 { top } else { 1.0 };
            let off = V::from_fn(|_, _| random.random_range(-noise..noise));
            turn * V::new(radius * c, radius * s, z) + shift + off
        };
        let points: Vec<V> = (0..n).flat_map(|k| [corner(k, 0.7), corner(k, -0.7)]).collect();
        let hull = Polytope::hull(&points).expect("a hull");
        let p = &hull.polytope;
        assert_eq!((p.faces.len(), p.vertices.len()), (n + 2, 2 * n), "case {case}: noise {noise:e}");
        for face in &p.faces {
            for v in &face.vertices {
                let off = (face.normal.dot(&p.vertices[*v]) - face.offset).abs();
                assert!(off < 1e-14, "case {case}: {off:e} off the plane");
            }
        }
        let moved = p.vertices.iter().zip(&hull.corners).map(|(v, k)| v + hull.center_of_mass - points[*k]);
        let farthest = moved.map(|d| d.norm()).fold(0.0, f64::max);
        assert!(farthest < 20.0 * noise + 1e-15, "case {case}: {farthest:e} against {noise:e}");
        assert_eq!(Polytope::hull(&p.vertices).expect("again").polytope, *p, "case {case}");
    }
}

#[test]
fn a_dense_ball_has_nearly_the_volume_of_a_ball() {
    // A spiral of points on the unit sphere: every one is a corner.
    let points: Vec<V> = (0..900)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 900.0;
            let (s, c) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
            V::new(c, s, 0.0) * (1.0 - z * z).sqrt() + V::z() * z
        })
        .collect();
    let hull = Polytope::hull(&points).expect("a ball");
    assert_eq!(hull.polytope.vertices.len(), 900);
    assert_sound(&hull.polytope);
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((0.985..1.0).contains(&(hull.polytope.volume / ball)), "{}", hull.polytope.volume / ball);
    let shape = crate::Shape::Polytope(std::sync::Arc::new(hull.polytope));
    let inertia = mass_properties::inertia(&shape, 1.0).expect("an inertia");
    assert!((inertia - Matrix3::identity() * 0.4).amax() < 5e-3);
}

#[test]
fn what_is_no_solid_is_refused() {
    let mut random = Pcg64Mcg::seed_from_u64(6);
    let turn = UnitQuaternion::from_scaled_axis(V::new(0.3, 1.0, -0.4));
    let at = |f: &dyn Fn(V) -> V, random: &mut Pcg64Mcg| -> Vec<V> {
        cloud(random, 20).into_iter().map(|p| turn * f(p) + V::new(5.0, 6.0, 7.0)).collect()
    };
    let hull = |points: &[V]| Polytope::hull(points).map(|h| h.corners.len());
    assert_eq!(hull(&[]), Err(HullFault::TooFew(0)));
    assert_eq!(hull(&[V::x(); 9]), Err(HullFault::OnePoint));
    assert_eq!(hull(&[V::x(), V::y(), V::z()]), Err(HullFault::TooFew(3)));
    assert_eq!(hull(&at(&|p| V::x() * p.x, &mut random)), Err(HullFault::Collinear));
    assert_eq!(hull(&at(&|p| V::new(p.x, p.y, 0.0), &mut random)), Err(HullFault::Flat));
    assert_eq!(hull(&[V::x(), V::y(), V::z(), V::z()]), Err(HullFault::Flat));
    let thin = hull(&at(&|p| V::new(p.x, p.y, 1e-5 * p.z), &mut random));
    assert!(matches!(thin, Err(HullFault::TooThin { .. })), "{thin:?}");
    assert_eq!(hull(&[V::x(), V::y(), V::z(), V::repeat(f64::NAN)]), Err(HullFault::NotFinite(3)));
    assert_eq!(hull(&[V::x(), V::y() * f64::INFINITY, V::z(), V::zeros()]), Err(HullFault::NotFinite(1)));
    assert_eq!(hull(&vec![V::x(); MAX_POINTS + 1]), Err(HullFault::TooMany(MAX_POINTS + 1)));
    let ball: Vec<V> = cloud(&mut random, 3000).iter().map(|p| p.normalize()).collect();
    assert_eq!(hull(&ball), Err(HullFault::TooManyCorners(3000)));
}

/// Hulls of too many corners or points are simplified to a distance that holds.
#[test]
fn large_hulls_are_simplified_to_a_distance_that_is_true() {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let ball = |n: usize, axes: V| -> Vec<V> {
        let corner = |k: usize| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (s, c) = (golden * k as f64).sin_cos();
            let p = V::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z).component_mul(&axes);
            // Of very many points most lie inside.
            let p = if n > MAX_POINTS && !k.is_multiple_of(50) { p * 0.7 } else { p };
            (p + V::new(3.0, 0.0, 1.0)).map(|x| f64::from(x as f32))
        };
        (0..n).map(corner).collect()
    };
    let sizes = [(3000, V::repeat(1.0)), (9000, V::new(0.05, 0.05, 0.001)), (150_000, V::new(1.0, 0.5, 0.3))];
    for (n, axes) in sizes {
        let points = ball(n, axes);
        let Simplified { hull, distance } = Polytope::hull_of_any(&points).expect("a hull");
        assert!((300..=800).contains(&hull.corners.len()), "{}", hull.corners.len());
        // The height of the caps between a thousand corners.
        assert!(distance > 0.0 && distance < 8e-3 * axes.max(), "{n}: {distance}");
        let filled = hull.polytope.volume / (4.0 / 3.0 * std::f64::consts::PI * axes.product());
        assert!((filled - 1.0).abs() < 0.01, "{n}: {filled}");
        for p in points.iter().step_by(7) {
            let near = p - hull.center_of_mass;
            let out = hull.polytope.faces.iter().map(|f| f.normal.dot(&near) - f.offset);
            assert!(out.fold(f64::NEG_INFINITY, f64::max) <= distance + 1e-6 * axes.max(), "{n}");
        }
        for (v, i) in hull.polytope.vertices.iter().zip(&hull.corners) {
            assert!((v + hull.center_of_mass - points[*i]).norm() < 1e-5 * axes.max());
        }
    }
    let cube = Polytope::hull_of_any(&Polytope::box_(V::repeat(1.0)).vertices).expect("a hull");
    assert_eq!((cube.distance, cube.hull.corners.len()), (0.0, 8));
    assert_eq!(Polytope::hull_of_any(&[V::zeros(); 5]), Err(HullFault::OnePoint));
}
