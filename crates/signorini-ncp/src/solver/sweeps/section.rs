//! The rows of a part and what they move, as slices that no other part holds: halves are worked on at once,
//! then what lies between them.

use crate::solver::sweeps::batch::{Batch, Impulses, Place, ShiftRow, SweptRow, Terms};
use crate::solver::sweeps::moving::Moving;
use crate::threads;
use std::ops::Range;

/// How many of each come before something.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Extent {
    pub batches: usize,
    pub contacts: usize,
    pub rows: usize,
    pub shifts: usize,
}

/// A part with the places of what belongs to it. First come its halves, then what lies between them.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub halves: Option<[usize; 2]>,
    /// Start of its halves.
    pub start: Extent,
    /// Start of the rows between them, or of all.
    pub own: Extent,
    /// Places of its bodies.
    pub places: Range<usize>,
}

/// Rows and motions of a part.
pub(super) struct Section<'a> {
    pub batches: &'a mut [Batch],
    pub contacts: &'a mut [Place],
    pub rows: &'a mut [SweptRow],
    pub impulses: &'a mut [Impulses],
    pub terms: &'a mut [Terms],
    pub shifts: &'a mut [ShiftRow],
    pub motions: &'a mut [Moving],
}

impl<'a> Section<'a> {
    /// Section before `at` and the section after it, the whole beginning at `from`. The motions stay with the
    /// rest.
    fn split(self, from: &Extent, at: &Extent) -> [Self; 2] {
        let rows = at.rows - from.rows;
        let (batches, own_batches) = self.batches.split_at_mut(at.batches - from.batches);
        let (contacts, own_contacts) = self.contacts.split_at_mut(at.contacts - from.contacts);
        let (shifts, own_shifts) = self.shifts.split_at_mut(at.shifts - from.shifts);
        let (before, own) = self.rows.split_at_mut(rows);
        let (impulses, own_impulses) = self.impulses.split_at_mut(rows);
        let (terms, own_terms) = self.terms.split_at_mut(rows);
        let none: &'a mut [Moving] = &mut [];
        let before = Self { batches, contacts, rows: before, impulses, terms, shifts, motions: none };
        let own = Self {
            batches: own_batches,
            contacts: own_contacts,
            rows: own,
            impulses: own_impulses,
            terms: own_terms,
            shifts: own_shifts,
            motions: self.motions,
        };
        [before, own]
    }
}

/// Work on the own rows of each part, after those of its halves; the results are added up.
pub(super) trait Visit: Sync {
    /// Result.
    type Found: Send;

    /// Visits what lies between the halves of a part, or all of it.
    fn visit(&self, node: &Node, own: Section<'_>) -> Self::Found;

    /// Sum of the results of both.
    fn add(&self, a: Self::Found, b: Self::Found) -> Self::Found;
}

/// Visits part `i`, which is the section, and all of its halves, as many at once as there are threads. What
/// is found does not depend on their number.
pub(super) fn visit<V: Visit>(nodes: &[Node], i: usize, section: Section<'_>, visitor: &V) -> V::Found {
    let node = &nodes[i];
    let Some([left, right]) = node.halves else { return visitor.visit(node, section) };
    let [before, own] = section.split(&node.start, &node.own);
    let [mut first, mut second] = before.split(&node.start, &nodes[right].start);
    let middle = nodes[right].places.start - node.places.start;
    let (first_motions, second_motions) = own.motions.split_at_mut(middle);
    (first.motions, second.motions) = (first_motions, second_motions);
    let (a, b) =
        threads::join(|| visit(nodes, left, first, visitor), || visit(nodes, right, second, visitor));
    let both = visitor.add(a, b);
    visitor.add(both, visitor.visit(node, own))
}
