//! The passes of the flat step over all sections.

use crate::bodies::{PlacedBody, Six, at};
use crate::change::{Change, larger};
use crate::check::{CheckBy, Ended, add_impulses, check, momentum_residual};
use crate::extrapolation::{extrapolate_bodies, extrapolate_impulses};
use crate::patch::axis::Separations;
use crate::patch::check::{PatchCheckBy, PatchEnded, add_wrenches, check_patches};
use crate::patch::open::see_open;
use crate::patch::sweep::{extrapolate_patch, sweep_patches};
use crate::patch::turn::{PatchTurnBy, Turning, turn_patches};
use crate::sections::Section;
use crate::sent::Changed;
use crate::sweep::sweep;
use crate::sweep_by::SweepBy;
use crate::turn::{Bases, TurnBy, turn};
use crate::visit::Visit;

/// One sweep.
pub struct Sweeps {
    /// How impulses are solved.
    pub by: SweepBy,
}

impl Visit for Sweeps {
    type Found = Change;
    const CHANGED: Changed = Changed::Swept;

    fn bodies(&self, section: &mut Section<'_>) -> Change {
        extrapolate_bodies(section.swept, section.directions, self.by.extrapolation);
        section.extrapolate_holds(self.by.extrapolation);
        section.sweep_holds()
    }

    fn contacts(&self, section: &mut Section<'_>) -> Change {
        let of_patches = sweep_patches(section.swept, section.patches, Some(self.by.extrapolation));
        of_patches.and(sweep(section.swept, (section.batches, section.rolling), self.by))
    }

    fn join(&self, a: Change, b: Change) -> Change {
        a.and(b)
    }
}

/// Sums the impulses up by body.
pub struct Sums {
    /// β by which bodies and impulses are extrapolated first, if they are.
    pub extrapolation: Option<f32>,
}

impl Visit for Sums {
    type Found = ();
    const CHANGED: Changed = Changed::Sums;

    fn bodies(&self, section: &mut Section<'_>) {
        if let Some(by) = self.extrapolation {
            extrapolate_bodies(section.swept, section.directions, by);
            section.extrapolate_holds(by);
        }
        section.sums.fill([0.0; 8]);
        section.add_holds();
    }

    fn contacts(&self, section: &mut Section<'_>) {
        if let Some(by) = self.extrapolation {
            section.batches.iter_mut().for_each(|batch| extrapolate_impulses(batch, by));
            section.rolling.iter_mut().for_each(|rolling| rolling.extrapolate(by));
            section.patches.iter_mut().for_each(|batch| extrapolate_patch(batch, by));
        }
        add_impulses(section.sums, (section.batches, section.frames), section.rolling);
        add_wrenches(section.sums, section.patches, section.lanes);
    }

    fn join(&self, (): (), (): ()) {}
}

/// Velocity of a body that its impulses explain: free velocity plus A⁻¹ Σ Jᵀx.
pub fn gathered(body: &PlacedBody, free: &Six, sums: &Six) -> Six {
    let [linear, angular] = body.moved_by(sums);
    let mut velocity = *free;
    for k in 0..3 {
        velocity[k] += linear[k];
        velocity[4 + k] += angular[k];
    }
    velocity
}

/// A turn of all contacts, from the velocities that the impulses explain.
pub struct Turns<'a> {
    /// Data of the turn.
    pub turn: TurnBy<'a>,
    /// Data of pairs of polytopes.
    pub patches: PatchTurnBy<'a>,
}

impl Visit for Turns<'_> {
    type Found = Change;
    const CHANGED: Changed = Changed::Turned;

    fn bodies(&self, section: &mut Section<'_>) -> Change {
        for place in 0..section.placed.len() {
            let velocity = gathered(&section.placed[place], &section.free[place], &section.sums[place]);
            section.previous[place] = section.base[place];
            section.base[place] = velocity;
            set_velocity(&mut section.placed[place], &velocity);
            let [v_x, v_y, v_z, _, w_x, w_y, w_z, _] = &mut section.swept[place].0[0];
            [v_x, v_y, v_z, w_x, w_y, w_z].into_iter().for_each(|change| *change = 0.0);
        }
        section.turn_holds()
    }

    fn contacts(&self, section: &mut Section<'_>) -> Change {
        let mut change = self.of_patches(section);
        let Section { placed, base, previous, batches, frames, rolling, .. } = section;
        let bases = Bases { now: base, before: previous };
        let mut rolling = rolling.iter_mut();
        for (batch, frame) in batches.iter_mut().zip(frames.iter_mut()) {
            change = change.and(turn((placed, bases), (batch, frame, rolling.next()), self.turn));
        }
        change
    }

    fn join(&self, a: Change, b: Change) -> Change {
        a.and(b)
    }
}

impl Turns<'_> {
    /// A turn of the pairs of polytopes.
    fn of_patches(&self, section: &mut Section<'_>) -> Change {
        let Section { placed, swept, base, previous, patches, lanes, .. } = section;
        let mut bodies = Turning { placed, swept, base, previous };
        let (mut change, mut separations) = (Change::default(), Separations::default());
        for (batch, lanes) in patches.iter_mut().zip(lanes.iter_mut()) {
            change = change.and(turn_patches(&mut bodies, (batch, lanes), &mut separations, self.patches));
        }
        change
    }
}

/// Sets the velocity at which turns see a body.
pub fn set_velocity(body: &mut PlacedBody, velocity: &Six) {
    body.0[at::VELOCITY..at::VELOCITY + 4].copy_from_slice(&velocity[..4]);
    body.0[at::SPIN..at::SPIN + 4].copy_from_slice(&velocity[4..]);
}

/// Takes the velocities of a turn over into sweeps; the search direction of a body goes on, from here.
pub fn after_turn(section: &mut Section<'_>) {
    for place in 0..section.placed.len() {
        section.swept[place].follow(&section.placed[place], &section.base[place]);
        section.directions[place].0[0] = [0.0; 8];
    }
}

/// The true residual of all rows.
pub struct Checks<'a> {
    /// Data of the check.
    pub by: CheckBy<'a>,
    /// Data of pairs of polytopes.
    pub patches: PatchCheckBy<'a>,
}

impl Visit for Checks<'_> {
    type Found = f64;
    const CHANGED: Changed = Changed::Sums;

    fn bodies(&self, section: &mut Section<'_>) -> f64 {
        section.sums.fill([0.0; 8]);
        section.add_holds();
        section.residual_of_holds()
    }

    fn contacts(&self, section: &mut Section<'_>) -> f64 {
        let Section { placed, ends, sums, batches, rolling, frames, seen, base, .. } = section;
        let bodies = Ended { placed, base, ends, sums };
        let points = check(bodies, (batches, rolling), (frames, seen), self.by);
        let mut separations = Separations::default();
        let mut bodies = PatchEnded { placed, base, ends, sums };
        let pairs = section.patches.iter_mut().zip(section.lanes.iter_mut());
        let pairs = pairs.zip(section.seen_patches.iter_mut());
        pairs.fold(points, |most, ((batch, lanes), seen)| {
            larger(most, check_patches(&mut bodies, (batch, lanes, seen), &mut separations, self.patches))
        })
    }

    fn join(&self, a: f64, b: f64) -> f64 {
        larger(a, b)
    }
}

/// A pass over the pairs of a solution that nothing presses together, as records need them.
pub struct Open<'a> {
    /// Data of the check.
    pub patches: PatchCheckBy<'a>,
}

impl Visit for Open<'_> {
    type Found = ();
    const CHANGED: Changed = Changed::Nothing;

    fn contacts(&self, section: &mut Section<'_>) {
        let Section { placed, ends, sums, base, patches, lanes, seen_patches, .. } = section;
        let (bodies, mut separations) = (PatchEnded { placed, base, ends, sums }, Separations::default());
        for ((batch, lanes), seen) in patches.iter().zip(lanes.iter()).zip(seen_patches.iter_mut()) {
            see_open(&bodies, (batch, lanes, seen), &mut separations, &self.patches);
        }
    }

    fn join(&self, (): (), (): ()) {}
}

/// Momentum of the bodies that their impulses do not explain, the largest.
pub struct Momentum;

impl Visit for Momentum {
    type Found = f64;
    const CHANGED: Changed = Changed::Nothing;

    fn bodies(&self, section: &mut Section<'_>) -> f64 {
        let Section { placed, free, sums, masses, units, .. } = section;
        let of = |place: usize| {
            let explained = gathered(&placed[place], &free[place], &sums[place]);
            let (mass, inertia) = &masses[place];
            momentum_residual(&placed[place], &explained, *mass, inertia, units[place])
        };
        (0..placed.len()).map(of).fold(0.0, larger)
    }

    fn join(&self, a: f64, b: f64) -> f64 {
        larger(a, b)
    }
}
