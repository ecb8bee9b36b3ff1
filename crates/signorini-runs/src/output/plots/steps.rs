//! Figures from `steps.csv`: energy over time, and convergence of each step.

use super::chart::{Figure, Panel, Pen, PlotAxis, Series, colour};
use super::noise::Noise;
use super::ticks::Scale;
use crate::output::rows::StepRow;
use crate::output::table;
use signorini_error::Result;
use signorini_ncp::solver::SolveStatus;
use signorini_scene::scene::Scene;
use signorini_scene::scene::energy;
use std::path::Path;

/// Makes the figures of energy and convergence; none when no step was taken.
pub fn figures(scene: &Scene, path: &Path) -> Result<Vec<Figure>> {
    let mut rows: Vec<StepRow<'static>> = Vec::new();
    table::read(path, |row| rows.push(row))?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![energy_figure(scene, &rows), convergence_figure(scene, &rows)])
}

fn energy_figure(scene: &Scene, rows: &[StepRow]) -> Figure {
    let start = scene.initial_state();
    let start = (0.0, energy::kinetic(scene, &start), energy::potential(scene, &start));
    let times =
        std::iter::once(start).chain(rows.iter().map(|r| (r.time, r.kinetic_energy, r.potential_energy)));
    let times: Vec<(f64, f64, f64)> = times.collect();
    let curve = |value: fn(f64, f64) -> f64| times.iter().map(|&(t, k, p)| (t, value(k, p))).collect();
    let panel = Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: "energy (J)".to_owned(),
        scale: Scale::Linear,
        with_zero: false,
        noise: Noise::of(scene).energy,
        series: vec![
            Series::line("total", colour::BLACK, curve(|k, p| k + p)),
            Series::line("kinetic", colour::BLUE, curve(|k, _| k)),
            Series::line("potential (−Σ m g·c)", colour::ORANGE, curve(|_, p| p)),
        ],
    };
    Figure { stem: "energy".to_owned(), title: "Energy".to_owned(), panels: vec![panel] }
}

fn convergence_figure(scene: &Scene, rows: &[StepRow]) -> Figure {
    // An exact zero has no logarithm; rounding noise is a fair floor to show it at.
    let log = |residual: f64| residual.max(1e-18).log10();
    let tolerance = log(scene.solver.tolerance);
    let ends = [rows[0].time, rows[rows.len() - 1].time];
    let solved = [SolveStatus::Solved, SolveStatus::SolvedByHalving].map(SolveStatus::as_str);
    let residual =
        |row: &StepRow| (row.time, if row.residual.is_nan() { f64::NAN } else { log(row.residual) });
    let unsolved: Vec<_> = rows.iter().filter(|r| !solved.contains(&&*r.status)).map(residual).collect();
    let mut series = vec![
        Series::line("tolerance", colour::PALE, ends.map(|t| (t, tolerance)).into()).with_pen(Pen::Line(4)),
        Series::line("residual", colour::BLUE, rows.iter().map(residual).collect()),
    ];
    if !unsolved.is_empty() {
        series.push(Series::line("step not solved", colour::RED, unsolved).with_pen(Pen::Dots(3)));
    }
    let count = |value: fn(&StepRow) -> usize| rows.iter().map(|r| (r.time, value(r) as f64)).collect();
    let panels = vec![
        Panel {
            caption: String::new(),
            x: PlotAxis::time(),
            y_label: "scaled residual".to_owned(),
            scale: Scale::Log10,
            with_zero: false,
            noise: 0.0,
            series,
        },
        Panel {
            caption: String::new(),
            x: PlotAxis::time(),
            y_label: "per step".to_owned(),
            scale: Scale::Linear,
            with_zero: true,
            noise: 0.0,
            series: vec![
                Series::line("Newton iterations", colour::BLUE, count(|r| r.iterations)),
                Series::line("factorizations", colour::GREEN, count(|r| r.factorizations)),
            ],
        },
    ];
    Figure { stem: "convergence".to_owned(), title: "Convergence".to_owned(), panels }
}
