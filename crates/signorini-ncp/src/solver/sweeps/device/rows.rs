//! The rows of a linearized problem in mass-normalised coordinates, as the kernels of a device read them.

use super::colouring::Colouring;
use crate::linalg::BLOCK;
use crate::problem::{Cone, ContactProblem};
use crate::solver::parameters::sweeps::CHUNK;
use crate::solver::sweeps::batch::{rows_from, shift_rows_from};
use crate::solver::sweeps::roots::Root;
use rayon::prelude::*;
use signorini_kernels::device_sweeps::{SweptRows, SweptState};
use signorini_kernels::sweep_batch::{
    BATCH, BATCH_BOUNDED, BATCH_FIRST, BATCH_FRICTION, BATCH_MOVES, BATCH_NORMAL, BATCH_ROW, BATCH_SECOND,
    BATCH_SHIFT, ENTRIES, LAWS, MOTION, NO_BODY, WIDTH,
};

/// Rows, impulses and motions. Numbers of rows lie lane by lane.
#[derive(Debug, Default)]
pub(super) struct DeviceRows {
    pub batches: Vec<[u32; BATCH]>,
    pub roots: Vec<Root>,
    pub numbers: Numbers<Vec<f64>>,
    /// Excess of load fractions over those of the linearization.
    pub excess: Vec<f64>,
    /// Motions.
    pub w: Vec<f64>,
}

/// Numbers of batches and rows, see [`SweptRows`]; `raised` is what y₀ was raised by, of rows and shift rows.
#[derive(Debug, Default, Clone)]
pub(super) struct Numbers<A> {
    pub laws: A,
    pub rows: A,
    pub offset: A,
    pub weight: A,
    pub bounds: A,
    pub load_fraction: A,
    pub x: A,
    pub raised: A,
    pub shift_rows: A,
    pub shift_offset: A,
    pub shift_raised: A,
}

/// Some batches in a row, with their numbers.
#[derive(Debug)]
pub(super) struct Portion<'a> {
    pub batches: std::ops::Range<usize>,
    /// First row and first shift row.
    pub row: usize,
    pub shift: usize,
    pub numbers: Numbers<&'a mut [f64]>,
}

impl DeviceRows {
    /// Sets aside what the batches of a problem take.
    pub fn lay_out(&mut self, problem: &ContactProblem, colouring: &Colouring) {
        self.roots.clear();
        problem.mass.par_iter().with_min_len(CHUNK).map(Root::new).collect_into_vec(&mut self.roots);
        self.batches.clear();
        let (mut row, mut shift, mut bounded) = (0, 0, false);
        for (k, kind) in colouring.kinds.iter().enumerate() {
            let mut words = [0; BATCH];
            words[BATCH_ROW] = row as u32;
            words[BATCH_SHIFT] = shift as u32;
            words[BATCH_NORMAL] = kind.n_normal as u32;
            words[BATCH_FRICTION] = kind.n_friction as u32;
            words[BATCH_BOUNDED] = kind.bounded.into();
            words[BATCH_MOVES] = kind.moves.into();
            words[BATCH_FIRST..].fill(NO_BODY);
            for (lane, c) in colouring.lanes(k) {
                let bodies = problem.bodies_of(c);
                for (first, body) in [BATCH_FIRST, BATCH_SECOND].into_iter().zip(bodies) {
                    words[first + lane] = *body as u32;
                }
            }
            self.batches.push(words);
            row += kind.n_rows();
            shift += kind.n_shift();
            bounded |= kind.bounded;
        }
        let n = &mut self.numbers;
        let sizes = [
            (&mut n.laws, LAWS * self.batches.len()),
            (&mut n.rows, ENTRIES * row),
            (&mut n.offset, row),
            (&mut n.weight, row),
            (&mut n.bounds, if bounded { 2 * row } else { 0 }),
            (&mut n.load_fraction, if shift > 0 { row } else { 0 }),
            (&mut n.x, row),
            (&mut n.raised, row),
            (&mut n.shift_rows, ENTRIES * shift),
            (&mut n.shift_offset, shift),
            (&mut n.shift_raised, shift),
            (&mut self.excess, if shift > 0 { row } else { 0 }),
        ];
        for (numbers, n) in sizes {
            numbers.clear();
            numbers.resize(WIDTH * n, 0.0);
        }
        self.w.clear();
        self.w.resize(MOTION * problem.n_bodies(), 0.0);
    }

    /// The rows as a device has them.
    pub fn swept<'a>(&'a self, colouring: &'a Colouring) -> SweptRows<'a> {
        let n = &self.numbers;
        SweptRows {
            batches: &self.batches,
            colours: &colouring.colours,
            laws: &n.laws,
            rows: &n.rows,
            offset: &n.offset,
            weight: &n.weight,
            bounds: &n.bounds,
            load_fraction: &n.load_fraction,
            shift_rows: &n.shift_rows,
            shift_offset: &n.shift_offset,
            x: &n.x,
            w: &self.w,
        }
    }

    /// Where what was swept comes back to.
    pub fn state(&mut self) -> SweptState<'_> {
        let Numbers { x, offset, .. } = &mut self.numbers;
        SweptState { x, w: &mut self.w, offset, excess: &mut self.excess }
    }

    /// Impulses and velocities as the problem has them.
    pub fn store(&self, problem: &ContactProblem, colouring: &Colouring, v: &mut [f64], x: &mut [f64]) {
        x.fill(0.0);
        for (k, words) in self.batches.iter().enumerate() {
            for (lane, c) in colouring.lanes(k) {
                let cone = &problem.cones[c];
                for (row, i) in rows_of(words, cone) {
                    x[cone.row + i] = self.numbers.x[WIDTH * row + lane];
                }
            }
        }
        let bodies = v.par_chunks_exact_mut(BLOCK).zip(self.w.par_chunks_exact(MOTION)).zip(&self.roots);
        bodies.with_min_len(CHUNK).for_each(|((v, w), root)| v.copy_from_slice(&root.velocity(w)));
    }
}

impl Numbers<Vec<f64>> {
    /// Batches in portions, whose numbers no other portion holds.
    pub fn portions(&mut self, batches: &[[u32; BATCH]]) -> Vec<Portion<'_>> {
        let ends = [&self.offset, &self.shift_offset].map(|numbers| numbers.len() / WIDTH);
        let begin = |k: usize| {
            let words = batches.get(k).map(|words| [words[BATCH_ROW], words[BATCH_SHIFT]]);
            words.map_or(ends, |words| words.map(|word| word as usize))
        };
        let mut rest = self.all();
        let portions = (0..batches.len()).step_by(CHUNK).map(|first| {
            let batches = first..batches.len().min(first + CHUNK);
            let ([row, shift], [row_end, shift_end]) = (begin(batches.start), begin(batches.end));
            let numbers = rest.take([batches.len(), row_end - row, shift_end - shift]);
            Portion { batches, row, shift, numbers }
        });
        portions.collect()
    }

    fn all(&mut self) -> Numbers<&mut [f64]> {
        Numbers {
            laws: &mut self.laws,
            rows: &mut self.rows,
            offset: &mut self.offset,
            weight: &mut self.weight,
            bounds: &mut self.bounds,
            load_fraction: &mut self.load_fraction,
            x: &mut self.x,
            raised: &mut self.raised,
            shift_rows: &mut self.shift_rows,
            shift_offset: &mut self.shift_offset,
            shift_raised: &mut self.shift_raised,
        }
    }
}

impl<'a> Numbers<&'a mut [f64]> {
    /// The numbers of the first so many batches, rows and shift rows; the rest is left.
    fn take(&mut self, [batches, rows, shifts]: [usize; 3]) -> Self {
        let cut = |numbers: &mut &'a mut [f64], n: usize| {
            let all = std::mem::take(numbers);
            // Bounds and load fractions may be absent.
            let (first, rest) = all.split_at_mut((WIDTH * n).min(all.len()));
            *numbers = rest;
            first
        };
        Self {
            laws: cut(&mut self.laws, LAWS * batches),
            rows: cut(&mut self.rows, ENTRIES * rows),
            offset: cut(&mut self.offset, rows),
            weight: cut(&mut self.weight, rows),
            bounds: cut(&mut self.bounds, 2 * rows),
            load_fraction: cut(&mut self.load_fraction, rows),
            x: cut(&mut self.x, rows),
            raised: cut(&mut self.raised, rows),
            shift_rows: cut(&mut self.shift_rows, ENTRIES * shifts),
            shift_offset: cut(&mut self.shift_offset, shifts),
            shift_raised: cut(&mut self.shift_raised, shifts),
        }
    }
}

/// The rows of a cone that are swept, counted from the first of all and from the cone's.
pub(super) fn rows_of(words: &[u32; BATCH], cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (row, friction) = (words[BATCH_ROW] as usize, (words[BATCH_ROW] + words[BATCH_NORMAL]) as usize);
    rows_from(row, friction, cone)
}

/// Its shift rows likewise.
pub(super) fn shift_rows_of(
    words: &[u32; BATCH],
    cone: &Cone,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    shift_rows_from(words[BATCH_SHIFT] as usize, cone)
}
