//! A drawing: lines, polygons, circles and text, in the order in which they cover one another.

use crate::Colour;

/// A place is counted in pixels, rightwards and downwards from the upper left corner.
pub type Point = (f64, f64);

/// The anchor says which part of a text lies at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text reaches as far to the left as to the right.
    Middle,
    /// The text ends there.
    End,
}

/// This is one line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The place lies on the base line of the letters.
    pub at: Point,
    /// The text holds these letters.
    pub text: String,
    /// The font has this size (pixels).
    pub size: f64,
    /// The letters have this colour.
    pub colour: Colour,
    /// The anchor lies at the place.
    pub anchor: Anchor,
    /// The text is turned clockwise about its place by this angle (degrees).
    pub rotation: f64,
}

/// A drawing consists of such marks.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line has straight pieces from point to point, round joints and cut ends.
    Line {
        /// The line passes these points in order.
        points: Vec<Point>,
        /// The line is so wide (pixels).
        width: f64,
        /// The line has this colour.
        colour: Colour,
    },
    /// A polygon is an area within a closed line.
    Polygon {
        /// The closed line passes these corners in order.
        points: Vec<Point>,
        /// The area has this colour.
        colour: Colour,
    },
    /// A circle is filled.
    Circle {
        /// The circle has its centre here.
        centre: Point,
        /// The circle has this radius (pixels).
        radius: f64,
        /// The area has this colour.
        colour: Colour,
    },
    /// Text is drawn letter by letter.
    Text(Text),
}

/// A drawing is white paper with marks, of which later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The paper is so wide (pixels).
    pub width: u32,
    /// The paper is so high (pixels).
    pub height: u32,
    /// The marks are listed from below.
    pub marks: Vec<Mark>,
}

impl Drawing {
    /// Takes an empty sheet.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, marks: Vec::new() }
    }

    /// Adds an area between two corners.
    pub fn rectangle(&mut self, (left, top): Point, (right, bottom): Point, colour: Colour) {
        let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        self.marks.push(Mark::Polygon { points, colour });
    }

    /// Adds a line through points.
    pub fn line(&mut self, points: Vec<Point>, width: f64, colour: Colour) {
        self.marks.push(Mark::Line { points, width, colour });
    }

    /// Adds the marks of another drawing, whose upper left corner lies at a place.
    pub fn place(&mut self, other: &Drawing, (x, y): Point) {
        let moved = |point: &Point| (point.0 + x, point.1 + y);
        self.marks.extend(other.marks.iter().map(|mark| match mark.clone() {
            Mark::Line { points, width, colour } => {
                Mark::Line { points: points.iter().map(moved).collect(), width, colour }
            }
            Mark::Polygon { points, colour } => {
                Mark::Polygon { points: points.iter().map(moved).collect(), colour }
            }
            Mark::Circle { centre, radius, colour } => {
                Mark::Circle { centre: moved(&centre), radius, colour }
            }
            Mark::Text(text) => Mark::Text(Text { at: moved(&text.at), ..text }),
        }));
    }

    /// Adds black text that begins at a place, and returns it to be changed further.
    pub fn text(&mut self, at: Point, text: &str, size: f64) -> &mut Text {
        let text = Text {
            at,
            text: text.to_owned(),
            size,
            colour: crate::colour::BLACK,
            anchor: Anchor::Start,
            rotation: 0.0,
        };
        let place = self.marks.len();
        self.marks.push(Mark::Text(text));
        let Mark::Text(text) = &mut self.marks[place] else { unreachable!("a text was added") };
        text
    }
}
