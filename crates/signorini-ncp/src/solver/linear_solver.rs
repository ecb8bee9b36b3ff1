//! The choice of the method for Newton systems.

use serde::{Deserialize, Serialize};

/// How the Newton systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearSolver {
    /// The quickest by measurement: LU of small and medium islands, Cholesky with GMRES of large ones.
    #[default]
    Auto,
    /// LU of the true matrix, however large.
    Direct,
    /// No factorisation: an iteration preconditioned with the diagonal blocks, on the device if there is one.
    Krylov,
}
