//! How a body at the solution of its step depends on its inertia, on the place of its centre of mass, and on
//! the length of the step (theory §17.8).

use crate::step::BodyTangent;
use crate::stepper::blocks::velocity;
use crate::stepper::island::derivative::blocks::stacked;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Matrix3x6, SVector, UnitQuaternion, Vector3, Vector6};
use signorini_geometry::flight::{TurningBody, tensor};
use signorini_ncp::linalg::BLOCK;
use signorini_scene::settings::Gyroscopic;
use std::sync::OnceLock;

/// Entries of the tangent of a state: δc, δθ, δv, δω.
const STATE: usize = BodyTangent::LEN;

/// Effects of one cause: η besides those of the start, f, and the state at the end.
#[derive(Debug, Clone)]
pub struct OwnEffect {
    pub path: Vector6<f64>,
    pub momentum: Vector6<f64>,
    pub end: SVector<f64, STATE>,
}

impl OwnEffect {
    /// Adds so many times another.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.path += other.path * times;
        self.momentum += other.momentum * times;
        self.end += other.end * times;
    }

    /// Product of gradients and effects.
    pub fn dot(&self, other: &Self) -> f64 {
        self.path.dot(&other.path) + self.momentum.dot(&other.momentum) + self.end.dot(&other.end)
    }
}

/// A body that answers to parameters of its own.
#[derive(Debug, Clone)]
pub struct OwnParameters {
    /// By the length of the step.
    pub by_step: OwnEffect,
    /// Orientations at the start and the end.
    start: UnitQuaternion<f64>,
    rotation: [Matrix3<f64>; 2],
    /// I and I⁻¹ in the axes of the body, and R⁺ I⁻¹ R⁺ᵀ.
    inertia: [Matrix3<f64>; 2],
    inverse_at_end: Matrix3<f64>,
    rule: Gyroscopic,
    /// ω₀, ω and ω⁺ (rad/s).
    spins: [Vector3<f64>; 3],
    h: f64,
    /// (h T)⁻¹.
    back: Matrix3<f64>,
    /// Impulse of contacts, joints and pulls (N s).
    push: Vector3<f64>,
    flown: OnceLock<Matrix3x6<f64>>,
}

impl OwnParameters {
    /// Of a body of an island at its solution, whose velocities are given.
    pub fn of(problem: &IslandProblem, context: &StepContext<'_>, v: &[f64], local: usize) -> Self {
        let (id, h) = (problem.bodies[local], context.time_step);
        let (model, v, loads) = (&context.models.bodies[id], velocity(v, local), context.loads);
        let (end, turn) = problem.end_poses[local];
        let (before, start) = (&context.velocities[id], &context.poses[id]);
        let rotation = [start.rotation(), end.rotation()];
        let inverse = model.inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        let spins = [before.angular, v.angular, context.end_velocity(id, &v, &end).angular];
        let push = (v.linear - before.linear) * model.mass - loads.force[id] * h - loads.linear_impulse[id];
        let mut own = Self {
            by_step: OwnEffect {
                path: Vector6::zeros(),
                momentum: stacked(&loads.force[id], &loads.torque[id]),
                end: SVector::zeros(),
            },
            start: start.orientation,
            rotation,
            inertia: [model.inertia, inverse],
            inverse_at_end: rotation[1] * inverse * rotation[1].transpose(),
            rule: context.gyroscopic,
            spins,
            h,
            back: turn.try_inverse().unwrap_or_else(Matrix3::zeros) / h,
            push,
            flown: OnceLock::new(),
        };
        own.find_step(&v.linear, &problem.inertia[local]);
        own
    }

    /// The effects of the length of the step: the body flies on at its end.
    fn find_step(&mut self, velocity: &Vector3<f64>, inertia: &Matrix3<f64>) {
        let [start, spin, end] = self.spins;
        let torque = match self.rule {
            Gyroscopic::Exact => Vector3::zeros(),
            Gyroscopic::Implicit => -spin.cross(&(inertia * spin)),
            Gyroscopic::Explicit => -start.cross(&(inertia * start)),
        };
        let gains = match self.rule {
            Gyroscopic::Exact => self.inverse_at_end * (inertia * spin).cross(&end),
            _ => Vector3::zeros(),
        };
        let by_step = &mut self.by_step;
        by_step.path = stacked(&(velocity / self.h), &(self.back * end));
        by_step.momentum += stacked(&Vector3::zeros(), &torque);
        let moved =
            BodyTangent { position: *velocity, rotation: end, velocity: Vector3::zeros(), spin: gains };
        by_step.end = moved.to_vector();
    }

    /// Turn of the end by the components of the inertia.
    fn flown(&self) -> &Matrix3x6<f64> {
        self.flown.get_or_init(|| match self.rule {
            Gyroscopic::Exact => {
                let [inertia, inverse] = &self.inertia;
                TurningBody { inertia, inverse }.turn_by_inertia(&self.start, &self.spins[1], self.h)
            }
            Gyroscopic::Implicit | Gyroscopic::Explicit => Matrix3x6::zeros(),
        })
    }

    /// The effects of a change of the inertia.
    pub fn by_inertia(&self, change: &Vector6<f64>) -> OwnEffect {
        let ([start, spin, end], turned) = (self.spins, self.flown() * change);
        let [before, after] = self.rotation.map(|rotation| placed(&rotation, change));
        let mut gained = -before * (spin - start);
        let mut gains = Vector3::zeros();
        match self.rule {
            Gyroscopic::Exact => {
                let momentum = self.momentum();
                gains = self.inverse_at_end * (before * spin - after * end - turned.cross(&momentum))
                    + turned.cross(&end);
            }
            Gyroscopic::Implicit => gained -= spin.cross(&(before * spin)) * self.h,
            Gyroscopic::Explicit => gained -= start.cross(&(before * start)) * self.h,
        }
        let zero = Vector3::zeros();
        let end = BodyTangent { position: zero, rotation: turned, velocity: zero, spin: gains };
        OwnEffect {
            path: stacked(&zero, &(self.back * turned)),
            momentum: stacked(&zero, &gained),
            end: end.to_vector(),
        }
    }

    /// The gradient with the inertia of a function whose gradients with its effects are given.
    pub fn inertia_gradient(&self, of: &OwnEffect) -> Vector6<f64> {
        let [start, spin, end] = self.spins;
        let angular = |v: &Vector6<f64>| v.fixed_rows::<3>(3).into_owned();
        let (f, by_path) = (angular(&of.momentum), angular(&of.path));
        let BodyTangent { rotation: by_turn, spin: by_spin, .. } = BodyTangent::from_vector(&of.end);
        let mut turned = self.back.tr_mul(&by_path) + by_turn;
        let [before, after] = &self.rotation;
        let mut out = placed_gradient(before, &-f, &(spin - start));
        match self.rule {
            Gyroscopic::Exact => {
                let momentum = self.inverse_at_end * by_spin;
                turned += momentum.cross(&self.momentum()) + end.cross(&by_spin);
                out += placed_gradient(before, &momentum, &spin) - placed_gradient(after, &momentum, &end);
            }
            Gyroscopic::Implicit => out -= placed_gradient(before, &(f.cross(&spin) * self.h), &spin),
            Gyroscopic::Explicit => out -= placed_gradient(before, &(f.cross(&start) * self.h), &start),
        }
        out + self.flown().tr_mul(&turned)
    }

    /// L, world axes.
    fn momentum(&self) -> Vector3<f64> {
        placed_tensor(&self.rotation[0], &self.inertia[0]) * self.spins[1]
    }

    /// The effects of a move of the centre of mass: of the geometry at the start and the end, of the velocity
    /// at its places, and the torque of what pushes.
    pub fn by_centre(&self, change: &Vector3<f64>) -> CentreEffect {
        let [start, end] = self.rotation.map(|rotation| -(rotation * change));
        CentreEffect {
            start,
            path: end / self.h,
            swept: self.spins[1].cross(&end),
            torque: end.cross(&self.push),
        }
    }

    /// The gradient with the centre of mass of a function whose gradients with its effects are given.
    pub fn centre_gradient(&self, of: &CentreEffect) -> Vector3<f64> {
        let end = of.path / self.h + of.swept.cross(&self.spins[1]) + self.push.cross(&of.torque);
        -(self.rotation[0].tr_mul(&of.start) + self.rotation[1].tr_mul(&end))
    }
}

/// Effects of a move of a centre of mass.
#[derive(Debug, Clone, Copy, Default)]
pub struct CentreEffect {
    /// Displacement of the geometry at the start (m).
    pub start: Vector3<f64>,
    /// That at the end over h (m/s).
    pub path: Vector3<f64>,
    /// Velocity that its places gain (m/s).
    pub swept: Vector3<f64>,
    /// Torque (N m s).
    pub torque: Vector3<f64>,
}

fn placed_tensor(rotation: &Matrix3<f64>, inertia: &Matrix3<f64>) -> Matrix3<f64> {
    rotation * inertia * rotation.transpose()
}

/// R δI Rᵀ.
pub fn placed(rotation: &Matrix3<f64>, change: &Vector6<f64>) -> Matrix3<f64> {
    placed_tensor(rotation, &tensor(change))
}

/// The gradient of g·(R δI Rᵀ) w with the components of δI.
pub fn placed_gradient(rotation: &Matrix3<f64>, g: &Vector3<f64>, w: &Vector3<f64>) -> Vector6<f64> {
    let [a, b] = [g, w].map(|vector| rotation.tr_mul(vector));
    let across = |i: usize, j: usize| a[i] * b[j] + a[j] * b[i];
    Vector6::new(a.x * b.x, a.y * b.y, a.z * b.z, across(0, 1), across(0, 2), across(1, 2))
}

/// The linear half of the block of a body.
pub fn linear_of(v: &[f64], local: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&v[BLOCK * local..][..3])
}
