//! What sweeps hold still, brought up to date between them: the geometric stiffness K (v − v_k), the part of
//! the response that is not in the force directions, and the equivalent contact points of manifolds.

use crate::linalg::BLOCK;
use crate::problem::{Cone, ContactProblem};
use crate::solver::sweeps::conjugate::Conjugate;
use crate::solver::sweeps::lanes::WIDTH;
use crate::solver::sweeps::rows::{Place, Rows, swept};
use nalgebra::Vector3;

/// What was last written into the rows.
#[derive(Debug, Default)]
pub(super) struct Lagged {
    /// K (v − v_k) per body.
    force: Vec<f64>,
    /// What y₀ was raised by, per row and lane.
    raised: Vec<[f64; WIDTH]>,
    /// Excess of share per normal row and lane, as the friction rows know it.
    excess: Vec<[f64; WIDTH]>,
    moves: Vec<[f64; WIDTH]>,
    velocity: Vec<f64>,
    stiff: Vec<f64>,
    /// Changes of the momentum of each body.
    change: Vec<[f64; BLOCK]>,
}

impl Lagged {
    /// Nothing lags yet: rows are those of the linearized problem.
    pub fn start(&mut self, problem: &ContactProblem, n_rows: usize) {
        self.force.clear();
        self.force.resize(BLOCK * problem.n_bodies(), 0.0);
        for lanes in [&mut self.raised, &mut self.excess, &mut self.moves] {
            lanes.clear();
            lanes.resize(n_rows, [0.0; WIDTH]);
        }
    }

    /// Brings friction rows up to date, and stiffness and response if `geometry`; returns the largest change
    /// of a body's momentum, in its unit.
    pub fn update(
        &mut self,
        problem: &ContactProblem,
        (rows, conjugate): (&mut Rows, &mut Conjugate),
        geometry: bool,
    ) -> f64 {
        self.change.clear();
        self.change.resize(problem.n_bodies(), [0.0; BLOCK]);
        self.velocity.resize(BLOCK * problem.n_bodies(), 0.0);
        for (i, (root, w)) in rows.roots.iter().zip(&rows.w).enumerate() {
            let at = BLOCK * i..BLOCK * (i + 1);
            let known = &problem.at.velocity[at.clone()];
            let from = root.velocity(w).into_iter().zip(known).map(|(v, k)| v - k);
            self.velocity[at].iter_mut().zip(from).for_each(|(d, v)| *d = v);
        }
        if geometry {
            self.update_force(problem);
        }
        for i in 0..rows.places.len() {
            self.move_friction(problem, (rows, conjugate), i);
        }
        for place in &rows.places {
            self.raise(problem, &mut rows.offset, *place, geometry);
        }
        let mut worst = 0.0_f64;
        for (i, (change, unit)) in self.change.iter().zip(&problem.at.units.bodies).enumerate() {
            let [linear, angular] = [0, 3].map(|k| Vector3::from_column_slice(&change[k..k + 3]));
            worst = worst.max(unit.scaled(&linear, &angular));
            let change = rows.roots[i].divide(change);
            rows.w[i].iter_mut().zip(change).for_each(|(w, c)| *w += c);
        }
        worst
    }

    /// K (v − v_k).
    fn update_force(&mut self, problem: &ContactProblem) {
        self.stiff.clear();
        self.stiff.resize(self.force.len(), 0.0);
        problem.subtract_stiffness(&self.velocity, &mut self.stiff);
        for ((force, stiff), change) in
            self.force.iter_mut().zip(&self.stiff).zip(self.change.as_flattened_mut())
        {
            *change -= stiff + *force;
            *force = -stiff;
        }
    }

    /// Friction rows J_t + Σ (λ_j − λ̂_j) S_j at the impulses as they are.
    fn move_friction(
        &mut self,
        problem: &ContactProblem,
        (rows, conjugate): (&mut Rows, &mut Conjugate),
        i: usize,
    ) {
        let Place { cone: c, row, lane } = rows.places[i];
        let cone = &problem.cones[c];
        if cone.n_shift() == 0 {
            return;
        }
        let normal = row..row + cone.n_used;
        let sum: f64 = rows.x[normal.clone()].iter().map(|x| x[lane].max(0.0)).sum();
        let mut moved = false;
        for (at, share) in normal.zip(&problem.at.load_fraction[cone.normal()]) {
            let excess = if sum > 0.0 { rows.x[at][lane].max(0.0) / sum - share } else { 0.0 };
            self.moves[at][lane] = excess - self.excess[at][lane];
            moved |= self.moves[at][lane] != 0.0;
            self.excess[at][lane] = excess;
        }
        if !moved {
            return;
        }
        for (side, k) in (problem.block_offsets[c]..problem.block_offsets[c + 1]).enumerate() {
            let body = problem.block_body[k];
            let block = &problem.at.jacobian[problem.value_offsets[k]..];
            for i in 0..cone.n_tangential() {
                let moved = shifted(&self.moves, (cone, row, lane), block, i);
                let at = row + cone.n_used + i;
                let normalised = rows.roots[body].divide(&moved);
                conjugate.move_row((at, lane), body, &normalised);
                for d in 0..BLOCK {
                    rows.rows[at][BLOCK * side + d][lane] += normalised[d];
                    self.change[body][d] += moved[d] * rows.x[at][lane];
                }
            }
        }
    }

    /// y₀ so that y₀ + J w is the slip y_k + Y (v − v_k) of the moved rows.
    fn raise(&mut self, problem: &ContactProblem, offset: &mut [[f64; WIDTH]], place: Place, geometry: bool) {
        let Place { cone: c, row, lane } = place;
        let cone = &problem.cones[c];
        if cone.n_shift() == 0 && (!geometry || problem.at.response.is_empty()) {
            return;
        }
        let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
        // Y (v − v_k) beyond J (v − v_k) of a row, and J v_k.
        let along = |i: usize| {
            let (mut beyond, mut known) = (0.0, 0.0);
            for k in blocks.clone() {
                let at = problem.value_offsets[k] + BLOCK * i;
                let body = BLOCK * problem.block_body[k]..BLOCK * (problem.block_body[k] + 1);
                let direction = &problem.at.jacobian[at..at + BLOCK];
                let (d, v) = (&self.velocity[body.clone()], &problem.at.velocity[body]);
                known += direction.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
                if geometry && !problem.at.response.is_empty() {
                    let response = &problem.at.response[at..at + BLOCK];
                    beyond +=
                        response.iter().zip(direction).zip(d).map(|((y, j), d)| (y - j) * d).sum::<f64>();
                }
            }
            (beyond, known)
        };
        for (row_at, i) in (row..).zip(swept(cone)) {
            let mut raised = along(i).0;
            let tangent = i.wrapping_sub(cone.n_normal);
            if cone.n_shift() > 0 && tangent < cone.n_tangential() {
                for j in 0..cone.n_used {
                    let shift = cone.n_law_rows() + j * cone.n_tangential() + tangent;
                    let (beyond, known) = along(shift);
                    raised +=
                        self.excess[row + j][lane] * (problem.at.slip[cone.row + shift] - known + beyond);
                }
            }
            offset[row_at][lane] += raised - self.raised[row_at][lane];
            self.raised[row_at][lane] = raised;
        }
    }
}

/// Σ (change of share) S_j of tangential row i of a block.
fn shifted(
    moves: &[[f64; WIDTH]],
    (cone, row, lane): (&Cone, usize, usize),
    block: &[f64],
    i: usize,
) -> [f64; BLOCK] {
    let mut out = [0.0; BLOCK];
    for j in 0..cone.n_used {
        let change = moves[row + j][lane];
        let shift = &block[BLOCK * (cone.n_law_rows() + j * cone.n_tangential() + i)..][..BLOCK];
        out.iter_mut().zip(shift).for_each(|(o, s)| *o += change * s);
    }
    out
}
