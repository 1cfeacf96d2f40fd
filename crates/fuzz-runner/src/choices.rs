//! Choices that bytes make: what a target builds from them has a structure, whatever they are.

/// Numbers from bytes, in their order; zeros behind the last.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    rest: &'a [u8],
}

impl<'a> Choices<'a> {
    /// The choices of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all bytes were used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    /// A number below `end`, by the next byte; 0 for an end of 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// The next 128 bits, of as many bytes as there are.
    pub fn bits(&mut self) -> u128 {
        self.bytes(16).iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    }

    /// At most `count` of the next bytes.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_used_once_and_zeros_follow() {
        let mut choices = Choices::new(&[7, 3, 0x34, 0x12]);
        assert_eq!((choices.byte(), choices.below(2), choices.is_empty()), (7, 1, false));
        assert_eq!((choices.bits(), choices.is_empty()), (0x1234, true));
        assert_eq!((choices.byte(), choices.below(9), choices.below(0), choices.bits()), (0, 0, 0, 0));
    }
}
