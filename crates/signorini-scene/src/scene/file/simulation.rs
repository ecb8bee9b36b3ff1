//! `[simulation]` and `[solver]`, with the caller's values in place of the file's.

use super::limits::MAX_STEPS;
use super::options::LoadOptions;
use super::raw::{SceneFile, SimulationEntry};
use super::report::Report;
use crate::settings::SolverSettings;

/// The file's `[simulation]` and `[solver]` with the caller's values in place.
pub fn overridden(file: &SceneFile, options: &LoadOptions) -> (SimulationEntry, SolverSettings) {
    let (mut simulation, mut solver) = (file.simulation.clone(), file.solver.clone());
    let o = &options.overrides;
    simulation.time_step = o.time_step.unwrap_or(simulation.time_step);
    simulation.duration = o.duration.unwrap_or(simulation.duration);
    simulation.seed = o.seed.unwrap_or(simulation.seed);
    solver.tolerance = o.tolerance.unwrap_or(solver.tolerance);
    solver.formulation = o.formulation.unwrap_or(solver.formulation);
    (simulation, solver)
}

/// `seed`, or `seed (override)` when the value is not the file's.
fn named(field: &str, is_override: bool) -> String {
    if is_override { format!("{field} (override)") } else { field.to_string() }
}

/// Time step, duration, gravity and seed.
pub fn check_simulation(s: &SimulationEntry, options: &LoadOptions, report: &mut Report) {
    let o = &options.overrides;
    let mut check = report.at("simulation");
    let step_field = named("time_step", o.time_step.is_some());
    let duration_field = named("duration", o.duration.is_some());
    let step = check.positive(&step_field, s.time_step);
    let duration = check.positive(&duration_field, s.duration);
    check.vector("gravity", s.gravity);
    if i64::try_from(s.seed).is_err() {
        check.fault(&named("seed", o.seed.is_some()), s.seed, format!("must be 0 to {}", i64::MAX));
    }
    if step != s.time_step || duration != s.duration {
        return;
    }
    let steps = duration / step;
    if step > duration {
        check.fault(
            &step_field,
            format!("{step:?}"),
            format!("must be at most the duration ({duration:?} s)"),
        );
    } else if steps > MAX_STEPS {
        let allowed = format!("the run would take {steps:.3e} steps, allowed are {MAX_STEPS:e}");
        check.fault(&step_field, format!("{step:?}"), allowed);
    } else if (steps - steps.round()).abs() > 1e-6 * steps {
        let end = steps.round() * step;
        check.note(
            &duration_field,
            format!("{duration:?} s is not a whole number of steps; the run ends at {end} s"),
        );
    }
}

/// The ranges of the solver's settings.
pub fn check_solver(solver: &SolverSettings, options: &LoadOptions, report: &mut Report) {
    for fault in solver.faults() {
        let is_override = fault.field == "tolerance" && options.overrides.tolerance.is_some();
        report.at("solver").fault(&named(fault.field, is_override), fault.value, fault.allowed);
    }
}
