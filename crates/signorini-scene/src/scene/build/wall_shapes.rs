//! Drums, hoppers, heightfields, helical tracks and arches built in Rust.

use super::BodyBuilder;
use crate::scene::body::Body;
use crate::scene::file::{
    ArchEntry, BodyEntry, DEFAULT_MATERIAL, DrumEntry, HeightfieldEntry, HelixEntry, HopperEntry, WallEntry,
    no_rotation,
};

/// A hollow prism about z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drum {
    /// Distance of the inner corners from the axis (m, > 0).
    pub radius: f64,
    /// Inner length along the axis (m, > 0).
    pub length: f64,
    /// Thickness of the walls (m, > 0).
    pub thickness: f64,
    /// Facets around the axis, 3 to 360.
    pub facets: u32,
    /// Whether both ends are closed.
    pub ends: bool,
}

/// Four walls between a rectangle above and a smaller one below, whose middle is the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hopper {
    /// Inner lengths along x and y at the top (m, > 0).
    pub top: [f64; 2],
    /// Inner lengths along x and y at the bottom (m, > 0): the opening.
    pub bottom: [f64; 2],
    /// Height (m, > 0).
    pub height: f64,
    /// Thickness of the walls, level (m, > 0).
    pub thickness: f64,
    /// Whether the opening is closed by a plate.
    pub closed: bool,
}

/// A helical track about z, as that of a vibrating bowl, which begins on x at the height of the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Helix {
    /// Distance of the middle of the track from the axis at its start and at its end (m, > 0).
    pub radii: [f64; 2],
    /// Height that the track gains in a turn (m); it falls where < 0.
    pub pitch: f64,
    /// Turns, > 0 to 100.
    pub turns: f64,
    /// Width of the track (m, > 0).
    pub width: f64,
    /// How far the outer side leans down (rad), −1.2 to 1.2; the inner side where < 0.
    pub tilt: f64,
    /// Height of a wall on the outer side (m, ≥ 0).
    pub wall: f64,
    /// Facets in a turn, 3 to 720.
    pub facets: u32,
    /// Thickness behind the surface (m, > 0).
    pub thickness: f64,
    /// Whether the track runs clockwise from its start, seen from above.
    pub clockwise: bool,
}

/// Stones between flat joints at equal angles about y, their crown above the origin along z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arch {
    /// Radius of the middle line of the joints (m, > 0).
    pub radius: f64,
    /// Thickness along the radius (m, > 0), less than twice the radius.
    pub thickness: f64,
    /// Length along y (m, > 0).
    pub depth: f64,
    /// Stones, 2 to 1000.
    pub stones: u32,
    /// Angle of embrace (rad, > 0), less than 2π and at most π/2 for each stone; π for a semicircle.
    pub angle: f64,
    /// Density of the stones (kg/m³, > 0).
    pub density: f64,
    /// Whether fixed blocks stand under both ends. They reach half a thickness beyond the joint on all sides.
    pub springers: bool,
}

/// Constructors of walls: bodies that are fixed, or driven by [`SceneBuilder::motion`](super::SceneBuilder).
/// All lengths in m.
impl Body {
    /// A hollow prism.
    pub fn drum(drum: Drum) -> BodyBuilder {
        let Drum { radius, length, thickness, facets, ends } = drum;
        wall(WallEntry::Drum(DrumEntry {
            name: String::new(),
            radius,
            length,
            thickness,
            facets,
            ends,
            position: [0.0; 3],
            orientation: no_rotation(),
            material: DEFAULT_MATERIAL.to_owned(),
        }))
    }

    /// A hopper.
    pub fn hopper(hopper: Hopper) -> BodyBuilder {
        let Hopper { top, bottom, height, thickness, closed } = hopper;
        wall(WallEntry::Hopper(HopperEntry {
            name: String::new(),
            top,
            bottom,
            height,
            thickness,
            closed,
            position: [0.0; 3],
            orientation: no_rotation(),
            material: DEFAULT_MATERIAL.to_owned(),
        }))
    }

    /// A solid under heights (m) on a grid of lengths along x and y (m, > 0), whose middle is the origin:
    /// rows along y, each with heights along x. It reaches `thickness` (m, > 0) below the lowest of them.
    pub fn heightfield(size: [f64; 2], heights: Vec<Vec<f64>>, thickness: f64) -> BodyBuilder {
        wall(WallEntry::Heightfield(HeightfieldEntry {
            name: String::new(),
            size,
            heights,
            thickness,
            position: [0.0; 3],
            orientation: no_rotation(),
            material: DEFAULT_MATERIAL.to_owned(),
        }))
    }

    /// A helical track.
    pub fn helix(helix: Helix) -> BodyBuilder {
        let Helix { radii, pitch, turns, width, tilt, wall: height, facets, thickness, clockwise } = helix;
        wall(WallEntry::Helix(HelixEntry {
            name: String::new(),
            radii,
            pitch,
            turns,
            width,
            tilt,
            wall: height,
            facets,
            thickness,
            clockwise,
            position: [0.0; 3],
            orientation: no_rotation(),
            material: DEFAULT_MATERIAL.to_owned(),
        }))
    }
}

impl Body {
    /// The stones of an arch, `name-0`, `name-1`, … from −x to x, and with `springers` the fixed blocks
    /// `name.left` and `name.right` after them. All have the same origin, the centre of the circle.
    pub fn arch(name: &str, arch: Arch) -> Vec<BodyBuilder> {
        let Arch { radius, thickness, depth, stones, angle, density, springers } = arch;
        let entry = ArchEntry {
            name: name.to_owned(),
            radius,
            thickness,
            depth,
            stones,
            angle,
            density,
            springers,
            position: [0.0; 3],
            orientation: no_rotation(),
            material: DEFAULT_MATERIAL.to_owned(),
        };
        let built = |piece| BodyBuilder {
            entry: BodyEntry { parts: Vec::new(), ..entry.piece(piece) },
            wall: Some(WallEntry::Arch(entry.clone(), piece)),
        };
        entry.pieces().map(built).collect()
    }
}

fn wall(wall: WallEntry) -> BodyBuilder {
    BodyBuilder { entry: BodyEntry { fixed: Some(true), ..BodyEntry::at_rest(None) }, wall: Some(wall) }
}
