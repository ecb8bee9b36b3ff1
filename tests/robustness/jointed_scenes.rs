//! Chains of bodies on random joints, some of them driven, that swing over a floor and meet it.

use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Write as _;

/// Distance of neighbours along the chain (m).
const APART: f64 = 0.24;

/// An ellipsoid, a sphere or a box of semi-axes or half extents (m).
pub fn shape_of(kind: u64, size: Vector3<f64>) -> String {
    let [a, b, c] = <[f64; 3]>::from(size);
    match kind {
        0 => format!("{{ type = \"ellipsoid\", semi_axes = [{a:?}, {b:?}, {c:?}] }}"),
        1 => format!("{{ type = \"sphere\", radius = {a:?} }}"),
        _ => format!("{{ type = \"box\", half_extents = [{a:?}, {b:?}, {c:?}] }}"),
    }
}

/// The scene of a seed. The first body hangs from the floor or is free.
pub fn jointed_scene(seed: u64) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(0x701 + seed);
    let mut pick = |of: &[f64]| of[random.random_range(0..of.len())];
    let (friction, torsion) = (pick(&[0.1, 0.3, 0.6]), pick(&[0.005, 0.02]));
    let (step, height, hangs) =
        (pick(&[0.002, 0.005, 0.01]), pick(&[0.12, 0.2, 0.5]), pick(&[0.0, 1.0]) > 0.0);
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = 2\n[[friction]]\ncoefficient = {friction:?}\n\
         ellipsoid = {{ t = 1, o = 1, r = {torsion:?} }}\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n"
    );
    let count: usize = random.random_range(2..=6);
    for k in 0..count {
        let mut three = |most: f64| Vector3::<f64>::from_fn(|_, _| random.random_range(-most..most));
        let at = Vector3::new(APART * k as f64, 0.0, height) + three(0.01);
        let (turn, size) = (three(0.4), three(0.015) + Vector3::repeat(0.06));
        let shape = shape_of(random.random_range(0..3_i32) as u64, size);
        let turn = UnitQuaternion::from_scaled_axis(turn);
        let _ = write!(
            text,
            "[[body]]\nname = \"body-{k}\"\ndensity = 1000\nshape = {shape}\nposition = {:?}\norientation = {:?}\n",
            <[f64; 3]>::from(at),
            [turn.w, turn.i, turn.j, turn.k],
        );
    }
    for k in usize::from(!hangs)..count {
        let before = if k == 0 { "floor".to_owned() } else { format!("body-{}", k - 1) };
        let mut three = |most: f64| Vector3::<f64>::from_fn(|_, _| random.random_range(-most..most));
        let anchor = Vector3::new(APART * (k as f64 - 0.5), 0.0, height) + three(0.02);
        let axis = (three(1.0) + Vector3::y() * 2.0).normalize();
        let across = axis.cross(&Vector3::x()).normalize();
        let (kind, drive) = joint(random.random_range(0..7), &axis, &across, random.random_range(-1.0..1.0));
        let _ = write!(
            text,
            "[[joint]]\nname = \"joint-{k}\"\nbetween = [\"{before}\", \"body-{k}\"]\nanchor = {:?}\n{kind}\n",
            <[f64; 3]>::from(anchor),
        );
        if random.random_range(0..2) == 0 && !drive.is_empty() {
            text += &drive.replace("JOINT", &format!("joint-{k}"));
            text.push('\n');
        }
    }
    text
}

/// Fields of a joint, and a drive for it if it has a coordinate.
pub fn joint(kind: u32, axis: &Vector3<f64>, across: &Vector3<f64>, size: f64) -> (String, String) {
    let [axis, across] = [axis, across].map(|v| format!("{:?}", <[f64; 3]>::from(*v)));
    let course = format!("{{ type = \"sine\", amplitude = {size:?}, frequency = 1.5, phase = 0.4 }}");
    let spring = format!("[[motor]]\njoint = \"JOINT\"\nposition = {course}\nstiffness = 30\ndamping = 0.2");
    let rate = format!("[[motor]]\njoint = \"JOINT\"\nvelocity = {course}\nlargest_force = 0.5");
    let push = format!("[[motor]]\njoint = \"JOINT\"\nforce = {course}");
    match kind {
        0 => ("type = \"ball\"".to_owned(), String::new()),
        1 => (format!("type = \"revolute\"\naxis = {axis}"), spring),
        2 => (format!("type = \"revolute\"\naxis = {axis}\nangle_limits = [-0.1, 0.05]"), rate),
        3 => (format!("type = \"prismatic\"\naxis = {axis}\nslide_limits = [-0.05, 0.02]"), push),
        4 => (format!("type = \"universal\"\naxis = {axis}\nsecond_axis = {across}"), String::new()),
        5 => (
            format!("type = \"revolute\"\naxis = {axis}"),
            format!("[[motion]]\njoint = \"JOINT\"\nvelocity = {course}"),
        ),
        _ => ("type = \"fixed\"".to_owned(), String::new()),
    }
}
