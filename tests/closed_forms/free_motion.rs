//! Bodies that nothing turns, and tops, against Euler's equations.

use nalgebra::{UnitQuaternion, Vector3};
use signorini_scene::settings::{Formulation, Gyroscopic};
use support::runs::{Run, from_text, shipped};

/// World angular momentum with the tensor at the pose.
fn angular_momentum(run: &Run, i: usize) -> Vector3<f64> {
    let (pose, velocity) = (&run.state().poses[i], &run.state().velocities[i]);
    pose.orientation * (run.scene().bodies[i].inertia * (pose.orientation.inverse() * velocity.angular))
}

/// Times at which the spin about the intermediate axis changes sign, from Euler's equations
/// I ω' = −ω × I ω in body axes by Runge and Kutta's method of order 4 with a fine step.
fn turning_times(inertia: &Vector3<f64>, mut spin: Vector3<f64>, until: f64) -> Vec<f64> {
    let slope = |w: Vector3<f64>| -w.cross(&inertia.component_mul(&w)).component_div(inertia);
    let (h, mut times) = (1e-4, Vec::new());
    for step in 0..(until / h) as usize {
        let k1 = slope(spin);
        let k2 = slope(spin + k1 * (0.5 * h));
        let k3 = slope(spin + k2 * (0.5 * h));
        let k4 = slope(spin + k3 * h);
        let next = spin + (k1 + (k2 + k3) * 2.0 + k4) * (h / 6.0);
        if spin.y * next.y < 0.0 {
            times.push(h * (step as f64 + spin.y / (spin.y - next.y)));
        }
        spin = next;
    }
    times
}

/// Box of 0.4 × 0.2 × 0.1 m in free flight.
fn brick(spin: &str, step: f64, duration: f64) -> Run {
    Run::new(from_text(&format!(
        "format = 1
[simulation]
time_step = {step}
duration = {duration}
gravity = [0, 0, 0]
[[friction]]
coefficient = 0.3
[[body]]
name = \"brick\"
shape = {{ type = \"box\", half_extents = [0.2, 0.1, 0.05] }}
density = 1000
angular_velocity = {spin}
"
    )))
}

/// Momentum and energy of a tumbling brick, at any step: up to three turns in each.
#[test]
fn a_free_brick_keeps_momentum_and_energy() {
    for (step, bound) in [(1e-3, 1e-13), (0.01, 1e-13), (0.1, 1e-12), (0.5, 1e-11)] {
        let mut run = brick("[20, 20, 5]", step, 2.0);
        let (momentum, energy) = (angular_momentum(&run, 0), run.kinetic_energy());
        for _ in 0..run.scene().n_steps() {
            run.advance();
            let off = (angular_momentum(&run, 0) - momentum).norm() / momentum.norm();
            assert!(off < bound, "step of {step} s: momentum {off:e}");
            let off = run.kinetic_energy() / energy - 1.0;
            assert!(off.abs() < bound, "step of {step} s: energy {off:e}");
        }
    }
}

/// Faster than any step can follow, the same holds.
#[test]
fn a_free_brick_that_turns_ten_times_in_a_step_keeps_them_too() {
    for formulation in [Formulation::Implicit, Formulation::Cone, Formulation::Compliant] {
        let mut run = {
            let mut scene = brick("[1e4, 2e4, -3e3]", 0.01, 0.5).scene().clone();
            scene.solver.formulation = formulation;
            Run::new(scene)
        };
        let (momentum, energy) = (angular_momentum(&run, 0), run.kinetic_energy());
        run.run_to_the_end();
        assert!((angular_momentum(&run, 0) / momentum.norm() - momentum.normalize()).norm() < 1e-12);
        assert!((run.kinetic_energy() / energy - 1.0).abs() < 1e-12, "{formulation:?}");
    }
}

/// Symplectic Euler with an explicit gyroscopic torque blew this spin up within two seconds.
#[test]
fn compliant_bodies_fly_as_well() {
    let mut scene = brick("[0.1, 60, 0.1]", 0.01, 3.0).scene().clone();
    scene.solver.formulation = Formulation::Compliant;
    let mut run = Run::new(scene);
    let (momentum, energy) = (angular_momentum(&run, 0), run.kinetic_energy());
    run.run_to_the_end();
    assert!((angular_momentum(&run, 0) - momentum).norm() < 1e-12 * momentum.norm());
    assert!((run.kinetic_energy() / energy - 1.0).abs() < 1e-12);
}

/// Spin about the intermediate axis turns over when Euler's equations say, whatever the step.
#[test]
fn a_free_ellipsoid_turns_over_in_time() {
    for (h, bound) in [(0.02, 2e-3), (1e-3, 1e-5)] {
        let mut scene = shipped("seeds/free-ellipsoid.toml");
        scene.time_step = h;
        scene.duration = 5.0;
        let expected =
            turning_times(&scene.bodies[0].inertia.diagonal(), scene.bodies[0].velocity.angular, 5.0);
        let mut run = Run::new(scene);
        let (mut before, mut times) = (run.velocity("ellipsoid").angular.y, Vec::new());
        for _ in 0..run.scene().n_steps() {
            run.advance();
            let spin = (run.state().poses[0].orientation.inverse() * run.velocity("ellipsoid").angular).y;
            if before * spin < 0.0 {
                times.push(run.time() - h * spin / (spin - before));
            }
            before = spin;
        }
        assert_eq!(times.len(), expected.len(), "{times:?}");
        assert!((times[0] - expected[0]).abs() < bound, "step of {h} s: {times:?} against {expected:?}");
    }
}

/// A disc in free flight wobbles: it turns about its momentum at |L|/I₁, and in its own frame at (I₁ − I₃)/I₁
/// Ω₃.
#[test]
fn a_free_disc_precesses() {
    let scene = from_text(
        "format = 1
[simulation]
time_step = 0.02
duration = 2
gravity = [0, 0, 0]
[[friction]]
coefficient = 0.3
[[body]]
name = \"disc\"
shape = { type = \"cylinder\", radius = 0.2, length = 0.02 }
density = 1000
angular_velocity = [3, 0, 12]
",
    );
    let inertia = scene.bodies[0].inertia;
    let (i_1, i_3, spin) = (inertia[(0, 0)], inertia[(2, 2)], scene.bodies[0].velocity.angular);
    let mut run = Run::new(scene);
    run.run_to_the_end();
    let own = Vector3::z() * ((i_1 - i_3) / i_1 * spin.z * 2.0);
    let exact = UnitQuaternion::from_scaled_axis(inertia * spin * (2.0 / i_1))
        * UnitQuaternion::from_scaled_axis(own);
    let off = run.state().poses[0].orientation.angle_to(&exact);
    assert!(off < 1e-11, "{off:e}");
}

/// A top whose point is held by a ball joint precesses at the steady rate of I₃ ω₃ Ω − I₁ Ω² cos θ = m g l,
/// to first order in the step.
#[test]
fn a_heavy_top_precesses_steadily() {
    let (l, tilt, rate) = (0.1, 0.5_f64, 3.0);
    let errors = [4e-3, 2e-3, 1e-3].map(|h| {
        let mut scene = from_text(&format!(
            "format = 1
[simulation]
time_step = {h}
duration = 1
[[friction]]
coefficient = 0
[[body]]
name = \"stand\"
shape = {{ type = \"sphere\", radius = 0.001 }}
fixed = true
[[body]]
name = \"top\"
shape = {{ type = \"cylinder\", radius = 0.08, length = 0.02 }}
density = 1000
position = [{}, 0, {}]
orientation = [{}, 0, {}, 0]
[[joint]]
name = \"point\"
type = \"ball\"
between = [\"stand\", \"top\"]
anchor = [0, 0, 0]
",
            l * tilt.sin(),
            l * tilt.cos(),
            (0.5 * tilt).cos(),
            (0.5 * tilt).sin(),
        ));
        let top = &mut scene.bodies[1];
        let (own, axis) = (top.inertia, Vector3::new(tilt.sin(), 0.0, tilt.cos()));
        let (i_1, i_3) = (own[(0, 0)] + top.mass * l * l, own[(2, 2)]);
        // About the axis ω₃ = ψ' + Ω cos θ, and the spin is Ω ẑ + ψ' axis.
        let spin = (top.mass * 9.81 * l + i_1 * rate * rate * tilt.cos()) / (i_3 * rate);
        top.velocity.angular = Vector3::z() * rate + axis * (spin - rate * tilt.cos());
        top.velocity.linear = top.velocity.angular.cross(&(axis * l));
        let mut run = Run::new(scene);
        run.run_to_the_end();
        let at = run.state().poses[1].position;
        let angle = (at.y.atan2(at.x) - rate).rem_euclid(std::f64::consts::TAU);
        angle.min(std::f64::consts::TAU - angle).hypot((at.z / l).acos() - tilt)
    });
    assert!(errors[2] < 0.02, "{errors:?}");
    for pair in errors.windows(2) {
        assert!((1.7..2.4).contains(&(pair[0] / pair[1])), "{errors:?} is not of first order");
    }
}

/// Nothing acts: linear momentum stays. Spin about the intermediate axis turns over; the implicit gyroscopic
/// torque never gains energy, and its drift is first order in h.
#[test]
fn the_implicit_torque_never_gains_energy() {
    let (mut lost, mut late) = ([0.0; 2], [0.0; 2]);
    for (k, h) in [5e-4, 2.5e-4].into_iter().enumerate() {
        let mut scene = shipped("seeds/free-ellipsoid.toml");
        scene.time_step = h;
        scene.duration = 5.0;
        scene.solver.gyroscopic = Gyroscopic::Implicit;
        let expected =
            turning_times(&scene.bodies[0].inertia.diagonal(), scene.bodies[0].velocity.angular, 5.0);
        let mut run = Run::new(scene);
        let (momentum, start) = (angular_momentum(&run, 0), run.kinetic_energy());
        let (mut energy, mut spin, mut times) = (start, run.velocity("ellipsoid").angular.y, Vec::new());
        for step in 1..=run.scene().n_steps() {
            run.advance();
            let now = run.kinetic_energy();
            assert!(now <= energy * (1.0 + 1e-9), "step {step}: energy {energy} to {now}");
            energy = now;
            let velocity = run.velocity("ellipsoid");
            assert!((velocity.linear - Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12, "step {step}");
            let before = spin;
            spin = (run.state().poses[0].orientation.inverse() * velocity.angular).y;
            if before * spin < 0.0 {
                times.push(run.time() - h * spin / (spin - before));
            }
        }
        assert!(!times.is_empty(), "no turn with h = {h}, expected at {expected:?}");
        late[k] = times[0] - expected[0];
        lost[k] = 1.0 - energy / start;
        let turned = (angular_momentum(&run, 0) - momentum).norm() / momentum.norm();
        assert!(turned < 5.0 * h, "angular momentum changed by {turned} with h = {h}");
    }
    for (what, errors) in [("energy", lost), ("time of the first turn", late)] {
        let ratio = errors[0] / errors[1];
        assert!((1.8..2.2).contains(&ratio), "{what}: {errors:?} is not first order");
    }
}
