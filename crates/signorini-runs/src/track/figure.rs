//! Figure of a track test: what became of each pose, and the yaws at the exits.

use super::tally::{MatrixRow, YawRow};
use crate::output::plots::chart::{self, Colour, Figure, Panel, Pen, PlotAxis, Series, colour};
use crate::output::plots::ticks::Scale;
use signorini_error::Result;
use signorini_scene::scene::Body;
use std::path::Path;

/// Width of the bars of an end, and of the lines of the intervals (pixels).
const BAR: u32 = 18;
const INTERVAL: u32 = 2;
/// Distance of the bars of a pose, over that of two poses.
const APART: f64 = 0.2;
/// Place of the middle of the bars of a pose.
const MIDDLE: f64 = 1.5;
/// Colours of the poses in the histogram.
const COLOURS: [Colour; 5] = [colour::BLUE, colour::ORANGE, colour::GREEN, colour::PURPLE, colour::RED];

/// Kind of end: its words, its colour, and whether an entry belongs to it.
type Kind = (&'static str, Colour, fn(&MatrixRow) -> bool);

/// Draws a track test into a folder, `track.png` and `track.svg`.
pub fn draw(part: &Body, matrix: &[MatrixRow], yaws: &[YawRow], folder: &Path) -> Result<()> {
    let figure = Figure {
        stem: "track".to_owned(),
        title: format!("{} on its track", chart::short(&part.name)),

        panels: vec![ends(matrix), histogram(yaws)],
    };
    chart::write(&[figure], folder).map(|_| ())
}

/// Bars for each pose at the start: the share that keeps the pose, leaves in another, is rejected, stays.
fn ends(matrix: &[MatrixRow]) -> Panel {
    let kinds: [Kind; 4] = [
        ("leaves in its pose", colour::BLUE, |row| row.to == row.from.to_string()),
        ("in another", colour::GREEN, |row| {
            row.to != row.from.to_string() && row.to != "rejected" && row.to != "stuck"
        }),
        ("rejected", colour::RED, |row| row.to == "rejected"),
        ("stuck", colour::GREY, |row| row.to == "stuck"),
    ];
    let mut poses: Vec<usize> = matrix.iter().map(|row| row.from).collect();
    poses.dedup();
    let mut series = Vec::new();
    for (k, (label, colour, belongs)) in kinds.into_iter().enumerate() {
        for (i, pose) in poses.iter().enumerate() {
            let of = || matrix.iter().filter(|row| row.from == *pose && belongs(row));
            let at = (i + 1) as f64 + APART * (k as f64 - MIDDLE);
            let share: f64 = of().map(|row| row.share).sum();
            let label = if i == 0 { label } else { "" };
            // A bar without a length cannot be drawn; its place in the legend stays.
            let bar = if share > 0.0 { vec![(at, 0.0), (at, share)] } else { Vec::new() };
            series.push(Series::line(label, colour, bar).with_pen(Pen::Line(BAR)));
            if let (Some(row), None) = (of().next(), of().nth(1)) {
                let interval = vec![(at, row.low), (at, row.high)];
                series.push(Series::line("", colour::BLACK, interval).with_pen(Pen::Line(INTERVAL)));
            }
        }
    }
    let floor = vec![(0.0, 0.0), (poses.len() as f64 + 1.0, 0.0)];
    series.push(Series::line("", colour::GREY, floor).with_pen(Pen::Line(1)));
    Panel {
        caption: String::new(),
        x: PlotAxis { label: "resting pose at the start (see matrix.csv)".to_owned(), scale: Scale::Count },
        y_label: "share of trials".to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series,
    }
}

/// Steps for each pose at the exit.
fn histogram(yaws: &[YawRow]) -> Panel {
    let mut poses: Vec<&str> = yaws.iter().map(|row| row.pose.as_str()).collect();
    poses.dedup();
    let curve = |(k, pose): (usize, &&str)| {
        let of = yaws.iter().filter(|row| row.pose == **pose);
        let points = of.flat_map(|row| [(row.from, row.share), (row.to, row.share)]).collect();
        Series::line(&format!("pose {pose}"), COLOURS[k % COLOURS.len()], points)
    };
    let mut series: Vec<Series> = poses.iter().enumerate().map(curve).collect();
    series.push(Series::line("", colour::GREY, vec![(0.0, 0.0), (360.0, 0.0)]).with_pen(Pen::Line(1)));
    Panel {
        caption: String::new(),
        x: PlotAxis { label: "yaw at the exit (degrees)".to_owned(), scale: Scale::Linear },
        y_label: "share of the pose".to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series,
    }
}
