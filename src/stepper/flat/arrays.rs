//! An island as the arrays of the flat step.

use crate::contact::part_model::PartModel;
use crate::contact::{Pair, Principal};
use crate::stepper::blocks::path_speed;
use crate::stepper::flat::guides::Guided;
use crate::stepper::flat::shapes::Shapes;
use crate::stepper::flat::surfaces::code_of;
use crate::stepper::flat::which::{are_polytopes, is_plain_pair};
use crate::stepper::island::residual::units::acting_impulse;
use crate::stepper::parameters::{BODIES_PER_CHUNK, FLAT_REST_BELOW_SPEED, JUDGED_PAIRS_PER_CHUNK};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use signorini_flat::{Body, Contact, Flight, GivenBody, Patch, Resistance, Side};
use signorini_geometry::{Shape, Velocity};
use signorini_scene::scene::Torsion;
use std::collections::HashMap;

/// A pair in the arrays.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    /// Index of a contact point.
    Point(usize),
    /// Index of two polytopes.
    Patch(usize),
}

/// Bodies and contacts of an island.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    /// Bodies by local index.
    pub bodies: Vec<Body>,
    /// Parts of bodies whose motion is given.
    pub given: Vec<GivenBody>,
    /// Contact points.
    pub contacts: Vec<Contact>,
    /// Pairs of polytopes.
    pub patches: Vec<Patch>,
    /// Shapes of polytopes.
    pub shapes: Shapes,
    /// Where each pair is.
    pub rows: Vec<Row>,
    /// Pair of each contact point.
    pub pair_of: Vec<u32>,
    /// Pair of each of those with several points.
    pub pair_of_patch: Vec<u32>,
    /// Whether each pair has several points.
    have_manifold: Vec<bool>,
    /// Bodies on guides.
    pub guided: Vec<Guided>,
    /// Principal axes of each body, in axes of the body.
    pub axes: Vec<Matrix3<f64>>,
    /// Whether all bodies are so slow that they may be at rest; they start at rest then.
    pub is_slow: bool,
    /// From the centre of mass to the centre of each given part (m).
    offsets: Vec<Vector3<f64>>,
    /// Index of each given part.
    index: HashMap<usize, u32>,
}

/// Rows of a rotation matrix, one after the other.
fn rows(rotation: &Matrix3<f64>) -> [f64; 9] {
    let r = rotation.transpose();
    std::array::from_fn(|i| r.as_slice()[i])
}

fn two_of(v: &Velocity) -> [[f64; 3]; 2] {
    [v.linear.into(), v.angular.into()]
}

impl Arrays {
    /// Reads an island at the start of a step or substep.
    pub fn fill(
        &mut self,
        (bodies, pairs, pulls): (&[usize], &[Box<Pair>], &[f64]),
        context: &StepContext<'_>,
        local_of: &[usize],
    ) {
        self.fill_bodies(bodies, context);
        self.fill_given(pairs, context);
        let Self { rows, pair_of, pair_of_patch, have_manifold, .. } = self;
        let all = pairs.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK);
        all.map(|pair| pair.manifold.is_some()).collect_into_vec(have_manifold);
        pair_of.clear();
        pair_of_patch.clear();
        rows.clear();
        for (has_manifold, c) in have_manifold.iter().zip(0..) {
            let (rows_of, row): (_, fn(usize) -> Row) =
                if *has_manifold { (&mut *pair_of_patch, Row::Patch) } else { (&mut *pair_of, Row::Point) };
            rows.push(row(rows_of.len()));
            rows_of.push(c);
        }
        let reading = Reading { index: &self.index, context, local_of };
        let contact = |c: &u32| {
            let pair = &pairs[*c as usize];
            Contact { pull: pulls.get(*c as usize).copied().unwrap_or(0.0), ..reading.contact(pair) }
        };
        let all = self.pair_of.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK);
        all.map(contact).collect_into_vec(&mut self.contacts);
        let all = self.pair_of_patch.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK);
        all.map(|c| reading.patch(&pairs[*c as usize])).collect_into_vec(&mut self.patches);
        if bodies.iter().any(|id| context.models.bodies[*id].has_parts()) {
            self.find_parts(pairs, context);
        }
    }

    /// Finds the parts of moving bodies that are polytopes.
    fn find_parts(&mut self, pairs: &[Box<Pair>], context: &StepContext<'_>) {
        let Self { patches, pair_of_patch, shapes, .. } = self;
        for (patch, c) in patches.iter_mut().zip(pair_of_patch).filter(|(patch, _)| !patch.is_callers) {
            let parts = context.models.parts_of(&pairs[*c as usize]);
            patch.parts = parts.map(|part| shapes.part_of(context.models, part));
        }
    }

    fn fill_bodies(&mut self, bodies: &[usize], context: &StepContext<'_>) {
        let all = bodies.par_iter().with_min_len(BODIES_PER_CHUNK);
        all.map(|id| (body(context, *id), context.models.bodies[*id].principal.axes))
            .unzip_into_vecs(&mut self.bodies, &mut self.axes);
        for (id, body) in bodies.iter().zip(&mut self.bodies) {
            body.solid = plain_part(context, *id).and_then(|(part, axes)| self.shapes.index_of(part, axes));
        }
        let limit = FLAT_REST_BELOW_SPEED * context.solver.tolerance;
        let is_slow = |(id, body): (&usize, &Body)| {
            let speed = path_speed(&context.models.bodies[*id], &context.velocities[*id]);
            body.mass * speed <= limit * body.acting
        };
        self.is_slow = bodies.iter().zip(&self.bodies).all(is_slow);
        if self.is_slow {
            self.bodies.iter_mut().for_each(|body| body.velocity = [[0.0; 3]; 2]);
        }
        self.guided.iter().for_each(|guided| guided.put(&mut self.bodies));
    }

    fn fill_given(&mut self, pairs: &[Box<Pair>], context: &StepContext<'_>) {
        self.given.clear();
        self.offsets.clear();
        self.index.clear();
        let fixed = |id: usize| context.models.bodies[id].fixed;
        let given = |pair: &Pair| {
            let parts = context.models.parts_of(pair);
            let is_given = [fixed(pair.body_a), fixed(pair.body_b)];
            [0, 1].into_iter().filter(move |side| is_given[*side]).map(move |side| parts[side])
        };
        let all: Vec<usize> =
            pairs.par_iter().with_min_len(JUDGED_PAIRS_PER_CHUNK).flat_map_iter(|pair| given(pair)).collect();
        for part in all {
            let model = &context.models.parts[part];
            if self.index.contains_key(&part) {
                continue;
            }
            self.index.insert(part, self.given.len() as u32);
            let (start, offset) = (&context.placed[part], context.prescribed[part].ellipsoid.center);
            self.offsets.push(offset);
            self.given.push(GivenBody {
                centre: (start.position + start.ellipsoid.center).into(),
                rotation: rows(&start.shape_rotation),
                semi_axes: semi_axes(&model.shape),
                solid: self.shapes.index_of(model, &model.shape_rotation),
                velocity: two_of(&context.velocities[model.body]),
            });
        }
    }

    /// Arms of a contact point from the centres of mass to the surfaces; `gap` is the way between the
    /// surfaces.
    pub fn arms(&self, c: usize, [arm_a, arm_b]: [Vector3<f64>; 2], gap: Vector3<f64>) -> [Vector3<f64>; 2] {
        let contact = &self.contacts[c];
        if contact.feature.is_some() {
            return [arm_a, arm_b];
        }
        let arm_a = if contact.plane.is_some() { arm_a - gap } else { arm_a };
        self.about_centres(contact.sides, [arm_a, arm_b])
    }

    /// Arms from the centres of mass of given bodies, not from those of their parts.
    pub fn about_centres(&self, sides: [Side; 2], arms: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
        let [mut arm_a, mut arm_b] = arms;
        for (side, arm) in sides.iter().zip([&mut arm_a, &mut arm_b]) {
            if let Side::Given(given) = side {
                *arm += self.offsets[*given as usize];
            }
        }
        [arm_a, arm_b]
    }
}

fn semi_axes(shape: &Shape) -> [f64; 3] {
    match shape {
        Shape::Ellipsoid { semi_axes } => (*semi_axes).into(),
        _ => [0.0; 3],
    }
}

/// Axes in the world in which a part is a solid: the principal axes of a moving body.
pub fn solid_axes(context: &StepContext<'_>, part: usize) -> Matrix3<f64> {
    let body = &context.models.bodies[context.models.parts[part].body];
    let placed = &context.placed[part];
    if body.fixed { placed.shape_rotation } else { placed.rotation * body.principal.axes }
}

/// Normal and offset (m) of a half-space.
type Plane = (Vector3<f64>, f64);

/// Pairs as they are read.
struct Reading<'a> {
    index: &'a HashMap<usize, u32>,
    context: &'a StepContext<'a>,
    local_of: &'a [usize],
}

impl Reading<'_> {
    fn side(&self, id: usize, part: usize) -> Side {
        match self.context.models.bodies[id].fixed {
            true => Side::Given(self.index[&part]),
            false => Side::Moving(self.local_of[id] as u32),
        }
    }

    fn sides(&self, pair: &Pair) -> [Side; 2] {
        let [a, b] = self.context.models.parts_of(pair);
        [self.side(pair.body_a, a), self.side(pair.body_b, b)]
    }

    /// Shift of the image of B (m), the half-space at the end, and the size of the smaller part (m).
    fn place(&self, pair: &Pair) -> ([f64; 3], Option<Plane>, f64) {
        let models = self.context.models;
        let [a, b] = models.parts_of(pair);
        let briefs = [a, b].map(|part| &models.briefs[part]);
        let plane = if briefs[0].is_plane { self.context.prescribed[a].plane } else { None };
        let shift = models.shift(pair.image).unwrap_or_else(Vector3::zeros).into();
        (shift, plane, briefs[0].smaller_size(briefs[1]))
    }

    /// A contact point, without the pull of cohesion.
    fn contact(&self, pair: &Pair) -> Contact {
        let (shift, plane, size) = self.place(pair);
        Contact {
            sides: self.sides(pair),
            normal: plane.map_or(pair.frame.0, |(normal, _)| normal).into(),
            tangent: pair.frame.1.into(),
            shift,
            impulse: pair.impulse,
            friction: pair.friction.coefficient,
            torsion: if pair.n_friction() == 3 { pair.torsion_radius } else { 0.0 },
            rolling: Resistance { length: pair.friction.rolling, arm: size, impulse: pair.rolling_impulse },
            pull: 0.0,
            plane: plane.map(|(_, offset)| offset),
            size,
            feature: (!is_plain_pair(pair, self.context)).then(|| code_of(pair.feature)),
        }
    }

    /// Two parts with several points, without the parts of moving bodies.
    fn patch(&self, pair: &Pair) -> Patch {
        let (shift, plane, size) = self.place(pair);
        let [a, b] = self.context.models.parts_of(pair);
        Patch {
            sides: self.sides(pair),
            shift,
            plane: plane.map(|(normal, offset)| (normal.into(), offset)),
            friction: pair.friction.coefficient,
            torsion: match pair.friction.torsional {
                Torsion::Radius(radius) => Some(radius),
                Torsion::Patch => None,
            },
            size,
            is_callers: !are_polytopes([a, b], self.context),
            parts: [None; 2],
            memory: pair.memory(&solid_axes(self.context, b)),
        }
    }
}

/// The part of a body that is one about its centre of mass, and its principal axes.
fn plain_part<'a>(context: &StepContext<'a>, id: usize) -> Option<(&'a PartModel, &'a Matrix3<f64>)> {
    let model = &context.models.bodies[id];
    let Principal { axes, is_plain, .. } = &model.principal;
    is_plain.then(|| (&context.models.parts[model.parts.start], axes))
}

/// A body with its free velocity, but for the shape of a polytope.
fn body(context: &StepContext<'_>, id: usize) -> Body {
    let (model, h, loads) = (&context.models.bodies[id], context.time_step, context.loads);
    let Principal { moments, axes, .. } = &model.principal;
    let start = context.body_at_start(id);
    let inertia = start.rotation * model.inertia * start.rotation.transpose();
    let inverse = start.rotation * model.inverse_inertia * start.rotation.transpose();
    let velocity = context.velocities[id];
    let push = loads.force[id] * h + loads.linear_impulse[id];
    let twist = loads.torque[id] * h + loads.angular_impulse[id];
    let free =
        Velocity { linear: velocity.linear + push / model.mass, angular: velocity.angular + inverse * twist };
    Body {
        centre: start.position.into(),
        rotation: rows(&(start.rotation * axes)),
        mass: model.mass,
        moments: (*moments).into(),
        semi_axes: plain_part(context, id).map_or([0.0; 3], |(part, _)| semi_axes(&part.shape)),
        solid: None,
        velocity: two_of(&velocity),
        free: two_of(&free),
        acting: acting_impulse(context, id, (&inertia, &inverse)),
        guide: None,
    }
}

/// Bodies of an island on their way to the end of the step.
pub(super) struct Flown<'a> {
    pub context: &'a StepContext<'a>,
    pub bodies: &'a [usize],
    /// Principal axes of each, in axes of the body.
    pub axes: &'a [Matrix3<f64>],
}

impl Flight for Flown<'_> {
    fn end(&self, body: usize, [linear, angular]: [[f64; 3]; 2]) -> ([f64; 3], [f64; 9]) {
        let id = self.bodies[body];
        let end = self.context.end_pose(id, &Velocity { linear: linear.into(), angular: angular.into() });
        (end.position.into(), rows(&(end.rotation() * self.axes[body])))
    }
}
