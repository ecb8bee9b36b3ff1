//! A belt and a bowl.

use super::*;

/// Boxes that lie flat ride as fast as the belt; nothing is lost between the inlet, the bin and the floor.
#[test]
#[ignore = "6 s"]
fn boxes_ride_with_the_belt() {
    let bench = Bench::new(0, 1);
    let all = bodies(&bench, "conveyor", 10);
    let gates = Columns::read(bench.path("run/flow.csv"));
    let came = gates.with("event", |e| e == "in");
    let boxes: Vec<String> =
        came.with("shape", |s| s == "0").words("body").into_iter().map(str::to_owned).collect();
    // The last record of each that is well before the end of the belt.
    let mut speeds = Vec::new();
    for name in &boxes {
        let one = all.with("body", |b| b == name).with("x", |x| x.parse::<f64>().unwrap() < 0.38);
        if last(&one.numbers("z")) < 0.541 && last(&one.numbers("time")) < 5.9 {
            speeds.push(last(&one.numbers("vx")));
        }
    }
    assert!(speeds.len() >= 5, "{speeds:?}");
    let end = all.at(6.0).with("body", |b| b.starts_with("part-"));
    let belt = end.numbers("z").iter().filter(|z| **z > 0.45).count() as f64;
    let bin = end.numbers("z").iter().filter(|z| (0.0..0.45).contains(*z)).count() as f64;
    let missed = came.words("body").len() as f64 - belt - bin;
    held(
        "conveyor",
        &[
            Number("0.5000 m/s", least(&speeds), 1e-6, 0.5 - 1e-6..=0.5 + 1e-6),
            Number("19 in the bin", bin, 3.0, 12.0..=25.0),
            Number("5 on the belt", belt, 3.0, 1.0..=9.0),
            Number("6 missed", missed, 3.0, 1.0..=10.0),
        ],
    );
}

/// How fast (m/s) a point climbs along a track of the slope of the gallery's bowl, which slides with friction
/// μ (Newton's law with Coulomb's friction, by small steps).
fn climb_of_a_point(mu: f64, radius: f64) -> f64 {
    let (slope, omega, dt) =
        ((0.035 / (std::f64::consts::TAU * radius)).atan(), std::f64::consts::TAU * 50.0, 2e-6);
    let (mut speed, mut way) = (0.0_f64, 0.0);
    for k in 0..(1.0 / dt) as usize {
        let wave = -omega * omega * (omega * k as f64 * dt).sin();
        let [along, up] = [0.0015 * radius * wave, 0.000085 * wave];
        let drive = -G * slope.sin() - along * slope.cos() - up * slope.sin();
        let friction = mu * (G * slope.cos() - along * slope.sin() + up * slope.cos()).max(0.0);
        // Friction takes what it can, to the standstill against the track at most.
        let free = speed + dt * drive;
        speed = if free.abs() <= dt * friction { 0.0 } else { free - dt * friction * free.signum() };
        way += dt * speed;
    }
    way
}

/// Parts climb as fast as a point that slides: one that does not press on the wall, or one that does.
#[test]
#[ignore = "15 s"]
fn parts_climb_as_fast_as_points_that_slide() {
    let bench = Bench::new(0, 1);
    let all = bodies(&bench, "vibrating-track", 40);
    let mut speeds = Vec::new();
    for part in 0..20 {
        let one = all.with("body", |b| b == format!("part-{part}"));
        let (x, y, times) = (one.numbers("x"), one.numbers("y"), one.numbers("time"));
        let mut angle = 0.0;
        for k in 11..x.len() {
            angle += (x[k - 1] * y[k] - y[k - 1] * x[k]).atan2(x[k - 1] * x[k] + y[k - 1] * y[k]);
        }
        speeds.push(
            1e3 * angle * mean(&x[10..].iter().zip(&y[10..]).map(|(x, y)| x.hypot(*y)).collect::<Vec<_>>())
                / (last(&times) - times[10]),
        );
    }
    // The track leans outwards by 0.1 rad: along the wall a part presses on both.
    let [free, wall] =
        [0.3, 0.3 * (0.1_f64.cos() + 0.1_f64.sin())].map(|mu| 1e3 * climb_of_a_point(mu, 0.1335));
    held(
        "vibrating-track",
        &[
            Number("4.4 mm/s", mean(&speeds), 0.4, free..=wall),
            Number("2.4 to", least(&speeds), 0.5, 1.0..=free),
            Number("6.3)", most(&speeds), 0.5, free..=1.2 * wall),
        ],
    );
}
