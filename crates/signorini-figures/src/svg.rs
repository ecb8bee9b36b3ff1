//! Drawings as SVG.

use crate::{Anchor, Drawing, Mark, Point, Text};
use std::fmt::{self, Write};

/// Readers without the first font take the next; the second is as wide.
const FONTS: &str = "DejaVu Sans, Verdana, sans-serif";

impl Drawing {
    /// Writes the drawing as an SVG file, in which text stays text.
    pub fn svg(&self) -> String {
        let mut file = String::new();
        write_all(self, &mut file).expect("a string takes all that is written");
        file
    }
}

fn write_all(drawing: &Drawing, file: &mut String) -> fmt::Result {
    let (width, height) = (drawing.width, drawing.height);
    writeln!(
        file,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{FONTS}">"#
    )?;
    writeln!(file, r##"<rect width="{width}" height="{height}" fill="#FFFFFF"/>"##)?;
    drawing.marks.iter().try_for_each(|mark| write_mark(mark, file))?;
    writeln!(file, "</svg>")
}

fn write_mark(mark: &Mark, file: &mut String) -> fmt::Result {
    match mark {
        Mark::Line { points, width, colour } => {
            write!(
                file,
                r#"<polyline fill="none" stroke="{colour}" stroke-width="{}" stroke-linejoin="round" points=""#,
                number(*width)
            )?;
            write_points(points, file)?;
        }
        Mark::Polygon { points, colour } => {
            write!(file, r#"<polygon fill="{colour}" points=""#)?;
            write_points(points, file)?;
        }
        Mark::Circle { centre: (x, y), radius, colour } => {
            let (x, y, radius) = (number(*x), number(*y), number(*radius));
            write!(file, r#"<circle fill="{colour}" cx="{x}" cy="{y}" r="{radius}"#)?;
        }
        Mark::Text(text) => return write_text(text, file),
    }
    writeln!(file, r#""/>"#)
}

fn write_points(points: &[Point], file: &mut String) -> fmt::Result {
    for (i, (x, y)) in points.iter().enumerate() {
        let gap = if i == 0 { "" } else { " " };
        write!(file, "{gap}{},{}", number(*x), number(*y))?;
    }
    Ok(())
}

fn write_text(text: &Text, file: &mut String) -> fmt::Result {
    let (x, y) = (number(text.at.0), number(text.at.1));
    write!(file, r#"<text x="{x}" y="{y}" font-size="{}" fill="{}""#, number(text.size), text.colour)?;
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => write!(file, r#" text-anchor="middle""#)?,
        Anchor::End => write!(file, r#" text-anchor="end""#)?,
    }
    if text.rotation != 0.0 {
        write!(file, r#" transform="rotate({} {x} {y})""#, number(text.rotation))?;
    }
    file.push('>');
    for letter in text.text.chars() {
        match letter {
            '&' => file.push_str("&amp;"),
            '<' => file.push_str("&lt;"),
            '>' => file.push_str("&gt;"),
            // XML has no such characters.
            '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                file.push('\u{fffd}')
            }
            _ => file.push(letter),
        }
    }
    writeln!(file, "</text>")
}

/// Hundredths of a pixel are enough.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}
