//! Lagged terms of sweeps on a device, brought up to date between them: the geometric stiffness K (v − v_k),
//! and the part of the response that is not in the force directions.

use super::colouring::Colouring;
use super::rows::{DeviceRows, Portion, rows_of, shift_rows_of};
use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::sweeps::lagged::beyond;
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_kernels::sweep_batch::{BATCH, BATCH_NORMAL, BATCH_ROW, MOTION, WIDTH};

/// Values of the last update.
#[derive(Debug, Default)]
pub(super) struct Lagged {
    /// K (v − v_k) per body, with the sign of `subtract_stiffness`.
    force: Vec<f64>,
    /// v − v_k per body.
    velocity: Vec<f64>,
    now: Vec<f64>,
}

impl Lagged {
    /// Nothing lags yet: rows are those of the linearized problem.
    pub fn start(&mut self, problem: &ContactProblem) {
        self.force.clear();
        self.force.resize(BLOCK * problem.n_bodies(), 0.0);
    }

    /// Brings stiffness and response up to date; returns the largest change of a body's momentum, in its
    /// unit.
    pub fn update(&mut self, problem: &ContactProblem, colouring: &Colouring, rows: &mut DeviceRows) -> f64 {
        let Self { force, velocity, now } = self;
        velocity.resize(force.len(), 0.0);
        let bodies = velocity.chunks_exact_mut(BLOCK).zip(problem.at.velocity.chunks_exact(BLOCK));
        for ((to, known), (root, w)) in bodies.zip(rows.roots.iter().zip(rows.w.chunks_exact(MOTION))) {
            let found = root.velocity(w).into_iter().zip(known).map(|(v, known)| v - known);
            to.iter_mut().zip(found).for_each(|(to, v)| *to = v);
        }
        now.clear();
        now.resize(force.len(), 0.0);
        problem.subtract_stiffness(velocity, now);
        let mut worst = 0.0_f64;
        for (i, (now, force)) in now.chunks_exact(BLOCK).zip(force.chunks_exact_mut(BLOCK)).enumerate() {
            // Stiffness is subtracted: the force on a body is minus what was found.
            let change: [f64; BLOCK] = std::array::from_fn(|d| force[d] - now[d]);
            force.copy_from_slice(now);
            let [linear, angular] = [0, 3].map(|k| Vector3::from_column_slice(&change[k..k + 3]));
            worst = worst.max(problem.at.units.bodies[i].scaled(&linear, &angular));
            let change = rows.roots[i].divide(&change);
            rows.w[MOTION * i..].iter_mut().zip(change).for_each(|(w, c)| *w += c);
        }
        if !problem.at.response.is_empty() {
            raise(problem, colouring, rows, velocity);
        }
        worst
    }
}

/// y₀ so that y₀ + J w is the slip y_k + Y (v − v_k).
fn raise(problem: &ContactProblem, colouring: &Colouring, rows: &mut DeviceRows, velocity: &[f64]) {
    let DeviceRows { batches, excess, numbers, .. } = rows;
    numbers.portions(batches).into_par_iter().for_each(|mut portion| {
        for k in portion.batches.clone() {
            for (lane, c) in colouring.lanes(k) {
                let by = |i: usize| beyond(problem, velocity, c, i);
                raise_contact(problem, (&batches[k], excess), [lane, c], &mut portion, by);
            }
        }
    });
}

fn raise_contact(
    problem: &ContactProblem,
    (words, excess): (&[u32; BATCH], &[f64]),
    [lane, c]: [usize; 2],
    portion: &mut Portion<'_>,
    by: impl Fn(usize) -> f64,
) {
    let cone = &problem.cones[c];
    let Portion { row: first, shift: first_shift, numbers, .. } = portion;
    for (row, i) in rows_of(words, cone) {
        let at = WIDTH * (row - *first) + lane;
        let raised = by(i);
        numbers.offset[at] += raised - numbers.raised[at];
        numbers.raised[at] = raised;
    }
    let (row, tangential) = (words[BATCH_ROW] as usize, cone.n_tangential());
    let friction = row + words[BATCH_NORMAL] as usize;
    for (k, (shift, i)) in shift_rows_of(words, cone).enumerate() {
        let at = WIDTH * (shift - *first_shift) + lane;
        let raised = by(i);
        let change = raised - numbers.shift_raised[at];
        numbers.shift_raised[at] = raised;
        numbers.shift_offset[at] += change;
        let excess = excess[WIDTH * (row + k / tangential) + lane];
        numbers.offset[WIDTH * (friction + k % tangential - *first) + lane] += excess * change;
    }
}
