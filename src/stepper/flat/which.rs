//! Islands whose step is taken in flat arrays: pairs that meet at a single point, polytopes on each other
//! and on half-spaces, with Coulomb's friction and torsion.

use crate::contact::part_model::PartModel;
use crate::contact::{BodyModel, Pair};
use crate::stepper::parameters::{
    FLAT_CYLINDERS_FROM, FLAT_FROM_TOLERANCE, FLAT_LEAST_TORSION, FLAT_MOST_EDGES, FLAT_PARTS_FROM,
};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_flat::parameters::MOST_SIDES;
use signorini_geometry::{Shape, Velocity};
use signorini_scene::scene::Torsion;

/// Whether the flat step knows all bodies and contacts of an island, and is worth it.
pub fn is_flat((bodies, pairs): (&[usize], &[Box<Pair>]), context: &StepContext<'_>) -> bool {
    let models = context.models;
    let solver = context.solver;
    bodies.len() >= solver.methods.flat_from_bodies
        && solver.tolerance >= FLAT_FROM_TOLERANCE
        && context.flies()
        && bodies.iter().all(|id| is_solid(&models.bodies[*id]))
        && pairs.iter().all(|pair| is_known(pair, context))
        // An impact is found at the rows of a solution, which points with names have not.
        && (!context.has_impacts || pairs.iter().all(|pair| pair.manifold.is_none()))
}

/// Whether a body has mass and moments of inertia.
fn is_solid(body: &BodyModel) -> bool {
    body.mass > 0.0 && body.inverse_inertia != Matrix3::zeros()
}

fn is_known(pair: &Pair, context: &StepContext<'_>) -> bool {
    let parts = context.models.parts_of(pair);
    let friction = &pair.friction;
    pair.stagger.is_none()
        && friction.tangential == [1.0, 1.0]
        && match pair.manifold {
            None => true,
            Some(_) => {
                friction.rolling == 0.0 && friction.cohesion == 0.0 && {
                    let may = matches!(friction.torsional, Torsion::Radius(_))
                        && context.solver.tolerance >= FLAT_CYLINDERS_FROM;
                    are_polytopes(parts, context) || may && are_cylinders(parts, context)
                }
            }
        }
}

/// Whether contact geometry finds the points of two parts for the flat step: one is a cylinder.
fn are_cylinders(parts: [usize; 2], context: &StepContext<'_>) -> bool {
    let is_round = |part: &usize| matches!(context.models.parts[*part].shape, Shape::Cylinder { .. });
    parts.iter().any(is_round)
        && parts.iter().all(|part| is_known_where_given(&context.models.parts[*part], context))
}

/// Whether the flat step knows how two parts touch at points with names: polytopes of few edges, and
/// half-spaces.
pub(super) fn are_polytopes(parts: [usize; 2], context: &StepContext<'_>) -> bool {
    let [a, b] = parts.map(|part| &context.models.parts[part]);
    let is_flat = |part: &PartModel| match &part.shape {
        Shape::HalfSpace { .. } => true,
        Shape::Polytope(polytope) => {
            polytope.edges.len() <= FLAT_MOST_EDGES
                && polytope.faces.iter().all(|face| face.vertices.len() <= MOST_SIDES)
        }
        _ => false,
    };
    [a, b].into_iter().all(is_flat) && [a, b].into_iter().all(|part| is_known_polytope(part, context))
}

/// Whether the surface of a part does not run, and its body moves, or its motion is one that the flat step
/// follows. Parts of moving bodies are left to other paths at fine tolerances.
fn is_known_polytope(model: &PartModel, context: &StepContext<'_>) -> bool {
    let body = &context.models.bodies[model.body];
    model.surface.is_none()
        && is_known_where_given(model, context)
        && (!body.has_parts() || context.solver.tolerance >= FLAT_PARTS_FROM)
}

/// Whether a smooth pair is one of ellipsoids about the centres of mass, or of one and a half-space, which
/// need no other geometry.
pub(super) fn is_plain_pair(pair: &Pair, context: &StepContext<'_>) -> bool {
    let models = context.models;
    let is_plain = |part: usize| models.briefs[part].is_round && moves_or_is_known(part, context);
    models.parts_of(pair).into_iter().all(is_plain)
}

/// Whether faces of a pair touch with friction and hardly any torsion. A body that spins on a face then moves
/// the centre of its load by its friction: sweeps may run around in a circle, however short the step.
pub fn spins_freely(pair: &Pair, context: &StepContext<'_>) -> bool {
    let hardly = |radius: f64| {
        let [a, b] = context.models.parts_of(pair).map(|part| &context.models.briefs[part]);
        radius < FLAT_LEAST_TORSION * a.smaller_size(b)
    };
    pair.manifold.is_some()
        && pair.friction.coefficient > 0.0
        && matches!(pair.friction.torsional, Torsion::Radius(radius) if hardly(radius))
}

/// Whether a part is the plain one of a moving body, or one of a given body whose motion the flat step
/// follows: a half-space, a shape about the centre of mass, or any shape that stands.
fn moves_or_is_known(part: usize, context: &StepContext<'_>) -> bool {
    let model = &context.models.parts[part];
    !context.models.bodies[model.body].has_parts() && is_known_where_given(model, context)
}

/// Whether a part moves, or is one of a given body whose motion the flat step follows.
fn is_known_where_given(model: &PartModel, context: &StepContext<'_>) -> bool {
    let body = &context.models.bodies[model.body];
    if !body.fixed {
        return true;
    }
    let stands = context.velocities[model.body] == Velocity::default();
    let is_centred = model.shape_pose.position == Vector3::zeros();
    model.is_bare() && (stands || is_centred || matches!(model.shape, Shape::HalfSpace { .. }))
}
