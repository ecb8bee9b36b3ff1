//! Parts as CAD programs write them: turned, in single precision, of long thin triangles, several in a file.

use super::{V, cube};
use crate::surface::{Surface, SurfaceFault};
use nalgebra::UnitQuaternion;
use std::f64::consts::TAU;

type Mesh = (Vec<V>, Vec<[usize; 3]>);

/// A plate with a round hole: its two faces are of triangles from the corners to the rim of the hole.
fn holed_plate(n: usize, size: V) -> Mesh {
    let around = |radius: V, k: usize| {
        let (s, c) = (TAU * k as f64 / n as f64).sin_cos();
        // On a square where the radius is that of the plate, for then the longest coordinate is one.
        let far = if radius == size { 1.0 / s.abs().max(c.abs()) } else { 1.0 };
        V::new(radius.x * c * far, radius.y * s * far, 0.0)
    };
    let hole = V::repeat(0.3 * size.x.min(size.y));
    let mut points = Vec::new();
    for z in [size.z, -size.z] {
        for radius in [size, hole] {
            points.extend((0..n).map(|k| around(radius, k) + V::z() * z));
        }
    }
    // Rings of corners: outer and inner above, outer and inner below.
    let band = |from: usize, to: usize| {
        (0..n).flat_map(move |k| {
            let next = (k + 1) % n;
            let [a, b, c, d] = [from * n + k, from * n + next, to * n + next, to * n + k];
            [[a, b, c], [a, c, d]]
        })
    };
    (points, band(0, 1).chain(band(1, 3)).chain(band(3, 2)).chain(band(2, 0)).collect())
}

/// The mesh turned, and rounded to the digits of an .stl file.
fn as_written((points, triangles): &Mesh, turn: [f64; 3]) -> Mesh {
    let turn = UnitQuaternion::from_scaled_axis(V::from(turn));
    let rounded = |p: &V| (turn * p).map(|x| f64::from(x as f32));
    (points.iter().map(rounded).collect(), triangles.clone())
}

fn cells((points, triangles): &Mesh, thickness: f64) -> Result<super::Cells, SurfaceFault> {
    let (surface, ..) = Surface::new(points, triangles, thickness)?;
    surface.cells()
}

fn both(a: &Mesh, b: &Mesh, by: V) -> Mesh {
    let n = a.0.len();
    let points = a.0.iter().copied().chain(b.0.iter().map(|p| p + by)).collect();
    (points, a.1.iter().copied().chain(b.1.iter().map(|t| t.map(|v| v + n))).collect())
}

/// Rounding to single precision makes no valid part unreadable, at any thickness.
#[test]
fn turned_parts_are_read_at_any_thickness() {
    for (n, size) in [
        (4, V::new(0.7, 0.2, 0.1)),
        (24, V::new(0.08, 0.05, 0.0025)),
        (90, V::new(1.0, 0.3, 0.4)),
        (52, V::new(300.0, 200.0, 2.0)),
    ] {
        let plate = holed_plate(n, size);
        for turn in [[0.0; 3], [0.3, 0.0, 0.0], [0.2, -0.7, 0.4], [1.9, 0.6, -2.2]] {
            let mesh = as_written(&plate, turn);
            for part in [3e-4, 1e-3, 0.01, 0.1, 0.5] {
                let thickness = part * 2.0 * size.x;
                let found = cells(&mesh, thickness).unwrap_or_else(|e| panic!("{n} {turn:?} {part}: {e}"));
                assert_eq!(found.solids.len(), plate.1.len());
                // No cell extends out of the plate, beyond its digits.
                let back = UnitQuaternion::from_scaled_axis(V::from(turn)).inverse();
                for (solid, at) in &found.solids {
                    let inside = |v: &V| ((back * (v + at)).abs() - size).max() < 1e-6 * size.x;
                    assert!(solid.vertices.iter().all(inside), "{n} {turn:?} {part}");
                }
            }
        }
    }
}

/// Solids of one file touch along an edge or at a face, overlap, or lie in the cavity of one.
#[test]
fn several_solids_are_their_union() {
    let one = cube(0.5);
    let thickness = 0.1;
    let shell = cells(&one, thickness).expect("cells").solids.iter().map(|s| s.0.volume).sum::<f64>();
    for by in [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.3, 0.4], [0.4, 0.3, 0.2], [3.0, 0.0, 0.0]] {
        let found =
            cells(&both(&one, &one, V::from(by)), thickness).unwrap_or_else(|e| panic!("{by:?}: {e}"));
        let volume = found.solids.iter().map(|s| s.0.volume).sum::<f64>();
        assert!((volume - 2.0 * shell).abs() < 1e-12 && found.thinner == (0, 1.0), "{by:?}: {volume}");
    }
    // A cavity bounds the solid around it.
    let mut cavity = cube(0.45);
    cavity.1.iter_mut().for_each(|t| t.swap(0, 1));
    let found = cells(&both(&one, &cavity, V::zeros()), thickness).expect("cells");
    assert_eq!(found.thinner.0, 24);
    assert!(found.solids.iter().all(|(s, at)| s.vertices.iter().all(|v| (v + at).amax() > 0.45 - 1e-12)));
}

/// A sheet with two sides and one that crosses another are refused, by the names of two triangles.
#[test]
fn folded_and_crossing_sheets_are_refused() {
    let (points, triangles) = cube(0.5);
    let sheet = (points.clone(), triangles[..2].to_vec());
    let mut back = sheet.clone();
    back.1.iter_mut().for_each(|t| t.swap(0, 1));
    let twice = (points.clone(), [sheet.1.clone(), back.1].concat());
    assert!(matches!(cells(&twice, 0.1), Err(SurfaceFault::Folded(_))), "{:?}", cells(&twice, 0.1));
    let turned = as_written(&sheet, [0.0, 0.0, 1.0]);
    let crossed = both(&sheet, &turned, V::new(-0.3, 0.0, 0.0));
    for thickness in [1e-3, 0.1, 1.0] {
        match cells(&crossed, thickness) {
            Err(SurfaceFault::Cut(a, b)) => assert_ne!(a, b),
            other => panic!("{thickness}: {other:?}"),
        }
    }
}
