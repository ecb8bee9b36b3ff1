//! The font in the program: outlines of letters and how far each moves the next.

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use tiny_skia::{Path, PathBuilder, Point as Corner};

static FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// Reads the font; its tables stay where they are.
fn font() -> FontRef<'static> {
    FontRef::new(FONT).expect("the font in the program is one")
}

/// Letters as glyphs of the font, with where each begins, in units of the font; and where the next would.
fn laid_out(font: &FontRef, text: &str) -> (Vec<(GlyphId, f32)>, f32) {
    let map = font.charmap();
    let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    let mut at = 0.0;
    let place = |letter: char| {
        // Letters that the font lacks become its empty box.
        let glyph = map.map(letter).unwrap_or(GlyphId::NOTDEF);
        let place = (glyph, at);
        at += metrics.advance_width(glyph).unwrap_or_default();
        place
    };
    let places = text.chars().map(place).collect();
    (places, at)
}

fn units_per_size(font: &FontRef) -> f32 {
    f32::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em)
}

/// Measures a line of text in the font of the program (pixels): from where its first letter begins to where a
/// next one would begin.
pub fn text_width(text: &str, size: f64) -> f64 {
    let font = font();
    f64::from(laid_out(&font, text).1) / f64::from(units_per_size(&font)) * size
}

/// The outlines of a line of text that begins at the origin, on its base line; none when nothing is seen.
pub fn outline(text: &str, size: f64) -> Option<Path> {
    let font = font();
    let scale = size as f32 / units_per_size(&font);
    let outlines = font.outline_glyphs();
    let mut pen = Pen { path: PathBuilder::new(), scale, shift: 0.0 };
    for (glyph, at) in laid_out(&font, text).0 {
        pen.shift = at * scale;
        let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
        if let Some(outline) = outlines.get(glyph) {
            outline.draw(settings, &mut pen).expect("glyphs of the font in the program are whole");
        }
    }
    pen.path.finish()
}

/// Draws from the font, whose y grows upwards, into a path, whose y grows downwards.
struct Pen {
    path: PathBuilder,
    scale: f32,
    shift: f32,
}

impl Pen {
    fn corner(&self, x: f32, y: f32) -> Corner {
        Corner::from_xy(self.shift + x * self.scale, -y * self.scale)
    }
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.corner(x, y);
        self.path.move_to(to.x, to.y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.corner(x, y);
        self.path.line_to(to.x, to.y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let (control, to) = (self.corner(cx, cy), self.corner(x, y));
        self.path.quad_to(control.x, control.y, to.x, to.y);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (first, second, to) = (self.corner(cx0, cy0), self.corner(cx1, cy1), self.corner(x, y));
        self.path.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// The size of a text that has to fit into some pixels: as wished, or smaller.
pub fn fitted(text: &str, size: f64, room: f64) -> f64 {
    let width = text_width(text, size);
    if width > room { size * room / width } else { size }
}
