//! The rows of an impact, and how they move with the end pose at which it happens (theory §17.6).

use super::effects::{BoundEffect, PhaseRows, RowEffect};
use crate::contact::Pair;
use crate::stepper::impact::{Arrival, Impact, before};
use crate::stepper::island::assemble::pair_rows::{Both, PairMotion, PairRows};
use crate::stepper::island::assemble::{motion_of, passing};
use crate::stepper::island::derivative::blocks::cones_of;
use crate::stepper::island::derivative::driven_rows::{DrivenRows, ImpactNormals};
use crate::stepper::island::derivative::places::{PlaceEffect, Rates};
use crate::stepper::island::derivative::sizes::SizeEffect;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::Matrix3;
use signorini_geometry::Velocity;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Stiffness;
use signorini_ncp::solver::Iterate;

/// An impact with what its rows look at.
pub struct EndRows<'a> {
    pub impact: &'a Impact,
    pub context: &'a StepContext<'a>,
    /// Solution of the position phase.
    pub led: &'a Iterate,
    /// Velocities before the step, without contacts, and of the position phase.
    speeds: [Vec<f64>; 3],
}

impl<'a> EndRows<'a> {
    /// Of the impact at the end of a step of an island that is linearised at its solution.
    pub fn new(
        island: &IslandProblem,
        led: &'a Iterate,
        impact: &'a Impact,
        context: &'a StepContext<'a>,
        free: &[f64],
    ) -> Self {
        let speeds = [before(island, context), free.to_vec(), led.velocity.clone()];
        Self { impact, context, led, speeds }
    }

    /// The velocities that its rows look at.
    pub fn speeds(&self) -> &[Vec<f64>; 3] {
        &self.speeds
    }

    /// The rows of solve k. The island is left as it is; pairs on a border are added to `borders`.
    pub fn of_phase(&self, island: &mut IslandProblem, k: usize, borders: &mut Vec<[usize; 2]>) -> PhaseRows {
        let (found, problem) = (&self.impact.phases[k], &self.impact.problems[k]);
        let kept_pairs = std::mem::replace(&mut island.pairs, self.impact.pairs.clone());
        let kept_problem = std::mem::replace(&mut island.problem, problem.clone());
        let at = &mut island.problem.at;
        let n = at.jacobian.len();
        at.response.clear();
        at.response.resize(n, 0.0);
        at.stiffness.start.clear();
        at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
        at.velocity.copy_from_slice(&self.led.velocity);
        let (x, velocity) = (found.impulse.clone(), &found.velocity);
        let mut phase = Phase {
            of: self,
            k,
            velocity,
            x,
            moved: vec![0.0; n],
            rows: Vec::new(),
            sizes: SizeEffect::default(),
            driven: DrivenRows::default(),
        };
        phase.find_joints(island);
        island.problem.at.stiffness.blocks.clear();
        island.problem.at.stiffness.start.fill(Stiffness::NONE);
        for c in 0..island.pairs.len() {
            if phase.find_pair(island, c) {
                borders.push([island.pairs[c].body_a, island.pairs[c].body_b]);
            }
        }
        phase.find_forces(island);
        let (bounds, alignment) = (phase.bounds(island), cones_of(island, self.context).0);
        let rates = Rates { velocity, led: &self.led.velocity };
        let places = PlaceEffect::of(island, self.context, &phase.x, Some(rates));
        phase.driven.add_joints(island, self.context, &phase.x, Some(rates));
        island.pairs = kept_pairs;
        let turned = std::mem::replace(&mut island.problem, kept_problem);
        let Phase { moved, rows, sizes, driven, .. } = phase;
        PhaseRows { turned, moved, rows, bounds, sizes, places, driven, alignment }
    }
}

/// A solve whose rows are found.
pub struct Phase<'a> {
    pub of: &'a EndRows<'a>,
    /// Which one.
    pub k: usize,
    /// Its velocities and impulses.
    pub velocity: &'a [f64],
    pub x: Vec<f64>,
    pub moved: Vec<f64>,
    pub rows: Vec<RowEffect>,
    pub sizes: SizeEffect,
    pub driven: DrivenRows,
}

impl Phase<'_> {
    /// Finds the rows of pair c and its K. Tells whether it is on a border.
    fn find_pair(&mut self, island: &mut IslandProblem, c: usize) -> bool {
        island.carry(self.of.context, self.velocity, &mut self.x, c);
        let cone = island.problem.cones[c];
        if self.x[cone.normal()].iter().all(|x| *x <= 0.0) {
            return false;
        }
        let context = self.of.context;
        let IslandProblem { problem, pairs, local, placed, turn, .. } = island;
        let (pair, sides) = (&pairs[c], local[c]);
        let [a, b] = placed.sides(context, sides, pair);
        let motion = PairMotion {
            velocity: passing([&a, &b], motion_of(context, self.velocity, [pair.body_a, pair.body_b], sides)),
            time_step: context.time_step,
            turn: sides.map(|local| local.map(|l| &turn[l])),
        };
        let (rows, n) = (PairRows::new(pair, cone), BLOCK * cone.n_rows());
        let block = problem.at.stiffness.reserve(c, sides.iter().flatten().count());
        let x = self.x[cone.row..cone.row + cone.n_law_rows()].to_vec();
        let out = &mut problem.at.stiffness.blocks[block];
        let tangent = rows.add_stiffness([&a, &b], &motion, &x, Some(out));
        let moving = (0..2).filter(|side| sides[*side].is_some());
        let offsets = problem.value_offsets[problem.block_offsets[c]..].iter().copied();
        let places: Vec<(usize, usize)> = moving.zip(offsets).collect();
        for &(side, first) in &places {
            let jacobian = &problem.at.jacobian[first..][..n];
            let mut response = vec![0.0; n];
            rows.write_response(side, jacobian, &motion, Some(&tangent), &mut response);
            let friction = BLOCK * cone.n_normal..BLOCK * cone.n_law_rows();
            let values = response[friction.clone()].iter().zip(&jacobian[friction.clone()]);
            let out = self.moved[first..][friction].iter_mut();
            out.zip(values).for_each(|(out, (y, j))| *out = y - j);
        }
        let identity = Matrix3::identity();
        let turns = motion.turn.map(|turn| turn.unwrap_or(&identity));
        let (mut is_at_border, mut alongs) = (false, vec![None; cone.n_normal]);
        let mut of_point = |j: usize, block: &[f64]| {
            let (along, found) = self.along(pair, (&rows, sides), (c, cone.row + j, j));
            is_at_border |= found;
            alongs[j] = Some(along);
            for &(side, first) in &places {
                let out = &mut self.moved[first + BLOCK * j..][..BLOCK];
                for (r, v) in along.iter().flatten().enumerate() {
                    let slopes = &block[2 * BLOCK * r + BLOCK * side..][..BLOCK];
                    out.iter_mut().zip(slopes).for_each(|(out, slope)| *out += v * slope);
                }
            }
        };
        rows.normal_slopes([&a, &b], (context.time_step, turns), &x, &mut of_point);
        let solved = [self.velocity, &*self.x];
        self.sizes.add_pair(island, context, (c, 0.0), (solved, &|j| alongs[j]));
        let rebounds = &self.rows;
        let velocity = |j: usize| by_prescribed(rebounds, cone.row + j);
        let normals = ImpactNormals { along: &alongs, velocity: &velocity };
        self.driven.add_pair(island, context, c, (solved, Some(normals)));
        is_at_border
    }

    /// The velocities w of y = J w of a contact point at fixed bodies: those after the impact, and what the
    /// rebound adds. Whether the point is on a border.
    fn along(
        &mut self,
        pair: &Pair,
        (rows, sides): (&PairRows<'_>, [Option<usize>; 2]),
        (cone, row, j): (usize, usize, usize),
    ) -> (Both, bool) {
        let context = self.of.context;
        let of = |v: &[f64]| motion_of(context, v, [pair.body_a, pair.body_b], sides).map(|v| six(&v));
        let mut along = of(self.velocity);
        // A point that is neither loaded nor open where the position phase ends is on a border.
        let is_idle = self.of.led.impulse[row] == 0.0;
        if self.of.impact.rebounds[self.k][row] <= 0.0 {
            return (along, is_idle);
        }
        let speeds = self.of.speeds.each_ref().map(|v| of(v));
        let [u, free, led] = speeds.each_ref().map(|v| rows.normal_speed(j, v));
        let arrival = Arrival::of(u, free - u, pair.manifold.is_none().then_some(led));
        let [by_start, by_gain, by_led] = arrival.by.map(|by| pair.friction.restitution.coefficient * by);
        let by = [by_start - by_gain, by_gain, by_led];
        for (speed, by) in speeds.iter().zip(by) {
            along.iter_mut().flatten().zip(speed.iter().flatten()).for_each(|(to, v)| *to += by * v);
        }
        self.rows.push(RowEffect { row, cone, by, restitution: arrival.speed });
        (along, is_idle || arrival.is_at_border)
    }

    /// Finds K of joints, and rolling rows with theirs.
    fn find_forces(&mut self, island: &mut IslandProblem) {
        let mut c = island.pairs.len();
        for l in 0..island.joint_memory.len() {
            c = island.linearize_joint(self.of.context, &self.x, l, c);
        }
        island.linearize_rolling(self.of.context, self.velocity, &self.x);
        let problem = &island.problem;
        for r in problem.first_rolling()..problem.cones.len() {
            for k in problem.block_offsets[r]..problem.block_offsets[r + 1] {
                let first = problem.value_offsets[k];
                let own = first..first + BLOCK * problem.cones[r].n_rows();
                let values = problem.at.response[own.clone()].iter().zip(&problem.at.jacobian[own.clone()]);
                self.moved[own].iter_mut().zip(values).for_each(|(out, (y, j))| *out = y - j);
            }
        }
    }

    /// Impulses that stand on bounds which move: those of motors are those of the position phase, and the
    /// least impulses of an expansion follow from its compression.
    fn bounds(&self, island: &IslandProblem) -> Vec<BoundEffect> {
        let problem = &self.of.impact.problems[self.k];
        let mut found = self.motors(island);
        for (cone, pair) in problem.cones.iter().zip(&island.pairs) {
            for row in cone.normal().filter(|row| problem.bounds[*row][0] > 0.0) {
                let before = &self.of.impact.phases[self.k - 1];
                let by = pair.friction.restitution.coefficient;
                found.push(BoundEffect { row, by, restitution: before.impulse[row] });
            }
        }
        found
    }
}

/// Multiple of J of a normal row by a velocity that nothing changes in the step.
fn by_prescribed(rebounds: &[RowEffect], row: usize) -> f64 {
    let rebound = rebounds.iter().find(|found| found.row == row);
    1.0 + rebound.map_or(0.0, |found| found.by.iter().sum())
}

/// A velocity in the order of a row.
fn six(v: &Velocity) -> [f64; BLOCK] {
    [v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z]
}
