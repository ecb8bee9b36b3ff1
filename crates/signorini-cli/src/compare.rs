//! The command `signorini compare`: one scene under several models.

use super::arguments::CompareOptions;
use super::console::{print_error, print_line};
use super::exit::{Failure, SUCCESS, UNSOLVED};
use super::scene_source;
use signorini_runs::compare::{Comparison, Plan, closed_form, compare as run_all};
use signorini_runs::output::RunFolder;
use std::path::Path;

/// Validates everything, runs, and writes table and figures.
pub fn compare(options: &CompareOptions) -> Result<u8, Failure> {
    RunFolder::check_vacant(&options.out, options.force)?;
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let scene = loaded.scene;
    let mut plan = Plan::new(&options.formulations, &options.time_steps, &scene);
    plan.reference_time_step = options.reference_time_step;
    if let Some(path) = &options.closed_form {
        plan.closed_forms = closed_form::load(path, &scene)?;
    }
    if !options.quiet {
        loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let tell = |next: &str| {
        if !options.quiet {
            print_error(next);
        }
    };
    // A signal ends the process: nothing stops a comparison before.
    let Some(comparison) = run_all(&scene, &plan, tell, || false)? else { return Ok(SUCCESS) };
    comparison.write(&options.out).map_err(Failure::Other)?;
    if !options.quiet {
        print(&comparison, &options.out);
    }
    let unsolved = comparison.has_unsolved();
    if unsolved {
        print_error("warning: some steps are above the tolerance of their own model, see unsolved_steps");
    }
    Ok(if unsolved { UNSOLVED } else { SUCCESS })
}

fn print(comparison: &Comparison, out: &Path) {
    print_line(&format!(
        "{:<16} {:>9} {:>6} {:>8} {:>6} {:>10} {:>11} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "formulation",
        "h (s)",
        "steps",
        "unsolved",
        "red",
        "position",
        "penetration",
        "friction",
        "energy",
        "transport",
        "s/step",
        "iter/step"
    ));
    for r in &comparison.rows {
        print_line(&format!(
            "{:<16} {:>9.3e} {:>6} {:>8} {:>6} {:>10.2e} {:>11.2e} {:>10.2e} {:>10.2e} {:>10.3e} {:>10.2e} {:>10.1}",
            r.formulation.as_str(),
            r.time_step,
            r.steps,
            r.unsolved_steps,
            r.red_steps,
            r.position_error,
            r.penetration,
            r.friction_violation,
            r.final_energy_error,
            r.transport_speed,
            r.seconds_per_step,
            r.iterations_per_step
        ));
    }
    let reference = comparison.described();
    print_line(&match comparison.reference_error {
        None => format!("errors against {reference}"),
        Some([largest, last]) => format!(
            "position errors against the closed form, energy against {reference}, whose own position error is \
             {largest:.2e} m, {last:.2e} m at the end"
        ),
    });
    print_line(&format!(
        "position, penetration and friction (relative): largest; energy: at the end; transport (m/s): mean over the second half; table and figures in {}",
        out.display()
    ));
}
