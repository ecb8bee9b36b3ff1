//! Bowls of parts feeders: a helical track along a wall, the floor below it, and how both vibrate.

use super::helix::{self, MAX_TILT, MAX_TURNS, surface, track};
use super::place::entry;
use super::raw::{BodyEntry, SceneFile};
use super::raw_bowl::{BowlDriveEntry, BowlEntry};
use super::raw_joints::{CourseEntry, MotionEntry};
use super::raw_walls::HelixEntry;
use super::report::{Check, Report};
use crate::scene::body::Body;
use crate::scene::motion::Motion;
use crate::scene::start::STANDARD_GRAVITY;
use crate::scene::time_function::TimeFunction;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::borrow::Cow;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Fewest and most facets of a turn.
const FACETS: (u32, u32) = (8, helix::FACETS.1);

impl BowlEntry {
    /// Name of the floor.
    fn floor_name(&self) -> String {
        format!("{}.floor", self.name)
    }

    /// A point of the frame in world axes, and directions likewise without the position.
    fn turned(&self, v: [f64; 3]) -> Vector3<f64> {
        let [w, x, y, z] = self.orientation;
        UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)) * Vector3::from(v)
    }

    /// Distance of the middle of the track from the axis (m).
    fn middle(&self) -> f64 {
        self.radius - 0.5 * self.width * self.tilt.cos()
    }

    /// The track with its wall, whose outer side begins at the rim of the floor.
    fn helix(&self) -> HelixEntry {
        let facets = f64::from(self.facets);
        let raised = self.turned([0.0, 0.0, 0.5 * self.width * self.tilt.sin()]);
        HelixEntry {
            name: self.name.clone(),
            radii: [self.middle(); 2],
            pitch: self.pitch,
            turns: (self.turns * facets).round() / facets,
            width: self.width,
            tilt: self.tilt,
            // So far below the next turn that this has its thickness, with as much again between them.
            wall: self.pitch - 2.0 * self.thickness,
            facets: self.facets,
            thickness: self.thickness,
            clockwise: self.clockwise,
            position: (Vector3::from(self.position) + raised).into(),
            orientation: self.orientation,
            material: self.material.clone(),
        }
    }

    /// The floor, with the wall between its rim and the outer side of the first turn.
    fn floor(&self) -> BodyEntry {
        let n = self.facets;
        let at = |k: u32, z: f64| {
            let (s, c) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
            [self.radius * c, self.radius * if self.clockwise { -s } else { s }, z]
        };
        let mut vertices = vec![[0.0, 0.0, self.rise.unwrap_or(self.radius * self.tilt.tan())]];
        vertices.extend((0..n).map(|k| at(k, 0.0)));
        vertices.extend((1..=n).map(|k| at(k % n, self.pitch * f64::from(k) / f64::from(n))));
        let rim = |k: u32| 1 + k % n;
        // The wall begins with no height.
        let top = |k: u32| if k == 0 { rim(0) } else { n + k };
        let facing = |[a, b, c]: [u32; 3]| if self.clockwise { [a, c, b] } else { [a, b, c] };
        let mut triangles: Vec<[u32; 3]> = (0..n).map(|k| facing([0, rim(k), rim(k + 1)])).collect();
        for k in 0..n {
            if k > 0 {
                triangles.push(facing([rim(k), top(k), top(k + 1)]));
            }
            triangles.push(facing([rim(k), top(k + 1), rim(k + 1)]));
        }
        let at_rim = HelixEntry { name: self.floor_name(), position: self.position, ..self.helix() };
        surface(&at_rim, vertices, triangles)
    }

    /// The motions of both bodies: up and down, and about the axis.
    fn motions(&self, drive: &BowlDriveEntry) -> Vec<MotionEntry> {
        let axis: [f64; 3] = self.turned([0.0, 0.0, 1.0]).into();
        let (up, along) = drive.angle.sin_cos();
        let turned = if self.clockwise { -along } else { along } / self.middle();
        let course = |part: f64| {
            let (frequency, amplitude) = (drive.frequency, drive.amplitude * part);
            Some(CourseEntry::Sine { amplitude, frequency, phase: 0.0, offset: 0.0 })
        };
        let still = || MotionEntry::of(&Motion::Position(TimeFunction::Constant { value: 0.0 }));
        let of = |body: String| {
            let body = Some(body);
            [
                MotionEntry { body: body.clone(), direction: Some(axis), position: course(up), ..still() },
                MotionEntry {
                    body,
                    axis: Some(axis),
                    center: Some(self.position),
                    position: course(turned),
                    ..still()
                },
            ]
        };
        [self.name.clone(), self.floor_name()].into_iter().flat_map(of).collect()
    }

    /// Where it drives parts, if it does: to where it moves while it rises, when they press most.
    pub fn conveying(&self) -> Option<String> {
        let drive = self.drive.as_ref()?;
        let climbs = drive.angle < FRAC_PI_2;
        let way = if climbs == self.clockwise { "clockwise" } else { "counter-clockwise" };
        let upright = drive.amplitude * drive.angle.sin() * (TAU * drive.frequency).powi(2);
        let (to, g) = (if climbs { "up" } else { "down" }, upright / STANDARD_GRAVITY);
        Some(format!(
            "parts go {to} the track, {way} seen from above; the largest upright acceleration is {g:.2} g"
        ))
    }
}

/// The bodies of a bowl; none after a fault.
pub fn bowl(e: &BowlEntry, check: &mut Check) -> Vec<BodyEntry> {
    if is_good(e, check) { vec![track(&e.helix(), e.exit), e.floor()] } else { Vec::new() }
}

/// The file with the motions of its bowls, as far as they are among the bodies.
pub fn with_motions<'a>(file: &'a SceneFile, bodies: &[Body], report: &mut Report) -> Cow<'a, SceneFile> {
    let mut made = Cow::Borrowed(file);
    for (index, e) in file.bowl.iter().enumerate() {
        let Some(drive) = &e.drive else { continue };
        let is_there = bodies.iter().any(|body| body.name == e.name);
        if is_driven(drive, &mut report.at(entry("bowl", index, &e.name))) && is_there {
            made.to_mut().motion.extend(e.motions(drive));
        }
    }
    made
}

fn is_driven(drive: &BowlDriveEntry, check: &mut Check) -> bool {
    let mut good = true;
    for (field, value) in [("drive.frequency", drive.frequency), ("drive.amplitude", drive.amplitude)] {
        good &= check.positive(field, value) == value;
    }
    if !(0.0..=PI).contains(&drive.angle) {
        check.fault("drive.angle", format!("{:?}", drive.angle), "must be 0 to π rad");
        good = false;
    }
    good
}

fn is_good(e: &BowlEntry, check: &mut Check) -> bool {
    let mut good = true;
    for (field, value) in
        [("radius", e.radius), ("width", e.width), ("pitch", e.pitch), ("thickness", e.thickness)]
    {
        good &= check.positive(field, value) == value;
    }
    for (field, value) in [("exit", e.exit), ("rise", e.rise.unwrap_or(0.0))] {
        good &= check.not_negative(field, value) == value;
    }
    let mut refuse = |field: &str, value: String, allowed: String| {
        check.fault(field, value, allowed);
        good = false;
    };
    if !(FACETS.0..=FACETS.1).contains(&e.facets) {
        refuse("facets", e.facets.to_string(), format!("must be {} to {}", FACETS.0, FACETS.1));
    }
    if !(1.0..=MAX_TURNS).contains(&e.turns) {
        refuse("turns", format!("{:?}", e.turns), format!("must be 1 to {MAX_TURNS}"));
    }
    if !(0.0..=MAX_TILT).contains(&e.tilt) {
        refuse("tilt", format!("{:?}", e.tilt), format!("must be 0 to {MAX_TILT} rad"));
    }
    if 2.0 * e.thickness >= e.pitch {
        let allowed = format!("must be less than half of the pitch, {:?} m", e.pitch);
        refuse("thickness", format!("{:?}", e.thickness), allowed);
    }
    if e.width * e.tilt.cos() >= e.radius {
        let allowed = format!("must be less than {:?} m along the radius", e.radius);
        refuse("width", format!("{:?}", e.width), allowed);
    }
    good && helix::is_good(&e.helix(), check)
}
