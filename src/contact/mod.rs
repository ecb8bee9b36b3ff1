//! Which bodies are near each other, and what is remembered of each pair from step to step.

pub mod atom;
pub mod body_model;
pub mod boxes;
pub mod broad_phase;
pub mod features;
mod hand_over;
pub mod islands;
pub mod moved_body;
pub mod near_pairs;
pub mod nearest_part;
pub mod outline;
pub mod pair;
pub mod parts;
pub mod patch;
pub mod round_axis;
pub mod round_patch;
pub mod separating_axis;
pub mod swept;
pub mod touching;

pub use atom::{Atom, Placed};
pub use body_model::BodyModel;
pub use broad_phase::BroadPhase;
pub use islands::Islands;
pub use moved_body::MovedBody;
pub use near_pairs::NearPairs;
pub use pair::{Pair, PairGeometry};
pub use patch::FeatureSearch;
pub use touching::Touch;
