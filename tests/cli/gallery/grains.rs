//! A silo, a drum, a column, packings.

use super::*;
use std::collections::BTreeMap;

/// How fast the mass in the silo goes (kg/s), from 5 % out until a fifth is left, by a straight line.
fn rate(bench: &Bench, bottom: &str, duration: &str) -> f64 {
    let shipped = support::runs::root().join("scenes/gallery/silo.toml");
    let text = fs::read_to_string(shipped).unwrap();
    assert!(text.contains("bottom = [0.07, 0.07]"));
    let text = text.replace("bottom = [0.07, 0.07]", &format!("bottom = [{bottom}, {bottom}]"));
    fs::write(bench.path("silo.toml"), text).unwrap();
    let options = ["--every", "1000", "--duration", duration, "--force"];
    let flow = Columns::read(run(bench, &bench.path("silo.toml"), &options).join("measure-outflow.csv"));
    let (times, mass) = (flow.numbers("time"), flow.numbers("net_mass"));
    let all = last(&mass);
    assert!(last(&flow.numbers("net_bodies")) >= 990.0, "{all} kg ran out");
    let within: Vec<usize> = (0..mass.len()).filter(|k| (0.05..0.8).contains(&(mass[*k] / all))).collect();
    let [t, m] = [&times, &mass].map(|values| within.iter().map(|k| values[*k]).collect::<Vec<_>>());
    slope(&t, &m)
}

fn slope(x: &[f64], y: &[f64]) -> f64 {
    let (x0, y0) = (mean(x), mean(y));
    let both = x.iter().zip(y).map(|(x, y)| (x - x0) * (y - y0)).sum::<f64>();
    both / x.iter().map(|x| (x - x0).powi(2)).sum::<f64>()
}

/// Beverloo's law: the rate grows as (D − k d)^(5/2), with k between 1 and 1.4.
#[test]
#[ignore = "3 minutes"]
fn a_silo_runs_out_by_beverloos_law() {
    let bench = Bench::new(0, 1);
    let openings = [("0.06", "2.2"), ("0.07", "1.4"), ("0.08", "1.4"), ("0.09", "1.4")];
    let rates = openings.map(|(bottom, duration)| rate(&bench, bottom, duration));
    let power = |k: f64| {
        let free = openings.map(|(bottom, _)| (bottom.parse::<f64>().unwrap() - k * 0.01).ln());
        slope(&free, &rates.map(f64::ln))
    };
    let powers = [power(1.4), power(1.0)];
    assert!((2.2..2.5).contains(&powers[0]) && (2.5..2.8).contains(&powers[1]), "{powers:?}");
    let words = ["1.701", "2.815", "4.287", "5.765 kg/s"];
    let numbers: Vec<Number> = words
        .iter()
        .zip(rates)
        .map(|(words, rate)| Number(words, rate, 0.04 * rate, 0.0..=f64::MAX))
        .collect();
    held("silo", &numbers);
}

/// The wall turns the bed against the moment of its weight about the axis, in the mean over two radians.
#[test]
#[ignore = "20 s"]
fn a_drum_carries_its_bed() {
    let bench = Bench::new(0, 1);
    let bed = bodies(&bench, "drum", 20).with("body", |b| b != "drum");
    let bed = bed.with("time", |t| t.parse::<f64>().unwrap() > 2.0001);
    let torque = Columns::read(bench.path("run/measure-drum.csv"))
        .with("time", |t| t.parse::<f64>().unwrap() > 2.0001);
    let torque = mean(&torque.numbers("ty").iter().map(|t| t.abs()).collect::<Vec<_>>());
    let masses = masses(&fs::read_to_string(bench.path("run/scene.toml")).unwrap(), "grain-");
    let all: f64 = masses.values().sum();
    let mut centres: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    let (x, z) = (bed.numbers("x"), bed.numbers("z"));
    for (k, (name, time)) in bed.words("body").into_iter().zip(bed.words("time")).enumerate() {
        let centre = centres.entry(time).or_default();
        let part = masses[name] / all;
        *centre = [centre[0] + part * x[k], centre[1] + part * z[k]];
    }
    let angles: Vec<f64> = centres.values().map(|[x, z]| x.abs().atan2(-z).to_degrees()).collect();
    let offset = mean(&centres.values().map(|[x, _]| x.abs()).collect::<Vec<_>>());
    let moment = all * G * offset;
    held(
        "drum",
        &[
            Number("39° ", mean(&angles), 1.5, 20.0..=50.0),
            Number("34° to", least(&angles), 2.0, 20.0..=40.0),
            Number("45°)", most(&angles), 2.0, 35.0..=50.0),
            Number("0.599 N m", torque, 0.03, 0.99 * moment..=1.01 * moment),
        ],
    );
}

/// Masses of the bodies of a resolved scene whose names begin so.
fn masses(scene: &str, begins: &str) -> BTreeMap<String, f64> {
    let scene: toml::Table = scene.parse().unwrap();
    let bodies = scene["body"].as_array().unwrap().iter();
    let pairs = bodies.filter_map(|body| Some((body["name"].as_str()?, body.get("mass")?.as_float()?)));
    pairs.filter(|(name, _)| name.starts_with(begins)).map(|(name, mass)| (name.to_owned(), mass)).collect()
}

/// Sand stops at r0 (1 + 1.24 h0/r0) after 3 √(h0/g): Lube and others. There nine tenths of the spheres are
/// somewhat closer; they roll on.
#[test]
#[ignore = "10 s"]
fn a_column_runs_out_as_far_as_sand() {
    let bench = Bench::new(0, 1);
    let grains = bodies(&bench, "column-collapse", 10).with("body", |b| b.starts_with("grain-"));
    let h0 = 2.0 * mean(&grains.at(0.3).numbers("z"));
    let r0 = 0.1 / std::f64::consts::PI.sqrt();
    let stops = r0 + 1.24 * h0;
    let time = (100.0 * (0.3 + 3.0 * (h0 / G).sqrt())).round() / 100.0;
    let then = grains.at(time);
    let mut radii: Vec<f64> =
        then.numbers("x").iter().zip(then.numbers("y")).map(|(x, y)| x.hypot(y)).collect();
    radii.sort_by(f64::total_cmp);
    let nine_tenths = radii[radii.len() * 9 / 10];
    held("column-collapse", &[Number("0.139 m", nine_tenths, 0.01, 0.75 * stops..=stops)]);
}

/// Random close packing: .64 for spheres with six neighbours, .735 for these ellipsoids.
#[test]
#[ignore = "1 minute"]
fn packings_are_as_dense_as_known() {
    for (scene, density, neighbours, [low, high]) in [
        ("packing-spheres", ".643 of the space", "5.4 neighbours", [0.63, 0.65]),
        ("packing-ellipsoids", ".734 of the space", "10.7 neighbours", [0.725, 0.74]),
    ] {
        let bench = Bench::new(0, 1);
        bodies(&bench, scene, 1000);
        let core = Columns::read(bench.path("run/measure-core.csv"));
        held(
            scene,
            &[
                Number(density, last(&core.numbers("solid_fraction")), 5e-3, low..=high),
                Number(neighbours, last(&core.numbers("coordination")), 0.3, 5.0..=12.0),
            ],
        );
    }
}
