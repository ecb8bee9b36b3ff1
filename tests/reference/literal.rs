//! The literal NCP of the papers against its own examples, analytic motions and hand-built edge cases.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini::Error;
use signorini::reference::{MAX_MOVING, ReferenceNcp};
use signorini::step::{ContactRecord, ContactState, Loads, StepInfo};
use signorini::stepper::Stepper;
use signorini_geometry::{Pose, Shape, Velocity};
use signorini_ncp::solver::SolveStatus;
use signorini_scene::scene::{Body, Friction, FrictionTable, Part, Scene, State, Torsion};
use signorini_scene::settings::Gyroscopic;
use support::judged_steps::{self, pose, v};

const G: f64 = 9.81;

fn at(x: f64, y: f64, z: f64) -> Pose {
    pose(v(x, y, z), Vector3::zeros())
}

fn ellipsoid(semi_axes: [f64; 3], mass: f64, pose: Pose) -> Body {
    judged_steps::ellipsoid("ellipsoid", semi_axes.into(), mass, pose, Velocity::default())
}

fn sphere(radius: f64, mass: f64, pose: Pose) -> Body {
    ellipsoid([radius; 3], mass, pose)
}

fn floor(normal: Vector3<f64>) -> Body {
    Body { parts: vec![Part::new(Shape::HalfSpace { normal, offset: 0.0 })], ..judged_steps::floor() }
}

fn isotropic(coefficient: f64, torsional: f64) -> Friction {
    Friction { coefficient, torsional: Torsion::Radius(torsional), ..Friction::NONE }
}

fn scene(time_step: f64, friction: Friction, bodies: Vec<Body>) -> Scene {
    Scene { time_step, ..judged_steps::scene(bodies, friction) }
}

struct Run {
    scene: Scene,
    state: State,
    stepper: ReferenceNcp,
    loads: Loads,
    step: usize,
}

impl Run {
    fn new(scene: Scene) -> Self {
        let stepper = ReferenceNcp::new(&scene).expect("a small scene");
        Self { state: scene.initial_state(), stepper, loads: Loads::default(), step: 0, scene }
    }

    /// One step, which must be solved to `residual`.
    fn advance(&mut self, residual: f64) -> StepInfo {
        self.loads.gather(&self.scene, self.step);
        let info = self.stepper.step(&self.scene, &mut self.state, &self.loads);
        self.step += 1;
        assert_eq!(info.status, SolveStatus::Solved, "step {}: {info:?}", self.step);
        assert!(info.residual.max() <= residual, "step {}: {info:?}", self.step);
        info
    }

    fn time(&self) -> f64 {
        self.step as f64 * self.scene.time_step
    }

    fn contacts(&self) -> &[ContactRecord] {
        self.stepper.contacts()
    }

    fn kinetic_energy(&self) -> f64 {
        self.scene
            .bodies
            .iter()
            .zip(self.state.poses.iter().zip(&self.state.velocities))
            .filter(|(b, _)| !b.fixed)
            .map(|(b, (pose, v))| {
                let omega = pose.orientation.inverse() * v.angular;
                0.5 * b.mass * v.linear.norm_squared() + 0.5 * omega.dot(&(b.inertia * omega))
            })
            .sum()
    }

    fn potential_energy(&self) -> f64 {
        let bodies = self.scene.bodies.iter().zip(&self.state.poses).filter(|(b, _)| !b.fixed);
        bodies.map(|(b, pose)| b.mass * G * pose.position.z).sum()
    }

    /// Momentum of the step rebuilt from the contact list alone: largest row of M Δν − loads − Σ impulses
    /// (spheres only: no gyroscopic torque).
    fn momentum_error(&self, before: &State) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, body) in self.scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
            let change = (self.state.velocities[i].linear - before.velocities[i].linear) * body.mass;
            let spin_change = self.state.velocities[i].angular - before.velocities[i].angular;
            let mut linear = change - self.loads.force[i] * self.scene.time_step;
            let mut angular = body.inertia * spin_change - self.loads.torque[i] * self.scene.time_step;
            for c in self.contacts() {
                let sign = if c.body_b == i { 1.0 } else { -1.0 };
                if c.body_a != i && c.body_b != i {
                    continue;
                }
                let force = (c.normal * c.normal_impulse + c.friction_impulse) * sign;
                linear -= force;
                angular -= (c.ecp - self.state.poses[i].position).cross(&force);
                angular -= c.normal * (c.torsional_impulse * sign);
            }
            worst = worst.max(linear.amax()).max(angular.amax());
        }
        worst
    }
}

/// [CBAT] example 1 with a sphere for the disc: rolling without slip loses nothing.
#[test]
fn rolling_sphere_keeps_its_kinetic_energy() {
    let mut ball = sphere(1.0, 1.0, at(0.0, 0.0, 1.0));
    ball.inertia = Matrix3::identity() * 0.5; // The disc's.
    ball.velocity = Velocity { linear: Vector3::new(-3.0, 0.0, 0.0), angular: Vector3::new(0.0, -3.0, 0.0) };
    let mut run = Run::new(scene(0.01, isotropic(0.4, 0.0), vec![floor(Vector3::z()), ball]));
    let start = run.kinetic_energy();
    for _ in 0..150 {
        run.advance(1e-11);
        let error = (run.kinetic_energy() / start - 1.0).abs();
        assert!(error < 1e-12, "step {}: {error}", run.step);
        assert_eq!(run.contacts()[0].state, ContactState::Stick);
    }
    assert!((run.state.poses[1].position.x + 3.0 * run.time()).abs() < 1e-11);
}

/// [CBAT] example 2: torsional friction stops the spin at 1.05 s, the last step with the impulse that is
/// left.
#[test]
fn spinning_sphere_stops_as_in_the_paper() {
    let mut ball = sphere(1.0, 1.0, at(0.0, 0.0, 1.0));
    ball.inertia = Matrix3::identity() * 0.4;
    ball.velocity.angular = Vector3::new(0.0, 0.0, 1.962);
    let mut run = Run::new(scene(0.07, isotropic(0.2, 0.4), vec![floor(Vector3::z()), ball]));
    for step in 1..=17 {
        run.advance(1e-11);
        let omega = run.state.velocities[1].angular.z;
        let torque = -run.contacts()[0].torsional_impulse / run.scene.time_step;
        // ω falls by e_r μ g h / (2/5) a step until less than that is left.
        let (expected_omega, expected_torque) = match step {
            1..=14 => (1.962 - 1.962 * 0.07 * step as f64, 0.7848),
            15 => (0.0, 0.4 * 0.03924 / 0.07),
            _ => (0.0, 0.0),
        };
        assert!((omega - expected_omega).abs() < 1e-8, "step {step}: ω = {omega}");
        assert!((torque - expected_torque).abs() < 1e-8, "step {step}: torque = {torque}");
        if step == 14 {
            assert!((omega - 0.03924).abs() < 1e-8);
        }
    }
}

/// [CBAT] example 3: one contact slides from the start, the other rolls, slides and breaks.
#[test]
fn sphere_on_two_fixed_spheres_follows_the_paper() {
    let mut small = sphere(1.0, 1.0, at(0.0, 6.621_052_631_578_95, 8.784_171_107_729_03));
    small.inertia = Matrix3::identity() * 0.4;
    small.force = Vector3::new(1.0, 2.6, -9.81);
    let mut large = sphere(10.0, 1.0, at(0.0, 0.0, 0.0));
    let mut other = sphere(9.0, 1.0, at(0.0, 11.4, 0.0));
    large.fixed = true;
    other.fixed = true;
    let mut description = scene(0.01, isotropic(0.2, 0.3), vec![large, other, small]);
    description.gravity = Vector3::zeros();
    let mut run = Run::new(description);
    let (mut last_closed, mut first_slip) = ([0.0; 2], None);
    for _ in 0..380 {
        let before = run.state.clone();
        run.advance(1e-11);
        assert!(run.momentum_error(&before) < 1e-12);
        for contact in run.contacts() {
            let force = contact.friction_impulse.norm().hypot(contact.torsional_impulse / 0.3);
            assert!(force <= 0.2 * contact.normal_impulse * (1.0 + 1e-9) + 1e-14);
            assert!(contact.gap > -1e-10);
            if contact.state == ContactState::Open {
                continue;
            }
            last_closed[contact.body_a] = run.time();
            match contact.body_a {
                0 => assert_eq!(contact.state, ContactState::Slip, "contact 1 at {}", run.time()),
                _ if contact.state == ContactState::Slip => {
                    first_slip.get_or_insert(run.time());
                }
                _ => assert_eq!(first_slip, None, "contact 2 sticks again at {}", run.time()),
            }
        }
    }
    let first_slip: f64 = first_slip.expect("contact 2 slides");
    assert!((last_closed[0] - 3.20).abs() < 0.021, "contact 1 last closed at {}", last_closed[0]);
    assert!((first_slip - 2.94).abs() < 0.021, "contact 2 slides from {first_slip}");
    assert!((last_closed[1] - 3.69).abs() < 0.031, "contact 2 last closed at {}", last_closed[1]);
}

/// A rotated ellipsoid falls, hits and rolls: every step solved, never inside, energy never gained.
#[test]
fn dropped_ellipsoid_settles_without_gaining_energy() {
    let mut body = ellipsoid([0.10, 0.07, 0.05], 1.0, at(0.0, 0.0, 0.15));
    body.pose.orientation = UnitQuaternion::from_scaled_axis(Vector3::new(0.5, 0.8, 0.2));
    body.velocity = Velocity { linear: Vector3::new(0.4, 0.1, 0.0), angular: Vector3::new(1.0, -4.0, 3.0) };
    let mut run = Run::new(scene(0.005, isotropic(0.5, 0.02), vec![floor(Vector3::z()), body]));
    let mut energy = run.kinetic_energy() + run.potential_energy();
    let mut n_closed = 0;
    for _ in 0..200 {
        run.advance(1e-11);
        let now = run.kinetic_energy() + run.potential_energy();
        assert!(now < energy + 1e-10, "step {}: energy {energy} to {now}", run.step);
        energy = now;
        for contact in run.contacts() {
            assert!(contact.gap > -1e-12, "gap {}", contact.gap);
            n_closed += usize::from(contact.state != ContactState::Open);
        }
    }
    assert!(n_closed > 100, "it stays on the floor: {n_closed}");
    assert!(energy < 0.5 * (1.0 * G * 0.15), "most of the fall is lost: {energy}");
}

/// A sphere on a slope rolls without slip iff tan θ ≤ 3.5 μ; its acceleration is known in both cases.
#[test]
fn sphere_on_a_slope_rolls_or_slides() {
    for (mu, state) in [(0.15, ContactState::Slip), (0.2, ContactState::Stick)] {
        let angle: f64 = 0.6_f64.atan(); // tan θ / 3.5 = 0.1714
        let normal = Vector3::new(angle.sin(), 0.0, angle.cos());
        let mut ball = sphere(0.5, 2.0, Pose::identity());
        ball.pose.position = normal * 0.5;
        let mut run = Run::new(scene(0.01, isotropic(mu, 0.0), vec![floor(normal), ball]));
        for _ in 0..40 {
            run.advance(1e-11);
            assert_eq!(run.contacts()[0].state, state);
        }
        let acceleration = match state {
            ContactState::Stick => G * angle.sin() / 1.4,
            _ => G * (angle.sin() - mu * angle.cos()),
        };
        let speed = run.state.velocities[1].linear.norm();
        assert!((speed - acceleration * run.time()).abs() < 1e-10, "μ = {mu}: {speed}");
    }
}

/// Three ellipsoids fall onto one another in a valley of two planes: several moving pairs, some open, some
/// closed, spinning and sliding on one another.
#[test]
fn small_heap_is_solved_at_every_step() {
    let mut bodies = vec![floor(Vector3::new(0.5, 0.0, 0.9).normalize())];
    bodies.push(floor(Vector3::new(-0.6, 0.1, 0.8).normalize()));
    for (i, x) in [0.0, 0.03, -0.02].into_iter().enumerate() {
        let mut body = ellipsoid([0.10, 0.07, 0.05], 1.0, at(x, 0.5 * x, 0.16 + 0.15 * i as f64));
        body.pose.orientation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.1 * i as f64, x * 9.0));
        bodies.push(body);
    }
    let mut run = Run::new(scene(0.005, isotropic(0.5, 0.02), bodies));
    let (mut most_closed, mut between_bodies) = (0, 0);
    for _ in 0..80 {
        run.advance(1e-10);
        let closed: Vec<_> = run.contacts().iter().filter(|c| c.state != ContactState::Open).collect();
        most_closed = most_closed.max(closed.len());
        between_bodies = between_bodies.max(closed.iter().filter(|c| c.body_a > 1).count());
        assert!(run.contacts().iter().all(|c| c.gap > -1e-10));
    }
    assert!(most_closed >= 4 && between_bodies >= 2, "closed {most_closed}, between bodies {between_bodies}");
}

/// Sliding and spinning with e_t ≠ e_o bends the friction away from −v. Maximum dissipation says
/// p_i = −μ p_n e_i² v_i/|w|, with t the projection of a direction that turns with the body.
#[test]
fn anisotropic_friction_follows_the_direction_fixed_in_the_body() {
    let mut ball = ellipsoid([0.5, 0.5, 0.4], 1.0, at(0.0, 0.0, 0.4));
    ball.velocity = Velocity { linear: Vector3::new(2.0, 1.0, 0.0), angular: Vector3::new(0.0, 0.0, 6.0) };
    let mut plane = floor(Vector3::z());
    plane.parts[0].material = 1;
    let direction = Vector3::new(0.8, 0.0, 0.6);
    let entry = Friction {
        coefficient: 0.3,
        tangential: [1.0, 0.4],
        torsional: Torsion::Radius(0.05),
        direction: Some(direction),
        ..Friction::NONE
    };
    let mut description = scene(0.01, entry, vec![plane, ball]);
    description.friction =
        FrictionTable { materials: vec!["ball".into(), "plane".into()], entries: vec![entry; 4] };
    let mut run = Run::new(description);
    for _ in 0..20 {
        run.advance(1e-11);
        let contact = run.contacts()[0];
        assert_eq!(contact.state, ContactState::Slip);
        let (pose, velocity) = (&run.state.poses[1], &run.state.velocities[1]);
        let carried = pose.orientation * direction;
        let t = (carried - contact.normal * carried.dot(&contact.normal)).normalize();
        let o = contact.normal.cross(&t);
        let slip = velocity.linear + velocity.angular.cross(&(contact.ecp - pose.position));
        let w = Vector3::new(t.dot(&slip), 0.4 * o.dot(&slip), 0.05 * velocity.angular.z);
        let limit = 0.3 * contact.normal_impulse / w.norm();
        let expected = -(t * w.x + o * (0.4 * w.y)) * limit;
        assert!((contact.friction_impulse - expected).norm() < 1e-10, "step {}", run.step);
        assert!((contact.torsional_impulse + 0.05 * w.z * limit).abs() < 1e-10);
        assert!((contact.slip_speed - w.norm()).abs() < 1e-12);
    }
}

/// A material direction that stands on the contact plane has no projection: still solved.
#[test]
fn anisotropic_direction_along_the_normal_is_not_a_fault() {
    let mut ball = sphere(0.5, 1.0, at(0.0, 0.0, 0.5));
    ball.velocity.angular = Vector3::new(0.0, 0.0, 3.0);
    let friction = Friction { tangential: [1.0, 0.5], direction: Some(Vector3::z()), ..isotropic(0.3, 0.1) };
    let mut run = Run::new(scene(0.01, friction, vec![floor(Vector3::z()), ball]));
    for _ in 0..5 {
        run.advance(1e-11);
    }
    let expected = 3.0 - 5.0 * 0.01 * 0.3 * G * 0.1 / (0.4 * 0.25);
    assert!((run.state.velocities[1].angular.z - expected).abs() < 1e-10);
}

/// Sticking in a groove with torsional friction fixes 8 velocities of a body that has 6: impulses are not
/// unique, the Jacobian is singular, the velocity is 0.
#[test]
fn sphere_wedged_in_a_groove_is_hyperstatic_and_solved() {
    let normals = [Vector3::new(0.6, 0.0, 0.8), Vector3::new(-0.6, 0.0, 0.8)];
    let mut ball = sphere(0.5, 1.0, at(0.0, 0.0, 0.625));
    ball.torque = Vector3::new(0.0, 0.3, 0.2);
    let bodies = vec![floor(normals[0]), floor(normals[1]), ball];
    let mut run = Run::new(scene(0.01, isotropic(0.8, 0.1), bodies));
    for _ in 0..20 {
        let before = run.state.clone();
        run.advance(1e-10);
        assert!(run.momentum_error(&before) < 1e-12);
        assert!(run.contacts().iter().all(|c| c.state == ContactState::Stick));
        assert!(run.kinetic_energy() < 1e-20);
    }
}

/// Two free bodies collide without gravity: they keep their linear momentum and part or stay in touch.
#[test]
fn oblique_collision_keeps_linear_momentum() {
    let mut left = ellipsoid([0.3, 0.2, 0.25], 2.0, at(-0.5, 0.0, 0.0));
    let mut right = ellipsoid([0.2, 0.3, 0.15], 1.0, at(0.3, 0.1, 0.05));
    left.velocity = Velocity { linear: Vector3::new(4.0, 0.5, 0.0), angular: Vector3::new(0.0, 2.0, 5.0) };
    right.velocity.linear = Vector3::new(-3.0, 0.0, 0.3);
    let mut description = scene(0.01, isotropic(0.4, 0.02), vec![left, right]);
    description.gravity = Vector3::zeros();
    let mut run = Run::new(description);
    let energy = run.kinetic_energy();
    let mut hits = 0;
    for _ in 0..20 {
        run.advance(1e-11);
        hits += run.contacts().iter().filter(|c| c.state != ContactState::Open).count();
        let v = &run.state.velocities;
        let momentum = v[0].linear * 2.0 + v[1].linear;
        assert!((momentum - Vector3::new(5.0, 1.0, 0.3)).norm() < 1e-12, "step {}", run.step);
    }
    assert!(hits >= 1, "they meet");
    assert!(run.kinetic_energy() < 0.9 * energy, "inelastic: {} of {energy}", run.kinetic_energy());
}

/// Both places of the gyroscopic torque, in free flight, by their own formulas with the inertia of the start.
#[test]
fn gyroscopic_torque_is_where_the_settings_say() {
    for gyroscopic in [Gyroscopic::Implicit, Gyroscopic::Explicit] {
        let mut body = ellipsoid([0.3, 0.2, 0.1], 1.0, at(0.0, 0.0, 9.0));
        body.pose.orientation = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -0.3, 0.9));
        body.velocity.angular = Vector3::new(3.0, 5.0, -2.0);
        let mut description = scene(0.01, Friction::NONE, vec![floor(Vector3::z()), body]);
        description.solver.gyroscopic = gyroscopic;
        let mut run = Run::new(description);
        for _ in 0..5 {
            let before = run.state.clone();
            run.advance(1e-11);
            let rotation = before.poses[1].rotation();
            let inertia = rotation * run.scene.bodies[1].inertia * rotation.transpose();
            let (old, new) = (before.velocities[1].angular, run.state.velocities[1].angular);
            let omega = if gyroscopic == Gyroscopic::Implicit { new } else { old };
            let error = inertia * (new - old) + omega.cross(&(inertia * omega)) * 0.01;
            assert!(error.norm() < 1e-14 && (new - old).norm() > 1e-3, "{gyroscopic:?}: {error}");
        }
    }
}

/// μ = 0 leaves the spin alone; a start 1e-6 m inside is taken up; a far world origin costs only rounding.
#[test]
fn frictionless_slightly_inside_and_far_from_the_origin() {
    let mut ball = sphere(0.5, 1.0, at(2e3, -1e3, 0.5 - 1e-6));
    ball.velocity = Velocity { linear: Vector3::new(1.0, 0.0, 0.0), angular: Vector3::new(0.0, 3.0, 1.0) };
    let mut run = Run::new(scene(0.01, Friction::NONE, vec![floor(Vector3::z()), ball]));
    for _ in 0..20 {
        run.advance(1e-9);
        assert!(run.contacts()[0].gap > -1e-12);
        assert_eq!(run.contacts()[0].friction_impulse, Vector3::zeros());
        assert!((run.state.velocities[1].angular - Vector3::new(0.0, 3.0, 1.0)).norm() < 1e-13);
    }
}

/// A scene at rest without loads has no scale of its own: it stays as it is.
#[test]
fn nothing_happens_where_nothing_acts() {
    let mut description =
        scene(0.01, isotropic(0.5, 0.1), vec![floor(Vector3::z()), sphere(0.5, 1.0, at(0.0, 0.0, 0.5))]);
    description.gravity = Vector3::zeros();
    let mut run = Run::new(description);
    run.advance(1e-11);
    assert_eq!(run.state.velocities[1].linear.norm(), 0.0);
}

/// Same input, same bits.
#[test]
fn runs_are_reproducible_bit_by_bit() {
    let run = || {
        let mut body = ellipsoid([0.10, 0.07, 0.05], 1.0, at(0.0, 0.0, 0.12));
        body.velocity.angular = Vector3::new(1.0, 8.0, 2.0);
        let mut run = Run::new(scene(0.005, isotropic(0.5, 0.02), vec![floor(Vector3::z()), body]));
        for _ in 0..40 {
            run.advance(1e-11);
        }
        run.state
    };
    assert_eq!(run(), run());
}

/// Scenes it cannot run are refused by name and number.
#[test]
fn too_large_scenes_and_moving_planes_are_refused() {
    let balls = |n: usize| (0..n).map(|i| sphere(0.1, 1.0, at(i as f64, 0.0, 0.1))).collect::<Vec<_>>();
    let message = |bodies: Vec<Body>| match ReferenceNcp::new(&scene(0.01, Friction::NONE, bodies)) {
        Err(Error::Usage { what, allowed }) => format!("{what}: {allowed}"),
        other => panic!("accepted: {other:?}"),
    };
    let text = message(balls(MAX_MOVING + 1));
    assert!(text.contains("13 moving bodies") && text.contains("at most 12"), "{text}");
    let text = message(balls(10));
    assert!(text.contains("45 pairs") && text.contains("at most 40"), "{text}");
    let mut plane = floor(Vector3::z());
    plane.fixed = false;
    assert!(message(vec![plane]).contains("\"floor\""));
}
