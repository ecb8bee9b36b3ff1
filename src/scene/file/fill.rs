//! `[[fill]]`: many bodies at random places.

use super::bodies;
use super::decompose::is_several;
use super::friction::Materials;
use super::limits::MOST_BODIES;
use super::place::entry;
use super::raw::{FillEntry, ScaleEntry, WeightedShape};
use super::raw_shapes::ShapeEntry;
use super::report::{Check, Report};
use super::shapes::{self, Meshes};
use super::weight::is_mass;
use crate::geometry::mass_properties::{inertia, volume};
use crate::geometry::{Pose, Shape, Velocity};
use crate::scene::body::{Body, Part};
use crate::scene::packing::{self, Grain, Room};
use crate::scene::start;
use nalgebra::Vector3;

/// Default clearance relative to the size of the smallest body.
const CLEARANCE: f64 = 1e-3;

/// A checked fill.
#[derive(Debug)]
pub struct Fill {
    /// Before the number in the bodies' names.
    pub name: String,
    /// Number of bodies.
    pub count: usize,
    index: usize,
    density: f64,
    material: usize,
    random_orientations: bool,
    velocity: Velocity,
    clearance: Option<f64>,
    low: Vector3<f64>,
    high: Vector3<f64>,
    /// Shapes and cumulated share, the last one 1.
    mixture: Vec<(Shape, f64)>,
    scale: Option<ScaleEntry>,
}

impl Fill {
    /// Name of the k-th body.
    pub fn body_name(&self, k: usize) -> String {
        format!("{}-{k}", self.name)
    }
}

/// One `[[fill]]`, its fields checked.
pub fn check(
    index: usize,
    e: &FillEntry,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Fill {
    let mut check = report.at(entry("fill", index, &e.name));
    check.name("name", &e.name);
    let mut count = usize::try_from(e.count).unwrap_or(usize::MAX);
    if count == 0 || count > MOST_BODIES {
        check.fault("count", e.count, format!("must be 1 to {MOST_BODIES}"));
        count = 0;
    }
    let corners = bodies::region(e.region.min, e.region.max, "region.min", "region.max", &mut check);
    let (low, high) = corners.unwrap_or((Vector3::zeros(), Vector3::repeat(1.0)));
    let fill = Fill {
        name: e.name.clone(),
        count,
        index,
        density: check.positive("density", e.density),
        material: materials.index(&mut check, "material", &e.material),
        random_orientations: e.random_orientations,
        velocity: Velocity {
            linear: check.vector("velocity", e.velocity),
            angular: check.vector("angular_velocity", e.angular_velocity),
        },
        clearance: e.clearance.map(|c| check.not_negative("clearance", c)),
        low,
        high,
        mixture: mixture(e, meshes, &mut check),
        scale: e.scale.clone().inspect(|s| check_scale(s, &mut check)),
    };
    check_extremes(&fill, &mut check);
    fill
}

/// Lengths and masses of the smallest and the largest body that may come up.
fn check_extremes(fill: &Fill, check: &mut Check) {
    let (small, large) = match fill.scale {
        None => (1.0, 1.0),
        Some(ScaleEntry::Uniform { min, max } | ScaleEntry::Lognormal { min, max, .. }) => (min, max),
    };
    for (shape, factor) in fill.mixture.iter().flat_map(|(shape, _)| [(shape, small), (shape, large)]) {
        let mass = fill.density * volume(shape).unwrap_or(f64::NAN) * factor.powi(3);
        if !shapes::is_size(shape, factor) {
            let value = format!("factors of {small:?} to {large:?}");
            check.fault("scale", value, "lengths of a shape must be 1e-9 to 1e9 m");
        } else if !is_mass(mass) {
            let allowed = format!("gives a body of {mass:e} kg, out of 1e-15 to 1e15");
            check.fault("density", format!("{:?}", fill.density), allowed);
        }
    }
}

/// The shapes with their cumulated shares.
fn mixture(e: &FillEntry, meshes: &mut Meshes, check: &mut Check) -> Vec<(Shape, f64)> {
    let listed: Vec<(String, &ShapeEntry, f64)> = match (&e.shape, e.shapes.is_empty()) {
        (Some(shape), true) => vec![("shape".to_string(), shape, 1.0)],
        (None, false) => {
            let one =
                |(i, s): (usize, &WeightedShape)| check.positive(&format!("shapes[{i}].weight"), s.weight);
            let weights: Vec<f64> = e.shapes.iter().enumerate().map(one).collect();
            let numbered = e.shapes.iter().enumerate().zip(weights);
            numbered.map(|((i, s), w)| (format!("shapes[{i}].shape"), &s.shape, w)).collect()
        }
        _ => {
            check.fault("shape", "unclear", "give either `shape` or a list `shapes`");
            Vec::new()
        }
    };
    let total: f64 = listed.iter().map(|(_, _, weight)| weight).sum();
    let mut cumulated = 0.0;
    let mut found = Vec::new();
    for (field, shape_entry, weight) in listed {
        cumulated += weight / total;
        if is_several(shape_entry) {
            check.fault(&format!("{field}.convex"), "several parts", "a fill is made of convex shapes");
            continue;
        }
        let shape = shapes::shape(shape_entry, &field, meshes, check);
        if matches!(shape, Shape::HalfSpace { .. }) {
            check.fault(&field, "half_space", "a fill is made of bodies that move");
        } else {
            found.push((shape, cumulated));
        }
    }
    found
}

fn check_scale(scale: &ScaleEntry, check: &mut Check) {
    match *scale {
        ScaleEntry::Uniform { min, max } => {
            let (low, high) = (check.positive("scale.min", min), check.positive("scale.max", max));
            if high < low {
                check.fault("scale.max", format!("{max:?}"), format!("must be at least scale.min ({min:?})"));
            }
        }
        ScaleEntry::Lognormal { sigma, min, max } => {
            if !(sigma > 0.0 && sigma <= 2.0) {
                check.fault("scale.sigma", format!("{sigma:?}"), "must be > 0 and at most 2");
            }
            if !(1e-3..1.0).contains(&min) {
                check.fault("scale.min", format!("{min:?}"), "must be 1e-3 or more and below 1");
            }
            if !(max > 1.0 && max <= 1e3) {
                check.fault("scale.max", format!("{max:?}"), "must be above 1 and at most 1e3");
            }
        }
    }
}

/// Draws the bodies of a fill, places them and appends them; a fault when they don't fit.
pub fn place(fill: &Fill, seed: u64, bodies: &mut Vec<Body>, report: &mut Report) {
    let mut draw = packing::Draw::new(seed, fill.index as u64);
    let shapes: Vec<Shape> = (0..fill.count).map(|_| draw_shape(fill, &mut draw)).collect();
    let smallest = shapes.iter().filter_map(Shape::size).fold(f64::INFINITY, f64::min);
    let room = Room {
        low: fill.low,
        high: fill.high,
        clearance: fill.clearance.unwrap_or(CLEARANCE * smallest),
        random_orientations: fill.random_orientations,
    };
    let others: Vec<_> = bodies.iter().flat_map(start::placed).collect();
    match packing::pack(&shapes, &room, &others, &mut draw) {
        Ok(grains) => {
            for (k, (grain, shape)) in grains.into_iter().zip(shapes).enumerate() {
                bodies.push(body(fill, k, shape, &grain));
            }
        }
        Err(fitted) => {
            let allowed = format!(
                "only {fitted} of these bodies were placed in the region without overlap: enlarge it or lower count"
            );
            report.at(entry("fill", fill.index, &fill.name)).fault("count", fill.count, allowed);
        }
    }
}

fn draw_shape(fill: &Fill, draw: &mut packing::Draw) -> Shape {
    let share = draw.unit();
    let drawn = fill.mixture.iter().find(|(_, cumulated)| share < *cumulated).or(fill.mixture.last());
    let factor = match fill.scale {
        None => 1.0,
        Some(ScaleEntry::Uniform { min, max }) => min + (max - min) * draw.unit(),
        Some(ScaleEntry::Lognormal { sigma, min, max }) => loop {
            let factor = (sigma * draw.normal()).exp();
            if (min..=max).contains(&factor) {
                break factor;
            }
        },
    };
    match drawn {
        // Shared as it is.
        Some((shape, _)) if factor == 1.0 => shape.clone(),
        Some((shape, _)) => shape.scaled(factor),
        None => Shape::Ellipsoid { semi_axes: Vector3::repeat(factor) },
    }
}

fn body(fill: &Fill, k: usize, shape: Shape, grain: &Grain) -> Body {
    let mass = fill.density * volume(&shape).unwrap_or(0.0);
    Body {
        name: fill.body_name(k),
        inertia: inertia(&shape, mass).unwrap_or_default(),
        parts: vec![Part { material: fill.material, ..Part::new(shape) }],
        mass,
        pose: Pose { position: grain.position, orientation: grain.orientation },
        velocity: fill.velocity,
        fixed: false,
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
    }
}
