//! Small changes: of the causes of a step, and of the states that follow from them.

use nalgebra::{SVector, Vector3};

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

/// Small change of what a step depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// State at the start, per body; entries of bodies that are fixed or driven count for nothing.
    pub start: Vec<BodyTangent>,
    /// Impulse at the centre of mass (N s) and angular impulse (N m s) that act once, at the start of the
    /// step, per body, world axes.
    pub impulse: Vec<[Vector3<f64>; 2]>,
    /// Force at the centre of mass (N) and torque (N m) over the step, per body, world axes.
    pub force: Vec<[Vector3<f64>; 2]>,
    /// Mass (kg) per body, its inertia unchanged.
    pub mass: Vec<f64>,
    /// Semi-axes of an ellipsoid or half extents of a box (m) per body, in the axes of its shape, mass and
    /// inertia unchanged; entries of bodies of other shapes or of several parts count for nothing.
    pub size: Vec<Vector3<f64>>,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Coefficient of friction of every contact.
    pub friction: f64,
    /// Coefficient of restitution of every contact that has one above 0.
    pub restitution: f64,
    /// Target of each motor that is set from outside, in its unit and in the order of the scene's controls;
    /// those that are left out do not change.
    pub motor: Vec<f64>,
}

impl Change {
    /// No change of anything, for so many bodies.
    pub fn none(n_bodies: usize) -> Self {
        Self {
            start: vec![BodyTangent::default(); n_bodies],
            impulse: vec![[Vector3::zeros(); 2]; n_bodies],
            force: vec![[Vector3::zeros(); 2]; n_bodies],
            mass: vec![0.0; n_bodies],
            size: vec![Vector3::zeros(); n_bodies],
            gravity: Vector3::zeros(),
            friction: 0.0,
            restitution: 0.0,
            motor: Vec::new(),
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
        self.size.iter_mut().zip(&other.size).for_each(|(own, other)| *own += other);
        self.gravity += other.gravity;
        self.friction += other.friction;
        self.restitution += other.restitution;
        self.motor.resize(self.motor.len().max(other.motor.len()), 0.0);
        self.motor.iter_mut().zip(&other.motor).for_each(|(own, other)| *own += other);
    }
}
