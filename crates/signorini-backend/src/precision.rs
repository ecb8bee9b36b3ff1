//! Arithmetic of a device.

/// Arithmetic of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Arithmetic of 32 bit, which every device has; good for matrix blocks, not for residuals.
    F32,
    /// Arithmetic of 64 bit, with the same acceptance as the CPU.
    F64,
}

impl Precision {
    /// Word of the precision on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// Number of bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }

    /// Half the distance from 1 to the next number.
    pub fn rounding(self) -> f64 {
        match self {
            Precision::F32 => 0.5 * f64::from(f32::EPSILON),
            Precision::F64 => 0.5 * f64::EPSILON,
        }
    }
}
