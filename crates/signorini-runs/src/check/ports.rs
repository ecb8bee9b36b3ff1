//! Inlets, outlets and measures.

use super::text::{Text, number, range};
use signorini_scene::scene::Scene;
use signorini_scene::scene::inlet::{Demand, Inlet, InletRegion};
use signorini_scene::scene::measure::{Measure, Quantity};
use signorini_scene::scene::outlet::{Outlet, OutletRegion};

/// Adds the inlets, outlets and measures to the summary.
pub fn describe(scene: &Scene, text: &mut Text) {
    text.list("inlets", scene.inlets.len(), scene.inlets.iter().map(inlet_entry));
    text.list("outlets", scene.outlets.len(), scene.outlets.iter().map(outlet_entry));
    let measure = |measure: &Measure| measure_entry(measure, scene.time_step);
    text.list("measures", scene.measures.len(), scene.measures.iter().map(measure));
}

fn inlet_entry(inlet: &Inlet) -> String {
    let region = match inlet.region {
        InletRegion::Box { .. } => "in a box",
        InletRegion::Tube(tube) if tube.inner == 0.0 => "in a cylinder",
        InletRegion::Tube(_) => "between two cylinders",
        InletRegion::Ring { inner: 0.0, .. } => "on a disc",
        InletRegion::Ring { .. } => "on a ring",
    };
    let rate = match inlet.demand {
        Demand::Bodies(rate) => format!("{} bodies/s", number(rate)),
        Demand::Mass(rate) => format!("{} kg/s", number(rate)),
        Demand::AtOnce => "all at once".to_owned(),
    };
    let mut entry = format!("{:?}: {rate} {region} from {} s", inlet.name(), number(inlet.from));
    if let Some(to) = inlet.to {
        entry += &format!(" to {} s", number(to));
    }
    if let Some(total) = inlet.total {
        entry += &format!(", {total} in all");
    }
    let sizes = inlet.grains.shapes.iter().flat_map(|(form, _)| {
        inlet.grains.sizes.extremes(form).map(|factor| 2.0 * form.bounding_radius() * factor)
    });
    entry + &range(sizes, "m across")
}

fn measure_entry(measure: &Measure, time_step: f64) -> String {
    let what = match &measure.quantity {
        Quantity::Flow { .. } => "flow through a plane".to_owned(),
        Quantity::Region { cells, .. } => {
            let place = cells.map_or("a box".to_owned(), |[i, j, k]| format!("{i}×{j}×{k} cells"));
            format!("solid fraction, coordination, stress and fabric in {place}")
        }
        Quantity::Poses => "on what each body rests".to_owned(),
        Quantity::Energy => "energies".to_owned(),
        Quantity::Forces => "contact forces".to_owned(),
        Quantity::Body(name) => format!("contacts of {name:?}"),
        Quantity::Residence => "residence times".to_owned(),
        Quantity::Field(cells) => {
            let [i, j, k] = cells.counts;
            format!("solid fraction, velocity, temperature and stress in {i}×{j}×{k} cells")
        }
        Quantity::Mixing { kinds: [a, b], .. } => format!("mixing of {a:?} and {b:?}"),
        Quantity::Angle(profile) => {
            let what = if profile.axis.is_some() { "a bed" } else { "a heap" };
            format!("angle of {what} in {} strips", profile.strips)
        }
        Quantity::Group { bodies, .. } => format!("contacts of {bodies:?} together"),
        Quantity::Bodies(choice) => format!("{} of bodies", choice.columns.join(", ")),
        Quantity::Wear { bodies } => format!("wear and impacts on {bodies:?}"),
        Quantity::Contacts(choice) => format!("{} of contacts", choice.columns.join(", ")),
    };
    let every = match measure.steps(time_step) {
        1 => "step".to_owned(),
        n => format!("{n} steps"),
    };
    format!("{:?}: {what}, every {every}", measure.name())
}

fn outlet_entry(outlet: &Outlet) -> String {
    let region = match outlet.region {
        OutletRegion::HalfSpace { normal: n, offset } => {
            format!("({}, {}, {})·x ≤ {} m", number(n.x), number(n.y), number(n.z), number(offset))
        }
        OutletRegion::Box { .. } => "a box".to_owned(),
    };
    format!("{:?}: {region}", outlet.name())
}
