//! The list of near pairs of a step: swept candidates, exact rejection, data kept from the step before, and
//! pairs that were missed.

use crate::contact::activation::CheckLevel;
use crate::contact::body_model::{BodyModel, Models};
use crate::contact::bore::Bore;
use crate::contact::broad_phase::{BODIES_TOGETHER, BroadPhase, Candidate, Margins};
use crate::contact::ccd::SweptPair;
use crate::contact::feature_search::FeatureSearch;
use crate::contact::pair::{Pair, PointLoads};
use crate::contact::part_model::{MovedPart, place_key, placement_key};
use crate::contact::placed::Placed;
use crate::contact::shared_edge::shares_edge_only;
use crate::contact::tolerances::{COINCIDENT_POINTS, FEATURE_MARGIN, LISTED_GAP, MISSED_OVERLAP};
use nalgebra::Vector3;
use rayon::prelude::*;
use signorini_geometry::Shape;
use signorini_ncp::threads;
use signorini_scene::scene::FrictionTable;

/// Factor of a body's motion over the expected one up to which pairs are not searched again.
const SWEEP_FACTOR: f64 = 1.1;

/// Pairs that a thread examines at a time.
const PORTION: usize = 32;

/// Result of the examination of a candidate.
#[derive(Debug, Clone, Copy)]
enum Examined {
    /// The parts may touch within the step.
    Near,
    Apart,
    /// The parts share an edge only.
    AtEdge,
}

/// Data of a part that the examination of all pairs reads in a step.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Key of the place of its body.
    key: u64,
    /// Margin (m).
    margin: f64,
}

/// Parts of a step, for the examination of pairs.
#[derive(Clone, Copy)]
struct Examination<'a> {
    models: &'a Models,
    placed: &'a [MovedPart],
    seen: &'a [Seen],
}

/// Finds near pairs and keeps them, sorted by bodies and parts, from step to step.
#[derive(Debug, Default)]
pub struct NearPairs {
    /// Pairs of the current step, boxed: each goes to an island and back in every step, and is many times as
    /// large as its address.
    pub pairs: Vec<Box<Pair>>,
    /// Parts that share an edge only, and are listed when they would overlap.
    edge_sharing: Vec<Candidate>,
    margins: Margins,
    broad_phase: BroadPhase,
    previous: Vec<Box<Pair>>,
    /// Candidate of each of `previous`.
    keys: Vec<Candidate>,
    /// Index in `previous` of each candidate that was near in the last step.
    known: Vec<Option<usize>>,
    /// Whether each candidate is far apart.
    apart: Vec<bool>,
    /// Boxes of pairs that turned out to be far apart, reused for the next ones.
    free: Vec<Box<Pair>>,
    places: Vec<Option<Box<Pair>>>,
    /// Candidates that are new and not far apart, and their pairs.
    new: Vec<Candidate>,
    made: Vec<Box<Pair>>,
    search: FeatureSearch,
    found: Vec<Examined>,
    /// Of each part.
    seen: Vec<Seen>,
}

impl NearPairs {
    /// Lists the pairs that may touch within a step: `reach(i)` is the expected motion of body i (m).
    pub fn find(
        &mut self,
        models: &Models,
        friction: &FrictionTable,
        placed: &[MovedPart],
        reach: impl Fn(usize) -> f64 + Sync,
    ) {
        let n = models.bodies.len();
        self.margins.fraction = LISTED_GAP;
        let all = (0..n).into_par_iter().with_min_len(threads::portion(n, BODIES_TOGETHER));
        all.map(|id| SWEEP_FACTOR * reach(id)).collect_into_vec(&mut self.margins.reach);
        self.broad_phase.find(models, placed, &self.margins);
        self.list_candidates(models, friction, placed);
        self.examine_all(models, placed);
    }

    /// Makes pairs of the candidates, but for new ones that a bound shows to be far apart.
    fn list_candidates(&mut self, models: &Models, friction: &FrictionTable, placed: &[MovedPart]) {
        let Self {
            pairs, previous, keys, known, apart, free, places, new, made, margins, broad_phase, ..
        } = self;
        let portion = threads::portion(models.bodies.len(), PORTION);
        let candidates = &broad_phase.candidates;
        std::mem::swap(pairs, previous);
        let all = previous.par_iter().with_min_len(portion);
        all.map(|pair| candidate_of(models, pair)).collect_into_vec(keys);
        find_known(candidates, keys, known);
        let all = candidates.par_iter().zip(&*known).with_min_len(portion);
        all.map(|(candidate, known)| known.is_none() && far_apart(*candidate, models, placed, margins))
            .collect_into_vec(apart);
        let is_new = |c: &usize| known[*c].is_none() && !apart[*c];
        new.clear();
        new.extend((0..candidates.len()).filter(is_new).map(|c| candidates[c]));
        places.clear();
        places.extend(free.drain(..).map(Some).take(new.len()));
        places.resize_with(new.len(), || None);
        let all = new.par_iter().zip(places.par_drain(..)).with_min_len(portion);
        all.map(|(candidate, place)| boxed(new_pair(models, friction, placed, *candidate), place))
            .collect_into_vec(made);
        let (mut old, mut made) = (previous.drain(..).zip(0..), made.drain(..));
        pairs.clear();
        pairs.extend(known.iter().zip(&*apart).filter(|(_, is_apart)| !**is_apart).filter_map(
            |(known, _)| match known {
                Some(known) => old.find(|(_, i)| i == known).map(|(pair, _)| pair),
                None => made.next(),
            },
        ));
    }

    /// Keeps the pairs that may touch within the step, placed at its start.
    fn examine_all(&mut self, models: &Models, placed: &[MovedPart]) {
        let Self { pairs, free, edge_sharing, margins, search, found, seen, .. } = self;
        let portion = threads::portion(models.bodies.len(), BODIES_TOGETHER);
        let all = models.parts.par_iter().zip(placed).with_min_len(portion);
        all.map(|(part, at)| Seen { key: place_key(&at.position, &at.rotation), margin: margins.of(part) })
            .collect_into_vec(seen);
        let by = Examination { models, placed, seen };
        let examine_one = |pair: &mut Box<Pair>, search: &mut FeatureSearch| examine(pair, by, search);
        if models.bodies.len() < threads::SHARED_FROM {
            found.clear();
            found.extend(pairs.iter_mut().map(|pair| examine_one(pair, search)));
        } else {
            let pairs = pairs.par_iter_mut().with_min_len(PORTION);
            let all = pairs.map_init(FeatureSearch::default, |search, pair| examine_one(pair, search));
            all.collect_into_vec(found);
        }
        edge_sharing.clear();
        let mut n_near = 0;
        for (i, found) in found.iter().enumerate() {
            match found {
                Examined::Near => {
                    pairs.swap(n_near, i);
                    n_near += 1;
                }
                Examined::AtEdge => edge_sharing.push(candidate_of(models, &pairs[i])),
                Examined::Apart => (),
            }
        }
        free.clear();
        free.extend(pairs.drain(n_near..));
    }

    /// Adds pairs that are not listed but overlap at the end of the step, or met during the step, placed at
    /// its start; returns how many. `moved(i)` is the true motion of body i (m): unless some body left its
    /// margin only pairs that share an edge are examined.
    pub fn add_missed(
        &mut self,
        models: &Models,
        friction: &FrictionTable,
        [start, end]: [&[MovedPart]; 2],
        moved: impl Fn(usize) -> f64 + Sync,
    ) -> usize {
        let within = |(id, body): (usize, &BodyModel)| {
            let far = moved(id);
            body.fixed || self.seen[body.parts.clone()].iter().all(|part| far <= part.margin)
        };
        let portion = threads::portion(models.bodies.len(), BODIES_TOGETHER);
        if models.bodies.par_iter().enumerate().with_min_len(portion).all(within) {
            return add_overlapping(&mut self.pairs, &self.edge_sharing, models, friction, [start, end]);
        }
        let left: Vec<bool> = models.bodies.iter().enumerate().map(|body| !within(body)).collect();
        // The margins hold all pairs that may have met during the step.
        self.margins.fraction = 0.0;
        for (id, margin) in self.margins.reach.iter_mut().enumerate() {
            *margin = moved(id);
        }
        self.broad_phase.find(models, start, &self.margins);
        // Bodies that stayed within their margins meet only those that are listed.
        let edge_sharing = &self.edge_sharing;
        let may_meet = |candidate: &Candidate| {
            let (a, b, _) = candidate;
            [a, b].iter().any(|part| left[models.parts[**part].body])
                || edge_sharing.binary_search(candidate).is_ok()
        };
        self.broad_phase.candidates.retain(may_meet);
        add_overlapping(&mut self.pairs, &self.broad_phase.candidates, models, friction, [start, end])
    }
}

/// Finds the index in `keys` of each candidate that is there; both are sorted.
fn find_known(candidates: &[Candidate], keys: &[Candidate], known: &mut Vec<Option<usize>>) {
    let mut next = 0;
    known.clear();
    known.extend(candidates.iter().map(|candidate| {
        while keys.get(next).is_some_and(|key| key < candidate) {
            next += 1;
        }
        (keys.get(next) == Some(candidate)).then_some(next)
    }));
}

/// A pair in a box, if there is one in its place.
fn boxed(pair: Pair, place: Option<Box<Pair>>) -> Box<Pair> {
    match place {
        Some(mut place) => {
            *place = pair;
            place
        }
        None => Box::new(pair),
    }
}

/// Whether the gap of a candidate along the line of the centres shows that it is far apart.
fn far_apart((a, b, image): Candidate, models: &Models, placed: &[MovedPart], margins: &Margins) -> bool {
    let sides = [
        Placed::new(&models.parts[a], &placed[a]),
        models.image(Placed::new(&models.parts[b], &placed[b]), image),
    ];
    let bound = match (placed[a].plane, Bore::of(&sides[0])) {
        (Some((n, offset)), _) => sides[1].model.lowest(sides[1].moved, &n) - offset,
        (None, Some(bore)) => bore.least_gap(&sides[0], &sides[1]),
        (None, None) => sides[0].separation_along(&sides[1], &center_direction(&sides[0], &sides[1])),
    };
    bound > margins.of(&models.parts[a]) + margins.of(&models.parts[b])
}

/// Places a pair, unless its gap, or a lower bound of it, shows that it is far apart.
fn examine(pair: &mut Pair, by: Examination<'_>, search: &mut FeatureSearch) -> Examined {
    let Examination { models, placed, seen } = by;
    let parts = models.parts_of(pair);
    let [a, b] = parts.map(|part| seen[part]);
    let (reach, briefs) = (a.margin + b.margin, parts.map(|part| models.briefs[part]));
    let size = briefs[0].smaller_size(&briefs[1]);
    // Two polytopes that touch without load may share an edge only.
    let may_share =
        pair.manifold.is_some() && pair.impulse[0] <= 0.0 && pair.geometry.gap <= COINCIDENT_POINTS * size;
    let is_known = pair.found_at == placement_key([a.key, b.key]) && !may_share;
    if is_known {
        pair.start_feature = Some(pair.feature);
    } else {
        let [a, b] = models.sides(pair, placed);
        if pair.gap_bound(&a, &b) > reach {
            return Examined::Apart;
        }
        pair.begin(&a, &b, FEATURE_MARGIN * size, search);
        if pair.geometry.gap <= reach && shares_edge_only(pair, &a, &b) {
            return Examined::AtEdge;
        }
    }
    if pair.geometry.gap > reach {
        return Examined::Apart;
    }
    let sides = SweptPair::is_far(&briefs, reach).then(|| models.sides(pair, placed));
    pair.swept = sides.and_then(|[a, b]| SweptPair::of(pair.geometry.normal, &a, &b, reach));
    pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
    Examined::Near
}

/// Adds the candidates that are not listed in `pairs` (sorted) but overlap at the second of two placements,
/// placed at the first; returns how many.
pub fn add_overlapping(
    pairs: &mut Vec<Box<Pair>>,
    candidates: &[Candidate],
    models: &Models,
    friction: &FrictionTable,
    placed: [&[MovedPart]; 2],
) -> usize {
    let is_listed = |of: &Candidate| pairs.binary_search_by_key(of, |p| candidate_of(models, p)).is_ok();
    let examine_one = |search: &mut FeatureSearch, candidate: &Candidate| {
        if is_listed(candidate) { None } else { overlapping(*candidate, models, friction, placed, search) }
    };
    let mut found: Vec<Box<Pair>> = if models.bodies.len() < threads::SHARED_FROM {
        let mut search = FeatureSearch::default();
        candidates.iter().filter_map(|candidate| examine_one(&mut search, candidate)).collect()
    } else {
        let candidates = candidates.par_iter().with_min_len(PORTION);
        candidates.map_init(FeatureSearch::default, examine_one).flatten_iter().collect()
    };
    let added = found.len();
    if added > 0 {
        pairs.append(&mut found);
        pairs.sort_by_key(|pair| pair.key());
    }
    added
}

/// Makes the pair of a candidate, placed at the first of two placements, if it overlaps at the second.
fn overlapping(
    candidate: Candidate,
    models: &Models,
    friction: &FrictionTable,
    [start, end]: [&[MovedPart]; 2],
    search: &mut FeatureSearch,
) -> Option<Box<Pair>> {
    // The normal of the start tells from which side the bodies met.
    let mut pair = new_pair(models, friction, start, candidate);
    let [start_a, start_b] = models.sides(&pair, start);
    let [end_a, end_b] = models.sides(&pair, end);
    let length = start_a.model.smaller_size(start_b.model);
    if stays_apart(&pair, [&start_a, &start_b], [&end_a, &end_b]) {
        return None;
    }
    pair.begin(&start_a, &start_b, FEATURE_MARGIN * length, search);
    let frame = (pair.geometry.normal, pair.geometry.tangent_t);
    pair.swept = SweptPair::of(frame.0, &start_a, &start_b, f64::INFINITY);
    pair.refresh([&end_a, &end_b], search, PointLoads::default(), CheckLevel::None);
    let overlaps = pair.geometry.gap < -MISSED_OVERLAP * length && !pair.transmits_nothing();
    pair.frame = frame;
    overlaps.then(|| Box::new(pair))
}

/// Marks pairs to be followed that were not expected to move far, but passed through each other between the
/// placements, [start, end]; returns how many.
pub fn catch_passed(pairs: &mut [Box<Pair>], models: &Models, placed: [&[MovedPart]; 2]) -> usize {
    let examine_one = |search: &mut FeatureSearch, pair: &mut Box<Pair>| {
        if pair.keeps_facing() {
            return 0;
        }
        let [start, end] = placed.map(|at| models.sides(pair, at));
        let size = start[0].model.smaller_size(start[1].model);
        let [[start_a, start_b], [end_a, end_b]] = [&start, &end];
        usize::from(pair.catch_passed([start_a, start_b], [end_a, end_b], size, search))
    };
    if models.bodies.len() < threads::SHARED_FROM {
        let mut search = FeatureSearch::default();
        return pairs.iter_mut().map(|pair| examine_one(&mut search, pair)).sum();
    }
    pairs.par_iter_mut().with_min_len(PORTION).map_init(FeatureSearch::default, examine_one).sum()
}

/// Whether bodies certainly do not touch on a straight way with a steady turn, tested along the normal of a
/// pair at the start; over a half-space: at the end.
fn stays_apart(pair: &Pair, start: [&Placed<'_>; 2], end: [&Placed<'_>; 2]) -> bool {
    if start[0].moved.plane.is_some() || Bore::of(start[0]).is_some() {
        return pair.gap_bound(end[0], end[1]) > 0.0;
    }
    let n = pair.geometry.normal;
    let apart = |at: [&Placed<'_>; 2]| n.dot(&at[0].way_to(at[1]));
    let reach = |side: usize, n: &Vector3<f64>| {
        let turned = (end[side].moved.rotation - start[side].moved.rotation).norm();
        start[side].model.support_width(start[side].moved, n) + turned * start[side].model.radius
    };
    apart(start).min(apart(end)) > reach(0, &n) + reach(1, &-n)
}

/// Candidate from which a pair was made.
fn candidate_of(models: &Models, pair: &Pair) -> Candidate {
    let [a, b] = models.parts_of(pair);
    (a, b, pair.image)
}

fn new_pair(
    models: &Models,
    friction: &FrictionTable,
    placed: &[MovedPart],
    (a, b, image): Candidate,
) -> Pair {
    let [of_a, of_b] = [a, b].map(|i| &models.parts[i]);
    let friction = *friction.between(of_a.material, of_b.material);
    let sides = [Placed::new(of_a, &placed[a]), models.image(Placed::new(of_b, &placed[b]), image)];
    let normal = match (placed[a].plane, Bore::of(&sides[0])) {
        (Some((normal, _)), _) => normal,
        (None, Some(bore)) => bore.normal_to(&sides[0], &sides[1]),
        (None, None) => center_direction(&sides[0], &sides[1]),
    };
    let mut pair =
        Pair::new(of_a, of_b, friction, friction.direction_owner == of_a.material, (image, normal));
    if has_manifold(&of_a.shape) && has_manifold(&of_b.shape) {
        pair.manifold = Some(Box::default());
    }
    pair
}

/// Whether a shape is straight somewhere: two such bodies may touch along a line or a surface. Points that
/// touch a bore have pairs of their own.
fn has_manifold(shape: &Shape) -> bool {
    !shape.is_ellipsoid() && !matches!(shape, Shape::Bore { .. })
}

/// Direction from centre to centre, which suffices as a start of the search for the normal.
fn center_direction(a: &Placed<'_>, b: &Placed<'_>) -> Vector3<f64> {
    let d = match b.shift {
        None => b.moved.position + b.moved.ellipsoid.center - a.moved.position - a.moved.ellipsoid.center,
        Some(_) => a.way_to(b) + b.moved.ellipsoid.center - a.moved.ellipsoid.center,
    };
    d.try_normalize(1e-300).unwrap_or_else(Vector3::z)
}

#[cfg(test)]
mod tests;
