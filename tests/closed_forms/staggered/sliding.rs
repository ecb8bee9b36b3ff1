//! From sliding to rolling, and to a stop: the instant of that falls somewhere in a step.

use super::{FLOOR, G, Seen, V, assert_second_order, rolling_under, runge_kutta, scene, seen, start_of};
use nalgebra::Matrix3;
use signorini::referee::{RecordedStep, Referee};
use signorini::step::{Acting, ContactRecord, Loads};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::settings::Integrator;
use support::runs::{Run, exact, shipped};

/// From sliding to rolling at 5/7 v₀: the step in which it changes keeps the quantities that friction cannot
/// change, nothing is lost, and the ball is in the right place.
#[test]
fn sliding_to_rolling_is_exact() {
    let mut scene = exact(shipped("seeds/sliding-to-rolling.toml"));
    scene.solver.integrator = Integrator::Staggered;
    let (mu, start) = (0.3, 2.0);
    let rolls_from = 2.0 * start / (7.0 * mu * G);
    for h in [4e-3, 2e-3, 1e-3] {
        scene.time_step = h;
        let found = seen(scene.clone(), 0.4);
        let slid = start * rolls_from - 0.5 * mu * G * rolls_from * rolls_from;
        let exact = slid + 5.0 / 7.0 * start * (0.4 - rolls_from);
        assert!((found.linear.x - 5.0 / 7.0 * start).abs() < 1e-8, "{found:?}");
        assert!((found.pose.position.x - exact).abs() < 1e-9, "{} {exact} {h}", found.pose.position.x);
    }
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

/// An ellipsoid slides down a slope, with its slip turning, until it rolls: starts that differ by little, so
/// that the instant of that falls anywhere in a step.
#[test]
fn an_ellipsoid_from_sliding_to_rolling_is_of_second_order() {
    let at = |h: f64, speed: f64| {
        let body = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.12, 0.11, 0.1] }\ndensity = 1000\n\
            position = [0, 0, 0.1]\nangular_velocity = [0, 0, 1]\n";
        let mut scene = scene(h, 1.0, 0.25, &(FLOOR.to_owned() + body));
        scene.gravity = LEAN;
        scene.bodies[1].velocity.linear.x = speed;
        scene
    };
    let (mass, inertia) = (at(1e-3, 1.2).bodies[1].mass, at(1e-3, 1.2).bodies[1].inertia);
    let energy = |s: &Seen| {
        let spin = s.pose.orientation.inverse() * s.angular;
        let moving = 0.5 * mass * s.linear.norm_squared() + 0.5 * spin.dot(&(inertia * spin));
        moving - mass * LEAN.dot(&s.pose.position)
    };
    let time = 0.44;
    for start in 0..12 {
        let speed = 1.2 + 0.0031 * f64::from(start);
        let (rolls, from) = until_it_rolls(start_of(&at(1e-3, speed)), sliding(mass, inertia, 0.25));
        assert!((0.29..0.31).contains(&from) && slip(&rolls).norm() < 1e-9, "it rolls from {from} s on");
        let exact = runge_kutta(rolls, time - from, 2_000, rolling_under(LEAN, mass, inertia, lowest));
        let errors = [8e-3, 4e-3, 2e-3, 1e-3].map(|h| {
            let found = seen(at(h, speed), time);
            [
                (found.pose.position - exact.pose.position).norm(),
                (found.angular - exact.angular).norm(),
                (energy(&found) - energy(&exact)).abs(),
            ]
        });
        assert_second_order(&format!("slide to roll from {speed} m/s"), &errors);
    }
}

/// A box slides to its stop, wherever in a step that falls: v²/(2 μ g) on, exactly, and there it stays.
#[test]
fn a_box_stops_where_it_should() {
    let mu = 0.3;
    for start in 0..20 {
        let speed = 0.8 + 0.0013 * f64::from(start);
        let body = format!(
            "[[body]]\nname = \"box\"\nshape = {{ type = \"box\", half_extents = [0.1, 0.08, 0.03] }}\nmass = 1\n\
             position = [0, 0, 0.03]\nvelocity = [{:?}, {:?}, 0]\n",
            0.8 * speed,
            0.6 * speed
        );
        let scene = scene(5e-3, 1.0, mu, &(FLOOR.to_owned() + &body));
        let found = seen(scene, 0.5);
        let way = speed * speed / (2.0 * mu * G);
        let off = found.pose.position - V::new(0.8 * way, 0.6 * way, 0.03);
        assert!(off.norm() < 1e-9 && found.linear.norm() < 1e-9, "{speed}: {off:?}, {:?}", found.linear);
    }
}

/// The one step in which the ball stops sliding records the slip that it keeps; the referee takes no other.
#[test]
fn the_slip_that_is_kept_is_judged() {
    let mut scene = exact(shipped("seeds/sliding-to-rolling.toml"));
    scene.solver.integrator = Integrator::Staggered;
    let mut run = Run::new(scene.clone());
    let (mut referee, mut loads) = (Referee::new(&scene), Loads::default());
    let mut kept = 0;
    for step in 0..300 {
        let before = run.state().clone();
        run.advance();
        let contact = run.contacts()[0];
        let last_slip = contact.acting.map_or_else(V::zeros, |a| a.last_slip);
        if last_slip == V::zeros() {
            continue;
        }
        kept += 1;
        assert!((contact.slip_speed - last_slip.norm()).abs() < 1e-9, "it slips like that");
        loads.gather(&scene, step);
        let mut judge = |factor: f64| {
            let acting = contact.acting.map(|a| Acting { last_slip: a.last_slip * factor, ..a });
            let told = [ContactRecord { acting, ..contact }];
            let step = RecordedStep {
                scene: &scene,
                before: Some(&before),
                after: run.state(),
                loads: &loads,
                contacts: &told,
                joints: &[],
                substeps: &[],
            };
            referee.judge(&step).green
        };
        assert!(judge(1.0));
        assert!(!judge(0.0) && !judge(0.99) && !judge(-1.0));
    }
    assert_eq!(kept, 1);
}
