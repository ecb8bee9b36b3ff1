//! A flat pair: its atoms, found at the end pose and kept for the step (theory §3.3).

use crate::contact::axis::curved_axis::{Shortlist, Tilt};
use crate::contact::facing::Facing;
use crate::contact::feature::Feature;
use crate::contact::feature_search::{FeatureSearch, face};
use crate::contact::part::Part;
use crate::contact::placed::Placed;
use crate::contact::point::{Atom, NOWHERE, follow_crossing, place_atom};
use nalgebra::{Matrix3, Vector3};

mod activation;
mod line;
mod load_transfer;
mod wrench;

/// Features are taken up this part of the pair's size above the lowest.
pub const FEATURE_MARGIN: f64 = 0.05;
/// An atom exerts nothing where the bodies are further apart along another axis by this part of the size than it says:
/// of several axes the widest counts. Below that the union of all atoms met steadies the iteration.
const IDLE: f64 = 1e-3;
/// Points of an atom that miss each other along the plane by more than this part of the size have not been found.
const MISMATCH: f64 = 1e-9;
/// Points of rims that stay from step to step beside those that always hold a standing cylinder.
const MOST_LANDED: usize = 6;
/// Bodies further apart than this part of the size need not be searched for features while nothing is transmitted.
const FAR: f64 = 0.02;
/// Rows set aside for atoms not met yet.
const SPARE_SLOTS: usize = 6;

/// An atom that was stale this often in a step stays banned even if it touches again.
const MOST_BANS: usize = 3;

/// The atoms of a pair.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    /// Atoms met within the step; an atom is never dropped while converging.
    pub atoms: Vec<Atom>,
    /// Rows set aside for atoms.
    pub n_slots: usize,
    /// Atoms met that had no slot.
    pub n_missed: usize,
    shortlist: Shortlist,
    /// Ends of a line bear, along one normal.
    is_line: bool,
}

impl Patch {
    /// For looks at poses on a way: parts that stay in the running are not looked for from all sides.
    pub fn rough() -> Self {
        Self { shortlist: Shortlist::rough(), ..Self::default() }
    }

    /// Features at the start of a step: atoms that were loaded stay, others go unless they touch.
    pub fn begin(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        start: &Vector3<f64>,
        search: &mut FeatureSearch,
    ) -> Facing {
        self.shortlist.clear();
        let facing = face(a, b, FEATURE_MARGIN * size, start, None, &mut self.shortlist, search);
        let is_found = |atom: &Atom| search.found.iter().any(|f| f.is_same(&atom.feature));
        self.atoms.retain(|atom| atom.impulse > 0.0 || is_found(atom));
        self.thin_rims(is_found);
        self.forgive();
        self.atoms.iter_mut().for_each(|atom| atom.is_idle = false);
        self.n_slots = usize::MAX;
        self.add(&search.found, facing.n_touching);
        self.evaluate(a, b, &facing.normal);
        facing
    }

    /// The separating axis at an end pose, on whatever side.
    pub fn facing(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        start: &Vector3<f64>,
        search: &mut FeatureSearch,
    ) -> Facing {
        face(a, b, FEATURE_MARGIN * size, start, None, &mut self.shortlist, search)
    }

    /// Of the points that a cylinder landed on only the most loaded stay; the others leave their load to the nearest.
    fn thin_rims(&mut self, is_found: impl Fn(&Atom) -> bool) {
        let is_spare = |atom: &Atom| {
            let on_rim = |part: Part| matches!(part, Part::RimPoint(..));
            matches!(atom.feature, Feature::Parts(a, b) if on_rim(a) || on_rim(b)) && !is_found(atom)
        };
        while self.atoms.iter().filter(|atom| is_spare(atom)).count() > MOST_LANDED {
            let spare = (0..self.atoms.len()).filter(|k| is_spare(&self.atoms[*k]));
            let Some(least) = spare.min_by(|i, j| self.atoms[*i].impulse.total_cmp(&self.atoms[*j].impulse))
            else {
                return;
            };
            let gone = self.atoms.remove(least);
            let distance = |atom: &Atom| (atom.geometry.arm_b - gone.geometry.arm_b).norm();
            let heir = self.atoms.iter_mut().min_by(|p, q| distance(p).total_cmp(&distance(q)));
            if let Some(heir) = heir {
                heir.impulse += gone.impulse;
            }
        }
    }

    /// Features at an end pose, if `side` is given those of its side, united with those met before. Banned atoms lose their
    /// load `x`. `bound` is a lower bound of the gap along `start`: bodies far apart that transmit nothing are not looked at.
    pub fn refresh(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        (start, bound): (&Vector3<f64>, f64),
        side: Option<&Vector3<f64>>,
        search: &mut FeatureSearch,
        x: &mut [f64],
    ) -> Facing {
        let is_far = bound > FAR * size && !self.atoms.is_empty() && x.iter().all(|x| *x <= 0.0);
        let facing = if is_far {
            Facing { normal: *start, gap: bound, n_touching: 0 }
        } else {
            let facing = face(a, b, FEATURE_MARGIN * size, start, side, &mut self.shortlist, search);
            self.add(&search.found, facing.n_touching);
            facing
        };
        self.is_line = false;
        search.places.clear();
        search.places.extend(self.atoms.iter().map(|atom| atom.geometry.arm_b));
        self.evaluate(a, b, &facing.normal);
        for atom in &mut self.atoms {
            atom.is_idle = atom.geometry.gap < facing.gap - IDLE * size || atom.is_lost(a, b);
        }
        self.leave_in_place(&search.places, a, b, &facing.normal, x);
        for k in 0..self.atoms.len().min(x.len()) {
            let is_idle = self.atoms[k].is_idle && x[k] > 0.0;
            if is_idle
                && (facing.gap <= 0.0 || self.atoms[k].is_lost(a, b))
                && let Some(heir) = self.heir(k, a, b, f64::INFINITY)
            {
                x[heir] += x[k];
            }
            if !self.atoms[k].exerts() {
                x[k] = 0.0;
            }
        }
        facing
    }

    /// Forgets which atoms are banned, and how often they were.
    pub fn forgive(&mut self) {
        for atom in &mut self.atoms {
            (atom.is_banned, atom.is_turned, atom.n_bans) = (false, false, 0);
        }
    }

    /// Sets rows aside for the atoms known and a few more.
    pub fn reserve(&mut self) {
        self.n_slots = (self.atoms.len() + SPARE_SLOTS).next_multiple_of(SPARE_SLOTS);
        self.n_missed = 0;
    }

    fn add(&mut self, found: &[Feature], n_touching: usize) {
        self.n_missed = 0;
        for (k, feature) in found.iter().enumerate() {
            if let Some(known) = self.atoms.iter_mut().find(|a| a.feature.is_same(feature)) {
                known.is_banned &= known.n_bans >= MOST_BANS || k >= n_touching;
                // The point where edges cross moves along them.
                known.feature = *feature;
                continue;
            }
            if self.atoms.len() >= self.n_slots {
                self.n_missed += 1;
                continue;
            }
            self.atoms.push(Atom {
                feature: *feature,
                geometry: NOWHERE,
                slope: [Matrix3::zeros(); 2],
                tilt: Tilt::default(),
                is_found: true,
                impulse: 0.0,
                start: None,
                is_banned: false,
                is_idle: false,
                is_turned: false,
                n_bans: 0,
            });
        }
    }

    fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>, facing: &Vector3<f64>) {
        let size = a.model.smaller_size(b.model);
        for atom in &mut self.atoms {
            follow_crossing(&mut atom.feature, a, b);
            let last = atom.geometry.normal;
            let hint = if last.dot(facing) > 0.0 { &last } else { facing };
            let (geometry, slope, mismatch) = place_atom(&atom.feature, a, b, hint);
            (atom.geometry, atom.slope) = (geometry, slope);
            atom.is_found = mismatch <= MISMATCH * size;
            if let Feature::Parts(of_a, of_b) = atom.feature {
                let trust = atom.tilt.trust((of_a, of_b), a, b, &geometry.normal);
                atom.slope[0] *= trust[0];
                atom.slope[1] *= trust[1];
            }
        }
    }
}

#[cfg(test)]
mod tests;
