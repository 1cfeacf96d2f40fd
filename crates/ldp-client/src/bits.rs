//! Bits of reports: bit `i` of a report is bit `i mod 8` of byte `i / 8`, and numbers have their
//! least bit first.
//!
//! Reports are read as words of 64 bits, which hold the same bits in the same order.

/// Bytes as words, least first; words beyond the bytes are zero.
pub fn load(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = match chunk.try_into() {
            Ok(whole) => u64::from_le_bytes(whole),
            Err(_) => chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
    }
}

/// Bit `i` of words.
///
/// # Panics
/// If there are fewer bits.
#[must_use]
pub fn bit(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 == 1
}

/// Sets bit `i` of words.
///
/// # Panics
/// If there are fewer bits.
pub fn set(words: &mut [u64], i: usize) {
    words[i / 64] |= 1 << (i % 64);
}

/// `width` bits from bit `first`, `1..=64` of them.
pub(crate) fn number(words: &[u64], first: usize, width: usize) -> u64 {
    let (word, shift) = (first / 64, first % 64);
    let low = words[word] >> shift;
    let high = if shift + width > 64 { words[word + 1] << (64 - shift) } else { 0 };
    (low | high) & (u64::MAX >> (64 - width))
}

/// Writes a bit of bytes that are zero there.
#[inline]
pub(crate) fn write_bit(bytes: &mut [u8], i: usize, bit: bool) {
    bytes[i / 8] |= u8::from(bit) << (i % 8);
}

/// Writes `width` bits of `value` at bit `first` of bytes that are zero there.
pub(crate) fn write(bytes: &mut [u8], first: usize, width: usize, value: u64) {
    let (mut at, mut rest, mut left) = (first, value, width);
    while left > 0 {
        let (shift, taken) = (at % 8, left.min(8 - at % 8));
        bytes[at / 8] |= ((rest << shift) & 0xff) as u8;
        rest >>= taken;
        at += taken;
        left -= taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_that_are_no_whole_word_are_its_least_ones() {
        let mut words = [7; 3];
        load(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &mut words);
        assert_eq!(words, [0x0807_0605_0403_0201, 0x0b_0a09, 7]);
    }

    #[test]
    fn numbers_at_the_ends_of_words_are_whole_and_need_no_word_beyond() {
        let words = [0x8000_0000_0000_0005, 1];
        assert_eq!(number(&words[..1], 0, 64), words[0]);
        assert_eq!(number(&words[..1], 20, 20), 0);
        assert_eq!(number(&words, 1, 64), 0xC000_0000_0000_0002);
    }

    #[test]
    fn a_bit_that_is_set_twice_is_set() {
        let mut words = [0; 2];
        [65, 65].into_iter().for_each(|i| set(&mut words, i));
        assert_eq!(words, [0, 2]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(first in 0_usize..130, width in 1_usize..=64, value: u64) {
            let value = value & (u64::MAX >> (64 - width));
            let (mut bytes, mut words) = ([0_u8; 25], [0; 4]);
            write(&mut bytes, first, width, value);
            load(&bytes, &mut words);
            prop_assert_eq!(number(&words, first, width), value);
            let others = (0..200).filter(|i| !(first..first + width).contains(i));
            prop_assert!(others.into_iter().all(|i| !bit(&words, i)));
        }
    }
}
