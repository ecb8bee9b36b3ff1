//! Rates of CPU and graphics processor per second, side by side, as JSON.

mod budget;
mod copy;
mod flat_rates;
mod granular_bed;
pub mod whole;

/// Tells on stderr how far the measurement is.
fn note(text: &str) {
    eprintln!("note: {text}");
}
