//! Check of e_r: the radius that the scene gives, or a possible one of a touching region.

use crate::referee::judged_step::JudgedStep;
use crate::referee::part_in_step::PartInStep;
use crate::referee::placed::PlacedShape;
use crate::step::ContactRecord;
use signorini_scene::scene::Torsion;
use signorini_scene::settings::Formulation;

/// Fault of the recorded e_r of a contact. The e_r of a loaded touching region is judged by the contact law.
pub fn torsion_fault(
    contact: &ContactRecord,
    parts: [&PartInStep; 2],
    step: &JudgedStep<'_>,
) -> Option<String> {
    let bodies = [contact.body_a, contact.body_b];
    let [of_a, of_b] = step.scene.materials_of(bodies, [contact.part_a, contact.part_b]);
    let is_round = parts.iter().any(|part| matches!(part.placed, PlacedShape::Ellipsoid(_)));
    let has_patches = step.scene.solver.formulation == Formulation::Implicit && !is_round;
    let found = contact.torsional_radius;
    let must = match step.scene.friction.between(of_a, of_b).torsional {
        Torsion::Radius(radius) => radius,
        Torsion::Patch if has_patches => found.max(0.0),
        Torsion::Patch => 0.0,
    };
    (found != must).then(|| format!("torsional_radius = {found:e}, must be {must:e}"))
}
