//! The papers' own nonlinear complementarity problem, [CBAT (10), (11)], with every unknown kept: velocities,
//! closest points, impulses and slip multipliers in one system. It is a reference formulation for small
//! scenes (`formulation = "literal"`): it shares no contact code with the production path, which is compared
//! with it.
//!
//! From the bottom up: `unknowns` (their places), `facet`, `problem` (data of a step before it is solved),
//! `laws`, `surfaces` (implicit functions), `facet_block` (bodies of several inequalities, [XC (13) to
//! (17)]), `equations` (the printed rows), `joints` (their rows), `system` (residual and exact Jacobian),
//! `norms` (the project's residual), `closest`, `facet_start`, `facet_sets` and `prediction` (starts of
//! Newton), `newton`, `assumptions` (active sets), `solve` (starts), `model` (the step).
//!
//! Departures from print, each marked where it is made: the exponential map for q + h G ν (`surfaces`), the
//! signed distance d for ‖a1 − a2‖ (`equations`), and no friction unknowns where p_n = 0 (`assumptions`).

mod assumptions;
mod closest;
mod equations;
mod facet;
mod facet_block;
mod facet_sets;
mod facet_start;
mod joints;
mod laws;
mod model;
mod newton;
mod norms;
mod prediction;
mod problem;
mod records;
mod scalar;
mod solve;
mod surfaces;
mod system;
#[cfg(test)]
mod tests;
mod unknowns;

pub use model::MAX_MOVING;
pub use model::ReferenceNcp;
