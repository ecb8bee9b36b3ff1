//! Islands whose step is taken in flat arrays: ellipsoids on ellipsoids and half-spaces, with Coulomb's
//! friction and torsion.

use crate::contact::feature::Feature;
use crate::contact::part_model::PartModel;
use crate::contact::{BodyModel, Models, Pair};
use crate::stepper::parameters::{ALIGNED_INERTIA, FLAT_FROM_TOLERANCE};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::{Shape, Velocity};

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

/// Principal moments (kg m²) and semi-axes (m) of a body that is one ellipsoid about its centre of mass, with
/// the axes of its inertia; None for others.
pub(super) fn principal(models: &Models, id: usize) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let body = &models.bodies[id];
    let part = only_part(models, body)?;
    let Shape::Ellipsoid { semi_axes } = &part.shape else { return None };
    let turned = part.shape_rotation.transpose() * body.inertia * part.shape_rotation;
    let moments = turned.diagonal();
    let off = turned[(0, 1)].abs().max(turned[(0, 2)].abs()).max(turned[(1, 2)].abs());
    let is_centred = part.shape_pose.position == Vector3::zeros() && part.surface.is_none();
    (is_centred && off <= ALIGNED_INERTIA * moments.sum() && moments.min() > 0.0)
        .then_some((moments, *semi_axes))
}

fn only_part<'a>(models: &'a Models, body: &BodyModel) -> Option<&'a PartModel> {
    (body.parts.len() == 1).then(|| &models.parts[body.parts.start])
}

fn is_known(pair: &Pair, context: &StepContext<'_>) -> bool {
    let parts = context.models.parts_of(pair);
    let friction = &pair.friction;
    pair.manifold.is_none()
        && pair.stagger.is_none()
        && pair.feature == Feature::Ellipsoid
        && friction.tangential == [1.0, 1.0]
        && friction.rolling == 0.0
        && friction.cohesion == 0.0
        && parts.into_iter().all(|part| moves_or_is_known(part, context))
}

/// Whether a part is one of a moving body, or one of a given body whose motion the flat step follows: a
/// half-space, an ellipsoid about the centre of mass, or any ellipsoid that stands.
fn moves_or_is_known(part: usize, context: &StepContext<'_>) -> bool {
    let model = &context.models.parts[part];
    let body = &context.models.bodies[model.body];
    let stands = context.velocities[model.body] == Velocity::default();
    let is_centred = model.shape_pose.position == Vector3::zeros();
    model.surface.is_none()
        && (!body.fixed || stands || is_centred || matches!(model.shape, Shape::HalfSpace { .. }))
}
