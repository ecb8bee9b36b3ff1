//! Defaults of fields that several tables have.

/// The material of an entry that names none.
pub const DEFAULT_MATERIAL: &str = "default";

/// The default of a field `material`.
pub fn default_material() -> String {
    DEFAULT_MATERIAL.into()
}

/// The quaternion of no rotation.
pub fn no_rotation() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

/// A flag that is on.
pub fn yes() -> bool {
    true
}

/// A weight or a scale that changes nothing.
pub fn one() -> f64 {
    1.0
}

/// Angle of embrace of a semicircle (rad).
pub fn half_turn() -> f64 {
    std::f64::consts::PI
}

/// Axis of a cylinder where none is given.
pub fn upwards() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

/// Staves of a hollow cylinder where no number is given.
pub fn staves() -> u32 {
    12
}
