//! A pair at given poses: its points, its frame, and the impulses that they take over from the rows, by name,
//! else by place.

use crate::bodies::Pose;
use crate::numbers::{Vector, add_scaled, cross, dot, scale, sub, sub_scaled};
use crate::parameters::{
    CHECKED_MARGIN, FURTHER_IF_TAKEN, LEAN, LEAST_LOAD, LEAST_RADIUS_CHANGE, LEAST_TORSION, LEFT_MOMENT,
    MOST_POINTS, OPEN_REGION, POINT_MARGIN, RUNS, SAME_NORMAL_SQUARE, SHORT_TANGENT,
};
use crate::patch::apart::Apart;
use crate::patch::axis::{Axis, Chosen, Separations, Stay, along, normal, resolved};
use crate::patch::batch::{PatchBatch, PatchLane, Torsion, vector_of};
use crate::patch::manifold::{Manifold, Name, Point, Within};
use crate::patch::response::{Frame, Wrench, centre, friction_wrench, wrench_at};
use crate::patch::solid::{PlacedSolid, any_tangent, unit};
use crate::region::{Corner, mean_radius};
use crate::surfaces::{Known, Surfaces};

/// How points are found.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// Whether the residual is wanted: a loaded axis is kept, what is open is left out.
    pub is_check: bool,
    /// Separation that a known axis may lack (m).
    pub slack: f64,
    /// Part of an overlap that a known axis may lack.
    pub part: f64,
    /// Which points count.
    pub within: Within,
    /// Largest moment that impulses along different normals may leave, in the unit of the pair times its
    /// size.
    pub most_moment: f64,
    /// Change of a gap that leaves the residual within the tolerance (m): e_r may be that of any such gaps.
    pub leeway: f64,
}

impl How {
    /// How a turn finds points.
    pub fn of_turn(pair: &PatchLane, tolerance: f64, part: f64) -> Self {
        let within = Within { margin: POINT_MARGIN * pair.size, lean: LEAN * tolerance };
        let most_moment = LEFT_MOMENT * tolerance;
        Self { is_check: false, slack: pair.slack, part, within, most_moment, leeway: 0.0 }
    }

    /// How the check finds points.
    pub fn of_check(pair: &PatchLane, tolerance: f64, leeway: f64) -> Self {
        let within = Within { margin: CHECKED_MARGIN * pair.size, lean: LEAN * tolerance };
        let most_moment = LEFT_MOMENT * tolerance;
        Self { is_check: true, slack: pair.slack, part: 0.0, within, most_moment, leeway }
    }
}

/// Tools that find points.
pub struct Search<'a> {
    /// Separations of polytopes.
    pub separations: &'a mut Separations,
    /// Points of the pairs that are the caller's.
    pub surfaces: Option<&'a dyn Surfaces>,
}

/// A pair at given poses.
#[derive(Clone, Copy)]
pub struct Found {
    /// Its points.
    pub manifold: Manifold,
    /// Frame n, t, o, n that of the load.
    pub frame: Frame,
    /// From the centres of mass to the place of the frame (m).
    pub arms: [Vector<f64>; 2],
    /// Places of the points along t and o (m).
    pub places: [[f64; 2]; MOST_POINTS],
    /// Normals of the points in the frame.
    pub leans: [Vector<f64>; MOST_POINTS],
    /// Impulses along them (N s).
    pub impulses: [f64; MOST_POINTS],
    /// Search directions of these.
    pub directions: [f64; MOST_POINTS],
    /// Friction impulses (N s).
    pub push: Vector<f64>,
    /// e_r (m).
    pub radius: f64,
    /// Whether any point pushes along another normal than that of the frame.
    pub is_bent: bool,
    /// Whether names changed.
    pub is_changed: bool,
    /// Whether the load of the rows went nowhere.
    pub is_lost: bool,
    /// An axis that separates by more and has none of the points.
    pub wanted: Option<Axis>,
}

const UPRIGHT: Vector<f64> = [1.0, 0.0, 0.0];

impl Found {
    fn without_points(manifold: Manifold) -> Self {
        Self {
            manifold,
            frame: [manifold.normal, UPRIGHT, [0.0, 1.0, 0.0]],
            arms: [[0.0; 3]; 2],
            places: [[0.0; 2]; MOST_POINTS],
            leans: [UPRIGHT; MOST_POINTS],
            impulses: [0.0; MOST_POINTS],
            directions: [0.0; MOST_POINTS],
            push: [0.0; 3],
            radius: 0.0,
            is_bent: false,
            is_changed: true,
            is_lost: false,
            wanted: None,
        }
    }

    /// Finds a pair; where it had no points and has none, only its axis and separation.
    pub fn find(
        bodies: [&PlacedSolid<'_>; 2],
        (rows, pair, lane): (&PatchBatch, &PatchLane, usize),
        search: &mut Search<'_>,
        how: How,
    ) -> Result<Self, Apart> {
        let loaded = rows.points[..pair.n].iter().any(|point| point.impulse[lane] > 0.0);
        let points = match (pair.callers, pair.plane) {
            (Some(patch), _) => callers_points(bodies, (rows, pair, lane), (search, patch as usize), how),
            (None, Some(plane)) => {
                Points::Near(Manifold::on_plane(bodies[1], plane, how.within.margin), None)
            }
            (None, None) => points_of(bodies, (pair, loaded), search.separations, how),
        };
        let (manifold, wanted) = match points {
            Points::Apart(manifold) if pair.n == 0 || how.is_check => return Err(Apart::of(&manifold)),
            Points::Apart(manifold) => return Ok(Self::without_points(manifold)),
            Points::Near(manifold, wanted) => (manifold, wanted),
        };
        if manifold.n == 0 && pair.n == 0 {
            return Err(Apart::of(&manifold));
        }
        let mut found = Self { wanted, ..Self::without_points(manifold) };
        found.take_over(bodies[1], (rows, pair, lane));
        found.set_frame(bodies, (rows, pair, lane), how);
        found.radius = found.radius_in(pair, (rows, lane), how);
        if found.manifold.n > 0 {
            found.push = vector_of(&rows.push, lane);
        }
        let known = f64::from(rows.torsion[lane]);
        found.push[2] = if found.radius > LEAST_TORSION { found.push[2] * known / found.radius } else { 0.0 };
        found.cut_to_cone(f64::from(rows.friction[lane]));
        Ok(found)
    }

    /// Cuts friction to its cone at the points and the e_r that were found: first the couple, of which a
    /// smaller region carries less.
    fn cut_to_cone(&mut self, friction: f64) {
        let [t, o, couple] = self.push;
        // Squares.
        let (most, sliding) = ((friction * self.pressing().max(0.0)).powi(2), t * t + o * o);
        if sliding + couple * couple <= most {
            return;
        }
        let shrink = if sliding > most { (most / sliding).sqrt() } else { 1.0 };
        let couple = (most - sliding).max(0.0).sqrt().copysign(couple);
        self.push = [t * shrink, o * shrink, couple];
    }

    /// Takes impulses over: by name, else by the nearest place.
    fn take_over(&mut self, b: &PlacedSolid<'_>, (rows, pair, lane): (&PatchBatch, &PatchLane, usize)) {
        let n = self.manifold.n;
        let (mut used, mut taken) = ([false; MOST_POINTS], [false; MOST_POINTS]);
        for (q, taken) in taken.iter_mut().enumerate().take(n) {
            let Point { name, at, .. } = self.manifold.points[q];
            let stays = |r: usize| match name {
                Name::Callers(_) => {
                    let way = sub(b.at_arm(pair.places[r].map(f64::from)), at);
                    dot(way, way) <= (RUNS * pair.size) * (RUNS * pair.size)
                }
                _ => true,
            };
            let known = (0..pair.n).find(|r| !used[*r] && pair.names[*r] == name && stays(*r));
            let Some(r) = known else { continue };
            (used[r], *taken) = (true, true);
            self.impulses[q] = f64::from(rows.points[r].impulse[lane]);
            self.directions[q] = f64::from(rows.points[r].direction[lane]);
        }
        self.is_changed = n != pair.n || taken[..n].contains(&false) || used[..pair.n].contains(&false);
        for r in (0..pair.n).filter(|r| !used[*r]) {
            let x = f64::from(rows.points[r].impulse[lane]);
            if x <= 0.0 {
                continue;
            }
            let place = b.at_arm(pair.places[r].map(f64::from));
            let far = |q: usize| {
                let way = sub(self.manifold.points[q].at, place);
                dot(way, way) * if taken[q] { FURTHER_IF_TAKEN } else { 1.0 }
            };
            match (0..n).min_by(|p, q| far(*p).total_cmp(&far(*q))) {
                Some(q) => self.impulses[q] += x,
                None => self.is_lost = true,
            }
        }
    }

    /// Sets the frame: the normal of the load, at the centre of the load where points lean.
    fn set_frame(
        &mut self,
        [a, b]: [&PlacedSolid<'_>; 2],
        (rows, pair, lane): (&PatchBatch, &PatchLane, usize),
        how: How,
    ) {
        if self.leaves_moment(pair, f64::from(rows.per_unit[lane]), how) {
            self.manifold.straighten();
        }
        let points = self.manifold.points();
        let (mut normal, mut is_bent) = (self.manifold.normal, !self.manifold.is_even());
        // The caller's points lie on a surface, at heights of their own.
        let is_uneven = pair.callers.is_some();
        let mut middle = points.first().filter(|_| is_uneven).map(|lowest| lowest.at);
        if is_bent || is_uneven {
            let (mut load, mut sum, mut at) = (0.0, [0.0; 3], [0.0; 3]);
            for (point, x) in points.iter().zip(self.impulses) {
                let x = x.max(0.0);
                load += x;
                sum = add_scaled(point.normal, x, sum);
                at = add_scaled(point.at, x, at);
            }
            if load > 0.0 {
                normal = unit(sum);
                middle = Some(scale(at, 1.0 / load));
                let turned = |n: Vector<f64>| dot(sub(n, normal), sub(n, normal)) > SAME_NORMAL_SQUARE;
                is_bent = points.iter().any(|point| turned(point.normal));
            }
        }
        let n = normal;
        let last = vector_of(&rows.tangent, lane);
        let across = sub_scaled(n, dot(n, last), last);
        let square = dot(across, across);
        let t = if square > SHORT_TANGENT { scale(across, 1.0 / square.sqrt()) } else { any_tangent(n) };
        let o = cross(n, t);
        let even = 1.0 / points.len().max(1) as f64;
        let place = middle
            .unwrap_or_else(|| points.iter().fold([0.0; 3], |sum, point| add_scaled(point.at, even, sum)));
        for (q, point) in points.iter().enumerate() {
            let s = sub(point.at, place);
            self.places[q] = [dot(t, s), dot(o, s)];
            let m = point.normal;
            self.leans[q] = if is_bent { [dot(n, m), dot(t, m), dot(o, m)] } else { UPRIGHT };
        }
        (self.frame, self.is_bent) = ([n, t, o], is_bent);
        // An overlap that has no point is judged at the centres of mass.
        self.arms = match points {
            [] => [[0.0; 3]; 2],
            _ => [sub(place, a.mass_centre), sub(place, b.mass_centre)],
        };
    }

    /// Whether impulses along different normals leave a moment beside their sum: they would have no
    /// equivalent contact point.
    fn leaves_moment(&self, pair: &PatchLane, per_unit: f64, how: How) -> bool {
        let moment = self.left_moment();
        dot(moment, moment).sqrt() * per_unit > how.most_moment * pair.size
    }

    /// Moment that the impulses along the normals of the points leave about the centre of the load, in the
    /// world (N m s).
    pub fn left_moment(&self) -> Vector<f64> {
        if self.manifold.is_even() {
            return [0.0; 3];
        }
        let points = || self.manifold.points().iter().zip(self.impulses.map(|x| x.max(0.0)));
        let load: f64 = points().map(|(_, x)| x).sum();
        let at = points().fold([0.0; 3], |sum, (point, x)| add_scaled(point.at, x, sum));
        let centre = scale(at, 1.0 / f64::max(load, LEAST_LOAD));
        points()
            .fold([0.0; 3], |sum, (point, x)| add_scaled(cross(sub(point.at, centre), point.normal), x, sum))
    }

    /// e_r: given, or that of the touching region, no larger than at the start of the step.
    fn radius_in(&self, pair: &PatchLane, (rows, lane): (&PatchBatch, usize), how: How) -> f64 {
        let start = match pair.torsion {
            Torsion::Radius(radius) => return radius,
            Torsion::Region(radius) => radius,
        };
        let known = f64::from(rows.torsion[lane]);
        if start.is_none() {
            return self.region_now(pair.size);
        }
        if !how.is_check || self.centre().1 <= 0.0 {
            return known;
        }
        let most = LEAST_RADIUS_CHANGE * pair.size + self.region_now(pair.size);
        if known <= most {
            return known;
        }
        // It only shrinks: up and down it would keep the solve from an end.
        let [more, less] = [how.leeway, -how.leeway].map(|by| self.region(pair.size, by));
        known.min(more.max(less))
    }

    /// e_r of the touching region as it is.
    pub fn region_now(&self, size: f64) -> f64 {
        self.region(size, 0.0)
    }

    /// e_r of the touching region, with all but the lowest points moved up by some length (m). Points beyond
    /// the law's own margin stay open.
    fn region(&self, size: f64, by: f64) -> f64 {
        let mut gaps = [0.0; MOST_POINTS];
        let points = self.manifold.points();
        let lowest = points.iter().fold(f64::INFINITY, |low, point| low.min(point.gap));
        for (gap, point) in gaps.iter_mut().zip(points) {
            let touches = point.gap > lowest && point.gap - lowest < 2.0 * OPEN_REGION * size;
            *gap = if touches { (point.gap + by).max(lowest) } else { point.gap };
            *gap = gap.max(lowest + f64::from(point.beside));
        }
        let rim = |q: usize| self.manifold.points[q].rim.map(|(rim, way)| (rim, self.centre_of_rim(q, way)));
        region((&self.places, &gaps), self.manifold.n, size, rim)
    }

    /// Centre of the rim of a point in the contact plane (m).
    fn centre_of_rim(&self, q: usize, way: [f32; 3]) -> [f64; 2] {
        let ([_, t, o], way, at) = (self.frame, way.map(f64::from), self.places[q]);
        [at[0] + dot(t, way), at[1] + dot(o, way)]
    }

    /// Centre of the load in the contact plane, and the load.
    pub fn centre(&self) -> ([f64; 2], f64) {
        centre(&self.impulses, &self.places, self.manifold.n)
    }

    /// Wrench of all impulses.
    pub fn wrench(&self) -> Wrench {
        let mut sum = friction_wrench(self.centre().0, self.radius, self.push);
        for q in 0..self.manifold.n {
            let w = wrench_at(self.places[q], self.leans[q]);
            for (sum, w) in sum.iter_mut().zip(w) {
                *sum += self.impulses[q] * w;
            }
        }
        sum
    }

    /// Normal impulse along n of the frame (N s), less than the load where points lean.
    pub fn pressing(&self) -> f64 {
        (0..self.manifold.n).map(|q| self.impulses[q] * self.leans[q][0]).sum()
    }
}

/// e_r of the region where the first n points touch (m): a point counts as closed up to a margin over the
/// lowest, and leaves it until twice that.
pub fn region(
    (places, gaps): (&[[f64; 2]; MOST_POINTS], &[f64; MOST_POINTS]),
    n: usize,
    size: f64,
    rim: impl Fn(usize) -> Option<(u8, [f64; 2])>,
) -> f64 {
    let lowest = gaps[..n].iter().fold(f64::INFINITY, |low, gap| low.min(*gap));
    let mut corners = [Corner::default(); MOST_POINTS];
    let mut m = 0;
    for (q, (at, gap)) in places.iter().zip(&gaps[..n]).enumerate() {
        let closed = (2.0 - (gap - lowest) / (OPEN_REGION * size)).clamp(0.0, 1.0);
        if closed > 0.0 {
            corners[m] = Corner { at: *at, closed, rim: rim(q) };
            m += 1;
        }
    }
    mean_radius::<MOST_POINTS>(&mut corners[..m])
}

enum Points {
    /// Further apart than what counts.
    Apart(Manifold),
    /// Points, and an axis that separates by more and has none of them.
    Near(Manifold, Option<Axis>),
}

/// Poses of a pair as the caller knows them.
pub fn callers_poses([a, b]: [&PlacedSolid<'_>; 2], pair: &PatchLane) -> [Pose; 2] {
    [(a.mass_centre, a.rotation), (sub(b.mass_centre, pair.shift), b.rotation)]
}

/// Points of a pair that is the caller's.
fn callers_points(
    [a, b]: [&PlacedSolid<'_>; 2],
    (rows, pair, lane): (&PatchBatch, &PatchLane, usize),
    (search, patch): (&Search<'_>, usize),
    how: How,
) -> Points {
    let Some(surfaces) = search.surfaces else { return Points::Apart(Manifold::default()) };
    let poses = callers_poses([a, b], pair);
    let (mut names, mut n) = ([Name::Nothing; MOST_POINTS], 0);
    for (_, name) in rows.points.iter().zip(&pair.names[..pair.n]).filter(|(p, _)| p.impulse[lane] > 0.0) {
        (names[n], n) = (*name, n + 1);
    }
    let lean = if pair.is_upright { how.within.lean } else { f64::INFINITY };
    let known = Known { normal: vector_of(&rows.normal, lane), loaded: &names[..n], lean };
    let manifold = surfaces.points(patch, [&poses[0], &poses[1]], known, how.within.margin);
    let loaded = n > 0;
    let limit = if how.is_check { 0.0 } else { how.within.margin };
    match loaded || manifold.widest <= limit {
        true => Points::Near(manifold, None),
        false => Points::Apart(manifold),
    }
}

fn points_of(
    bodies: [&PlacedSolid<'_>; 2],
    (pair, loaded): (&PatchLane, bool),
    separations: &mut Separations,
    how: How,
) -> Points {
    let limit = if how.is_check { 0.0 } else { how.within.margin };
    let known = resolved(bodies, pair.axis);
    let far = |axis: Axis, widest: f64| {
        let normal = normal(bodies, axis).unwrap_or([0.0, 0.0, 1.0]);
        Points::Apart(Manifold { axis, normal, widest, separation: widest, ..Manifold::default() })
    };
    if !loaded
        && let Some(apart) = along(bodies, known)
        && apart > limit
    {
        return far(known, apart);
    }
    separations.find(bodies);
    let chosen = separations.choose(bodies, Stay { known, slack: how.slack, part: how.part });
    if how.is_check && !loaded && chosen.widest > 0.0 {
        return far(chosen.axis, chosen.widest);
    }
    let is_known = !matches!(known, Axis::Unknown | Axis::Plane);
    if !(how.is_check && loaded && is_known && chosen.axis != known) {
        return Points::Near(Manifold::pick(bodies, (chosen, known), separations, how.within), None);
    }
    let separation = along(bodies, known).unwrap_or(f64::NEG_INFINITY);
    let kept = Chosen { axis: known, separation, ..chosen };
    let manifold = Manifold::build(bodies, kept, how.within);
    let is_covered = match chosen.axis {
        Axis::Edges(a, b) => manifold.has(Name::Edges(a, b)),
        _ => false,
    };
    let wanted = (!is_covered && normal(bodies, chosen.axis).is_some()).then_some(chosen.axis);
    Points::Near(manifold, wanted)
}
