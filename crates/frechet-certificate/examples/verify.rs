//! Verifies a file of certificates, and lists what it proves:
//!
//! ```text
//! cargo run -p frechet-certificate --example verify crates/frechet-certificate/examples/two-by-two.json
//! ```

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::path::PathBuf;

use frechet_certificate::{Certificates, Side};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path: PathBuf = std::env::args_os().nth(1).ok_or("give the name of a file of certificates")?.into();
    let certificates = Certificates::from_json(&std::fs::read(path)?)?;
    // Nothing that the file says is true before this line.
    let summary = certificates.verify()?;
    println!("These rows were given; compare them with what was published:");
    for row in &certificates.rows {
        println!("  {}: {} ..= {} over {} cells", row.name(), row.lower(), row.upper(), row.cells().len());
    }
    println!("These bounds follow from them:");
    for claim in &certificates.claims {
        let end = if claim.side == Side::Lower { "at least" } else { "at most" };
        println!("  cells {:?} hold {end} {} ({} cases)", claim.cells, claim.value, claim.proof.nodes.len());
    }
    println!("{} of {} bounds are attained by a table of the file.", summary.attained, summary.bounds);
    Ok(())
}
