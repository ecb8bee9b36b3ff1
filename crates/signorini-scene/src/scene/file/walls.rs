//! Drums, hoppers, heightfields, helices, bowls and arches: parts whose shared faces fit each other exactly.

use super::arch::{self, Piece, arch};
use super::bowl::bowl;
use super::helix::helix;
use super::motions::driven_bodies;
use super::place::entry;
use super::raw::{BodyEntry, PartEntry, SceneFile};
use super::raw_shapes::ShapeEntry;
use super::raw_walls::{ArchEntry, DrumEntry, HeightfieldEntry, HelixEntry, HopperEntry};
use super::report::{Check, Report};
use std::f64::consts::TAU;

/// Fewest and most facets of a drum.
const FACETS: (u32, u32) = (3, 360);
/// Most heights of a heightfield.
const MAX_HEIGHTS: usize = 20_000;

/// A body made of a table, and the name of the table in messages.
pub struct Wall {
    /// The body.
    pub body: BodyEntry,
    /// Name of the kind of table, and place in its list.
    pub table: (&'static str, usize),
}

/// A drum, a hopper, a heightfield, a helix or a piece of an arch.
#[derive(Debug, Clone)]
pub enum WallEntry {
    /// A drum.
    Drum(DrumEntry),
    /// A hopper.
    Hopper(HopperEntry),
    /// A heightfield.
    Heightfield(HeightfieldEntry),
    /// A helix.
    Helix(HelixEntry),
    /// A piece of an arch.
    Arch(ArchEntry, Piece),
}

impl WallEntry {
    /// The body; None after a fault.
    fn body(&self, check: &mut Check<'_>) -> Option<BodyEntry> {
        match self {
            Self::Drum(e) => drum(e, check),
            Self::Hopper(e) => hopper(e, check),
            Self::Heightfield(e) => heightfield(e, check),
            Self::Helix(e) => helix(e, check),
            Self::Arch(e, piece) => arch::is_good(e, check).then(|| e.piece(*piece)),
        }
    }

    /// The entry of a body with the parts or the surface of this wall; None after a fault.
    pub fn put_into(&self, body: BodyEntry, check: &mut Check<'_>) -> Option<BodyEntry> {
        let BodyEntry { shape, parts, .. } = self.body(check)?;
        Some(BodyEntry { shape, parts, ..body })
    }

    /// The kind of wall, one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Drum(_) => "drum",
            Self::Hopper(_) => "hopper",
            Self::Heightfield(_) => "heightfield",
            Self::Helix(_) => "helix",
            Self::Arch(_, Piece::Stone(_)) => "stone",
            Self::Arch(..) => "springer",
        }
    }
}

/// The bodies of all drums, hoppers, heightfields, helices, bowls and arches of a file.
pub fn walls(file: &SceneFile, report: &mut Report) -> Vec<Wall> {
    let mut found = Vec::new();
    let mut add = |kind: &'static str, i: usize, body: Option<BodyEntry>| {
        found.extend(body.map(|body| Wall { body, table: (kind, i) }));
    };
    for (i, e) in file.drum.iter().enumerate() {
        add("drum", i, drum(e, &mut report.at(entry("drum", i, &e.name))));
    }
    for (i, e) in file.hopper.iter().enumerate() {
        add("hopper", i, hopper(e, &mut report.at(entry("hopper", i, &e.name))));
    }
    for (i, e) in file.heightfield.iter().enumerate() {
        add("heightfield", i, heightfield(e, &mut report.at(entry("heightfield", i, &e.name))));
    }
    for (i, e) in file.helix.iter().enumerate() {
        add("helix", i, helix(e, &mut report.at(entry("helix", i, &e.name))));
    }
    for (i, e) in file.bowl.iter().enumerate() {
        for body in bowl(e, &mut report.at(entry("bowl", i, &e.name))) {
            add("bowl", i, Some(body));
        }
    }
    let driven = driven_bodies(file);
    for (i, e) in file.arch.iter().enumerate() {
        let mut check = report.at(entry("arch", i, &e.name));
        check.name("name", &e.name);
        for mut body in arch(e, &mut check) {
            // A stone whose motion is prescribed is moved by no force.
            body.fixed = Some(body.fixed == Some(true) || driven.contains(&body.name.as_str()));
            add("arch", i, Some(body));
        }
    }
    found
}

type Point = [f64; 3];

fn fixed(
    name: &str,
    material: &str,
    position: Point,
    orientation: [f64; 4],
    parts: Vec<PartEntry>,
) -> BodyEntry {
    BodyEntry {
        name: name.to_owned(),
        fixed: Some(true),
        material: material.to_owned(),
        position,
        orientation,
        parts,
        ..BodyEntry::at_rest(None)
    }
}

fn all_positive<const N: usize>(fields: [(&str, f64); N], check: &mut Check) -> bool {
    let is_good = |x: f64| x > 0.0 && x.is_finite();
    for (field, value) in fields {
        check.positive(field, value);
    }
    fields.iter().all(|(_, value)| is_good(*value))
}

/// A drum: a part for each facet, between planes through the axis, and a plate at each end.
fn drum(e: &DrumEntry, check: &mut Check) -> Option<BodyEntry> {
    let is_good =
        all_positive([("radius", e.radius), ("length", e.length), ("thickness", e.thickness)], check);
    if !(FACETS.0..=FACETS.1).contains(&e.facets) {
        check.fault("facets", e.facets, format!("must be {} to {}", FACETS.0, FACETS.1));
        return None;
    }
    let (half, outer) = (e.length / 2.0, e.radius + e.thickness);
    let corner = |k: u32, radius: f64, z: f64| {
        let (s, c) = (TAU * f64::from(k % e.facets) / f64::from(e.facets)).sin_cos();
        [radius * c, radius * s, z]
    };
    let facet = |k: u32| {
        let ends = [-half, half].into_iter().flat_map(|z| {
            [k, k + 1].into_iter().flat_map(move |k| [e.radius, outer].map(|radius| (k, radius, z)))
        });
        PartEntry::hull(ends.map(|(k, radius, z)| corner(k, radius, z)).collect())
    };
    let mut parts: Vec<PartEntry> = (0..e.facets).map(facet).collect();
    if e.ends {
        for [low, high] in [[-half - e.thickness, -half], [half, half + e.thickness]] {
            let rim = (0..e.facets).flat_map(|k| [low, high].map(|z| corner(k, outer, z)));
            parts.push(PartEntry::hull(rim.collect()));
        }
    }
    is_good.then(|| fixed(&e.name, &e.material, e.position, e.orientation, parts))
}

/// A hopper: four walls, mitred at the corners.
fn hopper(e: &HopperEntry, check: &mut Check) -> Option<BodyEntry> {
    let fields = [
        ("top", e.top[0].min(e.top[1])),
        ("bottom", e.bottom[0].min(e.bottom[1])),
        ("height", e.height),
        ("thickness", e.thickness),
    ];
    let is_good = all_positive(fields, check);
    let t = e.thickness;
    let corner = |sx: f64, sy: f64, is_top: bool, out: f64| {
        let [x, y] = if is_top { e.top } else { e.bottom };
        [sx * (x / 2.0 + out), sy * (y / 2.0 + out), if is_top { e.height } else { 0.0 }]
    };
    let wall = |ends: [[f64; 2]; 2]| {
        let corners = ends.into_iter().flat_map(|[sx, sy]| {
            [(true, 0.0), (true, t), (false, 0.0), (false, t)]
                .map(|(is_top, out)| corner(sx, sy, is_top, out))
        });
        PartEntry::hull(corners.collect())
    };
    let around = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
    let mut parts: Vec<PartEntry> = (0..4).map(|k| wall([around[k], around[(k + 1) % 4]])).collect();
    if e.closed {
        let [x, y] = e.bottom.map(|length| length / 2.0 + t);
        let plate = ShapeEntry::Box { half_extents: [x, y, t / 2.0] };
        parts.push(PartEntry { position: [0.0, 0.0, -t / 2.0], shape: plate, ..PartEntry::hull(Vec::new()) });
    }
    is_good.then(|| fixed(&e.name, &e.material, e.position, e.orientation, parts))
}

/// A heightfield: two upright prisms a cell, down to a common level.
fn heightfield(e: &HeightfieldEntry, check: &mut Check) -> Option<BodyEntry> {
    let is_good = all_positive([("size", e.size[0].min(e.size[1])), ("thickness", e.thickness)], check);
    let (n_y, n_x) = (e.heights.len(), e.heights.first().map_or(0, Vec::len));
    if n_y < 2 || n_x < 2 || e.heights.iter().any(|row| row.len() != n_x) || n_x * n_y > MAX_HEIGHTS {
        let lengths: Vec<usize> = e.heights.iter().map(Vec::len).take(8).collect();
        let allowed = format!("must be 2 or more rows of the same length, {MAX_HEIGHTS} heights at most");
        check.fault("heights", format!("{n_y} rows of {lengths:?}"), allowed);
        return None;
    }
    let heights = || e.heights.iter().flatten().copied();
    if let Some(height) = heights().find(|height| !height.is_finite()) {
        check.finite("heights", height);
        return None;
    }
    let low = heights().fold(f64::INFINITY, f64::min) - e.thickness;
    let at = |i: usize, j: usize| {
        let [x, y] = [(i, n_x, e.size[0]), (j, n_y, e.size[1])]
            .map(|(k, n, size)| size * (k as f64 / (n - 1) as f64 - 0.5));
        (x, y, e.heights[j][i])
    };
    let prism = |corners: [(usize, usize); 3]| {
        let points = corners.into_iter().flat_map(|(i, j)| {
            let (x, y, z) = at(i, j);
            [[x, y, low], [x, y, z]]
        });
        PartEntry::hull(points.collect())
    };
    let cells = (0..n_y - 1).flat_map(|j| (0..n_x - 1).map(move |i| (i, j)));
    let parts = cells.flat_map(|(i, j)| {
        // Diagonals run to and fro, so that no direction is preferred.
        let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    let parts = parts.map(prism).collect();
    is_good.then(|| fixed(&e.name, &e.material, e.position, e.orientation, parts))
}
