//! Piles of ellipsoids, spheres and flat ellipsoids for several coefficients of friction and seeds: every
//! step solved and green, and rest that is rest. docs/notebook/performance.md sums them up.
//!
//! `cargo test --release --test robustness pile_claims::piles_of_64 -- --ignored --nocapture`

#![allow(clippy::print_stderr, reason = "the rows are what the ignored tests are for")]

use nalgebra::Point3;
use signorini::simulation::Simulation;
use signorini_scene::scene::Scene;
use support::runs::{from_text, kinetic_energy};

/// Semi-axes in m.
const SHAPES: [(&str, [f64; 3]); 3] =
    [("ellipsoids", [0.10, 0.07, 0.05]), ("spheres", [0.07; 3]), ("flat", [0.1, 0.1, 0.02])];

/// Bodies that fall into an open box.
#[derive(Debug, Clone, Copy)]
struct Pile {
    count: usize,
    /// Half the width of the box (m).
    half_width: f64,
    shape: (&'static str, [f64; 3]),
    friction: f64,
    seed: u64,
    step: f64,
    seconds: f64,
    /// All lengths are multiplied by this, times and gravity as lengths ask for.
    scale: f64,
    /// How many times denser than the others every second body is.
    ratio: f64,
}

impl Pile {
    fn of(count: usize, half_width: f64) -> Self {
        let (friction, seed, step, seconds, scale, ratio) = (0.5, 1, 0.005, 2.0, 1.0, 1.0);
        Self { count, half_width, shape: SHAPES[0], friction, seed, step, seconds, scale, ratio }
    }

    fn scene(&self) -> Scene {
        let Self { count, friction, seed, step, seconds, scale, ratio, .. } = *self;
        // With g as it is, times grow with the root of lengths.
        let time = scale.sqrt();
        let [a, b, c] = self.shape.1.map(|x| x * scale);
        let (wide, high) = (self.half_width * scale, 1.5 * scale);
        let fill = |name: &str, count: usize, density: f64| {
            format!(
                "[[fill]]\nname = \"{name}\"\ncount = {count}\nshape = {{ type = \"ellipsoid\", semi_axes = [{a}, {b}, {c}] }}\n\
                 density = {density:?}\nregion = {{ min = [-{wide}, -{wide}, 0], max = [{wide}, {wide}, {high}] }}\n"
            )
        };
        let bodies = if ratio == 1.0 {
            fill("grain", count, 1000.0)
        } else {
            fill("light", count / 2, 1000.0) + &fill("heavy", count - count / 2, 1000.0 * ratio)
        };
        let text = format!(
            "format = 1\n[simulation]\ntime_step = {:?}\nduration = {:?}\nseed = {seed}\n\
             [[friction]]\ncoefficient = {friction}\nellipsoid = {{ t = 1, o = 1, r = {:?} }}\n\
             [[container]]\nname = \"box\"\nmin = [-{wide}, -{wide}, 0]\nmax = [{wide}, {wide}, {high}]\n{bodies}",
            step * time,
            seconds * time,
            0.02 * scale
        );
        from_text(&text)
    }
}

/// Counts and costs of a run.
#[derive(Debug, Default)]
struct Found {
    steps: usize,
    unsolved: usize,
    red: usize,
    halved: usize,
    iterations: Vec<usize>,
    /// Largest kinetic energy (J) and way of a centre (m) in the last second.
    energy: f64,
    drift: f64,
    /// Solver time (s).
    seconds: f64,
}

impl Found {
    fn of(pile: &Pile) -> Self {
        let mut run = Simulation::new(pile.scene()).unwrap_or_else(|e| panic!("{e}"));
        let mut found = Self { steps: run.scene().n_steps(), ..Self::default() };
        let from = found.steps.saturating_sub((1.0 / pile.step) as usize);
        let mut places: Vec<Point3<f64>> = Vec::new();
        while run.step_index() < found.steps {
            let outcome = run.advance();
            let info = &outcome.info;
            found.unsolved += usize::from(!info.status.is_solved());
            found.red += usize::from(!outcome.verdict.is_some_and(|v| v.green));
            found.halved += usize::from(info.status.as_str() == "solved_by_halving");
            found.iterations.push(info.iterations);
            found.seconds += outcome.solve_time.as_secs_f64();
            if outcome.step == from {
                places = run.state().poses.iter().map(|p| Point3::from(p.position)).collect();
            }
            if outcome.step > from {
                found.energy = found.energy.max(kinetic_energy(run.scene(), run.state()));
                let ways = run.state().poses.iter().zip(&places).map(|(p, q)| (p.position - q.coords).norm());
                found.drift = found.drift.max(ways.fold(0.0, f64::max));
            }
        }
        found.iterations.sort_unstable();
        found
    }

    /// A row of the table.
    fn row(&self, pile: &Pile) -> String {
        let n = self.iterations.len();
        let Pile { count, shape, friction, seed, step, scale, ratio, .. } = pile;
        format!(
            "| {count} {} | {friction} | {seed} | {} ms | {scale} | {ratio} | {} | {} | {} | {} / {} / {} | {:.1e} J | {:.1e} m | {:.1} |",
            shape.0,
            1e3 * step,
            self.unsolved,
            self.red,
            self.halved,
            self.iterations[n / 2],
            self.iterations[n * 95 / 100],
            self.iterations[n - 1],
            self.energy,
            self.drift,
            1e3 * self.seconds / self.steps as f64
        )
    }
}

/// Runs them all, prints a row of each, and holds every step to the promise; those that `rest` also to rest
/// in the last second.
fn hold(piles: impl IntoIterator<Item = (Pile, bool)>) {
    let mut failed = Vec::new();
    eprintln!(
        "| pile | μ | seed | h | scale | densities | unsolved | red | halved | iterations | energy | drift | ms |"
    );
    for (pile, rests) in piles {
        let found = Found::of(&pile);
        eprintln!("{}", found.row(&pile));
        let moves = rests && (found.energy > 1e-12 || found.drift > 1e-9);
        if found.unsolved + found.red > 0 || moves {
            failed.push(found.row(&pile));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// With μ > 1 bodies wedge: near such a state the proximal method ends at 2e-7, and restarts have to begin at
/// other points. Step 103 stayed unsolved when their paths could not be reached from free motion.
#[test]
fn a_pile_that_wedges_lands() {
    hold([(Pile { friction: 1.5, seed: 10, seconds: 0.525, ..Pile::of(64, 0.3) }, false)]);
}

/// All shapes, three coefficients of friction, three seeds.
fn family(pile: Pile) -> impl Iterator<Item = Pile> {
    SHAPES.into_iter().flat_map(move |shape| {
        [0.3, 0.5, 1.0]
            .into_iter()
            .flat_map(move |friction| (1..=3).map(move |seed| Pile { shape, friction, seed, ..pile }))
    })
}

#[test]
fn a_pile_of_8_lands_and_rests() {
    hold([(Pile { seconds: 3.0, ..Pile::of(8, 0.2) }, true)]);
}

/// The flat ones fall from higher and are not at rest by then.
#[test]
#[ignore = "minutes in release"]
fn piles_of_27_settle() {
    hold(family(Pile { seconds: 4.0, ..Pile::of(27, 0.225) }).map(|p| (p, p.shape.0 == "ellipsoids")));
}

#[test]
#[ignore = "minutes in release"]
fn piles_of_64_settle() {
    hold(family(Pile { seconds: 4.0, ..Pile::of(64, 0.3) }).map(|p| (p, p.shape.0 == "ellipsoids")));
}

#[test]
#[ignore = "an hour in release"]
fn piles_of_216_settle() {
    hold(family(Pile { seconds: 4.0, ..Pile::of(216, 0.45) }).map(|p| (p, p.shape.0 == "ellipsoids")));
}

/// Densities 1 : 1000, μ = 1.5, steps from 0.1 to 20 ms, lengths a thousandth and a thousand times as long.
#[test]
#[ignore = "minutes in release"]
fn hard_piles_of_64_settle() {
    let pile = Pile::of(64, 0.3);
    let piles = [
        Pile { ratio: 1000.0, ..pile },
        Pile { friction: 1.5, ..pile },
        Pile { step: 1e-3, ..pile },
        Pile { step: 2e-2, ..pile },
        Pile { scale: 1e-3, ..pile },
        Pile { scale: 1e3, ..pile },
        Pile { step: 1e-4, ..pile },
    ];
    hold(piles.into_iter().map(|p| (p, false)));
}
