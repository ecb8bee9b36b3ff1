//! The rows of a linearized problem in mass-normalised coordinates, batch by batch.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::parameters::sweeps::CHUNK;
use crate::solver::sweeps::batch::{
    Batch, Impulses, NO_IMPULSES, NO_ROW, NO_SHIFT, NO_TERMS, NONE, Place, ShiftRow, SweptRow, Terms,
};
use crate::solver::sweeps::colours::Colours;
use crate::solver::sweeps::lanes::WIDTH;
use crate::solver::sweeps::moving::{Moving, STILL};
use crate::solver::sweeps::roots::Root;
use crate::solver::sweeps::section::{Extent, Node, Section, Visit, visit};
use nalgebra::Matrix6;
use rayon::prelude::*;

/// Start of sweeps.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Impulses.
    pub x: &'a [f64],
    /// Per cone: what a negative slip of a normal row counts (s/m) in the residual, beside what it does in
    /// the natural map; empty: nothing.
    pub overlap: &'a [f64],
}

/// Rows, impulses and velocities.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub nodes: Vec<Node>,
    pub batches: Vec<Batch>,
    pub contacts: Vec<Place>,
    pub rows: Vec<SweptRow>,
    pub impulses: Vec<Impulses>,
    pub terms: Vec<Terms>,
    pub shifts: Vec<ShiftRow>,
    /// By place.
    pub motions: Vec<Moving>,
    /// By body.
    pub roots: Vec<Root>,
    /// Place of each body.
    pub place: Vec<usize>,
}

impl Rows {
    /// Has everything visited.
    pub fn visit<V: Visit>(&mut self, visitor: &V) -> V::Found {
        let Self { nodes, batches, contacts, rows, impulses, terms, shifts, motions, .. } = self;
        let section = Section { batches, contacts, rows, impulses, terms, shifts, motions };
        visit(nodes, nodes.len() - 1, section, visitor)
    }

    /// Whether some rows move.
    pub fn move_with_load(&self) -> bool {
        !self.shifts.is_empty()
    }

    /// Makes room for the rows of a problem with these colours. What no contact has is zero.
    pub fn lay_out(&mut self, colours: &Colours) {
        self.place.clone_from(&colours.parts.place);
        self.nodes.clear();
        self.batches.clear();
        self.contacts.clear();
        let mut at = Extent::default();
        for (part, own) in colours.parts.parts.iter().zip(&colours.own) {
            let start = part.halves.map_or(at, |[left, _]| self.nodes[left].start);
            self.nodes.push(Node { halves: part.halves, start, own: at, places: part.places.clone() });
            let nobody = (part.places.len() - 1) as u32;
            let (mut row, mut shift) = (0, 0);
            for (batch, (kind, contacts)) in colours.batches[own.batches.clone()].iter().enumerate() {
                self.batches.push(Batch {
                    kind: *kind,
                    row,
                    shift,
                    bodies: [[nobody; WIDTH]; 2],
                    friction: NONE,
                    friction_weight: NONE,
                    friction_step: NONE,
                    per_unit: NONE,
                    stiffening: NONE,
                    overlap: NONE,
                });
                let friction = row + kind.n_normal;
                let place =
                    |(lane, cone): (usize, &usize)| Place { cone: *cone, batch, lane, row, friction, shift };
                self.contacts.extend(contacts.iter().enumerate().map(place));
                row += kind.n_rows();
                shift += kind.n_shift();
            }
            at.batches += own.batches.len();
            at.contacts += own.contacts.len();
            at.rows += row;
            at.shifts += shift;
        }
        refill(&mut self.rows, at.rows, NO_ROW);
        refill(&mut self.impulses, at.rows, NO_IMPULSES);
        refill(&mut self.terms, at.rows, NO_TERMS);
        refill(&mut self.shifts, at.shifts, NO_SHIFT);
        refill(&mut self.motions, self.nodes.last().map_or(0, |node| node.places.end), STILL);
    }

    /// The roots of the masses of a problem, with what is added to them.
    pub fn find_roots(&mut self, problem: &ContactProblem, damping: &[f64]) {
        let root = |(mass, s): (&Matrix6<f64>, &f64)| Root::new(&(mass * (1.0 + s)));
        let masses = problem.mass.par_iter().zip(damping);
        masses.with_min_len(CHUNK).map(root).collect_into_vec(&mut self.roots);
    }

    /// Impulses and velocities as the problem has them.
    pub fn store(&self, problem: &ContactProblem, v: &mut [f64], x: &mut [f64]) {
        for cone in &problem.cones {
            x[cone.row..cone.row + cone.n_rows()].fill(0.0);
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let end = self.nodes.get(i + 1).map_or(self.contacts.len(), |next| next.own.contacts);
            for place in &self.contacts[node.own.contacts..end] {
                let cone = &problem.cones[place.cone];
                for (row, i) in place.rows(cone) {
                    x[cone.row + i] = self.impulses[node.own.rows + row].x[place.lane];
                }
            }
        }
        let places = self.roots.iter().zip(&self.place);
        for ((root, place), v) in places.zip(v.chunks_exact_mut(BLOCK)) {
            v.copy_from_slice(&root.velocity(&self.motions[*place].w));
        }
    }
}

fn refill<T: Clone>(all: &mut Vec<T>, n: usize, with: T) {
    all.clear();
    all.resize(n, with);
}
