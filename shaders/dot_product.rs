//! x·y in a fixed tree: the bits do not depend on the order in which threads run.

use crate::real::Real;

/// Threads of a group.
const GROUP: usize = 64;
/// Products summed by a group.
pub const PORTION: usize = 1024;

/// Partial sum number g of x·y.
pub fn dot_product<T: Real>(x: &[T], y: &[T], g: usize) -> T {
    tree(|t| {
        let mut sum = T::zero();
        for i in (PORTION * g + t..PORTION * (g + 1)).step_by(GROUP) {
            if i < x.len() {
                sum += x[i] * y[i];
            }
        }
        sum
    })
}

/// Sum of the partial sums.
pub fn dot_total<T: Real>(parts: &[T]) -> T {
    tree(|t| parts.iter().skip(t).step_by(GROUP).fold(T::zero(), |sum, x| sum + *x))
}

/// Halves are added pairwise.
fn tree<T: Real>(of_thread: impl Fn(usize) -> T) -> T {
    let mut part: [T; GROUP] = std::array::from_fn(of_thread);
    let mut half = GROUP / 2;
    while half > 0 {
        for t in 0..half {
            let other = part[t + half];
            part[t] += other;
        }
        half /= 2;
    }
    part[0]
}
