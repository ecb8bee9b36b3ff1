//! Scenes at which a contact formulation stumbles: forty variants of each class, drawn at random. Every step
//! of every variant must be solved and green, or be told as having no solution, soon.

mod bores;
mod curved;
mod digits;
mod flush;
mod grain;
mod heavy;
mod hostile_files;
mod hulls;
mod lenses;
mod phases;
mod rounding;
mod sizes;
mod spins;
mod starts;
mod stops;
mod thin;
mod turns;
mod variants;
mod vices;
