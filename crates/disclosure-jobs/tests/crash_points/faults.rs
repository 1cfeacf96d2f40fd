//! What goes wrong, and at which operation.

/// "Interrupted system call", "input/output error", "no space left on device".
pub(crate) const EINTR: i32 = 4;
pub(crate) const EIO: i32 = 5;
pub(crate) const ENOSPC: i32 = 28;

/// One thing that goes wrong at an operation, or from it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The process is gone before the operation.
    Stopped,
    /// The process is gone in the middle of the operation, if it is a write.
    Torn,
    /// The operation is refused once.
    Refused(i32),
    /// All operations are refused from here on: a disk that is full or broken.
    RefusedForGood(i32),
    /// The operation is carried out, and its answer is an error.
    Unanswered(i32),
    /// Every write from here on takes a third of what it is given.
    ShortWrites,
    /// The power fails before the operation; what is left follows from the seed.
    PowerCut(u64),
}

/// Every kind that is tried at every operation of every job.
pub(crate) const KINDS: [Kind; 12] = [
    Kind::Stopped,
    Kind::Torn,
    Kind::Refused(EIO),
    Kind::Refused(ENOSPC),
    Kind::Refused(EINTR),
    Kind::RefusedForGood(ENOSPC),
    Kind::RefusedForGood(EIO),
    Kind::Unanswered(EIO),
    Kind::ShortWrites,
    Kind::PowerCut(0),
    Kind::PowerCut(1),
    Kind::PowerCut(2),
];

/// A fault at the n-th operation, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) at: u64,
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Done,
    /// A write is cut short; anything else is done.
    Short,
    Refused(i32),
    Unanswered(i32),
    Gone,
}

impl Fault {
    pub(crate) fn verdict(self, operation: u64) -> Verdict {
        let (is_here, is_past) = (operation == self.at, operation >= self.at);
        match self.kind {
            Kind::Stopped | Kind::Torn | Kind::PowerCut(_) if is_past => Verdict::Gone,
            Kind::Refused(error) if is_here => Verdict::Refused(error),
            Kind::RefusedForGood(error) if is_past => Verdict::Refused(error),
            Kind::Unanswered(error) if is_here => Verdict::Unanswered(error),
            Kind::ShortWrites if is_past => Verdict::Short,
            _ => Verdict::Done,
        }
    }

    /// Whether a write that it ends has written a part.
    pub(crate) fn tears(self) -> bool {
        matches!(self.kind, Kind::Torn | Kind::PowerCut(_) | Kind::RefusedForGood(ENOSPC))
    }

    /// Whether the process is gone, and says nothing any more.
    pub(crate) fn is_silent(self) -> bool {
        matches!(self.kind, Kind::Stopped | Kind::Torn | Kind::PowerCut(_))
    }

    /// What a power cut leaves, if it is one. Seed 0 loses everything that was not synced, seed 1
    /// keeps all names and loses all bytes that were not synced.
    pub(crate) fn power(self) -> Option<Power> {
        match self.kind {
            Kind::PowerCut(seed) => Some(Power::new(seed, self.at)),
            _ => None,
        }
    }
}

/// Chooses what survives a power cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Power {
    mode: u64,
    state: u64,
}

impl Power {
    pub(crate) fn new(mode: u64, seed: u64) -> Self {
        Self { mode, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mode.wrapping_mul(0xbf58_476d_1ce4_e5b9) }
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Whether a change of a directory that was not synced survives.
    pub(crate) fn keeps(&mut self) -> bool {
        match self.mode {
            0 => false,
            1 => true,
            _ => self.next().is_multiple_of(2),
        }
    }

    /// What is left of bytes that were not synced.
    pub(crate) fn left_of(&mut self, bytes: &[u8], synced: &[u8]) -> Vec<u8> {
        match self.mode {
            0 | 1 => synced.to_vec(),
            _ => bytes[..self.next() as usize % (bytes.len() + 1)].to_vec(),
        }
    }
}
