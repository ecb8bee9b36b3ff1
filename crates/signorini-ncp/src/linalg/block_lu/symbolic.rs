//! Data of a factorisation that is known before its values.

use crate::linalg::BlockPattern;
use crate::linalg::supernodes::Supernodes;
use std::ops::Range;

/// Fewest products of blocks from which on subtrees are factorised apart.
const SHARED_FROM: usize = 20_000;
/// Each subtree has at most one `PARTS`-th of the products of blocks.
const PARTS: usize = 12;

/// Destination of a slot of the pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) supernode: usize,
    /// Column of blocks in the supernode, row of blocks in its front.
    pub(super) column: usize,
    pub(super) row: usize,
    /// The block of the pattern's lower triangle lies in the upper one in elimination order.
    pub(super) transposed: bool,
}

/// Data of a factorisation that does not depend on values.
#[derive(Debug, Default)]
pub(super) struct Symbolic {
    pub(super) nodes: Supernodes,
    /// Destinations by slot of the pattern.
    pub(super) targets: Vec<Target>,
    /// Slots of supernode s are `slots[first_slot[s]..first_slot[s + 1]]`.
    pub(super) first_slot: Vec<usize>,
    pub(super) slots: Vec<u32>,
    /// Subtrees that are factorised each by itself, in their order; none where it is not worth it.
    pub(super) subtrees: Vec<Range<usize>>,
}

impl Symbolic {
    /// Orders and analyses a pattern.
    pub(super) fn new(pattern: &BlockPattern) -> Self {
        let nodes = Supernodes::new(pattern);
        let mut targets: Vec<_> = nodes.place.iter().map(|k| target(&nodes, *k, *k)).collect();
        for column in 0..pattern.n() {
            for row in pattern.column(column) {
                targets.push(target(&nodes, nodes.place[row], nodes.place[column]));
            }
        }
        let mut slots: Vec<u32> = (0..targets.len() as u32).collect();
        slots.sort_by_key(|slot| targets[*slot as usize].supernode);
        let first = |s| slots.partition_point(|slot| targets[*slot as usize].supernode < s);
        let first_slot = (0..=nodes.count()).map(first).collect();
        let subtrees = subtrees(&nodes);
        Self { nodes, targets, first_slot, slots, subtrees }
    }
}

/// A supernode or a subtree, factorised at a time.
pub(super) enum Piece {
    /// A supernode.
    Front(usize),
    /// The subtree of this number, by itself.
    Subtree(usize),
}

/// Supernodes of a range in their order, subtrees as a whole.
pub(super) fn pieces(range: Range<usize>, subtrees: &[Range<usize>]) -> impl Iterator<Item = Piece> {
    let (mut s, mut met) = (range.start, 0);
    std::iter::from_fn(move || {
        if s >= range.end {
            return None;
        }
        if let Some(subtree) = subtrees.get(met).filter(|subtree| subtree.start == s) {
            (s, met) = (subtree.end, met + 1);
            return Some(Piece::Subtree(met - 1));
        }
        s += 1;
        Some(Piece::Front(s - 1))
    })
}

/// The largest subtrees that take at most a [part](PARTS) of all work each. They depend on the pattern alone.
fn subtrees(nodes: &Supernodes) -> Vec<Range<usize>> {
    let total = nodes.n_block_products();
    let mut subtrees: Vec<Range<usize>> = Vec::new();
    if total < SHARED_FROM {
        return subtrees;
    }
    // Of each supernode, with all below it: where they begin, and their work.
    let mut below: Vec<(usize, usize)> = Vec::new();
    for s in 0..nodes.count() {
        let (mut first, mut work) = (s, nodes.block_products(s));
        while let Some(child) = first.checked_sub(1).filter(|child| nodes.parent(*child) == Some(s)) {
            first = below[child].0;
            work += below[child].1;
        }
        below.push((first, work));
        if work * PARTS <= total {
            let inside = subtrees.partition_point(|subtree| subtree.start < first);
            subtrees.truncate(inside);
            subtrees.push(first..s + 1);
        }
    }
    // A leaf of the top is not worth a task.
    subtrees.retain(|subtree| below[subtree.end - 1].1 * PARTS * PARTS >= total);
    subtrees
}

fn target(nodes: &Supernodes, i: usize, j: usize) -> Target {
    let (late, early) = (i.max(j), i.min(j));
    let supernode = nodes.of_column[early];
    Target {
        supernode,
        column: early - nodes.first[supernode],
        row: nodes.place_in_front(supernode, late),
        transposed: i < j,
    }
}
