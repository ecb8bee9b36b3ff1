//! Geometric tolerances and thresholds of the contact room, one name one value.
//!
//! A length is a part of the size of the smaller body of a pair unless its line says otherwise. Sines,
//! cosines and angles (rad) have no unit. Rounding of lengths is about 1e-16 of the size and the solver's
//! residual of 1e-8 is about 1e-12 m of gap for bodies of a decimetre: thresholds that decide on the
//! activation of a point lie between those and visible lengths.

pub use signorini_kernels::constants::CLOSEST_POINT_TOLERANCE;

// Tolerances of the choice of pairs and of their paths.

/// Pairs nearer than this length are always listed.
pub const LISTED_GAP: f64 = 0.002;
/// Deepest overlap of an unlisted pair that is accepted: a hundredth of the referee's tolerance.
pub const MISSED_OVERLAP: f64 = 1e-10;
/// Bodies further apart than this length are not searched for features while nothing is transmitted.
pub const DISTANT_PAIR: f64 = 0.02;
/// A pair is followed along its path if it may move by this fraction of the bodies' added widths. The side
/// that is nearest at the end can be another one from half of them on.
pub const SWEPT_MOTION: f64 = 0.25;
/// Along its path a pair has passed through each other only with an overlap of this fraction of the lesser
/// width: with less it met at most beside an edge, and a normal that has turned has turned around the edge.
pub const PASSED_OVERLAP: f64 = 0.25;
/// Normals that enclose at least this cosine are of the same side.
pub const SAME_SIDE: f64 = 0.5;
/// Normals that enclose at least this cosine are of the same side where one body is an ellipsoid. A tenth of
/// a radian turns the normal on the rim of a lens by more than 60° without a passage.
pub const SAME_SMOOTH_SIDE: f64 = 0.0;

// Tolerances at seams between parts of one body.

/// A point this length (of the part's size) from a face of its part lies on the face.
pub const SEAM_WIDTH: f64 = 1e-6;
/// A normal that is turned by this angle (rad) past those of a union is one of the union.
pub const SEAM_TILT: f64 = 1e-7;
/// A normal of a face of the other body is one of a union up to this angle (rad): the point only has to stay
/// outside the face.
pub const SEAM_LEAN: f64 = 1e-4;

// Tolerance of the place where bodies touch.

/// A contact point belongs to the line or surface where bodies touch up to this length above the lowest, and
/// leaves it until twice that: a tilt of a thousandth.
pub const PATCH_GAP: f64 = signorini_flat::parameters::OPEN_REGION;

// Tolerances of axes that separate.

/// A face is preferred to an edge pair or a curved feature that separates better by less than this length: a
/// tie is a face contact, but 1e-5 lets a face stand in for a separating edge (theory §3.4).
pub const FACE_PREFERENCE: f64 = 1e-8;
/// Faces whose normals enclose a smaller angle (rad) are flush: either is the axis of both.
pub const FLUSH_TURN: f64 = 1e-6;
/// Directions whose sine is at most this are parallel: the point where two such lines cross is not computed.
pub const PARALLEL_SINE: f64 = 1e-12;
/// Edges whose directions enclose a smaller sine have no normal of their own.
pub const EDGE_AXIS_SINE: f64 = 1e-9;
/// Edges of boxes whose directions enclose a smaller sine are always tried: their normal is not exact enough
/// to rule them out by.
pub const UNCERTAIN_EDGE_AXIS_SINE: f64 = 1e-3;
/// Other edges are not tried if the bodies are less far apart along their normal than along a face by this
/// part of the bodies' extents.
pub const EDGE_AXIS_MARGIN: f64 = 1e-9;
/// Edges of polytopes with many faces are not tried if a bound shows that they separate by no more than this
/// length better than a face: rounding.
pub const EDGE_BOUND: f64 = 1e-12;
/// A start of a search that encloses more than this cosine with another counts as equal to it.
pub const SAME_START_COSINE: f64 = 1.0 - 1e-12;
/// Curved bodies that overlap by this length are searched from all sides: Newton's method may have found a
/// lesser axis.
pub const DEEP_OVERLAP: f64 = 0.02;
/// Features whose separation is less than the widest by at most this length are tried again within the step.
pub const AXIS_CANDIDATE_MARGIN: f64 = 0.4;
/// An axis along which bodies with curved parts overlap by less than this length, and support each other, is
/// that of their widest separation: there is no other that is as wide but beside an edge.
pub const SHALLOW_OVERLAP: f64 = 1e-4;
/// Sine of the angle between an axis and the plane across a normal below which both rims of a cylinder may
/// come to support it.
pub const BOTH_RIMS: f64 = 0.3;
/// Part of a unit vector by which the normal of a face leans where a search starts beside it.
pub const LEAN: f64 = 0.1;
/// Features support the bodies along their normal to within this length.
pub const AXIS_SUPPORT: f64 = 1e-9;
/// Cylinders whose axes are nearer than this length have no normal across them.
pub const COMMON_AXIS: f64 = 1e-9;
/// Sine of the angle between the axes of two cylinders below which the normal across them is one of both.
pub const COMMON_AXIS_SINE: f64 = 1e-6;

// Tolerances of features and their boundaries.

/// Features are taken when they are less than this length above the lowest.
pub const FEATURE_MARGIN: f64 = 0.05;
/// A point less than this length outside an outline counts as inside: flush bodies stay flush.
pub const OUTLINE_MARGIN: f64 = 1e-9;
/// A point this length beyond the boundary of a feature, or a normal turned by this angle past the boundary,
/// is still this side of it.
pub const BOUNDARY_WIDTH: f64 = 1e-11;
/// A line that leaves an edge of an outline at a smaller rate runs along the edge.
pub const ALONG_EDGE_RATE: f64 = 1e-12;
/// Points of a manifold nearer to each other than this length are one.
pub const COINCIDENT_POINTS: f64 = 1e-7;
/// Gaps of coincident points that differ by less are equal but for rounding.
pub const COINCIDENT_GAPS: f64 = 1e-13;
/// Points that are open by this length more than the lowest touch too; an overlap along the path by less is
/// none.
pub const TOUCHING_GAP: f64 = 1e-7;
/// At rough tolerances points that are open by this length more than the lowest touch at most: with more, a
/// point would lie on opposite faces.
pub const MOST_TOUCHING_GAP: f64 = 0.05;
/// In the flat step points that touch along other axes than that of the pair are at the place of one that
/// touches along it, if they are no farther off than this length.
pub const BESIDE_AXIS_POINT: f64 = 2e-2;
/// The two closest points of a contact point may miss each other along the plane by this length. Beyond it
/// they have not been found.
pub const POINT_MISMATCH: f64 = 1e-9;
/// Contact points and faces whose normal encloses a smaller cosine with the axis are not part of the
/// manifold.
pub const SAME_FACE_COSINE: f64 = 0.9;
/// Sine of the angle between a cylinder's axis and a normal below which the rim has no lowest point.
pub const UPRIGHT_SINE: f64 = 1e-9;
/// Tilt (sine) of a cylinder below which points of its rim are kept where the rim is lowest.
pub const LANDING_TILT: f64 = 1e-6;
/// Tilt (sine) of a cylinder below which it may come to stand on its cap: points of the rim are then kept
/// beside its lowest point, which runs around the rim the faster the less the cylinder tilts.
pub const STANDING_TILT: f64 = 1e-2;
/// Lines that enclose a smaller sine may touch at both ends.
pub const TWO_ENDED_LINE_SINE: f64 = 0.3;
/// Sines of the angle between two lines, and of the lean of a line against the plane of contact, below which
/// the lines are nearly parallel.
pub const LINE_SINE: f64 = 0.1;
/// Normals of both ends of a line that enclose a smaller angle are those of one line.
pub const LINE_TWIST: f64 = 0.01;
/// The projection of an anisotropic direction on the plane of contact is no direction below this length
/// (of 1).
pub const DIRECTION_IN_PLANE: f64 = 1e-9;

// Tolerances of the activation of contact points.

/// A contact point is idle where the bodies are further apart along another axis by this length than its gap.
/// Below that the union of all contact points met steadies the iteration.
pub const IDLE_MARGIN: f64 = 1e-3;
/// Two nearly parallel edges that cross further beyond an end of one than this length carry nothing.
pub const CROSSING_OFF: f64 = 0.05;
/// Sine of the angle between edges that are nearly parallel in this sense.
pub const CROSSING_OFF_SINE: f64 = 1e-3;
/// Error of an unsupported contact point: it misses the bodies by this length, and by [`UNSUPPORTED_GAPS`]
/// times the largest gap of a loaded contact point across the normal, or [`UNSUPPORTED_GAPS_ALONG`] times
/// that gap along it.
pub const UNSUPPORTED_ERROR: f64 = 1e-7;
/// Factor of the largest gap in the error of an unsupported contact point across the normal, see
/// [`UNSUPPORTED_ERROR`].
pub const UNSUPPORTED_GAPS: f64 = 1000.0;
/// Factor of the largest gap in the error of an unsupported contact point along the normal, see
/// [`UNSUPPORTED_ERROR`].
pub const UNSUPPORTED_GAPS_ALONG: f64 = 30.0;
/// A contact point is misaligned when its normal encloses this angle with the axis, and
/// [`MISALIGNED_GAPS`] times the largest gap of a loaded contact point over the size.
pub const MISALIGNED_ANGLE: f64 = 1e-10;
/// Factor of the largest gap over the size in the angle of a misaligned contact point, see
/// [`MISALIGNED_ANGLE`].
pub const MISALIGNED_GAPS: f64 = 100.0;
/// Depth, over the size, of the cut of a contact point's plane into a body beyond which the contact point
/// makes way for another without such a cut at the end of a solve. [`PLANE_CUT_GAPS`] times the largest gap
/// of a loaded contact point is added.
pub const PLANE_CUT: f64 = 1e-10;
/// Factor of the largest gap in the depth of a cut, see [`PLANE_CUT`].
pub const PLANE_CUT_GAPS: f64 = 100.0;
/// Largest distance, over the size, from a contact point of round features to the one that it makes way for:
/// a standing cylinder has points of its rim that are not its lowest, and is held by them.
pub const SAME_PLACE: f64 = 1e-6;
/// Factor by which the bound on points above the rim of a cap is smaller than on others: beside them the
/// rim's own contact point may push, along a normal that is turned by as much as the plane cuts off.
pub const AT_RIM_FACTOR: f64 = 10.0;
/// Largest radius, over the size of the smaller body, with which a body counts that crosses the rim of a face
/// or cap: a plane that leans by little cuts off much of far points.
pub const MAX_LEVER: f64 = 10.0;
/// Load fraction of a contact point below which its gap is ignored: on a central path contact
/// points far from the other body carry a little load.
pub const NEGLIGIBLE_LOAD: f64 = 1e-6;

// Tolerances of the loads of contact points that run.

/// A contact point that ran by more than this length between two refreshes leaves its load in place.
pub const POINT_RUN: f64 = 1e-3;
/// A place counts as a mean of three points up to this part of their distances beside them.
pub const OUTSIDE_PART: f64 = 1e-5;
/// Smallest cosine with the axis of the normals of contact points that take the load of a point that ran.
pub const SAME_NORMAL_COSINE: f64 = 1.0 - 1e-6;
/// Sine of the angle between a cylinder's axis and the separating axis below which points of its rim run.
pub const RIM_RUNS_SINE: f64 = 1e-6;
/// Sine of the angle between two edges below which the point where they cross runs.
pub const CROSSING_RUNS_SINE: f64 = 1e-4;

/// Largest entry of the inertia beside the axes of a shape, over its trace, that rounding explains.
pub const ALIGNED_INERTIA: f64 = 1e-12;
