//! The referee is not fooled about joints, and the audit reads them back.

use super::{body, head, joint};
use nalgebra::{UnitQuaternion, Vector3};
use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini::simulation::Simulation;
use signorini::step::{ContactRecord, JointRecord, Loads};
use signorini_runs::audit::{AuditOptions, audit};
use signorini_runs::output::{ExitReason, RunFolder};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Integrator;
use support::runs::{exact, exact_from_text, shipped};

/// One step as it is reported.
#[derive(Clone)]
pub struct Told {
    pub scene: Scene,
    pub before: State,
    pub after: State,
    pub loads: Loads,
    pub contacts: Vec<ContactRecord>,
    pub joints: Vec<JointRecord>,
}

impl Told {
    /// Step n of a scene.
    pub fn step(scene: Scene, n: usize) -> Self {
        let mut simulation = Simulation::new(scene).expect("runs");
        let mut before = simulation.state().clone();
        for _ in 0..n {
            before = simulation.state().clone();
            simulation.advance();
        }
        let mut loads = Loads::default();
        loads.gather(simulation.scene(), n - 1);
        Self {
            scene: simulation.scene().clone(),
            before,
            after: simulation.state().clone(),
            loads,
            contacts: simulation.contacts().to_vec(),
            joints: simulation.joints().to_vec(),
        }
    }

    pub fn judge(&self) -> Verdict {
        Referee::new(&self.scene).judge(&self.record())
    }

    /// The step as the referee is shown it.
    pub fn record(&self) -> RecordedStep<'_> {
        let Self { scene, before, after, loads, contacts, joints } = self;
        RecordedStep { scene, before: Some(before), after, loads, contacts, joints, substeps: &[] }
    }

    pub fn lie(&self, change: impl Fn(&mut Self)) {
        let mut lie = self.clone();
        change(&mut lie);
        let verdict = lie.judge();
        assert!(!verdict.green, "{verdict:?}");
    }
}

pub fn hinge() -> Scene {
    let text = head(0.002, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &joint(
            "hinge",
            "revolute",
            ["base", "rod"],
            [0.0; 3],
            "axis = [0, 1, 0]\nangle_limits = [-0.2, 0.01]",
        )
        + "[[motor]]\njoint = \"hinge\"\nlargest_force = 1\nvelocity = { type = \"constant\", value = 9 }\n";
    exact_from_text(&text)
}

#[test]
fn rougher_steps_may_have_rougher_joints() {
    let mut told = Told::step(hinge(), 5);
    let part = |told: &mut Told| told.after.poses[1].position.x += 2e-9;
    told.lie(part);
    told.scene.solver.tolerance = 1e-4;
    part(&mut told);
    assert!(told.judge().green, "{:?}", told.judge());
}

#[test]
fn lies_about_reactions_motors_and_limits_are_red() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let mut scene = hinge();
        scene.solver.integrator = integrator;
        let honest = Told::step(scene, 200);
        assert!(honest.judge().green, "{:?}", honest.judge());
        let record = honest.joints[0];
        assert!((record.motor[1] - 0.002).abs() < 1e-9 && record.limit[1] < 0.0, "{record:?}");
        honest.lie(|t| t.joints.clear());
        honest.lie(|t| t.joints[0].force.x += 1e-6);
        honest.lie(|t| t.joints[0].torque.z += 1e-6);
        // Momentum balances, but a hinge carries no torque about its axis.
        honest.lie(|t| {
            t.joints[0].motor[1] = 0.0;
            t.joints[0].limit[1] = 0.0;
        });
        // The sum is right, its parts are not: a motor beyond its bound, a limit that pulls.
        honest.lie(|t| {
            t.joints[0].motor[1] += 1e-3;
            t.joints[0].limit[1] -= 1e-3;
        });
        honest.lie(|t| {
            t.joints[0].motor[1] += record.limit[1] - 1e-3;
            t.joints[0].limit[1] = 1e-3;
        });
        honest.lie(|t| t.joints[0].motion[1] = 1e-3);
        honest.lie(|t| t.after.poses[1].position.x += 1e-8);
    }
}

/// A ball on a hinge through its centre that turns once about an axis across that of the hinge, within one
/// step, ends where it was. The couple that starts it is one that a hinge can carry, and momentum balances.
#[test]
fn a_whole_turn_within_a_step_is_red() {
    let text = head(0.002, 1.0).replace("[simulation]", "[simulation]\ngravity = [0, 0, 0]")
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("ball", [0.1; 3], Some(1.0), [0.4, 0.0, 0.0])
        + &joint("hinge", "revolute", ["base", "ball"], [0.4, 0.0, 0.0], "axis = [0, 1, 0]");
    let honest = Told::step(exact_from_text(&text), 1);
    assert!(honest.judge().green, "{:?}", honest.judge());
    let spun = |axis: Vector3<f64>, turn: f64| {
        let mut told = honest.clone();
        let spin = axis * (turn / told.scene.time_step);
        told.after.velocities[1].angular = spin;
        told.after.poses[1].orientation =
            UnitQuaternion::from_scaled_axis(axis * turn) * told.before.poses[1].orientation;
        told.joints[0].torque = told.scene.bodies[1].inertia * spin;
        told.judge()
    };
    let verdict = spun(Vector3::x(), 2.0 * std::f64::consts::PI);
    assert!(!verdict.green && verdict.joint_error > 6.2, "{verdict:?}");
    assert!(verdict.momentum < 1e-12 && verdict.complementarity > 6.2, "{verdict:?}");
}

/// Bodies on a joint that rise and fall: without the start of a step, its free motion is not known.
#[test]
fn the_end_of_a_step_alone_tells_no_energy() {
    let thrown = |name: &str, x: f64| {
        body(name, [0.1; 3], Some(1.0), [x, 0.0, 0.0]).replace("mass =", "velocity = [0, 0, 0.1]\nmass =")
    };
    let text = head(0.002, 1.0)
        + &thrown("a", 0.0)
        + &thrown("b", 0.4)
        + &joint("pin", "ball", ["a", "b"], [0.2, 0.0, 0.0], "");
    for n in 1..10 {
        let told = Told::step(exact_from_text(&text), n);
        let record = RecordedStep { before: None, ..told.record() };
        let verdict = Referee::new(&told.scene).judge(&record);
        assert!(verdict.green && told.judge().green, "step {n}: {verdict:?}");
    }
}

/// Each kind of joint with a free coordinate, a motor, limits or a prescribed motion: no part of a record can
/// be wrong unnoticed.
#[test]
fn every_part_of_every_record_is_judged() {
    let course = "{ type = \"sine\", amplitude = 0.3, frequency = 3 }";
    let kinds: [(&str, &str, &[&str]); 8] = [
        ("fixed", "", &[]),
        ("ball", "", &[]),
        ("revolute", "axis = [0.2, 1, 0.3]", &["angle"]),
        ("prismatic", "axis = [0.2, 0.3, 1]", &["slide"]),
        ("cylindrical", "axis = [0.2, 0.3, 1]", &["slide", "angle"]),
        ("universal", "axis = [0.2, 1, 0.3]\nsecond_axis = [1, -0.2, 0]", &[]),
        ("planar", "axis = [0.2, 0.3, 1]", &[]),
        ("distance", "", &["length"]),
    ];
    for (kind, axis, coordinates) in kinds {
        let drives = coordinates.iter().flat_map(|c| {
            let around = if *c == "length" { "[0.3, 0.401]" } else { "[-0.001, 0.001]" };
            let of = format!("joint = \"j\"\ncoordinate = {c:?}\n");
            [
                (format!("{c}_limits = {around}\n"), String::new()),
                (String::new(), format!("[[motor]]\n{of}largest_force = 1\nvelocity = {course}\n")),
                (
                    String::new(),
                    format!("[[motor]]\n{of}position = {course}\nstiffness = 5\ndamping = 0.1\n"),
                ),
                (String::new(), format!("[[motor]]\n{of}velocity = {course}\ndamping = 2\n")),
                (String::new(), format!("[[motor]]\n{of}force = {course}\n")),
                (String::new(), format!("[[motion]]\n{of}velocity = {course}\n")),
            ]
        });
        for (more, drive) in drives.chain([(String::new(), String::new())]) {
            for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
                let place = if kind == "distance" {
                    "anchors = [[0, 0, 0], [0, 0, 0]]"
                } else {
                    "anchor = [0.1, 0.05, 0]"
                };
                let text = head(0.002, 1.0)
                    + &body("base", [0.05; 3], None, [0.0; 3])
                    + &body("rod", [0.3, 0.05, 0.04], Some(1.0), [0.4, 0.0, 0.0])
                    + &format!(
                        "[[joint]]\nname = \"j\"\ntype = {kind:?}\nbetween = [\"base\", \"rod\"]\n{place}\n{axis}\n{more}"
                    )
                    + &drive;
                let mut scene = exact_from_text(&text);
                scene.solver.integrator = integrator;
                let honest = Told::step(scene, 30);
                assert!(honest.judge().green, "{text}: {:?}", honest.judge());
                for k in 0..3 {
                    honest.lie(|t| t.joints[0].force[k] += 1e-6);
                    honest.lie(|t| t.joints[0].torque[k] -= 1e-6);
                }
                for k in 0..2 {
                    honest.lie(|t| t.joints[0].motor[k] += 1e-6);
                    honest.lie(|t| t.joints[0].limit[k] -= 1e-6);
                    honest.lie(|t| t.joints[0].motion[k] += 1e-6);
                    // Their sum is right, but a limit is not a motor, nor a motor a prescribed motion.
                    honest.lie(|t| {
                        t.joints[0].motor[k] += 1e-6;
                        t.joints[0].limit[k] -= 1e-6;
                    });
                    honest.lie(|t| {
                        t.joints[0].motor[k] += 1e-6;
                        t.joints[0].motion[k] -= 1e-6;
                    });
                }
            }
        }
    }
}

#[test]
fn an_open_joint_is_red_even_where_momentum_balances() {
    let honest = Told::step(exact(shipped("seeds/double-pendulum.toml")), 50);
    assert!(honest.judge().green);
    // Both states moved alike: only the joint knows.
    honest.lie(|t| {
        for state in [&mut t.before, &mut t.after] {
            state.poses[2].position += Vector3::new(0.0, 1e-7, 0.0);
        }
    });
    honest.lie(|t| {
        for state in [&mut t.before, &mut t.after] {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 1e-7));
            state.poses[2].orientation = turn * state.poses[2].orientation;
        }
    });
}

#[test]
fn a_driven_body_that_is_elsewhere_is_red() {
    let honest = Told::step(shipped("seeds/feeder.toml"), 20);
    assert!(honest.judge().green, "{:?}", honest.judge());
    honest.lie(|t| t.after.poses[0].position.x += 1e-8);
    honest.lie(|t| t.after.velocities[0].linear.x += 1e-4);
}

/// A step that may take only so many iterations is halved, and each substep is judged with its joints.
#[test]
fn joints_of_halved_steps_are_judged() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let mut scene = exact(shipped("seeds/four-bar.toml"));
        scene.solver.integrator = integrator;
        scene.time_step = 0.02;
        scene.solver.max_iterations = 3;
        let mut simulation = Simulation::new(scene).expect("runs");
        let mut halved = 0;
        for step in 1..=50 {
            let outcome = simulation.advance();
            let verdict = outcome.verdict.expect("judged");
            let solved = outcome.info.status.is_solved();
            if !solved {
                break;
            }
            assert!(verdict.green, "{integrator:?}, step {step}: {verdict:?}");
            if outcome.info.n_substeps > 0 {
                halved += 1;
                assert_eq!(simulation.joints().len(), 4 * outcome.info.n_substeps);
            }
        }
        assert!(halved > 0, "{integrator:?}: nothing was halved");
    }
}

/// The referee judges written runs with joints as it judged them live.
#[test]
fn runs_with_joints_are_audited_from_their_files() {
    for (name, integrator) in [
        ("four-bar", Integrator::ImplicitEuler),
        ("slider-crank", Integrator::Staggered),
        ("feeder", Integrator::ImplicitEuler),
        ("two-spheres", Integrator::Staggered),
    ] {
        let mut scene = exact(shipped(&format!("seeds/{name}.toml")));
        scene.solver.integrator = integrator;
        scene.duration = 40.0 * scene.time_step;
        let folder = std::env::temp_dir().join(format!("signorini-joints-{name}-{}", std::process::id()));
        let mut simulation = Simulation::new(scene).expect("runs");
        let mut run = RunFolder::create(&folder, &simulation, name, 1).expect("a folder");
        for _ in 0..40 {
            let outcome = simulation.advance();
            assert!(outcome.verdict.expect("judged").green, "{name}: {outcome:?}");
            run.record(&simulation, &outcome).expect("written");
        }
        run.finish(&simulation, ExitReason::Completed).expect("written");
        let report = audit(&folder, &AuditOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(report.is_green() && report.judged == 40, "{name}: {report}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}

/// Any number of threads, with joints and both integrators: the same bits.
#[test]
fn same_bits_for_any_number_of_threads() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let mut text = head(0.005, 1.0);
        for k in 0..3 {
            let y = f64::from(k);
            text += &body(&format!("base {k}"), [0.02; 3], None, [0.0, y, 0.0]);
            text += &body(&format!("rod {k}"), [0.3, 0.05, 0.05], Some(1.0), [0.4, y, 0.0]);
            let between = [format!("base {k}"), format!("rod {k}")];
            text += &joint(&format!("pin {k}"), "ball", [&between[0], &between[1]], [0.0, y, 0.0], "");
        }
        let mut scene = exact_from_text(&text);
        scene.solver.integrator = integrator;
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut simulation = Simulation::new(scene.clone()).expect("runs");
                (0..50).for_each(|_| assert!(simulation.advance().info.status.is_solved()));
                assert_eq!(simulation.joints().len(), 3);
                simulation.state().clone()
            })
        };
        let one = run(1);
        assert_eq!(run(2), one);
        assert_eq!(run(7), one);
    }
}
