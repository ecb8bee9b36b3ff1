//! Solution of one step: a list of starts in a fixed order, each refined by Newton under revised assumptions.
//!
//! Two established devices separate this solver from Newton on a bare Fischer–Burmeister system. The
//! Fritz–John rows of a pair with p_n = 0 are 0 = σ p, which leaves p and σ undetermined: such pairs have
//! their friction unknowns pinned to 0 until p_n > 0. When the semismooth iteration stalls at a kink, the
//! signs are guessed, the then smooth system is solved, and the guesses are revised (an active-set method).

use super::assumptions::{
    gap_impulse, revise_semismooth, revise_signed, semismooth_laws, signed_laws, violation,
};
use super::equations::pair_state;
use super::facet_sets::likely_sets;
use super::facet_start::{closest_facets, write};
use super::laws::{FrictionLaw, Laws, NormalLaw};
use super::newton::{Cost, newton};
use super::norms::{IterateNorms, judge};
use super::prediction::{PairWarmStart, predict};
use super::problem::{Pair, ReferenceProblem};
use super::system::gather;
use super::unknowns::P_N;
use nalgebra::DVector;

/// Residual at which the search over starts ends, unless rounding allows only a larger one.
const TARGET: f64 = 1e-11;
/// Most Newton iterations under one set of assumptions.
const MAX_ITERATIONS: usize = 40;
/// Most contacts whose statuses are enumerated in the last resort (3^n combinations).
const MAX_ENUMERATED: usize = 4;
/// Most sets of facets of one pair that are tried with each of its statuses in the last resort.
const MAX_SETS: usize = 200;
/// Largest impulse over its unit that transmits nothing.
const NO_IMPULSE: f64 = 1e-13;
/// Most revisions of the assumptions.
const MAX_REVISIONS: usize = 12;

/// Best iterate found.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// Unknowns of the iterate.
    pub z: DVector<f64>,
    /// Norms of the iterate.
    pub judgement: IterateNorms,
    /// Work spent.
    pub cost: Cost,
    /// Number of starts after the first.
    pub restarts: usize,
    /// Whether the iteration limit ended the search.
    pub exhausted: bool,
    /// Residual at which the search ends.
    target: f64,
}

impl Solution {
    fn offer(&mut self, problem: &ReferenceProblem, z: &DVector<f64>) -> bool {
        let judgement = judge(problem, z);
        if judgement.worst() < self.judgement.worst() {
            self.z.copy_from(z);
            self.judgement = judgement;
        }
        self.judgement.worst() <= self.target
    }
}

/// Solves the step, starting from the impulses of the previous one.
///
/// Measured on 6800 steps of 2 to 4 bodies falling into a valley (mass ratio 100, needles, μ up to 1): the
/// first start solves all but 69, the next three all but 4, and with ten times the default iteration limit 1
/// remains. More kinds of predicted start, raising μ from 0 in steps, and longer Newton runs per start solved
/// fewer.
pub(super) fn solve(
    problem: &ReferenceProblem,
    warm_starts: &[PairWarmStart],
    max_iterations: usize,
) -> Solution {
    let cold: Vec<PairWarmStart> = warm_starts.iter().map(|m| PairWarmStart::open(m.normal)).collect();
    // Starts: (impulses to start from, rounds with fixed geometry, sweeps per round).
    let starts: [(&[PairWarmStart], usize, usize); 4] =
        [(warm_starts, 3, 60), (&cold, 4, 300), (warm_starts, 0, 0), (warm_starts, 12, 1000)];
    let z = predict(problem, warm_starts, 0, 0);
    let judgement = judge(problem, &z);
    let cost = Cost::default();
    let mut best = Solution { z, judgement, cost, restarts: 0, exhausted: false, target: target(problem) };
    let mut predicted = best.z.clone();
    for (i, (impulses, rounds, sweeps)) in starts.into_iter().enumerate() {
        best.restarts = i;
        predicted = predict(problem, impulses, rounds, sweeps);
        if refine(problem, predicted.clone(), &mut best) {
            return best;
        }
        if best.cost.iterations >= max_iterations {
            best.exhausted = true;
            return best;
        }
    }
    enumerate_statuses(problem, &predicted, max_iterations, &mut best);
    best
}

/// Residual to aim at: [`TARGET`], or the rounding of world coordinates in the gap, ε |x| m/(h p_ref), if
/// that is larger.
fn target(problem: &ReferenceProblem) -> f64 {
    let moving = problem.bodies.iter().filter(|b| b.unknown.is_some());
    let rounding = moving.map(|b| b.centre.amax() * b.mass).fold(0.0, f64::max) * f64::EPSILON
        / (problem.time_step * problem.reference_impulse);
    TARGET.max(4.0 * rounding)
}

/// Refines a start by semismooth Newton, then by the active-set method from its end.
fn refine(problem: &ReferenceProblem, mut z: DVector<f64>, best: &mut Solution) -> bool {
    let start = z.clone();
    semismooth(problem, &mut z, &mut best.cost);
    if best.offer(problem, &z) {
        return true;
    }
    let laws = semismooth_laws(problem, &z);
    place_apart(problem, &laws, &mut z);
    if best.offer(problem, &z) {
        return true;
    }
    for from in [start, z] {
        let laws = signed_laws(problem, &from);
        if active_set(problem, laws, from, best) {
            return true;
        }
    }
    false
}

/// Runs Newton on the Fischer–Burmeister system until no pair opens or closes any more.
fn semismooth(problem: &ReferenceProblem, z: &mut DVector<f64>, cost: &mut Cost) {
    let mut laws = semismooth_laws(problem, z);
    for _ in 0..MAX_REVISIONS {
        newton(problem, &laws, z, MAX_ITERATIONS, cost);
        if !revise_semismooth(problem, &mut laws, z) {
            return;
        }
    }
}

/// Finds closest points and multipliers anew for pairs with several facets that transmit nothing.
fn place_apart(problem: &ReferenceProblem, laws: &[Laws], z: &mut DVector<f64>) {
    for (i, pair) in problem.pairs.iter().enumerate() {
        let is_apart = laws[i].normal == NormalLaw::Apart
            || laws[i].normal == NormalLaw::Complementary
                && z[pair.offset + P_N].abs() < NO_IMPULSE * pair.scale.impulse;
        if pair.has_facets() && is_apart {
            let normal = pair_state(problem, pair, &gather(problem, i, z)).normal;
            if normal.iter().all(|x| x.is_finite()) {
                write(problem, i, z, &closest_facets(problem, i, z, &normal));
            }
        }
    }
}

/// Tries every combination of stick, slip and open of the contacts most likely closed: the last resort.
fn enumerate_statuses(
    problem: &ReferenceProblem,
    predicted: &DVector<f64>,
    max_iterations: usize,
    best: &mut Solution,
) {
    let laws = signed_laws(problem, predicted);
    let gap: Vec<f64> = (0..laws.len()).map(|i| gap_impulse(problem, i, predicted)).collect();
    let mut likely: Vec<usize> = (0..laws.len()).collect();
    likely.sort_by(|&i, &j| gap[i].total_cmp(&gap[j]));
    likely.truncate(MAX_ENUMERATED);
    for combination in 0..3_usize.pow(likely.len() as u32) {
        best.restarts += 1;
        let mut guess = laws.clone();
        let mut digits = combination;
        for &pair in &likely {
            let facets = guess[pair].facets;
            guess[pair] = match (digits % 3, problem.pairs[pair].friction.coefficient > 0.0) {
                (0, true) => Laws { normal: NormalLaw::Touching, friction: FrictionLaw::Sticking, facets },
                (1, true) => Laws { normal: NormalLaw::Touching, friction: FrictionLaw::Slipping, facets },
                (2, _) => Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent, facets },
                _ => Laws { normal: NormalLaw::Touching, friction: FrictionLaw::Absent, facets },
            };
            digits /= 3;
        }
        if active_set(problem, guess, predicted.clone(), best) {
            return;
        }
        if best.cost.iterations >= max_iterations {
            best.exhausted = true;
            return;
        }
    }
    for &pair in likely.iter().filter(|i| problem.pairs[**i].has_facets()) {
        for set in likely_sets(problem, pair, predicted).into_iter().take(MAX_SETS) {
            for friction in [FrictionLaw::Sticking, FrictionLaw::Slipping] {
                best.restarts += 1;
                let mut guess = laws.clone();
                guess[pair] = Laws { normal: NormalLaw::Touching, friction, facets: Some(set) };
                if problem.pairs[pair].friction.coefficient == 0.0 {
                    guess[pair].friction = FrictionLaw::Absent;
                }
                if active_set(problem, guess, predicted.clone(), best) {
                    return;
                }
                if best.cost.iterations >= max_iterations {
                    best.exhausted = true;
                    return;
                }
            }
        }
    }
}

/// Runs smooth Newton under guessed signs, revised until they agree: first all contradicted ones, then only
/// the worst, which cannot cycle as easily.
fn active_set(
    problem: &ReferenceProblem,
    mut laws: Vec<Laws>,
    mut z: DVector<f64>,
    best: &mut Solution,
) -> bool {
    let mut reversed = vec![false; laws.len()];
    let has_facets = problem.pairs.iter().any(Pair::has_facets);
    let (mut seen, mut worst_only) = (Vec::new(), false);
    for round in 0..2 * MAX_REVISIONS {
        newton(problem, &laws, &mut z, MAX_ITERATIONS, &mut best.cost);
        place_apart(problem, &laws, &mut z);
        if z.iter().any(|x| !x.is_finite()) {
            return false;
        }
        if best.offer(problem, &z) {
            return true;
        }
        let violations: Vec<f64> = (0..laws.len()).map(|i| violation(problem, i, laws[i], &z)).collect();
        let worst = violations.iter().copied().fold(0.0, f64::max);
        if worst <= 1e-12 {
            return false;
        }
        worst_only |= round >= MAX_REVISIONS;
        if has_facets {
            // A set of laws seen before leads to the same sets again: fewer laws are changed then, and at
            // last none.
            if seen.contains(&laws) {
                if worst_only {
                    return false;
                }
                worst_only = true;
                seen.clear();
            }
            seen.push(laws.clone());
        }
        for i in 0..laws.len() {
            let revise = if worst_only { violations[i] == worst } else { violations[i] > 1e-12 };
            if revise {
                revise_signed(problem, i, &mut laws[i], &mut z, &mut reversed[i], worst_only);
            }
        }
    }
    false
}
