//! Distance of one smooth pair from its contact law: |x − Proj(x − r y)|, normal and friction (N s).

use super::friction_ball::factor_onto_ball;
use super::types::ContactLawState;
use crate::real::Real;
use nalgebra::Vector3;

/// (|min(x_n, r_n y_n)|, |x_t − Proj(x_t − r_t y_t)|); `centre` holds x.
pub fn natural_map<T: Real>(at: &ContactLawState<T>) -> [T; 2] {
    let [x_n, x_t, x_o, x_r] = at.centre;
    let [y_n, y_t, y_o, y_r] = at.slip;
    let x = Vector3::new(x_t, x_o, x_r);
    let z = x - Vector3::new(y_t, y_o, y_r) * at.weight[1];
    let radius = at.friction_coefficient[0] * x_n.max(T::zero());
    let projected = factor_onto_ball(z.norm(), radius).map_or(z, |shrink| z * shrink);
    [x_n.min(at.weight[0] * y_n).abs(), (x - projected).norm()]
}
