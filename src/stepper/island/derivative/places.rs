//! The effect of the places of joints in their bodies on rows and forces (theory §17.8).

use crate::step::{Change, PlaceTangent};
use crate::stepper::blocks::velocity;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::joints::{
    CouplingModel, JointModel, PLACES, Part, PlaceSlopes, Role, SlopesOf, placement,
};
use crate::stepper::step_context::StepContext;
use nalgebra::{SMatrix, SVector};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::{Cause, CauseGradient};

/// The rows of an island's joints.
#[derive(Debug, Clone, Default)]
pub struct PlaceEffect {
    rows: Vec<PlacedRow>,
}

/// A row and one of the joints whose places it depends on: couplings have two.
#[derive(Debug, Clone)]
struct PlacedRow {
    joint: usize,
    row: usize,
    /// Of y.
    slip: SVector<f64, PLACES>,
    /// Of the force and torque on bodies that move, by their places in the island.
    force: Vec<(usize, SMatrix<f64, BLOCK, PLACES>)>,
}

/// A row as it depends on the places of a joint, or on the placements of its bodies.
pub struct RowAt {
    joint: usize,
    pub bodies: [usize; 2],
    pub row: usize,
    role: Role,
    pub slopes: PlaceSlopes,
    /// Derivative by the same of what a motor compares the end with, over h.
    pub start: SVector<f64, PLACES>,
}

/// Velocities of a solve, and those of the position phase whose rates equations keep.
#[derive(Clone, Copy)]
pub struct Rates<'a> {
    pub velocity: &'a [f64],
    pub led: &'a [f64],
}

impl PlaceEffect {
    /// Of an island's problem at its solution with impulses x, whose rows are places over h; in an impact
    /// they are `rates`.
    pub fn of(
        island: &IslandProblem,
        context: &StepContext<'_>,
        x: &[f64],
        rates: Option<Rates<'_>>,
    ) -> Self {
        let of = |at: RowAt| {
            let slip = match rates {
                None => at.slopes.value / context.time_step - at.start,
                Some(rates) => at.rate(island, context, rates),
            };
            let force = (0..2).filter_map(|side| {
                let local = island.local_of(context, at.bodies[side])?;
                let own = at.slopes.force.fixed_rows::<BLOCK>(BLOCK * side) * x[at.row];
                Some((local, own))
            });
            PlacedRow { joint: at.joint, row: at.row, slip, force: force.collect() }
        };
        let rows = rows_of(island, context, PlaceSlopes::of);
        Self { rows: rows.into_iter().map(of).collect() }
    }

    /// Adds the effect of a change of places, in a lane.
    pub fn apply(&self, (lane, change): (usize, &Change), cause: &mut Cause) {
        for row in &self.rows {
            let Some(places) = change.joint.get(row.joint).map(to_vector) else { continue };
            cause.slip[row.row][lane] += row.slip.dot(&places);
            for (local, slopes) in &row.force {
                let gained = slopes * places;
                let body = &mut cause.momentum[BLOCK * local..][..BLOCK];
                body.iter_mut().zip(gained.iter()).for_each(|(f, gained)| f[lane] += gained);
            }
        }
    }

    /// Adds the gradient with places of a function whose gradient with the cause is given.
    pub fn add_gradient(&self, cause: &CauseGradient, out: &mut Change) {
        for row in &self.rows {
            let Some(to) = out.joint.get_mut(row.joint) else { continue };
            let mut sum = row.slip * cause.slip[row.row];
            for (local, slopes) in &row.force {
                let own = SVector::<f64, BLOCK>::from_column_slice(&cause.momentum[BLOCK * local..][..BLOCK]);
                sum += slopes.tr_mul(&own);
            }
            let part = |k: usize| sum.fixed_rows::<3>(3 * k).into_owned();
            let found = [0, 2].map(|k| PlaceTangent { anchor: part(k), turn: part(k + 1) });
            to.iter_mut().zip(&found).for_each(|(to, found)| to.add(found));
        }
    }
}

/// Entries of both places.
fn to_vector([a, b]: &[PlaceTangent; 2]) -> SVector<f64, PLACES> {
    let parts = [a.anchor, a.turn, b.anchor, b.turn];
    SVector::from_fn(|i, _| parts[i / 3][i % 3])
}

impl RowAt {
    /// Whether the row is that of a limit.
    pub fn is_limit(&self) -> bool {
        matches!(self.role, Role::Lower(_) | Role::Upper(_))
    }

    /// Change of the row of an impact, which holds a rate: limits let none through, equations keep that of
    /// the position phase.
    pub fn rate(
        &self,
        island: &IslandProblem,
        context: &StepContext<'_>,
        rates: Rates<'_>,
    ) -> SVector<f64, PLACES> {
        let keeps = match self.role {
            Role::Equations | Role::Motion(_) | Role::Coupling(_) => true,
            Role::Lower(_) | Role::Upper(_) => false,
            Role::Motor(..) | Role::Armature(_) | Role::Mortar => return SVector::zeros(),
        };
        let mut out = SVector::zeros();
        for (side, id) in self.bodies.into_iter().enumerate() {
            let local = island.local_of(context, id);
            let of = |v: &[f64]| local.map_or(context.velocities[id], |local| velocity(v, local));
            let (mut along, led) = (of(rates.velocity), of(rates.led));
            if keeps {
                along.linear -= led.linear;
                along.angular -= led.angular;
            }
            let force = &self.slopes.force;
            out += force.fixed_rows::<3>(BLOCK * side).tr_mul(&along.linear);
            out += force.fixed_rows::<3>(BLOCK * side + 3).tr_mul(&along.angular);
        }
        out
    }
}

/// All rows of an island's joints, as they depend on the placements of their bodies.
pub fn rows_of_bodies(island: &IslandProblem, context: &StepContext<'_>) -> Vec<RowAt> {
    rows_of(island, context, PlaceSlopes::of_bodies)
}

/// All rows of an island's joints, those of couplings twice.
fn rows_of(island: &IslandProblem, context: &StepContext<'_>, of: SlopesOf) -> Vec<RowAt> {
    let mut found = Vec::new();
    let mut cone = island.pairs.len();
    for link in &island.joint_memory {
        let joint = &context.joints[link.joint];
        for part in &joint.parts {
            let first = island.problem.cones[cone].row;
            match part.role {
                Role::Coupling(k) => {
                    found.extend(coupled_rows((island, context), &joint.couplings[k], (k, first), of))
                }
                _ => found.extend((0..part.n_rows()).map(|i| {
                    let slopes = part.place_slopes(
                        i,
                        &joint.bodies.map(|id| placement(island.end_placement(context, id))),
                        of,
                    );
                    let start = start_of((joint, part, i), context, of);
                    RowAt {
                        joint: link.joint,
                        bodies: joint.bodies,
                        row: first + i,
                        role: part.role,
                        slopes,
                        start,
                    }
                })),
            }
            cone += 1;
        }
    }
    found
}

/// Derivative over h of the value at the start, as far as a motor looks at it.
fn start_of(
    (joint, part, i): (&JointModel, &Part, usize),
    context: &StepContext<'_>,
    of: SlopesOf,
) -> SVector<f64, PLACES> {
    let share = joint.share_of_start(part, &context.clock());
    if share == 0.0 {
        return SVector::zeros();
    }
    part.place_slopes(i, &context.joint_start(joint).at, of).value * (share / context.time_step)
}

/// The row of a coupling, as it depends on the places of both joints.
fn coupled_rows(
    (island, context): (&IslandProblem, &StepContext<'_>),
    coupling: &CouplingModel,
    (k, row): (usize, usize),
    of: SlopesOf,
) -> [RowAt; 2] {
    let (ends, values) = island.coupled_end(context, coupling, &island.problem.at.velocity);
    let factors = coupling.factors(values);
    [0, 1].map(|t| {
        let term = &coupling.terms[t];
        let PlaceSlopes { mut force, value } = of(&term.row, &ends[t].at);
        force *= factors[t];
        if t == 1 {
            // The slope of the course changes with the coordinate that is followed.
            let [a, b] = term.row.gradient(&ends[t].at);
            let parts = [a.linear, a.angular, b.linear, b.angular];
            let along = SVector::<f64, PLACES>::from_fn(|i, _| parts[i / 3][i % 3]);
            force += along * value.transpose() * coupling.bend(values);
        }
        let slopes = PlaceSlopes { force, value: value * factors[t] };
        let start = SVector::zeros();
        RowAt { joint: term.joint, bodies: term.bodies, row, role: Role::Coupling(k), slopes, start }
    })
}
