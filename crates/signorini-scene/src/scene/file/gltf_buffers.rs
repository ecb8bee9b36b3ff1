//! Buffers of .gltf files that lie in files of their own, as most programs write them.

use super::limits::LONGEST_FILE;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Prefix of a buffer that stands in the .gltf file itself.
const EMBEDDED: &str = "data:application/octet-stream;base64,";

/// A .gltf file with the buffers that it names put into it. `read` gives the bytes of a file beside it. Bytes
/// that are no JSON stay as they are: their reader says why.
pub fn put_in(bytes: Vec<u8>, read: impl Fn(&str) -> Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    let Ok(mut file) = serde_json::from_slice::<Value>(&bytes) else { return Ok(bytes) };
    let Some(buffers) = file.get_mut("buffers").and_then(Value::as_array_mut) else { return Ok(bytes) };
    let mut length = 0;
    for uri in buffers.iter_mut().filter_map(|buffer| buffer.get_mut("uri")) {
        let Some(name) = uri.as_str().filter(|uri| !uri.starts_with("data:")) else { continue };
        let decoded = percent_decode_str(name).decode_utf8_lossy();
        let buffer = read(&decoded).map_err(|fault| format!("its buffer {decoded:?} {fault}"))?;
        length += buffer.len() as u64;
        if length > LONGEST_FILE {
            return Err(format!("its buffers have more than {LONGEST_FILE} bytes, which is the most"));
        }
        *uri = Value::String(EMBEDDED.to_owned() + &STANDARD.encode(buffer));
    }
    Ok(if length > 0 { file.to_string().into_bytes() } else { bytes })
}
