//! Bodies by their shapes in the file, containers and fills, masses and sizes.

use super::text::{Text, number, range};
use signorini_scene::scene::{Loaded, Scene};
use std::collections::BTreeMap;

/// Numbers of bodies of one kind.
#[derive(Default)]
struct Count {
    moving: usize,
    fixed: usize,
    driven: usize,
}

impl Count {
    fn add(&mut self, scene: &Scene, body: usize) {
        match (scene.bodies[body].fixed, scene.is_carried(body)) {
            (false, _) => self.moving += 1,
            (true, false) => self.fixed += 1,
            (true, true) => self.driven += 1,
        }
    }

    fn text(&self) -> String {
        let parts = [(self.moving, "moving"), (self.fixed, "fixed"), (self.driven, "with prescribed motion")];
        let there = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
        there.collect::<Vec<_>>().join(", ")
    }
}

/// Adds the bodies to the summary.
pub fn describe(loaded: &Loaded, text: &mut Text) {
    let (scene, written) = (&loaded.scene, &loaded.written);
    let mut all = Count::default();
    (0..scene.bodies.len()).for_each(|body| all.add(scene, body));
    text.line("bodies", format!("{} ({})", scene.bodies.len(), all.text()));
    let mut by_shape: BTreeMap<&str, Count> = BTreeMap::new();
    for (body, shape) in written.shapes.iter().enumerate() {
        by_shape.entry(shape).or_default().add(scene, body);
    }
    for (shape, count) in by_shape {
        text.entry(format!("{shape:<12} {}", count.text()));
    }
    for (name, walls) in &written.containers {
        text.entry(format!("container    {name:?}: {walls} fixed walls"));
    }
    for (kind, name) in &written.walls {
        let parts = scene.bodies.iter().find(|body| body.name == *name).map_or(0, |body| body.parts.len());
        text.entry(format!("{kind:<12} {name:?}: {parts} parts"));
    }
    for (name, conveying) in &written.bowls {
        let way = conveying.as_deref().unwrap_or("stands, or moves by motions of the scene");
        text.entry(format!("bowl         {name:?}: {way}"));
    }
    for (name, stones) in &written.arches {
        text.entry(format!("arch         {name:?}: {stones} stones"));
    }
    for (name, file, shapes) in &written.tables {
        text.entry(format!("table        {name:?}: from {file:?}, of {}", shapes.join(", ")));
    }
    for fill in &written.fills {
        let shapes = fill.shapes.join(", ");
        text.entry(format!("fill         {:?}: {} moving, of {shapes}", fill.name, fill.count));
    }
    let moving = || scene.bodies.iter().filter(|b| !b.fixed);
    let at_start = if scene.inlets.is_empty() { "in all" } else { "at the start" };
    let whole = number(moving().map(|b| b.mass).sum());
    text.line("mass", format!("{whole} kg {at_start}{}", range(moving().map(|b| b.mass), "kg")));
    let sizes = range(scene.bodies.iter().filter_map(|b| b.size()), "m");
    if !sizes.is_empty() {
        text.line("sizes", sizes.trim_start_matches(", each "));
    }
}
