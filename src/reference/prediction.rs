//! Start of Newton: closest points, velocities and impulses of the step with the geometry held fixed, by
//! projected Gauss–Seidel sweeps over the contacts. The start decides which root is found, never how closely.

use super::closest::{ClosestPoints, closest_points};
use super::equations::{PairState, pair_state};
use super::facet_start::{FacetPoints, FacetWarmStart, carried, closest_facets, write};
use super::joints::warm_start_wrench;
use super::norms::{Columns, map_scales, project, scaled_friction};
use super::problem::{ReferenceProblem, TangentReference};
use super::system::gather;
use super::unknowns::stack;
use super::unknowns::{A1, A2, BODY_UNKNOWNS, D, P_N, P_T, SIGMA};
use nalgebra::{DVector, SVector, Vector3};
use signorini_scene::settings::Gyroscopic;

/// Impulse of a pair as world vectors on B, its normal and its facets: the warm start of the next step.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct PairWarmStart {
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Normal impulse p_n (N s).
    pub normal_impulse: f64,
    /// Friction impulse p_t t + p_o o (N s).
    pub friction_impulse: Vector3<f64>,
    /// Torsional impulse p_r (N m s).
    pub torsional_impulse: f64,
    /// Points and multipliers of the facets of bodies that touched.
    pub facets: Option<FacetWarmStart>,
}

impl PairWarmStart {
    /// Makes the warm start of a pair without impulses.
    pub fn open(normal: Vector3<f64>) -> Self {
        Self {
            normal,
            normal_impulse: 0.0,
            friction_impulse: Vector3::zeros(),
            torsional_impulse: 0.0,
            facets: None,
        }
    }
}

/// Contact whose geometry is held fixed.
struct LinearizedContact {
    pair: usize,
    columns: Columns,
    gap: f64,
    r_n: f64,
    r_t: f64,
    /// Impulses p_n, p_t/e_t, p_o/e_o, p_r/e_r.
    x: [f64; 4],
}

/// Puts each pair's tangent reference across its normal, so that t is well defined throughout the step.
///
/// A material direction normal to the contact plane has no projection; the axis of the same body nearest to
/// the plane then serves, since the law determines no direction in that case.
pub(super) fn orient_tangents(problem: &mut ReferenceProblem, normals: &[Vector3<f64>]) {
    for (pair, normal) in problem.pairs.iter_mut().zip(normals) {
        let across = |normal: &Vector3<f64>| {
            let mut axis = Vector3::zeros();
            axis[normal.iamin()] = 1.0;
            axis
        };
        let stands = |direction: &Vector3<f64>, n: &Vector3<f64>| direction.cross(n).norm() < 1e-6;
        pair.tangent = match pair.tangent {
            TangentReference::World(_) => TangentReference::World(across(normal)),
            TangentReference::BodyA(d) => {
                let n = problem.bodies[pair.body_a].rotation.tr_mul(normal);
                TangentReference::BodyA(if stands(&d, &n) { across(&n) } else { d })
            }
            TangentReference::BodyB(d) => {
                let n = problem.bodies[pair.body_b].rotation.tr_mul(normal);
                TangentReference::BodyB(if stands(&d, &n) { across(&n) } else { d })
            }
        };
    }
}

/// Returns z with the velocities of a step without contacts, ν = ν0 + M⁻¹(h f + P), and with the joints' last
/// impulses.
pub(super) fn free_flight(problem: &ReferenceProblem) -> DVector<f64> {
    let mut z = DVector::zeros(problem.n_unknowns());
    set_velocities(problem, &mut z, &free_velocities(problem, None));
    for (j, joint) in problem.joints.iter().enumerate() {
        let from = problem.joint_offset(j);
        joint.start_impulses.iter().enumerate().for_each(|(i, x)| z[from + i] = *x);
    }
    z
}

/// Velocities ν0 + M⁻¹(h f + P + h f_gyro(ν)) per body.
fn free_velocities(problem: &ReferenceProblem, z: Option<&DVector<f64>>) -> Vec<SVector<f64, BODY_UNKNOWNS>> {
    let mut velocities = Vec::with_capacity(problem.bodies.len());
    for (i, body) in problem.bodies.iter().enumerate() {
        let mut angular = body.angular_impulse;
        if problem.gyroscopic == Gyroscopic::Implicit {
            let omega = z.map_or(body.angular, |z| problem.velocity(z, i).1);
            angular -= omega.cross(&(body.inertia * omega)) * problem.time_step;
        }
        let impulse = stack(&body.linear_impulse, &angular) + warm_start_wrench(problem, i);
        velocities.push(stack(&body.linear, &body.angular) + problem.mobility(i, &impulse));
    }
    velocities
}

fn set_velocities(
    problem: &ReferenceProblem,
    z: &mut DVector<f64>,
    velocities: &[SVector<f64, BODY_UNKNOWNS>],
) {
    for (body, velocity) in problem.bodies.iter().zip(velocities) {
        if let Some(k) = body.unknown {
            z.fixed_rows_mut::<BODY_UNKNOWNS>(k).copy_from(velocity);
        }
    }
}

/// Fills z by `rounds` of closest points at the predicted end poses and sweeps with these points held fixed.
pub(super) fn predict(
    problem: &ReferenceProblem,
    warm_starts: &[PairWarmStart],
    rounds: usize,
    sweeps: usize,
) -> DVector<f64> {
    let mut z = free_flight(problem);
    let mut normals: Vec<Vector3<f64>> = warm_starts.iter().map(|m| m.normal).collect();
    place_points(problem, &mut z, &mut normals, warm_starts);
    for (i_pair, m) in warm_starts.iter().enumerate() {
        let state = pair_state(problem, &problem.pairs[i_pair], &gather(problem, i_pair, &z));
        let offset = problem.pair_offset(i_pair);
        z[offset + P_N] = m.normal_impulse;
        z[offset + P_T] = m.friction_impulse.dot(&state.tangents[0]);
        z[offset + P_T + 1] = m.friction_impulse.dot(&state.tangents[1]);
        z[offset + P_T + 2] = m.torsional_impulse;
    }
    for _ in 0..rounds {
        gauss_seidel_sweep(problem, &mut z, sweeps);
        place_points(problem, &mut z, &mut normals, warm_starts);
    }
    set_slip_multipliers(problem, &mut z);
    z
}

/// Writes a1, a2, d of every pair at the end poses of z; for facets that touched, takes points and
/// multipliers from the warm start.
pub(super) fn place_points(
    problem: &ReferenceProblem,
    z: &mut DVector<f64>,
    normals: &mut [Vector3<f64>],
    warm_starts: &[PairWarmStart],
) {
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        if pair.has_facets() {
            let known = warm_starts[i_pair].facets.as_ref();
            let found = match known {
                Some(facets) => FacetPoints {
                    points: carried(problem, i_pair, z, facets),
                    gap: 0.0,
                    normal: warm_starts[i_pair].normal,
                    multipliers: facets.multipliers.clone(),
                },
                None => closest_facets(problem, i_pair, z, &warm_starts[i_pair].normal),
            };
            write(problem, i_pair, z, &found);
            normals[i_pair] = found.normal;
            continue;
        }
        let ClosestPoints { a1, a2, gap, normal } = closest_points(problem, pair, z, &normals[i_pair]);
        let offset = problem.pair_offset(i_pair);
        z.fixed_rows_mut::<3>(offset + A1).copy_from(&a1);
        z.fixed_rows_mut::<3>(offset + A2).copy_from(&a2);
        z[offset + D] = gap;
        normals[i_pair] = normal;
    }
}

/// Sets σ = |w| where the predicted friction impulse is on the ellipsoid, else 0.
fn set_slip_multipliers(problem: &ReferenceProblem, z: &mut DVector<f64>) {
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let state = pair_state(problem, pair, &gather(problem, i_pair, z));
        let offset = problem.pair_offset(i_pair);
        let p = Vector3::new(z[offset + P_T], z[offset + P_T + 1], z[offset + P_T + 2]);
        let (u, w) = scaled_friction(pair, &p, &state.slip);
        let limit = pair.friction.coefficient * z[offset + P_N];
        let slips = limit > 0.0 && u.norm() >= limit * (1.0 - 1e-6);
        z[offset + SIGMA] = if slips { w.norm() } else { 0.0 };
    }
}

fn gauss_seidel_sweep(problem: &ReferenceProblem, z: &mut DVector<f64>, sweeps: usize) {
    let before: Vec<_> = (0..problem.bodies.len())
        .map(|i| {
            let (linear, angular) = problem.velocity(z, i);
            stack(&linear, &angular)
        })
        .collect();
    let mut velocities = free_velocities(problem, Some(z));
    let mut contacts: Vec<LinearizedContact> = Vec::with_capacity(problem.pairs.len());
    for (i_pair, pair) in problem.pairs.iter().enumerate() {
        let state = pair_state(problem, pair, &gather(problem, i_pair, z));
        contacts.push(linearize(problem, i_pair, &state, z, &before));
        let contact = &contacts[i_pair];
        for i in 0..4 {
            velocities[pair.body_a] += problem.mobility(pair.body_a, &(contact.columns.a[i] * contact.x[i]));
            velocities[pair.body_b] += problem.mobility(pair.body_b, &(contact.columns.b[i] * contact.x[i]));
        }
    }
    for _ in 0..sweeps {
        let mut change: f64 = 0.0;
        for contact in &mut contacts {
            change = change.max(solve_contact(problem, contact, &mut velocities));
        }
        if change < 1e-13 * problem.reference_impulse {
            break;
        }
    }
    set_velocities(problem, z, &velocities);
    for contact in &contacts {
        let offset = problem.pair_offset(contact.pair);
        let e = &problem.pairs[contact.pair].friction;
        let e = [1.0, e.tangential[0], e.tangential[1], e.torsional.of_point()];
        for i in 0..4 {
            z[offset + P_N + i] = contact.x[i] * e[i];
        }
    }
}

fn linearize(
    problem: &ReferenceProblem,
    i_pair: usize,
    state: &PairState<f64>,
    z: &DVector<f64>,
    before: &[SVector<f64, BODY_UNKNOWNS>],
) -> LinearizedContact {
    let pair = &problem.pairs[i_pair];
    let columns = Columns::new(pair, state);
    let (r_n, r_t) = map_scales(&columns.diagonal(problem, pair));
    let offset = problem.pair_offset(i_pair);
    let p = Vector3::new(z[offset + P_T], z[offset + P_T + 1], z[offset + P_T + 2]);
    let p_n = z[offset + P_N].max(0.0);
    let u = project(scaled_friction(pair, &p, &state.slip).0, pair.friction.coefficient * p_n);
    // The gap of fixed geometry is linear in ν: gap(ν) = d + h W_n·(ν − ν_k).
    let rate = columns.a[0].dot(&before[pair.body_a]) + columns.b[0].dot(&before[pair.body_b]);
    let gap = z[offset + D] - problem.time_step * rate;
    LinearizedContact { pair: i_pair, columns, gap, r_n, r_t, x: [p_n, u.x, u.y, u.z] }
}

/// Solves one contact with the others held; returns the largest change of its impulses.
fn solve_contact(
    problem: &ReferenceProblem,
    contact: &mut LinearizedContact,
    velocities: &mut [SVector<f64, BODY_UNKNOWNS>],
) -> f64 {
    let pair = &problem.pairs[contact.pair];
    let columns = contact.columns;
    let rate = |velocities: &[SVector<f64, BODY_UNKNOWNS>], i: usize| {
        columns.a[i].dot(&velocities[pair.body_a]) + columns.b[i].dot(&velocities[pair.body_b])
    };
    let apply = |velocities: &mut [SVector<f64, BODY_UNKNOWNS>], i: usize, change: f64| {
        velocities[pair.body_a] += problem.mobility(pair.body_a, &(columns.a[i] * change));
        velocities[pair.body_b] += problem.mobility(pair.body_b, &(columns.b[i] * change));
    };
    let approach = contact.gap / problem.time_step + rate(velocities, 0);
    let p_n = (contact.x[0] - contact.r_n * approach).max(0.0);
    let mut largest = (p_n - contact.x[0]).abs();
    apply(velocities, 0, p_n - contact.x[0]);
    contact.x[0] = p_n;
    let w = Vector3::from_fn(|i, _| rate(velocities, i + 1));
    let u = Vector3::new(contact.x[1], contact.x[2], contact.x[3]);
    // Half the usual step: r_t bounds the mean of the three directions, not the largest.
    let next = project(u - w * (0.5 * contact.r_t), pair.friction.coefficient * p_n);
    for i in 0..3 {
        let change = next[i] - u[i];
        largest = largest.max(change.abs());
        apply(velocities, i + 1, change);
        contact.x[i + 1] = next[i];
    }
    largest
}
