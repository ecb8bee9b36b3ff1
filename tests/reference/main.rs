//! The papers' reference system, and the production formulation against it.

mod agreement;
mod literal;
mod literal_facets;
