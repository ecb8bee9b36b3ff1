//! Figure 1 of [CBAT]: polygon wheels under Stewart–Trinkle lose energy, less with more edges and with
//! smaller steps, down to the loss of a rimless wheel; the disc of the implicit model loses none. Draws
//! `polygon-wheel.png` into the folder given, if any.

use nalgebra::{UnitQuaternion, Vector3};
use signorini::{Body, Formulation, Friction, Scene, Simulation};
use signorini_figures::{Colour, Figure, Panel, PlotAxis, Scale, Series, colour};
use std::error::Error;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::path::Path;

/// Kinetic energy at the start: ½ m v² + ½ I ω².
const START: f64 = 0.5 * 9.0 + 0.5 * 0.5 * 9.0;

/// (time, kinetic energy) of a wheel of radius 1 rolling with 3 m/s; no edges: the disc.
fn roll(edges: Option<usize>, step: f64) -> signorini::Result<Vec<(f64, f64)>> {
    let (formulation, height, wheel) = match edges {
        None => {
            let along_y = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
            (Formulation::Implicit, 1.0, Body::cylinder(1.0, 0.5).shape_at([0.0; 3], along_y))
        }
        Some(n) => {
            let corner = |k: usize| TAU * (k as f64 + 0.5) / n as f64 - FRAC_PI_2;
            let corners = (0..n).flat_map(|k| [-0.25, 0.25].map(|y| [corner(k).cos(), y, corner(k).sin()]));
            (Formulation::StewartTrinkle, (PI / n as f64).cos(), Body::polytope(corners))
        }
    };
    let mut scene = Scene::builder();
    scene.time_step(step).duration(2.0).formulation(formulation).friction(Friction::coulomb(0.4));
    scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
    let wheel = wheel.mass(1.0).inertia([0.3, 0.5, 0.3, 0.0, 0.0, 0.0]).at([0.0, 0.0, height]);
    let wheel = scene.body(wheel.velocity([-3.0, 0.0, 0.0]).angular_velocity([0.0, -3.0, 0.0]));
    let mut simulation = Simulation::new(scene.build()?)?;
    simulation.judge_steps(false);
    let mut energies = vec![(0.0, START)];
    for _ in 0..simulation.scene().n_steps() {
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved(), "{edges:?}, h = {step}: {:?}", outcome.info);
        let v = simulation.velocity(wheel)?;
        energies.push((outcome.time, 0.5 * v.linear.norm_squared() + 0.25 * v.angular.y.powi(2)));
    }
    Ok(energies)
}

fn main() -> Result<(), Box<dyn Error>> {
    let last = |run: &[(f64, f64)]| run[run.len() - 1].1;
    let disc = roll(None, 0.01)?;
    assert!(disc.iter().all(|(_, e)| (e / START - 1.0).abs() < 1e-12), "the disc keeps its energy");
    let mut by_edges = vec![("disc, implicit".to_owned(), disc.clone())];
    let mut before = 0.0;
    for n in [10, 20, 50, 100, 200, 500, 1000] {
        let run = roll(Some(n), 0.01)?;
        // From 200 edges on a step passes several edges: the floor of this step.
        assert!(last(&run) > before || n > 200, "{n} edges lose no less");
        assert!(last(&run) < 0.9 * START);
        before = last(&run);
        by_edges.push((format!("{n} edges"), run));
    }
    let mut by_step = vec![("disc, implicit".to_owned(), disc)];
    for (n, drawn) in [(1000, true), (50, false)] {
        let mut before = 0.0;
        for h in [0.01, 0.005, 0.002, 0.001, 0.0005] {
            let run = roll(Some(n), h)?;
            assert!(last(&run) > before, "{n} edges, h = {h} lose no less");
            before = last(&run);
            if drawn {
                by_step.push((format!("h = {h} s"), run));
            }
        }
        // Each impact on the next corner keeps the moment of momentum about it: ω⁺/ω = (I + m r²
        // cos(2π/n))/(I + m r²).
        let angle = TAU / n as f64;
        let kept = (0.5 + angle.cos()) / 1.5;
        let speed = 3.0 / (1.0 - 3.0 * 2.0 * kept.ln() / angle);
        let floor = 0.75 * speed * speed;
        assert!((before / floor - 1.0).abs() < 0.01, "{n}: {before} J left, a rimless wheel has {floor} J");
    }
    if let Some(folder) = std::env::args().nth(1) {
        draw(&Path::new(&folder).join("polygon-wheel.png"), [by_edges, by_step])?;
    }
    Ok(())
}

type Curve = (String, Vec<(f64, f64)>);

fn draw(path: &Path, panels: [Vec<Curve>; 2]) -> Result<(), Box<dyn Error>> {
    let sky = Colour(86, 180, 233);
    let palette = [
        colour::BLACK,
        colour::RED,
        colour::ORANGE,
        colour::GREEN,
        colour::BLUE,
        sky,
        colour::PURPLE,
        colour::GREY,
    ];
    let captions = ["h = 0.01 s", "1000 edges"];
    let panel = |(curves, caption): (Vec<Curve>, &str)| {
        let curves = curves.into_iter().zip(palette);
        Panel {
            caption: caption.to_owned(),
            x: PlotAxis::time(),
            y_label: "kinetic energy (J)".to_owned(),
            scale: Scale::Linear,
            with_zero: true,
            noise: 0.0,
            series: curves.map(|((label, points), colour)| Series::line(&label, colour, points)).collect(),
        }
    };
    let figure = Figure {
        stem: "polygon-wheel".to_owned(),
        title: "Polygon wheels: more edges, and smaller steps".to_owned(),
        panels: panels.into_iter().zip(captions).map(panel).collect(),
    };
    std::fs::write(path, figure.png()?)?;
    Ok(())
}
