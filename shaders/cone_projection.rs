//! The contact law of one smooth pair as a projection, with its derivative (theory §6.3): one normal row,
//! friction in a ball. The solver's own law knows several contact points and other laws; with one contact
//! point both give the same.

use super::friction_ball::factor_onto_ball;
use super::types::{ContactDerivative, ContactLawState};
use crate::real::Real;
use nalgebra::Vector3;

/// x = Proj(x̂ − ρ r y) and the derivatives −∂x/∂y in factored form. Rows that a contact lacks are given as
/// 0.
pub fn cone_projection<T: Real>(at: &ContactLawState<T>, rho: T) -> ContactDerivative<T> {
    let zero = T::zero();
    let (w_n, w_t) = (rho * at.weight[0], rho * at.weight[1]);
    let z_n = at.centre[0] - w_n * at.slip[0];
    let closed = z_n > zero;
    let x_n = if closed { z_n } else { zero };
    let [_, c_t, c_o, c_r] = at.centre;
    let [_, y_t, y_o, y_r] = at.slip;
    let z = Vector3::new(c_t, c_o, c_r) - Vector3::new(y_t, y_o, y_r) * w_t;
    let radius = at.friction_coefficient[0] * x_n;
    let length = z.norm();
    let outside = factor_onto_ball(length, radius);
    let shrink = outside.unwrap_or(T::one());
    let x_t = z * shrink;
    let slips = closed && outside.is_some();
    let alpha = if closed { w_t * shrink } else { zero };
    ContactDerivative {
        impulse: [x_n, x_t.x, x_t.y, x_t.z],
        slopes: [
            if closed { w_n } else { zero },
            alpha,
            if slips { alpha } else { zero },
            if slips { at.friction_coefficient[0] } else { zero },
        ],
        direction: if slips { (z / length).into() } else { [zero; 3] },
        unused: [zero],
    }
}
