//! What the parameters of the core method may be: outside, the method divides by nothing, never ends, or does
//! nothing.

use super::SettingFault;
use crate::solver::CoreSettings;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Counts: large enough for every study, small enough to end and to fit into memory.
const COUNT: RangeInclusive<usize> = 0..=1_000_000;
const SOME: RangeInclusive<usize> = 1..=1_000_000;

/// Checks fields against their ranges; beside them and those that are `free` there must be none.
macro_rules! check {
    ($core:ident, $found:ident, free: [$($free:ident),*], $($field:ident: $range:expr,)*) => {
        let CoreSettings { $($free: _,)* $($field,)* } = *$core;
        $(within($found, concat!("core.", stringify!($field)), $field, $range);)*
    };
}

/// All parameters that are out of range. Every field is named here: a new one does not compile before it has
/// a range.
pub(super) fn faults(core: &CoreSettings, found: &mut Vec<SettingFault>) {
    scales(core, found);
    check! {
        core, found,
        free: [smallest_rho, largest_rho, initial_rho, warm_rho, rest_rho, small_rho, polish_rho, path_rho,
            linear_solver, predict_modes, ladder_seed],
        rest_below: 0.0..=1.0,
        rest_accuracy: 1e-8..=1.0,
        accepted_start: 0.0..=1.0,
        rho_cut: 1e-6..=0.99,
        rho_growth_fast: 1.0..=1e3,
        rho_growth: 1.0..=1e3,
        inner_accuracy: 1e-6..=0.99,
        inner_iterations: SOME,
        direct_block_products: 0..=1_000_000_000_000,
        single_rho: 0.0..=1e300,
        krylov_accuracy: 1e-12..=0.9,
        jacobi_iterations: 1..=100_000,
        krylov_iterations: 1..=1000,
        stale_krylov_iterations: COUNT,
        stale_mode_changes: COUNT,
        accepted_growth: 0.01..=1e6,
        accepted_growth_unconverged: 0.01..=1e6,
        geometry_halvings: 0..=60,
        slow_progress: 0.0..=1.0,
        over_relaxation: 0.0..=1.0,
        smallest_step_length: 1e-12..=0.5,
        small_island: COUNT,
        polish: 1e-8..=1.0,
        polish_iterations: COUNT,
        active_set_below: 0.0..=1e300,
        active_set_iterations: COUNT,
        active_set_rho: 1.0..=1e12,
        active_set_growth: 1.0..=1e12,
        active_set_accuracy: 1e-14..=0.9,
        interior_above: 0.0..=1e300,
        interior_goal: 0.0..=1e300,
        interior_iterations: COUNT,
        interior_start: 1e-6..=1e6,
        interior_fraction: 0.1..=0.9999,
        interior_short_fraction: 0.1..=0.9999,
        interior_patience: SOME,
        interior_keep: 0.0..=1.0,
        interior_pause: COUNT,
        interior_accuracy: 1e-14..=0.9,
        path_above_bodies: COUNT,
        path_iterations: COUNT,
        path_near: 1e-6..=1.0,
        path_patience: SOME,
        path_patience_unguided: SOME,
        path_frozen_below: 0.0..=1e300,
        path_keep: 0.0..=1.0,
        path_restarts: 0..=1000,
        path_restart_patience: SOME,
        path_spread: 0.0..=10.0,
        patience: SOME,
        cheap_phases_above: 0.0..=1e300,
        first_sweeps: COUNT,
        block_sweeps: SOME,
        most_sweeps: COUNT,
        admm_iterations: COUNT,
        admm_relaxation: 0.1..=1.99,
        admm_refactorizations: COUNT,
        ladder_restarts: 0..=1000,
        ladder_admm_iterations: COUNT,
        most_iterations: SOME,
    }
}

/// ρ at its limits and where it starts.
fn scales(core: &CoreSettings, found: &mut Vec<SettingFault>) {
    let CoreSettings { smallest_rho, largest_rho, .. } = *core;
    within(found, "core.smallest_rho", smallest_rho, 1e-12..=1.0);
    within(found, "core.largest_rho", largest_rho, 1.0..=1e12);
    for (field, rho) in [
        ("core.initial_rho", core.initial_rho),
        ("core.warm_rho", core.warm_rho),
        ("core.rest_rho", core.rest_rho),
        ("core.small_rho", core.small_rho),
        ("core.polish_rho", core.polish_rho),
        ("core.path_rho", core.path_rho),
    ] {
        within(found, field, rho, 1e-12..=1e12);
        if rho < smallest_rho || rho > largest_rho {
            let allowed =
                format!("must be within smallest_rho {smallest_rho:?} and largest_rho {largest_rho:?}");
            found.push(SettingFault { field, value: format!("{rho:?}"), allowed });
        }
    }
}

/// Names a value that is not in a range; NaN is in none.
fn within<T: PartialOrd + Debug>(
    found: &mut Vec<SettingFault>,
    field: &'static str,
    value: T,
    range: RangeInclusive<T>,
) {
    if !range.contains(&value) {
        let allowed = format!("must be {:?} to {:?}", range.start(), range.end());
        found.push(SettingFault { field, value: format!("{value:?}"), allowed });
    }
}
