//! A hierarchy of four levels crossed with another attribute, every total published or suppressed.

use frechet_release::{CellRelation, Limits, LinkedCell, LinkedTable, Protection, ProtectionStatus, SuppressionStatus};

use crate::{Draws, cpu_seconds};

/// Branches of each level of the hierarchy, levels of the other attribute, people, and the seed.
const BRANCHES: [usize; 3] = [10, 10, 9];
const COLUMNS: usize = 99;
const PEOPLE: [usize; 2] = [200_000, 1_000_000];
const SEED: u64 = 12_345;

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

fn table(rows: &Tree, columns: &Tree, people: usize, sliding: u64) -> Result<LinkedTable, frechet_release::Error> {
    let (height, width) = (rows.children.len(), columns.children.len());
    let (mut counts, mut draws) = (vec![vec![0_u64; width]; height], Draws(SEED));
    for _ in 0..people {
        counts[rows.leaves[draws.level(rows.leaves.len())]][columns.leaves[draws.level(columns.leaves.len())]] += 1;
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
        protection: Protection { sliding, ..Protection::default() },
    };
    LinkedTable::new(counts.iter().flatten().map(cell).collect(), links)
}

pub(crate) fn measure() -> Result<(), Box<dyn std::error::Error>> {
    for people in PEOPLE {
        for sliding in [1, 4] {
            measure_one(people, sliding)?;
        }
    }
    Ok(())
}

/// Cells of 1 or 2 people are sensitive, and `sliding` is how far apart two of their counts must
/// be.
fn measure_one(people: usize, sliding: u64) -> Result<(), Box<dyn std::error::Error>> {
    let (rows, columns) = (Tree::of(&BRANCHES), Tree::of(&[COLUMNS]));
    let table = table(&rows, &columns, people, sliding)?;
    let weights: Vec<u64> = table.cells().iter().map(|cell| cell.count).collect();
    let of = |table: &LinkedTable, status| table.cells().iter().filter(|cell| cell.status == status).count();
    let sensitive = of(&table, SuppressionStatus::Primary);
    println!("{} cells, {} relations, {sensitive} sensitive, width {sliding}", weights.len(), table.links());
    let start = cpu_seconds();
    let protected = table.suppress(&weights, &Limits::default())?;
    let (secondary, seconds) = (of(&protected, SuppressionStatus::Secondary), cpu_seconds() - start);
    println!("suppressed: {secondary} secondary, {seconds:.2} CPU s");
    let start = cpu_seconds();
    let mut solver = protected.solver(Limits::default())?.ok_or("nothing is suppressed")?;
    let findings = protected.audit(&mut solver)?;
    let unknown = findings.iter().filter(|finding| finding.protected == ProtectionStatus::Unknown).count();
    let exposed = findings.iter().filter(|finding| finding.protected == ProtectionStatus::No);
    let exposed = exposed.filter(|finding| finding.status == SuppressionStatus::Primary).count();
    let (all, seconds) = (findings.len(), cpu_seconds() - start);
    println!("audited: {exposed} sensitive exposed, {unknown} of {all} unknown, {seconds:.2} CPU s");
    Ok(())
}
