//! Every number of the flat step, with its reason.

pub use signorini_kernels::flat_parameters::{FRICTION_STEP, LEAST_RESPONSE, SHORT_TANGENT};

/// Bodies that a leaf of the tree of sections holds at most: large enough that batches of eight contacts
/// without a common body are nearly full, small enough that threads share a thousand bodies.
pub const LEAF: usize = 256;
/// Bodies that a leaf holds at most where polytopes are among the contacts: a batch of their pairs costs some
/// eight times as much, so that threads share some hundred bodies.
pub const LEAF_OF_PATCHES: usize = 64;

/// Largest work of a rank over the mean before sections are divided at a lower level of the tree, which costs
/// messages.
pub const MOST_IMBALANCE: f64 = 1.1;
/// Levels of the tree below the highest that has a section for each rank, at which sections may be divided.
pub const FINER_PARTS: usize = 2;
/// Work of a batch of contact points in the work that a body takes.
pub const POINT_WEIGHT: f64 = 8.0;
/// Work of a batch of pairs of polytopes alike.
pub const PATCH_WEIGHT: f64 = 64.0;

/// Most Newton steps of a search for closest points; two or three are usual.
pub const CLOSEST_ITERATIONS: usize = 40;
/// Most halvings of a Newton step that does not raise the separation.
pub const CLOSEST_TRIALS: usize = 20;
/// Least curvature, over the trace, that Newton's matrix of the closest points may have as it is.
pub const FLAT_CURVATURE: f64 = 1e-3;
/// Least curvature, over the trace, that it is raised to.
pub const FLAT_SHIFT: f64 = 0.1;
/// Longest turn of the normal in a Newton step (rad).
pub const MOST_TURN: f64 = 0.5;
/// Change of the separation that rounding explains (m).
pub const SEPARATION_ROUNDING: f64 = 1e-13;
/// Mismatch of closest points, over the widths, at which a turn stops its search: its velocities are those
/// of an iterate.
pub const TURN_MISMATCH: f64 = signorini_kernels::flat_parameters::MISMATCH;
/// Mismatch of closest points, over the widths, at which the check stops its search.
pub const CHECK_MISMATCH: f64 = 1e-12;

/// Most terms of the series of a turn, which converges for turns up to a third of a radian.
pub const TURN_TERMS: usize = 20;
/// Two terms of it below this size end it: they change no bit of a quaternion.
pub const LEAST_TERM: f64 = 1e-17;
/// Bodies that a thread takes to their end at a time.
pub const FLOWN_TOGETHER: usize = 64;
/// Bodies, contacts or batches that a thread loads at a time.
pub const LOADED_TOGETHER: usize = 64;

/// Least squared length of a friction impulse that is shortened to its disc (N² s²).
pub const LEAST_FRICTION_SQUARE: f32 = 1e-30;

/// Passes in which masses are handed on to the bodies that carry them.
pub const CARRYING_ROUNDS: usize = 64;
/// A mass that is carried counts as the same up to this ratio.
pub const SAME_MASS: f64 = 1.01;

/// Least unit of a body (N s): one that stands still without loads has none, and one over it must be finite
/// in single precision.
pub const LEAST_UNIT: f64 = 1e-30;

/// Gap of a contact that transmits nothing, as its rows see it (m).
pub const OPEN_GAP: f64 = 1e9;

/// Longest turn of a body in an iterate (rad); a solution is checked at its true pose.
pub const MOST_ITERATE_TURN: f64 = signorini_kernels::flat_parameters::MOST_TURN;

/// Sweeps before the first turn of a solve with smooth contacts: an early one prevents most limit cycles.
pub const FIRST_TURN: usize = 2;
/// Sweeps between turns, at first.
pub const SWEEPS: usize = 16;
/// Fewest and most sweeps between turns.
pub const FEWEST_SWEEPS: usize = 8;
/// See [`FEWEST_SWEEPS`].
pub const MOST_SWEEPS: usize = 32;
/// Sweeps end early where no impulse changes by more than this part of the tolerance.
pub const STILL: f64 = 0.4;
/// Factor on [`STILL`] after each check that fails: turns alone do not solve what is left.
pub const STILLER: f64 = 0.5;
/// Most times that a solution is refined where all bodies are slow.
pub const MOST_POLISH: usize = 8;
/// A solution of slow bodies is refined down to this part of the residual at which they are at rest.
pub const POLISHED: f64 = 0.25;
/// A check follows a turn that saw no change above this many tolerances.
pub const CHECKED_BELOW: f64 = 4.0;
/// Contacts are not looked at again in a turn while their bodies moved by less than this many tolerances of
/// their size since.
pub const STILL_POINT: f64 = 0.1;
/// Contacts whose residual in a check is above this part of the tolerance are looked at in the next turn.
pub const SUSPECT: f64 = 0.5;
/// Jᵀx that moves by more than this part of the tolerance in a turn, and not half of what it moved before,
/// brings the next turn nearer.
pub const STILL_MOVING: f64 = 0.3;
/// Jᵀx that moves by less than this part of the tolerance puts the next turn off.
pub const HARDLY_MOVING: f64 = 0.1;

/// Largest factor β of the conjugate extrapolation.
pub const MOST_EXTRAPOLATION: f64 = signorini_kernels::flat_parameters::MOST_BETA;
/// Directions below this (N s or m/s) are dropped: denormal numbers cost a hundred times as much.
pub const LEAST_DIRECTION: f32 = 1e-30;

/// Hat functions of the height of a pile.
pub const HATS: usize = 8;
/// Hats that the contacts of a body may lie in.
pub const NEAR_HATS: usize = 3;
/// Least distance of two hats, over the size of the largest body: sweeps carry the weight of lower piles.
pub const HAT_SIZES: f64 = 2.0;
/// Largest factor on the impulses of a layer: the linearisation holds for small ones.
pub const MOST_HEIGHT_FACTOR: f64 = 0.5;
/// Factors that are smaller are left: they would only disturb the search direction.
pub const LEAST_HEIGHT_FACTOR: f64 = 1e-3;
/// Largest factor of a solution: its layers carry their weight to about the square of it.
pub const SOLVED_HEIGHT_FACTOR: f64 = 0.03;
/// Part by which each pivot of the energy of the hats is raised.
pub const HEIGHT_SHIFT: f64 = 1e-3;
/// Least pivot, over the largest.
pub const LEAST_PIVOT: f64 = 1e-6;
/// A contact slides where its friction is above this part of what it may be.
pub const SLIDING_FROM: f64 = 0.98;

/// Tolerance below which the proximal term is used.
pub const PROXIMAL_BELOW: f64 = 1e-2;
/// Weight e of the proximal term.
pub const PROXIMAL: f32 = 1e-2;
/// Sweeps after which the proximal term takes the impulses as its new centre.
pub const RECENTRE: usize = signorini_kernels::flat_parameters::RECENTRE;

/// A solve gets no nearer where the least change of so many turns is above this part of the least one before
/// them: it runs around in a circle.
pub const CIRCLING_TURNS: usize = 12;
/// That part.
pub const CIRCLING_PART: f64 = 0.7;
/// Tolerance from which a solve that gets no nearer is given up, without polytopes and with them: at smaller
/// ones smooth piles come to their end on a slow way.
pub const CIRCLING_FROM: [f64; 2] = [1e-2, 1e-3];

/// Weight of an overlap in the residual: a quarter of the tolerance, relative to the smaller body, is as
/// bad as a residual of the tolerance. The referee asks for the tolerance.
pub const OVERLAP: f64 = 4.0;

/// Colours of contacts on a device at most: the bits of a word. A body with more contacts keeps its island on
/// the CPU.
pub const MOST_COLOURS: u32 = u64::BITS;
/// Unit of a body whose motion is given, on a device (N s): the other body's is smaller.
pub const FAR_UNIT: f64 = 1e30;

// ---- Pairs of polytopes ----

/// Most contact points of a pair.
pub const MOST_POINTS: usize = 8;
/// Most sides of a face.
pub const MOST_SIDES: usize = 16;
/// Most corners of the part of a face over another.
pub const MOST_CORNERS: usize = 2 * MOST_SIDES;
/// Local passes over the points of a pair in a sweep.
pub const LOCAL_PASSES: usize = 2;
/// Sweeps before the first turn of a solve with polytopes: their points hardly change within a step.
pub const FIRST_TURN_OF_PATCHES: usize = 16;
/// Fewest sweeps between turns of a solve with polytopes.
pub const FEWEST_SWEEPS_OF_PATCHES: usize = 16;
/// A check follows a turn of a solve with polytopes that saw no change above this many tolerances.
pub const PATCHES_CHECKED_BELOW: f64 = 2.0;
/// Batches are not looked at again in a turn while their bodies moved by less than this many tolerances of
/// their size since.
pub const STILL_PATCH: f64 = 0.1;
/// Height over the reference plane up to which points count, over the size of the smaller body.
pub const POINT_MARGIN: f64 = 0.033;
/// As [`POINT_MARGIN`], in the check.
pub const CHECKED_MARGIN: f64 = 0.008;
/// Crossings at a rim lean outward from this many tolerances on (sine).
pub const LEAN: f64 = 0.3;
/// Part of an overlap that a known axis may lack.
pub const STAY_PART: f64 = 0.2;
/// A known axis may lack this part of the way that a residual of the tolerance moves a body in a step.
pub const STAY_SLACK: f64 = 1.0;
/// Edges of a smaller squared sine have no normal.
pub const LEAST_EDGE_SINE_SQUARE: f64 = 1e-4;
/// A known pair of edges of a smaller sine has no normal any more.
pub const LEAST_KNOWN_EDGE_SINE: f64 = 1e-3;
/// Crossings at a rim of edges with a smaller sine do not lean.
pub const LEAST_CROSSING_SINE: f64 = 0.05;
/// Least cosine between the normal of a leaning crossing and that of its face.
pub const LEAST_UPRIGHT: f64 = 0.3;
/// An axis of two edges within this cosine of a face makes way for the face that has their crossing (3°).
pub const LEAST_LEAN_COSINE: f64 = 0.9986;
/// Points push along one normal where along their own they would leave a moment of more than this many
/// tolerances in the unit of the pair times its size.
pub const LEFT_MOMENT: f64 = 0.1;
/// Normals with a smaller squared difference are one.
pub const SAME_NORMAL_SQUARE: f64 = 1e-16;
/// A point that has an impulse already counts as further from one that vanished, by this factor of the
/// square.
pub const FURTHER_IF_TAKEN: f64 = 1.5;
/// A point of the caller's that moved by more than this part of the size leaves its load to the nearest one:
/// the lowest point of a rim may run around it.
pub const RUNS: f64 = 0.02;
/// A point leaves the touching region from this height over the lowest to twice that, over the size: the
/// law's own margin.
pub const OPEN_REGION: f64 = 1e-3;
/// Changes of e_r below this part of the size are none.
pub const LEAST_RADIUS_CHANGE: f64 = 1e-5;
/// Least e_r that torsion acts with (m).
pub const LEAST_TORSION: f64 = 1e-6;
/// A region narrower than this fraction of its length is a line.
pub const NARROW_REGION: f64 = 1e-6;
/// Least load that has a centre (N s).
pub const LEAST_LOAD: f64 = 1e-12;
/// As [`LEAST_LOAD`], in single precision.
pub const LEAST_LOAD_F32: f32 = 1e-12;
/// Least squared response of friction (1/kg²), in single precision.
pub const LEAST_RESPONSE_SQUARE: f32 = 1e-20;
