//! Laws assumed of each pair in one Newton solve, and their revision by its result.

use super::equations::pair_state;
use super::facet_sets;
use super::laws::{FrictionLaw, Laws, NormalLaw};
use super::norms::scaled_friction;
use super::problem::{Pair, ReferenceProblem};
use super::system::gather;
use super::unknowns::{P_N, P_T, PAIR_UNKNOWNS, SIGMA};
use nalgebra::{DVector, Vector3};

/// Laws of the semismooth solve: Fischer–Burmeister everywhere; friction of pairs with p_n = 0 is pinned.
pub(super) fn semismooth_laws(problem: &ReferenceProblem, z: &DVector<f64>) -> Vec<Laws> {
    let law = |(i, pair): (usize, &Pair)| {
        let closed = z[problem.pair_offset(i) + P_N] > 0.0 && pair.friction.coefficient > 0.0;
        let friction = if closed { FrictionLaw::Complementary } else { FrictionLaw::Absent };
        Laws { normal: NormalLaw::Complementary, friction, facets: None }
    };
    problem.pairs.iter().enumerate().map(law).collect()
}

/// Pins the friction of pairs that opened and frees that of pairs that closed; returns whether a law changed.
pub(super) fn revise_semismooth(problem: &ReferenceProblem, laws: &mut [Laws], z: &mut DVector<f64>) -> bool {
    let mut changed = false;
    for (i, pair) in problem.pairs.iter().enumerate() {
        let closed = is_closed(problem, i, z);
        let law = &mut laws[i].friction;
        if *law == FrictionLaw::Complementary && !closed {
            *law = FrictionLaw::Absent;
            pin_friction(problem, i, z);
            changed = true;
        } else if *law == FrictionLaw::Absent && closed && pair.friction.coefficient > 0.0 {
            *law = FrictionLaw::Complementary;
            start_slipping(problem, i, z);
            changed = true;
        }
    }
    changed
}

/// Laws by signs: closed where p_n outweighs the gap, slipping where σ outweighs ζ.
pub(super) fn signed_laws(problem: &ReferenceProblem, z: &DVector<f64>) -> Vec<Laws> {
    let law = |(i, pair): (usize, &Pair)| {
        let facets = pair.has_facets().then(|| facet_sets::active_facets(problem, i, z));
        if !is_closed(problem, i, z) {
            return Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent, facets };
        }
        let friction = if pair.friction.coefficient == 0.0 {
            FrictionLaw::Absent
        } else if z[problem.pair_offset(i) + SIGMA] > 0.0 && relative_slack(problem, i, z) <= 1e-6 {
            FrictionLaw::Slipping
        } else {
            FrictionLaw::Sticking
        };
        Laws { normal: NormalLaw::Touching, friction, facets }
    };
    problem.pairs.iter().enumerate().map(law).collect()
}

/// Amount by which the solved signs contradict the laws assumed for a pair, dimensionless; 0 when they agree.
pub(super) fn violation(problem: &ReferenceProblem, i: usize, laws: Laws, z: &DVector<f64>) -> f64 {
    let offset = problem.pair_offset(i);
    let pair = &problem.pairs[i];
    let p_n = z[offset + P_N] / pair.scale.impulse;
    let normal = match laws.normal {
        NormalLaw::Apart => -gap_impulse(problem, i, z),
        NormalLaw::Touching => -p_n,
        NormalLaw::Complementary => 0.0,
    };
    let friction = match laws.friction {
        FrictionLaw::Sticking => {
            friction_at(problem, i, z).0.norm() / pair.scale.impulse - pair.friction.coefficient * p_n
        }
        FrictionLaw::Slipping => -z[offset + SIGMA] / pair.scale.speed,
        _ => 0.0,
    };
    if normal > 1e-12 {
        return normal;
    }
    match laws.facets {
        Some(mask) if laws.normal == NormalLaw::Touching => {
            facet_sets::violation(problem, i, mask, z).max(friction)
        }
        _ => friction.max(0.0),
    }
}

/// Turns contradicted laws of a pair into the next guess; with `worst_only` of the facets only one changes.
pub(super) fn revise_signed(
    problem: &ReferenceProblem,
    i: usize,
    laws: &mut Laws,
    z: &mut DVector<f64>,
    reversed: &mut bool,
    worst_only: bool,
) {
    let offset = problem.pair_offset(i);
    let frictionless = problem.pairs[i].friction.coefficient == 0.0;
    let facets = laws.facets;
    match (laws.normal, laws.friction) {
        (NormalLaw::Apart, _) => {
            let friction = if frictionless { FrictionLaw::Absent } else { FrictionLaw::Sticking };
            *laws = Laws { normal: NormalLaw::Touching, friction, facets };
        }
        (NormalLaw::Touching, _) if z[offset + P_N] < 0.0 => {
            *laws = Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent, facets };
            z[offset + P_N] = 0.0;
            pin_friction(problem, i, z);
        }
        (NormalLaw::Touching, _)
            if facets.is_some_and(|mask| facet_sets::violation(problem, i, mask, z) > 0.0) =>
        {
            let mut mask = facets.unwrap_or_default();
            facet_sets::revise(problem, i, &mut mask, z, worst_only);
            laws.facets = Some(mask);
        }
        (_, FrictionLaw::Sticking) => {
            laws.friction = FrictionLaw::Slipping;
            project_onto_ellipsoid(problem, i, z);
        }
        (_, FrictionLaw::Slipping) if !*reversed => {
            // ζ = 0 has a root with friction along the slip: the root against the slip is tried once.
            *reversed = true;
            start_slipping(problem, i, z);
        }
        (_, FrictionLaw::Slipping) => {
            laws.friction = FrictionLaw::Sticking;
            z[offset + SIGMA] = 0.0;
        }
        _ => {}
    }
}

/// Gap f(a2) of a pair as an impulse, over the pair's unit of impulse.
pub(super) fn gap_impulse(problem: &ReferenceProblem, i: usize, z: &DVector<f64>) -> f64 {
    let pair = &problem.pairs[i];
    let gap = pair_state(problem, pair, &gather(problem, i, z)).gap;
    gap * pair.scale.mass / (problem.time_step * pair.scale.impulse)
}

fn is_closed(problem: &ReferenceProblem, i: usize, z: &DVector<f64>) -> bool {
    let p_n = z[problem.pair_offset(i) + P_N] / problem.pairs[i].scale.impulse;
    p_n > 0.0 && p_n > gap_impulse(problem, i, z)
}

fn friction_at(problem: &ReferenceProblem, i: usize, z: &DVector<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let pair = &problem.pairs[i];
    let offset = problem.pair_offset(i);
    let state = pair_state(problem, pair, &gather(problem, i, z));
    let p = Vector3::new(z[offset + P_T], z[offset + P_T + 1], z[offset + P_T + 2]);
    scaled_friction(pair, &p, &state.slip)
}

/// Relative distance 1 − |u|/(μ p_n) of the friction impulse from the friction ellipsoid, positive inside.
fn relative_slack(problem: &ReferenceProblem, i: usize, z: &DVector<f64>) -> f64 {
    let limit = problem.pairs[i].friction.coefficient * z[problem.pair_offset(i) + P_N];
    let size = friction_at(problem, i, z).0.norm();
    if limit > 0.0 { 1.0 - size / limit } else { -1.0 }
}

fn pin_friction(problem: &ReferenceProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    z.rows_mut(offset + P_T, PAIR_UNKNOWNS - P_T).fill(0.0);
}

fn set_scaled_friction(problem: &ReferenceProblem, i: usize, z: &mut DVector<f64>, u: &Vector3<f64>) {
    let offset = problem.pair_offset(i);
    let e = &problem.pairs[i].friction;
    z[offset + P_T] = e.tangential[0] * u.x;
    z[offset + P_T + 1] = e.tangential[1] * u.y;
    z[offset + P_T + 2] = e.torsional.of_point() * u.z;
}

/// Sets the friction opposite to the slip, on the ellipsoid, and σ = |w|.
fn start_slipping(problem: &ReferenceProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    let (_, w) = friction_at(problem, i, z);
    let limit = problem.pairs[i].friction.coefficient * z[offset + P_N];
    let u = if w.norm() > 0.0 { -w * (limit / w.norm()) } else { Vector3::zeros() };
    set_scaled_friction(problem, i, z, &u);
    z[offset + SIGMA] = w.norm();
}

fn project_onto_ellipsoid(problem: &ReferenceProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    let (u, _) = friction_at(problem, i, z);
    let limit = problem.pairs[i].friction.coefficient * z[offset + P_N];
    if u.norm() > 0.0 {
        set_scaled_friction(problem, i, z, &(u * (limit / u.norm())));
    }
}
