//! Mixtures of shapes and sizes, of fills and inlets.

use super::decompose::is_several;
use super::friction::Materials;
use super::parts;
use super::raw_flow::InletEntry;
use super::raw_grains::{FillEntry, FormPart, ScaleEntry, WeightedShape};
use super::raw_shapes::ShapeEntry;
use super::report::Check;
use super::shapes::{self, Meshes};
use super::weight::{given_inertia, is_mass};
use super::write_shape::{quaternion_of, shape_of};
use crate::scene::form::Form;
use crate::scene::grains::{Grains, Sizes};
use nalgebra::Vector3;
use signorini_geometry::{Pose, Shape, Velocity};

/// Most openings of a sieve curve.
const MAX_OPENINGS: usize = 1000;

/// The fields that fills and inlets share.
pub struct GrainFields<'a> {
    density: f64,
    material: &'a str,
    random_orientations: bool,
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    clearance: Option<f64>,
    shape: Option<&'a ShapeEntry>,
    shapes: &'a [WeightedShape],
    scale: Option<&'a ScaleEntry>,
}

impl<'a> From<&'a FillEntry> for GrainFields<'a> {
    fn from(e: &'a FillEntry) -> Self {
        Self {
            density: e.density,
            material: &e.material,
            random_orientations: e.random_orientations,
            velocity: e.velocity,
            angular_velocity: e.angular_velocity,
            clearance: e.clearance,
            shape: e.shape.as_ref(),
            shapes: &e.shapes,
            scale: e.scale.as_ref(),
        }
    }
}

impl<'a> From<&'a InletEntry> for GrainFields<'a> {
    fn from(e: &'a InletEntry) -> Self {
        Self {
            density: e.density,
            material: &e.material,
            random_orientations: e.random_orientations,
            velocity: e.velocity,
            angular_velocity: e.angular_velocity,
            clearance: e.clearance,
            shape: e.shape.as_ref(),
            shapes: &e.shapes,
            scale: e.scale.as_ref(),
        }
    }
}

impl GrainFields<'_> {
    /// The fields, checked; `what` is made of such bodies ("a fill").
    pub fn check(
        &self,
        what: &str,
        materials: &mut Materials,
        meshes: &mut Meshes,
        check: &mut Check,
    ) -> Grains {
        let grains = Grains {
            density: check.positive("density", self.density),
            material: materials.index(check, "material", self.material),
            random_orientations: self.random_orientations,
            velocity: Velocity {
                linear: check.vector("velocity", self.velocity),
                angular: check.vector("angular_velocity", self.angular_velocity),
            },
            clearance: self.clearance.map(|c| check.not_negative("clearance", c)),
            shapes: self.mixture(what, meshes, check),
            sizes: self.scale.map_or(Sizes::One, |scale| sizes(scale, check)),
        };
        check_extremes(&grains, check);
        grains
    }

    /// The shapes with their weights.
    fn mixture(&self, what: &str, meshes: &mut Meshes, check: &mut Check) -> Vec<(Form, f64)> {
        let mut found = Vec::new();
        let mut take = |shape: Option<Form>, weight: f64| found.extend(shape.map(|form| (form, weight)));
        match (self.shape, self.shapes.is_empty()) {
            (Some(shape), true) => take(of_shape(what, shape, "shape", meshes, check), 1.0),
            (None, false) => {
                for (i, entry) in self.shapes.iter().enumerate() {
                    let weight = check.positive(&format!("shapes[{i}].weight"), entry.weight);
                    let field = |name: &str| format!("shapes[{i}].{name}");
                    match (&entry.shape, entry.parts.is_empty()) {
                        (Some(shape), true) => {
                            take(of_shape(what, shape, &field("shape"), meshes, check), weight)
                        }
                        (None, false) => take(several(entry, &field, meshes, check), weight),
                        _ => check.fault(&field("shape"), "unclear", "give either `shape` or `parts`"),
                    }
                }
            }
            _ => check.fault("shape", "unclear", "give either `shape` or a list `shapes`"),
        }
        found
    }
}

/// A form of several parts, with a weight of its own where that is given.
fn several(
    entry: &WeightedShape,
    field: &impl Fn(&str) -> String,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Option<Form> {
    match (entry.volume, entry.inertia) {
        (None, None) => Some(parts::form(&entry.parts, &field("parts"), meshes, check)),
        (Some(volume), Some(inertia)) => {
            let volume = check.positive(&field("volume"), volume);
            let inertia = given_inertia(inertia, check);
            Some(parts::weighed(&entry.parts, &field("parts"), (volume, inertia), meshes, check))
        }
        _ => {
            check.fault(&field("volume"), "unclear", "volume and inertia stand together");
            None
        }
    }
}

/// A body of a shape.
pub fn of_shape(
    what: &str,
    entry: &ShapeEntry,
    field: &str,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Option<Form> {
    if is_several(entry) {
        let found = meshes.decomposed(entry, field, check)?;
        let about = |(shape, at): (Shape, Vector3<f64>)| {
            (shape, Pose { position: at - found.center, ..Pose::identity() })
        };
        let parts = found.shapes.into_iter().map(about).collect();
        return Some(Form::several(parts, found.volume, found.inertia));
    }
    let shape = shapes::shape(entry, field, meshes, check);
    if matches!(shape, Shape::HalfSpace { .. } | Shape::Bore { .. }) {
        let kind = if matches!(shape, Shape::Bore { .. }) { "bore" } else { "half_space" };
        check.fault(field, kind, format!("{what} is made of bodies that move"));
        return None;
    }
    Some(Form::convex(shape))
}

/// Lengths and masses of the smallest and the largest body that may come up.
fn check_extremes(grains: &Grains, check: &mut Check) {
    for (form, _) in &grains.shapes {
        let [small, large] = grains.sizes.extremes(form);
        for factor in [small, large] {
            let mass = grains.density * form.volume().unwrap_or(f64::NAN) * factor.powi(3);
            if !form.parts().iter().all(|(shape, _)| shapes::is_size(shape, factor)) {
                let value = format!("factors of {small:?} to {large:?}");
                check.fault("scale", value, "lengths of a shape must be 1e-9 to 1e9 m");
            } else if !is_mass(mass) {
                let allowed = format!("gives a body of {mass:e} kg, out of 1e-15 to 1e15");
                check.fault("density", format!("{:?}", grains.density), allowed);
            }
        }
    }
}

fn sizes(scale: &ScaleEntry, check: &mut Check) -> Sizes {
    match scale {
        ScaleEntry::Uniform { min, max } => {
            let (low, high) = (check.positive("scale.min", *min), check.positive("scale.max", *max));
            if high < low {
                check.fault("scale.max", format!("{max:?}"), format!("must be at least scale.min ({min:?})"));
            }
            Sizes::Uniform { min: *min, max: *max }
        }
        ScaleEntry::Lognormal { sigma, min, max } => {
            if !(*sigma > 0.0 && *sigma <= 2.0) {
                check.fault("scale.sigma", format!("{sigma:?}"), "must be > 0 and at most 2");
            }
            if !(1e-3..1.0).contains(min) {
                check.fault("scale.min", format!("{min:?}"), "must be 1e-3 or more and below 1");
            }
            if !(*max > 1.0 && *max <= 1e3) {
                check.fault("scale.max", format!("{max:?}"), "must be above 1 and at most 1e3");
            }
            Sizes::Lognormal { sigma: *sigma, min: *min, max: *max }
        }
        ScaleEntry::Sieve { openings, passing } => sieve(openings, passing, check),
    }
}

fn sieve(openings: &[f64], passing: &[f64], check: &mut Check) -> Sizes {
    let n = openings.len();
    if !(2..=MAX_OPENINGS).contains(&n) {
        check.fault("scale.openings", format!("{n} openings"), format!("must be 2 to {MAX_OPENINGS}"));
        return Sizes::One;
    }
    for (k, opening) in openings.iter().enumerate() {
        check.positive(&format!("scale.openings[{k}]"), *opening);
    }
    if openings.windows(2).any(|pair| pair[1] <= pair[0]) {
        check.fault("scale.openings", format!("{openings:?}"), "must rise from each to the next");
    }
    let ends = [passing.first(), passing.last()].map(|end| end.copied());
    let rises = passing.windows(2).all(|pair| pair[0] <= pair[1]);
    if passing.len() != n || ends != [Some(0.0), Some(1.0)] || !rises {
        let allowed = format!("must be {n} shares that rise from 0 to 1, one for each opening");
        check.fault("scale.passing", format!("{passing:?}"), allowed);
        return Sizes::One;
    }
    Sizes::Sieve { openings: openings.to_vec(), passing: passing.to_vec() }
}

/// The entry of a distribution of sizes.
pub fn scale_of(sizes: &Sizes) -> Option<ScaleEntry> {
    match sizes {
        Sizes::One => None,
        Sizes::Uniform { min, max } => Some(ScaleEntry::Uniform { min: *min, max: *max }),
        Sizes::Lognormal { sigma, min, max } => {
            Some(ScaleEntry::Lognormal { sigma: *sigma, min: *min, max: *max })
        }
        Sizes::Sieve { openings, passing } => {
            Some(ScaleEntry::Sieve { openings: openings.clone(), passing: passing.clone() })
        }
    }
}

/// The entries of the forms of a mixture.
pub fn shapes_of(grains: &Grains) -> Vec<WeightedShape> {
    let part = |(shape, pose): &(Shape, Pose)| FormPart {
        position: pose.position.into(),
        orientation: quaternion_of(&pose.orientation),
        shape: shape_of(shape),
    };
    let entry = |(form, weight): &(Form, f64)| {
        // Parts that overlap are weighed as one solid.
        let own = form.overlapping_weight();
        WeightedShape {
            shape: form.only().map(shape_of),
            parts: if form.only().is_some() { Vec::new() } else { form.parts().iter().map(part).collect() },
            volume: own.map(|(volume, _)| volume),
            inertia: own.map(|(_, t)| [t.m11, t.m22, t.m33, t.m12, t.m13, t.m23]),
            weight: *weight,
        }
    };
    grains.shapes.iter().map(entry).collect()
}
