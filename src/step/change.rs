//! Small changes: of the causes of a step, and of the states that follow from them.

use nalgebra::{SVector, Vector3, Vector6};

/// Small change of the state of a body, world axes: a vector of the tangent space of its pose and velocity.
/// A change of orientation is the rotation vector δθ of R ← exp(δθ) R.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyTangent {
    /// δc of the centre of mass (m).
    pub position: Vector3<f64>,
    /// δθ (rad).
    pub rotation: Vector3<f64>,
    /// δv of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// δω (rad/s).
    pub spin: Vector3<f64>,
}

impl BodyTangent {
    /// Number of entries.
    pub const LEN: usize = 12;

    /// Entries in the order δc, δθ, δv, δω.
    pub fn to_vector(&self) -> SVector<f64, { Self::LEN }> {
        let parts = [self.position, self.rotation, self.velocity, self.spin];
        SVector::from_fn(|i, _| parts[i / 3][i % 3])
    }

    /// The change with these entries.
    pub fn from_vector(entries: &SVector<f64, { Self::LEN }>) -> Self {
        let part = |k: usize| entries.fixed_rows::<3>(3 * k).into_owned();
        Self { position: part(0), rotation: part(1), velocity: part(2), spin: part(3) }
    }
}

/// Small change of the place of a joint in one of its bodies, in the axes of the body.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlaceTangent {
    /// δa of the anchor (m).
    pub anchor: Vector3<f64>,
    /// Turn of the joint's frame about the anchor (rad): its axis and the other two turn with it.
    pub turn: Vector3<f64>,
}

impl PlaceTangent {
    /// Adds another change.
    pub fn add(&mut self, other: &Self) {
        self.anchor += other.anchor;
        self.turn += other.turn;
    }
}

/// Small change of what a step depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// State at the start, per body; entries of fixed bodies, and velocities of bodies with prescribed
    /// motion, count for nothing.
    pub start: Vec<BodyTangent>,
    /// Impulse at the centre of mass (N s) and angular impulse (N m s) that act once, at the start of the
    /// step, per body, world axes.
    pub impulse: Vec<[Vector3<f64>; 2]>,
    /// Force at the centre of mass (N) and torque (N m) over the step, per body, world axes.
    pub force: Vec<[Vector3<f64>; 2]>,
    /// Mass (kg) per body, its inertia unchanged.
    pub mass: Vec<f64>,
    /// Inertia about the centre of mass (kg m²) per body, in the axes of the body, its mass unchanged:
    /// components xx, yy, zz, xy, xz, yz.
    pub inertia: Vec<Vector6<f64>>,
    /// Place of the centre of mass (m) per body that moves, in the axes of the body, against its shapes and
    /// joints; mass and inertia about it unchanged. `start` is that of the centre of mass: shapes that stay
    /// where they are take a start that moves by R δ at ω × R δ besides.
    pub centre: Vec<Vector3<f64>>,
    /// Semi-axes of an ellipsoid or half extents of a box (m) per body, in the axes of its shape, mass and
    /// inertia unchanged; entries of bodies of other shapes or of several parts count for nothing.
    pub size: Vec<Vector3<f64>>,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Coefficient of friction of every contact that has one above 0.
    pub friction: f64,
    /// Coefficient of restitution of every contact that has one above 0.
    pub restitution: f64,
    /// Target of each motor that is set from outside, in its unit and in the order of the scene's controls;
    /// those that are left out do not change.
    pub motor: Vec<f64>,
    /// Place of each joint of the scene in its bodies A and B; coordinates at time 0, limits and lengths
    /// unchanged. Those that are left out do not change.
    pub joint: Vec<[PlaceTangent; 2]>,
    /// Prescribed motion of each coordinate of a joint that has one (m or rad), over the whole step, in the
    /// order of [`Scene::courses`](signorini_scene::scene::Scene::courses). Those that are left out do not
    /// change.
    pub course: Vec<f64>,
    /// Displacement of each motion of a body (m or rad, s of one through poses), over the whole step, in the
    /// order of the scene's motions: the step leads the body to where it is then. Those that are left out do
    /// not change.
    pub motion: Vec<f64>,
    /// Length of the step (s), the time at its start unchanged.
    pub time_step: f64,
    /// Time at the start of the step (s): that of targets and prescribed motions that are functions of time.
    pub time: f64,
}

impl Change {
    /// No change of anything, for so many bodies. Motors, joints, courses and motions are left out.
    pub fn none(n_bodies: usize) -> Self {
        Self::sized(n_bodies, [0; 3])
    }

    /// No change of anything, for so many bodies, and so many motors, joints and courses. Motions are left
    /// out.
    pub fn sized(n_bodies: usize, [n_motors, n_joints, n_courses]: [usize; 3]) -> Self {
        Self {
            start: vec![BodyTangent::default(); n_bodies],
            impulse: vec![[Vector3::zeros(); 2]; n_bodies],
            force: vec![[Vector3::zeros(); 2]; n_bodies],
            mass: vec![0.0; n_bodies],
            inertia: vec![Vector6::zeros(); n_bodies],
            centre: vec![Vector3::zeros(); n_bodies],
            size: vec![Vector3::zeros(); n_bodies],
            gravity: Vector3::zeros(),
            friction: 0.0,
            restitution: 0.0,
            motor: vec![0.0; n_motors],
            joint: vec![[PlaceTangent::default(); 2]; n_joints],
            course: vec![0.0; n_courses],
            motion: Vec::new(),
            time_step: 0.0,
            time: 0.0,
        }
    }

    /// Adds another change.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.start.iter_mut().zip(&other.start) {
            *own = BodyTangent::from_vector(&(own.to_vector() + other.to_vector()));
        }
        let pairs = [(&mut self.impulse, &other.impulse), (&mut self.force, &other.force)];
        for (own, other) in pairs {
            own.iter_mut().flatten().zip(other.iter().flatten()).for_each(|(own, other)| *own += other);
        }
        self.mass.iter_mut().zip(&other.mass).for_each(|(own, other)| *own += other);
        self.inertia.iter_mut().zip(&other.inertia).for_each(|(own, other)| *own += other);
        self.centre.iter_mut().zip(&other.centre).for_each(|(own, other)| *own += other);
        self.size.iter_mut().zip(&other.size).for_each(|(own, other)| *own += other);
        self.gravity += other.gravity;
        self.friction += other.friction;
        self.restitution += other.restitution;
        add_longer(&mut self.motor, &other.motor);
        self.joint.resize(self.joint.len().max(other.joint.len()), [PlaceTangent::default(); 2]);
        let places = self.joint.iter_mut().flatten().zip(other.joint.iter().flatten());
        places.for_each(|(own, other)| own.add(other));
        add_longer(&mut self.course, &other.course);
        add_longer(&mut self.motion, &other.motion);
        self.time_step += other.time_step;
        self.time += other.time;
    }
}

/// Adds numbers, those that are left out as 0.
fn add_longer(own: &mut Vec<f64>, other: &[f64]) {
    own.resize(own.len().max(other.len()), 0.0);
    own.iter_mut().zip(other).for_each(|(own, other)| *own += other);
}
