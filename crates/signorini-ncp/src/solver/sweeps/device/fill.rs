//! A linearized problem written into the rows that a device sweeps.

use super::colouring::Colouring;
use super::rows::{DeviceRows, Portion, rows_of, shift_rows_of};
use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::problem::contact_problem::body_vector;
use crate::solver::parameters::sweeps::DEVICE_CHUNK_BODIES;
use crate::solver::sweeps::fill::friction_step;
use crate::solver::sweeps::roots::Root;
use crate::solver::sweeps::rows::Start;
use rayon::prelude::*;
use signorini_kernels::sweep_batch::{
    BATCH, BATCH_FRICTION, BATCH_NORMAL, BATCH_ROW, ENTRIES, LAW_FRICTION, LAW_OVERLAP, LAW_STEP, LAW_UNIT,
    LAW_WEIGHT, LAWS, MOTION, WIDTH,
};

impl DeviceRows {
    /// Takes over a problem where it is linearized.
    pub fn fill(&mut self, problem: &ContactProblem, colouring: &Colouring, start: Start<'_>) {
        self.lay_out(problem, colouring);
        self.find_motions(problem, start.x);
        let Self { batches, roots, numbers, .. } = self;
        let portions = numbers.portions(batches);
        let fill = Fill { problem, start, colouring, batches, roots };
        portions.into_par_iter().for_each(|mut portion| {
            for k in portion.batches.clone() {
                colouring.lanes(k).for_each(|(lane, c)| fill.contact(&mut portion, [k, lane, c]));
            }
        });
    }

    /// w = L⁻¹ (b + Jᵀ x).
    fn find_motions(&mut self, problem: &ContactProblem, x: &[f64]) {
        let mut momentum = problem.at.free_momentum.clone();
        for (c, cone) in problem.cones.iter().enumerate() {
            let rows = (0..cone.n_used).chain(cone.n_normal..cone.n_law_rows());
            for i in rows.filter(|i| x[cone.row + i] != 0.0) {
                for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                    let first = problem.value_offsets[k] + BLOCK * i;
                    let body = BLOCK * problem.block_body[k];
                    let direction = &problem.at.jacobian[first..first + BLOCK];
                    let on = momentum[body..body + BLOCK].iter_mut().zip(direction);
                    on.for_each(|(p, j)| *p += j * x[cone.row + i]);
                }
            }
        }
        let bodies = self.w.par_chunks_exact_mut(MOTION).zip(momentum.par_chunks_exact(BLOCK));
        let bodies = bodies.zip(&self.roots).with_min_len(DEVICE_CHUNK_BODIES);
        bodies.for_each(|((w, momentum), root)| w[..BLOCK].copy_from_slice(&root.divide(momentum)));
    }
}

struct Fill<'a> {
    problem: &'a ContactProblem,
    start: Start<'a>,
    colouring: &'a Colouring,
    batches: &'a [[u32; BATCH]],
    roots: &'a [Root],
}

impl Fill<'_> {
    /// Contact c in a lane of batch k.
    fn contact(&self, portion: &mut Portion<'_>, [k, lane, c]: [usize; 3]) {
        let (problem, words) = (self.problem, &self.batches[k]);
        let (cone, kind) = (&problem.cones[c], self.colouring.kinds[k]);
        let Portion { row: first, batches, numbers, .. } = portion;
        for (row, i) in rows_of(words, cone) {
            let (at, source) = (WIDTH * (row - *first) + lane, cone.row + i);
            numbers.offset[at] = problem.at.slip[source];
            numbers.weight[at] = problem.at.weight[source];
            numbers.x[at] = self.start.x[source];
            if kind.bounded {
                let at = 2 * WIDTH * (row - *first) + lane;
                [numbers.bounds[at], numbers.bounds[at + WIDTH]] = problem.bounds[source];
            }
        }
        if kind.moves {
            let fractions = problem.at.load_fraction[cone.normal()].iter();
            for (j, fraction) in fractions.enumerate() {
                numbers.load_fraction[WIDTH * (words[BATCH_ROW] as usize - *first + j) + lane] = *fraction;
            }
        }
        let law = WIDTH * LAWS * (k - batches.start) + lane;
        let mut put = |which: usize, number: f64| numbers.laws[law + WIDTH * which] = number;
        put(LAW_FRICTION, cone.friction_coefficient);
        put(LAW_UNIT, 1.0 / problem.at.units.cones[c]);
        put(LAW_OVERLAP, self.start.overlap.get(c).copied().unwrap_or(0.0));
        let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
        blocks.enumerate().for_each(|(side, block)| self.side(portion, [k, lane, c], [side, block]));
        if cone.n_friction > 0 {
            let weight = problem.at.weight[cone.friction().start];
            let first = (words[BATCH_ROW] + words[BATCH_NORMAL]) as usize - portion.row;
            let rows = &portion.numbers.rows[WIDTH * ENTRIES * first..];
            let entry = |row: usize, d: usize| rows[WIDTH * (ENTRIES * row + d) + lane];
            let step = friction_step(words[BATCH_FRICTION] as usize, weight, entry);
            portion.numbers.laws[law + WIDTH * LAW_WEIGHT] = weight;
            portion.numbers.laws[law + WIDTH * LAW_STEP] = step;
        }
    }

    /// A block of the problem's contacts as a side of contact c.
    fn side(&self, portion: &mut Portion<'_>, [k, lane, c]: [usize; 3], [side, block]: [usize; 2]) {
        let (problem, words, cone) = (self.problem, &self.batches[k], &self.problem.cones[c]);
        let body = problem.block_body[block];
        let (v, root) = (body_vector(&problem.at.velocity, body), &self.roots[body]);
        let Portion { row: first, shift: first_shift, numbers, .. } = portion;
        let write = |to: &mut [f64], offset: &mut f64, i: usize| {
            let at = problem.value_offsets[block] + BLOCK * i;
            let direction = &problem.at.jacobian[at..at + BLOCK];
            for (d, entry) in root.divide(direction).into_iter().enumerate() {
                to[WIDTH * (BLOCK * side + d)] = entry;
            }
            *offset -= direction.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
        };
        for (row, i) in rows_of(words, cone) {
            let row = row - *first;
            write(
                &mut numbers.rows[WIDTH * ENTRIES * row + lane..],
                &mut numbers.offset[WIDTH * row + lane],
                i,
            );
        }
        for (row, i) in shift_rows_of(words, cone) {
            let at = WIDTH * (row - *first_shift);
            let offset = &mut numbers.shift_offset[at + lane];
            if side == 0 {
                *offset += problem.at.slip[cone.row + i];
            }
            write(&mut numbers.shift_rows[ENTRIES * at + lane..], offset, i);
        }
    }
}
