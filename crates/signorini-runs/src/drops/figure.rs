//! Histogram of resting poses.

use super::portrait::portrait;
use super::poses::PoseRow;
use crate::output::plots::chart::{self, Drawing, Figure, Panel, Pen, PlotAxis, Series, colour};
use crate::output::plots::ticks::Scale;
use nalgebra::Vector3;
use signorini_error::Result;
use signorini_scene::scene::Body;
use std::path::Path;

/// Width of the bars of few poses (pixels).
const BAR: u32 = 36;
/// Width of the lines of the intervals (pixels).
const INTERVAL: u32 = 2;

/// Width that all pictures of poses share (pixels), and the largest and smallest size of one.
const PICTURES: f64 = 700.0;
const PICTURE: (f64, f64) = (130.0, 40.0);

/// Draws the shares of the poses of a body into a folder, with the body in each pose below its bar. Of too
/// many poses there is no picture.
pub fn draw_poses(body: &Body, poses: &[PoseRow], folder: &Path) -> Result<()> {
    let figure = figure(format!("Resting poses of {}", body.name), poses);
    let size = (PICTURES / (poses.len() + 1) as f64).min(PICTURE.0);
    let picture = |row: &PoseRow| {
        let down = Vector3::new(row.down_x, row.down_y, row.down_z);
        (row.pose as f64, portrait(body, &down, size as u32))
    };
    let pictures: Vec<(f64, Drawing)> =
        if size < PICTURE.1 { Vec::new() } else { poses.iter().map(picture).collect() };
    chart::write_drawing(&figure.stem, &figure.with_pictures(&pictures), folder).map(|_| ())
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
    Figure { stem: "poses".to_owned(), title, panels: vec![panel] }
}
