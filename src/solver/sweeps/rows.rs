//! The rows of a linearized problem in mass-normalised coordinates, batch by batch.

use crate::linalg::BLOCK;
use crate::problem::contact_problem::body_vector;
use crate::problem::{Cone, ContactProblem};
use crate::solver::sweeps::colours::{Colours, Kind};
use crate::solver::sweeps::lanes::{Lanes, Motion, Row, WIDTH};
use crate::solver::sweeps::roots::Root;

/// Friction steps stay below this over the largest eigenvalue of their rows: 2 would no longer converge.
const FRICTION_STEP: f64 = 1.5;

/// Up to eight contacts of one kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub kind: Kind,
    /// First of its rows.
    pub row: usize,
    /// First of its shift rows.
    pub shift: usize,
    /// Bodies of each contact; one more than there are stands for none.
    pub bodies: [[u32; WIDTH]; 2],
    /// μ.
    pub friction: Lanes,
    /// r of friction in the natural map.
    pub friction_weight: Lanes,
    /// r of friction in a sweep.
    pub friction_step: Lanes,
    /// 1/u.
    pub per_unit: Lanes,
    /// What a negative slip of a normal row counts (s/m), beside what it does in the natural map.
    pub overlap: Lanes,
}

/// Where a contact is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub cone: usize,
    /// First of the rows of its batch.
    pub row: usize,
    pub lane: usize,
    /// Of its friction rows.
    pub friction: usize,
    /// First of the shift rows of its batch.
    pub shift: usize,
}

impl Place {
    /// The rows of its cone that are swept, counted from the first of the batch's and from the cone's.
    pub fn rows(self, cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
        let normal = (self.row..).zip(0..cone.n_used);
        normal.chain((self.friction..).zip(cone.n_normal..cone.n_law_rows()))
    }

    /// The same of its shift rows.
    pub fn shift_rows(self, cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = if cone.n_shift() > 0 { cone.n_used * cone.n_tangential() } else { 0 };
        (self.shift..).zip((cone.n_law_rows()..).take(n))
    }
}

/// What sweeps start from.
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
    pub batches: Vec<Batch>,
    pub places: Vec<Place>,
    /// J of each row: L⁻¹ times the force direction.
    pub rows: Vec<Row>,
    /// y₀ of y = y₀ + J w.
    pub offset: Vec<Lanes>,
    /// r of normal rows and of those of joints.
    pub weight: Vec<Lanes>,
    /// Lowest and highest impulse of the rows of joints.
    pub bounds: Vec<[Lanes; 2]>,
    /// λ̂ of normal rows: the shares of the load that the friction rows were made for.
    pub share: Vec<Lanes>,
    /// By how much the shares that they are at now exceed those.
    pub excess: Vec<Lanes>,
    /// S of each shift row, contact point by contact point, like `rows`.
    pub shift_rows: Vec<Row>,
    /// y₀ of S w.
    pub shift_offset: Vec<Lanes>,
    pub x: Vec<Lanes>,
    /// w = Lᵀ v = L⁻¹ (b + Jᵀ x + what lags), and one that stands still.
    pub w: Vec<Motion>,
    pub roots: Vec<Root>,
}

impl Rows {
    /// Takes over a problem where it is linearized.
    #[inline(always)]
    pub fn fill(&mut self, problem: &ContactProblem, colours: &Colours, start: &Start<'_>) {
        let n_rows = colours.batches.iter().map(|(kind, _)| kind.n_rows()).sum();
        let n_shifts = colours.batches.iter().map(|(kind, _)| kind.n_shift()).sum();
        for lanes in [&mut self.offset, &mut self.weight, &mut self.x, &mut self.share, &mut self.excess] {
            lanes.clear();
            lanes.resize(n_rows, [0.0; WIDTH]);
        }
        self.shift_offset.clear();
        self.shift_offset.resize(n_shifts, [0.0; WIDTH]);
        self.shift_rows.clear();
        self.shift_rows.resize(n_shifts, [[0.0; WIDTH]; 12]);
        self.bounds.clear();
        self.bounds.resize(n_rows, [[0.0; WIDTH]; 2]);
        self.rows.clear();
        self.rows.resize(n_rows, [[0.0; WIDTH]; 12]);
        self.roots.clear();
        self.roots.extend(problem.mass.iter().map(Root::new));
        self.w.clear();
        for (i, root) in self.roots.iter().enumerate() {
            let mut motion = [0.0; 8];
            motion[..BLOCK].copy_from_slice(&root.divide(body_vector(&problem.at.free_momentum, i)));
            self.w.push(motion);
        }
        self.w.push([0.0; 8]);
        self.batches.clear();
        self.places.clear();
        let (mut row, mut shift) = (0, 0);
        for (kind, contacts) in &colours.batches {
            let still = [[problem.n_bodies() as u32; WIDTH]; 2];
            let none = [0.0; WIDTH];
            let mut batch = Batch {
                kind: *kind,
                row,
                shift,
                bodies: still,
                friction: none,
                friction_weight: none,
                friction_step: none,
                per_unit: none,
                overlap: none,
            };
            for (lane, cone) in contacts.iter().copied().enumerate() {
                let place = Place { cone, row, lane, friction: row + kind.n_normal, shift };
                self.places.push(place);
                batch.overlap[lane] = start.overlap.get(cone).copied().unwrap_or(0.0);
                self.fill_contact(problem, place, start.x, &mut batch);
            }
            row += kind.n_rows();
            shift += kind.n_shift();
            self.batches.push(batch);
        }
    }

    #[inline(always)]
    fn fill_contact(&mut self, problem: &ContactProblem, place: Place, x: &[f64], batch: &mut Batch) {
        let (cone, lane) = (&problem.cones[place.cone], place.lane);
        batch.friction[lane] = cone.friction_coefficient;
        batch.per_unit[lane] = 1.0 / problem.at.units.cones[place.cone];
        for (row, i) in place.rows(cone) {
            let source = cone.row + i;
            self.offset[row][lane] = problem.at.slip[source];
            self.weight[row][lane] = problem.at.weight[source];
            self.x[row][lane] = x[source];
            if cone.bounded {
                self.bounds[row] = [0, 1].map(|k| {
                    let mut bounds = self.bounds[row][k];
                    bounds[lane] = problem.bounds[source][k];
                    bounds
                });
            }
        }
        let blocks = problem.block_offsets[place.cone]..problem.block_offsets[place.cone + 1];
        for (side, k) in blocks.enumerate() {
            let body = problem.block_body[k];
            batch.bodies[side][lane] = body as u32;
            let v = body_vector(&problem.at.velocity, body);
            for (row, i) in place.rows(cone) {
                let at = problem.value_offsets[k] + BLOCK * i;
                let direction = &problem.at.jacobian[at..at + BLOCK];
                let normalised = self.roots[body].divide(direction);
                let (mut along, x) = (0.0, self.x[row][lane]);
                for d in 0..BLOCK {
                    along += direction[d] * v[d];
                    self.rows[row][BLOCK * side + d][lane] = normalised[d];
                    self.w[body][d] += normalised[d] * x;
                }
                self.offset[row][lane] -= along;
            }
            for (row, i) in place.shift_rows(cone) {
                let at = problem.value_offsets[k] + BLOCK * i;
                let direction = &problem.at.jacobian[at..at + BLOCK];
                let normalised = self.roots[body].divide(direction);
                for d in 0..BLOCK {
                    self.shift_rows[row][BLOCK * side + d][lane] = normalised[d];
                    self.shift_offset[row][lane] -= direction[d] * v[d];
                }
            }
        }
        for (row, i) in place.shift_rows(cone) {
            self.shift_offset[row][lane] += problem.at.slip[cone.row + i];
        }
        if cone.n_shift() > 0 {
            let shares = &problem.at.load_fraction[cone.normal()];
            self.share[place.row..].iter_mut().zip(shares).for_each(|(to, share)| to[lane] = *share);
        }
        if cone.n_friction > 0 {
            let weight = problem.at.weight[cone.friction().start];
            batch.friction_weight[lane] = weight;
            batch.friction_step[lane] = self.friction_step(place.friction, cone.n_friction, lane, weight);
        }
    }

    /// The weight, unless a direction is so heavy that a step with it would diverge.
    #[inline(always)]
    fn friction_step(&self, first: usize, n: usize, lane: usize, weight: f64) -> f64 {
        let mut largest = 0.0_f64;
        for p in 0..n {
            let mut sum = 0.0;
            for q in 0..n {
                let mut product = 0.0;
                for d in 0..12 {
                    product += self.rows[first + p][d][lane] * self.rows[first + q][d][lane];
                }
                sum += product.abs();
            }
            largest = largest.max(sum);
        }
        if weight * largest > FRICTION_STEP { FRICTION_STEP / largest } else { weight }
    }

    /// Impulses and velocities as the problem has them.
    pub fn store(&self, problem: &ContactProblem, v: &mut [f64], x: &mut [f64]) {
        for cone in &problem.cones {
            x[cone.row..cone.row + cone.n_rows()].fill(0.0);
        }
        for place in &self.places {
            let cone = &problem.cones[place.cone];
            for (row, i) in place.rows(cone) {
                x[cone.row + i] = self.x[row][place.lane];
            }
        }
        for ((root, w), v) in self.roots.iter().zip(&self.w).zip(v.chunks_exact_mut(BLOCK)) {
            v.copy_from_slice(&root.velocity(w));
        }
    }
}
