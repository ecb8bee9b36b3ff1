//! Quantities that are read from a run in every step.

use nalgebra::Vector3;
use serde::Deserialize;
use signorini::Simulation;
use signorini_geometry::Pose;
use signorini_kernels::math::{largest, raise};

/// A quantity of a body, a joint, or the whole scene.
#[derive(Deserialize)]
pub struct Series {
    pub quantity: Quantity,
    /// Name of the body or joint; `"pin-*"` is all bodies whose names begin so.
    pub of: Option<String>,
    /// Another body.
    pub from: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    X,
    Y,
    Z,
    Vx,
    Vy,
    Vz,
    Wx,
    Wy,
    Wz,
    /// Distance from the start.
    Away,
    /// Distance from the world's z axis.
    Radius,
    /// Angle between the body's vertical at the start, and the vertical.
    Tilt,
    /// Angle of the rotation since the start.
    Turn,
    /// Distance of two centres of mass.
    Apart,
    /// Magnitude of all contact forces on the body together.
    Force,
    /// Smallest gap of all near pairs.
    Gap,
    /// Kinetic and potential energy of all bodies.
    Energy,
    /// Magnitude of the angular momentum about the body's own centre.
    Momentum,
    #[serde(rename = "joint error")]
    JointError,
    /// Angle of a joint.
    Coordinate,
    Mass,
    #[serde(rename = "Ixx")]
    InertiaXx,
}

impl Quantity {
    /// Word, and unit.
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::X => ["x", "m"],
            Self::Y => ["y", "m"],
            Self::Z => ["z", "m"],
            Self::Vx => ["v_x", "m/s"],
            Self::Vy => ["v_y", "m/s"],
            Self::Vz => ["v_z", "m/s"],
            Self::Wx => ["ω_x", "rad/s"],
            Self::Wy => ["ω_y", "rad/s"],
            Self::Wz => ["ω_z", "rad/s"],
            Self::Away => ["way from the start", "m"],
            Self::Radius => ["distance from the axis", "m"],
            Self::Tilt => ["tilt", "°"],
            Self::Turn => ["turn", "°"],
            Self::Apart => ["distance", "m"],
            Self::Force => ["contact force", "N"],
            Self::Gap => ["smallest gap", "m"],
            Self::Energy => ["energy", "J"],
            Self::Momentum => ["angular momentum", "kg m²/s"],
            Self::JointError => ["error of joints", "m"],
            Self::Coordinate => ["angle", "rad"],
            Self::Mass => ["mass", "kg"],
            Self::InertiaXx => ["I_xx", "kg m²"],
        }
    }

    /// Whether it is the same in every step.
    pub fn is_constant(self) -> bool {
        matches!(self, Self::Mass | Self::InertiaXx)
    }
}

/// A number taken from the values of all steps.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum Take {
    End,
    Most,
    Least,
    /// Largest change since the start.
    Drift,
    /// Largest increase since the start.
    Rise,
}

impl Take {
    /// The value at the start is the first; extremes leave it out.
    pub fn of(self, values: &[f64]) -> f64 {
        let (start, steps) = values.split_first().expect("the start");
        let most = |values: &mut dyn Iterator<Item = f64>| {
            let mut most = f64::NEG_INFINITY;
            values.for_each(|value| raise(&mut most, value));
            most
        };
        match self {
            Self::End => *steps.last().expect("a step"),
            Self::Most => most(&mut steps.iter().copied()),
            Self::Least => -most(&mut steps.iter().map(|v| -v)),
            Self::Drift => most(&mut steps.iter().map(|v| (v - start).abs())),
            Self::Rise => most(&mut steps.iter().map(|v| largest([v - start]))),
        }
    }
}

impl Series {
    /// Words for it: "x of cube".
    pub fn name(&self) -> String {
        let [word, _] = self.quantity.words();
        let of = self.of.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
        let from = self.from.as_deref().map(|name| format!(" from {name}")).unwrap_or_default();
        format!("{word}{of}{from}")
    }

    /// A list for each of its bodies that begins with the value at the start.
    pub fn readings(&self, simulation: &Simulation) -> Vec<Vec<f64>> {
        let mut readings = vec![Vec::new(); self.bodies(simulation).len()];
        self.read(simulation, &mut readings);
        readings
    }

    /// Appends the values of now.
    pub fn read(&self, simulation: &Simulation, readings: &mut [Vec<f64>]) {
        for (&body, values) in self.bodies(simulation).iter().zip(readings) {
            values.push(self.value(simulation, body));
        }
    }

    /// Indices of the bodies; of the other ones where there are two; 0 for a joint and the whole scene.
    fn bodies(&self, simulation: &Simulation) -> Vec<usize> {
        let whole = [Quantity::Gap, Quantity::Energy, Quantity::JointError, Quantity::Coordinate]
            .contains(&self.quantity);
        if whole {
            return vec![0];
        }
        let name = self.from.as_ref().or(self.of.as_ref()).expect("a body");
        let named = |body: &str| match name.strip_suffix('*') {
            Some(beginning) => body.starts_with(beginning),
            None => body == name,
        };
        let all = simulation.scene().bodies.iter().enumerate();
        let found: Vec<usize> = all.filter(|(_, body)| named(&body.name)).map(|(k, _)| k).collect();
        assert!(!found.is_empty(), "no body {name:?}");
        found
    }

    fn value(&self, simulation: &Simulation, k: usize) -> f64 {
        let (state, scene) = (simulation.state(), simulation.scene());
        let (pose, velocity, start) = (state.poses[k], state.velocities[k], scene.bodies[k].pose);
        match self.quantity {
            Quantity::X => pose.position.x,
            Quantity::Y => pose.position.y,
            Quantity::Z => pose.position.z,
            Quantity::Vx => velocity.linear.x,
            Quantity::Vy => velocity.linear.y,
            Quantity::Vz => velocity.linear.z,
            Quantity::Wx => velocity.angular.x,
            Quantity::Wy => velocity.angular.y,
            Quantity::Wz => velocity.angular.z,
            Quantity::Away => (pose.position - start.position).norm(),
            Quantity::Radius => pose.position.xy().norm(),
            Quantity::Tilt => tilt(&pose, &start),
            Quantity::Turn => pose.orientation.angle_to(&start.orientation).to_degrees(),
            Quantity::Apart => (pose.position - self.other(simulation).position).norm(),
            Quantity::Force => force(simulation, k).norm(),
            Quantity::Gap => simulation.contacts().iter().map(|c| c.gap).fold(f64::INFINITY, f64::min),
            Quantity::Energy => simulation.kinetic_energy() + simulation.potential_energy(),
            Quantity::Momentum => {
                (scene.bodies[k].inertia * (pose.orientation.inverse() * velocity.angular)).norm()
            }
            Quantity::JointError => simulation.joints().iter().map(|j| j.error[0]).fold(0.0, f64::max),
            Quantity::Coordinate => self.angle(simulation),
            Quantity::Mass => scene.bodies[k].mass,
            Quantity::InertiaXx => scene.bodies[k].inertia[(0, 0)],
        }
    }

    /// Pose of the body `of` where there are two.
    fn other(&self, simulation: &Simulation) -> Pose {
        let body = self.of.as_deref().and_then(|name| simulation.body_named(name)).expect("a body");
        simulation.pose(body).expect("a body")
    }

    /// Angle of the joint `of` (rad), 0 before the first step.
    fn angle(&self, simulation: &Simulation) -> f64 {
        let joints = &simulation.scene().joints;
        let joint = joints.iter().position(|j| Some(&j.name) == self.of.as_ref()).expect("a joint");
        let record = simulation.joints().iter().find(|record| record.joint == joint);
        record.map_or(0.0, |record| record.coordinate[1].expect("a joint with a limit"))
    }
}

/// Angle (°) between the vertical and the direction in the body that was vertical at the start.
fn tilt(pose: &Pose, start: &Pose) -> f64 {
    let up = pose.orientation * (start.orientation.inverse() * Vector3::z());
    up.xy().norm().atan2(up.z).to_degrees()
}

/// Sum of the contact forces on a body (N), as means over the step.
fn force(simulation: &Simulation, body: usize) -> Vector3<f64> {
    let mut impulse = Vector3::zeros();
    for contact in simulation.contacts() {
        let on_b = contact.normal * contact.normal_impulse + contact.friction_impulse;
        let sign = f64::from(u8::from(contact.body_b == body)) - f64::from(u8::from(contact.body_a == body));
        impulse += on_b * sign;
    }
    impulse / simulation.scene().time_step
}
