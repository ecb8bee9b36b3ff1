//! What one solve leaves to the next, as plain data: with it, a solver that is made anew goes on bit for bit.

use crate::solver::law::ContactStatus;
use crate::solver::linear_system::SystemMemory;
use serde::{Deserialize, Serialize};

/// The memory of a [`Solver`](crate::solver::Solver).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverMemory {
    /// The factor of the last Newton system, if the next solve may use it.
    pub factor: Option<FactorMemory>,
    /// Solves to come that leave the interior point out, and how many were left out last; the same of the
    /// path.
    pub pauses: [(usize, usize); 2],
}

/// A factor, what it was made for, and how it fared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactorMemory {
    pub rho: f64,
    pub statuses: Vec<ContactStatus>,
    pub last_krylov: usize,
    pub is_fresh: bool,
    pub system: SystemMemory,
}
