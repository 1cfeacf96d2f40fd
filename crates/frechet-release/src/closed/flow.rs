//! A first two-way table with given sums and capacities, by maximum flow (Dinitz 1970).
//!
//! The search starts from a greedy table. What rows and columns still lack flows along shortest
//! residual paths: a row may increase a cell that is not full, a column may decrease a cell that
//! is not empty. Each phase uses up all paths of one length, so lengths increase from phase to
//! phase, and there are at most as many phases as vertices.

use privacy_core::stop::StopFlag;

/// A table with these sums, at most `capacity` in each cell, row-major; `None` if no such table
/// exists, or if the call was stopped.
pub(crate) fn first_table(
    row_sums: &[i64],
    column_sums: &[i64],
    capacity: &[i64],
    stop: &StopFlag,
) -> Option<Vec<i64>> {
    if total(row_sums) != total(column_sums) {
        return None;
    }
    let mut flow =
        Flow { lacking: [row_sums.to_vec(), column_sums.to_vec()].concat(), ..Flow::new(row_sums.len(), capacity) };
    // The greedy table takes most of the flow, and leaves few paths to search for.
    flow.fill_greedily();
    while flow.find_levels() {
        // Arcs that led nowhere in this phase are not tried again before the levels change.
        flow.next.fill(0);
        for row in 0..flow.rows {
            while flow.lacking[row] > 0 {
                if stop.is_set() {
                    return None;
                }
                let pushed = flow.push(row, flow.lacking[row]);
                if pushed == 0 {
                    break;
                }
                flow.lacking[row] -= pushed;
            }
        }
    }
    flow.lacking.iter().all(|&lacking| lacking == 0).then_some(flow.table)
}

fn total(sums: &[i64]) -> i128 {
    sums.iter().map(|&sum| i128::from(sum)).sum()
}

/// Vertices are rows, then columns.
struct Flow<'a> {
    rows: usize,
    columns: usize,
    capacity: &'a [i64],
    table: Vec<i64>,
    lacking: Vec<i64>,
    /// Distance from the rows that lack, or `FAR`.
    level: Vec<usize>,
    /// The first arc of each vertex that may still lead on.
    next: Vec<usize>,
}

const FAR: usize = usize::MAX;

impl<'a> Flow<'a> {
    fn new(rows: usize, capacity: &'a [i64]) -> Self {
        let columns = capacity.len() / rows.max(1);
        let vertices = rows + columns;
        let table = vec![0; capacity.len()];
        Self {
            rows,
            columns,
            capacity,
            table,
            lacking: Vec::new(),
            level: vec![FAR; vertices],
            next: vec![0; vertices],
        }
    }

    /// Row by row, column by column, as much as fits.
    fn fill_greedily(&mut self) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let cell = row * self.columns + column;
                let more = self.capacity[cell].min(self.lacking[row]).min(self.lacking[self.rows + column]);
                self.table[cell] = more;
                self.lacking[row] -= more;
                self.lacking[self.rows + column] -= more;
            }
        }
    }

    /// Distances from the rows that lack; whether a column that lacks is within reach.
    fn find_levels(&mut self) -> bool {
        self.level.fill(FAR);
        let mut front: Vec<usize> = (0..self.rows).filter(|&row| self.lacking[row] > 0).collect();
        front.iter().for_each(|&row| self.level[row] = 0);
        let mut distance = 0;
        while !front.is_empty() {
            // Paths of this length are the shortest, so levels beyond are not needed in this
            // phase.
            if front.iter().any(|&vertex| vertex >= self.rows && self.lacking[vertex] > 0) {
                return true;
            }
            distance += 1;
            let mut reached = Vec::new();
            for vertex in front {
                for place in 0..self.width(vertex) {
                    let (other, _, room) = self.arc(vertex, place);
                    if room > 0 && self.level[other] == FAR {
                        self.level[other] = distance;
                        reached.push(other);
                    }
                }
            }
            front = reached;
        }
        false
    }

    /// Sends at most `most` from a vertex to a column that lacks, and returns how much.
    fn push(&mut self, vertex: usize, most: i64) -> i64 {
        if vertex >= self.rows && self.lacking[vertex] > 0 {
            let taken = most.min(self.lacking[vertex]);
            self.lacking[vertex] -= taken;
            return taken;
        }
        while self.next[vertex] < self.width(vertex) {
            let (other, cell, room) = self.arc(vertex, self.next[vertex]);
            // Only arcs to the next level: every path that is found has the length of the phase.
            if room > 0 && self.level[vertex].checked_add(1) == Some(self.level[other]) {
                let pushed = self.push(other, most.min(room));
                if pushed > 0 {
                    self.table[cell] += if vertex < self.rows { pushed } else { -pushed };
                    return pushed;
                }
            }
            // Nothing more fits through this arc, in this phase.
            self.next[vertex] += 1;
        }
        0
    }

    fn width(&self, vertex: usize) -> usize {
        if vertex < self.rows { self.columns } else { self.rows }
    }

    /// The vertex across, the cell, and what the arc can carry.
    fn arc(&self, vertex: usize, place: usize) -> (usize, usize, i64) {
        if vertex < self.rows {
            let cell = vertex * self.columns + place;
            (self.rows + place, cell, self.capacity[cell] - self.table[cell])
        } else {
            let cell = place * self.columns + vertex - self.rows;
            (place, cell, self.table[cell])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_capacities_are_met_or_there_is_no_table() {
        // Greedy gives the first row what the second needs.
        let table = first_table(&[2, 2], &[2, 2], &[2, 1, 2, 1], &StopFlag::never()).unwrap();
        assert_eq!(table[0] + table[1], 2);
        assert_eq!(table[0] + table[2], 2);
        assert_eq!((table[1], table[3]), (1, 1));
        assert_eq!(first_table(&[2, 2], &[3, 1], &[1, 1, 1, 1], &StopFlag::never()), None);
        assert_eq!(first_table(&[2, 2], &[2, 1], &[9; 4], &StopFlag::never()), None);
        assert_eq!(first_table(&[0, 0], &[0], &[0, 0], &StopFlag::never()), Some(vec![0, 0]));
    }

    #[test]
    fn long_ways_round_are_found() {
        // Capacities along a staircase leave one table, far from the greedy one.
        let capacity: Vec<i64> =
            (0..36).map(|cell| i64::from(cell / 6 == cell % 6 || cell / 6 == cell % 6 + 1)).collect();
        let rows: Vec<i64> = (0..6).map(|row| i64::from(row > 0)).collect();
        let table = first_table(&rows, &[1, 1, 1, 1, 1, 0], &capacity, &StopFlag::never()).unwrap();
        assert!((1..6).all(|row| table[row * 6 + row - 1] == 1));
    }

    #[test]
    fn one_row_or_one_column_is_a_table() {
        assert_eq!(first_table(&[6], &[1, 2, 3], &[9; 3], &StopFlag::never()), Some(vec![1, 2, 3]));
        assert_eq!(first_table(&[1, 2, 3], &[6], &[9; 3], &StopFlag::never()), Some(vec![1, 2, 3]));
        assert_eq!(first_table(&[6], &[1, 2, 3], &[9, 1, 9], &StopFlag::never()), None);
    }
}
