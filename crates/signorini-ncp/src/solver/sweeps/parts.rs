//! Bodies in parts that threads sweep at once: halves, quarters and so on of the graph of contacts. A contact
//! between two parts belongs to the least part that holds both of its bodies, and waits for its halves. The
//! parts depend on the problem alone, and so does the order of the sweep.

use crate::problem::ContactProblem;
use crate::solver::parameters::sweeps::MIN_PARTITION_BODIES;
use std::ops::Range;

/// Body of a place that has none.
pub(super) const NOBODY: usize = usize::MAX;

/// A part of the bodies.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The places of its bodies. Behind those of each part that is not halved there is one for none, which
    /// stands still.
    pub places: Range<usize>,
    /// Its halves, which are parts before it.
    pub halves: Option<[usize; 2]>,
}

/// The parts of a problem, each behind its halves, and the whole at the end.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub parts: Vec<Part>,
    /// Place of each body.
    pub place: Vec<usize>,
    /// Body at each place, or [`NOBODY`].
    pub body: Vec<usize>,
    /// Bodies in the order of their places.
    order: Vec<usize>,
    /// Neighbours of each body, one after the other, and where those of a body begin.
    neighbours: Vec<usize>,
    first: Vec<usize>,
    /// Search over the bodies of a part: when it last met each of them, and how many searches there were.
    met: Vec<usize>,
    searches: usize,
    found: Vec<usize>,
}

impl Parts {
    /// Divides the bodies of a problem whose contacts have two at most.
    pub fn divide(&mut self, problem: &ContactProblem) {
        let n = problem.n_bodies();
        self.parts.clear();
        self.order.clear();
        self.order.extend(0..n);
        self.place.clear();
        self.place.resize(n, 0);
        if n >= 2 * MIN_PARTITION_BODIES {
            self.connect(problem);
            self.met.clear();
            self.met.resize(n, 0);
            self.searches = 0;
        }
        self.body.clear();
        self.halve(0..n);
    }

    /// The part with both places, which is the whole or in it.
    pub fn least_with(&self, places: [usize; 2]) -> usize {
        let mut part = self.parts.len() - 1;
        while let Some([left, right]) = self.parts[part].halves {
            let holds = |half: &usize| places.iter().all(|p| self.parts[*half].places.contains(p));
            match [left, right].into_iter().find(holds) {
                Some(half) => part = half,
                None => break,
            }
        }
        part
    }

    fn connect(&mut self, problem: &ContactProblem) {
        let pairs = || problem.block_offsets.windows(2).filter_map(|blocks| pair(problem, blocks));
        let Self { neighbours, first, .. } = self;
        first.clear();
        first.resize(problem.n_bodies() + 1, 0);
        pairs().flatten().for_each(|body| first[body + 1] += 1);
        for body in 0..problem.n_bodies() {
            first[body + 1] += first[body];
        }
        neighbours.clear();
        neighbours.resize(2 * pairs().count(), 0);
        for [a, b] in pairs() {
            for (from, to) in [(a, b), (b, a)] {
                neighbours[first[from]] = to;
                first[from] += 1;
            }
        }
        first.rotate_right(1);
        first[0] = 0;
    }

    /// Makes a part of the bodies at `range` of the order; returns its index.
    fn halve(&mut self, range: Range<usize>) -> usize {
        let from = self.body.len();
        let halves = if range.len() < 2 * MIN_PARTITION_BODIES {
            for body in &self.order[range] {
                self.place[*body] = self.body.len();
                self.body.push(*body);
            }
            self.body.push(NOBODY);
            None
        } else {
            self.sort_by_distance(range.clone());
            let middle = range.start + range.len() / 2;
            Some([self.halve(range.start..middle), self.halve(middle..range.end)])
        };
        self.parts.push(Part { places: from..self.body.len(), halves });
        self.parts.len() - 1
    }

    /// Orders the bodies by how many contacts away they are from one of those that are farthest from the
    /// first.
    fn sort_by_distance(&mut self, range: Range<usize>) {
        self.searches += 1;
        let inside = self.searches;
        self.order[range.clone()].iter().for_each(|body| self.met[*body] = inside);
        for _ in 0..2 {
            self.search(range.clone());
            // From the last body found to the first.
            self.order[range.clone()].iter_mut().zip(self.found.iter().rev()).for_each(|(to, f)| *to = *f);
        }
    }

    /// Finds the bodies at `range` of the order, breadth first; those that nothing connects with the first
    /// follow.
    fn search(&mut self, range: Range<usize>) {
        let Self { order, neighbours, first, met, searches, found, .. } = self;
        let inside = *searches;
        *searches += 1;
        found.clear();
        let mut next = 0;
        for start in &order[range] {
            if met[*start] != inside {
                continue;
            }
            met[*start] = *searches;
            found.push(*start);
            while next < found.len() {
                let body = found[next];
                next += 1;
                for neighbour in &neighbours[first[body]..first[body + 1]] {
                    if met[*neighbour] == inside {
                        met[*neighbour] = *searches;
                        found.push(*neighbour);
                    }
                }
            }
        }
    }
}

/// The bodies of a contact that has two.
fn pair(problem: &ContactProblem, blocks: &[usize]) -> Option<[usize; 2]> {
    problem.block_body[blocks[0]..blocks[1]].try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix6;

    /// A grid of bodies that touch their neighbours, and the floor.
    fn grid(side: usize) -> ContactProblem {
        let mut problem = ContactProblem::empty();
        problem.mass = vec![Matrix6::identity(); side * side];
        for (i, j) in (0..side * side).map(|k| (k / side, k % side)) {
            problem.add_contact([i * side + j].into_iter(), (1, 2), 0.3);
            for (right, below) in [(1, 0), (0, 1)] {
                if i + below < side && j + right < side {
                    let other = (i + below) * side + j + right;
                    problem.add_contact([i * side + j, other].into_iter(), (1, 2), 0.3);
                }
            }
        }
        problem
    }

    #[test]
    fn parts_hold_every_body_once_and_few_contacts_lie_between_them() {
        let problem = grid(30);
        let mut parts = Parts::default();
        parts.divide(&problem);
        let mut places: Vec<usize> = parts.place.clone();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 900);
        let smallest = |part: &&Part| part.halves.is_none();
        let leaves: Vec<&Part> = parts.parts.iter().filter(smallest).collect();
        assert_eq!(leaves.len(), 8);
        for leaf in &leaves {
            assert!((MIN_PARTITION_BODIES..2 * MIN_PARTITION_BODIES).contains(&(leaf.places.len() - 1)));
            assert!(!places.contains(&(leaf.places.end - 1)), "the place for none is taken");
        }
        let between = problem.block_offsets.windows(2).filter_map(|blocks| pair(&problem, blocks));
        let between = between.map(|bodies| parts.least_with(bodies.map(|b| parts.place[b])));
        let between = between.filter(|part| parts.parts[*part].halves.is_some()).count();
        // Seven cuts, of 30 contacts where the first is straight.
        assert!(between < 300, "{between} of {}", problem.cones.len());
    }
}
