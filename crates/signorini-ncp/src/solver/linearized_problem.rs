//! A step's problem held as it is linearized at one iterate: rows, and forces K (v − v̂) that follow the
//! geometry to first order. Only the equivalent contact points move on, with the impulses. Contact points
//! neither come nor go.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::residual::Residual;
use crate::solver::residual::{offset_of, residual_at};
use crate::solver::step_problem::StepProblem;
use signorini_kernels::math::largest;

/// y = Y v + w with load fractions of the contact points as in `solver::law::shift`.
pub struct LinearizedProblem {
    base: ContactProblem,
    now: ContactProblem,
    /// w.
    offset: Vec<f64>,
    /// v − v̂.
    way: Vec<f64>,
    force: Vec<f64>,
    tangent: Vec<f64>,
    excess: Vec<f64>,
}

impl LinearizedProblem {
    /// Takes a problem linearized at v̂; normal rows that are not active are left out.
    pub fn new(mut base: ContactProblem, active: &[bool]) -> Self {
        for (weight, _) in base.at.weight.iter_mut().zip(active).filter(|(_, active)| !**active) {
            *weight = 0.0;
        }
        let [way, force, tangent] = [(); 3].map(|()| vec![0.0; base.at.velocity.len()]);
        let (now, offset) = (base.clone(), offset_of(&base));
        Self { base, now, offset, way, force, tangent, excess: Vec::new() }
    }

    /// max s |Σ λ_j y_j| / (D u) over the first so many contacts with several loaded contact points, with D
    /// of the row Σ λ_j J_j and the stiffening s: how far they are off the law at the equivalent contact
    /// point, where bodies resist more than at each contact point.
    pub fn off_at_centers(&self, n_contacts: usize, x: &[f64]) -> f64 {
        let problem = &self.now;
        let off = |c: usize| {
            let normal = problem.cones[c].normal();
            let loads = &x[normal.clone()];
            // A contact that carries its least impulse may separate with any velocity.
            let carries_least = problem.bounds[normal.clone()].iter().any(|bounds| bounds[0] > 0.0);
            if carries_least || loads.iter().filter(|x| **x > 0.0).count() < 2 {
                return 0.0;
            }
            let sum: f64 = loads.iter().sum();
            let fractions: Vec<f64> = loads.iter().map(|x| x / sum).collect();
            let rate: f64 =
                fractions.iter().zip(&problem.at.slip[normal]).map(|(fraction, y)| fraction * y).sum();
            let yielding = problem.yielding(c, 0, &fractions) * problem.at.units.cones[c];
            if yielding > 0.0 { problem.at.units.stiffening[c] * rate.abs() / yielding } else { 0.0 }
        };
        largest((0..n_contacts).map(off))
    }

    /// Moves the equivalent contact point of a contact to where the impulses have it.
    fn move_point(&mut self, c: usize, x: &mut [f64]) {
        let Self { base, now, excess, .. } = self;
        let (cone, tangential) = (base.cones[c], base.cones[c].n_tangential());
        let sum: f64 = x[cone.normal()].iter().sum();
        x[cone.shift()].fill(0.0);
        excess.clear();
        for row in cone.normal() {
            now.at.load_fraction[row] = if sum > 0.0 { x[row] / sum } else { base.at.load_fraction[row] };
            excess.push(now.at.load_fraction[row] - base.at.load_fraction[row]);
        }
        let first = cone.n_law_rows();
        for i in 0..tangential {
            let moved = |values: &[f64], stride: usize, start: usize| -> f64 {
                let of_points = excess.iter().enumerate();
                of_points.map(|(j, e)| e * values[start + stride * (first + j * tangential + i)]).sum()
            };
            let row = cone.n_normal + i;
            let moves = moved(&now.at.slip, 1, cone.row);
            now.at.slip[cone.row + row] += moves;
            for start in &base.value_offsets[base.block_offsets[c]..base.block_offsets[c + 1]] {
                for (from, to) in
                    [(&base.at.jacobian, &mut now.at.jacobian), (&base.at.response, &mut now.at.response)]
                {
                    for d in (0..BLOCK).filter(|_| !from.is_empty()) {
                        let place = start + BLOCK * row + d;
                        to[place] = from[place] + moved(from, BLOCK, start + d);
                    }
                }
            }
        }
    }
}

impl StepProblem for LinearizedProblem {
    fn linearized(&self) -> &ContactProblem {
        &self.now
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        let Self { base, now, offset, way, force, tangent, .. } = self;
        for (way, (v, at)) in way.iter_mut().zip(v.iter().zip(&base.at.velocity)) {
            *way = v - at;
        }
        // K (v − v̂) is a load: A (v − v̂) − (A − K)(v − v̂).
        base.tangent_mass(way, tangent);
        base.mass_product(way, force);
        for (i, b) in now.at.free_momentum.iter_mut().enumerate() {
            *b = base.at.free_momentum[i] + force[i] - tangent[i];
        }
        now.at.velocity.copy_from_slice(v);
        base.response(v, &mut now.at.slip);
        now.at.slip.iter_mut().zip(offset.iter()).for_each(|(y, w)| *y += w);
        for c in 0..self.base.cones.len() {
            if self.base.cones[c].n_shift() > 0 {
                self.move_point(c, x);
            }
        }
        residual_at(&self.now, v, x, &mut self.force)
    }
}

#[cfg(test)]
pub mod tests;
