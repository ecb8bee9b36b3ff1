//! Lagged terms of sweeps, brought up to date between them: the geometric stiffness K (v − v_k), and the part
//! of the response that is not in the force directions.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::problem::contact_problem::body_vector;
use crate::solver::parameters::sweeps::CHUNK;
use crate::solver::sweeps::batch::Place;
use crate::solver::sweeps::rows::Rows;
use crate::solver::sweeps::section::{Node, Section, Visit};
use nalgebra::{Vector3, Vector6};
use rayon::prelude::*;

/// Values of the last update.
#[derive(Debug, Default)]
pub(super) struct Lagged {
    /// (K + s A) (v − v_k) per body.
    force: Vec<[f64; BLOCK]>,
    /// v − v_k per body.
    velocity: Vec<[f64; BLOCK]>,
    /// Change of w, and the momentum that it is in the unit of the body.
    changes: Vec<([f64; BLOCK], f64)>,
}

impl Lagged {
    /// Nothing lags yet: rows are those of the linearized problem.
    pub fn start(&mut self, problem: &ContactProblem) {
        self.force.clear();
        self.force.resize(problem.n_bodies(), [0.0; BLOCK]);
    }

    /// Brings stiffness and response up to date; returns the largest change of a body's momentum, in its
    /// unit.
    pub fn update(&mut self, problem: &ContactProblem, damping: &[f64], rows: &mut Rows) -> f64 {
        let Self { force, velocity, changes } = self;
        let n = problem.n_bodies();
        let moved = |i: usize| {
            let v = rows.roots[i].velocity(&rows.motions[rows.place[i]].w);
            let known = body_vector(&problem.at.velocity, i);
            std::array::from_fn(|d| v[d] - known[d])
        };
        (0..n).into_par_iter().with_min_len(CHUNK).map(moved).collect_into_vec(velocity);
        rows.visit(&Follow { problem, velocity });
        let change = |(i, force): (usize, &mut [f64; BLOCK])| {
            let mut now: [f64; BLOCK] = std::array::from_fn(|d| rows.motions[rows.place[i]].stiff[d]);
            if let Some(body) = problem.at.stiffness.body.get(i) {
                let own = body * Vector6::from(velocity[i]);
                now.iter_mut().zip(own.iter()).for_each(|(now, own)| *now += own);
            }
            if damping[i] > 0.0 {
                let own = problem.mass[i] * Vector6::from(velocity[i]) * damping[i];
                now.iter_mut().zip(own.iter()).for_each(|(now, own)| *now += own);
            }
            let change: [f64; BLOCK] = std::array::from_fn(|d| now[d] - force[d]);
            *force = now;
            let [linear, angular] = [0, 3].map(|k| Vector3::from_column_slice(&change[k..k + 3]));
            (rows.roots[i].divide(&change), problem.at.units.bodies[i].scaled(&linear, &angular))
        };
        force.par_iter_mut().enumerate().with_min_len(CHUNK).map(change).collect_into_vec(changes);
        let mut worst = 0.0_f64;
        for (place, (change, scaled)) in rows.place.iter().zip(changes) {
            worst = worst.max(*scaled);
            let moving = &mut rows.motions[*place];
            // The search goes on as if it had always been so.
            for to in [&mut moving.w, &mut moving.start] {
                to.iter_mut().zip(&*change).for_each(|(w, c)| *w += c);
            }
        }
        worst
    }
}

/// Adds up K (v − v_k), and has y₀ so that y₀ + J w is the slip y_k + Y (v − v_k).
struct Follow<'a> {
    problem: &'a ContactProblem,
    /// v − v_k.
    velocity: &'a [[f64; BLOCK]],
}

impl Visit for Follow<'_> {
    type Found = ();

    fn visit(&self, node: &Node, mut own: Section<'_>) {
        if node.halves.is_none() {
            own.motions.iter_mut().for_each(|moving| moving.stiff = [0.0; 8]);
        }
        for i in 0..own.contacts.len() {
            let place = own.contacts[i];
            self.add_stiffness(place, &mut own);
            if !self.problem.at.response.is_empty() {
                self.raise(place, &mut own);
            }
        }
    }

    fn add(&self, (): (), (): ()) {}
}

impl Follow<'_> {
    fn add_stiffness(&self, place: Place, own: &mut Section<'_>) {
        let Some((bodies, block)) = self.problem.stiffness_of(place.cone) else { return };
        let rows = block.chunks_exact(BLOCK * bodies.len());
        let sides = own.batches[place.batch].bodies;
        for (i, row) in rows.enumerate() {
            let mut sum = 0.0;
            for (part, body) in row.chunks_exact(BLOCK).zip(bodies) {
                sum += part.iter().zip(&self.velocity[*body]).map(|(k, v)| k * v).sum::<f64>();
            }
            let body = sides[i / BLOCK][place.lane] as usize;
            own.motions[body].stiff[i % BLOCK] += sum;
        }
    }

    fn raise(&self, place: Place, own: &mut Section<'_>) {
        let (cone, lane) = (&self.problem.cones[place.cone], place.lane);
        for (row, i) in place.rows(cone) {
            let raised = beyond(self.problem, self.velocity.as_flattened(), place.cone, i);
            let known = std::mem::replace(&mut own.terms[row].raised[lane], raised);
            own.rows[row].offset[lane] += raised - known;
        }
        let tangential = cone.n_tangential();
        for (k, (row, i)) in place.shift_rows(cone).enumerate() {
            let raised = beyond(self.problem, self.velocity.as_flattened(), place.cone, i);
            let shift = &mut own.shifts[row];
            let change = raised - std::mem::replace(&mut shift.raised[lane], raised);
            shift.offset[lane] += change;
            let excess = own.terms[place.row + k / tangential].excess[lane];
            own.rows[place.friction + k % tangential].offset[lane] += excess * change;
        }
    }
}

/// (Y − J) (v − v_k) of row i of a cone.
pub(super) fn beyond(problem: &ContactProblem, velocity: &[f64], c: usize, i: usize) -> f64 {
    let mut beyond = 0.0;
    for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
        let at = problem.value_offsets[k] + BLOCK * i;
        let body = BLOCK * problem.block_body[k]..BLOCK * (problem.block_body[k] + 1);
        let direction = &problem.at.jacobian[at..at + BLOCK];
        let response = &problem.at.response[at..at + BLOCK];
        let turned = response.iter().zip(direction).zip(&velocity[body]);
        beyond += turned.map(|((y, j), d)| (y - j) * d).sum::<f64>();
    }
    beyond
}
