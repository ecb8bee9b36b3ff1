//! Candidates in their order: by the place of A, counted, then by that of B and its image.

use signorini_geometry::Image;
use signorini_ncp::threads;

/// Candidates per part from which on counting is worth it.
const COUNTED_FROM: usize = 2;
/// Parts whose candidates a thread sorts at a time.
const PARTS_TOGETHER: usize = 64;

/// Places of two parts, and the image of the second.
pub type Candidate = (usize, usize, Image);

/// Memory of the sorting.
#[derive(Debug, Default)]
pub(super) struct Sorting {
    /// Index of the first candidate of each part, and the end of all.
    first: Vec<usize>,
    sorted: Vec<Candidate>,
}

impl Sorting {
    /// Sorts candidates of so many parts of so many bodies.
    pub fn sort(&mut self, candidates: &mut Vec<Candidate>, (n_parts, n_bodies): (usize, usize)) {
        if candidates.len() < COUNTED_FROM * n_parts {
            return candidates.sort_unstable();
        }
        let Self { first, sorted } = self;
        first.clear();
        first.resize(n_parts + 1, 0);
        candidates.iter().for_each(|(a, ..)| first[a + 1] += 1);
        for part in 0..n_parts {
            first[part + 1] += first[part];
        }
        sorted.clear();
        sorted.resize(candidates.len(), (0, 0, Default::default()));
        for candidate in &*candidates {
            let next = &mut first[candidate.0];
            sorted[*next] = *candidate;
            *next += 1;
        }
        // The first of each part has become the first of the next one.
        let cut = |part: usize| if part == 0 { 0 } else { first[part - 1] };
        let portion = threads::portion(n_bodies, PARTS_TOGETHER);
        threads::each_with_own(0..n_parts, sorted, portion, &cut, &|_, own| own.sort_unstable());
        std::mem::swap(candidates, sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn candidates_come_out_in_order() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(3);
        for (n_parts, n) in [(1, 0), (10, 5), (10, 100), (300, 4000)] {
            let mut part = || random.random_range(0..n_parts);
            let mut all: Vec<Candidate> = (0..n).map(|k| (part(), part(), [k % 3 - 1, 0, 0])).collect();
            let mut expected = all.clone();
            expected.sort_unstable();
            Sorting::default().sort(&mut all, (n_parts, n_parts));
            assert_eq!(all, expected);
        }
    }
}
