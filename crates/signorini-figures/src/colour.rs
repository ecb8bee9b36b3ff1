//! Colours that stay apart for colour-blind readers (Okabe and Ito).

use std::fmt;

/// A colour is the brightness of red, of green and of blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Colours are written as in SVG: `#0072B2`.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// Paper is white.
pub const WHITE: Colour = Colour(255, 255, 255);
/// Text is black, and so are the curves that matter most.
pub const BLACK: Colour = Colour(0, 0, 0);
/// This blue is the first colour of curves of equal rank.
pub const BLUE: Colour = Colour(0, 114, 178);
/// This green is bluish.
pub const GREEN: Colour = Colour(0, 158, 115);
/// This orange is the second colour of curves of equal rank.
pub const ORANGE: Colour = Colour(230, 159, 0);
/// This red is vermilion; it marks events and faults.
pub const RED: Colour = Colour(213, 94, 0);
/// This light orange suits wide lines below others.
pub const PALE: Colour = Colour(250, 190, 130);
/// This purple is reddish.
pub const PURPLE: Colour = Colour(204, 121, 167);
/// This grey suits curves to compare others with.
pub const GREY: Colour = Colour(150, 150, 150);
