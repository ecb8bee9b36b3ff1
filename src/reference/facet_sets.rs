//! Active facets of a pair: read from an iterate, checked by signs, revised, and listed for the last resort.

use super::equations::end_poses;
use super::facet_block::FacetBlock;
use super::problem::ReferenceProblem;
use super::system::gather;
use super::unknowns::PAIR_UNKNOWNS;
use nalgebra::DVector;

/// Tolerance of the signs, for multipliers and for f over the size.
pub(super) const SIGN_TOLERANCE: f64 = 1e-10;
/// Most facets of a body that the last resort combines.
const MAX_COMBINED_FACETS: usize = 4;

/// Multiplier l over its unit and value f (m) of every facet, A's first.
pub(super) fn facet_values(problem: &ReferenceProblem, i_pair: usize, z: &DVector<f64>) -> Vec<(f64, f64)> {
    let pair = &problem.pairs[i_pair];
    let local = gather(problem, i_pair, z);
    let poses = end_poses(problem, pair, &local);
    let block = FacetBlock::new(problem, pair, &poses, &local);
    block.facets().enumerate().map(|(i, (l, f))| (l / pair.multiplier_unit(i), f)).collect()
}

/// Bit mask of the facets whose multiplier outweighs their distance; at least one of each body.
pub(super) fn active_facets(problem: &ReferenceProblem, i_pair: usize, z: &DVector<f64>) -> u64 {
    let pair = &problem.pairs[i_pair];
    let values = facet_values(problem, i_pair, z);
    let mut mask = 0;
    let mut first = 0;
    for n in pair.n_facets {
        let own = first..first + n;
        let lead = |i: usize| values[i].0 + values[i].1 / pair.scale.travel;
        let before: u64 = mask;
        own.clone().filter(|i| lead(*i) > 0.0).for_each(|i| mask |= 1 << i);
        if mask == before
            && let Some(best) = own.max_by(|i, j| lead(*i).total_cmp(&lead(*j)))
        {
            mask |= 1 << best;
        }
        first += n;
    }
    mask
}

/// Amount by which the signs contradict the assumed set, facet by facet: −l of active ones, f over the size
/// of the others.
fn violations(problem: &ReferenceProblem, i_pair: usize, mask: u64, z: &DVector<f64>) -> Vec<f64> {
    let size = problem.pairs[i_pair].scale.size;
    let wrong = |(i, (l, f)): (usize, (f64, f64))| if mask >> i & 1 == 1 { -l } else { f / size };
    facet_values(problem, i_pair, z).into_iter().enumerate().map(wrong).collect()
}

/// Largest contradiction between signs and assumed set; 0 when the signs agree.
pub(super) fn violation(problem: &ReferenceProblem, i_pair: usize, mask: u64, z: &DVector<f64>) -> f64 {
    let worst = violations(problem, i_pair, mask, z).into_iter().fold(0.0, f64::max);
    if worst > SIGN_TOLERANCE { worst } else { 0.0 }
}

/// Removes facets whose multiplier is negative and adds facets whose inequality is violated. A body keeps at
/// least one and at most three. With `worst_only` one facet changes.
pub(super) fn revise(
    problem: &ReferenceProblem,
    i_pair: usize,
    mask: &mut u64,
    z: &mut DVector<f64>,
    worst_only: bool,
) {
    let pair = &problem.pairs[i_pair];
    let wrong = violations(problem, i_pair, *mask, z);
    let most = wrong.iter().copied().fold(0.0, f64::max);
    let values = facet_values(problem, i_pair, z);
    let mut first = 0;
    for n in pair.n_facets {
        let own = first..first + n;
        let side = ((1_u64 << n) - 1) << first;
        for i in own.clone().filter(|i| wrong[*i] > SIGN_TOLERANCE && (!worst_only || wrong[*i] == most)) {
            if *mask >> i & 1 == 1 {
                if (*mask & side).count_ones() > 1 {
                    *mask &= !(1 << i);
                    z[pair.offset + PAIR_UNKNOWNS + i] = 0.0;
                }
                continue;
            }
            if (*mask & side).count_ones() >= 3 {
                let least = own.clone().filter(|j| *mask >> j & 1 == 1);
                if let Some(j) = least.min_by(|j, k| values[*j].0.total_cmp(&values[*k].0)) {
                    *mask &= !(1 << j);
                    z[pair.offset + PAIR_UNKNOWNS + j] = 0.0;
                }
            }
            *mask |= 1 << i;
        }
        first += n;
    }
}

/// Lists sets of up to three of the outermost facets of either body at the points of z, no more than four in
/// all.
pub(super) fn likely_sets(problem: &ReferenceProblem, i_pair: usize, z: &DVector<f64>) -> Vec<u64> {
    let pair = &problem.pairs[i_pair];
    let values = facet_values(problem, i_pair, z);
    let mut first = 0;
    let sets = pair.n_facets.map(|n| {
        let mut own: Vec<usize> = (first..first + n).collect();
        own.sort_by(|i, j| values[*j].1.total_cmp(&values[*i].1));
        own.truncate(MAX_COMBINED_FACETS);
        first += n;
        let of = |choice: u32| {
            let chosen = own.iter().enumerate().filter(|(k, _)| choice >> k & 1 == 1);
            chosen.fold(0_u64, |mask, (_, i)| mask | 1 << i)
        };
        let choices = (1..1_u32 << own.len()).filter(|c| c.count_ones() <= 3);
        choices.map(of).collect::<Vec<u64>>()
    });
    let mut found = Vec::new();
    for a in &sets[0] {
        found.extend(sets[1].iter().map(|b| a | b).filter(|mask| mask.count_ones() <= 4));
    }
    found
}
