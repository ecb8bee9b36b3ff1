//! The models: WHEN geometry is evaluated, WHICH contact law is imposed, WHICH solver is called.

mod compliant;
mod cone;
mod free_motion;
mod implicit;
mod stewart_trinkle;

pub use compliant::Compliant;
pub use cone::ConeComplementarity;
pub use implicit::ImplicitNcp;
pub use stewart_trinkle::StewartTrinkle;
