//! Layout of a figure: a title above panels, each as wide as a page, so that their letters can be read.

use crate::font::fitted;
use crate::{Anchor, Drawing, Figure, layout, panel};
use std::io;

const TITLE_HEIGHT: u32 = 44;
const TITLE_SIZE: f64 = 18.0;
const MARGIN: f64 = 12.0;
/// From the bottom of a panel up to where pictures begin, and from theirs up to the label of the axis.
const PICTURES: f64 = 30.0;
const LABEL: f64 = 14.0;

impl Figure {
    /// Lays the figure out as marks on paper.
    pub fn drawing(&self) -> Drawing {
        let (wide, high) = layout::SIZE;
        let mut drawing = Drawing::new(wide, TITLE_HEIGHT + high * self.panels.len() as u32);
        let middle = f64::from(drawing.width) / 2.0;
        let size = fitted(&self.title, TITLE_SIZE, 2.0 * (middle - MARGIN));
        drawing.text((middle, 25.0), &self.title, size).anchor = Anchor::Middle;
        for (i, panel) in self.panels.iter().enumerate() {
            let corner = (0.0, f64::from(TITLE_HEIGHT + i as u32 * high));
            panel::draw(panel, corner, &mut drawing);
        }
        drawing
    }

    /// Lays out a figure of one panel with pictures below its horizontal axis, each in the middle below a
    /// value. The label of the axis stands below them.
    ///
    /// # Panics
    /// When the figure has no panel.
    pub fn with_pictures(&self, pictures: &[(f64, Drawing)]) -> Drawing {
        let mut bare = self.clone();
        let label = std::mem::take(&mut bare.panels[0].x.label);
        let mut drawing = bare.drawing();
        let corner = (0.0, f64::from(TITLE_HEIGHT));
        let top = f64::from(drawing.height) - PICTURES;
        for (value, picture) in pictures {
            let left = panel::x_place(&bare.panels[0], corner, *value) - f64::from(picture.width) / 2.0;
            drawing.place(picture, (left, top));
        }
        let height = pictures.iter().map(|(_, picture)| picture.height).max().unwrap_or(0);
        drawing.height += height;
        let middle = panel::middle(corner);
        let at = (middle, f64::from(drawing.height) - LABEL);
        drawing.text(at, &label, layout::CAPTION_SIZE).anchor = Anchor::Middle;
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
