//! Joints, motors, limits and prescribed motion, each against something that does not know the solver.

#[path = "../runs/mod.rs"]
mod runs;

mod bad_input;
mod drives;
mod feeder;
mod judged;
mod literal;
mod mechanisms;

use signorini::scene::{self, LoadOptions, Scene};
use std::path::Path;

/// A scene from text.
fn from_text(text: &str) -> Scene {
    scene::parse(text, Path::new("joints.toml"), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
        .scene
}

/// Start of a scene file without friction.
fn head(step: f64, duration: f64) -> String {
    format!(
        "format = 1\n[simulation]\nstep = {step:?}\nduration = {duration:?}\n[[friction]]\ncoefficient = 0\n"
    )
}

/// A body in the shape of an ellipsoid; fixed without a mass.
fn body(name: &str, semi_axes: [f64; 3], mass: Option<f64>, position: [f64; 3]) -> String {
    let mass = mass.map_or("fixed = true".to_owned(), |m| format!("mass = {m:?}"));
    format!(
        "[[body]]\nname = {name:?}\nshape = {{ type = \"ellipsoid\", semi_axes = {semi_axes:?} }}\n{mass}\nposition = {position:?}\n"
    )
}

/// A joint at a place of the world.
fn joint(name: &str, kind: &str, between: [&str; 2], anchor: [f64; 3], more: &str) -> String {
    format!(
        "[[joint]]\nname = {name:?}\ntype = {kind:?}\nbetween = {between:?}\nanchor = {anchor:?}\n{more}\n"
    )
}
