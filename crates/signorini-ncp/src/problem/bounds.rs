//! Bounds of the impulses of contacts: of friction by the normal impulses of a contact, and of these from
//! below.

use super::cone::Cone;
use super::contact_problem::ContactProblem;

impl ContactProblem {
    /// The contact that has the normal impulses by which the friction of a cone is bounded: itself, or that
    /// which the rolling resistance belongs to.
    pub fn carrier(&self, cone: &Cone) -> Cone {
        cone.rolls_with.map_or(*cone, |contact| self.cones[contact])
    }

    /// Whether any contact has a least impulse above 0, which only the proximal method and its active sets
    /// handle.
    pub fn has_least(&self) -> bool {
        let mut contacts = self.cones.iter().filter(|cone| !cone.bounded);
        contacts.any(|cone| cone.normal().any(|row| self.bounds[row][0] > 0.0))
    }

    /// Whether any contact has rows that move with the load.
    pub fn has_manifolds(&self) -> bool {
        self.cones.iter().any(|cone| cone.n_shift() > 0)
    }

    /// Whether any contact resists rolling.
    pub fn has_rolling(&self) -> bool {
        self.cones.last().is_some_and(|cone| cone.rolls_with.is_some())
    }

    /// The first cone of rolling resistance.
    pub fn first_rolling(&self) -> usize {
        self.cones.partition_point(|cone| cone.rolls_with.is_none())
    }

    /// The cone of the rolling resistance of a contact.
    pub fn rolling_of(&self, contact: usize) -> Option<usize> {
        let first = self.first_rolling();
        let found = self.cones[first..].binary_search_by_key(&Some(contact), |cone| cone.rolls_with);
        found.ok().map(|k| first + k)
    }
}
