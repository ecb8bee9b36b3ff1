//! Separation of the parts of ALL pairs of bodies, listed as contacts or not, by a sort-and-sweep over boxes
//! of its own: of the bodies first, then of the parts of those that meet.
//!
//! A pair of bounded parts whose boxes are apart needs nothing more. For the others any direction with a
//! positive separation proves the separation; the direction of the last step is tried first, and the search
//! of [`super::gap`] runs only where that fails or where the pair may hold the smallest gap of the scene.

use super::bodies::BodyInStep;
use super::gap::{plane_gap, signed_gap};
use super::image::{NO_IMAGE, displacement, images_of};
use super::part_boxes::{Corners, PartBoxes, meet};
use super::part_in_step::PartInStep;
use super::placed::{PlacedShape, separation_along};
use crate::step::ContactRecord;
use nalgebra::Vector3;
use signorini_geometry::Image;
use signorini_scene::scene::Scene;
use std::borrow::Cow;

/// Part of the mean size by which boxes are grown, so that `min_gap` knows nearly touching pairs too.
const MARGIN: f64 = 0.1;

/// Rounding of the height of a ball over a plane, over the sum of its parts: a product of three, two
/// differences, and the normal, whose length is one to rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The smallest signed gap found, absolute and over the size of the smaller part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallestGap {
    /// Smallest gap (m).
    pub absolute: f64,
    /// Smallest gap over the size of the smaller part.
    pub relative: f64,
}

impl SmallestGap {
    /// Value before any pair.
    pub const NONE: Self = Self { absolute: f64::INFINITY, relative: f64::INFINITY };

    /// Adds a pair. NaN wins over every number and stays.
    pub fn add(&mut self, gap: f64, size: f64) {
        if gap.is_nan() || gap < self.absolute {
            self.absolute = gap;
        }
        if gap.is_nan() || gap / size < self.relative {
            self.relative = gap / size;
        }
    }

    /// Whether a pair whose gap is at least `bound` may still be the smallest.
    fn may_change(&self, bound: f64, size: f64) -> bool {
        !(bound >= self.absolute && bound / size >= self.relative)
    }
}

/// Key of two bodies, or two parts, as one sortable number, the smaller index first.
pub fn pair_key(a: usize, b: usize) -> u64 {
    ((a.min(b) as u64) << 32) | a.max(b) as u64
}

/// Key of two parts, and the image of the second.
type Key = (u64, Image);

/// A body, or an image of it, with the box around it (m).
type Entry = (usize, Image, Corners);

/// The sweep with its workspace.
#[derive(Debug, Clone, Default)]
pub struct PairSweep {
    /// Body and index of each part; parts are numbered body by body.
    parts: Vec<(usize, usize)>,
    /// Number of the first part of each body.
    first: Vec<usize>,
    /// Pairs of parts of the contact list, which are judged with the contacts.
    listed: Vec<Key>,
    /// Numbers of the half-spaces.
    half_spaces: Vec<usize>,
    /// Boxes of each body.
    boxes: Vec<PartBoxes>,
    /// Bodies along the axis of the sweep.
    order: Vec<Entry>,
    near: Vec<Key>,
    /// Separating directions of the last step, sorted by pair, and those of this one.
    known: Vec<(Key, Vector3<f64>)>,
    found: Vec<(Key, Vector3<f64>)>,
}

impl PairSweep {
    /// Lowers `smallest` by every pair that may be near, but for those `joined` and those of `contacts`.
    pub fn lower<'a>(
        &mut self,
        (scene, bodies): (&Scene, &[BodyInStep]),
        joined: &[u64],
        contacts: impl Iterator<Item = &'a ContactRecord>,
        smallest: &mut SmallestGap,
    ) {
        self.number(bodies);
        self.listed.clear();
        let number = |body: usize, part: usize| self.first[body] + part;
        self.listed.extend(contacts.map(|c| {
            let (a, b) = (number(c.body_a, c.part_a), number(c.body_b, c.part_b));
            (pair_key(a, b), if a < b { c.image } else { c.image.map(|n| -n) })
        }));
        self.listed.sort_unstable();
        self.add_half_spaces(bodies, joined, smallest);
        self.add_bores(bodies, joined, smallest);
        self.boxes(bodies);
        self.collect_near(scene, bodies, joined);
        self.near.sort_unstable();
        self.near.dedup();
        self.found.clear();
        let (mut i_listed, mut i_known) = (0, 0);
        for &key in &self.near {
            while self.listed.get(i_listed).is_some_and(|k| *k < key) {
                i_listed += 1;
            }
            if self.listed.get(i_listed) == Some(&key) {
                continue;
            }
            while self.known.get(i_known).is_some_and(|k| k.0 < key) {
                i_known += 1;
            }
            let known = self.known.get(i_known).filter(|k| k.0 == key).map(|k| k.1);
            let (pair, image) = key;
            let (a, b) = ((pair >> 32) as usize, (pair & 0xffff_ffff) as usize);
            let [a, b] = [a, b].map(|number| self.part(bodies, number));
            let mut of_b = Cow::Borrowed(&b.placed);
            if image != NO_IMAGE {
                of_b.to_mut().displace(&displacement(scene, image));
            }
            let size = a.size.min(b.size);
            self.found.push((key, separate(&a.placed, &of_b, known, size, smallest)));
        }
        std::mem::swap(&mut self.known, &mut self.found);
    }

    /// Judges every half-space against every part of every moving body, exactly.
    fn add_half_spaces(&self, bodies: &[BodyInStep], joined: &[u64], smallest: &mut SmallestGap) {
        for &i in &self.half_spaces {
            let owner = &self.parts[i].0;
            let PlacedShape::HalfSpace { normal, offset } = &self.part(bodies, i).placed else { continue };
            let others = bodies.iter().enumerate().filter(|(_, b)| b.moving);
            for (id, body) in others.filter(|(id, _)| joined.binary_search(&pair_key(*owner, *id)).is_err()) {
                for (part, j) in body.parts.iter().zip(self.first[id]..) {
                    let above = least_above(normal, *offset, &part.placed);
                    if above >= 0.0 && !smallest.may_change(above, part.size) {
                        continue;
                    }
                    if self.listed.binary_search(&(pair_key(i, j), NO_IMAGE)).is_err() {
                        smallest.add(plane_gap(normal, *offset, &part.placed), part.size);
                    }
                }
            }
        }
    }

    /// Judges every bore against every part of every moving body: the point of it that is farthest from the
    /// axis, whichever points are listed.
    fn add_bores(&self, bodies: &[BodyInStep], joined: &[u64], smallest: &mut SmallestGap) {
        for (owner, body) in bodies.iter().enumerate() {
            let Some(PartInStep { placed: bored @ PlacedShape::Bore(bore), .. }) = body.parts.first() else {
                continue;
            };
            let others = bodies.iter().enumerate().filter(|(_, b)| b.moving);
            let others = others.filter(|(id, _)| joined.binary_search(&pair_key(owner, *id)).is_err());
            for part in others.flat_map(|(_, other)| &other.parts) {
                let far = part.placed.center().map_or(f64::NAN, |center| {
                    let way = center - bore.center;
                    (way - bore.axis * bore.axis.dot(&way)).norm() + part.placed.radius()
                });
                let least = bore.radius - far - ROUNDING * (bore.center.norm() + far);
                if least >= 0.0 && !smallest.may_change(least, part.size) {
                    continue;
                }
                smallest.add(signed_gap(bored, &part.placed, None).0, part.size);
            }
        }
    }

    /// Numbers the parts, once.
    fn number(&mut self, bodies: &[BodyInStep]) {
        if self.first.len() == bodies.len() {
            return;
        }
        self.parts.clear();
        self.first.clear();
        for (body, judged) in bodies.iter().enumerate() {
            self.first.push(self.parts.len());
            self.parts.extend((0..judged.parts.len()).map(|part| (body, part)));
        }
        let is_half_space = |i: &usize| matches!(self.part(bodies, *i).placed, PlacedShape::HalfSpace { .. });
        self.half_spaces = (0..self.parts.len()).filter(is_half_space).collect();
        self.boxes = vec![PartBoxes::default(); bodies.len()];
    }

    fn part<'a>(&self, bodies: &'a [BodyInStep], number: usize) -> &'a PartInStep {
        let (body, part) = self.parts[number];
        &bodies[body].parts[part]
    }

    /// Updates the axis-aligned boxes of the bounded parts, grown by half the margin each.
    fn boxes(&mut self, bodies: &[BodyInStep]) {
        let (mut size, mut n) = (0.0, 0.0);
        for part in bodies.iter().filter(|b| b.moving).flat_map(|body| &body.parts) {
            size += part.size;
            n += 1.0;
        }
        let grown = if n > 0.0 { 0.5 * MARGIN * size / n } else { 0.0 };
        self.boxes
            .iter_mut()
            .zip(bodies)
            .for_each(|(boxes, body)| boxes.follow((&body.parts, body.pose()), grown));
    }

    /// Sorts bodies along the axis on which they are spread most and lists pairs of parts whose boxes
    /// overlap.
    fn collect_near(&mut self, scene: &Scene, bodies: &[BodyInStep], joined: &[u64]) {
        let axis = self.widest_axis();
        self.enter(scene);
        let Self { boxes, order, near, first, .. } = self;
        order.sort_unstable_by(|i, j| i.2.0[axis].total_cmp(&j.2.0[axis]).then((i.0, i.1).cmp(&(j.0, j.1))));
        near.clear();
        for (place, (i, image_i, around_i)) in order.iter().enumerate() {
            for (j, image_j, around_j) in &order[place + 1..] {
                if around_j.0[axis] > around_i.1[axis] {
                    break;
                }
                // Bodies are far apart in memory: boxes, which are not, tell most pairs.
                if !meet(around_i, around_j) || i == j {
                    continue;
                }
                let are_fixed = !(bodies[*i].moving || bodies[*j].moving);
                if are_fixed || joined.binary_search(&pair_key(*i, *j)).is_ok() {
                    continue;
                }
                let (few, many) = if boxes[*i].len() <= boxes[*j].len() { (*i, *j) } else { (*j, *i) };
                let (of_few, of_many) = if few == *i { (image_i, image_j) } else { (image_j, image_i) };
                let apart = [0, 1, 2].map(|d| of_many[d] - of_few[d]);
                let image = if few < many { apart } else { apart.map(|n| -n) };
                let way = displacement(scene, apart);
                for k in boxes[few].near(&moved(&boxes[many].around, &way)) {
                    let own = moved(boxes[few].part(k), &-way);
                    let met = boxes[many].near(&own);
                    near.extend(met.map(|l| (pair_key(first[few] + k, first[many] + l), image)));
                }
            }
        }
    }

    /// Lists all bodies with the boxes around them; in a periodic box all images that extend into it.
    fn enter(&mut self, scene: &Scene) {
        let Self { boxes, order, .. } = self;
        order.clear();
        for (id, PartBoxes { around, .. }) in boxes.iter().enumerate() {
            match &scene.periodic {
                None => order.push((id, NO_IMAGE, *around)),
                Some(periodic) => {
                    let images = images_of(periodic, around).into_iter();
                    order.extend(images.map(|n| (id, n, moved(around, &displacement(scene, n)))));
                }
            }
        }
    }

    fn widest_axis(&self) -> usize {
        let (mut sum, mut squares, mut n) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        let bounded = self.boxes.iter().map(|boxes| (boxes.around.0 + boxes.around.1) / 2.0);
        for center in bounded.filter(|center| center.iter().all(|x| x.is_finite())) {
            sum += center;
            squares += center.component_mul(&center);
            n += 1.0;
        }
        if n == 0.0 {
            return 0;
        }
        let mean: Vector3<f64> = sum / n;
        (squares / n - mean.component_mul(&mean)).imax()
    }
}

/// Returns a box moved by a vector (m).
fn moved((low, high): &Corners, way: &Vector3<f64>) -> Corners {
    (low + way, high + way)
}

/// Lower bound (m) of the gap over the plane n·x = offset, by the ball around the shape; NaN where there is
/// none.
fn least_above(n: &Vector3<f64>, offset: f64, placed: &PlacedShape) -> f64 {
    let Some(center) = placed.center() else { return f64::NAN };
    let radius = placed.radius();
    let parts = center.norm() + offset.abs() + radius;
    n.dot(&center) - offset - radius - ROUNDING * parts
}

/// Proves two bounded shapes separate or finds the depth of their overlap; returns the direction to try next
/// time.
fn separate(
    a: &PlacedShape,
    b: &PlacedShape,
    known: Option<Vector3<f64>>,
    size: f64,
    smallest: &mut SmallestGap,
) -> Vector3<f64> {
    let between = || (b.center()? - a.center()?).try_normalize(0.0);
    let between = between();
    for n in [known, between].into_iter().flatten() {
        let bound = separation_along(a, b, &n);
        if bound >= 0.0 && !smallest.may_change(bound, size) {
            return n;
        }
    }
    // The gap depends on the state alone, whatever steps were judged before.
    let (gap, n) = signed_gap(a, b, between.as_ref());
    smallest.add(gap, size);
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Polytope, Pose, Shape};

    #[test]
    fn no_gap_over_a_plane_is_below_its_bound() {
        let mut random = Pcg64::seed_from_u64(3);
        for case in 0..3000 {
            let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
            let half = three(0.5).abs().add_scalar(0.01);
            let shape = match case % 4 {
                0 => Shape::Ellipsoid { semi_axes: Vector3::repeat(half.x) },
                1 => Shape::Ellipsoid { semi_axes: half },
                2 => Shape::Cylinder { radius: half.x, half_length: half.y },
                _ => Shape::Polytope(Polytope::box_(half).into()),
            };
            let n = three(1.0).normalize();
            // Places are up to a million sizes away.
            let position = three(10f64.powi(case / 4 % 7));
            let orientation = UnitQuaternion::from_scaled_axis(three(2.0));
            // Of some bodies the farthest point is where the plane is.
            let placed = PlacedShape::new(&shape, &Pose::identity(), &Pose { position, orientation });
            let towards = if case % 3 == 0 { n } else { placed.arm(&-three(1.0)).normalize() * -1.0 };
            let offset = towards.dot(&position) - if case % 5 == 0 { half.x } else { 0.3 };
            let (bound, gap) = (least_above(&towards, offset, &placed), plane_gap(&towards, offset, &placed));
            assert!(bound <= gap, "case {case}: {bound} above {gap}");
            let slack = placed.radius() + 1e-9 * position.norm();
            assert!(gap - bound <= slack, "case {case}: {bound} far below {gap}");
        }
        let plane = PlacedShape::HalfSpace { normal: Vector3::z(), offset: 0.0 };
        assert!(least_above(&Vector3::z(), 0.0, &plane).is_nan());
    }
}
