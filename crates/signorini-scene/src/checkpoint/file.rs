//! The file of a checkpoint.
//!
//! ```text
//! "SIGNCKPT" ‖ layout ‖ n₁ ‖ n₂ ‖ n₃ ‖ H(n₁ ‖ n₂ ‖ n₃ ‖ sections) ‖ head ‖ folder ‖ memory
//! ```
//! with the layout in 4 bytes, the lengths n of the sections in 8 bytes each, lowest byte first, and H the
//! digest BLAKE3. Sections are CBOR, which names its fields and keeps every f64: a later version finds the
//! poses whatever else has changed.

use super::durable::write_durably;
use super::head::Head;
use serde::Serialize;
use serde::de::DeserializeOwned;
use signorini_error::{Error, Result, read_regular};
use std::path::Path;

const MAGIC: &[u8; 8] = b"SIGNCKPT";
/// Version of the layout of the file around the sections.
const LAYOUT: u32 = 1;
const N_SECTIONS: usize = 3;
/// Longest file (bytes): a million bodies at rest on each other take less.
const LONGEST: u64 = 4 << 30;
/// Bytes before the sections.
const START: usize = MAGIC.len() + 4 + 8 * N_SECTIONS + 32;

/// A checkpoint, read or to be written.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// The head, which every version can read.
    pub head: Head,
    /// Data that the folder of the run needs to go on; empty where the run has no folder.
    pub folder: Vec<u8>,
    /// All that the next step depends on.
    pub memory: Vec<u8>,
}

/// Plain data as CBOR.
///
/// # Errors
/// When they are not plain data.
pub fn encode<T: Serialize>(data: &T) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(data, &mut bytes).map_err(|e| Error::Usage {
        what: "checkpoint".to_owned(),
        allowed: format!("cannot be written: {e}"),
    })?;
    Ok(bytes)
}

/// Data from CBOR.
///
/// # Errors
/// A message that names the value that does not fit, without the name of a file.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> std::result::Result<T, String> {
    ciborium::from_reader(bytes).map_err(|e| e.to_string())
}

impl Checkpoint {
    /// Writes the file, or leaves the old one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let head = encode(&self.head)?;
        let sections = [&head, &self.folder, &self.memory];
        let lengths: Vec<u8> = sections.iter().flat_map(|s| (s.len() as u64).to_le_bytes()).collect();
        let digest = digest(&lengths, sections);
        let [head, folder, memory] = sections;
        write_durably(
            path,
            &[MAGIC, &LAYOUT.to_le_bytes(), &lengths, digest.as_bytes(), head, folder, memory],
        )
    }

    /// Reads a file, all of whose bytes must be those that were written.
    ///
    /// # Errors
    /// When it cannot be read, is no checkpoint, is cut off or damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let fault = |message: String| Error::Parse { file: path.to_owned(), message };
        let bytes = read_regular(path, LONGEST)?;
        if !bytes.starts_with(MAGIC) {
            return Err(fault("is not a checkpoint".to_owned()));
        }
        let Some((start, sections)) = bytes.split_at_checked(START) else {
            return Err(fault(format!("is cut off after {} bytes", bytes.len())));
        };
        let layout = number(&start[MAGIC.len()..][..4]);
        if layout != u64::from(LAYOUT) {
            return Err(fault(format!("has layout {layout}; this version reads {LAYOUT}")));
        }
        let (lengths, written) = start[MAGIC.len() + 4..].split_at(8 * N_SECTIONS);
        let [head, folder, memory] = split(lengths, sections).ok_or_else(|| {
            fault(format!("is cut off or damaged: {} bytes are not those that its start tells", bytes.len()))
        })?;
        if digest(lengths, [head, folder, memory]).as_bytes() != written {
            return Err(fault("is damaged: its digest does not fit".to_owned()));
        }
        let head = decode(head).map_err(fault)?;
        Ok(Self { head, folder: folder.to_vec(), memory: memory.to_vec() })
    }
}

fn digest<T: AsRef<[u8]>>(lengths: &[u8], sections: [T; N_SECTIONS]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(lengths);
    for section in &sections {
        hasher.update(section.as_ref());
    }
    hasher.finalize()
}

/// The sections of these lengths, if they fill the bytes exactly.
fn split<'a>(lengths: &[u8], bytes: &'a [u8]) -> Option<[&'a [u8]; N_SECTIONS]> {
    let mut rest = bytes;
    let mut sections = [&[][..]; N_SECTIONS];
    for (section, length) in sections.iter_mut().zip(lengths.chunks(8)) {
        (*section, rest) = rest.split_at_checked(usize::try_from(number(length)).ok()?)?;
    }
    rest.is_empty().then_some(sections)
}

/// A number, lowest byte first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::super::head::PlacedBody;
    use super::*;
    use signorini_geometry::{Pose, Velocity};
    use std::fs;

    fn checkpoint() -> Checkpoint {
        let pose = Pose { position: [0.1, f64::MIN_POSITIVE, -0.0].into(), ..Pose::identity() };
        let body = PlacedBody { name: "ball".to_owned(), pose, velocity: Velocity::default() };
        let head = Head { version: "1".into(), memory: 1, step: 7, time_step: 0.1, bodies: vec![body] };
        Checkpoint { head, folder: vec![1, 2, 3], memory: (0..200).collect() }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ckpt");
        checkpoint().write(&path).unwrap();
        let found = Checkpoint::read(&path).unwrap();
        assert_eq!(found.head, checkpoint().head);
        assert_eq!((found.folder, found.memory), (checkpoint().folder, checkpoint().memory));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
    }

    #[test]
    fn a_file_with_any_byte_changed_or_left_out_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ckpt");
        checkpoint().write(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "byte {at} changed");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "cut at {at}");
        }
        fs::write(&path, [whole.as_slice(), &[0]].concat()).unwrap();
        assert!(Checkpoint::read(&path).is_err(), "a byte too many");
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ckpt");
        checkpoint().write(&path).unwrap();
        // A folder stands where the file aside would be written.
        fs::create_dir(folder.path().join("x.ckpt.new")).unwrap();
        assert!(checkpoint().write(&path).is_err());
        assert!(Checkpoint::read(&path).is_ok());
    }
}
