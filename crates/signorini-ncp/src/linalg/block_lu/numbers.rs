//! The numbers of a factorisation, to be kept apart from its analysis.

use super::BlockLu;
use crate::linalg::entry::Entry;
use serde::{Deserialize, Serialize};

/// Numbers that a factorisation computed. Together with the pattern they are the factorisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LuNumbers<T> {
    scale: f64,
    diagonal: Vec<T>,
    triangles: Vec<T>,
    inverses: Vec<T>,
    swaps: Vec<u32>,
    lower: Vec<T>,
    upper: Vec<T>,
}

impl<T: Entry> BlockLu<T> {
    /// The numbers of the last factorisation; None before the first one of a pattern.
    pub fn numbers(&self) -> Option<LuNumbers<T>> {
        (!self.start.is_empty()).then(|| LuNumbers {
            scale: self.scale,
            diagonal: self.diagonal.clone(),
            triangles: self.triangles.clone(),
            inverses: self.inverses.clone(),
            swaps: self.swaps.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
        })
    }

    /// Takes numbers over that were computed for the same pattern. False, and nothing changed but workspace,
    /// when they are not of this pattern.
    pub fn set_numbers(&mut self, numbers: &LuNumbers<T>) -> bool {
        if self.start.is_empty() {
            self.reserve();
        }
        let fits = [
            (&self.diagonal, &numbers.diagonal),
            (&self.triangles, &numbers.triangles),
            (&self.inverses, &numbers.inverses),
            (&self.lower, &numbers.lower),
            (&self.upper, &numbers.upper),
        ];
        if fits.iter().any(|(mine, theirs)| mine.len() != theirs.len())
            || self.swaps.len() != numbers.swaps.len()
        {
            return false;
        }
        self.scale = numbers.scale;
        self.diagonal.clone_from(&numbers.diagonal);
        self.triangles.clone_from(&numbers.triangles);
        self.inverses.clone_from(&numbers.inverses);
        self.swaps.clone_from(&numbers.swaps);
        self.lower.clone_from(&numbers.lower);
        self.upper.clone_from(&numbers.upper);
        true
    }
}
