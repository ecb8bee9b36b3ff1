//! One run, compared with the reference step by step.

use super::model::Model;
use super::reference::{Reference, energy, energy_of};
use super::rows::{CompareRow, Trace, TracePoint};
use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini_kernels::math::raise;
use signorini_scene::scene::{Scene, State};

/// Runs a simulation to its end and compares each step with the reference. None if `stops` returned true
/// after a step.
pub fn run(
    mut simulation: Simulation,
    reference: &Reference<'_>,
    stops: &mut impl FnMut() -> bool,
) -> Option<(CompareRow, Trace)> {
    let scene = simulation.scene().clone();
    let n_steps = scene.n_steps();
    let mut row = CompareRow::of(Model::of(&scene), scene.time_step, n_steps);
    let start_energy = energy_of(&scene, simulation.state());
    let mut trace = Trace::default();
    let (half, mut middle) = (n_steps / 2, centre_of_mass(&scene, simulation.state()));
    for _ in 0..n_steps {
        let outcome = simulation.advance();
        if stops() {
            return None;
        }
        if outcome.step == half {
            middle = centre_of_mass(&scene, simulation.state());
        }
        let Some(verdict) = outcome.verdict else { continue };
        let position = reference.position_error(&scene, simulation.state(), outcome.time);
        let overlap = if verdict.min_gap.is_finite() { (-verdict.min_gap).max(0.0) } else { 0.0 };
        let energy_now = energy(&outcome);
        let energy_error = (energy_now - reference.energy(outcome.time)).abs();
        row.unsolved_steps += usize::from(!outcome.info.status.is_solved());
        row.red_steps += usize::from(!verdict.green);
        for (largest, value) in [
            (&mut row.position_error, position),
            (&mut row.penetration, overlap),
            (&mut row.friction_violation, verdict.friction),
            (&mut row.complementarity_violation, verdict.complementarity),
            (&mut row.energy_error, energy_error),
            (&mut row.worst_residual, outcome.info.residual.max()),
        ] {
            raise(largest, value);
        }
        row.final_position_error = position;
        row.final_energy_error = energy_error;
        row.energy_change = energy_now - start_energy;
        row.seconds_per_step += outcome.solve_time.as_secs_f64() / n_steps as f64;
        row.iterations_per_step += outcome.info.iterations as f64 / n_steps as f64;
        trace.points.push(TracePoint {
            time: outcome.time,
            position_error: position,
            penetration: overlap,
            friction_violation: verdict.friction,
            energy_error,
            energy_drift: energy_now - start_energy,
        });
    }
    let moved = centre_of_mass(&scene, simulation.state()) - middle;
    row.transport_speed = moved.norm() / ((n_steps - half) as f64 * scene.time_step);
    Some((row, trace))
}

/// Common centre of mass of the moving bodies (m).
fn centre_of_mass(scene: &Scene, state: &State) -> Vector3<f64> {
    let moving = || scene.bodies.iter().zip(&state.poses).filter(|(body, _)| !body.fixed);
    let mass: f64 = moving().map(|(body, _)| body.mass).sum();
    moving().map(|(body, pose)| pose.position * (body.mass / mass)).sum()
}
