//! The data that the next step of a model depends on besides scene and state, as plain data.

use crate::contact::Pair;
use crate::stepper::joints::JointMemory;
use serde::{Deserialize, Serialize};
use signorini_ncp::solver::SolverMemory;

/// The memory of a model. Bodies and joints are named by their places in the scene.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Near pairs with their contact points, impulses and data of the staggered integrator.
    pub pairs: Vec<Box<Pair>>,
    /// Joints with their impulses.
    pub joints: Vec<JointMemory>,
    /// Whole turns of the angle of each joint, counted of joints that are coupled.
    #[serde(default)]
    pub turns: Vec<i64>,
    /// Damage of the mortar of each joint.
    #[serde(default)]
    pub damage: Vec<f64>,
    /// Number of steps before the next one that were not solved, without a solved one between.
    #[serde(default)]
    pub n_unsolved: u32,
    /// Length of the last step (s) under the staggered integrator.
    pub last_step: Option<f64>,
    /// Solvers of islands, in their order.
    pub islands: Vec<IslandMemory>,
    /// Memories of the models of which another model chooses one.
    pub models: Vec<Memory>,
    /// Data of a model with a memory of its own kind.
    pub own: serde_json::Value,
}

/// The solver of an island.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IslandMemory {
    /// First body of the island that the solver solved last.
    pub first_body: Option<usize>,
    /// The solver.
    pub solver: SolverMemory,
}

impl Memory {
    /// Whether all bodies and joints that the memory names exist in a scene with so many.
    pub fn is_of(&self, n_bodies: usize, n_joints: usize) -> bool {
        self.pairs.iter().all(|pair| pair.body_a < n_bodies && pair.body_b < n_bodies)
            && self.joints.iter().all(|mine| mine.joint < n_joints)
            && self.turns.len() <= n_joints
            && self.damage.len() <= n_joints
            && self.models.iter().all(|memory| memory.is_of(n_bodies, n_joints))
    }

    /// Returns the memory after the body at place `body` has left the scene. `joint` gives the new places of
    /// joints.
    pub fn without(mut self, body: usize, joint: &impl Fn(usize) -> Option<usize>) -> Self {
        let place = |id: usize| (id != body).then(|| id - usize::from(id > body));
        self.pairs.retain_mut(|pair| match (place(pair.body_a), place(pair.body_b)) {
            (Some(a), Some(b)) => {
                (pair.body_a, pair.body_b) = (a, b);
                true
            }
            _ => false,
        });
        self.joints.retain_mut(|mine| joint(mine.joint).map(|new| mine.joint = new).is_some());
        let mut at = 0..;
        self.turns.retain(|_| at.next().and_then(joint).is_some());
        let mut at = 0..;
        self.damage.retain(|_| at.next().and_then(joint).is_some());
        for island in &mut self.islands {
            island.first_body = island.first_body.and_then(place);
        }
        self.models = self.models.into_iter().map(|memory| memory.without(body, joint)).collect();
        // Data of a model's own kind name bodies in their own way.
        self.own = serde_json::Value::Null;
        self
    }

    /// Forgets the contacts of a body that was moved to another place: they are met for the first time.
    pub fn forget_contacts_of(&mut self, body: usize) {
        self.pairs.retain(|pair| pair.body_a != body && pair.body_b != body);
        self.models.iter_mut().for_each(|memory| memory.forget_contacts_of(body));
    }
}
