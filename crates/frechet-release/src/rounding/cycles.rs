//! Tables of two axes: cycles of cells whose residues move together, until none is left between
//! multiples of the base.
//!
//! The table is bordered with its negative totals, so every row and column of residues sums to a
//! multiple of the base, and a line with one residue strictly between 0 and the base has another
//! one. A walk over such cells closes a cycle. Along the cycle residues rise and fall by turns,
//! which keeps all line sums, by as much as the first cell needs to reach 0 or the base:
//!
//! ```text
//! (4)  up by u with probability d / (u + d), down by d with probability u / (u + d)
//! ```
//!
//! so every residue keeps its expected value, and with it every cell and every total. Each cell
//! may follow on a walk, so every cycle has a positive probability; a rounding that differs from
//! the present residues does so along cycles, none of which overshoots, so every controlled
//! rounding has a positive probability, which is what (3) needs.

use privacy_core::noise::{Rational, bernoulli};
use rand_core::CryptoRng;

/// Whether each cell is rounded up. `residues` are row-major, below the base.
pub(super) fn round_up<R: CryptoRng + ?Sized>(
    shape: (usize, usize),
    residues: &[u64],
    base: u64,
    rng: &mut R,
) -> Vec<bool> {
    let (rows, columns) = shape;
    let mut table = Bordered::new(shape, residues, base);
    while let Some(cycle) = table.cycle(rng) {
        table.turn(&cycle, rng);
    }
    let inner = (0..rows).flat_map(|row| (0..columns).map(move |column| row * (columns + 1) + column));
    inner.map(|cell| table.residues[cell] == base).collect()
}

/// Residues with their border.
struct Bordered {
    base: u64,
    rows: usize,
    columns: usize,
    /// From 0 to the base.
    residues: Vec<u64>,
    /// The cells strictly between 0 and the base in each line: rows, then columns.
    open: Vec<Vec<usize>>,
    /// Where each cell stands among those of its row, and of its column.
    places: Vec<[usize; 2]>,
}

impl Bordered {
    fn new((rows, columns): (usize, usize), residues: &[u64], base: u64) -> Self {
        let mut own = Self {
            base,
            rows: rows + 1,
            columns: columns + 1,
            residues: vec![0; (rows + 1) * (columns + 1)],
            open: vec![Vec::new(); rows + columns + 2],
            places: vec![[0; 2]; (rows + 1) * (columns + 1)],
        };
        for (index, &residue) in residues.iter().enumerate() {
            own.residues[index / columns * (columns + 1) + index % columns] = residue;
        }
        for row in 0..rows {
            let first = row * own.columns;
            own.residues[first + columns] = own.missing(own.residues[first..first + columns].iter().sum());
        }
        for column in 0..=columns {
            let line = (0..rows).map(|row| own.residues[row * own.columns + column]).sum();
            own.residues[rows * own.columns + column] = own.missing(line);
        }
        for cell in 0..own.residues.len() {
            if (1..base).contains(&own.residues[cell]) {
                own.places[cell] = own.lines_of(cell).map(|line| own.open[line].len());
                own.lines_of(cell).into_iter().for_each(|line| own.open[line].push(cell));
            }
        }
        own
    }

    /// What a sum lacks to a multiple of the base.
    fn missing(&self, sum: u64) -> u64 {
        (self.base - sum % self.base) % self.base
    }

    fn lines_of(&self, cell: usize) -> [usize; 2] {
        [cell / self.columns, self.rows + cell % self.columns]
    }

    /// A random cycle of open cells; `None` when no cell is open.
    fn cycle<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Option<Vec<usize>> {
        // Any row with open cells may be the first.
        let offset = pick(self.rows, rng);
        let start =
            (0..self.rows).map(|row| (row + offset) % self.rows).find(|&row: &usize| !self.open[row].is_empty())?;
        let (mut lines, mut cells, mut line) = (vec![start], Vec::new(), start);
        loop {
            let open = &self.open[line];
            let came_from = cells.last().map(|&last: &usize| self.places[last][usize::from(line >= self.rows)]);
            let next = match came_from {
                None => open[pick(open.len(), rng)],
                // The line has another one: its residues sum to a multiple of the base.
                Some(place) => open[(place + 1 + pick(open.len() - 1, rng)) % open.len()],
            };
            cells.push(next);
            let [row, column] = self.lines_of(next);
            line = if line == row { column } else { row };
            if let Some(place) = lines.iter().position(|&seen| seen == line) {
                return Some(cells.split_off(place));
            }
            lines.push(line);
        }
    }

    /// Moves the cells of a cycle by turns, by the law (4).
    fn turn<R: CryptoRng + ?Sized>(&mut self, cycle: &[usize], rng: &mut R) {
        let (mut up, mut down) = (self.base, self.base);
        for (place, &cell) in cycle.iter().enumerate() {
            let (above, below) = (self.base - self.residues[cell], self.residues[cell]);
            let (rise, fall) = if place % 2 == 0 { (above, below) } else { (below, above) };
            (up, down) = (up.min(rise), down.min(fall));
        }
        let probability = Rational::new(u128::from(down), u128::from(up + down));
        let probability = probability.expect("both steps are at least 1");
        let goes_up = bernoulli(probability, rng).expect("the probability is below 1");
        for (place, &cell) in cycle.iter().enumerate() {
            let step = if goes_up { up } else { down };
            if goes_up == (place % 2 == 0) {
                self.residues[cell] += step;
            } else {
                self.residues[cell] -= step;
            }
            if self.residues[cell].is_multiple_of(self.base) {
                self.close(cell);
            }
        }
    }

    /// Takes a cell out of its lines, in no time that depends on their length.
    fn close(&mut self, cell: usize) {
        for (line, end) in self.lines_of(cell).into_iter().zip(0..) {
            let place = self.places[cell][end];
            self.open[line].swap_remove(place);
            if let Some(&moved) = self.open[line].get(place) {
                self.places[moved][end] = place;
            }
        }
    }
}

/// A number below `many`, any of them; how likely each is, nothing depends on.
fn pick<R: CryptoRng + ?Sized>(many: usize, rng: &mut R) -> usize {
    (rng.next_u64() % many as u64) as usize
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn lines_of_the_border_sum_to_multiples_and_stay_so() {
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let mut table = Bordered::new((2, 3), &[1, 2, 0, 1, 1, 4], 5);
        while let Some(cycle) = table.cycle(&mut rng) {
            assert!(cycle.len() >= 4 && cycle.len() % 2 == 0, "{cycle:?}");
            table.turn(&cycle, &mut rng);
            for row in table.residues.chunks(4) {
                assert_eq!(row.iter().sum::<u64>() % 5, 0);
            }
        }
        assert!(table.residues.iter().all(|residue| residue % 5 == 0));
        assert_eq!(table.residues[2], 0, "a multiple of the base stays as it is");
    }

    /// Every cell of the longest axis is closed once: a search of its line for each would take
    /// hours.
    #[test]
    fn a_million_categories_are_rounded() {
        let mut rng = ChaCha20Rng::from_seed([4; 32]);
        let residues: Vec<u64> = (0..1 << 20).map(|cell| cell % 7).collect();
        let is_up = round_up((1, residues.len()), &residues, 7, &mut rng);
        assert!(is_up.iter().zip(&residues).all(|(&is_up, &residue)| !is_up || residue > 0));
        let (up, sum) = (is_up.iter().filter(|&&is_up| is_up).count() as u64, residues.iter().sum::<u64>());
        assert!((7 * up).abs_diff(sum) < 7, "{up} of {sum}");
    }
}
