//! Which atoms of a patch may bear: stale ones, turned ones and those whose plane cuts a body make way for others.

use crate::contact::feature::Feature;
use crate::contact::manifold::{MOST_BANS, Patch};
use crate::contact::placed::Placed;
use crate::contact::point::{Atom, cut, misses};
use nalgebra::Vector3;

/// An atom is stale when it misses the bodies by this part of the size, and this many times the largest gap of a
/// loaded atom.
const STALE: f64 = 1e-7;
const STALE_GAPS: f64 = 1000.0;
const STALE_GAPS_ALONG: f64 = 30.0;
/// On a central path atoms far from the other body bear a little. Below this part of what the patch bears their gaps tell nothing.
const NEGLIGIBLE: f64 = 1e-6;
/// A stale atom's load goes to an atom whose normal encloses at least this cosine with its own.
const SAME_SIDE: f64 = 0.5;
/// Atoms are turned from the axis when their normal encloses this angle with it (rad), and this many times the largest
/// gap of a loaded atom over the size.
const TURNED: f64 = 1e-10;
const TURNED_GAPS: f64 = 100.0;
/// At the end of a solve an atom makes way for another when its plane cuts a body by this part of the size, and this many times
/// the largest gap of a loaded atom, and the other's does not.
const CUTS: f64 = 1e-10;
const CUTS_GAPS: f64 = 100.0;
/// Of round parts only where the other is as near as this part of the size: a standing cylinder has points of its rim that are not its
/// lowest, and bears on them.
const SAME_PLACE: f64 = 1e-6;
impl Patch {
    /// Bans atoms that are loaded but no longer support both bodies, measured against how far the loaded atoms are
    /// from touching; `size` is a length of the pair. Their load goes to an atom with the same normal that took
    /// their place, if there is one.
    pub fn ban_stale(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, x: &mut [f64]) {
        let open = self.open(x);
        for k in 0..self.atoms.len() {
            if x[k] <= 0.0 || self.is_supporting(k, a, b, size, open) {
                continue;
            }
            self.atoms[k].is_banned = true;
            self.atoms[k].n_bans += 1;
            if let Some(heir) = self.heir(k, a, b, STALE * size + STALE_GAPS * open) {
                x[heir] += x[k];
            }
            x[k] = 0.0;
        }
    }

    /// The largest gap of a loaded atom, or overlap of one that could bear (m).
    pub(super) fn open(&self, x: &[f64]) -> f64 {
        let little = NEGLIGIBLE * x.iter().sum::<f64>();
        let off = |atom: &Atom, x: f64| if x > little { atom.geometry.gap.abs() } else { -atom.geometry.gap };
        let atoms = self.atoms.iter().zip(x).filter(|(atom, _)| atom.exerts());
        atoms.map(|(atom, x)| off(atom, *x)).fold(0.0, f64::max)
    }

    /// Whether an atom supports both bodies, where the largest gap of a loaded one is `open`.
    fn is_supporting(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, size: f64, open: f64) -> bool {
        let (beyond, outside) = misses(&self.atoms[k], a, b);
        beyond <= STALE * size + STALE_GAPS * open && outside <= STALE * size + STALE_GAPS_ALONG * open
    }

    /// Whether atom k bears some of the impulses x, or could: it supports both bodies along the separating axis and its plane cuts neither.
    pub fn could_bear(
        &self,
        k: usize,
        a: &Placed<'_>,
        b: &Placed<'_>,
        axis: &Vector3<f64>,
        size: f64,
        x: &[f64],
    ) -> bool {
        let (atom, open) = (&self.atoms[k], self.open(x));
        let turned = (atom.geometry.normal - axis).norm();
        x[k] > 0.0
            || atom.exerts()
                && self.is_supporting(k, a, b, size, open)
                && turned <= turn_allowed(open, size)
                && (self.is_even(x.len()) || !self.cuts(k, a, b, cut_allowed(open, size)))
    }

    /// Whether another look at the same pose finds everything as it is, and no atom to ban, with the flags of
    /// [`crate::contact::Pair::refresh`]. Only atoms without round parts stay the same to the last bit.
    pub fn stands(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        x: &[f64],
        [stale, turned]: [bool; 2],
    ) -> bool {
        let open = self.open(x);
        let loaded = || (0..self.atoms.len().min(x.len())).filter(|k| x[*k] > 0.0);
        let room = cut_allowed(open, size);
        let angle = turn_allowed(open, size);
        self.atoms.iter().all(|atom| !matches!(atom.feature, Feature::Parts(..)))
            && !(stale && loaded().any(|k| !self.is_supporting(k, a, b, size, open)))
            && !(turned && self.moment(x) > angle * size * x.iter().sum::<f64>())
            && !(turned && !self.is_even(x.len()) && loaded().any(|k| self.cuts(k, a, b, room)))
    }

    /// Atoms that push along different normals at different places have no equivalent contact point: beside their sum
    /// they leave a moment, |Σ x_k (r_k − r_c) × n_k| (N s m).
    pub fn moment(&self, x: &[f64]) -> f64 {
        let loaded = || self.atoms.iter().zip(x).filter(|(_, x)| **x > 0.0);
        let sum: f64 = loaded().map(|(_, x)| x).sum();
        let Some((first, _)) = loaded().next() else { return 0.0 };
        if loaded().all(|(atom, _)| atom.geometry.normal == first.geometry.normal) {
            return 0.0;
        }
        let center = loaded().map(|(atom, x)| atom.geometry.arm_b * *x).sum::<Vector3<f64>>() / sum;
        let moment =
            loaded().map(|(atom, x)| (atom.geometry.arm_b - center).cross(&atom.geometry.normal) * *x);
        moment.sum::<Vector3<f64>>().norm()
    }

    /// Bans loaded atoms whose normal is turned from that of the separating axis, if others along the axis can take
    /// their load, and if the load would else have no equivalent contact point.
    pub fn ban_turned(&mut self, axis: &Vector3<f64>, size: f64, x: &mut [f64]) {
        let open = self.open(x);
        let sum: f64 = x.iter().sum();
        let angle = turn_allowed(open, size);
        if self.moment(x) <= angle * size * sum {
            return;
        }
        let is_turned = |atom: &Atom| (atom.geometry.normal - axis).norm() > angle;
        for k in 0..self.atoms.len().min(x.len()) {
            if x[k] <= 0.0 || !is_turned(&self.atoms[k]) {
                continue;
            }
            let place = self.atoms[k].geometry.arm_b;
            let distance = |j: usize| (self.atoms[j].geometry.arm_b - place).norm();
            let along =
                (0..self.atoms.len()).filter(|j| self.atoms[*j].exerts() && !is_turned(&self.atoms[*j]));
            let Some(heir) = along.min_by(|i, j| distance(*i).total_cmp(&distance(*j))) else { return };
            x[heir] += x[k];
            x[k] = 0.0;
            self.atoms[k].is_banned = true;
            self.atoms[k].is_turned = true;
            self.atoms[k].n_bans += 1;
        }
    }

    /// Bans loaded atoms whose plane cuts one of the bodies, if another atom along another normal cuts neither: a crossing above
    /// the rim of a face, once the face leans by little, for the two edges that cross there; a point of a rim in the plane of a face, where the rim
    /// touches an edge of it. At one place both bear the same load and leave no moment, but their sum is no normal of both bodies.
    pub fn ban_cutting(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, x: &mut [f64]) {
        let n = self.atoms.len().min(x.len());
        if self.is_even(n) {
            return;
        }
        let little = NEGLIGIBLE * x.iter().sum::<f64>();
        let open = (0..n).filter(|k| x[*k] > little).map(|k| self.atoms[k].geometry.gap.abs());
        let room = cut_allowed(open.fold(0.0, f64::max), size);
        for k in 0..n {
            if x[k] <= 0.0 || !self.cuts(k, a, b, room) {
                continue;
            }
            let (place, normal) = (self.atoms[k].geometry.arm_b, self.atoms[k].geometry.normal);
            let distance = |j: usize| (self.atoms[j].geometry.arm_b - place).norm();
            let is_beside = |j: usize| self.are_flat(k, j) || distance(j) <= SAME_PLACE * size;
            let heir = (0..n)
                .filter(|j| self.atoms[*j].exerts() && self.are_turned(k, *j) && is_beside(*j))
                .filter(|j| self.atoms[*j].geometry.normal.dot(&normal) > SAME_SIDE)
                .filter(|j| !self.cuts(*j, a, b, room))
                .min_by(|i, j| distance(*i).total_cmp(&distance(*j)));
            let Some(heir) = heir else { continue };
            x[heir] += x[k];
            x[k] = 0.0;
            self.atoms[k].is_banned = true;
            self.atoms[k].n_bans += 1;
        }
    }

    /// Whether the first n atoms all push along one normal.
    fn is_even(&self, n: usize) -> bool {
        let mut acting = (0..self.atoms.len().min(n)).filter(|k| self.atoms[*k].exerts());
        acting.next().is_none_or(|first| acting.all(|k| !self.are_turned(first, k)))
    }

    /// Whether neither atom has a round part.
    fn are_flat(&self, i: usize, j: usize) -> bool {
        [i, j].iter().all(|k| !matches!(self.atoms[*k].feature, Feature::Parts(..)))
    }

    fn are_turned(&self, i: usize, j: usize) -> bool {
        (self.atoms[i].geometry.normal - self.atoms[j].geometry.normal).norm() > TURNED
    }

    fn cuts(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, room: f64) -> bool {
        cut(&self.atoms[k], a, b) > room
    }

    /// Lets atoms push again that were banned for their normal, now that the iterate is far from a solution.
    pub fn release_turned(&mut self) {
        for atom in self.atoms.iter_mut().filter(|atom| atom.is_turned && atom.n_bans < MOST_BANS) {
            (atom.is_banned, atom.is_turned) = (false, false);
        }
    }

    /// The nearest atom that supports both bodies to within `tolerance` (m) on the same side as atom k.
    pub(super) fn heir(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, tolerance: f64) -> Option<usize> {
        let old = &self.atoms[k].geometry;
        let distance = |j: usize| (self.atoms[j].geometry.arm_b - old.arm_b).norm();
        (0..self.atoms.len())
            .filter(|j| {
                let atom = &self.atoms[*j];
                atom.exerts() && atom.geometry.normal.dot(&old.normal) > SAME_SIDE && {
                    let (beyond, outside) = misses(atom, a, b);
                    beyond.max(outside) <= tolerance
                }
            })
            .min_by(|i, j| distance(*i).total_cmp(&distance(*j)))
    }
}

/// How far normals may be apart where the largest gap of a loaded atom is `open`.
fn turn_allowed(open: f64, size: f64) -> f64 {
    TURNED + TURNED_GAPS * open / size
}

/// How far a plane may cut a body there (m).
fn cut_allowed(open: f64, size: f64) -> f64 {
    CUTS * size + CUTS_GAPS * open
}
