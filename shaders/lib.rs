//! Pure functions of one item (a pair, a contact, a body), generic over the scalar [`real::Real`]. WGSL
//! shaders beside some files compute the same on a graphics processor, one thread an item.

pub mod constants;
pub mod device_flat;
pub mod flat_change;
pub mod flat_contact;
pub mod flat_extrapolation;
pub mod flat_flight;
pub mod flat_gather;
pub mod flat_parameters;
pub mod flat_point;
pub mod flat_sweep;
pub mod flat_turn;
pub mod friction_ball;
pub mod grain;
pub mod math;
pub mod pair_tangent;
pub mod piece_pair;
pub mod real;
pub mod smooth_pair;
pub mod types;
pub mod wgsl;
pub mod wrench;
