//! Vectors whose memory a thread keeps for the next ones.

use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Vectors that a thread keeps at most, and numbers of each.
const KEPT: usize = 32;
const LARGEST: usize = 1 << 16;

thread_local! {
    static KEPT_ROOM: RefCell<Vec<Vec<f64>>> = const { RefCell::new(Vec::new()) };
}

/// A vector of numbers in so many lanes. Memory that is returned to the system and asked for again costs a
/// page fault every 4 kB: a third of the time of ten directions at 64 bodies.
pub struct Room<const W: usize> {
    numbers: Vec<f64>,
}

impl<const W: usize> Room<W> {
    /// So many zeros in each lane.
    pub fn zeros(length: usize) -> Self {
        let mut numbers = KEPT_ROOM.with(|kept| kept.borrow_mut().pop()).unwrap_or_default();
        numbers.clear();
        numbers.resize(W * length, 0.0);
        Self { numbers }
    }

    /// A copy of a vector.
    pub fn of(vector: &[[f64; W]]) -> Self {
        let mut numbers = KEPT_ROOM.with(|kept| kept.borrow_mut().pop()).unwrap_or_default();
        numbers.clear();
        numbers.extend_from_slice(vector.as_flattened());
        Self { numbers }
    }

    /// The first lanes of a vector; those that it has not are 0.
    pub fn resized<const V: usize>(vector: &[[f64; V]]) -> Self {
        let mut out = Self::zeros(vector.len());
        for (to, from) in out.iter_mut().zip(vector) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        out
    }
}

impl<const W: usize> Drop for Room<W> {
    fn drop(&mut self) {
        let numbers = std::mem::take(&mut self.numbers);
        if (1..=LARGEST).contains(&numbers.capacity()) {
            // A thread that ends keeps nothing.
            let _ = KEPT_ROOM.try_with(|kept| {
                let mut kept = kept.borrow_mut();
                if kept.len() < KEPT {
                    kept.push(numbers);
                }
            });
        }
    }
}

impl<const W: usize> Default for Room<W> {
    fn default() -> Self {
        Self { numbers: Vec::new() }
    }
}

impl<const W: usize> Clone for Room<W> {
    fn clone(&self) -> Self {
        Self::of(self)
    }
}

impl<const W: usize> Deref for Room<W> {
    type Target = [[f64; W]];

    fn deref(&self) -> &[[f64; W]] {
        self.numbers.as_chunks::<W>().0
    }
}

impl<const W: usize> DerefMut for Room<W> {
    fn deref_mut(&mut self) -> &mut [[f64; W]] {
        self.numbers.as_chunks_mut::<W>().0
    }
}

impl<const W: usize> fmt::Debug for Room<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors are 0 whatever was in their memory before, in any number of lanes.
    #[test]
    fn room_that_was_used_is_zero() {
        for length in [3, 7, 5] {
            let mut room = Room::<4>::zeros(length);
            assert!(room.len() == length && room.as_flattened().iter().all(|x| *x == 0.0));
            room.fill([1.0; 4]);
            let few = Room::<2>::resized(&room);
            let more = Room::<8>::resized(&few);
            assert!(more.iter().all(|x| *x == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), "{more:?}");
        }
    }
}
