//! Circles of a directed graph.

use std::collections::{BTreeMap, BTreeSet};

/// The groups of at least two nodes that all reach one another (Tarjan's strongly connected components).
pub fn circles(edges: &BTreeSet<(usize, usize)>) -> Vec<BTreeSet<usize>> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(*from).or_default().push(*to);
    }
    let mut search =
        Search { next: &next, order: BTreeMap::new(), lowest: BTreeMap::new(), stack: vec![], found: vec![] };
    for node in next.keys() {
        if !search.order.contains_key(node) {
            search.visit(*node);
        }
    }
    search.found
}

struct Search<'a> {
    next: &'a BTreeMap<usize, Vec<usize>>,
    order: BTreeMap<usize, usize>,
    lowest: BTreeMap<usize, usize>,
    stack: Vec<usize>,
    found: Vec<BTreeSet<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, node: usize) {
        let mut lowest = self.order.len();
        self.order.insert(node, lowest);
        self.stack.push(node);
        for to in self.next.get(&node).into_iter().flatten() {
            if !self.order.contains_key(to) {
                self.visit(*to);
                lowest = lowest.min(self.lowest[to]);
            } else if self.stack.contains(to) {
                lowest = lowest.min(self.order[to]);
            }
        }
        self.lowest.insert(node, lowest);
        if lowest == self.order[&node] {
            let at = self.stack.iter().rposition(|n| *n == node).expect("it was pushed");
            let group: BTreeSet<usize> = self.stack.drain(at..).collect();
            if group.len() > 1 {
                self.found.push(group);
            }
        }
    }
}

#[test]
fn circles_are_found() {
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 4), (6, 6), (7, 0)].into();
    assert_eq!(circles(&edges), [BTreeSet::from([4, 5]), BTreeSet::from([0, 1, 2])]);
    assert!(circles(&[(0, 1), (0, 2), (1, 3), (2, 3)].into()).is_empty(), "a diamond is no circle");
}
