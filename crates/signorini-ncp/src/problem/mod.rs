//! Equations as plain data: bodies as blocks of six unknowns, contacts as rows over them. Conversions are
//! functions named `x_as_y`.

mod bounds;
mod cone;
pub mod contact_law;
pub mod contact_problem;
pub mod lcp;
mod linearization;
mod products;
mod units;
mod weights;

pub use cone::Cone;
pub use contact_law::{ContactLaw, STICKS_BELOW};
pub use contact_problem::ContactProblem;
pub use linearization::{Linearization, Stiffness};
pub use units::{BodyUnit, Units};
