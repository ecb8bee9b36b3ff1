//! Hollow cylinders: staves between two regular prisms.

use super::decompose::{Decomposed, shape_of};
use super::raw_shapes::ShapeEntry;
use super::report::Check;
use super::weight::together;
use nalgebra::Vector3;
use signorini_geometry::mass_properties::{inertia, volume};
use signorini_geometry::{Polytope, Shape};
use std::f64::consts::TAU;

/// Fewest and most staves.
const FACETS: (u32, u32) = (3, 360);

/// The staves of a hollow cylinder about the z of its frame; `field` is where it stands. None after a fault.
///
/// The n corners of a prism are as far from the axis as gives its cross-section the area π r² of the circle:
/// at f r with f² = θ / sin θ, θ = 2π/n. So body and bore have the volumes of the round ones. The moment
/// about the axis is that of the round one times f² (2 + cos θ)/3, as a regular polygon of an area A with
/// corners at ρ has the polar moment A ρ² (2 + cos θ)/6.
pub fn hollow_cylinder(entry: &ShapeEntry, field: &str, check: &mut Check) -> Option<Decomposed> {
    let ShapeEntry::HollowCylinder { radius, inner_radius, length, facets } = *entry else { return None };
    let faults = check.n_faults();
    let outer = check.positive(&format!("{field}.radius"), radius);
    let inner = check.positive(&format!("{field}.inner_radius"), inner_radius);
    let l = check.positive(&format!("{field}.length"), length);
    if !(FACETS.0..=FACETS.1).contains(&facets) {
        let allowed = format!("must be {} to {}", FACETS.0, FACETS.1);
        check.fault(&format!("{field}.facets"), facets, allowed);
    }
    if check.n_faults() == faults && inner >= outer {
        let allowed = format!("must be less than the radius, {outer:?} m");
        check.fault(&format!("{field}.inner_radius"), format!("{inner:?}"), allowed);
    }
    if check.n_faults() > faults {
        return None;
    }
    let theta = TAU / f64::from(facets);
    let f = (theta / theta.sin()).sqrt();
    let corners: Vec<[Vector3<f64>; 4]> = (0..facets)
        .map(|k| {
            let (s, c) = (theta * f64::from(k)).sin_cos();
            let at = |rho: f64, z: f64| Vector3::new(rho * c, rho * s, z);
            [at(f * inner, -0.5 * l), at(f * inner, 0.5 * l), at(f * outer, -0.5 * l), at(f * outer, 0.5 * l)]
        })
        .collect();
    let mut shapes = Vec::with_capacity(corners.len());
    for (k, first) in corners.iter().enumerate() {
        let next = &corners[(k + 1) % corners.len()];
        let hull = Polytope::hull(&[*first, *next].concat());
        let hull = hull.map_err(|fault| check.fault(field, "hollow_cylinder", fault.to_string())).ok()?;
        shapes.push(shape_of(hull));
    }
    // To the last bit what the staves weigh one by one.
    let moments = |(shape, center): &(Shape, Vector3<f64>)| {
        let volume = volume(shape).unwrap_or(0.0);
        (volume, *center, inertia(shape, volume).unwrap_or_default())
    };
    let staves: Vec<_> = shapes.iter().map(moments).collect();
    let volumes: Vec<f64> = staves.iter().map(|(volume, ..)| *volume).collect();
    let all = together(&staves, &volumes);
    Some(Decomposed { shapes, volume: all.mass, center: Vector3::zeros(), inertia: all.inertia })
}
