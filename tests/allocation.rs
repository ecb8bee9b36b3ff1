//! After its second step a steady scene allocates nothing: every vector has its size.

mod judged_steps;
mod runs;

use allocation_counter::measure;
use judged_steps::{ellipsoid, floor, friction, pose, scene, v};
use nalgebra::Vector3;
use runs::shipped;
use signorini::geometry::Velocity;
use signorini::scene::{Body, Scene};
use signorini::simulation::Simulation;

/// Steps after `settled` ones, each of which must not allocate (on this thread, where a single island is solved).
fn assert_no_allocation(scene: Scene, settled: usize, audit: bool) {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    simulation.audit = audit;
    for _ in 0..settled {
        simulation.advance();
    }
    for _ in 0..20 {
        let mut solved = false;
        let found = measure(|| solved = simulation.advance().info.status.is_solved());
        let step = simulation.step_index();
        assert!(solved, "step {step} is not solved");
        assert_eq!(found.count_total, 0, "step {step}, referee {audit}: {found:?}");
    }
}

fn resting(name: &str, semi_axes: Vector3<f64>, x: f64) -> Body {
    let velocity = Velocity::default();
    ellipsoid(name, semi_axes, 1.0, pose(v(x, 0.0, semi_axes.z), Vector3::zeros()), velocity)
}

/// Counting must count.
#[test]
fn the_counter_sees_an_allocation() {
    let found = measure(|| drop(std::hint::black_box(vec![1.0_f64; 3])));
    assert_eq!(found.count_total, 1, "{found:?}");
}

#[test]
fn ellipsoid_at_rest_allocates_nothing() {
    for audit in [false, true] {
        let bodies = vec![floor(), resting("pebble", v(0.3, 0.2, 0.1), 0.0)];
        assert_no_allocation(scene(bodies, friction(0.5, [1.0, 1.0], 0.02)), 2, audit);
    }
}

#[test]
fn rolling_sphere_allocates_nothing() {
    for audit in [false, true] {
        assert_no_allocation(shipped("seeds/rolling-disc.toml"), 2, audit);
    }
}

#[test]
fn sliding_sphere_allocates_nothing() {
    for audit in [false, true] {
        assert_no_allocation(shipped("seeds/two-spheres.toml"), 2, audit);
    }
}

/// Six balls in a row of three by two and two in their hollows: one island, which has come to rest.
#[test]
fn resting_pile_allocates_nothing() {
    let (r, apart) = (0.1, 0.2 + 1e-6);
    let mut bodies = vec![floor()];
    let below = (0..6).map(|i| v(f64::from(i % 3), f64::from(i / 3), 0.0) * apart);
    // A ball over the middle of four touches them at a height of r √2 above theirs.
    let above =
        (0..2).map(|i| v(f64::from(i) + 0.5, 0.5, 0.0) * apart + v(0.0, 0.0, 2.0_f64.sqrt() * r + 1e-5));
    for (i, place) in below.chain(above).enumerate() {
        let mut ball = resting(&format!("ball {i}"), v(r, r, r), 0.0);
        ball.pose.position += place;
        bodies.push(ball);
    }
    for audit in [false, true] {
        assert_no_allocation(scene(bodies.clone(), friction(0.5, [1.0, 1.0], 0.02)), 60, audit);
    }
}

#[test]
fn joints_and_driven_bodies_allocate_nothing() {
    for name in ["double-pendulum", "four-bar", "slider-crank"] {
        for audit in [false, true] {
            assert_no_allocation(shipped(&format!("seeds/{name}.toml")), 2, audit);
        }
    }
}

/// A ball on the feeder's plate.
#[test]
fn driven_bodies_allocate_nothing() {
    for audit in [false, true] {
        let mut scene = shipped("seeds/feeder.toml");
        scene.bodies[1] = resting("ball", v(0.01, 0.01, 0.01), 0.0);
        assert_no_allocation(scene, 3, audit);
    }
}

#[test]
fn the_staggered_integrator_allocates_nothing() {
    for name in ["double-pendulum", "four-bar", "rolling-disc", "sliding-cube", "two-spheres"] {
        for audit in [false, true] {
            let mut scene = shipped(&format!("seeds/{name}.toml"));
            scene.solver.integrator = signorini::settings::Integrator::Staggered;
            assert_no_allocation(scene, 3, audit);
        }
    }
}

/// Bodies that do not touch are solved as parallel jobs; here by the one thread that is counted.
#[test]
fn several_islands_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        for audit in [false, true] {
            let bodies = [0.0, 1.0, 2.0].map(|x| resting(&format!("pebble {x}"), v(0.3, 0.2, 0.1), x));
            let all = std::iter::once(floor()).chain(bodies).collect();
            assert_no_allocation(scene(all, friction(0.5, [1.0, 1.0], 0.02)), 2, audit);
        }
    });
}
