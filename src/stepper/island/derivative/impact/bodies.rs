//! Momentum of single bodies in an impact, their velocities before the step, and those at its end that no
//! contact changed.

use crate::step::{BodyTangent, Change};
use crate::stepper::impact::Impact;
use crate::stepper::island::derivative::blocks::{of_bodies, stacked};
use crate::stepper::island::derivative::own::{placed, placed_gradient};
use crate::stepper::island::derivative::solved::turned_inertia;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3, Vector6};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::contact_problem::vector6;

/// Entries of the tangent of a state: δc, δθ, δv, δω.
const STATE: usize = BodyTangent::LEN;

/// A body in an impact.
#[derive(Debug, Clone)]
pub struct ImpactBody {
    /// Place in the scene.
    pub id: usize,
    /// Start to the momentum M ν₀, and to the velocity before the step (17.10).
    applied_by_start: SMatrix<f64, BLOCK, STATE>,
    before_by_start: SMatrix<f64, BLOCK, STATE>,
    /// M⁻¹ at the start, M⁺ and its inverse.
    inverse_at_start: Matrix6<f64>,
    mass: Matrix6<f64>,
    inverse: Matrix6<f64>,
    /// h (s), and m (kg).
    h: f64,
    m: f64,
    /// v₀ + h g, −P/m², and the velocity that no contact changed (m/s), by which they change with the mass.
    falls: Vector3<f64>,
    struck: Vector3<f64>,
    free: Vector3<f64>,
    /// f (N, N m), and the length of the piece over that of the step.
    force: Vector6<f64>,
    length: f64,
    /// R and R⁺.
    rotation: [Matrix3<f64>; 2],
    /// ω₀, I⁻¹ of the angular impulse that acts once, and the spin that no contact changed (rad/s).
    spins: [Vector3<f64>; 3],
    /// η⁺ to −δM⁺ of the velocity that no contact changed, angular.
    turned: Matrix3<f64>,
}

/// Velocities M⁺⁻¹ (M ν₀ + h f + P) of an island without its contacts.
pub fn free_velocities(island: &IslandProblem, impact: &Impact) -> Vec<f64> {
    let inverses = impact.problems.first().map_or(&[][..], |problem| &problem.mass_inverse);
    let blocks = inverses.iter().enumerate();
    of_bodies(blocks.map(|(local, inverse)| inverse * vector6(&island.applied, local)))
}

/// The bodies of an island in its impact.
pub fn impact_bodies(
    island: &IslandProblem,
    impact: &Impact,
    context: &StepContext<'_>,
    free: &[f64],
) -> Vec<ImpactBody> {
    let Some(problem) = impact.problems.first() else { return Vec::new() };
    let of = |(local, &id): (usize, &usize)| {
        let (start, h, m) = (&context.velocities[id], context.time_step, context.models.bodies[id].mass);
        let inertia = &island.inertia[local];
        let inverse_at_start = island.problem.mass_inverse[local];
        let [push, twist] = [&context.loads.linear_impulse[id], &context.loads.angular_impulse[id]];
        let inverse = inverse_at_start.fixed_view::<3, 3>(3, 3).into_owned();
        let [mut applied_by_start, mut before_by_start] = [(); 2].map(|()| SMatrix::zeros());
        put(&mut applied_by_start, (0, 2), &(Matrix3::identity() * m));
        put(&mut applied_by_start, (1, 1), &turned_inertia(inertia, &start.angular));
        put(&mut applied_by_start, (1, 3), inertia);
        put(&mut before_by_start, (0, 2), &Matrix3::identity());
        put(&mut before_by_start, (1, 1), &turned_inertia(&inverse, twist));
        put(&mut before_by_start, (1, 3), &Matrix3::identity());
        let mass = problem.mass[local];
        let free = vector6(free, local);
        ImpactBody {
            id,
            applied_by_start,
            before_by_start,
            inverse_at_start,
            mass,
            inverse: problem.mass_inverse[local],
            h,
            m,
            falls: start.linear + context.gravity * h,
            struck: -push / (m * m),
            free: free.fixed_rows::<3>(0).into_owned(),
            force: stacked(&context.loads.force[id], &context.loads.torque[id]),
            length: context.length,
            rotation: [context.poses[id].rotation(), island.end_poses[local].0.rotation()],
            spins: [start.angular, inverse * twist, free.fixed_rows::<3>(3).into_owned()],
            turned: turned_path(&mass, &free, &(island.turn[local] * h)),
        }
    };
    island.bodies.iter().enumerate().map(of).collect()
}

/// η⁺ to −δM⁺ ν, angular; `turn` is h T.
pub fn turned_path(mass: &Matrix6<f64>, v: &Vector6<f64>, turn: &Matrix3<f64>) -> Matrix3<f64> {
    let inertia = mass.fixed_view::<3, 3>(3, 3).into_owned();
    -turned_inertia(&inertia, &v.fixed_rows::<3>(3).into_owned()) * turn
}

impl ImpactBody {
    /// M⁺.
    pub fn mass_at_end(&self) -> &Matrix6<f64> {
        &self.mass
    }

    /// Change of the momentum M ν₀ + h f + P.
    pub fn applied(&self, change: &Change) -> Vector6<f64> {
        let ([push, twist], [force, torque]) = (change.impulse[self.id], change.force[self.id]);
        let falls = change.gravity * (self.m * self.h) + self.falls * change.mass[self.id];
        let start = change.start[self.id].to_vector();
        let spun = placed(&self.rotation[0], &change.inertia[self.id]) * self.spins[0];
        self.applied_by_start * start
            + stacked(&(push + force * self.h + falls), &(twist + torque * self.h + spun))
            + self.force * (change.time_step * self.length)
    }

    /// Change of the velocity before the step, once the impulses have acted.
    pub fn before(&self, change: &Change) -> Vector6<f64> {
        let [push, twist] = change.impulse[self.id];
        let struck = self.struck * change.mass[self.id];
        let spun = placed(&self.rotation[0], &change.inertia[self.id]) * self.spins[1];
        self.before_by_start * change.start[self.id].to_vector()
            + self.inverse_at_start * stacked(&push, &(twist - spun))
            + stacked(&struck, &Vector3::zeros())
    }

    /// Change of the velocity at the end that no contact changed.
    pub fn free(&self, applied: &Vector6<f64>, path: &Vector6<f64>, change: &Change) -> Vector6<f64> {
        let turned = self.turned * path.fixed_rows::<3>(3);
        let heavier = self.free * -change.mass[self.id];
        let spun = placed(&self.rotation[1], &change.inertia[self.id]) * self.spins[2];
        self.inverse * (applied + stacked(&heavier, &(turned - spun)))
    }

    /// Gradients with `applied` and `path` of [`Self::free`] from that with its value; adds that with the
    /// mass.
    pub fn free_transposed(&self, free: &Vector6<f64>, out: &mut Change) -> (Vector6<f64>, Vector6<f64>) {
        let applied = self.inverse * free;
        out.mass[self.id] -= self.free.dot(&applied.fixed_rows::<3>(0));
        let torque = applied.fixed_rows::<3>(3).into_owned();
        out.inertia[self.id] -= placed_gradient(&self.rotation[1], &torque, &self.spins[2]);
        let turned = self.turned.tr_mul(&torque);
        (applied, stacked(&Vector3::zeros(), &turned))
    }

    /// Adds the gradient by those with the values of [`Self::applied`] and [`Self::before`].
    pub fn add_gradient(&self, applied: &Vector6<f64>, before: &Vector6<f64>, out: &mut Change) {
        let start = self.applied_by_start.tr_mul(applied) + self.before_by_start.tr_mul(before);
        let own = &mut out.start[self.id];
        *own = BodyTangent::from_vector(&(own.to_vector() + start));
        let halves = |v: &Vector6<f64>| [0, 3].map(|k| Vector3::new(v[k], v[k + 1], v[k + 2]));
        let ([linear, angular], struck) = (halves(applied), halves(&(self.inverse_at_start * before)));
        out.impulse[self.id][0] += linear + struck[0];
        out.impulse[self.id][1] += angular + struck[1];
        out.force[self.id][0] += linear * self.h;
        out.force[self.id][1] += angular * self.h;
        out.gravity += linear * (self.m * self.h);
        out.time_step += self.length * self.force.dot(applied);
        out.inertia[self.id] += placed_gradient(&self.rotation[0], &angular, &self.spins[0])
            - placed_gradient(&self.rotation[0], &struck[1], &self.spins[1]);
        out.mass[self.id] += self.falls.dot(&linear) + self.struck.dot(&halves(before)[0]);
    }
}

/// Writes a block at the place of a pair of vectors: (0, 1) is that from the second to the first.
fn put<const R: usize, const C: usize>(
    out: &mut SMatrix<f64, R, C>,
    (row, column): (usize, usize),
    block: &Matrix3<f64>,
) {
    out.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(block);
}
