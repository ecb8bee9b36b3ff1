//! No contact is missed within a step: bodies that move ten times the thickness of a plate in a step are
//! stopped by it, wherever the step would have ended.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Pose, Shape, Velocity};
use signorini_scene::scene::{Body, Part, Scene};
use std::sync::Arc;
use support::judged_steps::{ellipsoid, friction, pose, scene, v};
use support::runs::{Run, body, shipped};

const STEP: f64 = 0.005;
const SPEED: f64 = 20.0;
/// Half the thickness of the plates (m).
const HALF: f64 = 0.005;

fn solid(name: &str, shape: Shape, mass: f64, pose: Pose, velocity: Velocity) -> Body {
    let half = match &shape {
        Shape::Ellipsoid { semi_axes } => semi_axes * 0.6_f64.sqrt(),
        Shape::Cylinder { radius, half_length } => {
            v(radius * 0.75_f64.sqrt(), radius * 0.75_f64.sqrt(), *half_length)
        }
        Shape::Capsule { radius, half_length } => {
            v(radius * 0.75_f64.sqrt(), radius * 0.75_f64.sqrt(), half_length + radius)
        }
        Shape::Polytope(p) => p.half_extents().expect("a box"),
        Shape::HalfSpace { .. } | Shape::Bore { .. } => unreachable!("it has no mass"),
    };
    let s = half.component_mul(&half) * (mass / 3.0);
    let inertia = Matrix3::from_diagonal(&v(s.y + s.z, s.x + s.z, s.x + s.y));
    Body { parts: vec![Part::new(shape)], inertia, ..ellipsoid(name, v(1.0, 1.0, 1.0), mass, pose, velocity) }
}

fn box_(x: f64, y: f64, z: f64) -> Shape {
    Shape::Polytope(Arc::new(Polytope::box_(v(x, y, z))))
}

fn bullets() -> [(&'static str, Shape); 6] {
    [
        ("sphere", Shape::Ellipsoid { semi_axes: v(0.03, 0.03, 0.03) }),
        ("ellipsoid", Shape::Ellipsoid { semi_axes: v(0.05, 0.03, 0.02) }),
        ("cube", box_(0.03, 0.03, 0.03)),
        ("plate", box_(0.05, 0.04, 0.005)),
        ("cylinder", Shape::Cylinder { radius: 0.03, half_length: 0.04 }),
        ("capsule", Shape::Capsule { radius: 0.02, half_length: 0.03 }),
    ]
}

fn plates() -> [(&'static str, Shape); 3] {
    [
        ("box", box_(0.3, 0.3, HALF)),
        ("disc", Shape::Cylinder { radius: 0.3, half_length: HALF }),
        ("lens", Shape::Ellipsoid { semi_axes: v(0.3, 0.3, HALF) }),
    ]
}

/// A body that flies at a plate, `above` being how far its centre is from the middle of the plate.
fn shot(bullet: &Shape, plate: &Shape, is_fixed: bool, above: f64, turn: Vector3<f64>) -> Scene {
    let velocity = Velocity { linear: v(1.0, 0.0, -SPEED), angular: v(3.0, -2.0, 1.0) };
    // The plate stands in no special direction of the world.
    let frame = pose(v(0.1, 0.2, 0.3), v(0.0, 0.4, 0.0));
    let start = frame.compose(&pose(v(0.02, -0.01, above), turn));
    let turned = Velocity { linear: frame.orientation * velocity.linear, ..velocity };
    let mut target = solid("target", plate.clone(), 5.0, frame, Velocity::default());
    target.fixed = is_fixed;
    let shot = solid("bullet", bullet.clone(), 0.5, start, turned);
    let mut scene = scene(vec![target, shot], friction(0.3, [1.0, 1.0], 0.01));
    scene.time_step = STEP;
    scene.duration = 4.0 * STEP;
    scene
}

/// Height of the bullet over the middle of the target, in the target's frame.
fn height(run: &Run) -> f64 {
    let poses = &run.state().poses;
    (poses[0].orientation.inverse() * (poses[1].position - poses[0].position)).z
}

fn are_stopped(is_fixed: bool) {
    let (mut n_shots, mut n_through) = (0, 0);
    for (name, bullet) in bullets() {
        for (plate_name, plate) in plates() {
            for phase in 0..10 {
                let turn = v(0.3, 0.2, 0.1) * (f64::from(phase % 4) * 2.0 - 1.0);
                let above = bullet.bounding_radius() + HALF + 1e-4 + 0.01 * f64::from(phase);
                let mut run = Run::new(shot(&bullet, &plate, is_fixed, above, turn));
                let mut touched = false;
                for step in 1..=4 {
                    run.advance();
                    touched |= run.contacts().iter().any(|c| c.normal_impulse > 0.0);
                    let found = height(&run);
                    assert!(found > HALF, "{name} on {plate_name}, phase {phase}, step {step}: {found}");
                }
                assert!(touched, "{name} on {plate_name}: never touched");
                n_through += usize::from(above - SPEED * STEP < 0.0);
                n_shots += 1;
            }
        }
    }
    assert!(n_shots == 180 && n_through > 60, "{n_through} of {n_shots} would have been past the middle");
}

#[test]
fn bodies_are_stopped_by_thin_plates() {
    are_stopped(true);
}

#[test]
fn bodies_are_stopped_by_thin_plates_that_give_way() {
    are_stopped(false);
}

/// A body that goes past the edge of a plate is not held by the plate.
#[test]
fn bodies_that_pass_beside_a_plate_are_not_stopped() {
    for (name, bullet) in bullets() {
        for (plate_name, plate) in plates() {
            for phase in 0..10 {
                let mut scene = shot(&bullet, &plate, true, 0.1 + 0.01 * f64::from(phase), Vector3::zeros());
                let radius = bullet.bounding_radius();
                let frame = scene.bodies[0].pose;
                scene.bodies[1].pose.position += frame.orientation * v(0.301 + radius, 0.0, 0.0);
                let speed = scene.bodies[1].velocity.linear;
                let fall = scene.gravity * (4.0 * STEP);
                let mut run = Run::new(scene);
                run.steps(4);
                let missed = (run.velocity("bullet").linear - speed - fall).norm();
                assert!(missed < 1e-9, "{name} beside {plate_name}, phase {phase}: {missed}");
                assert!(height(&run) < -0.1);
            }
        }
    }
}

/// A body at rest that is hit in a step and driven through a plate in the same step: no margin foresaw that
/// it would move.
#[test]
fn a_body_hit_within_the_step_does_not_pass_a_plate() {
    let ball = |name: &str, height: f64, mass: f64, speed: f64| {
        let shape = Shape::Ellipsoid { semi_axes: v(0.03, 0.03, 0.03) };
        let velocity = Velocity { linear: v(0.0, 0.0, speed), angular: v(0.0, 0.0, 0.0) };
        solid(name, shape, mass, pose(v(0.0, 0.0, height), v(0.0, 0.0, 0.0)), velocity)
    };
    for phase in 0..5 {
        let mut plate = solid("plate", box_(0.3, 0.3, HALF), 1.0, Pose::identity(), Velocity::default());
        plate.fixed = true;
        let low = 0.036 + 0.002 * f64::from(phase);
        let bodies = vec![plate, ball("low", low, 0.1, 0.0), ball("high", low + 0.061, 50.0, -2.0 * SPEED)];
        let mut scene = scene(bodies, friction(0.0, [1.0, 1.0], 0.0));
        scene.gravity = Vector3::zeros();
        scene.time_step = STEP;
        scene.duration = 2.0 * STEP;
        let mut run = Run::new(scene);
        run.steps(2);
        let heights = [1, 2].map(|i| run.state().poses[i].position.z);
        assert!(heights[0] > 0.0349 && heights[1] > heights[0] + 0.0599, "phase {phase}: {heights:?}");
    }
}

/// A ball strikes a plate near its edge and is beside it at the end of the step, the plate having turned: the
/// normal encloses more than 90° with the one along which they met, but nothing is passed. Held to that side
/// such steps stayed unsolved, at 300 p_ref.
#[test]
fn balls_slide_over_the_edge_of_a_turning_plate() {
    for (place, velocity) in [((0.07645, 0.04064), (2.769, -8.143)), ((0.06871, 0.037), (3.385, -5.571))] {
        let turning = Velocity { linear: Vector3::zeros(), angular: v(0.0, -35.294, 0.0) };
        let plate = solid("plate", box_(0.06, 0.06, HALF), 0.2, Pose::identity(), turning);
        let falling = Velocity { linear: v(velocity.0, 0.0, velocity.1), angular: Vector3::zeros() };
        let shape = Shape::Ellipsoid { semi_axes: v(0.03, 0.03, 0.03) };
        let ball = solid("ball", shape, 0.2, pose(v(place.0, 0.0, place.1), Vector3::zeros()), falling);
        let mut scene = scene(vec![plate, ball], friction(0.3, [1.0, 1.0], 0.0));
        scene.gravity = Vector3::zeros();
        scene.time_step = 2.0 * STEP;
        scene.duration = 4.0 * STEP;
        Run::new(scene).steps(2);
    }
}

/// One lens turns on the rim of another: the normal turns by more than 60° in the step, but nothing is
/// passed. From 216 lenses in an impact.
#[test]
fn lenses_turn_on_each_others_rims() {
    let lens = |name: &str, pose, velocity| ellipsoid(name, v(0.1, 0.1, 0.02), 0.838, pose, velocity);
    let first = lens(
        "first",
        pose(v(0.0, 0.0, 0.0), v(-2.6943, 1.0359, 0.3124)),
        Velocity { linear: v(0.43, -0.70, -0.60), angular: v(9.7, -13.1, -3.2) },
    );
    let second = lens(
        "second",
        pose(v(-0.03927, -0.18612, -0.05754), v(0.6504, 3.0123, 0.5634)),
        Velocity { linear: v(-0.23, -0.39, -3.01), angular: v(-15.3, 8.6, -2.5) },
    );
    let mut scene = scene(vec![first, second], friction(0.3, [1.0, 1.0], 0.02));
    scene.gravity = Vector3::zeros();
    scene.time_step = STEP;
    scene.duration = 2.0 * STEP;
    let mut run = Run::new(scene);
    run.steps(2);
    assert!(run.deepest > -1e-9, "{}", run.deepest);
}

#[test]
fn the_shipped_shots_end_on_their_side() {
    let mut run = Run::new(shipped("seeds/thin-plate.toml"));
    run.run_to_the_end();
    let plate = body(run.scene(), "plate");
    for name in ["ball", "egg", "cube", "can"] {
        let pose = run.state().poses[body(run.scene(), name)];
        assert!(pose.position.z > run.state().poses[plate].position.z + HALF, "{name}: {}", pose.position);
        assert!(run.velocity(name).linear.norm() < 0.5 * SPEED, "{name}");
    }
}
