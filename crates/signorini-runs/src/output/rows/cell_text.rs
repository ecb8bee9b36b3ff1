//! Names as fields of rows.

use serde::{Deserialize, Deserializer, Serializer};
use signorini::measure::{cell_of, name_in};
use std::borrow::Cow;

pub fn serialize<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&cell_of(name))
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'static, str>, D::Error> {
    let cell = Cow::<'de, str>::deserialize(deserializer)?;
    Ok(Cow::Owned(name_in(&cell).to_owned()))
}
