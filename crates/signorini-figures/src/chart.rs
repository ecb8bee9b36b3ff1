//! Figures made of panels made of curves.

use crate::{Anchor, Colour, Drawing, Scale, panel, text_width};
use std::io;

/// The pen says how a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pen {
    /// The points are joined by a line of this width (pixels).
    Line(u32),
    /// Each point is a dot of this radius (pixels).
    Dots(i32),
}

/// A series is one curve, or one cloud of dots.
#[derive(Debug, Clone)]
pub struct Series {
    /// The legend shows this text; a curve without text does not stand in it.
    pub label: String,
    /// The curve has this colour.
    pub colour: Colour,
    /// The curve is drawn with this pen.
    pub pen: Pen,
    /// The points are (x, y); one that is not finite interrupts the line.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Makes a line two pixels wide.
    pub fn line(label: &str, colour: Colour, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.to_owned(), colour, pen: Pen::Line(2), points }
    }

    /// Takes another pen.
    pub fn with_pen(self, pen: Pen) -> Self {
        Self { pen, ..self }
    }
}

/// The horizontal axis has a label and a scale.
#[derive(Debug, Clone)]
pub struct PlotAxis {
    /// The label stands below the axis.
    pub label: String,
    /// The scale says how values lie on the axis.
    pub scale: Scale,
}

impl PlotAxis {
    /// Shows time in seconds.
    pub fn time() -> Self {
        Self { label: "time (s)".to_owned(), scale: Scale::Linear }
    }
}

/// A panel is one set of axes with its curves.
#[derive(Debug, Clone)]
pub struct Panel {
    /// The caption stands beside the legend; it may be empty.
    pub caption: String,
    /// The horizontal axis is the same for all curves.
    pub x: PlotAxis,
    /// This label stands beside the vertical axis.
    pub y_label: String,
    /// The scale says how values lie on the vertical axis.
    pub scale: Scale,
    /// This says whether y = 0 must be in sight.
    pub with_zero: bool,
    /// A span of at most this is drawn as a constant.
    pub noise: f64,
    /// Later curves cover earlier ones.
    pub series: Vec<Series>,
}

/// A figure is panels in rows below a title.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The file has this name, without its extension.
    pub stem: String,
    /// The title stands above all panels.
    pub title: String,
    /// So many panels stand side by side.
    pub n_columns: usize,
    /// The panels are listed row by row.
    pub panels: Vec<Panel>,
}

const TITLE_HEIGHT: u32 = 44;
const TITLE_SIZE: f64 = 18.0;
const MARGIN: f64 = 12.0;

impl Figure {
    /// Lays the figure out as marks on paper.
    pub fn drawing(&self) -> Drawing {
        let n_columns = self.n_columns.max(1);
        let n_rows = self.panels.len().div_ceil(n_columns);
        let (wide, high) = panel::SIZE;
        let mut drawing = Drawing::new(wide * n_columns as u32, TITLE_HEIGHT + high * n_rows as u32);
        let middle = f64::from(drawing.width) / 2.0;
        let size = fitted(&self.title, TITLE_SIZE, 2.0 * (middle - MARGIN));
        drawing.text((middle, 25.0), &self.title, size).anchor = Anchor::Middle;
        for (i, panel) in self.panels.iter().enumerate() {
            let (column, row) = ((i % n_columns) as u32, (i / n_columns) as u32);
            let corner = (f64::from(column * wide), f64::from(TITLE_HEIGHT + row * high));
            panel::draw(panel, corner, &mut drawing);
        }
        drawing
    }

    /// Writes the figure as an SVG file.
    pub fn svg(&self) -> String {
        self.drawing().svg()
    }

    /// Writes the figure as a PNG file.
    ///
    /// # Errors
    /// When the figure has more pixels than memory can hold.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        self.drawing().png()
    }
}

/// The size of a text that has to fit into some pixels: as wished, or smaller.
pub fn fitted(text: &str, size: f64, room: f64) -> f64 {
    let width = text_width(text, size);
    if width > room { size * room / width } else { size }
}
