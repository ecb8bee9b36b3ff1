//! Solves frictional contact problems of the FCLIB collection, from `.hdf5` or `.fcp` files.
//!
//! `cargo run --release -p signorini-ncp --example fclib -- FILE…`

#![allow(clippy::print_stdout)]

use signorini_fclib::{BlockForm, FileProblem, read, rows_of_file};
use signorini_ncp::solver::{LinearProblem, SolveOptions, solve_cold};
use std::error::Error;
use std::path::Path;

const TOLERANCE: f64 = 1e-8;

fn solve_file(file: &FileProblem) -> Result<(), Box<dyn Error>> {
    let form = file.as_block_form(None).ok_or("no block form")?;
    let BlockForm { problem, remainder, warm_start, rows } = form;
    // Both residuals of the collection decide: one free of units, one relative to q.
    let judge = |impulse: &[f64]| {
        let residual = file.reduced.residual(&rows_of_file(rows.as_deref(), impulse));
        (residual.scaled, residual.nat_rel)
    };
    let linear = LinearProblem::new(problem, Some(&judge)).with_remainder(remainder.as_ref());
    let (iterate, status, info) = solve_cold(linear, &warm_start, &SolveOptions::new(TOLERANCE));
    let residual = file.reduced.residual(&rows_of_file(rows.as_deref(), &iterate.impulse)).max();
    println!(
        "{}: {} contacts, {status:?} after {} Newton iterations, residual {residual:.1e}",
        file.name,
        file.reduced.n_contacts(),
        info.iterations
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        println!("usage: fclib FILE…   (.hdf5 of FCLIB, .fcp)");
    }
    for path in &paths {
        solve_file(&read(Path::new(path))?)?;
    }
    Ok(())
}
