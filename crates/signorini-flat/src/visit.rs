//! A pass over all sections.

use crate::sections::{Node, Section};
use crate::sent::{Changed, Sent};

/// A pass over all sections.
pub trait Visit: Sync {
    /// Result of the pass on a section.
    type Found: Send + Default + Sent;
    /// Numbers of bodies that its contacts read, and change.
    const CHANGED: Changed;
    /// Bodies of a leaf, before its contacts.
    fn bodies(&self, _section: &mut Section<'_>) -> Self::Found {
        Self::Found::default()
    }
    /// Contacts of a node; `section` holds all bodies below it.
    fn contacts(&self, _section: &mut Section<'_>) -> Self::Found {
        Self::Found::default()
    }
    /// Joins two results, in the order of the tree.
    fn join(&self, a: Self::Found, b: Self::Found) -> Self::Found;
}

/// Runs a pass on node `i` and all below it.
pub fn visit<V: Visit>(nodes: &[Node], i: usize, mut section: Section<'_>, visitor: &V) -> V::Found {
    let node = &nodes[i];
    let Some(halves) = node.halves else {
        let bodies = visitor.bodies(&mut section);
        return visitor.join(bodies, visitor.contacts(&mut section));
    };
    let [a, b] = section.again().halves(nodes, halves);
    let [left, right] = halves;
    let (a, b) = rayon::join(|| visit(nodes, left, a, visitor), || visit(nodes, right, b, visitor));
    visitor.join(visitor.join(a, b), visitor.contacts(&mut section.own(node)))
}
