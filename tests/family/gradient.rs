//! Accelerated projected gradient as the method of a scene, against the production core.

use super::{scene, under};
use signorini::simulation::Simulation;
use signorini_ncp::solver::SolveStatus;
use signorini_scene::scene::Scene;
use signorini_scene::settings::{ConeMethod, Formulation};

const HEAD: &str = r#"format = 1
[simulation]
time_step = 0.005
duration = 0.2
[solver]
formulation = "cone"
tolerance = 1e-10
[solver.cone]
method = "apgd"
[[friction]]
coefficient = 0.4
ellipsoid = { r = 0.01 }
[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
"#;

fn boxes(n: usize, velocity: f64) -> String {
    let one = |k: usize| {
        format!(
            "[[body]]\nname = \"box {k}\"\nmass = {}\nposition = [{:?}, 0, {:?}]\nvelocity = [{:?}, 0, 0]\n\
             shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n",
            1 + k,
            0.01 * (k % 2) as f64,
            0.1 + 0.2 * k as f64,
            velocity * (1 + k) as f64
        )
    };
    (0..n).map(one).collect()
}

/// Seven spinning ellipsoids that are thrown together.
fn eggs() -> String {
    let one = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / 6.0;
        let at = if k == 0 { [0.0, 0.0] } else { [0.21 * angle.cos(), 0.21 * angle.sin()] };
        format!(
            "[[body]]\nname = \"{k}\"\nmass = {}\nposition = [{:?}, {:?}, 0.1]\nvelocity = [{:?}, {:?}, -0.3]\n\
             angular_velocity = [{k}, 1, 2]\nshape = {{ type = \"ellipsoid\", semi_axes = [0.1, 0.08, 0.1] }}\n",
            1 + k % 3,
            at[0],
            at[1],
            0.3 - 3.0 * at[0],
            0.1 - 3.0 * at[1]
        )
    };
    (0..7).map(one).collect()
}

/// A slider that drags another body along on a rod.
fn linked() -> String {
    format!(
        "{}[[body]]\nname = \"ball\"\nmass = 1\nposition = [-0.5, 0, 0.1]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
         [[joint]]\nname = \"rod\"\ntype = \"ball\"\nbetween = [\"box 0\", \"ball\"]\nanchor = [-0.2, 0, 0.1]\n",
        boxes(1, 2.0)
    )
}

fn of(bodies: &str) -> Scene {
    let found = scene(&format!("{HEAD}{bodies}"));
    assert_eq!(found.solver.cone.method, ConeMethod::Apgd);
    found
}

#[test]
fn scenes_by_projected_gradient_are_those_of_the_core() {
    let cases =
        [("one box", boxes(1, 2.0)), ("stack", boxes(3, 0.0)), ("eggs", eggs()), ("linked", linked())];
    for (name, bodies) in cases {
        let mut base = of(&bodies);
        if name == "stack" {
            // Where impulses are not unique, it comes no nearer than that.
            base.solver.tolerance = 3e-10;
        }
        let mut other = base.clone();
        other.solver.cone.method = ConeMethod::Proximal;
        let mut gradient = Simulation::new(base).unwrap();
        let mut core = Simulation::new(other).unwrap();
        let (mut off, mut value, mut gap, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..gradient.scene().n_steps() {
            let (found, expected) = (gradient.advance(), core.advance());
            assert!(found.info.status.is_solved(), "{name}, {}: {:?}", found.step, found.info);
            assert!(expected.info.status.is_solved(), "{name}, {}: {:?}", found.step, expected.info);
            for (a, b) in gradient.state().velocities.iter().zip(&core.state().velocities) {
                off = off.max((a.linear - b.linear).norm()).max((a.angular - b.angular).norm());
            }
            let (a, b) = (found.info.conic.unwrap(), expected.info.conic.unwrap());
            value = value.max((a.objective - b.objective).abs());
            (gap, largest) = (gap.max(a.duality_gap.abs()), largest.max(b.objective.abs()));
        }
        assert!(off < 1e-7, "{name}: velocities differ by {off:e}");
        assert!(value <= 1e-8 * largest && gap <= 1e-8 * largest, "{name}: {value:e} {gap:e} of {largest:e}");
    }
}

#[test]
fn gradient_steps_run_out_where_the_scene_says_so() {
    let mut base = of(&boxes(3, 0.5));
    base.solver.cone.apgd_iterations = 5;
    let outcome = Simulation::new(base.clone()).unwrap().advance();
    assert_eq!(outcome.info.status, SolveStatus::MaxIterations, "{:?}", outcome.info);
    assert!(outcome.info.residual.max() > 1e-10 && outcome.info.iterations == 5);
    // Other models do not ask.
    assert!(
        Simulation::new(under(&base, Formulation::StewartTrinkle)).unwrap().advance().info.status.is_solved()
    );
}
