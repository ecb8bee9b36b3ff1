//! The bodies of a scene with the data that dynamics needs, and their parts.

use crate::contact::pair::Pair;
use crate::contact::part_model::{MovedPart, PartBrief, PartModel};
use crate::contact::part_tree::PartTree;
use crate::contact::placed::Placed;
use crate::contact::principal::Principal;
use crate::contact::shared_features::SharedFeatures;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::exposure::exposures;
use signorini_geometry::flight::TurningBody;
use signorini_geometry::periodic::ITSELF;
use signorini_geometry::{Image, PeriodicBox, Polytope, Shape};
use signorini_scene::scene::effective_mass::effective_mass_ratios;
use signorini_scene::scene::{Body, Part, Scene};
use std::ops::Range;

/// A body as the stepper sees it.
#[derive(Debug, Clone)]
pub struct BodyModel {
    /// Mass (kg).
    pub mass: f64,
    /// Inertia tensor, body frame (kg m²).
    pub inertia: Matrix3<f64>,
    /// Inverse of the inertia tensor; zero where it has none.
    pub inverse_inertia: Matrix3<f64>,
    /// Principal axes.
    pub principal: Principal,
    /// Effective-mass ratio: the factor by which the body counts more than its mass where joints hold heavier
    /// bodies on both sides of it.
    pub effective_mass_ratio: f64,
    /// Radius about the centre of mass of a ball that holds the body (m).
    pub radius: f64,
    /// Size (m), 0 for bodies without one.
    pub size: f64,
    /// Size of its largest part (m).
    pub largest_part: f64,
    /// Whether forces do not move the body: it stays, or its motion is prescribed.
    pub fixed: bool,
    /// Bodies that have no contact with this one because a joint connects them, ascending.
    pub joined: Vec<usize>,
    /// Places of its parts in [`Models::parts`].
    pub parts: Range<usize>,
    /// Hierarchy of the boxes of its parts, where they are many.
    pub tree: Option<PartTree>,
}

impl BodyModel {
    /// Whether the body moves and is more than one solid about its centre of mass.
    pub fn has_parts(&self) -> bool {
        !self.fixed && !self.principal.is_plain
    }

    /// Makes the model of a body whose parts begin at place `first`.
    fn new(body: &Body, first: usize, mut joined: Vec<usize>) -> Self {
        joined.sort_unstable();
        Self {
            mass: body.mass,
            inertia: body.inertia,
            inverse_inertia: body.inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
            principal: Principal::default(),
            effective_mass_ratio: 1.0,
            radius: body.bounding_radius(),
            size: body.size().unwrap_or(0.0),
            largest_part: body.parts.iter().filter_map(|part| part.shape.size()).fold(0.0, f64::max),
            fixed: body.fixed,
            joined,
            parts: first..first + body.parts.len(),
            tree: PartTree::of(body),
        }
    }

    /// Inertia for the free turn of the body.
    pub fn turning(&self) -> TurningBody<'_> {
        TurningBody { inertia: &self.inertia, inverse: &self.inverse_inertia }
    }
}

/// Makes the parts of a body, with the regions of their faces that are faces of the body.
fn parts_of(id: usize, body: &Body) -> impl Iterator<Item = PartModel> + '_ {
    let placed: Vec<_> = body.parts.iter().map(|part| (&part.shape, &part.pose)).collect();
    let (exposures, shared) = match &body.triangles {
        Some(surface) => (surface.exposed(&cells(body)), vec![SharedFeatures::default(); body.parts.len()]),
        None => (exposures(&placed), SharedFeatures::of(&body.parts)),
    };
    let all = body.parts.iter().zip(exposures).zip(shared).enumerate();
    all.map(move |(k, ((part, exposed), shared))| PartModel {
        exposed,
        shared,
        ..PartModel::new(id, k, part)
    })
}

/// Returns the cells of a surface and their centres.
fn cells(body: &Body) -> Vec<(&Polytope, Vector3<f64>)> {
    fn cell(part: &Part) -> Option<(&Polytope, Vector3<f64>)> {
        match &part.shape {
            Shape::Polytope(polytope) => Some((polytope, part.pose.position)),
            _ => None,
        }
    }
    body.parts.iter().filter_map(cell).collect()
}

/// All bodies of a scene and their parts. Placed parts are lists with one entry per part.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// Model of each body, by body id.
    pub bodies: Vec<BodyModel>,
    /// Model of each part, by body, then in the order of the body's parts.
    pub parts: Vec<PartModel>,
    /// Brief of each part.
    pub briefs: Vec<PartBrief>,
    /// Place of the first part of each body in `parts`, close together as the briefs are.
    pub first_part: Vec<usize>,
    /// Places of the half-spaces among the parts.
    pub half_spaces: Vec<usize>,
    /// Places of the bores among the parts.
    pub bores: Vec<usize>,
    /// Box that repeats itself.
    pub periodic: Option<PeriodicBox>,
}

impl Models {
    /// Makes the models of a scene.
    pub fn of(scene: &Scene) -> Self {
        let mut joined = vec![Vec::new(); scene.bodies.len()];
        for (a, b) in scene.joined_pairs() {
            joined[a].push(b);
            joined[b].push(a);
        }
        let mut models = Self { periodic: scene.periodic, ..Self::default() };
        let ratios = effective_mass_ratios(scene);
        for (id, (body, joined)) in scene.bodies.iter().zip(joined).enumerate() {
            let model = BodyModel::new(body, models.parts.len(), joined);
            models.parts.extend(parts_of(id, body));
            let principal = Principal::of(&model.inertia, &models.parts[model.parts.clone()]);
            models.bodies.push(BodyModel { principal, effective_mass_ratio: ratios[id], ..model });
        }
        models.briefs = models.parts.iter().map(PartModel::brief).collect();
        models.first_part = models.bodies.iter().map(|body| body.parts.start).collect();
        let is_half_space = |p: &usize| models.briefs[*p].is_plane;
        let is_bore = |p: &usize| matches!(models.parts[*p].shape, Shape::Bore { .. });
        models.bores = (0..models.parts.len()).filter(is_bore).collect();
        models.half_spaces = (0..models.parts.len()).filter(is_half_space).collect();
        models
    }

    /// Whether forces do not move the body of a part.
    pub fn is_fixed(&self, part: usize) -> bool {
        self.bodies[self.parts[part].body].fixed
    }

    /// Places of the parts of a pair.
    pub fn parts_of(&self, pair: &Pair) -> [usize; 2] {
        let place = |body: usize, part: usize| self.first_part[body] + part;
        [place(pair.body_a, pair.part_a), place(pair.body_b, pair.part_b)]
    }

    /// Returns the parts of a pair as they are placed.
    pub fn sides<'a>(&'a self, pair: &Pair, placed: &'a [MovedPart]) -> [Placed<'a>; 2] {
        let [a, b] = self.parts_of(pair).map(|part| Placed::new(&self.parts[part], &placed[part]));
        [a, self.image(b, pair.image)]
    }

    /// Returns an image of a part.
    pub fn image<'a>(&self, part: Placed<'a>, image: Image) -> Placed<'a> {
        Placed { shift: self.shift(image), ..part }
    }

    /// Vector from a body to an image of it (m); None to itself.
    pub fn shift(&self, image: Image) -> Option<Vector3<f64>> {
        self.periodic.filter(|_| image != ITSELF).map(|periodic| periodic.shift(image))
    }

    /// Returns the first placed part of a body, which has the body's centre of mass and rotation.
    pub fn body_at<'a>(&self, body: usize, placed: &'a [MovedPart]) -> &'a MovedPart {
        &placed[self.first_part[body]]
    }
}
