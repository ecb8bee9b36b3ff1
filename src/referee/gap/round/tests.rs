use super::super::signed_gap;
use super::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini_geometry::{Polytope, Pose, Shape};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

type V = Vector3<f64>;

fn three(random: &mut Pcg64Mcg, low: f64, high: f64) -> V {
    V::from_fn(|_, _| random.random_range(low..high))
}

fn at(shape: &Shape, position: V, turn: V) -> PlacedShape {
    let pose = Pose { position, orientation: UnitQuaternion::from_scaled_axis(turn) };
    PlacedShape::new(shape, &Pose::identity(), &pose)
}

fn cube() -> Shape {
    Shape::Polytope(Polytope::box_(V::repeat(0.5)).into())
}

fn ball(radius: f64) -> Shape {
    Shape::Ellipsoid { semi_axes: V::repeat(radius) }
}

fn can(radius: f64, half_length: f64) -> Shape {
    Shape::Cylinder { radius, half_length }
}

fn assert_gap(what: &str, a: &PlacedShape, b: &PlacedShape, exact: f64, normal: Option<V>) {
    for (first, second, sign) in [(a, b, 1.0), (b, a, -1.0)] {
        let (gap, n) = signed_gap(first, second, None);
        assert!((gap - exact).abs() < 1e-12, "{what}: {gap} against {exact}");
        let along = separation_along(first, second, &n);
        assert!((along - gap).abs() < 1e-14 || along.is_nan(), "{what}: {along} against {gap}");
        if let Some(normal) = normal {
            assert!((n * sign - normal).norm() < 1e-6, "{what}: {n} against {normal}");
        }
    }
}

#[test]
fn balls_and_boxes() {
    let (box_, d) = (at(&cube(), V::zeros(), V::zeros()), 0.5f64.sqrt());
    let near = |p: V| at(&ball(0.2), p, V::new(0.3, 0.2, 0.1));
    for gap in [-0.3, -1e-9, 0.0, 1e-9, 0.4] {
        assert_gap("face", &box_, &near(V::new(0.1, 0.2, 0.7 + gap)), gap, Some(V::z()));
    }
    assert_gap("edge", &box_, &near(V::new(0.1, 0.8, 0.9)), 0.3, Some(V::new(0.0, 0.6, 0.8)));
    let way = V::new(2.0, 3.0, 6.0) / 7.0;
    for gap in [-1e-9, 0.0, 0.3] {
        let centre = V::repeat(0.5) + way * (0.2 + gap);
        assert_gap("corner", &box_, &near(centre), gap, Some(way));
    }
    // The centre is inside: the way out is through the nearest face.
    assert_gap("inside", &box_, &near(V::new(0.1, 0.2, 0.4)), -0.3, Some(V::z()));
    let turned = at(&cube(), V::zeros(), V::x() * FRAC_PI_4);
    assert_gap("upper edge", &turned, &near(V::new(0.1, 0.0, d + 0.25)), 0.05, Some(V::z()));
}

#[test]
fn cylinders_on_planes_boxes_and_each_other() {
    let plane = PlacedShape::HalfSpace { normal: V::z(), offset: 0.5 };
    let box_ = at(&Shape::Polytope(Polytope::box_(V::new(4.0, 4.0, 0.5)).into()), V::zeros(), V::zeros());
    let (r, l) = (0.3, 0.8);
    for gap in [-1e-3, -1e-9, 0.0, 0.2] {
        for base in [&plane, &box_] {
            let standing = at(&can(r, l), V::new(0.2, 0.1, 0.5 + l + gap), V::z());
            assert_gap("standing", base, &standing, gap, Some(V::z()));
            let lying = at(&can(r, l), V::new(0.2, 0.1, 0.5 + r + gap), V::y() * FRAC_PI_2);
            assert_gap("lying", base, &lying, gap, Some(V::z()));
            // The tilt is 0.3: the lowest point of the rim is r sin + l cos below the centre.
            let reach = r * 0.3f64.sin() + l * 0.3f64.cos();
            let tilted = at(&can(r, l), V::new(0.2, 0.1, 0.5 + reach + gap), V::y() * 0.3);
            assert_gap("on its rim", base, &tilted, gap, Some(V::z()));
        }
        let first = at(&can(r, l), V::zeros(), V::y() * FRAC_PI_2);
        let crossed = at(&can(0.2, 1.0), V::new(0.1, 0.2, 0.5 + gap), V::x() * FRAC_PI_2);
        assert_gap("crossed", &first, &crossed, gap, Some(V::z()));
        let beside = at(&can(0.2, 1.0), V::new(0.3, 0.0, 0.5 + gap), V::y() * FRAC_PI_2);
        assert_gap("parallel", &first, &beside, gap, Some(V::z()));
        let end = at(&can(0.2, 1.0), V::new(l + 1.0 + gap, 0.1, 0.05), V::y() * FRAC_PI_2);
        assert_gap("end to end", &first, &end, gap, Some(V::x()));
        let edge = at(&cube(), V::new(0.1, 0.2, r + 0.5f64.sqrt() + gap), V::x() * FRAC_PI_4);
        assert_gap(
            "edge across a side",
            &at(&can(r, l), V::zeros(), V::x() * FRAC_PI_2),
            &edge,
            gap,
            Some(V::z()),
        );
        let egg = Shape::Ellipsoid { semi_axes: V::new(0.2, 0.3, 0.1) };
        assert_gap(
            "egg on a cap",
            &at(&can(r, l), V::zeros(), V::zeros()),
            &at(&egg, V::new(0.1, 0.0, l + 0.1 + gap), V::z()),
            gap,
            Some(V::z()),
        );
    }
    // A ball by the rim, with (0.3, 0, 0.8) as its nearest point.
    let upright = at(&can(r, l), V::zeros(), V::zeros());
    assert_gap(
        "rim",
        &upright,
        &at(&ball(0.1), V::new(0.6, 0.0, 1.2), V::zeros()),
        0.4,
        Some(V::new(0.6, 0.0, 0.8)),
    );
    // Rim against rim, with the axes in one plane: two points.
    let other = at(&can(r, l), V::new(0.9, 0.0, 1.6 + 0.4), V::zeros());
    assert_gap("two rims", &upright, &other, 0.5, Some(V::new(0.6, 0.0, 0.8)));
}

/// Oracle: the largest separation over a dense grid of directions, refined around the best ones.
fn dense_gap(a: &PlacedShape, b: &PlacedShape) -> f64 {
    let direction = |p: f64, q: f64| V::new(p.sin() * q.cos(), p.sin() * q.sin(), p.cos());
    let grid =
        (0..=90).flat_map(|i| (0..180).map(move |j| (f64::from(i) * PI / 90.0, f64::from(j) * PI / 90.0)));
    let value = |(p, q): (f64, f64)| separation_along(a, b, &direction(p, q));
    let mut places: Vec<(f64, (f64, f64))> = grid.map(|place| (value(place), place)).collect();
    places.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut largest = f64::NEG_INFINITY;
    for (mut best, mut middle) in places.into_iter().take(5) {
        let mut half = PI / 80.0;
        for _ in 0..40 {
            let around = middle;
            for (i, j) in (-5..=5).flat_map(|i| (-5..=5).map(move |j| (f64::from(i), f64::from(j)))) {
                let place = (around.0 + half * i / 5.0, around.1 + half * j / 5.0);
                if value(place) > best {
                    (best, middle) = (value(place), place);
                }
            }
            half *= 0.6;
        }
        largest = largest.max(best);
    }
    largest
}

#[test]
fn gaps_are_not_below_a_dense_search_and_scale() {
    let mut random = Pcg64Mcg::seed_from_u64(31);
    for case in 0..90 {
        let shape = |kind: usize, random: &mut Pcg64Mcg| match kind {
            0 => Shape::Ellipsoid { semi_axes: three(random, 0.2, 1.0) },
            1 => {
                let points: Vec<V> = (0..10).map(|_| three(random, -1.0, 1.0)).collect();
                Shape::Polytope(Polytope::hull(&points).expect("a hull").polytope.into())
            }
            _ => can(random.random_range(0.2..1.0), random.random_range(0.1..1.0)),
        };
        let (a, b) = (shape(case % 3, &mut random), shape(case / 3 % 3, &mut random));
        let turns = [(); 2].map(|()| three(&mut random, -2.0, 2.0));
        // The distance runs from nearly concentric to apart.
        let way = three(&mut random, -1.0, 1.0).normalize() * 0.025 * f64::from(case as u32);
        let (pa, pb) = (at(&a, V::zeros(), turns[0]), at(&b, way, turns[1]));
        let (found, n) = signed_gap(&pa, &pb, None);
        let dense = dense_gap(&pa, &pb);
        assert!(found > dense - 1e-10, "case {case}: {found} against {dense}");
        assert!((separation_along(&pa, &pb, &n) - found).abs() < 1e-14);
        if case % 3 == 1 && case / 3 % 3 == 1 {
            let by_axes = signed_gap(&pa, &pb, None).0;
            assert!((by_axes - found).abs() < 1e-12, "case {case}: {by_axes} against {found}");
        }
        for scale in [1e-3, 1e3] {
            let (qa, qb) =
                (at(&a.scaled(scale), V::zeros(), turns[0]), at(&b.scaled(scale), way * scale, turns[1]));
            let (gap, _) = signed_gap(&qa, &qb, Some(&n));
            assert!(
                (gap / scale - found).abs() < 1e-12,
                "case {case} at {scale}: {} against {found}",
                gap / scale
            );
        }
    }
}

#[test]
fn a_nan_comes_out() {
    let broken = at(&can(0.2, 0.3), V::new(0.0, f64::NAN, 0.0), V::zeros());
    assert!(signed_gap(&at(&cube(), V::zeros(), V::zeros()), &broken, None).0.is_nan());
    assert!(signed_gap(&PlacedShape::HalfSpace { normal: V::z(), offset: 0.0 }, &broken, None).0.is_nan());
    let turned = at(&cube(), V::zeros(), V::new(f64::NAN, 0.0, 0.0));
    assert!(signed_gap(&at(&cube(), V::zeros(), V::zeros()), &turned, None).0.is_nan());
    assert!(signed_gap(&at(&ball(1.0), V::zeros(), V::zeros()), &turned, None).0.is_nan());
}

/// A narrow ridge is climbed in steps so short that the top is never attained: the climb ends all the same.
#[test]
fn a_climb_along_a_ridge_ends() {
    let across = V::new(0.3, 0.5, -0.8).normalize();
    let top = across.cross(&V::new(0.1, 0.9, 0.4)).normalize();
    let count = std::cell::Cell::new(0_usize);
    let g = |n: &V| {
        count.set(count.get() + 1);
        assert!(count.get() < 40_000, "no end");
        1e-3 * n.dot(&top) - 1e5 * across.dot(n).powi(2)
    };
    let start = Best { gap: 0.0, normal: (top * 0.2 + across.cross(&top)).normalize() };
    let start = Best { gap: g(&start.normal), ..start };
    let climbed = climb(start, &g, 1e-4, 1e-18);
    assert!(climbed.gap > start.gap && climbed.gap <= 1e-3, "{climbed:?}");
}
