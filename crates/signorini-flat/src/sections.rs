//! The tree of sections: each leaf holds bodies that lie together and the contacts among them, each inner
//! node the contacts between its two halves. Halves run at once; an inner node's contacts come after those
//! of its halves. The tree follows from the pile alone, so that any number of threads computes the same
//! bits.

use crate::batch::{Batch, Frame, Seen};
use crate::bodies::{Direction, End, OfHeight, PlacedBody, Six, SweptBody};
use crate::holding::Holding;
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen};
use crate::rolling::Rolling;
use crate::simd::WIDTH;
use std::ops::Range;

/// A section of bodies and the contacts that belong to it.
#[derive(Debug, Clone)]
pub struct Node {
    /// Both halves; none for a leaf.
    pub halves: Option<[usize; 2]>,
    /// Places of its bodies; the last of each leaf is nobody's.
    pub places: Range<usize>,
    /// Batches of single contact points.
    pub points: Batches,
    /// Batches of pairs of polytopes.
    pub patches: Batches,
}

/// Batches of a node and all below it.
#[derive(Debug, Clone, Default)]
pub struct Batches {
    /// All; the node's own are the last ones.
    pub all: Range<usize>,
    /// The first of the node's own.
    pub own: usize,
}

impl Batches {
    /// Number of batches below the node.
    fn below(&self) -> usize {
        self.own - self.all.start
    }
}

/// Mass (kg) and inertia in world axes (kg m²).
pub type Mass = (f64, [f64; 6]);

/// Arrays by the place of a body.
#[derive(Debug, Default)]
pub struct Bodies {
    /// Bodies as sweeps see them.
    pub swept: Vec<SweptBody>,
    /// Bodies as turns see them.
    pub placed: Vec<PlacedBody>,
    /// Velocities from which sweeps count changes.
    pub base: Vec<Six>,
    /// Those before the last turn.
    pub previous: Vec<Six>,
    /// Velocities without contact impulses.
    pub free: Vec<Six>,
    /// Sums of impulses and moments.
    pub sums: Vec<Six>,
    /// Search directions.
    pub directions: Vec<Direction>,
    /// Impulse without contacts that is a body's unit (N s).
    pub acting: Vec<f64>,
    /// Mass and inertia in world axes.
    pub masses: Vec<Mass>,
    /// Unit of each body's residual (N s).
    pub units: Vec<f64>,
    /// Mass that each body carries (kg).
    pub carried: Vec<f64>,
    /// Ellipsoids or poses at the end of the step.
    pub ends: Vec<End>,
    /// Bodies among the hats of the height.
    pub heights: Vec<OfHeight>,
    /// Motors that hold the speed of bodies; none where no body has one.
    pub holds: Vec<Holding>,
}

/// Arrays by batch of eight contacts.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Rows.
    pub batches: Vec<Batch>,
    /// Data that turns and the check need beside the rows.
    pub frames: Vec<Frame>,
    /// Geometry at the last check.
    pub seen: Vec<Seen>,
    /// Rolling rows; none where no contact resists rolling.
    pub rolling: Vec<Rolling>,
    /// Rows of pairs of polytopes.
    pub patches: Vec<PatchBatch>,
    /// Data of these pairs that turns and the check need.
    pub lanes: Vec<[PatchLane; WIDTH]>,
    /// These pairs at the last check.
    pub seen_patches: Vec<[PatchSeen; WIDTH]>,
}

/// A section of all arrays.
pub struct Section<'a> {
    /// Bodies as sweeps see them.
    pub swept: &'a mut [SweptBody],
    /// Bodies as turns see them.
    pub placed: &'a mut [PlacedBody],
    /// Velocities from which sweeps count changes.
    pub base: &'a mut [Six],
    /// Those before the last turn.
    pub previous: &'a mut [Six],
    /// Velocities without contact impulses.
    pub free: &'a [Six],
    /// Sums of impulses and moments.
    pub sums: &'a mut [Six],
    /// Search directions of the bodies.
    pub directions: &'a mut [Direction],
    /// Impulse of the loads on each body (N s).
    pub acting: &'a [f64],
    /// Mass and inertia of each body.
    pub masses: &'a [Mass],
    /// Unit of each body's residual (N s).
    pub units: &'a mut [f64],
    /// Mass that each body carries (kg).
    pub carried: &'a mut [f64],
    /// Ellipsoids or poses at the end of the step.
    pub ends: &'a [End],
    /// Bodies among the hats of the height.
    pub heights: &'a mut [OfHeight],
    /// Motors that hold the speed of the bodies; none where no body has one.
    pub holds: &'a mut [Holding],
    /// Rows of the contacts.
    pub batches: &'a mut [Batch],
    /// Data that turns and the check need beside the rows.
    pub frames: &'a mut [Frame],
    /// Geometry at the last check.
    pub seen: &'a mut [Seen],
    /// Rolling rows of the contacts; none where none resists rolling.
    pub rolling: &'a mut [Rolling],
    /// Rows of pairs of polytopes.
    pub patches: &'a mut [PatchBatch],
    /// Data of these pairs that turns and the check need.
    pub lanes: &'a mut [[PatchLane; WIDTH]],
    /// These pairs at the last check.
    pub seen_patches: &'a mut [[PatchSeen; WIDTH]],
}

impl<'a> Section<'a> {
    /// All bodies and contacts.
    pub fn whole(bodies: &'a mut Bodies, contacts: &'a mut Contacts) -> Self {
        Self {
            swept: &mut bodies.swept,
            placed: &mut bodies.placed,
            base: &mut bodies.base,
            previous: &mut bodies.previous,
            free: &bodies.free,
            sums: &mut bodies.sums,
            directions: &mut bodies.directions,
            acting: &bodies.acting,
            masses: &bodies.masses,
            units: &mut bodies.units,
            carried: &mut bodies.carried,
            ends: &bodies.ends,
            heights: &mut bodies.heights,
            holds: &mut bodies.holds,
            batches: &mut contacts.batches,
            frames: &mut contacts.frames,
            seen: &mut contacts.seen,
            rolling: &mut contacts.rolling,
            patches: &mut contacts.patches,
            lanes: &mut contacts.lanes,
            seen_patches: &mut contacts.seen_patches,
        }
    }

    /// The section again, for a while.
    pub fn again(&mut self) -> Section<'_> {
        Section {
            swept: self.swept,
            placed: self.placed,
            base: self.base,
            previous: self.previous,
            free: self.free,
            sums: self.sums,
            directions: self.directions,
            acting: self.acting,
            masses: self.masses,
            units: self.units,
            carried: self.carried,
            ends: self.ends,
            heights: self.heights,
            holds: self.holds,
            batches: self.batches,
            frames: self.frames,
            seen: self.seen,
            rolling: self.rolling,
            patches: self.patches,
            lanes: self.lanes,
            seen_patches: self.seen_patches,
        }
    }

    /// Both halves of the section of a node.
    pub fn halves(self, nodes: &[Node], [left, right]: [usize; 2]) -> [Section<'a>; 2] {
        let [left, right] = [&nodes[left], &nodes[right]];
        let [points, patches] = [left.points.all.len(), left.patches.all.len()];
        let below = [points + right.points.all.len(), patches + right.patches.all.len()];
        let places = left.places.len() + right.places.len();
        let [both, _] = self.split(places, below);
        both.split(left.places.len(), [points, patches])
    }

    /// All bodies of the section of a node, with the node's own contacts.
    pub fn own(self, node: &Node) -> Section<'a> {
        let [_, own] = self.split(0, [node.points.below(), node.patches.below()]);
        own
    }

    /// The first places with the first batches of both kinds, and the others.
    fn split(self, places: usize, [batches, patches]: [usize; 2]) -> [Section<'a>; 2] {
        let swept = self.swept.split_at_mut(places);
        let placed = self.placed.split_at_mut(places);
        let base = self.base.split_at_mut(places);
        let previous = self.previous.split_at_mut(places);
        let free = self.free.split_at(places);
        let sums = self.sums.split_at_mut(places);
        let directions = self.directions.split_at_mut(places);
        let acting = self.acting.split_at(places);
        let masses = self.masses.split_at(places);
        let units = self.units.split_at_mut(places);
        let carried = self.carried.split_at_mut(places);
        let ends = self.ends.split_at(places);
        let heights = self.heights.split_at_mut(places);
        let holds = self.holds.split_at_mut(places.min(self.holds.len()));
        let rows = self.batches.split_at_mut(batches);
        let frames = self.frames.split_at_mut(batches);
        let seen = self.seen.split_at_mut(batches);
        let rolling = self.rolling.split_at_mut(batches.min(self.rolling.len()));
        let of_patches = self.patches.split_at_mut(patches);
        let lanes = self.lanes.split_at_mut(patches);
        let seen_patches = self.seen_patches.split_at_mut(patches);
        let first = Section {
            swept: swept.0,
            placed: placed.0,
            base: base.0,
            previous: previous.0,
            free: free.0,
            sums: sums.0,
            directions: directions.0,
            acting: acting.0,
            masses: masses.0,
            units: units.0,
            carried: carried.0,
            ends: ends.0,
            heights: heights.0,
            holds: holds.0,
            batches: rows.0,
            frames: frames.0,
            seen: seen.0,
            rolling: rolling.0,
            patches: of_patches.0,
            lanes: lanes.0,
            seen_patches: seen_patches.0,
        };
        let second = Section {
            swept: swept.1,
            placed: placed.1,
            base: base.1,
            previous: previous.1,
            free: free.1,
            sums: sums.1,
            directions: directions.1,
            acting: acting.1,
            masses: masses.1,
            units: units.1,
            carried: carried.1,
            ends: ends.1,
            heights: heights.1,
            holds: holds.1,
            batches: rows.1,
            frames: frames.1,
            seen: seen.1,
            rolling: rolling.1,
            patches: of_patches.1,
            lanes: lanes.1,
            seen_patches: seen_patches.1,
        };
        [first, second]
    }
}

/// Nodes of a tree over `n` bodies in their order, children before their parents, without batches. Leaves
/// have at most `leaf` bodies, and a place more than bodies.
pub fn tree(n: usize, leaf: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    grow(0..n, leaf, &mut nodes);
    nodes
}

/// Adds the nodes of some bodies; returns the last one's index. Places count the leaves before them, too.
fn grow(bodies: Range<usize>, leaf: usize, nodes: &mut Vec<Node>) -> usize {
    let halves = (bodies.len() > leaf).then(|| {
        let middle = bodies.start + bodies.len() / 2;
        [grow(bodies.start..middle, leaf, nodes), grow(middle..bodies.end, leaf, nodes)]
    });
    let places = match halves {
        Some([left, right]) => nodes[left].places.start..nodes[right].places.end,
        None => {
            let start =
                nodes.iter().rev().find(|node| node.halves.is_none()).map_or(0, |leaf| leaf.places.end);
            start..start + bodies.len() + 1
        }
    };
    nodes.push(Node { halves, places, points: Batches::default(), patches: Batches::default() });
    nodes.len() - 1
}
