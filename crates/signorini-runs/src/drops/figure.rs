//! Histogram of resting poses.

use super::poses::PoseRow;
use crate::output::plots::chart::{self, Figure, Panel, Pen, PlotAxis, Series, colour};
use crate::output::plots::ticks::Scale;
use signorini_error::Result;
use std::path::Path;

/// Width of the bars of few poses (pixels).
const BAR: u32 = 36;
/// Width of the lines of the intervals (pixels).
const INTERVAL: u32 = 2;

/// Draws the shares of the poses into a folder.
pub fn draw_poses(title: String, poses: &[PoseRow], folder: &Path) -> Result<()> {
    chart::write(&[figure(title, poses)], folder).map(|_| ())
}

/// Bars of the shares with their 95 % intervals.
fn figure(title: String, poses: &[PoseRow]) -> Figure {
    let bar = (BAR as usize * 10 / poses.len().max(10)).max(2) as u32;
    let mut series = Vec::new();
    for (k, row) in poses.iter().enumerate() {
        let label = |name: &str| if k == 0 { name.to_owned() } else { String::new() };
        let at = row.pose as f64;
        let share = vec![(at, 0.0), (at, row.share)];
        let interval = vec![(at, row.low), (at, row.high)];
        let share = Series::line("", colour::BLUE, share).with_pen(Pen::Line(bar));
        series.push(Series { label: label("share"), ..share });
        let interval = Series::line("", colour::ORANGE, interval).with_pen(Pen::Line(INTERVAL));
        series.push(Series { label: label("95 % interval"), ..interval });
    }
    let ends = vec![(0.0, 0.0), (poses.len() as f64 + 1.0, 0.0)];
    series.push(Series::line("", colour::GREY, ends).with_pen(Pen::Line(1)));
    let panel = Panel {
        caption: String::new(),
        x: PlotAxis { label: "resting pose (see poses.csv)".to_owned(), scale: Scale::Count },
        y_label: "share of drops".to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series,
    };
    Figure { stem: "poses".to_owned(), title, n_columns: 1, panels: vec![panel] }
}
