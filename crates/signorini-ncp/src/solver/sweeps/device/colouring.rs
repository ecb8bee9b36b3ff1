//! Colours of contacts: contacts of one colour move no common body and are swept at once, eight of a kind a
//! batch. The order is that of the contacts, whatever the machine.

use crate::problem::ContactProblem;
use crate::solver::sweeps::colours::{ContactGraph, Kind};
use signorini_kernels::sweep_batch::WIDTH;
use std::ops::Range;

/// Colours of a body that are known one by one; those of bodies with more contacts are counted.
const LISTED: u32 = u128::BITS;

/// Batches colour by colour, and the graph of contacts they were made for.
#[derive(Debug, Default)]
pub(super) struct Colouring {
    /// Kind of the contacts of each batch.
    pub kinds: Vec<Kind>,
    /// Contacts of each batch, WIDTH places a batch; places that are left hold none.
    pub contacts: Vec<Option<usize>>,
    /// Batches of each colour.
    pub colours: Vec<Range<usize>>,
    graph: ContactGraph,
    order: Vec<(u32, Kind, usize)>,
    /// Colours that each body has, and the first that it is free for beyond them.
    taken: Vec<(u128, u32)>,
}

impl Colouring {
    /// Colours the contacts of a problem, unless they are those of the last one.
    pub fn arrange(&mut self, problem: &ContactProblem) {
        if !self.graph.follow(problem) {
            return;
        }
        self.taken.clear();
        self.taken.resize(problem.n_bodies(), (0, LISTED));
        self.order.clear();
        for (c, kind) in self.graph.kinds.iter().enumerate().filter(|(_, kind)| kind.n_normal > 0) {
            self.order.push((colour(&mut self.taken, self.graph.bodies(c)), *kind, c));
        }
        self.order.sort_unstable();
        self.make_batches();
    }

    fn make_batches(&mut self) {
        let Self { kinds, contacts, colours, order, .. } = self;
        kinds.clear();
        contacts.clear();
        colours.clear();
        for of_colour in order.chunk_by(|a, b| a.0 == b.0) {
            let first = kinds.len();
            for of_kind in of_colour.chunk_by(|a, b| a.1 == b.1) {
                kinds.resize(kinds.len() + of_kind.len().div_ceil(WIDTH), of_kind[0].1);
                contacts.extend(of_kind.iter().map(|(.., c)| Some(*c)));
                contacts.resize(WIDTH * kinds.len(), None);
            }
            colours.push(first..kinds.len());
        }
    }

    /// Contacts of a batch, with their lanes.
    pub fn lanes(&self, batch: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let contacts = &self.contacts[WIDTH * batch..WIDTH * (batch + 1)];
        contacts.iter().enumerate().filter_map(|(lane, c)| c.map(|c| (lane, c)))
    }
}

/// The first colour that all these bodies are free for.
fn colour(taken: &mut [(u128, u32)], bodies: &[usize]) -> u32 {
    let (all, next) =
        bodies.iter().fold((0, LISTED), |(all, next), b| (all | taken[*b].0, next.max(taken[*b].1)));
    let colour = if all == u128::MAX { next } else { all.trailing_ones() };
    for body in bodies {
        let (colours, next) = &mut taken[*body];
        if colour < LISTED {
            *colours |= 1 << colour;
        } else {
            *next = colour + 1;
        }
    }
    colour
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix6;

    #[test]
    fn contacts_of_a_colour_have_no_body_in_common() {
        let (n, mut problem) = (300, ContactProblem::empty());
        problem.mass = vec![Matrix6::identity(); n];
        for i in 0..n {
            problem.add_contact([i].into_iter(), (1, 2), 0.3);
            problem.add_contact([i, (i + 5) % n].into_iter(), (1, 2), 0.3);
            problem.add_contact([i, (i + 1) % n].into_iter(), (3, 3), 0.3);
            // One touches all others: more colours than are listed.
            if i > 0 {
                problem.add_bounded([0, i].into_iter(), &[[0.0, 1.0]; 5]);
            }
        }
        let mut colouring = Colouring::default();
        colouring.arrange(&problem);
        let mut met = vec![0; problem.cones.len()];
        for colour in &colouring.colours {
            let mut moved = vec![false; n];
            for (batch, (_, c)) in colour.clone().flat_map(|k| colouring.lanes(k).map(move |at| (k, at))) {
                met[c] += 1;
                assert_eq!(Kind::of(&problem.cones[c]), colouring.kinds[batch]);
                for body in problem.bodies_of(c) {
                    assert!(!std::mem::replace(&mut moved[*body], true), "body {body}");
                }
            }
        }
        assert!(met.iter().all(|n| *n == 1));
        assert!((n..n + 10).contains(&colouring.colours.len()), "{}", colouring.colours.len());
    }
}
