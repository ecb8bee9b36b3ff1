//! Changes of a pass of the flat step in a fixed tree, and the factor β of the next one (Silcowitz, Niebe
//! and Erleben 2010).

use super::flat_contact::{AGE, FACTOR, LARGEST, LAST_SQUARE, MOVED, PASS_SQUARE, STILL, STOPPED, SWEEPS};
use super::flat_parameters::{MOST_BETA, RECENTRE};
use super::types::{FlatRow, FlatState};
use crate::real::Real;

/// Contacts of a group.
pub const PORTION: usize = 1024;
/// Threads of a group.
const GROUP: usize = 64;

/// Square of changes (N² s²), largest change and largest change of Jᵀx in units, and 0.
pub type Part<T> = [T; 4];

fn joined<T: Real>(a: Part<T>, b: Part<T>) -> Part<T> {
    [a[0] + b[0], a[1].max(b[1]), a[2].max(b[2]), T::zero()]
}

/// Halves are joined pairwise.
fn tree<T: Real>(of_thread: impl Fn(usize) -> Part<T>) -> Part<T> {
    let mut part: [Part<T>; GROUP] = std::array::from_fn(of_thread);
    let mut half = GROUP / 2;
    while half > 0 {
        for t in 0..half {
            part[t] = joined(part[t], part[t + half]);
        }
        half /= 2;
    }
    part[0]
}

/// Changes of group number g.
pub fn flat_change<T: Real>(rows: &[FlatRow<T>], states: &[FlatState<T>], g: usize) -> Part<T> {
    let none = [T::zero(); 4];
    tree(|t| {
        let of = (PORTION * g + t..PORTION * (g + 1)).step_by(GROUP).take_while(|i| *i < states.len());
        of.fold(none, |sum, i| {
            let (square, most) = states[i].changed();
            let seen = [square, most * rows[i].per_unit[0], states[i].moved[0], T::zero()];
            joined(sum, seen)
        })
    })
}

/// Joins the parts of all groups after a sweep or a turn: β, and whether the sweeps of the round end.
pub fn flat_scalars<T: Real>(scalars: &mut [T], parts: &[Part<T>], in_sweep: bool) {
    let none = [T::zero(); 4];
    let total = tree(|t| parts.iter().skip(t).step_by(GROUP).fold(none, |sum, part| joined(sum, *part)));
    if in_sweep && scalars[STOPPED] > T::zero() {
        return;
    }
    let [square, largest, moved, _] = total;
    let (zero, one, last) = (T::zero(), T::one(), scalars[LAST_SQUARE]);
    let known = last >= zero;
    let ratio = if square > zero { square / last } else { zero };
    let goes_on = !known || ratio <= one;
    scalars[FACTOR] = if known && goes_on { ratio.min(T::of(MOST_BETA)) } else { zero };
    scalars[LAST_SQUARE] = if goes_on { square } else { -one };
    let age = scalars[AGE] + one;
    scalars[AGE] = if age >= T::of(RECENTRE as f64) { zero } else { age };
    (scalars[PASS_SQUARE], scalars[LARGEST]) = (square, largest);
    if in_sweep {
        scalars[SWEEPS] += one;
        scalars[STOPPED] = if largest < scalars[STILL] { one } else { zero };
    } else {
        scalars[MOVED] = moved;
    }
}
