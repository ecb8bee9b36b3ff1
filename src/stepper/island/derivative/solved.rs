//! A body at the solution of its step: how its momentum and its end depend on its start, its loads and the
//! velocity with which it leaves the start.

use crate::step::{BodyTangent, Change};
use crate::stepper::blocks::velocity;
use crate::stepper::island::derivative::blocks::stacked;
use crate::stepper::island::derivative::own::{CentreEffect, OwnEffect, OwnParameters};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, SMatrix, Vector3, Vector6};
use signorini_geometry::Velocity;
use signorini_geometry::pose::cross_matrix;
use signorini_ncp::linalg::BLOCK;
use signorini_scene::settings::Gyroscopic;

/// Entries of the tangent of a state: δc, δθ, δv, δω.
const STATE: usize = BodyTangent::LEN;
/// Maps of a body, of blocks (δc, δθ, δv, δω) and (linear, angular).
#[derive(Debug, Clone)]
pub struct Solved {
    /// Place in the scene.
    pub id: usize,
    /// Start to η (17.3).
    path: SMatrix<f64, BLOCK, STATE>,
    /// Start to f, without what acts through η (17.5).
    momentum: SMatrix<f64, BLOCK, STATE>,
    /// δν to the end, and start to the end (17.6), (17.7).
    pub end_by_velocity: SMatrix<f64, STATE, BLOCK>,
    /// See `end_by_velocity`.
    end_by_start: SMatrix<f64, STATE, STATE>,
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
        let start = change.start[self.id].to_vector();
        let mut effect = OwnEffect {
            path: self.path * start,
            momentum: self.momentum * start + self.load(change),
            end: self.end_by_start * start,
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
        let start = self.end_by_start.tr_mul(&of.end)
            + self.momentum.tr_mul(&of.momentum)
            + self.path.tr_mul(&of.path);
        let own = &mut out.start[self.id];
        *own = BodyTangent::from_vector(&(own.to_vector() + start));
        self.add_load_gradient(&of.momentum, out);
        out.time_step += length * self.own.by_step.dot(of);
        out.inertia[self.id] += self.own.inertia_gradient(of);
        let torque = of.momentum.fixed_rows::<3>(3).into_owned();
        out.centre[self.id] += self.own.centre_gradient(&CentreEffect { torque, ..*centre });
    }

    /// Adds to the gradient with the start that with its pose.
    pub fn add_start_gradient(&self, pose: &Vector6<f64>, out: &mut Change) {
        let own = &mut out.start[self.id];
        own.position += pose.fixed_rows::<3>(0);
        own.rotation += pose.fixed_rows::<3>(3);
    }

    /// Adds to the gradient with loads and mass that of a function whose gradient with f is given.
    fn add_load_gradient(&self, f: &Vector6<f64>, out: &mut Change) {
        let [linear, angular] = [0, 3].map(|k| Vector3::new(f[k], f[k + 1], f[k + 2]));
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
        let (path, momentum) = (body.path(), body.momentum(model.mass, start, context.gyroscopic));
        let (end_by_velocity, end_by_start) = body.end();
        let pushed = velocity.linear - start.linear - context.gravity * h;
        let own = OwnParameters::of(problem, context, v, local);
        Solved { id, path, momentum, end_by_velocity, end_by_start, h, weight: model.mass * h, pushed, own }
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
    fn path(&self) -> SMatrix<f64, BLOCK, STATE> {
        let mut path = SMatrix::zeros();
        let back = self.turn.try_inverse().unwrap_or_else(Matrix3::zeros) / self.h;
        put(&mut path, (0, 0), &(Matrix3::identity() / self.h));
        put(&mut path, (1, 1), &(back + cross_matrix(&self.spin)));
        path
    }

    fn momentum(&self, mass: f64, start: &Velocity, rule: Gyroscopic) -> SMatrix<f64, BLOCK, STATE> {
        let mut out = SMatrix::zeros();
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
        put(&mut out, (0, 2), &(Matrix3::identity() * mass));
        put(&mut out, (1, 1), &by_turn);
        put(&mut out, (1, 3), &by_spin);
        out
    }

    /// δν to the end, and start to the end.
    fn end(&self) -> (SMatrix<f64, STATE, BLOCK>, SMatrix<f64, STATE, STATE>) {
        let (one, turn) = (Matrix3::identity(), self.turn * self.h);
        let (mut by_velocity, mut by_start) = (SMatrix::zeros(), SMatrix::zeros());
        put(&mut by_velocity, (0, 0), &(one * self.h));
        put(&mut by_velocity, (2, 0), &one);
        put(&mut by_velocity, (1, 1), &turn);
        put(&mut by_start, (0, 0), &one);
        let turned = one + turn * cross_matrix(&self.spin);
        put(&mut by_start, (1, 1), &turned);
        match &self.inverse_at_end {
            None => put(&mut by_velocity, (3, 1), &one),
            Some(inverse) => {
                let carried =
                    inverse * cross_matrix(&(self.inertia * self.spin)) - cross_matrix(&self.end_spin);
                put(&mut by_velocity, (3, 1), &(inverse * self.inertia + carried * turn));
                put(
                    &mut by_start,
                    (3, 1),
                    &(inverse * turned_inertia(&self.inertia, &self.spin) + carried * turned),
                );
            }
        }
        (by_velocity, by_start)
    }
}

/// δθ to the change of (R I Rᵀ) w.
pub fn turned_inertia(inertia: &Matrix3<f64>, w: &Vector3<f64>) -> Matrix3<f64> {
    inertia * cross_matrix(w) - cross_matrix(&(inertia * w))
}

/// Writes a block at the place of a pair of vectors: (0, 1) is that from the second to the first.
pub fn put<const R: usize, const C: usize>(
    out: &mut SMatrix<f64, R, C>,
    (row, column): (usize, usize),
    block: &Matrix3<f64>,
) {
    out.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(block);
}
