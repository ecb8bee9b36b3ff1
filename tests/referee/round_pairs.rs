//! Gaps and contact points of pairs with a round body against the referee's search over directions.

use nalgebra::{UnitQuaternion, Vector3};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::contact::axis::curved_axis::Shortlist;
use signorini::contact::clipping::curved::touching_curved;
use signorini::contact::feature_query::FeatureQuery;
use signorini::contact::part_model::PartModel;
use signorini::contact::tolerances::FEATURE_MARGIN;
use signorini::contact::{CheckLevel, FeatureSearch, MovedPart, Pair, Placed, PointLoads};
use signorini::referee::{gap, placed};
use signorini_geometry::{Polytope, Pose, Shape};
use signorini_scene::scene::Friction;
use support::runs::from_text;

type V = Vector3<f64>;

fn shape(kind: usize, random: &mut impl Rng) -> Shape {
    let mut unit = || V::from_fn(|_, _| random.random_range(-1.0..1.0));
    match kind {
        0 => Shape::Ellipsoid { semi_axes: V::new(0.12, 0.09, 0.06) },
        1 => Shape::Polytope(Polytope::box_(V::new(0.1, 0.12, 0.07)).into()),
        2 => {
            let points: Vec<V> = (0..14).map(|_| unit().normalize() * 0.11).collect();
            Shape::Polytope(Polytope::hull(&points).expect("a solid").polytope.into())
        }
        3 => Shape::Cylinder { radius: 0.05, half_length: 0.15 },
        _ => Shape::Cylinder { radius: 0.12, half_length: 0.04 },
    }
}

fn model(shape: &Shape) -> PartModel {
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1.0\n[[body]]\nname = \"a\"\n\
                shape = { type = \"sphere\", radius = 1 }\nmass = 1\n";
    let mut scene = from_text(text);
    scene.bodies[0].parts[0].shape = shape.clone();
    PartModel::new(0, 0, &scene.bodies[0].parts[0])
}

fn rotation(random: &mut impl Rng) -> UnitQuaternion<f64> {
    let mut turn = || random.random_range(-3.0..3.0);
    UnitQuaternion::from_scaled_axis(V::new(turn(), turn(), turn()))
}

/// Two bodies whose gap is `depth` below zero, along a random direction; aligned ones are rotated by right
/// angles.
fn poses(shapes: [&Shape; 2], depth: f64, aligned: bool, random: &mut impl Rng) -> ([Pose; 2], f64) {
    let turn = [rotation(random), if aligned { UnitQuaternion::identity() } else { rotation(random) }];
    let turn = if aligned {
        [
            turn[0],
            turn[0]
                * UnitQuaternion::from_scaled_axis(
                    V::x() * (std::f64::consts::FRAC_PI_2 * f64::from(random.random_range(0..4))),
                ),
        ]
    } else {
        turn
    };
    let way = V::from_fn(|_, _| random.random_range(-1.0..1.0)).normalize();
    let at = |t: f64| {
        [
            Pose { position: V::zeros(), orientation: turn[0] },
            Pose { position: way * t, orientation: turn[1] },
        ]
    };
    // Secants: the gap grows about as fast as the distance.
    let (mut t, mut found) = (0.4, gap(shapes, &at(0.4)));
    let mut slope = 1.0;
    for _ in 0..12 {
        let next = t - (found + depth) / slope;
        let there = gap(shapes, &at(next));
        let rise = (there - found) / (next - t);
        slope = if rise.is_finite() { rise.clamp(0.2, 1.0) } else { slope };
        (t, found) = (next, there);
        if (found + depth).abs() < 1e-3 * depth.abs() {
            break;
        }
    }
    (at(t), found)
}

fn gap(shapes: [&Shape; 2], poses: &[Pose; 2]) -> f64 {
    let [a, b] = [0, 1].map(|i| placed::PlacedShape::new(shapes[i], &Pose::identity(), &poses[i]));
    gap::signed_gap(&a, &b, None).0
}

#[test]
fn axes_and_atoms_agree_with_the_referee() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    let mut faults = Vec::new();
    for case in 0..cases() {
        let kinds = [(3, 1), (1, 3), (3, 2), (4, 1), (2, 4), (3, 3), (3, 4), (4, 4)][case % 8];
        let shapes = [shape(kinds.0, &mut random), shape(kinds.1, &mut random)];
        let depth = [1e-9, 1e-6, 1e-4, 2e-3][case / 8 % 4];
        let (poses, exact) = poses([&shapes[0], &shapes[1]], depth, case % 7 == 0, &mut random);
        let models = [model(&shapes[0]), model(&shapes[1])];
        let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
        let [a, b] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
        let mut found = Vec::new();
        let facing = touching_curved(
            &FeatureQuery { margin: 0.05 * 0.1, ..FeatureQuery::new(&a, &b, poses[1].position.normalize()) },
            &mut Shortlist::default(),
            &mut found,
        );
        let points: Vec<String> = found
            .iter()
            .map(|f| {
                let s = f.solve(&a, &b, &facing.normal).expect("parts");
                format!("{f:?} {:.2e}", s.point.gap - facing.gap)
            })
            .collect();
        let lowest = found
            .iter()
            .map(|f| f.solve(&a, &b, &facing.normal).expect("parts").point.gap)
            .fold(f64::INFINITY, f64::min);
        if (facing.gap - exact).abs() > 1e-8 || (lowest - exact).abs() > 1e-3 * depth + 1e-8 {
            faults.push(format!(
                "{case} {kinds:?} depth {depth}: {:.3e} for {exact:.3e}, points {lowest:.3e}: {points:?}",
                facing.gap
            ));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// A disc over a box touches the face with its rim close to an edge at the start of a step, and leaves the
/// face within it: the axis is found, although that edge had no normal near it at the start.
#[test]
fn the_axis_is_found_when_a_rim_leaves_its_face_within_a_step() {
    let mut random = Pcg64Mcg::seed_from_u64(0);
    let shapes = [shape(1, &mut random), shape(4, &mut random)];
    let models = [model(&shapes[0]), model(&shapes[1])];
    let (mut search, mut faults) = (FeatureSearch::default(), Vec::new());
    for case in 0..24 {
        let (tilt, turn) = (0.2 + 0.25 * f64::from(case % 4), 0.25 * f64::from(case / 4) - 0.6);
        let orientation =
            UnitQuaternion::from_scaled_axis(V::z() * turn) * UnitQuaternion::from_scaled_axis(V::y() * tilt);
        let lowest = orientation * V::new(0.12, 0.0, -0.04);
        // A pose with the lowest point of the rim at a place.
        let at = |place: V| Pose { position: place - lowest, orientation };
        let mut pair = Pair::new(&models[0], &models[1], Friction::NONE, true, ([0; 3], V::z()));
        pair.manifold = Some(Box::default());
        for (k, place) in [V::new(0.098, 0.0, 0.07), V::new(0.102, 0.0, 0.07)].into_iter().enumerate() {
            let mut poses =
                [Pose { position: V::zeros(), orientation: UnitQuaternion::identity() }, at(place)];
            poses[1].position.z -= gap([&shapes[0], &shapes[1]], &poses);
            let exact = gap([&shapes[0], &shapes[1]], &poses);
            let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
            let [a, b] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
            if k == 0 {
                pair.begin(&a, &b, 0.1 * FEATURE_MARGIN, &mut search);
                pair.manifold.as_mut().expect("a manifold").reserve();
                continue;
            }
            let n = pair.n_normal();
            let (mut x, mut share) = (vec![0.0; n], vec![0.0; n]);
            x[0] = 1.0;
            pair.refresh(
                [&a, &b],
                &mut search,
                PointLoads { x: &mut x, fractions: &mut share },
                CheckLevel::None,
            );
            if (pair.geometry.gap - exact).abs() > 1e-8 {
                faults.push(format!("{tilt} {turn}: {:.3e} for {exact:.3e}", pair.geometry.gap));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// A rod across a disc, tilted so little that either end of the line over the cap may carry load: the other
/// end is held too.
#[test]
fn both_ends_of_a_line_are_held_while_one_of_them_touches() {
    let shapes = [
        Shape::Cylinder { radius: 0.12, half_length: 0.04 },
        Shape::Cylinder { radius: 0.05, half_length: 0.15 },
    ];
    let models = [model(&shapes[0]), model(&shapes[1])];
    for tilt in [1e-3, -1e-3] {
        let lying = UnitQuaternion::from_scaled_axis(V::y() * (std::f64::consts::FRAC_PI_2 + tilt));
        let rest = Pose { position: V::zeros(), orientation: UnitQuaternion::identity() };
        let mut poses = [rest, Pose { position: V::z() * 0.09, orientation: lying }];
        poses[1].position.z -= gap([&shapes[0], &shapes[1]], &poses);
        let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
        let [a, b] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
        let mut found = Vec::new();
        let facing = touching_curved(
            &FeatureQuery { margin: 5e-3, ..FeatureQuery::new(&a, &b, V::z()) },
            &mut Shortlist::default(),
            &mut found,
        );
        assert!(facing.n_touching >= 1 && facing.n_touching < found.len(), "{facing:?}, {found:?}");
        let places = found.iter().map(|f| f.solve(&a, &b, &facing.normal).expect("parts").point.arm_a.x);
        let ends = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (x.min(l), x.max(h)));
        assert!(ends.0 < -0.119 && ends.1 > 0.119, "tilted by {tilt}: {ends:?} {found:?}");
    }
}

/// An ellipsoid against every part of a polytope or cylinder, apart and overlapping, found from the last
/// pose.
#[test]
fn ellipsoids_find_the_nearest_part() {
    let mut random = Pcg64Mcg::seed_from_u64(6);
    let mut search = FeatureSearch::default();
    let friction = Friction::NONE;
    let mut faults = Vec::new();
    for case in 0..cases() / 2 {
        let mut kinds = [0, 1 + case % 4];
        if case % 3 == 0 {
            kinds.swap(0, 1);
        }
        let shapes = kinds.map(|k| shape(k, &mut random));
        let depth = [-1e-2, -1e-4, 1e-9, 1e-4, 1e-3][case % 5];
        let (poses, exact) = poses([&shapes[0], &shapes[1]], depth, false, &mut random);
        let models = [model(&shapes[0]), model(&shapes[1])];
        let moved = [0, 1].map(|i| MovedPart::new(&models[i], &poses[i]));
        let [a, b] = [0, 1].map(|i| Placed::new(&models[i], &moved[i]));
        let mut pair =
            Pair::new(&models[0], &models[1], friction, true, ([0; 3], poses[1].position.normalize()));
        pair.begin(&a, &b, 0.1 * FEATURE_MARGIN, &mut search);
        if (pair.geometry.gap - exact).abs() > 1e-9 || pair.geometry.mismatch > 0.0 {
            faults.push(format!(
                "{case} {kinds:?}: {:.3e} for {exact:.3e} {:?} {}",
                pair.geometry.gap, pair.feature, pair.geometry.mismatch
            ));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

fn cases() -> usize {
    std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(96)
}
