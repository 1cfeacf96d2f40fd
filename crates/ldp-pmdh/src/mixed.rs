//! Joint estimates over features of different protocols.
