//! The literal formulation of bodies with several facets: the paper's figures, and the equations as the
//! papers print them.

use nalgebra::{Matrix3, Vector3};
use signorini::reference::ReferenceNcp;
use signorini::step::{ContactRecord, Loads, StepInfo, Triggers};
use signorini::stepper::Stepper;
use signorini_geometry::{Polytope, Pose, Shape, Velocity};
use signorini_scene::scene::{Body, ContactKind, Part, Scene, State};
use signorini_scene::settings::{Formulation, LiteralBlock, LiteralRotation};
use std::sync::Arc;
use support::judged_steps::{ellipsoid, friction, pose, scene, v};
use support::runs::{body, shipped};

/// Steps without the referee, which knows neither printed rotations nor printed overlaps.
struct Steps {
    scene: Scene,
    state: State,
    model: ReferenceNcp,
    loads: Loads,
    triggers: Triggers,
    step: usize,
}

impl Steps {
    fn new(mut scene: Scene) -> Self {
        scene.solver.formulation = Formulation::Literal;
        let (model, state) = (ReferenceNcp::new(&scene).expect("a small scene"), scene.initial_state());
        let mut triggers = Triggers::default();
        triggers.observe(&scene, &state, &[], 0);
        Self { scene, state, model, loads: Loads::default(), triggers, step: 0 }
    }

    fn advance(&mut self) -> StepInfo {
        self.loads.gather(&self.scene, self.step);
        self.loads.add_triggered(&self.scene, &self.triggers);
        let info = self.model.step(&self.scene, &mut self.state, &self.loads);
        self.step += 1;
        self.triggers.observe(&self.scene, &self.state, self.model.contacts(), self.step);
        info
    }

    fn contact(&self) -> &ContactRecord {
        &self.model.contacts()[0]
    }
}

/// [XC] example 3: N = 3, 2, 1 multipliers in turn, an edge after .44 s, a face after .67 s, and no step
/// needs a second start.
#[test]
fn a_cube_tumbles_with_3_then_2_then_1_multipliers() {
    let mut steps = Steps::new(shipped("seeds/tumbling-cube.toml"));
    let (mut facets, mut first) = (Vec::new(), [None; 3]);
    for step in 1..=steps.scene.n_steps() {
        let info = steps.advance();
        assert!(info.status.is_solved() && info.restarts == 0, "step {step}: {info:?}");
        let contact = steps.contact();
        if contact.normal_impulse > 0.0 {
            let n = contact.touch.active_facets[1];
            if facets.last() != Some(&n) {
                facets.push(n);
            }
            first[contact.touch.kind as usize].get_or_insert(step);
        }
    }
    let order = [3, 2, 1].map(|n| facets.iter().position(|f| *f == n));
    assert!(order[0] == Some(0) && order[0] < order[1] && order[1] < order[2], "{facets:?}");
    assert_eq!(first[ContactKind::Point as usize], Some(1));
    assert!((43..=45).contains(&first[ContactKind::Line as usize].expect("an edge")), "{first:?}");
    assert!((66..=68).contains(&first[ContactKind::Surface as usize].expect("a face")), "{first:?}");
}

/// The prototypes' figure for the end of example 3, with the rotation as printed: q + h G(q) ν turns by 2
/// atan(h|ω|/2), the exponential map by h|ω|, and that is all of the 1.7 mm between them.
#[test]
fn the_printed_rotation_ends_where_the_prototypes_do() {
    let end = |rotation: LiteralRotation| {
        let mut scene = shipped("seeds/tumbling-cube.toml");
        scene.solver.literal.rotation = rotation;
        let mut steps = Steps::new(scene);
        for _ in 0..steps.scene.n_steps() {
            assert!(steps.advance().status.is_solved());
        }
        steps.state.poses[body(&steps.scene, "cube")].position
    };
    let prototypes = Vector3::new(25.616_025, -29.541_758, 0.5);
    let printed = end(LiteralRotation::Quaternion);
    assert!((printed - prototypes).norm() < 1e-6, "{printed}");
    let exponential = end(LiteralRotation::Exponential);
    assert!(((exponential - prototypes).norm() - 1.706e-3).abs() < 2e-6, "{exponential}");
}

const HALF: f64 = 0.1;

fn cube(name: &str, pose: Pose, velocity: Velocity) -> Body {
    let shape = Shape::Polytope(Arc::new(Polytope::box_(Vector3::repeat(HALF))));
    let inertia = Matrix3::identity() * (2.0 / 3.0 * HALF * HALF);
    Body { parts: vec![Part::new(shape)], inertia, ..ellipsoid(name, v(1.0, 1.0, 1.0), 1.0, pose, velocity) }
}

/// Separation of two cubes over the 15 axes: its own oracle.
fn separation(p: &Pose, q: &Pose) -> f64 {
    let (r, s) = (p.rotation(), q.rotation());
    let columns = |m: &Matrix3<f64>| [0, 1, 2].map(|i| Vector3::from(m.column(i)));
    let (of_p, of_q) = (columns(&r), columns(&s));
    let crossed = of_p.iter().flat_map(|a| of_q.iter().filter_map(move |b| a.cross(b).try_normalize(1e-9)));
    let width = |n: &Vector3<f64>| of_p.iter().chain(&of_q).map(|a| n.dot(a).abs()).sum::<f64>() * HALF;
    let axes = of_p.iter().chain(&of_q).copied().chain(crossed);
    axes.map(|n| n.dot(&(q.position - p.position)).abs() - width(&n)).fold(f64::NEG_INFINITY, f64::max)
}

/// A cube in some orientation, about to hit a fixed one.
fn impact(k: f64) -> Scene {
    let turn = v((1.7 * k).sin(), (2.3 * k).cos(), (0.9 * k).sin()) * 2.0;
    let mut low = cube("low", Pose::identity(), Velocity::default());
    low.fixed = true;
    let mut start = pose(v(0.08 * (3.1 * k).sin(), 0.08 * (1.9 * k).cos(), 0.4), turn);
    while separation(&low.pose, &start) > 0.002 {
        start.position.z -= 1e-4;
    }
    let velocity = Velocity {
        linear: v(0.3 * (1.1 * k).cos(), 0.3 * (0.7 * k).sin(), -1.0),
        angular: v(k.cos(), (2.0 * k).sin(), (3.0 * k).cos()) * 2.0,
    };
    let mut scene = scene(vec![low, cube("high", start, velocity)], friction(0.4, [1.0, 1.0], 0.05));
    scene.solver.max_iterations = 400;
    scene
}

/// The reason to differ from print: in (13) and (14) facet k1 of A counts in full though its own multiplier
/// may be 0, so that at a1 = a2 the normal need not be one of A's. The equations hold to rounding, and the
/// bodies overlap.
#[test]
fn the_equations_as_printed_admit_penetrating_roots() {
    let mut n_inside = 0;
    for k in 0..16 {
        for block in [LiteralBlock::Homogenised, LiteralBlock::AsPrinted] {
            let mut scene = impact(f64::from(k));
            scene.solver.literal.block = block;
            let mut steps = Steps::new(scene);
            let info = steps.advance();
            let gap = separation(&steps.state.poses[0], &steps.state.poses[1]);
            let is_inside = info.status.is_solved() && gap < -1e-4;
            assert!(!is_inside || block == LiteralBlock::AsPrinted, "impact {k}: {gap}");
            if is_inside {
                assert!(info.residual.max() < 1e-11, "impact {k}: a root, not a failure: {info:?}");
                assert!(steps.contact().gap > -1e-9, "what (17) says of it: {}", steps.contact().gap);
                n_inside += 1;
            }
        }
    }
    assert!(n_inside >= 2, "{n_inside} of 16 end inside");
}

/// For one facet each both blocks are the same equations; a cube on a plane has one facet below.
#[test]
fn as_printed_and_homogenised_agree_over_a_plane() {
    let mut scene = shipped("seeds/tumbling-cube.toml");
    scene.solver.literal.block = LiteralBlock::AsPrinted;
    let mut printed = Steps::new(scene);
    let mut homogenised = Steps::new(shipped("seeds/tumbling-cube.toml"));
    for step in 1..=100 {
        assert!(printed.advance().status.is_solved() && homogenised.advance().status.is_solved());
        let apart = printed.state.poses[1].position - homogenised.state.poses[1].position;
        assert!(apart.norm() < 1e-10, "step {step}: {apart}");
    }
}
