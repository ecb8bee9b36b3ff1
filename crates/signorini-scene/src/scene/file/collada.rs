//! Triangles from the bytes of .dae files.

use super::markup;
use super::triangles::Triangles;
use nalgebra::Vector3;
use roxmltree::{Document, Node};

/// Elements that say how things look: their values are often not as the format wants them.
const LOOKS: [&str; 2] = ["library_effects", "library_images"];
/// Deepest nest of elements.
const MAX_DEPTH: usize = 256;
/// Largest offset of an input in a list of indices.
const MAX_OFFSET: usize = 255;

/// The geometries of a file with their names.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Triangles)>, String> {
    let fault = |e: &dyn std::fmt::Display| format!("is not a mesh in .dae format ({e})");
    let text = text_of(bytes).ok_or_else(|| fault(&"is neither UTF-8 nor UTF-16 text"))?;
    let text = LOOKS.iter().fold(text, |text, tag| without(text, tag));
    markup::check(&text, MAX_DEPTH, markup::MAX_ELEMENTS).map_err(|e| fault(&e))?;
    check_counts(&Document::parse(&text).map_err(|e| fault(&e))?).map_err(|e| fault(&e))?;
    let scene = mesh_loader::collada::from_str(&text).map_err(|e| fault(&e))?;
    let object = |mesh: mesh_loader::Mesh| {
        let points = mesh.vertices.iter().map(|v| Vector3::from(v.map(f64::from))).collect();
        let triangles = mesh.faces.iter().map(|t| t.map(|v| v as usize)).collect();
        (mesh.name, Triangles { points, triangles })
    };
    Ok(scene.meshes.into_iter().map(object).collect())
}

/// The text of a file. UTF-16 begins with a mark of the order of its bytes.
fn text_of(bytes: &[u8]) -> Option<String> {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        char::decode_utf16(units).collect::<Result<String, _>>().ok()
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => {
            std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok().map(str::to_owned)
        }
    }
}

/// A text without its first element of a kind.
fn without(text: String, tag: &str) -> String {
    let close = format!("</{tag}>");
    let found = text.find(&format!("<{tag}>"));
    match found.and_then(|start| Some((start, start + text[start..].find(&close)? + close.len()))) {
        Some((start, end)) => [&text[..start], &text[end..]].concat(),
        None => text,
    }
}

/// Checks the counts of all geometries against the numbers that follow them: the reader reserves memory for
/// what is announced.
fn check_counts(document: &Document<'_>) -> Result<(), String> {
    let libraries = document.descendants().filter(|node| is(node, "library_geometries"));
    for library in libraries {
        let arrays = library.descendants().filter(|node| is(node, "float_array"));
        let longest = arrays.map(|array| words(&array)).max().unwrap_or(0);
        for node in library.descendants().filter(Node::is_element) {
            let least = match node.tag_name().name() {
                "float_array" => Some(words(&node)).filter(|n| *n > 0),
                // The reader would never come to the end of one.
                "Name_array" | "IDREF_array" if words(&node) > 0 => {
                    return Err(format!("{}: names among numbers", place(&node)));
                }
                "accessor" => Some(longest),
                "triangles" | "lines" | "polylist" | "polygons" | "trifans" | "tristrips" | "linestrips" => {
                    Some(room(&node)?)
                }
                _ => None,
            };
            let count = node.attribute("count").and_then(|count| count.trim().parse::<u64>().ok());
            if let (Some(count), Some(least)) = (count, least)
                && count > least as u64
            {
                return Err(format!("{}: a count of {count}, where {least} are there", place(&node)));
            }
        }
    }
    Ok(())
}

/// Most primitives for which an element has indices.
fn room(node: &Node<'_, '_>) -> Result<usize, String> {
    let inside = |tag: &'static str| node.children().filter(move |child| is(child, tag));
    let offsets = inside("input").filter_map(|input| input.attribute("offset")?.trim().parse::<usize>().ok());
    let offset = offsets.max().unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(format!("{}: an offset of {offset}, at most {MAX_OFFSET} is allowed", place(node)));
    }
    let indices = inside("p").map(|p| words(&p)).sum::<usize>() / (offset + 1);
    let corners = match node.tag_name().name() {
        "triangles" => 3,
        "lines" => 2,
        "polylist" => {
            let counts = inside("vcount").filter_map(|counts| counts.text());
            let numbers = counts.flat_map(str::split_ascii_whitespace);
            let due = numbers.map(|n| n.parse::<usize>().unwrap_or(0)).fold(0, usize::saturating_add);
            if due > indices {
                return Err(format!("{}: {due} corners, where {indices} are there", place(node)));
            }
            1
        }
        _ => 1,
    };
    Ok(indices / corners)
}

/// Number of words of an element's text.
fn words(node: &Node<'_, '_>) -> usize {
    node.text().map_or(0, |text| text.split_ascii_whitespace().count())
}

fn place(node: &Node<'_, '_>) -> String {
    let line = node.document().text_pos_at(node.range().start).row;
    format!("line {line}: <{}>", node.tag_name().name())
}

/// Whether a node is an element of that name, in whatever namespace.
fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}
