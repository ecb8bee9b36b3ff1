//! Motors that hold the speed of bodies on guides, in the passes over a section.

use crate::change::{Change, larger};
use crate::holding::Holding;
use crate::sections::Section;

/// Motors with the places of their bodies.
fn motors(holds: &mut [Holding]) -> impl Iterator<Item = (usize, &mut Holding)> {
    holds.iter_mut().enumerate().filter(|(_, hold)| hold.most > 0.0)
}

impl Section<'_> {
    /// Takes the impulses of motors on along their search directions.
    pub fn extrapolate_holds(&mut self, by: f32) {
        motors(self.holds).for_each(|(_, hold)| hold.extrapolate(f64::from(by)));
    }

    /// Adds the impulses of motors to the sums.
    pub fn add_holds(&mut self) {
        for (place, hold) in motors(self.holds) {
            (0..3).for_each(|k| self.sums[place][k] += hold.direction[k] * hold.impulse);
        }
    }

    /// Raises the units of bodies to the impulses of their motors.
    pub fn raise_units_by_holds(&mut self) {
        for (place, hold) in motors(self.holds) {
            self.units[place] = self.units[place].max(hold.impulse.abs());
        }
    }

    /// Solves motors in a sweep, on changes of the velocities since the last turn.
    pub fn sweep_holds(&mut self) -> Change {
        let mut change = Change::default();
        for (place, hold) in motors(self.holds) {
            let (motion, base) = (&mut self.swept[place].0[0], &self.base[place]);
            let moved = hold.solve([0, 1, 2].map(|k: usize| base[k] + f64::from(motion[k])));
            (0..3).for_each(|k| motion[k] += moved[k] as f32);
            change = change.and(hold.changed(self.units[place]));
        }
        change
    }

    /// Solves motors in a turn.
    pub fn turn_holds(&mut self) -> Change {
        let mut change = Change::default();
        for (place, hold) in motors(self.holds) {
            let body = &mut self.placed[place];
            body.add_velocity(hold.solve(body.velocity()));
            change = change.and(hold.changed(self.units[place]));
        }
        change
    }

    /// The largest residual of a motor, in the unit of its body.
    pub fn residual_of_holds(&self) -> f64 {
        let motors = self.holds.iter().enumerate().filter(|(_, hold)| hold.most > 0.0);
        let off = |(place, hold): (usize, &Holding)| {
            (hold.impulse - hold.next(self.placed[place].velocity())).abs() / self.units[place]
        };
        motors.map(off).fold(0.0, larger)
    }
}
