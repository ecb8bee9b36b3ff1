//! The command `signorini fclib`: frictional-contact problems from files, solved and judged one by one.

use super::arguments::{FclibMethod, FclibOptions};
use super::console::print_line;
use super::exit::{Failure, SUCCESS, UNSOLVED};
use serde::Serialize;
use signorini_fclib::{BlockForm, Content, FileProblem, Impulses, ReducedResidual, Solved, rows_of_file};
use signorini_ncp::problem::{ContactProblem, lcp};
use signorini_ncp::solver::convex::coulomb::solve_by_apgd;
use signorini_ncp::solver::lemke::lemke_within;
use signorini_ncp::solver::{Info, LinearProblem, SolveOptions, SolveStatus, solve_cold};
use std::path::Path;
use std::time::{Duration, Instant};

/// Most complementarity unknowns of a dense tableau.
const LARGEST_LEMKE: usize = 3000;

/// Report of a problem.
#[derive(Debug, Serialize)]
struct Outcome {
    name: String,
    contacts: usize,
    scaled: f64,
    nat_rel: f64,
    /// Difference from the velocities of the file's solution, and the residual `scaled` of that.
    off_solution: Option<f64>,
    solution_residual: Option<f64>,
    seconds: f64,
    iterations: usize,
    factorizations: usize,
    status: SolveStatus,
}

/// Reads every file before it solves the first, so that bad input stops early.
pub fn fclib(options: &FclibOptions) -> Result<u8, Failure> {
    let mut problems = Vec::with_capacity(options.files.len());
    for path in &options.files {
        problems.push(signorini_fclib::read(path)?);
    }
    check_export(options, &problems)?;
    if !options.json {
        print_line(&format!(
            "{:<44} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10} {:>14}  status",
            "name", "contacts", "scaled", "nat_rel", "off", "seconds", "iterations", "factorizations"
        ));
    }
    let mut outcomes = Vec::with_capacity(problems.len());
    for problem in problems {
        let (outcome, impulse) = solve_one(&problem, options);
        if let Some(out) = &options.export {
            export(&problem, impulse, out)?;
        }
        if !options.json {
            print_line(&line(&outcome));
        }
        outcomes.push(outcome);
    }
    let n_solved = outcomes.iter().filter(|o| o.status.is_solved()).count();
    if options.json {
        // The list holds plain numbers and words: serialising cannot fail.
        print_line(&serde_json::to_string_pretty(&outcomes).unwrap_or_default());
    } else {
        print_line(&format!(
            "{n_solved} of {} solved to {:e} in both norms",
            outcomes.len(),
            options.tolerance
        ));
    }
    Ok(if n_solved == outcomes.len() { SUCCESS } else { UNSOLVED })
}

fn line(o: &Outcome) -> String {
    format!(
        "{:<44} {:>8} {:>9.1e} {:>9.1e} {:>9} {:>9.4} {:>10} {:>14}  {}",
        o.name,
        o.contacts,
        o.scaled,
        o.nat_rel,
        o.off_solution.map_or_else(|| "–".to_owned(), |off| format!("{off:.1e}")),
        o.seconds,
        o.iterations,
        o.factorizations,
        o.status.as_str()
    )
}

/// Solves by the production method. Returns impulses, outcome and cost.
fn by_core(
    form: BlockForm,
    options: &FclibOptions,
    judge: &dyn Fn(&[f64]) -> (f64, f64),
    deadline: Option<Instant>,
) -> (Vec<f64>, SolveStatus, Info) {
    let BlockForm { problem, remainder, warm_start, rows } = form;
    let is_fclib = rows.is_none();
    let (run, remainder) =
        (SolveOptions { deadline, ..SolveOptions::new(options.tolerance) }, remainder.as_ref());
    match options.core {
        FclibMethod::Apgd | FclibMethod::Lemke if !is_fclib => {
            (warm_start, SolveStatus::NotApplicable, Info::default())
        }
        FclibMethod::Proximal => {
            let problem = LinearProblem::new(problem, Some(judge)).with_remainder(remainder);
            let (iterate, status, info) = solve_cold(problem, &warm_start, &run);
            (iterate.impulse, status, info)
        }
        FclibMethod::Apgd => {
            let run = SolveOptions { iterations: usize::MAX, ..run };
            let (iterate, status, info) = solve_by_apgd(problem, remainder, &warm_start, judge, &run);
            (iterate.impulse, status, info)
        }
        FclibMethod::Lemke => by_lemke(&problem, options.directions, deadline),
    }
}

/// Solves the problem with friction polygons; the small remainder of the Delassus matrix is left out.
fn by_lemke(
    problem: &ContactProblem,
    directions: usize,
    deadline: Option<Instant>,
) -> (Vec<f64>, SolveStatus, Info) {
    let nothing = || vec![0.0; problem.n_rows()];
    let small = lcp::n_unknowns(problem, directions) <= LARGEST_LEMKE;
    let Some(form) = small.then(|| lcp::contact_as_lcp(problem, directions)).flatten() else {
        return (nothing(), SolveStatus::NotApplicable, Info::default());
    };
    let (z, status, pivots) = lemke_within(&form.lcp, |_| 1.0, usize::MAX, deadline);
    let info = Info { iterations: pivots, ..Info::default() };
    (form.impulse(&z).as_slice().to_vec(), status, info)
}

/// Checks that one problem with matrices is given, if it is to be written.
fn check_export(options: &FclibOptions, problems: &[FileProblem]) -> signorini_error::Result<()> {
    let Some(out) = &options.export else { return Ok(()) };
    let is_one = matches!(problems, [FileProblem { content: Content::Fcp(_) | Content::Cones(_), .. }]);
    if is_one && !out.exists() {
        return Ok(());
    }
    let allowed = if is_one { "exists" } else { "takes one .hdf5 or .fcp problem" };
    Err(signorini_error::Error::Usage {
        what: format!("--export {}", out.display()),
        allowed: allowed.to_owned(),
    })
}

/// Writes a problem with its guesses and the solution found.
fn export(file: &FileProblem, impulse: Vec<f64>, out: &Path) -> Result<(), Failure> {
    let impulses = Impulses { guesses: file.impulses.guesses.clone(), solution: Some(impulse) };
    match &file.content {
        Content::Fcp(problem) => signorini_fclib::write(out, problem, &impulses, &file.name),
        Content::Cones(problem) => problem.write(out, &impulses, &file.name),
        Content::Packing(_) => return Ok(()),
    }
    .map_err(Failure::Other)
}

/// Converts, solves and judges a problem; the seconds are those of conversion and solution. Returns the
/// impulses, too.
fn solve_one(file: &FileProblem, options: &FclibOptions) -> (Outcome, Vec<f64>) {
    let start = Instant::now();
    let usual = if matches!(file.content, Content::Packing(_)) { 20.0 } else { 5.0 };
    let deadline = Some(start + Duration::from_secs_f64(options.time_limit.unwrap_or(usual)));
    let residual = |impulse: &[f64]| file.reduced.residual(impulse);
    let (impulse, status, info) = match file.as_block_form(deadline) {
        Some(mut form) => {
            if let Some(guess) = file.impulses.guesses.first().filter(|_| options.guess) {
                form.warm_start = form.of_file(guess);
            }
            let rows = form.rows.clone();
            let judge = |impulse: &[f64]| {
                let of_file = rows_of_file(rows.as_deref(), impulse);
                let ReducedResidual { scaled, nat_rel } = residual(&of_file);
                (scaled, nat_rel)
            };
            let (impulse, status, info) = by_core(form, options, &judge, deadline);
            (rows_of_file(rows.as_deref(), &impulse), status, info)
        }
        None => (vec![0.0; file.reduced.free_slip.len()], SolveStatus::TimeLimit, Info::default()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let Solved { impulse, residual: reached, status, info } =
        Solved::judged(file, impulse, status, info, options.tolerance);
    let outcome = Outcome {
        name: file.name.clone(),
        contacts: file.reduced.n_contacts(),
        scaled: reached.scaled,
        nat_rel: reached.nat_rel,
        off_solution: file.off_solution(&impulse),
        solution_residual: file.impulses.solution.as_ref().map(|r| residual(r).scaled),
        seconds,
        iterations: info.iterations,
        factorizations: info.factorizations,
        status,
    };
    (outcome, impulse)
}
