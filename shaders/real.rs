//! The scalar of the kernels: f64 (the CPU backend), f32 (the shader's oracle), dual numbers (derivative
//! checks).

/// A real number that the kernels compute with.
///
/// `nalgebra::RealField` supplies the arithmetic and `Copy` keeps kernels free of clones; the
/// dual numbers of `num-dual` satisfy both, which is how the tests check every derivative.
pub trait Real: nalgebra::RealField + Copy {
    /// The constant `x` in this scalar.
    fn of(x: f64) -> Self {
        nalgebra::convert(x)
    }
}

impl<T: nalgebra::RealField + Copy> Real for T {}
