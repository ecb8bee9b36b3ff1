//! Scenes at which a contact formulation stumbles: forty variants of each class, drawn at random. Every step
//! of every variant must be solved and green, or be told as having no solution, soon.

mod curved;
mod digits;
mod flush;
mod grain;
mod hulls;
mod lenses;
mod spins;
mod starts;
mod variants;
mod vices;
