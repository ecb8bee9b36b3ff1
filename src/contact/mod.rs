//! Which bodies are near each other, and what is remembered of each pair from step to step.

pub mod activation;
pub mod axis;
pub mod body_model;
pub mod broad_phase;
pub mod clipping;
pub mod facing;
pub mod feature;
pub mod feature_pair;
pub mod feature_query;
pub mod feature_search;
pub mod islands;
pub mod manifold;
pub mod near_pairs;
pub mod pair;
pub mod part_model;
pub mod placed;
pub mod point;
pub mod rim_tilt;
pub mod shared_edge;
pub mod single_point;
pub mod sweep;
pub mod tolerances;
pub mod touching;
pub mod union_normal;
pub mod way_out;

pub use activation::CheckLevel;
pub use body_model::{BodyModel, Models};
pub use broad_phase::BroadPhase;
pub use feature_search::FeatureSearch;
pub use islands::Islands;
pub use near_pairs::NearPairs;
pub use pair::geometry::PairGeometry;
pub use pair::{Pair, PointLoads};
pub use part_model::MovedPart;
pub use placed::Placed;
pub use point::ContactPoint;
