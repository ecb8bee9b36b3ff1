//! The font in the program: outlines of letters and how far each moves the next.

use std::collections::HashMap;
use std::str::SplitWhitespace;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};

/// Outlines as text, in the format that `fonts/outlines.py` describes. Text needs no library to be read; a
/// reader of font files costs more to build than the rest of this crate with all that it uses.
static OUTLINES: &str = include_str!("../fonts/outlines.txt");

static FONT: LazyLock<Font> = LazyLock::new(Font::read);

/// Glyph of one letter: how far it moves the next letter (units of the font), and the text of its outline.
#[derive(Debug, Clone, Copy)]
struct Glyph {
    advance: f32,
    outline: &'static str,
}

#[derive(Debug)]
struct Font {
    units_per_size: f32,
    /// The box that stands for a letter which the font lacks.
    missing: Glyph,
    glyphs: HashMap<char, Glyph>,
}

impl Font {
    fn read() -> Self {
        let mut lines = OUTLINES.lines();
        let units_per_size = number(lines.next());
        let mut font =
            Self { units_per_size, missing: Glyph { advance: 0.0, outline: "" }, glyphs: HashMap::new() };
        for line in lines {
            let mut fields = line.splitn(3, ' ');
            let letter = fields.next().unwrap_or_default();
            let glyph = Glyph { advance: number(fields.next()), outline: fields.next().unwrap_or_default() };
            match u32::from_str_radix(letter, 16).ok().and_then(char::from_u32) {
                Some(letter) => _ = font.glyphs.insert(letter, glyph),
                None => font.missing = glyph,
            }
        }
        font
    }

    /// Glyphs of a text, each with where it begins, and where a next one would (units of the font).
    fn laid_out(&self, text: &str) -> (Vec<(Glyph, f32)>, f32) {
        let mut at = 0.0;
        let place = |letter: char| {
            let glyph = *self.glyphs.get(&letter).unwrap_or(&self.missing);
            let place = (glyph, at);
            at += glyph.advance;
            place
        };
        let places = text.chars().map(place).collect();
        (places, at)
    }
}

fn number(word: Option<&str>) -> f32 {
    word.and_then(|w| w.parse().ok()).expect("the outlines in the program are whole")
}

/// Measures a line of text in the font of the program (pixels): from where its first letter begins to where a
/// next one would begin.
pub fn text_width(text: &str, size: f64) -> f64 {
    f64::from(FONT.laid_out(text).1) / f64::from(FONT.units_per_size) * size
}

/// The outlines of a line of text that begins at the origin, on its base line; none when nothing is seen.
pub fn outline(text: &str, size: f64) -> Option<Path> {
    let scale = size as f32 / FONT.units_per_size;
    let mut path = PathBuilder::new();
    for (glyph, at) in FONT.laid_out(text).0 {
        draw(glyph.outline, scale, at * scale, &mut path);
    }
    path.finish()
}

/// Draws an outline, whose y grows upwards, into a path, whose y grows downwards, `shift` pixels to the
/// right.
fn draw(outline: &'static str, scale: f32, shift: f32, path: &mut PathBuilder) {
    let mut words = outline.split_whitespace();
    let corner = |words: &mut SplitWhitespace<'static>| {
        let x = shift + number(words.next()) * scale;
        (x, -number(words.next()) * scale)
    };
    while let Some(command) = words.next() {
        match command {
            "M" => {
                let (x, y) = corner(&mut words);
                path.move_to(x, y);
            }
            "L" => {
                let (x, y) = corner(&mut words);
                path.line_to(x, y);
            }
            "Q" => {
                let (control, to) = (corner(&mut words), corner(&mut words));
                path.quad_to(control.0, control.1, to.0, to.1);
            }
            _ => path.close(),
        }
    }
}

/// The size of a text that has to fit into some pixels: as wished, or smaller.
pub fn fitted(text: &str, size: f64, room: f64) -> f64 {
    let width = text_width(text, size);
    if width > room { size * room / width } else { size }
}
