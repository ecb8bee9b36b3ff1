//! Directions in which a step is changed, and units that make the parts of a state comparable.

use nalgebra::{Vector3, Vector6};
use rand::{Rng, RngExt};
use signorini::step::{BodyTangent, Change, PlaceTangent};
use signorini_scene::scene::{Body, BodyMotion, Control, Part, Scene, TimeFunction, Torsion, Trajectory};

/// Size, in units of the scene, below which a change is none.
pub const NOTHING: f64 = 1e-2;

/// Units of a state: a length, and a speed that gravity or the bodies of the scene give.
#[derive(Debug, Clone, Copy)]
pub struct Scales {
    /// Mean size of the moving bodies (m).
    pub length: f64,
    /// Time in which a body moves by its size (s).
    pub time: f64,
}

impl Scales {
    /// Of the moving bodies of a scene.
    pub fn of(scene: &Scene) -> Self {
        let moving = (0..scene.bodies.len()).filter(|id| !scene.bodies[*id].fixed);
        let sizes: Vec<f64> = moving.filter_map(|id| scene.size_of(id)).collect();
        let length = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        let fall = scene.gravity.norm();
        let time = if fall > 0.0 { (length / fall).sqrt() } else { 1.0 };
        Self { length, time }
    }

    /// Units of δc, δθ, δv, δω.
    fn units(&self) -> [f64; 4] {
        [self.length, 1.0, self.length / self.time, 1.0 / self.time]
    }

    /// Largest entry of changes, in the units.
    pub fn largest(&self, changes: &[BodyTangent]) -> f64 {
        let units = self.units();
        let entries = changes.iter().flat_map(|change| {
            let parts = [change.position, change.rotation, change.velocity, change.spin];
            (0..parts.len()).map(move |k| parts[k].amax() / units[k])
        });
        signorini_kernels::math::largest(entries)
    }

    /// Largest difference of changes.
    pub fn apart(&self, a: &[BodyTangent], b: &[BodyTangent]) -> f64 {
        let differences: Vec<_> = a
            .iter()
            .zip(b)
            .map(|(a, b)| BodyTangent::from_vector(&(a.to_vector() - b.to_vector())))
            .collect();
        self.largest(&differences)
    }

    /// Random changes of all moving bodies, of about one unit.
    pub fn random(&self, scene: &Scene, random: &mut impl Rng) -> Vec<BodyTangent> {
        let units = self.units();
        let mut part = |k: usize| Vector3::from_fn(|_, _| random.random_range(-1.0..1.0) * units[k]);
        let of = |id: usize| {
            if scene.bodies[id].fixed || scene.is_carried(id) {
                return BodyTangent::default();
            }
            BodyTangent { position: part(0), rotation: part(1), velocity: part(2), spin: part(3) }
        };
        (0..scene.bodies.len()).map(of).collect()
    }
}

/// A direction: a change for one unit.
#[derive(Debug, Clone)]
pub struct Direction {
    /// Name.
    pub name: String,
    /// Change of each step; its start is that of the first one.
    pub each: Change,
    /// Steps before the first one.
    pub first: usize,
}

/// Changes of the motions of bodies, another part of each, so that those of one body do not undo each other.
fn motion_units(scene: &Scene, scales: &Scales) -> Vec<f64> {
    let unit = |motion: &BodyMotion| match motion.trajectory {
        Trajectory::Along(_) => scales.length,
        Trajectory::About { .. } => 1.0,
        Trajectory::Through(_) => scales.time,
    };
    let parts = [1.0, -0.6, 0.8].into_iter().cycle();
    scene.motions.iter().zip(parts).map(|(motion, part)| part * unit(motion)).collect()
}

impl Direction {
    /// Those of parameters of the scene, from a step on.
    pub fn parameters(scene: &Scene, scales: &Scales, first: usize) -> Vec<Self> {
        let of = |name: &str, set: &dyn Fn(&mut Change)| {
            let mut each = Change::none(scene.bodies.len());
            set(&mut each);
            Self { name: name.to_owned(), each, first }
        };
        let mut all = vec![
            of("inertias", &|change| {
                for (body, inertia) in scene.bodies.iter().zip(&mut change.inertia).filter(|(b, _)| !b.fixed)
                {
                    // Another part of each, so that axes turn.
                    let mean = body.inertia.trace() / 3.0;
                    *inertia = Vector6::new(1.0, -0.5, 0.3, 0.2, -0.1, 0.15) * mean;
                }
            }),
            of("centres", &|change| {
                // There is none where a surface turns over a body.
                let turns = |part: &Part| part.surface.is_some_and(|s| s.angular != Vector3::zeros());
                let has = |body: &Body| !body.fixed && !body.parts.iter().any(turns);
                let moving = scene.bodies.iter().zip(&mut change.centre).filter(|(body, _)| has(body));
                moving.for_each(|(_, centre)| *centre = Vector3::new(1.0, -0.5, 0.7) * scales.length);
            }),
            of("friction", &|change| change.friction = 1.0),
            of("gravity", &|change| change.gravity = Vector3::new(1.0, 1.0, 1.0)),
            of("masses", &|change| {
                let moving = scene.bodies.iter().zip(&mut change.mass).filter(|(body, _)| !body.fixed);
                moving.for_each(|(body, mass)| *mass = body.mass);
            }),
            of("forces", &|change| {
                let moving = scene.bodies.iter().zip(&mut change.force).filter(|(body, _)| !body.fixed);
                // One unit of speed in a step.
                let gain = scales.length / scales.time / scene.time_step;
                for (body, force) in moving {
                    let one = Vector3::repeat(body.mass * gain);
                    *force = [one, one * scales.length];
                }
            }),
        ];
        all.push(of("step", &|change| change.time_step = scene.time_step));
        // Derivatives hold the torsion of a region, which grows with a box.
        let is_held = scene.friction.entries.iter().any(|entry| entry.torsional == Torsion::Patch);
        let sizes = |body: &Body| body.sizes().filter(|_| !is_held || body.kind() == "ellipsoid");
        if scene.bodies.iter().any(|body| sizes(body).is_some()) {
            all.push(of("sizes", &|change| {
                for (body, size) in scene.bodies.iter().zip(&mut change.size) {
                    // Another part of each, so that shapes change.
                    *size = sizes(body).unwrap_or_default().component_mul(&Vector3::new(1.0, 0.5, -0.5));
                }
            }));
        }
        if !scene.joints.is_empty() {
            let place = |sign: f64| PlaceTangent {
                anchor: Vector3::new(0.6, -sign, 0.8) * scales.length,
                turn: Vector3::new(-0.5, 0.7, sign),
            };
            let places = vec![[place(0.4), place(-0.3)]; scene.joints.len()];
            all.push(of("joints", &|change| change.joint.clone_from(&places)));
        }
        let courses = scene.courses().count();
        if courses > 0 {
            all.push(of("courses", &|change| change.course = vec![1.0; courses]));
        }
        if !scene.motions.is_empty() {
            let motions = motion_units(scene, scales);
            all.push(of("motions", &|change| change.motion.clone_from(&motions)));
        }
        if scene.friction.rebounds() {
            all.push(of("restitution", &|change| change.restitution = 1.0));
        }
        // Differences set targets to a number for all steps.
        let is_constant = |control: &Control| {
            matches!(scene.controlled(control).drive.target(), TimeFunction::Constant { .. })
        };
        if !scene.controls.is_empty() && scene.controls.iter().all(is_constant) {
            all.push(of("motors", &|change| change.motor = vec![1.0; scene.controls.len()]));
        }
        all
    }

    /// A random one in the state at the start.
    pub fn random(k: usize, scene: &Scene, scales: &Scales, random: &mut impl Rng) -> Self {
        let mut each = Change::none(scene.bodies.len());
        each.start = scales.random(scene, random);
        Self { name: format!("start {k}"), each, first: 0 }
    }

    /// The change of what step k depends on.
    pub fn change(&self, k: usize) -> Change {
        let mut change = self.each.clone();
        // Steps begin at multiples of their length.
        change.time = (self.first + k) as f64 * change.time_step;
        if k > 0 {
            change.start.fill(BodyTangent::default());
        }
        change
    }
}
