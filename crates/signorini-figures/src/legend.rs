//! The legend: rows above the axes, where it hides nothing.

use crate::layout::{CAPTION_SIZE, LABEL_SIZE, LEFT, RIGHT, SIZE};
use crate::{Drawing, Mark, Panel, Pen, Point, Series, text_width};

/// The rows below these are left out.
const MAX_ROWS: usize = 5;
const ROW: f64 = 20.0;
/// From the top of a row to the middle of its letters.
const MIDDLE: f64 = 16.0;
const SAMPLE: f64 = 26.0;
const GAP: f64 = 8.0;
const BETWEEN: f64 = 28.0;
/// A line as wide as a bar has a lower sample.
const HIGHEST: f64 = 14.0;
const DOT: f64 = 4.0;

/// Draws the caption and the legend of a panel whose upper left corner is given, and returns how much higher
/// than one row they are.
pub fn draw(panel: &Panel, (left, top): Point, drawing: &mut Drawing) -> f64 {
    let end = left + f64::from(SIZE.0) - RIGHT;
    let (mut x, mut row) = (left + LEFT, 0);
    if !panel.caption.is_empty() {
        drawing.text((x, top + MIDDLE + 5.0), &panel.caption, CAPTION_SIZE);
        x += text_width(&panel.caption, CAPTION_SIZE) + BETWEEN;
    }
    for series in panel.series.iter().filter(|s| !s.label.is_empty()) {
        let width = SAMPLE + GAP + text_width(&series.label, LABEL_SIZE);
        if x + width > end && x > left + LEFT {
            if row + 1 == MAX_ROWS {
                drawing.text((x, top + ROW * row as f64 + MIDDLE + 5.0), "…", LABEL_SIZE);
                break;
            }
            (x, row) = (left + LEFT, row + 1);
        }
        entry(series, (x, top + ROW * row as f64 + MIDDLE), drawing);
        x += width + BETWEEN;
    }
    ROW * row as f64
}

fn entry(series: &Series, (x, y): Point, drawing: &mut Drawing) {
    match series.pen {
        Pen::Line(width) => {
            let height = f64::from(width).min(HIGHEST);
            let top = (y - height / 2.0).round();
            drawing.rectangle((x, top), (x + SAMPLE, top + height), series.colour);
        }
        Pen::Dots(_) => {
            let centre = (x + SAMPLE / 2.0, y);
            drawing.marks.push(Mark::Circle { centre, radius: DOT, colour: series.colour });
        }
    }
    drawing.text((x + SAMPLE + GAP, y + 5.0), &series.label, LABEL_SIZE);
}
