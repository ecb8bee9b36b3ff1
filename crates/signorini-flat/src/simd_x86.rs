//! Eight f32 or four f64 at once by AVX2 and FMA.

use crate::simd::{HALF, Simd, WIDTH};
use pulp::cast;
use pulp::x86::V3;
use std::arch::x86_64::{__m256, __m256d};

/// Comparison "greater than", ordered and quiet.
const GREATER: i32 = 0x1e;

impl Simd for V3 {
    type Eight = __m256;
    type Four = __m256d;

    #[inline(always)]
    fn eight(self, from: [f32; WIDTH]) -> __m256 {
        cast(from)
    }
    #[inline(always)]
    fn eight_out(self, from: __m256) -> [f32; WIDTH] {
        cast(from)
    }
    #[inline(always)]
    fn add8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_add_ps(a, b)
    }
    #[inline(always)]
    fn sub8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_sub_ps(a, b)
    }
    #[inline(always)]
    fn mul8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_mul_ps(a, b)
    }
    #[inline(always)]
    fn div8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_div_ps(a, b)
    }
    #[inline(always)]
    fn fma8(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        self.fma._mm256_fmadd_ps(a, b, c)
    }
    #[inline(always)]
    fn fnma8(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        self.fma._mm256_fnmadd_ps(a, b, c)
    }
    #[inline(always)]
    fn max8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_max_ps(a, b)
    }
    #[inline(always)]
    fn min8(self, a: __m256, b: __m256) -> __m256 {
        self.avx._mm256_min_ps(a, b)
    }
    #[inline(always)]
    fn abs8(self, a: __m256) -> __m256 {
        self.avx._mm256_andnot_ps(self.avx._mm256_set1_ps(-0.0), a)
    }
    #[inline(always)]
    fn sqrt8(self, a: __m256) -> __m256 {
        self.avx._mm256_sqrt_ps(a)
    }
    #[inline(always)]
    fn transpose8(self, r: [__m256; 8]) -> [__m256; 8] {
        let x = self.avx;
        let pair = |a, b| (x._mm256_unpacklo_ps(a, b), x._mm256_unpackhi_ps(a, b));
        let ((a0, a1), (a2, a3)) = (pair(r[0], r[1]), pair(r[2], r[3]));
        let ((a4, a5), (a6, a7)) = (pair(r[4], r[5]), pair(r[6], r[7]));
        let four = |a, b| (x._mm256_shuffle_ps::<0x44>(a, b), x._mm256_shuffle_ps::<0xee>(a, b));
        let ((b0, b1), (b2, b3)) = (four(a0, a2), four(a1, a3));
        let ((b4, b5), (b6, b7)) = (four(a4, a6), four(a5, a7));
        let half = |a, b| (x._mm256_permute2f128_ps::<0x20>(a, b), x._mm256_permute2f128_ps::<0x31>(a, b));
        let ((c0, c4), (c1, c5)) = (half(b0, b4), half(b1, b5));
        let ((c2, c6), (c3, c7)) = (half(b2, b6), half(b3, b7));
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }

    #[inline(always)]
    fn four(self, from: [f64; HALF]) -> __m256d {
        cast(from)
    }
    #[inline(always)]
    fn four_out(self, from: __m256d) -> [f64; HALF] {
        cast(from)
    }
    #[inline(always)]
    fn widen(self, from: [f32; HALF]) -> __m256d {
        self.avx._mm256_cvtps_pd(cast(from))
    }
    #[inline(always)]
    fn narrow(self, from: __m256d) -> [f32; HALF] {
        cast(self.avx._mm256_cvtpd_ps(from))
    }
    #[inline(always)]
    fn add4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_add_pd(a, b)
    }
    #[inline(always)]
    fn sub4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_sub_pd(a, b)
    }
    #[inline(always)]
    fn mul4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_mul_pd(a, b)
    }
    #[inline(always)]
    fn div4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_div_pd(a, b)
    }
    #[inline(always)]
    fn fma4(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        self.fma._mm256_fmadd_pd(a, b, c)
    }
    #[inline(always)]
    fn fnma4(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
        self.fma._mm256_fnmadd_pd(a, b, c)
    }
    #[inline(always)]
    fn max4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_max_pd(a, b)
    }
    #[inline(always)]
    fn min4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_min_pd(a, b)
    }
    #[inline(always)]
    fn abs4(self, a: __m256d) -> __m256d {
        self.avx._mm256_andnot_pd(self.avx._mm256_set1_pd(-0.0), a)
    }
    #[inline(always)]
    fn sqrt4(self, a: __m256d) -> __m256d {
        self.avx._mm256_sqrt_pd(a)
    }
    #[inline(always)]
    fn above4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_cmp_pd::<GREATER>(a, b)
    }
    #[inline(always)]
    fn or4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_or_pd(a, b)
    }
    #[inline(always)]
    fn and_not4(self, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_andnot_pd(b, a)
    }
    #[inline(always)]
    fn select4(self, answer: __m256d, a: __m256d, b: __m256d) -> __m256d {
        self.avx._mm256_blendv_pd(b, a, answer)
    }
    #[inline(always)]
    fn bits4(self, answer: __m256d) -> u32 {
        self.avx._mm256_movemask_pd(answer) as u32
    }
    #[inline(always)]
    fn transpose4(self, r: [__m256d; 4]) -> [__m256d; 4] {
        let x = self.avx;
        let pair = |a, b| (x._mm256_unpacklo_pd(a, b), x._mm256_unpackhi_pd(a, b));
        let ((a0, a1), (a2, a3)) = (pair(r[0], r[1]), pair(r[2], r[3]));
        let half = |a, b| (x._mm256_permute2f128_pd::<0x20>(a, b), x._mm256_permute2f128_pd::<0x31>(a, b));
        let ((b0, b2), (b1, b3)) = (half(a0, a2), half(a1, a3));
        [b0, b1, b2, b3]
    }
}
