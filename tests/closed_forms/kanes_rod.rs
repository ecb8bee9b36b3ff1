//! Kane's rod: a body that strikes the floor at an angle, in the plane of its fall [KL].

use crate::impacts::FLOOR;
use nalgebra::{Matrix2, Vector2, Vector3};
use signorini::step::StepPhase;
use signorini_scene::scene::Scene;
use support::runs::{Run, body};

const MASS: f64 = 1.5;
const INERTIA: f64 = 0.08;

/// The rod when it has struck.
pub struct Strike {
    /// After that step.
    run: Run,
    /// Coefficient of friction.
    pub mu: f64,
    /// Of the rod (rad).
    angle: f64,
    /// From the rod's centre of mass to the point that strikes (m).
    arm: Vector3<f64>,
    /// Velocity before, along x and z (m/s).
    pub before: Vector2<f64>,
    /// Velocities of the point per impulse, along x and z: v + ω × r with ω = (r × P)_y / I.
    pub yields: Matrix2<f64>,
}

/// The rod at five coefficients of friction and three angles, with the restitution `e` of a law of impact
/// that records a contact of `phase`. `scene` makes one of step, duration, gravity, friction and bodies.
pub fn strikes(
    e: f64,
    phase: StepPhase,
    scene: fn(f64, f64, f64, &str, &str) -> Scene,
) -> impl Iterator<Item = Strike> {
    let each = [0.0, 0.1, 0.3, 0.6, 1.2].into_iter().enumerate();
    each.flat_map(|(k, mu)| [0.3_f64, 0.9, 1.3].map(|angle| (k, mu, angle))).map(move |(k, mu, angle)| {
        let speed = [0.4 * k as f64 - 0.6, -2.0];
        let (cos, sin) = ((angle / 2.0).cos(), (angle / 2.0).sin());
        let rod = format!(
            "[[body]]\nname = \"rod\"\nmass = {MASS}\ninertia = [0.1, {INERTIA}, 0.02, 0, 0, 0]\n\
             shape = {{ type = \"ellipsoid\", semi_axes = [0.5, 0.05, 0.05] }}\nposition = [0, 0, 0.7]\n\
             orientation = [{cos:?}, 0, {sin:?}, 0]\nvelocity = [{:?}, 0, {:?}]\n",
            speed[0], speed[1]
        );
        let friction =
            format!("coefficient = {mu}\nrestitution = {e}\nellipsoid = {{ t = 1, o = 1, r = 0 }}");
        let mut run = Run::new(scene(1e-3, 1.0, 0.0, &friction, &(FLOOR.to_owned() + &rod)));
        while run.contacts().iter().all(|c| c.phase != phase) {
            run.advance();
        }
        let contact = run.contacts().iter().find(|c| c.phase == phase).unwrap();
        let arm = contact.ecp - run.state().poses[body(run.scene(), "rod")].position;
        let yields = Matrix2::new(
            1.0 / MASS + arm.z * arm.z / INERTIA,
            -arm.z * arm.x / INERTIA,
            -arm.z * arm.x / INERTIA,
            1.0 / MASS + arm.x * arm.x / INERTIA,
        );
        Strike { run, mu, angle, arm, before: Vector2::from(speed), yields }
    })
}

impl Strike {
    /// The rod leaves with what an impulse (x, z) gives it.
    pub fn assert_left_by(&self, impulse: &Vector2<f64>) {
        let found = self.run.velocity("rod");
        let spin = (self.arm.z * impulse.x - self.arm.x * impulse.y) / INERTIA;
        let linear = self.before + impulse / MASS;
        let off = Vector3::new(found.linear.x - linear.x, found.linear.z - linear.y, found.angular.y - spin);
        assert!(off.norm() < 1e-7, "mu {}, {} rad: {found:?} is off by {off:?}", self.mu, self.angle);
    }
}
