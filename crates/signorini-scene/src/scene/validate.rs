//! Checks of a scene whose fields were set in Rust.

use super::body::Body;
use super::definition::Scene;
use super::file::{LoadOptions, Report, check_periodic, file_of, resolve};
use signorini_error::{Error, Result};
use std::path::Path;

/// Names of tables in messages about a file, and of the matching lists of a scene.
const TABLES: [(&str, &str); 14] = [
    ("body[", "bodies["),
    ("impulse[", "impulses["),
    ("force[", "forces["),
    ("spring[", "springs["),
    ("joint[", "joints["),
    ("coupling[", "couplings["),
    ("motor[", "motors of joints, "),
    ("motion[", "motions["),
    ("exclude[", "excluded["),
    ("inlet[", "inlets["),
    ("outlet[", "outlets["),
    ("measure[", "measures["),
    ("sensor[", "sensors["),
    ("servo[", "servos["),
];
/// Fields of the file, and where they are in the scene.
const FIELDS: [(&str, &str); 13] = [
    ("position", "pose.position"),
    ("orientation", "pose.orientation"),
    ("velocity", "velocity.linear"),
    ("angular_velocity", "velocity.angular"),
    ("shape_position", "parts[0].pose.position"),
    ("shape_orientation", "parts[0].pose.orientation"),
    ("between", "bodies"),
    ("slide_limits", "coordinates, limits of the slide"),
    ("angle_limits", "coordinates, limits of the angle"),
    ("length_limits", "coordinates, limits of the length"),
    ("armature", "coordinates, armature"),
    ("anchors", "frames, position"),
    ("orientations", "frames, orientation"),
];

impl Scene {
    /// Checks a scene whose fields were set by hand, by the rules of scene files. `Simulation::new` does so
    /// too.
    ///
    /// # Errors
    /// All faults, each with the entry (`bodies[2] "ball"`), the field and what is allowed.
    pub fn validate(&self) -> Result<()> {
        let mut report = Report::new(Path::new("scene"));
        check_indices(self, &mut report);
        report.stop_if_faulty()?;
        resolve(&file_of(self), &LoadOptions::default(), &mut report).map(|_| ()).map_err(in_words_of_scene)
    }

    /// Whether a body that comes fits into the periodic box, if there is one.
    ///
    /// # Errors
    /// When it would meet an image of itself, or has a half-space that cuts the box.
    pub fn check_periodic(&self, body: &Body) -> Result<()> {
        let mut report = Report::new(Path::new("scene"));
        check_periodic(self.periodic.as_ref(), std::slice::from_ref(body), (&[], &[]), &mut report)
    }
}

fn in_words_of_scene(error: Error) -> Error {
    match error {
        Error::Field { file, at, field, value, allowed } => {
            Error::Field { file, at, field: field_of_scene(&field), value, allowed }
        }
        Error::Many(errors) => Error::Many(errors.into_iter().map(in_words_of_scene).collect()),
        other => other,
    }
}

/// `body[2] "ball": position` is `bodies[2] "ball": pose.position`.
fn field_of_scene(field: &str) -> String {
    let Some((place, field)) = field.rsplit_once(": ") else { return field.to_owned() };
    let table = TABLES.iter().find_map(|(file, scene)| Some(format!("{scene}{}", place.strip_prefix(file)?)));
    let place = table.unwrap_or_else(|| place.to_owned());
    // The motion of a body has no pose.
    let is_listed = !place.starts_with("mot");
    let renamed =
        FIELDS.iter().find(|(file, _)| is_listed && *file == field).map_or(field, |(_, scene)| scene);
    if place == "simulation" { renamed.to_owned() } else { format!("{place}: {renamed}") }
}

/// Faults that no file can have: indices out of range.
fn check_indices(scene: &Scene, report: &mut Report) {
    let n = scene.friction.materials.len();
    let entries = scene.friction.entries.len();
    if entries != n * n {
        report.fault("friction.entries", entries, format!("must be the square of the {n} materials"));
    }
    for (i, body) in scene.bodies.iter().enumerate() {
        let place = format!("bodies[{i}] {:?}", body.name);
        if body.parts.is_empty() {
            report.fault(format!("{place}: parts"), "[]", "a body has at least one part");
        }
        for (k, part) in body.parts.iter().enumerate().filter(|(_, part)| part.material >= n) {
            let allowed = format!("must be below {n}, the number of materials");
            report.fault(format!("{place}: parts[{k}].material"), part.material, allowed);
        }
    }
    let bodies = scene.bodies.len();
    let loads = scene.impulses.iter().map(|p| p.body).enumerate().map(|(i, id)| ("impulses", i, id));
    let forces = scene.forces.iter().map(|f| f.body).enumerate().map(|(i, id)| ("forces", i, id));
    let springs = scene.springs.iter().enumerate().flat_map(|(i, s)| s.bodies.map(|id| ("springs", i, id)));
    let joints = scene.joints.iter().enumerate().flat_map(|(i, j)| j.bodies.map(|id| ("joints", i, id)));
    let motions = scene.motions.iter().enumerate();
    let motions = motions.flat_map(|(i, m)| [Some(m.body), m.relative_to].map(|id| (i, id)));
    let motions = motions.filter_map(|(i, id)| Some(("motions", i, id?)));
    let excluded = scene.excluded.iter().enumerate().flat_map(|(i, pair)| pair.map(|id| ("excluded", i, id)));
    let widths = scene.servos.iter().map(|servo| servo.widths.each_ref().map(|width| width.bodies));
    let servos =
        widths.enumerate().flat_map(|(i, ids)| ids.concat().into_iter().map(move |id| ("servos", i, id)));
    let listed =
        loads.chain(forces).chain(springs).chain(joints).chain(motions).chain(excluded).chain(servos);
    for (list, i, id) in listed.filter(|(_, _, id)| *id >= bodies) {
        report.fault(
            format!("{list}[{i}]: body"),
            id,
            format!("must be below {bodies}, the number of bodies"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Body, Friction};

    #[test]
    fn faults_name_the_body_and_the_field_of_the_scene() {
        let mut scene = Scene::builder();
        scene.friction(Friction::coulomb(0.5));
        scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
        let ball = scene.body(Body::sphere(0.1).density(1000.0).at([0.0, 0.0, 0.2]).named("ball"));
        let good = scene.build().expect("a good scene");
        good.validate().expect("a good scene");
        let fault = |change: &dyn Fn(&mut Scene)| {
            let mut scene = good.clone();
            change(&mut scene);
            scene.validate().expect_err("a bad scene").to_string()
        };
        let text = fault(&|s| s.bodies[ball.index()].mass = -1.0);
        assert!(text.starts_with("scene: bodies[1] \"ball\": mass = -1.0: must be"), "{text}");
        let text = fault(&|s| s.bodies[ball.index()].pose.position.x = f64::NAN);
        assert!(text.starts_with("scene: bodies[1] \"ball\": pose.position = [NaN, 0.0, 0.2]: "), "{text}");
        let text = fault(&|s| s.time_step = 0.0);
        assert!(text.starts_with("scene: time_step = 0.0: "), "{text}");
        let text = fault(&|s| s.bodies[ball.index()].parts[0].material = 7);
        assert!(
            text.starts_with("scene: bodies[1] \"ball\": parts[0].material = 7: must be below"),
            "{text}"
        );
    }
}
