//! Methods for the convex members of the family, and Coulomb friction as a sequence of them.

pub mod apgd;
pub mod coulomb;
pub mod primal_newton;
