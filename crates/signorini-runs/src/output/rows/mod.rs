//! The columns of the tables, one struct per table: written and read through the same struct.
//! Units SI, vectors in world axes; `docs/guide/output.md` explains each column.

mod body;
mod cell_text;
mod contact;
mod flow;
mod joint;
mod step;
mod substep;
mod times;

pub use body::BodyRow;
pub use contact::ContactRow;
pub use flow::{FlowRow, port_event, time_of};
pub use joint::JointRow;
pub use step::StepRow;
pub use substep::SubstepRow;
pub use times::TimeRow;

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    /// Reads a row of ones under `columns` and writes it with the header that serde derives.
    fn derived_header<R: Serialize + DeserializeOwned>(columns: &[&str]) -> String {
        let text = format!("{}\n{}\n", columns.join(","), vec!["1"; columns.len()].join(","));
        let row: R = csv::Reader::from_reader(text.as_bytes()).deserialize().next().unwrap().unwrap();
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        text.lines().next().unwrap().to_owned()
    }

    #[test]
    fn headers_name_the_fields_in_their_order() {
        assert_eq!(derived_header::<BodyRow<'static>>(&BodyRow::COLUMNS), BodyRow::COLUMNS.join(","));
        assert_eq!(
            derived_header::<ContactRow<'static>>(&ContactRow::COLUMNS),
            ContactRow::COLUMNS.join(",")
        );
        let with_images = |always: &[&'static str], more: &[&'static str]| [always, more].concat().join(",");
        let (always, more) = (&BodyRow::COLUMNS, &BodyRow::OF_IMAGES);
        let header = derived_header::<BodyRow<'static>>(&[&always[..], &more[..]].concat());
        assert_eq!(header, with_images(always, more));
        let (always, more) = (&ContactRow::COLUMNS, &ContactRow::OF_IMAGES);
        let header = derived_header::<ContactRow<'static>>(&[&always[..], &more[..]].concat());
        assert_eq!(header, with_images(always, more));
        assert_eq!(
            derived_header::<SubstepRow<'static>>(&SubstepRow::COLUMNS),
            SubstepRow::COLUMNS.join(",")
        );
        assert_eq!(derived_header::<JointRow<'static>>(&JointRow::COLUMNS), JointRow::COLUMNS.join(","));
        assert_eq!(derived_header::<FlowRow<'static>>(&FlowRow::COLUMNS), FlowRow::COLUMNS.join(","));
        assert_eq!(derived_header::<StepRow<'static>>(&StepRow::COLUMNS), StepRow::COLUMNS.join(","));
        assert_eq!(derived_header::<TimeRow>(&TimeRow::COLUMNS), TimeRow::COLUMNS.join(","));
    }
}
