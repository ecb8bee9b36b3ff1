//! Prescribed motions, springs, forces and impulses of a scene.

use super::joints::moved;
use super::text::{Text, number, vector};
use nalgebra::Vector3;
use signorini_error::counted;
use signorini_scene::scene::{BodyMotion, Condition, Impulse, Scene, Trajectory};

/// Adds motions, springs and loads to the summary.
pub fn describe(scene: &Scene, text: &mut Text) {
    let name = |id: usize| &scene.bodies[id].name;
    text.list("motions", scene.motions.len(), scene.motions.iter().map(|m| motion(scene, m)));
    let springs = scene.springs.iter().map(|s| {
        let [a, b] = s.bodies.map(name);
        let [k, d, l] = [s.stiffness, s.damping, s.rest_length].map(number);
        format!("{a:?} to {b:?}: stiffness {k} N/m, damping {d} N s/m, length without force {l} m")
    });
    text.list("springs", scene.springs.len(), springs);
    let constant: Vec<String> = scene
        .bodies
        .iter()
        .filter(|b| b.force != Vector3::zeros() || b.torque != Vector3::zeros())
        .map(|b| format!("{:?}: {}, always", b.name, wrench(&b.force, &b.torque, "N")))
        .collect();
    let timed = scene.forces.iter().map(|f| {
        let [from, to] = [f.from, f.to].map(number);
        format!("{:?}: {}, from {from} to {to} s", name(f.body), wrench(&f.force, &f.torque, "N"))
    });
    let n = constant.len() + scene.forces.len();
    text.list("forces", n, constant.into_iter().chain(timed));
    text.list("impulses", scene.impulses.len(), scene.impulses.iter().map(|p| impulse(scene, p)));
}

fn motion(scene: &Scene, motion: &BodyMotion) -> String {
    let (line, unit) = match &motion.trajectory {
        Trajectory::Along(direction) => (format!("moves along {}", vector(direction)), "m"),
        Trajectory::About { axis, center } => {
            (format!("turns about {} through {}", vector(axis), vector(center)), "rad")
        }
        Trajectory::Through(course) => {
            let (n, ends) = (course.times.len(), [course.times.first(), course.times.last()]);
            let [from, to] = ends.map(|t| number(t.copied().unwrap_or(0.0)));
            let body = &scene.bodies[motion.body].name;
            return format!("{body:?}: goes through {} from {from} to {to} s", counted(n, "pose"));
        }
    };
    let carried =
        motion.relative_to.map_or_else(String::new, |id| format!(", carried by {:?}", scene.bodies[id].name));
    format!("{:?}: {line}, {}{carried}", scene.bodies[motion.body].name, moved(&motion.motion, unit))
}

fn impulse(scene: &Scene, impulse: &Impulse) -> String {
    let time = number(impulse.time);
    let when = match &impulse.when {
        None => format!("at {time} s"),
        Some(Condition::AngularVelocity { axis, reaches }) => {
            let reaches = number(*reaches);
            format!(
                "whenever the angular velocity along {} reaches {reaches} rad/s, from {time} s on",
                vector(axis)
            )
        }
        Some(Condition::Contact { kind }) => {
            format!("at the first {} contact, from {time} s on", kind.as_str())
        }
    };
    let name = &scene.bodies[impulse.body].name;
    format!("{name:?}: {}, {when}", wrench(&impulse.linear, &impulse.angular, "N s"))
}

/// Returns force and torque, or impulses, as text; those that are zero are left out.
fn wrench(force: &Vector3<f64>, torque: &Vector3<f64>, unit: &str) -> String {
    let about = unit.replacen('N', "N m", 1);
    match (*force != Vector3::zeros(), *torque != Vector3::zeros()) {
        (true, true) => format!("{} {unit} and {} {about}", vector(force), vector(torque)),
        (false, true) => format!("{} {about}", vector(torque)),
        _ => format!("{} {unit}", vector(force)),
    }
}
