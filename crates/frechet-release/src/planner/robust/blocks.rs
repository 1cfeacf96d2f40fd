//! Which cells of a margin are withheld together: blocks that are fixed before anybody counts.
//!
//! The levels of every axis are divided into runs of `b = 2, 4, 8, ...` levels; the last run takes
//! what is left over. A block is a product of runs. Every block with a cell that must be withheld
//! is withheld, so the pattern tells in which blocks such cells are, and neither which cells nor
//! how many. Runs of `2 b` levels are unions of runs of `b`, so larger blocks withhold more.
//!
//! A cell that is publicly empty, or that is published as 0, is no part of a block: a reader
//! knows it. Where that leaves a line of a block with a single cell, the line discloses it, and
//! the next larger block is withheld instead.

/// A margin as the rule of blocks sees it; cells are numbered row-major.
pub(crate) struct BlockRule<'a> {
    /// Levels of each axis.
    pub(crate) shape: &'a [usize],
    /// Cells that must not be published.
    pub(crate) is_primary: &'a [bool],
    /// Cells that a block leaves out.
    pub(crate) is_free: &'a [bool],
}

impl BlockRule<'_> {
    /// How many sizes of blocks there are: in the last, one block is the whole margin.
    pub(crate) fn sizes(shape: &[usize]) -> u32 {
        let largest = shape.iter().copied().max().unwrap_or(1);
        // A run of b levels is the whole axis when two of them do not fit.
        (1..).find(|&size| largest < 2 << size).expect("an axis has fewer than 2^63 levels")
    }

    /// Which cells are withheld when the smallest blocks have `2^size` levels a side, `size` at
    /// least 1.
    pub(crate) fn withheld(&self, size: u32) -> Vec<bool> {
        let mut withheld = vec![false; self.is_primary.len()];
        for cell in (0..self.is_primary.len()).filter(|&cell| self.is_primary[cell]) {
            if !withheld[cell] {
                let block = self.block_around(cell, size);
                block.into_iter().filter(|&own| !self.is_free[own]).for_each(|own| withheld[own] = true);
                withheld[cell] = true;
            }
        }
        withheld
    }

    /// The smallest block of at least this size around a cell in which no line has a single cell.
    fn block_around(&self, cell: usize, size: u32) -> Vec<usize> {
        let largest = Self::sizes(self.shape);
        let mut size = size.min(largest);
        loop {
            let block = self.block(cell, size);
            if size == largest || !self.has_lonely_line(&block) {
                return block;
            }
            size += 1;
        }
    }

    /// The cells of the block of this size around a cell.
    fn block(&self, cell: usize, size: u32) -> Vec<usize> {
        let mut cells = vec![0];
        let mut stride = self.is_primary.len();
        for &levels in self.shape {
            stride /= levels;
            let run = run_around(cell / stride % levels, levels, size);
            cells = cells.iter().flat_map(|&start| run.clone().map(move |level| start + level * stride)).collect();
        }
        cells
    }

    /// Whether a line of the block, along any axis that the block extends over, holds exactly one
    /// cell that is not left out.
    fn has_lonely_line(&self, block: &[usize]) -> bool {
        let mut stride = self.is_primary.len();
        for &levels in self.shape {
            stride /= levels;
            let mut lines: Vec<usize> = block
                .iter()
                .filter(|&&cell| !self.is_free[cell])
                .map(|cell| cell - cell / stride % levels * stride)
                .collect();
            lines.sort_unstable();
            let is_lonely = lines.chunk_by(|one, other| one == other).any(|line| line.len() == 1);
            if levels > 1 && is_lonely {
                return true;
            }
        }
        false
    }
}

/// The run of `2^size` levels that holds a level.
fn run_around(level: usize, levels: usize, size: u32) -> std::ops::Range<usize> {
    let length = 1_usize.checked_shl(size).unwrap_or(levels).min(levels);
    let runs = levels / length;
    let run = (level / length).min(runs - 1);
    let end = if run + 1 == runs { levels } else { (run + 1) * length };
    run * length..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_divide_the_levels_and_larger_ones_are_unions_of_smaller_ones() {
        for levels in 1..=40 {
            for size in 1..=6 {
                let runs: Vec<_> = (0..levels).map(|level| run_around(level, levels, size)).collect();
                for (level, run) in runs.iter().enumerate() {
                    assert!(run.contains(&level) && run.clone().all(|other| runs[other] == *run));
                    let larger = run_around(level, levels, size + 1);
                    assert!(larger.start <= run.start && run.end <= larger.end, "{levels} {size} {run:?} {larger:?}");
                }
            }
        }
        assert_eq!(run_around(6, 7, 1), 4..7, "the last run takes what is left over");
    }

    #[test]
    fn the_pattern_does_not_tell_which_cell_of_a_block_is_small() {
        let shape = [4, 4];
        let pattern = |small: usize| {
            let is_primary: Vec<bool> = (0..16).map(|cell| cell == small).collect();
            BlockRule { shape: &shape, is_primary: &is_primary, is_free: &[false; 16] }.withheld(1)
        };
        let withheld: Vec<usize> = (0..16).filter(|&cell| pattern(0)[cell]).collect();
        assert_eq!(withheld, [0, 1, 4, 5]);
        assert!([1, 4, 5].into_iter().all(|small| pattern(small) == pattern(0)));
    }

    #[test]
    fn a_line_with_a_single_cell_takes_the_next_larger_block() {
        let shape = [4, 4];
        let is_primary: Vec<bool> = (0..16).map(|cell| cell == 0).collect();
        // Of the first block, the cells 1 and 4 are published as 0: cell 0 would stand alone.
        let is_free: Vec<bool> = (0..16).map(|cell| cell == 1 || cell == 4).collect();
        let rule = BlockRule { shape: &shape, is_primary: &is_primary, is_free: &is_free };
        assert_eq!(rule.withheld(1).iter().filter(|&&withheld| withheld).count(), 14);
        assert_eq!(BlockRule::sizes(&[4, 4]), 2);
        assert_eq!((BlockRule::sizes(&[2]), BlockRule::sizes(&[3]), BlockRule::sizes(&[5])), (1, 1, 2));
    }
}
