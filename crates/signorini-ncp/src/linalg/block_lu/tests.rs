use super::super::BLOCK_LEN;
use super::*;
use nalgebra::{DMatrix, DVector};

/// |x − dense solution| of an unsymmetric system with a graph of blocks; heavy diagonals, or rows that need
/// exchanges.
fn error<T: Entry>(n: usize, pairs: &[(usize, usize)], heavy: f64) -> f64 {
    let pattern = BlockPattern::new(n, pairs.iter().copied());
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    let mut dense = DMatrix::<f64>::zeros(BLOCK * n, BLOCK * n);
    let mut wave = 0.3_f64;
    let both = pairs.iter().flat_map(|(i, j)| [(*i, *j), (*j, *i)]);
    for (i, j) in both.chain((0..n).map(|i| (i, i))) {
        let slot = pattern.slot(i, j);
        for e in 0..BLOCK_LEN {
            wave = (wave * 3.7).sin();
            let (r, c) = (e / BLOCK, e % BLOCK);
            // The heavy entries lie beside the diagonal, where only row exchanges find them.
            let value = wave + if i == j && c == (r + 1) % BLOCK { heavy } else { 0.0 };
            dense[(BLOCK * i + r, BLOCK * j + c)] = value;
            blocks.block(n, slot, i, j)[e] = value;
        }
    }
    let rhs = DVector::from_fn(BLOCK * n, |i, _| (i as f64).cos());
    let mut product = vec![f64::NAN; BLOCK * n];
    blocks.product(&pattern, rhs.as_slice(), &mut product);
    assert!((DVector::from_vec(product) - &dense * &rhs).norm() < 1e-13 * dense.norm() * rhs.norm());
    let expected = dense.clone().lu().solve(&rhs).expect("regular");
    let mut lu = BlockLu::<T>::default();
    lu.analyse(&pattern);
    // Twice: nothing may be left over from the first time.
    lu.factorize(&blocks).expect("regular");
    lu.factorize(&blocks).expect("regular");
    let mut x: Vec<f64> = rhs.iter().copied().collect();
    lu.solve(&mut x);
    assert_eq!(lu.determinant_sign(), dense_sign(&dense), "sign of the determinant");
    let mut turned: Vec<f64> = rhs.iter().copied().collect();
    lu.solve_transposed(&mut turned);
    let of_transposed = dense.transpose().lu().solve(&rhs).expect("regular");
    let transposed_error = (DVector::from_vec(turned) - &of_transposed).norm() / of_transposed.norm();
    transposed_error.max((DVector::from_vec(x) - &expected).norm() / expected.norm())
}

/// Lanes have the bits that they have alone.
#[test]
fn lanes_have_the_bits_of_one_solution() {
    let pairs: Vec<_> =
        (0..60).flat_map(|i| [1, 6, 7, 13].map(|d| (i, i + d))).filter(|(_, j)| *j < 60).collect();
    let pattern = BlockPattern::new(60, pairs.iter().copied());
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    let both = pairs.iter().flat_map(|(i, j)| [(*i, *j), (*j, *i)]);
    for (i, j) in both.chain((0..60).map(|i| (i, i))) {
        let slot = pattern.slot(i, j);
        for (e, to) in blocks.block(60, slot, i, j).iter_mut().enumerate() {
            let heavy = if i == j && e % BLOCK == (e / BLOCK + 1) % BLOCK { 40.0 } else { 0.0 };
            *to = ((i * 31 + j * 17 + e) as f64).sin() + heavy;
        }
    }
    let mut lu = BlockLu::<f64>::default();
    lu.analyse(&pattern);
    lu.factorize(&blocks).expect("regular");
    let mut lanes: Vec<Lanes> =
        (0..BLOCK * 60).map(|i| std::array::from_fn(|lane| ((i * (lane + 2)) as f64).cos())).collect();
    let alone: Vec<Vec<f64>> = (0..8)
        .map(|lane| {
            let mut x: Vec<f64> = lanes.iter().map(|x| x[lane]).collect();
            lu.solve(&mut x);
            x
        })
        .collect();
    let mut few: Vec<[f64; FEW_LANES]> = lanes.iter().map(|x| std::array::from_fn(|lane| x[lane])).collect();
    lu.solve_lanes(&mut few);
    for (lane, alone) in alone.iter().take(FEW_LANES).enumerate() {
        assert!(few.iter().zip(alone).all(|(x, alone)| x[lane] == *alone), "lane {lane} of a few");
    }
    lu.solve_lanes(&mut lanes);
    for (lane, alone) in alone.iter().enumerate() {
        assert!(lanes.iter().zip(alone).all(|(x, alone)| x[lane] == *alone), "lane {lane}");
    }
}

/// Sign of the determinant, from the dense factors.
fn dense_sign(dense: &DMatrix<f64>) -> f64 {
    let lu = dense.clone().lu();
    let negative = lu.u().diagonal().iter().filter(|d| **d < 0.0).count();
    lu.p().determinant::<f64>() * if negative % 2 == 0 { 1.0 } else { -1.0 }
}

#[test]
fn agrees_with_the_dense_solution_of_a_sparse_unsymmetric_system() {
    let pairs = [(0, 3), (3, 1), (4, 2), (2, 0), (4, 3), (5, 6), (6, 1), (5, 0)];
    assert!(error::<f64>(7, &pairs, 15.0) < 1e-13 && error::<f32>(7, &pairs, 15.0) < 1e-5);
}

/// One supernode of 72 columns: several strips of the dense elimination.
#[test]
fn agrees_with_the_dense_solution_of_a_full_system() {
    let pairs: Vec<_> = (0..12).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    assert!(error::<f64>(12, &pairs, 60.0) < 1e-12 && error::<f32>(12, &pairs, 60.0) < 1e-5);
}

/// A wide strip of a lattice: supernodes of all widths, several children, blocks that swap triangles.
#[test]
fn agrees_with_the_dense_solution_on_a_lattice() {
    let pairs: Vec<_> =
        (0..60).flat_map(|i| [1, 6, 7, 13].map(|d| (i, i + d))).filter(|(_, j)| *j < 60).collect();
    assert!(error::<f64>(60, &pairs, 40.0) < 1e-12 && error::<f32>(60, &pairs, 40.0) < 1e-5);
}

/// A block of a lattice, large enough for subtrees by themselves: the bits of one thread and of three.
#[test]
fn subtrees_factorise_to_the_same_bits() {
    let side = 9;
    let at = |x: usize, y: usize, z: usize| (z * side + y) * side + x;
    let mut pairs = Vec::new();
    for (x, y, z) in places(side) {
        let others = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1), (x + 1, y + 1, z)];
        pairs.extend(
            others
                .into_iter()
                .filter(|o| o.0.max(o.1).max(o.2) < side)
                .map(|o| (at(x, y, z), at(o.0, o.1, o.2))),
        );
    }
    let n = side * side * side;
    let pattern = BlockPattern::new(n, pairs.iter().copied());
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    let mut wave = 0.3_f64;
    for x in blocks.lower.iter_mut().chain(&mut blocks.upper).flatten() {
        wave = (wave * 3.7).sin();
        *x = wave;
    }
    blocks.lower[..n].iter_mut().for_each(|block| (0..BLOCK).for_each(|r| block[(BLOCK + 1) * r] += 60.0));
    let factorised = || {
        let mut lu = BlockLu::<f64>::default();
        lu.analyse(&pattern);
        assert!(lu.symbolic.subtrees.len() > 3, "{:?}", lu.symbolic.subtrees);
        lu.factorize(&blocks).expect("regular");
        lu
    };
    let alone = factorised();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let mut shared = pool.install(factorised);
    assert!(alone.numbers() == shared.numbers(), "other bits");
    let rhs: Vec<f64> = (0..BLOCK * n).map(|i| (i as f64).cos()).collect();
    let (mut x, mut product) = (rhs.clone(), vec![0.0; BLOCK * n]);
    shared.solve(&mut x);
    blocks.product(&pattern, &x, &mut product);
    let error = product.iter().zip(&rhs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 1e-12, "{error:e}");
}

/// All places of a cube.
fn places(side: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..side).flat_map(move |z| (0..side).flat_map(move |y| (0..side).map(move |x| (x, y, z))))
}

/// Leaves of 1e-30, coupled by 1e10 to a hub of 1: their contributions are beyond f32.
#[test]
fn what_overflows_is_reported() {
    let n = 9;
    let pattern = BlockPattern::new(n, (1..n).map(|i| (0, i)));
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    for i in 0..n {
        for r in 0..BLOCK {
            let slot = pattern.slot(i, i);
            blocks.block(n, slot, i, i)[(BLOCK + 1) * r] = if i == 0 { 1.0 } else { 1e-30 };
            if i > 0 {
                let slot = pattern.slot(0, i);
                blocks.block(n, slot, 0, i)[(BLOCK + 1) * r] = 1e10;
                blocks.block(n, slot, i, 0)[(BLOCK + 1) * r] = 1e10;
            }
        }
    }
    let (mut double, mut single) = (BlockLu::<f64>::default(), BlockLu::<f32>::default());
    double.analyse(&pattern);
    single.analyse_as(&double);
    assert!(double.factorize(&blocks).is_ok());
    assert!(single.factorize(&blocks).is_err());
}

/// Couplings that fade by 1e-5 from body to body: where they meet they are below the range of f32, and no
/// factor is a subnormal number.
#[test]
fn what_fades_becomes_zero() {
    let n = 60;
    let pairs: Vec<_> =
        (0..n).flat_map(|i| [1, 6, 7, 13].map(|d| (i, i + d))).filter(|(_, j)| *j < n).collect();
    let pattern = BlockPattern::new(n, pairs.iter().copied());
    let mut blocks = UnsymmetricBlocks::default();
    blocks.reset(&pattern);
    for i in 0..n {
        let heavy = if i == 0 { 1.0 } else { 1e-6 };
        (0..BLOCK).for_each(|r| blocks.lower[i][(BLOCK + 1) * r] = heavy);
    }
    for (i, j) in pairs.iter().flat_map(|(i, j)| [(*i, *j), (*j, *i)]) {
        let slot = pattern.slot(i, j);
        for (e, x) in blocks.block(n, slot, i, j).iter_mut().enumerate() {
            *x = 1e-11 * (1.0 + e as f64).sin();
        }
    }
    let mut lu = BlockLu::<f32>::default();
    lu.analyse(&pattern);
    lu.factorize(&blocks).expect("regular");
    let factors = lu.diagonal.iter().chain(&lu.lower).chain(&lu.upper);
    let subnormal = factors.filter(|x| x.is_subnormal()).count();
    assert_eq!(subnormal, 0);
    let mut x = vec![1.0; BLOCK * n];
    lu.solve(&mut x);
    assert!(x[BLOCK..].iter().all(|x| (x - 1e6).abs() < 100.0) && (x[0] - 1.0).abs() < 1e-3, "{x:?}");
}
