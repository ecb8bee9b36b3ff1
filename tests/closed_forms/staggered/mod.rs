//! The staggered integrator: second order, each case against Runge and Kutta's method on equations of its
//! own, or, where none are at hand, against a fine step.

mod blend;
mod bodies;
mod flat;
mod grain;
mod impacts;
mod piles;
mod rattleback;
mod sliding;

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini::simulation::Simulation;
use signorini::stepper::staggered::mean;
use signorini_geometry::Pose;
use signorini_scene::scene::{self, LoadOptions, Scene};
use signorini_scene::settings::Integrator;
use std::path::Path;
use support::runs::{Run, exact_from_text};

type V = Vector3<f64>;

const G: f64 = 9.81;

fn scene(h: f64, duration: f64, friction: f64, body: &str) -> Scene {
    let text = format!(
        "format = 1\n[simulation]\ntime_step = {h:?}\nduration = {duration:?}\n[solver]\nintegrator = \"staggered\"\n[[friction]]\ncoefficient = {friction:?}\n{body}"
    );
    exact_from_text(&text)
}

/// A scene with torsional friction of a length (m).
fn torsional(h: f64, friction: f64, length: f64, body: &str) -> Scene {
    let friction = format!("{friction:?}\nellipsoid = {{ t = 1, o = 1, r = {length:?} }}");
    let text = format!(
        "format = 1\n[simulation]\ntime_step = {h:?}\nduration = 1.0\n[solver]\nintegrator = \"staggered\"\n[[friction]]\ncoefficient = {friction}\n{body}"
    );
    exact_from_text(&text)
}

const FLOOR: &str =
    "[[body]]\nname = \"floor\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

/// State to compare: pose and velocity of the last body at an instant, its energy (J).
#[derive(Debug, Clone, Copy)]
struct Seen {
    pose: Pose,
    linear: V,
    angular: V,
}

impl Seen {
    fn energy(&self, mass: f64, inertia: &Matrix3<f64>) -> f64 {
        let spin = self.pose.orientation.inverse() * self.angular;
        0.5 * mass * self.linear.norm_squared()
            + 0.5 * spin.dot(&(inertia * spin))
            + mass * G * self.pose.position.z
    }
}

/// The state at `time`, its velocity half way between the steps before and after; every step solved and
/// green.
fn seen(scene: Scene, time: f64) -> Seen {
    let (n, last) = ((time / scene.time_step).round() as usize, scene.bodies.len() - 1);
    let mut run = Run::new(scene);
    run.steps(n);
    let (pose, before) = (run.state().poses[last], run.state().velocities[last]);
    run.advance();
    let v = mean(&before, &run.state().velocities[last]);
    Seen { pose, linear: v.linear, angular: v.angular }
}

/// Runge and Kutta's method for c' = v, R' = [ω]× R, (v, ω)' = f.
fn runge_kutta(start: Seen, time: f64, n: usize, rates: impl Fn(&Seen) -> (V, V, V)) -> Seen {
    let h = time / n as f64;
    let moved = |s: &Seen, k: &(V, V, V, V), by: f64| Seen {
        pose: Pose {
            position: s.pose.position + k.0 * by,
            orientation: UnitQuaternion::from_scaled_axis(k.1 * by) * s.pose.orientation,
        },
        linear: s.linear + k.2 * by,
        angular: s.angular + k.3 * by,
    };
    let slope = |s: &Seen| {
        let (velocity, a, b) = rates(s);
        (velocity, s.angular, a, b)
    };
    let mut s = start;
    for _ in 0..n {
        let k1 = slope(&s);
        let k2 = slope(&moved(&s, &k1, 0.5 * h));
        let k3 = slope(&moved(&s, &k2, 0.5 * h));
        let k4 = slope(&moved(&s, &k3, h));
        let sum = |f: fn(&(V, V, V, V)) -> V| (f(&k1) + f(&k2) * 2.0 + f(&k3) * 2.0 + f(&k4)) / 6.0;
        // Not of order four in the rotation; the steps are small enough.
        let k = (sum(|k| k.0), sum(|k| k.1), sum(|k| k.2), sum(|k| k.3));
        s = moved(&s, &k, h);
    }
    s
}

/// Rolling without slip: v = −ω × r with the contact at r(pose) from the centre of mass,
/// (I + m (|r|² − r rᵀ)) ω' = −ω × I ω − m r × (ω × r') − m r × g.
fn rolling(mass: f64, inertia: Matrix3<f64>, arm: impl Fn(&Pose) -> V) -> impl Fn(&Seen) -> (V, V, V) {
    rolling_under(V::new(0.0, 0.0, -G), mass, inertia, arm)
}

/// Rolling without slip under any gravity, as [`rolling`].
fn rolling_under(
    gravity: V,
    mass: f64,
    inertia: Matrix3<f64>,
    arm: impl Fn(&Pose) -> V,
) -> impl Fn(&Seen) -> (V, V, V) {
    move |s: &Seen| {
        let r = arm(&s.pose);
        let w = s.angular;
        let velocity = -w.cross(&r);
        let by = |step: f64| {
            arm(&Pose {
                position: s.pose.position + velocity * step,
                orientation: UnitQuaternion::from_scaled_axis(w * step) * s.pose.orientation,
            })
        };
        let slope = (by(1e-5) - by(-1e-5)) / 2e-5;
        let turn = s.pose.rotation();
        let tensor = turn * inertia * turn.transpose();
        let about = tensor + (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * mass;
        let torque = -w.cross(&(tensor * w)) - r.cross(&(w.cross(&slope) + gravity)) * mass;
        let spin_up = about.try_inverse().expect("regular") * torque;
        (velocity, -spin_up.cross(&r) - w.cross(&slope), spin_up)
    }
}

fn start_of(scene: &Scene) -> Seen {
    let body = scene.bodies.last().expect("a body");
    Seen { pose: body.pose, linear: body.velocity.linear, angular: body.velocity.angular }
}

/// Slopes of the errors of position, spin and energy over halvings of the step.
fn assert_second_order(what: &str, errors: &[[f64; 3]]) {
    for pair in errors.windows(2) {
        for (k, name) in ["position", "spin", "energy"].iter().enumerate() {
            let slope = (pair[0][k] / pair[1][k]).log2();
            assert!((1.8..2.2).contains(&slope), "{what}, {name}: slope {slope} of {errors:?}");
        }
    }
}

/// Errors at `time` for each step against an exact state.
fn errors(at: impl Fn(f64) -> Scene, time: f64, steps: &[f64], exact: &Seen) -> Vec<[f64; 3]> {
    let of_step = |h: &f64| {
        let scene = at(*h);
        let body = scene.bodies.last().expect("a body").clone();
        let found = seen(scene, time);
        let energy = |s: &Seen| s.energy(body.mass, &body.inertia);
        [
            (found.pose.position - exact.pose.position).norm(),
            (found.angular - exact.angular).norm(),
            (energy(&found) - energy(exact)).abs(),
        ]
    };
    steps.iter().map(of_step).collect()
}

/// An ellipsoid on a plane with its mass off the centre and its axes off the shape's: a rattleback.
fn stone(h: f64) -> Scene {
    let body = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.05, 0.03] }\n\
        shape_position = [0, 0, 0.006]\nmass = 1\ninertia = [6.0e-4, 8.2e-3, 8.4e-3, 9e-4, 0, 0]\n\
        position = [0, 0, 0.024]\nangular_velocity = [0.3, 0.3, -1.5]\n";
    let mut scene = scene(h, 1.0, 10.0, &(FLOOR.to_owned() + body));
    let body = scene.bodies.last_mut().expect("a body");
    // Rolling from the start.
    body.velocity.linear = -body.velocity.angular.cross(&V::new(0.0, 0.0, -0.024));
    scene
}

#[test]
fn rocking_and_rolling_are_of_second_order() {
    let first = stone(1e-3);
    let inertia = first.bodies[1].inertia;
    let arm = |pose: &Pose| {
        // The lowest point of the ellipsoid, whose centre is at (0, 0, 0.006) of the body.
        let down = pose.orientation.inverse() * -V::z();
        let scaled = V::new(0.2, 0.05, 0.03).component_mul(&down);
        let lowest = V::new(0.2, 0.05, 0.03).component_mul(&scaled) / scaled.norm();
        pose.orientation * (lowest + V::new(0.0, 0.0, 0.006))
    };
    let exact = runge_kutta(start_of(&first), 0.5, 100_000, rolling(1.0, inertia, arm));
    assert_second_order("stone", &errors(stone, 0.5, &[4e-3, 2e-3, 1e-3], &exact));
}

fn ball_on(h: f64, globe: &str, position: [f64; 3], spin: V) -> Scene {
    let body = format!(
        "[[body]]\nname = \"globe\"\n{globe}\nfixed = true\n[[body]]\nname = \"ball\"\nshape = {{ type = \"sphere\", radius = 0.2 }}\nmass = 1\nposition = {position:?}\n"
    );
    let mut scene = scene(h, 0.5, 10.0, &body);
    let ball = scene.bodies.last_mut().expect("a body");
    ball.velocity.angular = spin;
    scene
}

#[test]
fn a_ball_over_a_sphere_is_of_second_order() {
    let (tilt, spin) = (0.1_f64, V::new(-2.0, 2.5, 1.0));
    let normal = V::new(tilt.sin(), 0.0, tilt.cos());
    let at = |h: f64| {
        let globe = "shape = { type = \"sphere\", radius = 1.0 }";
        let mut scene = ball_on(h, globe, (normal * 1.2).into(), spin);
        scene.bodies[1].velocity.linear = -spin.cross(&(normal * -0.2));
        scene
    };
    let first = at(1e-3);
    let arm = |pose: &Pose| pose.position.normalize() * -0.2;
    let exact = runge_kutta(start_of(&first), 0.4, 20_000, rolling(1.0, first.bodies[1].inertia, arm));
    assert_second_order("ball on a sphere", &errors(at, 0.4, &[8e-3, 4e-3, 2e-3], &exact));
}

#[test]
fn a_ball_over_an_ellipsoid_is_of_second_order() {
    let at = |h: f64| {
        let globe = "shape = { type = \"ellipsoid\", semi_axes = [1.5, 1.0, 0.8] }";
        let spin = V::new(-2.0, 1.5, 1.0);
        let mut scene = ball_on(h, globe, [0.0, 0.0, 1.0], spin);
        scene.bodies[1].velocity.linear = -spin.cross(&V::new(0.0, 0.0, -0.2));
        scene
    };
    let exact = seen(at(1.25e-4), 0.4);
    assert_second_order("ball on an ellipsoid", &errors(at, 0.4, &[8e-3, 4e-3, 2e-3], &exact));
}

/// A top on a ball joint at its tip: L' = r × m g about the tip.
#[test]
fn a_heavy_top_on_a_ball_joint_is_of_second_order() {
    let at = |h: f64| {
        let body = "[[body]]\nname = \"base\"\nshape = { type = \"sphere\", radius = 0.01 }\nfixed = true\n\
            [[body]]\nname = \"top\"\nshape = { type = \"ellipsoid\", semi_axes = [0.1, 0.1, 0.05] }\nmass = 1\n\
            position = [0.1, 0, 0.2]\norientation = [0.9732489894677302, 0, 0.22975292054736116, 0]\n\
            angular_velocity = [13.416407864998739, 0, 26.832815729997478]\n\
            [[joint]]\nname = \"tip\"\ntype = \"ball\"\nbetween = [\"base\", \"top\"]\nanchor = [0, 0, 0]\n";
        scene(h, 1.0, 0.0, body)
    };
    let first = at(1e-3);
    let inner = first.bodies[1].pose.orientation.inverse() * -first.bodies[1].pose.position;
    let arm = move |pose: &Pose| pose.orientation * inner;
    let exact = runge_kutta(start_of(&first), 0.3, 60_000, rolling(1.0, first.bodies[1].inertia, arm));
    assert_second_order("top", &errors(at, 0.3, &[2e-3, 1e-3, 5e-4], &exact));
}

/// A ball with principal moments of its own slides and spins, so that the direction of slip turns.
#[test]
fn slip_that_turns_is_of_second_order() {
    let at = |h: f64| {
        let body = "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n\
            inertia = [0.003, 0.005, 0.006, 0.0005, 0, 0]\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n\
            angular_velocity = [30, 5, 8]\n";
        scene(h, 1.0, 0.2, &(FLOOR.to_owned() + body))
    };
    let first = at(1e-3);
    let inertia = first.bodies[1].inertia;
    let rates = |s: &Seen| {
        let (r, w) = (V::new(0.0, 0.0, -0.1), s.angular);
        let slip = s.linear + w.cross(&r);
        let force = slip.normalize() * (-0.2 * G);
        let turn = s.pose.rotation();
        let tensor = turn * inertia * turn.transpose();
        let torque = r.cross(&force) - w.cross(&(tensor * w));
        (s.linear, force, tensor.try_inverse().expect("regular") * torque)
    };
    let exact = runge_kutta(start_of(&first), 0.16, 20_000, rates);
    let slip = exact.linear + exact.angular.cross(&V::new(0.0, 0.0, -0.1));
    assert!(slip.norm() > 0.5, "it still slides: {slip}");
    assert_second_order("turning slip", &errors(at, 0.16, &[4e-3, 2e-3, 1e-3], &exact));
}

/// Sliding with torsional friction: slip (v_t, v_o, e_r ω_n) turns in three dimensions.
#[test]
fn slip_that_turns_into_spin_is_of_second_order() {
    let e_r = 0.02;
    let at = |h: f64| {
        let body = "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n\
            inertia = [0.003, 0.005, 0.006, 0.0005, 0, 0]\nposition = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n\
            angular_velocity = [30, 5, 8]\n";
        torsional(h, 0.2, e_r, &(FLOOR.to_owned() + body))
    };
    let first = at(1e-3);
    let inertia = first.bodies[1].inertia;
    let rates = |s: &Seen| {
        let (r, w) = (V::new(0.0, 0.0, -0.1), s.angular);
        let slip = s.linear + w.cross(&r);
        let scaled = V::new(slip.x, slip.y, e_r * w.z).normalize() * (-0.2 * G);
        let force = V::new(scaled.x, scaled.y, 0.0);
        let turn = s.pose.rotation();
        let tensor = turn * inertia * turn.transpose();
        let torque = r.cross(&force) + V::z() * (e_r * scaled.z) - w.cross(&(tensor * w));
        (s.linear, force, tensor.try_inverse().expect("regular") * torque)
    };
    let exact = runge_kutta(start_of(&first), 0.16, 20_000, rates);
    assert_second_order("slip into spin", &errors(at, 0.16, &[4e-3, 2e-3, 1e-3], &exact));
}

/// Sustained rocking keeps its energy, where implicit Euler loses nearly all of it.
#[test]
fn rocking_keeps_its_energy_over_30_seconds() {
    let mut left = [0.0; 2];
    for (k, integrator) in [Integrator::Staggered, Integrator::ImplicitEuler].into_iter().enumerate() {
        let body = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.05, 0.06] }\n\
            shape_position = [0, 0, 0.006]\nmass = 1\ninertia = [1.2e-3, 8.2e-3, 8.4e-3, 0, 0, 0]\n\
            position = [0, 0, 0.054]\nangular_velocity = [0, 0.4, 0]\nvelocity = [0.0216, 0, 0]\n";
        let mut scene = scene(1e-3, 31.0, 10.0, &(FLOOR.to_owned() + body));
        scene.solver.integrator = integrator;
        let (mass, inertia) = (1.0, scene.bodies[1].inertia);
        let start = start_of(&scene).energy(mass, &inertia) - mass * G * 0.054;
        let mut simulation = Simulation::new(scene).expect("runs");
        simulation.judge_steps(false);
        let mut worst = 0.0_f64;
        for step in 0..30_000 {
            let before = simulation.state().velocities[1];
            let pose = simulation.state().poses[1];
            assert!(simulation.advance().info.status.is_solved(), "step {step}");
            let v = mean(&before, &simulation.state().velocities[1]);
            let now = Seen { pose, linear: v.linear, angular: v.angular };
            let energy = now.energy(mass, &inertia) - mass * G * 0.054;
            left[k] = energy / start;
            // The first step has no velocity before it.
            if step > 1 {
                worst = worst.max((energy / start - 1.0).abs());
            }
        }
        if k == 0 {
            assert!(worst < 1e-3, "energy off by {worst} at worst");
        }
    }
    assert!(left[1] < 0.5, "staggered keeps {}, implicit Euler {}", left[0], left[1]);
}

/// Only the implicit formulation has it.
#[test]
fn other_formulations_refuse_it() {
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n[solver]\nintegrator = \"staggered\"\nformulation = \"cone\"\n";
    let error =
        scene::parse(text, Path::new("bad.toml"), &LoadOptions::default()).expect_err("refused").to_string();
    assert!(error.contains("solver: integrator") && error.contains("implicit"), "{error}");
}
