//! Everything that crosses the border to a shader: structs of numbers, keys, constants.
//! `shaders/shared/types.wgsl` declares the same structs; a test compares names, offsets and strides with
//! what the shader compiler sees.
//!
//! Matrices are stored by rows, symmetric ones as (xx, xy, xz, yy, yz, zz).

use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Declares a struct of arrays of one scalar, with the functions that lay it out flat.
macro_rules! shared {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $n:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name<T> {
            $($(#[$field_doc])* pub $field: [T; $n],)*
        }

        impl<T: Copy> $name<T> {
            /// Names and lengths of the fields, in order.
            pub const FIELDS: &'static [(&'static str, usize)] = &[$((stringify!($field), $n)),*];
            /// Numbers in all.
            pub const LEN: usize = 0 $(+ $n)*;

            /// A struct whose numbers are all `value`.
            pub fn filled(value: T) -> Self {
                Self { $($field: [value; $n]),* }
            }

            /// Lays the numbers out in order.
            pub fn write(&self, out: &mut [T]) {
                let mut rest = out;
                $(
                    let (part, after) = rest.split_at_mut($n);
                    part.copy_from_slice(&self.$field);
                    rest = after;
                )*
                let _ = rest;
            }

            /// These numbers in another scalar.
            pub fn map<U>(&self, change: impl Fn(T) -> U + Copy) -> $name<U> {
                $name { $($field: self.$field.map(change)),* }
            }
        }
    };
}

shared! {
    /// Rows of a smooth contact of the flat step: y = y₀ + J w, with the change w of the velocities since the
    /// last turn. J follows from the frame and the arms.
    FlatRow {
        /// Unit normal n, from A to B.
        normal: 3,
        /// Coefficient of friction.
        friction: 1,
        /// First tangent t; the second is o = n × t.
        tangent: 3,
        /// Radius e_r of torsional friction (m).
        torsion: 1,
        /// From the centre of mass of A to the contact (m).
        arm_a: 3,
        /// Step size r of the normal row (kg).
        normal_step: 1,
        /// From the centre of mass of B to the contact (m).
        arm_b: 3,
        /// Step size r of the friction rows (kg).
        friction_step: 1,
        /// y₀ along n, t and o, and e_r times the spin about n (m/s).
        offset: 4,
        /// Slip that a unit of normal impulse adds (1/kg).
        coupling: 3,
        /// One over the unit of the contact's residual (1/(N s)).
        per_unit: 1,
    }
}

shared! {
    /// Impulses of a contact of the flat step: along n, t and o, and the torsional one over e_r (N s).
    FlatState {
        /// x.
        impulse: 4,
        /// Search direction.
        direction: 4,
        /// Change in the last sweep.
        change: 4,
        /// Centre of the proximal term.
        centre: 4,
        /// Change of Jᵀx by the geometry in the last turn, in the unit of the contact.
        moved: 1,
        /// 0.
        unused: 3,
    }
}

shared! {
    /// Data of a contact of the flat step that only turns need.
    FlatFrame {
        /// Normal from which the next search for closest points starts; of a half-space its own.
        normal: 3,
        /// Offset of the half-space along its normal at the end of the step (m).
        offset: 1,
        /// From body B to the image of it that A meets (m).
        shift: 3,
        /// Impulse of the pull of cohesion along n (N s).
        pull: 1,
    }
}

shared! {
    /// A body of the flat step at the start of the step.
    FlatBody {
        /// Centre of mass (m).
        center: 3,
        /// Rotation of the principal axes, by rows.
        rotation: 9,
        /// I⁻¹ in world axes (1/(kg m²)).
        inverse_inertia: 6,
        /// 1/m (1/kg).
        inverse_mass: 1,
        /// Principal moments (kg m²).
        moments: 3,
        /// Semi-axes along the principal axes (m).
        semi_axes: 3,
        /// Impulse of the loads, the least unit of the body (N s).
        acting: 1,
        /// Velocity and spin without contact impulses.
        free: 6,
    }
}

/// Bodies and kind of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairKey {
    /// Index of A among the bodies.
    pub body_a: u32,
    /// Index of B.
    pub body_b: u32,
    /// Bits, of which there is [`PairKey::PLANE`].
    pub flags: u32,
}

impl PairKey {
    /// A is a half-space.
    pub const PLANE: u32 = 1;
    /// All flags, by name.
    pub const FLAGS: &'static [(&'static str, u32)] = &[("PLANE", Self::PLANE)];

    /// Whether a bit is set.
    pub fn has(&self, bit: u32) -> bool {
        self.flags & bit != 0
    }

    /// The key as it goes to the device.
    pub fn words(&self) -> [u32; 4] {
        [self.body_a, self.body_b, self.flags, 0]
    }
}

/// A vector from three numbers.
pub fn vector<T: Real>(v: &[T; 3]) -> Vector3<T> {
    Vector3::new(v[0], v[1], v[2])
}

/// A symmetric matrix from six numbers.
pub fn symmetric<T: Real>(q: &[T; 6]) -> Matrix3<T> {
    let [xx, xy, xz, yy, yz, zz] = *q;
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// The six numbers of a symmetric matrix.
pub fn six<T: Real>(m: &Matrix3<T>) -> [T; 6] {
    [m.m11, m.m12, m.m13, m.m22, m.m23, m.m33]
}

/// A matrix from nine numbers, by rows.
pub fn matrix<T: Real>(m: &[T; 9]) -> Matrix3<T> {
    Matrix3::from_row_slice(m)
}

/// The nine numbers of a matrix, by rows.
pub fn nine<T: Real>(m: &Matrix3<T>) -> [T; 9] {
    [m.m11, m.m12, m.m13, m.m21, m.m22, m.m23, m.m31, m.m32, m.m33]
}
