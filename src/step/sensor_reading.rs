//! Readings of sensors: sums of the impulses that contacts and joints exerted in a step, over its length.

use super::contact_record::ContactRecord;
use super::joint_record::JointRecord;
use nalgebra::Vector3;
use signorini_geometry::Pose;
use signorini_geometry::periodic::ITSELF;
use signorini_scene::scene::{Scene, Sensed, Sensor, SensorFrame, State};

/// Force and torque of a sensor over a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SensorReading {
    /// Force (N), axes of the sensor.
    pub force: Vector3<f64>,
    /// Torque about the point of the sensor (N m), axes of the sensor.
    pub torque: Vector3<f64>,
}

/// Sums over a step, world axes.
struct Sums {
    /// Point to which the torque belongs (m).
    about: Vector3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Sums {
    /// Adds an impulse at a point, and a turning one.
    fn add(&mut self, point: &Vector3<f64>, push: &Vector3<f64>, spin: &Vector3<f64>, sign: f64) {
        self.linear += push * sign;
        self.angular += ((point - self.about).cross(push) + spin) * sign;
    }
}

/// Reads a sensor at the end of a step with these contacts and joints; None where a body or the joint that
/// its frame goes with is not there.
pub fn read_sensor(
    sensor: &Sensor,
    (scene, state): (&Scene, &State),
    contacts: &[ContactRecord],
    joints: &[JointRecord],
) -> Option<SensorReading> {
    let own = own_frame(&sensor.sensed, scene, state)?;
    let frame = if sensor.frame == SensorFrame::World { Pose::identity() } else { own };
    let about = sensor.point.map_or(own.position, |point| frame.point(&point));
    let mut sums = Sums { about, linear: Vector3::zeros(), angular: Vector3::zeros() };
    match &sensor.sensed {
        Sensed::Bodies { on, by } => {
            let groups = Groups::new(scene, on, by.as_deref());
            contacts.iter().filter(|c| c.counts()).for_each(|c| groups.add_contact(c, scene, &mut sums));
            acting(joints).for_each(|joint| groups.add_joint(joint, scene, &mut sums));
        }
        Sensed::Joint(name) => {
            let of_joint = acting(joints).filter(|record| scene.joints[record.joint].name == *name);
            of_joint.for_each(|record| sums.add(&record.point, &record.force, &record.torque, 1.0));
        }
    }
    let (back, h) = (frame.orientation.inverse(), scene.time_step);
    Some(SensorReading { force: back * sums.linear / h, torque: back * sums.angular / h })
}

/// Frame that goes with the first body, or with a joint: axes of its frame in A, and its anchor in B.
fn own_frame(sensed: &Sensed, scene: &Scene, state: &State) -> Option<Pose> {
    match sensed {
        Sensed::Bodies { on, .. } => {
            let first = scene.bodies.iter().position(|body| on.first() == Some(&body.name))?;
            Some(state.poses[first])
        }
        Sensed::Joint(name) => {
            let joint = scene.joints.iter().find(|joint| joint.name == *name)?;
            let [a, b] = joint.bodies.map(|id| &state.poses[id]);
            let orientation = a.orientation * joint.frames[0].orientation;
            Some(Pose { position: b.point(&joint.frames[1].position), orientation })
        }
    }
}

/// Records of joints whose impulses changed velocities: those of an impact replace those that led to it.
fn acting(joints: &[JointRecord]) -> impl Iterator<Item = &JointRecord> {
    let replaces = |one: &JointRecord, other: &JointRecord| {
        other.joint == one.joint && other.span.is_impact() && other.span.end == one.span.end
    };
    let counts =
        move |one: &&JointRecord| one.span.is_impact() || !joints.iter().any(|other| replaces(one, other));
    joints.iter().filter(counts)
}

/// Groups of bodies, by their places in the scene.
struct Groups {
    on: Vec<bool>,
    by: Vec<bool>,
}

impl Groups {
    fn new(scene: &Scene, on: &[String], by: Option<&[String]>) -> Self {
        let among = |names: &[String]| scene.bodies.iter().map(|b| names.contains(&b.name)).collect();
        let on: Vec<bool> = among(on);
        let by = by.map_or_else(|| on.iter().map(|is_on| !is_on).collect(), among);
        Self { on, by }
    }

    /// Sign of the impulse on body B of two bodies: 1 where it counts, −1 where its opposite on A does.
    fn sign(&self, a: usize, b: usize) -> Option<f64> {
        match (self.on[b] && self.by[a], self.on[a] && self.by[b]) {
            (true, _) => Some(1.0),
            (_, true) => Some(-1.0),
            _ => None,
        }
    }

    fn add_contact(&self, contact: &ContactRecord, scene: &Scene, sums: &mut Sums) {
        let Some(sign) = self.sign(contact.body_a, contact.body_b) else { return };
        let spin = contact.normal * contact.torsional_impulse + contact.rolling_impulse;
        // Body B is met in an image of a periodic box.
        let image = scene.periodic.filter(|_| sign > 0.0 && contact.image != ITSELF);
        let point = image.map_or(contact.ecp, |periodic| contact.ecp - periodic.shift(contact.image));
        sums.add(&point, &contact.impulse(), &spin, sign);
    }

    fn add_joint(&self, record: &JointRecord, scene: &Scene, sums: &mut Sums) {
        let [a, b] = scene.joints[record.joint].bodies;
        let Some(sign) = self.sign(a, b) else { return };
        sums.add(&record.point, &record.force, &record.torque, sign);
    }
}
