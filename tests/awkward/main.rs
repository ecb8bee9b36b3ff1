//! Geometry at which a contact formulation stumbles: forty variants of each class, drawn at random. Every
//! step of every variant must be solved and green.

mod digits;
mod flush;
mod grain;
mod hulls;
mod lenses;
mod starts;
mod variants;
