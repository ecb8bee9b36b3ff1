//! Numbers of several contacts at once, written as formulas, and vectors of them.

use crate::simd::{HALF, Simd, WIDTH};
use std::ops::{Add, Div, Mul, Sub};

/// Numbers with the operations that vectors need.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// self · b + c; vectors round once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// c − self · b; vectors round once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
}

/// Eight f32, one of each contact of a batch.
#[derive(Clone, Copy)]
pub struct Eight<S: Simd>(pub S, pub S::Eight);

/// Four f64, one of each contact of half a batch; or four answers.
#[derive(Clone, Copy)]
pub struct Four<S: Simd>(pub S, pub S::Four);

macro_rules! operators {
    ($of:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $fma:ident, $fnma:ident) => {
        impl<S: Simd> Add for $of<S> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                Self(self.0, self.0.$add(self.1, b.1))
            }
        }
        impl<S: Simd> Sub for $of<S> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                Self(self.0, self.0.$sub(self.1, b.1))
            }
        }
        impl<S: Simd> Mul for $of<S> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                Self(self.0, self.0.$mul(self.1, b.1))
            }
        }
        impl<S: Simd> Div for $of<S> {
            type Output = Self;
            #[inline(always)]
            fn div(self, b: Self) -> Self {
                Self(self.0, self.0.$div(self.1, b.1))
            }
        }
        impl<S: Simd> Number for $of<S> {
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                Self(self.0, self.0.$fma(self.1, b.1, c.1))
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                Self(self.0, self.0.$fnma(self.1, b.1, c.1))
            }
        }
    };
}

operators!(Eight, add8, sub8, mul8, div8, fma8, fnma8);
operators!(Four, add4, sub4, mul4, div4, fma4, fnma4);

impl<S: Simd> Eight<S> {
    /// Reads eight numbers.
    #[inline(always)]
    pub fn of(simd: S, from: &[f32; WIDTH]) -> Self {
        Self(simd, simd.eight(*from))
    }
    /// Eight times the same number.
    #[inline(always)]
    pub fn all(simd: S, x: f32) -> Self {
        Self(simd, simd.eight([x; WIDTH]))
    }
    /// The numbers.
    #[inline(always)]
    pub fn out(self) -> [f32; WIDTH] {
        self.0.eight_out(self.1)
    }
    /// The larger one.
    #[inline(always)]
    pub fn max(self, b: Self) -> Self {
        Self(self.0, self.0.max8(self.1, b.1))
    }
    /// The smaller one.
    #[inline(always)]
    pub fn min(self, b: Self) -> Self {
        Self(self.0, self.0.min8(self.1, b.1))
    }
    /// |x|.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0, self.0.abs8(self.1))
    }
    /// √x.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt8(self.1))
    }
}

impl<S: Simd> Four<S> {
    /// Reads four numbers.
    #[inline(always)]
    pub fn of(simd: S, from: [f64; HALF]) -> Self {
        Self(simd, simd.four(from))
    }
    /// Four times the same number.
    #[inline(always)]
    pub fn all(simd: S, x: f64) -> Self {
        Self(simd, simd.four([x; HALF]))
    }
    /// Reads half of eight numbers, the first or the second.
    #[inline(always)]
    pub fn half(simd: S, from: &[f32; WIDTH], half: usize) -> Self {
        let at = HALF * half;
        Self(simd, simd.widen([from[at], from[at + 1], from[at + 2], from[at + 3]]))
    }
    /// Writes half of eight numbers.
    #[inline(always)]
    pub fn put_half(self, to: &mut [f32; WIDTH], half: usize) {
        to[HALF * half..HALF * (half + 1)].copy_from_slice(&self.0.narrow(self.1));
    }
    /// The numbers.
    #[inline(always)]
    pub fn out(self) -> [f64; HALF] {
        self.0.four_out(self.1)
    }
    /// The larger one.
    #[inline(always)]
    pub fn max(self, b: Self) -> Self {
        Self(self.0, self.0.max4(self.1, b.1))
    }
    /// The smaller one.
    #[inline(always)]
    pub fn min(self, b: Self) -> Self {
        Self(self.0, self.0.min4(self.1, b.1))
    }
    /// |x|.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0, self.0.abs4(self.1))
    }
    /// √x.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt4(self.1))
    }
    /// Whether self > b.
    #[inline(always)]
    pub fn above(self, b: Self) -> Self {
        Self(self.0, self.0.above4(self.1, b.1))
    }
    /// Answers self or b.
    #[inline(always)]
    pub fn or(self, b: Self) -> Self {
        Self(self.0, self.0.or4(self.1, b.1))
    }
    /// Answers self and not b.
    #[inline(always)]
    pub fn and_not(self, b: Self) -> Self {
        Self(self.0, self.0.and_not4(self.1, b.1))
    }
    /// Takes a where the answer `self` is yes, else b.
    #[inline(always)]
    pub fn select(self, a: Self, b: Self) -> Self {
        Self(self.0, self.0.select4(self.1, a.1, b.1))
    }
    /// Takes vector a where the answer `self` is yes, else b.
    #[inline(always)]
    pub fn select_vector(self, a: Vector<Self>, b: Vector<Self>) -> Vector<Self> {
        [self.select(a[0], b[0]), self.select(a[1], b[1]), self.select(a[2], b[2])]
    }
    /// Answers as bits, the first contact lowest.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0.bits4(self.1)
    }
}

/// A vector in space.
pub type Vector<T> = [T; 3];
/// A symmetric matrix: xx, xy, xz, yy, yz, zz.
pub type Symmetric<T> = [T; 6];

/// a + b.
#[inline(always)]
pub fn add<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub fn sub<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a s.
#[inline(always)]
pub fn scale<T: Number>(a: Vector<T>, s: T) -> Vector<T> {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// a s + b.
#[inline(always)]
pub fn add_scaled<T: Number>(a: Vector<T>, s: T, b: Vector<T>) -> Vector<T> {
    [a[0].mul_add(s, b[0]), a[1].mul_add(s, b[1]), a[2].mul_add(s, b[2])]
}

/// b − a s.
#[inline(always)]
pub fn sub_scaled<T: Number>(a: Vector<T>, s: T, b: Vector<T>) -> Vector<T> {
    [a[0].neg_mul_add(s, b[0]), a[1].neg_mul_add(s, b[1]), a[2].neg_mul_add(s, b[2])]
}

/// a·b.
#[inline(always)]
pub fn dot<T: Number>(a: Vector<T>, b: Vector<T>) -> T {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// a·b + c.
#[inline(always)]
pub fn dot_add<T: Number>(a: Vector<T>, b: Vector<T>, c: T) -> T {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul_add(b[2], c)))
}

/// a × b.
#[inline(always)]
pub fn cross<T: Number>(a: Vector<T>, b: Vector<T>) -> Vector<T> {
    [
        a[2].neg_mul_add(b[1], a[1] * b[2]),
        a[0].neg_mul_add(b[2], a[2] * b[0]),
        a[1].neg_mul_add(b[0], a[0] * b[1]),
    ]
}

/// S a of a symmetric matrix.
#[inline(always)]
pub fn product<T: Number>(s: &Symmetric<T>, a: Vector<T>) -> Vector<T> {
    [dot([s[0], s[1], s[2]], a), dot([s[1], s[3], s[4]], a), dot([s[2], s[4], s[5]], a)]
}

/// Single numbers round twice: a fused operation outside of vector instructions is a call.
impl Number for f64 {
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
    }
}
