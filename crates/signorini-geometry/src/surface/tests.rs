//! Surfaces with known cells.

use super::*;
use crate::exposure::Exposure;
use nalgebra::Vector3;

mod cad;

type V = Vector3<f64>;

/// A grid of n × n squares of two triangles over the unit square, at heights of x and y.
fn sheet(n: usize, height: impl Fn(f64, f64) -> f64) -> (Vec<V>, Vec<[usize; 3]>) {
    let at = |k: usize| k as f64 / n as f64;
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| (at(i), at(j))));
    let points = points.map(|(x, y)| V::new(x, y, height(x, y))).collect();
    let corner = |i: usize, j: usize| j * (n + 1) + i;
    let cells = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let triangles = cells.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (points, triangles.collect())
}

/// A box [−h, h]³ of twelve triangles.
fn cube(h: f64) -> (Vec<V>, Vec<[usize; 3]>) {
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { h } else { -h };
        V::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    ((0..8).map(corner).collect(), triangles.collect())
}

fn cells_of((points, triangles): &(Vec<V>, Vec<[usize; 3]>), thickness: f64) -> (Surface, Cells) {
    let (surface, _, repairs) = Surface::new(points, triangles, thickness).expect("a surface");
    assert_eq!(repairs, Repairs::default());
    let cells = surface.cells().expect("cells");
    (surface, cells)
}

fn volume(cells: &Cells) -> f64 {
    cells.solids.iter().map(|(solid, _)| solid.volume).sum()
}

fn exposed(surface: &Surface, cells: &Cells) -> Vec<crate::exposure::Exposed> {
    surface.exposed(&cells.solids.iter().map(|(solid, at)| (solid, *at)).collect::<Vec<_>>())
}

#[test]
fn a_flat_sheet_is_a_plate() {
    let (surface, cells) = cells_of(&sheet(4, |_, _| 0.3), 0.05);
    assert!((volume(&cells) - 0.05).abs() < 1e-14);
    assert_eq!(cells.thinner, (0, 1.0));
    for ((solid, at), exposed) in cells.solids.iter().zip(exposed(&surface, &cells)) {
        assert_eq!(solid.faces.len(), 5);
        let top = solid.faces.iter().find(|face| face.normal.z > 0.5).expect("a top");
        assert!((top.normal - V::z()).norm() < 1e-15 && (top.offset + at.z - 0.3).abs() < 1e-16);
        // A cell lists no faces of others in its own plane.
        let sides = exposed.faces.iter().filter(|face| **face == Exposure::Covered).count();
        assert!(sides >= 1 && exposed.beside.iter().all(|b| b.normal.z.abs() < 1e-12), "{exposed:?}");
    }
}

/// The cells of a cube are its shell, mitred at the edges; with triangles inside out they lie around it.
#[test]
fn a_closed_surface_is_a_shell() {
    let (points, triangles) = cube(0.5);
    let (_, cells) = cells_of(&(points.clone(), triangles.clone()), 0.1);
    assert!((volume(&cells) - (1.0 - 0.8_f64.powi(3))).abs() < 1e-13);
    let turned = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let (surface, cells) = cells_of(&(points, turned), 0.1);
    assert!((volume(&cells) - (1.2_f64.powi(3) - 1.0)).abs() < 1e-13);
    assert!(cells.thinner.0 == 0 && exposed(&surface, &cells).iter().all(|e| e.beside.len() >= 3));
}

/// Where the solid behind a triangle is thin its cell is thinner: no cell extends through the other side.
#[test]
fn cells_end_before_what_lies_behind() {
    let (points, triangles) = cube(0.5);
    let flat: Vec<V> = points.iter().map(|p| V::new(p.x, p.y, 0.01 * p.z)).collect();
    let (_, cells) = cells_of(&(flat, triangles), 0.1);
    assert!(cells.thinner.0 == 12 && cells.thinner.1 > 0.01, "{:?}", cells.thinner);
    for (solid, at) in &cells.solids {
        assert!(solid.vertices.iter().all(|v| (v + at).z.abs() <= 0.005 + 1e-15));
    }
}

/// Ridges and valleys of all angles: cells are convex and lie under all triangles around them.
#[test]
fn cells_of_a_rough_sheet_lie_under_it() {
    let (surface, cells) = cells_of(&sheet(12, |x, y| 0.3 * (9.0 * x).sin() * (7.0 * y).cos()), 0.08);
    assert_eq!(cells.solids.len(), 288);
    let height = |p: &V| {
        let over = (0..surface.triangles.len()).find_map(|t| {
            let [a, b, c] = surface.corners(t);
            let inside = [(a, b), (b, c), (c, a)]
                .iter()
                .all(|(from, to)| (to - from).xy().perp(&(p - from).xy()) >= -1e-12);
            let n = surface.normal(t);
            inside.then(|| a.z - (n.x * (p.x - a.x) + n.y * (p.y - a.y)) / n.z)
        });
        over.unwrap_or(f64::INFINITY)
    };
    for (solid, at) in &cells.solids {
        for v in &solid.vertices {
            let p = v + at;
            assert!(p.z <= height(&p) + 1e-12, "{p:?} over {}", height(&p));
        }
    }
}

#[test]
fn triangles_are_repaired_or_refused() {
    let (points, triangles) = sheet(2, |_, _| 0.0);
    let mut given = triangles.clone();
    given.push([triangles[3][1], triangles[3][2], triangles[3][0]]);
    given.push([0, 1, 2]);
    let (surface, kept, repairs) = Surface::new(&points, &given, 0.1).expect("a surface");
    assert_eq!((repairs, surface.triangles.len(), kept.len()), (Repairs { flat: 1, repeated: 1 }, 8, 8));
    let (again, _, none) = Surface::new(&surface.points, &surface.triangles, 0.1).expect("a surface");
    assert!(again == surface && none == Repairs::default());
    given = triangles.clone();
    given[2].swap(0, 1);
    let (surface, ..) = Surface::new(&points, &given, 0.1).expect("triangles");
    assert!(matches!(surface.cells(), Err(SurfaceFault::Winding(..))));
    let fault = |points: &[V], triangles: &[[usize; 3]]| {
        Surface::new(points, triangles, 0.1).expect_err("no surface")
    };
    assert_eq!(fault(&points, &[[0, 1, 9]]), SurfaceFault::NoCorner(0));
    assert_eq!(fault(&points, &[[0, 1, 2]]), SurfaceFault::Nothing);
    assert_eq!(fault(&[V::repeat(f64::NAN); 3], &[[0, 1, 2]]), SurfaceFault::NotFinite(0));
    // A triangle that stands in another.
    let mut crossed = points.clone();
    crossed.extend([V::new(0.1, 0.1, -0.1), V::new(0.3, 0.2, -0.1), V::new(0.2, 0.2, 0.1)]);
    let mut given = triangles;
    given.push([9, 10, 11]);
    let (surface, ..) = Surface::new(&crossed, &given, 0.1).expect("triangles");
    assert!(matches!(surface.cells(), Err(SurfaceFault::Cut(..))), "{:?}", surface.cells());
}
