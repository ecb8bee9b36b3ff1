//! A box that repeats itself: bodies meet images of others across its faces.

use nalgebra::Vector3;
use signorini_geometry::PeriodicBox;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::{Run, body, exact_from_text, shipped};

/// Balls, an egg and cubes that fall on a plane, close enough to touch each other.
fn heap() -> Scene {
    let mut text = "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.2\nseed = 3\n\
                    [periodic]\nx = [-0.1, 0.15]\ny = [0.0, 0.25]\n\
                    [[friction]]\ncoefficient = 0.4\n\
                    [[body]]\nname = \"plane\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n"
        .to_owned();
    for (k, shape) in
        ["sphere\", radius = 0.04", "box\", half_extents = [0.035, 0.03, 0.03]"].iter().enumerate()
    {
        text += &format!(
            "[[fill]]\nname = \"fill-{k}\"\ncount = 6\nshape = {{ type = \"{shape} }}\ndensity = 900\n\
             velocity = [0.3, -0.2, -0.5]\nregion = {{ min = [-0.1, 0.0, {}], max = [0.15, 0.25, {}] }}\n",
            0.1 * k as f64,
            0.1 + 0.1 * k as f64
        );
    }
    exact_from_text(&text)
}

/// Largest distance of bodies that can move from where they are in another state moved by a way (m).
fn off(scene: &Scene, state: &State, other: &State, way: impl Fn(usize) -> Vector3<f64>) -> f64 {
    let moving = (0..scene.bodies.len()).filter(|i| !scene.bodies[*i].fixed);
    let off = moving.map(|i| (state.poses[i].position + way(i) - other.poses[i].position).norm());
    off.fold(0.0, f64::max)
}

fn across(run: &Run) -> usize {
    run.contacts().iter().filter(|c| c.image != [0; 3] && c.normal_impulse > 0.0).count()
}

/// The motion does not depend on the places of the faces.
#[test]
fn a_scene_may_be_moved_across_the_faces() {
    let scene = heap();
    let way = Vector3::new(0.0834, -0.117, 0.0);
    let mut moved = scene.clone();
    moved.bodies.iter_mut().filter(|b| !b.fixed).for_each(|b| b.pose.position += way);
    let (mut one, mut other) = (Run::new(scene), Run::new(moved));
    let mut met = 0;
    for _ in 0..60 {
        one.advance();
        other.advance();
        met += across(&one) + across(&other);
    }
    let off = off(one.scene(), one.state(), other.state(), |_| way);
    assert!(off < 1e-9, "{off}");
    assert!(met > 50, "{met} loaded contacts across faces");
}

/// The motion does not depend on the image of a body that its place names.
#[test]
fn bodies_may_stand_in_for_their_images() {
    let scene = heap();
    let periodic = scene.periodic.expect("a box");
    let mut moved = scene.clone();
    let way = |i: usize| periodic.shift([(i % 3) as i32 - 1, (i % 5) as i32 - 2, 0]);
    for (i, b) in moved.bodies.iter_mut().enumerate().filter(|(_, b)| !b.fixed) {
        b.pose.position += way(i);
    }
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let with = |scene: &Scene| {
            let mut scene = scene.clone();
            scene.solver.integrator = integrator;
            Run::new(scene)
        };
        let (mut one, mut other) = (with(&scene), with(&moved));
        one.steps(60);
        other.steps(60);
        let off = off(one.scene(), one.state(), other.state(), way);
        assert!(off < 1e-9, "{integrator:?}: {off}");
    }
}

/// On a floor that is a box as long as the period: it rolls over the seam between two images, too.
#[test]
fn a_ball_rolls_through_the_face() {
    let scene = exact_from_text(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 1.5\n[periodic]\nx = [-0.3, 0.2]\n\
         [[friction]]\ncoefficient = 0.5\n\
         [[body]]\nname = \"floor\"\nfixed = true\nposition = [0.1, 0, -0.05]\n\
         shape = { type = \"box\", half_extents = [0.25, 0.25, 0.05] }\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [0, 0, 0.1]\nvelocity = [1.2, 0, 0]\n\
         angular_velocity = [0, 12, 0]\nshape = { type = \"sphere\", radius = 0.1 }\n",
    );
    let mut run = Run::new(scene);
    let start = run.kinetic_energy();
    let mut images = std::collections::BTreeSet::new();
    let ball = body(run.scene(), "ball");
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let position = run.state().poses[ball].position;
        let expected = Vector3::new(1.2 * 0.002 * step as f64, 0.0, 0.1);
        assert!((position - expected).norm() < 1e-9, "step {step}: {position:?}, not {expected:?}");
        images.extend(run.contacts().iter().filter(|c| c.normal_impulse > 0.0).map(|c| c.image[0]));
    }
    assert!((run.kinetic_energy() - start).abs() < 1e-9 * start);
    assert!(images.len() == 4, "{images:?}");
}

/// Downhill, through the faces of a plane that has none: a = 5/7 g sin α.
#[test]
fn a_ball_rolls_down_a_slope_without_end() {
    let alpha = 0.2_f64;
    let scene = exact_from_text(&format!(
        "format = 1\n[simulation]\ntime_step = 0.001\nduration = 1\ngravity = [{}, 0, {}]\n[periodic]\nx = [0, 0.25]\n\
         [[friction]]\ncoefficient = 0.5\n\
         [[body]]\nname = \"plane\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [0.1, 0, 0.1]\n\
         shape = {{ type = \"sphere\", radius = 0.1 }}\n",
        9.81 * alpha.sin(),
        -9.81 * alpha.cos()
    ));
    let mut run = Run::new(scene);
    run.run_to_the_end();
    let speed = run.velocity("ball").linear.x;
    assert!((speed - 5.0 / 7.0 * 9.81 * alpha.sin()).abs() < 1e-9, "{speed}");
    let n = run.simulation.step_index() as f64;
    // Implicit Euler sums h² a (1 + 2 + … + n).
    let way = 5.0 / 7.0 * 9.81 * alpha.sin() * 1e-6 * n * (n + 1.0) / 2.0;
    let x = run.state().poses[body(run.scene(), "ball")].position.x;
    assert!((x - 0.1 - way).abs() < 1e-9, "{x}");
}

/// Bodies all over a box without walls, at random speeds.
fn gas() -> Scene {
    let mut scene = exact_from_text(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.3\ngravity = [0, 0, 0]\nseed = 5\n\
         [periodic]\nx = [0.0, 0.3]\ny = [0.0, 0.3]\nz = [-0.15, 0.15]\n\
         [[friction]]\ncoefficient = 0.3\n\
         [[fill]]\nname = \"grain\"\ncount = 26\ndensity = 900\n\
         shapes = [{ shape = { type = \"sphere\", radius = 0.04 } }, \
         { shape = { type = \"box\", half_extents = [0.035, 0.03, 0.03] } }]\n\
         region = { min = [0, 0, -0.15], max = [0.3, 0.3, 0.15] }\n",
    );
    for (i, b) in scene.bodies.iter_mut().enumerate() {
        let angle = |k: usize| (1.7 * i as f64 + 2.1 * k as f64).sin();
        b.velocity.linear = Vector3::new(angle(0), angle(1), angle(2)) * 0.8;
        b.velocity.angular = Vector3::new(angle(3), angle(4), angle(5)) * 5.0;
    }
    scene
}

fn momentum(scene: &Scene, state: &State) -> Vector3<f64> {
    scene.bodies.iter().zip(&state.velocities).map(|(b, v)| v.linear * b.mass).sum()
}

#[test]
fn without_walls_momentum_stays() {
    let scene = gas();
    for formulation in [Formulation::Implicit, Formulation::Cone] {
        let mut run = Run::new(Scene {
            solver: signorini_scene::settings::SolverSettings { formulation, ..scene.solver.clone() },
            ..scene.clone()
        });
        let start = momentum(run.scene(), run.state());
        let unit: f64 = run.scene().bodies.iter().map(|b| b.mass * b.velocity.linear.norm()).sum();
        let mut energy = run.kinetic_energy();
        let mut met = 0;
        for step in 1..=100 {
            let outcome = run.simulation.advance();
            assert!(outcome.info.status.is_solved(), "{formulation:?}, step {step}: {outcome:?}");
            assert!(
                formulation != Formulation::Implicit || outcome.verdict.is_some_and(|v| v.green),
                "step {step}"
            );
            let gone = momentum(run.scene(), run.state()) - start;
            let exact = if formulation == Formulation::Implicit { 1e-13 } else { 1e-10 };
            assert!(gone.norm() < exact * unit, "{formulation:?}, step {step}: {gone:?}");
            assert!(run.kinetic_energy() <= energy * (1.0 + 1e-9), "{formulation:?}, step {step}");
            energy = run.kinetic_energy();
            met += across(&run);
        }
        assert!(met > 50, "{formulation:?}: {met} loaded contacts across faces");
    }
}

/// Two balls that meet across the face alone, in every model.
#[test]
fn every_model_sees_images() {
    let formulations = [
        Formulation::Implicit,
        Formulation::Cone,
        Formulation::StewartTrinkle,
        Formulation::Auto,
        Formulation::Compliant,
    ];
    for formulation in formulations {
        let mut scene = exact_from_text(
            "format = 1\n[simulation]\ntime_step = 0.001\nduration = 0.2\ngravity = [0, 0, 0]\n\
             [periodic]\nz = [0.0, 1.0]\n[[material]]\nname = \"rubber\"\nstiffness = 1e5\n\
             [[body]]\nname = \"high\"\nmass = 1\nposition = [0, 0, 0.85]\nvelocity = [0, 0, 1]\n\
             shape = { type = \"sphere\", radius = 0.1 }\nmaterial = \"rubber\"\n\
             [[body]]\nname = \"low\"\nmass = 3\nposition = [0, 0, 0.15]\n\
             shape = { type = \"sphere\", radius = 0.1 }\nmaterial = \"rubber\"\n",
        );
        scene.solver.formulation = formulation;
        let mut run = Run::new(scene);
        let mut met = 0;
        for _ in 0..200 {
            assert!(run.simulation.advance().info.status.is_solved(), "{formulation:?}");
            met += across(&run);
        }
        assert!(met > 0, "{formulation:?}");
        let [high, low] = ["high", "low"].map(|name| run.velocity(name).linear.z);
        assert!((high + 3.0 * low - 1.0).abs() < 1e-9, "{formulation:?}: {high} {low}");
        assert!(low >= high - 1e-9 && low > 0.2, "{formulation:?}: {high} {low}");
    }
}

/// A body may meet several images of another one: a long bar between the two sides of one ball.
#[test]
fn a_body_is_held_between_two_images_of_another() {
    let scene = exact_from_text(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.2\n[periodic]\nx = [0.0, 0.5]\n\
         [[friction]]\ncoefficient = 0.6\n\
         [[body]]\nname = \"ball\"\nfixed = true\nposition = [0, 0, 0]\nshape = { type = \"sphere\", radius = 0.2 }\n\
         [[body]]\nname = \"load\"\nmass = 1\nposition = [0.25, 0, 0.33]\nvelocity = [0, 0, -0.1]\n\
         shape = { type = \"sphere\", radius = 0.2 }\n",
    );
    let mut run = Run::new(scene);
    run.run_to_the_end();
    let images: Vec<i32> =
        run.contacts().iter().filter(|c| c.normal_impulse > 0.0).map(|c| c.image[0]).collect();
    assert_eq!(images, [-1, 0]);
    let z = run.state().poses[1].position.z;
    assert!((z - (0.4_f64.powi(2) - 0.25_f64.powi(2)).sqrt()).abs() < 1e-7, "{z}");
}

/// A granular flow down a plane without end, by default settings.
#[test]
fn the_chute_is_solved_and_green() {
    let mut run = Run::new(shipped("seeds/chute.toml"));
    let mut met = 0;
    for _ in 0..150 {
        run.advance();
        met += across(&run);
    }
    assert!(met > 100, "{met} loaded contacts across faces");
    let PeriodicBox { spans } = run.scene().periodic.expect("a box");
    assert_eq!(spans, [Some([0.0, 0.4]), Some([0.0, 0.2]), None]);
}
