//! Inlets built in Rust.

use super::BodyBuilder;
use crate::scene::file::{
    BodyEntry, FormPart, InletEntry, InletRegionEntry, ScaleEntry, ShapeEntry, WeightedShape,
};
use crate::scene::inlet::Inlet;

/// An inlet in the making: [`Inlet::in_box`] and its sisters begin one, and
/// [`SceneBuilder::inlet`](super::SceneBuilder::inlet) takes it. It needs [`rate`](Self::rate),
/// [`mass_rate`](Self::mass_rate) or [`total`](Self::total).
///
/// ```
/// use signorini::{Body, Inlet, Outlet, Scene};
/// let mut scene = Scene::builder();
/// scene.body(Body::half_space([0.0, 0.3, 1.0], 0.0));
/// let grain = Body::ellipsoid([0.02, 0.015, 0.01]).density(2500.0);
/// scene.inlet(Inlet::in_box(grain, [-0.2, -0.2, 0.8], [0.2, 0.2, 1.0]).rate(20.0).total(100));
/// scene.outlet(Outlet::below(-1.0));
/// let scene = scene.build()?;
/// assert_eq!(scene.inlets[0].name, "inlet-0");
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct InletBuilder {
    pub(super) entry: InletEntry,
}

/// Constructors. `body` gives shape or parts, density, material and velocities of the bodies that come.
impl Inlet {
    /// An inlet of a box along the world axes that holds the bodies entirely: lowest and highest corner (m).
    pub fn in_box(body: BodyBuilder, low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>) -> InletBuilder {
        InletBuilder::new(body, InletRegionEntry::Box { min: low.into(), max: high.into() })
    }

    /// An inlet of a cylinder that holds the bodies entirely: middle (m), axis of any length, radii of an
    /// inner cylinder that stays empty (m, ≥ 0) and of the outer one (m), length (m).
    pub fn in_cylinder(
        body: BodyBuilder,
        center: impl Into<[f64; 3]>,
        axis: impl Into<[f64; 3]>,
        [inner_radius, radius]: [f64; 2],
        length: f64,
    ) -> InletBuilder {
        let (center, axis) = (center.into(), axis.into());
        InletBuilder::new(body, InletRegionEntry::Cylinder { center, axis, radius, length, inner_radius })
    }

    /// An inlet of a disc on which the centres of mass are spread evenly: centre (m), normal of any length,
    /// radius (m, > 0). The bodies may reach beyond it.
    pub fn on_disc(
        body: BodyBuilder,
        center: impl Into<[f64; 3]>,
        normal: impl Into<[f64; 3]>,
        radius: f64,
    ) -> InletBuilder {
        let (center, normal) = (center.into(), normal.into());
        InletBuilder::new(body, InletRegionEntry::Disc { center, normal, radius })
    }

    /// An inlet of a ring between two circles: centre (m), normal of any length, radii of the inner (m, ≥ 0)
    /// and of the outer circle (m).
    pub fn on_ring(
        body: BodyBuilder,
        center: impl Into<[f64; 3]>,
        normal: impl Into<[f64; 3]>,
        radii: [f64; 2],
    ) -> InletBuilder {
        let (center, normal) = (center.into(), normal.into());
        let [inner_radius, outer_radius] = radii;
        InletBuilder::new(body, InletRegionEntry::Ring { center, normal, inner_radius, outer_radius })
    }
}

impl InletBuilder {
    fn new(body: BodyBuilder, region: InletRegionEntry) -> Self {
        let e = body.entry;
        // A missing density is reported as a density of 0.
        let density = e.density.or(e.parts.first().and_then(|part| part.density)).unwrap_or(0.0);
        let mut entry = InletEntry {
            name: e.name.clone(),
            region,
            from: 0.0,
            to: None,
            rate: None,
            mass_rate: None,
            total: None,
            density,
            material: e.material.clone(),
            random_orientations: true,
            velocity: e.velocity,
            angular_velocity: e.angular_velocity,
            clearance: None,
            shape: None,
            shapes: Vec::new(),
            scale: None,
        };
        entry.shapes.push(weighted(e, 1.0));
        Self { entry }
    }

    /// Unique name: the bodies are named `name-0`, `name-1`, … Default: that of the body, or `inlet-0` and
    /// the like.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// Bodies of another shape come in too: their part by number relative to that of the first body, which is
    /// 1.
    pub fn mixed_with(mut self, body: BodyBuilder, weight: f64) -> Self {
        self.entry.shapes.push(weighted(body.entry, weight));
        self
    }

    /// Bodies per second (> 0).
    pub fn rate(mut self, bodies: f64) -> Self {
        self.entry.rate = Some(bodies);
        self
    }

    /// Mass per second (kg/s, > 0).
    pub fn mass_rate(mut self, mass: f64) -> Self {
        self.entry.mass_rate = Some(mass);
        self
    }

    /// Most bodies in all (≥ 1); without a rate all are due at once.
    pub fn total(mut self, bodies: u64) -> Self {
        self.entry.total = Some(bodies);
        self
    }

    /// Time from which on bodies are due (s, ≥ 0). Default 0.
    pub fn since(mut self, seconds: f64) -> Self {
        self.entry.from = seconds;
        self
    }

    /// Time before which bodies are due (s). Default: to the end.
    pub fn until(mut self, seconds: f64) -> Self {
        self.entry.to = Some(seconds);
        self
    }

    /// The axes of shapes are those of the world. Otherwise orientations are random, uniform on the
    /// rotations.
    pub fn upright(mut self) -> Self {
        self.entry.random_orientations = false;
        self
    }

    /// Smallest gap of a body that comes to anything else (m, ≥ 0). Default: a thousandth of its size.
    pub fn clearance(mut self, gap: f64) -> Self {
        self.entry.clearance = Some(gap);
        self
    }

    /// Sizes times a factor of which every value between two bounds (> 0) is equally likely.
    pub fn scaled(mut self, low: f64, high: f64) -> Self {
        self.entry.scale = Some(ScaleEntry::Uniform { min: low, max: high });
        self
    }

    /// Sizes times exp(σ z) with z standard normal, drawn again until it is within two bounds.
    pub fn scaled_lognormal(mut self, sigma: f64, low: f64, high: f64) -> Self {
        self.entry.scale = Some(ScaleEntry::Lognormal { sigma, min: low, max: high });
        self
    }

    /// Sizes of a sieve curve: openings (m), rising, and the fraction of the mass that passes each, rising
    /// from 0 to 1.
    pub fn sieved(mut self, openings: Vec<f64>, passing: Vec<f64>) -> Self {
        self.entry.scale = Some(ScaleEntry::Sieve { openings, passing });
        self
    }
}

pub(super) fn weighted(body: BodyEntry, weight: f64) -> WeightedShape {
    // A compound without parts is reported as a sphere without a radius.
    let parts: Vec<FormPart> = body
        .parts
        .into_iter()
        .map(|part| FormPart { position: part.position, orientation: part.orientation, shape: part.shape })
        .collect();
    let shape = body.shape.or_else(|| parts.is_empty().then_some(ShapeEntry::Sphere { radius: f64::NAN }));
    WeightedShape { shape, parts, volume: None, inertia: None, weight }
}
