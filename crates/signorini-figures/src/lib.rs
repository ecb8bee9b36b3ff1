//! Figures of panels of curves, written as SVG and as PNG.
//!
//! A [`Figure`] becomes a [`Drawing`] of lines, polygons, circles and text. [`Drawing::svg`] writes these as
//! they are, so that text stays text. [`Drawing::png`] fills and strokes them in pixels, and text by the
//! outlines of a font that travels with the program: figures look alike on a machine without any font. Equal
//! figures give equal bytes.

mod chart;
pub mod colour;
mod drawing;
mod figure;
mod font;
mod layout;
mod legend;
mod panel;
mod raster;
mod svg;
mod ticks;

pub use chart::{Figure, Panel, Pen, PlotAxis, Series};
pub use colour::Colour;
pub use drawing::{Anchor, Drawing, Mark, Point, Text};
pub use font::text_width;
pub use raster::encode_png;
pub use ticks::{Scale, Tick, Ticks};
