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

            /// Whether every number is finite.
            pub fn is_finite(&self) -> bool
            where
                T: Into<f64>,
            {
                true $(&& self.$field.iter().all(|x| (*x).into().is_finite()))*
            }

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

            /// The reverse of [`Self::write`].
            pub fn read(from: &[T]) -> Self {
                let mut at = 0;
                $(
                    let $field = std::array::from_fn(|i| from[at + i]);
                    at += $n;
                )*
                let _ = at;
                Self { $($field),* }
            }

            /// These numbers in another scalar.
            pub fn map<U>(&self, change: impl Fn(T) -> U + Copy) -> $name<U> {
                $name { $($field: self.$field.map(change)),* }
            }
        }
    };
}

shared! {
    /// An ellipsoid at a pose with its motion; positions are relative to the centre of mass, which makes f32
    /// possible.
    BodyState {
        /// Centre of the ellipsoid (m).
        center: 3,
        /// Q = R diag(a²) Rᵀ, symmetric (m²).
        q: 6,
        /// Of the centre of mass (m/s).
        velocity: 3,
        /// Angular velocity (rad/s).
        spin: 3,
        /// J_l(h ω).
        turn: 9,
    }
}

shared! {
    /// A smooth pair before it is evaluated.
    PairState {
        /// c_b − c_a, taken in f64 (m).
        offset: 3,
        /// Normal to start from; of a half-space its own.
        start: 3,
        /// Normal at the start of the step.
        frame_normal: 3,
        /// First tangent at the start of the step.
        frame_tangent: 3,
        /// Direction of anisotropic friction, carried by its body.
        direction: 3,
        /// Height of B's centre of mass above the half-space, taken in f64 (m).
        height: 1,
        /// e_t, e_o, e_r (m).
        scale: 3,
        /// Impulses: p_n, then friction in units of the ball.
        impulse: 4,
    }
}

shared! {
    /// A smooth pair at a pose.
    PairGeometry {
        /// Unit normal from A into B.
        normal: 3,
        /// First tangent.
        tangent: 3,
        /// From A's centre of mass to its closest point (m).
        arm_a: 3,
        /// From B's.
        arm_b: 3,
        /// Signed distance (m).
        gap: 1,
        /// |Tᵀ(a2 − a1)| (m).
        mismatch: 1,
        /// `mismatch` relative to the support widths.
        residual: 1,
        /// S_a, symmetric (m).
        slope_a: 6,
        /// S_b.
        slope_b: 6,
    }
}

shared! {
    /// Rows of a smooth pair: normal, t, o, torsion. Nothing happens when both bodies move on together, so
    /// that linear parts are stored for B only; those of A are the opposite. [`super::pair_rows`] reads them.
    /// Numbers that are read together begin at a multiple of four, since a device moves four numbers at once;
    /// nine numbers that are left over by it are 0.
    PairRows {
        /// y.
        slip: 4,
        /// Force directions: linear parts of n, t, o on B; the torque of torsion on B; torques of n, t, o on
        /// A, and on B, each with three numbers that are not used.
        jacobian: 36,
        /// ∂y/∂v of the four rows: by the linear velocity of B, by the angular one of A, and of B.
        response: 36,
        /// ∂(Jᵀx)/∂v at fixed x in 3×3 blocks by rows: force on B, torque on A, torque on B, each by the
        /// linear velocity of B and the angular ones of A and B, and a number that is not used.
        stiffness: 84,
    }
}

shared! {
    /// One smooth pair's contact law: rows normal, t, o, torsion.
    ContactLawState {
        /// x̂, or x.
        centre: 4,
        /// y.
        slip: 4,
        /// r of the normal row, and of the friction rows.
        weight: 2,
        /// μ.
        friction_coefficient: 1,
    }
}

shared! {
    /// Impulses of a contact and their derivative −∂x/∂y in factored form: as in the solver's law.
    ContactDerivative {
        /// x.
        impulse: 4,
        /// −∂x_n/∂y_n, α, β, κ.
        slopes: 4,
        /// d.
        direction: 3,
        /// 0.
        unused: 1,
    }
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
        /// 1 where the geometry is found anew in every sweep.
        is_hot: 1,
        /// 0.
        unused: 2,
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
    /// Index of A among the bodies of the batch.
    pub body_a: u32,
    /// Index of B.
    pub body_b: u32,
    /// Bits of [`PairKey::PLANE`] and so on.
    pub flags: u32,
}

impl PairKey {
    /// A is a half-space.
    pub const PLANE: u32 = 1;
    /// The friction direction is carried by a body.
    pub const DIRECTED: u32 = 2;
    /// There is an impulse: stiffness is wanted.
    pub const LOADED: u32 = 4;
    /// The pair has two friction rows.
    pub const FRICTION: u32 = 8;
    /// The pair has a row of torsion.
    pub const TORSION: u32 = 16;
    /// All of them, by name.
    pub const FLAGS: &'static [(&'static str, u32)] = &[
        ("PLANE", Self::PLANE),
        ("DIRECTED", Self::DIRECTED),
        ("LOADED", Self::LOADED),
        ("FRICTION", Self::FRICTION),
        ("TORSION", Self::TORSION),
    ];

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
