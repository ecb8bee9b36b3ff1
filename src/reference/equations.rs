//! Equations of one pair and of one body, [CBAT (9), (10), (11)], generic over the scalar: with f64 they give
//! the residual, with dual numbers the exact Jacobian.

use super::facet_block::{FacetBlock, facet_rows};
use super::laws::{FrictionLaw, Laws, NormalLaw, fischer_burmeister};
use super::problem::{BodyAtStart, Pair, ReferenceProblem, TangentReference};
use super::scalar::{constant, constant_matrix};
use super::surfaces::{EndPose, Surface};
use super::unknowns::{A1, A2, BODY_UNKNOWNS, D, P_N, P_T, SIGMA, stack};
use nalgebra::{SVector, Vector3};
use signorini_kernels::real::Real;
use signorini_scene::settings::Gyroscopic;

/// Contribution of a pair to the system.
#[derive(Debug, Clone)]
pub(super) struct PairValues<T: Real> {
    /// Impulse and angular impulse on A about its centre at the end of the step (N s, N m s).
    pub wrench_a: SVector<T, BODY_UNKNOWNS>,
    /// Impulse and angular impulse on B about its centre at the end of the step (N s, N m s).
    pub wrench_b: SVector<T, BODY_UNKNOWNS>,
    /// The pair's own equations, dimensionless.
    pub rows: Vec<T>,
}

/// Surfaces, frame and slip of a pair at an iterate.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairState<T: Real> {
    /// Unit normal n from A into B: ∇f(a1)/|∇f(a1)|; with several facets along Σ l_i ∇f_i(a1).
    pub normal: Vector3<T>,
    /// Length |Σ l_i ∇f_i(a1)|: 1 at a solution but for the printed block; 1 for a single facet.
    pub normal_length: T,
    /// Unit normal of B, ∇g(a2)/|∇g(a2)|, −n at a solution; with several facets along Σ l_j ∇g_j(a2).
    pub normal_b: Vector3<T>,
    /// Unit tangents t, o with n = t × o.
    pub tangents: [Vector3<T>; 2],
    /// Arms a1 − c_A⁺ and a2 − c_B⁺ (m).
    pub arms: [Vector3<T>; 2],
    /// Values f(a1), g(a2) (m); of several facets the largest.
    pub values: [T; 2],
    /// Gap that is complementary to p_n (m): f(a2); with several facets d.
    pub gap: T,
    /// Slip v_t, v_o (m/s), ω_n (rad/s) of B relative to A.
    pub slip: [T; 3],
}

fn vector_at<T: Real>(local: &[T], place: usize) -> Vector3<T> {
    Vector3::new(local[place], local[place + 1], local[place + 2])
}

/// Returns the poses of A and B at the end of the step.
pub(super) fn end_poses<T: Real>(problem: &ReferenceProblem, pair: &Pair, local: &[T]) -> [EndPose<T>; 2] {
    [(0, pair.body_a), (BODY_UNKNOWNS, pair.body_b)].map(|(k, body)| {
        let (linear, angular) = (vector_at(local, k), vector_at(local, k + 3));
        EndPose::new(problem, body, &linear, &angular)
    })
}

/// Evaluates surfaces, frame and slip of a pair.
pub(super) fn pair_state<T: Real>(problem: &ReferenceProblem, pair: &Pair, local: &[T]) -> PairState<T> {
    const BOTH_BODIES: usize = 2 * BODY_UNKNOWNS;
    let bodies = [&problem.bodies[pair.body_a], &problem.bodies[pair.body_b]];
    let linear = [vector_at(local, 0), vector_at(local, BODY_UNKNOWNS)];
    let angular = [vector_at(local, 3), vector_at(local, BODY_UNKNOWNS + 3)];
    let (a1, a2) = (vector_at(local, BOTH_BODIES + A1), vector_at(local, BOTH_BODIES + A2));
    let poses = end_poses(problem, pair, local);
    let mut normal_length = T::one();
    let (normal, normal_b, values, gap) = if pair.has_facets() {
        let block = FacetBlock::new(problem, pair, &poses, local);
        let values = [0, 1].map(|side| block.solids[side].outside(&block.points[side]));
        normal_length = block.normals[0].norm();
        (block.normals[0].normalize(), block.normals[1].normalize(), values, local[BOTH_BODIES + D])
    } else {
        let f = Surface::new(bodies[0], &poses[0]);
        let g = Surface::new(bodies[1], &poses[1]);
        let values = [f.value(&a1), g.value(&a2)];
        (f.gradient(&a1).normalize(), g.gradient(&a2).normalize(), values, f.value(&a2))
    };
    let reference = match pair.tangent {
        TangentReference::World(d) => constant(&d),
        TangentReference::BodyA(d) => poses[0].rotation * constant::<T>(&d),
        TangentReference::BodyB(d) => poses[1].rotation * constant::<T>(&d),
    };
    let t = (reference - normal * normal.dot(&reference)).normalize();
    let o = normal.cross(&t);
    let arms = [a1 - poses[0].centre, a2 - poses[1].centre];
    let relative = linear[1] + angular[1].cross(&arms[1]) - linear[0] - angular[0].cross(&arms[0]);
    let spin = normal.dot(&(angular[1] - angular[0]));
    PairState {
        normal,
        normal_length,
        normal_b,
        tangents: [t, o],
        arms,
        values,
        gap,
        slip: [t.dot(&relative), o.dot(&relative), spin],
    }
}

/// Evaluates the wrenches of a pair and its equations; the equations of several facets are in [`facet_rows`].
///
/// [CBAT (9)] in 7 rows for a1, a2 and the extra unknown d:
/// a2 − a1 − d n = 0 (3), t·∇g = o·∇g = 0 (2), f(a1) = 0, g(a2) = 0.
/// DIFFERS from print, where ‖a1 − a2‖ stands for d: the norm has no derivative at touching. Both are equal
/// where d ≥ 0, and d ≥ −tolerance is required of every accepted step. [CBAT (11)]: 0 ≤ p_n ⊥ f(a2) ≥ 0.
/// [CBAT (10)], rows 6 to 8: e_i² μ p_n v_i + σ p_i = 0, i ∈ {t, o, r}. [CBAT (11)]: 0 ≤ σ ⊥ ζ ≥ 0.
pub(super) fn pair_values<T: Real>(
    problem: &ReferenceProblem,
    pair: &Pair,
    laws: Laws,
    local: &[T],
) -> PairValues<T> {
    const BOTH_BODIES: usize = 2 * BODY_UNKNOWNS;
    let state = pair_state(problem, pair, local);
    let scale = &pair.scale;
    let n = state.normal;
    let [t, o] = state.tangents;
    let (d, p_n) = (local[BOTH_BODIES + D], local[BOTH_BODIES + P_N]);
    let p = vector_at(local, BOTH_BODIES + P_T);

    let force = n * p_n + t * p.x + o * p.y;
    let spin = n * p.z;
    let moment_a = -(state.arms[0].cross(&force) + spin);
    let moment_b = state.arms[1].cross(&force) + spin;

    let mut rows = vec![T::zero(); pair.n_unknowns()];
    if pair.has_facets() {
        facet_rows(problem, pair, laws, &end_poses(problem, pair, local), local, &mut rows);
    } else {
        let travel = T::of(1.0 / scale.travel);
        let closest = vector_at(local, BOTH_BODIES + A2) - vector_at(local, BOTH_BODIES + A1) - n * d;
        for i in 0..3 {
            rows[i] = closest[i] * travel;
        }
        rows[3] = t.dot(&state.normal_b) * T::of(scale.size) * travel;
        rows[4] = o.dot(&state.normal_b) * T::of(scale.size) * travel;
        rows[5] = state.values[0] * travel;
        rows[6] = state.values[1] * travel;
    }
    let gap_impulse = state.gap * T::of(scale.mass / (problem.time_step * scale.impulse));
    let normal_impulse = p_n * T::of(1.0 / scale.impulse);
    rows[7] = match laws.normal {
        NormalLaw::Complementary => fischer_burmeister(normal_impulse, gap_impulse),
        NormalLaw::Touching => gap_impulse,
        NormalLaw::Apart => normal_impulse,
    };
    let friction = friction_rows(pair, laws.friction, &state.slip, p_n, &p, local[BOTH_BODIES + SIGMA]);
    rows[P_T..=SIGMA].copy_from_slice(&friction);
    PairValues { wrench_a: stack(&-force, &moment_a), wrench_b: stack(&force, &moment_b), rows }
}

/// Evaluates the Fritz–John rows for t, o, r and the law of σ, dimensionless.
fn friction_rows<T: Real>(
    pair: &Pair,
    law: FrictionLaw,
    slip: &[T; 3],
    p_n: T,
    p: &Vector3<T>,
    sigma: T,
) -> [T; 4] {
    let scale = &pair.scale;
    let impulse = T::of(1.0 / scale.impulse);
    let speed = T::of(1.0 / scale.speed);
    if law == FrictionLaw::Absent {
        return [p.x * impulse, p.y * impulse, p.z * impulse, sigma * speed];
    }
    let e = [pair.friction.tangential[0], pair.friction.tangential[1], pair.friction.torsional.of_point()];
    let mu_p_n = p_n * T::of(pair.friction.coefficient);
    // ζ = μ² p_n² − Σ (p_i/e_i)², over the square of the unit of impulse.
    let mut zeta = mu_p_n * mu_p_n;
    let mut rows = [T::zero(); 4];
    for i in 0..3 {
        if e[i] == 0.0 {
            rows[i] = p[i] * impulse; // e_r = 0: no torsional friction.
            continue;
        }
        // e_i² μ p_n v_i + σ p_i = 0, divided by e_i.
        rows[i] = (slip[i] * T::of(e[i]) * mu_p_n + sigma * p[i] * T::of(1.0 / e[i])) * impulse * speed;
        let u = p[i] * T::of(1.0 / e[i]);
        zeta -= u * u;
    }
    zeta *= impulse * impulse;
    rows[3] = match law {
        FrictionLaw::Sticking => sigma * speed,
        FrictionLaw::Slipping => zeta,
        _ => fischer_burmeister(sigma * speed, zeta),
    };
    rows
}

/// Evaluates M(q0)(ν − ν0) − h f_app − P_app − h f_gyro of one body, [CBAT (10)] first row without the
/// contacts (N s, N m s). Implicit gyroscopic torque: f_gyro = −ω × I0 ω [XC (22)].
pub(super) fn body_values<T: Real>(
    problem: &ReferenceProblem,
    body: &BodyAtStart,
    velocity: &SVector<T, BODY_UNKNOWNS>,
) -> SVector<T, BODY_UNKNOWNS> {
    let v = Vector3::new(velocity[0], velocity[1], velocity[2]);
    let omega = Vector3::new(velocity[3], velocity[4], velocity[5]);
    let inertia = constant_matrix::<T>(&body.inertia);
    let linear = (v - constant::<T>(&body.linear)) * T::of(body.mass) - constant::<T>(&body.linear_impulse);
    let mut angular = inertia * (omega - constant::<T>(&body.angular)) - constant::<T>(&body.angular_impulse);
    if problem.gyroscopic == Gyroscopic::Implicit {
        angular += omega.cross(&(inertia * omega)) * T::of(problem.time_step);
    }
    stack(&linear, &angular)
}
