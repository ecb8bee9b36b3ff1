//! The instructions of the machine compute the same bits as plain loops.
#![cfg(target_arch = "x86_64")]

use pulp::x86::V3;
use signorini_flat::simd::{HALF, Plain, Simd, WIDTH};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        x * 10f64.powi((self.0 % 7) as i32 - 3)
    }
    fn eight(&mut self) -> [f32; WIDTH] {
        std::array::from_fn(|_| self.next() as f32)
    }
    fn four(&mut self) -> [f64; HALF] {
        std::array::from_fn(|_| self.next())
    }
}

/// Results of all operations on eight numbers, as bits.
fn eights<S: Simd>(s: S, [a, b, c]: [[f32; WIDTH]; 3]) -> Vec<[u32; WIDTH]> {
    let (a, b, c) = (s.eight(a), s.eight(b), s.eight(c));
    let rows = s.transpose8([a, b, c, s.add8(a, b), s.sub8(a, b), s.mul8(a, b), s.div8(a, b), s.abs8(a)]);
    let more = [s.fma8(a, b, c), s.fnma8(a, b, c), s.max8(a, b), s.min8(a, b), s.sqrt8(s.abs8(a))];
    rows.into_iter().chain(more).map(|x| s.eight_out(x).map(f32::to_bits)).collect()
}

/// Results of all operations on four numbers, as bits.
fn fours<S: Simd>(s: S, [a, b, c]: [[f64; HALF]; 3]) -> (Vec<[u64; HALF]>, u32, [u32; HALF]) {
    let (a, b, c) = (s.four(a), s.four(b), s.four(c));
    let above = s.above4(a, b);
    let answer = s.or4(s.and_not4(above, s.above4(b, c)), s.above4(c, a));
    let rows = s.transpose4([a, s.add4(a, b), s.sub4(a, b), s.mul4(a, b)]);
    let more = [
        s.div4(a, b),
        s.fma4(a, b, c),
        s.fnma4(a, b, c),
        s.max4(a, b),
        s.min4(a, b),
        s.sqrt4(s.abs4(a)),
        s.select4(answer, a, b),
        s.widen(s.narrow(a)),
    ];
    let bits = rows.into_iter().chain(more).map(|x| s.four_out(x).map(f64::to_bits)).collect();
    (bits, s.bits4(answer), s.narrow(a).map(f32::to_bits))
}

#[test]
fn both_compute_the_same_bits() {
    // A processor without AVX2 computes with plain loops alone.
    let Some(v3) = V3::try_new() else { return };
    let mut random = Random(1);
    for _ in 0..1000 {
        let eight = [random.eight(), random.eight(), random.eight()];
        assert_eq!(eights(v3, eight), eights(Plain, eight));
        let four = [random.four(), random.four(), random.four()];
        assert_eq!(fours(v3, four), fours(Plain, four));
    }
}
