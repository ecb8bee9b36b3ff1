//! The factor that one solve leaves to the next.

use super::{Factor, NewtonSystem};
use crate::linalg::{BlockPattern, LuNumbers};
use serde::{Deserialize, Serialize};

/// A factorisation as plain data: the pattern it is of, and its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemMemory {
    n: usize,
    graph: (Vec<usize>, Vec<usize>),
    off_diagonal: Vec<(usize, usize)>,
    factor: Factor,
    is_single: bool,
    lu: Option<LuNumbers<f64>>,
    single: Option<LuNumbers<f32>>,
    cholesky: Vec<f64>,
    diagonal: Vec<f64>,
}

impl NewtonSystem {
    /// The factorisation in use.
    pub fn memory(&self) -> SystemMemory {
        let n = self.pattern.n();
        let is_lu = self.factor == Factor::Lu;
        SystemMemory {
            n,
            graph: self.graph.clone(),
            off_diagonal: (0..n).flat_map(|j| self.pattern.column(j).map(move |i| (j, i))).collect(),
            factor: self.factor,
            is_single: self.is_single,
            lu: if is_lu && !self.is_single { self.lu.numbers() } else { None },
            single: if is_lu && self.is_single { self.single.numbers() } else { None },
            cholesky: if self.factor == Factor::Cholesky {
                self.cholesky.numbers().to_vec()
            } else {
                Vec::new()
            },
            diagonal: if self.factor == Factor::Jacobi { self.diagonal.numbers() } else { Vec::new() },
        }
    }

    /// Takes a factorisation over. False when it is not one.
    pub fn recall(&mut self, memory: &SystemMemory) -> bool {
        let contacts = memory.graph.0.windows(2).map(|w| w[0]..w[1]);
        let is_graph = contacts.clone().all(|r| r.end <= memory.graph.1.len() && r.start <= r.end)
            && memory.graph.1.iter().all(|i| *i < memory.n)
            && memory.off_diagonal.iter().all(|(j, i)| j < i && *i < memory.n);
        if !is_graph {
            return false;
        }
        self.graph.clone_from(&memory.graph);
        self.pattern = BlockPattern::new(memory.n, memory.off_diagonal.iter().copied());
        self.list_slots();
        self.factor = memory.factor;
        self.is_single = memory.is_single;
        let mut fits = true;
        if self.factor == Factor::Jacobi {
            fits &= self.diagonal.set_numbers(memory.n, &memory.diagonal);
        } else {
            self.lu.analyse(&self.pattern);
            self.single.analyse_as(&self.lu);
        }
        if self.factor == Factor::Cholesky {
            self.cholesky.analyse(&self.pattern);
            fits &= self.cholesky.set_numbers(&memory.cholesky);
        }
        fits &= memory.lu.as_ref().is_none_or(|numbers| self.lu.set_numbers(numbers));
        fits & memory.single.as_ref().is_none_or(|numbers| self.single.set_numbers(numbers))
    }
}
