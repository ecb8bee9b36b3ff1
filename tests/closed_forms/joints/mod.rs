//! Joints, motors, limits and prescribed motion, each against a result that does not come from the solver.

pub mod bad_input;
mod closed;
mod couplings;
mod crossed;
mod drives;
mod feeder;
mod formulations;
mod judged;
mod literal;
mod mechanisms;
mod motors;
mod parts;
mod stops;

use signorini_scene::settings::{Formulation, Integrator};

/// Every way to take a step.
const ALL_MODELS: [(Formulation, Integrator); 7] = [
    (Formulation::Implicit, Integrator::ImplicitEuler),
    (Formulation::Implicit, Integrator::Staggered),
    (Formulation::Literal, Integrator::ImplicitEuler),
    (Formulation::StewartTrinkle, Integrator::ImplicitEuler),
    (Formulation::Cone, Integrator::ImplicitEuler),
    (Formulation::Compliant, Integrator::ImplicitEuler),
    (Formulation::Auto, Integrator::ImplicitEuler),
];

/// Start of a scene file without friction.
pub fn head(step: f64, duration: f64) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = {duration:?}\n[[friction]]\ncoefficient = 0\n"
    )
}

/// A body in the shape of an ellipsoid; fixed without a mass.
pub fn body(name: &str, semi_axes: [f64; 3], mass: Option<f64>, position: [f64; 3]) -> String {
    let mass = mass.map_or("fixed = true".to_owned(), |m| format!("mass = {m:?}"));
    format!(
        "[[body]]\nname = {name:?}\nshape = {{ type = \"ellipsoid\", semi_axes = {semi_axes:?} }}\n{mass}\nposition = {position:?}\n"
    )
}

/// A joint at a place of the world.
pub fn joint(name: &str, kind: &str, between: [&str; 2], anchor: [f64; 3], more: &str) -> String {
    format!(
        "[[joint]]\nname = {name:?}\ntype = {kind:?}\nbetween = {between:?}\nanchor = {anchor:?}\n{more}\n"
    )
}

/// Every kind of joint, with limits, motors and prescribed motions, between a fixed or a driven body and two
/// free ones.
fn every_kind() -> Vec<(String, String)> {
    let course = "{ type = \"sine\", amplitude = 0.3, frequency = 3 }";
    let hinge = "axis = [0.2, 1, 0.3]";
    let rail = "axis = [0.2, 0.3, 1]";
    let motor = |c: &str| {
        format!("[[motor]]\njoint = \"j\"\ncoordinate = {c:?}\nlargest_force = 3\nvelocity = {course}\n")
    };
    let drive = |c: &str, what: &str| format!("[[motor]]\njoint = \"j\"\ncoordinate = {c:?}\n{what}\n");
    let spring = format!("position = {course}\nstiffness = 7\ndamping = 0.05\nlargest_force = 2");
    let damper = format!("velocity = {course}\ndamping = 0.6");
    let force = "force = { type = \"sine\", amplitude = 1.5, frequency = 3 }\nlargest_force = 1".to_owned();
    let dry = "name = \"dry\"\nvelocity = { type = \"constant\", value = 0 }\nlargest_force = 0.3".to_owned();
    // From rest: a jerk would be as many times p_ref as h is short. By 0.3 rad, or 0.03 m.
    let smooth = |c: &str| {
        let amplitude = if c == "angle" { 0.3 } else { 0.03 };
        format!("{{ type = \"sine\", amplitude = {amplitude:?}, frequency = 3, phase = 1.5707963267948966 }}")
    };
    let motion =
        |c: &str| format!("[[motion]]\njoint = \"j\"\ncoordinate = {c:?}\nposition = {}\n", smooth(c));
    let rise = "{ type = \"table\", times = [0, 0.1], values = [0, 0.5] }";
    let rate = |c: &str| format!("[[motion]]\njoint = \"j\"\ncoordinate = {c:?}\nvelocity = {rise}\n");
    let cases = [
        ("fixed", String::new(), String::new()),
        ("ball", String::new(), String::new()),
        ("revolute", format!("{hinge}\nangle_limits = [-0.01, 0.02]"), motor("angle")),
        ("revolute", hinge.to_owned(), motion("angle")),
        ("prismatic", format!("{rail}\nslide_limits = [-0.005, 0.01]"), motor("slide")),
        ("prismatic", rail.to_owned(), motion("slide")),
        ("cylindrical", format!("{rail}\nslide_limits = [-0.005, 0.01]"), motion("angle")),
        ("cylindrical", rail.to_owned(), motor("slide") + &motor("angle")),
        ("cylindrical", format!("{rail}\nangle_limits = [-0.002, 0.002]"), rate("slide")),
        (
            "cylindrical",
            format!("{rail}\nslide_limits = [-0.005, 0.01]\nangle_limits = [-0.002, 0.002]"),
            motor("slide"),
        ),
        ("revolute", hinge.to_owned(), drive("angle", &spring)),
        ("revolute", hinge.to_owned(), drive("angle", &damper)),
        ("prismatic", rail.to_owned(), drive("slide", &spring) + &drive("slide", &dry)),
        ("cylindrical", rail.to_owned(), drive("slide", &force) + &drive("angle", &damper)),
        ("distance", "length_limits = [0.1, 0.401]".to_owned(), drive("length", &spring)),
        ("universal", "axis = [0.2, 1, 0.3]\nsecond_axis = [1, -0.2, 0]".to_owned(), String::new()),
        ("planar", rail.to_owned(), String::new()),
        ("distance", String::new(), String::new()),
        ("distance", "length_limits = [0.1, 0.401]".to_owned(), String::new()),
        ("distance", String::new(), rate("length")),
        ("distance", String::new(), motion("length")),
        ("distance", "length_limits = [0.1, 0.401]".to_owned(), motor("length")),
    ];
    let driven = "[[motion]]\nbody = \"base\"\ndirection = [1, 0, 1]\nposition = { type = \"sine\", amplitude = 0.01, frequency = 4 }\n";
    let mut found = Vec::new();
    for (kind, more, drive) in cases {
        for moves in [false, true] {
            let place =
                if kind == "distance" { String::new() } else { "anchor = [0.1, 0.05, 0]\n".to_owned() };
            let text = head(0.002, 1.0)
                + &body("base", [0.05; 3], None, [0.0; 3])
                + &body("rod", [0.3, 0.05, 0.04], Some(1.0), [0.4, 0.0, 0.0])
                + &body("bob", [0.06, 0.05, 0.04], Some(0.5), [0.8, 0.0, 0.0])
                + &format!(
                    "[[joint]]\nname = \"j\"\ntype = {kind:?}\nbetween = [\"base\", \"rod\"]\n{place}{more}\n"
                )
                + &joint("pin", "ball", ["rod", "bob"], [0.7, 0.0, 0.0], "")
                + &drive;
            let text = if moves { text.replacen("fixed = true\n", "", 1) + driven } else { text };
            found.push((format!("{kind} {more} {drive} {moves}"), text));
        }
    }
    found
}
