//! Scenes without a known answer, of which the promise must hold all the same: every step solved to its
//! tolerance and green, momentum kept, no energy created, no body inside another.

mod accuracy;
mod anything;
mod chain;
mod derivatives;
mod driven_derivatives;
mod flat;
mod impact_derivatives;
mod jointed_scenes;
mod knots;
mod mixed_shapes;
mod mortar;
mod no_solution;
mod pile_claims;
mod piles;
mod presses;
mod properties;
mod random_scenes;
mod rings;
mod rolling_collision;
mod rough;
mod thin_plate;
mod track;
