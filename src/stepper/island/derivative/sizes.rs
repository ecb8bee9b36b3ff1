//! The effect of the sizes of bodies on rows and forces (theory §17.7).

use crate::contact::Placed;
use crate::contact::growth::has_sizes;
use crate::step::Change;
use crate::stepper::island::assemble::pair_rows::{Both, PairMotion, PairRows, SizeSlopes};
use crate::stepper::island::assemble::rolling_rows::RollingRows;
use crate::stepper::island::assemble::{motion_of, passing};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::{Cause, CauseGradient};

/// The loaded pairs of an island with bodies that have sizes.
#[derive(Debug, Clone, Default)]
pub struct SizeEffect {
    pairs: Vec<SizedPair>,
}

#[derive(Debug, Clone)]
struct SizedPair {
    /// Bodies in the scene, and in the island where forces move them.
    ids: [usize; 2],
    local: [Option<usize>; 2],
    /// First row.
    row: usize,
    slopes: SizeSlopes,
}

impl SizeEffect {
    /// Of an island's problem at its solution with velocities v and impulses x.
    pub fn of(island: &IslandProblem, context: &StepContext<'_>, v: &[f64], x: &[f64]) -> Self {
        let mut effect = Self::default();
        for c in 0..island.pairs.len() {
            effect.add_pair(island, context, (c, island.pull(c)), ([v, x], &|_| None));
        }
        effect
    }

    /// Adds a pair of an island whose problem is linearised, with its pull (N s); `along` as of
    /// [`PairRows::size_slopes`].
    pub fn add_pair(
        &mut self,
        island: &IslandProblem,
        context: &StepContext<'_>,
        (c, pull): (usize, f64),
        ([v, x], along): ([&[f64]; 2], &dyn Fn(usize) -> Option<Both>),
    ) {
        let (pair, cone, local) = (&island.pairs[c], island.problem.cones[c], island.local[c]);
        let [a, b] = island.placed.sides(context, local, pair);
        let ids = [pair.body_a, pair.body_b];
        let is_sized =
            |(id, side): (usize, &Placed<'_>)| context.models.bodies[id].parts.len() == 1 && has_sizes(side);
        let loads = &x[cone.row..cone.row + cone.n_law_rows()];
        let is_loaded = pull != 0.0 || loads[..cone.n_normal].iter().any(|x| *x > 0.0);
        let sides = [0, 1].map(|k| is_sized((ids[k], [&a, &b][k])));
        if !is_loaded || sides == [false; 2] {
            return;
        }
        let velocity = passing([&a, &b], motion_of(context, v, ids, local));
        let spin = velocity[1].angular - velocity[0].angular;
        let motion = PairMotion { velocity, time_step: context.time_step, turn: [None; 2] };
        // Pairs that pull have one contact point, at which the pull acts, too.
        let mut pushes = loads.to_vec();
        pushes[0] -= pull;
        let own = PairRows::new(pair, cone).size_slopes([&a, &b], &motion, &pushes, along);
        let mut all = vec![(cone.row, own)];
        if let Some(r) = island.problem.rolling_of(c) {
            let rolling = island.problem.cones[r];
            let growth = pair.growth(&a, &b, &loads[..cone.n_normal], &mut |_, _| ());
            let rows = RollingRows::new(pair, island.rolling_arm(context, c));
            all.push((rolling.row, rows.size_slopes(&x[rolling.friction()], &spin, &growth)));
        }
        for (row, mut slopes) in all {
            (0..2).filter(|side| !sides[*side]).for_each(|side| slopes.clear(side));
            self.pairs.push(SizedPair { ids, local, row, slopes });
        }
    }

    /// Adds the effect of a change of sizes, in a lane.
    pub fn apply(&self, (lane, change): (usize, &Change), cause: &mut Cause) {
        for pair in &self.pairs {
            let [of_a, of_b] = pair.ids.map(|id| change.size[id]);
            let sizes = [of_a.x, of_a.y, of_a.z, of_b.x, of_b.y, of_b.z];
            if sizes.iter().all(|size| *size == 0.0) {
                continue;
            }
            let product =
                |row: &[f64; 6]| row.iter().zip(sizes).map(|(slope, size)| slope * size).sum::<f64>();
            for (slip, row) in cause.slip[pair.row..].iter_mut().zip(&pair.slopes.rows) {
                slip[lane] += product(row);
            }
            for (local, rows) in pair.moving() {
                let body = &mut cause.momentum[BLOCK * local..][..BLOCK];
                body.iter_mut().zip(rows).for_each(|(f, row)| f[lane] += product(row));
            }
        }
    }

    /// Adds the gradient with sizes of a function whose gradient with the cause is given.
    pub fn add_gradient(&self, cause: &CauseGradient, out: &mut Change) {
        for pair in &self.pairs {
            let mut sizes = [0.0; 6];
            let mut add = |row: &[f64; 6], by: f64| {
                sizes.iter_mut().zip(row).for_each(|(sum, slope)| *sum += by * slope);
            };
            pair.slopes.rows.iter().zip(&cause.slip[pair.row..]).for_each(|(row, by)| add(row, *by));
            for (local, rows) in pair.moving() {
                rows.iter().zip(&cause.momentum[BLOCK * local..]).for_each(|(row, by)| add(row, *by));
            }
            for (id, sizes) in pair.ids.into_iter().zip(sizes.as_chunks::<3>().0) {
                out.size[id] += nalgebra::Vector3::from(*sizes);
            }
        }
    }
}

impl SizedPair {
    /// Bodies that forces move, and their rows of forces.
    fn moving(&self) -> impl Iterator<Item = (usize, &[[f64; 6]])> {
        let rows = self.slopes.force.chunks_exact(BLOCK);
        self.local.into_iter().zip(rows).filter_map(|(local, rows)| local.map(|local| (local, rows)))
    }
}
