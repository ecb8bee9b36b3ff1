//! What the parameters of the core method may be: outside, the method divides by nothing, never ends, or does nothing.

use super::SettingFault;
use crate::solver::CoreSettings;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Counts: large enough for every study, small enough to end and to fit into memory.
const COUNT: RangeInclusive<usize> = 0..=1_000_000;
const SOME: RangeInclusive<usize> = 1..=1_000_000;

/// All parameters that are out of range. Every field is named here: a new one does not compile before it has a range.
pub(super) fn faults(core: &CoreSettings, found: &mut Vec<SettingFault>) {
    let CoreSettings {
        initial_rho,
        warm_rho,
        rest_below,
        rest_rho,
        rest_accuracy,
        accepted_start,
        smallest_rho,
        largest_rho,
        rho_cut,
        rho_growth_fast,
        rho_growth,
        inner_accuracy,
        inner_iterations,
        linear_solver: _,
        direct_block_products,
        krylov_accuracy,
        jacobi_iterations,
        krylov_iterations,
        stale_krylov_iterations,
        stale_mode_changes,
        accepted_growth,
        accepted_growth_unconverged,
        geometry_halvings,
        slow_progress,
        over_relaxation,
        smallest_step_length,
        predict_modes: _,
        small_island,
        small_rho,
        polish,
        polish_iterations,
        polish_rho,
        active_set_below,
        active_set_iterations,
        active_set_rho,
        active_set_growth,
        active_set_accuracy,
        patience,
        cheap_phases_above,
        first_sweeps,
        block_sweeps,
        most_sweeps,
        admm_iterations,
        admm_relaxation,
        admm_refactorizations,
        ladder_restarts,
        ladder_admm_iterations,
        ladder_seed: _,
        interior_above,
        interior_iterations,
        interior_start,
        interior_fraction,
        interior_short_fraction,
        interior_patience,
        interior_keep,
        interior_pause,
        interior_accuracy,
        path_above_bodies,
        path_iterations,
        path_near,
        path_end,
        path_rho,
        path_patience,
        path_keep,
        most_iterations,
    } = *core;
    within(found, "core.smallest_rho", smallest_rho, 1e-12..=1.0);
    within(found, "core.largest_rho", largest_rho, 1.0..=1e12);
    for (field, rho) in [
        ("core.initial_rho", initial_rho),
        ("core.warm_rho", warm_rho),
        ("core.rest_rho", rest_rho),
        ("core.small_rho", small_rho),
        ("core.polish_rho", polish_rho),
        ("core.path_rho", path_rho),
    ] {
        within(found, field, rho, 1e-12..=1e12);
        if rho < smallest_rho || rho > largest_rho {
            let allowed =
                format!("must be within smallest_rho {smallest_rho:?} and largest_rho {largest_rho:?}");
            found.push(SettingFault { field, value: format!("{rho:?}"), allowed });
        }
    }
    within(found, "core.rest_below", rest_below, 0.0..=1.0);
    within(found, "core.rest_accuracy", rest_accuracy, 1e-8..=1.0);
    within(found, "core.accepted_start", accepted_start, 0.0..=1.0);
    within(found, "core.rho_cut", rho_cut, 1e-6..=0.99);
    within(found, "core.rho_growth_fast", rho_growth_fast, 1.0..=1e3);
    within(found, "core.rho_growth", rho_growth, 1.0..=1e3);
    within(found, "core.inner_accuracy", inner_accuracy, 1e-6..=0.99);
    within(found, "core.inner_iterations", inner_iterations, SOME);
    within(found, "core.direct_block_products", direct_block_products, 0..=1_000_000_000_000);
    within(found, "core.krylov_accuracy", krylov_accuracy, 1e-12..=0.9);
    within(found, "core.jacobi_iterations", jacobi_iterations, 1..=100_000);
    within(found, "core.krylov_iterations", krylov_iterations, 1..=1000);
    within(found, "core.stale_krylov_iterations", stale_krylov_iterations, COUNT);
    within(found, "core.stale_mode_changes", stale_mode_changes, COUNT);
    within(found, "core.accepted_growth", accepted_growth, 0.01..=1e6);
    within(found, "core.accepted_growth_unconverged", accepted_growth_unconverged, 0.01..=1e6);
    within(found, "core.geometry_halvings", geometry_halvings, 0..=60);
    within(found, "core.slow_progress", slow_progress, 0.0..=1.0);
    within(found, "core.over_relaxation", over_relaxation, 0.0..=1.0);
    within(found, "core.smallest_step_length", smallest_step_length, 1e-12..=0.5);
    within(found, "core.small_island", small_island, COUNT);
    within(found, "core.polish", polish, 1e-8..=1.0);
    within(found, "core.polish_iterations", polish_iterations, COUNT);
    within(found, "core.active_set_below", active_set_below, 0.0..=1e300);
    within(found, "core.active_set_iterations", active_set_iterations, COUNT);
    within(found, "core.active_set_rho", active_set_rho, 1.0..=1e12);
    within(found, "core.active_set_growth", active_set_growth, 1.0..=1e12);
    within(found, "core.active_set_accuracy", active_set_accuracy, 1e-14..=0.9);
    within(found, "core.interior_above", interior_above, 0.0..=1e300);
    within(found, "core.interior_iterations", interior_iterations, COUNT);
    within(found, "core.interior_start", interior_start, 1e-6..=1e6);
    within(found, "core.interior_fraction", interior_fraction, 0.1..=0.9999);
    within(found, "core.interior_short_fraction", interior_short_fraction, 0.1..=0.9999);
    within(found, "core.interior_patience", interior_patience, SOME);
    within(found, "core.interior_keep", interior_keep, 0.0..=1.0);
    within(found, "core.interior_pause", interior_pause, COUNT);
    within(found, "core.interior_accuracy", interior_accuracy, 1e-14..=0.9);
    within(found, "core.path_above_bodies", path_above_bodies, COUNT);
    within(found, "core.path_iterations", path_iterations, COUNT);
    within(found, "core.path_near", path_near, 1e-6..=1.0);
    within(found, "core.path_end", path_end, 0.0..=1.0);
    within(found, "core.path_patience", path_patience, SOME);
    within(found, "core.path_keep", path_keep, 0.0..=1.0);
    within(found, "core.patience", patience, SOME);
    within(found, "core.cheap_phases_above", cheap_phases_above, 0.0..=1e300);
    within(found, "core.first_sweeps", first_sweeps, COUNT);
    within(found, "core.block_sweeps", block_sweeps, SOME);
    within(found, "core.most_sweeps", most_sweeps, COUNT);
    within(found, "core.admm_iterations", admm_iterations, COUNT);
    within(found, "core.admm_relaxation", admm_relaxation, 0.1..=1.99);
    within(found, "core.admm_refactorizations", admm_refactorizations, COUNT);
    within(found, "core.ladder_restarts", ladder_restarts, 0..=1000);
    within(found, "core.ladder_admm_iterations", ladder_admm_iterations, COUNT);
    within(found, "core.most_iterations", most_iterations, SOME);
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
