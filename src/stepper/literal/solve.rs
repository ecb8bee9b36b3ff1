//! Solves one step: a list of starts in a fixed order, each refined by Newton under revised assumptions.
//!
//! Two devices, both established, stand between Newton and a bare Fischer–Burmeister system. The Fritz–John
//! rows of a pair with p_n = 0 are 0 = σ p, which leaves p and σ undetermined: such pairs have their friction
//! unknowns pinned to 0 until p_n > 0. And when the semismooth iteration stalls at a kink, the signs are
//! guessed, the then smooth system is solved, and the guesses are revised (an active-set method).

use super::equations::{FrictionLaw, Laws, NormalLaw, pair_state};
use super::layout::{P_N, P_T, PAIR_UNKNOWNS, Pair, SIGMA, StepProblem};
use super::newton::{Cost, newton};
use super::norms::{Judgement, judge, scaled_friction};
use super::prediction::{PairMemory, predict};
use super::system::gather;
use nalgebra::{DVector, Vector3};

/// The search over starts ends when the residual is at most this, or as small as rounding allows.
const TARGET: f64 = 1e-11;
/// Newton iterations under one set of assumptions.
const BUDGET: usize = 40;
/// Revisions of the assumptions.
const ROUNDS: usize = 12;

/// The best iterate found.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// Unknowns.
    pub z: DVector<f64>,
    /// Its norms.
    pub judgement: Judgement,
    /// Work spent.
    pub cost: Cost,
    /// Starts after the first.
    pub restarts: usize,
    /// Whether the iteration limit ended the search.
    pub exhausted: bool,
    /// The residual at which the search ends.
    target: f64,
}

impl Solution {
    fn offer(&mut self, problem: &StepProblem, z: &DVector<f64>) -> bool {
        let judgement = judge(problem, z);
        if judgement.worst() < self.judgement.worst() {
            self.z.copy_from(z);
            self.judgement = judgement;
        }
        self.judgement.worst() <= self.target
    }
}

/// Solves the step from the impulses of the previous one.
pub(super) fn solve(problem: &StepProblem, memory: &[PairMemory], max_iterations: usize) -> Solution {
    let cold: Vec<PairMemory> = memory.iter().map(|m| PairMemory::open(m.normal)).collect();
    // (impulses to start from, rounds of frozen geometry, sweeps per round)
    let starts: [(&[PairMemory], usize, usize); 5] =
        [(memory, 3, 60), (&cold, 4, 300), (memory, 0, 0), (&cold, 1, 1), (memory, 12, 1000)];
    let z = predict(problem, memory, 0, 0);
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

/// [`TARGET`], or the rounding of world coordinates in the gap, ε |x| m/(h p_ref), if that is larger.
fn target(problem: &StepProblem) -> f64 {
    let moving = problem.bodies.iter().filter(|b| b.unknown.is_some());
    let rounding = moving.map(|b| b.centre.amax() * b.mass).fold(0.0, f64::max) * f64::EPSILON
        / (problem.time_step * problem.reference_impulse);
    TARGET.max(4.0 * rounding)
}

/// Semismooth Newton, then the active-set method from where it ended.
fn refine(problem: &StepProblem, mut z: DVector<f64>, best: &mut Solution) -> bool {
    let start = z.clone();
    let mut laws = semismooth_laws(problem, &z);
    for _ in 0..ROUNDS {
        newton(problem, &laws, &mut z, BUDGET, &mut best.cost);
        let changed = revise_semismooth(problem, &mut laws, &mut z);
        if !changed {
            break;
        }
    }
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

/// The last resort: every combination of stick and slip of the contacts predicted closed.
fn enumerate_statuses(
    problem: &StepProblem,
    predicted: &DVector<f64>,
    max_iterations: usize,
    best: &mut Solution,
) {
    let laws = signed_laws(problem, predicted);
    let closed: Vec<usize> = (0..laws.len()).filter(|&i| laws[i].friction != FrictionLaw::Absent).collect();
    let n_enumerated = closed.len().min(6);
    for mask in 0..1_usize << n_enumerated {
        best.restarts += 1;
        let mut guess = laws.clone();
        for (bit, &pair) in closed.iter().take(n_enumerated).enumerate() {
            let slips = mask >> bit & 1 == 1;
            guess[pair].friction = if slips { FrictionLaw::Slipping } else { FrictionLaw::Sticking };
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

/// Smooth Newton under guessed signs, revised until they hold.
fn active_set(problem: &StepProblem, mut laws: Vec<Laws>, mut z: DVector<f64>, best: &mut Solution) -> bool {
    for _ in 0..ROUNDS {
        newton(problem, &laws, &mut z, BUDGET, &mut best.cost);
        if z.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let changed = revise_signed(problem, &mut laws, &mut z);
        if best.offer(problem, &z) {
            return true;
        }
        if !changed {
            return false;
        }
    }
    false
}

fn semismooth_laws(problem: &StepProblem, z: &DVector<f64>) -> Vec<Laws> {
    let law = |(i, pair): (usize, &Pair)| {
        let closed = z[problem.pair_offset(i) + P_N] > 0.0 && pair.friction.coefficient > 0.0;
        let friction = if closed { FrictionLaw::Complementary } else { FrictionLaw::Absent };
        Laws { normal: NormalLaw::Complementary, friction }
    };
    problem.pairs.iter().enumerate().map(law).collect()
}

/// Pins the friction of pairs that opened and frees it of pairs that closed; whether anything changed.
fn revise_semismooth(problem: &StepProblem, laws: &mut [Laws], z: &mut DVector<f64>) -> bool {
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

/// Status by signs: closed where p_n outweighs the gap, slipping where σ outweighs ζ.
fn signed_laws(problem: &StepProblem, z: &DVector<f64>) -> Vec<Laws> {
    let law = |(i, pair): (usize, &Pair)| {
        if !is_closed(problem, i, z) {
            return Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent };
        }
        let friction = if pair.friction.coefficient == 0.0 {
            FrictionLaw::Absent
        } else if z[problem.pair_offset(i) + SIGMA] > 0.0 && room(problem, i, z) <= 1e-6 {
            FrictionLaw::Slipping
        } else {
            FrictionLaw::Sticking
        };
        Laws { normal: NormalLaw::Touching, friction }
    };
    problem.pairs.iter().enumerate().map(law).collect()
}

/// Corrects each guess that the solved signs contradict; whether anything changed.
fn revise_signed(problem: &StepProblem, laws: &mut [Laws], z: &mut DVector<f64>) -> bool {
    let mut changed = false;
    for (i, pair) in problem.pairs.iter().enumerate() {
        let offset = problem.pair_offset(i);
        let before = laws[i];
        match before.normal {
            NormalLaw::Apart if gap_impulse(problem, i, z) < -1e-12 => {
                laws[i].normal = NormalLaw::Touching;
                if pair.friction.coefficient > 0.0 {
                    laws[i].friction = FrictionLaw::Sticking;
                }
            }
            NormalLaw::Touching if z[offset + P_N] < 0.0 => {
                laws[i] = Laws { normal: NormalLaw::Apart, friction: FrictionLaw::Absent };
                z[offset + P_N] = 0.0;
                pin_friction(problem, i, z);
            }
            _ => match before.friction {
                FrictionLaw::Sticking if room(problem, i, z) < -1e-12 => {
                    laws[i].friction = FrictionLaw::Slipping;
                    pull_onto_ellipsoid(problem, i, z);
                }
                FrictionLaw::Slipping if z[offset + SIGMA] < 0.0 => {
                    laws[i].friction = FrictionLaw::Sticking;
                    z[offset + SIGMA] = 0.0;
                }
                _ => {}
            },
        }
        changed |= laws[i] != before;
    }
    changed
}

/// f(a2) in units of impulse, over the pair's unit of impulse.
fn gap_impulse(problem: &StepProblem, i: usize, z: &DVector<f64>) -> f64 {
    let pair = &problem.pairs[i];
    let f_a2 = pair_state(problem, pair, &gather(problem, i, z)).values[2];
    f_a2 * pair.scale.mass / (problem.time_step * pair.scale.impulse)
}

fn is_closed(problem: &StepProblem, i: usize, z: &DVector<f64>) -> bool {
    let p_n = z[problem.pair_offset(i) + P_N] / problem.pairs[i].scale.impulse;
    p_n > 0.0 && p_n > gap_impulse(problem, i, z)
}

fn friction_at(problem: &StepProblem, i: usize, z: &DVector<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let pair = &problem.pairs[i];
    let offset = problem.pair_offset(i);
    let state = pair_state(problem, pair, &gather(problem, i, z));
    let p = Vector3::new(z[offset + P_T], z[offset + P_T + 1], z[offset + P_T + 2]);
    scaled_friction(pair, &p, &state.slip)
}

/// 1 − |u|/(μ p_n): how far inside the friction ellipsoid.
fn room(problem: &StepProblem, i: usize, z: &DVector<f64>) -> f64 {
    let limit = problem.pairs[i].friction.coefficient * z[problem.pair_offset(i) + P_N];
    let size = friction_at(problem, i, z).0.norm();
    if limit > 0.0 { 1.0 - size / limit } else { -1.0 }
}

fn pin_friction(problem: &StepProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    z.rows_mut(offset + P_T, PAIR_UNKNOWNS - P_T).fill(0.0);
}

fn set_scaled_friction(problem: &StepProblem, i: usize, z: &mut DVector<f64>, u: &Vector3<f64>) {
    let offset = problem.pair_offset(i);
    let e = &problem.pairs[i].friction;
    z[offset + P_T] = e.tangential[0] * u.x;
    z[offset + P_T + 1] = e.tangential[1] * u.y;
    z[offset + P_T + 2] = e.torsional * u.z;
}

/// Friction opposite to the slip, on the ellipsoid, σ = |w|.
fn start_slipping(problem: &StepProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    let (_, w) = friction_at(problem, i, z);
    let limit = problem.pairs[i].friction.coefficient * z[offset + P_N];
    let u = if w.norm() > 0.0 { -w * (limit / w.norm()) } else { Vector3::zeros() };
    set_scaled_friction(problem, i, z, &u);
    z[offset + SIGMA] = w.norm();
}

fn pull_onto_ellipsoid(problem: &StepProblem, i: usize, z: &mut DVector<f64>) {
    let offset = problem.pair_offset(i);
    let (u, _) = friction_at(problem, i, z);
    let limit = problem.pairs[i].friction.coefficient * z[offset + P_N];
    if u.norm() > 0.0 {
        set_scaled_friction(problem, i, z, &(u * (limit / u.norm())));
    }
}
