//! Products of a problem's matrices with several vectors at once, one in each lane. (Closures would not be
//! inlined, and so not be compiled for wide vectors.)

use super::local_map::LocalMap;
use crate::linalg::{BLOCK, in_lanes, strips};
use crate::problem::ContactProblem;
use nalgebra::Matrix6;
use pulp::{Simd, WithSimd};

/// A matrix of a problem, and what becomes of the product.
#[derive(Debug, Clone, Copy)]
pub enum Product<'a> {
    /// out := rows of some cones with these values in the blocks of J, times a vector over bodies; 0 in the
    /// others.
    Rows(&'a [f64], &'a [usize]),
    /// out += those rows times a vector over bodies.
    AddRows(&'a [f64], &'a [usize]),
    /// out −= the rows of slips of some cones, with these values, times a vector over bodies.
    SubtractSlips(&'a [f64], &'a [usize]),
    /// out += the transposed rows of some cones with these values, times a vector over rows.
    TransposedRows(&'a [f64], &'a [usize]),
    /// out −= (A − K) times a vector over bodies.
    Mass,
    /// out += K times a vector over bodies, K that of contacts and joints alone.
    ContactStiffness,
    /// out := C dx̂, cone by cone.
    Kept(&'a [LocalMap]),
    /// out −= G dy, cone by cone.
    Slip(&'a [LocalMap]),
}

impl Product<'_> {
    /// Computes it for lanes of a vector.
    pub fn of<const W: usize>(self, problem: &ContactProblem, v: &[[f64; W]], out: &mut [[f64; W]]) {
        in_lanes::<W, _>(InLanes { product: self, problem, v, out });
    }
}

struct InLanes<'a, const W: usize> {
    product: Product<'a>,
    problem: &'a ContactProblem,
    v: &'a [[f64; W]],
    out: &'a mut [[f64; W]],
}

impl<const W: usize> WithSimd for InLanes<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { product, problem, v, out } = self;
        let v = S::as_simd_f64s(v.as_flattened()).0;
        let out = S::as_mut_simd_f64s(out.as_flattened_mut()).0;
        match product {
            Product::Rows(values, cones) => {
                out.fill(simd.splat_f64s(0.0));
                rows::<S, W>(simd, (problem, values, cones), (1.0, false), v, out);
            }
            Product::AddRows(values, cones) => {
                rows::<S, W>(simd, (problem, values, cones), (1.0, false), v, out);
            }
            Product::SubtractSlips(values, cones) => {
                rows::<S, W>(simd, (problem, values, cones), (-1.0, true), v, out);
            }
            Product::TransposedRows(values, cones) => {
                add_rows::<S, W>(simd, (problem, values, cones), v, out)
            }
            Product::Mass => {
                subtract_mass::<S, W>(simd, problem, v, out);
                add_stiffness::<S, W>(simd, problem, v, out);
            }
            Product::ContactStiffness => add_stiffness::<S, W>(simd, problem, v, out),
            Product::Kept(maps) => {
                out.fill(simd.splat_f64s(0.0));
                for map in maps {
                    map.keep::<S, W>(simd, v, out);
                }
            }
            Product::Slip(maps) => {
                for map in maps {
                    map.subtract_slip::<S, W>(simd, v, out);
                }
            }
        }
    }
}

/// Adds the product with so many times the rows, or those of slips alone.
#[inline(always)]
fn rows<S: Simd, const W: usize>(
    simd: S,
    (problem, values, cones): (&ContactProblem, &[f64], &[usize]),
    (times, of_slips): (f64, bool),
    v: &[S::f64s],
    out: &mut [S::f64s],
) {
    let strips = strips::<S, W>();
    for &c in cones {
        let cone = &problem.cones[c];
        let first = if of_slips { cone.n_normal } else { 0 };
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let v = &v[BLOCK * problem.block_body[k] * strips..][..BLOCK * strips];
            let block = &values[problem.value_offsets[k]..];
            for used in cone.used() {
                for place in used.start.max(first)..used.end {
                    let row = &block[BLOCK * place..][..BLOCK];
                    let out = &mut out[(cone.row + place) * strips..][..strips];
                    for strip in 0..strips {
                        let mut sum = out[strip];
                        for i in 0..BLOCK {
                            sum = simd.mul_add_f64s(
                                simd.splat_f64s(times * row[i]),
                                v[i * strips + strip],
                                sum,
                            );
                        }
                        out[strip] = sum;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn add_rows<S: Simd, const W: usize>(
    simd: S,
    (problem, values, cones): (&ContactProblem, &[f64], &[usize]),
    x: &[S::f64s],
    out: &mut [S::f64s],
) {
    let strips = strips::<S, W>();
    for &c in cones {
        let cone = &problem.cones[c];
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let out = &mut out[BLOCK * problem.block_body[k] * strips..][..BLOCK * strips];
            let block = &values[problem.value_offsets[k]..];
            for strip in 0..strips {
                let mut sums = [simd.splat_f64s(0.0); BLOCK];
                for used in cone.used() {
                    for place in used {
                        let row = &block[BLOCK * place..][..BLOCK];
                        let x = x[(cone.row + place) * strips + strip];
                        for i in 0..BLOCK {
                            sums[i] = simd.mul_add_f64s(simd.splat_f64s(row[i]), x, sums[i]);
                        }
                    }
                }
                for i in 0..BLOCK {
                    let out = &mut out[i * strips + strip];
                    *out = simd.add_f64s(*out, sums[i]);
                }
            }
        }
    }
}

/// out −= (A − K of bodies) v.
#[inline(always)]
fn subtract_mass<S: Simd, const W: usize>(
    simd: S,
    problem: &ContactProblem,
    v: &[S::f64s],
    out: &mut [S::f64s],
) {
    for (i, block) in problem.mass.iter().enumerate() {
        add_block::<S, W>(simd, &-block, (v, i), (i, out));
    }
    for (i, block) in problem.at.stiffness.body.iter().enumerate() {
        add_block::<S, W>(simd, block, (v, i), (i, out));
    }
    for (i, j, block) in &problem.coupling {
        add_block::<S, W>(simd, &-block, (v, *j), (*i, out));
        add_block::<S, W>(simd, &-block.transpose(), (v, *i), (*j, out));
    }
}

/// The block of body `to` in out += a block times that of body `from` in v.
#[inline(always)]
fn add_block<S: Simd, const W: usize>(
    simd: S,
    block: &Matrix6<f64>,
    (v, from): (&[S::f64s], usize),
    (to, out): (usize, &mut [S::f64s]),
) {
    let strips = strips::<S, W>();
    let v = &v[BLOCK * from * strips..][..BLOCK * strips];
    let out = &mut out[BLOCK * to * strips..][..BLOCK * strips];
    for strip in 0..strips {
        for r in 0..BLOCK {
            let mut sum = out[r * strips + strip];
            for k in 0..BLOCK {
                sum = simd.mul_add_f64s(simd.splat_f64s(block[(r, k)]), v[k * strips + strip], sum);
            }
            out[r * strips + strip] = sum;
        }
    }
}

/// out += (K of contacts and joints) v.
#[inline(always)]
fn add_stiffness<S: Simd, const W: usize>(
    simd: S,
    problem: &ContactProblem,
    v: &[S::f64s],
    out: &mut [S::f64s],
) {
    let strips = strips::<S, W>();
    for c in 0..problem.cones.len() {
        let Some((bodies, block)) = problem.stiffness_of(c) else { continue };
        let width = BLOCK * bodies.len();
        for (row, values) in block.chunks_exact(width).enumerate() {
            let place = BLOCK * bodies[row / BLOCK] + row % BLOCK;
            for (part, body) in values.chunks_exact(BLOCK).zip(bodies) {
                let v = &v[BLOCK * body * strips..][..BLOCK * strips];
                for strip in 0..strips {
                    let mut sum = out[place * strips + strip];
                    for k in 0..BLOCK {
                        sum = simd.mul_add_f64s(simd.splat_f64s(part[k]), v[k * strips + strip], sum);
                    }
                    out[place * strips + strip] = sum;
                }
            }
        }
    }
}
