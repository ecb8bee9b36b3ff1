//! Figures of a comparison of models: work and precision, and errors over time.

use super::model::Model;
use super::rows::{CompareRow, Comparison, TracePoint};
use crate::output::plots::chart::{self, Colour, Figure, Panel, Pen, PlotAxis, Series, colour};
use crate::output::plots::ticks::Scale;
use signorini_error::Result;
use signorini_scene::settings::{Formulation, Integrator};
use std::path::{Path, PathBuf};

/// Smallest error drawn, for all smaller ones: below it is the solvers' tolerance, and zero has no logarithm.
const SMALLEST: f64 = 1e-10;

/// Draws the figures into `folder`, as PNG and SVG, and returns their paths.
///
/// # Errors
/// When a figure cannot be written.
pub fn draw(comparison: &Comparison, folder: &Path) -> Result<Vec<PathBuf>> {
    chart::write(&[work_and_precision(comparison), over_time(comparison)], folder)
}

fn colour_of(model: Model) -> Colour {
    if model.integrator == Integrator::Staggered {
        return colour::PURPLE;
    }
    match model.formulation {
        Formulation::Implicit => colour::BLACK,
        Formulation::Literal => colour::PALE,
        Formulation::StewartTrinkle => colour::BLUE,
        Formulation::Cone => colour::RED,
        Formulation::Compliant => colour::GREEN,
        Formulation::Auto => colour::ORANGE,
    }
}

/// Pens of line and dots of a curve. Later curves are drawn over earlier ones: earlier curves are wider, so
/// that they still show.
fn pens(place: usize, n_curves: usize) -> (Pen, Pen) {
    let above = n_curves.saturating_sub(place + 1).min(4);
    (Pen::Line([2, 4, 6, 8, 10][above]), Pen::Dots([3, 4, 5, 7, 9][above]))
}

fn log(x: f64) -> f64 {
    if x.is_finite() { x.max(SMALLEST).log10() } else { f64::NAN }
}

/// Models compared, each once, in order.
fn models(comparison: &Comparison) -> Vec<Model> {
    let mut found = Vec::new();
    for row in &comparison.rows {
        if !found.contains(&row.formulation) {
            found.push(row.formulation);
        }
    }
    found
}

fn work_and_precision(comparison: &Comparison) -> Figure {
    let panel = |x: &str, y: &str, values: fn(&CompareRow) -> (f64, f64)| {
        let mut series = Vec::new();
        let models = models(comparison);
        let n = models.len();
        for (place, model) in models.into_iter().enumerate() {
            let mut rows: Vec<_> = comparison.rows.iter().filter(|r| r.formulation == model).collect();
            rows.sort_by(|a, b| a.time_step.total_cmp(&b.time_step));
            let points = rows.into_iter().map(values).map(|(x, y)| (log(x), log(y))).collect();
            let (pen, dots) = pens(place, n);
            let line = Series::line(model.as_str(), colour_of(model), points).with_pen(pen);
            series.push(Series { label: String::new(), ..line.clone().with_pen(dots) });
            series.push(line);
        }
        Panel {
            caption: String::new(),
            x: PlotAxis { label: x.to_owned(), scale: Scale::Log10 },
            y_label: y.to_owned(),
            scale: Scale::Log10,
            with_zero: false,
            noise: 0.0,
            series,
        }
    };
    Figure {
        stem: "work_precision".to_owned(),
        title: match comparison.reference_error {
            None => format!("Errors against {}, {SMALLEST:e} stands for less", comparison.described()),
            Some(_) => format!(
                "Position against the closed form, energy against {}, {SMALLEST:e} stands for less",
                comparison.described()
            ),
        },

        panels: vec![
            panel("time step h (s)", "position error (m)", |r| (r.time_step, r.position_error)),
            panel("solver time (s)", "position error (m)", |r| {
                (r.seconds_per_step * r.steps as f64, r.position_error)
            }),
            panel("time step h (s)", "energy error at the end (J)", |r| (r.time_step, r.final_energy_error)),
            panel("time step h (s)", "solver time per step (s)", |r| (r.time_step, r.seconds_per_step)),
        ],
    }
}

fn over_time(comparison: &Comparison) -> Figure {
    let smallest = comparison.rows.iter().map(|r| r.time_step).fold(f64::INFINITY, f64::min);
    let panel = |name: &str, scale: Scale, value: fn(&TracePoint) -> f64| {
        let models = models(comparison);
        let n = models.len();
        let series = models.into_iter().enumerate().filter_map(|(place, model)| {
            // Each model is drawn with its smallest step.
            let of_model = comparison.rows.iter().zip(&comparison.traces);
            let finest = of_model
                .filter(|(row, _)| row.formulation == model)
                .min_by(|a, b| a.0.time_step.total_cmp(&b.0.time_step))?;
            let points = finest.1.points.iter().map(|p| (p.time, value(p))).collect();
            Some(Series::line(model.as_str(), colour_of(model), points).with_pen(pens(place, n).0))
        });
        Panel {
            caption: String::new(),
            x: PlotAxis::time(),
            y_label: name.to_owned(),
            scale,
            with_zero: false,
            noise: SMALLEST,
            series: series.collect(),
        }
    };
    let mut drift = panel("energy drift (J)", Scale::Linear, |p| p.energy_drift);
    // The reference's energy drift is physical: it is drawn over the curves, so that differences from it
    // show.
    let reference = Series::line("reference", colour::GREY, comparison.reference_drift.clone());
    drift.series.push(reference.with_pen(Pen::Line(1)));
    Figure {
        stem: "over_time".to_owned(),
        title: format!("Over time, smallest step: h = {smallest} s, {SMALLEST:e} stands for less"),

        panels: vec![
            panel("position error (m)", Scale::Log10, |p| log(p.position_error)),
            panel("penetration (m)", Scale::Log10, |p| log(p.penetration)),
            panel("friction violation (relative)", Scale::Log10, |p| log(p.friction_violation)),
            panel("energy error (J)", Scale::Log10, |p| log(p.energy_error)),
            drift,
        ],
    }
}
