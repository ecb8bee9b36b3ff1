//! Factorisations of the Newton matrix on synthetic contact graphs: bodies on a cubic lattice, each touching
//! its six neighbours and one diagonal one. The residual of the solution is printed beside.
//!
//! `cargo bench --bench linalg`

#![allow(missing_docs, clippy::print_stderr)]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use signorini_ncp::linalg::{
    BLOCK, BLOCK_LEN, BlockLu, BlockPattern, SparseCholesky, SymmetricBlocks, UnsymmetricBlocks,
};
use std::hint::black_box;
use std::time::Duration;

/// Touching pairs of a lattice of `side`³ bodies.
fn lattice(side: usize) -> (usize, Vec<(usize, usize)>) {
    let id = |i: usize, j: usize, k: usize| (i * side + j) * side + k;
    let mut pairs = Vec::new();
    for i in 0..side {
        for j in 0..side {
            for k in 0..side {
                let neighbours = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1), (i + 1, j + 1, k)];
                let inside = neighbours.into_iter().filter(|(a, b, c)| a.max(b).max(c) < &side);
                pairs.extend(inside.map(|(a, b, c)| (id(i, j, k), id(a, b, c))));
            }
        }
    }
    (side.pow(3), pairs)
}

/// One matrix for both solvers: symmetric, diagonally dominant, as a wave without a pattern.
struct Matrix {
    pattern: BlockPattern,
    symmetric: SymmetricBlocks,
    general: UnsymmetricBlocks,
    /// (row block, column block, slot), lower triangle.
    places: Vec<(usize, usize, usize)>,
}

impl Matrix {
    fn new(side: usize) -> Self {
        let (n, pairs) = lattice(side);
        let pattern = BlockPattern::new(n, pairs.iter().copied());
        let (mut symmetric, mut general) = (SymmetricBlocks::default(), UnsymmetricBlocks::default());
        symmetric.reset(&pattern);
        general.reset(&pattern);
        let mut places: Vec<_> = (0..n).map(|i| (i, i, i)).collect();
        places.extend(pairs.iter().map(|(i, j)| (*i.max(j), *i.min(j), pattern.slot(*i, *j))));
        for (i, j, slot) in &places {
            for r in 0..BLOCK {
                for c in 0..BLOCK {
                    let phase = if i == j {
                        (slot * BLOCK_LEN) as f64 + (r * c + r + c) as f64
                    } else {
                        (slot * BLOCK_LEN + r * BLOCK + c) as f64
                    };
                    let heavy = if i == j && r == c { 60.0 } else { 0.0 };
                    let value = phase.sin() + heavy;
                    symmetric.block(*slot)[r * BLOCK + c] = value;
                    general.block(n, *slot, *i, *j)[r * BLOCK + c] = value;
                    general.block(n, *slot, *j, *i)[c * BLOCK + r] = value;
                }
            }
        }
        Self { pattern, symmetric, general, places }
    }

    /// |b − A x| / |b|, largest entries.
    fn residual(&self, x: &[f64], b: &[f64]) -> f64 {
        let mut rest = b.to_vec();
        for (i, j, slot) in &self.places {
            let block = &self.symmetric.values[slot * BLOCK_LEN..(slot + 1) * BLOCK_LEN];
            for r in 0..BLOCK {
                for c in 0..BLOCK {
                    let a = block[r * BLOCK + c];
                    rest[BLOCK * i + r] -= a * x[BLOCK * j + c];
                    if i != j {
                        rest[BLOCK * j + c] -= a * x[BLOCK * i + r];
                    }
                }
            }
        }
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        largest(&rest) / largest(b)
    }
}

fn linalg(criterion: &mut Criterion) {
    for side in [4, 6, 10] {
        let matrix = Matrix::new(side);
        let n = matrix.pattern.n();
        let b: Vec<f64> = (0..BLOCK * n).map(|i| (i as f64).cos()).collect();
        let mut lu = BlockLu::<f64>::default();
        let mut cholesky = SparseCholesky::default();
        lu.analyse(&matrix.pattern);
        lu.factorize(&matrix.general).expect("regular");
        cholesky.analyse(&matrix.pattern);
        cholesky.factorize(&matrix.pattern, &matrix.symmetric).expect("positive definite");
        let (mut by_lu, mut by_cholesky) = (b.clone(), b.clone());
        lu.solve(&mut by_lu);
        cholesky.solve(&mut by_cholesky);
        eprintln!(
            "{n} bodies, {} blocks: LU takes {} block products, residual {:.1e}; Cholesky holds {} numbers, residual {:.1e}",
            matrix.pattern.n_slots(),
            lu.n_block_products(),
            matrix.residual(&by_lu, &b),
            cholesky.n_factor_entries(),
            matrix.residual(&by_cholesky, &b)
        );
        let mut group = criterion.benchmark_group("linalg");
        let mut x = b.clone();
        group.bench_function(BenchmarkId::new("lu_analyse", n), |t| {
            t.iter(|| lu.analyse(black_box(&matrix.pattern)))
        });
        group.bench_function(BenchmarkId::new("lu_factorize", n), |t| {
            t.iter(|| lu.factorize(black_box(&matrix.general)))
        });
        group.bench_function(BenchmarkId::new("lu_solve", n), |t| {
            t.iter(|| {
                x.copy_from_slice(&b);
                lu.solve(black_box(&mut x));
            });
        });
        group.bench_function(BenchmarkId::new("cholesky_analyse", n), |t| {
            t.iter(|| cholesky.analyse(black_box(&matrix.pattern)))
        });
        group.bench_function(BenchmarkId::new("cholesky_factorize", n), |t| {
            t.iter(|| cholesky.factorize(black_box(&matrix.pattern), &matrix.symmetric));
        });
        group.bench_function(BenchmarkId::new("cholesky_solve", n), |t| {
            t.iter(|| {
                x.copy_from_slice(&b);
                cholesky.solve(black_box(&mut x));
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(10);
    targets = linalg
}
criterion_main!(benches);
