//! Motors that press a joint on its own limit.

use signorini::simulation::Simulation;
use support::runs::from_text;

/// A finger on a palm that a position servo of this stiffness (N m/rad or N/m) presses on the limits of their
/// joint, with half the size of the palm (m).
fn servo(half: f64, stiffness: f64, (kind, is_free): (&str, bool)) -> String {
    let (step, finger) = (0.002, [half, 0.5 * half, 0.4 * half]);
    let place = [3.0 * half, 0.2 * half, 0.0];
    let palm = if is_free { "density = 1000" } else { "fixed = true" };
    let (limits, amplitude) = match kind {
        "revolute" => {
            (format!("anchor = [{:?}, 0, 0]\naxis = [0, 1, 0]\nangle_limits = [-0.5, 0.1]", 1.5 * half), 0.5)
        }
        _ => {
            (format!("axis = [1, 0.3, 0]\nslide_limits = [{:?}, {:?}]", -0.5 * half, 0.1 * half), 0.3 * half)
        }
    };
    format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = 0.1\n\
         [[body]]\nname = \"palm\"\n{palm}\nposition = [0, 0, 0]\n\
         shape = {{ type = \"box\", half_extents = [{half:?}, {half:?}, {half:?}] }}\n\
         [[body]]\nname = \"finger\"\ndensity = 1000\nposition = {place:?}\n\
         shape = {{ type = \"box\", half_extents = {finger:?} }}\n\
         [[joint]]\nname = \"servo\"\ntype = {kind:?}\nbetween = [\"palm\", \"finger\"]\n{limits}\n\
         [[motor]]\njoint = \"servo\"\nposition = {{ type = \"sine\", amplitude = {amplitude:?}, frequency = 3 }}\n\
         stiffness = {stiffness:?}\ndamping = {:?}\n",
        0.03 * stiffness
    )
}

/// Solver and referee have the same unit of what acts in the joint, at every size and stiffness.
#[test]
fn a_servo_may_press_its_joint_on_the_limit() {
    let mut faults = Vec::new();
    let both = |case| [1e-4, 1e-8].map(|tolerance| (case, tolerance));
    for ((half, stiffness, kind, is_free), tolerance) in cases().into_iter().flat_map(both) {
        let mut scene = from_text(&servo(half, stiffness, (kind, is_free)));
        scene.solver.tolerance = tolerance;
        let mut simulation = Simulation::new(scene).expect("runs");
        let (mut pressed, mut bad) = (0, 0);
        for _ in 0..simulation.scene().n_steps() {
            let outcome = simulation.advance();
            let record = simulation.joints()[0];
            pressed += usize::from(record.limit.iter().any(|p| *p != 0.0));
            let is_green = outcome.verdict.expect("the referee was asked").green;
            bad += usize::from(!(outcome.info.status.is_solved() && is_green));
        }
        if bad > 0 || pressed == 0 {
            faults.push(format!(
                "{kind} {half} m, {stiffness}, {tolerance:e}, free {is_free}: {bad} of {pressed} pressed"
            ));
        }
    }
    assert!(faults.is_empty(), "{}:\n{}", faults.len(), faults.join("\n"));
}

/// Sizes (m), stiffnesses, joints, and whether the palm is free.
fn cases() -> Vec<(f64, f64, &'static str, bool)> {
    let mut cases = Vec::new();
    for half in [1.5e-3_f64, 0.01, 0.05, 0.5] {
        for kind in ["revolute", "prismatic"] {
            // From a stiffness that the weight of the finger bends a little, upwards.
            let weight = 1000.0 * 9.81 * half.powi(3);
            let soft = if kind == "revolute" { 10.0 * weight * half } else { 30.0 * weight / half };
            for stiffer in [1.0, 1e2, 1e4, 1e6] {
                cases.extend([false, true].map(|is_free| (half, soft * stiffer, kind, is_free)));
            }
        }
    }
    cases
}
