//! Where bodies and contacts lie: bodies along a Morton curve, contacts in batches of eight that share no
//! body.

use crate::batch::{Batch, Frame, MOVES, Seen};
use crate::sections::{Contacts, Node, tree};
use crate::simd::WIDTH;
use std::ops::Range;

/// Bits of each coordinate in a Morton code.
const MORTON_BITS: u32 = 21;

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
    /// Batch and lane of each contact, as batch · 8 + lane.
    pub slot: Vec<u32>,
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
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

impl Layout {
    /// Places bodies in an order, without contacts.
    pub fn place_bodies(&mut self, order: &[u32]) {
        self.nodes = tree(order.len());
        self.place.clear();
        self.place.resize(order.len(), 0);
        let mut next = order.iter();
        for leaf in self.nodes.iter().filter(|node| node.halves.is_none()) {
            let places = leaf.places.start..leaf.places.end - 1;
            for (place, body) in places.zip(&mut next) {
                self.place[*body as usize] = place as u32;
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

    /// Gives each contact a batch and a lane: by node, then by its bodies' places.
    pub fn place_contacts(&mut self, sides: &[[Side; 2]], contacts: &mut Contacts) {
        let mut order: Vec<(u32, u64, u32)> = Vec::with_capacity(sides.len());
        for (sides, c) in sides.iter().zip(0..) {
            let place = sides.map(|side| match side {
                Side::Moving(i) => Some(self.place[i as usize]),
                Side::Given(_) => None,
            });
            let [a, b] = [place[0].or(place[1]), place[1].or(place[0])].map(Option::unwrap_or_default);
            // Contacts with given bodies come after those with others.
            let last = place.iter().any(Option::is_none);
            let key = u64::from(a.min(b)) << 32 | u64::from(last) << 31 | u64::from(a.max(b));
            order.push((self.node_of([a, b]) as u32, key, c));
        }
        order.sort_unstable();
        self.slot.clear();
        self.slot.resize(sides.len(), 0);
        contacts.batches.clear();
        contacts.frames.clear();
        let mut filling = Filling { next: vec![0; self.n_places()], fill: Vec::new() };
        let mut from = 0;
        for i in 0..self.nodes.len() {
            let to = from + order[from..].iter().take_while(|contact| contact.0 as usize == i).count();
            self.fill_node(i, &order[from..to], sides, (contacts, &mut filling));
            from = to;
        }
        contacts.seen.clear();
        contacts.seen.resize(contacts.batches.len(), Seen::default());
        contacts.hot.clear();
        contacts.hot.resize(contacts.batches.len(), false);
    }

    /// Fills the batches of a node: each contact goes to the first batch with room after those of its bodies.
    fn fill_node(
        &mut self,
        i: usize,
        order: &[(u32, u64, u32)],
        sides: &[[Side; 2]],
        (contacts, filling): (&mut Contacts, &mut Filling),
    ) {
        let own = contacts.batches.len();
        let places = self.nodes[i].places.clone();
        let nobody = (places.len() - 1) as u32;
        filling.begin(places.clone());
        for (_, _, c) in order {
            let [a, b] = sides[*c as usize].map(|side| match side {
                Side::Moving(i) => Some(self.place[i as usize]),
                Side::Given(_) => None,
            });
            let (batch, lane) = filling.slot([a, b]);
            while own + batch >= contacts.batches.len() {
                contacts.batches.push(Batch::empty(nobody));
                contacts.frames.push(Frame::EMPTY);
            }
            let (rows, frame) = (&mut contacts.batches[own + batch], &mut contacts.frames[own + batch]);
            for (side, place) in [a, b].into_iter().enumerate() {
                rows.bodies[side][lane] = place.map_or(nobody, |place| place - places.start as u32);
                frame.given[side][lane] = match sides[*c as usize][side] {
                    Side::Moving(_) => MOVES,
                    Side::Given(given) => given,
                };
            }
            frame.is_plane[lane] = 0.0;
            self.slot[*c as usize] = ((own + batch) * WIDTH + lane) as u32;
        }
        let start = self.nodes[i].halves.map_or(own, |[left, _]| self.nodes[left].batches.start);
        let node = &mut self.nodes[i];
        (node.own, node.batches) = (own, start..contacts.batches.len());
    }
}

/// Batches of a node while they are filled.
struct Filling {
    /// By place: the first batch that a body is not in, nor in any later one.
    next: Vec<u32>,
    /// Number of contacts in each batch.
    fill: Vec<u8>,
}

impl Filling {
    fn begin(&mut self, places: Range<usize>) {
        self.next[places].fill(0);
        self.fill.clear();
    }

    /// Batch and lane of the next contact between two places.
    fn slot(&mut self, places: [Option<u32>; 2]) -> (usize, usize) {
        let moving = || places.into_iter().flatten().map(|place| place as usize);
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
