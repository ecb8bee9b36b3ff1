//! Sweeps on a device: contacts coloured, so that many are swept at once, and rows laid out as its kernels
//! read them. What lags is brought up to date here.

mod colouring;
mod fill;
mod lagged;
mod rows;
mod run;

pub(super) use run::OnDevice;
