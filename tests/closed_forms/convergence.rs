//! First order in h: an ellipsoid that rolls and wobbles on a plane without slip, against the equations of
//! rolling integrated by Runge and Kutta's method of order 4, which knows nothing of contact or friction.
//!
//! `cargo test --test closed_forms convergence -- --ignored` writes the table and the picture of
//! docs/guide/convergence.md again.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use signorini::step::ContactState;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Scene;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use support::judged_steps::{G, ellipsoid, floor, friction, scene, v};
use support::runs::Run;

const SEMI_AXES: [f64; 3] = [0.3, 0.25, 0.2];
const MASS: f64 = 2.0;
const DURATION: f64 = 1.0;
const STEPS: [f64; 5] = [0.004, 0.002, 0.001, 0.0005, 0.00025];

/// Position, attitude and spin of the rolling body.
#[derive(Clone, Copy)]
struct Rolling {
    pose: Pose,
    spin: Vector3<f64>,
}

/// From the centre to the lowest point, and its rate of change as the body turns with `spin`: r = −Q
/// z/√(zᵀQz), Q = R diag(a²) Rᵀ, Q' = [ω]Q − Q[ω].
fn lowest_point(pose: &Pose, spin: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let r = pose.rotation();
    let a = Vector3::from(SEMI_AXES);
    let q = r * Matrix3::from_diagonal(&a.component_mul(&a)) * r.transpose();
    let turn = spin.cross_matrix();
    let rate = turn * q - q * turn;
    let z = Vector3::z();
    let height = z.dot(&(q * z)).sqrt();
    let low = -(q * z) / height;
    let low_rate = -(rate * z) / height + q * z * (z.dot(&(rate * z)) / (2.0 * height.powi(3)));
    (low, low_rate)
}

/// The contact point of the body is at rest: v = −ω × r.
fn rolling_velocity(state: &Rolling) -> Vector3<f64> {
    -state.spin.cross(&lowest_point(&state.pose, &state.spin).0)
}

/// ω' from moment of momentum about the contact: with v' = −ω' × r − ω × r' and F = m (v' − g),
/// I ω' + m r × (ω' × r) = −ω × I ω − m r × (ω × r') − m r × g.
fn spin_rate(state: &Rolling) -> Vector3<f64> {
    let r = state.pose.rotation();
    let squares = Vector3::from(SEMI_AXES.map(|a| a * a));
    let inertia_b = (Matrix3::identity() * squares.sum() - Matrix3::from_diagonal(&squares)) * (MASS / 5.0);
    let inertia = r * inertia_b * r.transpose();
    let (low, low_rate) = lowest_point(&state.pose, &state.spin);
    let about_contact = inertia + (Matrix3::identity() * low.norm_squared() - low * low.transpose()) * MASS;
    let spin = state.spin;
    let load = -spin.cross(&(inertia * spin))
        - low.cross(&spin.cross(&low_rate)) * MASS
        - low.cross(&v(0.0, 0.0, -G)) * MASS;
    about_contact.lu().solve(&load).expect("positive definite")
}

/// The rolling motion at the end, with a step so small that its own error is below 1e-11.
fn reference(start: Rolling) -> Rolling {
    let n = 20_000;
    let h = DURATION / f64::from(n);
    // q' = ½ ω q for the attitude.
    let slope = |s: &Rolling| {
        let rate = nalgebra::Quaternion::from_imag(s.spin) * s.pose.orientation.into_inner() * 0.5;
        (rolling_velocity(s), rate, spin_rate(s))
    };
    let moved = |s: &Rolling, k: &(Vector3<f64>, nalgebra::Quaternion<f64>, Vector3<f64>), h: f64| Rolling {
        pose: Pose {
            position: s.pose.position + k.0 * h,
            orientation: UnitQuaternion::new_normalize(s.pose.orientation.into_inner() + k.1 * h),
        },
        spin: s.spin + k.2 * h,
    };
    let mut state = start;
    for _ in 0..n {
        let k1 = slope(&state);
        let k2 = slope(&moved(&state, &k1, 0.5 * h));
        let k3 = slope(&moved(&state, &k2, 0.5 * h));
        let k4 = slope(&moved(&state, &k3, h));
        let mean = (
            (k1.0 + (k2.0 + k3.0) * 2.0 + k4.0) / 6.0,
            (k1.1 + (k2.1 + k3.1) * 2.0 + k4.1) / 6.0,
            (k1.2 + (k2.2 + k3.2) * 2.0 + k4.2) / 6.0,
        );
        state = moved(&state, &mean, h);
    }
    state
}

fn start() -> Rolling {
    let orientation = UnitQuaternion::from_scaled_axis(v(0.3, -0.2, 0.5));
    let mut pose = Pose { position: Vector3::zeros(), orientation };
    let spin = v(1.0, 6.0, 0.8);
    pose.position.z = -lowest_point(&pose, &spin).0.z;
    Rolling { pose, spin }
}

fn rolling_scene(step: f64) -> Scene {
    let start = start();
    let velocity = Velocity { linear: rolling_velocity(&start), angular: start.spin };
    let body = ellipsoid("stone", SEMI_AXES.into(), MASS, start.pose, velocity);
    let mut scene = scene(vec![floor(), body], friction(1.5, [1.0, 1.0], 0.0));
    scene.time_step = step;
    scene.duration = DURATION;
    scene.solver.tolerance = 1e-9;
    scene
}

/// Errors at the end with one step size: position (m), attitude (rad), linear (m/s) and angular velocity
/// (rad/s).
#[derive(Debug, Clone, Copy)]
struct Errors {
    step: f64,
    parts: [f64; 4],
}

fn measure() -> Vec<Errors> {
    let exact = reference(start());
    let exact_velocity = rolling_velocity(&exact);
    let error = |step: f64| {
        let mut run = Run::new(rolling_scene(step));
        for _ in 0..run.scene().n_steps() {
            run.advance();
            assert_eq!(run.contacts()[0].state, ContactState::Stick, "it slips or flies with h = {step}");
        }
        let (pose, velocity) = (run.state().poses[1], run.state().velocities[1]);
        let parts = [
            (pose.position - exact.pose.position).norm(),
            pose.orientation.angle_to(&exact.pose.orientation),
            (velocity.linear - exact_velocity).norm(),
            (velocity.angular - exact.spin).norm(),
        ];
        Errors { step, parts }
    };
    STEPS.into_iter().map(error).collect()
}

/// log2 of the ratio of the errors of each part.
fn orders(coarse: &Errors, fine: &Errors) -> [f64; 4] {
    let halvings = (coarse.step / fine.step).log2();
    std::array::from_fn(|i| (coarse.parts[i] / fine.parts[i]).log2() / halvings)
}

fn table(measured: &[Errors]) -> String {
    let mut text = String::from(
        "| h (s) | position (m) | order | attitude (rad) | order | velocity (m/s) | order | angular velocity (rad/s) | order |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for (i, errors) in measured.iter().enumerate() {
        let order = (i > 0).then(|| orders(&measured[i - 1], errors));
        let _ = write!(text, "| {} |", errors.step);
        for (k, part) in errors.parts.iter().enumerate() {
            let shown = order.map_or_else(String::new, |o| format!("{:.2}", o[k]));
            let _ = write!(text, " {part:.2e} | {shown} |");
        }
        text.push('\n');
    }
    text
}

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/convergence.md")
}

const MARKS: [&str; 2] = ["<!-- table: begin -->\n", "<!-- table: end -->\n"];

/// The document before, in and after its table.
fn split(text: &str) -> (&str, &str, &str) {
    let (before, rest) = text.split_once(MARKS[0]).expect("a table in the document");
    let (table, after) = rest.split_once(MARKS[1]).expect("an end of the table");
    (before, table, after)
}

/// The energy of rolling is conserved: a check of the reference itself, to far below the errors measured by
/// it.
#[test]
fn reference_conserves_energy() {
    let energy = |s: &Rolling| {
        let squares = Vector3::from(SEMI_AXES.map(|a| a * a));
        let inertia = (Vector3::repeat(squares.sum()) - squares) * (MASS / 5.0);
        let spin = s.pose.orientation.inverse() * s.spin;
        0.5 * MASS * rolling_velocity(s).norm_squared()
            + 0.5 * spin.dot(&inertia.component_mul(&spin))
            + MASS * G * s.pose.position.z
    };
    let (first, last) = (start(), reference(start()));
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 1e-11);
    // It touches the plane all the time, and it did move.
    assert!((last.pose.position.z + lowest_point(&last.pose, &last.spin).0.z).abs() < 1e-10);
    assert!((last.pose.position - first.pose.position).norm() > 0.5);
}

#[test]
fn rolling_converges_to_first_order() {
    let measured = measure();
    let text = table(&measured);
    for pair in measured.windows(2) {
        for order in orders(&pair[0], &pair[1]) {
            assert!((0.85..=1.15).contains(&order), "order {order}\n{text}");
        }
    }
    let documented = fs::read_to_string(document()).expect("docs/guide/convergence.md");
    assert_eq!(split(&documented).1, text, "run this test with --ignored to write the table again");
}

#[test]
#[ignore = "writes docs/guide/convergence.md and docs/img/convergence.png"]
fn write_the_document() {
    let measured = measure();
    let documented = fs::read_to_string(document()).expect("docs/guide/convergence.md");
    let (before, _, after) = split(&documented);
    let text = [before, MARKS[0], &table(&measured), MARKS[1], after].concat();
    fs::write(document(), text).expect("a writable document");
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/img/convergence.png");
    fs::create_dir_all(picture.parent().expect("a folder")).expect("a writable folder");
    drawing::draw(&measured, &picture).expect("a picture");
}

mod drawing {
    use super::Errors;
    use signorini_figures::{Figure, Panel, Pen, PlotAxis, Scale, Series, colour};
    use std::fs;
    use std::io::Result;
    use std::path::Path;

    /// Errors over step size, both logarithmic, with a line of slope 1 beside them.
    pub fn draw(measured: &[Errors], file: &Path) -> Result<()> {
        let point = |step: f64, error: f64| (step.log10(), error.log10());
        let names = ["position (m)", "attitude (rad)", "velocity (m/s)", "angular velocity (rad/s)"];
        let colours = [colour::BLACK, colour::BLUE, colour::GREEN, colour::RED];
        let mut series = Vec::new();
        for (k, (name, colour)) in names.into_iter().zip(colours).enumerate() {
            let line =
                Series::line(name, colour, measured.iter().map(|e| point(e.step, e.parts[k])).collect());
            series.push(Series { label: String::new(), ..line.clone().with_pen(Pen::Dots(4)) });
            series.push(line);
        }
        let anchor = measured[0].parts.into_iter().fold(0.0, f64::max) * 1.6 / measured[0].step;
        let slope = measured.iter().map(|e| point(e.step, anchor * e.step)).collect();
        series.push(Series::line("slope 1", colour::GREY, slope).with_pen(Pen::Line(1)));
        let panel = Panel {
            caption: String::new(),
            x: PlotAxis { label: "time step h (s)".to_owned(), scale: Scale::Log10 },
            y_label: "error (m, rad, m/s, rad/s)".to_owned(),
            scale: Scale::Log10,
            with_zero: false,
            noise: 0.0,
            series,
        };
        let title = "An ellipsoid rolls for 1 s: error at the end".to_owned();
        let figure = Figure { stem: "convergence".to_owned(), title, panels: vec![panel] };
        fs::write(file, figure.png()?)
    }
}
