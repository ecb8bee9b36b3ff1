//! What can go wrong with a device.

/// Why a backend did not deliver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no device, or none that was asked for.
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
        /// The compiler's words.
        message: String,
    },
    /// More than a device holds.
    #[error("{what} takes {bytes} bytes; {limit} is {allowed}")]
    TooLarge {
        /// What was to be stored.
        what: String,
        /// How much it takes.
        bytes: u64,
        /// Name of the limit.
        limit: &'static str,
        /// The limit.
        allowed: u64,
    },
    /// A number that is not finite, in or out.
    #[error("item {item} of {what} is not finite")]
    NonFinite {
        /// Which array.
        what: &'static str,
        /// Index of the first such item.
        item: usize,
    },
}
