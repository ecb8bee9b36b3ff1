//! `[[exclude]]`: pairs of bodies without contact.

use signorini::Simulation;
use signorini::files::{LoadOptions, parse, to_toml};
use std::path::Path;

/// Two balls that overlap by half a radius, in free flight.
const BALLS: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.1\n\
    [[body]]\nname = \"a\"\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n\
    [[body]]\nname = \"b\"\nmass = 1\nposition = [0.15, 0, 0]\nshape = { type = \"sphere\", radius = 0.1 }\n";

fn read(more: &str) -> signorini::Result<signorini::Scene> {
    let text = format!("{BALLS}{more}");
    parse(&text, Path::new("balls.toml"), &LoadOptions::default()).map(|loaded| loaded.scene)
}

#[test]
fn excluded_bodies_do_not_touch_however_deep_they_overlap() {
    assert!(read("").unwrap_err().to_string().contains("overlap"));
    let scene = read("[[exclude]]\nbetween = [\"b\", \"a\"]\n").unwrap();
    let again = parse(&to_toml(&scene), Path::new("again.toml"), &LoadOptions::default()).unwrap().scene;
    assert_eq!(again, scene);
    let mut simulation = Simulation::new(scene).unwrap();
    assert!(simulation.run().all(|outcome| outcome.is_good()));
    assert!(simulation.contacts().is_empty());
    let apart = simulation.state().poses[1].position - simulation.state().poses[0].position;
    assert!((apart.x - 0.15).abs() < 1e-15, "{apart}");
}

#[test]
fn wrong_pairs_are_refused() {
    let cases = [
        ("[\"a\", \"c\"]", "no such body (did you mean \"a\"?); known: \"a\", \"b\""),
        ("[\"a\", \"a\"]", "must be two bodies"),
    ];
    for (between, allowed) in cases {
        let error =
            read(&format!("[[exclude]]\nbetween = {between}\n[[exclude]]\nbetween = [\"a\", \"b\"]\n"));
        let message = error.unwrap_err().to_string();
        assert!(message.contains("exclude[0]") && message.contains(allowed), "{message}");
    }
}
