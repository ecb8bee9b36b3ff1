//! Grains: the bodies that a generator makes, a mixture of shapes and sizes.

use super::body::Body;
use super::form::Form;
use super::packing::RandomStream;
use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Velocity};

/// Default clearance relative to the size of a body.
pub const CLEARANCE: f64 = 1e-3;

/// Distribution of the factor on the size of a shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Sizes {
    /// Always 1.
    One,
    /// Every value between the bounds is equally likely.
    Uniform {
        /// Smallest factor.
        min: f64,
        /// Largest factor.
        max: f64,
    },
    /// exp(σ z) with z standard normal, drawn again until it is within the bounds.
    Lognormal {
        /// Standard deviation σ of the logarithm.
        sigma: f64,
        /// Smallest factor.
        min: f64,
        /// Largest factor.
        max: f64,
    },
    /// By mass: between two openings of the curve every size has an equal fraction of the mass.
    Sieve {
        /// Openings d (m), rising.
        openings: Vec<f64>,
        /// Fraction of the mass that passes each opening, from 0 to 1.
        passing: Vec<f64>,
    },
}

/// Bodies of a mixture of shapes and sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grains {
    /// Forms with their weights by number (> 0).
    pub shapes: Vec<(Form, f64)>,
    /// Distribution of the sizes.
    pub sizes: Sizes,
    /// Density (kg/m³).
    pub density: f64,
    /// Index of the material in the friction table.
    pub material: usize,
    /// Whether orientations are random; otherwise shape axes are world axes.
    pub random_orientations: bool,
    /// Velocity of each body when it comes.
    pub velocity: Velocity,
    /// Smallest gap to anything (m), if it was given.
    pub clearance: Option<f64>,
}

impl Sizes {
    /// The factor of a form, drawn at random.
    fn draw(&self, form: &Form, draw: &mut RandomStream) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Uniform { min, max } => min + (max - min) * draw.unit(),
            Self::Lognormal { sigma, min, max } => loop {
                let factor = (sigma * draw.normal()).exp();
                if (*min..=*max).contains(&factor) {
                    break factor;
                }
            },
            Self::Sieve { openings, passing } => sieved(openings, passing, draw) / sieve_size(form),
        }
    }

    /// Smallest and largest factor of a form.
    pub fn extremes(&self, form: &Form) -> [f64; 2] {
        match self {
            Self::One => [1.0; 2],
            Self::Uniform { min, max } | Self::Lognormal { min, max, .. } => [*min, *max],
            Self::Sieve { openings, .. } => {
                let end = |d: Option<&f64>| d.copied().unwrap_or(f64::NAN) / sieve_size(form);
                [end(openings.first()), end(openings.last())]
            }
        }
    }
}

/// A size (m) of a sieve curve. A size d has the mass d³, so that the number of bodies between the openings a
/// and b, of the fraction m of the mass, is as m/(b − a) ∫ d⁻³ dd = m (a + b)/(2 a² b²), and there d⁻² is
/// uniform.
fn sieved(openings: &[f64], passing: &[f64], draw: &mut RandomStream) -> f64 {
    let number = |k: usize| {
        let (a, b) = (openings[k], openings[k + 1]);
        (passing[k + 1] - passing[k]) * (a + b) / (a * a * b * b)
    };
    let intervals = openings.len() - 1;
    let total: f64 = (0..intervals).map(number).sum();
    let mut left = draw.unit() * total;
    let k = (0..intervals).find(|&k| {
        left -= number(k);
        left < 0.0
    });
    let k = k.unwrap_or(intervals - 1);
    let [a, b] = [openings[k], openings[k + 1]].map(|d| 1.0 / (d * d));
    (1.0 / (a + (b - a) * draw.unit()).sqrt()).clamp(openings[k], openings[k + 1])
}

/// The opening (m) that a form just passes: the middle edge of its box along its own axes.
fn sieve_size(form: &Form) -> f64 {
    let (low, high) = form.bounds();
    let mut edges: [f64; 3] = (high - low).into();
    edges.sort_by(f64::total_cmp);
    edges[1]
}

impl Grains {
    /// Form (its place in the list) and size factor of a body, drawn at random.
    pub fn draw(&self, draw: &mut RandomStream) -> (usize, f64) {
        let total: f64 = self.shapes.iter().map(|(_, weight)| weight).sum();
        let fraction = draw.unit();
        let mut cumulated = 0.0;
        let drawn = self.shapes.iter().position(|(_, weight)| {
            cumulated += weight / total;
            fraction < cumulated
        });
        let place = drawn.unwrap_or(self.shapes.len() - 1);
        (place, self.sizes.draw(&self.shapes[place].0, draw))
    }

    /// A form of the list at a size.
    pub fn form(&self, place: usize, factor: f64) -> Form {
        self.shapes[place].0.scaled(factor)
    }

    /// Smallest gap (m) of a form to anything.
    pub fn clearance_of(&self, form: &Form) -> f64 {
        self.clearance.unwrap_or_else(|| CLEARANCE * form.size().unwrap_or(0.0))
    }

    /// Radius (m) of a ball that holds any of the bodies.
    pub fn largest_radius(&self) -> f64 {
        let radius = |(form, _): &(Form, f64)| self.sizes.extremes(form)[1] * form.bounding_radius();
        self.shapes.iter().map(radius).fold(0.0, f64::max)
    }

    /// The body of a form at a pose.
    pub fn body(&self, name: String, form: &Form, pose: Pose) -> Body {
        form.body((name, self.density), self.material, (pose, self.velocity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use signorini_geometry::Shape;

    fn grains(sizes: Sizes) -> Grains {
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(0.5) };
        let flat = Shape::Ellipsoid { semi_axes: Vector3::new(1.0, 0.25, 0.5) };
        Grains {
            shapes: vec![(Form::convex(ball), 1.0), (Form::convex(flat), 3.0)],
            sizes,
            density: 1000.0,
            material: 0,
            random_orientations: true,
            velocity: Velocity::default(),
            clearance: None,
        }
    }

    /// The mass that passes each opening is that of the curve, to what 40000 bodies can tell.
    #[test]
    fn a_sieve_curve_is_by_mass() {
        let (openings, passing) = (vec![0.001, 0.002, 0.004, 0.005], vec![0.0, 0.3, 0.4, 1.0]);
        let grains = grains(Sizes::Sieve { openings, passing });
        let mut draw = RandomStream::new(5, 0);
        let (mut below, mut total, mut flat) = ([0.0; 3], 0.0, 0);
        for _ in 0..40_000 {
            let (place, factor) = grains.draw(&mut draw);
            let form = grains.form(place, factor);
            let (mass, size) = (form.volume().unwrap(), sieve_size(&form));
            assert!((0.001..=0.005).contains(&size) || (size - 0.005).abs() < 1e-15, "{size}");
            for (sum, opening) in below.iter_mut().zip([0.002, 0.003, 0.004]) {
                *sum += if size <= opening { mass } else { 0.0 };
            }
            total += mass;
            flat += usize::from(place == 1);
        }
        for (sum, expected) in below.into_iter().zip([0.3, 0.35, 0.4]) {
            assert!((sum / total - expected).abs() < 0.01, "{} for {expected}", sum / total);
        }
        assert!((flat as f64 / 40_000.0 - 0.75).abs() < 0.01, "{flat} of the second shape");
    }

    #[test]
    fn sizes_stay_within_their_bounds() {
        let lognormal = Sizes::Lognormal { sigma: 1.0, min: 0.5, max: 3.0 };
        for sizes in [Sizes::Uniform { min: 0.5, max: 3.0 }, lognormal, Sizes::One] {
            let grains = grains(sizes);
            let mut draw = RandomStream::new(1, 2);
            for _ in 0..1000 {
                let (place, factor) = grains.draw(&mut draw);
                let [low, high] = grains.sizes.extremes(&grains.shapes[place].0);
                assert!((low..=high).contains(&factor), "{factor}");
            }
        }
    }
}
