//! Known artefacts, measured.

use super::{run, scene, under};
use nalgebra::Vector3;
use signorini_kernels::smooth_pair::tangents;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation::{Compliant, Cone, Implicit, StewartTrinkle};

const G: f64 = 9.81;
const MU: f64 = 0.3;
const SPEED: f64 = 2.0;

/// A body on a plane, so heavy to turn that it slides, thrown at an angle to the first tangent of the
/// contact.
fn slider(step: f64, duration: f64, angle: f64) -> Scene {
    let (t, o) = tangents(&Vector3::z());
    let v = (t * angle.cos() + o * angle.sin()) * SPEED;
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = {step}\nduration = {duration}\n[[friction]]\ncoefficient = {MU}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"slider\"\nshape = {{ type = \"sphere\", radius = 0.1 }}\nmass = 1\n\
         inertia = [1e9, 1e9, 1e9, 0, 0, 0]\nposition = [0, 0, 0.1]\nvelocity = [{:?}, {:?}, 0]\n",
        v.x, v.y
    ))
}

#[test]
fn cone_complementarity_lifts_a_slider_by_h_mu_v() {
    let base = slider(0.01, 0.5, 0.3);
    let mut seen = 0;
    run(under(&base, Cone), |s| {
        // The relaxation lifts the body with μ v first; it comes down after 0.13 s.
        if s.time() < 0.2 {
            return;
        }
        let contact = s.contacts()[0];
        let lift = s.scene().time_step * MU * s.state().velocities[1].linear.xy().norm();
        assert!((contact.gap - lift).abs() <= 0.01 * lift, "{} against {lift}", contact.gap);
        seen += 1;
    });
    assert!(seen >= 30);
    for model in [Implicit, StewartTrinkle] {
        run(under(&base, model), |s| {
            assert!(s.contacts()[0].gap.abs() < 1e-11, "{model:?}: {}", s.contacts()[0].gap);
        });
    }
}

/// A body sliding along x over a plane that falls by `slope` (rad), so heavy to turn that it does not.
fn on_slope(shape: &str, slope: f64, speed: f64) -> Scene {
    let (c, s) = (slope.cos(), slope.sin());
    let [position, velocity] = [[0.1 * s, 0.0, 0.1 * c], [speed * c, 0.0, -speed * s]];
    let orientation = [(0.5 * slope).cos(), 0.0, (0.5 * slope).sin(), 0.0];
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.5\n[[friction]]\ncoefficient = {MU}\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [{s:?}, 0, {c:?}], offset = 0 }}\n\
         [[body]]\nname = \"slider\"\nshape = {shape}\nmass = 1\ninertia = [1e9, 1e9, 1e9, 0, 0, 0]\n\
         position = {position:?}\norientation = {orientation:?}\nvelocity = {velocity:?}\n"
    ))
}

#[test]
fn the_cone_lifts_boxes_and_what_slides_down_a_slope_alike() {
    let shapes = [
        "{ type = \"sphere\", radius = 0.1 }",
        "{ type = \"box\", half_extents = [0.15, 0.12, 0.1] }",
        "{ type = \"cylinder\", radius = 0.2, length = 0.2 }",
    ];
    for shape in shapes {
        for (slope, start) in [(0.0, SPEED), (0.5, 0.0)] {
            let base = on_slope(shape, slope, start);
            let mut seen = 0;
            run(under(&base, Cone), |s| {
                // Bodies that are lifted with μ v at first come down after 0.13 s.
                if s.time() > 0.2 {
                    let lift = 0.01 * MU * s.state().velocities[1].linear.norm();
                    for contact in s.contacts() {
                        assert!((contact.gap - lift).abs() <= 0.01 * lift, "{shape}: {} {lift}", contact.gap);
                        seen += 1;
                    }
                }
            });
            assert!(seen >= 30, "{shape}: {seen}");
            for model in [Implicit, StewartTrinkle] {
                run(under(&base, model), |s| {
                    assert!(s.contacts().iter().all(|c| c.gap.abs() < 1e-10), "{model:?} {shape} {slope}");
                });
            }
        }
    }
}

#[test]
fn a_square_of_friction_bends_a_slide_as_computed() {
    // Friction stays on the corner opposite to the larger component until both are equal: v_t = v cos θ − μ g
    // t.
    let (angle, step): (f64, f64) = (0.35, 1e-3);
    let mut bent = under(&slider(step, 0.2, angle), StewartTrinkle);
    bent.solver.stewart_trinkle.directions = 4;
    let (t, o) = tangents(&Vector3::z());
    run(bent, |s| {
        let v = s.state().velocities[1].linear;
        let (along, across) = (SPEED * angle.cos() - MU * G * s.time(), SPEED * angle.sin());
        assert!((v.dot(&t) - along).abs() < 1e-9 && (v.dot(&o) - across).abs() < 1e-9, "{v}");
    });
    // The true slide is straight.
    run(slider(step, 0.2, angle), |s| {
        let v = s.state().velocities[1].linear;
        assert!((v.dot(&o) / v.dot(&t) - angle.tan()).abs() < 1e-9);
        assert!((v.norm() - (SPEED - MU * G * s.time())).abs() < 1e-9);
    });
}

#[test]
fn more_directions_bend_less() {
    let mut last = f64::INFINITY;
    for directions in [4, 8, 16, 32, 64] {
        let angle = 0.4 * std::f64::consts::TAU / directions as f64;
        let mut bent = under(&slider(2e-3, 0.6, angle), StewartTrinkle);
        bent.solver.stewart_trinkle.directions = directions;
        let (t, o) = tangents(&Vector3::z());
        let end = run(bent, |_| {});
        let v = end.state().velocities[1].linear;
        let turned = (v.dot(&o).atan2(v.dot(&t)) - angle).abs();
        // Towards the middle between two corners, a tenth of the angle between them away, and no further.
        assert!(turned > 1e-4 && turned <= 0.101 * std::f64::consts::TAU / directions as f64, "{turned}");
        assert!(turned < 0.6 * last, "{directions}: {turned} after {last}");
        last = turned;
    }
}

/// Two balls on top of each other, on a plane.
fn tower(stiffness: f64) -> Scene {
    let ball = |name: &str, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"rubber\"\nmass = 2\nposition = [0, 0, {z}]\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\n"
        )
    };
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.001\nduration = 2\n[[friction]]\ncoefficient = {MU}\n\
         [[material]]\nname = \"rubber\"\nstiffness = {stiffness}\ndissipation_time = 0.02\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{}{}",
        ball("low", 0.1),
        ball("high", 0.3)
    ))
}

#[test]
fn compliant_contacts_sink_by_their_load_over_their_stiffness() {
    let k = 5e4;
    let end = run(under(&tower(k), Compliant), |_| {});
    // 4 kg on one rubber surface, 2 kg on two in series.
    let sunk = [4.0 * G / k, 2.0 * G / (k / 2.0)];
    for (contact, sunk) in end.contacts().iter().zip(sunk) {
        assert!((contact.gap + sunk).abs() < 1e-6 * sunk, "{} against {sunk}", contact.gap);
    }
    for model in [Implicit, StewartTrinkle, Cone] {
        let end = run(under(&tower(k), model), |_| {});
        assert!(end.contacts().iter().all(|c| c.gap.abs() < 1e-10), "{model:?}");
    }
}

/// Starts of a body that comes to rest on n contacts of stiffness k.
fn on_many_contacts(stiffness: f64) -> Vec<(usize, Scene)> {
    let corner = |radius: f64, k: usize, n: usize| {
        let angle = std::f64::consts::TAU * (k as f64 + 0.25) / n as f64;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let head = format!(
        "format = 1\n[simulation]\ntime_step = 0.001\nduration = 1\n[[friction]]\ncoefficient = {MU}\n\
         [[material]]\nname = \"rubber\"\nstiffness = {stiffness}\ndissipation_time = 0.02\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n"
    );
    let body = |shape: &str, z: f64| {
        format!(
            "[[body]]\nname = \"body\"\nmaterial = \"rubber\"\nmass = 3\nposition = [0, 0, {z}]\nshape = {shape}\n"
        )
    };
    let mut found = vec![(1, body("{ type = \"sphere\", radius = 0.1 }", 0.1))];
    found.push((4, body("{ type = \"box\", half_extents = [0.1, 0.2, 0.05] }", 0.05)));
    // On the corners of a prism, and a box on fixed balls.
    for n in [3, 5, 6, 8] {
        let corners: Vec<[f64; 3]> = (0..n)
            .flat_map(|k| [-0.05, 0.05].map(|z| [corner(0.2, k, n)[0], corner(0.2, k, n)[1], z]))
            .collect();
        found.push((n, body(&format!("{{ type = \"polytope\", vertices = {corners:?} }}"), 0.05)));
    }
    for n in [3, 4, 7] {
        let balls: String = (0..n)
            .map(|k| {
                let [x, y] = corner(0.15, k, n);
                format!(
                    "[[body]]\nname = \"ball {k}\"\nfixed = true\nposition = [{x:?}, {y:?}, 0.5]\n\
                     shape = {{ type = \"sphere\", radius = 0.05 }}\n"
                )
            })
            .collect();
        let slab = body("{ type = \"box\", half_extents = [0.3, 0.3, 0.05] }", 0.6);
        found.push((n, format!("{balls}{slab}")));
    }
    found.into_iter().map(|(n, bodies)| (n, scene(&format!("{head}{bodies}")))).collect()
}

#[test]
fn a_body_on_n_contacts_sinks_by_an_nth() {
    let k = 4e4;
    for (n, base) in on_many_contacts(k) {
        let body = base.bodies.len() - 1;
        let height = |s: &signorini::simulation::Simulation| s.state().poses[body].position.z;
        let start = base.bodies[body].pose.position.z;
        let end = run(under(&base, Compliant), |_| {});
        let sunk = 3.0 * G / (k * n as f64);
        assert!((start - height(&end) - sunk).abs() < 1e-6 * sunk, "{n}: {} {sunk}", start - height(&end));
        let loaded: Vec<f64> =
            end.contacts().iter().filter(|c| c.normal_impulse > 0.0).map(|c| c.gap).collect();
        assert!(loaded.iter().all(|gap| (gap + sunk).abs() < 1e-6 * sunk), "{n}: {loaded:?} {sunk}");
        for model in [Implicit, StewartTrinkle, Cone] {
            let end = run(under(&base, model), |_| {});
            assert!((height(&end) - start).abs() < 1e-9, "{model:?} {n}: {}", height(&end) - start);
            assert!(end.contacts().iter().all(|c| c.gap > -1e-9), "{model:?} {n}");
        }
    }
}

#[test]
fn a_rigid_material_is_as_stiff_as_the_step_resolves() {
    // No contact gives way with a period below β h: R_n = β² w/(4 π²), so that the rest position is
    // −(h + τ_d) R_n m g h.
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 1\n[solver]\nformulation = \"compliant\"\n\
        [solver.compliant]\nnear_rigid = 0.5\n\
        [[body]]\nname = \"ground\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
        [[body]]\nname = \"ball\"\nmass = 3\nposition = [0, 0, 0.1]\nshape = { type = \"sphere\", radius = 0.1 }\n";
    let end = run(scene(text), |_| {});
    let pi = std::f64::consts::PI;
    let sunk = 0.01 * 0.25 / (4.0 * pi * pi) * G * 0.01;
    assert!((end.contacts()[0].gap + sunk).abs() < 1e-9 * sunk.max(1e-3), "{}", end.contacts()[0].gap);
}

#[test]
fn a_near_rigid_contact_gives_back_a_part_of_an_impact() {
    // q = 4π²/β² implicit steps of a spring: v₁ = v₀/(1 + q), v₂ = −v₁ (q − 1)/(1 + q), and it is off.
    for (beta, step) in [(1.0, 0.01), (1.0, 1e-4), (0.5, 0.01), (2.0, 0.001)] {
        let text = format!(
            "format = 1\n[simulation]\ntime_step = {step}\nduration = {}\ngravity = [0, 0, 0]\n[solver]\n\
             formulation = \"compliant\"\n[solver.compliant]\nnear_rigid = {beta}\n\
             [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
             [[body]]\nname = \"ball\"\nmass = 3\nposition = [0, 0, 0.1]\nvelocity = [0, 0, -2]\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\n",
            10.0 * step
        );
        let base = scene(&text);
        let speed = |s: &signorini::simulation::Simulation| s.state().velocities[1].linear.z;
        let q = (std::f64::consts::TAU / beta).powi(2);
        let back = 2.0 * (q - 1.0) / (1.0 + q).powi(2);
        let found = speed(&run(base.clone(), |_| {}));
        assert!((found - back).abs() < 1e-6 * back, "β = {beta}, h = {step}: {found} against {back}");
        for model in [Implicit, StewartTrinkle, Cone] {
            let end = run(under(&base, model), |_| {});
            assert!(speed(&end).abs() < 1e-7, "{model:?}: {}", speed(&end));
        }
    }
}
