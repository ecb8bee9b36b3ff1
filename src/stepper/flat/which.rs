//! Islands whose step is taken in flat arrays: ellipsoids on ellipsoids, boxes on boxes, and both on
//! half-spaces, with Coulomb's friction and torsion.

use crate::contact::feature::Feature;
use crate::contact::part_model::PartModel;
use crate::contact::{BodyModel, Models, Pair};
use crate::stepper::parameters::{ALIGNED_INERTIA, FLAT_FROM_TOLERANCE, FLAT_LEAST_TORSION};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::{Shape, Velocity};
use signorini_scene::scene::Torsion;

/// Whether the flat step knows all bodies and contacts of an island, and is worth it.
pub fn is_flat((bodies, pairs): (&[usize], &[Box<Pair>]), context: &StepContext<'_>) -> bool {
    let models = context.models;
    bodies.len() >= context.solver.methods.flat_from_bodies
        && context.solver.tolerance >= FLAT_FROM_TOLERANCE
        && context.flies()
        && !context.has_impacts
        && context.backend.is_none()
        && bodies.iter().all(|id| principal(models, *id).is_some())
        && pairs.iter().all(|pair| is_known(pair, context))
}

/// Principal moments of inertia (kg m²) of a body that is one ellipsoid or box about its centre of mass, with
/// the axes of its inertia, and its only part; None for others.
pub(super) fn principal(models: &Models, id: usize) -> Option<(Vector3<f64>, &PartModel)> {
    let body = &models.bodies[id];
    let part = only_part(models, body)?;
    let turned = part.shape_rotation.transpose() * body.inertia * part.shape_rotation;
    let moments = turned.diagonal();
    let off = turned[(0, 1)].abs().max(turned[(0, 2)].abs()).max(turned[(1, 2)].abs());
    let is_known = (part.shape.is_ellipsoid() || part.half_extents.is_some())
        && part.shape_pose.position == Vector3::zeros()
        && is_plain(part);
    (is_known && off <= ALIGNED_INERTIA * moments.sum() && moments.min() > 0.0).then_some((moments, part))
}

/// Whether a part has no motion of its surface, and no other part of its body next to it.
fn is_plain(part: &PartModel) -> bool {
    part.surface.is_none() && part.exposed.faces.is_empty()
}

fn only_part<'a>(models: &'a Models, body: &BodyModel) -> Option<&'a PartModel> {
    (body.parts.len() == 1).then(|| &models.parts[body.parts.start])
}

fn is_known(pair: &Pair, context: &StepContext<'_>) -> bool {
    let parts = context.models.parts_of(pair);
    let friction = &pair.friction;
    pair.stagger.is_none()
        && has_known_shapes(pair, parts.map(|part| &context.models.parts[part]))
        && friction.tangential == [1.0, 1.0]
        && friction.rolling == 0.0
        && friction.cohesion == 0.0
        && parts.into_iter().all(|part| moves_or_is_known(part, context))
}

/// Whether the flat step knows how two parts touch: ellipsoids at a point, boxes at points with names.
fn has_known_shapes(pair: &Pair, parts: [&PartModel; 2]) -> bool {
    let is_flat =
        |part: &PartModel| part.half_extents.is_some() || matches!(part.shape, Shape::HalfSpace { .. });
    match &pair.manifold {
        None => pair.feature == Feature::Ellipsoid,
        Some(_) => parts.into_iter().all(is_flat) && resists_spin(pair, parts[0].smaller_size(parts[1])),
    }
}

/// Whether torsion acts where two boxes touch, or no friction does. A body that spins on a face without
/// torsion moves the centre of its load by its friction, and sweeps run around in a circle.
fn resists_spin(pair: &Pair, size: f64) -> bool {
    pair.friction.coefficient == 0.0
        || match pair.friction.torsional {
            Torsion::Patch => true,
            Torsion::Radius(radius) => radius >= FLAT_LEAST_TORSION * size,
        }
}

/// Whether a part is one of a moving body, or one of a given body whose motion the flat step follows: a
/// half-space, a shape about the centre of mass, or any shape that stands.
fn moves_or_is_known(part: usize, context: &StepContext<'_>) -> bool {
    let model = &context.models.parts[part];
    let body = &context.models.bodies[model.body];
    let stands = context.velocities[model.body] == Velocity::default();
    let is_centred = model.shape_pose.position == Vector3::zeros();
    is_plain(model) && (!body.fixed || stands || is_centred || matches!(model.shape, Shape::HalfSpace { .. }))
}
