//! Drops of two bodies over all pairs of shapes: every step solved to 1e-8 and green.

use nalgebra::{UnitQuaternion, Vector3};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::simulation::Simulation;
use signorini_geometry::{Polytope, Shape};
use signorini_scene::scene::Scene;
use support::runs::shipped;

type V = Vector3<f64>;

const STEPS: usize = 50;
/// Kind of shape, after those that are all dropped on each other.
const CAPSULE: usize = 7;

fn shape(kind: usize, random: &mut impl Rng) -> (&'static str, Shape) {
    let hull = |points: Vec<V>| Shape::Polytope(Polytope::hull(&points).expect("a solid").polytope.into());
    match kind {
        0 => ("sphere", Shape::Ellipsoid { semi_axes: V::repeat(0.1) }),
        1 => ("ellipsoid", Shape::Ellipsoid { semi_axes: V::new(0.12, 0.09, 0.06) }),
        2 => ("cube", Shape::Polytope(Polytope::box_(V::repeat(0.1)).into())),
        3 => {
            let corner = |k: usize, z: f64| {
                let (s, c) = (k as f64 * std::f64::consts::TAU / 6.0).sin_cos();
                V::new(0.08 * c, 0.08 * s, z)
            };
            ("prism", hull((0..6).flat_map(|k| [corner(k, 0.12), corner(k, -0.12)]).collect()))
        }
        4 => {
            let mut unit = || V::from_fn(|_, _| random.random_range(-1.0..1.0));
            ("hull", hull((0..14).map(|_| unit().normalize() * 0.11).collect()))
        }
        5 => ("rod", Shape::Cylinder { radius: 0.05, half_length: 0.15 }),
        CAPSULE => ("capsule", Shape::Capsule { radius: 0.05, half_length: 0.1 }),
        _ => ("disc", Shape::Cylinder { radius: 0.12, half_length: 0.04 }),
    }
}

/// A body at rest or turning, in a scene that had a cube there.
fn put(scene: &mut Scene, body: usize, shape: Shape, position: V, random: &mut impl Rng) {
    let body = &mut scene.bodies[body];
    let mut turn = || random.random_range(-1.0..1.0);
    body.pose.orientation =
        UnitQuaternion::from_scaled_axis(V::new(3.0 * turn(), 3.0 * turn(), 3.0 * turn()));
    body.pose.position = position;
    body.velocity.linear = V::new(0.3 * turn(), 0.3 * turn(), -1.0);
    body.velocity.angular = V::new(2.0 * turn(), 2.0 * turn(), 2.0 * turn());
    let size = shape.size().expect("bounded");
    let side = match &shape {
        Shape::Ellipsoid { semi_axes } => semi_axes.map(|a| a * a / 5.0),
        Shape::Cylinder { radius, half_length } => {
            V::new(radius * radius / 4.0, radius * radius / 4.0, half_length * half_length / 3.0)
        }
        Shape::Capsule { radius, half_length } => {
            V::new(radius * radius / 4.0, radius * radius / 4.0, (half_length + radius).powi(2) / 3.0)
        }
        Shape::Polytope(p) => p.second_moment.diagonal() / p.volume,
        Shape::HalfSpace { .. } | Shape::Bore { .. } => V::zeros(),
    };
    body.mass = 8000.0 * size.powi(3);
    let second = match &shape {
        Shape::Polytope(p) => p.second_moment / p.volume,
        _ => nalgebra::Matrix3::from_diagonal(&side),
    };
    body.inertia = (nalgebra::Matrix3::identity() * second.trace() - second) * body.mass;
    body.parts[0].shape = shape;
}

/// Two bodies above a plane and each other, all lengths times `factor`.
fn dropped(lower: usize, upper: usize, seed: u64, factor: f64) -> (String, Scene) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut scene = shipped("seeds/stack.toml");
    scene.bodies.truncate(3);
    let (low, first) = shape(lower, &mut random);
    let (high, second) = shape(upper, &mut random);
    let (r, s) = (first.bounding_radius(), second.bounding_radius());
    put(&mut scene, 1, first, V::new(0.0, 0.0, r + 1e-3), &mut random);
    let aside = V::new(random.random_range(-0.04..0.04), random.random_range(-0.04..0.04), 0.0);
    put(&mut scene, 2, second, aside + V::z() * (2.0 * r + s + 2e-3), &mut random);
    rescale(&mut scene, factor);
    (format!("{high} on {low}, seed {seed}"), scene)
}

/// The first fault of a drop.
fn drop(lower: usize, upper: usize, seed: u64) -> Option<String> {
    let (name, scene) = dropped(lower, upper, seed, 1.0);
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    for step in 1..=STEPS {
        let outcome = simulation.advance();
        let verdict = outcome.verdict.expect("the referee was asked");
        if !outcome.info.status.is_solved() || !verdict.green {
            let info = &outcome.info;
            return Some(format!(
                "{name}, step {step}: {:?} {:.1e} in {} | momentum {:.1e} gap {:.1e} friction {:.1e} depth {:.1e}",
                info.status,
                info.residual.max(),
                info.iterations,
                verdict.momentum,
                verdict.complementarity,
                verdict.friction,
                verdict.min_gap_relative
            ));
        }
    }
    None
}

fn rescale(scene: &mut Scene, factor: f64) {
    for body in &mut scene.bodies {
        body.parts[0].shape = body.parts[0].shape.scaled(factor);
        body.pose.position *= factor;
        body.velocity.linear *= factor;
        body.inertia *= factor * factor;
    }
    scene.gravity *= factor;
}

fn drop_all(seeds: u64, wanted: impl Fn(usize, usize) -> bool) {
    let mut faults = Vec::new();
    for seed in 0..seeds {
        for (lower, upper) in (0..49).map(|k| (k / 7, k % 7)).filter(|(l, u)| wanted(*l, *u)) {
            faults.extend(drop(lower, upper, seed * 49 + 7 * lower as u64 + upper as u64));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn ellipsoids_and_polytopes_fall_on_each_other() {
    drop_all(4, |lower, upper| lower.max(upper) < 5);
}

#[test]
fn capsules_fall_on_all_shapes_and_all_on_them() {
    let pairs = (0..=CAPSULE).map(|kind| [kind, CAPSULE]).chain((0..CAPSULE).map(|kind| [CAPSULE, kind]));
    let drops = pairs.flat_map(|[lower, upper]| (0..6).map(move |seed| (lower, upper, seed)));
    let faults: Vec<String> = drops.filter_map(|(lower, upper, seed)| drop(lower, upper, seed)).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn cylinders_fall_on_ellipsoids_and_polytopes() {
    drop_all(4, |lower, upper| (lower >= 5) != (upper >= 5));
}

/// Seed 41 is left out: it fails, see below.
#[test]
fn cylinders_fall_on_cylinders() {
    for (lower, upper) in [(5, 5), (6, 5), (6, 6)] {
        drop_all(4, |l, u| (l, u) == (lower, upper));
    }
    let faults: Vec<_> = [90, 139, 188].into_iter().filter_map(|seed| drop(5, 6, seed)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn disc_falls_on_rod() {
    let fault = drop(5, 6, 41);
    assert!(fault.is_none(), "{fault:?}");
}

/// A rod that lies flush on a disc, discs that land flat on others and on hulls, a hull whose lowest corner
/// is not on the face that looks down most; a rim that leaves a face within a step (4871, 3021), a line that
/// leans over a cap (4604, 3010), an edge over a rim (3011), across one (5239), and just where a point of the
/// rim is held over a face (8521).
#[test]
fn drops_that_once_failed() {
    let of_seed = |seed: u64| ((seed % 49) as usize / 7, (seed % 7) as usize, seed);
    let drops = [1027, 1075, 1175, 1222, 1259, 1308, 1503, 4604, 4871, 5239, 8521].map(of_seed);
    let drops = drops.into_iter().chain([(5, 6, 3010), (6, 2, 3011), (2, 6, 3021)]);
    let faults: Vec<_> = drops.filter_map(|(lower, upper, seed)| drop(lower, upper, seed)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `cargo test --release --test robustness mixed_shapes -- --ignored`, with other seeds by
/// `SEEDS=9000..9500`.
#[test]
#[ignore = "3000 drops with other seeds take three minutes in release"]
fn fresh_drops() {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "5000..8000".to_owned());
    let (first, end) = seeds.split_once("..").expect("a range");
    let seeds = first.parse().expect("a seed")..end.parse().expect("a seed");
    let faults: Vec<_> =
        seeds.filter_map(|seed: u64| drop((seed % 49) as usize / 7, (seed % 7) as usize, seed)).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

/// One drop at its own size, a thousand times smaller and a thousand times larger.
#[test]
fn motion_does_not_depend_on_the_unit_of_length() {
    for (lower, upper) in [(1, 2), (2, 3), (4, 1), (5, 1), (2, 5), (6, 3), (5, 6)] {
        let runs = [1.0, 1e-3, 1e3].map(|factor| {
            let (_, scene) = dropped(lower, upper, 7, factor);
            let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
            (0..20).for_each(|_| {
                simulation.advance();
            });
            let poses = simulation.state().poses[1..].iter();
            poses.map(|p| (p.position / factor, p.orientation)).collect::<Vec<_>>()
        });
        for other in &runs[1..] {
            for ((p, q), (r, s)) in runs[0].iter().zip(other) {
                assert!((p - r).norm() < 1e-10, "{upper} on {lower}: {p} {r}");
                assert!(q.angle_to(s) < 1e-9, "{upper} on {lower} turned by {}", q.angle_to(s));
            }
        }
    }
}
