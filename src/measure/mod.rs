//! Measures of a run: flow through a plane, solid fraction, coordination, stress and fabric in a box,
//! energies, contact forces, the force on a body or a group, residence times, resting poses, fields in cells,
//! mixing, angles of surfaces, thin tables, wear. Each sees every step and gives rows at the end of each
//! interval; `docs/guide/measures.md` states the formulas.

mod angle;
mod ball;
mod body;
mod cell;
mod energy;
mod field;
mod flow;
mod forces;
mod group;
mod mixing;
mod observed;
mod periodic_region;
mod poses;
mod quantity;
mod region;
mod residence;
mod sensors;
mod share;
mod solid;
mod thin_table;
mod value;
mod wear;

pub use cell::{cell_of, name_in};
pub use observed::Observed;
pub use quantity::MeasureState;
pub use value::{Value, rounded};
