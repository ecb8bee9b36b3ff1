//! Axes and curves of a panel.

use crate::font::fitted;
use crate::layout::{CAPTION_SIZE, LABEL_SIZE, LEFT, RIGHT, SIZE};
use crate::{Anchor, Colour, Drawing, Mark, Panel, Pen, Point, Scale, Series, Ticks, legend};

const TOP: f64 = 28.0;
const BOTTOM: f64 = 54.0;
/// From the left edge of a panel to the base line of the text at the vertical axis.
const Y_TITLE: f64 = 21.0;
/// Between that text and the axis, for labels.
const Y_LABELS: f64 = 58.0;
const TICK: f64 = 5.0;
const MAX_X_LABELS: usize = 10;
const MAX_Y_LABELS: usize = 8;
const GRID: Colour = Colour(225, 225, 225);
const FINE_GRID: Colour = Colour(241, 241, 241);
const AXIS: Colour = Colour(90, 90, 90);
/// More points than this per curve are thinned: a figure has no more pixels, and the SVG stays small.
const MAX_POINTS: usize = 3000;
/// A point between gaps is seen as a dot.
const SMALLEST_DOT: f64 = 1.5;

/// The rectangle of the axes, and the values at its edges.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Ticks,
    y: Ticks,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        let range = self.x.range();
        self.left + (self.right - self.left) * (value - range.start) / (range.end - range.start)
    }

    fn y(&self, value: f64) -> f64 {
        let range = self.y.range();
        self.bottom - (self.bottom - self.top) * (value - range.start) / (range.end - range.start)
    }
}

/// Draws a panel whose upper left corner is given.
pub fn draw(panel: &Panel, corner: Point, drawing: &mut Drawing) {
    let more = legend::draw(panel, corner, drawing);
    let series: Vec<Vec<(f64, f64)>> = panel.series.iter().map(|s| thinned(&s.points)).collect();
    let frame = frame_of(panel, corner, more, &series);
    draw_x_axis(&frame, &panel.x.label, drawing);
    draw_y_axis(&frame, &panel.y_label, drawing);
    for edge in [(frame.right, frame.bottom), (frame.left, frame.top)] {
        drawing.line(vec![(frame.left, frame.bottom), edge], 1.0, AXIS);
    }
    for (series, points) in panel.series.iter().zip(&series) {
        draw_series(&frame, series, points, drawing);
    }
}

/// Where a value of the horizontal axis lies in a panel whose upper left corner is given.
pub fn x_place(panel: &Panel, corner: Point, value: f64) -> f64 {
    let series: Vec<Vec<(f64, f64)>> = panel.series.iter().map(|s| s.points.clone()).collect();
    frame_of(panel, corner, 0.0, &series).x(value)
}

/// The middle of the horizontal axis.
pub fn middle(corner: Point) -> f64 {
    corner.0 + (LEFT + f64::from(SIZE.0) - RIGHT) / 2.0
}

/// The axes of a panel whose legend is so much higher than one row.
fn frame_of(panel: &Panel, corner: Point, more: f64, series: &[Vec<(f64, f64)>]) -> Frame {
    let points = || series.iter().flatten().filter(|p| p.0.is_finite() && p.1.is_finite());
    let from_zero = panel.x.scale != Scale::Log10;
    let y = Ticks::new(panel.scale, points().map(|p| p.1), panel.with_zero, panel.noise);
    // Lines one pixel wide fill it where they lie in its middle.
    Frame {
        left: corner.0 + LEFT + 0.5,
        right: corner.0 + f64::from(SIZE.0) - RIGHT + 0.5,
        top: corner.1 + TOP + more + 0.5,
        bottom: corner.1 + f64::from(SIZE.1) - BOTTOM + 0.5,
        x: Ticks::new(panel.x.scale, points().map(|p| p.0), from_zero, 0.0),
        y: y.with_margin(0.06),
    }
}

fn draw_x_axis(frame: &Frame, title: &str, drawing: &mut Drawing) {
    for tick in frame.x.places(MAX_X_LABELS) {
        let x = sharp(frame.x(tick.at));
        let colour = if tick.label.is_empty() { FINE_GRID } else { GRID };
        drawing.line(vec![(x, frame.top), (x, frame.bottom)], 1.0, colour);
        if !tick.label.is_empty() {
            drawing.line(vec![(x, frame.bottom), (x, frame.bottom + TICK)], 1.0, AXIS);
            let at = (x, (frame.bottom + TICK + 13.0).floor());
            drawing.text(at, &tick.label, LABEL_SIZE).anchor = Anchor::Middle;
        }
    }
    let room = frame.right - frame.left;
    let at = ((frame.left + frame.right) / 2.0, (frame.bottom + 39.0).floor());
    drawing.text(at, title, fitted(title, CAPTION_SIZE, room)).anchor = Anchor::Middle;
}

fn draw_y_axis(frame: &Frame, title: &str, drawing: &mut Drawing) {
    for tick in frame.y.places(MAX_Y_LABELS) {
        let y = sharp(frame.y(tick.at));
        let colour = if tick.label.is_empty() { FINE_GRID } else { GRID };
        drawing.line(vec![(frame.left, y), (frame.right, y)], 1.0, colour);
        if !tick.label.is_empty() {
            drawing.line(vec![(frame.left - TICK, y), (frame.left, y)], 1.0, AXIS);
            let at = (frame.left - TICK - 4.0, (y + 5.0).floor());
            let size = fitted(&tick.label, LABEL_SIZE, Y_LABELS);
            drawing.text(at, &tick.label, size).anchor = Anchor::End;
        }
    }
    let room = frame.bottom - frame.top;
    let at = ((frame.left - LEFT + Y_TITLE).floor(), (frame.top + frame.bottom) / 2.0);
    let text = drawing.text(at, title, fitted(title, CAPTION_SIZE, room));
    (text.anchor, text.rotation) = (Anchor::Middle, -90.0);
}

/// The middle of a pixel.
fn sharp(place: f64) -> f64 {
    place.floor() + 0.5
}

fn draw_series(frame: &Frame, series: &Series, points: &[(f64, f64)], drawing: &mut Drawing) {
    let is_finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
    let place = |p: &(f64, f64)| (frame.x(p.0), frame.y(p.1));
    let colour = series.colour;
    match series.pen {
        Pen::Line(width) => {
            let width = f64::from(width);
            for run in points.split(|p| !is_finite(p)) {
                match run {
                    [] => {}
                    [alone] => {
                        let radius = SMALLEST_DOT.max(width / 2.0);
                        drawing.marks.push(Mark::Circle { centre: place(alone), radius, colour });
                    }
                    run => drawing.line(run.iter().map(place).collect(), width, colour),
                }
            }
        }
        Pen::Dots(radius) => {
            let dot = |p| Mark::Circle { centre: place(p), radius: f64::from(radius), colour };
            drawing.marks.extend(points.iter().filter(|p| is_finite(p)).map(dot));
        }
    }
}

/// The ends, and the lowest and the highest point of each of many buckets, in order: peaks stay.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let bucket = points.len().div_ceil(MAX_POINTS / 2);
    let mut kept = Vec::with_capacity(MAX_POINTS + 2);
    kept.push(points[0]);
    for chunk in points.chunks(bucket) {
        let by_y = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(&low), Some(&high)) = (chunk.iter().min_by(by_y), chunk.iter().max_by(by_y)) else {
            continue;
        };
        kept.extend(if low.0 <= high.0 { [low, high] } else { [high, low] });
    }
    kept.push(points[points.len() - 1]);
    kept
}
