//! Motions with a known answer: the papers' figures, closed forms, statics, equations of motion integrated by
//! another method. None of the answers comes from the solver.

mod arches;
mod belts;
mod bores;
mod bowl;
mod cohesion;
mod compounds;
mod convergence;
mod derivatives;
mod driven_derivatives;
mod elsewhere;
mod flat_scenes;
mod free_motion;
mod impact_derivatives;
mod impacts;
mod joints;
mod kanes_rod;
mod limits;
mod mortar;
mod moving_base;
mod parameter_derivatives;
mod patch_torsion;
mod periodic;
mod poisson;
mod polytopes;
mod press;
mod rolling;
mod seams;
mod seeds;
mod sensors;
mod shaken;
mod staggered;
mod surfaces;
mod trough;
mod tumbling;
