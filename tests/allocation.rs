//! After its second step a steady scene allocates nothing: every vector has its size.

use allocation_counter::measure;
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_geometry::Velocity;
use signorini_scene::scene::{Body, Scene};
use signorini_scene::settings::Integrator;
use support::judged_steps::{ellipsoid, floor, friction, pose, scene, v};
use support::runs::{from_text, shipped};

/// Steps after `settled` ones, each of which must not allocate (on this thread, where a single island is
/// solved).
fn assert_no_allocation(scene: Scene, settled: usize, audit: bool) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    simulation.judge_steps(audit);
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
    simulation
}

fn resting(name: &str, semi_axes: Vector3<f64>, x: f64) -> Body {
    let velocity = Velocity::default();
    ellipsoid(name, semi_axes, 1.0, pose(v(x, 0.0, semi_axes.z), Vector3::zeros()), velocity)
}

/// The counter of allocations counts.
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

/// The box on the vibrating plate, which sticks and slides in turn, under both integrators.
#[test]
fn the_feeder_allocates_nothing() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        for audit in [false, true] {
            let mut scene = shipped("seeds/feeder.toml");
            scene.solver.integrator = integrator;
            assert_no_allocation(scene, 2, audit);
        }
    }
}

/// Two carts on rails: one driven to its stop by a motor, one that is moved; a hinge that comes to its limit,
/// a screw with motor and limits on both coordinates, and a rope that is hauled in.
const DRIVES: &str = r#"
format = 1
[simulation]
time_step = 0.002
duration = 1
[[friction]]
coefficient = 0
[[body]]
name = "base"
shape = { type = "sphere", radius = 0.05 }
fixed = true
[[body]]
name = "cart"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.05, 0.05] }
mass = 1
position = [0, 1, 0]
[[body]]
name = "rod"
shape = { type = "ellipsoid", semi_axes = [0.3, 0.05, 0.05] }
mass = 1
position = [0.4, 0, 0]
[[body]]
name = "screw"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.05, 0.05] }
mass = 1
position = [0, 4, 0]
[[body]]
name = "load"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.05, 0.05] }
mass = 1
position = [0, 6, -2]
[[body]]
name = "second cart"
shape = { type = "ellipsoid", semi_axes = [0.1, 0.05, 0.05] }
mass = 1
position = [0, 8, 0]
[[joint]]
name = "rail"
type = "prismatic"
between = ["base", "cart"]
axis = [1, 0, 0]
slide_limits = [-0.1, 0.00001]
[[joint]]
name = "hinge"
type = "revolute"
between = ["base", "rod"]
anchor = [0, 0, 0]
axis = [0, 1, 0]
angle_limits = [-0.1, 0.0002]
[[joint]]
name = "thread"
type = "cylindrical"
between = ["base", "screw"]
anchor = [0, 4, 0]
axis = [0, 0, 1]
slide_limits = [-0.0002, 0.1]
angle_limits = [-0.1, 0.0002]
[[joint]]
name = "rope"
type = "distance"
between = ["base", "load"]
[[joint]]
name = "second rail"
type = "prismatic"
between = ["base", "second cart"]
axis = [1, 0, 0]
[[motor]]
joint = "rail"
largest_force = 2
velocity = { type = "constant", value = 1 }
[[motor]]
joint = "thread"
coordinate = "slide"
largest_force = 2
velocity = { type = "sine", amplitude = 1, frequency = 5 }
[[motor]]
joint = "thread"
coordinate = "angle"
largest_force = 2
velocity = { type = "table", times = [0, 1], values = [1, 2] }
[[motion]]
joint = "rope"
velocity = { type = "table", times = [0, 0.01, 1], values = [0, -0.1, -0.2] }
[[motion]]
joint = "second rail"
position = { type = "sine", amplitude = 0.1, frequency = 4 }
"#;

#[test]
fn motors_and_limits_allocate_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
            for audit in [false, true] {
                let mut scene = from_text(DRIVES);
                scene.solver.integrator = integrator;
                let simulation = assert_no_allocation(scene, 2, audit);
                // Every limit was struck, and every motor gave its force.
                for (joint, axis) in [("rail", 0), ("hinge", 1), ("thread", 0), ("thread", 1)] {
                    let place = simulation.scene().joints.iter().position(|j| j.name == joint);
                    let record = simulation.joints()[place.expect("a joint")];
                    assert!(record.limit[axis] != 0.0, "{joint}: {record:?}");
                    assert!(joint == "hinge" || record.motor[axis] != 0.0, "{joint}: {record:?}");
                }
            }
        }
    });
}

#[test]
fn the_staggered_integrator_allocates_nothing() {
    for name in ["double-pendulum", "four-bar", "slider-crank", "rolling-disc", "sliding-cube", "two-spheres"]
    {
        for audit in [false, true] {
            let mut scene = shipped(&format!("seeds/{name}.toml"));
            scene.solver.integrator = Integrator::Staggered;
            assert_no_allocation(scene, 2, audit);
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

/// Bodies that leave free their memory: a run holds no more after a thousand bodies than after a hundred.
#[test]
fn bodies_that_left_hold_no_memory() {
    let scene = from_text(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 100\n\
         [[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = -9 }\n\
         [[inlet]]\nname = \"feed\"\nrate = 50\ndensity = 1000\nvelocity = [0, 0, -3]\n\
         region = { type = \"box\", min = [-0.3, -0.3, 0.9], max = [0.3, 0.3, 1.1] }\n\
         shape = { type = \"sphere\", radius = 0.01 }\n\
         [[outlet]]\nname = \"low\"\nregion = { type = \"below\", height = 0 }\n",
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
        let (mut held, mut inside) = (0, Vec::new());
        // Memory held on average over so many steps: pairs come and go, and take their memory along.
        let mut advance = |steps: usize| {
            let mut sum = 0;
            for _ in 0..steps {
                let step = || _ = simulation.advance();
                held += measure(step).bytes_current;
                sum += held;
            }
            inside.push(simulation.body_ids().len());
            sum / steps as i64
        };
        let (at_first, later) = (advance(400), [advance(1600), advance(400)][1]);
        assert!(inside[0] > 10 && inside[0].abs_diff(inside[2]) <= 1, "{inside:?} inside");
        assert!(later - at_first < at_first / 10, "{at_first} bytes at first, then {later}");
    });
}
