//! Between the solver's law and smooth pairs on a device: one normal row and up to three friction rows each.

use crate::kernels::types::{ContactGain, ContactLawState};
use crate::problem::ContactProblem;
use crate::solver::law::{Gain, Law, Mode, Proximal};

/// x̂, r and μ of every contact at the centre of a proximal point.
pub fn law_states(problem: &ContactProblem, proximal: &Proximal<'_>, out: &mut Vec<ContactLawState<f64>>) {
    out.clear();
    out.extend(problem.cones.iter().map(|cone| {
        let mut state = ContactLawState::filled(0.0);
        let rows = cone.row..cone.row + cone.n_law_rows();
        state.centre[..rows.len()].copy_from_slice(&proximal.centre[rows]);
        state.weight[0] = proximal.weight[cone.row];
        state.weight[1] = cone.friction().next().map_or(0.0, |row| proximal.weight[row]);
        state.friction_coefficient = [cone.friction_coefficient];
        state
    }));
}

/// The gains of a law, with impulses per row.
pub fn gains_of(problem: &ContactProblem, law: &Law, impulse: &[f64], out: &mut Vec<ContactGain<f64>>) {
    out.clear();
    out.extend(problem.cones.iter().zip(&law.gain).map(|(cone, gain)| {
        let mut found = ContactGain::filled(0.0);
        let rows = cone.row..cone.row + cone.n_law_rows();
        found.impulse[..rows.len()].copy_from_slice(&impulse[rows]);
        found.slopes = [law.normal_gain[cone.row], gain.alpha, gain.beta, gain.coupling];
        found.direction = gain.direction;
        found
    }));
}

/// Takes over impulses and gains that a device found.
pub fn take_gains(problem: &ContactProblem, gains: &[ContactGain<f64>], law: &mut Law) {
    for (c, (cone, found)) in problem.cones.iter().zip(gains).enumerate() {
        let rows = cone.row..cone.row + cone.n_law_rows();
        law.impulse[rows.clone()].copy_from_slice(&found.impulse[..rows.len()]);
        let [normal_gain, alpha, beta, coupling] = found.slopes;
        law.normal_gain[cone.row] = normal_gain;
        let closed = normal_gain > 0.0;
        // Only sliding along d is told apart from sticking by β.
        let mode = match (closed, beta > 0.0 || coupling > 0.0) {
            (false, _) => Mode::Open,
            (true, false) => Mode::Stick,
            (true, true) => Mode::Slip,
        };
        law.gain[c] = Gain { mode, alpha, beta, coupling, direction: found.direction, ..Gain::default() };
    }
}
