//! A body at the solution of its step: how its momentum and its end depend on its start, its loads and the
//! velocity with which it leaves the start.

use crate::step::{BodyTangent, Change};
use crate::stepper::blocks::velocity;
use crate::stepper::island::derivative::blocks::stacked;
use crate::stepper::island::derivative::own::{CentreEffect, OwnEffect, OwnParameters};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, SVector, Vector3, Vector6};
use signorini_geometry::Velocity;
use signorini_geometry::pose::cross_matrix;
use signorini_scene::settings::Gyroscopic;

/// Entries of the tangent of a state: δc, δθ, δv, δω.
const STATE: usize = BodyTangent::LEN;

/// Maps of a body. Those of places and velocities are multiples of 1.
#[derive(Debug, Clone)]
pub struct Solved {
    /// Place in the scene.
    pub id: usize,
    /// δθ at the start to η, angular (17.3).
    path: Matrix3<f64>,
    /// δθ and δω at the start to f, angular, without what acts through η (17.5).
    torque: [Matrix3<f64>; 2],
    /// δω to δθ and δω at the end, and δθ at the start to these (17.6), (17.7).
    end_by_spin: [Matrix3<f64>; 2],
    end_by_turn: [Matrix3<f64>; 2],
    /// h (s), and m h (kg s).
    h: f64,
    weight: f64,
    /// v − v₀ − h g (m/s).
    pushed: Vector3<f64>,
    own: OwnParameters,
}

impl Solved {
    /// f of a change of loads and mass.
    fn load(&self, change: &Change) -> Vector6<f64> {
        let ([push, twist], [force, torque]) = (change.impulse[self.id], change.force[self.id]);
        let own = change.gravity * self.weight - self.pushed * change.mass[self.id];
        stacked(&(push + force * self.h + own), &(twist + torque * self.h))
    }

    /// The effects of a change of the start, of loads and mass, and of parameters of its own, the length of
    /// the step being that of the piece; None of the centre of mass where it stays.
    pub fn effects(&self, change: &Change, step: f64) -> (OwnEffect, Option<CentreEffect>) {
        let BodyTangent { position, rotation, velocity, spin } = change.start[self.id];
        let [by_turn, by_spin] = &self.torque;
        let [turned, gained] = self.end_by_turn.map(|block| block * rotation);
        let end = BodyTangent { position, rotation: turned, velocity: Vector3::zeros(), spin: gained };
        let carried = stacked(&(velocity * (self.weight / self.h)), &(by_turn * rotation + by_spin * spin));
        let mut effect = OwnEffect {
            path: stacked(&(position / self.h), &(self.path * rotation)),
            momentum: carried + self.load(change),
            end: end.to_vector(),
        };
        if step != 0.0 {
            effect.add(&self.own.by_step, step);
        }
        let inertia = &change.inertia[self.id];
        if *inertia != Vector6::zeros() {
            effect.add(&self.own.by_inertia(inertia), 1.0);
        }
        let centre = &change.centre[self.id];
        let centre = (*centre != Vector3::zeros()).then(|| self.own.by_centre(centre));
        if let Some(centre) = &centre {
            effect.momentum += stacked(&Vector3::zeros(), &centre.torque);
        }
        (effect, centre)
    }

    /// Adds the gradient of a function whose gradients with the effects are given, those of the centre of
    /// mass without its torque. That with the length of the step is over `length`.
    pub fn add_gradient(&self, of: &OwnEffect, centre: &CentreEffect, length: f64, out: &mut Change) {
        let [path, f] = [&of.path, &of.momentum].map(halves);
        let end = BodyTangent::from_vector(&of.end);
        let own = &mut out.start[self.id];
        own.position += path[0] / self.h + end.position;
        own.rotation += self.path.tr_mul(&path[1]) + self.torque[0].tr_mul(&f[1]);
        own.rotation += transposed(&self.end_by_turn, &end);
        own.velocity += f[0] * (self.weight / self.h);
        own.spin += self.torque[1].tr_mul(&f[1]);
        self.add_load_gradient(&of.momentum, out);
        out.time_step += length * self.own.by_step.dot(of);
        out.inertia[self.id] += self.own.inertia_gradient(of);
        let torque = of.momentum.fixed_rows::<3>(3).into_owned();
        out.centre[self.id] += self.own.centre_gradient(&CentreEffect { torque, ..*centre });
    }

    /// δν to the end.
    pub fn end(&self, change: &Vector6<f64>) -> SVector<f64, STATE> {
        let [velocity, spin] = halves(change);
        let [rotation, spin] = self.end_by_spin.map(|block| block * spin);
        BodyTangent { position: velocity * self.h, rotation, velocity, spin }.to_vector()
    }

    /// The gradient with δν of a function whose gradient with the end is given.
    pub fn end_gradient(&self, end: &SVector<f64, STATE>) -> Vector6<f64> {
        let end = BodyTangent::from_vector(end);
        stacked(&(end.position * self.h + end.velocity), &transposed(&self.end_by_spin, &end))
    }

    /// Adds to the gradient with the start that with its pose.
    pub fn add_start_gradient(&self, pose: &Vector6<f64>, out: &mut Change) {
        let own = &mut out.start[self.id];
        own.position += pose.fixed_rows::<3>(0);
        own.rotation += pose.fixed_rows::<3>(3);
    }

    /// Adds to the gradient with loads and mass that of a function whose gradient with f is given.
    fn add_load_gradient(&self, f: &Vector6<f64>, out: &mut Change) {
        let [linear, angular] = halves(f);
        out.impulse[self.id][0] += linear;
        out.impulse[self.id][1] += angular;
        out.force[self.id][0] += linear * self.h;
        out.force[self.id][1] += angular * self.h;
        out.gravity += linear * self.weight;
        out.mass[self.id] -= self.pushed.dot(&linear);
    }
}

/// The bodies of an island at its solution, whose velocities are given.
pub fn solved_bodies(problem: &IslandProblem, context: &StepContext<'_>, v: &[f64]) -> Vec<Solved> {
    let of = |(local, &id): (usize, &usize)| {
        let (model, velocity) = (&context.models.bodies[id], velocity(v, local));
        let (end, turn) = problem.end_poses[local];
        let (start, turning, h) = (&context.velocities[id], model.turning(), context.time_step);
        let changes = context.flies() && !turning.is_isotropic();
        let rotation = end.orientation.to_rotation_matrix().into_inner();
        let inverse = model.inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        let body = Turning {
            h,
            inertia: problem.inertia[local],
            inverse_at_end: changes.then(|| rotation * inverse * rotation.transpose()),
            spin: velocity.angular,
            end_spin: context.end_velocity(id, &velocity, &end).angular,
            turn,
        };
        let [end_by_spin, end_by_turn] = body.end();
        Solved {
            id,
            path: body.path(),
            torque: body.torque(start, context.gyroscopic),
            end_by_spin,
            end_by_turn,
            h,
            weight: model.mass * h,
            pushed: velocity.linear - start.linear - context.gravity * h,
            own: OwnParameters::of(problem, context, v, local),
        }
    };
    problem.bodies.iter().enumerate().map(of).collect()
}

/// A body that turns in the step.
struct Turning {
    /// Time step (s).
    h: f64,
    /// R I Rᵀ at the start (kg m²).
    inertia: Matrix3<f64>,
    /// R I⁻¹ Rᵀ at the end, where the spin changes in flight.
    inverse_at_end: Option<Matrix3<f64>>,
    /// ω, and ω⁺ (rad/s).
    spin: Vector3<f64>,
    end_spin: Vector3<f64>,
    /// T.
    turn: Matrix3<f64>,
}

impl Turning {
    fn path(&self) -> Matrix3<f64> {
        self.turn.try_inverse().unwrap_or_else(Matrix3::zeros) / self.h + cross_matrix(&self.spin)
    }

    /// By δθ and δω at the start.
    fn torque(&self, start: &Velocity, rule: Gyroscopic) -> [Matrix3<f64>; 2] {
        let mut by_turn = -turned_inertia(&self.inertia, &(self.spin - start.angular));
        let mut by_spin = self.inertia;
        match rule {
            Gyroscopic::Exact => {}
            Gyroscopic::Implicit => {
                by_turn -= cross_matrix(&self.spin) * turned_inertia(&self.inertia, &self.spin) * self.h;
            }
            Gyroscopic::Explicit => {
                let spin = cross_matrix(&start.angular);
                by_turn -= spin * turned_inertia(&self.inertia, &start.angular) * self.h;
                by_spin -= (spin * self.inertia - cross_matrix(&(self.inertia * start.angular))) * self.h;
            }
        }
        [by_turn, by_spin]
    }

    /// δω, and δθ at the start, to δθ and δω at the end.
    fn end(&self) -> [[Matrix3<f64>; 2]; 2] {
        let (one, turn) = (Matrix3::identity(), self.turn * self.h);
        let turned = one + turn * cross_matrix(&self.spin);
        let Some(inverse) = &self.inverse_at_end else { return [[turn, one], [turned, Matrix3::zeros()]] };
        let carried = inverse * cross_matrix(&(self.inertia * self.spin)) - cross_matrix(&self.end_spin);
        let gained = inverse * turned_inertia(&self.inertia, &self.spin);
        [[turn, inverse * self.inertia + carried * turn], [turned, gained + carried * turned]]
    }
}

/// The linear and the angular half.
fn halves(vector: &Vector6<f64>) -> [Vector3<f64>; 2] {
    [0, 3].map(|first| vector.fixed_rows::<3>(first).into_owned())
}

/// The gradient with what blocks make δθ and δω of the end of.
fn transposed([rotation, spin]: &[Matrix3<f64>; 2], end: &BodyTangent) -> Vector3<f64> {
    rotation.tr_mul(&end.rotation) + spin.tr_mul(&end.spin)
}

/// δθ to the change of (R I Rᵀ) w.
pub fn turned_inertia(inertia: &Matrix3<f64>, w: &Vector3<f64>) -> Matrix3<f64> {
    inertia * cross_matrix(w) - cross_matrix(&(inertia * w))
}
