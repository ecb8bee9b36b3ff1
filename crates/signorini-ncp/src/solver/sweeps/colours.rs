//! Which contacts are swept at once: batches of up to eight contacts of the same kind and part that move no
//! common body. The order is that of parts and contacts, whatever the machine.

use crate::problem::{Cone, ContactProblem};
use crate::solver::parameters::sweeps::ROW_PADDING;
use crate::solver::sweeps::lanes::WIDTH;
use crate::solver::sweeps::parts::Parts;
use std::ops::Range;

/// Kind of the contacts of a batch: rows, and their law.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// Normal rows, or rows of a joint. Manifolds have some to spare, which stay zero: else there would be as
    /// many kinds as numbers of contact points, with few contacts each.
    pub n_normal: usize,
    pub n_friction: usize,
    pub bounded: bool,
    /// Whether tangential rows move with the load.
    pub moves: bool,
}

impl Kind {
    /// Of a contact.
    pub fn of(cone: &Cone) -> Self {
        let moves = cone.n_shift() > 0 && cone.n_used > 0;
        let n_normal = if moves { cone.n_used.next_multiple_of(ROW_PADDING) } else { cone.n_used };
        Self { n_normal, n_friction: cone.n_friction, bounded: cone.bounded, moves }
    }

    /// Tangential rows that move.
    pub fn n_tangential(&self) -> usize {
        self.n_friction.min(2)
    }

    /// Shift rows of a contact.
    pub fn n_shift(&self) -> usize {
        if self.moves { self.n_normal * self.n_tangential() } else { 0 }
    }

    /// Rows of a contact that are swept.
    pub fn n_rows(&self) -> usize {
        self.n_normal + self.n_friction
    }
}

/// Which contacts of which kinds touch which bodies.
#[derive(Debug, Default)]
pub(super) struct ContactGraph {
    /// Of each contact.
    pub kinds: Vec<Kind>,
    offsets: Vec<usize>,
    bodies: Vec<usize>,
    n_bodies: usize,
}

impl ContactGraph {
    /// Takes that of a problem over; whether it is another one.
    pub fn follow(&mut self, problem: &ContactProblem) -> bool {
        let kinds = || problem.cones.iter().map(Kind::of);
        if self.offsets == problem.block_offsets
            && self.bodies == problem.block_body
            && self.n_bodies == problem.n_bodies()
            && kinds().eq(self.kinds.iter().copied())
        {
            return false;
        }
        self.kinds.clear();
        self.kinds.extend(kinds());
        self.offsets.clone_from(&problem.block_offsets);
        self.bodies.clone_from(&problem.block_body);
        self.n_bodies = problem.n_bodies();
        true
    }
}

/// A part of the bodies with the batches of its own contacts: those between its halves, or all.
#[derive(Debug, Clone)]
pub(super) struct OwnBatches {
    pub batches: Range<usize>,
    /// Contacts of them.
    pub contacts: Range<usize>,
}

/// The batches, and the graph of contacts they were made for.
#[derive(Debug, Default)]
pub(super) struct Colours {
    pub parts: Parts,
    /// Batches of each part.
    pub own: Vec<OwnBatches>,
    /// Contacts of each batch.
    pub batches: Vec<(Kind, Vec<usize>)>,
    graph: ContactGraph,
    /// Contacts that are swept with their parts, part by part and kind by kind.
    order: Vec<(usize, usize)>,
    /// Batches of its part that each body is in already.
    uses: Vec<Vec<u32>>,
    /// The contact that may not go into a batch.
    barred: Vec<usize>,
    spare: Vec<Vec<usize>>,
}

impl Colours {
    /// Makes the batches of a problem, unless they are those of the last one; whether it did.
    pub fn arrange(&mut self, problem: &ContactProblem) -> bool {
        if !self.graph.follow(problem) {
            return false;
        }
        self.parts.divide(problem);
        let Self { parts, order, graph: ContactGraph { kinds, .. }, batches, spare, uses, barred, own } =
            self;
        order.clear();
        let swept = (0..kinds.len()).filter(|c| kinds[*c].n_normal > 0);
        order.extend(swept.map(|c| (part_of(parts, problem.bodies_of(c)), c)));
        order.sort_by_key(|(part, c)| (*part, kinds[*c]));
        spare.extend(batches.drain(..).map(|(_, contacts)| contacts));
        uses.iter_mut().for_each(Vec::clear);
        uses.resize(problem.n_bodies(), Vec::new());
        barred.clear();
        barred.resize(kinds.len() + 1, usize::MAX);
        own.clear();
        let mut next = 0;
        for part in 0..self.parts.parts.len() {
            let n = self.order[next..].iter().take_while(|(of, _)| *of == part).count();
            let first = self.batches.len();
            self.arrange_part(problem, next..next + n);
            let batches = first..self.batches.len();
            self.own.push(OwnBatches { batches, contacts: next..next + n });
            next += n;
        }
        true
    }

    /// The batches of the contacts at `range` of the order.
    fn arrange_part(&mut self, problem: &ContactProblem, range: Range<usize>) {
        let Self { batches, graph: ContactGraph { kinds, .. }, order, uses, barred, spare, .. } = self;
        for body in order[range.clone()].iter().flat_map(|(_, c)| problem.bodies_of(*c)) {
            uses[*body].clear();
        }
        let (mut first, mut kind) = (batches.len(), Kind::default());
        for &(_, c) in &order[range] {
            if kinds[c] != kind {
                (first, kind) = (batches.len(), kinds[c]);
            }
            let bodies = problem.bodies_of(c);
            for body in bodies {
                uses[*body].iter().for_each(|batch| barred[*batch as usize] = c);
            }
            let open = |k: &usize| batches[*k].1.len() < WIDTH && barred[*k] != c;
            let place = (first..batches.len()).find(open).unwrap_or_else(|| {
                let mut contacts = spare.pop().unwrap_or_default();
                contacts.clear();
                batches.push((kind, contacts));
                batches.len() - 1
            });
            batches[place].1.push(c);
            bodies.iter().for_each(|body| uses[*body].push(place as u32));
            while first < batches.len() && batches[first].1.len() == WIDTH {
                first += 1;
            }
        }
    }
}

/// The part that a contact of these bodies belongs to.
fn part_of(parts: &Parts, bodies: &[usize]) -> usize {
    match *bodies {
        [a] => parts.least_with([parts.place[a]; 2]),
        [a, b] => parts.least_with([a, b].map(|body| parts.place[body])),
        _ => parts.parts.len() - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix6;

    #[test]
    fn contacts_of_a_batch_have_no_body_in_common() {
        let mut problem = ContactProblem::empty();
        problem.mass = vec![Matrix6::identity(); 20];
        for i in 0..20 {
            problem.add_contact([i].into_iter(), (1, 2), 0.3);
            problem.add_contact([i, (7 * i + 3) % 20].into_iter().filter(|j| *j < 20), (1, 2), 0.3);
            problem.add_contact([i, (i + 1) % 20].into_iter(), (3, 3), 0.3);
        }
        problem.add_bounded([3, 4].into_iter(), &[[0.0, 1.0]; 5]);
        let mut colours = Colours::default();
        colours.arrange(&problem);
        let mut met = vec![0; problem.cones.len()];
        for (kind, contacts) in &colours.batches {
            assert!(contacts.len() <= WIDTH);
            let mut moved = [false; 20];
            for c in contacts {
                met[*c] += 1;
                assert_eq!(Kind::of(&problem.cones[*c]), *kind);
                for body in problem.bodies_of(*c) {
                    assert!(!std::mem::replace(&mut moved[*body], true), "body {body}");
                }
            }
        }
        assert!(met.iter().all(|n| *n == 1));
        assert!(colours.batches.len() < 13, "{}", colours.batches.len());
    }
}
