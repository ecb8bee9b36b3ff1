//! Numbers as bytes, and back to the same bits.

/// Bytes that a rank hands out.
#[derive(Debug, Default)]
pub struct Outgoing(Vec<u8>);

impl Outgoing {
    /// Appends numbers.
    pub fn f64s(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_le_bytes()));
    }

    /// Appends numbers.
    pub fn f32s(&mut self, numbers: &[f32]) {
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_le_bytes()));
    }

    /// Appends numbers.
    pub fn u64s(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|x| self.0.extend_from_slice(&x.to_le_bytes()));
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes that came, read from the first on. What is missing at the end reads as 0: ranks agree on lengths.
#[derive(Debug)]
pub struct Incoming<'a>(&'a [u8]);

impl<'a> Incoming<'a> {
    /// Reads bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn next<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => [0; N],
        }
    }

    /// The next numbers.
    pub fn f64s<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| f64::from_le_bytes(self.next()))
    }

    /// The next numbers.
    pub fn f32s<const N: usize>(&mut self) -> [f32; N] {
        std::array::from_fn(|_| f32::from_le_bytes(self.next()))
    }

    /// The next numbers.
    pub fn u64s<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| u64::from_le_bytes(self.next()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits() {
        let odd = f64::from_bits(0x7ff8_0000_dead_beef);
        let mut out = Outgoing::default();
        out.f64s(&[-0.0, odd]);
        out.f32s(&[f32::MIN_POSITIVE / 3.0]);
        out.u64s(&[u64::MAX, 7]);
        let mut back = Incoming::new(out.bytes());
        assert_eq!(back.f64s::<2>().map(f64::to_bits), [-0.0, odd].map(f64::to_bits));
        assert_eq!(back.f32s::<1>(), [f32::MIN_POSITIVE / 3.0]);
        assert_eq!(back.u64s::<3>(), [u64::MAX, 7, 0]);
    }
}
