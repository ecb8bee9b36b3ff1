//! Between the solver's law and smooth pairs on a device: one normal row and up to three friction rows each.

use crate::problem::ContactProblem;
use crate::solver::law::{ContactStatus, Law, ProjectionDerivative, Proximal};
use signorini_kernels::types::{ContactDerivative, ContactLawState};

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

/// The derivatives of a law, with impulses per row.
pub fn derivatives_of(
    problem: &ContactProblem,
    law: &Law,
    impulse: &[f64],
    out: &mut Vec<ContactDerivative<f64>>,
) {
    out.clear();
    out.extend(problem.cones.iter().zip(&law.derivative).map(|(cone, derivative)| {
        let mut found = ContactDerivative::filled(0.0);
        let rows = cone.row..cone.row + cone.n_law_rows();
        found.impulse[..rows.len()].copy_from_slice(&impulse[rows]);
        found.slopes =
            [law.normal_derivative[cone.row], derivative.alpha, derivative.beta, derivative.coupling];
        found.direction = derivative.direction;
        found
    }));
}

/// Takes over impulses and derivatives that a device found.
pub fn take_derivatives(problem: &ContactProblem, derivatives: &[ContactDerivative<f64>], law: &mut Law) {
    for (c, (cone, found)) in problem.cones.iter().zip(derivatives).enumerate() {
        let rows = cone.row..cone.row + cone.n_law_rows();
        law.impulse[rows.clone()].copy_from_slice(&found.impulse[..rows.len()]);
        let [normal_derivative, alpha, beta, coupling] = found.slopes;
        law.normal_derivative[cone.row] = normal_derivative;
        let closed = normal_derivative > 0.0;
        // Only sliding along d is told apart from sticking by β.
        let status = match (closed, beta > 0.0 || coupling > 0.0) {
            (false, _) => ContactStatus::Open,
            (true, false) => ContactStatus::Stick,
            (true, true) => ContactStatus::Slip,
        };
        law.derivative[c] = ProjectionDerivative {
            status,
            alpha,
            beta,
            coupling,
            direction: found.direction,
            ..ProjectionDerivative::default()
        };
    }
}
