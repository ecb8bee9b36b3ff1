//! Images of bodies in a periodic box, by a formula of the referee's own.

use super::bodies::BodyInStep;
use super::part_in_step::PartInStep;
use crate::step::ContactRecord;
use nalgebra::Vector3;
use signorini_geometry::{Image, PeriodicBox};
use signorini_scene::scene::{Scene, State};
use std::borrow::Cow;

/// Image that is the body itself.
pub const NO_IMAGE: Image = [0, 0, 0];

/// Displacement of an image from its body (m): Σ n_d (max_d − min_d) e_d.
pub fn displacement(scene: &Scene, image: Image) -> Vector3<f64> {
    let Some(PeriodicBox { spans }) = scene.periodic else { return Vector3::zeros() };
    let mut way = Vector3::zeros();
    for (along, (span, n)) in way.iter_mut().zip(spans.into_iter().zip(image)) {
        if let Some([min, max]) = span {
            *along = (max - min) * f64::from(n);
        }
    }
    way
}

/// Whether an image is possible: it is displaced along axes that repeat only.
pub fn is_possible(scene: &Scene, image: Image) -> bool {
    (0..3).all(|d| image[d] == 0 || scene.periodic.is_some_and(|periodic| periodic.spans[d].is_some()))
}

/// Centres of mass of the bodies of a contact (m): A, and the image of B.
pub fn centers(scene: &Scene, contact: &ContactRecord, state: &State) -> [Vector3<f64>; 2] {
    let [a, b] = [contact.body_a, contact.body_b].map(|id| state.poses[id].position);
    if contact.image == NO_IMAGE {
        return [a, b];
    }
    [a, b + displacement(scene, contact.image)]
}

/// Parts of a contact: that of A, and that of the image of B.
pub fn parts<'a>(
    bodies: &'a [BodyInStep],
    scene: &Scene,
    contact: &ContactRecord,
) -> [Cow<'a, PartInStep>; 2] {
    let [a, b] = super::bodies::parts_of(bodies, contact).map(Cow::Borrowed);
    if contact.image == NO_IMAGE {
        return [a, b];
    }
    let mut b = b.into_owned();
    b.placed.displace(&displacement(scene, contact.image));
    [a, Cow::Owned(b)]
}

/// Images of a box, from its lowest to its highest corner, that extend into the periodic box: at most five
/// along an axis.
pub fn images_of(periodic: &PeriodicBox, (low, high): &(Vector3<f64>, Vector3<f64>)) -> Vec<Image> {
    let mut found = vec![NO_IMAGE];
    for (d, span) in periodic.spans.iter().enumerate() {
        let Some([min, max]) = *span else { continue };
        if !(low[d].is_finite() && high[d].is_finite()) {
            continue;
        }
        let length = max - min;
        // The first image is the first that does not end below the periodic box.
        let first = ((min - high[d]) / length - 1e-9).ceil();
        let along: Vec<i32> = (0..5)
            .map(|k| first + f64::from(k))
            .take_while(|n| low[d] + n * length <= max + 1e-9 * length)
            .map(|n| n as i32)
            .collect();
        let with = |n: i32| {
            move |mut image: Image| {
                image[d] = n;
                image
            }
        };
        found =
            along.into_iter().flat_map(|n| found.iter().copied().map(with(n)).collect::<Vec<_>>()).collect();
    }
    found
}
