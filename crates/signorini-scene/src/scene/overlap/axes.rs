//! The axes along which flat and round bodies may be apart: normals of faces and caps, of sides towards the
//! other body, and of pairs of edges.
//!
//! Bodies that touch over a face are where searches over support points go wrong: the simplex that holds the
//! origin has no volume there, and its way out may be to the far side. Any axis bounds the gap from below.

use super::placed::{Gap, Placed};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Shape};

/// Pairs of edges that are tried: two polytopes of 30 edges each.
const FEW_EDGES: usize = 900;

/// The widest separation along the axes of two bounded bodies; `slab`(n) is their separation along n.
pub(super) fn widest(a: &Placed, b: &Placed, slab: &impl Fn(&Vector3<f64>) -> f64) -> Option<Gap> {
    let mut best: Option<Gap> = None;
    let mut see = |direction: Vector3<f64>| {
        let Some(n) = direction.try_normalize(f64::MIN_POSITIVE) else { return };
        for normal in [n, -n] {
            let distance = slab(&normal);
            if best.is_none_or(|best| distance > best.distance) {
                best = Some(Gap { distance, normal });
            }
        }
    };
    let bodies = [a, b];
    for k in 0..2 {
        match parts(bodies[k]) {
            Some((axes, Shape::Polytope(p))) => p.faces.iter().for_each(|face| see(axes * face.normal)),
            Some((axes, Shape::Cylinder { .. } | Shape::Capsule { .. })) => {
                see(axes.column(2).into());
                across(bodies[k], bodies[1 - k], &mut see);
            }
            _ => {}
        }
    }
    crossed(a, b, &mut see);
    best
}

fn parts(body: &Placed) -> Option<(&Matrix3<f64>, &Shape)> {
    match body {
        Placed::Other { shape, axes, .. } => Some((axes, shape)),
        _ => None,
    }
}

/// Tries the directions from the axis of a cylinder or capsule to the centre and the corners of another body.
fn across(cylinder: &Placed, other: &Placed, see: &mut impl FnMut(Vector3<f64>)) {
    let (Some((axes, _)), Some(from), Some(to)) = (parts(cylinder), cylinder.center(), other.center()) else {
        return;
    };
    let axis: Vector3<f64> = axes.column(2).into();
    let flat = |v: Vector3<f64>| v - axis * axis.dot(&v);
    see(flat(to - from));
    if let Placed::Other { shape: Shape::Polytope(p), scale, axes, .. } = other {
        p.vertices.iter().for_each(|v| see(flat(to + axes * v * *scale - from)));
    }
}

/// Tries the common normals of the edges of two polytopes, or of edges and the axis of a cylinder or capsule,
/// unless there are many.
fn crossed(a: &Placed, b: &Placed, see: &mut impl FnMut(Vector3<f64>)) {
    let lines = |body: &Placed| match parts(body) {
        Some((axes, Shape::Polytope(p))) => edges(p).map(|e| axes * e).collect::<Vec<_>>(),
        Some((axes, Shape::Cylinder { .. } | Shape::Capsule { .. })) => vec![axes.column(2).into()],
        _ => Vec::new(),
    };
    let (first, second) = (lines(a), lines(b));
    if first.len() * second.len() <= FEW_EDGES {
        first.iter().for_each(|u| second.iter().for_each(|v| see(u.cross(v))));
    }
}

fn edges(p: &Polytope) -> impl Iterator<Item = Vector3<f64>> + '_ {
    p.edges.iter().map(|e| (p.vertices[e.vertices[1]] - p.vertices[e.vertices[0]]).normalize())
}
