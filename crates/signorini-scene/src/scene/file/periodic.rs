//! `[periodic]`.

use super::place::entry;
use super::raw::{PeriodicEntry, SceneFile};
use super::report::Report;
use crate::scene::body::Body;
use crate::scene::cells::Space;
use crate::scene::definition::Scene;
use crate::scene::inlet::Inlet;
use crate::scene::measure::{Quantity, Region};
use crate::scene::motion::{BodyMotion, Trajectory};
use crate::scene::outlet::OutletRegion;
use crate::scene::start;
use nalgebra::Vector3;
use signorini_error::Result;
use signorini_geometry::{PeriodicBox, Shape};

/// Names of the axes.
const AXES: [&str; 3] = ["x", "y", "z"];
/// Largest component along an axis of a normal that counts as square to the axis.
const SQUARE: f64 = 1e-12;
/// Part of the length of the box by which a fixed body may be longer: rounding.
const ROUNDING: f64 = 1e-9;
/// Shortest box (m).
const SHORTEST: f64 = 1e-12;
/// Largest coordinate (m).
const FARTHEST: f64 = 1e12;

/// The box, its fields checked.
pub fn periodic(file: &SceneFile, report: &mut Report) -> Option<PeriodicBox> {
    let e = file.periodic?;
    let mut check = report.at("periodic");
    let mut spans = [e.x, e.y, e.z];
    for (span, axis) in spans.iter_mut().zip(AXES) {
        let Some([min, max]) = *span else { continue };
        let is_span = max - min >= SHORTEST && min.abs() <= FARTHEST && max.abs() <= FARTHEST;
        if !is_span {
            let allowed = "must be [min, max] with min < max, finite (m)";
            check.fault(axis, format!("{:?}", [min, max]), allowed);
            *span = None;
        }
    }
    if e.x.is_none() && e.y.is_none() && e.z.is_none() {
        check.fault("x", "absent", "give [min, max] of at least one of x, y and z");
    }
    spans.iter().any(Option::is_some).then_some(PeriodicBox { spans })
}

/// The table that resolves to a box.
pub fn entry_of(periodic: &PeriodicBox) -> PeriodicEntry {
    let [x, y, z] = periodic.spans;
    PeriodicEntry { x, y, z }
}

/// Faults of bodies that meet an image of their own, and of half-spaces that cut the box.
pub fn check_bodies(
    periodic: Option<&PeriodicBox>,
    bodies: &[Body],
    (motions, inlets): (&[BodyMotion], &[Inlet]),
    report: &mut Report,
) -> Result<()> {
    let Some(periodic) = periodic else { return Ok(()) };
    for (axis, length) in periodic.lengths() {
        let mut told = [false; 2];
        let span = periodic.spans[axis];
        for (id, body) in bodies.iter().enumerate() {
            let normals = half_spaces(body).filter(|normal| normal[axis].abs() > SQUARE);
            if let Some(normal) = normals.last() {
                if !std::mem::replace(&mut told[0], true) {
                    let allowed = cut(&body.name, &normal);
                    report.at("periodic").fault(
                        AXES[axis],
                        format!("{:?}", span.unwrap_or_default()),
                        allowed,
                    );
                }
                continue;
            }
            let turns =
                |m: &BodyMotion| !matches!(m.trajectory, Trajectory::Along(_)) || m.relative_to.is_some();
            let turns = motions.iter().any(|m| m.body == id && turns(m));
            let long = length_of(body, axis, turns);
            let is_long = if body.fixed { long > length * (1.0 + ROUNDING) } else { long >= length };
            if is_long && !std::mem::replace(&mut told[1], true) {
                let allowed = format!(
                    "the periodic box is smaller than a body: {:?} is up to {long} m long, the box {length} m",
                    body.name
                );
                report.at("periodic").fault(AXES[axis], format!("{:?}", span.unwrap_or_default()), allowed);
            }
        }
        for (index, inlet) in inlets.iter().enumerate() {
            let long = 2.0 * inlet.grains.largest_radius();
            if long >= length {
                let allowed = format!("its bodies are up to {long} m long, the periodic box only {length} m");
                report.at(entry("inlet", index, &inlet.name)).fault("shape", format!("{long} m"), allowed);
            }
        }
    }
    report.stop_if_faulty()
}

/// Faults of planes of outlets and measures that are not square to the axes that repeat. The plane of a flow
/// measure may be square to the others instead.
pub fn check_planes(scene: &Scene, report: &mut Report) {
    let Some(periodic) = &scene.periodic else { return };
    let repeats = |n: &Vector3<f64>| periodic.lengths().any(|(axis, _)| n[axis].abs() > SQUARE);
    for (index, outlet) in scene.outlets.iter().enumerate() {
        if let OutletRegion::HalfSpace { normal, .. } = &outlet.region
            && repeats(normal)
        {
            let allowed = "must be square to the axes along which the scene repeats itself";
            let value = format!("{:?}", normal.as_slice());
            report.at(entry("outlet", index, &outlet.name)).fault("region.normal", value, allowed);
        }
    }
    for (index, measure) in scene.measures.iter().enumerate() {
        let region = match &measure.quantity {
            Quantity::Region { region, .. } => Some((*region, "quantity.max")),
            Quantity::Flow { within, .. } => within.map(|region| (region, "quantity.within.max")),
            Quantity::Field(cells) | Quantity::Mixing { cells, .. } => Some(match &cells.space {
                Space::Box(region) => (*region, "quantity.region.max"),
                Space::Tube(tube) => {
                    let [low, high] = tube.corners();
                    (Region { low, high }, "quantity.region")
                }
            }),
            _ => None,
        };
        for (axis, length) in periodic.lengths() {
            let long = |(region, _): &(Region, &str)| {
                region.high[axis] - region.low[axis] > length * (1.0 + ROUNDING)
            };
            if let Some((region, field)) = region.filter(long) {
                let allowed = format!(
                    "the region may be at most as long as the periodic box, {length} m along {}",
                    AXES[axis]
                );
                let value = format!("{:?}", region.high.as_slice());
                report.at(entry("measure", index, &measure.name)).fault(field, value, allowed);
            }
        }
        if let Quantity::Flow { normal, .. } = &measure.quantity
            && repeats(normal)
            && normal.iter().filter(|n| n.abs() > SQUARE).count() > 1
        {
            let allowed = "must be along an axis along which the scene repeats itself, or square to them all";
            let value = format!("{:?}", normal.as_slice());
            report.at(entry("measure", index, &measure.name)).fault("quantity.normal", value, allowed);
        }
    }
}

fn cut(name: &str, n: &Vector3<f64>) -> String {
    format!(
        "no half-space may cut the periodic box: that of {name:?} has the normal [{}, {}, {}], which must be \
         square to the axis",
        n.x, n.y, n.z
    )
}

/// World normals of the half-spaces of a body at time 0.
fn half_spaces(body: &Body) -> impl Iterator<Item = Vector3<f64>> + '_ {
    body.parts.iter().filter_map(|part| match &part.shape {
        Shape::HalfSpace { normal, .. } => Some(body.pose.orientation * (part.pose.orientation * normal)),
        _ => None,
    })
}

/// Length of a body along an axis (m), however it may turn.
fn length_of(body: &Body, axis: usize, turns: bool) -> f64 {
    if !body.fixed || turns {
        let bounded = body.parts.iter().map(|part| part.bounding_radius()).filter(|r| r.is_finite());
        return 2.0 * bounded.fold(0.0, f64::max);
    }
    let reaches = start::placed(body).filter_map(|part| {
        let ([below, above], center) = (part.reach()?, part.center()?);
        Some([center[axis] - below[axis], center[axis] + above[axis]])
    });
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let [low, high] = reaches.fold(none, |all, own| [all[0].min(own[0]), all[1].max(own[1])]);
    (high - low).max(0.0)
}
