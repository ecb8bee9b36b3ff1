//! Rows of couplings, each over the bodies of two joints, linearised at the end pose.

use crate::stepper::blocks::velocity;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::residual::units::rounding_of_place;
use crate::stepper::joints::{CoupledEnd, CouplingModel, placement};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::linkage::Gradient;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Stiffness;

/// Place of each side of both coordinates among the moving bodies of the row.
type Slots = [[Option<usize>; 2]; 2];

/// A coupling at an iterate.
struct Coupled<'a> {
    coupling: &'a CouplingModel,
    ends: [CoupledEnd; 2],
    values: [f64; 2],
    slots: Slots,
    /// J_l of each moving body.
    turns: Vec<Matrix3<f64>>,
}

impl IslandProblem {
    /// Moving bodies of a coupling by their places in the island, each once.
    pub(super) fn coupled_bodies(
        context: &StepContext<'_>,
        coupling: &CouplingModel,
        local_of: &[usize],
    ) -> Vec<usize> {
        let mut found = Vec::new();
        for id in coupling.terms.iter().flat_map(|term| term.bodies) {
            if !context.models.bodies[id].fixed && !found.contains(&local_of[id]) {
                found.push(local_of[id]);
            }
        }
        found
    }

    /// Bodies of a coupling at the end of the last refresh, with velocities v, and both coordinates there.
    pub(in crate::stepper) fn coupled_end(
        &self,
        context: &StepContext<'_>,
        coupling: &CouplingModel,
        v: &[f64],
    ) -> ([CoupledEnd; 2], [f64; 2]) {
        let of = |id: usize| {
            let local = self.local_of(context, id);
            local.map_or_else(|| context.velocities[id], |local| velocity(v, local))
        };
        let ends = coupling.terms.each_ref().map(|term| CoupledEnd {
            at: term.bodies.map(|id| placement(self.end_placement(context, id))),
            velocity: term.bodies.map(of),
        });
        let start = context.coupling_start(coupling);
        let value = |t: usize| coupling.terms[t].value(&ends[t], start[t], context.time_step);
        (ends, [0, 1].map(value))
    }

    /// Linearises the row of a coupling, the cone c, at the end pose for its impulse x.
    pub(in crate::stepper) fn linearize_coupling(
        &mut self,
        context: &StepContext<'_>,
        coupling: &CouplingModel,
        x: f64,
        c: usize,
    ) {
        let (ends, values) = self.coupled_end(context, coupling, &self.problem.at.velocity);
        let bodies = self.problem.bodies_of(c);
        let slot = |id: usize| {
            let local = self.local_of(context, id)?;
            bodies.iter().position(|body| *body == local)
        };
        let slots = coupling.terms.each_ref().map(|term| term.bodies.map(slot));
        let turns: Vec<_> = bodies.iter().map(|local| self.turn[*local]).collect();
        let at = Coupled { coupling, ends, values, slots, turns };
        let gradients = at.gradients();
        let first = self.problem.block_offsets[c];
        let problem = &mut self.problem;
        problem.at.slip[problem.cones[c].row] = coupling.off(values) / context.time_step;
        for (k, gradient) in gradients.iter().enumerate() {
            let place = problem.value_offsets[first + k];
            write(gradient, &mut problem.at.jacobian[place..]);
            write(&at.turned(k, gradient), &mut problem.at.response[place..]);
        }
        problem.at.stiffness.start[c] = Stiffness::NONE;
        if x != 0.0 {
            let first = problem.at.stiffness.blocks.len();
            problem.at.stiffness.start[c] = first;
            let width = BLOCK * at.turns.len();
            problem.at.stiffness.blocks.resize(first + width * width, 0.0);
            at.add_stiffness(context.time_step * x, &mut problem.at.stiffness.blocks[first..]);
        }
    }

    /// Distance (m) by which rounding of the places of its bodies may put a coupling off.
    pub(super) fn coupling_rounding(&self, context: &StepContext<'_>, coupling: &CouplingModel) -> f64 {
        let bodies = coupling.terms.iter().flat_map(|term| term.bodies);
        bodies.map(|id| rounding_of_place(&context.models.bodies[id], &context.poses[id].position)).sum()
    }
}

impl Coupled<'_> {
    /// Gradients of one coordinate, by the moving bodies of the row.
    fn gradients_of(&self, t: usize) -> Vec<Gradient> {
        let mut found = vec![Gradient::default(); self.turns.len()];
        let both = self.coupling.terms[t].row.gradient(&self.ends[t].at);
        for (gradient, slot) in both.iter().zip(self.slots[t]) {
            let Some(slot) = slot else { continue };
            found[slot].linear += gradient.linear;
            found[slot].angular += gradient.angular;
        }
        found
    }

    /// Gradients of ψ.
    fn gradients(&self) -> Vec<Gradient> {
        let factors = self.coupling.factors(self.values);
        let [first, second] = [0, 1].map(|t| self.gradients_of(t));
        let sum = |(a, b): (&Gradient, &Gradient)| Gradient {
            linear: a.linear * factors[0] + b.linear * factors[1],
            angular: a.angular * factors[0] + b.angular * factors[1],
        };
        first.iter().zip(&second).map(sum).collect()
    }

    /// A gradient of moving body k with its velocity over h: the angular part goes through J_l.
    fn turned(&self, k: usize, gradient: &Gradient) -> Gradient {
        Gradient { linear: gradient.linear, angular: self.turns[k].tr_mul(&gradient.angular) }
    }

    /// Adds `scale` times the second derivative of ψ with the poses, in velocities over h.
    fn add_stiffness(&self, scale: f64, out: &mut [f64]) {
        let width = BLOCK * self.turns.len();
        let factors = self.coupling.factors(self.values);
        for (t, term) in self.coupling.terms.iter().enumerate() {
            let curvature = term.row.curvature(&self.ends[t].at);
            for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (Some(row), Some(column)) = (self.slots[t][r], self.slots[t][c]) else { continue };
                for half in 0..2 {
                    let moved = curvature[2 * r + half][2 * c] * (factors[t] * scale);
                    let turned = curvature[2 * r + half][2 * c + 1] * self.turns[column];
                    let turned = turned * (factors[t] * scale);
                    let corner = (BLOCK * row + 3 * half) * width + BLOCK * column;
                    add_block(&moved, &mut out[corner..], width);
                    add_block(&turned, &mut out[corner + 3..], width);
                }
            }
        }
        let bend = self.coupling.bend(self.values) * scale;
        if bend != 0.0 {
            let gradients = self.gradients_of(1);
            for (row, forward) in gradients.iter().enumerate() {
                let column: [f64; BLOCK] = stacked(forward);
                for (k, back) in gradients.iter().enumerate() {
                    let back = stacked(&self.turned(k, back));
                    for (i, f) in column.iter().enumerate() {
                        let line = &mut out[(BLOCK * row + i) * width + BLOCK * k..][..BLOCK];
                        line.iter_mut().zip(&back).for_each(|(out, b)| *out += bend * f * b);
                    }
                }
            }
        }
    }
}

fn stacked(gradient: &Gradient) -> [f64; BLOCK] {
    let mut found = [0.0; BLOCK];
    write(gradient, &mut found);
    found
}

fn write(gradient: &Gradient, out: &mut [f64]) {
    let put = |v: &Vector3<f64>, out: &mut [f64]| out.copy_from_slice(v.as_slice());
    put(&gradient.linear, &mut out[..3]);
    put(&gradient.angular, &mut out[3..BLOCK]);
}

/// Adds a 3×3 block to the corner of a row-major matrix.
fn add_block(block: &Matrix3<f64>, out: &mut [f64], width: usize) {
    for i in 0..3 {
        for j in 0..3 {
            out[i * width + j] += block[(i, j)];
        }
    }
}
