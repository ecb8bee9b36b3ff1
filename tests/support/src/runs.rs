//! Runs of whole scenes whose every step is held to the promise: solved to its tolerance, and green.

use signorini::simulation::{Simulation, StepOutcome};
use signorini::step::ContactRecord;
use signorini_geometry::Velocity;
use signorini_scene::scene::{LoadOptions, Scene, State, load, parse};
use signorini_scene::settings::SolverSettings;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A scene that is shipped with the crate, by its path below `scenes/`.
pub fn shipped(path: &str) -> Scene {
    let file = root().join("scenes").join(path);
    load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")).scene
}

/// A shipped scene with pieces of its text replaced.
pub fn changed(path: &str, replacements: &[(&str, &str)]) -> Scene {
    let mut text = std::fs::read_to_string(root().join("scenes").join(path)).expect("the scene");
    for (from, to) in replacements {
        assert!(text.contains(from), "{path} lacks {from:?}");
        text = text.replace(from, to);
    }
    from_text(&text)
}

/// A scene from text that refers to no other file.
pub fn from_text(text: &str) -> Scene {
    parse(text, Path::new("scene.toml"), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
        .scene
}

/// A scene from a text, solved to 1e-8 where it asks for no tolerance: for closed forms and lies that are
/// smaller than the default tolerance.
pub fn exact_from_text(text: &str) -> Scene {
    exact(from_text(text))
}

/// A scene solved to 1e-8 where it asks for no tolerance.
pub fn exact(mut scene: Scene) -> Scene {
    let tolerance = &mut scene.solver.tolerance;
    if *tolerance == SolverSettings::default().tolerance {
        *tolerance = 1e-8;
    }
    scene
}

/// Work of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Newton iterations, summed over the steps.
    pub iterations: usize,
    /// Newton iterations of the dearest step.
    pub most_iterations: usize,
    /// Numeric factorisations, summed.
    pub factorizations: usize,
}

/// A run that stops the test at the first step which is not solved, or not green.
pub struct Run {
    /// The simulation.
    pub simulation: Simulation,
    /// Work of the run so far.
    pub work: Work,
    /// Deepest overlap so far over the size of the smaller body, by the referee.
    pub deepest: f64,
}

impl Run {
    pub fn new(scene: Scene) -> Self {
        let simulation = Simulation::new(scene).unwrap_or_else(|e| panic!("{e}"));
        Self { simulation, work: Work::default(), deepest: 0.0 }
    }

    /// One step.
    pub fn advance(&mut self) -> StepOutcome {
        let outcome = self.simulation.advance();
        let info = &outcome.info;
        let step = outcome.step;
        let tolerance = self.simulation.scene().solver.tolerance;
        assert!(info.status.is_solved(), "step {step}: {info:?}");
        assert!(info.residual.max() <= tolerance, "step {step}: {info:?}");
        let verdict = outcome.verdict.expect("the referee was asked");
        assert!(verdict.green, "step {step}: {verdict:#?}");
        self.work.iterations += info.iterations;
        self.work.most_iterations = self.work.most_iterations.max(info.iterations);
        self.work.factorizations += info.factorizations;
        self.deepest = self.deepest.min(verdict.min_gap_relative);
        outcome
    }

    /// So many steps.
    pub fn steps(&mut self, n: usize) {
        for _ in 0..n {
            self.advance();
        }
    }

    /// All the steps of the scene.
    pub fn run_to_the_end(&mut self) {
        self.steps(self.scene().n_steps() - self.simulation.step_index());
    }

    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    pub fn scene(&self) -> &Scene {
        self.simulation.scene()
    }

    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    pub fn contacts(&self) -> &[ContactRecord] {
        self.simulation.contacts()
    }

    /// Velocity of a body by name.
    pub fn velocity(&self, name: &str) -> Velocity {
        self.state().velocities[body(self.scene(), name)]
    }

    /// Kinetic energy of the moving bodies (J).
    pub fn kinetic_energy(&self) -> f64 {
        kinetic_energy(self.scene(), self.state())
    }
}

/// Index of a body by name.
pub fn body(scene: &Scene, name: &str) -> usize {
    scene.bodies.iter().position(|b| b.name == name).unwrap_or_else(|| panic!("no body {name}"))
}

/// Σ ½ m v² + ½ ω·I ω over the moving bodies (J), in body axes.
pub fn kinetic_energy(scene: &Scene, state: &State) -> f64 {
    let mut energy = 0.0;
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed) {
        let velocity = &state.velocities[i];
        let spin = state.poses[i].orientation.inverse() * velocity.angular;
        energy += 0.5 * (body.mass * velocity.linear.norm_squared() + spin.dot(&(body.inertia * spin)));
    }
    energy
}

/// Bits of all poses, then of all velocities.
pub fn bits(state: &State) -> Vec<u64> {
    let places =
        state.poses.iter().flat_map(|pose| pose.position.iter().chain(pose.orientation.coords.iter()));
    let speeds = state.velocities.iter().flat_map(|v| v.linear.iter().chain(v.angular.iter()));
    places.chain(speeds).map(|x| x.to_bits()).collect()
}

/// |(p_t/e_t, p_o/e_o, p_r/e_r)| of an isotropic contact (e_t = e_o = 1) with torsion of length e_r.
pub fn friction_norm(contact: &ContactRecord, e_r: f64) -> f64 {
    contact.friction_impulse.norm().hypot(contact.torsional_impulse / e_r)
}

/// Compares with `tests/golden/<file>`, or writes it when UPDATE_GOLDEN is set.
pub fn assert_golden(file: &str, found: &str) {
    let path = root().join("tests/golden").join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(&path, found).expect("a writable file");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(expected, found, "UPDATE_GOLDEN=1 writes {file} again, if the change is meant");
}
