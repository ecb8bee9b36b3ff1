//! The independent judge of a step, which knows poses, velocities and impulses only.
//!
//! The referee has no geometry, no matrices and no residual code in common with the solver: momentum is
//! rebuilt from the contact list alone (`balance`), gaps are separations of support planes and searches over
//! directions (`gap`), normals are in the cones of the gradients of the implicit surfaces at the recorded
//! point (`normal_cone`) and of the whole body (`seams`), and the pairs come from a sweep of its own over all
//! bodies (`separation`).

mod balance;
pub mod bodies;
mod cohesion;
pub mod contact_law;
mod couplings;
mod drives;
mod energy;
mod flight;
mod friction;
pub mod gap;
mod halved_step;
pub mod image;
mod impact;
mod impact_joints;
mod impact_law;
mod impact_step;
mod joint_place;
mod joints;
mod judge;
mod judged_step;
mod mortar;
mod normal_cone;
mod part_boxes;
pub mod part_in_step;
mod patch;
pub mod placed;
mod record;
mod recorded_step;
mod rolling;
mod seams;
mod separation;
mod staggered;
mod step_part;
mod sub_scene;
mod substep_chains;
mod turns;
mod units;
mod verdict;
mod whole_step;

pub use judge::Referee;
pub use record::Recorded;
pub use recorded_step::RecordedStep;
pub use verdict::Findings;
pub use verdict::Verdict;
