//! Where bodies and contacts lie: bodies along a Morton curve, contacts in batches of eight that share no
//! body.

use crate::batch::MOVES;
use crate::parameters::LOADED_TOGETHER;
use crate::sections::{Batches, Node, tree};
use crate::shares::Shares;
use crate::simd::WIDTH;
use rayon::prelude::*;
use std::ops::Range;

/// Bits of each coordinate in a Morton code.
const MORTON_BITS: u32 = 21;

/// A place without a body.
pub const NOBODY: u32 = u32::MAX;

/// A side of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A body that impulses move, by its index.
    Moving(u32),
    /// A body whose motion is given, by its index among those.
    Given(u32),
}

/// Places of bodies and contacts.
#[derive(Debug, Default)]
pub struct Layout {
    /// The tree of sections.
    pub nodes: Vec<Node>,
    /// Place of each body.
    pub place: Vec<u32>,
    /// Body at each place, or [`NOBODY`].
    pub body_at: Vec<u32>,
    /// Batch and lane of each contact point, as batch · 8 + lane.
    pub slot: Vec<u32>,
    /// Batch and lane of each pair of polytopes, alike.
    pub patch_slot: Vec<u32>,
    /// Sections of each rank, where ranks share the step.
    pub shares: Option<Shares>,
}

/// Spreads the bits of a coordinate so that two zeros follow each.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

/// Order of points along a Morton curve through the box that holds them.
pub fn morton_order(points: &[[f64; 3]]) -> Vec<u32> {
    let bound = |of: fn(f64, f64) -> f64, from: f64| {
        [0, 1, 2].map(|d: usize| points.iter().fold(from, |bound, p| of(bound, p[d])))
    };
    let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
    let extent = (0..3).map(|d| high[d] - low[d]).fold(f64::MIN_POSITIVE, f64::max);
    let cells = ((1u64 << MORTON_BITS) - 1) as f64;
    let code = |p: &[f64; 3]| {
        let along = |d: usize| spread(((p[d] - low[d]) / extent * cells) as u64) << d;
        along(0) | along(1) | along(2)
    };
    let mut order: Vec<(u64, u32)> = points.iter().zip(0..).map(|(p, i)| (code(p), i)).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

impl Layout {
    /// Places bodies in an order, at most `leaf` in a section that is not divided, without contacts.
    pub fn place_bodies(&mut self, order: &[u32], leaf: usize) {
        self.nodes = tree(order.len(), leaf);
        self.shares = None;
        self.place.clear();
        self.place.resize(order.len(), 0);
        self.body_at.clear();
        self.body_at.resize(self.n_places(), NOBODY);
        let mut next = order.iter();
        for leaf in self.nodes.iter().filter(|node| node.halves.is_none()) {
            let places = leaf.places.start..leaf.places.end - 1;
            for (place, body) in places.zip(&mut next) {
                (self.place[*body as usize], self.body_at[place]) = (place as u32, *body);
            }
        }
    }

    /// Number of places.
    pub fn n_places(&self) -> usize {
        self.nodes.last().map_or(0, |root| root.places.end)
    }

    /// The lowest node that holds both places.
    fn node_of(&self, [a, b]: [u32; 2]) -> usize {
        let mut at = self.nodes.len() - 1;
        while let Some([left, right]) = self.nodes[at].halves {
            let border = self.nodes[left].places.end as u32;
            match (a < border, b < border) {
                (true, true) => at = left,
                (false, false) => at = right,
                _ => break,
            }
        }
        at
    }

    /// Gives each contact of a kind a batch and a lane: by node, class and its bodies' places. Returns what
    /// is in each batch.
    pub fn place_contacts(&mut self, kind: Kind, contacts: &[([Side; 2], u8)]) -> Vec<OfBatch> {
        let keys = contacts.par_iter().enumerate().with_min_len(LOADED_TOGETHER);
        let mut order: Vec<Key> =
            keys.map(|(c, (sides, class))| self.key(*sides, *class, c as u32)).collect();
        order.par_sort_unstable();
        let mut rest = &order[..];
        let of_nodes: Vec<&[Key]> = (0..self.nodes.len())
            .map(|node| {
                let n = rest.partition_point(|key| key.0 as usize <= node);
                let (own, others) = rest.split_at(n);
                rest = others;
                own
            })
            .collect();
        let nodes = self.nodes.par_iter().zip(of_nodes);
        let filled: Vec<Vec<OfBatch>> = nodes.map(|(node, keys)| self.fill(node, keys, contacts)).collect();
        let mut all: Vec<OfBatch> = Vec::with_capacity(filled.iter().map(Vec::len).sum());
        for (i, mut own) in filled.into_iter().enumerate() {
            let first = all.len();
            all.append(&mut own);
            let below = |node: &Node| match kind {
                Kind::Points => node.points.all.start,
                Kind::Patches => node.patches.all.start,
            };
            let start = self.nodes[i].halves.map_or(first, |[left, _]| below(&self.nodes[left]));
            let batches = Batches { all: start..all.len(), own: first };
            match kind {
                Kind::Points => self.nodes[i].points = batches,
                Kind::Patches => self.nodes[i].patches = batches,
            }
        }
        let slots = match kind {
            Kind::Points => &mut self.slot,
            Kind::Patches => &mut self.patch_slot,
        };
        slots.clear();
        slots.resize(contacts.len(), 0);
        for (batch, of) in all.iter().enumerate() {
            for (lane, c) in of.contacts() {
                slots[c] = (batch * WIDTH + lane) as u32;
            }
        }
        all
    }

    /// Where a contact comes.
    fn key(&self, sides: [Side; 2], class: u8, c: u32) -> Key {
        let place = self.places(sides);
        let [a, b] = [place[0].or(place[1]), place[1].or(place[0])].map(Option::unwrap_or_default);
        // Contacts with given bodies come after those with others.
        let last = place.iter().any(Option::is_none);
        let key = u64::from(a.min(b)) << 32 | u64::from(last) << 31 | u64::from(a.max(b));
        (self.node_of([a, b]) as u32, class, key, c)
    }

    /// Batches of the contacts of a node, class by class.
    fn fill(&self, node: &Node, mut keys: &[Key], contacts: &[([Side; 2], u8)]) -> Vec<OfBatch> {
        let nobody = (node.places.len() - 1) as u32;
        let mut filling = Filling::new(node.places.clone());
        let mut all: Vec<OfBatch> = Vec::new();
        while let Some((_, class, ..)) = keys.first() {
            let (own, others) = keys.split_at(keys.partition_point(|key| key.1 <= *class));
            let first = all.len();
            filling.begin();
            for (.., c) in own {
                let (batch, lane) = filling.slot(self.places(contacts[*c as usize].0));
                if first + batch >= all.len() {
                    all.resize(first + batch + 1, OfBatch { nobody, contacts: [NO_CONTACT; WIDTH] });
                }
                all[first + batch].contacts[lane] = *c;
            }
            keys = others;
        }
        all
    }

    /// Places of the moving sides of a contact.
    fn places(&self, sides: [Side; 2]) -> [Option<u32>; 2] {
        sides.map(|side| match side {
            Side::Moving(i) => Some(self.place[i as usize]),
            Side::Given(_) => None,
        })
    }

    /// Place of each side in its section, that of nobody for a given body, and its index among the given.
    pub fn in_section(&self, sides: [Side; 2], nobody: u32) -> [(u32, u32); 2] {
        let places = self.places(sides);
        let [a, b] = [places[0].or(places[1]), places[1].or(places[0])].map(Option::unwrap_or_default);
        let start = self.nodes[self.node_of([a, b])].places.start as u32;
        [0, 1].map(|side: usize| match (places[side], sides[side]) {
            (Some(place), _) => (place - start, MOVES),
            (None, Side::Given(given)) => (nobody, given),
            (None, Side::Moving(_)) => (nobody, MOVES),
        })
    }
}

/// Kind of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A single contact point.
    Points,
    /// A pair of polytopes.
    Patches,
}

/// Node, class, places of the bodies and index of a contact.
type Key = (u32, u8, u64, u32);

/// A lane without a contact.
const NO_CONTACT: u32 = u32::MAX;

/// Contacts of a batch.
#[derive(Debug, Clone, Copy)]
pub struct OfBatch {
    /// Place of nobody in the section.
    pub nobody: u32,
    contacts: [u32; WIDTH],
}

impl OfBatch {
    /// Lane and index of each contact.
    pub fn contacts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = self.contacts.iter().enumerate();
        all.filter(|(_, c)| **c != NO_CONTACT).map(|(lane, c)| (lane, *c as usize))
    }
}

/// Batches of a node while they are filled.
struct Filling {
    /// First place of the node.
    start: usize,
    /// By place: the first batch that a body is not in, nor in any later one.
    next: Vec<u32>,
    /// Number of contacts in each batch.
    fill: Vec<u8>,
}

impl Filling {
    fn new(places: Range<usize>) -> Self {
        Self { start: places.start, next: vec![0; places.len()], fill: Vec::new() }
    }

    fn begin(&mut self) {
        self.next.fill(0);
        self.fill.clear();
    }

    /// Batch and lane of the next contact between two places.
    fn slot(&mut self, places: [Option<u32>; 2]) -> (usize, usize) {
        let start = self.start;
        let moving = || places.into_iter().flatten().map(|place| place as usize - start);
        let first = moving().map(|place| self.next[place]).max().unwrap_or(0) as usize;
        let free = self.fill[first.min(self.fill.len())..].iter().position(|n| usize::from(*n) < WIDTH);
        let batch = free.map_or(self.fill.len().max(first), |free| first + free);
        if batch >= self.fill.len() {
            self.fill.resize(batch + 1, 0);
        }
        let lane = usize::from(self.fill[batch]);
        self.fill[batch] += 1;
        for place in moving() {
            self.next[place] = batch as u32 + 1;
        }
        (batch, lane)
    }
}
