//! Structures: bodies laid face on face, such as walls and arches. Newton's method brings them to rest in a
//! few steps. The residual that sweeps leave tall ones adds up to a creep, and what rocks is hard for every
//! method.

use crate::contact::Pair;
use crate::stepper::parameters::{STRUCTURE_ALIGNED, STRUCTURE_LEAST_COSINE, STRUCTURE_MOST_BODIES};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::Shape;

/// Whether an island is a structure: nearly all of its pairs have faces that lie along each other.
pub fn is_structure(bodies: &[usize], pairs: &[Box<Pair>], context: &StepContext<'_>) -> bool {
    let may_lean = (1.0 - STRUCTURE_ALIGNED) * pairs.len() as f64;
    let leaning = pairs.iter().filter(|pair| !is_aligned(pair, context));
    bodies.len() <= STRUCTURE_MOST_BODIES && leaning.take(may_lean as usize + 1).count() as f64 <= may_lean
}

/// Whether a face of A lies along one of B.
fn is_aligned(pair: &Pair, context: &StepContext<'_>) -> bool {
    let [a, b] = context.models.parts_of(pair);
    normals(a, context).any(|n| normals(b, context).any(|m| n.dot(&m) < -STRUCTURE_LEAST_COSINE))
}

/// Outer normals of the faces of a part at the start of the step; none of shapes without flat faces.
fn normals<'a>(part: usize, context: &'a StepContext<'_>) -> impl Iterator<Item = Vector3<f64>> + 'a {
    let plane = context.prescribed[part].plane.map(|(normal, _)| normal);
    let faces = match &context.models.parts[part].shape {
        Shape::Polytope(polytope) => &polytope.faces[..],
        _ => &[],
    };
    let rotation = context.placed[part].shape_rotation;
    plane.into_iter().chain(faces.iter().map(move |face| rotation * face.normal))
}
