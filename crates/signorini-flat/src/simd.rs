//! Eight f32 or four f64 at once, by the instructions of the machine or by plain loops. Both give the same
//! bits: every operation rounds as IEEE 754 says, and sums of products are fused.

use std::array;

/// Contacts of a batch.
pub const WIDTH: usize = 8;
/// Contacts of half a batch: those that f64 instructions take at once.
pub const HALF: usize = 4;

/// Instructions that a machine has.
pub trait Simd: Copy + Send + Sync {
    /// Eight f32.
    type Eight: Copy;
    /// Four f64, or four answers to a comparison.
    type Four: Copy;

    /// Reads eight numbers.
    fn eight(self, from: [f32; WIDTH]) -> Self::Eight;
    /// Writes eight numbers.
    fn eight_out(self, from: Self::Eight) -> [f32; WIDTH];
    /// a + b.
    fn add8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// a − b.
    fn sub8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// a b.
    fn mul8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// a / b.
    fn div8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// a b + c.
    fn fma8(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight;
    /// c − a b.
    fn fnma8(self, a: Self::Eight, b: Self::Eight, c: Self::Eight) -> Self::Eight;
    /// The larger one; b if one is no number.
    fn max8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// The smaller one; b if one is no number.
    fn min8(self, a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// |a|.
    fn abs8(self, a: Self::Eight) -> Self::Eight;
    /// √a.
    fn sqrt8(self, a: Self::Eight) -> Self::Eight;
    /// Rows become columns.
    fn transpose8(self, rows: [Self::Eight; 8]) -> [Self::Eight; 8];

    /// Reads four numbers.
    fn four(self, from: [f64; HALF]) -> Self::Four;
    /// Writes four numbers.
    fn four_out(self, from: Self::Four) -> [f64; HALF];
    /// Reads four numbers of single precision.
    fn widen(self, from: [f32; HALF]) -> Self::Four;
    /// Rounds four numbers to single precision.
    fn narrow(self, from: Self::Four) -> [f32; HALF];
    /// a + b.
    fn add4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// a − b.
    fn sub4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// a b.
    fn mul4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// a / b.
    fn div4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// a b + c.
    fn fma4(self, a: Self::Four, b: Self::Four, c: Self::Four) -> Self::Four;
    /// c − a b.
    fn fnma4(self, a: Self::Four, b: Self::Four, c: Self::Four) -> Self::Four;
    /// The larger one; b if one is no number.
    fn max4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// The smaller one; b if one is no number.
    fn min4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// |a|.
    fn abs4(self, a: Self::Four) -> Self::Four;
    /// √a.
    fn sqrt4(self, a: Self::Four) -> Self::Four;
    /// Whether a > b.
    fn above4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// Answers a or b.
    fn or4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// Answers a and not b.
    fn and_not4(self, a: Self::Four, b: Self::Four) -> Self::Four;
    /// Takes a where the answer is yes, else b.
    fn select4(self, answer: Self::Four, a: Self::Four, b: Self::Four) -> Self::Four;
    /// Answers as bits, lane 0 first.
    fn bits4(self, answer: Self::Four) -> u32;
    /// Rows become columns.
    fn transpose4(self, rows: [Self::Four; 4]) -> [Self::Four; 4];
}

/// Plain loops, for machines without the instructions.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

/// The answer yes, as `Plain` keeps it.
const YES: f64 = f64::from_bits(u64::MAX);

fn answer(yes: bool) -> f64 {
    if yes { YES } else { 0.0 }
}

fn is_yes(answer: f64) -> bool {
    answer.to_bits() != 0
}

impl Simd for Plain {
    type Eight = [f32; WIDTH];
    type Four = [f64; HALF];

    fn eight(self, from: [f32; WIDTH]) -> [f32; WIDTH] {
        from
    }
    fn eight_out(self, from: [f32; WIDTH]) -> [f32; WIDTH] {
        from
    }
    fn add8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| a[l] + b[l])
    }
    fn sub8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| a[l] - b[l])
    }
    fn mul8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| a[l] * b[l])
    }
    fn div8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| a[l] / b[l])
    }
    fn fma8(self, a: [f32; WIDTH], b: [f32; WIDTH], c: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| a[l].mul_add(b[l], c[l]))
    }
    fn fnma8(self, a: [f32; WIDTH], b: [f32; WIDTH], c: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| (-a[l]).mul_add(b[l], c[l]))
    }
    fn max8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| if a[l] > b[l] { a[l] } else { b[l] })
    }
    fn min8(self, a: [f32; WIDTH], b: [f32; WIDTH]) -> [f32; WIDTH] {
        array::from_fn(|l| if a[l] < b[l] { a[l] } else { b[l] })
    }
    fn abs8(self, a: [f32; WIDTH]) -> [f32; WIDTH] {
        a.map(f32::abs)
    }
    fn sqrt8(self, a: [f32; WIDTH]) -> [f32; WIDTH] {
        a.map(f32::sqrt)
    }
    fn transpose8(self, rows: [[f32; WIDTH]; 8]) -> [[f32; WIDTH]; 8] {
        array::from_fn(|column| array::from_fn(|row| rows[row][column]))
    }

    fn four(self, from: [f64; HALF]) -> [f64; HALF] {
        from
    }
    fn four_out(self, from: [f64; HALF]) -> [f64; HALF] {
        from
    }
    fn widen(self, from: [f32; HALF]) -> [f64; HALF] {
        from.map(f64::from)
    }
    fn narrow(self, from: [f64; HALF]) -> [f32; HALF] {
        from.map(|x| x as f32)
    }
    fn add4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| a[l] + b[l])
    }
    fn sub4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| a[l] - b[l])
    }
    fn mul4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| a[l] * b[l])
    }
    fn div4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| a[l] / b[l])
    }
    fn fma4(self, a: [f64; HALF], b: [f64; HALF], c: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| a[l].mul_add(b[l], c[l]))
    }
    fn fnma4(self, a: [f64; HALF], b: [f64; HALF], c: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| (-a[l]).mul_add(b[l], c[l]))
    }
    fn max4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| if a[l] > b[l] { a[l] } else { b[l] })
    }
    fn min4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| if a[l] < b[l] { a[l] } else { b[l] })
    }
    fn abs4(self, a: [f64; HALF]) -> [f64; HALF] {
        a.map(f64::abs)
    }
    fn sqrt4(self, a: [f64; HALF]) -> [f64; HALF] {
        a.map(f64::sqrt)
    }
    fn above4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| answer(a[l] > b[l]))
    }
    fn or4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| answer(is_yes(a[l]) || is_yes(b[l])))
    }
    fn and_not4(self, a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| answer(is_yes(a[l]) && !is_yes(b[l])))
    }
    fn select4(self, answer: [f64; HALF], a: [f64; HALF], b: [f64; HALF]) -> [f64; HALF] {
        array::from_fn(|l| if is_yes(answer[l]) { a[l] } else { b[l] })
    }
    fn bits4(self, answer: [f64; HALF]) -> u32 {
        (0..HALF).map(|l| u32::from(is_yes(answer[l])) << l).sum()
    }
    fn transpose4(self, rows: [[f64; HALF]; 4]) -> [[f64; HALF]; 4] {
        array::from_fn(|column| array::from_fn(|row| rows[row][column]))
    }
}

/// Work that runs with the instructions of the machine.
pub trait Work {
    /// Result of the work.
    type Output;
    /// Does the work; `#[inline(always)]`, for the instructions reach only what is inlined.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Does some work with the best instructions that the machine has.
pub fn dispatch<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        return v3.vectorize(OnV3 { simd: v3, work });
    }
    work.run(Plain)
}

#[cfg(target_arch = "x86_64")]
struct OnV3<W> {
    simd: pulp::x86::V3,
    work: W,
}

#[cfg(target_arch = "x86_64")]
impl<W: Work> pulp::NullaryFnOnce for OnV3<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run(self.simd)
    }
}
