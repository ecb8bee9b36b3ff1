//! Steps built backwards from their end, so that they are exact to rounding without a solver: choose the
//! end state and the impulses, and the momentum equations give the start velocities.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini::step::{ContactRecord, ContactState, Loads, Span, StepPhase};
use signorini_geometry::Touch;
use signorini_geometry::{Pose, Shape, Velocity};
use signorini_scene::scene::{Body, Friction, FrictionTable, Part, Scene, State, Torsion};
use signorini_scene::settings::{Gyroscopic, SolverSettings};

pub type V = Vector3<f64>;

pub const H: f64 = 0.01;
pub const G: f64 = 9.81;

/// A step with everything the referee is shown.
#[derive(Clone)]
pub struct Step {
    pub scene: Scene,
    pub before: State,
    pub after: State,
    pub loads: Loads,
    pub contacts: Vec<ContactRecord>,
}

pub fn v(x: f64, y: f64, z: f64) -> V {
    Vector3::new(x, y, z)
}

pub fn pose(position: V, turn: V) -> Pose {
    Pose { position, orientation: UnitQuaternion::from_scaled_axis(turn) }
}

pub fn ellipsoid(name: &str, semi_axes: V, mass: f64, pose: Pose, velocity: Velocity) -> Body {
    let s = semi_axes.component_mul(&semi_axes);
    let inertia = Matrix3::from_diagonal(&v(s.y + s.z, s.x + s.z, s.x + s.y)) * (mass / 5.0);
    Body {
        name: name.into(),
        parts: vec![Part::new(Shape::Ellipsoid { semi_axes })],
        triangles: None,
        mass,
        inertia,
        pose,
        velocity,
        fixed: false,
        force: V::zeros(),
        torque: V::zeros(),
    }
}

pub fn floor() -> Body {
    Body {
        name: "floor".into(),
        parts: vec![Part::new(Shape::HalfSpace { normal: V::z(), offset: 0.0 })],
        fixed: true,
        mass: 0.0,
        inertia: Matrix3::zeros(),
        ..ellipsoid("", v(1.0, 1.0, 1.0), 1.0, Pose::identity(), Velocity::default())
    }
}

pub fn friction(coefficient: f64, tangential: [f64; 2], torsional: f64) -> Friction {
    let direction = (tangential[0] != tangential[1]).then(|| v(0.6, 0.8, 0.0));
    let torsional = Torsion::Radius(torsional);
    Friction { coefficient, tangential, torsional, direction, ..Friction::NONE }
}

pub fn scene(bodies: Vec<Body>, friction: Friction) -> Scene {
    Scene {
        time_step: H,
        duration: 1.0,
        gravity: v(0.0, 0.0, -G),
        seed: 1,
        // The start of a step then follows from its end by hand.
        solver: SolverSettings {
            tolerance: 1e-8,
            gyroscopic: Gyroscopic::Implicit,
            ..SolverSettings::default()
        },
        bodies,
        friction: FrictionTable { materials: vec!["stuff".into()], entries: vec![friction] },
        impulses: vec![],
        forces: vec![],
        springs: vec![],
        joints: Vec::new(),
        couplings: Vec::new(),
        controls: Vec::new(),
        servos: Vec::new(),
        motions: Vec::new(),
        excluded: Vec::new(),
        compliance: vec![],
        inlets: vec![],
        outlets: vec![],
        measures: vec![],
        sensors: Vec::new(),
        periodic: None,
    }
}

pub fn contact(body_a: usize, body_b: usize, ecp: V, normal: V, normal_impulse: f64) -> ContactRecord {
    ContactRecord {
        body_a,
        body_b,
        part_a: 0,
        part_b: 0,
        image: [0; 3],
        ecp,
        normal,
        tangent: V::zeros(),
        gap: 0.0,
        normal_impulse,
        friction_impulse: V::zeros(),
        torsional_impulse: 0.0,
        torsional_radius: 0.0,
        rolling_impulse: V::zeros(),
        cohesion_impulse: 0.0,
        slip_speed: 0.0,
        state: if normal_impulse > 0.0 { ContactState::Slip } else { ContactState::Open },
        span: Span::WHOLE,
        phase: StepPhase::Whole,
        acting: None,
        touch: Touch::default(),
    }
}

/// The step that ends at the scene's poses and velocities under `contacts`: the equations of motion
/// solved for the start velocities (implicit gyroscopic torque: all its data are of the end).
pub fn step_ending_in(scene: Scene, contacts: Vec<ContactRecord>) -> Step {
    let after = scene.initial_state();
    let mut loads = Loads::default();
    loads.gather(&scene, 0);
    let mut before = after.clone();
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
        let end = after.velocities[i];
        let turn = UnitQuaternion::from_scaled_axis(-end.angular * H);
        let start = &mut before.poses[i];
        start.position -= end.linear * H;
        start.orientation = turn * start.orientation;
        let r = start.rotation();
        let inertia = r * body.inertia * r.transpose();
        let mut linear = loads.force[i] * H + loads.linear_impulse[i];
        let mut angular = loads.torque[i] * H + loads.angular_impulse[i];
        if scene.solver.gyroscopic == Gyroscopic::Implicit {
            angular -= end.angular.cross(&(inertia * end.angular)) * H;
        }
        for c in &contacts {
            let sign = f64::from(i8::from(c.body_b == i) - i8::from(c.body_a == i));
            let p = (c.normal * c.normal_impulse + c.friction_impulse) * sign;
            linear += p;
            angular += (c.ecp - after.poses[i].position).cross(&p) + c.normal * (c.torsional_impulse * sign);
        }
        before.velocities[i].linear = end.linear - linear / body.mass;
        before.velocities[i].angular = end.angular - inertia.try_inverse().unwrap() * angular;
    }
    Step { scene, before, after, loads, contacts }
}

impl Step {
    pub fn judge(&self) -> Verdict {
        Referee::new(&self.scene).judge(&self.record())
    }

    /// The step as the referee is shown it.
    pub fn record(&self) -> RecordedStep<'_> {
        RecordedStep {
            scene: &self.scene,
            before: Some(&self.before),
            after: &self.after,
            loads: &self.loads,
            contacts: &self.contacts,
            joints: &[],
            substeps: &[],
        }
    }

    /// Rebuilds the start after a change of the end or of the contacts: the lie is then consistent with
    /// momentum, and another claim must fail.
    pub fn consistent(&self) -> Step {
        let mut scene = self.scene.clone();
        for (i, body) in scene.bodies.iter_mut().enumerate() {
            (body.pose, body.velocity) = (self.after.poses[i], self.after.velocities[i]);
        }
        step_ending_in(scene, self.contacts.clone())
    }
}

/// Fills in the friction that maximum dissipation demands for the slip at the end of the step, written
/// out by hand: F = −μ p_n (e_t² v_t t + e_o² v_o o)/|w|, p_r = −μ p_n e_r² ω_n/|w|.
pub fn slide(scene: &Scene, c: &mut ContactRecord) {
    let f = scene.friction.entries[0];
    let (a, b) = (&scene.bodies[c.body_a], &scene.bodies[c.body_b]);
    let at = |body: &Body| body.velocity.linear + body.velocity.angular.cross(&(c.ecp - body.pose.position));
    let n = c.normal;
    let slip = at(b) - at(a);
    let spin = n.dot(&(b.velocity.angular - a.velocity.angular));
    let along = match f.direction {
        Some(d) => a.pose.orientation * d,
        None => v(0.3, 0.2, 0.9),
    };
    let t = (along - n * n.dot(&along)).normalize();
    let o = n.cross(&t);
    let [e_t, e_o] = f.tangential;
    let w = v(e_t * slip.dot(&t), e_o * slip.dot(&o), f.torsional.of_point() * spin);
    c.slip_speed = w.norm();
    let scale = -f.coefficient * c.normal_impulse / w.norm();
    c.friction_impulse = (t * (e_t * w.x) + o * (e_o * w.y)) * scale;
    c.torsional_impulse = f.torsional.of_point() * w.z * scale;
}

/// A sphere of radius 0.1 and mass 2 that slides and spins on the floor.
pub fn sliding_sphere(friction: Friction) -> Step {
    let velocity = Velocity { linear: v(1.0, 0.4, 0.0), angular: v(2.0, -1.0, 3.0) };
    let ball = ellipsoid("ball", v(0.1, 0.1, 0.1), 2.0, pose(v(3.0, -2.0, 0.1), v(0.1, 0.7, -0.3)), velocity);
    let scene = scene(vec![floor(), ball], friction);
    let mut c = contact(0, 1, v(3.0, -2.0, 0.0), V::z(), 2.0 * G * H);
    slide(&scene, &mut c);
    step_ending_in(scene, vec![c])
}

/// Two rotated ellipsoids that touch along n, sliding on each other, and a third body far away.
pub fn touching_ellipsoids() -> Step {
    let (axes_a, axes_b) = (v(0.10, 0.07, 0.05), v(0.12, 0.05, 0.08));
    let n = v(0.3, -0.5, 0.7).normalize();
    let support = |pose: &Pose, axes: &V| {
        let q =
            pose.rotation() * Matrix3::from_diagonal(&axes.component_mul(axes)) * pose.rotation().transpose();
        q * n / n.dot(&(q * n)).sqrt()
    };
    let pose_a = pose(v(0.2, 0.1, 1.0), v(0.5, -0.2, 0.9));
    let ecp = pose_a.position + support(&pose_a, &axes_a);
    let mut pose_b = pose(V::zeros(), v(-1.0, 0.4, 0.3));
    pose_b.position = ecp + support(&pose_b, &axes_b);
    let still = Velocity { linear: v(0.1, 0.2, -0.1), angular: v(1.0, -4.0, 2.0) };
    let moving = Velocity { linear: v(-0.3, 0.1, 0.2), angular: v(-2.0, 1.0, 3.0) };
    let far = ellipsoid("far", v(0.1, 0.1, 0.05), 1.0, pose(v(2.0, 2.0, 2.0), v(1.0, 0.0, 0.0)), moving);
    let bodies =
        vec![ellipsoid("a", axes_a, 1.0, pose_a, still), ellipsoid("b", axes_b, 1.5, pose_b, moving), far];
    let scene = scene(bodies, friction(0.4, [1.0, 1.0], 0.02));
    let mut c = contact(0, 1, ecp, n, 0.3);
    slide(&scene, &mut c);
    step_ending_in(scene, vec![c])
}
