//! Several moving bodies, in contact with each other and on joints: second order of all their positions,
//! spins and of the energy. The oracle knows the constraints J(q) v = 0, and integrates M a = f + Jᵀ λ, J a =
//! −J' v.

use super::{FLOOR, G, Seen, V, assert_second_order, scene};
use nalgebra::{DMatrix, DVector, Matrix3};
use signorini::step::ContactRecord;
use signorini::stepper::staggered::mean;
use signorini_geometry::Velocity;
use signorini_scene::scene::{Body, Scene};
use signorini_scene::settings::Integrator;
use support::runs::{Run, shipped};

const STEPS: [f64; 3] = [4e-3, 2e-3, 1e-3];

/// The moving bodies.
fn moving(scene: &Scene) -> Vec<Body> {
    scene.bodies.iter().filter(|body| !body.fixed).cloned().collect()
}

/// Their start.
fn starts(bodies: &[Body]) -> Vec<Seen> {
    let of = |b: &Body| Seen { pose: b.pose, linear: b.velocity.linear, angular: b.velocity.angular };
    bodies.iter().map(of).collect()
}

/// Their states at `time`, velocities half way between two steps; every step solved and green, and from the
/// second on so many contacts carry load, at θ = 0.
fn seen_all(scene: Scene, n_contacts: usize, time: f64) -> Vec<Seen> {
    let n = (time / scene.time_step).round() as usize;
    let ids: Vec<usize> = (0..scene.bodies.len()).filter(|i| !scene.bodies[*i].fixed).collect();
    let mut run = Run::new(scene);
    run.steps(1);
    for step in 1..n {
        run.advance();
        let bears = |c: &&ContactRecord| c.normal_impulse > 0.0 && c.acting.is_some_and(|a| a.theta == 0.0);
        assert_eq!(run.contacts().iter().filter(bears).count(), n_contacts, "step {step}");
    }
    let before = run.state().clone();
    run.advance();
    let of = |&i: &usize| {
        let v = mean(&before.velocities[i], &run.state().velocities[i]);
        Seen { pose: before.poses[i], linear: v.linear, angular: v.angular }
    };
    ids.iter().map(of).collect()
}

/// Total energy (J).
fn energy(bodies: &[Body], seen: &[Seen]) -> f64 {
    bodies.iter().zip(seen).map(|(body, seen)| seen.energy(body.mass, &body.inertia)).sum()
}

/// Errors of all positions, all spins and the energy for each step.
fn errors(
    at: impl Fn(f64) -> Scene,
    n_contacts: usize,
    time: f64,
    steps: &[f64],
    exact: &[Seen],
) -> Vec<[f64; 3]> {
    let bodies = moving(&at(steps[0]));
    let of_step = |h: &f64| {
        let found = seen_all(at(*h), n_contacts, time);
        let apart = |of: fn(&Seen) -> V| {
            found.iter().zip(exact).map(|(a, b)| (of(a) - of(b)).norm_squared()).sum::<f64>().sqrt()
        };
        let off = (energy(&bodies, &found) - energy(&bodies, exact)).abs();
        [apart(|s| s.pose.position), apart(|s| s.angular), off]
    };
    steps.iter().map(of_step).collect()
}

/// A step of c' = v, R' = [ω]× R along given rates.
fn moved(seen: &[Seen], k: &[(Velocity, Velocity)], by: f64) -> Vec<Seen> {
    let of = |(s, (v, a)): (&Seen, &(Velocity, Velocity))| Seen {
        pose: s.pose.advanced(v, by),
        linear: s.linear + a.linear * by,
        angular: s.angular + a.angular * by,
    };
    seen.iter().zip(k).map(of).collect()
}

/// Runge and Kutta's method.
fn integrate(mut s: Vec<Seen>, time: f64, n: usize, rates: impl Fn(&[Seen]) -> Vec<Velocity>) -> Vec<Seen> {
    let h = time / n as f64;
    let slope = |s: &[Seen]| -> Vec<(Velocity, Velocity)> {
        s.iter().map(|s| Velocity { linear: s.linear, angular: s.angular }).zip(rates(s)).collect()
    };
    let sum = |k: [&Velocity; 4]| {
        let of = |f: fn(&Velocity) -> V| (f(k[0]) + f(k[1]) * 2.0 + f(k[2]) * 2.0 + f(k[3])) / 6.0;
        Velocity { linear: of(|v| v.linear), angular: of(|v| v.angular) }
    };
    for _ in 0..n {
        let k1 = slope(&s);
        let k2 = slope(&moved(&s, &k1, 0.5 * h));
        let k3 = slope(&moved(&s, &k2, 0.5 * h));
        let k4 = slope(&moved(&s, &k3, h));
        let k: Vec<_> = (0..s.len())
            .map(|i| {
                (sum([&k1[i].0, &k2[i].0, &k3[i].0, &k4[i].0]), sum([&k1[i].1, &k2[i].1, &k3[i].1, &k4[i].1]))
            })
            .collect();
        s = moved(&s, &k, h);
    }
    s
}

/// Accelerations under gravity where `forbidden` velocities, linear in those of the bodies, stay 0.
fn constrained(
    bodies: &[Body],
    forbidden: impl Fn(&[Seen]) -> Vec<f64>,
) -> impl Fn(&[Seen]) -> Vec<Velocity> {
    move |s: &[Seen]| {
        let n = 6 * s.len();
        let with = |poses: &[Seen], v: &dyn Fn(usize) -> f64| {
            let of = |(i, s): (usize, &Seen)| Seen {
                pose: s.pose,
                linear: V::from_fn(|k, _| v(6 * i + k)),
                angular: V::from_fn(|k, _| v(6 * i + 3 + k)),
            };
            DVector::from_vec(forbidden(&poses.iter().enumerate().map(of).collect::<Vec<_>>()))
        };
        let columns: Vec<DVector<f64>> = (0..n).map(|j| with(s, &|k| f64::from(u8::from(k == j)))).collect();
        let jacobian = DMatrix::from_columns(&columns);
        let speed: Vec<f64> = s
            .iter()
            .flat_map(|s| s.linear.iter().chain(s.angular.iter()).copied().collect::<Vec<_>>())
            .collect();
        let still: Vec<_> = s
            .iter()
            .map(|s| (Velocity { linear: s.linear, angular: s.angular }, Velocity::default()))
            .collect();
        let near = |by: f64| with(&moved(s, &still, by), &|k| speed[k]);
        let bend = (near(1e-5) - near(-1e-5)) / 2e-5;
        let mut inverse = DMatrix::zeros(n, n);
        let mut force = DVector::zeros(n);
        for (i, (body, s)) in bodies.iter().zip(s).enumerate() {
            let turn = s.pose.rotation();
            let tensor: Matrix3<f64> = turn * body.inertia * turn.transpose();
            inverse.view_mut((6 * i, 6 * i), (3, 3)).fill_diagonal(1.0 / body.mass);
            inverse
                .view_mut((6 * i + 3, 6 * i + 3), (3, 3))
                .copy_from(&tensor.try_inverse().expect("regular"));
            force[6 * i + 2] = -body.mass * G;
            force.rows_mut(6 * i + 3, 3).copy_from(&-s.angular.cross(&(tensor * s.angular)));
        }
        let free = &inverse * force;
        let resists = &jacobian * &inverse * jacobian.transpose();
        let load = resists.lu().solve(&-(bend + &jacobian * &free)).expect("independent rows");
        let a = free + inverse * jacobian.transpose() * load;
        (0..s.len())
            .map(|i| Velocity {
                linear: a.fixed_rows::<3>(6 * i).into(),
                angular: a.fixed_rows::<3>(6 * i + 3).into(),
            })
            .collect()
    }
}

/// Velocity of a point of a body at `arm` (world) from its centre.
fn at(s: &Seen, arm: V) -> V {
    s.linear + s.angular.cross(&arm)
}

/// A ball rolls on a ball that rolls on the floor, and neither slips.
#[test]
fn a_ball_over_a_rolling_ball_is_of_second_order() {
    let (below, above) = (0.5, 0.2);
    let normal = V::new(0.15_f64.sin(), 0.0, 0.15_f64.cos());
    let spins = [V::new(0.4, 1.0, 0.5), V::new(-2.0, 2.5, 1.0)];
    let at_step = |h: f64| {
        let body = "[[body]]\nname = \"below\"\nshape = { type = \"sphere\", radius = 0.5 }\nmass = 3\n\
            inertia = [0.25, 0.3, 0.35, 0.02, 0, 0]\nposition = [0, 0, 0.5]\n\
            [[body]]\nname = \"above\"\nshape = { type = \"sphere\", radius = 0.2 }\nmass = 1\nposition = [0, 0, 1.2]\n";
        let mut scene = scene(h, 1.0, 10.0, &(FLOOR.to_owned() + body));
        let rolls = -spins[0].cross(&(V::z() * -below));
        scene.bodies[1].velocity = Velocity { linear: rolls, angular: spins[0] };
        scene.bodies[2].pose.position = V::z() * below + normal * (below + above);
        let carried = rolls + spins[0].cross(&(normal * below));
        scene.bodies[2].velocity =
            Velocity { linear: carried - spins[1].cross(&(normal * -above)), angular: spins[1] };
        scene
    };
    let forbidden = |s: &[Seen]| {
        let n = (s[1].pose.position - s[0].pose.position).normalize();
        let floor = at(&s[0], V::z() * -below);
        let between = at(&s[1], n * -above) - at(&s[0], n * below);
        floor.iter().chain(between.iter()).copied().collect()
    };
    let bodies = moving(&at_step(1e-3));
    let exact = integrate(starts(&bodies), 0.24, 2_000, constrained(&bodies, forbidden));
    assert!((exact[0].pose.position - bodies[0].pose.position).norm() > 0.05, "both move");
    assert_second_order("ball on a ball", &errors(at_step, 2, 0.24, &[8e-3, 4e-3, 2e-3], &exact));
}

/// An ellipsoid rocks on an ellipsoid that rocks on the floor, both with their masses off the centre, against
/// a fine step.
#[test]
fn an_ellipsoid_over_a_rocking_ellipsoid_is_of_second_order() {
    let at_step = |h: f64| {
        let body = "[[body]]\nname = \"below\"\nshape = { type = \"ellipsoid\", semi_axes = [0.3, 0.25, 0.1] }\n\
            shape_position = [0, 0, 0.02]\nmass = 3\ninertia = [0.045, 0.06, 0.09, 0.004, 0, 0]\nposition = [0, 0, 0.08]\nangular_velocity = [0.2, 0.3, 0.1]\n\
            [[body]]\nname = \"above\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.22, 0.05] }\n\
            shape_position = [0, 0, 0.01]\nmass = 1\ninertia = [0.01, 0.0085, 0.017, 0.001, 0, 0]\nposition = [0, 0, 0.24]\nangular_velocity = [0.4, -0.3, 0.2]\n";
        let mut scene = scene(h, 1.0, 10.0, &(FLOOR.to_owned() + body));
        let spins = [1, 2].map(|i: usize| scene.bodies[i].velocity.angular);
        let rolls = -spins[0].cross(&(V::z() * -0.08));
        scene.bodies[1].velocity.linear = rolls;
        scene.bodies[2].velocity.linear =
            rolls + spins[0].cross(&(V::z() * 0.12)) - spins[1].cross(&(V::z() * -0.04));
        scene
    };
    let exact = seen_all(at_step(1.25e-4), 2, 0.4);
    assert_second_order("ellipsoid on an ellipsoid", &errors(at_step, 2, 0.4, &STEPS, &exact));
}

/// A ball slides and spins on a plank that is itself free to slide and turn: each moves the other, F = −μ m g
/// u/|u|.
#[test]
fn a_ball_that_slides_on_a_free_plank_is_of_second_order() {
    let (mu, radius) = (0.3, 0.1);
    let at_step = |h: f64| {
        let body = "[[friction]]\nbetween = [\"steel\", \"ice\"]\ncoefficient = 0\n\
            [[friction]]\nbetween = [\"steel\", \"wood\"]\ncoefficient = 0.3\n\
            [[body]]\nname = \"floor\"\nmaterial = \"ice\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
            [[body]]\nname = \"plank\"\nmaterial = \"steel\"\nshape = { type = \"box\", half_extents = [1, 0.8, 0.05] }\nmass = 3\n\
            position = [0, 0, 0.05]\nvelocity = [-0.5, 0.3, 0]\nangular_velocity = [0, 0, 0.4]\n\
            [[body]]\nname = \"ball\"\nmaterial = \"wood\"\nshape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n\
            position = [-0.3, -0.3, 0.2]\nvelocity = [2, 0.2, 0]\nangular_velocity = [30, 5, 8]\n";
        scene(h, 1.0, mu, body)
    };
    let bodies = moving(&at_step(1e-3));
    let moments = [bodies[0].inertia.m33, bodies[1].inertia.m33];
    let slip = |s: &[Seen]| {
        let arm = s[1].pose.position - s[0].pose.position;
        at(&s[1], V::z() * -radius) - at(&s[0], V::new(arm.x, arm.y, 0.0))
    };
    let rates = |s: &[Seen]| {
        let arm = s[1].pose.position - s[0].pose.position;
        let force = slip(s).normalize() * (-mu * G);
        let yaw = arm.x * -force.y - arm.y * -force.x;
        vec![
            Velocity { linear: -force / 3.0, angular: V::z() * (yaw / moments[0]) },
            Velocity { linear: force, angular: (V::z() * -radius).cross(&force) / moments[1] },
        ]
    };
    let exact = integrate(starts(&bodies), 0.16, 10_000, rates);
    assert!(slip(&exact).norm() > 0.5, "it still slides: {:?}", slip(&exact));
    assert_second_order("ball on a plank", &errors(at_step, 2, 0.16, &STEPS, &exact));
}

/// A point of a body, in its frame.
fn inner(body: &Body, world: V) -> V {
    body.pose.orientation.inverse() * (world - body.pose.position)
}

/// The double pendulum, thrown out of its plane.
#[test]
fn a_double_pendulum_is_of_second_order() {
    let at_step = |h: f64| {
        let mut scene = shipped("seeds/double-pendulum.toml");
        (scene.time_step, scene.solver.integrator) = (h, Integrator::Staggered);
        for body in scene.bodies.iter_mut().filter(|body| !body.fixed) {
            // Both turn about the shoulder as one.
            body.velocity.angular = V::new(0.5, -0.5, 1.5);
            body.velocity.linear = body.velocity.angular.cross(&body.pose.position);
        }
        scene
    };
    let bodies = moving(&at_step(1e-3));
    let elbow = V::x();
    let shoulder = inner(&bodies[0], V::zeros());
    let elbows = [inner(&bodies[0], elbow), inner(&bodies[1], elbow)];
    let forbidden = |s: &[Seen]| {
        let turned = |i: usize, arm: V| s[i].pose.orientation * arm;
        let at_shoulder = at(&s[0], turned(0, shoulder));
        let at_elbow = at(&s[1], turned(1, elbows[1])) - at(&s[0], turned(0, elbows[0]));
        let spin = s[1].angular - s[0].angular;
        let tilt = [V::x(), V::z()].map(|axis| spin.dot(&turned(0, axis)));
        at_shoulder.iter().chain(at_elbow.iter()).chain(&tilt).copied().collect()
    };
    let exact = integrate(starts(&bodies), 0.5, 2_000, constrained(&bodies, forbidden));
    assert!(exact[1].pose.position.y > 0.3, "out of its plane: {:?}", exact[1].pose.position);
    assert_second_order("double pendulum", &errors(at_step, 0, 0.5, &STEPS, &exact));
}

/// The four-bar linkage: the oracle knows that it stays in its plane, and holds its pins there.
#[test]
fn a_four_bar_linkage_is_of_second_order() {
    let at_step = |h: f64| {
        let mut scene = shipped("seeds/four-bar.toml");
        (scene.time_step, scene.solver.integrator) = (h, Integrator::Staggered);
        scene
    };
    let bodies = moving(&at_step(1e-3));
    let pins = [
        V::zeros(),
        V::new(0.0, 0.0, 0.1),
        V::new(0.3218693993357726, 0.0, 0.2374775973430905),
        V::x() * 0.4,
    ];
    // Body before and after each pin; None is the ground.
    let between = [(None, Some(0)), (Some(0), Some(1)), (Some(1), Some(2)), (Some(2), None)];
    let arms: Vec<_> = pins
        .iter()
        .zip(between)
        .map(|(pin, (a, b))| [a, b].map(|id: Option<usize>| id.map(|i| (i, inner(&bodies[i], *pin)))))
        .collect();
    let forbidden = |s: &[Seen]| {
        let speed = |side: &Option<(usize, V)>| {
            side.map_or(V::zeros(), |(i, arm)| at(&s[i], s[i].pose.orientation * arm))
        };
        let of_pin = |pin: &[Option<(usize, V)>; 2]| {
            let parts = speed(&pin[1]) - speed(&pin[0]);
            [parts.x, parts.z]
        };
        arms.iter().flat_map(of_pin).collect()
    };
    let exact = integrate(starts(&bodies), 0.3, 2_000, constrained(&bodies, forbidden));
    let turned = exact[0].pose.orientation.angle_to(&bodies[0].pose.orientation);
    assert!(turned > 0.3, "it moves: {turned}");
    assert_second_order("four-bar linkage", &errors(at_step, 0, 0.3, &STEPS, &exact));
}
