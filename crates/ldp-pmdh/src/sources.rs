//! Which files were counted: their digests travel with the counts, so that a file is not counted
//! twice, in one call or in two.
//!
//! The digest is that of a file's reports, or of a whole state that remembers none. What is
//! noticed is the same bytes: not a file with one report changed, left out or moved, and not a
//! part of a file. Of more than [`MOST_SOURCES`] files the smallest digests are kept, whichever
//! way they were merged, and a repeat of one of the others goes unnoticed.

use std::collections::BTreeSet;

/// Most digests that a state keeps.
pub(crate) const MOST_SOURCES: usize = 1 << 16;

/// Digests of what was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    digests: BTreeSet<[u8; 32]>,
    /// Whether some are not kept.
    is_cut: bool,
}

impl Sources {
    /// As a file lists them; `None` unless they are increasing, and as many as are kept.
    pub(crate) fn from_list(digests: &[[u8; 32]], is_cut: bool) -> Option<Self> {
        let is_sound = digests.windows(2).all(|two| two[0] < two[1])
            && digests.len() <= MOST_SOURCES
            && (!is_cut || digests.len() == MOST_SOURCES);
        is_sound.then(|| Self { digests: digests.iter().copied().collect(), is_cut })
    }

    /// Remembers a digest: whether it was not there before.
    pub(crate) fn add(&mut self, digest: [u8; 32]) -> bool {
        let is_new = self.digests.insert(digest);
        self.cut();
        is_new
    }

    /// Those of both.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.digests.extend(&other.digests);
        self.is_cut |= other.is_cut;
        self.cut();
    }

    /// The smallest ones: of a union they are the smallest of the smallest, so that states merged
    /// in any grouping keep the same.
    fn cut(&mut self) {
        while self.digests.len() > MOST_SOURCES {
            self.digests.pop_last();
            self.is_cut = true;
        }
    }

    pub(crate) fn shares_one_with(&self, other: &Self) -> bool {
        let (few, many) = if self.len() < other.len() { (self, other) } else { (other, self) };
        few.digests.iter().any(|digest| many.digests.contains(digest))
    }

    pub(crate) fn len(&self) -> usize {
        self.digests.len()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn digests(&self) -> impl Iterator<Item = &[u8; 32]> {
        self.digests.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u32) -> [u8; 32] {
        let mut digest = [0; 32];
        // Spread over the order of digests, each once.
        digest[..4].copy_from_slice(&number.wrapping_mul(0x9e37_79b1).to_be_bytes());
        digest
    }

    fn sources(numbers: impl IntoIterator<Item = u32>) -> Sources {
        let mut sources = Sources::default();
        for number in numbers {
            sources.add(digest(number));
        }
        sources
    }

    #[test]
    fn what_is_kept_does_not_depend_on_the_grouping() {
        let most = MOST_SOURCES as u32;
        let all = sources(0..most + 500);
        assert!(all.is_cut() && all.len() == MOST_SOURCES);
        let mut parts = sources(most..most + 500);
        parts.merge(&sources(0..300));
        assert!(!parts.is_cut());
        parts.merge(&sources(200..most));
        assert!(parts == all);
        assert!(!sources(0..most).is_cut());
    }

    #[test]
    fn a_list_is_increasing_and_cut_only_when_it_is_full() {
        let two = [digest(0), digest(1)];
        assert!(two[0] < two[1] && Sources::from_list(&two, false).is_some());
        assert!(Sources::from_list(&two, true).is_none());
        assert!(Sources::from_list(&[two[1], two[0]], false).is_none());
        assert!(Sources::from_list(&[two[0], two[0]], false).is_none());
    }

    #[test]
    fn a_shared_file_is_found() {
        assert!(sources(0..10).shares_one_with(&sources(9..11)) && sources(9..11).shares_one_with(&sources(0..10)));
        assert!(!sources(0..10).shares_one_with(&sources(10..11)));
        assert!(!sources([]).shares_one_with(&sources(0..1)));
    }
}
