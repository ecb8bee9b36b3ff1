//! Triangles from the bytes of .ply files, as text or binary.

use super::triangles::Triangles;
use nalgebra::Vector3;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

/// Most elements of all kinds: each takes its place in memory, whatever it holds.
const MAX_ELEMENTS: usize = 8_000_000;

/// The triangles of a file.
pub fn read(bytes: &[u8]) -> Result<Triangles, String> {
    let fault = |e: &dyn std::fmt::Display| format!("is not a mesh in .ply format ({e})");
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(bytes);
    let header = parser.read_header(&mut reader).map_err(|e| fault(&e))?;
    check_counts(&header, reader.get_ref().len()).map_err(|e| fault(&e))?;
    let mut payload = parser.read_payload(&mut reader, &header).map_err(|e| fault(&e))?;
    let mut take = |name: &str| payload.shift_remove(name).unwrap_or_default();
    let points = take("vertex").into_iter().map(|vertex| vertex.place).collect();
    // A polygon is a fan about its first corner.
    let fan = |face: Element| {
        let corners = face.corners;
        (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]).collect::<Vec<_>>()
    };
    let triangles = take("face").into_iter().flat_map(fan).collect();
    Ok(Triangles { points, triangles })
}

/// Checks the counts of the header against the bytes behind it.
fn check_counts(header: &Header, left: usize) -> Result<(), String> {
    let mut total = 0usize;
    for element in header.elements.values() {
        let ElementDef { name, count, .. } = element;
        // The last line of a text may lack its end.
        if count.checked_mul(least_size(element, header.encoding)).is_none_or(|least| least > left + 1) {
            return Err(format!("{count} elements {name:?} are announced, and {left} bytes follow"));
        }
        total = total.saturating_add(*count);
    }
    match total > MAX_ELEMENTS {
        true => Err(format!("has {total} elements; at most {MAX_ELEMENTS} are read")),
        false => Ok(()),
    }
}

/// Least number of bytes of an element: numbers, or the counts of lists.
fn least_size(element: &ElementDef, encoding: Encoding) -> usize {
    let size = |property: &PropertyType| {
        let (PropertyType::Scalar(first) | PropertyType::List(first, _)) = property;
        match (encoding, first) {
            // A digit and what follows it.
            (Encoding::Ascii, _) => 2,
            (_, ScalarType::Char | ScalarType::UChar) => 1,
            (_, ScalarType::Short | ScalarType::UShort) => 2,
            (_, ScalarType::Int | ScalarType::UInt | ScalarType::Float) => 4,
            (_, ScalarType::Double) => 8,
        }
    };
    element.properties.values().map(|property| size(&property.data_type)).sum::<usize>().max(1)
}

/// A vertex or a face.
#[derive(Debug, Default)]
struct Element {
    place: Vector3<f64>,
    corners: Vec<usize>,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let axis = ["x", "y", "z"].iter().position(|axis| *axis == name);
        match (axis, number(&value), name) {
            (Some(axis), Some(x), _) => self.place[axis] = x,
            (None, None, "vertex_indices" | "vertex_index") => match indices(value) {
                Some(corners) => self.corners = corners,
                None => return PropertyAccessResult::UnsupportedType,
            },
            _ => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}

fn number(value: &Property) -> Option<f64> {
    Some(match value {
        Property::Char(x) => f64::from(*x),
        Property::UChar(x) => f64::from(*x),
        Property::Short(x) => f64::from(*x),
        Property::UShort(x) => f64::from(*x),
        Property::Int(x) => f64::from(*x),
        Property::UInt(x) => f64::from(*x),
        Property::Float(x) => f64::from(*x),
        Property::Double(x) => *x,
        _ => return None,
    })
}

/// Indices of a property; None where an index is negative or no integer.
fn indices(value: Property) -> Option<Vec<usize>> {
    fn all<T: TryInto<usize>>(list: Vec<T>) -> Option<Vec<usize>> {
        list.into_iter().map(|v| v.try_into().ok()).collect()
    }
    match value {
        Property::ListChar(list) => all(list),
        Property::ListUChar(list) => all(list),
        Property::ListShort(list) => all(list),
        Property::ListUShort(list) => all(list),
        Property::ListInt(list) => all(list),
        Property::ListUInt(list) => all(list),
        _ => None,
    }
}
