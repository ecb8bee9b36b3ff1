//! Pairs of polytopes: contact points with names in one frame, friction at the equivalent contact point.

pub mod apart;
pub mod axis;
pub mod batch;
pub mod check;
pub mod found;
pub mod manifold;
pub mod open;
pub mod pose;
pub mod response;
pub mod solid;
pub mod sweep;
pub mod turn;
