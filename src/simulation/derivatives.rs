//! Derivatives of a step: what the state at its end changes by when its start and its loads change a little.

use super::driven::DrivenBody;
use super::outcome::StepOutcome;
use super::run::Simulation;
use crate::step::{BodyTangent, Change};
use crate::stepper::{AT_ONCE, IslandDerivative, Obstacle};
use signorini_error::{Error, Result};
use signorini_kernels::math::larger;

/// Residual to which steps with derivatives are solved at least: an error of the solution is one of the
/// derivative.
const POLISHED: f64 = 1e-10;

/// The derivative of one step, by the implicit function theorem at its solution with the statuses of the
/// contacts held (theory §17): exact, and one more solution with a factor for each direction.
///
/// ```
/// use signorini::{Body, Change, Friction, Scene, Simulation};
/// let mut scene = Scene::builder();
/// scene.time_step(0.01).friction(Friction::coulomb(0.3));
/// scene.body(Body::half_space([0.0, 0.0, 1.0], 0.0));
/// let brick = Body::box_([0.1, 0.1, 0.1]).density(1000.0).at([0.0, 0.0, 0.1]).velocity([1.0, 0.0, 0.0]);
/// scene.body(brick);
/// let mut simulation = Simulation::new(scene.build()?)?;
/// let (outcome, mut derivatives) = simulation.advance_with_derivatives()?;
/// assert!(outcome.is_good());
/// let mut change = Change::none(2);
/// change.friction = 1.0;
/// // v = v₀ − μ g h.
/// let end = derivatives.apply(&change);
/// assert!((end[1].velocity.x + 9.81 * 0.01).abs() < 1e-9, "{end:?}");
/// # Ok::<(), signorini::Error>(())
/// ```
#[derive(Debug)]
pub struct StepDerivatives {
    islands: Vec<IslandDerivative>,
    n_bodies: usize,
    driven: Vec<DrivenBody>,
    /// Motors, joints and courses.
    counts: [usize; 3],
    n_motions: usize,
    contradiction: f64,
}

impl StepDerivatives {
    /// The changes of all bodies at the end of the step by a change of what it depends on, to first order. 0
    /// for fixed bodies, and for bodies without a derivative ([`Self::obstacles`]).
    pub fn apply(&mut self, change: &Change) -> Vec<BodyTangent> {
        self.apply_all(std::slice::from_ref(change)).swap_remove(0)
    }

    /// The changes by several changes at once, with the bits of [`Self::apply`] one by one in a fraction of
    /// the time. [`Self::contradiction`] is then the largest of all.
    pub fn apply_all(&mut self, changes: &[Change]) -> Vec<Vec<BodyTangent>> {
        let mut outs = vec![vec![BodyTangent::default(); self.n_bodies]; changes.len()];
        self.contradiction = 0.0;
        let mut led = std::borrow::Cow::Borrowed(changes);
        for body in &self.driven {
            led.to_mut().iter_mut().for_each(|change| body.lead(change));
        }
        for (changes, outs) in led.chunks(AT_ONCE).zip(outs.chunks_mut(AT_ONCE)) {
            for island in &mut self.islands {
                self.contradiction = larger(self.contradiction, island.apply(changes, outs));
            }
        }
        for (change, out) in led.iter().zip(&mut outs) {
            self.driven.iter().for_each(|body| out[body.id()] = body.end(change));
        }
        outs
    }

    /// The gradient, with respect to what the step depends on, of a function of its end whose gradient with
    /// the state at the end is given, by body: the transposed map of [`Self::apply`].
    pub fn adjoint(&mut self, gradient: &[BodyTangent]) -> Change {
        let mut out = Change::sized(self.n_bodies, self.counts);
        out.motion.resize(self.n_motions, 0.0);
        self.contradiction = 0.0;
        let mut of_islands = std::borrow::Cow::Borrowed(gradient);
        for body in &self.driven {
            of_islands.to_mut()[body.id()] = BodyTangent::default();
        }
        for island in &mut self.islands {
            self.contradiction = larger(self.contradiction, island.add_adjoint(&of_islands, &mut out));
        }
        self.driven.iter().for_each(|body| body.add_gradient(&gradient[body.id()], &mut out));
        out
    }

    /// Share of the last change, or gradient, that contacts which hold contradict; rounding (below 1e-9)
    /// where there is a derivative. Overconstrained bodies, those on which more rows hold than are
    /// independent, have none with their poses: the smallest displacement makes a contact slip or open.
    pub fn contradiction(&self) -> f64 {
        self.contradiction
    }

    /// Why islands have no derivatives.
    pub fn obstacles(&self) -> impl Iterator<Item = Obstacle> + '_ {
        self.islands.iter().filter_map(IslandDerivative::obstacle)
    }

    /// Pairs of bodies, as they stand in the scene, whose contact or joint is on a border: an arbitrarily
    /// small change may close, open, loosen or stop it. Derivatives are one-sided there, those of the status
    /// that the solution has.
    pub fn borders(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.islands.iter().flat_map(IslandDerivative::borders)
    }
}

impl Simulation {
    /// Advances by one time step as [`Self::advance`] does, solved to 1e-10 at least, and returns its
    /// derivatives.
    ///
    /// # Errors
    /// When the formulation of the scene has no derivatives: only `implicit` has.
    pub fn advance_with_derivatives(&mut self) -> Result<(StepOutcome, StepDerivatives)> {
        if !self.stepper.keep_derivatives(true) {
            return Err(Error::Usage {
                what: format!("derivatives with formulation = {:?}", self.scene.solver.formulation.as_str()),
                allowed: "only \"implicit\" has derivatives".to_owned(),
            });
        }
        let tolerance = self.scene.solver.tolerance;
        self.scene.solver.tolerance = tolerance.min(POLISHED);
        let outcome = self.advance();
        self.scene.solver.tolerance = tolerance;
        self.stepper.keep_derivatives(false);
        let mut islands = self.stepper.take_derivatives();
        islands.iter_mut().for_each(|island| island.find_controls(&self.scene.controls));
        let scene = &self.scene;
        let counts = [scene.controls.len(), scene.joints.len(), scene.courses().count()];
        let (n_bodies, n_motions) = (scene.bodies.len(), scene.motions.len());
        let driven = DrivenBody::all(self);
        let derivatives =
            StepDerivatives { islands, n_bodies, driven, counts, n_motions, contradiction: 0.0 };
        Ok((outcome, derivatives))
    }
}
