//! Measures of a run: flow through a plane, solid fraction, coordination, stress and fabric in a box,
//! energies, contact forces, the force on a body, residence times, resting poses. Each sees every step and
//! gives a row at the end of each interval; `docs/guide/measures.md` states the formulas.

mod body;
mod cell;
mod energy;
mod flow;
mod forces;
mod observed;
mod periodic_region;
mod poses;
mod quantity;
mod region;
mod residence;
mod sensors;
mod solid;
mod value;

pub use cell::{cell_of, name_in};
pub use observed::Observed;
pub use quantity::MeasureState;
pub use value::Value;
