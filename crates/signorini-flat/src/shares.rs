//! The parts of a step that ranks take. A rank has whole subtrees of sections, and a node whose halves belong
//! to several ranks is of all of them: they hand each other its bodies, and each computes its contacts. So
//! the tree stays the same for any number of ranks, and with it every bit.

use crate::parameters::{FINER_PARTS, MOST_IMBALANCE, PATCH_WEIGHT, POINT_WEIGHT};
use crate::sections::{Contacts, Node, Section};
use crate::sent::Sent;
use crate::visit::{Visit, visit};
use signorini_ranks::{Incoming, Outgoing, Ranks};
use std::ops::Range;
use std::sync::Arc;

/// Which rank takes which sections.
#[derive(Debug)]
pub struct Shares {
    /// The ranks.
    pub ranks: Arc<dyn Ranks>,
    /// By node: the ranks that compute its contacts.
    pub groups: Vec<Range<usize>>,
    /// By node: its bodies that ranks hand each other; none where one rank has the node.
    borders: Vec<Border>,
    /// By rank: places of its bodies.
    pub own: Vec<Range<usize>>,
    /// By place: whether this rank knows how the body moves.
    held: Vec<bool>,
}

/// Bodies in the contacts of a node.
#[derive(Debug, Default)]
struct Border {
    /// Their places, ascending.
    places: Vec<u32>,
    /// Those of each rank of the group, as a part of the places.
    of_rank: Vec<Range<usize>>,
}

impl Shares {
    /// Divides sections among ranks; None where there are too few for all of them.
    pub fn of(nodes: &[Node], contacts: &Contacts, ranks: &Arc<dyn Ranks>) -> Option<Self> {
        let size = ranks.size();
        if size < 2 || nodes.is_empty() {
            return None;
        }
        let first = size.next_power_of_two().trailing_zeros() as usize;
        let all = (first..=first + FINER_PARTS).filter_map(|depth| divide(nodes, depth, size));
        let mut best: Option<(Vec<(usize, usize)>, f64)> = None;
        for found in all {
            let is_better = best.as_ref().is_none_or(|(_, imbalance)| found.1 < *imbalance);
            let was_good = best.as_ref().is_some_and(|(_, imbalance)| *imbalance <= MOST_IMBALANCE);
            if is_better && !was_good {
                best = Some(found);
            }
        }
        let (parts, _) = best?;
        let mut groups = vec![0..0; nodes.len()];
        let mut own = vec![0..0; size];
        for (part, rank) in &parts {
            give(nodes, *part, *rank, &mut groups);
            let (own, places) = (&mut own[*rank], &nodes[*part].places);
            *own = if own.start == own.end { places.clone() } else { own.start..places.end };
        }
        for i in 0..nodes.len() {
            if let (true, Some([left, right])) = (groups[i].is_empty(), nodes[i].halves) {
                groups[i] = groups[left].start..groups[right].end;
            }
        }
        let mut shares = Self { ranks: ranks.clone(), groups, borders: Vec::new(), own, held: Vec::new() };
        shares.find_borders(nodes, contacts);
        Some(shares)
    }

    fn find_borders(&mut self, nodes: &[Node], contacts: &Contacts) {
        let me = self.ranks.rank();
        self.borders = nodes
            .iter()
            .zip(&self.groups)
            .map(|(node, group)| match group.len() {
                0 | 1 => Border::default(),
                _ => Border::of(node, contacts, &self.own[group.clone()]),
            })
            .collect();
        self.held = vec![false; nodes.last().map_or(0, |root| root.places.end)];
        self.held[self.own[me].clone()].fill(true);
        for (border, _) in self.borders.iter().zip(&self.groups).filter(|(_, group)| group.contains(&me)) {
            border.places.iter().for_each(|place| self.held[*place as usize] = true);
        }
    }

    /// Whether this rank knows how the body at a place moves.
    pub fn holds(&self, place: usize) -> bool {
        self.held[place]
    }

    /// Runs a pass on node `i`, of whose group this rank is, and on what this rank has below it.
    pub fn visit<V: Visit>(
        &self,
        nodes: &[Node],
        i: usize,
        mut section: Section<'_>,
        visitor: &V,
    ) -> V::Found {
        let me = self.ranks.rank();
        let (Some([left, right]), true) = (nodes[i].halves, self.groups[i].len() > 1) else {
            return visit(nodes, i, section, visitor);
        };
        let [a, b] = section.again().halves(nodes, [left, right]);
        let of = |half: usize, section: Section<'_>| {
            self.groups[half].contains(&me).then(|| self.visit(nodes, half, section, visitor))
        };
        let found = [of(left, a), of(right, b)];
        let [a, b] = self.exchange::<V>(&nodes[i], i, found, &mut section);
        visitor.join(visitor.join(a, b), visitor.contacts(&mut section.own(&nodes[i])))
    }

    /// Hands what the halves of a node found, and its bodies, to all of the node's group.
    fn exchange<V: Visit>(
        &self,
        node: &Node,
        i: usize,
        [a, b]: [Option<V::Found>; 2],
        section: &mut Section<'_>,
    ) -> [V::Found; 2] {
        let (group, border, me) = (self.groups[i].clone(), &self.borders[i], self.ranks.rank());
        let start = node.places.start;
        // The first rank knows what the left half found, the last one what the right half did.
        let is_end = |rank: usize| [rank == group.start, rank + 1 == group.end];
        let mut out = Outgoing::default();
        for (found, _) in [&a, &b].into_iter().zip(is_end(me)).filter(|(_, is_mine)| *is_mine) {
            found.iter().for_each(|found| found.put(&mut out));
        }
        let places = |rank: usize| &border.places[border.of_rank[rank - group.start].clone()];
        for place in places(me) {
            V::CHANGED.put(section, *place as usize - start, &mut out);
        }
        let length = |rank: usize| {
            let n_found = is_end(rank).into_iter().filter(|is_end| *is_end).count();
            n_found * V::Found::BYTES + places(rank).len() * V::CHANGED.bytes()
        };
        let lengths: Vec<usize> = group.clone().map(length).collect();
        let all = self.ranks.exchange(group.clone(), out.bytes(), &lengths);
        let mut incoming = Incoming::new(&all);
        let mut found = [a, b];
        for rank in group.clone() {
            for (found, is_told) in found.iter_mut().zip(is_end(rank)) {
                if is_told {
                    *found = Some(V::Found::take(&mut incoming));
                }
            }
            for place in places(rank) {
                V::CHANGED.take(section, *place as usize - start, &mut incoming);
            }
        }
        found.map(Option::unwrap_or_default)
    }
}

impl Border {
    /// Bodies in the contacts of a node, whose ranks have the places `own`.
    fn of(node: &Node, contacts: &Contacts, own: &[Range<usize>]) -> Self {
        let points = contacts.batches[node.points.own..node.points.all.end].iter().map(|batch| &batch.bodies);
        let patches = contacts.patches[node.patches.own..node.patches.all.end].iter();
        let nobody = node.places.len() - 1;
        let bodies = points.chain(patches.map(|batch| &batch.bodies)).flatten().flatten();
        let mut places: Vec<u32> = bodies
            .filter(|place| **place as usize != nobody)
            .map(|place| node.places.start as u32 + place)
            .collect();
        places.sort_unstable();
        places.dedup();
        let below = |end: usize| places.partition_point(|place| (*place as usize) < end);
        let of_rank = own.iter().map(|own| below(own.start)..below(own.end)).collect();
        Self { places, of_rank }
    }
}

/// Nodes at a depth, or leaves above it, in the order of their places.
fn parts_at(nodes: &[Node], i: usize, depth: usize, parts: &mut Vec<usize>) {
    match nodes[i].halves {
        Some(halves) if depth > 0 => halves.into_iter().for_each(|i| parts_at(nodes, i, depth - 1, parts)),
        _ => parts.push(i),
    }
}

/// Gives each part at a depth to a rank, in their order; returns them with the work of the busiest rank over
/// the mean. None where some rank would have none.
fn divide(nodes: &[Node], depth: usize, size: usize) -> Option<(Vec<(usize, usize)>, f64)> {
    let mut parts = Vec::new();
    parts_at(nodes, nodes.len() - 1, depth, &mut parts);
    let work = |i: &usize| {
        let node = &nodes[*i];
        let (points, patches) = (node.points.all.len(), node.patches.all.len());
        node.places.len() as f64 + POINT_WEIGHT * points as f64 + PATCH_WEIGHT * patches as f64
    };
    let all: f64 = parts.iter().map(work).sum();
    let (mut rank, mut given, mut mine, mut most) = (0, 0.0, 0.0, 0.0_f64);
    let mut found: Vec<(usize, usize)> = Vec::with_capacity(parts.len());
    for (k, part) in parts.iter().enumerate() {
        let (left, work) = (parts.len() - k, work(part));
        let is_full = mine > 0.0 && given + 0.5 * work > all * (rank + 1) as f64 / size as f64;
        // Every rank gets a part.
        if rank + 1 < size && (is_full || (mine > 0.0 && left < size - rank)) {
            (rank, mine) = (rank + 1, 0.0);
        }
        (given, mine) = (given + work, mine + work);
        most = most.max(mine);
        found.push((*part, rank));
    }
    (rank + 1 == size).then_some((found, most * size as f64 / all))
}

/// Gives a node and all below it to a rank.
fn give(nodes: &[Node], i: usize, rank: usize, groups: &mut [Range<usize>]) {
    groups[i] = rank..rank + 1;
    nodes[i].halves.into_iter().flatten().for_each(|half| give(nodes, half, rank, groups));
}
