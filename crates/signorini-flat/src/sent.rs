//! Data that ranks hand each other between passes: the result of a pass, and the bodies that it changed.

use crate::bodies::{OfHeight, Six, at};
use crate::change::Change;
use crate::sections::Section;
use nalgebra::SMatrix;
use signorini_ranks::{Incoming, Outgoing};

/// The result of a pass, as bytes.
pub trait Sent: Sized {
    /// Length.
    const BYTES: usize;
    /// Appends it.
    fn put(&self, out: &mut Outgoing);
    /// Reads it.
    fn take(from: &mut Incoming<'_>) -> Self;
}

impl Sent for () {
    const BYTES: usize = 0;

    fn put(&self, _: &mut Outgoing) {}

    fn take(_: &mut Incoming<'_>) {}
}

impl Sent for f64 {
    const BYTES: usize = size_of::<f64>();

    fn put(&self, out: &mut Outgoing) {
        out.f64s(&[*self]);
    }

    fn take(from: &mut Incoming<'_>) -> Self {
        let [x] = from.f64s();
        x
    }
}

impl Sent for bool {
    const BYTES: usize = f64::BYTES;

    fn put(&self, out: &mut Outgoing) {
        f64::from(u8::from(*self)).put(out);
    }

    fn take(from: &mut Incoming<'_>) -> Self {
        f64::take(from) != 0.0
    }
}

impl Sent for Change {
    const BYTES: usize = 3 * f64::BYTES;

    fn put(&self, out: &mut Outgoing) {
        out.f64s(&[self.square, self.largest, self.moved]);
    }

    fn take(from: &mut Incoming<'_>) -> Self {
        let [square, largest, moved] = from.f64s();
        Self { square, largest, moved }
    }
}

impl<const R: usize, const C: usize> Sent for SMatrix<f64, R, C> {
    const BYTES: usize = R * C * f64::BYTES;

    fn put(&self, out: &mut Outgoing) {
        out.f64s(self.as_slice());
    }

    fn take(from: &mut Incoming<'_>) -> Self {
        let mut matrix = Self::zeros();
        matrix.iter_mut().for_each(|x| *x = f64::take(from));
        matrix
    }
}

/// Numbers of bodies that the contacts of a pass read, and change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Nothing that earlier passes did not hand out.
    Nothing,
    /// Velocities as sweeps see them.
    Swept,
    /// Velocities as turns see them, and those from which sweeps count changes, now and before.
    Turned,
    /// Sums of impulses and moments.
    Sums,
    /// Units of residuals.
    Units,
    /// Masses carried.
    Carried,
    /// Bodies among the hats of the height.
    Heights,
}

/// Numbers of a velocity or a sum.
const SIX: usize = 6;
/// Places of these numbers.
const PLACES: [usize; SIX] = [0, 1, 2, 4, 5, 6];

impl Changed {
    /// Bytes of a body.
    pub fn bytes(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Swept => SIX * size_of::<f32>(),
            Self::Turned => 3 * SIX * f64::BYTES,
            Self::Sums => SIX * f64::BYTES,
            Self::Units | Self::Carried => f64::BYTES,
            Self::Heights => size_of::<OfHeight>(),
        }
    }

    /// Appends the numbers of a body.
    pub fn put(self, section: &Section<'_>, place: usize, out: &mut Outgoing) {
        match self {
            Self::Nothing => {}
            Self::Swept => out.f32s(&PLACES.map(|d| section.swept[place].0[0][d])),
            Self::Turned => {
                let body = &section.placed[place].0;
                out.f64s(&body[at::VELOCITY..at::VELOCITY + 3]);
                out.f64s(&body[at::SPIN..at::SPIN + 3]);
                put_six(&section.base[place], out);
                put_six(&section.previous[place], out);
            }
            Self::Sums => put_six(&section.sums[place], out),
            Self::Units => out.f64s(&[section.units[place]]),
            Self::Carried => out.f64s(&[section.carried[place]]),
            Self::Heights => {
                let body = &section.heights[place];
                out.f64s(&[body.height]);
                out.u64s(&[body.first as u64]);
                out.f64s(&body.change);
                body.sums.iter().for_each(|six| out.f64s(six));
            }
        }
    }

    /// Reads the numbers of a body.
    pub fn take(self, section: &mut Section<'_>, place: usize, from: &mut Incoming<'_>) {
        match self {
            Self::Nothing => {}
            Self::Swept => {
                let numbers = from.f32s::<SIX>();
                PLACES.iter().zip(numbers).for_each(|(d, x)| section.swept[place].0[0][*d] = x);
            }
            Self::Turned => {
                let body = &mut section.placed[place].0;
                body[at::VELOCITY..at::VELOCITY + 3].copy_from_slice(&from.f64s::<3>());
                body[at::SPIN..at::SPIN + 3].copy_from_slice(&from.f64s::<3>());
                take_six(&mut section.base[place], from);
                take_six(&mut section.previous[place], from);
            }
            Self::Sums => take_six(&mut section.sums[place], from),
            Self::Units => section.units[place] = f64::take(from),
            Self::Carried => section.carried[place] = f64::take(from),
            Self::Heights => {
                let body = &mut section.heights[place];
                body.height = f64::take(from);
                let [first] = from.u64s();
                body.first = first as usize;
                body.change = from.f64s();
                body.sums.iter_mut().for_each(|six| *six = from.f64s());
            }
        }
    }
}

fn put_six(six: &Six, out: &mut Outgoing) {
    out.f64s(&PLACES.map(|d| six[d]));
}

fn take_six(six: &mut Six, from: &mut Incoming<'_>) {
    let numbers = from.f64s::<SIX>();
    PLACES.iter().zip(numbers).for_each(|(d, x)| six[*d] = x);
}
