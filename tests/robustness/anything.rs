//! Scenes of everything at once, drawn at random: 2 to 40 bodies of eight shapes, alone or as parts of one
//! body that overlap, some a thousand times as dense, on joints with limits and motors, with restitution,
//! rolling resistance or cohesion, on floors, over steps and bumps, in boxes, shaken trays and drums, to 1e-1
//! to 1e-8.
//!
//! `cargo test --release --test robustness anything -- --ignored --nocapture` prints a table of 300 of them,
//! of others with `SEEDS=300..900`; `KEEP=folder` writes those with faults as scene files.

#![allow(clippy::print_stderr, reason = "the table is what the ignored test is for")]

use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::simulation::Simulation;
use signorini_scene::scene::{LoadOptions, parse};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::Path;

/// Tolerances of the scenes; a quarter of them are at the default.
const TOLERANCES: [f64; 8] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-4, 1e-5, 1e-6, 1e-8];
const SHAPES: [Kind; 8] = [
    Kind::Sphere,
    Kind::Ellipsoid,
    Kind::Box,
    Kind::Cube,
    Kind::Cylinder,
    Kind::Capsule,
    Kind::Prism,
    Kind::Hull,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Sphere,
    Ellipsoid,
    Box,
    Cube,
    Cylinder,
    Capsule,
    Prism,
    Hull,
}

struct Draw(Pcg64Mcg);

impl Draw {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.random_range(low..high)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    fn chance(&mut self, part: f64) -> bool {
        self.between(0.0, 1.0) < part
    }

    fn three(&mut self, most: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-most, most))
    }

    fn axis(&mut self) -> Vector3<f64> {
        self.three(1.0).normalize()
    }

    fn turn(&mut self) -> [f64; 4] {
        let turn = UnitQuaternion::from_scaled_axis(self.axis() * self.between(0.0, 3.0));
        [turn.w, turn.i, turn.j, turn.k]
    }

    /// A shape of a size of some `scale` times a tenth of a metre.
    fn shape(&mut self, kind: Kind, scale: f64) -> String {
        let hull = |points: Vec<[f64; 3]>| format!("{{ type = \"polytope\", vertices = {points:?} }}");
        match kind {
            Kind::Sphere => format!("{{ type = \"sphere\", radius = {:?} }}", 0.05 * scale),
            Kind::Cube => format!("{{ type = \"box\", half_extents = {:?} }}", [0.05 * scale; 3]),
            Kind::Ellipsoid => {
                let axes = [0; 3].map(|_| 0.08 * scale * self.between(0.2, 1.0));
                format!("{{ type = \"ellipsoid\", semi_axes = {axes:?} }}")
            }
            Kind::Box => {
                let half = [0; 3].map(|_| 0.08 * scale * self.between(0.15, 1.0));
                format!("{{ type = \"box\", half_extents = {half:?} }}")
            }
            Kind::Cylinder | Kind::Capsule => {
                let name = if kind == Kind::Cylinder { "cylinder" } else { "capsule" };
                let (radius, length) = (0.06 * self.between(0.3, 1.0), 0.15 * self.between(0.1, 1.0));
                format!(
                    "{{ type = \"{name}\", radius = {:?}, length = {:?} }}",
                    radius * scale,
                    length * scale
                )
            }
            Kind::Prism => {
                let (n, half) = (self.pick(&[3, 4, 5, 6, 7, 8]), 0.06 * scale * self.between(0.2, 1.0));
                let corner = |k: i32| {
                    let (s, c) = (TAU * f64::from(k / 2) / f64::from(n)).sin_cos();
                    [0.07 * scale * c, 0.07 * scale * s, if k % 2 == 0 { half } else { -half }]
                };
                hull((0..2 * n).map(corner).collect())
            }
            Kind::Hull => {
                let n = self.pick(&[6, 8, 10, 12, 14, 16]);
                let mut corner = |_| {
                    let out = 0.08 * scale * self.axis();
                    [out.x, 0.8 * out.y, 0.6 * out.z]
                };
                hull((0..n).map(&mut corner).collect())
            }
        }
    }

    /// A shape, or parts beside each other that overlap.
    fn body(&mut self, kinds: &[Kind], scale: f64, compound: f64) -> String {
        if !self.chance(compound) {
            let kind = self.pick(kinds);
            return format!("shape = {}\n", self.shape(kind, scale));
        }
        let (mut parts, mut at) = (String::new(), Vector3::zeros());
        for _ in 0..self.pick(&[2, 3, 4]) {
            let (kind, turn) =
                (self.pick(kinds), if self.chance(0.5) { self.turn() } else { [1.0, 0.0, 0.0, 0.0] });
            let shape = self.shape(kind, 0.7 * scale);
            let _ = write!(
                parts,
                "{{ shape = {shape}, position = {:?}, orientation = {turn:?} }}, ",
                <[f64; 3]>::from(at)
            );
            at[self.pick(&[0, 1, 2])] += self.pick(&[-0.05, 0.05]) * scale;
        }
        format!("parts = [{parts}]\n")
    }
}

/// Choices that the bodies of a scene have in common.
struct Plan {
    n: usize,
    step: f64,
    kinds: Vec<Kind>,
    compound: f64,
    /// Distance between sites (m).
    apart: f64,
    heavy: f64,
    scales: [f64; 2],
    has_joints: bool,
}

fn wall(half: [f64; 3], at: [f64; 3], turn: f64) -> String {
    let (s, c) = (0.5 * turn).sin_cos();
    format!(
        "{{ shape = {{ type = \"box\", half_extents = {half:?} }}, position = {at:?}, orientation = [{c}, 0, {s}, 0] }},\n"
    )
}

/// A tray with walls, shaken.
fn tray(draw: &mut Draw, w: f64) -> String {
    let mut parts = wall([w + 0.1, w + 0.1, 0.05], [0.0, 0.0, -0.05], 0.0);
    for side in [-1.0, 1.0] {
        parts += &wall([0.05, w + 0.1, 1.0], [side * (w + 0.05), 0.0, 1.0], 0.0);
        parts += &wall([w + 0.1, 0.05, 1.0], [0.0, side * (w + 0.05), 1.0], 0.0);
    }
    let (way, amplitude) =
        (draw.pick(&["[1, 0, 0]", "[0, 0, 1]", "[0.6, 0, 0.8]"]), draw.pick(&[0.002, 0.02]));
    format!(
        "[[body]]\nname = \"tray\"\nfixed = true\nparts = [{parts}]\n[[motion]]\nbody = \"tray\"\ndirection = {way}\n\
         position = {{ type = \"sine\", amplitude = {amplitude}, frequency = {} }}\n",
        draw.pick(&[5, 15])
    )
}

/// A drum of ten plates and two ends that turns about y.
fn drum(draw: &mut Draw, w: f64) -> String {
    let radius = 1.6 * w + 0.1;
    let mut parts = String::new();
    for i in 0..10 {
        let a = 0.1 * TAU * f64::from(i);
        let half = [0.05, w + 0.1, radius * (0.05 * TAU).tan() + 0.03];
        let out = radius + 0.05;
        parts += &wall(half, [out * a.cos(), 0.0, out * a.sin()], -a);
    }
    for side in [-1.0, 1.0] {
        parts += &wall([radius + 0.1, 0.05, radius + 0.1], [0.0, side * (w + 0.05), 0.0], 0.0);
    }
    format!(
        "[[body]]\nname = \"drum\"\nfixed = true\nparts = [{parts}]\n[[motion]]\nbody = \"drum\"\naxis = [0, 1, 0]\n\
         velocity = {{ type = \"constant\", value = {} }}\n",
        draw.pick(&[0.5, 2.0, 5.0])
    )
}

/// Floors and containers that the bodies fall on or into, and the height of the lowest of them.
fn world(draw: &mut Draw, w: f64) -> (String, f64) {
    let kind = draw.pick(&["floor", "floor", "box", "box", "shaken", "drum", "bumps", "steps"]);
    let normal = draw.pick(&["[0, 0, 1]", "[0, 0, 1]", "[0.1, 0, 0.9949874371066199]"]);
    let mut text = match kind {
        "box" => format!("[[container]]\nname = \"box\"\nmin = [-{w}, -{w}, 0]\nmax = [{w}, {w}, 6]\n"),
        "shaken" => tray(draw, w),
        "drum" => return (drum(draw, w), -0.9 * w),
        _ => format!(
            "[[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = {normal}, offset = 0 }}\n"
        ),
    };
    if kind == "bumps" {
        for k in 0..4 {
            let (shape, at) = (draw.pick(&SHAPES), [draw.between(-0.2, 0.2), draw.between(-0.2, 0.2), 0.0]);
            let shape = draw.shape(shape, 1.5);
            let _ = write!(
                text,
                "[[body]]\nname = \"bump-{k}\"\nfixed = true\nshape = {shape}\nposition = {at:?}\norientation = {:?}\n",
                draw.turn()
            );
        }
    }
    if kind == "steps" {
        for k in 0..3 {
            let at = [0.3 * f64::from(k) - 0.3, 0.0, 0.08 * f64::from(k) - 0.1];
            let _ = write!(
                text,
                "[[body]]\nname = \"step-{k}\"\nfixed = true\nposition = {at:?}\n\
                 shape = {{ type = \"box\", half_extents = [0.15, 1, 0.1] }}\n"
            );
        }
    }
    (text, 0.3)
}

fn bodies(draw: &mut Draw, plan: &Plan, lowest: f64, sites: &mut Vec<Vector3<f64>>) -> String {
    let (mut text, side) = (String::new(), (plan.n as f64).cbrt().ceil().max(2.0) as usize);
    for k in 0..plan.n {
        let place = [k % side, k / side % side, k / (side * side)].map(|i| i as f64);
        let middle = 0.5 * (side as f64 - 1.0);
        let at = Vector3::new(place[0] - middle, place[1] - middle, place[2]) * plan.apart
            + Vector3::z() * lowest
            + draw.three(0.01);
        let (scale, thrown) =
            (draw.between(plan.scales[0], plan.scales[1]), draw.pick(&[0.0, 0.0, 0.0, 1.0]));
        let density = if draw.chance(0.15) { 1000.0 * plan.heavy } else { 1000.0 };
        let (mut velocity, spin) = (2.0 * thrown * draw.three(1.0), 8.0 * thrown * draw.three(1.0));
        velocity.z = -1.0;
        let turn = if draw.chance(0.8) { draw.turn() } else { [1.0, 0.0, 0.0, 0.0] };
        let shape = draw.body(&plan.kinds, scale, plan.compound);
        // Parts that overlap have no mass of their own.
        let mass = 1.5e-3 * density * scale.powi(3);
        let inertia = [1.0, 1.2, 1.4].map(|factor| 0.004 * factor * mass * scale * scale);
        let weighs = match shape.starts_with("parts") {
            true => format!(
                "mass = {mass:?}\ninertia = [{}, {}, {}, 0, 0, 0]",
                inertia[0], inertia[1], inertia[2]
            ),
            false => format!("density = {density}"),
        };
        let [at_, velocity, spin] = [at, velocity, spin].map(<[f64; 3]>::from);
        let _ = write!(
            text,
            "[[body]]\nname = \"b{k}\"\n{weighs}\n{shape}position = {at_:?}\norientation = {turn:?}\n\
             velocity = {velocity:?}\nangular_velocity = {spin:?}\n"
        );
        sites.push(at);
    }
    text
}

/// Joints between neighbours, some with limits or motors.
fn joints(draw: &mut Draw, plan: &Plan, sites: &[Vector3<f64>]) -> String {
    let mut text = String::new();
    for k in 1..plan.n {
        if !draw.chance(0.4) || (sites[k] - sites[k - 1]).norm() > 1.3 * plan.apart {
            continue;
        }
        let kind = draw.pick(&["ball", "revolute", "limited", "fixed", "prismatic", "universal"]);
        let axis = draw.axis();
        let across = Vector3::new(axis.y, -axis.x, 0.0).normalize();
        let [axis, across, at] = [axis, across, 0.5 * (sites[k] + sites[k - 1])].map(<[f64; 3]>::from);
        let name = if kind == "limited" { "revolute" } else { kind };
        let more = match kind {
            "revolute" => format!("axis = {axis:?}\n"),
            "limited" => format!("axis = {axis:?}\nangle_limits = [-0.3, 0.2]\n"),
            "prismatic" => format!("axis = {axis:?}\nslide_limits = [-0.05, 0.03]\n"),
            "universal" => format!("axis = {axis:?}\nsecond_axis = {across:?}\n"),
            _ => String::new(),
        };
        let _ = write!(
            text,
            "[[joint]]\nname = \"j{k}\"\nbetween = [\"b{}\", \"b{k}\"]\nanchor = {at:?}\ntype = \"{name}\"\n{more}",
            k - 1
        );
        if name == "revolute" && draw.chance(0.5) {
            let _ = write!(
                text,
                "[[motor]]\njoint = \"j{k}\"\nlargest_force = 0.5\n\
                 velocity = {{ type = \"sine\", amplitude = 2, frequency = 1.5 }}\n"
            );
        }
    }
    text
}

/// The friction of all pairs. Scenes with restitution have no joints.
fn friction(draw: &mut Draw, plan: &mut Plan) -> String {
    let (mu, torsion) =
        (draw.pick(&[0.0, 0.1, 0.3, 0.5, 0.8]), draw.pick(&["0", "0.005", "0.02", "\"patch\""]));
    let mut text = format!("[[friction]]\ncoefficient = {mu}\n");
    if mu > 0.0 {
        let _ = writeln!(text, "ellipsoid = {{ t = 1, o = 1, r = {torsion} }}");
    }
    let is_smooth = |kind: &Kind| matches!(kind, Kind::Sphere | Kind::Ellipsoid);
    match draw.between(0.0, 1.0) {
        x if x < 0.2 => {
            plan.has_joints = false;
            let _ = writeln!(text, "restitution = {}", draw.pick(&[0.3, 0.6, 0.9, 1.0]));
            text += draw.pick(&["", "", "restitution_law = \"poisson\"\n"]);
        }
        x if x < 0.35 && mu > 0.0 => {
            let _ = writeln!(text, "rolling = {}", draw.pick(&[0.0005, 0.002, 0.01]));
        }
        x if x < 0.43 && plan.compound == 0.0 && plan.kinds.iter().all(is_smooth) => {
            let _ = writeln!(text, "cohesion = {}", draw.pick(&[0.1, 1.0, 5.0]));
        }
        _ => (),
    }
    text
}

/// The scene of a seed, with its tolerance.
fn scene(seed: u64) -> (f64, String) {
    let mut draw = Draw(Pcg64Mcg::seed_from_u64(0xa11 + seed));
    let kinds: Vec<Kind> = (0..draw.pick(&[1, 2, 3, 4])).map(|_| draw.pick(&SHAPES)).collect();
    let (compound, grows) = (draw.pick(&[0.0, 0.0, 0.3, 1.0]), draw.chance(1.0 / 3.0));
    let mut plan = Plan {
        n: draw.pick(&[2, 3, 5, 8, 12, 20, 30, 40]),
        step: draw.pick(&[0.002, 0.005, 0.005, 0.01]),
        kinds,
        compound,
        apart: if compound > 0.0 { 0.5 } else { 0.3 } * if grows { 1.6 } else { 1.0 },
        heavy: draw.pick(&[1.0, 1.0, 1.0, 10.0, 1000.0]),
        scales: if grows { [0.5, 1.6] } else { [1.0, 1.0 + 1e-9] },
        has_joints: draw.chance(0.25),
    };
    let (tolerance, friction) = (draw.pick(&TOLERANCES), friction(&mut draw, &mut plan));
    let width = 0.5 * plan.apart * (plan.n as f64).cbrt().ceil().max(2.0) + 0.05;
    let (world, lowest) = world(&mut draw, width);
    let mut sites = Vec::new();
    let bodies = bodies(&mut draw, &plan, lowest, &mut sites);
    let joints = if plan.has_joints { joints(&mut draw, &plan, &sites) } else { String::new() };
    let duration = plan.step * (0.75 / plan.step).ceil().max(150.0);
    let head = format!(
        "format = 1\n[simulation]\ntime_step = {:?}\nduration = {duration:?}\n[solver]\ntolerance = {tolerance:?}\n",
        plan.step
    );
    (tolerance, head + &friction + &world + &bodies + &joints)
}

/// Counts of steps of runs.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    scenes: usize,
    steps: usize,
    unsolved: usize,
    red: usize,
    /// Work of the dearest step (s of a common core), and steps above 2 s.
    most: f64,
    slow: usize,
}

impl Counts {
    fn run(text: &str) -> Result<Self, String> {
        let loaded =
            parse(text, Path::new("scene.toml"), &LoadOptions::default()).map_err(|e| format!("{e}"))?;
        let mut simulation = Simulation::new(loaded.scene).map_err(|e| format!("{e}"))?;
        let mut found = Self { scenes: 1, ..Self::default() };
        for _ in 0..simulation.scene().n_steps() {
            let outcome = simulation.advance();
            let is_solved = outcome.info.status.is_solved();
            found.steps += 1;
            found.unsolved += usize::from(!is_solved);
            found.red += usize::from(is_solved && !outcome.verdict.is_some_and(|verdict| verdict.green));
            found.most = found.most.max(outcome.info.work);
            found.slow += usize::from(outcome.info.work > 2.0);
        }
        Ok(found)
    }

    fn add(&mut self, other: &Self) {
        self.scenes += other.scenes;
        self.steps += other.steps;
        self.unsolved += other.unsolved;
        self.red += other.red;
        self.slow += other.slow;
        self.most = self.most.max(other.most);
    }
}

/// Every step of some scenes is solved and green.
#[test]
fn anything_is_solved() {
    for seed in 0..16 {
        let (tolerance, text) = scene(seed);
        let found = Counts::run(&text).unwrap_or_else(|fault| panic!("{seed}: {fault}\n{text}"));
        assert!(found.unsolved == 0 && found.red == 0, "{seed} at {tolerance:e}: {found:?}");
    }
}

#[test]
#[ignore = "two minutes in release; of 20,000 steps one may be unsolved"]
fn anything_in_a_table() {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..300".to_owned());
    let (first, end) = seeds.split_once("..").expect("a range");
    let mut rows: Vec<(f64, Counts)> = Vec::new();
    let mut all = Counts::default();
    for seed in first.parse().expect("a seed")..end.parse::<u64>().expect("a seed") {
        let (tolerance, text) = scene(seed);
        let found = Counts::run(&text).unwrap_or_else(|fault| panic!("{seed}: {fault}"));
        if found.unsolved + found.red + found.slow > 0 {
            eprintln!("{seed} at {tolerance:e}: {found:?}");
            if let Some(folder) = std::env::var_os("KEEP") {
                std::fs::write(Path::new(&folder).join(format!("{seed}.toml")), &text).expect("a folder");
            }
        }
        let row = rows.iter().position(|row| row.0 == tolerance).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push((tolerance, Counts::default()));
        }
        rows[row].1.add(&found);
        all.add(&found);
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    eprintln!("| tolerance | scenes | steps | unsolved | solved and red | above 2 s | dearest step (s) |");
    for (name, c) in rows.iter().map(|row| (format!("{:e}", row.0), row.1)).chain([("all".to_owned(), all)]) {
        let (n, s) = (c.scenes, c.steps);
        eprintln!("| {name} | {n} | {s} | {} | {} | {} | {:.2} |", c.unsolved, c.red, c.slow, c.most);
    }
    assert!(all.red == 0 && all.unsolved * 20_000 <= all.steps, "{all:?}");
}
