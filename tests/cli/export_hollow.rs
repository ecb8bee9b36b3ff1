//! `signorini export` of hollow cylinders: closed, and as large as the round ones.

use super::Bench;
use super::export_bodies::{assert_closed, obj, stl, volume};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::fs;

/// Rings of two sizes that tumble, and one that never moves.
fn scene() -> String {
    let ring = |name: &str, x: f64, radius: f64, facets: u32| {
        format!(
            "[[body]]\nname = \"{name}\"\ndensity = 1000\nposition = [{x}, 0, 0]\nangular_velocity = [1, 2, 3]\n\
             orientation = [0.6, 0.8, 0, 0]\nshape = {{ type = \"hollow_cylinder\", radius = {radius}, \
             inner_radius = {}, length = 0.1, facets = {facets} }}\n",
            0.6 * radius
        )
    };
    let head = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.1\ngravity = [0, 0, 0]\n";
    [head.to_owned(), ring("wide", 0.0, 0.1, 12), ring("narrow", 0.3, 0.05, 5)].concat()
}

#[test]
fn hollow_cylinders_are_closed_and_have_their_volumes() {
    let bench = Bench::new(1, 1);
    fs::write(bench.path("rings.toml"), scene()).unwrap();
    bench.expect(&["run", "rings.toml", "--out", "a"], 0);
    bench.expect(&["export", "a", "--stl", "--obj"], 0);
    let found = obj(&bench.path("a/export/bodies.obj"));
    let exact: BTreeMap<&str, f64> =
        [("wide", 0.1_f64), ("narrow", 0.05)].map(|(name, r)| (name, PI * 0.64 * r * r * 0.1)).into();
    assert_eq!(found.len(), 2);
    for (name, triangles) in &found {
        assert_closed(triangles);
        let off = volume(triangles) / exact[name.as_str()] - 1.0;
        assert!(off.abs() < 1e-13, "{name}: {off}");
    }
    // Twelve triangles a stave, in single precision.
    let triangles = stl(&bench.path("a/export/bodies.stl"));
    assert_eq!(triangles.len(), 12 * (12 + 5));
    let triangles: Vec<_> = triangles.into_iter().map(|(_, corners)| corners).collect();
    assert_closed(&triangles);
    let off = volume(&triangles) / exact.values().sum::<f64>() - 1.0;
    assert!(off.abs() < 1e-6, "{off}");
}
