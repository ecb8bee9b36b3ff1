//! Bodies that come in during a run.

use super::form::Form;
use super::grains::Grains;
use super::overlap::{Placed, apart};
use super::packing::RandomStream;
use super::tube::Tube;
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use signorini_geometry::Pose;
use std::f64::consts::TAU;

/// Rounding of times, relative to the step.
const SAME_TIME: f64 = 1e-9;

/// Places drawn in a tube before an orientation counts as one without a place.
const TRIES_IN_TUBE: usize = 100;

/// Region in which bodies come in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum InletRegion {
    /// A box along the world axes that holds the bodies entirely.
    Box {
        /// Lowest corner (m).
        low: Vector3<f64>,
        /// Highest corner (m).
        high: Vector3<f64>,
    },
    /// The part of a plane between two circles, on which the centres lie.
    Ring {
        /// Centre of the circles (m).
        center: Vector3<f64>,
        /// Unit normal of the plane.
        normal: Vector3<f64>,
        /// Radius of the inner circle (m), 0 for a disc.
        inner: f64,
        /// Radius of the outer circle (m).
        outer: f64,
    },
    /// A cylinder, or what is between two, that holds the bodies entirely.
    Tube(Tube),
}

/// Rate at which bodies come in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Demand {
    /// Bodies per second.
    Bodies(f64),
    /// Mass per second (kg/s).
    Mass(f64),
    /// All bodies are due at once.
    AtOnce,
}

/// An inlet: bodies that come in while a run goes on, one by one, where there is room.
///
/// The k-th body, from 0, is due at `from` + k / rate; where the rate is one of mass, at `from` + the mass of
/// those before it / rate. It comes at the start of the first step that starts no earlier and in which a
/// place apart from everything is found; those behind it wait. Its name is that of the inlet with its number,
/// and is never used again. Shape and size of the k-th body depend on the seed of the scene, on the place of
/// the inlet in the list and on k alone; where it comes depends on the step, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inlet {
    /// Unique name, before the number in the names of the bodies.
    pub name: String,
    /// Region in which the bodies come in.
    pub region: InletRegion,
    /// Time from which on bodies are due (s).
    pub from: f64,
    /// Time before which bodies are due (s), if not to the end.
    pub to: Option<f64>,
    /// Rate at which the bodies come in.
    pub demand: Demand,
    /// Most bodies in all, if there is an end.
    pub total: Option<u64>,
    /// The mixture of shapes and sizes that bodies are drawn from.
    pub grains: Grains,
}

impl InletRegion {
    /// A box that holds all centres (m): its corners.
    pub fn corners(&self) -> [Vector3<f64>; 2] {
        match self {
            Self::Box { low, high } => [*low, *high],
            Self::Tube(tube) => tube.corners(),
            Self::Ring { center, normal, outer, .. } => {
                let half = normal.map(|n| outer * (1.0 - n * n).max(0.0).sqrt());
                [center - half, center + half]
            }
        }
    }

    /// A place of a form in an orientation, drawn at random; None where the form is too large for the box.
    pub fn place(
        &self,
        form: &Form,
        orientation: UnitQuaternion<f64>,
        draw: &mut RandomStream,
    ) -> Option<Pose> {
        let position = match self {
            Self::Tube(tube) => place_in(tube, form, orientation, draw)?,
            Self::Box { low, high } => {
                let at = Pose { position: Vector3::zeros(), orientation };
                let [below, above] = form.reach(&at)?;
                let (low, high) = (low + below, high - above);
                let fraction = Vector3::new(draw.unit(), draw.unit(), draw.unit());
                if (high - low).min() < 0.0 {
                    return None;
                }
                low + fraction.component_mul(&(high - low))
            }
            Self::Ring { center, normal, inner, outer } => {
                let square = inner * inner + (outer * outer - inner * inner) * draw.unit();
                let (sin, cos) = (TAU * draw.unit()).sin_cos();
                let axis = if normal.z.abs() < 0.6 { Vector3::z() } else { Vector3::x() };
                let t = normal.cross(&axis).normalize();
                center + (t * cos + normal.cross(&t) * sin) * square.sqrt()
            }
        };
        Some(Pose { position, orientation })
    }
}

/// A place in a tube, drawn again until the body is inside; None where it is too large, or seldom is.
fn place_in(
    tube: &Tube,
    form: &Form,
    orientation: UnitQuaternion<f64>,
    draw: &mut RandomStream,
) -> Option<Vector3<f64>> {
    let parts = form.placed(&Pose { position: Vector3::zeros(), orientation });
    let core = tube.core();
    (0..TRIES_IN_TUBE).find_map(|_| {
        let position = tube.anywhere(draw);
        // A body that has to be pushed would come to the wall more often than elsewhere.
        tube.pushed(&parts, position, 0.0).filter(|found| *found == position)?;
        let is_off = |core: &Placed| {
            form.placed(&Pose { position, orientation }).iter().all(|part| apart(core, part, 0.0))
        };
        core.iter().all(is_off).then_some(position)
    })
}

impl Inlet {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name of the k-th body.
    pub fn body_name(&self, k: u64) -> String {
        format!("{}-{k}", self.name)
    }

    /// The number of a body by its name.
    pub fn number_of(&self, body: &str) -> Option<u64> {
        let number = body.strip_prefix(&self.name)?.strip_prefix('-')?.parse().ok()?;
        (self.body_name(number) == body).then_some(number)
    }

    /// Time at which the k-th body is due (s), after bodies of so much mass (kg); None when there is no such
    /// body.
    pub fn due(&self, k: u64, mass_before: f64) -> Option<f64> {
        let due = match self.demand {
            Demand::Bodies(rate) => self.from + k as f64 / rate,
            Demand::Mass(rate) => self.from + mass_before / rate,
            Demand::AtOnce => self.from,
        };
        let is_wanted = self.total.is_none_or(|total| k < total) && self.to.is_none_or(|to| due < to);
        is_wanted.then_some(due)
    }

    /// Whether a body that is due at `due` (s) comes with the step of length h that starts at t (s).
    pub fn is_due(due: f64, t: f64, h: f64) -> bool {
        due <= t + SAME_TIME * h
    }

    /// Shape and size factor of the k-th body of the inlet at a place of a scene's list.
    pub fn draw(&self, seed: u64, place: usize, k: u64) -> (usize, f64) {
        self.grains.draw(&mut stream(seed, &[place as u64, k]))
    }

    /// Random numbers for the place of the k-th body that comes with a step.
    pub fn places(seed: u64, place: usize, k: u64, step: usize) -> RandomStream {
        stream(seed, &[place as u64, k, step as u64])
    }

    /// An orientation of a body, drawn at random.
    pub fn orientation(&self, draw: &mut RandomStream) -> UnitQuaternion<f64> {
        if self.grains.random_orientations { draw.rotation() } else { UnitQuaternion::identity() }
    }
}

/// A stream of its own for each list of numbers: their hash (the finaliser of SplitMix64) is the seed.
fn stream(seed: u64, numbers: &[u64]) -> RandomStream {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let add = |hash: u64, number: &u64| mix(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ mix(number + 1));
    RandomStream::new(numbers.iter().fold(mix(seed), add), numbers.len() as u64)
}
