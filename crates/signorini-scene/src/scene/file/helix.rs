//! Helical tracks, as those of vibrating bowls: surfaces of triangles.

use super::raw::BodyEntry;
use super::raw_shapes::ShapeEntry;
use super::raw_walls::HelixEntry;
use super::report::Check;
use std::f64::consts::TAU;

/// Fewest and most facets of a turn.
pub const FACETS: (u32, u32) = (3, 720);
/// Most turns.
pub const MAX_TURNS: f64 = 100.0;
/// Largest lean of a track (rad).
pub const MAX_TILT: f64 = 1.2;

/// A track that climbs about z of its frame, of two triangles a facet, and as many in its wall.
pub fn helix(e: &HelixEntry, check: &mut Check) -> Option<BodyEntry> {
    is_good(e, check).then(|| track(e, 0.0))
}

/// A track without faults, which ends in a level, straight piece of a length (m) where that is not zero.
pub fn track(e: &HelixEntry, exit: f64) -> BodyEntry {
    // A whole number of facets may be a rounding above.
    let n = (e.turns * f64::from(e.facets) - 1e-9).ceil().max(1.0) as u32;
    let lines: u32 = if e.wall > 0.0 { 3 } else { 2 };
    let mut vertices: Vec<[f64; 3]> = (0..=n).flat_map(|k| across(e, f64::from(k) / f64::from(n))).collect();
    let mut quads = n;
    if exit > 0.0 {
        let (s, c) = (TAU * e.turns).sin_cos();
        let along = [-s * exit, if e.clockwise { -c * exit } else { c * exit }, 0.0];
        let end = vertices.len() - lines as usize;
        let moved = |v: &[f64; 3]| [0, 1, 2].map(|i| v[i] + along[i]);
        let last: Vec<[f64; 3]> = vertices[end..].iter().map(moved).collect();
        vertices.extend(last);
        quads += 1;
    }
    let quad = |k: u32, line: u32| {
        let [a, b] = [line, line + 1].map(|l| lines * k + l);
        let [d, c] = [a, b].map(|v| v + lines);
        // Seen from above the inner side is on the left where the track climbs counter-clockwise.
        if e.clockwise { [[a, d, c], [a, c, b]] } else { [[a, b, c], [a, c, d]] }
    };
    let triangles = (0..quads).flat_map(|k| (0..lines - 1).flat_map(move |line| quad(k, line))).collect();
    surface(e, vertices, triangles)
}

/// A fixed surface at the place of a track, with its name, thickness and material.
pub fn surface(e: &HelixEntry, vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> BodyEntry {
    let shape = ShapeEntry::Surface { thickness: e.thickness, file: None, scale: 1.0, vertices, triangles };
    BodyEntry {
        name: e.name.clone(),
        fixed: Some(true),
        material: e.material.clone(),
        position: e.position,
        orientation: e.orientation,
        ..BodyEntry::at_rest(Some(shape))
    }
}

/// The line across a track at a part of its way: inner side, outer side, and the upper edge of its wall.
fn across(e: &HelixEntry, part: f64) -> Vec<[f64; 3]> {
    let turned = e.turns * part;
    let (s, c) = (TAU * turned).sin_cos();
    let middle = e.radii[0] + (e.radii[1] - e.radii[0]) * part;
    let (sink, reach) = e.tilt.sin_cos();
    let at = |radius: f64, z: f64| [radius * c, if e.clockwise { -radius * s } else { radius * s }, z];
    let (height, half) = (e.pitch * turned, e.width / 2.0);
    let (inner, outer) = (middle - half * reach, middle + half * reach);
    let mut line = vec![at(inner, height + half * sink), at(outer, height - half * sink)];
    if e.wall > 0.0 {
        line.push(at(outer, height - half * sink + e.wall));
    }
    line
}

/// Whether a track is possible; else its faults are told.
pub fn is_good(e: &HelixEntry, check: &mut Check) -> bool {
    let mut good = true;
    let lengths = [
        ("radii", e.radii[0].min(e.radii[1])),
        ("width", e.width),
        ("thickness", e.thickness),
        ("turns", e.turns),
    ];
    for (field, value) in lengths {
        good &= check.positive(field, value) == value;
    }
    good &= check.finite("pitch", e.pitch) == e.pitch;
    good &= check.not_negative("wall", e.wall) == e.wall;
    let mut refuse = |field: &str, value: String, allowed: String| {
        check.fault(field, value, allowed);
        good = false;
    };
    if !(FACETS.0..=FACETS.1).contains(&e.facets) {
        refuse("facets", e.facets.to_string(), format!("must be {} to {}", FACETS.0, FACETS.1));
    }
    if e.turns > MAX_TURNS {
        refuse("turns", format!("{:?}", e.turns), format!("may be at most {MAX_TURNS}"));
    }
    if !(-MAX_TILT..=MAX_TILT).contains(&e.tilt) {
        refuse("tilt", format!("{:?}", e.tilt), format!("must be −{MAX_TILT} to {MAX_TILT} rad"));
    }
    let most = 2.0 * e.radii[0].min(e.radii[1]);
    if good && e.width * e.tilt.cos() >= most {
        let allowed = format!("must leave a hole in the middle: less than {most} m along the radius");
        check.fault("width", format!("{:?}", e.width), allowed);
        good = false;
    }
    good
}
