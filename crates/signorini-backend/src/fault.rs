//! Faults of a device.

/// Fault by which a backend did not deliver results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No device exists, or none of the kind asked for.
    #[error("no device: {0}")]
    Missing(String),
    /// The device does not compute what it should.
    #[error("the device fails its self-test: {0}")]
    SelfTest(String),
    /// The device went away or reported an error.
    #[error("the device failed: {0}")]
    Lost(String),
    /// A kernel does not compile.
    #[error("kernel {kernel}: {message}")]
    Kernel {
        /// Name of the kernel.
        kernel: String,
        /// Message of the compiler.
        message: String,
    },
    /// Data larger than a device can hold.
    #[error("{what} takes {bytes} bytes; {limit} is {allowed}")]
    TooLarge {
        /// Name of the data.
        what: String,
        /// Size of the data (bytes).
        bytes: u64,
        /// Name of the limit.
        limit: &'static str,
        /// Value of the limit.
        allowed: u64,
    },
}
