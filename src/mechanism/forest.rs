//! The forest of a mechanism: which joint holds which body.

use signorini_scene::scene::{JointKind, Scene};

/// How a body that joints connect is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Holder {
    /// It is fixed or driven.
    Ground,
    /// It is the first of a tree that is not on the ground.
    Nothing,
    /// A joint holds it to another body, which has its place already.
    Joint {
        /// Place of the joint in the scene.
        joint: usize,
        /// The other body.
        parent: usize,
        /// Whether the body is B of the joint.
        is_b: bool,
    },
}

/// Entries of q and q̇ of a free body or a joint.
#[derive(Debug, Clone, Copy)]
pub struct Entries {
    /// The first entry of q.
    pub q: usize,
    /// The first entry of q̇.
    pub rate: usize,
}

/// Bodies with their holders, and the places of their coordinates.
#[derive(Debug, Default)]
pub struct Forest {
    /// Bodies that joints connect, each behind the one that holds it.
    pub order: Vec<(usize, Holder)>,
    /// Free first bodies of trees, with their entries.
    pub free: Vec<(usize, Entries)>,
    /// Joints of the forest, with their entries.
    pub joints: Vec<(usize, Entries)>,
    /// Joints that close loops.
    pub loops: Vec<usize>,
    /// Of each body, the place of its holder among the free bodies or the joints: see [`Forest::ways_of`].
    holders: Vec<Option<Holder>>,
    pub n_coordinates: usize,
    pub n_rates: usize,
}

/// Numbers of entries of q and q̇ of a free body.
const FREE: [usize; 2] = [7, 6];

impl Forest {
    pub fn of(scene: &Scene) -> Self {
        let n = scene.bodies.len();
        let mut forest = Self { holders: vec![None; n], ..Self::default() };
        let branches = forest.choose_branches(scene);
        let mut is_joined = vec![false; n];
        scene.joints.iter().flat_map(|joint| joint.bodies).for_each(|body| is_joined[body] = true);
        let mut neighbours = vec![Vec::new(); n];
        for &joint in &branches {
            let [a, b] = scene.joints[joint].bodies;
            neighbours[a].push((joint, b, true));
            neighbours[b].push((joint, a, false));
        }
        let joined: Vec<usize> = (0..n).filter(|body| is_joined[*body]).collect();
        let ground = joined.iter().filter(|body| scene.bodies[**body].fixed);
        forest.grow(ground.map(|body| (*body, Holder::Ground)).collect(), &neighbours);
        for body in joined {
            if forest.holders[body].is_none() {
                let entries = forest.take(FREE);
                forest.free.push((body, entries));
                forest.grow(vec![(body, Holder::Nothing)], &neighbours);
            }
        }
        for joint in branches {
            let entries = forest.take(counts(scene.joints[joint].kind));
            forest.joints.push((joint, entries));
        }
        forest
    }

    /// Joints of which each connects two bodies that those before it do not; the others close loops.
    fn choose_branches(&mut self, scene: &Scene) -> Vec<usize> {
        // One node for the whole ground.
        let ground = scene.bodies.len();
        let mut leader: Vec<usize> = (0..=ground).collect();
        let mut branches = Vec::new();
        for (place, joint) in scene.joints.iter().enumerate() {
            let [a, b] = joint.bodies.map(|body| {
                let node = if scene.bodies[body].fixed { ground } else { body };
                first(&mut leader, node)
            });
            if a == b || matches!(joint.kind, JointKind::Distance | JointKind::Mortar) {
                self.loops.push(place);
            } else {
                leader[a] = b;
                branches.push(place);
            }
        }
        branches
    }

    /// Adds bodies, and all that branches connect with them.
    fn grow(&mut self, start: Vec<(usize, Holder)>, neighbours: &[Vec<(usize, usize, bool)>]) {
        let mut next = self.order.len();
        for (body, holder) in start {
            self.holders[body] = Some(holder);
            self.order.push((body, holder));
        }
        while let Some((parent, _)) = self.order.get(next).copied() {
            next += 1;
            for &(joint, body, is_b) in &neighbours[parent] {
                if self.holders[body].is_none() {
                    let holder = Holder::Joint { joint, parent, is_b };
                    self.holders[body] = Some(holder);
                    self.order.push((body, holder));
                }
            }
        }
    }

    fn take(&mut self, [n_coordinates, n_rates]: [usize; 2]) -> Entries {
        let entries = Entries { q: self.n_coordinates, rate: self.n_rates };
        self.n_coordinates += n_coordinates;
        self.n_rates += n_rates;
        entries
    }

    /// How a body is held; None of a body that no joint connects.
    pub fn holder(&self, body: usize) -> Option<Holder> {
        self.holders[body]
    }

    /// The entries of a joint of the forest.
    pub fn entries_of(&self, joint: usize) -> Option<Entries> {
        let place = self.joints.binary_search_by_key(&joint, |(joint, _)| *joint).ok()?;
        Some(self.joints[place].1)
    }

    /// The entries of a free first body.
    pub fn entries_of_free(&self, body: usize) -> Option<Entries> {
        self.free.iter().find(|(free, _)| *free == body).map(|(_, entries)| *entries)
    }
}

/// The node that stands for all that are connected with this one.
fn first(leader: &mut [usize], mut node: usize) -> usize {
    while leader[node] != node {
        leader[node] = leader[leader[node]];
        node = leader[node];
    }
    node
}

/// Numbers of entries of q and q̇ of a joint.
pub fn counts(kind: JointKind) -> [usize; 2] {
    match kind {
        JointKind::Fixed | JointKind::Distance | JointKind::Mortar => [0, 0],
        JointKind::Revolute | JointKind::Prismatic => [1, 1],
        JointKind::Cylindrical | JointKind::Universal => [2, 2],
        JointKind::Planar => [3, 3],
        JointKind::Ball => [4, 3],
    }
}
