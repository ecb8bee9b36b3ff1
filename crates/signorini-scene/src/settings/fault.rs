//! What is wrong with a setting.

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// The field.
    pub field: &'static str,
    /// Its value as text.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}
