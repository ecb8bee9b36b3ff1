//! Inlets, outlets and measures in the making.

use crate::body::Body;
use pyo3::prelude::*;
use signorini::{BodyId, InletBuilder, MeasureBuilder, OutletBuilder};

/// An inlet in the making: `Inlet.in_box(grain, [-0.2, -0.2, 0.8], [0.2, 0.2, 1.0]).rate(20).total(100)`.
///
/// `body` gives shape or parts, density, material and velocities of the bodies that come; they come where
/// there is room. An inlet needs `rate`, `mass_rate` or `total`. Each method returns another inlet;
/// `SceneBuilder.inlet` takes it.
#[pyclass(frozen, module = "signorini")]
pub struct Inlet {
    pub builder: InletBuilder,
}

impl Inlet {
    fn with(&self, change: impl FnOnce(InletBuilder) -> InletBuilder) -> Self {
        Self { builder: change(self.builder.clone()) }
    }
}

impl From<InletBuilder> for Inlet {
    fn from(builder: InletBuilder) -> Self {
        Self { builder }
    }
}

#[pymethods]
impl Inlet {
    /// An inlet of a box along the world axes that holds the bodies entirely: lowest and highest corner (m).
    #[staticmethod]
    fn in_box(body: &Body, low: [f64; 3], high: [f64; 3]) -> Self {
        signorini::Inlet::in_box(body.builder.clone(), low, high).into()
    }

    /// An inlet of a cylinder that holds the bodies entirely: middle (m), axis of any length, radii of an
    /// inner cylinder that stays empty (m, ≥ 0) and of the outer one (m), length (m).
    #[staticmethod]
    fn in_cylinder(body: &Body, center: [f64; 3], axis: [f64; 3], radii: [f64; 2], length: f64) -> Self {
        signorini::Inlet::in_cylinder(body.builder.clone(), center, axis, radii, length).into()
    }

    /// An inlet of a disc on which the centres of mass are spread evenly: centre (m), normal of any length,
    /// radius (m, > 0). The bodies may reach beyond it.
    #[staticmethod]
    fn on_disc(body: &Body, center: [f64; 3], normal: [f64; 3], radius: f64) -> Self {
        signorini::Inlet::on_disc(body.builder.clone(), center, normal, radius).into()
    }

    /// An inlet of a ring between two circles on which the centres of mass are spread evenly: centre (m),
    /// normal of any length, radii of the inner (m, ≥ 0) and of the outer circle (m).
    #[staticmethod]
    fn on_ring(body: &Body, center: [f64; 3], normal: [f64; 3], radii: [f64; 2]) -> Self {
        signorini::Inlet::on_ring(body.builder.clone(), center, normal, radii).into()
    }

    /// Unique name: the bodies are named `name-0`, `name-1`, … Default: that of the body, or `inlet-0` and
    /// the like.
    fn named(&self, name: String) -> Self {
        self.with(|inlet| inlet.named(name))
    }

    /// Bodies of another shape come in too: their part by number relative to that of the first body, which is
    /// 1.
    #[pyo3(signature = (body, weight = 1.0))]
    fn mixed_with(&self, body: &Body, weight: f64) -> Self {
        self.with(|inlet| inlet.mixed_with(body.builder.clone(), weight))
    }

    /// Bodies per second (> 0).
    fn rate(&self, bodies: f64) -> Self {
        self.with(|inlet| inlet.rate(bodies))
    }

    /// Mass per second (kg/s, > 0).
    fn mass_rate(&self, mass: f64) -> Self {
        self.with(|inlet| inlet.mass_rate(mass))
    }

    /// Most bodies in all (≥ 1); without a rate all are due at once.
    fn total(&self, bodies: u64) -> Self {
        self.with(|inlet| inlet.total(bodies))
    }

    /// Time from which on bodies are due (s, ≥ 0). Default 0.
    fn since(&self, seconds: f64) -> Self {
        self.with(|inlet| inlet.since(seconds))
    }

    /// Time before which bodies are due (s). Default: to the end.
    fn until(&self, seconds: f64) -> Self {
        self.with(|inlet| inlet.until(seconds))
    }

    /// The axes of shapes are those of the world. Otherwise orientations are random, uniform on the
    /// rotations.
    fn upright(&self) -> Self {
        self.with(InletBuilder::upright)
    }

    /// Smallest gap of a body that comes to anything else (m, ≥ 0). Default: a thousandth of its size.
    fn clearance(&self, gap: f64) -> Self {
        self.with(|inlet| inlet.clearance(gap))
    }

    /// Sizes times a factor of which every value between two bounds (> 0) is equally likely.
    fn scaled(&self, low: f64, high: f64) -> Self {
        self.with(|inlet| inlet.scaled(low, high))
    }

    /// Sizes times exp(σ z) with z standard normal, drawn again until it is within two bounds.
    fn scaled_lognormal(&self, sigma: f64, low: f64, high: f64) -> Self {
        self.with(|inlet| inlet.scaled_lognormal(sigma, low, high))
    }

    /// Sizes of a sieve curve: openings (m), rising, and the fraction of the mass that passes each, rising
    /// from 0 to 1; both of shape (n,).
    fn sieved(&self, openings: Vec<f64>, passing: Vec<f64>) -> Self {
        self.with(|inlet| inlet.sieved(openings, passing))
    }
}

/// An outlet in the making: `Outlet.below(-1.0)`. `SceneBuilder.outlet` takes it. A body that can move leaves
/// when its centre of mass is in it at the end of a step.
#[pyclass(frozen, module = "signorini")]
pub struct Outlet {
    pub builder: OutletBuilder,
}

impl From<OutletBuilder> for Outlet {
    fn from(builder: OutletBuilder) -> Self {
        Self { builder }
    }
}

#[pymethods]
impl Outlet {
    /// Below a height (m): z ≤ height.
    #[staticmethod]
    fn below(height: f64) -> Self {
        signorini::Outlet::below(height).into()
    }

    /// Below a plane: normal · x ≤ offset (m), the normal of any length.
    #[staticmethod]
    fn half_space(normal: [f64; 3], offset: f64) -> Self {
        signorini::Outlet::half_space(normal, offset).into()
    }

    /// In a box along the world axes: lowest and highest corner (m).
    #[staticmethod]
    fn in_box(low: [f64; 3], high: [f64; 3]) -> Self {
        signorini::Outlet::in_box(low, high).into()
    }

    /// Unique name. Default: `outlet-0` and the like.
    fn named(&self, name: String) -> Self {
        Self { builder: self.builder.clone().named(name) }
    }
}

/// A measure in the making: `Measure.flow([0, 0, -1], 0.2).every(0.1)`. `SceneBuilder.measure` takes it. A
/// run on disk has a table of it, `Run.measure`; the guide's page on measures explains the columns.
#[pyclass(frozen, module = "signorini")]
pub struct Measure {
    pub builder: MeasureBuilder,
}

impl Measure {
    fn with(&self, change: impl FnOnce(MeasureBuilder) -> MeasureBuilder) -> Self {
        Self { builder: change(self.builder.clone()) }
    }
}

impl From<MeasureBuilder> for Measure {
    fn from(builder: MeasureBuilder) -> Self {
        Self { builder }
    }
}

/// Id of a body in the making, or a name.
#[derive(FromPyObject)]
enum IdOrName {
    Id(usize),
    Name(String),
}

#[pymethods]
impl Measure {
    /// Bodies and mass whose centres pass a plane: a normal of any length, along which passing counts
    /// forwards, and the distance of the plane from the origin along it (m).
    #[staticmethod]
    fn flow(normal: [f64; 3], offset: f64) -> Self {
        signorini::Measure::flow(normal, offset).into()
    }

    /// Solid fraction, coordination number, stress and fabric in a box: lowest and highest corner (m).
    #[staticmethod]
    fn region(low: [f64; 3], high: [f64; 3]) -> Self {
        signorini::Measure::region(low, high).into()
    }

    /// Kinetic and potential energy, and where energy went.
    #[staticmethod]
    fn energy() -> Self {
        signorini::Measure::energy().into()
    }

    /// How large the contact forces are.
    #[staticmethod]
    fn forces() -> Self {
        signorini::Measure::forces().into()
    }

    /// Force and torque of the contacts on a body: an id that `SceneBuilder.body` returned, or a name.
    #[staticmethod]
    fn body(body: IdOrName) -> Self {
        match body {
            IdOrName::Id(id) => signorini::Measure::body(BodyId::new(id)).into(),
            IdOrName::Name(name) => signorini::Measure::body_named(name).into(),
        }
    }

    /// How long the bodies were inside that left.
    #[staticmethod]
    fn residence() -> Self {
        signorini::Measure::residence().into()
    }

    /// On what each body rests.
    #[staticmethod]
    fn poses() -> Self {
        signorini::Measure::poses().into()
    }

    /// Solid fraction, velocity, granular temperature and stress in the `cells` of a box: lowest and highest
    /// corner (m).
    #[staticmethod]
    fn field(low: [f64; 3], high: [f64; 3]) -> Self {
        signorini::Measure::field(low, high).into()
    }

    /// A field in rings, sectors and slices of a cylinder: middle (m), direction of the axis, radius and
    /// length (m).
    #[staticmethod]
    fn field_in_cylinder(center: [f64; 3], axis: [f64; 3], radius: f64, length: f64) -> Self {
        signorini::Measure::field_in_cylinder(center, axis, radius, length).into()
    }

    /// How well two kinds of bodies are mixed in the `cells` of a box, Lacey's index: corners (m), and names
    /// of both kinds; `red-*` stands for all that begin with `red-`.
    #[staticmethod]
    fn mixing(low: [f64; 3], high: [f64; 3], kinds: [String; 2]) -> Self {
        signorini::Measure::mixing(low, high, kinds).into()
    }

    /// Angle of repose of a heap (rad): middle of its base, and how far from it bodies count (m).
    #[staticmethod]
    fn heap_angle(center: [f64; 3], radius: f64) -> Self {
        signorini::Measure::heap_angle(center, radius).into()
    }

    /// Angle of a bed in a drum (rad): a point of the bed, how far from it bodies count (m), and the level
    /// axis.
    #[staticmethod]
    fn bed_angle(center: [f64; 3], radius: f64, axis: [f64; 3]) -> Self {
        signorini::Measure::bed_angle(center, radius, axis).into()
    }

    /// Force of the contacts on a group of bodies together, and torque `about` a point: names, or beginnings
    /// with `*`.
    #[staticmethod]
    fn group(bodies: Vec<String>) -> Self {
        signorini::Measure::group(bodies).into()
    }

    /// Wear and impacts on the parts of bodies, as of the triangles of a surface: names, or beginnings with
    /// `*`.
    #[staticmethod]
    fn wear(bodies: Vec<String>) -> Self {
        signorini::Measure::wear(bodies).into()
    }

    /// A thin table of bodies: columns of `bodies.csv`.
    #[staticmethod]
    fn bodies(columns: Vec<String>) -> Self {
        signorini::Measure::bodies(columns).into()
    }

    /// A thin table of contacts: columns of `contacts.csv`.
    #[staticmethod]
    fn contacts(columns: Vec<String>) -> Self {
        signorini::Measure::contacts(columns).into()
    }

    /// Unique name of letters, digits, `-` and `_`: that of its table. Default: `measure-0` and the like.
    fn named(&self, name: String) -> Self {
        self.with(|measure| measure.named(name))
    }

    /// Interval (s, > 0), rounded to whole steps. Default: one step.
    fn every(&self, seconds: f64) -> Self {
        self.with(|measure| measure.every(seconds))
    }

    /// Of a flow: a box in which centres are when they have passed, for them to count: lowest and highest
    /// corner (m). Of other measures without effect.
    fn within(&self, low: [f64; 3], high: [f64; 3]) -> Self {
        self.with(|measure| measure.within(low, high))
    }

    /// Of a region, a field or mixing: how many cells there are. Of other measures without effect.
    fn cells(&self, counts: [usize; 3]) -> Self {
        self.with(|measure| measure.cells(counts))
    }

    /// Of an angle: into how many strips the surface is cut, 2 to 10000. Default: 20. Of other measures
    /// without effect.
    fn strips(&self, count: usize) -> Self {
        self.with(|measure| measure.strips(count))
    }

    /// Of a group: about which point the torque is (m). Of other measures without effect.
    fn about(&self, point: [f64; 3]) -> Self {
        self.with(|measure| measure.about(point))
    }

    /// Of a thin table: names of bodies, or beginnings with `*`. Of other measures without effect.
    fn of(&self, names: Vec<String>) -> Self {
        self.with(|measure| measure.of(names))
    }

    /// Of a thin table: significant digits of numbers, 3 to 17. Of other measures without effect.
    fn digits(&self, count: u8) -> Self {
        self.with(|measure| measure.digits(count))
    }
}
