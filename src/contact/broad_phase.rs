//! Candidate pairs: parts of different bodies whose boxes, inflated by their possible motion within the step,
//! overlap.
//!
//! Bodies are swept first, by the boxes around their parts, column by column. Of two bodies whose boxes
//! overlap only those parts are compared whose boxes meet the box of the other body; parts of a body with
//! many are found in a hierarchy of boxes.

use self::columns::{Columns, HasAabb};
pub use self::sorting::Candidate;
use self::sorting::Sorting;
use crate::contact::body_model::{BodyModel, Models};
use crate::contact::bore::Bore;
use crate::contact::part_model::{MovedPart, PartModel};
use crate::contact::part_tree::PartTree;
use crate::contact::placed::Placed;
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_geometry::bore::corners_in_bore;
use signorini_geometry::periodic::{ITSELF, all_of, between};
use signorini_geometry::{Image, PeriodicBox, Shape};
use signorini_ncp::threads;

mod columns;
mod sorting;

/// Bodies that a thread boxes or looks at at a time.
pub const BODIES_TOGETHER: usize = 64;
/// Columns that a thread sweeps at a time.
const COLUMNS_TOGETHER: usize = 1;

/// A box along the world axes (m).
#[derive(Debug, Clone, Copy)]
struct Aabb {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Aabb {
    const EMPTY: Self = Self {
        low: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    fn union(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Returns the box moved by a vector (m).
    fn moved(&self, by: &Vector3<f64>) -> Self {
        Self { low: self.low + by, high: self.high + by }
    }

    /// Whether two boxes overlap, written so that a NaN keeps the pair.
    fn meets(&self, other: &Self) -> bool {
        !(0..3).any(|d| other.low[d] > self.high[d] || self.low[d] > other.high[d])
    }
}

/// Margins by which boxes are inflated (m): a length for each body, and a fraction of the size of each part.
#[derive(Debug, Clone, Default)]
pub struct Margins {
    /// Possible motion of each body (m).
    pub reach: Vec<f64>,
    /// Margin of a part over its size.
    pub fraction: f64,
}

impl Margins {
    /// Margin of a part.
    pub fn of(&self, part: &PartModel) -> f64 {
        self.reach[part.body] + self.fraction * part.size
    }

    /// Largest margin of a body's parts.
    fn largest(&self, id: usize, body: &BodyModel) -> f64 {
        self.reach[id] + self.fraction * body.largest_part
    }
}

/// A body, or an image of it that extends into the periodic box.
#[derive(Debug, Clone, Copy)]
struct ImageBox {
    body: usize,
    image: Image,
    bounds: Aabb,
}

impl HasAabb for ImageBox {
    fn corners(&self) -> [&Vector3<f64>; 2] {
        [&self.bounds.low, &self.bounds.high]
    }
}

/// Sweep along the axis of largest spread, in a fixed order.
#[derive(Debug, Default)]
pub struct BroadPhase {
    /// Box of each part, but not of parts of bodies with a tree; empty for a half-space.
    parts: Vec<Aabb>,
    /// Box of each body; empty where all parts are half-spaces.
    bodies: Vec<Aabb>,
    /// Bodies and images sorted along the axis of the sweep.
    order: Vec<ImageBox>,
    columns: Columns,
    met: Met,
    planes: Vec<PlacedPlane>,
    sorting: Sorting,
    /// Candidates (A, B) of the last call, sorted. A half-space is A; otherwise A < B.
    pub candidates: Vec<Candidate>,
}

/// A half-space with its margin (m).
#[derive(Debug)]
struct PlacedPlane {
    part: usize,
    body: usize,
    normal: Vector3<f64>,
    offset: f64,
    margin: f64,
}

/// Candidates that a thread finds.
#[derive(Debug, Default)]
struct Met {
    candidates: Vec<Candidate>,
    near: [Vec<usize>; 2],
}

/// Placed parts with the margins of their boxes.
#[derive(Clone, Copy)]
struct InflatedParts<'a> {
    models: &'a Models,
    moved: &'a [MovedPart],
    margins: &'a Margins,
}

impl InflatedParts<'_> {
    /// The box of a part.
    fn part(&self, p: usize) -> Aabb {
        let part = &self.models.parts[p];
        let is_alone = self.models.bodies[part.body].parts.len() == 1;
        bounds(part, &self.moved[p], self.margins.of(part), is_alone)
    }

    /// Box that holds those of all parts of a body with a tree.
    fn box_of_all(&self, id: usize, tree: &PartTree) -> Aabb {
        let body = &self.models.bodies[id];
        let at = &self.moved[body.parts.start];
        let (center, half) = tree.around();
        let center = at.position + at.rotation * center;
        let half = at.rotation.abs() * half + Vector3::repeat(self.margins.largest(id, body));
        Aabb { low: center - half, high: center + half }
    }

    /// Finds the parts of a body with a tree whose boxes may meet another box.
    fn near(&self, id: usize, tree: &PartTree, other: &Aabb, found: &mut Vec<usize>) {
        let body = &self.models.bodies[id];
        let at = &self.moved[body.parts.start];
        let center = at.rotation.tr_mul(&((other.low + other.high) / 2.0 - at.position));
        let half = (other.high - other.low) / 2.0 + Vector3::repeat(self.margins.largest(id, body));
        let half = at.rotation.abs().tr_mul(&half);
        tree.near(&(center - half), &(center + half), found);
        found.iter_mut().for_each(|part| *part += body.parts.start);
    }
}

/// Whether one of two bodies moves, and no joint lets them pass through each other.
fn may_touch(models: &Models, [a, b]: [usize; 2]) -> bool {
    let of_a = &models.bodies[a];
    !(of_a.fixed && models.bodies[b].fixed) && of_a.joined.binary_search(&b).is_err()
}

impl Met {
    /// Adds the pairs of parts of two bodies, A < B, whose boxes meet, with B in its image.
    fn add_part_pairs(
        &mut self,
        (inflated, parts, bodies): (&InflatedParts<'_>, &[Aabb], &[Aabb]),
        [a, b]: [usize; 2],
        image: Image,
    ) {
        let sides = [a, b].map(|id| &inflated.models.bodies[id]);
        if sides.iter().all(|body| body.parts.len() == 1) {
            return self.candidates.push((sides[0].parts.start, sides[1].parts.start, image));
        }
        let Self { near, candidates } = self;
        let (few, many) = if sides[0].parts.len() <= sides[1].parts.len() { (a, b) } else { (b, a) };
        let shift = inflated.models.periodic.map_or_else(Vector3::zeros, |periodic| periodic.shift(image));
        // Vector from the image that is met, of the body with more parts, to that body itself.
        let back = if many == b { -shift } else { shift };
        let [of_few, of_many] = near;
        let box_of =
            |tree: Option<&PartTree>, p: usize| if tree.is_some() { inflated.part(p) } else { parts[p] };
        let list = |id: usize, other: &Aabb, found: &mut Vec<usize>| {
            let body = &inflated.models.bodies[id];
            match &body.tree {
                Some(tree) => inflated.near(id, tree, other, found),
                None => {
                    found.clear();
                    found.extend(body.parts.clone().filter(|part| parts[*part].meets(other)));
                }
            }
        };
        let trees = [few, many].map(|id| inflated.models.bodies[id].tree.as_ref());
        list(few, &bodies[many].moved(&-back), of_few);
        if trees[1].is_none() {
            list(many, &bodies[few].moved(&back), of_many);
        }
        for &p in &*of_few {
            let own = box_of(trees[0], p).moved(&back);
            if trees[1].is_some() {
                list(many, &own, of_many);
            }
            let met = of_many.iter().filter(|q| own.meets(&box_of(trees[1], **q)));
            candidates.extend(met.map(|q| (p.min(*q), p.max(*q), image)));
        }
    }
}

impl BroadPhase {
    /// Finds all pairs of parts of different bodies, at least one of which moves, whose inflated boxes
    /// overlap.
    pub fn find(&mut self, models: &Models, moved: &[MovedPart], margins: &Margins) {
        let inflated = InflatedParts { models, moved, margins };
        let n = models.bodies.len();
        self.boxes(&inflated);
        self.candidates.clear();
        self.add_half_space_pairs(&inflated);
        self.add_bore_pairs(&inflated);
        let axis = self.widest_axis();
        self.list_images(models.periodic.as_ref());
        let by_place = |i: &ImageBox, j: &ImageBox| {
            let by_low = i.bounds.low[axis].total_cmp(&j.bounds.low[axis]);
            by_low.then((i.body, i.image).cmp(&(j.body, j.image)))
        };
        self.order.par_sort_unstable_by(by_place);
        let Self { parts, bodies, order, columns, met, sorting, candidates, .. } = self;
        let portion = threads::portion(n, COLUMNS_TOGETHER);
        let others = columns.sweep((&*order, axis), portion, met, |met, i, j| {
            let (i, j) = (&order[i], &order[j]);
            // No body is so long that it meets its own image.
            if i.body != j.body && i.bounds.meets(&j.bounds) && may_touch(models, [i.body, j.body]) {
                let (a, b) = if i.body < j.body { (i, j) } else { (j, i) };
                let image = between(a.image, b.image);
                met.add_part_pairs((&inflated, parts, bodies), [a.body, b.body], image);
            }
        });
        candidates.append(&mut met.candidates);
        others.into_iter().for_each(|mut met| candidates.append(&mut met.candidates));
        sorting.sort(candidates, (models.parts.len(), n));
        // Bodies that meet at a face of the periodic box meet at the opposite one, too.
        candidates.dedup();
    }

    /// Lists all bodies with boxes, or their images that extend into the periodic box: two that meet anywhere
    /// meet in it.
    fn list_images(&mut self, periodic: Option<&PeriodicBox>) {
        let Self { bodies, order, .. } = self;
        order.clear();
        for (body, bounds) in bodies.iter().enumerate().filter(|(_, b)| b.low.x != f64::INFINITY) {
            let Some(periodic) = periodic else {
                order.push(ImageBox { body, image: ITSELF, bounds: *bounds });
                continue;
            };
            let images = all_of(periodic.images(&bounds.low, &bounds.high));
            order.extend(images.map(|image| ImageBox {
                body,
                image,
                bounds: bounds.moved(&periodic.shift(image)),
            }));
        }
    }

    fn boxes(&mut self, inflated: &InflatedParts<'_>) {
        let models = inflated.models;
        let n = models.bodies.len();
        self.parts.resize(models.parts.len(), Aabb::EMPTY);
        let first = |id: usize| models.first_part.get(id).copied().unwrap_or(models.parts.len());
        let portion = threads::portion(n, BODIES_TOGETHER);
        threads::each_with_own(0..n, &mut self.parts, portion, &first, &|id, own| {
            if models.bodies[id].tree.is_none() {
                own.iter_mut().zip(first(id)..).for_each(|(part, p)| *part = inflated.part(p));
            }
        });
        let parts = &self.parts;
        let around = |id: usize| match &models.bodies[id].tree {
            Some(tree) => inflated.box_of_all(id, tree),
            None => parts[first(id)..first(id + 1)].iter().fold(Aabb::EMPTY, |all, part| all.union(part)),
        };
        (0..n).into_par_iter().with_min_len(portion).map(around).collect_into_vec(&mut self.bodies);
    }

    fn add_half_space_pairs(&mut self, &InflatedParts { models, moved, margins }: &InflatedParts<'_>) {
        let planes = &mut self.planes;
        planes.clear();
        planes.extend(models.half_spaces.iter().filter_map(|&part| {
            let ((normal, offset), model) = (moved[part].plane?, &models.parts[part]);
            Some(PlacedPlane { part, body: model.body, normal, offset, margin: margins.of(model) })
        }));
        let portion = threads::portion(models.bodies.len(), BODIES_TOGETHER);
        let all = &mut self.candidates;
        let others = threads::portions(models.bodies.len(), portion, all, |found, id| {
            let body = &models.bodies[id];
            let center = &moved[body.parts.start].position;
            let widest = margins.largest(id, body);
            for plane in planes.iter().filter(|plane| may_touch(models, [plane.body, id])) {
                let (n, offset, own) = (&plane.normal, plane.offset, plane.margin);
                if body.parts.len() > 1 && n.dot(center) - body.radius - offset > widest + own {
                    continue;
                }
                for i in body.parts.clone() {
                    let part = &models.parts[i];
                    if part.lowest(&moved[i], n) - offset <= margins.of(part) + own {
                        found.push((plane.part, i, ITSELF));
                    }
                }
            }
        });
        others.into_iter().for_each(|mut found| all.append(&mut found));
    }

    /// Adds each part of a bore with the parts of bodies that have the point that it is for.
    fn add_bore_pairs(&mut self, &InflatedParts { models, moved, margins }: &InflatedParts<'_>) {
        for &p in &models.bores {
            let own = Placed::new(&models.parts[p], &moved[p]);
            let Some(bore) = Bore::of(&own) else { continue };
            for (i, part) in models.parts.iter().enumerate() {
                let corner = own.model.index;
                let has_point = corner < corners_in_bore(&part.shape) && !part.shared.has_corner(corner);
                if has_point && may_touch(models, [own.model.body, part.body]) {
                    let reach = margins.of(part) + margins.of(own.model);
                    if bore.least_gap(&own, &Placed::new(part, &moved[i])) <= reach {
                        self.candidates.push((p, i, ITSELF));
                    }
                }
            }
        }
    }

    fn widest_axis(&self) -> usize {
        let finite = self.bodies.iter().filter(|body| body.low.x.is_finite());
        let all = finite.fold(Aabb::EMPTY, |all, body| all.union(body));
        (all.high - all.low).imax()
    }
}

/// Box that holds a part. A body of one shape is boxed by its ball: a tighter box would cost more than the
/// pairs that it spares.
fn bounds(part: &PartModel, at: &MovedPart, margin: f64, is_alone: bool) -> Aabb {
    if matches!(part.shape, Shape::HalfSpace { .. } | Shape::Bore { .. }) {
        return Aabb::EMPTY;
    }
    if !is_alone && !part.shape.is_ellipsoid() {
        let along = |d: usize, sign: f64| part.support_width(at, &(Vector3::ith(d, sign))) + margin;
        let low = Vector3::from_fn(|d, _| at.position[d] - along(d, -1.0));
        return Aabb { low, high: Vector3::from_fn(|d, _| at.position[d] + along(d, 1.0)) };
    }
    let center = at.position + at.ellipsoid.center;
    let half = Vector3::from_fn(|i, _| at.ellipsoid.q[(i, i)].sqrt() + margin);
    Aabb { low: center - half, high: center + half }
}

#[cfg(test)]
mod tests;
