//! A linearized problem written into the rows that are swept.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::problem::contact_problem::body_vector;
use crate::solver::parameters::sweeps::FRICTION_STEP;
use crate::solver::sweeps::batch::{Batch, Place};
use crate::solver::sweeps::colours::Kind;
use crate::solver::sweeps::moving::STILL;
use crate::solver::sweeps::roots::Root;
use crate::solver::sweeps::rows::Start;
use crate::solver::sweeps::section::{Node, Section, Visit};
use nalgebra::Vector6;

/// Takes over a problem where it is linearized.
pub(super) struct Fill<'a> {
    pub problem: &'a ContactProblem,
    pub start: Start<'a>,
    /// By body.
    pub roots: &'a [Root],
    /// s of each, see [`crate::solver::sweeps::damping`].
    pub damping: &'a [f64],
    pub place: &'a [usize],
    /// By place.
    pub body: &'a [usize],
}

impl Visit for Fill<'_> {
    type Found = ();

    fn visit(&self, node: &Node, own: Section<'_>) {
        pulp::Arch::new().dispatch(FillOwn(self, node, own));
    }

    fn add(&self, (): (), (): ()) {}
}

struct FillOwn<'a, 'b>(&'a Fill<'b>, &'a Node, Section<'a>);

impl pulp::WithSimd for FillOwn<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) {
        let Self(fill, node, mut own) = self;
        if node.halves.is_none() {
            fill.fill_motions(node, &mut own);
        }
        for i in 0..own.contacts.len() {
            fill.fill_contact(node, own.contacts[i], &mut own);
        }
    }
}

impl Fill<'_> {
    #[inline(always)]
    fn fill_motions(&self, node: &Node, own: &mut Section<'_>) {
        for (moving, body) in own.motions.iter_mut().zip(&self.body[node.places.clone()]) {
            *moving = STILL;
            if let Some(root) = self.roots.get(*body) {
                let momentum = body_vector(&self.problem.at.free_momentum, *body);
                moving.w[..BLOCK].copy_from_slice(&root.divide(momentum));
                let s = self.damping[*body];
                if s > 0.0 {
                    let velocity = Vector6::from_column_slice(body_vector(&self.problem.at.velocity, *body));
                    let held = self.problem.mass[*body] * velocity * s;
                    let more = root.divide(held.as_slice());
                    moving.w.iter_mut().zip(more).for_each(|(w, more)| *w += more);
                }
            }
        }
    }

    #[inline(always)]
    fn fill_contact(&self, node: &Node, place: Place, own: &mut Section<'_>) {
        let (problem, x) = (self.problem, self.start.x);
        let (cone, lane) = (&problem.cones[place.cone], place.lane);
        let batch = &mut own.batches[place.batch];
        batch.overlap[lane] = self.start.overlap.get(place.cone).copied().unwrap_or(0.0);
        batch.friction[lane] = cone.friction_coefficient;
        batch.per_unit[lane] = 1.0 / problem.at.units.cones[place.cone];
        let stiffening = problem.at.units.stiffening[place.cone];
        batch.stiffening[lane] = stiffening;
        let kind = batch.kind;
        clear(place, kind, own);
        // As heavier bodies move less, steps may be longer.
        let least = problem.bodies_of(place.cone).iter().map(|body| self.damping[*body]).reduce(f64::min);
        let longer = 1.0 + least.unwrap_or(0.0);
        for (row, i) in place.rows(cone) {
            let source = cone.row + i;
            own.rows[row].offset[lane] = problem.at.slip[source];
            own.rows[row].weight[lane] = longer * problem.at.weight[source];
            own.impulses[row].x[lane] = x[source];
            if cone.bounded {
                let [low, high] = &mut own.terms[row].bounds;
                [low[lane], high[lane]] = problem.bounds[source];
            }
        }
        let blocks = problem.block_offsets[place.cone]..problem.block_offsets[place.cone + 1];
        for (side, k) in blocks.enumerate() {
            self.fill_side(node, place, (side, k), own);
        }
        for (row, i) in place.shift_rows(cone) {
            own.shifts[row].offset[lane] += problem.at.slip[cone.row + i];
        }
        if cone.n_shift() > 0 {
            let fractions = &problem.at.load_fraction[cone.normal()];
            let rows = own.terms[place.row..].iter_mut();
            rows.zip(fractions).for_each(|(to, fraction)| to.load_fraction[lane] = *fraction);
        }
        if cone.n_friction > 0 {
            let weight = longer * problem.at.weight[cone.friction().start];
            let rows = &own.rows[place.friction..place.friction + cone.n_friction];
            let batch = &mut own.batches[place.batch];
            batch.friction_weight[lane] = stiffening * weight;
            batch.friction_step[lane] = friction_step(rows.len(), weight, |row, d| rows[row].along[d][lane]);
        }
    }

    /// Block k of the problem's contacts as a side of a contact.
    #[inline(always)]
    fn fill_side(&self, node: &Node, place: Place, (side, k): (usize, usize), own: &mut Section<'_>) {
        let (problem, lane) = (self.problem, place.lane);
        let cone = &problem.cones[place.cone];
        let body = problem.block_body[k];
        let at = self.place[body] - node.places.start;
        let batch: &mut Batch = &mut own.batches[place.batch];
        batch.bodies[side][lane] = at as u32;
        let (v, root, w) =
            (body_vector(&problem.at.velocity, body), &self.roots[body], &mut own.motions[at].w);
        for (row, i) in place.rows(cone) {
            let first = problem.value_offsets[k] + BLOCK * i;
            let direction = &problem.at.jacobian[first..first + BLOCK];
            let normalised = root.divide(direction);
            let (mut along, x) = (0.0, own.impulses[row].x[lane]);
            for d in 0..BLOCK {
                along += direction[d] * v[d];
                own.rows[row].along[BLOCK * side + d][lane] = normalised[d];
                w[d] += normalised[d] * x;
            }
            own.rows[row].offset[lane] -= along;
        }
        for (row, i) in place.shift_rows(cone) {
            let first = problem.value_offsets[k] + BLOCK * i;
            let direction = &problem.at.jacobian[first..first + BLOCK];
            let normalised = root.divide(direction);
            for d in 0..BLOCK {
                own.shifts[row].along[BLOCK * side + d][lane] = normalised[d];
                own.shifts[row].offset[lane] -= direction[d] * v[d];
            }
        }
    }
}

/// Forgets what a contact left there: as many rows are used as it has contact points now.
#[inline(always)]
fn clear(place: Place, kind: Kind, own: &mut Section<'_>) {
    let lane = place.lane;
    for row in place.row..place.row + kind.n_rows() {
        let (swept, of, terms) = (&mut own.rows[row], &mut own.impulses[row], &mut own.terms[row]);
        for lanes in swept.along.iter_mut().chain([&mut swept.offset, &mut swept.weight]) {
            lanes[lane] = 0.0;
        }
        for lanes in [&mut of.x, &mut of.direction, &mut of.change] {
            lanes[lane] = 0.0;
        }
        for lanes in [&mut terms.load_fraction, &mut terms.excess, &mut terms.raised] {
            lanes[lane] = 0.0;
        }
    }
    for shift in &mut own.shifts[place.shift..place.shift + kind.n_shift()] {
        for lanes in shift.along.iter_mut().chain([&mut shift.offset, &mut shift.raised]) {
            lanes[lane] = 0.0;
        }
    }
}

/// The weight, unless one of n directions is so heavy that a step with it would diverge; `entry` of each.
#[inline(always)]
pub(super) fn friction_step(n: usize, weight: f64, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let mut largest = 0.0_f64;
    for p in 0..n {
        let mut sum = 0.0;
        for q in 0..n {
            let mut product = 0.0;
            for d in 0..2 * BLOCK {
                product += entry(p, d) * entry(q, d);
            }
            sum += product.abs();
        }
        largest = largest.max(sum);
    }
    if weight * largest > FRICTION_STEP { FRICTION_STEP / largest } else { weight }
}
