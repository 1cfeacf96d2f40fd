//! How long suppression and audit take in a table with two hierarchies.
//!
//! ```sh
//! cargo run --release -p frechet-release --example measure_hierarchy -- 5,5,4 4,4,4 40000
//! ```
//!
//! The branches of each level of both hierarchies, then the number of people. Every total of every
//! level is published or suppressed; cells of 1 or 2 people are sensitive, and must have a second
//! possible count.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::time::Instant;

use frechet_release::{CellRelation, Limits, LinkedCell, LinkedTable, Protection, ProtectionStatus, SuppressionStatus};

/// A tree: the parent of each node, the root first, and the leaves.
struct Tree {
    children: Vec<Vec<usize>>,
    leaves: Vec<usize>,
}

impl Tree {
    fn of(branches: &[usize]) -> Self {
        let (mut children, mut level) = (vec![Vec::new()], vec![0]);
        for &branches in branches {
            let mut next = Vec::new();
            for node in level {
                for _ in 0..branches {
                    let child = children.len();
                    children[node].push(child);
                    next.push(child);
                    children.push(Vec::new());
                }
            }
            level = next;
        }
        Self { children, leaves: level }
    }

    /// The sums of `counts`, which are those of the leaves, over every node.
    fn sums(&self, node: usize, counts: &mut [u64]) {
        for child in self.children[node].clone() {
            self.sums(child, counts);
            counts[node] += counts[child];
        }
    }
}

/// A linear congruential generator's high bits.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    /// The smaller of two uniform ones: some leaves are common, others rare.
    fn leaf(&mut self, leaves: &[usize]) -> usize {
        let (a, b) = (self.below(leaves.len()), self.below(leaves.len()));
        leaves[a.min(b)]
    }
}

fn table(rows: &Tree, columns: &Tree, people: usize) -> Result<LinkedTable, frechet_release::Error> {
    let (height, width) = (rows.children.len(), columns.children.len());
    let (mut counts, mut draws) = (vec![vec![0_u64; width]; height], Draws(12_345));
    for _ in 0..people {
        counts[draws.leaf(&rows.leaves)][draws.leaf(&columns.leaves)] += 1;
    }
    counts.iter_mut().for_each(|row| columns.sums(0, row));
    for column in 0..width {
        let mut own: Vec<u64> = counts.iter().map(|row| row[column]).collect();
        rows.sums(0, &mut own);
        counts.iter_mut().zip(own).for_each(|(row, count)| row[column] = count);
    }
    let mut links = Vec::new();
    let mut link = |whole: usize, parts: &mut dyn Iterator<Item = usize>| {
        let terms = std::iter::once((whole, true)).chain(parts.map(|part| (part, false))).collect();
        links.push(CellRelation { constant: 0, terms });
    };
    for row in 0..height {
        for column in 0..width {
            let (below, beside) = (&rows.children[row], &columns.children[column]);
            if !below.is_empty() {
                link(row * width + column, &mut below.iter().map(|child| child * width + column));
            }
            if !beside.is_empty() {
                link(row * width + column, &mut beside.iter().map(|child| row * width + child));
            }
        }
    }
    let cell = |&count: &u64| LinkedCell {
        count,
        status: if (1..3).contains(&count) { SuppressionStatus::Primary } else { SuppressionStatus::Published },
        known: (0, people as u64),
        protection: Protection::default(),
    };
    LinkedTable::new(counts.iter().flatten().map(cell).collect(), links)
}

fn branches(text: &str) -> Result<Vec<usize>, std::num::ParseIntError> {
    text.split(',').map(str::parse).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (rows, columns) = (Tree::of(&branches(&arguments[0])?), Tree::of(&branches(&arguments[1])?));
    let table = table(&rows, &columns, arguments[2].parse()?)?;
    let weights: Vec<u64> = table.cells().iter().map(|cell| cell.count).collect();
    let of = |table: &LinkedTable, status| table.cells().iter().filter(|cell| cell.status == status).count();
    println!(
        "{} cells, {} relations, {} sensitive",
        weights.len(),
        table.links(),
        of(&table, SuppressionStatus::Primary)
    );
    let start = Instant::now();
    let protected = table.suppress(&weights, &Limits::default())?;
    println!("suppressed {:.2?}: {} secondary", start.elapsed(), of(&protected, SuppressionStatus::Secondary));
    let start = Instant::now();
    let mut solver = protected.solver(Limits::default())?.ok_or("nothing is suppressed")?;
    let findings = protected.audit(&mut solver)?;
    let unknown = findings.iter().filter(|finding| finding.protected == ProtectionStatus::Unknown).count();
    let exposed = findings.iter().filter(|finding| finding.protected == ProtectionStatus::No);
    let exposed = exposed.filter(|finding| finding.status == SuppressionStatus::Primary).count();
    println!("audited {:.2?}: {exposed} sensitive exposed, {unknown} of {} unknown", start.elapsed(), findings.len());
    Ok(())
}
