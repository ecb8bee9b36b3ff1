//! The pairs of an island linearised by many threads: data of consecutive pairs are consecutive in every
//! array that the pairs write.

use crate::contact::{CheckLevel, FeatureSearch, Pair, PointLoads};
use crate::stepper::island::assemble::pair_out::PairOut;
use crate::stepper::island::assemble::pair_rows::{PairMotion, PairRows};
use crate::stepper::island::assemble::{motion_of, passing};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::problem::placed_island::PlacedIsland;
use crate::stepper::parameters::PAIRS_PER_CHUNK;
use crate::stepper::step_context::StepContext;
use nalgebra::Matrix3;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Cone;
use signorini_ncp::threads;

/// Consecutive portions of pairs, with the slices that only their pairs write.
struct Portions<'a> {
    /// Index of the first pair, then those of its first row, first value of J and first value of K.
    first: usize,
    row: usize,
    value: usize,
    stiff: usize,
    pairs: &'a mut [Box<Pair>],
    cones: &'a mut [Cone],
    x: &'a mut [f64],
    fractions: &'a mut [f64],
    slip: &'a mut [f64],
    jacobian: &'a mut [f64],
    response: &'a mut [f64],
    start: &'a mut [usize],
    stiffness: &'a mut [f64],
    searches: &'a mut [FeatureSearch],
}

/// Data that all threads read.
struct Shared<'a> {
    context: &'a StepContext<'a>,
    v: &'a [f64],
    island: ReadIsland<'a>,
    checks: CheckLevel,
}

/// Parts of an island that the threads read.
struct ReadIsland<'a> {
    local: &'a [[Option<usize>; 2]],
    placed: &'a PlacedIsland,
    turn: &'a [Matrix3<f64>],
    /// Index of the first value of J and Y of each block, and of the first block of each pair.
    values: &'a [usize],
    blocks: &'a [usize],
    /// Index of the first value of K of each pair.
    stiff: &'a [usize],
}

impl IslandProblem {
    /// Evaluates all pairs at the end pose and linearises their rows for impulses x, whose shift rows become
    /// 0. Pairs that are not loaded have no K.
    pub(in crate::stepper) fn linearize_pairs(
        &mut self,
        context: &StepContext<'_>,
        v: &[f64],
        x: &mut [f64],
    ) {
        self.find_places_of_stiffness();
        let Self { problem, pairs, local, placed, turn, searches, .. } = self;
        searches.resize_with(pairs.len().div_ceil(PAIRS_PER_CHUNK), FeatureSearch::default);
        let stiffness = &mut problem.at.stiffness;
        let n_numbers = self.places_of_stiffness.last().copied().unwrap_or(0);
        stiffness.blocks.truncate(n_numbers);
        stiffness.blocks.resize(n_numbers, 0.0);
        let island = ReadIsland {
            local,
            placed,
            turn,
            values: &problem.value_offsets,
            blocks: &problem.block_offsets,
            stiff: &self.places_of_stiffness,
        };
        let shared = Shared { context, v, island, checks: self.level.checks() };
        let portions = Portions {
            first: 0,
            row: 0,
            value: 0,
            stiff: 0,
            pairs,
            cones: &mut problem.cones,
            x,
            fractions: &mut problem.at.load_fraction,
            slip: &mut problem.at.slip,
            jacobian: &mut problem.at.jacobian,
            response: &mut problem.at.response,
            start: &mut stiffness.start,
            stiffness: &mut stiffness.blocks,
            searches,
        };
        if self.bodies.len() >= threads::SHARED_FROM {
            threads::rouse();
        }
        portions.linearize(&shared);
    }

    /// Finds the first value of K of each pair, and the end of the last one, as if all pairs were loaded.
    fn find_places_of_stiffness(&mut self) {
        let places = &mut self.places_of_stiffness;
        places.clear();
        places.push(0);
        for blocks in self.problem.block_offsets.windows(2).take(self.pairs.len()) {
            let width = BLOCK * (blocks[1] - blocks[0]);
            places.push(places[places.len() - 1] + width * width);
        }
    }
}

impl Portions<'_> {
    /// Splits more than one portion in halves for two threads.
    fn linearize(mut self, shared: &Shared<'_>) {
        if self.searches.len() > 1 {
            let [left, right] = self.halves(shared);
            threads::join(|| left.linearize(shared), || right.linearize(shared));
            return;
        }
        for c in self.first..self.first + self.pairs.len() {
            self.linearize_pair(shared, c);
        }
    }

    fn halves(self, shared: &Shared<'_>) -> [Self; 2] {
        let half = self.searches.len() / 2;
        let n = half * PAIRS_PER_CHUNK;
        let first = self.first + n;
        let row = self.cones[n].row;
        let value = shared.island.values[shared.island.blocks[first]];
        let stiff = shared.island.stiff[first];
        let (pairs, pairs_after) = self.pairs.split_at_mut(n);
        let (cones, cones_after) = self.cones.split_at_mut(n);
        let (x, x_after) = self.x.split_at_mut(row - self.row);
        let (fractions, fractions_after) = self.fractions.split_at_mut(row - self.row);
        let (slip, slip_after) = self.slip.split_at_mut(row - self.row);
        let (jacobian, jacobian_after) = self.jacobian.split_at_mut(value - self.value);
        let (response, response_after) = self.response.split_at_mut(value - self.value);
        let (start, start_after) = self.start.split_at_mut(n);
        let (stiffness, stiffness_after) = self.stiffness.split_at_mut(stiff - self.stiff);
        let (searches, searches_after) = self.searches.split_at_mut(half);
        let left =
            Self { pairs, cones, x, fractions, slip, jacobian, response, start, stiffness, searches, ..self };
        let right = Self {
            first,
            row,
            value,
            stiff,
            pairs: pairs_after,
            cones: cones_after,
            x: x_after,
            fractions: fractions_after,
            slip: slip_after,
            jacobian: jacobian_after,
            response: response_after,
            start: start_after,
            stiffness: stiffness_after,
            searches: searches_after,
        };
        [left, right]
    }

    /// Evaluates pair c at the end pose and linearises its rows.
    fn linearize_pair(&mut self, shared: &Shared<'_>, c: usize) {
        let Shared { context, v, ref island, checks } = *shared;
        let (sides, k) = (island.local[c], c - self.first);
        let pair = &mut self.pairs[k];
        pair.found_at = 0;
        let [a, b] = island.placed.sides(context, sides, pair);
        let mut cone = self.cones[k];
        let x = &mut self.x[cone.row - self.row..cone.row - self.row + cone.n_rows()];
        let own = Cone { row: 0, ..cone };
        let first = cone.row - self.row;
        let fractions = &mut self.fractions[first..first + cone.n_rows()][own.reserved()];
        let loads = PointLoads { x: &mut x[own.reserved()], fractions };
        pair.refresh([&a, &b], &mut self.searches[0], loads, checks);
        cone.n_used = pair.n_used();
        let own = Cone { row: 0, ..cone };
        x[own.shift()].fill(0.0);
        if cone.n_friction == 3 && pair.torsion_radius == 0.0 {
            // Torsion without a radius must not use up the friction bound.
            x[own.friction()][2] = 0.0;
        }
        self.cones[k].n_used = cone.n_used;
        self.cones[k].friction_coefficient = pair.friction.coefficient * pair.geometry.alignment;
        let ids = [pair.body_a, pair.body_b];
        let motion = PairMotion {
            velocity: passing([&a, &b], motion_of(context, v, ids, sides)),
            time_step: context.time_step,
            turn: sides.map(|local| local.map(|l| &island.turn[l])),
        };
        let rows = PairRows::new(pair, cone);
        let value = island.values[island.blocks[c]] - self.value;
        let n_values = BLOCK * cone.n_rows() * (island.blocks[c + 1] - island.blocks[c]);
        let out = PairOut {
            slip: &mut self.slip[first..first + cone.n_rows()],
            jacobian: &mut self.jacobian[value..value + n_values],
            response: &mut self.response[value..value + n_values],
            start: &mut self.start[k],
            stiffness: &mut self.stiffness[island.stiff[c] - self.stiff..island.stiff[c + 1] - self.stiff],
            place: island.stiff[c],
        };
        out.fill(&rows, &motion, &own, [&a, &b], x);
    }
}
