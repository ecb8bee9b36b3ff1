//! Little-endian numbers out of a file whose counts nobody vouches for: every count is compared with the
//! bytes that are left before anything is allocated.

use signorini_error::{Error, Result};
use sprs::CsMat;
use std::path::Path;

/// Position of a reader in a file.
pub struct Cursor<'a> {
    path: &'a Path,
    rest: &'a [u8],
    total: usize,
}

impl<'a> Cursor<'a> {
    /// A reader at the first byte.
    pub fn new(path: &'a Path, content: &'a [u8]) -> Self {
        Self { path, rest: content, total: content.len() }
    }

    /// A fault of a field.
    pub fn fault(&self, field: &str, value: impl ToString, allowed: &str) -> Error {
        Error::Field {
            file: self.path.to_owned(),
            at: None,
            field: field.to_owned(),
            value: value.to_string(),
            allowed: allowed.to_owned(),
        }
    }

    /// The bytes of `count` items of `size` bytes.
    pub fn take(&mut self, count: u64, size: u64, field: &str) -> Result<&'a [u8]> {
        let need = count.checked_mul(size).filter(|n| *n <= self.rest.len() as u64);
        let Some(need) = need else {
            let left = self.rest.len();
            return Err(Error::Parse {
                file: self.path.to_owned(),
                message: format!(
                    "{field}: {count} items of {size} bytes announced, but {left} of {} bytes are left (truncated, or a wrong count)",
                    self.total
                ),
            });
        };
        let (own, rest) = self.rest.split_at(need as usize);
        self.rest = rest;
        Ok(own)
    }

    /// One u32.
    pub fn u32(&mut self, field: &str) -> Result<u32> {
        let b = self.take(1, 4, field)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// One u64.
    pub fn u64(&mut self, field: &str) -> Result<u64> {
        let b = self.take(1, 8, field)?;
        Ok(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
    }

    fn u32s(&mut self, count: u64, field: &str) -> Result<Vec<usize>> {
        let bytes = self.take(count, 4, field)?;
        Ok(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize).collect())
    }

    /// Finite numbers.
    pub fn f64s(&mut self, count: u64, field: &str) -> Result<Vec<f64>> {
        let bytes = self.take(count, 8, field)?;
        let mut values = Vec::with_capacity(bytes.len() / 8);
        for (i, b) in bytes.chunks_exact(8).enumerate() {
            let value = f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
            if !value.is_finite() {
                return Err(self.fault(&format!("{field}[{i}]"), value, "must be finite"));
            }
            values.push(value);
        }
        Ok(values)
    }

    /// A sparse matrix by rows.
    pub fn matrix(&mut self, n_rows: u64, n_columns: u64, field: &str) -> Result<CsMat<f64>> {
        let n_entries = self.u64(&format!("{field} entries"))?;
        let pointers = self.u32s(n_rows + 1, &format!("{field} row pointers"))?;
        let columns = self.u32s(n_entries, &format!("{field} columns"))?;
        let values = self.f64s(n_entries, &format!("{field} values"))?;
        let ends = (pointers[0], pointers[n_rows as usize]);
        if ends != (0, values.len()) {
            let allowed = format!("must begin with 0 and end with the number of entries, {n_entries}");
            return Err(self.fault(&format!("{field} row pointers"), format!("{ends:?}"), &allowed));
        }
        for (row, range) in pointers.windows(2).enumerate() {
            if range[0] > range[1] || range[1] > values.len() {
                return Err(self.fault(
                    &format!("{field} row pointers[{}]", row + 1),
                    range[1],
                    "must ascend",
                ));
            }
            let own = &columns[range[0]..range[1]];
            if let Some(column) = own.iter().find(|c| **c as u64 >= n_columns) {
                let allowed = format!("must be below {n_columns}");
                return Err(self.fault(&format!("{field} row {row}: column"), column, &allowed));
            }
            if let Some(pair) = own.windows(2).find(|p| p[0] >= p[1]) {
                return Err(self.fault(
                    &format!("{field} row {row}: columns"),
                    format!("{pair:?}"),
                    "must ascend without repeats",
                ));
            }
        }
        CsMat::try_new((n_rows as usize, n_columns as usize), pointers, columns, values)
            .map_err(|(_, _, _, error)| self.fault(field, error, "must be a sparse matrix by rows"))
    }

    /// Refuses bytes that are left.
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(Error::Parse {
            file: self.path.to_owned(),
            message: format!(
                "{} of {} bytes are left over after the last field",
                self.rest.len(),
                self.total
            ),
        })
    }
}

/// Friction coefficients: ≥ 0.
pub fn check_friction(cursor: &Cursor<'_>, mu: &[f64]) -> Result<()> {
    match mu.iter().enumerate().find(|(_, mu)| **mu < 0.0) {
        Some((i, value)) => Err(cursor.fault(&format!("mu[{i}]"), value, "must be at least 0")),
        None => Ok(()),
    }
}
