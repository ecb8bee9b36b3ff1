//! Numbers of `scenes/gallery/README.md`: each scene is run by the command that its page gives. The result is
//! held to the reference, and the page has to say this number.

mod drops;
mod feeders;
mod grains;

use super::*;
use std::ops::RangeInclusive;

const G: f64 = 9.81;

/// A number of the page: the words that begin with it, the result of the run, how far apart these two may be,
/// and the range that is right. Runs in which a grain more or less decides differ between processors.
struct Number<'a>(&'a str, f64, f64, RangeInclusive<f64>);

fn held(scene: &str, numbers: &[Number]) {
    let page = fs::read_to_string(support::runs::root().join("scenes/gallery/README.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with(&format!("| `{scene}`"))).expect("a row");
    let cell = row.split('|').nth(2).unwrap();
    for Number(words, found, apart, right) in numbers {
        assert!(cell.contains(words), "{scene}: {cell:?} lacks {words:?}");
        let end = words.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words.len());
        let said: f64 = words[..end].parse().unwrap();
        assert!((said - found).abs() <= *apart, "{scene}: {found}, and the page has {words:?}");
        assert!(right.contains(found), "{scene}: {found} is not right: {right:?}");
    }
}

/// A table by columns.
struct Columns(Vec<Vec<String>>);

impl Columns {
    fn read(path: PathBuf) -> Self {
        Self(table(&path))
    }

    fn words(&self, name: &str) -> Vec<&str> {
        let at = self.0[0].iter().position(|column| column == name).expect("a column");
        self.0[1..].iter().map(|row| row[at].as_str()).collect()
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        self.words(name).iter().map(|word| word.parse().unwrap_or(f64::NAN)).collect()
    }

    /// The rows in which a column passes.
    fn with(&self, name: &str, passes: impl Fn(&str) -> bool) -> Self {
        let at = self.0[0].iter().position(|column| column == name).expect("a column");
        let rows = self.0[1..].iter().filter(|row| passes(&row[at]));
        Self(std::iter::once(&self.0[0]).chain(rows).cloned().collect())
    }

    /// The rows of a time, to a tenth of a step.
    fn at(&self, time: f64) -> Self {
        self.with("time", |t| (t.parse::<f64>().unwrap() - time).abs() < 1e-4)
    }
}

/// The folder of a run of which every step is solved and green.
fn run(bench: &Bench, scene: &Path, options: &[&str]) -> PathBuf {
    let words = ["run", scene.to_str().unwrap(), "--quiet", "--out", "run"];
    bench.expect(&[&words[..], options].concat(), 0);
    let folder = bench.path("run");
    let told = summary(&folder);
    assert_eq!(told["unsolved_steps"], 0, "{told}");
    assert_eq!(told["referee"]["green"], told["steps"], "{told}");
    folder
}

/// Poses of bodies in a run of a scene of the gallery.
fn bodies(bench: &Bench, scene: &str, every: usize) -> Columns {
    let file = support::runs::root().join(format!("scenes/gallery/{scene}.toml"));
    Columns::read(run(bench, &file, &["--every", &every.to_string()]).join("bodies.csv"))
}

fn last(values: &[f64]) -> f64 {
    *values.last().expect("a record")
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Housner's block is upright at acosh(1/(1 − θ/α))/p, p² = 3 g/(4 R), and keeps 1 − 3/2 sin²α of its spin.
#[test]
fn a_rocking_block_follows_housner() {
    let bench = Bench::new(0, 1);
    let block = bodies(&bench, "rocking-block", 1).with("body", |b| b == "block");
    let (times, tilt, spin) = (block.numbers("time"), block.numbers("qy"), block.numbers("wy"));
    let after = tilt.iter().position(|q| *q < 0.0).expect("a passage");
    let h = times[1] - times[0];
    let upright = times[after - 1] + h * tilt[after - 1] / (tilt[after - 1] - tilt[after]);
    let alpha = 0.25_f64.atan();
    let p2 = 0.75 * G / 0.1_f64.hypot(0.4);
    let exact = (1.0 / (1.0 - 0.1 / alpha)).acosh() / p2.sqrt();
    // Gravity slows the block down in the step of the impact.
    let kept = (spin[after].abs() + h * p2 * alpha.sin()) / spin[after - 1].abs();
    let right = 1.0 - 1.5 * alpha.sin().powi(2);
    held(
        "rocking-block",
        &[
            Number("0.2640 s", upright, 5e-5, exact - 5e-4..=exact + 5e-4),
            Number(".912 of its spin", kept, 5e-4, right - 1e-3..=right + 1e-3),
        ],
    );
}

/// The velocity of the ball turns with 2/7 Ω.
#[test]
fn a_ball_circles_on_a_turntable() {
    let bench = Bench::new(0, 1);
    let ball = bodies(&bench, "ball-on-turntable", 1).with("body", |b| b == "ball");
    let angles: Vec<f64> =
        ball.numbers("vx").iter().zip(ball.numbers("vy")).map(|(x, y)| y.atan2(*x)).collect();
    let turned: f64 = angles.windows(2).map(|a| (a[1] - a[0]).sin().atan2((a[1] - a[0]).cos())).sum::<f64>();
    let rate = turned / last(&ball.numbers("time"));
    held("ball-on-turntable", &[Number("0.571357 rad/s", rate, 5e-7, 4.0 / 7.0 - 1e-4..=4.0 / 7.0 + 1e-4)]);
}

/// The last ball swings out to where the first one came from.
#[test]
fn the_cradle_hands_its_speed_on() {
    let bench = Bench::new(0, 1);
    let ball = bodies(&bench, "newtons-cradle", 1).with("body", |b| b == "ball-5");
    let furthest = 1e3 * most(&ball.numbers("x"));
    held("newtons-cradle", &[Number("251.2 mm", furthest, 0.05, 251.0..=252.0)]);
}

/// Milankovitch's arch of 27 stones stands above t/R = .10672 and falls below.
#[test]
fn arches_stand_and_fall() {
    let key = |scene: &str| bodies(&Bench::new(0, 1), scene, 10).with("body", |b| b == "stone-13");
    let heights = key("arch-stands").numbers("z");
    held("arch-stands", &[Number("0", heights[0] - last(&heights), 1e-9, -1e-9..=1e-9)]);
    let falls = key("arch-falls").at(1.0).numbers("z");
    held("arch-falls", &[Number("53 mm", 1e3 * falls[0], 5.0, 40.0..=60.0)]);
    let beside = bodies(&Bench::new(0, 1), "arch-spreads", 10).with("body", |b| b == "arch-5").numbers("z");
    let sunk = 1e3 * (beside[0] - last(&beside));
    held("arch-spreads", &[Number("68.78 mm", sunk, 0.005, 68.77..=68.79)]);
}

#[test]
fn a_pinched_cylinder_does_not_creep() {
    let bench = Bench::new(0, 1);
    let cylinder = bodies(&bench, "pinched-cylinder", 10).with("body", |b| b == "cylinder");
    let creep = last(&cylinder.numbers("z")).hypot(last(&cylinder.numbers("x")));
    held("pinched-cylinder", &[Number("0 m", creep, 1e-12, 0.0..=1e-12)]);
}

/// The plate carries the weight of the pebbles that stay.
#[test]
fn a_heap_weighs_what_its_pebbles_weigh() {
    let bench = Bench::new(0, 1);
    let pebbles = bodies(&bench, "heap", 2000).with("body", |b| b.starts_with("pebble"));
    let stay = pebbles.at(4.0).words("body").len();
    let gates = Columns::read(bench.path("run/flow.csv"));
    assert_eq!(gates.with("event", |e| e == "out").words("body").len(), 150 - stay);
    let weight = stay as f64 * gates.numbers("mass")[0] * G;
    let force = -last(&Columns::read(bench.path("run/measure-plate.csv")).numbers("fz"));
    held(
        "heap",
        &[
            Number("82 of 150", stay as f64, 15.0, 50.0..=110.0),
            Number("1.011 N", force, 0.2, 0.999 * weight..=1.001 * weight),
        ],
    );
}
