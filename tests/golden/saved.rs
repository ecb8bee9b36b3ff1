//! A saved simulation goes on as if it had not been saved, bit for bit, and bodies that come and go leave the
//! memory of the others alone.

use signorini::simulation::{SavedState, Simulation};
use signorini_scene::scene::{Body, BodyId, Scene};
use signorini_scene::settings::{Formulation, Integrator};
use support::runs::shipped;

fn start(scene: Scene) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
    simulation.judge_steps(false);
    simulation
}

/// Written and read back.
fn through_bytes(saved: &SavedState) -> SavedState {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.ckpt");
    saved.write(&path).unwrap_or_else(|e| panic!("{e}"));
    SavedState::read(&path).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs twice as many steps as `half`, and half of them again from the state saved in the middle.
fn assert_goes_on(name: &str, scene: Scene, half: usize) {
    assert_goes_on_for(name, scene, half, half);
}

/// Runs `before` and `after` steps, and the latter again from the state saved between.
fn assert_goes_on_for(name: &str, scene: Scene, before: usize, after: usize) {
    let mut simulation = start(scene);
    for _ in 0..before {
        simulation.advance();
    }
    let saved = through_bytes(&simulation.save());
    let mut again = Simulation::from_saved(saved).unwrap_or_else(|e| panic!("{name}: {e}"));
    again.judge_steps(false);
    for step in before + 1..=before + after {
        let (one, other) = (simulation.advance(), again.advance());
        assert_eq!(one.step, other.step, "{name}");
        assert_eq!(one.info.iterations, other.info.iterations, "{name}: step {step}, saved after {before}");
        assert_eq!(simulation.state(), again.state(), "{name}: step {step}, saved after {before}");
        assert_eq!(simulation.contacts().len(), again.contacts().len(), "{name}: step {step}");
    }
}

/// All data that a step depends on is saved: a missing piece shows in some scene.
#[test]
fn every_seed_scene_goes_on_from_what_was_saved() {
    let files = std::fs::read_dir(support::runs::root().join("scenes/seeds")).expect("the scenes");
    let mut names: Vec<_> =
        files.map(|e| e.expect("a file").file_name().into_string().expect("text")).collect();
    names.retain(|name| name.ends_with(".toml"));
    names.sort();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let scene = shipped(&format!("seeds/{name}"));
        let before = (scene.n_steps() / 2).min(150);
        assert_goes_on_for(&name, scene, before, 20);
    }
}

fn with(path: &str, change: impl FnOnce(&mut Scene)) -> Scene {
    let mut scene = shipped(path);
    change(&mut scene);
    scene
}

#[test]
fn small_scenes_go_on_from_what_was_saved() {
    for path in
        ["two-spheres", "stack", "tumbling-cube", "rolling-cylinder", "feeder", "four-bar", "rattleback"]
    {
        assert_goes_on(path, shipped(&format!("seeds/{path}.toml")), 50);
    }
}

/// The scene from its present state, but without impulses of the last step.
fn without_memory(simulation: &Simulation) -> Simulation {
    let mut scene = simulation.scene().clone();
    let state = simulation.state();
    for (body, (pose, velocity)) in scene.bodies.iter_mut().zip(state.poses.iter().zip(&state.velocities)) {
        (body.pose, body.velocity) = (*pose, *velocity);
    }
    start(scene)
}

#[test]
fn without_its_memory_a_pile_goes_on_otherwise() {
    let mut simulation = start(shipped("granular/ellipsoids-64.toml"));
    simulation.run_until(0.5).for_each(drop);
    let mut cold = without_memory(&simulation);
    let differs = (0..10).any(|_| {
        simulation.advance();
        cold.advance();
        simulation.state() != cold.state()
    });
    assert!(differs, "what is remembered makes no difference: the other tests prove nothing");
}

/// Factors of large islands are used again in the next step.
#[test]
fn piles_go_on_from_what_was_saved() {
    assert_goes_on("ellipsoids", shipped("granular/ellipsoids-64.toml"), 50);
    assert_goes_on("cubes", shipped("granular/cubes-64.toml"), 50);
}

#[test]
fn the_staggered_integrator_goes_on_from_what_was_saved() {
    for path in [
        "seeds/two-spheres.toml",
        "seeds/stack.toml",
        "seeds/slider-crank.toml",
        "granular/ellipsoids-64.toml",
    ] {
        assert_goes_on(path, with(path, |s| s.solver.integrator = Integrator::Staggered), 50);
    }
}

#[test]
fn every_formulation_goes_on_from_what_was_saved() {
    let formulations = [
        Formulation::Cone,
        Formulation::StewartTrinkle,
        Formulation::Compliant,
        Formulation::Auto,
        Formulation::Literal,
    ];
    for formulation in formulations {
        for path in ["seeds/two-spheres.toml", "seeds/tumbling-cube.toml", "seeds/double-pendulum.toml"] {
            let name = format!("{path}, {formulation:?}");
            assert_goes_on(&name, with(path, |s| s.solver.formulation = formulation), 20);
        }
    }
    let cone = with("granular/ellipsoids-64.toml", |s| s.solver.formulation = Formulation::Cone);
    assert_goes_on("a pile of cones", cone, 25);
}

/// A stack at rest: if the contacts were forgotten, the step after a body came or went would have to be
/// solved anew.
#[test]
fn bodies_come_and_go_and_the_others_remember_their_contacts() {
    let mut scene = Scene::builder();
    scene.friction(signorini::Friction::coulomb(0.5));
    scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
    let place = |x: f64, k: usize| [x, 0.0, 0.1 + 0.2 * k as f64];
    for k in 0..4 {
        scene.body(Body::box_([0.1; 3]).density(1000.0).at(place(0.0, k)));
    }
    let lonely = scene.body(Body::sphere(0.1).density(1000.0).at(place(2.0, 0)));
    let top = BodyId::new(4);
    let mut simulation = start(scene.build().expect("a scene"));
    simulation.run_until(0.5).for_each(drop);
    assert_eq!(simulation.advance().info.iterations, 0, "at rest nothing is left to solve");
    let height = simulation.pose(top).expect("a body").position.z;

    let ball = simulation
        .add_body(Body::sphere(0.1).density(1000.0).at(place(-2.0, 0)).named("ball"))
        .expect("room");
    assert_eq!(ball, BodyId::new(6));
    simulation.advance();
    simulation.advance();
    assert_eq!(simulation.advance().info.iterations, 0, "the stack was solved anew");

    let removed = simulation.remove_body(lonely).expect("a body");
    assert_eq!(removed.name, "sphere-5");
    assert!(simulation.pose(lonely).is_err());
    assert_eq!(simulation.advance().info.iterations, 0, "the stack was solved anew");
    assert_eq!(simulation.body(ball).expect("a body").name, "ball");
    assert_eq!(simulation.pose(top).expect("a body").position.z, height);
    assert_eq!(
        simulation.contacts_of(top).expect("a body").filter(|(_, c)| c.normal_impulse > 0.0).count(),
        1
    );

    let overlapping = Body::sphere(0.1).density(1000.0).at(place(0.0, 0));
    assert!(simulation.add_body(overlapping).is_err_and(|e| e.to_string().contains("overlap")));
    assert_eq!(simulation.advance().info.iterations, 0);
    simulation.remove_body(BodyId::new(3)).expect("a body");
    simulation.run_until(simulation.time() + 1.0).for_each(drop);
    let fallen = simulation.pose(top).expect("a body").position.z;
    assert!((fallen - (height - 0.2)).abs() < 1e-3, "{fallen} m, was {height} m");
}
