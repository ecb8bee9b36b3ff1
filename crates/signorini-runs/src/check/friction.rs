//! Friction between the materials of bodies, and the entries that it comes from.

use super::text::{Text, number, vector};
use signorini_scene::scene::{Friction, Loaded, Scene, Torsion};

/// Adds materials and their pairs to the summary.
pub fn describe(loaded: &Loaded, text: &mut Text) {
    let scene = &loaded.scene;
    let names = &scene.friction.materials;
    let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    text.line("materials", format!("{} ({}{more})", names.len(), shown.join(", ")));
    let pairs = pairs(scene);
    let entries = pairs.iter().map(|[a, b]| {
        let friction = scene.friction.between(*a, *b);
        let between = format!("{} / {}", names[*a], names[*b]);
        format!("{between}: {}, {}", law(friction, names), origin(loaded, [&names[*a], &names[*b]]))
    });
    text.list("friction", pairs.len(), entries);
    let soft = scene.compliance.iter().enumerate().filter(|(_, c)| c.stiffness.is_finite());
    let soft: Vec<String> = soft
        .map(|(i, c)| {
            let (k, t) = (number(c.stiffness), number(c.dissipation_time));
            format!("{}: stiffness {k} N/m, dissipation time {t} s", names[i])
        })
        .collect();
    text.list("soft", soft.len(), soft.into_iter());
}

/// Pairs of materials of which two bodies may meet, one of which moves.
fn pairs(scene: &Scene) -> Vec<[usize; 2]> {
    let n = scene.friction.materials.len();
    let mut counts = vec![[0usize; 2]; n];
    for body in &scene.bodies {
        for material in body.materials() {
            counts[material][usize::from(!body.fixed)] += 1;
        }
    }
    // An inlet brings more than one.
    scene.inlets.iter().for_each(|inlet| counts[inlet.grains.material][1] += 2);
    let mut pairs = Vec::new();
    for a in 0..n {
        for b in a..n {
            let [[fixed_a, moving_a], [fixed_b, moving_b]] = [counts[a], counts[b]];
            let meet = if a == b {
                moving_a > 0 && fixed_a + moving_a > 1
            } else {
                moving_a * (fixed_b + moving_b) + fixed_a * moving_b > 0
            };
            if meet {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}

fn law(friction: &Friction, names: &[String]) -> String {
    if friction.coefficient == 0.0 {
        return "no friction".to_owned();
    }
    let [t, o] = friction.tangential;
    let mut text = format!("μ = {}", number(friction.coefficient));
    if t != 1.0 || o != 1.0 {
        text += &format!(", e_t = {}, e_o = {}", number(t), number(o));
    }
    text += &match friction.torsional {
        Torsion::NONE => ", no torsion".to_owned(),
        Torsion::Radius(r) => format!(", e_r = {} m", number(r)),
        Torsion::Patch => ", e_r of what touches".to_owned(),
    };
    if let Some(direction) = &friction.direction {
        text += &format!(", t along {} of {}", vector(direction), names[friction.direction_owner]);
    }
    text
}

/// Returns the entry that a pair's friction comes from.
fn origin(loaded: &Loaded, pair: [&String; 2]) -> String {
    let entries = &loaded.written.friction;
    let of_pair = |names: &[String; 2]| {
        let [a, b] = names;
        [a, b] == pair || [b, a] == pair
    };
    if let Some(i) = entries.iter().position(|e| e.as_ref().is_some_and(of_pair)) {
        return format!("by friction[{i}]");
    }
    match entries.iter().position(Option::is_none) {
        Some(i) => format!("by friction[{i}], the default of all pairs"),
        None => "for no entry names them".to_owned(),
    }
}
