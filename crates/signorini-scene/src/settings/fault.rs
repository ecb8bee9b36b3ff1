//! A setting outside its range.

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// The field.
    pub field: &'static str,
    /// Its value as text.
    pub value: String,
    /// The values that are allowed.
    pub allowed: String,
}
