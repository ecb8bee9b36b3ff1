//! The proximal parameter ρ: where it starts and how it changes (theory (6.5)).
//!
//! ρ is a number without unit: the proximal term of a row has the factor ρ r. Small ρ is damped and robust,
//! large ρ is exact Newton.

use crate::solver::parameters::proximal::{
    FAST_ITERATIONS, MAX_RHO, MIN_RHO, MODERATE_ITERATIONS, RHO_CUT, RHO_GROWTH, RHO_GROWTH_FAST,
};

/// ρ of the next step: quick convergence means that more exactness is affordable; failure means damping.
pub fn next_rho(rho: f64, converged: bool, iterations: usize) -> f64 {
    let factor = if !converged {
        RHO_CUT
    } else if iterations <= FAST_ITERATIONS {
        RHO_GROWTH_FAST
    } else if iterations <= MODERATE_ITERATIONS {
        RHO_GROWTH
    } else {
        1.0
    };
    (rho * factor).clamp(MIN_RHO, MAX_RHO)
}
