//! Arithmetic of a device.

/// Arithmetic of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bit: every device has it. Good for matrix blocks, not for residuals.
    F32,
    /// 64 bit: same acceptance as the CPU.
    F64,
}

impl Precision {
    /// The word used on the command line and in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F64 => 8,
        }
    }

    /// Half the distance of 1 to the next number.
    pub fn rounding(self) -> f64 {
        match self {
            Precision::F32 => 0.5 * f64::from(f32::EPSILON),
            Precision::F64 => 0.5 * f64::EPSILON,
        }
    }
}
