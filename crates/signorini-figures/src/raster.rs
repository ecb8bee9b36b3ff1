//! Drawings as pixels, and pixels as PNG.

use crate::{Anchor, Colour, Drawing, Mark, Point, Text, font};
use std::io;
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

/// Pixels of a PNG for each pixel of a drawing, along both sides: screens have as many, and letters are
/// whole.
const SHARPNESS: u32 = 2;

impl Drawing {
    /// Writes the drawing as a PNG file, twice as wide and as high as the drawing says.
    ///
    /// # Errors
    /// When the drawing has no pixel, or more than memory can hold.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let (width, height) = (SHARPNESS.saturating_mul(self.width), SHARPNESS.saturating_mul(self.height));
        let mut pixmap = Pixmap::new(width, height).ok_or_else(|| {
            let size = format!("no picture has {} by {} pixels", self.width, self.height);
            io::Error::new(io::ErrorKind::InvalidInput, size)
        })?;
        pixmap.fill(Color::WHITE);
        self.marks.iter().for_each(|mark| draw(mark, &mut pixmap));
        // Paper is opaque, so colours are not multiplied by anything.
        let pixels: Vec<[u8; 3]> = pixmap.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]).collect();
        encode_png(width, height, &pixels)
    }
}

/// Writes pixels as a PNG file: rows from the top, each pixel as red, green and blue.
///
/// # Errors
/// When there are not as many pixels as the size says, or none.
pub fn encode_png(width: u32, height: u32, pixels: &[[u8; 3]]) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(file)
}

fn draw(mark: &Mark, pixmap: &mut Pixmap) {
    let larger = Transform::from_scale(SHARPNESS as f32, SHARPNESS as f32);
    match mark {
        Mark::Line { points, width, colour } => {
            let stroke = Stroke { width: *width as f32, line_join: LineJoin::Round, ..Stroke::default() };
            if let Some(path) = through(points, false) {
                pixmap.stroke_path(&path, &paint(*colour), &stroke, larger, None);
            }
        }
        Mark::Polygon { points, colour } => fill(through(points, true), *colour, larger, pixmap),
        Mark::Circle { centre: (x, y), radius, colour } => {
            fill(PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32), *colour, larger, pixmap);
        }
        Mark::Text(text) => fill(
            font::outline(&text.text, text.size),
            text.colour,
            to_place(text).post_concat(larger),
            pixmap,
        ),
    }
}

fn fill(path: Option<Path>, colour: Colour, transform: Transform, pixmap: &mut Pixmap) {
    if let Some(path) = path {
        pixmap.fill_path(&path, &paint(colour), FillRule::Winding, transform, None);
    }
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}

fn through(points: &[Point], is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        if i == 0 {
            path.move_to(*x as f32, *y as f32);
        } else {
            path.line_to(*x as f32, *y as f32);
        }
    }
    if is_closed {
        path.close();
    }
    path.finish()
}

/// The motion of a text from the origin to its place.
fn to_place(text: &Text) -> Transform {
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    let back = before * font::text_width(&text.text, text.size);
    let turn = Transform::from_rotate(text.rotation as f32);
    turn.pre_translate(-back as f32, 0.0).post_translate(text.at.0 as f32, text.at.1 as f32)
}
