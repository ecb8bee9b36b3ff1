//! The equations of one pair and of one body, [CBAT (9), (10), (11)], generic over the scalar: with f64
//! they give the residual, with dual numbers the exact Jacobian.

use super::facets::{Block, facet_rows};
use super::layout::{
    A1, A2, BODY_UNKNOWNS, BodyAtStart, D, P_N, P_T, Pair, SIGMA, StepProblem, TangentReference,
};
use super::surfaces::{EndPose, Surface, constant, constant_matrix};
use crate::real::Real;
use crate::settings::Gyroscopic;
use nalgebra::{SVector, Vector3};

/// How 0 ≤ p_n ⊥ f(a2) ≥ 0 is imposed in one Newton solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NormalLaw {
    /// By the Fischer–Burmeister function.
    Complementary,
    /// f(a2) = 0; the sign of p_n is checked afterwards.
    Touching,
    /// p_n = 0; the sign of f(a2) is checked afterwards.
    Apart,
}

/// How 0 ≤ σ ⊥ ζ ≥ 0 is imposed in one Newton solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrictionLaw {
    /// p_t = p_o = p_r = σ = 0: no friction, or p_n = 0, where the Fritz–John rows say nothing.
    Absent,
    /// By the Fischer–Burmeister function.
    Complementary,
    /// σ = 0; the sign of ζ is checked afterwards.
    Sticking,
    /// ζ = 0; the sign of σ is checked afterwards.
    Slipping,
}

/// The laws assumed for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Laws {
    /// Of the normal direction.
    pub normal: NormalLaw,
    /// Of friction.
    pub friction: FrictionLaw,
    /// Of the facets: which are active (a bit each, A's first), whose multipliers' signs are checked afterwards as are those
    /// of the others' f; None: all by the Fischer–Burmeister function.
    pub facets: Option<u64>,
}

/// What a pair puts into the system.
#[derive(Debug, Clone)]
pub(super) struct PairValues<T: Real> {
    /// Impulse and angular impulse on A about its centre at the end of the step (N s, N m s).
    pub wrench_a: SVector<T, BODY_UNKNOWNS>,
    /// The same on B.
    pub wrench_b: SVector<T, BODY_UNKNOWNS>,
    /// The pair's own equations, dimensionless.
    pub rows: Vec<T>,
}

/// What the pair's surfaces and velocities are at an iterate.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairState<T: Real> {
    /// n, unit, from A into B: ∇f(a1)/|∇f(a1)|; with several facets along Σ l_i ∇f_i(a1).
    pub normal: Vector3<T>,
    /// |Σ l_i ∇f_i(a1)|: 1 at a solution but for the printed block; 1 where there is one facet.
    pub normal_length: T,
    /// ∇g(a2)/|∇g(a2)|, which is −n at a solution; along Σ l_j ∇g_j(a2).
    pub normal_b: Vector3<T>,
    /// t, o: unit, n = t × o.
    pub tangents: [Vector3<T>; 2],
    /// a1 − c_A⁺ and a2 − c_B⁺ (m).
    pub arms: [Vector3<T>; 2],
    /// f(a1), g(a2) (m): of several facets the largest.
    pub values: [T; 2],
    /// What is complementary to p_n (m): f(a2); with several facets d.
    pub gap: T,
    /// v_t, v_o (m/s), ω_n (rad/s) of B relative to A.
    pub slip: [T; 3],
}

/// φ(a, b) = √(a² + b²) − a − b, which is 0 iff 0 ≤ a ⊥ b ≥ 0; without cancellation for a + b > 0.
pub(super) fn fischer_burmeister<T: Real>(a: T, b: T) -> T {
    let r2 = a * a + b * b;
    if r2 <= T::of(f64::MIN_POSITIVE) {
        // Not differentiable here: one element of the generalised Jacobian.
        return (a + b) * T::of(std::f64::consts::FRAC_1_SQRT_2 - 1.0);
    }
    let r = r2.sqrt();
    let sum = a + b;
    if sum > T::zero() { -(a * b * T::of(2.0)) / (r + sum) } else { r - sum }
}

fn vector_at<T: Real>(local: &[T], place: usize) -> Vector3<T> {
    Vector3::new(local[place], local[place + 1], local[place + 2])
}

/// Poses of A and B at the end of the step.
pub(super) fn end_poses<T: Real>(problem: &StepProblem, pair: &Pair, local: &[T]) -> [EndPose<T>; 2] {
    [(0, pair.body_a), (BODY_UNKNOWNS, pair.body_b)].map(|(k, body)| {
        let (linear, angular) = (vector_at(local, k), vector_at(local, k + 3));
        EndPose::new(problem, body, &linear, &angular)
    })
}

/// Evaluates surfaces, frame and slip of a pair.
pub(super) fn pair_state<T: Real>(problem: &StepProblem, pair: &Pair, local: &[T]) -> PairState<T> {
    const OWN: usize = 2 * BODY_UNKNOWNS;
    let bodies = [&problem.bodies[pair.body_a], &problem.bodies[pair.body_b]];
    let linear = [vector_at(local, 0), vector_at(local, BODY_UNKNOWNS)];
    let angular = [vector_at(local, 3), vector_at(local, BODY_UNKNOWNS + 3)];
    let (a1, a2) = (vector_at(local, OWN + A1), vector_at(local, OWN + A2));
    let poses = end_poses(problem, pair, local);
    let mut normal_length = T::one();
    let (normal, normal_b, values, gap) = if pair.has_facets() {
        let block = Block::new(problem, pair, &poses, local);
        let values = [0, 1].map(|side| block.solids[side].outside(&block.points[side]));
        normal_length = block.normals[0].norm();
        (block.normals[0].normalize(), block.normals[1].normalize(), values, local[OWN + D])
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

/// The wrenches of a pair and its equations; those of several facets are in [`facet_rows`].
///
/// [CBAT (9)] in 7 rows for a1, a2 and the extra unknown d:
/// a2 − a1 − d n = 0 (3), t·∇g = o·∇g = 0 (2), f(a1) = 0, g(a2) = 0.
/// DIFFERS from print, where ‖a1 − a2‖ stands for d: the norm has no derivative at touching. Both are equal
/// where d ≥ 0, and d ≥ −tolerance is required of every accepted step. [CBAT (11)]: 0 ≤ p_n ⊥ f(a2) ≥ 0.
/// [CBAT (10)], rows 6 to 8: e_i² μ p_n v_i + σ p_i = 0, i ∈ {t, o, r}. [CBAT (11)]: 0 ≤ σ ⊥ ζ ≥ 0.
pub(super) fn pair_values<T: Real>(
    problem: &StepProblem,
    pair: &Pair,
    laws: Laws,
    local: &[T],
) -> PairValues<T> {
    const OWN: usize = 2 * BODY_UNKNOWNS;
    let state = pair_state(problem, pair, local);
    let scale = &pair.scale;
    let n = state.normal;
    let [t, o] = state.tangents;
    let (d, p_n) = (local[OWN + D], local[OWN + P_N]);
    let p = vector_at(local, OWN + P_T);

    let force = n * p_n + t * p.x + o * p.y;
    let spin = n * p.z;
    let moment_a = -(state.arms[0].cross(&force) + spin);
    let moment_b = state.arms[1].cross(&force) + spin;

    let mut rows = vec![T::zero(); pair.n_unknowns()];
    if pair.has_facets() {
        facet_rows(problem, pair, laws, &end_poses(problem, pair, local), local, &mut rows);
    } else {
        let travel = T::of(1.0 / scale.travel);
        let closest = vector_at(local, OWN + A2) - vector_at(local, OWN + A1) - n * d;
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
    let friction = friction_rows(pair, laws.friction, &state.slip, p_n, &p, local[OWN + SIGMA]);
    rows[P_T..=SIGMA].copy_from_slice(&friction);
    PairValues { wrench_a: stack(&-force, &moment_a), wrench_b: stack(&force, &moment_b), rows }
}

/// The Fritz–John rows for t, o, r and the law of σ, dimensionless.
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
    let e = [pair.friction.tangential[0], pair.friction.tangential[1], pair.friction.torsional];
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

/// M(q0)(ν − ν0) − h f_app − P_app − h f_gyro of one body, [CBAT (10)] first row without the contacts (N s, N m s).
/// Implicit gyroscopic torque: f_gyro = −ω × I0 ω [XC (22)].
pub(super) fn body_values<T: Real>(
    problem: &StepProblem,
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

fn stack<T: Real>(linear: &Vector3<T>, angular: &Vector3<T>) -> SVector<T, BODY_UNKNOWNS> {
    SVector::<T, BODY_UNKNOWNS>::from([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fischer_burmeister_is_zero_exactly_on_the_complementary_pairs() {
        for (a, b) in [(0.0, 0.0), (0.0, 3.0), (2.0, 0.0), (1e-200, 1.0)] {
            assert!(fischer_burmeister::<f64>(a, b).abs() < 1e-15, "{a}, {b}");
        }
        for (a, b) in [(1e-9_f64, 1.0_f64), (-1e-9, 1.0), (1e-9, -1e-9), (-3.0, -4.0), (3.0, 4.0)] {
            let printed = a.hypot(b) - a - b;
            let value = fischer_burmeister(a, b);
            assert!((value - printed).abs() < 2e-16 * (1.0 + a.abs() + b.abs()) && value != 0.0, "{a}, {b}");
        }
        // Where the printed form has lost all digits this one has them.
        assert!((fischer_burmeister(1e-20, 1.0) + 1e-20_f64).abs() < 1e-35);
    }
}
