//! Dense LU with partial pivoting in place (faer), for islands of a few bodies.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting;
use faer::perm::PermRef;
use faer::{MatMut, MatRef, Par, Spec};

/// A square matrix and its LU factors.
pub struct DenseLu {
    n: usize,
    /// Column-major entries before, factors after [`Self::factorize`].
    pub entries: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    memory: MemBuffer,
}

impl std::fmt::Debug for DenseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DenseLu").field("n", &self.n).finish_non_exhaustive()
    }
}

impl Default for DenseLu {
    fn default() -> Self {
        Self {
            n: 0,
            entries: Vec::new(),
            forward: Vec::new(),
            inverse: Vec::new(),
            memory: MemBuffer::new(StackReq::EMPTY),
        }
    }
}

impl DenseLu {
    /// Sets the size and zeroes the entries; allocates only when the size grows or changes.
    pub fn reset(&mut self, n: usize) {
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
        if self.n != n {
            self.n = n;
            self.forward.resize(n, 0);
            self.inverse.resize(n, 0);
            self.memory = MemBuffer::new(
                partial_pivoting::factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Spec::default())
                    .or(partial_pivoting::solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq)),
            );
        }
    }

    /// P A = L U in place.
    pub fn factorize(&mut self) {
        let n = self.n;
        partial_pivoting::factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.entries, n, n),
            &mut self.forward,
            &mut self.inverse,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
    }

    /// x := A⁻¹ x with the last factors. A singular matrix gives non-finite numbers, which the caller checks.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        let factors = MatRef::from_column_major_slice(&self.entries, n, n);
        let permutation = PermRef::new_checked(&self.forward, &self.inverse, n);
        partial_pivoting::solve::solve_in_place(
            factors,
            factors,
            permutation,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_an_unsymmetric_system_that_needs_pivoting() {
        let mut lu = DenseLu::default();
        lu.reset(3);
        lu.entries.copy_from_slice(&[0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, -1.0]);
        lu.factorize();
        // x = (1, 2, 3) by columns: 1·c0 + 2·c1 + 3·c2
        let mut x = [14.0, 5.0, 4.0];
        lu.solve(&mut x);
        for (got, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-14);
        }
    }
}
