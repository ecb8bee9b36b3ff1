//! Memory that a thread that factorises supernodes needs beside their factors.

use super::symbolic::{Piece, pieces};
use crate::linalg::BLOCK;
use crate::linalg::entry::{Entry, leading_dimension};
use crate::linalg::packed::Packed;
use crate::linalg::supernodes::Supernodes;
use std::ops::Range;

/// Place where the contribution of a supernode waits for its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum HandedUp {
    /// On the stack from this place on.
    OnStack(usize),
    /// At the bottom of the stack of a subtree.
    BySubtree(usize),
}

impl HandedUp {
    /// The numbers of the contribution, and all that follow on its stack.
    #[inline(always)]
    pub(super) fn of<'a, T>(self, stack: &'a [T], subtrees: &'a [Workspace<T>]) -> &'a [T] {
        match self {
            Self::OnStack(at) => &stack[at..],
            Self::BySubtree(k) => &subtrees[k].stack,
        }
    }

    pub(super) fn on_the_stack(self) -> Option<usize> {
        match self {
            Self::OnStack(at) => Some(at),
            Self::BySubtree(_) => None,
        }
    }
}

/// Contributions that wait, and room for products.
#[derive(Debug, Default)]
pub(super) struct Workspace<T> {
    pub(super) waiting: Vec<(usize, HandedUp)>,
    pub(super) stack: Vec<T>,
    pub(super) packed: Packed<T>,
    /// A second room, where L and E of a front are found at once.
    pub(super) other: Option<Packed<T>>,
}

impl<T: Entry> Workspace<T> {
    /// Room for supernodes in their order but those of subtrees; their products are divided among threads if
    /// it `shares`.
    pub(super) fn new(
        nodes: &Supernodes,
        range: Range<usize>,
        subtrees: &[Range<usize>],
        shares: bool,
    ) -> Self {
        let (mut widest, mut deepest) = (0, 0);
        for piece in pieces(range.clone(), subtrees) {
            let Piece::Front(s) = piece else { continue };
            let (width, rows) = nodes.size(s);
            widest = widest.max(leading_dimension::<T>(BLOCK * rows));
            deepest = deepest.max(leading_dimension::<T>(BLOCK * width));
        }
        let widest = widest.max(deepest);
        Self {
            waiting: Vec::new(),
            stack: vec![T::default(); deepest_stack::<T>(nodes, range, subtrees)],
            packed: if shares { Packed::shared(deepest, widest) } else { Packed::new(deepest, widest) },
            other: shares.then(|| Packed::new(deepest, deepest)),
        }
    }

    /// Contributions of the children of supernode s, which were the last to be made.
    #[inline(always)]
    pub(super) fn children(&self, nodes: &Supernodes, s: usize) -> &[(usize, HandedUp)] {
        &self.waiting[self.waiting.len() - nodes.n_children[s]..]
    }
}

/// Entries of the stack at its fullest: contributions that wait and the one being made. Those of subtrees lie
/// on stacks of their own.
fn deepest_stack<T: Entry>(nodes: &Supernodes, range: Range<usize>, subtrees: &[Range<usize>]) -> usize {
    let (mut waiting, mut top, mut deepest) = (Vec::new(), 0, 0);
    for piece in pieces(range, subtrees) {
        let s = match piece {
            Piece::Front(s) => s,
            Piece::Subtree(k) => {
                if nodes.size(subtrees[k].end - 1).1 > 0 {
                    waiting.push(0);
                }
                continue;
            }
        };
        let rows = BLOCK * nodes.size(s).1;
        let size = leading_dimension::<T>(rows) * rows;
        deepest = deepest.max(top + size);
        for _ in 0..nodes.n_children[s] {
            top -= waiting.pop().unwrap_or(0);
        }
        if size > 0 {
            waiting.push(size);
        }
        top += size;
    }
    deepest
}
