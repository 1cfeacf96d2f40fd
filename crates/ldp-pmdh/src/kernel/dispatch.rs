//! Which copy of the loops runs.
//!
//! A function with target features may be called only where the processor has them. The promise
//! that the compiler cannot check is kept by the type: a [`Kernel`] is made by
//! [`Kernel::available`] alone, which asks the processor.

use super::body;

/// A copy of the loops that this processor can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Instructions);

/// What a copy is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    /// Whatever the target has at the least: shifts and masks on x86-64, `cnt` on AArch64.
    Portable,
}

impl Kernel {
    /// Those that this processor can run, the fastest first; the portable one is last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vpopcntdq") && has!("popcnt") {
                found.push(Self(Instructions::Avx512));
            }
            if has!("avx2") && has!("popcnt") {
                found.push(Self(Instructions::Avx2));
            }
            if has!("popcnt") {
                found.push(Self(Instructions::Popcnt));
            }
        }
        found.push(Self(Instructions::Portable));
        found
    }

    /// The fastest.
    #[must_use]
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// What it needs: `avx512-vpopcntdq`, `avx2`, `popcnt` or `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512-vpopcntdq",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => "popcnt",
            Instructions::Portable => "portable",
        }
    }

    /// The popcount of every column, added to `counts`. `columns` has `words` words per column,
    /// at least 1.
    ///
    /// # Panics
    /// If `words` is 0, or a count overflows.
    #[allow(unsafe_code)]
    pub fn add_singles(self, columns: &[u64], words: usize, counts: &mut [u64]) {
        match self.0 {
            // SAFETY: `available` found the features of this copy on the processor it runs on.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::add_singles(columns, words, counts) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::add_singles(columns, words, counts) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { popcnt::add_singles(columns, words, counts) },
            Instructions::Portable => body::add_singles(columns, words, counts),
        }
    }

    /// The popcount of `left[j] & right[i]` for every pair of columns `i < j`, added to `counts`
    /// in the order `(0,1) (0,2) (1,2) (0,3) ...`. Both have `words` words per column, at least
    /// 1, and as many columns.
    ///
    /// # Panics
    /// If `words` is 0, `right` or `counts` is too short, or a count overflows.
    #[allow(unsafe_code)]
    pub fn add_pairs(self, left: &[u64], right: &[u64], words: usize, counts: &mut [u64]) {
        match self.0 {
            // SAFETY: `available` found the features of this copy on the processor it runs on.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { avx512::add_pairs(left, right, words, counts) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2::add_pairs(left, right, words, counts) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Popcnt => unsafe { popcnt::add_pairs(left, right, words, counts) },
            Instructions::Portable => body::add_pairs(left, right, words, counts),
        }
    }
}

/// The body, compiled for more instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! copy_of_the_body {
    ($name:ident, $features:literal) => {
        mod $name {
            use super::body;

            #[target_feature(enable = $features)]
            pub(super) fn add_singles(columns: &[u64], words: usize, counts: &mut [u64]) {
                body::add_singles(columns, words, counts);
            }

            #[target_feature(enable = $features)]
            pub(super) fn add_pairs(left: &[u64], right: &[u64], words: usize, counts: &mut [u64]) {
                body::add_pairs(left, right, words, counts);
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
copy_of_the_body!(avx512, "avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt");
#[cfg(target_arch = "x86_64")]
copy_of_the_body!(avx2, "avx2,popcnt");
#[cfg(target_arch = "x86_64")]
copy_of_the_body!(popcnt, "popcnt");
