//! Separation of the parts of ALL pairs of bodies, listed as contacts or not: sort-and-sweep over boxes of
//! its own.
//!
//! A pair of bounded parts whose boxes are apart needs nothing more. For the others any direction with a
//! positive separation proves the separation; the direction of the last step is tried first, and the search
//! of [`super::gap`] runs only where that fails or where the pair may hold the smallest gap of the scene.

use super::bodies::{BodyInStep, PartInStep};
use super::gap::{plane_gap, signed_gap};
use super::placed::{PlacedShape, separation_along};
use crate::step::ContactRecord;
use nalgebra::Vector3;

/// Boxes are grown by this part of the mean size, so that `min_gap` knows nearly touching pairs too.
const MARGIN: f64 = 0.1;

/// The smallest signed gap found, absolute and over the size of the smaller part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallestGap {
    /// Metres.
    pub absolute: f64,
    /// Over the size of the smaller part.
    pub relative: f64,
}

impl SmallestGap {
    /// No pair seen yet.
    pub const NONE: Self = Self { absolute: f64::INFINITY, relative: f64::INFINITY };

    /// Takes a pair in. NaN wins over every number and stays.
    pub fn see(&mut self, gap: f64, size: f64) {
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

/// Two bodies, or two parts, as one sortable number, the smaller index first.
pub fn pair_key(a: usize, b: usize) -> u64 {
    ((a.min(b) as u64) << 32) | a.max(b) as u64
}

/// The sweep with its workspace.
#[derive(Debug, Clone, Default)]
pub struct PairSweep {
    /// Body and index of each part; parts are numbered body by body.
    parts: Vec<(usize, usize)>,
    /// The number of the first part of each body.
    first: Vec<usize>,
    /// Pairs of parts of the contact list, which are judged there.
    listed: Vec<u64>,
    low: Vec<Vector3<f64>>,
    high: Vec<Vector3<f64>>,
    order: Vec<u32>,
    near: Vec<u64>,
    /// Separating directions of the last step, sorted by pair, and those of this one.
    known: Vec<(u64, Vector3<f64>)>,
    found: Vec<(u64, Vector3<f64>)>,
}

impl PairSweep {
    /// Lowers `smallest` by every pair that may be near, but for those `joined` and those of `contacts`.
    pub fn lower<'a>(
        &mut self,
        bodies: &[BodyInStep],
        joined: &[u64],
        contacts: impl Iterator<Item = &'a ContactRecord>,
        smallest: &mut SmallestGap,
    ) {
        self.number(bodies);
        self.listed.clear();
        let number = |body: usize, part: usize| self.first[body] + part;
        self.listed
            .extend(contacts.map(|c| pair_key(number(c.body_a, c.part_a), number(c.body_b, c.part_b))));
        self.listed.sort_unstable();
        self.half_spaces(bodies, joined, smallest);
        self.boxes(bodies);
        self.collect_near(bodies, joined);
        self.near.sort_unstable();
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
            let (a, b) = ((key >> 32) as usize, (key & 0xffff_ffff) as usize);
            let [a, b] = [a, b].map(|number| self.part(bodies, number));
            let size = a.size.min(b.size);
            self.found.push((key, separate(&a.placed, &b.placed, known, size, smallest)));
        }
        std::mem::swap(&mut self.known, &mut self.found);
    }

    /// Every half-space against every part of every moving body, exact.
    fn half_spaces(&self, bodies: &[BodyInStep], joined: &[u64], smallest: &mut SmallestGap) {
        for (i, (owner, _)) in self.parts.iter().enumerate() {
            let PlacedShape::HalfSpace { normal, offset } = &self.part(bodies, i).placed else { continue };
            let others = bodies.iter().enumerate().filter(|(_, b)| b.moving);
            for (id, body) in others.filter(|(id, _)| joined.binary_search(&pair_key(*owner, *id)).is_err()) {
                for (part, j) in body.parts.iter().zip(self.first[id]..) {
                    if self.listed.binary_search(&pair_key(i, j)).is_err() {
                        smallest.see(plane_gap(normal, *offset, &part.placed), part.size);
                    }
                }
            }
        }
    }

    /// Numbers the parts.
    fn number(&mut self, bodies: &[BodyInStep]) {
        self.parts.clear();
        self.first.clear();
        for (body, judged) in bodies.iter().enumerate() {
            self.first.push(self.parts.len());
            self.parts.extend((0..judged.parts.len()).map(|part| (body, part)));
        }
    }

    fn part<'a>(&self, bodies: &'a [BodyInStep], number: usize) -> &'a PartInStep {
        let (body, part) = self.parts[number];
        &bodies[body].parts[part]
    }

    /// Axis-aligned boxes of the bounded parts, grown by half the margin each.
    fn boxes(&mut self, bodies: &[BodyInStep]) {
        let (mut size, mut n) = (0.0, 0.0);
        for part in bodies.iter().filter(|b| b.moving).flat_map(|body| &body.parts) {
            size += part.size;
            n += 1.0;
        }
        let grown = Vector3::repeat(if n > 0.0 { 0.5 * MARGIN * size / n } else { 0.0 });
        self.low.clear();
        self.high.clear();
        if self.order.len() != self.parts.len() {
            self.order = (0..self.parts.len() as u32).collect();
        }
        for part in bodies.iter().flat_map(|body| &body.parts) {
            // Half-spaces are judged apart; an empty box meets nothing.
            let (low, high) = match part.placed {
                PlacedShape::HalfSpace { .. } => {
                    (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY))
                }
                _ => part.placed.bounds(),
            };
            let (low, high) = (low - grown, high + grown);
            self.low.push(low);
            self.high.push(high);
        }
    }

    /// Sorts along the axis on which the boxes are spread most and lists pairs whose boxes overlap.
    fn collect_near(&mut self, bodies: &[BodyInStep], joined: &[u64]) {
        let axis = self.widest_axis(bodies);
        let (low, high) = (&self.low, &self.high);
        self.order.sort_unstable_by(|i, j| {
            low[*i as usize][axis].total_cmp(&low[*j as usize][axis]).then(i.cmp(j))
        });
        self.near.clear();
        for (place, &i) in self.order.iter().enumerate() {
            let i = i as usize;
            for &j in &self.order[place + 1..] {
                let j = j as usize;
                // Written so that a NaN keeps the pair.
                if low[j][axis] > high[i][axis] {
                    break;
                }
                let apart = (0..3).any(|k| low[j][k] > high[i][k] || low[i][k] > high[j][k]);
                let (a, b) = (self.parts[i].0, self.parts[j].0);
                if apart || a == b || !(bodies[a].moving || bodies[b].moving) {
                    continue;
                }
                if joined.binary_search(&pair_key(a, b)).is_err() {
                    self.near.push(pair_key(i, j));
                }
            }
        }
    }

    fn widest_axis(&self, bodies: &[BodyInStep]) -> usize {
        let (mut sum, mut squares, mut n) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        for part in bodies.iter().flat_map(|body| &body.parts) {
            if let Some(center) = part.placed.center() {
                sum += center;
                squares += center.component_mul(&center);
                n += 1.0;
            }
        }
        if n == 0.0 {
            return 0;
        }
        let mean: Vector3<f64> = sum / n;
        (squares / n - mean.component_mul(&mean)).imax()
    }
}

/// Proves two bounded shapes separate or finds how deep they are; returns the direction to try next time.
fn separate(
    a: &PlacedShape,
    b: &PlacedShape,
    known: Option<Vector3<f64>>,
    size: f64,
    smallest: &mut SmallestGap,
) -> Vector3<f64> {
    let guess = known.or_else(|| (b.center()? - a.center()?).try_normalize(0.0));
    if let Some(n) = guess {
        let bound = separation_along(a, b, &n);
        if bound >= 0.0 && !smallest.may_change(bound, size) {
            return n;
        }
    }
    let (gap, n) = signed_gap(a, b, guess.as_ref());
    smallest.see(gap, size);
    n
}
