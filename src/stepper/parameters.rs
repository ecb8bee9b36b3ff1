//! All numbers of the stepper, each with its meaning, unit and reason. Those of the solver are in
//! [`signorini_ncp::solver::parameters`], lengths of the contact geometry in [`crate::contact::tolerances`].
//!
//! Lengths are relative to the size of the smaller body of a pair, angles are in rad. Numbers without a unit
//! in their line have none. A residual is relative to the impulse that acts on a body (theory §5.4). `MAX_`
//! and `MIN_` bound a count or a value; a name that ends in `BELOW` or `ABOVE` and a quantity is a limit of
//! that quantity.

// ---- Loop of a step ----

/// Rounds of a step, and solves of a substep: another follows where bodies turn out to touch that were not
/// listed.
pub const MAX_ROUNDS: usize = 8;

// ---- Attempt: a step or substep of an island in one piece ----

/// Attempts with more rows, one after the other, where contact points turn up without reserved rows.
pub const MAX_EXTENSIONS: usize = 4;
/// Islands with manifolds are not swept while m·path_speed of every body is at most this multiple of the
/// impulse u that acts on it in the step: a more exact solution may find the bodies at rest.
pub const SWEEP_ABOVE_SPEED: f64 = 1.0;
/// Islands without manifolds are not swept while m·path_speed of every body is at most this multiple of
/// tolerance·u: sweeps leave errors of this size, which would keep the bodies trembling.
pub const SWEEP_SMOOTH_ABOVE_SPEED: f64 = 5.0;
/// Small islands are polished while their attempt has taken fewer Newton iterations than this: a few more
/// take microseconds.
pub const POLISH_ITERATIONS: usize = 9;
/// Speed (m/s), spin (rad/s) and impulse (N s) from which on bodies are nowhere: squares of such numbers
/// still are numbers.
pub const FASTEST: f64 = 1e30;

// ---- Work of a step ----

/// Work that an island may take in a step per body (s of a common core), where the scene does not say: some
/// hundred times what a step of a pile at the default tolerance takes.
pub const STEP_SECONDS_PER_BODY: f64 = 0.05;
/// The least of it (s): at a second steps of some ten boxes or cylinders that land end unsolved.
pub const MIN_STEP_SECONDS: f64 = 4.0;
/// The most of it (s): nobody waits for longer.
pub const MAX_STEP_SECONDS: f64 = 60.0;
/// Unsolved steps in a row after which the next one has all of its work. A hard landing of 60 cylinders has
/// four in a row; with less work for the fifth, no step after it was solved.
pub const UNSOLVED_PATIENCE: u32 = 8;
/// How often further ones halve the work of the next one.
pub const MAX_HALVED_WORK: u32 = 3;
/// Unsolved steps in a row after which all of the work is tried again.
pub const UNSOLVED_PERIOD: u32 = 32;
/// Part of the work left that an attempt may take where shorter steps may be tried after it.
pub const ATTEMPT_SHARE: f64 = 0.25;
/// Geometry of a pair without contact points that have names, in a refresh; this and the next ones in
/// nanoseconds of a common core.
pub const SMOOTH_PAIR_WORK: u64 = 1300;
/// Geometry of a pair with such points.
pub const MANIFOLD_WORK: u64 = 5000;
/// Each of these points.
pub const POINT_WORK: u64 = 2500;
/// Each pair of these points: with hundreds it is what counts.
pub const POINT_PAIR_WORK: u64 = 10;
/// Geometry of a round rim, beside that of its pair.
pub const RIM_WORK: u64 = 50_000;
/// A contact point in a sweep in flat arrays; and in a turn or a check.
pub const FLAT_SWEEP_WORK: [u64; 2] = [20, 700];
/// Two polytopes in a sweep in flat arrays; and in a turn or a check.
pub const FLAT_PATCH_WORK: [u64; 2] = [80, 3000];
/// A pair with a cylinder or a capsule alike.
pub const FLAT_ROUND_WORK: [u64; 2] = [80, 40_000];

// ---- Step in flat arrays ----

/// Tolerance from which islands are solved in flat arrays: sweeps in f32 reach no less.
pub const FLAT_FROM_TOLERANCE: f64 = 1e-4;
/// Codes of features in the name of a contact point: two of them, with a sign beside, in 64 bits.
pub const FLAT_NAMED_FEATURES: u64 = 1 << 31;
/// Edges that the code of a crossing of two edges tells apart.
pub const FLAT_NAMED_EDGES: usize = 1 << 12;
/// Tolerance from which pairs with a cylinder or a capsule are in flat arrays: at smaller ones lines that are
/// nearly parallel keep turns from an end.
pub const FLAT_CYLINDERS_FROM: f64 = 1e-2;
/// Most sweeps and turns of a solve, from each tolerance on: what a solve that ends needs, and some more.
/// Halves are quicker than to go on.
pub const FLAT_BUDGET: [(f64, usize); 4] = [(0.1, 400), (0.01, 1000), (0.001, 2000), (0.0, 4000)];
/// Substeps of at most this fraction of the step that fail in flat arrays go on with other paths.
pub const FLAT_DOWN_TO: f64 = 0.125;
/// The impulses of a solve that failed start the next one where its residual is below this.
pub const FLAT_WARM_BELOW_RESIDUAL: f64 = 0.05;
/// Bodies may be at rest where m·path_speed of each is at most this multiple of tolerance·u.
pub const FLAT_REST_BELOW_SPEED: f64 = 5.0;
/// Bodies that may be at rest are, where the residual at zero velocity is at most this part of the tolerance.
pub const FLAT_REST_RESIDUAL: f64 = 0.5;
/// Radius of torsional friction, over the size, below which sweeps may run around in a circle where a body
/// spins on a face: a solve of such pairs that fails goes on with Newton's method, not with halves.
pub const FLAT_LEAST_TORSION: f64 = 0.1;

/// Tolerance from which islands are in flat arrays from so many times fewer bodies on. 64 cubes that fall
/// take a sixth less time so at 1e-1 and 1e-2, two fifths less at 1e-3, and as much at 1e-4.
pub const FLAT_SOONER_FROM: f64 = 1e-3;
/// See [`FLAT_SOONER_FROM`].
pub const FLAT_SOONER: usize = 4;

/// Islands with bodies of several parts are in flat arrays from so many times fewer bodies on: Newton's
/// method fails at rings of staves.
pub const FLAT_PARTS_SOONER: usize = 8;

/// Most edges of a polytope in flat arrays: all pairs of edges are looked at.
pub const FLAT_MOST_EDGES: usize = 48;

/// A loaded point this near to a face, over the size of the smaller part, lies on it where a solution is
/// checked for faces that other parts cover: gaps and overlaps are between the surfaces.
pub const FLAT_SEAM_WIDTH: f64 = 2e-3;

// ---- Structures: bodies laid face on face ----

/// Tolerance of the steps of structures, unless the scene asks for less: what a rougher one leaves keeps
/// bodies rocking, and those are hard for every method.
pub const STRUCTURE_TOLERANCE: f64 = 1e-4;
/// Newton iterations of a step of a structure, before it is solved in flat arrays.
pub const STRUCTURE_ITERATIONS: usize = 100;
/// Bodies of a structure may be at rest where m·path_speed of each is at most this multiple of tolerance·u.
pub const STRUCTURE_REST_BELOW_SPEED: f64 = 0.5;
/// They are where the residual at zero velocity is at most this part of the tolerance: in the next step they
/// then are within the tolerance, and stay.
pub const STRUCTURE_REST_RESIDUAL: f64 = 0.1;
/// Most bodies of a structure.
pub const STRUCTURE_MOST_BODIES: usize = 4096;
/// Part of the pairs of a structure that have faces along each other.
pub const STRUCTURE_ALIGNED: f64 = 0.9;
/// Least cosine between the normals of such faces (1.1°).
pub const STRUCTURE_LEAST_COSINE: f64 = 0.9998;

// ---- Energy check ----

/// A solution fails the energy check where ‖v‖ = √(v·A v) exceeds the speed due to loads, driven bodies and
/// overlaps by this factor. Where surfaces curve, the contact law has solutions in which a body gains any
/// speed: the conditions at the end of the step hold at those too.
pub const MAX_ENERGY_GAIN: f64 = 2.0;
/// Contacts with a driven body of speed w make others at most this many times as fast: an elastic impact with
/// a wall that moves at w adds 2 w.
pub const DRIVEN_SPEED_FACTOR: f64 = 2.0;
/// Overlaps within the tolerance are pushed out no faster than √(2 g s) with the standard gravity g and s
/// this fraction of the mean body size.
pub const EJECTION_FALL: f64 = 1e-3;

// ---- Turns by joints ----

/// Largest turn (rad) that impulses may make at a joint within a step, of a body or of one relative to the
/// other. Another root of the rows is often half a turn away, at universal joints about a radian. The referee
/// allows one radian.
pub const MAX_TURN_BY_JOINTS: f64 = 0.75;
/// Largest gain of kinetic energy by joints without drives, over that of the free motion. The curvature of
/// the rows explains a third, to leading order in the turns. The referee allows a half.
pub const MAX_GAIN_BY_JOINTS: f64 = 0.4;
/// A solution with a larger such gain than this fails the energy check: bodies that fit their joints at the
/// start gain nothing, to leading order.
pub const MAX_USUAL_GAIN_BY_JOINTS: f64 = 0.02;

// ---- Substeps ----

/// Restarts of the solver before a step is halved; only a shortest substep is given all of them. The first
/// restart (cold) often helps, the others seldom, and cost as much as both halves.
pub const RESTARTS_BEFORE_SUBSTEPS: usize = 1;
/// Substeps of at most this fraction of the step have all Newton iterations after unconverged sweeps: even
/// shorter ones are not worth sweeps.
pub const EARLY_SUBSTEPPING_DOWN_TO: f64 = 0.125;
/// Failed attempts of a step, the whole one included, after which nothing is halved any more: each may take
/// all iterations that a step is allowed. Attempts that were cut short after sweeps do not count.
pub const MAX_FAILED_ATTEMPTS: usize = 8;
/// Bound on the product of bodies and Newton iterations of all attempts together.
pub const MAX_BODY_ITERATIONS: usize = 250_000;
/// Newton iterations of all attempts together beyond those of two attempts, in islands that are so large that
/// [`MAX_BODY_ITERATIONS`] would not allow a second attempt.
pub const SPARE_ITERATIONS: usize = 1000;

// ---- Units of the residual (theory §5.4) ----

/// Rounding of a place: C ε (|position| + size). Pose, surface point, difference and product each round once.
pub const PLACE_ROUNDINGS: f64 = 4.0;
/// Rounding of a momentum: C ε m |v|, for a solve of six equations and the sum of the impulses.
pub const MOMENTUM_ROUNDINGS: f64 = 32.0;
/// Fraction of its momentum that counts as acting on a body: flight through a step is followed to that much
/// of the tolerance. No change of momentum counts: an iterate would be measured by its own error.
pub const ACTING_MOMENTUM: f64 = 1e-3;
/// Passes over the contacts in which masses are handed on to the bodies that carry them; one after the other
/// along piles that are no longer than this.
pub const CARRYING_ROUNDS: usize = 64;
/// A mass that is carried counts as the same up to this ratio.
pub const SAME_MASS: f64 = 1.01;

// ---- Residual ----

/// Weight of an overlap over the smaller size: a hundredth of the tolerance is as bad as a residual of the
/// tolerance. The referee asks for the tolerance.
pub const OVERLAP_WEIGHT: f64 = 100.0;
/// Weight of an overlap of flat pairs: their separation is that of an axis, and contact points may be closed
/// beside it.
pub const FLAT_OVERLAP_WEIGHT: f64 = 50.0;
/// Weight of a violation of a joint over its size, as [`OVERLAP_WEIGHT`].
pub const JOINT_WEIGHT: f64 = 100.0;
/// A body may extend beyond a plane by so many times the gap that passes as closed: its contact point then
/// counts as one on the edge nearby. The ends of a manifold may be open by as much. The referee allows twice
/// as much.
pub const EDGE_GAPS: f64 = 20.0;
/// Angle (rad) up to which unit vectors count as equal but for rounding.
pub const ROUNDED_TURN: f64 = 4.0 * f64::EPSILON;

// ---- Checks of contact points by the level of the residual ----

/// Residual below which flat pairs are checked for unsupported contact points, those that no longer support
/// both bodies; further from a solution all points met steady the iteration.
pub const UNSUPPORTED_BELOW_RESIDUAL: f64 = 1e-3;
/// Limit in place of [`UNSUPPORTED_BELOW_RESIDUAL`] while sweeps go on: sweeps cheaply move the load of
/// excluded points to others, and a point that is excluded in the last round costs another round.
pub const UNSUPPORTED_BELOW_RESIDUAL_SWEEPING: f64 = 0.3;
/// Residual below which flat pairs are checked for misaligned contact points, those that push along another
/// normal than the rest; above, such points steady the iteration.
pub const MISALIGNED_BELOW_RESIDUAL: f64 = 1e-6;

// ---- Rows ----

/// The projection of a friction direction on the plane of contact is no direction below this length (of 1).
pub const MIN_TANGENT: f64 = 1e-9;

// ---- Mortar ----

/// Speed (m/s) at which broken mortar opens, whatever its bodies do: any that is positive keeps it open.
pub const BROKEN_MORTAR_SPEED: f64 = 1.0;
/// Part of h c A/μ up to which what presses on mortar is rounding of x_n: it pulls with all its strength.
pub const ROUNDED_MORTAR: f64 = 1e-9;

// ---- Cohesion ----

/// Gap at the start of a step up to which bodies touch, and pull on each other.
pub const COHESION_GAP: f64 = 1e-6;

// ---- Impact phase (theory §13) ----

/// A contact point is closed at the end of a step, and a joint at its limit, where the gap is at most this
/// length (of the joint's size for a limit), and wherever it carries load.
pub const CLOSED_GAP: f64 = 1e-9;
/// Cosine up to which normals of a manifold count as equal: a record has one normal.
pub const EQUAL_NORMALS_COSINE: f64 = 1.0 - 1e-14;
/// A pair strikes only if it approaches faster than its bodies are accelerated within so many steps.
pub const RESTING_STEPS: f64 = 2.0;
/// Distance of a speed of approach from one that decides, over the latter, and of the fraction of a step in
/// which a contact point arrives from 0 and 1, that is a border of derivatives.
pub const AT_THRESHOLD: f64 = 1e-7;
/// Solves of an impact until torsional radii, normals and units are those of its impulses.
pub const MAX_IMPACT_ROUNDS: usize = 25;
/// Relative change of a torsional radius, and angle of a normal (rad), that count as no change.
pub const UNCHANGED: f64 = 1e-10;
/// Solves for the largest fraction of a rebound that does not raise the energy, by false position.
pub const MAX_REBOUND_SOLVES: usize = 16;
/// That fraction is found where the impact loses at most this fraction of the work of its impulses.
pub const KEPT_ENERGY: f64 = 1e-9;
/// Largest rise of energy, over the work of the impulses on the free velocities, that counts as rounding.
pub const ENERGY_ROUNDING: f64 = 1e-12;
/// Impacts of small islands are solved to this residual where at most [`POLISH_ITERATIONS`] more suffice:
/// nothing damps the error of an impact.
pub const POLISHED_IMPACT_RESIDUAL: f64 = 1e-12;
/// Target residual of contact points whose sum exceeds the tolerance at the centre although each is solved,
/// over the residual that would suffice.
pub const CENTER_FRACTION: f64 = 0.5;

// ---- Staggered integrator (theory §9.1) ----

/// Solves of a step in which contacts turn out to be impacts, or friction would have to drive slip on.
pub const MAX_DAMPINGS: usize = 4;
/// χ = h² times the square of an angular frequency from which contacts are damped, and joints act at the end.
pub const RESOLVED_CHI: f64 = 0.5;
/// Range of χ over which damping is blended in: θ = 1 where χ = 2.
pub const BLEND_RANGE: f64 = 1.5;
/// Gap at the start of a step up to which a contact point touches.
pub const TOUCHING_GAP: f64 = 1e-10;
/// Sine of the angle from which normals of loaded contact points are those of a corner.
pub const CORNER_SINE: f64 = 1e-9;
/// Steps after which sliding counts as sustained, and its end is estimated: jolts of a pile that settles are
/// no sliding.
pub const SUSTAINED_STEPS: u32 = 16;
/// Largest fall of slip, over the fall due to friction, of slip that stops. Slip that falls faster reverses:
/// the other loads are more than friction can hold, or nearly.
pub const MAX_BRAKING: f64 = 1.8;
/// Slip that turns by more than this in a step (rad) is no sustained sliding.
pub const MAX_SLIP_TURN: f64 = 0.5;

// ---- Models with explicit geometry ----

/// Friction times slip, over the unit of the contact, below which a contact point sticks: the tolerance of
/// the solver leaves as much.
pub const CREEP: f64 = 1e-6;
/// Contact points are listed up to this multiple of the way that the bodies move in the step.
pub const REACH_STEPS: f64 = 2.0;
/// Solves with the gyroscopic torque refreshed: its error contracts by h |ω| in each.
pub const MAX_REPETITIONS: usize = 100;
/// APGD: tolerance of a solve between refreshes of the torque, over that of the step.
pub const APGD_TOLERANCE: f64 = 0.7;
/// APGD: least tolerance of such a solve over the residual before it: the torque is known no better.
pub const APGD_DECREASE: f64 = 0.1;
/// Compliant contact: tolerance of a convex problem on the way to Coulomb's law, over that of the step.
pub const CONVEX_TOLERANCE: f64 = 0.1;
/// Compliant contact: convex problems on the way to Coulomb's law before the proximal Newton method takes
/// over.
pub const MAX_FIXED_POINTS: usize = 60;
/// Compliant contact: compliance R of the rows of joints, over their inverse effective mass.
pub const JOINT_REGULARIZATION: f64 = 1e-6;
/// Free motion: Newton iterations. The geometric part of K and the gyroscopic slope are left out of A, and
/// the error contracts by h |ω| only.
pub const MAX_FREE_MOTION_ITERATIONS: usize = 60;
/// Free motion: residual |m(v*)| in the units of the bodies.
pub const FREE_MOTION_RESIDUAL: f64 = 1e-13;

// ---- Stewart and Trinkle's model by Lemke's method ----

/// Pivots per unknown on the path of one cover: the path that ends in a solution takes 2 to 6, one that
/// rounding leads in circles does not end.
pub const PIVOTS_PER_UNKNOWN: usize = 10;
/// Covers that are tried.
pub const MAX_COVERS: usize = 4;
/// Step φ of the entries 1 + frac(k i φ)/2 of cover k: multiples of the golden ratio are spread most evenly.
pub const COVER_SPREAD: f64 = 0.618_033_988_749_895;
/// Solves by Lemke's method after Newton's where each costs seconds: between them Newton's method, which then
/// starts close, follows the gyroscopic torque.
pub const FALLBACK_REPETITIONS: usize = 5;
/// Newton iterations between those solves.
pub const FALLBACK_NEWTON_ITERATIONS: usize = 300;

// ---- Work of a thread or a rank: least numbers that are worth sharing ----

/// Bodies of an island for each rank from which on ranks solve it together. Fewer bodies make sweeps that are
/// not much longer than a message, and half a leaf of the tree of sections.
pub const BODIES_PER_RANK: usize = 128;

/// Bodies that a thread places at a time.
pub const BODIES_PER_CHUNK: usize = 32;
/// Pairs that a thread linearises at a time.
pub const PAIRS_PER_CHUNK: usize = 16;
/// Pairs that a thread reads, judges or records at a time: less work than to linearise them.
pub const JUDGED_PAIRS_PER_CHUNK: usize = 32;
