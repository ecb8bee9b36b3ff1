//! The command `signorini compare`: one scene under several models.

use super::arguments::CompareOptions;
use super::console::{print_error, print_line};
use super::exit::{Failure, SUCCESS, UNSOLVED};
use super::scene_source;
use signorini_runs::compare::{
    CompareRow, Comparison, Plan, Trace, closed_form, compare as run_all, figures,
};
use signorini_runs::output::table::Table;
use signorini_runs::output::{RunFolder, names};
use std::fs;
use std::path::Path;

/// Validates everything, runs, and writes table and figures.
pub fn compare(options: &CompareOptions) -> Result<u8, Failure> {
    RunFolder::check_vacant(&options.out, options.force)?;
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let scene = loaded.scene;
    let mut plan = Plan {
        models: options.formulations.clone(),
        time_steps: options.time_steps.clone(),
        reference_time_step: options.reference_time_step,
        closed_forms: Vec::new(),
    };
    if let Some(path) = &options.closed_form {
        plan.closed_forms = closed_form::load(path, &scene)?;
    }
    if plan.time_steps.is_empty() {
        plan.time_steps.push(scene.time_step);
    }
    plan.models = without_repeats(plan.models);
    plan.time_steps = without_repeats(plan.time_steps);
    if !options.quiet {
        loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let comparison = run_all(&scene, &plan, |next| {
        if !options.quiet {
            print_error(next);
        }
    })?;
    write(&comparison, &options.out).map_err(Failure::Other)?;
    if !options.quiet {
        print(&comparison, &options.out);
    }
    let unsolved = comparison.rows.iter().any(|r| r.unsolved_steps > 0) || comparison.reference_unsolved > 0;
    if unsolved {
        print_error("warning: some steps are above the tolerance of their own model, see unsolved_steps");
    }
    Ok(if unsolved { UNSOLVED } else { SUCCESS })
}

fn without_repeats<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for item in list {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

fn write(comparison: &Comparison, out: &Path) -> signorini_error::Result<()> {
    fs::create_dir_all(out).map_err(|source| signorini_error::Error::Io { path: out.to_owned(), source })?;
    let mut table = Table::create(out.join("compare.csv"), &CompareRow::COLUMNS)?;
    for row in &comparison.rows {
        table.push(row)?;
    }
    table.flush()?;
    let mut table = Table::create(out.join("over_time.csv"), &Trace::COLUMNS)?;
    for (row, trace) in comparison.rows.iter().zip(&comparison.traces) {
        for p in &trace.points {
            let errors = (p.position_error, p.penetration, p.friction_violation, p.energy_error);
            table.push(&(row.formulation, row.time_step, p.time, errors, p.energy_drift))?;
        }
    }
    table.flush()?;
    figures::draw(comparison, &out.join(names::PLOTS)).map(|_| ())
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
