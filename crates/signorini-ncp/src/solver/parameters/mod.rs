//! All numbers of the solver, each with its meaning, unit and reason.
//!
//! | module | numbers of |
//! |---|---|
//! | [`strategy`] | the order of methods, budgets, refinement, restarts, ADMM |
//! | [`sweeps`] | projected Gauss–Seidel sweeps |
//! | [`proximal`] | proximal Newton method, active sets, infeasibility certificate |
//! | [`central_path`] | start and back-off of a homotopy, the path by its length |
//! | [`interior_point`] | predictor–corrector steps along the path |
//! | [`linear_system`] | factors, GMRES, precision |
//! | [`sensitivity`] | derivatives of solutions |
//! | [`work`] | work of the pieces of a solve |
//! | [`baselines`] | Lemke's method, APGD, primal Newton method, polygon of friction |
//!
//! A residual or a tolerance is a number without unit, relative to the impulse that acts on a body (theory
//! §5.4). ρ is a number without unit: the proximal term of a row has the factor ρ r. A name that ends in
//! `BELOW` or `ABOVE` and a quantity is a limit of that quantity; `MAX_` and `MIN_` bound a count or a value.

pub mod baselines;
pub mod central_path;
pub mod interior_point;
pub mod linear_system;
pub mod proximal;
pub mod sensitivity;
pub mod strategy;
pub mod sweeps;
pub mod work;
