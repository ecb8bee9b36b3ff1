//! First-order methods for problems that are solved from nothing.

pub mod admm;
pub mod gauss_seidel;
pub mod local_contact;
