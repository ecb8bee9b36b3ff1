//! Solids between a triangle and three points behind its corners.

use crate::Polytope;
use crate::polytope::Face;
use nalgebra::Vector3;

/// A side whose four corners miss a plane by less than this fraction of the size of the solid is one face.
const IN_PLANE: f64 = 1e-13;
/// Rounding of the corners of a solid over its size.
const ROUNDING: f64 = 1e-12;

type Point = Vector3<f64>;

/// A polytope about its centre of mass, and the place of this centre (m).
pub type Solid = (Polytope, Point);

/// The solid behind a triangle alone: down to half its size at a depth, about the centre of its inscribed
/// circle, so that its sides lean inwards, the less deep the more.
pub fn frustum(top: [Point; 3], depth: f64) -> Option<Solid> {
    let [a, b, c] = top;
    let [along_a, along_b, along_c] = [(c - b).norm(), (a - c).norm(), (b - a).norm()];
    let center = (a * along_a + b * along_b + c * along_c) / (along_a + along_b + along_c);
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
    prism(top, top.map(|p| center + (p - center) * 0.5 - normal * depth))
}

/// The solid between a triangle, counter-clockwise from outside, and three points behind its corners, about
/// its centre of mass, and where that is. None if it is not convex.
pub fn prism(top: [Point; 3], bottom: [Point; 3]) -> Option<Solid> {
    let middle = (top[0] + top[1] + top[2] + bottom[0] + bottom[1] + bottom[2]) / 6.0;
    let vertices: Vec<Point> = top.into_iter().chain(bottom).map(|p| p - middle).collect();
    let size = vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let mut cycles = vec![vec![0, 1, 2], vec![3, 5, 4]];
    for k in 0..3 {
        let next = (k + 1) % 3;
        let around = [next, k, 3 + k, 3 + next];
        let [a, b, c, d] = around.map(|v| vertices[v]);
        let normal = (b - a).cross(&(c - a)) + (c - a).cross(&(d - a));
        let twist = normal.try_normalize(0.0)?.dot(&((a + c) - (b + d)));
        let [a, b, c, d] = around;
        if twist.abs() <= IN_PLANE * size {
            cycles.push(vec![a, b, c, d]);
        } else if twist > 0.0 {
            cycles.extend([vec![a, b, c], vec![a, c, d]]);
        } else {
            cycles.extend([vec![a, b, d], vec![b, c, d]]);
        }
    }
    let about_middle = Polytope::assemble(vertices, cycles.clone())?;
    let center = middle + about_middle.centroid();
    let vertices: Vec<Point> = top.into_iter().chain(bottom).map(|p| p - center).collect();
    let solid = Polytope::assemble(vertices, cycles).filter(|p| p.volume > 0.0)?;
    let is_convex = solid.faces.iter().all(|face| {
        solid.vertices.iter().all(|v| face.normal.dot(v) <= inner(face, &solid) + ROUNDING * size)
    });
    is_convex.then_some((solid, center))
}

/// n·x at the corners of a face that is nearest to its inner side.
fn inner(face: &Face, solid: &Polytope) -> f64 {
    face.vertices.iter().map(|v| face.normal.dot(&solid.vertices[*v])).fold(f64::INFINITY, f64::min)
}
