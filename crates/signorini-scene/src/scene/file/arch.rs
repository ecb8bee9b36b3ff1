//! Arches: stones between flat joints, and the blocks on which they stand.

use super::raw::{BodyEntry, PartEntry};
use super::raw_walls::ArchEntry;
use super::report::Check;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Fewest and most stones.
const STONES: (u32, u32) = (2, 1000);

/// Piece of an arch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Stone, by its number from the left.
    Stone(u32),
    /// Block under the left end, at −x of the frame.
    Left,
    /// Block under the right end.
    Right,
}

impl ArchEntry {
    /// The pieces in their order, stones first. A fault of their number is left to [`arch`].
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        let blocks = if self.springers { &[Piece::Left, Piece::Right][..] } else { &[] };
        (0..self.stones.min(STONES.1)).map(Piece::Stone).chain(blocks.iter().copied())
    }

    /// Name of a piece.
    pub fn name_of(&self, piece: Piece) -> String {
        match piece {
            Piece::Stone(k) => format!("{}-{k}", self.name),
            Piece::Left => format!("{}.left", self.name),
            Piece::Right => format!("{}.right", self.name),
        }
    }

    /// Direction of the joint before stone k in the plane x, z: (sin θ, cos θ), θ from the crown to +x.
    fn joint(&self, k: u32) -> [f64; 2] {
        // Joints on both sides of the crown mirror each other to the last bit.
        let part = (2.0 * f64::from(k) - f64::from(self.stones)) / (2.0 * f64::from(self.stones));
        let (s, c) = (self.angle * part).sin_cos();
        [s, c]
    }

    /// A piece as a body.
    pub fn piece(&self, piece: Piece) -> BodyEntry {
        let (low, high) = (self.radius - 0.5 * self.thickness, self.radius + 0.5 * self.thickness);
        let corners = match piece {
            Piece::Stone(k) => {
                let [a, b] = [self.joint(k), self.joint(k + 1)];
                let half = 0.5 * self.depth;
                prism(
                    [a.map(|x| low * x), a.map(|x| high * x), b.map(|x| low * x), b.map(|x| high * x)],
                    half,
                )
            }
            Piece::Left => self.block(0, -1.0),
            Piece::Right => self.block(self.stones, 1.0),
        };
        let is_stone = matches!(piece, Piece::Stone(_));
        BodyEntry {
            name: self.name_of(piece),
            fixed: Some(!is_stone),
            density: is_stone.then_some(self.density),
            material: self.material.clone(),
            position: self.position,
            orientation: self.orientation,
            parts: vec![PartEntry::hull(corners)],
            ..BodyEntry::at_rest(None)
        }
    }

    /// Corners of the block beyond a joint, on its clockwise side or the other.
    fn block(&self, joint: u32, clockwise: f64) -> Vec<[f64; 3]> {
        let ([s, c], t) = (self.joint(joint), self.thickness);
        let corner = |radius: f64, away: f64| [radius * s + away * c, radius * c - away * s];
        let away = clockwise * t;
        let [low, high] = [self.radius - t, self.radius + t];
        prism(
            [corner(low, 0.0), corner(high, 0.0), corner(low, away), corner(high, away)],
            0.5 * (self.depth + t),
        )
    }
}

/// Corners of a prism along y over points of the plane x, z.
fn prism(points: [[f64; 2]; 4], half: f64) -> Vec<[f64; 3]> {
    points.into_iter().flat_map(|[x, z]| [-half, half].map(|y| [x, y, z])).collect()
}

/// The bodies of an arch; none after a fault.
pub fn arch(e: &ArchEntry, check: &mut Check) -> Vec<BodyEntry> {
    if is_good(e, check) { e.pieces().map(|piece| e.piece(piece)).collect() } else { Vec::new() }
}

/// Whether an arch is possible; else its faults are told.
pub fn is_good(e: &ArchEntry, check: &mut Check) -> bool {
    let lengths = [
        ("radius", e.radius),
        ("thickness", e.thickness),
        ("depth", e.depth),
        ("angle", e.angle),
        ("density", e.density),
    ];
    let mut good = true;
    for (field, value) in lengths {
        good &= check.positive(field, value) == value;
    }
    if !good {
        return false;
    }
    if !(STONES.0..=STONES.1).contains(&e.stones) {
        check.fault("stones", e.stones, format!("must be {} to {}", STONES.0, STONES.1));
        return false;
    }
    if e.thickness >= 2.0 * e.radius {
        let allowed = format!("must be less than twice the radius, {:?} m", 2.0 * e.radius);
        check.fault("thickness", format!("{:?}", e.thickness), allowed);
        good = false;
    }
    // The angle of a stone may be a rounding above.
    let most = f64::from(e.stones) * FRAC_PI_2;
    if e.angle >= TAU || e.angle > most * (1.0 + 1e-12) {
        let allowed = "must be less than 2π in all, and at most π/2 for each stone";
        check.fault("angle", format!("{:?}", e.angle), allowed);
        good = false;
    }
    good
}
