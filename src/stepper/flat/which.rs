//! Islands whose step is taken in flat arrays: pairs that meet at a single point, polytopes on each other
//! and on half-spaces, with Coulomb's friction and torsion.

use crate::contact::part_model::PartModel;
use crate::contact::{BodyModel, Pair};
use crate::stepper::parameters::{
    FLAT_CYLINDERS_FROM, FLAT_FROM_TOLERANCE, FLAT_LEAST_TORSION, FLAT_MOST_EDGES, FLAT_PARTS_SOONER,
    FLAT_SOONER, FLAT_SOONER_FROM, JUDGED_PAIRS_PER_CHUNK,
};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use signorini_flat::parameters::MOST_SIDES;
use signorini_geometry::{Shape, Velocity};
use signorini_scene::scene::Torsion;

/// Pairs of an island.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Whether the flat step knows all.
    are_known: bool,
    /// Whether one spins freely on a face ([`spins_freely`]).
    pub one_spins: bool,
    /// Number of those that meet at a single point.
    pub n_points: usize,
    /// Number of those with several points.
    pub n_patches: usize,
    /// Number of those among them with a cylinder or a capsule.
    pub n_round: usize,
}

impl Kinds {
    const NONE: Self = Self { are_known: true, one_spins: false, n_points: 0, n_patches: 0, n_round: 0 };

    fn of(pair: &Pair, context: &StepContext<'_>) -> Self {
        let has_manifold = pair.manifold.is_some();
        Self {
            are_known: is_known(pair, context),
            one_spins: spins_freely(pair, context),
            n_points: usize::from(!has_manifold),
            n_patches: usize::from(has_manifold),
            n_round: usize::from(has_manifold && is_round(context.models.parts_of(pair), context)),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            are_known: self.are_known && other.are_known,
            one_spins: self.one_spins || other.one_spins,
            n_points: self.n_points + other.n_points,
            n_patches: self.n_patches + other.n_patches,
            n_round: self.n_round + other.n_round,
        }
    }
}

/// The pairs of an island if the flat step knows all bodies and pairs, and is worth it.
pub fn if_flat((bodies, pairs): (&[usize], &[Box<Pair>]), context: &StepContext<'_>) -> Option<Kinds> {
    let models = context.models;
    let solver = context.solver;
    let (n, from) = (bodies.len(), solver.methods.flat_from_bodies);
    let have_parts = || bodies.iter().any(|id| models.bodies[*id].has_parts());
    let sooner = if solver.tolerance >= FLAT_SOONER_FROM { FLAT_SOONER } else { 1 };
    let may = (n >= from / sooner || n >= from / FLAT_PARTS_SOONER && have_parts())
        && solver.tolerance >= FLAT_FROM_TOLERANCE
        && context.flies()
        && bodies.iter().all(|id| is_solid(&models.bodies[*id]));
    if !may {
        return None;
    }
    let all = pairs.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK);
    let kinds = all.map(|pair| Kinds::of(pair, context)).reduce(|| Kinds::NONE, Kinds::and);
    // An impact is found at the rows of a solution, which points with names have not.
    (kinds.are_known && (!context.has_impacts || kinds.n_patches == 0)).then_some(kinds)
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
                    are_polytopes(parts, context) || are_callers(parts, context)
                }
            }
        }
}

/// Whether contact geometry finds the points of two parts for the flat step: one is a cylinder or a capsule.
fn are_callers(parts: [usize; 2], context: &StepContext<'_>) -> bool {
    is_round(parts, context)
        && context.solver.tolerance >= FLAT_CYLINDERS_FROM
        && parts.iter().all(|part| is_known_where_given(&context.models.parts[*part], context))
}

fn is_round(parts: [usize; 2], context: &StepContext<'_>) -> bool {
    let shape = |part: usize| &context.models.parts[part].shape;
    parts.into_iter().any(|part| matches!(shape(part), Shape::Cylinder { .. } | Shape::Capsule { .. }))
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
/// follows.
fn is_known_polytope(model: &PartModel, context: &StepContext<'_>) -> bool {
    model.surface.is_none() && is_known_where_given(model, context)
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
fn spins_freely(pair: &Pair, context: &StepContext<'_>) -> bool {
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
