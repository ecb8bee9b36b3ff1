//! Sparse Cholesky of a symmetric block matrix (faer), symbolic part kept while the pattern stands.

use super::ordering::minimum_degree;
use super::{BLOCK, BlockPattern, NotPositiveDefinite, SymmetricBlocks};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// L Lᵀ of a symmetric positive definite block matrix, ordered on the graph of blocks.
pub struct SparseCholesky {
    pointers: Vec<usize>,
    rows: Vec<usize>,
    entries: Vec<f64>,
    symbolic: Option<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

impl Default for SparseCholesky {
    fn default() -> Self {
        Self {
            pointers: vec![0],
            rows: Vec::new(),
            entries: Vec::new(),
            symbolic: None,
            factor: Vec::new(),
            memory: MemBuffer::new(StackReq::EMPTY),
        }
    }
}

impl std::fmt::Debug for SparseCholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseCholesky").field("unknowns", &(self.pointers.len() - 1)).finish_non_exhaustive()
    }
}

impl SparseCholesky {
    /// Orders and analyses a pattern; drops the previous factor. Memory for the next one is made with it.
    ///
    /// # Panics
    /// When memory for the factor cannot be had.
    pub fn analyse(&mut self, pattern: &BlockPattern) {
        (self.pointers, self.rows) = pattern.scalar_columns();
        let n = pattern.n();
        let order = minimum_degree(pattern);
        let forward: Vec<usize> = order.iter().flat_map(|b| BLOCK * b..BLOCK * (b + 1)).collect();
        let mut inverse = vec![0; BLOCK * n];
        for (position, unknown) in forward.iter().enumerate() {
            inverse[*unknown] = position;
        }
        let size = BLOCK * n;
        let view = SymbolicSparseColMatRef::new_checked(size, size, &self.pointers, None, &self.rows);
        let parameters = CholeskySymbolicParams {
            // The supernodal method is faster on piles of any size than the method that AUTO picks.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let permutation = PermRef::new_checked(&forward, &inverse, size);
        let symbolic = factorize_symbolic_cholesky(
            view,
            Side::Lower,
            SymmetricOrdering::Custom(permutation),
            parameters,
        )
        .expect("memory for the symbolic factorisation");
        self.factor = Vec::new();
        self.memory = MemBuffer::new(StackReq::EMPTY);
        self.symbolic = Some(symbolic);
    }

    /// Factorises the values; the pattern is the one last analysed.
    ///
    /// # Errors
    /// When the matrix is not positive definite in floating point.
    ///
    /// # Panics
    /// When memory for the factor cannot be had.
    pub fn factorize(
        &mut self,
        pattern: &BlockPattern,
        blocks: &SymmetricBlocks,
    ) -> Result<(), NotPositiveDefinite> {
        self.reserve();
        let symbolic = self.symbolic.as_ref().expect("analysed before factorised");
        blocks.write_columns(pattern, &mut self.entries);
        let size = self.pointers.len() - 1;
        let view = SparseColMatRef::new(
            SymbolicSparseColMatRef::new_checked(size, size, &self.pointers, None, &self.rows),
            &self.entries,
        );
        symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                view,
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| NotPositiveDefinite)
    }

    /// Memory for a factor of the pattern.
    fn reserve(&mut self) {
        let symbolic = self.symbolic.as_ref().expect("analysed before factorised");
        if self.factor.len() == symbolic.len_val() {
            return;
        }
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        self.memory = MemBuffer::new(need);
        self.factor.clear();
        self.factor.resize(symbolic.len_val(), 0.0);
    }

    /// Entries of a factor of the pattern.
    pub fn n_factor_entries(&self) -> usize {
        self.symbolic.as_ref().map_or(0, SymbolicCholesky::len_val)
    }

    /// x := (L Lᵀ)⁻¹ x with the last factor.
    pub fn solve(&mut self, x: &mut [f64]) {
        let symbolic = self.symbolic.as_ref().expect("analysed before solved");
        let size = x.len();
        LltRef::new(symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, size, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }

    /// The numbers of the last factorisation.
    pub fn numbers(&self) -> &[f64] {
        &self.factor
    }

    /// Takes numbers over that were computed for the same pattern. False when they are not of this pattern.
    pub fn set_numbers(&mut self, numbers: &[f64]) -> bool {
        let fits = self.n_factor_entries() == numbers.len();
        if fits {
            self.reserve();
            self.factor.copy_from_slice(numbers);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::BLOCK_LEN;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn agrees_with_the_dense_solution() {
        let pairs = [(0, 3), (3, 1), (4, 2), (2, 0), (4, 3)];
        let pattern = BlockPattern::new(5, pairs.into_iter());
        let mut blocks = SymmetricBlocks::default();
        blocks.reset(&pattern);
        let mut dense = DMatrix::<f64>::zeros(30, 30);
        let mut wave = 0.3_f64;
        for (i, j) in pairs.into_iter().chain((0..5).map(|i| (i, i))) {
            let slot = pattern.slot(i, j);
            for r in 0..BLOCK {
                for c in 0..BLOCK {
                    wave = (wave * 3.7).sin();
                    let (row, column) = (BLOCK * i.max(j) + r, BLOCK * i.min(j) + c);
                    let value = if i == j { f64::from(u8::from(r == c)) * 20.0 + wave } else { wave };
                    if i == j && c > r {
                        continue;
                    }
                    dense[(row, column)] = value;
                    dense[(column, row)] = value;
                    blocks.values[slot * BLOCK_LEN + r * BLOCK + c] = value;
                }
            }
        }
        let rhs = DVector::from_fn(30, |i, _| (i as f64).cos());
        let expected = dense.cholesky().expect("positive definite").solve(&rhs);
        let mut cholesky = SparseCholesky::default();
        cholesky.analyse(&pattern);
        cholesky.factorize(&pattern, &blocks).expect("positive definite");
        let mut x: Vec<f64> = rhs.iter().copied().collect();
        cholesky.solve(&mut x);
        assert!((DVector::from_vec(x) - expected).norm() < 1e-13);
    }
}
