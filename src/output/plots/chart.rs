//! Figures made of panels made of curves, and their drawing.

use super::ticks::{Scale, Ticks};
use crate::error::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::{RGBColor, register_font};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Colours that colour-blind readers can tell apart (Okabe and Ito).
pub mod colour {
    use plotters::style::RGBColor;
    pub const BLACK: RGBColor = RGBColor(0, 0, 0);
    pub const BLUE: RGBColor = RGBColor(0, 114, 178);
    pub const GREEN: RGBColor = RGBColor(0, 158, 115);
    pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
    pub const RED: RGBColor = RGBColor(213, 94, 0);
    pub const PALE: RGBColor = RGBColor(250, 190, 130);
    pub const PURPLE: RGBColor = RGBColor(204, 121, 167);
    pub const GREY: RGBColor = RGBColor(150, 150, 150);
}

const FONT: &str = "sans-serif";
const PANEL: (u32, u32) = (900, 330);
const TITLE_HEIGHT: u32 = 44;
/// Most points of a curve, beyond which they are thinned: a figure has no more pixels, and the SVG stays
/// small.
const MOST_POINTS: usize = 3000;

/// Style of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pen {
    /// A line of this width (pixels).
    Line(u32),
    /// A dot per point, of this radius (pixels).
    Dots(i32),
}

/// One curve.
#[derive(Debug, Clone)]
pub struct Series {
    pub label: String,
    pub colour: RGBColor,
    pub pen: Pen,
    /// Points (x, y); a point that is not finite interrupts the line.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Makes a line two pixels wide.
    pub fn line(label: &str, colour: RGBColor, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.to_owned(), colour, pen: Pen::Line(2), points }
    }

    /// Changes the pen.
    pub fn with_pen(self, pen: Pen) -> Self {
        Self { pen, ..self }
    }
}

/// The horizontal axis.
#[derive(Debug, Clone)]
pub struct PlotAxis {
    pub label: String,
    pub scale: Scale,
}

impl PlotAxis {
    /// Makes an axis of time in seconds.
    pub fn time() -> Self {
        Self { label: "time (s)".to_owned(), scale: Scale::Linear }
    }
}

/// One set of axes.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Caption beside the legend; may be empty.
    pub caption: String,
    pub x: PlotAxis,
    pub y_label: String,
    pub scale: Scale,
    /// Whether y = 0 must be visible.
    pub with_zero: bool,
    /// Span up to which values are drawn as a constant.
    pub noise: f64,
    pub series: Vec<Series>,
}

/// A figure: panels in rows.
#[derive(Debug, Clone)]
pub struct Figure {
    /// File name without extension.
    pub stem: String,
    pub title: String,
    pub n_columns: usize,
    pub panels: Vec<Panel>,
}

type Drawn<DB> = std::result::Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

impl Figure {
    /// Writes `<stem>.png` into `folder`.
    pub fn write_png(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(format!("{}.png", self.stem));
        let root = BitMapBackend::new(&path, self.size()).into_drawing_area();
        self.render(root).map_err(|e| unwritten(&path, &e))?;
        Ok(path)
    }

    /// Writes `<stem>.svg` into `folder`.
    pub fn write_svg(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(format!("{}.svg", self.stem));
        let root = SVGBackend::new(&path, self.size()).into_drawing_area();
        self.render(root).map_err(|e| unwritten(&path, &e))?;
        Ok(path)
    }

    fn size(&self) -> (u32, u32) {
        let n_rows = self.panels.len().div_ceil(self.n_columns) as u32;
        (PANEL.0 * self.n_columns as u32, TITLE_HEIGHT + PANEL.1 * n_rows)
    }

    fn render<DB: DrawingBackend>(&self, root: DrawingArea<DB, Shift>) -> Drawn<DB> {
        // The font is part of the program: plots look the same on a machine without fonts.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
        root.fill(&WHITE)?;
        let (title, body) = root.split_vertically(TITLE_HEIGHT);
        let text = TextStyle::from((FONT, 22).into_font()).color(&colour::BLACK);
        let width = title.estimate_text_size(&self.title, &text)?.0;
        let x = (title.dim_in_pixel().0.saturating_sub(width) / 2) as i32;
        title.draw_text(&self.title, &text, (x, 14))?;
        let n_rows = self.panels.len().div_ceil(self.n_columns);
        for (panel, area) in self.panels.iter().zip(body.split_evenly((n_rows, self.n_columns))) {
            panel.render(&area)?;
        }
        root.present()
    }
}

impl Panel {
    fn render<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Drawn<DB> {
        let (legend, plot) = area.split_vertically(28);
        self.render_legend(&legend)?;
        let series: Vec<Vec<(f64, f64)>> = self.series.iter().map(|s| thinned(&s.points)).collect();
        let points = || series.iter().flatten().filter(|p| p.0.is_finite() && p.1.is_finite());
        let from_zero = self.x.scale == Scale::Linear;
        let x_ticks = Ticks::new(self.x.scale, points().map(|p| p.0), from_zero, 0.0);
        let y_ticks =
            Ticks::new(self.scale, points().map(|p| p.1), self.with_zero, self.noise).with_margin(0.06);
        let mut chart = ChartBuilder::on(&plot)
            .margin_left(12)
            .margin_right(24)
            .margin_bottom(8)
            .x_label_area_size(46)
            .y_label_area_size(84)
            .build_cartesian_2d(x_ticks.range(), y_ticks.range())?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .bold_line_style(RGBColor(225, 225, 225))
            .axis_style(RGBColor(90, 90, 90))
            .label_style((FONT, 15))
            .axis_desc_style((FONT, 17))
            .x_desc(&self.x.label)
            .y_desc(&self.y_label)
            .x_labels(10)
            .y_labels(y_ticks.n_labels())
            .x_label_formatter(&|x| x_ticks.label(*x))
            .y_label_formatter(&|y| y_ticks.label(*y))
            .draw()?;
        for (series, points) in self.series.iter().zip(&series) {
            draw_series(&mut chart, series, points)?;
        }
        Ok(())
    }

    /// Draws the legend in one row above the axes, where it hides nothing.
    fn render_legend<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Drawn<DB> {
        let text = TextStyle::from((FONT, 15).into_font()).color(&colour::BLACK);
        let mut x = 96;
        if !self.caption.is_empty() {
            let caption = TextStyle::from((FONT, 17).into_font()).color(&colour::BLACK);
            area.draw_text(&self.caption, &caption, (x, 7))?;
            x += area.estimate_text_size(&self.caption, &caption)?.0 as i32 + 28;
        }
        for series in &self.series {
            if series.label.is_empty() {
                continue;
            }
            let style = series.colour.filled();
            match series.pen {
                Pen::Line(width) => {
                    let top = 16 - width as i32 / 2;
                    area.draw(&Rectangle::new([(x, top), (x + 26, top + width as i32)], style))?;
                }
                Pen::Dots(_) => area.draw(&Circle::new((x + 13, 16), 4, style))?,
            }
            area.draw_text(&series.label, &text, (x + 34, 9))?;
            x += 34 + area.estimate_text_size(&series.label, &text)?.0 as i32 + 28;
        }
        Ok(())
    }
}

/// Width (pixels) above which lines are drawn through fewer points: pieces shorter than the width of a line
/// have ragged edges.
const THIN: u32 = 2;

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn draw_series<DB: DrawingBackend>(
    chart: &mut Chart<DB>,
    series: &Series,
    points: &[(f64, f64)],
) -> Drawn<DB> {
    match series.pen {
        Pen::Line(width) => {
            for run in points.split(|p| !(p.0.is_finite() && p.1.is_finite())).filter(|r| !r.is_empty()) {
                let style = series.colour.stroke_width(width);
                let pixels: Vec<(i32, i32)> = run.iter().map(|p| chart.backend_coord(p)).collect();
                let apart = if width > THIN { 2 * width as i32 } else { 0 };
                // The pointed joint of a line that turns back would leave the chart.
                for piece in between_peaks(&pixels) {
                    let kept = spaced(&pixels, piece, apart);
                    chart.draw_series(LineSeries::new(kept.into_iter().map(|i| run[i]), style))?;
                }
            }
        }
        Pen::Dots(radius) => {
            let dots = points.iter().filter(|p| p.1.is_finite());
            chart.draw_series(dots.map(|&p| Circle::new(p, radius, series.colour.filled())))?;
        }
    }
    Ok(())
}

/// Returns the pieces of a curve between the points where it turns back on paper, by more than a right angle.
fn between_peaks(pixels: &[(i32, i32)]) -> Vec<RangeInclusive<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut way) = (0, (0, 0));
    let mut anchor = pixels[0];
    for (i, pixel) in pixels.iter().enumerate().skip(1) {
        let next = (pixel.0 - anchor.0, pixel.1 - anchor.1);
        if next == (0, 0) {
            continue;
        }
        if way.0 * next.0 + way.1 * next.1 < 0 {
            pieces.push(start..=i - 1);
            start = i - 1;
        }
        (way, anchor) = (next, *pixel);
    }
    pieces.push(start..=pixels.len() - 1);
    pieces
}

/// Returns the points of a piece that are `apart` pixels from the one kept before or the one that comes next,
/// and its ends.
fn spaced(pixels: &[(i32, i32)], piece: RangeInclusive<usize>, apart: i32) -> Vec<usize> {
    let (start, end) = (*piece.start(), *piece.end());
    let far = |i: usize, j: usize| {
        let (dx, dy) = (pixels[i].0 - pixels[j].0, pixels[i].1 - pixels[j].1);
        dx * dx + dy * dy >= apart * apart
    };
    let mut kept = vec![start];
    for i in start + 1..end {
        if far(i, i + 1) || far(i, kept[kept.len() - 1]) && far(i, end) {
            kept.push(i);
        }
    }
    if end > start {
        kept.push(end);
    }
    kept
}

/// Returns the lowest and the highest point of each of many buckets, in order: peaks stay.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let bucket = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS + 2);
    for chunk in points.chunks(bucket) {
        let by_y = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(&low), Some(&high)) = (chunk.iter().min_by(by_y), chunk.iter().max_by(by_y)) else {
            continue;
        };
        kept.extend(if low.0 <= high.0 { [low, high] } else { [high, low] });
    }
    kept
}

fn unwritten(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::Io { path: path.to_owned(), source: std::io::Error::other(error.to_string()) }
}

/// Shortens a name to fit in a title.
pub fn short(name: &str) -> String {
    const LONGEST: usize = 32;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_break_where_they_turn_back() {
        let saw = [(0, 0), (5, 5), (5, 5), (6, 0), (11, 5), (12, 5), (13, 9)];
        assert_eq!(between_peaks(&saw), [0..=2, 2..=3, 3..=6]);
        assert_eq!(between_peaks(&saw[..1]), [0..=0]);
    }

    #[test]
    fn wide_lines_keep_their_ends_and_points_that_are_apart() {
        let pixels: Vec<(i32, i32)> = (0..12).map(|i| (i, 0)).collect();
        assert_eq!(spaced(&pixels, 0..=11, 4), [0, 4, 11]);
        assert_eq!(spaced(&pixels, 2..=5, 0), [2, 3, 4, 5]);
        // A jump stays at its place.
        assert_eq!(spaced(&[(0, 0), (1, 0), (2, 0), (3, 9), (4, 9)], 0..=4, 4), [0, 2, 4]);
        assert_eq!(spaced(&pixels, 3..=3, 4), [3]);
    }

    #[test]
    fn thinning_keeps_the_peaks_and_the_order() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        points[77_777].1 = 99.0;
        points[33_333].1 = -99.0;
        let kept = thinned(&points);
        assert!(kept.len() <= MOST_POINTS + 2);
        assert!(kept.contains(&(77_777.0, 99.0)) && kept.contains(&(33_333.0, -99.0)));
        assert!(kept.windows(2).all(|w| w[0].0 <= w[1].0));
    }
}
