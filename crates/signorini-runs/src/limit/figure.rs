//! Figure of a search: how far the bodies got at each value.

use super::search::Bracket;
use super::trial::Trial;
use crate::output::plots::chart::{self, Colour, Figure, Panel, Pen, PlotAxis, Series, colour};
use crate::output::plots::ticks::Scale;
use signorini_error::Result;
use std::path::Path;

/// Smallest part of the bound that is drawn, for all smaller ones: zero has no logarithm.
const SMALLEST: f64 = 1e-9;
/// Radius of the dots (pixels).
const DOT: i32 = 5;

/// Draws the trials into a folder, `limit.png` and `limit.svg`.
pub fn draw(what: &str, trials: &[Trial], bracket: Bracket, folder: &Path) -> Result<()> {
    chart::write(&[figure(what, trials, bracket)], folder).map(|_| ())
}

fn figure(what: &str, trials: &[Trial], bracket: Bracket) -> Figure {
    let height = |trial: &Trial| trial.over_bound.max(SMALLEST).log10();
    let dots = |label: &str, colour: Colour, collapses: bool| {
        let of = trials.iter().filter(|trial| trial.collapses() == collapses);
        let points: Vec<(f64, f64)> = of.map(|trial| (trial.value, height(trial))).collect();
        Series::line(label, colour, points).with_pen(Pen::Dots(DOT))
    };
    let heights = || trials.iter().map(height).chain([0.0]);
    let (low, high) = (heights().fold(0.0, f64::min), heights().fold(0.0, f64::max));
    let middle = bracket.middle();
    let line = vec![(middle, low), (middle, high)];
    let panel = Panel {
        caption: String::new(),
        x: PlotAxis { label: format!("x: {}", chart::short(what)), scale: Scale::Linear },
        y_label: "farthest body, over the bound".to_owned(),
        scale: Scale::Log10,
        with_zero: false,
        noise: 0.0,
        series: vec![
            dots("stands", colour::BLUE, false),
            dots("collapses", colour::RED, true),
            Series::line("limit", colour::GREY, line).with_pen(Pen::Line(1)),
        ],
    };
    Figure {
        stem: "limit".to_owned(),
        title: format!("Limit at x = {middle:.6}, {SMALLEST:e} stands for less"),

        panels: vec![panel],
    }
}
