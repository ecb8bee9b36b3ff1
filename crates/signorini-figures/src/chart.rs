//! Figures made of panels made of curves.

use crate::{Colour, Scale};

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

/// A figure is panels below a title, each below the other.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The file has this name, without its extension.
    pub stem: String,
    /// The title stands above all panels.
    pub title: String,
    /// The panels are listed from the top.
    pub panels: Vec<Panel>,
}
