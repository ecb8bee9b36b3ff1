//! What sweeps hold still, brought up to date between them: the geometric stiffness K (v − v_k), and the part
//! of the response that is not in the force directions.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::sweeps::lanes::WIDTH;
use crate::solver::sweeps::rows::{Place, Rows};
use nalgebra::Vector3;

/// What was last written into the rows.
#[derive(Debug, Default)]
pub(super) struct Lagged {
    /// K (v − v_k) per body.
    force: Vec<f64>,
    /// What y₀ was raised by, per row and lane, and that of shift rows.
    raised: Vec<[f64; WIDTH]>,
    raised_shift: Vec<[f64; WIDTH]>,
    velocity: Vec<f64>,
    stiff: Vec<f64>,
    /// Changes of the momentum of each body.
    change: Vec<[f64; BLOCK]>,
}

impl Lagged {
    /// Nothing lags yet: rows are those of the linearized problem.
    pub fn start(&mut self, problem: &ContactProblem, rows: &Rows) {
        self.force.clear();
        self.force.resize(BLOCK * problem.n_bodies(), 0.0);
        for (lanes, n) in
            [(&mut self.raised, rows.offset.len()), (&mut self.raised_shift, rows.shift_offset.len())]
        {
            lanes.clear();
            lanes.resize(n, [0.0; WIDTH]);
        }
    }

    /// Brings stiffness and response up to date; returns the largest change of a body's momentum, in its
    /// unit.
    pub fn update(&mut self, problem: &ContactProblem, rows: &mut Rows) -> f64 {
        self.change.clear();
        self.change.resize(problem.n_bodies(), [0.0; BLOCK]);
        self.velocity.resize(BLOCK * problem.n_bodies(), 0.0);
        for (i, (root, w)) in rows.roots.iter().zip(&rows.w).enumerate() {
            let at = BLOCK * i..BLOCK * (i + 1);
            let known = &problem.at.velocity[at.clone()];
            let from = root.velocity(w).into_iter().zip(known).map(|(v, k)| v - k);
            self.velocity[at].iter_mut().zip(from).for_each(|(d, v)| *d = v);
        }
        self.update_force(problem);
        if !problem.at.response.is_empty() {
            for i in 0..rows.places.len() {
                self.raise(problem, rows, rows.places[i]);
            }
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

    /// y₀ so that y₀ + J w is the slip y_k + Y (v − v_k).
    fn raise(&mut self, problem: &ContactProblem, rows: &mut Rows, place: Place) {
        let cone = &problem.cones[place.cone];
        for (row, i) in place.rows(cone) {
            let raised = self.beyond(problem, place.cone, i);
            rows.offset[row][place.lane] += raised - self.raised[row][place.lane];
            self.raised[row][place.lane] = raised;
        }
        let tangential = cone.n_tangential();
        for (k, (row, i)) in place.shift_rows(cone).enumerate() {
            let raised = self.beyond(problem, place.cone, i);
            let change = raised - self.raised_shift[row][place.lane];
            self.raised_shift[row][place.lane] = raised;
            rows.shift_offset[row][place.lane] += change;
            let excess = rows.excess[place.row + k / tangential][place.lane];
            rows.offset[place.friction + k % tangential][place.lane] += excess * change;
        }
    }

    /// (Y − J) (v − v_k) of row i of a cone.
    fn beyond(&self, problem: &ContactProblem, c: usize, i: usize) -> f64 {
        let mut beyond = 0.0;
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let at = problem.value_offsets[k] + BLOCK * i;
            let body = BLOCK * problem.block_body[k]..BLOCK * (problem.block_body[k] + 1);
            let direction = &problem.at.jacobian[at..at + BLOCK];
            let response = &problem.at.response[at..at + BLOCK];
            let turned = response.iter().zip(direction).zip(&self.velocity[body]);
            beyond += turned.map(|((y, j), d)| (y - j) * d).sum::<f64>();
        }
        beyond
    }
}
