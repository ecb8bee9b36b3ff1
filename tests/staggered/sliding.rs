//! From sliding to rolling. The instant of that falls somewhere in a step, and where it falls is a part of the error: errors are
//! C h² with a C that depends on it. So single starts are measured with steps in which it falls at the same place, and mean squares
//! over starts in which it falls anywhere.

use super::runs::{Run, shipped};
use super::{
    FLOOR, G, Seen, V, assert_second_order, errors, rolling_under, runge_kutta, scene, seen, start_of,
};
use nalgebra::Matrix3;
use signorini::geometry::{Pose, Velocity};
use signorini::settings::Integrator;

/// From sliding to rolling at 5/7 v₀: the step in which it changes keeps what friction cannot change, and nothing is lost.
#[test]
fn sliding_to_rolling_is_exact() {
    let mut scene = shipped("seeds/sliding-to-rolling.toml");
    scene.solver.integrator = Integrator::Staggered;
    let (mu, start) = (0.3, 2.0);
    let rolls_from = 2.0 * start / (7.0 * mu * G);
    for h in [4e-3, 2e-3, 1e-3] {
        scene.time_step = h;
        let found = seen(scene.clone(), 0.4);
        let slid = start * rolls_from - 0.5 * mu * G * rolls_from * rolls_from;
        let exact = slid + 5.0 / 7.0 * start * (0.4 - rolls_from);
        assert!((found.linear.x - 5.0 / 7.0 * start).abs() < 1e-8, "{found:?}");
        // The instant of the change falls somewhere in a step.
        assert!((found.pose.position.x - exact).abs() < 1.5 * h * h, "{} {exact} {h}", found.pose.position.x);
    }
}

/// An ellipsoid slides down a slope, with its slip turning, until it rolls. The instant of that falls somewhere in a step, and
/// where it falls is a part of the error: each step is measured over 16 starts that differ by little, and the mean square counts.
#[test]
fn an_ellipsoid_from_sliding_to_rolling_is_of_second_order() {
    let at = |h: f64, speed: f64| {
        let body = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.12, 0.11, 0.1] }\ndensity = 1000\n\
            position = [0, 0, 0.1]\nvelocity = [1.2, 0, 0]\nangular_velocity = [0, 0, 1]\n";
        let mut scene = scene(h, 1.0, 0.25, &(FLOOR.to_owned() + body));
        scene.gravity = V::new(2.0, 0.3, -9.6);
        scene.bodies[1].velocity.linear.x = speed;
        scene
    };
    let mut run = Run::new(at(1e-3, 1.2));
    run.steps(10);
    assert!(run.contacts()[0].slip_speed > 0.5, "it slides first");
    run.steps(390);
    assert!(run.contacts()[0].slip_speed < 1e-6, "it rolls in the end");
    let steps = [8e-3, 4e-3, 2e-3, 1e-3];
    let mut squares = [[0.0; 3]; 4];
    for start in 0..16 {
        let speed = 1.2 + 0.002 * f64::from(start);
        let exact = seen(at(1e-4, speed), 0.4);
        let found = errors(|h| at(h, speed), 0.4, &steps, &exact);
        for (sum, error) in squares.iter_mut().zip(found) {
            (0..3).for_each(|k| sum[k] += error[k] * error[k] / 16.0);
        }
    }
    assert_second_order("slide to roll", &squares.map(|s| s.map(f64::sqrt)));
}

const AXES: V = V::new(0.12, 0.11, 0.1);
const LEAN: V = V::new(2.0, 0.3, -9.6);

/// The ellipsoid of the oracle: from its centre to its lowest point.
fn lowest(pose: &Pose) -> V {
    let scaled = AXES.component_mul(&(pose.orientation.inverse() * -V::z()));
    pose.orientation * (AXES.component_mul(&scaled) / scaled.norm())
}

fn slip(s: &Seen) -> V {
    s.linear + s.angular.cross(&lowest(&s.pose))
}

/// Sliding: N (n − μ u/|u|) at the lowest point, with N so that n·(v + ω × r) stays 0.
fn sliding(mass: f64, inertia: Matrix3<f64>, mu: f64) -> impl Fn(&Seen) -> (V, V, V) {
    move |s: &Seen| {
        let (r, w) = (lowest(&s.pose), s.angular);
        let by = |step: f64| lowest(&s.pose.advanced(&Velocity { linear: s.linear, angular: w }, step));
        let slope = (by(1e-5) - by(-1e-5)) / 2e-5;
        let turn = s.pose.rotation();
        let tensor = turn * inertia * turn.transpose();
        let inverse = tensor.try_inverse().expect("regular");
        let push = V::z() - slip(s).normalize() * mu;
        let free = inverse * -w.cross(&(tensor * w));
        let per_newton = inverse * r.cross(&push);
        let closing = LEAN.z + free.cross(&r).z + w.cross(&slope).z;
        let load = -closing / (1.0 / mass + per_newton.cross(&r).z);
        (s.linear, LEAN + push * (load / mass), free + per_newton * load)
    }
}

/// Slides until it rolls; the state then, and when that is.
fn until_it_rolls(mut s: Seen, rates: impl Fn(&Seen) -> (V, V, V)) -> (Seen, f64) {
    let mut time = 0.0;
    while slip(&s).norm() > 1e-10 {
        let h = (0.01 * slip(&s).norm()).min(2e-5);
        s = runge_kutta(s, h, 1, &rates);
        time += h;
    }
    (s, time)
}

/// One start, with steps of which the same part is over when it begins to roll.
#[test]
fn one_ellipsoid_from_sliding_to_rolling_is_of_second_order() {
    let at = |h: f64| {
        let body = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.12, 0.11, 0.1] }\ndensity = 1000\n\
            position = [0, 0, 0.1]\nvelocity = [1.2, 0, 0]\nangular_velocity = [0, 0, 1]\n";
        let mut scene = scene(h, 1.0, 0.25, &(FLOOR.to_owned() + body));
        scene.gravity = LEAN;
        scene
    };
    let (mass, inertia) = (at(1e-3).bodies[1].mass, at(1e-3).bodies[1].inertia);
    let (rolls, from) = until_it_rolls(start_of(&at(1e-3)), sliding(mass, inertia, 0.25));
    assert!((0.25..0.35).contains(&from) && slip(&rolls).norm() < 1e-9, "it rolls from {from} s on");
    let time = 1.5 * from;
    let exact = runge_kutta(rolls, time - from, 2_000, rolling_under(LEAN, mass, inertia, lowest));
    let energy = |s: &Seen| {
        let spin = s.pose.orientation.inverse() * s.angular;
        let moving = 0.5 * mass * s.linear.norm_squared() + 0.5 * spin.dot(&(inertia * spin));
        moving - mass * LEAN.dot(&s.pose.position)
    };
    for (part, numbers) in [(0.0, [64, 128, 256]), (1.0 / 3.0, [63, 127, 255]), (2.0 / 3.0, [64, 128, 256])] {
        let steps = numbers.map(|n| from / (f64::from(n) + part));
        let found = steps.map(|h| {
            let found = seen(at(h), time);
            [
                (found.pose.position - exact.pose.position).norm(),
                (found.angular - exact.angular).norm(),
                (energy(&found) - energy(&exact)).abs(),
            ]
        });
        // 2.03 or less from one number of steps to the next, not 2.
        assert_second_order(&format!("slide to roll, {part} of a step"), &found);
    }
}
