//! The derivative of one solve of an impact.

use super::bodies::turned_path;
use super::centre::{
    PerBody, add_swept_transposed, add_torques, add_torques_transposed, angular_of, linear_of, swept,
};
use super::effects::PhaseRows;
use super::led::LedGradient;
use crate::step::Change;
use crate::stepper::island::derivative::driven::DrivenMove;
use crate::stepper::island::derivative::obstacle::Obstacle;
use crate::stepper::island::derivative::own::{placed, placed_gradient};
use crate::stepper::island::problem::IslandProblem;
use nalgebra::{Matrix3, Vector3};
use signorini_ncp::linalg::{BLOCK, LANES, Lanes, Room};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::{Cause, Effect, Iterate, Product, Sensitivity};

/// Changes of the path and of the impulses before, of the centres of mass, and of driven bodies by lane.
type EffectCauses<'a> = ([&'a [Lanes]; 2], Option<&'a [Lanes]>, &'a [Vec<DrivenMove>]);

/// One solve.
#[derive(Debug)]
pub struct Stage {
    sensitivity: Sensitivity,
    rows: PhaseRows,
    bodies: Vec<StageBody>,
    /// h ω⁺, and h times the impulse of contacts and joints, per body.
    spins: PerBody,
    pushes: PerBody,
}

/// A body in a solve; Δν is the change of velocity of which the momentum is.
#[derive(Debug)]
struct StageBody {
    /// η⁺ to −δM⁺ Δν, angular.
    turned: Matrix3<f64>,
    /// Δv and Δω.
    gained: [Vector3<f64>; 2],
    /// R⁺.
    rotation: Matrix3<f64>,
}

impl Stage {
    /// Of a solve and its problem; an expansion has a solve before it.
    pub fn new(
        island: &IslandProblem,
        problem: &ContactProblem,
        (found, before): (&Iterate, Option<&Iterate>),
        rows: PhaseRows,
    ) -> Result<Self, Obstacle> {
        let of = |(local, mass)| {
            let mut change = vector6(&found.velocity, local);
            if let Some(before) = before {
                change -= vector6(&before.velocity, local);
            }
            let turn = island.turn[local] * island.time_step;
            StageBody {
                turned: turned_path(mass, &change, &turn),
                gained: [0, 3].map(|k| change.fixed_rows::<3>(k).into_owned()),
                rotation: island.end_poses[local].0.rotation(),
            }
        };
        let bodies = problem.mass.iter().enumerate().map(of).collect();
        let mut pushed = vec![0.0; found.velocity.len()];
        problem.add_forces(&found.impulse, island.time_step, &mut pushed);
        let spins = angular_of(&found.velocity).into_iter().map(|spin| spin * island.time_step).collect();
        let sensitivity =
            Sensitivity::new(problem.clone(), &found.impulse, None).map_err(|_| Obstacle::Singular)?;
        Ok(Self { sensitivity, rows, bodies, spins, pushes: linear_of(&pushed) })
    }

    /// Cones on a border.
    pub fn borders(&self) -> &[usize] {
        self.sensitivity.borders()
    }

    pub fn n_rows(&self) -> usize {
        self.sensitivity.problem().n_rows()
    }

    /// The changes by those of the momentum, of the three velocities of [`PhaseRows`], of η⁺ and of the
    /// impulses before. `bodies` are places in the scene.
    pub fn effect(
        &mut self,
        (changes, bodies): (&[Change], impl Iterator<Item = usize>),
        momentum: Room<LANES>,
        speeds: [&[Lanes]; 3],
        ([path, impulse], centres, driven): EffectCauses<'_>,
    ) -> Effect {
        let problem = self.sensitivity.problem();
        let mut cause = Cause::of_momentum(problem, momentum);
        for ((local, body), id) in self.bodies.iter().enumerate().zip(bodies) {
            let (first, angular) = (BLOCK * local, BLOCK * local + 3);
            for (lane, change) in changes.iter().enumerate() {
                let mut turn = body.turned * Vector3::from_fn(|k, _| path[angular + k][lane]);
                turn -= placed(&body.rotation, &change.inertia[id]) * body.gained[1];
                for k in 0..3 {
                    cause.momentum[first + k][lane] -= change.mass[id] * body.gained[0][k];
                    cause.momentum[angular + k][lane] += turn[k];
                }
            }
        }
        let rows = &self.rows;
        Product::ContactStiffness.of(&rows.turned, path, &mut cause.momentum);
        let active = self.sensitivity.active();
        Product::Rows(&rows.moved, active).of(problem, path, &mut cause.slip);
        if let Some(moved) = centres {
            add_torques(&self.pushes, moved, &mut cause.momentum);
            let mut gained = Room::<LANES>::zeros(cause.slip.len());
            Product::Rows(&problem.at.jacobian, active).of(problem, &swept(&self.spins, moved), &mut gained);
            let slip = cause.slip.as_flattened_mut().iter_mut();
            slip.zip(gained.as_flattened()).for_each(|(slip, gained)| *slip += gained);
        }
        for row in &rows.rows {
            row.add(problem, speeds, changes, &mut cause.slip[row.row]);
        }
        for bound in &rows.bounds {
            cause.bound[bound.row] = bound.of(&impulse[bound.row], changes);
        }
        for (lane, change) in changes.iter().enumerate() {
            rows.sizes.apply((lane, change), &mut cause);
            rows.places.apply((lane, change), &mut cause);
            rows.driven.apply((lane, &driven[lane]), &mut cause);
        }
        for (friction, alignment) in cause.friction.iter_mut().zip(&rows.alignment) {
            friction.iter_mut().zip(changes).for_each(|(to, change)| *to = alignment * change.friction);
        }
        self.sensitivity.effect(&cause, changes.len())
    }

    /// The gradient with the momentum of a function whose gradients with the velocities, and in `back` with
    /// the impulses, are given. Adds those with the velocities before the step and without contacts, and with
    /// what the position phase led to; in `back` stands then the gradient with the impulses before.
    pub fn add_adjoint(
        &mut self,
        (gradient, bodies): (&[f64], impl Iterator<Item = usize>),
        [before, free]: [&mut Vec<f64>; 2],
        (back, driven): (&mut LedGradient, &mut [DrivenMove]),
        out: &mut Change,
    ) -> Vec<f64> {
        let cause = self.sensitivity.adjoint([gradient, &back.impulse]);
        let (problem, rows) = (self.sensitivity.problem(), &self.rows);
        back.left = signorini_kernels::math::larger(back.left, cause.left);
        back.impulse.fill(0.0);
        for bound in &rows.bounds {
            back.impulse[bound.row] = bound.by * cause.bound[bound.row];
            out.restitution += bound.restitution * cause.bound[bound.row];
        }
        for row in &rows.rows {
            let speeds = [&mut *before, &mut *free, &mut back.velocity];
            row.add_transposed(problem, cause.slip[row.row], speeds, out);
        }
        rows.sizes.add_gradient(&cause, out);
        rows.places.add_gradient(&cause, out);
        rows.driven.add_gradient(&cause, driven);
        let mut gained = vec![0.0; back.path.len()];
        problem.add_forces(&cause.slip, 1.0, &mut gained);
        add_swept_transposed(&self.spins, &gained, &mut back.centres);
        add_torques_transposed(&self.pushes, &cause.momentum, &mut back.centres);
        problem.add_rows(&rows.moved, &cause.slip, 1.0, &mut back.path);
        let mut stiff = vec![0.0; back.path.len()];
        rows.turned.subtract_stiffness_transposed(&cause.momentum, &mut stiff);
        back.path.iter_mut().zip(&stiff).for_each(|(to, from)| *to -= from);
        for ((local, body), id) in self.bodies.iter().enumerate().zip(bodies) {
            let f = vector6(&cause.momentum, local);
            let torque = f.fixed_rows::<3>(3).into_owned();
            out.mass[id] -= body.gained[0].dot(&f.fixed_rows::<3>(0));
            out.inertia[id] -= placed_gradient(&body.rotation, &torque, &body.gained[1]);
            let turn = body.turned.tr_mul(&torque);
            back.path[BLOCK * local + 3..][..3]
                .iter_mut()
                .zip(turn.iter())
                .for_each(|(to, from)| *to += from);
        }
        out.friction += cause.friction.iter().zip(&rows.alignment).map(|(m, a)| m * a).sum::<f64>();
        cause.momentum
    }
}
